//===- Threads.cpp - who accesses what, and what orders it ----------------===//

#include "Threads.h"

#include <algorithm>

namespace tritium::interpreter {

Stamp *History::at(uint64_t address) {
  uint64_t index = address / granule, page = index / kPage;
  auto &[number, stampsOfPage] = recent[page % kRecent];
  if (!stampsOfPage || number != page) {
    auto [it, isNew] = pages.try_emplace(page);
    if (isNew && spare.empty()) {
      it->second = std::make_unique<Stamp[]>(kPage * stamps);
    } else if (isNew) {
      it->second = std::move(spare.back());
      spare.pop_back();
      std::fill_n(it->second.get(), kPage * stamps, Stamp());
    }
    number = page;
    stampsOfPage = it->second.get();
  }
  return stampsOfPage + index % kPage * stamps;
}

void History::clear() {
  for (auto &[number, page] : pages)
    spare.push_back(std::move(page));
  pages.clear();
  recent = {};
}

/// Knowledge of one is added to the other's.
static void join(Clocks &into, const Clocks &from) {
  into.resize(std::max(into.size(), from.size()));
  for (size_t i = 0; i < from.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

void Order::begin() {
  shared.clear();
  global.clear();
  running = 0;
  for (Actor &actor : actors)
    actor.fences.clear();
}

void Order::release(Clocks &clocks) {
  Actor &me = actors[running];
  join(clocks, me.seen);
  clocks.resize(std::max<size_t>(clocks.size(), running + 1));
  clocks[running] = ++me.clock;
}

void Order::acquire(const Clocks &clocks) { join(actors[running].seen, clocks); }

bool Order::isBefore(const Stamp &stamp, Thread thread) const {
  const Actor &me = actors[running];
  if (stamp.clock == 0)
    return true;
  if (stamp.actor != running)
    return stamp.actor < me.seen.size() && stamp.clock < me.seen[stamp.actor];
  bool isOne = stamp.thread != kSeveral && thread != kSeveral;
  return stamp.clock < me.lastBarrier || stamp.clock == me.clock ||
         (isOne && stamp.thread == thread) ||
         (isOne && stamp.thread / kLanes == thread / kLanes && stamp.clock < me.lastMeeting);
}

void Order::fill(Stamp &stamp) const {
  stamp.clock = actors[running].clock;
  stamp.actor = running;
}

std::optional<Stamp> Order::read(History &history, uint64_t address, unsigned bytes, Stamp access) {
  fill(access);
  for (unsigned i = 0; i < bytes; i += history.granule) {
    Stamp *stamps = history.at(address + i);
    if (!isBefore(stamps[0], access.thread))
      return stamps[0];
    // Of reads since the last barrier one may be another thread's.
    Stamp &mine = stamps[1 + running];
    bool isLate = mine.clock >= actors[running].lastBarrier && mine.thread != access.thread;
    mine = access;
    if (isLate)
      mine.thread = kSeveral;
  }
  return {};
}

void Order::writeAs(unsigned actor, uint64_t clock, History &history, uint64_t address,
                    unsigned bytes, Stamp access) {
  access.actor = actor;
  access.clock = clock;
  for (unsigned i = 0; i < bytes; i += history.granule) {
    Stamp *stamps = history.at(address + i);
    std::fill_n(stamps, 1 + actors.size(), Stamp());
    stamps[0] = access;
  }
}

std::optional<Stamp> Order::unfencedWrite(History &history, uint64_t address) {
  const Stamp &write = *history.at(address);
  if (write.clock == 0 || write.actor >= actors.size())
    return {};
  const std::vector<uint64_t> &fences = actors[write.actor].fences;
  auto fence = std::upper_bound(fences.begin(), fences.end(), write.clock);
  const Clocks &seen = actors[running].seen;
  bool isFenced =
      fence != fences.end() &&
      (write.actor == running || (write.actor < seen.size() && *fence < seen[write.actor]));
  return isFenced ? std::nullopt : std::optional(write);
}

std::optional<Stamp> Order::wouldRace(History &history, uint64_t address, unsigned bytes,
                                      Thread thread) {
  for (unsigned i = 0; i < bytes; i += history.granule) {
    Stamp *stamps = history.at(address + i);
    for (size_t k = 0; k <= actors.size(); ++k)
      if (!isBefore(stamps[k], thread))
        return stamps[k];
  }
  return {};
}

std::optional<Stamp> Order::write(History &history, uint64_t address, unsigned bytes,
                                  Stamp access) {
  fill(access);
  for (unsigned i = 0; i < bytes; i += history.granule) {
    Stamp *stamps = history.at(address + i);
    Stamp &last = stamps[0];
    bool mayMix = access.atomic && last.atomic == access.atomic;
    if (!mayMix && !isBefore(last, access.thread))
      return last;
    for (size_t k = 1; k <= actors.size(); ++k) {
      if (!isBefore(stamps[k], access.thread))
        return stamps[k];
      stamps[k].clock = 0; // whoever comes after this write comes after what was before it
    }
    bool isMixed =
        last.actor == running && last.thread != access.thread &&
        (mayMix ? last.clock >= actors[running].lastBarrier : last.clock == actors[running].clock);
    last = access;
    if (isMixed)
      last.thread = kSeveral;
  }
  return {};
}

} // namespace tritium::interpreter
