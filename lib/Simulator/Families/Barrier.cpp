//===- Barrier.cpp - bar, barrier, fences, happens-before -----------------===//

#include "../Machine/Access.h"
#include "../Machine/Cluster.h"
#include "../Machine/Phase.h"
#include "../Machine/Proxy.h"
#include "Arithmetic.h"
#include "BulkCopy.h"

#include <algorithm>
#include <utility>

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

enum What { Sync, Arrive, RedPopulation, RedAnd, RedOr };

// Op: a barrier number, b threads (none: all), c predicate of red, d its result; target:
// What; offset 1: .aligned.
void runBarrier(Warp &warp, const Op &op) {
  Machine &machine = warp.machine;
  Cta &cta = warp.cta;
  unsigned first = unsigned(std::countr_zero(warp.mask));
  u32 number = warp.lanes<u32>(op.a)[first];
  if (number >= 16) {
    machine.report(FaultKind::OutOfBounds, &op, &warp, int(first),
                   "there are barriers 0 to 15, but " + std::to_string(number) + " is named");
    machine.stop = true;
    return;
  }
  if (op.offset && warp.mask != warp.live) {
    // One split may come while the others are on their way; .aligned forbids that.
    std::string lanes;
    for (unsigned lane = 0; lane < 32; ++lane)
      if ((warp.live & ~warp.mask) >> lane & 1)
        lanes += (lanes.empty() ? "" : ", ") + std::to_string(lane);
    machine.report(FaultKind::PartialBarrier, &op, &warp, int(first),
                   "a barrier for whole warps is reached by a part of this one; not here: lanes " +
                       lanes);
  }
  BarrierState &barrier = cta.barriers[number];
  u32 expected = machine.threads;
  bool counted = op.b != none;
  if (counted) {
    expected = warp.lanes<u32>(op.b)[first];
    if (!expected || expected % 32 || expected > (machine.threads + 31) / 32 * 32) {
      machine.report(FaultKind::PartialBarrier, &op, &warp, int(first),
                     "the number of threads at a barrier is a multiple of 32 within the CTA, not " +
                         std::to_string(expected));
      machine.stop = true;
      return;
    }
  }
  ++machine.tallies[op.id].barriers;
  if (!barrier.active) {
    barrier.active = true;
    barrier.expected = expected;
    barrier.counted = counted;
    barrier.first = &op;
    barrier.arrived = 0;
    barrier.population = barrier.any = 0;
    barrier.all = 1;
    barrier.waiting.clear();
  } else if (barrier.expected != expected || barrier.counted != counted) {
    Fault *fault = machine.report(FaultKind::PartialBarrier, &op, &warp, int(first),
                                  "barrier " + std::to_string(number) +
                                      " is used with different numbers of threads at once");
    if (fault) {
      fault->hasOther = true;
      fault->other = machine.place(barrier.first, nullptr, -1);
      fault->otherIs = "also used";
    }
  }
  // A warp counts as a whole where threads are counted, as in the hardware.
  bool whole = counted && op.offset;
  barrier.arrived += whole ? 32 : unsigned(std::popcount(warp.mask));
  if (op.c != none) {
    warp.demand(op.c, warp.mask, op, "a reduction at a barrier");
    u32 p = warp.predicate(op.c) & warp.mask;
    barrier.population += unsigned(std::popcount(p));
    barrier.any |= p != 0;
    barrier.all &= p == warp.mask;
  }
  if (cta.pace)
    delay(barrier.latest, cta.pace->now(warp));
  if (op.target != Arrive) {
    // What the warp knows now it hands on at completion; it learns nothing before.
    Split *split = warp.current;
    split->state = Split::WaitingBarrier;
    split->barrier = number;
    barrier.waiting.push_back({&warp, split});
    warp.current = nullptr;
  } else {
    barrier.arrivals.addKnown(warp);
    barrier.arrivals.known.learn(warp.index, ++machine.time);
  }
  machine.completeBarrier(cta, number);
}

