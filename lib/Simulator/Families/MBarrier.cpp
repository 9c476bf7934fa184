//===- MBarrier.cpp - mbarrier --------------------------------------------===//
//
// The state that an arrival answers holds its phase, and below it the arrivals that were
// missing before it.
//
//===----------------------------------------------------------------------===//

#include "../Machine/Access.h"
#include "../Machine/Phase.h"
#include "../Machine/Proxy.h"
#include "../Machine/Race.h"
#include "Arithmetic.h"

#include <algorithm>
#include <utility>

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

constexpr u32 mostCount = (1u << 20) - 1; ///< of arrivals, and of bytes
constexpr unsigned phaseShift = 20;

/// What an arrival does besides.
enum ArriveBits : u32 { Arrives = 1, ExpectsBytes = 2, Drops = 4, MayNotComplete = 8, Brings = 16 };

void misuse(Warp &warp, const Op &op, unsigned lane, const std::string &message) {
  warp.machine.report(FaultKind::MBarrier, &op, &warp, int(lane), message);
}

/// The bytes of an mbarrier as an operand names them; false after a report.
bool locateBarrier(Warp &warp, const Op &op, Space space, uint64_t address, unsigned lane,
                   Located &located) {
  if (!warp.resolve(op, space, address, lane, 8, true, located))
    return false;
  if (!located.range && located.shadow == &warp.cta.shadow)
    return true;
  misuse(warp, op, lane, "an mbarrier lies in shared memory; this address does not");
  return false;
}

template <typename F> void eachCell(Cta &cta, uint32_t address, F &&f) {
  cta.shadow.visit(address, 8, [&](Cell &cell, uint64_t, uint32_t) { f(cell); });
}

bool isVisible(const Warp &warp, unsigned lane, const MBarrier &barrier) {
  if (ordered(warp, lane, barrier.init))
    return true;
  uint32_t party = barrier.init.thread / 32;
  return barrier.initFence && party < warp.met.size() && barrier.initFence < warp.met[party];
}

Access accessBy(const Warp &warp, const Op &op, unsigned lane) {
  Access made;
  made.cta = warp.cta.linear;
  made.thread = uint16_t(warp.thread(lane));
  made.present = 1;
  made.time = warp.machine.time;
  made.op = op.id;
  return made;
}

void initialise(Warp &warp, const Op &op) {
  warp.demand(op.b, warp.mask, op, "the count of an mbarrier");
  eachAddress(warp, op, [&](unsigned lane, uint64_t address) {
    Located located;
    if (!locateBarrier(warp, op, op.space, address, lane, located))
      return;
    u32 count = warp.lanes<u32>(op.b)[lane], at = u32(located.offset);
    Cta &cta = warp.cta;
    if (!count || count > mostCount) {
      misuse(warp, op, lane,
             "an mbarrier counts 1 to 1048575 arrivals, not " + std::to_string(count));
      return;
    }
    if (auto found = cta.mbarriers.find(at); found != cta.mbarriers.end()) {
      misuse(warp, op, lane,
             "there is an mbarrier already, which no mbarrier.inval has ended: " +
                 describe(found->second));
      return;
    }
    noteAccess(warp, op, lane, located, 8, AccessMode::Write);
    if (warp.machine.launch.checkRaces)
      eachCell(cta, at, [](Cell &cell) { cell.write.barrier = 1; });
    std::memset(located.definedness, 1, 8);
    MBarrier &made = cta.mbarriers[at];
    made.address = at;
    made.count = made.pending = count;
    made.actor = cta.newActor();
    made.init = accessBy(warp, op, lane);
  });
}

void reportUse(Warp &warp, const Op &op, unsigned lane, const Access &use) {
  Fault *fault = warp.machine.report(
      FaultKind::MBarrier, &op, &warp, int(lane),
      "an mbarrier is ended that another thread uses, with nothing that orders the two");
  if (!fault)
    return;
  fault->hasOther = true;
  fault->other = warp.machine.placeOf(use);
  fault->otherIs = "used";
}

