//===- BulkInstructions.cpp - cp.async.bulk and cp.async.bulk.tensor ------===//
//
// A copy is of a stretch of bytes or of a box of a tensor (TensorCopy.cpp). How the instructions
// are written, and what a lane does with them, is the same for both.
//
//===----------------------------------------------------------------------===//

#include "../Machine/Access.h"
#include "Atomic.h"
#include "BulkCopy.h"

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

bool tritium::sim::readAddress(Decoder &decoder, size_t operand, uint32_t *words,
                               bool hasCoordinates) {
  Op made;
  const Operand &from = decoder.operand(operand);
  if (!(hasCoordinates ? decoder.addressOfFirst(from, made) : decoder.address(from, made)))
    return false;
  words[0] = made.a;
  words[1] = uint32_t(made.offset);
  words[2] = uint32_t(made.offset >> 32);
  words[3] = made.target;
  return true;
}

uint64_t tritium::sim::addressOf(const Warp &warp, const uint32_t *words, unsigned lane) {
  uint64_t offset = words[1] | uint64_t(words[2]) << 32;
  const uint8_t *base = warp.regs + words[0];
  if (words[3] == 64)
    return reinterpret_cast<const uint64_t *>(base)[lane] + offset;
  return uint32_t(reinterpret_cast<const uint32_t *>(base)[lane] + uint32_t(offset));
}