bool decodeBarrier(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  bool isBar = decoder.instruction().opcode == "bar";
  if (m.take("warp")) {
    if (!m.take("sync") || !decoder.done(m) || !decoder.wants(1))
      return decoder.fail("this form is not known");
    uint32_t b = decoder.source(0, Type::B32);
    Op &op = decoder.emit(runWarpBarrier, Class::WarpBarrier);
    op.b = b;
    return !decoder.failed();
  }
  if (m.take("cluster"))
    return decodeClusterBarrier(decoder, m);
  m.take("cta");
  bool aligned = m.take("aligned") || isBar;
  int what = m.takeOne({"sync", "arrive", "red"});
  if (what < 0)
    return decoder.fail("needs .sync, .arrive or .red");
  size_t number = 0, most = 2;
  Type result = Type::None;
  if (what == 2) {
    int how = m.takeOne({"popc", "and", "or"});
    if (how < 0)
      return decoder.fail("needs .popc, .and or .or");
    what = RedPopulation + how;
    result = how == 0 ? Type::U32 : Type::Pred;
    if (m.type() != result)
      return decoder.fail("needs .u32 for .popc and .pred otherwise");
    number = 1;
    most = 4;
  }
  if (!decoder.done(m) || !decoder.wants(number ? 3 : 1, most))
    return false;
  size_t count = decoder.operands();
  uint32_t a = decoder.source(number, Type::U32), b = none, c = none, d = none;
  if (number) {
    c = decoder.predicate(decoder.operand(count - 1));
    d = decoder.destination(0, result);
    if (count == 4)
      b = decoder.source(2, Type::U32);
  } else if (count == 2) {
    b = decoder.source(1, Type::U32);
  }
  if (what == Arrive && b == none)
    return decoder.fail("needs the number of threads");
  Op &op = decoder.emit(runBarrier, Class::Barrier);
  op.a = a;
  op.b = b;
  op.c = c;
  op.d = d;
  op.target = uint32_t(what);
  op.offset = aligned;
  return !decoder.failed();
}

void runFence(Warp &warp, const Op &op) { fence(warp); }
void runProxyFence(Warp &warp, const Op &op) { fenceProxy(warp, uint8_t(op.offset)); }

void releaseTensorMaps(Warp &warp, const Op &) {
  fenceProxy(warp, ProxyTensorMap);
  fence(warp);
}

bool decodeTensorMapFence(Decoder &decoder, Modifiers &m) {
  int order = m.takeOne({"acquire", "release"});
  m.takeOne({"cta", "cluster", "gpu", "sys"});
  bool acquires = order == 0;
  if (order < 0)
    return decoder.fail("needs .acquire or .release");
  if (!decoder.done(m) || !decoder.wants(acquires ? 2 : 0))
    return false;
  uint64_t size = 128;
  if (acquires && !decoder.immediate(1, size))
    return false;
  if (size != 128)
    return decoder.fail("a tensor map has 128 bytes");
  Op &op = decoder.emit(acquires ? acquireTensorMap : releaseTensorMaps, Class::Fence);
  return !acquires || decoder.address(decoder.operand(0), op);
}

bool decodeProxyFence(Decoder &decoder, Modifiers &m) {
  if (m.take("tensormap::generic"))
    return decodeTensorMapFence(decoder, m);
  // Of virtual addresses of one place there is one here: buffers do not overlap.
  if (m.take("alias")) {
    if (!decoder.done(m) || !decoder.wants(0))
      return false;
    decoder.emit([](Warp &, const Op &) {}, Class::Fence);
    return true;
  }
  if (!m.take("async"))
    return decoder.fail("this proxy is not known");
  int space = m.takeOne({"global", "shared::cta", "shared::cluster"});
  if (!decoder.done(m) || !decoder.wants(0))
    return false;
  decoder.emit(runProxyFence, Class::Fence).offset = space < 0    ? ProxyShared | ProxyGlobal
                                                     : space == 0 ? ProxyGlobal
                                                                  : ProxyShared;
  return true;
}

bool decodeFence(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  if (m.take("proxy"))
    return decodeProxyFence(decoder, m);
  m.takeOne({"sc", "acq_rel", "acquire", "release"});
  if (m.take("mbarrier_init")) {
    m.take("cluster");
    if (!decoder.done(m) || !decoder.wants(0))
      return false;
    decoder.emit(fenceInitialisation, Class::Fence);
    return true;
  }
  bool block = m.take("cta");
  m.takeOne({"cluster", "gpu", "sys", "gl"});
  if (!decoder.done(m) || !decoder.wants(0))
    return false;
  if (block)
    decoder.emit([](Warp &, const Op &) {}, Class::Fence);
  else
    decoder.emit(runFence, Class::Fence);
  return true;
}

} // namespace

void tritium::sim::runWarpBarrier(Warp &warp, const Op &op) {
  warp.demand(op.b, warp.mask, op, "a mask of lanes");
  u32 named = warp.lanes<u32>(op.b)[std::countr_zero(warp.mask)];
  if (!warp.gather(op, named))
    return;
  ++warp.machine.tallies[op.id].barriers;
  u32 now = ++warp.machine.time;
  if (warp.mask == warp.live) {
    warp.known.lanes = now;
    warp.known.pairs.clear();
    return;
  }
  std::vector<uint32_t> &pairs = warp.known.pairs;
  if (pairs.empty())
    pairs.resize(32 * 32);
  for (unsigned a = 0; a < 32; ++a)
    for (unsigned b = 0; b < 32; ++b)
      if ((warp.mask >> a & 1) && (warp.mask >> b & 1))
        pairs[a * 32 + b] = now;
}