void invalidate(Warp &warp, const Op &op) {
  eachAddress(warp, op, [&](unsigned lane, uint64_t address) {
    MBarrier *barrier = findBarrier(warp, op, op.space, address, lane);
    if (!barrier)
      return;
    if (barrier->hasCopies() || barrier->expected || !barrier->waiting.empty())
      misuse(warp, op, lane, "an mbarrier is ended while it is in use: " + describe(*barrier));
    for (BulkCopy &copy : barrier->copies)
      endCopy(warp.machine, copy, warp.machine.complete(barrier->actor));
    for (const Access &use : barrier->uses)
      if (use.present && use.thread / 32 != warp.index && !ordered(warp, lane, use))
        reportUse(warp, op, lane, use);
    Located located;
    locateBarrier(warp, op, op.space, address, lane, located);
    if (warp.machine.launch.checkRaces)
      eachCell(warp.cta, barrier->address, [](Cell &cell) { cell.write.barrier = 0; });
    noteAccess(warp, op, lane, located, 8, AccessMode::Write);
    std::memset(located.definedness, 0, 8);
    for (auto [waiting, split] : barrier->waiting)
      split->state = Split::Running;
    warp.cta.mbarriers.erase(barrier->address);
  });
}

void expect(Warp &warp, const Op &op, unsigned lane, MBarrier &barrier, int64_t bytes) {
  barrier.expected += bytes;
  barrier.lastExpect = &op;
  if (std::abs(barrier.expected) <= int64_t(mostCount))
    return;
  misuse(warp, op, lane,
         "an mbarrier expects at most 1048575 bytes in a phase: " + describe(barrier));
  barrier.expected -= bytes;
}

/// Calls f(barrier, its lanes) for each mbarrier that lanes of the mask have in `at`.
template <typename F> void eachBarrier(MBarrier *const *at, u32 mask, F &&f) {
  while (mask) {
    MBarrier *barrier = at[std::countr_zero(mask)];
    u32 together = 0;
    lanesOf(mask, [&](unsigned lane) { together |= u32(at[lane] == barrier) << lane; });
    mask &= ~together;
    if (barrier)
      f(*barrier, together);
  }
}

/// One lane arrives.
void arriveLane(Warp &warp, const Op &op, unsigned lane, MBarrier &barrier, u32 count) {
  bool isTooMany = count > barrier.missing(), ends = count == barrier.missing();
  if (!count || isTooMany) {
    misuse(warp, op, lane,
           std::to_string(count) + " arrivals at " + describe(barrier) +
               (isTooMany ? "; more arrive than its count allows" : ""));
    return;
  }
  if ((op.list[0] & MayNotComplete) && ends) {
    misuse(warp, op, lane, "mbarrier.arrive.noComplete ends a phase: " + describe(barrier));
    return;
  }
  if (op.list[0] & Drops)
    barrier.count -= std::min(count, barrier.count);
  barrier.pending -= count;
}

// Op: a address; b: arrivals, c: bytes (none: 1, 0); d: the state, or none; list[0]: ArriveBits.
void arrive(Warp &warp, const Op &op) {
  for (uint32_t slot : {op.b, op.c})
    if (slot != none)
      warp.demand(slot, warp.mask, op, "a count of an mbarrier");
  u32 bits = op.list[0];
  MBarrier *at[32] = {};
  eachAddress(warp, op, [&](unsigned lane, uint64_t address) {
    at[lane] = findBarrier(warp, op, op.space, address, lane);
  });
  bool hands = (bits & Arrives) && op.releases && warp.machine.launch.checkRaces;
  eachBarrier(at, warp.mask, [&](MBarrier &barrier, u32 together) {
    if ((bits & Arrives) && warp.cta.pace)
      delay(barrier.arrivals, warp.cta.pace->now(warp));
    Handover mine;
    if (hands)
      mine.add(warp, together);
    uint64_t handed = ~uint64_t(0); ///< the phase
    lanesOf(together, [&](unsigned lane) {
      if (hands && handed != barrier.phase)
        barrier.arriving.join(mine);
      handed = barrier.phase;
      if (op.d != none)
        warp.lanes<u64>(op.d)[lane] = barrier.phase << phaseShift | barrier.pending;
      int64_t bytes = op.c == none ? 0 : warp.lanes<u32>(op.c)[lane];
      if (bits & (ExpectsBytes | Brings))
        expect(warp, op, lane, barrier, bits & Brings ? -bytes : bytes);
      if (bits & Arrives)
        arriveLane(warp, op, lane, barrier, op.b == none ? 1 : warp.lanes<u32>(op.b)[lane]);
      settle(warp, op, lane, barrier);
    });
  });
  if (op.d != none)
    warp.define(op.d, warp.mask);
}

