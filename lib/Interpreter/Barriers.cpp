//===- Barriers.cpp - groups that arrive and wait -------------------------===//

#include "CTA.h"

#include <algorithm>

namespace tritium::interpreter {

void CTA::runGroups(Machine &m, const std::vector<GroupCode> &codes, const Site &site) {
  unsigned outer = order.running;
  Clocks known;
  order.barrier();
  order.release(known);
  for (const GroupCode &code : codes) {
    order.running = code.actor;
    order.acquire(known);
    order.barrier();
  }
  groups.run(m, codes, site);
  for (const GroupCode &code : codes) {
    order.running = code.actor;
    order.release(known);
  }
  order.running = outer;
  order.acquire(known);
  order.barrier();
}

//===----------------------------------------------------------------------===//
// Named barriers
//===----------------------------------------------------------------------===//

void CTA::arriveNamed(Machine &m, int32_t id, int32_t warps, int32_t mine, const Site &site) {
  NamedBarrier &barrier = named[id];
  if (std::count(barrier.actors.begin(), barrier.actors.end(), order.running))
    return m.fail(program.actorNames[order.running] + " comes again to barrier " +
                      std::to_string(id) + " before the others have come",
                  site);
  order.release(barrier.coming);
  barrier.actors.push_back(order.running);
  barrier.arrived += mine;
  if (barrier.arrived < warps)
    return;
  barrier.done = std::exchange(barrier.coming, {});
  barrier.actors.clear();
  barrier.arrived = 0;
  ++barrier.round;
}

void CTA::syncNamed(Machine &m, int32_t id, int32_t warps, int32_t mine, const Site &site) {
  NamedBarrier &barrier = named[id];
  uint64_t round = barrier.round;
  arriveNamed(m, id, warps, mine, site);
  groups.wait(
      m, [&] { return barrier.round != round; },
      [&] {
        return "waits at barrier " + std::to_string(id) + ", where " +
               std::to_string(barrier.arrived) + " of " + std::to_string(warps) +
               " warps have come,";
      },
      site);
  order.acquire(barrier.done);
  order.barrier();
}

//===----------------------------------------------------------------------===//
// Barriers in memory
//===----------------------------------------------------------------------===//

/// Bytes that copies bring to a barrier.
static int64_t bytesOf(const MBarrier &barrier) {
  int64_t bytes = 0;
  for (const CopyOnItsWay &copy : barrier.copies)
    bytes += int64_t(copy.sources.size()) * copy.copy->to.element.bytes();
  return bytes;
}

void CTA::initBarrier(Machine &m, const SharedAccess &access, int32_t count) {
  order.nextOperation();
  if (!mayWrite(m, access, access.base(m), 0))
    return;
  MBarrier barrier;
  barrier.count = barrier.pending = count;
  barrier.actor = nextActor++;
  if (!barriers.try_emplace(access.base(m), std::move(barrier)).second)
    m.fail("there is a barrier already; ttng.mbarrier_invalidate must stand before",
           program.names[access.name].site);
}

MBarrier *CTA::barrierAt(Machine &m, const SharedAccess &access, Thread thread) {
  const Site &site = program.names[access.name].site;
  auto found = barriers.find(access.base(m));
  if (found == barriers.end()) {
    m.fail("there is no barrier; ttng.mbarrier_init must stand before", site);
    return nullptr;
  }
  order.nextOperation();
  Stamp stamp;
  stamp.thread = thread;
  stamp.name = access.name;
  if (m.options.checkRaces)
    if (auto race = order.read(order.shared, access.base(m), access.element.bytes(), stamp)) {
      refuse(m, access, 0, thread, *race);
      return nullptr;
    }
  return &found->second;
}

void CTA::invalidateBarrier(Machine &m, const SharedAccess &access) {
  MBarrier *barrier = barrierAt(m, access, 0);
  if (!barrier)
    return;
  settle(m, *barrier);
  if (!barrier->copies.empty())
    return m.fail("a copy to this barrier is on its way; a wait for it must stand before",
                  program.names[access.name].site);
  if (mayWrite(m, access, access.base(m), 0))
    barriers.erase(access.base(m));
}

void CTA::settle(Machine &m, MBarrier &barrier) {
  if (barrier.pending != 0 || barrier.expected != bytesOf(barrier))
    return;
  ++barrier.clock;
  for (const CopyOnItsWay &copy : barrier.copies) {
    const SharedAccess &to = copy.copy->to;
    Stamp stamp;
    stamp.name = to.name;
    for (size_t i = 0; i < to.offsets.size(); ++i) {
      uint64_t address = copy.destination + to.offsets[i];
      for (unsigned k = 0; k < to.element.bytes(); k += order.shared.granule)
        wayTo(address + k) = 0;
      order.writeAs(barrier.actor, barrier.clock, order.shared, address, to.element.bytes(), stamp);
      to.write(m, address,
               copy.sources[i] ? copy.copy->fetch(m, i, copy.sources[i], copy.issued) : 0);
    }
  }
  barrier.copies.clear();
  barrier.coming.resize(std::max<size_t>(barrier.coming.size(), barrier.actor + 1));
  barrier.coming[barrier.actor] = barrier.clock + 1;
  barrier.done = barrier.coming;
  barrier.pending = barrier.count;
  barrier.expected = 0;
  ++barrier.phase;
}

void CTA::arriveAt(Machine &m, const SharedAccess &access, int32_t count, int64_t bytes) {
  MBarrier *barrier = barrierAt(m, access, 0);
  if (!barrier)
    return;
  settle(m, *barrier);
  if (count > barrier->pending)
    return m.fail("arrives " + std::to_string(count) + " times at a barrier that waits for " +
                      std::to_string(barrier->pending) + " of " + std::to_string(barrier->count) +
                      " arrivals in this phase",
                  program.names[access.name].site);
  barrier->pending -= count;
  barrier->expected += bytes;
  order.release(barrier->coming);
}

void CTA::waitFor(Machine &m, const SharedAccess &access, uint32_t parity) {
  MBarrier *barrier = barrierAt(m, access, kSeveral);
  if (!barrier)
    return;
  auto isOver = [&] {
    if ((barrier->phase & 1) == (parity & 1))
      settle(m, *barrier);
    return (barrier->phase & 1) != (parity & 1);
  };
  auto reason = [&] {
    return "waits for phase " + std::to_string(parity & 1) + " of a barrier, of which " +
           std::to_string(barrier->pending) + " of " + std::to_string(barrier->count) +
           " arrivals are to come, and which expects " + std::to_string(barrier->expected) +
           " bytes and gets " + std::to_string(bytesOf(*barrier)) + ",";
  };
  groups.wait(m, isOver, reason, program.names[access.name].site);
  order.acquire(barrier->done);
}

void CTA::startFor(Machine &m, const SharedAccess &access, CopyOnItsWay copy) {
  MBarrier *barrier = barrierAt(m, access, 0);
  if (!barrier)
    return;
  settle(m, *barrier); // a phase that has all is over, and the copy belongs to the next one
  if (mark(m, copy))
    barrier->copies.push_back(std::move(copy));
}

//===----------------------------------------------------------------------===//
// Reads of the asynchronous proxy
//===----------------------------------------------------------------------===//

bool CTA::beginRead(Machine &m, const SharedAccess &access, uint64_t base, Reader reader) {
  order.nextOperation();
  Stamp stamp;
  stamp.name = access.name;
  for (size_t i = 0; i < access.offsets.size(); ++i) {
    stamp.thread = reader.of(i);
    uint64_t address = base + access.offsets[i];
    if (uint32_t copy = wayTo(address))
      return refuseOnItsWay(m, access, i, "read", copy), false;
    if (!m.options.checkRaces)
      continue;
    if (auto race = order.read(order.shared, address, access.element.bytes(), stamp))
      return refuse(m, access, i, reader.of(i), *race), false;
    if (auto write = order.unfencedWrite(order.shared, address)) {
      const AccessName &here = program.names[access.name], &there = program.names[write->name];
      m.fail(here.operation + " of element " + indexText(here.shape, i) +
                 " reads through the asynchronous proxy what the " + there.operation + " at " +
                 there.site.text +
                 " has written through the generic one; a ttng.fence_async_proxy must stand "
                 "behind that, before the barrier",
             here.site);
      return false;
    }
  }
  for (uint32_t offset : access.offsets)
    for (unsigned k = 0; k < access.element.bytes(); k += order.shared.granule) {
      Reads &reads = readsOf(base + offset + k);
      reads = {reads.count + 1, access.name};
    }
  return true;
}

void CTA::endRead(Machine &m, const SharedAccess &access, uint64_t base, Reader reader) {
  Stamp stamp;
  stamp.name = access.name;
  for (auto [i, offset] : llvm::enumerate(access.offsets)) {
    stamp.thread = reader.of(i);
    for (unsigned k = 0; k < access.element.bytes(); k += order.shared.granule)
      --readsOf(base + offset + k).count;
    if (m.options.checkRaces)
      order.read(order.shared, base + offset, access.element.bytes(), stamp);
  }
}

} // namespace tritium::interpreter
