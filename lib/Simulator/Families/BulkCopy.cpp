//===- BulkCopy.cpp - cp.async.bulk and its groups ------------------------===//
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
using Class = InstructionClass;

bool tritium::sim::readAddress(Decoder &decoder, size_t operand, uint32_t *words,
                               bool hasCoordinates) {
  Op made;
  const Operand &from = decoder.operand(operand);
  if (!(hasCoordinates ? decoder.addressOfFirst(from, made) : decoder.address(from, made)))
    return false;
  words[0] = made.a;
  words[1] = uint32_t(made.offset);
  words[2] = uint32_t(made.offset >> 32);
  words[3] = made.target;
  return true;
}

uint64_t tritium::sim::addressOf(const Warp &warp, const uint32_t *words, unsigned lane) {
  uint64_t offset = words[1] | uint64_t(words[2]) << 32;
  const uint8_t *base = warp.regs + words[0];
  if (words[3] == 64)
    return reinterpret_cast<const uint64_t *>(base)[lane] + offset;
  return uint32_t(reinterpret_cast<const uint32_t *>(base)[lane] + uint32_t(offset));
}

void tritium::sim::invalidCopy(Warp &warp, const Op &op, unsigned lane,
                               const std::string &message) {
  warp.machine.report(FaultKind::BulkCopy, &op, &warp, int(lane), message);
}

Range *tritium::sim::findGlobal(Warp &warp, const Op &op, unsigned lane, uint64_t address,
                                uint32_t bytes, bool write) {
  Located located;
  return warp.resolveGlobal(op, address, lane, bytes, write, located) ? located.range : nullptr;
}

