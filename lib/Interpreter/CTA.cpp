//===- CTA.cpp - the threads of a program, and the memory they share ------===//

#include "CTA.h"

#include <cstring>

namespace tritium::interpreter {

CTA::CTA(const Program &program)
    : order(program.actors, program.sharedGranule, program.globalGranule),
      memory(program.sharedBytes), program(program), copies(program.actors),
      onItsWay(program.sharedBytes / program.sharedGranule), asyncReads(onItsWay.size()),
      dotsOf(program.actors), storesOf(program.actors), openStoresOf(program.actors) {}

void CTA::begin() {
  order.begin();
  copies.assign(copies.size(), {});
  std::fill(onItsWay.begin(), onItsWay.end(), 0);
  std::fill(asyncReads.begin(), asyncReads.end(), Reads());
  named.clear();
  barriers.clear();
  nextActor = program.actors;
  hasArrivedAtCluster = false;
  for (unsigned actor = 0; actor < program.actors; ++actor) {
    dotsOf[actor].pending.clear();
    storesOf[actor].pending.clear();
    openStoresOf[actor].clear();
  }
}

void CTA::end(Machine &m) {
  for (unsigned actor = 0; actor < program.actors && !m.stopped; ++actor) {
    order.running = actor;
    stores().await(m, 0);
    for (const Store &store : std::exchange(openStores(), {})) {
      store.read(m);
      store.write(m);
    }
  }
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// `local_load of element [3, 5]`.
static std::string accessText(const AccessName &name, int64_t element) {
  return name.operation +
         (name.shape.empty() ? "" : " of element " + indexText(name.shape, element));
}

static std::string threadText(Thread thread) {
  return thread == kSeveral ? "several threads" : "thread " + std::to_string(thread);
}

void CTA::refuse(Machine &m, const TileAccess &access, int64_t element, Thread thread,
                 const Stamp &before) {
  const AccessName &here = program.names[access.name], &there = program.names[before.name];
  bool isSameActor = before.actor == order.running;
  auto who = [&](Thread thread, unsigned actor) {
    return isSameActor               ? threadText(thread)
           : actor >= program.actors ? "its copy"
                                     : program.actorNames[actor];
  };
  std::string remedy = isSameActor ? "a ttg.barrier must stand between"
                       : before.actor >= program.actors
                           ? "a wait for its barrier must stand before"
                           : program.actorNames[before.actor] +
                                 " must arrive after it at a barrier that " +
                                 program.actorNames[order.running] + " waits for";
  m.fail(accessText(here, element) + " by " + who(thread, order.running) +
             " is in no order with the " + there.operation + " by " +
             who(before.thread, before.actor) + " at " + there.site.text + "; " + remedy,
         here.site);
}

void CTA::refuseOnItsWay(Machine &m, const SharedAccess &access, int64_t element, const char *verb,
                         uint32_t copy) {
  const AccessName &here = program.names[access.name], &there = program.names[copy - 1];
  const char *remedy = there.operation == "tma_load" ? "a wait for its barrier"
                       : there.operation == "cluster_store"
                           ? "an arrival at the cluster's barrier behind it, and a cluster_wait,"
                           : "an async_wait for its group";
  m.fail(accessText(here, element) + ": it is " + verb + " while a copy to it, the " +
             there.operation + " at " + there.site.text + ", is on its way; " + remedy +
             " must stand before",
         here.site);
}

void CTA::refuseRead(Machine &m, const TileAccess &access, int64_t element, uint32_t reader) {
  const AccessName &here = program.names[access.name], &there = program.names[reader];
  m.fail(accessText(here, element) + ": it is written while the " + there.operation + " at " +
             there.site.text + " may still read it; a wait for that must stand before",
         here.site);
}

bool CTA::mayRead(Machine &m, const SharedAccess &access, uint64_t address, int64_t element) {
  if (uint32_t copy = wayTo(address))
    return refuseOnItsWay(m, access, element, "read", copy), false;
  if (!m.options.checkRaces || !access.holders)
    return true;
  Stamp stamp = access.reader(element);
  if (auto race = order.read(order.shared, address, access.element.bytes(), stamp))
    return refuse(m, access, element, stamp.thread, *race), false;
  return true;
}

bool CTA::mayWrite(Machine &m, const SharedAccess &access, uint64_t address, int64_t element,
                   uint32_t atomic) {
  if (uint32_t copy = wayTo(address))
    return refuseOnItsWay(m, access, element, "written", copy), false;
  if (Reads reads = readsOf(address); reads.count)
    return refuseRead(m, access, element, reads.name), false;
  if (!m.options.checkRaces || !access.holders)
    return true;
  Stamp stamp = access.writer(element);
  stamp.atomic = atomic;
  if (auto race = order.write(order.shared, address, access.element.bytes(), stamp))
    return refuse(m, access, element, stamp.thread, *race), false;
  return true;
}

bool CTA::mayAccess(Machine &m, const TileAccess &access, uint64_t address, unsigned bytes,
                    int64_t element, bool writes, uint32_t atomic) {
  if (!m.options.checkRaces || !access.holders)
    return true;
  Stamp stamp = writes ? access.writer(element) : access.reader(element);
  stamp.atomic = atomic;
  auto race = writes ? order.write(order.global, address, bytes, stamp)
                     : order.read(order.global, address, bytes, stamp);
  if (race)
    refuse(m, access, element, stamp.thread, *race);
  return !race;
}

bool CTA::isUnchangedSince(uint64_t issued, uint64_t address) {
  const Stamp &last = *order.global.at(address);
  return last.actor != order.running || last.clock <= issued;
}

//===----------------------------------------------------------------------===//
// Accesses, copies
//===----------------------------------------------------------------------===//

Slot SharedAccess::read(const Machine &m, uint64_t address) const {
  uint64_t bits = 0;
  std::memcpy(&bits, m.cta->memory.data() + address, element.bytes());
  return element.bits == 1 ? bits != 0 : fromBits(element, bits);
}

void SharedAccess::write(Machine &m, uint64_t address, Slot slot) const {
  uint64_t bits = toBits(element, slot);
  std::memcpy(m.cta->memory.data() + address, &bits, element.bytes());
}

void SharedAccess::load(Machine &m, Slot *slots) const {
  m.cta->order.nextOperation();
  for (size_t i = 0; i < offsets.size(); ++i) {
    uint64_t address = base(m) + offsets[i];
    if (!m.cta->mayRead(m, *this, address, i))
      return;
    slots[i] = read(m, address);
  }
}

void SharedAccess::store(Machine &m, const Slot *slots) const {
  m.cta->order.nextOperation();
  for (size_t i = 0; i < offsets.size(); ++i) {
    uint64_t address = base(m) + offsets[i];
    if (!m.cta->mayWrite(m, *this, address, i))
      return;
    write(m, address, slots[i]);
  }
}

bool CTA::mark(Machine &m, CopyOnItsWay &copy) {
  const SharedAccess &to = copy.copy->to;
  for (size_t i = 0; i < to.offsets.size(); ++i) {
    uint64_t address = copy.destination + to.offsets[i];
    if (uint32_t other = wayTo(address))
      return refuseOnItsWay(m, to, i, "written", other), false;
    if (Reads reads = readsOf(address); reads.count)
      return refuseRead(m, to, i, reads.name), false;
    if (!m.options.checkRaces)
      continue;
    Thread thread = to.holders ? to.holders->writer[i] : 0;
    if (auto race = order.wouldRace(order.shared, address, to.element.bytes(), thread))
      return refuse(m, to, i, thread, *race), false;
  }
  for (uint32_t offset : to.offsets)
    for (unsigned k = 0; k < to.element.bytes(); k += order.shared.granule)
      wayTo(copy.destination + offset + k) = 1 + to.name;
  copy.issued = order.now();
  return true;
}

bool CTA::expect(Machine &m, const SharedAccess &access, uint64_t address, int64_t element) {
  if (uint32_t other = wayTo(address))
    return refuseOnItsWay(m, access, element, "written", other), false;
  if (Reads reads = readsOf(address); reads.count)
    return refuseRead(m, access, element, reads.name), false;
  for (unsigned k = 0; k < access.element.bytes(); k += order.shared.granule)
    wayTo(address + k) = 1 + access.name;
  return true;
}

void CTA::receive(uint64_t address, unsigned bytes) {
  for (unsigned k = 0; k < bytes; k += order.shared.granule)
    wayTo(address + k) = 0;
}

void CTA::start(Machine &m, CopyOnItsWay copy) {
  if (mark(m, copy))
    copies[order.running].open.push_back(std::move(copy));
}

void CTA::commit() {
  Copies &mine = copies[order.running];
  mine.committed.push_back(std::move(mine.open));
  mine.open.clear();
}

void CTA::await(Machine &m, size_t pending) {
  Copies &mine = copies[order.running];
  while (mine.committed.size() > pending && !m.stopped) {
    for (const CopyOnItsWay &copy : mine.committed.front())
      arrive(m, copy);
    mine.committed.pop_front();
  }
}

/// For the thread that has started the copy of an element it is as if it had stored it here.
void CTA::arrive(Machine &m, const CopyOnItsWay &copy) {
  const SharedAccess &to = copy.copy->to;
  order.nextOperation();
  for (size_t i = 0; i < to.offsets.size() && !m.stopped; ++i) {
    uint64_t address = copy.destination + to.offsets[i];
    for (unsigned k = 0; k < to.element.bytes(); k += order.shared.granule)
      wayTo(address + k) = 0;
    if (!mayWrite(m, to, address, i))
      return;
    to.write(m, address,
             copy.sources[i] ? copy.copy->fetch(m, i, copy.sources[i], copy.issued) : 0);
  }
}

} // namespace tritium::interpreter