namespace {

//===-- Execution ---------------------------------------------------------===//

constexpr uint32_t stretchAlignment = 16;

bool checkStretch(Warp &warp, const Op &op, unsigned lane) {
  u32 bytes = warp.lanes<u32>(op.b)[lane];
  if (!bytes || bytes % stretchAlignment) {
    invalidCopy(warp, op, lane,
                "a bulk copy has a multiple of 16 bytes, not " + std::to_string(bytes));
    return false;
  }
  return isAligned(warp, op, lane, addressOf(warp, op.list + CopiesGlobal, lane), stretchAlignment,
                   "a bulk copy needs a global address");
}

/// As readBox.
bool readStretch(Warp &warp, const Op &op, unsigned lane, bool isLoad, BulkCopy &copy,
                 uint32_t &shared) {
  u32 bytes = warp.lanes<u32>(op.b)[lane];
  uint64_t address = addressOf(warp, op.list + CopiesGlobal, lane);
  if (!checkStretch(warp, op, lane) || !findShared(warp, op, lane, bytes, stretchAlignment, shared))
    return false;
  Range *range = findGlobal(warp, op, lane, address, bytes, !isLoad);
  if (!range)
    return false;
  copy.bytes = bytes;
  copy.segments = {{range, address - range->address, shared, bytes}};
  copy.reduction = op.e == none ? -1 : int(op.e);
  copy.type = Type(op.c);
  return true;
}

bool readCopy(Warp &warp, const Op &op, unsigned lane, bool isLoad, BulkCopy &copy,
              uint32_t &shared) {
  return op.count ? readBox(warp, op, lane, isLoad, copy, shared)
                  : readStretch(warp, op, lane, isLoad, copy, shared);
}

void demandOperands(Warp &warp, const Op &op, std::initializer_list<size_t> addresses) {
  for (size_t words : addresses)
    warp.demand(op.list[words], warp.mask, op, "an address");
  if (!op.count)
    warp.demand(op.b, warp.mask, op, "the number of bytes of a copy");
  for (unsigned i = 0; i < op.count; ++i)
    warp.demand(op.list[CopiesCoordinates + i], warp.mask, op, "a coordinate of a box");
}

/// The CTAs that .multicast::cluster names, if it does; false after a report.
bool checkMulticast(Warp &warp, const Op &op, unsigned lane) {
  if (op.list[CopiesMask] == none)
    return true;
  u32 mask = warp.lanes<u32>(op.list[CopiesMask])[lane] & 0xffff;
  if (mask == 1)
    return true;
  invalidCopy(warp, op, lane,
              "the CTAs of .multicast::cluster are those with bits in " + std::to_string(mask) +
                  ", but the cluster has one CTA, whose bit is 1");
  return false;
}

void load(Warp &warp, const Op &op) {
  demandOperands(warp, op, {CopiesGlobal, CopiesShared, CopiesBarrier});
  lanesOf(warp.mask, [&](unsigned lane) {
    BulkCopy copy;
    uint32_t shared;
    if (checkMulticast(warp, op, lane) && readCopy(warp, op, lane, /*isLoad=*/true, copy, shared))
      beginLoad(warp, op, lane, shared, std::move(copy));
  });
}

void store(Warp &warp, const Op &op) {
  demandOperands(warp, op, {CopiesGlobal, CopiesShared});
  lanesOf(warp.mask, [&](unsigned lane) {
    BulkCopy copy;
    uint32_t shared;
    if (readCopy(warp, op, lane, /*isLoad=*/false, copy, shared))
      beginStore(warp, op, lane, std::move(copy));
  });
}

void prefetch(Warp &warp, const Op &op) {
  demandOperands(warp, op, {CopiesGlobal});
  lanesOf(warp.mask, [&](unsigned lane) {
    op.count ? checkBox(warp, op, lane) : checkStretch(warp, op, lane);
  });
}

void commit(Warp &warp, const Op &) { commitStores(warp); }

/// offset: how many of the latest groups may stay; list[0]: whether sources have to be read only.
void waitGroup(Warp &warp, const Op &op) { waitForStores(warp, op.offset, op.list[0]); }

//===-- Decoding ----------------------------------------------------------===//

/// rank: dimensions of a box; 0: a stretch of bytes.
struct Form {
  unsigned rank = 0;
  uint32_t *list = nullptr;
  uint32_t bytes = none, type = none;
  int reduction = -1;
};

bool takeBox(Decoder &decoder, Modifiers &m, Form &form) {
  form.rank = unsigned(1 + m.takeOne({"1d", "2d", "3d", "4d", "5d"}));
  m.take("tile");
  if (!form.rank)
    return decoder.fail("needs .1d to .5d");
  for (std::string_view mode : {"im2col", "im2col_no_offs", "im2col::w", "im2col::w::128",
                                "tile::gather4", "tile::scatter4"})
    if (m.take(mode))
      return decoder.fail("boxes are copied in .tile mode only, not in ." + std::string(mode));
  return true;
}

/// [address], or [map, {coordinates}]
bool readGlobal(Decoder &decoder, size_t operand, const Form &form) {
  if (!form.rank)
    return readAddress(decoder, operand, form.list + CopiesGlobal);
  const Operand &from = decoder.operand(operand);
  if (from.kind != Operand::Address || from.elements.size() != 2 ||
      from.elements[1].elements.size() != form.rank)
    return decoder.fail("wants a tensor map with " + std::to_string(form.rank) +
                        " coordinates: [map, {...}]");
  for (unsigned i = 0; i < form.rank; ++i)
    form.list[CopiesCoordinates + i] = decoder.source(from.elements[1].elements[i], Type::S32);
  return readAddress(decoder, operand, form.list + CopiesGlobal, /*hasCoordinates=*/true);
}

/// Of a stretch, behind the addresses; a tensor map says how large a box is. The next operand.
size_t readSize(Decoder &decoder, size_t operand, Form &form) {
  if (form.rank)
    return operand;
  form.bytes = decoder.source(operand, Type::U32);
  return operand + 1;
}

bool emitCopy(Decoder &decoder, Handler run, Class kind, const Form &form) {
  Op &op = decoder.emit(run, kind);
  op.count = uint8_t(form.rank);
  op.list = form.list;
  op.b = form.bytes;
  op.c = form.type;
  op.e = uint32_t(form.reduction);
  return !decoder.failed();
}

bool decodePrefetch(Decoder &decoder, Modifiers &m, Form &form) {
  if (!m.take("L2") || !m.take("global"))
    return decoder.fail("prefetches from .global to .L2 only");
  bool hint = m.take("L2::cache_hint");
  if (!decoder.done(m) || !decoder.wants(1 + !form.rank + hint) || !readGlobal(decoder, 0, form))
    return false;
  readSize(decoder, 1, form);
  return emitCopy(decoder, prefetch, Class::Other, form);
}

bool decodeLoad(Decoder &decoder, Modifiers &m, Form &form) {
  if (!m.take("global") || !m.take("mbarrier::complete_tx::bytes"))
    return decoder.fail("copies from .global to shared memory with .mbarrier::complete_tx::bytes, "
                        "and from .shared::cta to .global with .bulk_group");
  bool multicast = m.take("multicast::cluster"), hint = m.take("L2::cache_hint");
  if (!decoder.done(m) || !decoder.wants(3 + !form.rank + multicast + hint) ||
      !readAddress(decoder, 0, form.list + CopiesShared) || !readGlobal(decoder, 1, form))
    return false;
  size_t next = readSize(decoder, 2, form);
  if (!readAddress(decoder, next, form.list + CopiesBarrier))
    return false;
  if (multicast)
    form.list[CopiesMask] = decoder.source(next + 1, Type::B16);
  return emitCopy(decoder, load, Class::AsyncCopy, form);
}

int takeReduction(Modifiers &m) {
  constexpr AtomicKind kinds[] = {AtomicKind::Add, AtomicKind::Min, AtomicKind::Max,
                                  AtomicKind::Inc, AtomicKind::Dec, AtomicKind::And,
                                  AtomicKind::Or,  AtomicKind::Xor};
  int which = m.takeOne({"add", "min", "max", "inc", "dec", "and", "or", "xor"});
  return which < 0 ? -1 : int(kinds[which]);
}

/// Of a box the type is its tensor map's.
bool readReduction(Decoder &decoder, Modifiers &m, Form &form) {
  form.reduction = takeReduction(m);
  if (form.reduction < 0)
    return decoder.fail("needs .add, .min, .max, .inc, .dec, .and, .or or .xor");
  if (form.rank)
    return true;
  m.take("noftz");
  Type type = m.type();
  form.type = uint32_t(type);
  return hasReduction(form.reduction, type) ||
         decoder.fail("this reduction of this type is not known");
}

bool decodeStore(Decoder &decoder, Modifiers &m, Form &form, bool reduces) {
  if (!m.take("shared::cta") || !m.take("bulk_group"))
    return decoder.fail("needs .global.shared::cta and .bulk_group");
  bool hint = m.take("L2::cache_hint");
  if ((reduces && !readReduction(decoder, m, form)) || !decoder.done(m) ||
      !decoder.wants(2 + !form.rank + hint) || !readGlobal(decoder, 0, form) ||
      !readAddress(decoder, 1, form.list + CopiesShared))
    return false;
  readSize(decoder, 2, form);
  return emitCopy(decoder, store, Class::AsyncCopy, form);
}

bool decodeGroup(Decoder &decoder, Modifiers &m, bool commits) {
  bool reads = m.take("read");
  uint64_t keep = 0;
  if (!decoder.done(m) || !decoder.wants(commits ? 0 : 1) ||
      (!commits && !decoder.immediate(0, keep)))
    return false;
  uint32_t *list = decoder.list(1);
  list[0] = reads;
  Op &op = decoder.emit(commits ? commit : waitGroup, Class::AsyncGroup);
  op.offset = keep;
  op.list = list;
  return true;
}

} // namespace

