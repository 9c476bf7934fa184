//===- Async.cpp - cp.async -----------------------------------------------===//
//
// A copy reads and writes memory when its wait retires it, not before: as late as the
// program allows. From its issue on, the bytes in shared memory belong to it.
//
//===----------------------------------------------------------------------===//

#include "../Machine/Access.h"
#include "Arithmetic.h"
#include "BulkCopy.h"

#include <algorithm>

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

constexpr uint32_t bypassed = 1; ///< Op::e of .cg

// Op: a, offset, target: the address in shared memory; list: the source's address; b: bytes to read
// (none: all); bytes to write.
void issue(Warp &warp, const Op &op) {
  warp.demand(op.list[0], warp.mask, op, "an address");
  if (op.b != none)
    warp.demand(op.b, warp.mask, op, "the number of bytes of a copy");
  uint64_t to[32] = {}, from[32] = {};
  uint32_t reading = 0;
  eachAddress(warp, op, [&](unsigned lane, uint64_t address) {
    to[lane] = address;
    from[lane] = addressOf(warp, op.list, lane);
    u32 bytes = op.b == none ? op.bytes : warp.lanes<u32>(op.b)[lane];
    if (op.c != none && (warp.predicate(op.c) >> lane & 1))
      bytes = 0;
    if (bytes > op.bytes) {
      warp.machine.report(FaultKind::OutOfBounds, &op, &warp, int(lane),
                          "the copy reads more bytes than it writes");
      bytes = op.bytes;
    }
    Located located, read;
    uint8_t *at = warp.resolve(op, Space::Shared, to[lane], lane, op.bytes, true, located);
    if (!at)
      return;
    if (from[lane] & (op.bytes - 1)) {
      warp.resolve(op, Space::Global, from[lane], lane, op.bytes, false, read);
      return;
    }
    if (bytes) {
      // Whether it may be read is known now; a copy of part of its bytes ends earlier.
      u32 whole = std::bit_floor(bytes);
      if (!warp.resolve(op, Space::Global, from[lane], lane, whole, false, read) ||
          (whole != bytes &&
           !warp.resolve(op, Space::Global, from[lane] + bytes - 1, lane, 1, false, read)))
        return;
      warp.resolve(op, Space::Global, from[lane], lane, 1, false, read);
      noteAccess(warp, op, lane, read, bytes, AccessMode::Read);
      reading |= 1u << lane;
    }
    noteAccess(warp, op, lane, located, op.bytes, AccessMode::AsyncWrite);
    AsyncCopy copy;
    copy.source = from[lane];
    copy.destination = uint32_t(to[lane]);
    copy.bytes = op.bytes;
    copy.sourceBytes = uint8_t(bytes);
    copy.op = &op;
    copy.number = warp.issued[lane]++;
    warp.copies[lane].push_back(copy);
  });
  countCopy(warp, op, to, from, reading, op.e == bypassed);
}

void commit(Warp &warp, const Op &) {
  lanesOf(warp.mask, [&](unsigned lane) { commitGroup(warp.copies[lane], warp.groups[lane]); });
}