bool tritium::sim::findShared(Warp &warp, const Op &op, unsigned lane, uint64_t address,
                              uint64_t bytes, uint32_t align, uint32_t &offset) {
  if (address % align) {
    Fault *fault = warp.machine.report(FaultKind::Misaligned, &op, &warp, int(lane),
                                       "a bulk copy needs an address in shared memory that " +
                                           std::to_string(align) + " divides");
    if (fault) {
      fault->hasAddress = true;
      fault->address = address;
    }
    return false;
  }
  uint64_t size = warp.cta.shared.size();
  if (address > size || bytes > size - address) {
    Fault *fault = warp.machine.report(FaultKind::OutOfBounds, &op, &warp, int(lane),
                                       "a bulk copy of " + std::to_string(bytes) +
                                           " bytes reaches outside of the CTA's shared " +
                                           "memory (" + std::to_string(size) + " bytes)");
    if (fault) {
      fault->hasAddress = true;
      fault->address = address;
    }
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

/// One request; of global memory as many sectors as its pieces touch.
static void countBulk(Warp &warp, const Op &op, const BulkCopy &copy, bool writes) {
  Tally &tally = warp.machine.tallies[op.id];
  uint64_t bytes = 0, sectors = 0;
  for (const AsyncPart &part : globalParts(copy, nullptr)) {
    uint64_t at = part.range->address + part.offset;
    sectors += (at + part.bytes - 1) / 32 - at / 32 + 1;
    bytes += part.bytes;
  }
  ++tally.globalRequests;
  tally.sectors += sectors;
  tally.idealSectors += std::min(sectors, (bytes + 31) / 32);
  (writes ? tally.globalBytesWritten : tally.globalBytesRead) += bytes;
  (writes ? tally.sharedBytesRead : tally.sharedBytesWritten) += writes ? bytes : copy.bytes;
}

void tritium::sim::beginLoad(Warp &warp, const Op &op, unsigned lane, uint32_t offset,
                             BulkCopy copy, uint64_t barrier) {
  MBarrier *found = findBarrier(warp, op, Space::Shared, barrier, lane);
  if (!found)
    return;
  Machine &machine = warp.machine;
  if (machine.launch.checkRaces && !found->initFence &&
      !isProxyFenced(warp, lane, found->init, ProxyShared))
    machine.report(FaultKind::MBarrier, &op, &warp, int(lane),
                   "a bulk copy uses an mbarrier whose initialisation the async proxy need not "
                   "see: the thread that executes mbarrier.init has to execute "
                   "fence.mbarrier_init or fence.proxy.async before the barrier that leads here");
  countBulk(warp, op, copy, /*writes=*/false);
  copy.op = &op;
  copy.warp = uint16_t(warp.index);
  copy.lane = uint8_t(lane);
  copy.reads = beginAsync(warp, op, lane, AsyncUse::Reads, globalParts(copy, nullptr));
  copy.writes = beginAsync(warp, op, lane, AsyncUse::Writes, {{nullptr, offset, copy.bytes}});
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

void tritium::sim::arriveLoad(Cta &cta, BulkCopy &copy, const Completion &done) {
  for (const Segment &segment : copy.segments) {
    uint8_t *to = cta.shared.data() + segment.shared;
    if (segment.range)
      std::memcpy(to, segment.range->data + segment.offset, segment.bytes);
    else
      for (uint32_t i = 0; i < segment.bytes; ++i)
        to[i] = uint8_t(copy.fill >> 8 * (i % 8));
    std::memset(cta.sharedDefined.data() + segment.shared, 1, segment.bytes);
  }
  endCopy(cta.warps[0].machine, copy, done);
}

void tritium::sim::beginStore(Warp &warp, const Op &op, unsigned lane, BulkCopy copy) {
  countBulk(warp, op, copy, /*writes=*/true);
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

bool tritium::sim::checkMulticast(Warp &warp, const Op &op, unsigned lane, uint32_t slot) {
  uint32_t mask = warp.lanes<u32>(slot)[lane] & 0xffff;
  if (mask == 1)
    return true;
  invalidCopy(warp, op, lane,
              "the CTAs of .multicast::cluster are those with bits in " + std::to_string(mask) +
                  ", but the cluster has one CTA, whose bit is 1");
  return false;
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

void commit(Warp &warp, const Op &op) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(warp.mask >> lane & 1))
      continue;
    for (BulkCopy &copy : warp.bulkCopies[lane])
      if (!copy.committed) {
        copy.committed = true;
        copy.group = warp.bulkGroups[lane];
      }
    ++warp.bulkGroups[lane];
  }
}

/// offset: how many of the latest groups may stay; b: 1 if only sources have to be read.
void waitGroup(Warp &warp, const Op &op) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    std::vector<BulkCopy> &copies = warp.bulkCopies[lane];
    if (!(warp.mask >> lane & 1) || copies.empty())
      continue;
    uint64_t groups = warp.bulkGroups[lane];
    uint64_t retired = op.offset >= groups ? 0 : groups - op.offset;
    Completion done = completeByThread(warp, lane);
    std::erase_if(copies, [&](BulkCopy &copy) {
      if (!copy.committed || copy.group >= retired)
        return false;
      if (op.list[0])
        captureStore(warp, copy, done);
      else
        finishStore(warp, copy, done);
      return !op.list[0];
    });
  }
}

bool isSize(Warp &warp, const Op &op, unsigned lane, u32 bytes) {
  if (bytes && bytes % 16 == 0)
    return true;
  invalidCopy(warp, op, lane,
              "a bulk copy has a multiple of 16 bytes, not " + std::to_string(bytes));
  return false;
}
bool isAligned(Warp &warp, const Op &op, unsigned lane, uint64_t address) {
  if (address % 16 == 0)
    return true;
  Fault *fault = warp.machine.report(FaultKind::Misaligned, &op, &warp, int(lane),
                                     "a bulk copy needs a global address that 16 divides");
  if (fault) {
    fault->hasAddress = true;
    fault->address = address;
  }
  return false;
}

// Op: list: addresses to, from, of the mbarrier, then the mask of CTAs; b: bytes;
// e: the reduction, c: its type.
enum : size_t { To = 0, From = addressWords, Barrier = 2 * addressWords, Mask = 3 * addressWords };

void demandAddress(Warp &warp, const Op &op, size_t words) {
  warp.demand(op.list[words], warp.mask, op, "an address");
}

