//===- BulkCopy.cpp - bulk copies under way, and their groups -------------===//
//
// A load's bytes change when its phase is over, which is when a wait needs it. A store reads
// its source when its thread waits for that (wait_group.read), and writes when it waits for the
// whole (wait_group), or else when the thread ends.
//
//===----------------------------------------------------------------------===//

#include "BulkCopy.h"
#include "../Machine/Access.h"
#include "../Machine/Proxy.h"
#include "Atomic.h"

#include <algorithm>

using namespace tritium::sim;
using namespace tritium::sim::ptx;

void tritium::sim::invalidCopy(Warp &warp, const Op &op, unsigned lane,
                               const std::string &message) {
  warp.machine.report(FaultKind::BulkCopy, &op, &warp, int(lane), message);
}

Range *tritium::sim::findGlobal(Warp &warp, const Op &op, unsigned lane, uint64_t address,
                                uint32_t bytes, bool write) {
  Located located;
  return warp.resolveGlobal(op, address, lane, bytes, write, located) ? located.range : nullptr;
}

bool tritium::sim::findShared(Warp &warp, const Op &op, unsigned lane, uint64_t bytes,
                              uint32_t align, uint32_t &offset) {
  uint64_t address = addressOf(warp, op.list + CopiesShared, lane);
  if (!isAligned(warp, op, lane, address, align, "a bulk copy needs an address in shared memory"))
    return false;
  uint64_t size = warp.cta.shared.size();
  if (address > size || bytes > size - address) {
    reportAccess(warp, op, FaultKind::OutOfBounds, address, lane,
                 "a bulk copy of " + std::to_string(bytes) +
                     " bytes reaches outside of the CTA's " + "shared memory (" +
                     std::to_string(size) + " bytes)");
    return false;
  }
  offset = uint32_t(address);
  return true;
}

/// Parts in global memory; neighbours in both memories are one.
static std::vector<AsyncPart> globalParts(const BulkCopy &copy, const uint8_t *shared) {
  std::vector<AsyncPart> parts;
  const Segment *last = nullptr;
  for (const Segment &segment : copy.segments) {
    if (!segment.range)
      continue;
    if (last && last->range == segment.range && last->offset + last->bytes == segment.offset &&
        last->shared + last->bytes == segment.shared)
      parts.back().bytes += segment.bytes;
    else
      parts.push_back({segment.range, segment.offset, segment.bytes,
                       shared ? shared + segment.shared : nullptr});
    last = &segment;
  }
  return parts;
}

struct Counted {
  double rows, sectors; ///< of lines of 128 bytes; that the L2 answers in as long
};
/// One request; of global memory as many sectors as its pieces touch.
static Counted countBulk(Warp &warp, const Op &op, const BulkCopy &copy, bool writes) {
  Tally &tally = warp.machine.tallies[op.id];
  uint64_t bytes = 0, sectors = 0;
  RequestsOfL2 requests(warp, op, writes, /*sharers=*/1); // one thread copies for all
  // Neighbours are together wherever they lie in shared memory.
  uint64_t next = 0;
  for (const Segment &segment : copy.segments) {
    if (!segment.range)
      continue;
    uint64_t at = segment.range->address + segment.offset, end = at + segment.bytes;
    bool isKnown = at == next && at % 32 != 0;
    sectors += (end - 1) / 32 - at / 32 + (isKnown ? 0 : 1);
    for (uint64_t sector = at / 32; sector <= (end - 1) / 32; ++sector)
      requests.add(sector);
    bytes += segment.bytes;
    next = end;
    (writes ? segment.range->isWritten : segment.range->isRead) = true;
  }
  ++tally.globalRequests;
  tally.sectors += sectors;
  tally.l2Requests += requests.count;
  tally.idealSectors += std::min(sectors, (bytes + 31) / 32);
  (writes ? tally.globalBytesWritten : tally.globalBytesRead) += bytes;
  (writes ? tally.sharedBytesRead : tally.sharedBytesWritten) += writes ? bytes : copy.bytes;
  double rows = double(requests.count);
  return {rows, std::max(double(sectors), sectorsOfRow * rows)};
}

