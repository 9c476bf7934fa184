//===- Access.cpp - where an access goes, and with whom it races ----------===//

#include "Access.h"
#include "Cluster.h"
#include "Race.h"

#include <algorithm>
#include <bit>
#include <cstdio>

using namespace tritium::sim;
using ptx::Space;

static std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
  return text;
}

void tritium::sim::reportAccess(Warp &warp, const Op &op, FaultKind kind, uint64_t address,
                                unsigned lane, std::string message) {
  if (Fault *fault = warp.machine.report(kind, &op, &warp, int(lane), std::move(message))) {
    fault->hasAddress = true;
    fault->address = address;
  }
}

bool tritium::sim::isAligned(Warp &warp, const Op &op, unsigned lane, uint64_t address,
                             uint32_t align, const char *demand) {
  if (address % align == 0)
    return true;
  reportAccess(warp, op, FaultKind::Misaligned, address, lane,
               std::string(demand) + " that " + std::to_string(align) + " divides");
  return false;
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
    if (op.ofCluster && at >> rankShift) {
      Cta *other = findVisited(*this, op, lane, at);
      if (!other)
        return nullptr;
      if (at >= other->shared.size() || other->shared.size() - at < bytes)
        return bad(other->shared.size(), "the shared memory of that CTA");
      located = {nullptr, &other->shadow, at, other->sharedDefined.data() + at};
      return other->shared.data() + at;
    }
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
    return resolveGlobal(op, address, lane, bytes, write, located);
  }
}

uint8_t *Warp::resolveGlobal(const Op &op, uint64_t address, unsigned lane, uint32_t bytes,
                             bool write, Located &located) {
  Range *range = machine.memory.find(address);
  if (!range || range->bytes - (address - range->address) < bytes) {
    reportAccess(*this, op, FaultKind::OutOfBounds, address, lane,
                 std::string(write ? "write" : "read") + " of " + std::to_string(bytes) +
                     " bytes " + outside(machine, address, bytes));
    return nullptr;
  }
  if (write && !range->writable) {
    reportAccess(*this, op, FaultKind::ReadOnly, address, lane,
                 range->name + " is read-only, but is written");
    return nullptr;
  }
  located = {range, &range->shadow, address - range->address, nullptr};
  return range->data + (address - range->address);
}

std::optional<EdgeWord> EdgeWord::at(Warp &warp, const Op &op, uint64_t address, uint32_t bytes) {
  if (!op.strong || op.space != Space::Global || bytes != 4 || address % 4)
    return std::nullopt;
  EdgeWord word;
  unsigned known = 0;
  Range *first = warp.machine.memory.find(address);
  if (first && first->address + first->bytes - address >= 4)
    return std::nullopt;
  for (unsigned i = 0; i < 4; ++i)
    if (Range *range = warp.machine.memory.find(address + i)) {
      word.bytes[i] = {range, &range->shadow, address + i - range->address, nullptr};
      ++known;
    }
  return known ? std::optional(word) : std::nullopt;
}

void EdgeWord::note(Warp &warp, const Op &op, unsigned lane, AccessMode mode,
                    uint64_t except) const {
  for (unsigned i = 0; i < 4; ++i)
    if (bytes[i].range && !(except >> i & 1))
      noteAccess(warp, op, lane, bytes[i], 1, mode);
}

uint32_t EdgeWord::read() const {
  uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i)
    if (bytes[i].range)
      value |= uint32_t(bytes[i].range->data[bytes[i].offset]) << (8 * i);
  return value;
}

bool EdgeWord::write(uint32_t value) const {
  uint32_t changed = value ^ read();
  for (unsigned i = 0; i < 4; ++i)
    if ((changed >> (8 * i) & 0xff) && !(bytes[i].range && bytes[i].range->writable))
      return false;
  for (unsigned i = 0; i < 4; ++i)
    if (bytes[i].range && bytes[i].range->writable)
      bytes[i].range->data[bytes[i].offset] = uint8_t(value >> (8 * i));
  return true;
}