/// Whether the phase that the lane names is over.
bool isPast(Warp &warp, const Op &op, unsigned lane, MBarrier &barrier) {
  bool byParity = op.list[0];
  u64 named = byParity ? warp.lanes<u32>(op.b)[lane] : warp.lanes<u64>(op.b)[lane] >> phaseShift;
  if (byParity && named > 1) {
    misuse(warp, op, lane, "the parity of a phase is 0 or 1, not " + std::to_string(named));
    named &= 1;
  }
  bool isNow = byParity ? named == (barrier.phase & 1) : named == barrier.phase;
  if (isNow && barrier.isOver()) {
    completePhase(warp, op, lane, barrier);
    return true;
  }
  if (!byParity && !isNow && named + 1 != barrier.phase)
    misuse(warp, op, lane,
           "a wait for phase " + std::to_string(named) + " of " + describe(barrier) +
               "; only the phase before may be asked for");
  return !isNow;
}

// test_wait, try_wait. Op: a address; b: the state, or the parity if list[0]; d predicate.
void wait(Warp &warp, const Op &op) {
  warp.demand(op.b, warp.mask, op, "the phase of an mbarrier");
  u32 past = 0;
  MBarrier *first = nullptr, *at[32] = {};
  eachAddress(warp, op, [&](unsigned lane, uint64_t address) {
    at[lane] = findBarrier(warp, op, op.space, address, lane);
    bool isOver = !at[lane] || isPast(warp, op, lane, *at[lane]);
    past |= u32(isOver) << lane;
    if (!isOver && !first)
      first = at[lane];
  });
  // A lane that may go on does; others take turns with it. By turns at random a wait may answer
  // early, as it may on a GPU.
  bool answers = std::exchange(warp.current->timedOut, false) || !first || past ||
                 (warp.machine.launch.seed && warp.machine.random() % 4 == 0);
  if (!answers)
    return blockOnPhase(warp, op, *first);
  eachBarrier(at, past,
              [&](MBarrier &barrier, u32 together) { passPhase(warp, op, together, barrier); });
  u32 &to = warp.predicate(op.d);
  to = (to & ~warp.mask) | past;
  warp.define(op.d, warp.mask);
}

void pendingCount(Warp &warp, const Op &op) {
  const u64 *a = warp.lanes<u64>(op.a);
  eachLane<u32>(warp, op.d, [=](unsigned i) { return u32(a[i] & mostCount); });
}

/// .release and .acquire are the default; .relaxed hands nothing on. The scope is of no
/// consequence within one CTA.
struct Ordering {
  bool isRelaxed = false;
  Space space = Space::Generic;
};
Ordering takeOrdering(Modifiers &m) {
  Ordering made;
  made.isRelaxed = m.take("relaxed");
  m.takeOne({"release", "acquire"});
  m.takeOne({"cta", "cluster"});
  if (m.takeOne({"shared::cta", "shared::cluster", "shared"}) >= 0)
    made.space = Space::Shared;
  return made;
}

Op *emitAt(Decoder &decoder, Handler run, size_t address, const Ordering &ordering) {
  Op &op = decoder.emit(run, Class::Barrier);
  if (!decoder.address(decoder.operand(address), op))
    return nullptr;
  op.space = ordering.space;
  op.strong = true;
  return &op;
}

bool decodeArrive(Decoder &decoder, Modifiers &m, u32 bits) {
  bool expects = m.take("expect_tx"), noComplete = m.take("noComplete");
  bits |= (expects ? ExpectsBytes : 0) | (noComplete ? MayNotComplete : 0);
  Ordering ordering = takeOrdering(m);
  if (m.type() != Type::B64)
    return decoder.fail("needs .b64");
  bool hasState = bits & Arrives, needsCount = expects || noComplete || !hasState;
  if (!decoder.done(m) || !decoder.wants(hasState + 1 + needsCount, hasState ? 3 : 2))
    return false;
  uint32_t d = none, b = none;
  if (hasState && decoder.operand(0).kind != Operand::Sink)
    d = decoder.destination(0, Type::B64);
  if (decoder.operands() == hasState + 2u)
    b = decoder.source(hasState + 1, Type::U32);
  uint32_t *list = decoder.list(1);
  list[0] = bits;
  Op *op = emitAt(decoder, arrive, hasState, ordering);
  if (!op)
    return false;
  bool isBytes = bits & (ExpectsBytes | Brings);
  op->d = d;
  op->b = isBytes ? none : b;
  op->c = isBytes ? b : none;
  op->list = list;
  op->releases = !ordering.isRelaxed;
  return !decoder.failed();
}