void tritium::sim::beginLoad(Warp &warp, const Op &op, unsigned lane, uint32_t offset,
                             BulkCopy copy) {
  MBarrier *found =
      findBarrier(warp, op, Space::Shared, addressOf(warp, op.list + CopiesBarrier, lane), lane);
  if (!found)
    return;
  Machine &machine = warp.machine;
  if (machine.launch.checkRaces && !found->initFence &&
      !isProxyFenced(warp, lane, found->init, ProxyShared))
    machine.report(FaultKind::MBarrier, &op, &warp, int(lane),
                   "a bulk copy uses an mbarrier whose initialisation the async proxy need not "
                   "see: the thread that executes mbarrier.init has to execute "
                   "fence.mbarrier_init or fence.proxy.async before the barrier that leads here");
  Counted counted = countBulk(warp, op, copy, /*writes=*/false);
  copy.op = &op;
  copy.warp = uint16_t(warp.index);
  copy.lane = uint8_t(lane);
  copy.reads = beginAsync(warp, op, lane, AsyncUse::Reads, globalParts(copy, nullptr));
  copy.writes = beginAsync(warp, op, lane, AsyncUse::Writes, {{nullptr, offset, copy.bytes}});
  if (warp.cta.pace)
    delay(found->arrivals, warp.cta.pace->bulkLoad(warp, counted.rows, counted.sectors));
  found->copied += copy.bytes;
  found->copies.push_back(std::move(copy));
  settle(warp, op, lane, *found);
}

void tritium::sim::endCopy(Machine &machine, BulkCopy &copy, const Completion &done) {
  for (AsyncUse **use : {&copy.reads, &copy.writes})
    if (*use) {
      endAsync(machine, *use, done);
      *use = nullptr;
    }
}

/// To the nearest number of 11 significant bits, ties to even, subnormal ones too; all NaN become
/// one, as on an H200.
static void roundToTF32(uint8_t *at, uint32_t bytes) {
  for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
    uint32_t bits;
    std::memcpy(&bits, at + i, 4);
    if ((bits & 0x7fffffff) > 0x7f800000)
      bits = 0x7fffe000;
    else
      bits = (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000;
    std::memcpy(at + i, &bits, 4);
  }
}

void tritium::sim::arriveLoad(Cta &cta, BulkCopy &copy, const Completion &done) {
  for (const Segment &segment : copy.segments) {
    uint8_t *to = cta.shared.data() + segment.shared;
    if (segment.range)
      std::memcpy(to, segment.range->data + segment.offset, segment.bytes);
    else
      for (uint32_t i = 0; i < segment.bytes; ++i)
        to[i] = uint8_t(copy.fill >> 8 * (i % 8));
    if (copy.rounds)
      roundToTF32(to, segment.bytes);
    std::memset(cta.sharedDefined.data() + segment.shared, 1, segment.bytes);
  }
  endCopy(cta.warps[0].machine, copy, done);
}

void tritium::sim::beginStore(Warp &warp, const Op &op, unsigned lane, BulkCopy copy) {
  Counted counted = countBulk(warp, op, copy, /*writes=*/true);
  if (warp.cta.pace)
    warp.cta.pace->bulkStore(warp, counted.sectors);
  std::vector<AsyncPart> from;
  for (const Segment &segment : copy.segments) {
    if (!from.empty() && from.back().offset + from.back().bytes == segment.shared)
      from.back().bytes += segment.bytes;
    else
      from.push_back({nullptr, segment.shared, segment.bytes});
  }
  bool reduces = copy.reduction >= 0;
  copy.op = &op;
  copy.warp = uint16_t(warp.index);
  copy.lane = uint8_t(lane);
  copy.reads = beginAsync(warp, op, lane, AsyncUse::Reads, std::move(from));
  copy.writes = beginAsync(warp, op, lane, reduces ? AsyncUse::Reduces : AsyncUse::Writes,
                           globalParts(copy, reduces ? nullptr : warp.cta.shared.data()));
  warp.bulkCopies[lane].push_back(std::move(copy));
}

