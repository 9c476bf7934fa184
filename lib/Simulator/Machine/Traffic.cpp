//===- Traffic.cpp - sectors, banks, wavefronts ---------------------------===//
//
// What one request of a warp costs the memory system, as Nsight Compute counts it on a GPU of
// compute capability 9.0 (docs/simulator.md compares the two).
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include <algorithm>
#include <bit>

using namespace tritium::sim;

/// Whether each active lane's partner, lane ^ distance, is inactive or has the same address.
static bool pairsAgree(const uint64_t *addresses, uint32_t mask, unsigned distance) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned other = lane ^ distance;
    if ((mask >> lane & 1) && (mask >> other & 1) && addresses[lane] != addresses[other])
      return false;
  }
  return true;
}

/// Passes over the 32 banks of 4 bytes of the lanes that go together; 0 if there are none.
/// distinct: lanes with the same word share a pass.
static uint32_t passes(const uint64_t *addresses, uint32_t mask, uint32_t bytes, bool distinct) {
  unsigned words = std::max(1u, bytes / 4), count = 0;
  uint64_t seen[32 * 4];
  for (unsigned lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1)
      for (unsigned w = 0; w < words; ++w)
        seen[count++] = (addresses[lane] >> 2) + w;
  std::sort(seen, seen + count);
  uint32_t banks[32] = {}, most = 0;
  for (unsigned i = 0; i < count; ++i)
    if (!distinct || !i || seen[i] != seen[i - 1])
      most = std::max(most, ++banks[seen[i] % 32]);
  return most;
}

Wavefronts tritium::sim::countWavefronts(const uint64_t *addresses, uint32_t mask, uint32_t bytes) {
  Wavefronts made;
  auto together = [&](uint32_t lanes) {
    if (!(mask & lanes))
      return;
    made.needed += passes(addresses, mask & lanes, bytes, /*distinct=*/true);
    ++made.ideal;
  };
  // 8 bytes go by half warps, 16 by quarters, unless pairs of lanes share their addresses.
  auto split = [&](uint32_t lanes, unsigned width) {
    if (pairsAgree(addresses, mask & lanes, 1) || pairsAgree(addresses, mask & lanes, 2))
      return together(lanes);
    uint32_t low = ((1u << width) - 1) << std::countr_zero(lanes);
    together(low);
    together(lanes & ~low);
  };
  if (bytes <= 4) {
    together(allLanes);
  } else if (bytes == 8) {
    split(allLanes, 16);
  } else {
    split(0xffff, 8);
    split(0xffff0000, 8);
  }
  return made;
}

static void addShared(Warp &warp, const Op &op, Wavefronts wavefronts, uint32_t bytes, bool write) {
  Tally &tally = warp.machine.tallies[op.id];
  ++tally.sharedRequests;
  uint64_t all = uint64_t(std::popcount(warp.mask)) * bytes;
  (write ? tally.sharedBytesWritten : tally.sharedBytesRead) += all;
  tally.wavefronts += wavefronts.needed;
  tally.idealWavefronts += wavefronts.ideal;
}

void tritium::sim::countShared(Warp &warp, const Op &op, const uint64_t *addresses, uint32_t bytes,
                               bool write) {
  addShared(warp, op, countWavefronts(addresses, warp.mask, bytes), bytes, write);
}

void tritium::sim::countSharedAtomic(Warp &warp, const Op &op, const uint64_t *addresses,
                                     uint32_t bytes, bool combines) {
  // Each lane is a pass of its own in its bank, but increments of one word are summed.
  addShared(warp, op, {passes(addresses, warp.mask, bytes, combines), 1}, bytes, true);
}

static void addGlobal(Warp &warp, const Op &op, uint32_t bytes, uint64_t sectors, bool write) {
  Tally &tally = warp.machine.tallies[op.id];
  uint64_t all = uint64_t(std::popcount(warp.mask)) * bytes;
  tally.sectors += sectors;
  ++tally.globalRequests;
  tally.idealSectors += std::min(sectors, (all + 31) / 32);
  (write ? tally.globalBytesWritten : tally.globalBytesRead) += all;
}

void tritium::sim::countGlobal(Warp &warp, const Op &op, const uint64_t *addresses, uint32_t bytes,
                               bool write) {
  uint64_t sectors[64];
  unsigned count = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (warp.mask >> lane & 1) {
      uint64_t first = addresses[lane] / 32, last = (addresses[lane] + bytes - 1) / 32;
      sectors[count++] = first;
      if (last != first)
        sectors[count++] = last;
    }
  std::sort(sectors, sectors + count);
  uint64_t distinct = uint64_t(std::unique(sectors, sectors + count) - sectors);
  addGlobal(warp, op, bytes, distinct, write);
}

void tritium::sim::countCopy(Warp &warp, const Op &op, const uint64_t *to, const uint64_t *from,
                             uint32_t reading, bool bypass) {
  Wavefronts wavefronts = countWavefronts(to, warp.mask, op.bytes);
  uint64_t sectors = 0;
  if (reading && bypass) {
    // Past the first-level cache a sector goes to shared memory as it is: once for each
    // sector that it becomes part of. Whole ones of a line share a wavefront.
    struct Piece {
      uint64_t from, to;
      unsigned bytes;
      bool operator<(const Piece &other) const {
        return std::pair(from, to) < std::pair(other.from, other.to);
      }
    };
    std::vector<Piece> pieces;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (reading >> lane & 1)
        pieces.push_back({from[lane] / 32, to[lane] / 32, op.bytes});
    std::sort(pieces.begin(), pieces.end());
    std::vector<std::pair<uint64_t, uint64_t>> lines;
    uint32_t partial = 0;
    for (size_t i = 0; i < pieces.size();) {
      unsigned bytes = 0;
      size_t first = i;
      for (; i < pieces.size() && !(pieces[first] < pieces[i]); ++i)
        bytes += pieces[i].bytes;
      ++sectors;
      if (bytes < 32)
        ++partial;
      else
        lines.emplace_back(pieces[first].from / 4, pieces[first].to / 4);
    }
    std::sort(lines.begin(), lines.end());
    auto whole = std::unique(lines.begin(), lines.end()) - lines.begin();
    wavefronts.needed = std::max(wavefronts.needed, partial + uint32_t(whole));
  }
  addShared(warp, op, wavefronts, op.bytes, true);
  if (!reading)
    return;
  std::swap(reading, warp.mask);
  if (bypass)
    addGlobal(warp, op, op.bytes, sectors, false);
  else
    countGlobal(warp, op, from, op.bytes, false);
  std::swap(reading, warp.mask);
}