void load(Warp &warp, const Op &op) {
  for (size_t words : {To, From, Barrier})
    demandAddress(warp, op, words);
  warp.demand(op.b, warp.mask, op, "the number of bytes of a copy");
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(warp.mask >> lane & 1))
      continue;
    u32 bytes = warp.lanes<u32>(op.b)[lane], offset;
    uint64_t from = addressOf(warp, op.list + From, lane);
    if (!isSize(warp, op, lane, bytes) || !isAligned(warp, op, lane, from) ||
        !findShared(warp, op, lane, addressOf(warp, op.list + To, lane), bytes, 16, offset))
      continue;
    if (op.list[Mask] != none && !checkMulticast(warp, op, lane, op.list[Mask]))
      continue;
    Range *range = findGlobal(warp, op, lane, from, bytes, /*write=*/false);
    if (!range)
      continue;
    BulkCopy copy;
    copy.bytes = bytes;
    copy.segments = {{range, from - range->address, offset, bytes}};
    beginLoad(warp, op, lane, offset, std::move(copy), addressOf(warp, op.list + Barrier, lane));
  }
}

void store(Warp &warp, const Op &op) {
  for (size_t words : {To, From})
    demandAddress(warp, op, words);
  warp.demand(op.b, warp.mask, op, "the number of bytes of a copy");
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(warp.mask >> lane & 1))
      continue;
    u32 bytes = warp.lanes<u32>(op.b)[lane], offset;
    uint64_t to = addressOf(warp, op.list + To, lane);
    if (!isSize(warp, op, lane, bytes) || !isAligned(warp, op, lane, to) ||
        !findShared(warp, op, lane, addressOf(warp, op.list + From, lane), bytes, 16, offset))
      continue;
    Range *range = findGlobal(warp, op, lane, to, bytes, /*write=*/true);
    if (!range)
      continue;
    BulkCopy copy;
    copy.segments = {{range, to - range->address, offset, bytes}};
    copy.reduction = op.e == none ? -1 : int(op.e);
    copy.type = Type(op.c);
    beginStore(warp, op, lane, std::move(copy));
  }
}

void prefetch(Warp &warp, const Op &op) {
  demandAddress(warp, op, From);
  warp.demand(op.b, warp.mask, op, "the number of bytes of a copy");
  for (unsigned lane = 0; lane < 32; ++lane)
    if (warp.mask >> lane & 1)
      isSize(warp, op, lane, warp.lanes<u32>(op.b)[lane]) &&
          isAligned(warp, op, lane, addressOf(warp, op.list + From, lane));
}

bool decodeGroup(Decoder &decoder, Modifiers &m, bool commits) {
  bool reads = m.take("read");
  uint64_t keep = 0;
  if (!decoder.done(m) || !decoder.wants(commits ? 0 : 1) ||
      (!commits && !decoder.immediate(0, keep)))
    return false;
  uint32_t *list = decoder.list(1);
  list[0] = reads;
  Op &op = decoder.emit(commits ? commit : waitGroup, Class::AsyncGroup);
  op.offset = keep;
  op.list = list;
  return true;
}

bool decodePrefetch(Decoder &decoder, Modifiers &m) {
  if (!m.take("L2") || !m.take("global"))
    return decoder.fail("prefetches from .global to .L2 only");
  bool hint = m.take("L2::cache_hint");
  uint32_t *list = decoder.list(Mask + 1);
  if (!decoder.done(m) || !decoder.wants(2 + hint) || !readAddress(decoder, 0, list + From))
    return false;
  uint32_t b = decoder.source(1, Type::U32);
  Op &op = decoder.emit(prefetch, Class::Other);
  op.b = b;
  op.list = list;
  return !decoder.failed();
}