bool tritium::sim::hasReduction(int reduction, Type type) {
  switch (AtomicKind(reduction)) {
  case AtomicKind::Add:
    return type == Type::U32 || type == Type::S32 || type == Type::U64 || type == Type::F32 ||
           type == Type::F64 || type == Type::F16 || type == Type::BF16;
  case AtomicKind::Min:
  case AtomicKind::Max:
    return type == Type::U32 || type == Type::S32 || type == Type::U64 || type == Type::S64 ||
           type == Type::F16 || type == Type::BF16;
  case AtomicKind::Inc:
  case AtomicKind::Dec:
    return type == Type::U32;
  case AtomicKind::And:
  case AtomicKind::Or:
  case AtomicKind::Xor:
    return type == Type::B32 || type == Type::B64;
  default:
    return false;
  }
}

bool tritium::sim::decodeBulk(Decoder &decoder, Modifiers &m, bool reduces) {
  if (!reduces && m.take("commit_group"))
    return decodeGroup(decoder, m, /*commits=*/true);
  if (!reduces && m.take("wait_group"))
    return decodeGroup(decoder, m, /*commits=*/false);
  bool prefetches = !reduces && m.take("prefetch");
  Form form;
  if (m.take("tensor") && !takeBox(decoder, m, form))
    return false;
  form.list = decoder.list(CopiesCoordinates + form.rank);
  if (prefetches)
    return decodePrefetch(decoder, m, form);
  // The destination comes first.
  std::string_view to = m.left.empty() ? "" : m.left[0];
  if (!reduces && (to == "shared::cluster" || to == "shared::cta")) {
    m.take(to);
    return decodeLoad(decoder, m, form);
  }
  if (!m.take("global"))
    return decoder.fail("copies to .shared::cluster, .shared::cta or .global");
  return decodeStore(decoder, m, form, reduces);
}
