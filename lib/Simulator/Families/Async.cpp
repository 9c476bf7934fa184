//===- Async.cpp - cp.async -----------------------------------------------===//
//
// A copy reads and writes memory when its wait retires it, not before: as late as the
// program allows. From its issue on, the bytes in shared memory belong to it.
//
//===----------------------------------------------------------------------===//

#include "../Machine/Access.h"
#include "Arithmetic.h"

#include <algorithm>

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

constexpr uint32_t bypassed = 1; ///< Op::e of .cg

// Op: a, offset, target: the address in shared memory; list: slot of the source's address,
// its offset (two words), its bits; b: bytes to read (none: all); bytes to write.
void issue(Warp &warp, const Op &op) {
  warp.demand(op.a, warp.mask, op, "an address");
  warp.demand(op.list[0], warp.mask, op, "an address");
  if (op.b != none)
    warp.demand(op.b, warp.mask, op, "the number of bytes of a copy");
  uint64_t to[32], from[32];
  laneAddresses(warp, op, to);
  Op source = op;
  source.a = op.list[0];
  source.offset = op.list[1] | uint64_t(op.list[2]) << 32;
  source.target = op.list[3];
  laneAddresses(warp, source, from);
  uint32_t reading = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(warp.mask >> lane & 1))
      continue;
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
      continue;
    if (from[lane] & (op.bytes - 1)) {
      warp.resolve(op, Space::Global, from[lane], lane, op.bytes, false, read);
      continue;
    }
    if (bytes) {
      // Whether it may be read is known now; a copy of part of its bytes ends earlier.
      u32 whole = std::bit_floor(bytes);
      if (!warp.resolve(op, Space::Global, from[lane], lane, whole, false, read) ||
          (whole != bytes &&
           !warp.resolve(op, Space::Global, from[lane] + bytes - 1, lane, 1, false, read)))
        continue;
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
    warp.copies[lane].push_back(copy);
  }
  countCopy(warp, op, to, from, reading, op.e == bypassed);
}

void commit(Warp &warp, const Op &op) {
  for (unsigned lane = 0; lane < 32; ++lane)
    if (warp.mask >> lane & 1) {
      for (AsyncCopy &copy : warp.copies[lane])
        if (!copy.committed) {
          copy.committed = true;
          copy.group = warp.groups[lane];
        }
      ++warp.groups[lane];
    }
}

void arrive(Warp &warp, const AsyncCopy &copy, unsigned lane) {
  Located located;
  const Op &op = *copy.op;
  uint8_t *to = warp.cta.shared.data() + copy.destination;
  if (copy.sourceBytes) {
    Range *range = warp.machine.memory.find(copy.source);
    if (range)
      std::memcpy(to, range->data + (copy.source - range->address), copy.sourceBytes);
  }
  std::memset(to + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
  located.shadow = &warp.cta.shadow;
  located.offset = copy.destination;
  noteAccess(warp, op, lane, located, copy.bytes, AccessMode::AsyncArrival);
  std::memset(warp.cta.sharedDefined.data() + copy.destination, 1, copy.bytes);
}

/// offset: how many of the latest groups may stay; -1: wait_all, uncommitted ones too.
void wait(Warp &warp, const Op &op) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(warp.mask >> lane & 1) || warp.copies[lane].empty())
      continue;
    uint64_t keep = op.offset, groups = warp.groups[lane];
    uint64_t retired = keep >= groups ? 0 : groups - keep;
    bool all = keep == ~uint64_t(0);
    std::erase_if(warp.copies[lane], [&](const AsyncCopy &copy) {
      if (!all && (!copy.committed || copy.group >= retired))
        return false;
      arrive(warp, copy, lane);
      return true;
    });
  }
}

bool decodeCopy(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  if (!m.take("async"))
    return decoder.fail("this form is not known");
  if (m.take("bulk") || m.take("mbarrier"))
    return decoder.fail("bulk copies and mbarriers are not known");
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
  Op from;
  if (!decoder.address(decoder.operand(1), from))
    return false;
  uint32_t *list = decoder.list(4);
  list[0] = from.a;
  list[1] = uint32_t(from.offset);
  list[2] = uint32_t(from.offset >> 32);
  list[3] = from.target;
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

const Family tritium::sim::asyncFamily = {{"cp", decodeCopy}};
