//===- Phase.cpp - phases of mbarriers ------------------------------------===//
//
// Copies arrive as late as the program allows: a phase whose arrivals have come and whose
// bytes are under way is over when somebody waits for it.
//
//===----------------------------------------------------------------------===//

#include "Phase.h"
#include "Cluster.h"
#include "Proxy.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <utility>

using namespace tritium::sim;

static std::string hex(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", value);
  return text;
}

std::string tritium::sim::describe(const MBarrier &barrier) {
  if (barrier.address == registerPoolAddress)
    return "registers: " + std::to_string(barrier.count) + " of the CTA's are free";
  std::string object = barrier.address == clusterBarrierAddress
                           ? "the cluster's barrier"
                           : "the mbarrier at " + hex(barrier.address);
  std::string text = object + ", phase " + std::to_string(barrier.phase) + " (parity " +
                     std::to_string(barrier.phase & 1) + "): ";
  if (barrier.missing())
    text += std::to_string(barrier.missing()) + " of " + std::to_string(barrier.count) +
            " arrivals are missing";
  else
    text += "all " + std::to_string(barrier.count) + " arrivals have come";
  if (barrier.expected || barrier.copied)
    text += ", " + std::to_string(barrier.expected) + " bytes are expected, copies bring " +
            std::to_string(barrier.copied);
  return text;
}

MBarrier &tritium::sim::phaseOf(Cta &cta, uint32_t address) {
  Cta &owner = address == clusterBarrierAddress ? cta.cluster->first() : cta;
  return owner.mbarriers.at(address);
}

/// Lanes whose waits the phase's arrivals do not know of.
static uint32_t unseenLanes(const Known &known, const MBarrier::Pass &pass) {
  uint32_t warp = pass.warp->index, lanes = pass.lanes;
  if (warp < known.warps.size() && known.warps[warp] > pass.time)
    return 0;
  for (auto [thread, time] : known.threads)
    if (thread / 32u == warp && time > pass.time)
      lanes &= ~(1u << thread % 32);
  return lanes;
}

static void notePass(MBarrier &barrier, Warp &warp, const Op &op, uint32_t lanes) {
  for (const MBarrier::Pass &pass : barrier.passes)
    if (pass.warp == &warp)
      lanes &= ~pass.lanes;
  if (lanes)
    barrier.passes.push_back({&warp, lanes, warp.machine.time, &op});
}

/// A wait that the next phase overtakes waits for the one after that.
static void checkPasses(Warp &warp, const Op &op, unsigned lane, const MBarrier &barrier) {
  Machine &machine = warp.machine;
  // Only an mbarrier is asked for a parity.
  if (!machine.launch.checkRaces || barrier.address == clusterBarrierAddress)
    return;
  for (const MBarrier::Pass &pass : barrier.passes) {
    uint32_t unseen = unseenLanes(barrier.arriving.known, pass);
    if (!unseen)
      continue;
    int late = std::countr_zero(unseen);
    Fault *fault = machine.report(
        FaultKind::MBarrier, &op, &warp, int(lane),
        "phase " + std::to_string(barrier.phase) + " of the mbarrier at " + hex(barrier.address) +
            " ends though nothing says that warp " + std::to_string(pass.warp->index) + " lane " +
            std::to_string(late) +
            " has seen the phase before it end: its wait may find a phase that is two old, and "
            "go on waiting");
    if (fault) {
      fault->hasOther = true;
      fault->other = machine.place(pass.op, pass.warp, late);
      fault->otherIs = "waited for";
    }
    return;
  }
}

void tritium::sim::completePhase(Warp &warp, const Op &op, unsigned lane, MBarrier &barrier) {
  Machine &machine = warp.machine;
  checkPasses(warp, op, lane, barrier);
  if (barrier.hasCopies()) {
    Completion done = machine.complete(barrier.actor);
    for (BulkCopy &copy : barrier.copies)
      arriveLoad(warp.cta, copy, done);
    for (const MBarrier::CopyArrival &arrival : barrier.copyArrivals)
      arriveCopies(*arrival.warp, arrival.lane, arrival.copies, done);
    barrier.arriving.known.learn(done.thread / 32, done.time + 1);
    barrier.copies.clear();
    barrier.copyArrivals.clear();
  }
  barrier.done.join(barrier.arriving);
  barrier.arriving = {};
  barrier.over = std::exchange(barrier.arrivals, {});
  // Once all have dropped out nobody is left to end a phase.
  barrier.pending = barrier.count ? barrier.count : ~0u;
  barrier.expected = 0;
  barrier.copied = 0;
  ++barrier.phase;
  barrier.passes.clear();
  for (auto [waiting, split] : barrier.waiting) {
    split->state = Split::Running;
    notePass(barrier, *waiting, waiting->machine.opAt(*split), split->mask);
  }
  barrier.waiting.clear();
}