/// If all threads have come, those that wait go on, and know what each other did.
void Machine::completeBarrier(Cta &cta, unsigned number) {
  BarrierState &barrier = cta.barriers[number];
  if (!barrier.active)
    return;
  uint32_t missing = barrier.counted ? 0 : threads - cta.live;
  if (barrier.arrived + missing < barrier.expected || (barrier.waiting.empty() && !barrier.counted))
    return;
  if (missing && !barrier.waiting.empty()) {
    auto [warp, split] = barrier.waiting[0];
    const Op &op = split->frame->code->ops[split->pc - 1];
    report(FaultKind::PartialBarrier, &op, warp, -1,
           "the barrier is reached by " + std::to_string(barrier.arrived) + " of " +
               std::to_string(threads) + " threads; the others have ended");
  }
  u32 now = ++time;
  Handover all;
  all.known.warps.assign(warpsOfCta, 0);
  all.join(barrier.arrivals);
  for (auto [warp, split] : barrier.waiting)
    all.addKnown(*warp);
  for (auto [warp, split] : barrier.waiting)
    all.known.warps[warp->index] = now;
  for (auto [warp, split] : barrier.waiting) {
    if (cta.pace)
      cta.pace->waitUntil(*warp, split->frame->code->ops[split->pc - 1], barrier.latest,
                          latency::barrier + latency::arrival * barrier.expected / 32);
    all.giveKnown(*warp);
    if (split->mask == warp->live) {
      warp->known.lanes = now;
      warp->known.pairs.clear();
    }
    const Op &op = split->frame->code->ops[split->pc - 1];
    if (op.d != none) {
      uint8_t *regs = split->frame->registers;
      if (op.target == RedPopulation) {
        u32 *d = reinterpret_cast<u32 *>(regs + op.d);
        for (unsigned i = 0; i < 32; ++i)
          if (split->mask >> i & 1)
            d[i] = barrier.population;
      } else {
        u32 &d = *reinterpret_cast<u32 *>(regs + op.d);
        bool yes = op.target == RedAnd ? barrier.all : barrier.any;
        d = (d & ~split->mask) | (yes ? split->mask : 0);
      }
      split->frame->defined[op.d >> 7] |= split->mask;
    }
    split->state = Split::Running;
  }
  barrier.active = false;
  barrier.waiting.clear();
  barrier.arrivals = {};
  barrier.latest = {};
}

void Machine::sweepBarriers(Cta &cta) {
  for (unsigned i = 0; i < 16; ++i)
    completeBarrier(cta, i);
}

// Global memory between CTAs. A fence keeps what is known; a strong write after it gives
// that to the address; a strong read takes it, and a fence after the read makes it known.

Known tritium::sim::knownElsewhere(Warp &warp, uint32_t lanes) {
  Known made = warp.known;
  u32 now = ++warp.machine.time;
  // As another CTA sees it.
  made.warps[warp.index] = lanes == warp.live ? now : warp.known.lanes;
  // Other CTAs are known by warp.
  for (auto [thread, time] : std::exchange(made.threads, {}))
    made.learn(thread / 32, time);
  made.others.join(warp.cta.linear, made.warps);
  made.pairs.clear();
  return made;
}

static void give(Known &to, const Known &from) { to.others.join(from.others); }

void tritium::sim::learnElsewhere(Warp &warp, const Known &from) {
  warp.known.others.join(from.others);
  if (const std::vector<uint32_t> *own = from.others.find(warp.cta.linear))
    for (size_t i = 0; i < own->size(); ++i)
      warp.known.learn(uint32_t(i), (*own)[i]);
}

void tritium::sim::fence(Warp &warp) {
  if (!warp.machine.launch.checkRaces)
    return;
  if (warp.hasSeen) {
    learnElsewhere(warp, warp.seen);
    warp.seen = {};
    warp.hasSeen = false;
  }
  warp.fenced = knownElsewhere(warp, warp.live);
  warp.hasFenced = true;
}

void tritium::sim::release(Warp &warp, const Op &op, uint64_t address) {
  if (!warp.machine.launch.checkRaces)
    return;
  if (op.releases)
    give(warp.machine.releases[address], knownElsewhere(warp, warp.live));
  else if (warp.hasFenced)
    give(warp.machine.releases[address], warp.fenced);
}

void tritium::sim::acquire(Warp &warp, const Op &op, uint64_t address) {
  if (!warp.machine.launch.checkRaces)
    return;
  auto found = warp.machine.releases.find(address);
  if (found == warp.machine.releases.end())
    return;
  if (op.acquires) {
    learnElsewhere(warp, found->second);
  } else {
    give(warp.seen, found->second);
    warp.hasSeen = true;
  }
}

const Family tritium::sim::barrierFamily = {{"bar", decodeBarrier},
                                            {"barrier", decodeBarrier},
                                            {"membar", decodeFence},
                                            {"fence", decodeFence}};
