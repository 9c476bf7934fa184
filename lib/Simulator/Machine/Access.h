//===- Access.h - the checks and counts of one access -----------*- C++ -*-===//

#ifndef TRITIUM_SIMULATOR_ACCESS_H
#define TRITIUM_SIMULATOR_ACCESS_H

#include "Lanes.h"

#include <optional>

namespace tritium::sim {

enum class AccessMode : uint8_t {
  Read,
  Write,
  AsyncWrite,   ///< cp.async is issued: the bytes belong to it until it has arrived
  AsyncArrival, ///< its wait is over
};

/// A fault of one lane at an address.
void reportAccess(Warp &warp, const Op &op, FaultKind kind, uint64_t address, unsigned lane,
                  std::string message);
/// False after a report: what is wrong is `demand`, "a copy needs an address", with the divisor.
bool isAligned(Warp &warp, const Op &op, unsigned lane, uint64_t address, uint32_t align,
               const char *demand);

/// The bytes of a write, one bit each, that leave memory as it is: that harms nobody.
uint64_t unchangedBytes(const uint8_t *memory, const uint8_t *written, uint32_t bytes);
/// Checks one lane's access against what others did, and remembers it. unchanged: as above.
void noteAccess(Warp &warp, const Op &op, unsigned lane, const Located &located, uint32_t bytes,
                AccessMode mode, uint64_t unchanged = 0);

/// Passes over the banks of shared memory.
uint32_t countWavefronts(const uint64_t *addresses, uint32_t mask, uint32_t bytes);
/// Requests of the L2 for sectors, which come in the order of their lines: one for each line.
class RequestsOfL2 {
public:
  /// `sharers`: warps of the CTA that come to as much meanwhile. In the simulation one may be far
  /// ahead of others.
  RequestsOfL2(Warp &warp, const Op &op, bool write, uint64_t sharers)
      : warp(warp), tally(warp.machine.tallies[op.id]), write(write), sharers(sharers) {}

  uint64_t count = 0;
  void add(uint64_t sector) {
    // Parts of a sector may come one by one.
    if (sector == last)
      return;
    count += sector / 4 != last / 4;
    last = sector;
    uint64_t between = warp.touched.touch(sector);
    if (!between || write) {
      if (warp.machine.launch.hasHostAddresses && isOther(sector))
        warp.machine.others.add(sector, write, warp.cta.half);
      return;
    }
    ++tally.rereadSectors;
    tally.rereadBytesBetween += between * sharers * bytes;
  }

private:
  /// No argument has a part of the sector: an argument within it parts the ranges around it.
  bool isOther(uint64_t sector) const {
    Range *range = warp.machine.memory.find(sector * bytes);
    return range && !range->isArgument && sector * bytes + bytes - range->address <= range->bytes;
  }

  Warp &warp;
  Tally &tally;
  bool write;
  uint64_t sharers;
  static constexpr uint64_t bytes = 32;
  uint64_t last = UINT64_MAX;
};
/// One request of the warp's active lanes; addresses by lane.
void countShared(Warp &warp, const Op &op, const uint64_t *addresses, uint32_t bytes, bool write);
/// combines: an increment, whose lanes at one word go together.
void countSharedAtomic(Warp &warp, const Op &op, const uint64_t *addresses, uint32_t bytes,
                       bool combines);
void countGlobal(Warp &warp, const Op &op, const uint64_t *addresses, uint32_t bytes, bool write);
/// cp.async; reading: the lanes that read at all; bypass: .cg
void countCopy(Warp &warp, const Op &op, const uint64_t *to, const uint64_t *from, uint32_t reading,
               bool bypass);

/// What happens at a strong access or a fence (memory model of PTX, at warp granularity).
void acquire(Warp &warp, const Op &op, uint64_t address);
void release(Warp &warp, const Op &op, uint64_t address);
void fence(Warp &warp);
/// fence.proxy.tensormap::generic.acquire of the lanes' addresses.
void acquireTensorMap(Warp &warp, const Op &op);
void runWarpBarrier(Warp &warp, const Op &op);

/// The addresses of the active lanes: base + offset.
inline void laneAddresses(Warp &warp, const Op &op, uint64_t *addresses) {
  if (op.target == 64) {
    const uint64_t *base = warp.lanes<uint64_t>(op.a);
    for (unsigned i = 0; i < 32; ++i)
      addresses[i] = base[i] + op.offset;
  } else {
    const uint32_t *base = warp.lanes<uint32_t>(op.a);
    for (unsigned i = 0; i < 32; ++i)
      addresses[i] = uint32_t(base[i] + uint32_t(op.offset));
  }
}

/// Calls f(lane, address) for each active lane.
template <typename F> void eachAddress(Warp &warp, const Op &op, F &&f) {
  warp.demand(op.a, warp.mask, op, "an address");
  uint64_t addresses[32];
  laneAddresses(warp, op, addresses);
  lanesOf(warp.mask, [&](unsigned lane) { f(lane, addresses[lane]); });
}

/// A word of which buffers have some bytes and not others. Memory is made of words, so that the one
/// at the end of a buffer is there as a whole; atomics on bytes are atomics on the words that they
/// are in. What is outside of all buffers is read as 0 and must stay as it is.
class EdgeWord {
public:
  /// Of an access by an instruction that is strong; absent where there is no such word.
  static std::optional<EdgeWord> at(Warp &warp, const Op &op, uint64_t address, uint32_t bytes);

  /// noteAccess() of the bytes within buffers but those in `except`, one bit each.
  void note(Warp &warp, const Op &op, unsigned lane, AccessMode mode, uint64_t except = 0) const;
  uint32_t read() const;
  /// False, and nothing is written, if what may not change would.
  bool write(uint32_t value) const;

private:
  Located bytes[4]; ///< without a range where no buffer has the byte
};

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_ACCESS_H
