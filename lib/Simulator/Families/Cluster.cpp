//===- Cluster.cpp - barrier.cluster, mapa, getctarank --------------------===//
//
// The barrier of the cluster is waited for like an mbarrier, and stands among those of its first
// CTA, at an address where no object can be.
//
//===----------------------------------------------------------------------===//

#include "../Machine/Cluster.h"
#include "../Machine/Access.h"
#include "../Machine/Phase.h"
#include "BulkCopy.h"

#include <algorithm>

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

/// The barrier of the cluster, whose arrivals are threads.
MBarrier &clusterBarrier(Cta &cta) {
  auto [found, isNew] = cta.cluster->first().mbarriers.try_emplace(clusterBarrierAddress);
  MBarrier &barrier = found->second;
  if (isNew) {
    barrier.address = clusterBarrierAddress;
    for (const Cta *each : cta.cluster->ctas)
      barrier.count += each->live;
    barrier.pending = barrier.count;
  }
  return barrier;
}

/// What the lanes know is there for those that wait.
void hand(Warp &warp, MBarrier &barrier) {
  if (warp.cta.cluster->isOfOne())
    return barrier.arriving.add(warp, warp.mask);
  barrier.arriving.known.others.join(knownElsewhere(warp, warp.mask).others);
}

void learn(Warp &warp, MBarrier &barrier) {
  if (warp.cta.cluster->isOfOne())
    return barrier.done.give(warp, warp.mask);
  learnElsewhere(warp, barrier.done.known);
  const std::vector<uint32_t> *own = barrier.done.known.others.find(warp.cta.linear);
  if (own && warp.mask == warp.live)
    warp.known.lanes = std::max(warp.known.lanes, (*own)[warp.index]);
}

bool isWhole(Warp &warp, const Op &op, const char *what) {
  if (!op.offset || warp.mask == warp.live)
    return true;
  warp.machine.report(FaultKind::PartialBarrier, &op, &warp, std::countr_zero(warp.mask),
                      std::string(what) + " is reached by a part of its warp only");
  return false;
}

// Op: offset: .aligned.
void arriveAtCluster(Warp &warp, const Op &op) {
  isWhole(warp, op, "barrier.cluster.arrive.aligned");
  MBarrier &barrier = clusterBarrier(warp.cta);
  if (uint32_t again = warp.mask & warp.atCluster) {
    warp.machine.report(FaultKind::PartialBarrier, &op, &warp, std::countr_zero(again),
                        "barrier.cluster.arrive is executed again before barrier.cluster.wait");
    return;
  }
  ++warp.machine.tallies[op.id].barriers;
  if (op.releases && warp.machine.launch.checkRaces)
    hand(warp, barrier);
  warp.cta.clusterArrivals.resize(warp.cta.warps.size());
  warp.cta.clusterArrivals[warp.index] = ++warp.machine.time;
  warp.atCluster |= warp.mask;
  warp.clusterPhase = barrier.phase;
  barrier.pending -= unsigned(std::popcount(warp.mask));
  settle(warp, op, unsigned(std::countr_zero(warp.mask)), barrier);
}

void waitForCluster(Warp &warp, const Op &op) {
  isWhole(warp, op, "barrier.cluster.wait.aligned");
  MBarrier &barrier = clusterBarrier(warp.cta);
  if (uint32_t early = warp.mask & ~warp.atCluster) {
    warp.machine.report(FaultKind::PartialBarrier, &op, &warp, std::countr_zero(early),
                        "barrier.cluster.wait is executed without barrier.cluster.arrive");
    return;
  }
  if (barrier.phase == warp.clusterPhase)
    return blockOnPhase(warp, op, barrier);
  warp.atCluster &= ~warp.mask;
  warp.hasMetCluster = true;
  if (op.acquires && warp.machine.launch.checkRaces)
    learn(warp, barrier);
  warp.met = warp.cta.clusterArrivals;
}

} // namespace

