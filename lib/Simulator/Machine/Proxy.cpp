//===- Proxy.cpp - races with the async proxy -----------------------------===//

#include "Proxy.h"
#include "Race.h"

#include <algorithm>

using namespace tritium::sim;

/// Fences of a warp that are remembered.
static constexpr size_t mostFences = 1 << 16;
/// Numbers of parties that fit Access::thread.
static constexpr uint32_t mostParties = 2048;

uint32_t Cta::newActor() {
  uint32_t first = uint32_t(warps.size());
  // Those that come last share one: what they do is then ordered more than it is.
  return std::min(first + actors++, mostParties - 1);
}

Completion Machine::complete(uint32_t actor) { return {uint16_t(actor * 32), ++time}; }

void tritium::sim::learn(Warp &warp, const Completion &done) {
  warp.known.learn(done.thread / 32, done.time + 1);
}

Completion tritium::sim::completeByThread(Warp &warp, unsigned lane) {
  return {uint16_t(warp.thread(lane)), warp.machine.time};
}

void tritium::sim::fenceProxy(Warp &warp, uint8_t spaces) {
  if (!warp.machine.launch.checkRaces)
    return;
  std::vector<ProxyFence> &fences = warp.proxyFences;
  if (fences.size() >= mostFences)
    fences.erase(fences.begin(), fences.begin() + mostFences / 2);
  fences.push_back({++warp.machine.time, warp.mask, spaces});
}

/// Of a cp.async that an mbarrier has waited for: a fence by a thread that waited itself.
static bool isFencedByAny(const Warp &warp, unsigned lane, const Access &earlier, uint8_t space) {
  for (const Warp &other : warp.cta.warps)
    for (auto fence = other.proxyFences.rbegin();
         fence != other.proxyFences.rend() && fence->time > earlier.time; ++fence) {
      Access made = earlier;
      made.thread = uint16_t(other.thread(unsigned(std::countr_zero(fence->lanes))));
      made.time = fence->time;
      if ((fence->spaces & space) &&
          (other.index == warp.index ? fence->lanes >> lane & 1 : ordered(warp, lane, made)))
        return true;
    }
  return false;
}

bool tritium::sim::isProxyFenced(const Warp &warp, unsigned lane, const Access &earlier,
                                 uint8_t space) {
  // Of a CTA that has ended it is not known.
  auto cta = warp.machine.runningCtas.find(earlier.cta);
  if (cta == warp.machine.runningCtas.end())
    return true;
  const std::deque<Warp> &warps = cta->second->warps;
  if (earlier.thread / 32u >= warps.size())
    return isFencedByAny(warp, lane, earlier, space);
  const std::vector<ProxyFence> &fences = warps[earlier.thread / 32].proxyFences;
  auto first =
      std::upper_bound(fences.begin(), fences.end(), earlier.time,
                       [](uint32_t time, const ProxyFence &fence) { return time < fence.time; });
  first = std::find_if(first, fences.end(), [&](const ProxyFence &fence) {
    return (fence.lanes >> earlier.thread % 32 & 1) && (fence.spaces & space);
  });
  if (first == fences.end())
    return false;
  Access fence = earlier;
  fence.time = first->time;
  return ordered(warp, lane, fence);
}

static Located locate(AsyncUse &use, const AsyncPart &part) {
  Located located;
  located.range = part.range;
  located.shadow = part.range ? &part.range->shadow : &use.cta->shadow;
  located.offset = part.offset;
  return located;
}

Access tritium::sim::asyncReaderOf(const Warp &warp, const Located &located, uint64_t at) {
  Access found;
  for (const AsyncUse &use : warp.machine.asyncUses) {
    if (use.kind != AsyncUse::Reads || (!located.range && use.cta != &warp.cta))
      continue;
    for (const AsyncPart &part : use.parts)
      if (part.range == located.range && at + 4 > part.offset && at < part.offset + part.bytes) {
        found.cta = use.cta->linear;
        found.thread = use.thread;
        found.op = use.op->id;
      }
  }
  found.present = found.async = found.proxy = 1;
  return found;
}

namespace {

/// The checks at an issue.
class Issue {
public:
  Issue(Warp &warp, const Op &op, unsigned lane, AsyncUse &use)
      : warp(warp), op(op), lane(lane), use(use) {
    mine.cta = warp.cta.linear;
    mine.thread = use.thread;
    mine.present = mine.async = mine.proxy = 1;
    mine.strong = use.kind == AsyncUse::Reduces;
    mine.time = warp.machine.time;
    mine.op = op.id;
  }

