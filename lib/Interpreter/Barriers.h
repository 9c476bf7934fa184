//===- Barriers.h - what groups wait for ------------------------*- C++ -*-===//

#ifndef TRITIUM_LIB_INTERPRETER_BARRIERS_H
#define TRITIUM_LIB_INTERPRETER_BARRIERS_H

#include "Threads.h"

#include <deque>
#include <map>

namespace tritium::interpreter {

struct CopyOnItsWay;

/// A barrier between groups, by number.
struct NamedBarrier {
  int32_t arrived = 0; ///< warps, in this round
  uint64_t round = 0;
  std::vector<unsigned> actors; ///< that have come in this round
  Clocks coming, done;          ///< knowledge of this round's, and of the last one's
};

/// A barrier in memory.
struct MBarrier {
  int32_t count = 0, pending = 0; ///< arrivals of a phase; those that are still to come
  int64_t expected = 0;           ///< bytes of this phase
  std::vector<CopyOnItsWay> copies;
  uint64_t phase = 0;
  Clocks coming, done; ///< knowledge of this phase's arrivals; of all phases before
  unsigned actor = 0;  ///< that the bytes come from
  uint64_t clock = 0;  ///< of it
};

} // namespace tritium::interpreter

#endif // TRITIUM_LIB_INTERPRETER_BARRIERS_H
