//===- Atomic.h - what atomics and reductions compute -----------*- C++ -*-===//

#ifndef TRITIUM_SIMULATOR_ATOMIC_H
#define TRITIUM_SIMULATOR_ATOMIC_H

#include "tritium/Simulator/PTX.h"

namespace tritium::sim {

struct AtomicKinds {
  enum Kind { And, Or, Xor, Exch, Add, Inc, Dec, Min, Max, Cas };
};
using AtomicKind = AtomicKinds::Kind;

/// What memory holds afterwards; c: the second operand of cas.
uint64_t applyAtomic(ptx::Type type, AtomicKind what, uint64_t old, uint64_t b, uint64_t c = 0);

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_ATOMIC_H