void tritium::sim::settle(Warp &warp, const Op &op, unsigned lane, MBarrier &barrier) {
  if (!barrier.missing() && barrier.expected < int64_t(barrier.copied)) {
    warp.machine.report(FaultKind::MBarrier, &op, &warp, int(lane),
                        "more bytes arrive in a phase than it expects: " + describe(barrier));
    barrier.expected = int64_t(barrier.copied);
  }
  if (barrier.isOver() && (!barrier.hasCopies() || !barrier.waiting.empty()))
    completePhase(warp, op, lane, barrier);
}

void tritium::sim::passPhase(Warp &warp, const Op &op, uint32_t lanes, MBarrier &barrier) {
  notePass(barrier, warp, op, lanes);
  if (warp.cta.pace)
    warp.cta.pace->waitUntil(warp, op, barrier.over, latency::phase);
  if (op.acquires && warp.machine.launch.checkRaces)
    barrier.done.give(warp, lanes);
}

void tritium::sim::blockOnPhase(Warp &warp, const Op &op, MBarrier &barrier) {
  Split *split = warp.current;
  // It runs again when the phase is over; it counts once.
  Tally &tally = warp.machine.tallies[op.id];
  --tally.warpInstructions;
  tally.threadInstructions -= uint64_t(std::popcount(warp.mask));
  --split->pc;
  split->state = Split::WaitingPhase;
  split->barrier = barrier.address;
  barrier.waiting.push_back({&warp, split});
  warp.current = nullptr;
}

void tritium::sim::wakeAll(MBarrier &barrier) {
  for (auto [warp, split] : barrier.waiting)
    split->state = Split::Running;
  barrier.waiting.clear();
}

bool Machine::timeOut(Cta &cta) {
  bool any = false;
  for (auto &[address, barrier] : cta.mbarriers) {
    // barrier.cluster.wait has no time limit.
    if (address == clusterBarrierAddress)
      continue;
    for (auto [warp, split] : barrier.waiting) {
      split->state = Split::Running;
      split->timedOut = any = true;
    }
    barrier.waiting.clear();
  }
  return any;
}

void Machine::abandon(Warp &last) {
  Cta &cta = last.cta;
  for (auto &[address, barrier] : cta.mbarriers) {
    if (!barrier.copies.empty()) {
      const BulkCopy &copy = barrier.copies[0];
      report(FaultKind::AsyncLeftOver, copy.op, &cta.warps[copy.warp], copy.lane,
             "the CTA ends while bulk copies are under way: nobody waits for their phase of " +
                 describe(barrier));
    } else if (barrier.expected) {
      report(FaultKind::MBarrier, barrier.lastExpect ? barrier.lastExpect : last.now, &last, -1,
             "the CTA ends while bytes are expected that no copy brings: " + describe(barrier));
    }
    for (const MBarrier::CopyArrival &arrival : barrier.copyArrivals)
      if (!arrival.warp->copies[arrival.lane].empty()) {
        report(FaultKind::AsyncLeftOver, arrival.warp->copies[arrival.lane][0].op, arrival.warp,
               int(arrival.lane),
               "the CTA ends while copies of cp.async are under way: nobody waits for their phase "
               "of " +
                   describe(barrier));
        break;
      }
    Completion done = complete(barrier.actor);
    for (BulkCopy &copy : barrier.copies)
      endCopy(*this, copy, done);
    barrier.copies.clear();
  }
  for (auto &[index, group] : cta.registerGroups)
    if (group.op && group.warps != 15)
      report(FaultKind::MissingLanes, group.op, &cta.warps[4 * index], -1,
             "the CTA ends, and not all four warps of the warp group have executed setmaxnreg");
}
