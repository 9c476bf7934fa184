//===- Lanes.h - one operation on 32 lanes ----------------------*- C++ -*-===//
//
// F works on what a slot holds of a lane: uint32_t for values of up to 32 bits, uint64_t
// for 64. A destination may be one of the sources: lanes do not mix, which is what lets
// the loops vectorise.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SIMULATOR_LANES_H
#define TRITIUM_SIMULATOR_LANES_H

#include "Machine.h"

#include <bit>

namespace tritium::sim {

template <typename D, typename F> inline void eachLane(Warp &warp, uint32_t d, F &&f) {
  D *to = warp.lanes<D>(d);
  uint32_t mask = warp.mask;
  if (mask == allLanes) {
#pragma clang loop vectorize(assume_safety)
    for (unsigned i = 0; i < 32; ++i)
      to[i] = f(i);
  } else {
    for (unsigned i = 0; i < 32; ++i)
      if (mask >> i & 1)
        to[i] = f(i);
  }
}

/// Calls f(lane) for each lane of the mask.
template <typename F> inline void lanesOf(uint32_t mask, F &&f) {
  for (; mask; mask &= mask - 1)
    f(unsigned(std::countr_zero(mask)));
}

template <auto F, typename D, typename A> void unary(Warp &warp, const Op &op) {
  const A *a = warp.lanes<A>(op.a);
  eachLane<D>(warp, op.d, [=](unsigned i) { return D(F(a[i])); });
}
template <auto F, typename D, typename A, typename B> void binary(Warp &warp, const Op &op) {
  const A *a = warp.lanes<A>(op.a);
  const B *b = warp.lanes<B>(op.b);
  eachLane<D>(warp, op.d, [=](unsigned i) { return D(F(a[i], b[i])); });
}
template <auto F, typename D, typename A, typename B, typename C>
void ternary(Warp &warp, const Op &op) {
  const A *a = warp.lanes<A>(op.a);
  const B *b = warp.lanes<B>(op.b);
  const C *c = warp.lanes<C>(op.c);
  eachLane<D>(warp, op.d, [=](unsigned i) { return D(F(a[i], b[i], c[i])); });
}

using u32 = uint32_t;
using u64 = uint64_t;
inline float asFloat(u32 bits) { return std::bit_cast<float>(bits); }
inline u32 asBits(float value) { return std::bit_cast<u32>(value); }
inline double asDouble(u64 bits) { return std::bit_cast<double>(bits); }
inline u64 asBits(double value) { return std::bit_cast<u64>(value); }

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_LANES_H