bool decodeLoad(Decoder &decoder, Modifiers &m) {
  if (!m.take("global") || !m.take("mbarrier::complete_tx::bytes"))
    return decoder.fail("copies from .global to shared memory with .mbarrier::complete_tx::bytes, "
                        "and from .shared::cta to .global with .bulk_group");
  bool multicast = m.take("multicast::cluster"), hint = m.take("L2::cache_hint");
  uint32_t *list = decoder.list(Mask + 1);
  if (!decoder.done(m) || !decoder.wants(4 + multicast + hint) ||
      !readAddress(decoder, 0, list + To) || !readAddress(decoder, 1, list + From) ||
      !readAddress(decoder, 3, list + Barrier))
    return false;
  if (multicast)
    list[Mask] = decoder.source(4, Type::B16);
  uint32_t b = decoder.source(2, Type::U32);
  Op &op = decoder.emit(load, Class::AsyncCopy);
  op.b = b;
  op.list = list;
  return !decoder.failed();
}

bool decodeStore(Decoder &decoder, Modifiers &m, bool reduces) {
  if (!m.take("shared::cta") || !m.take("bulk_group"))
    return decoder.fail("needs .shared::cta.bulk_group");
  bool hint = m.take("L2::cache_hint");
  int reduction = -1;
  Type type = Type::None;
  if (reduces) {
    reduction = takeReduction(m);
    m.take("noftz");
    type = m.type();
    if (!hasReduction(reduction, type))
      return decoder.fail("this reduction of this type is not known");
  }
  uint32_t *list = decoder.list(Mask + 1);
  if (!decoder.done(m) || !decoder.wants(3 + hint) || !readAddress(decoder, 0, list + To) ||
      !readAddress(decoder, 1, list + From))
    return false;
  uint32_t b = decoder.source(2, Type::U32);
  Op &op = decoder.emit(store, Class::AsyncCopy);
  op.b = b;
  op.c = uint32_t(type);
  op.e = uint32_t(reduction);
  op.list = list;
  return !decoder.failed();
}

} // namespace

int tritium::sim::takeReduction(Modifiers &m) {
  constexpr AtomicKind kinds[] = {AtomicKind::Add, AtomicKind::Min, AtomicKind::Max,
                                  AtomicKind::Inc, AtomicKind::Dec, AtomicKind::And,
                                  AtomicKind::Or,  AtomicKind::Xor};
  int which = m.takeOne({"add", "min", "max", "inc", "dec", "and", "or", "xor"});
  return which < 0 ? -1 : int(kinds[which]);
}

bool tritium::sim::hasReduction(int reduction, Type type) {
  switch (AtomicKind(reduction)) {
  case AtomicKind::Add:
    return type == Type::U32 || type == Type::S32 || type == Type::U64 || type == Type::F32 ||
           type == Type::F64 || type == Type::F16 || type == Type::BF16;
  case AtomicKind::Min:
  case AtomicKind::Max:
    return type == Type::U32 || type == Type::S32 || type == Type::U64 || type == Type::S64 ||
           type == Type::F16 || type == Type::BF16;
  case AtomicKind::Inc:
  case AtomicKind::Dec:
    return type == Type::U32;
  case AtomicKind::And:
  case AtomicKind::Or:
  case AtomicKind::Xor:
    return type == Type::B32 || type == Type::B64;
  default:
    return false;
  }
}

bool tritium::sim::decodeBulk(Decoder &decoder, Modifiers &m, bool reduces) {
  if (!reduces && m.take("commit_group"))
    return decodeGroup(decoder, m, /*commits=*/true);
  if (!reduces && m.take("wait_group"))
    return decodeGroup(decoder, m, /*commits=*/false);
  bool prefetches = !reduces && m.take("prefetch");
  if (m.take("tensor"))
    return decodeTensorCopy(decoder, m, reduces, prefetches);
  if (prefetches)
    return decodePrefetch(decoder, m);
  // The destination comes first.
  std::string_view to = m.left.empty() ? "" : m.left[0];
  if (!reduces && (to == "shared::cluster" || to == "shared::cta")) {
    m.take(to);
    return decodeLoad(decoder, m);
  }
  if (!m.take("global"))
    return decoder.fail("copies to .shared::cluster, .shared::cta or .global");
  return decodeStore(decoder, m, reduces);
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
