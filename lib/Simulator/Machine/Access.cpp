//===- Access.cpp - where an access goes, and with whom it races ----------===//

#include "Access.h"

#include <algorithm>
#include <cstdio>

using namespace tritium::sim;
using ptx::Space;

static std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
  return text;
}

static void reportAccess(Warp &warp, const Op &op, FaultKind kind, uint64_t address, unsigned lane,
                         std::string message) {
  if (Fault *fault = warp.machine.report(kind, &op, &warp, int(lane), std::move(message))) {
    fault->hasAddress = true;
    fault->address = address;
  }
}

static std::string outside(Machine &machine, uint64_t address, uint32_t bytes) {
  const Range *below = machine.memory.below(address);
  std::string text;
  if (!below)
    return "outside every buffer";
  uint64_t end = below->address + below->bytes;
  if (address < end)
    return std::to_string(address + bytes - end) + " bytes past the end of " + below->name + " (" +
           std::to_string(below->bytes) + " bytes at " + hex(below->address) + ")";
  std::string where = address == end ? "right behind "
                                     : "outside every buffer, " + std::to_string(address - end) +
                                           " bytes after the end of ";
  return where + below->name + " (" + std::to_string(below->bytes) + " bytes at " +
         hex(below->address) + ")";
}

uint8_t *Warp::resolve(const Op &op, Space space, uint64_t address, unsigned lane, uint32_t bytes,
                       bool write, Located &located) {
  const char *what = write ? "write" : "read";
  if (address & (bytes - 1)) {
    reportAccess(*this, op, FaultKind::Misaligned, address, lane,
                 "a " + std::string(what) + " of " + std::to_string(bytes) +
                     " bytes needs an address that " + std::to_string(bytes) + " divides");
    return nullptr;
  }
  uint64_t at = address;
  if (space == Space::Generic) {
    uint64_t window = address & ~windowMask;
    at = address & windowMask;
    space = window == sharedWindow      ? Space::Shared
            : window == localWindow     ? Space::Local
            : window == parameterWindow ? Space::Param
                                        : Space::Global;
    if (space == Space::Global)
      at = address;
  }
  auto bad = [&](uint64_t size, const char *of) {
    reportAccess(*this, op, FaultKind::OutOfBounds, address, lane,
                 std::string(what) + " of " + std::to_string(bytes) + " bytes outside " + of +
                     " (" + std::to_string(size) + " bytes)");
    return nullptr;
  };
  switch (space) {
  case Space::Shared:
    if (at >= cta.shared.size() || cta.shared.size() - at < bytes)
      return bad(cta.shared.size(), "the CTA's shared memory");
    located = {nullptr, &cta.shadow, at, cta.sharedDefined.data() + at};
    return cta.shared.data() + at;
  case Space::Local:
    if (at >= local[lane].size() || local[lane].size() - at < bytes)
      return bad(local[lane].size(), "the thread's local memory");
    located = {nullptr, nullptr, at, localDefined[lane].data() + at};
    return local[lane].data() + at;
  case Space::Param: {
    if (write)
      return bad(0, "memory that can be written: parameters of a kernel cannot");
    if (at >= machine.parameters.size() || machine.parameters.size() - at < bytes)
      return bad(machine.parameters.size(), "the kernel's parameters");
    located = {};
    return machine.parameters.data() + at;
  }
  default:
    break;
  }
  Range *range = machine.memory.find(at);
  if (!range || range->bytes - (at - range->address) < bytes) {
    reportAccess(*this, op, FaultKind::OutOfBounds, address, lane,
                 std::string(what) + " of " + std::to_string(bytes) + " bytes " +
                     outside(machine, at, bytes));
    return nullptr;
  }
  if (write && !range->writable) {
    reportAccess(*this, op, FaultKind::ReadOnly, address, lane,
                 range->name + " is read-only, but is written");
    return nullptr;
  }
  located = {range, &range->shadow, at - range->address, nullptr};
  return range->data + (at - range->address);
}