bool tritium::sim::ordered(const Warp &warp, unsigned lane, const Access &earlier) {
  const Known &known = warp.known;
  uint32_t other = earlier.thread / 32;
  if (earlier.cta != warp.cta.linear) {
    const std::vector<uint32_t> *times = known.others.find(earlier.cta);
    return times && other < times->size() && earlier.time < (*times)[other];
  }
  if (other != warp.index) {
    if (other < known.warps.size() && earlier.time < known.warps[other])
      return true;
    for (auto [thread, time] : known.threads)
      if (thread == earlier.thread)
        return earlier.time < time;
    return false;
  }
  if (earlier.thread % 32 == lane || earlier.time < known.lanes)
    return true;
  return !known.pairs.empty() && earlier.time < known.pairs[lane * 32 + earlier.thread % 32];
}

Access tritium::sim::accessOf(const Read &read, unsigned lane) {
  Access access;
  access.proxy = read.proxy;
  access.cta = read.cta;
  access.thread = uint16_t(read.warp * 32 + lane);
  access.strong = read.strong;
  access.time = read.time;
  access.op = read.op;
  return access;
}

static bool isOwn(const Warp &warp, const Read &read) {
  return read.warp == warp.index && read.cta == warp.cta.linear;
}

int tritium::sim::unorderedLane(const Warp &warp, unsigned lane, const Read &read) {
  uint32_t others = isOwn(warp, read) ? read.lanes & ~(1u << lane) : read.lanes;
  // Of another warp, and of a warp that met as a whole, one lane stands for all.
  bool isByPairs = isOwn(warp, read) ? !warp.known.pairs.empty() : !warp.known.threads.empty();
  for (; others; others &= others - 1) {
    unsigned other = unsigned(std::countr_zero(others));
    if (!ordered(warp, lane, accessOf(read, other)))
      return int(other);
    if (!isByPairs)
      break;
  }
  return -1;
}

/// Readers of a word of global memory that are remembered, besides those of the CTA that
/// reads last: of thousands that read an input, three tell as much as all.
static constexpr size_t mostReads = 16, mostOtherCtas = 3;

void tritium::sim::forgetDistantReads(std::vector<Read> &reads, uint32_t cta) {
  if (reads.size() <= mostReads)
    return;
  uint32_t kept[mostOtherCtas];
  size_t count = 0;
  std::erase_if(reads, [&](const Read &read) {
    if (read.cta == cta)
      return false;
    if (count == mostOtherCtas || std::find(kept, kept + count, read.cta) != kept + count)
      return true;
    kept[count++] = read.cta;
    return false;
  });
}

void tritium::sim::noteRead(const Warp &warp, const Op &op, unsigned lane, bool isShared,
                            Cell &cell) {
  uint32_t now = warp.machine.time;
  auto isMine = [&](const Read &read) {
    return read.lanes && read.time == now && read.op == op.id && isOwn(warp, read);
  };
  if (isMine(cell.read)) [[likely]] {
    cell.read.lanes |= 1u << lane;
    // Each lane has come to this read after its own earlier ones.
    if (!cell.reads.empty())
      std::erase_if(cell.reads, [&](const Read &read) {
        return isOwn(warp, read) && !(read.lanes & ~cell.read.lanes) &&
               (read.strong || !cell.read.strong);
      });
    return;
  }
  Read mine{warp.cta.linear, 1u << lane, now, op.id, uint16_t(warp.index), op.strong};
  // A strong read does not race with strong writes: it stands for no weak one.
  auto isReplaced = [&](const Read &earlier) {
    if (!earlier.lanes || (mine.strong && !earlier.strong))
      return !earlier.lanes;
    return isOwn(warp, earlier) ? earlier.time < warp.known.lanes
                                : unorderedLane(warp, lane, earlier) < 0;
  };
  if (!isReplaced(cell.read))
    cell.reads.push_back(cell.read);
  std::erase_if(cell.reads, [&](const Read &read) {
    if (!isMine(read))
      return isReplaced(read);
    mine.lanes |= read.lanes;
    return true;
  });
  cell.read = mine;
  if (!isShared)
    forgetDistantReads(cell.reads, mine.cta);
}