  void note(const AsyncPart &part) {
    Located located = locate(use, part);
    bool compares = part.value && !warp.machine.launch.checkSameValue;
    located.shadow->visit(part.offset, part.bytes, [&](Cell &cell, uint64_t at, uint32_t size) {
      const uint8_t *memory = part.range ? part.range->data + at : warp.cta.shared.data() + at;
      harmless = compares && !std::memcmp(memory, part.value + (at - part.offset), size);
      noteCell(cell, located, at);
    });
  }

private:
  void noteCell(Cell &cell, const Located &located, uint64_t at) {
    bool writes = use.kind != AsyncUse::Reads;
    const Access &last = cell.write;
    if (last.barrier)
      return reportBarrierAccess(warp, op, lane, at);
    if (last.present && !(last.strong && mine.strong)) {
      if (last.async)
        reportRace(warp, op, lane, last, located, at, writes, true);
      else if (!harmless && !isOrdered(last))
        reportRace(warp, op, lane, last, located, at, writes, true);
      else if (!harmless && !last.proxy && !isFenced(last, located))
        reportUnfenced(last, located, at);
    }
    auto settle = [&](const Read &read) {
      int other = read.strong && mine.strong ? -1 : unorderedLane(warp, lane, read);
      if (other >= 0 && writes && !harmless)
        reportRace(warp, op, lane, accessOf(read, unsigned(other)), located, at, true, false);
      return other < 0 || (writes && !harmless);
    };
    if (cell.read.lanes && settle(cell.read))
      cell.read.lanes = 0;
    std::erase_if(cell.reads, settle);
    if (!writes) {
      ++cell.underRead;
      return;
    }
    if (cell.underRead && !harmless)
      reportRace(warp, op, lane, asyncReaderOf(warp, located, at), located, at, true, false);
    cell.write = mine;
  }

  // Neighbouring cells mostly have the same writer.
  bool isOrdered(const Access &last) {
    if (last.cta != orderedOf.cta || last.thread != orderedOf.thread ||
        last.time != orderedOf.time || !orderedOf.present) {
      orderedOf = last;
      isOrderedLast = ordered(warp, lane, last);
    }
    return isOrderedLast;
  }
  bool isFenced(const Access &last, const Located &located) {
    if (last.cta != fencedOf.cta || last.thread != fencedOf.thread || last.time != fencedOf.time ||
        !fencedOf.present) {
      fencedOf = last;
      isFencedLast = isProxyFenced(warp, lane, last, located.range ? ProxyGlobal : ProxyShared);
    }
    return isFencedLast;
  }

  void reportUnfenced(const Access &last, const Located &located, uint64_t at) {
    Machine &machine = warp.machine;
    bool reads = use.kind == AsyncUse::Reads;
    Fault *fault = machine.report(
        FaultKind::ProxyFence, &op, &warp, int(lane),
        std::string("the async proxy ") + (reads ? "reads" : "overwrites") +
            " what the generic proxy wrote: the thread that wrote executes no fence.proxy.async "
            "between its write and the barrier that leads here" +
            (located.range ? " (" + located.range->name + ", byte " + std::to_string(at) + ")"
                           : std::string()));
    if (!fault)
      return;
    fault->hasAddress = fault->hasOther = true;
    fault->address = located.range ? located.range->address + at : at;
    fault->other = machine.placeOf(last);
    fault->otherIs = "written";
  }

  Warp &warp;
  const Op &op;
  unsigned lane;
  AsyncUse &use;
  Access mine, orderedOf, fencedOf;
  bool isOrderedLast = false, isFencedLast = false, harmless = false;
};

} // namespace

AsyncUse *tritium::sim::beginAsync(Warp &warp, const Op &op, unsigned lane, AsyncUse::Kind kind,
                                   std::vector<AsyncPart> parts) {
  Machine &machine = warp.machine;
  AsyncUse &use = machine.asyncUses.emplace_back();
  use.kind = kind;
  use.cta = &warp.cta;
  use.op = &op;
  use.thread = uint16_t(warp.thread(lane));
  if (!machine.launch.checkRaces)
    return &use;
  use.parts = std::move(parts);
  Issue issue(warp, op, lane, use);
  for (const AsyncPart &part : use.parts)
    issue.note(part);
  return &use;
}

void tritium::sim::endAsync(Machine &machine, AsyncUse *use, const Completion &done) {
  Read read;
  read.cta = use->cta->linear;
  read.lanes = 1u << done.thread % 32;
  read.time = done.time;
  read.op = use->op->id;
  read.warp = done.thread / 32;
  read.proxy = true;
  Access write;
  write.cta = use->cta->linear;
  write.thread = done.thread;
  write.present = write.proxy = 1;
  write.strong = use->kind == AsyncUse::Reduces;
  write.time = done.time;
  write.op = use->op->id;
  auto isEarlier = [&](const Read &other) {
    return !other.lanes || (other.cta == read.cta && other.warp == read.warp &&
                            !(other.lanes & ~read.lanes) && !other.strong);
  };
  for (const AsyncPart &part : use->parts) {
    Located located = locate(*use, part);
    located.shadow->visit(part.offset, part.bytes, [&](Cell &cell, uint64_t, uint32_t) {
      if (use->kind != AsyncUse::Reads) {
        cell.write = write;
        return;
      }
      --cell.underRead;
      std::erase_if(cell.reads, isEarlier);
      if (!isEarlier(cell.read))
        cell.reads.push_back(cell.read);
      cell.read = read;
      if (part.range)
        forgetDistantReads(cell.reads, read.cta);
    });
  }
  machine.asyncUses.remove_if([&](const AsyncUse &other) { return &other == use; });
}