namespace {

/// The source is read.
void captureStore(Warp &warp, BulkCopy &copy, const Completion &done) {
  if (!copy.reads)
    return;
  bool isDefined = true;
  for (const Segment &segment : copy.segments) {
    const uint8_t *from = warp.cta.shared.data() + segment.shared;
    const uint8_t *defined = warp.cta.sharedDefined.data() + segment.shared;
    copy.data.insert(copy.data.end(), from, from + segment.bytes);
    isDefined &= !std::memchr(defined, 0, segment.bytes);
  }
  if (!isDefined && warp.machine.launch.checkUndefined)
    warp.machine.report(FaultKind::Undefined, copy.op, &warp, copy.lane,
                        "a bulk copy writes shared memory that nothing has written to global "
                        "memory");
  endAsync(warp.machine, copy.reads, done);
  copy.reads = nullptr;
}

void reduce(const BulkCopy &copy, uint8_t *to, const uint8_t *from, uint32_t bytes) {
  uint32_t size = bitsOf(copy.type) / 8;
  for (uint32_t i = 0; i + size <= bytes; i += size) {
    u64 old = 0, operand = 0;
    std::memcpy(&old, to + i, size);
    std::memcpy(&operand, from + i, size);
    u64 made = applyAtomic(copy.type, AtomicKind(copy.reduction), old, operand);
    std::memcpy(to + i, &made, size);
  }
}

void finishStore(Warp &warp, BulkCopy &copy, const Completion &done) {
  captureStore(warp, copy, done);
  const uint8_t *from = copy.data.data();
  for (const Segment &segment : copy.segments) {
    uint8_t *to = segment.range->data + segment.offset;
    if (copy.reduction >= 0)
      reduce(copy, to, from, segment.bytes);
    else
      std::memcpy(to, from, segment.bytes);
    from += segment.bytes;
  }
  endCopy(warp.machine, copy, done);
}

} // namespace

void tritium::sim::commitStores(Warp &warp) {
  lanesOf(warp.mask,
          [&](unsigned lane) { commitGroup(warp.bulkCopies[lane], warp.bulkGroups[lane]); });
}

void tritium::sim::waitForStores(Warp &warp, uint64_t keep, bool reads) {
  lanesOf(warp.mask, [&](unsigned lane) {
    uint64_t kept = firstKept(warp.bulkGroups[lane], keep);
    Completion done = completeByThread(warp, lane);
    std::erase_if(warp.bulkCopies[lane], [&](BulkCopy &copy) {
      if (!copy.committed || copy.group >= kept)
        return false;
      if (reads)
        captureStore(warp, copy, done);
      else
        finishStore(warp, copy, done);
      return !reads;
    });
  });
}

void Warp::leaveBulkCopies(unsigned lane) {
  if (bulkCopies[lane].empty())
    return;
  for (const BulkCopy &copy : bulkCopies[lane])
    if (copy.reads) {
      machine.report(FaultKind::AsyncLeftOver, copy.op, this, int(lane),
                     copy.committed
                         ? "the thread ends while its bulk copies still read shared memory: no "
                           "cp.async.bulk.wait_group covers them"
                         : "the thread ends with bulk copies that were never committed");
      break;
    }
  // Whoever touches what they wrote has not waited for them.
  Completion done = machine.complete(cta.newActor());
  for (BulkCopy &copy : bulkCopies[lane])
    finishStore(*this, copy, done);
  bulkCopies[lane].clear();
}
