//===- Cluster.cpp - clusters of one CTA; registers of warp groups --------===//
//
// The barrier of the cluster and the pool of registers are waited for like mbarriers, and stand
// among those of the CTA, at addresses where no object can be.
//
//===----------------------------------------------------------------------===//

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
  auto [found, isNew] = cta.mbarriers.try_emplace(clusterBarrierAddress);
  MBarrier &barrier = found->second;
  if (isNew) {
    barrier.address = clusterBarrierAddress;
    barrier.count = barrier.pending = cta.live;
  }
  return barrier;
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
    barrier.arriving.add(warp, warp.mask);
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
  passPhase(warp, op, warp.mask, barrier);
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
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((warp.mask >> lane & 1) && warp.lanes<u32>(op.b)[lane]) {
      warp.machine.report(FaultKind::OutOfBounds, &op, &warp, int(lane),
                          "the cluster has one CTA, whose rank is 0; CTA " +
                              std::to_string(warp.lanes<u32>(op.b)[lane]) + " is named");
      break;
    }
  if (op.bytes == 8)
    eachLane<u64>(warp, op.d, [a = warp.lanes<u64>(op.a)](unsigned i) { return a[i]; });
  else
    eachLane<u32>(warp, op.d, [a = warp.lanes<u32>(op.a)](unsigned i) { return a[i]; });
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

void rankOfAddress(Warp &warp, const Op &op) {
  eachLane<u32>(warp, op.d, [](unsigned) { return 0; });
}
bool decodeRank(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  m.take("shared::cluster");
  Type type = m.type();
  if (bitsOf(type) != 32 && bitsOf(type) != 64)
    return decoder.fail("needs .u32 or .u64");
  return decoder.done(m) && emitSimple(decoder, rankOfAddress, Class::Integer, Type::U32, {type});
}

//===-- setmaxnreg --------------------------------------------------------===//

constexpr uint32_t registersOfSM = 65536, mostOfThread = 255;

/// What a thread begins with; 0: ptxas cannot know, and ignores setmaxnreg.
uint32_t registersAtEntry(const Machine &machine) {
  const Function &entry = *machine.module.find(machine.launch.entry);
  if (entry.maxRegisters)
    return entry.maxRegisters;
  const uint32_t *block = entry.required[0] ? entry.required : entry.maximum;
  if (!block[0])
    return 0;
  uint32_t threads = block[0] * block[1] * block[2];
  return std::min(registersOfSM / threads, mostOfThread + 1) / 8 * 8;
}

MBarrier &registerPool(Warp &warp) {
  auto [found, isNew] = warp.cta.mbarriers.try_emplace(registerPoolAddress);
  MBarrier &pool = found->second;
  if (isNew) {
    pool.address = registerPoolAddress;
    for (Warp &other : warp.cta.warps)
      other.registers = registersAtEntry(warp.machine);
    pool.count = 0; // registers that nobody has
    // Without an arrival no phase ends.
    pool.pending = 1;
  }
  return pool;
}

/// The warps of a warp group execute the same one, all of them.
void checkGroup(Warp &warp, const Op &op) {
  Cta &cta = warp.cta;
  Cta::RegisterGroup &group = cta.registerGroups[warp.index / 4];
  uint32_t first = warp.index / 4 * 4, bit = 1u << warp.index % 4;
  uint32_t all = (1u << std::min<size_t>(4, cta.warps.size() - first)) - 1;
  if (!group.op || group.warps == all)
    group = {&op, 0};
  if (all != 15 || group.op != &op || (group.warps & bit)) {
    Fault *fault = warp.machine.report(
        FaultKind::MissingLanes, &op, &warp, -1,
        all != 15 ? "setmaxnreg needs a warp group of four warps"
                  : "setmaxnreg is to be executed by all four warps of a warp group, before any "
                    "of them executes another one");
    if (fault && group.op != &op) {
      fault->hasOther = true;
      fault->other = warp.machine.place(group.op, nullptr, -1);
      fault->otherIs = "executed by others";
    }
  }
  group.warps |= bit;
}

// Op: offset: registers of a thread; target: 1: .inc.
void setRegisters(Warp &warp, const Op &op) {
  Machine &machine = warp.machine;
  uint32_t wanted = uint32_t(op.offset);
  MBarrier &pool = registerPool(warp);
  if (warp.mask != warp.live)
    machine.report(FaultKind::MissingLanes, &op, &warp, std::countr_zero(warp.mask),
                   "setmaxnreg is executed by a part of its warp only");
  if (!warp.registers) {
    machine.report(
        FaultKind::Registers, &op, &warp, -1,
        "setmaxnreg is ignored where none of .maxnreg, .reqntid and .maxntid says with how "
        "many registers a thread begins");
    return;
  }
  bool grows = op.target;
  if (grows ? wanted < warp.registers : wanted > warp.registers) {
    machine.report(FaultKind::Registers, &op, &warp, -1,
                   "setmaxnreg." + std::string(grows ? "inc" : "dec") + " to " +
                       std::to_string(wanted) + " registers, but a thread has " +
                       std::to_string(warp.registers));
    return;
  }
  uint32_t before = warp.registers * 32, after = wanted * 32;
  if (grows && after - before > pool.count)
    return blockOnPhase(warp, op, pool);
  checkGroup(warp, op);
  warp.registers = wanted;
  pool.count = pool.count + before - after;
  if (!grows)
    wakeAll(pool);
}

bool decodeSetRegisters(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  int what = m.takeOne({"inc", "dec"});
  uint64_t count = 0;
  if (what < 0 || !m.take("sync") || !m.take("aligned") || m.type() != Type::U32)
    return decoder.fail("needs .inc or .dec and .sync.aligned.u32");
  if (!decoder.done(m) || !decoder.wants(1) || !decoder.immediate(0, count))
    return false;
  if (count < 24 || count > 256 || count % 8)
    return decoder.fail("a thread has 24 to 256 registers, a multiple of 8, not " +
                        std::to_string(count));
  if (!decoder.isAccelerated())
    return false;
  Op &op = decoder.emit(setRegisters, Class::Other);
  op.offset = count;
  op.target = what == 0;
  return true;
}

} // namespace

void Warp::leaveCluster(uint32_t lanes) {
  auto found = cta.mbarriers.find(clusterBarrierAddress);
  if (found == cta.mbarriers.end())
    return;
  MBarrier &barrier = found->second;
  barrier.count -= std::min(barrier.count, unsigned(std::popcount(lanes)));
  // Those that have arrived in this phase are counted.
  uint32_t here = clusterPhase == barrier.phase ? atCluster : 0;
  barrier.pending -= std::min(barrier.pending, unsigned(std::popcount(lanes & ~here)));
  if (barrier.count)
    settle(*this, *now, unsigned(std::countr_zero(lanes)), barrier);
}

const Family tritium::sim::clusterFamily = {
    {"mapa", decodeMapAddress}, {"getctarank", decodeRank}, {"setmaxnreg", decodeSetRegisters}};
