//===- OtherMemory.h - what is reached by addresses in memory ---*- C++ -*-===//

#ifndef TRITIUM_SIMULATOR_OTHERMEMORY_H
#define TRITIUM_SIMULATOR_OTHERMEMORY_H

#include "tritium/Simulator/Counters.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <bit>

namespace tritium::sim {

/// The sectors of global memory that belong to no argument and that CTAs have come to, by two
/// halves of the CTAs.
class OtherMemory {
public:
  void add(uint64_t sector, bool writes, unsigned half) {
    pages[sector / kSectors][writes][half] |= uint64_t(1) << sector % kSectors;
  }

  ReachedBytes reached(bool writes) const {
    ReachedBytes found;
    for (const auto &[number, page] : pages) {
      const std::array<uint64_t, 2> &halves = page[writes];
      found.byAll += kBytes * std::popcount(halves[0] | halves[1]);
      found.byHalf += kBytes * (std::popcount(halves[0]) + std::popcount(halves[1])) / 2;
    }
    return found;
  }

private:
  static constexpr uint64_t kSectors = 64, kBytes = 32;
  using Page = std::array<std::array<uint64_t, 2>, 2>; ///< a bit for each sector
  llvm::DenseMap<uint64_t, Page> pages;
};

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_OTHERMEMORY_H