bool tritium::sim::decodeClusterBarrier(Decoder &decoder, Modifiers &m) {
  int what = m.takeOne({"arrive", "wait"});
  bool isRelaxed = m.take("relaxed");
  m.takeOne({"release", "acquire"});
  bool aligned = m.take("aligned");
  if (what < 0)
    return decoder.fail("needs .arrive or .wait");
  if (!decoder.done(m) || !decoder.wants(0))
    return false;
  Op &op = decoder.emit(what ? waitForCluster : arriveAtCluster, Class::Barrier);
  op.offset = aligned;
  op.releases = op.acquires = !isRelaxed;
  return true;
}

namespace {

// mapa, getctarank. a: the address, b: the rank; offset: the window of a generic address.
void mapAddress(Warp &warp, const Op &op) {
  warp.demand(op.b, warp.mask, op, "the rank of a CTA");
  size_t ctas = warp.cta.cluster->ctas.size();
  const u32 *ranks = warp.lanes<u32>(op.b);
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((warp.mask >> lane & 1) && ranks[lane] >= ctas) {
      warp.machine.report(FaultKind::OutOfBounds, &op, &warp, int(lane),
                          "the cluster has " + std::to_string(ctas) +
                              (ctas == 1 ? " CTA, whose rank is 0" : " CTAs") + "; CTA " +
                              std::to_string(ranks[lane]) + " is named");
      break;
    }
  auto map = [&](auto address, unsigned lane) -> decltype(address) {
    auto window = address & ~decltype(address)(~0u);
    bool isOwn = ranks[lane] == warp.cta.rank || ranks[lane] >= ctas;
    return isOwn ? address : window | addressAt(ranks[lane], u32(address));
  };
  if (op.bytes == 8)
    eachLane<u64>(warp, op.d, [&, a = warp.lanes<u64>(op.a)](unsigned i) { return map(a[i], i); });
  else
    eachLane<u32>(warp, op.d, [&, a = warp.lanes<u32>(op.a)](unsigned i) { return map(a[i], i); });
}

bool decodeMapAddress(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  m.take("shared::cluster");
  Type type = m.type();
  if (type != Type::U32 && type != Type::U64)
    return decoder.fail("needs .u32 or .u64");
  if (!decoder.done(m) || !emitSimple(decoder, mapAddress, Class::Integer, type, {type, Type::U32}))
    return false;
  decoder.code.ops.back().bytes = uint8_t(bitsOf(type) / 8);
  return true;
}

// bytes: of the address.
void rankOfAddress(Warp &warp, const Op &op) {
  auto rank = [&](uint32_t address) {
    return address >> rankShift ? (address >> rankShift) - 1 : warp.cta.rank;
  };
  if (op.bytes == 8)
    eachLane<u32>(warp, op.d,
                  [&, a = warp.lanes<u64>(op.a)](unsigned i) { return rank(u32(a[i])); });
  else
    eachLane<u32>(warp, op.d, [&, a = warp.lanes<u32>(op.a)](unsigned i) { return rank(a[i]); });
}
bool decodeRank(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  m.take("shared::cluster");
  Type type = m.type();
  if (bitsOf(type) != 32 && bitsOf(type) != 64)
    return decoder.fail("needs .u32 or .u64");
  if (!decoder.done(m) || !emitSimple(decoder, rankOfAddress, Class::Integer, Type::U32, {type}))
    return false;
  decoder.code.ops.back().bytes = uint8_t(bitsOf(type) / 8);
  return true;
}

} // namespace

void Warp::leaveCluster(uint32_t lanes) {
  std::map<uint32_t, MBarrier> &all = cta.cluster->first().mbarriers;
  auto found = all.find(clusterBarrierAddress);
  if (found == all.end())
    return;
  MBarrier &barrier = found->second;
  barrier.count -= std::min(barrier.count, unsigned(std::popcount(lanes)));
  // Those that have arrived in this phase are counted.
  uint32_t here = clusterPhase == barrier.phase ? atCluster : 0;
  barrier.pending -= std::min(barrier.pending, unsigned(std::popcount(lanes & ~here)));
  if (barrier.count)
    settle(*this, *now, unsigned(std::countr_zero(lanes)), barrier);
}

const Family tritium::sim::clusterFamily = {{"mapa", decodeMapAddress}, {"getctarank", decodeRank}};