void tritium::sim::reportRace(Warp &warp, const Op &op, unsigned lane, const Access &other,
                              const Located &located, uint64_t at, bool write, bool otherWrote) {
  bool isShared = !located.range;
  Machine &machine = warp.machine;
  std::string message, otherIs = otherWrote ? "written" : "read";
  FaultKind kind = isShared ? FaultKind::SharedRace : FaultKind::GlobalRace;
  if (other.async && other.proxy && machine.ops[other.op]->kind == InstructionClass::Matrix) {
    kind = FaultKind::ProductUnderWay;
    message = "a write to shared memory that a wgmma still under way reads: no "
              "wgmma.wait_group comes before";
  } else if (other.async && other.proxy) {
    kind = FaultKind::AsyncNotReady;
    message = std::string(write ? "a write to" : "a read of") +
              " memory that an asynchronous operation still under way " +
              (otherWrote ? "writes" : "reads") + ": no wait for its end comes before";
    otherIs = otherWrote ? "written" : "read";
  } else if (other.async) {
    kind = FaultKind::AsyncNotReady;
    message = std::string(write ? "a write to" : "a read of") +
              " shared memory that a cp.async still under way writes: no wait_group of the "
              "copying thread covers it";
    otherIs = "copied";
  } else if (other.proxy) {
    message = std::string(write ? "a write" : "a read") + " races with a " +
              (otherWrote ? "write" : "read") +
              " by the async proxy: this thread has not waited for its end, nor does a barrier "
              "come between by one that has";
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

void tritium::sim::reportBarrierAccess(Warp &warp, const Op &op, unsigned lane, uint64_t at) {
  reportAccess(warp, op, FaultKind::MBarrier, at, lane,
               "an access to the bytes of an mbarrier, which only mbarrier instructions may touch "
               "before mbarrier.inval");
}

uint64_t tritium::sim::unchangedBytes(const uint8_t *memory, const uint8_t *written,
                                      uint32_t bytes) {
  uint64_t unchanged = 0;
  for (uint32_t i = 0; i < bytes; ++i)
    unchanged |= uint64_t(memory[i] == written[i]) << i;
  return unchanged;
}

void tritium::sim::noteAccess(Warp &warp, const Op &op, unsigned lane, const Located &located,
                              uint32_t bytes, AccessMode mode, uint64_t unchanged) {
  if (!warp.machine.launch.checkRaces || !located.shadow)
    return;
  bool write = mode != AccessMode::Read;
  if (write && !located.range)
    warp.lastSharedWrite = warp.machine.time;
  if (warp.machine.launch.checkSameValue)
    unchanged = 0;
  Access mine;
  mine.cta = warp.cta.linear;
  mine.thread = uint16_t(warp.thread(lane));
  mine.present = 1;
  mine.strong = op.strong;
  mine.async = mode == AccessMode::AsyncWrite;
  mine.time = warp.machine.time;
  mine.op = op.id;
  located.shadow->visit(located.offset, bytes, [&](Cell &cell, uint64_t at, uint32_t size) {
    uint64_t here = ((uint64_t(1) << size) - 1) << (at - located.offset);
    bool sameValue = (unchanged & here) == here;
    Access &last = cell.write;
    if (last.barrier) [[unlikely]]
      return reportBarrierAccess(warp, op, lane, at);
    bool bothStrong = last.strong && mine.strong;
    if (last.present && mode != AccessMode::AsyncArrival && !bothStrong &&
        (last.async || !ordered(warp, lane, last))) {
      if (!(write && sameValue && !last.async))
        reportRace(warp, op, lane, last, located, at, write, true);
    }
    if (write && cell.underRead && mode != AccessMode::AsyncArrival) [[unlikely]]
      reportRace(warp, op, lane, asyncReaderOf(warp, located, at), located, at, true, false);
    if (!write) {
      noteRead(warp, op, lane, !located.range, cell);
      return;
    }
    // What another write of the same value leaves unordered, a later one may change.
    auto settle = [&](const Read &read) {
      int other = read.strong && mine.strong ? -1 : unorderedLane(warp, lane, read);
      if (other >= 0 && !sameValue)
        reportRace(warp, op, lane, accessOf(read, unsigned(other)), located, at, true, false);
      return other < 0 || !sameValue;
    };
    if (mode == AccessMode::AsyncArrival) {
      cell.read.lanes = 0;
      cell.reads.clear();
    } else {
      if (cell.read.lanes && settle(cell.read))
        cell.read.lanes = 0;
      std::erase_if(cell.reads, settle);
    }
    cell.write = mine;
  });
}