bool decodeWait(Decoder &decoder, Modifiers &m, bool mayBlock) {
  bool byParity = m.take("parity");
  Ordering ordering = takeOrdering(m);
  if (m.type() != Type::B64)
    return decoder.fail("needs .b64");
  if (!decoder.done(m) || !decoder.wants(3, mayBlock ? 4 : 3))
    return false;
  uint32_t d = decoder.predicateTarget(decoder.operand(0));
  uint32_t b = decoder.source(2, byParity ? Type::U32 : Type::B64);
  if (decoder.operands() == 4)
    decoder.source(3, Type::U32);
  uint32_t *list = decoder.list(1);
  list[0] = byParity;
  Op *op = emitAt(decoder, wait, 1, ordering);
  if (!op)
    return false;
  op->d = d;
  op->b = b;
  op->list = list;
  op->acquires = !ordering.isRelaxed;
  return !decoder.failed();
}

bool decodeSimple(Decoder &decoder, Modifiers &m, Handler run, bool hasCount) {
  Ordering ordering;
  if (m.takeOne({"shared::cta", "shared"}) >= 0)
    ordering.space = Space::Shared;
  if (m.type() != Type::B64)
    return decoder.fail("needs .b64");
  if (!decoder.done(m) || !decoder.wants(hasCount ? 2 : 1))
    return false;
  uint32_t b = hasCount ? decoder.source(1, Type::U32) : none;
  Op *op = emitAt(decoder, run, 0, ordering);
  if (!op)
    return false;
  op->b = b;
  op->strong = false;
  return !decoder.failed();
}

bool decodePendingCount(Decoder &decoder, Modifiers &m) {
  if (m.type() != Type::B64)
    return decoder.fail("needs .b64");
  return decoder.done(m) &&
         emitSimple(decoder, pendingCount, Class::Integer, Type::B32, {Type::B64});
}

bool decodeMBarrier(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  switch (m.takeOne({"init", "inval", "arrive", "arrive_drop", "expect_tx", "complete_tx",
                     "test_wait", "try_wait", "pending_count"})) {
  case 0:
    return decodeSimple(decoder, m, initialise, true);
  case 1:
    return decodeSimple(decoder, m, invalidate, false);
  case 2:
    return decodeArrive(decoder, m, Arrives);
  case 3:
    return decodeArrive(decoder, m, Arrives | Drops);
  case 4:
    return decodeArrive(decoder, m, ExpectsBytes);
  case 5:
    return decodeArrive(decoder, m, Brings);
  case 6:
    return decodeWait(decoder, m, /*mayBlock=*/false);
  case 7:
    return decodeWait(decoder, m, /*mayBlock=*/true);
  case 8:
    return decodePendingCount(decoder, m);
  default:
    return decoder.fail("this form is not known");
  }
}

} // namespace

void tritium::sim::fenceInitialisation(Warp &warp, const Op &op) {
  uint32_t now = ++warp.machine.time;
  for (auto &[address, barrier] : warp.cta.mbarriers)
    if (barrier.init.thread / 32u == warp.index && !barrier.initFence &&
        (warp.mask >> barrier.init.thread % 32 & 1))
      barrier.initFence = now;
}

MBarrier *tritium::sim::findBarrier(Warp &warp, const Op &op, Space space, uint64_t address,
                                    unsigned lane) {
  Located located;
  if (!locateBarrier(warp, op, space, address, lane, located))
    return nullptr;
  auto found = warp.cta.mbarriers.find(u32(located.offset));
  if (found == warp.cta.mbarriers.end()) {
    misuse(warp, op, lane, "there is no mbarrier: no mbarrier.init has made these bytes one");
    return nullptr;
  }
  MBarrier &barrier = found->second;
  if (!warp.machine.launch.checkRaces)
    return &barrier;
  if (!isVisible(warp, lane, barrier)) {
    if (Fault *fault = warp.machine.report(
            FaultKind::MBarrier, &op, &warp, int(lane),
            "an mbarrier is used by a thread that need not see its initialisation: a barrier has "
            "to stand between, or fence.mbarrier_init and a barrier of the cluster")) {
      fault->hasOther = true;
      fault->other = warp.machine.placeOf(barrier.init);
      fault->otherIs = "initialised";
    }
  }
  barrier.uses.resize(warp.cta.warps.size());
  barrier.uses[warp.index] = accessBy(warp, op, lane);
  return &barrier;
}

const Family tritium::sim::mbarrierFamily = {{"mbarrier", decodeMBarrier}};