/// Whether the earlier access happens before what this lane does now.
static bool ordered(const Warp &warp, unsigned lane, const Access &earlier) {
  const Known &known = warp.known;
  uint32_t other = earlier.thread / 32;
  if (earlier.cta != warp.cta.linear) {
    const std::vector<uint32_t> *times = known.others.find(earlier.cta);
    return times && other < times->size() && earlier.time < (*times)[other];
  }
  if (other != warp.index)
    return earlier.time < known.warps[other];
  if (earlier.thread % 32 == lane || earlier.time < known.lanes)
    return true;
  return !known.pairs.empty() && earlier.time < known.pairs[lane * 32 + earlier.thread % 32];
}

static Access otherOf(Access read) {
  read.thread = uint16_t(read.thread / 32 * 32 + read.otherLane);
  return read;
}

static void reportRace(Warp &warp, const Op &op, unsigned lane, const Access &other,
                       const Located &located, uint64_t at, bool write, bool otherWrote) {
  bool isShared = !located.range;
  Machine &machine = warp.machine;
  std::string message, otherIs = otherWrote ? "written" : "read";
  FaultKind kind = isShared ? FaultKind::SharedRace : FaultKind::GlobalRace;
  if (other.async) {
    kind = FaultKind::AsyncNotReady;
    message = std::string(write ? "a write to" : "a read of") +
              " shared memory that a cp.async still under way writes: no wait_group of the "
              "copying thread covers it";
    otherIs = "copied";
  } else {
    message = std::string(write ? "a write" : "a read") + " races with a " +
              (otherWrote ? "write" : "read") + " by another thread: nothing orders the two";
  }
  if (located.range)
    message += " (" + located.range->name + ", byte " + std::to_string(at) + ")";
  if (Fault *fault = machine.report(kind, &op, &warp, int(lane), message)) {
    fault->hasAddress = fault->hasOther = true;
    fault->address = isShared ? at : located.range->address + at;
    fault->other = machine.placeOf(other);
    fault->otherIs = otherIs;
  }
}

void tritium::sim::noteAccess(Warp &warp, const Op &op, unsigned lane, const Located &located,
                              uint32_t bytes, AccessMode mode, bool sameValue) {
  if (!warp.machine.launch.checkRaces || !located.shadow)
    return;
  bool write = mode != AccessMode::Read;
  sameValue &= !warp.machine.launch.checkSameValue;
  Access mine;
  mine.cta = warp.cta.linear;
  mine.thread = uint16_t(warp.thread(lane));
  mine.present = 1;
  mine.strong = op.strong;
  mine.async = mode == AccessMode::AsyncWrite;
  mine.time = warp.machine.time;
  mine.op = op.id;
  located.shadow->visit(located.offset, bytes, [&](Cell &cell, uint64_t at, uint32_t) {
    Access &last = cell.write;
    bool bothStrong = last.strong && mine.strong;
    if (last.present && mode != AccessMode::AsyncArrival &&
        (last.async || (!bothStrong && !ordered(warp, lane, last)))) {
      if (!(write && sameValue && !last.async))
        reportRace(warp, op, lane, last, located, at, write, true);
    }
    if (!write) {
      // Two readers are kept: the latest of one warp, and one of another.
      Access &first = cell.reads[0];
      bool same = first.present && (first.cta != mine.cta || first.thread / 32 != mine.thread / 32);
      Access &slot = cell.reads[same];
      Access made = mine;
      if (slot.present && slot.cta == mine.cta && slot.thread / 32 == mine.thread / 32 &&
          slot.time == mine.time && slot.thread != mine.thread) {
        made.otherLane = slot.thread % 32;
        made.hasOther = 1;
      }
      slot = made;
      return;
    }
    if (mode != AccessMode::AsyncArrival)
      for (const Access &read : cell.reads)
        if (read.present && !(read.strong && mine.strong) && !sameValue &&
            (!ordered(warp, lane, read) || (read.hasOther && !ordered(warp, lane, otherOf(read)))))
          reportRace(warp, op, lane, read, located, at, true, false);
    cell.write = mine;
    cell.reads[0].present = cell.reads[1].present = 0;
  });
}