void moveBytes(Warp &warp, const AsyncCopy &copy) {
  uint8_t *to = warp.cta.shared.data() + copy.destination;
  if (copy.sourceBytes) {
    Range *range = warp.machine.memory.find(copy.source);
    if (range)
      std::memcpy(to, range->data + (copy.source - range->address), copy.sourceBytes);
  }
  std::memset(to + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
  std::memset(warp.cta.sharedDefined.data() + copy.destination, 1, copy.bytes);
}

void arrive(Warp &warp, const AsyncCopy &copy, unsigned lane) {
  moveBytes(warp, copy);
  Located located;
  located.shadow = &warp.cta.shadow;
  located.offset = copy.destination;
  noteAccess(warp, *copy.op, lane, located, copy.bytes, AccessMode::AsyncArrival);
}

/// offset: how many of the latest groups may stay; -1: wait_all, uncommitted ones too.
void wait(Warp &warp, const Op &op) {
  bool all = op.offset == ~uint64_t(0);
  lanesOf(warp.mask, [&](unsigned lane) {
    uint64_t kept = firstKept(warp.groups[lane], op.offset);
    std::erase_if(warp.copies[lane], [&](const AsyncCopy &copy) {
      if (!all && (!copy.committed || copy.group >= kept))
        return false;
      arrive(warp, copy, lane);
      return true;
    });
  });
}

// cp.async.mbarrier.arrive. Op: a address; c: whether the arrival is one more than were pending.
void arriveOnPhase(Warp &warp, const Op &op) {
  eachAddress(warp, op, [&](unsigned lane, uint64_t address) {
    MBarrier *barrier = findBarrier(warp, op, op.space, address, lane);
    if (!barrier)
      return;
    if (op.c)
      ++barrier->pending;
    if (!barrier->missing()) {
      warp.machine.report(FaultKind::MBarrier, &op, &warp, int(lane),
                          "an arrival for copies at " + describe(*barrier) +
                              "; more arrive than its count allows");
      return;
    }
    // The thread publishes what it has done, too: more than PTX promises.
    if (warp.machine.launch.checkRaces)
      barrier->arriving.add(warp, 1u << lane);
    if (warp.cta.pace)
      delay(barrier->arrivals, warp.cta.pace->copied(warp));
    warp.handedToPhase[lane] = warp.issued[lane];
    barrier->copyArrivals.push_back({&warp, lane, warp.issued[lane]});
    settle(warp, op, lane, *barrier);
  });
}

bool decodeArrive(Decoder &decoder, Modifiers &m) {
  bool adds = !m.take("noinc");
  bool isShared = m.takeOne({"shared::cta", "shared"}) >= 0;
  if (!m.take("arrive") || m.type() != Type::B64)
    return decoder.fail("needs .arrive and .b64");
  if (!decoder.done(m) || !decoder.wants(1))
    return false;
  Op &op = decoder.emit(arriveOnPhase, Class::AsyncGroup);
  if (!decoder.address(decoder.operand(0), op))
    return false;
  op.c = adds;
  op.space = isShared ? Space::Shared : Space::Generic;
  return true;
}

bool decodeCopy(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  bool reduces = m.take("reduce");
  if (!m.take("async"))
    return decoder.fail("this form is not known");
  if (m.take("bulk"))
    return decodeBulk(decoder, m, reduces);
  if (reduces)
    return decoder.fail("this form is not known");
  if (m.take("mbarrier"))
    return decodeArrive(decoder, m);
  if (m.take("commit_group")) {
    if (!decoder.done(m) || !decoder.wants(0))
      return false;
    decoder.emit(commit, Class::AsyncGroup);
    return true;
  }
  bool all = m.take("wait_all");
  if (all || m.take("wait_group")) {
    uint64_t keep = ~uint64_t(0);
    if (!decoder.done(m) || !decoder.wants(all ? 0 : 1) || (!all && !decoder.immediate(0, keep)))
      return false;
    decoder.emit(wait, Class::AsyncGroup).offset = keep;
    return true;
  }
  bool small = m.takeOne({"ca", "cg"}) == 0;
  if (!(m.take("shared") || m.take("shared::cta")) || !m.take("global"))
    return decoder.fail("copies from .global to .shared only");
  m.takeOne({"L2::64B", "L2::128B", "L2::256B"});
  bool hint = m.take("L2::cache_hint");
  uint64_t bytes;
  if (!decoder.done(m) || !decoder.wants(3, 5) || !decoder.immediate(2, bytes))
    return false;
  if (bytes != 16 && !(small && (bytes == 4 || bytes == 8)))
    return decoder.fail("copies 16 bytes, or with .ca 4 or 8");
  size_t rest = decoder.operands() - hint;
  uint32_t size = none, ignore = none;
  if (rest == 4) {
    const Operand &operand = decoder.operand(3);
    bool isPredicate = operand.kind == Operand::Register &&
                       decoder.code.function->registers[operand.index] == Type::Pred;
    (isPredicate ? ignore : size) =
        isPredicate ? decoder.predicate(operand) : decoder.source(operand, Type::U32);
  }
  uint32_t *list = decoder.list(addressWords);
  if (!readAddress(decoder, 1, list))
    return false;
  Op &op = decoder.emit(issue, Class::AsyncCopy);
  if (!decoder.address(decoder.operand(0), op))
    return false;
  op.list = list;
  op.b = size;
  op.c = ignore;
  op.e = small ? none : bypassed;
  op.bytes = uint8_t(bytes);
  op.space = Space::Shared;
  return !decoder.failed();
}

} // namespace

void tritium::sim::arriveCopies(Warp &warp, unsigned lane, uint32_t count, const Completion &done) {
  std::erase_if(warp.copies[lane], [&](const AsyncCopy &copy) {
    if (copy.number >= count)
      return false;
    moveBytes(warp, copy);
    Access written;
    written.cta = warp.cta.linear;
    written.thread = done.thread;
    written.present = 1;
    written.time = done.time;
    written.op = copy.op->id;
    if (warp.machine.launch.checkRaces)
      warp.cta.shadow.visit(copy.destination, copy.bytes, [&](Cell &cell, uint64_t, uint32_t) {
        cell.write = written;
        cell.read.lanes = 0;
        cell.reads.clear();
      });
    return true;
  });
}

void Warp::leaveCopies(unsigned lane) {
  // An mbarrier waits for the others.
  auto left = std::find_if(copies[lane].begin(), copies[lane].end(), [&](const AsyncCopy &copy) {
    return copy.number >= handedToPhase[lane];
  });
  if (left == copies[lane].end())
    return;
  machine.report(FaultKind::AsyncLeftOver, left->op, this, int(lane),
                 copies[lane].back().committed
                     ? "the thread ends while its cp.async copies are still under way: "
                       "no cp.async.wait_group covers them"
                     : "the thread ends with cp.async copies that were never committed");
  copies[lane].erase(left, copies[lane].end());
}

const Family tritium::sim::asyncFamily = {{"cp", decodeCopy}};
