//===- Traffic.cpp - sectors, banks, wavefronts ---------------------------===//
//
// What one request of a warp costs the memory system, as Nsight Compute counts it on a GPU of
// compute capability 9.0 (docs/simulator.md compares the two).
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "llvm/ADT/ArrayRef.h"

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

uint32_t tritium::sim::countWavefronts(const uint64_t *addresses, uint32_t mask, uint32_t bytes) {
  uint32_t total = 0;
  auto together = [&](uint32_t lanes) {
    total += passes(addresses, mask & lanes, bytes, /*distinct=*/true);
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
  return total;
}

static void addShared(Warp &warp, const Op &op, uint32_t wavefronts, uint32_t bytes, bool write) {
  Tally &tally = warp.machine.tallies[op.id];
  ++tally.sharedRequests;
  uint32_t all = uint32_t(std::popcount(warp.mask)) * bytes;
  (write ? tally.sharedBytesWritten : tally.sharedBytesRead) += all;
  tally.wavefronts += wavefronts;
  tally.idealWavefronts += std::min(wavefronts, (all + 127) / 128);
}

void tritium::sim::countShared(Warp &warp, const Op &op, const uint64_t *addresses, uint32_t bytes,
                               bool write) {
  addShared(warp, op, countWavefronts(addresses, warp.mask, bytes), bytes, write);
}

void tritium::sim::countSharedAtomic(Warp &warp, const Op &op, const uint64_t *addresses,
                                     uint32_t bytes, bool combines) {
  // Each lane is a pass of its own in its bank, but increments of one word are summed.
  addShared(warp, op, passes(addresses, warp.mask, bytes, combines), bytes, true);
  uint64_t first = addresses[std::countr_zero(warp.mask)] >> 2;
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((warp.mask >> lane & 1) && addresses[lane] >> 2 != first) {
      ++warp.machine.tallies[op.id].spreadAtomics;
      return;
    }
}

static void addGlobal(Warp &warp, const Op &op, uint64_t address, uint32_t bytes, uint64_t sectors,
                      bool write) {
  Tally &tally = warp.machine.tallies[op.id];
  uint64_t all = uint64_t(std::popcount(warp.mask)) * bytes;
  tally.sectors += sectors;
  ++tally.globalRequests;
  tally.idealSectors += std::min(sectors, (all + 31) / 32);
  if (Range *range = warp.machine.memory.find(address))
    (write ? range->isWritten : range->isRead) = true;
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
  addGlobal(warp, op, addresses[std::countr_zero(warp.mask)], bytes, distinct, write);
  Tally &tally = warp.machine.tallies[op.id];
  auto &cached = warp.cta.cached;
  RequestsOfL2 requests(warp, op, write, warp.cta.warps.size());
  // Stores bring nothing to the first cache, and what is strong passes it by.
  bool isKept = !write && !op.strong && !op.bypasses;
  for (uint64_t sector : llvm::ArrayRef(sectors, distinct)) {
    uint64_t &place = cached[sector % cached.size()];
    if (isKept && place == sector) {
      ++tally.cachedSectors;
      continue;
    }
    requests.add(sector);
    if (isKept)
      place = sector;
  }
  tally.l2Requests += requests.count;
}

/// Past the first-level cache a sector goes to shared memory as it is: once for each sector
/// there that it becomes part of. Whole sectors of one line go together, parts of a sector
/// only within 64 bytes and where each half stays a half of its kind.
static uint64_t countBypass(const Op &op, const uint64_t *to, const uint64_t *from,
                            uint32_t reading, uint32_t &wavefronts, RequestsOfL2 &requests) {
  struct Piece {
    uint64_t from = 0, to = 0; ///< sectors
    unsigned bytes = 0;
    bool inPlace = true;
  };
  Piece pieces[32];
  unsigned count = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(reading >> lane & 1))
      continue;
    uint64_t source = from[lane] / 32, target = to[lane] / 32;
    Piece *end = pieces + count, *piece = std::find_if(pieces, end, [&](const Piece &p) {
      return p.from == source && p.to == target;
    });
    if (piece == end)
      *end = {source, target}, ++count;
    piece->bytes += op.bytes;
    piece->inPlace &= from[lane] % 32 == to[lane] % 32;
  }
  std::pair<uint64_t, uint64_t> groups[32];
  unsigned grouped = 0, alone = 0;
  for (const Piece &piece : llvm::ArrayRef(pieces, count)) {
    if (piece.bytes >= 32)
      groups[grouped++] = {piece.from / 4, piece.to / 4};
    else if (piece.inPlace)
      groups[grouped++] = {~piece.from, piece.to / 2};
    else
      ++alone;
  }
  std::sort(groups, groups + grouped);
  alone += unsigned(std::unique(groups, groups + grouped) - groups);
  wavefronts = std::max(wavefronts, alone);
  std::sort(pieces, pieces + count, [](const Piece &a, const Piece &b) { return a.from < b.from; });
  for (const Piece &piece : llvm::ArrayRef(pieces, count))
    requests.add(piece.from);
  return count;
}

void tritium::sim::countCopy(Warp &warp, const Op &op, const uint64_t *to, const uint64_t *from,
                             uint32_t reading, bool bypass) {
  uint32_t wavefronts = countWavefronts(to, warp.mask, op.bytes);
  uint64_t sectors = 0;
  RequestsOfL2 requests(warp, op, /*write=*/false, warp.cta.warps.size());
  if (reading && bypass)
    sectors = countBypass(op, to, from, reading, wavefronts, requests);
  addShared(warp, op, wavefronts, op.bytes, true);
  warp.machine.tallies[op.id].l2Requests += requests.count;
  if (!reading)
    return;
  std::swap(reading, warp.mask);
  if (bypass)
    addGlobal(warp, op, from[std::countr_zero(warp.mask)], op.bytes, sectors, false);
  else
    countGlobal(warp, op, from, op.bytes, false);
  std::swap(reading, warp.mask);
}
