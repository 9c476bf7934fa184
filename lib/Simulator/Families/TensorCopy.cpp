//===- TensorCopy.cpp - cp.async.bulk.tensor ------------------------------===//
//
// A box of a tensor and the same box in shared memory, dense, its fastest dimension first. A
// swizzle exchanges chunks of 16 bytes: bits 4 and up of a shared address are changed by bits 7
// and up. What of a box lies outside of the tensor is filled by a load, and left out by a store.
//
//===----------------------------------------------------------------------===//

#include "Atomic.h"
#include "BulkCopy.h"

#include <algorithm>

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

constexpr unsigned mostRank = TensorMap::mostRank;
constexpr uint32_t chunk = 16;
/// Of a box in shared memory.
constexpr uint32_t boxAlignment = 128;

struct Box {
  const TensorMap &map;
  std::array<int64_t, mostRank> at{}; ///< coordinates
  uint32_t shared = 0;                ///< its first byte

  uint32_t elementBytes() const { return TensorMap::bytesOf(map.type); }
  uint32_t rowBytes() const { return map.box[0] * elementBytes(); }
  uint64_t rows() const {
    uint64_t count = 1;
    for (unsigned i = 1; i < map.rank; ++i)
      count *= map.box[i];
    return count;
  }
  uint64_t bytes() const { return rows() * rowBytes(); }
};

uint32_t swizzled(TensorMap::Swizzle swizzle, uint32_t address) {
  uint32_t mask = swizzle == TensorMap::SwizzleNone ? 0 : (1u << swizzle) - 1;
  return address ^ ((address >> 7 & mask) << 4);
}

/// Appends a row's bytes [begin, end), which are at `address`, or nowhere if there is no range.
void addRow(const Box &box, uint32_t row, uint32_t begin, uint32_t end, Range *range,
            uint64_t address, std::vector<Segment> &to) {
  bool isWhole = box.map.swizzle == TensorMap::SwizzleNone;
  for (uint32_t i = begin; i < end;) {
    uint32_t next = isWhole ? end : std::min(end, (i / chunk + 1) * chunk);
    Segment made;
    made.range = range;
    made.offset = range ? address + (i - begin) - range->address : 0;
    made.shared = swizzled(box.map.swizzle, row + i);
    made.bytes = next - i;
    to.push_back(made);
    i = next;
  }
}

/// The segments of a box. False after a report: a part lies outside of all buffers.
bool addBox(Warp &warp, const Op &op, unsigned lane, const Box &box, bool isLoad,
            std::vector<Segment> &to) {
  const TensorMap &map = box.map;
  int64_t size = box.elementBytes(), extent = int64_t(map.dims[0]);
  int64_t first = std::clamp<int64_t>(-box.at[0], 0, map.box[0]);
  int64_t last = std::clamp<int64_t>(extent - box.at[0], first, map.box[0]);
  std::array<uint32_t, mostRank> index{};
  uint32_t row = box.shared;
  for (uint64_t n = 0; n < box.rows(); ++n, row += box.rowBytes()) {
    bool isInside = first < last;
    uint64_t address = map.address + uint64_t((box.at[0] + first) * size);
    for (unsigned i = 1; i < map.rank; ++i) {
      int64_t at = box.at[i] + index[i];
      isInside &= at >= 0 && at < int64_t(map.dims[i]);
      address += uint64_t(at) * map.strides[i - 1];
    }
    uint32_t begin = isInside ? uint32_t(first * size) : 0;
    uint32_t end = isInside ? uint32_t(last * size) : 0;
    if (isInside) {
      Range *range = findGlobal(warp, op, lane, address, end - begin, !isLoad);
      if (!range)
        return false;
      addRow(box, row, begin, end, range, address, to);
    }
    if (isLoad) {
      addRow(box, row, 0, begin, nullptr, 0, to);
      addRow(box, row, end, box.rowBytes(), nullptr, 0, to);
    }
    for (unsigned i = 1; i < map.rank && ++index[i] == map.box[i]; ++i)
      index[i] = 0;
  }
  return true;
}

/// PTX does not say which NaN; a quiet one with all bits set stands for it.
uint64_t fillOf(const TensorMap &map) {
  if (map.fill == TensorMap::FillZero)
    return 0;
  switch (TensorMap::bytesOf(map.type)) {
  case 2:
    return 0x7fff7fff7fff7fff;
  case 4:
    return 0x7fffffff7fffffff;
  default:
    return 0x7fffffffffffffff;
  }
}

/// The type that a reduction works on.
Type typeOf(TensorMap::Type type, bool isBitwise) {
  switch (type) {
  case TensorMap::UInt32:
    return isBitwise ? Type::B32 : Type::U32;
  case TensorMap::Int32:
    return isBitwise ? Type::B32 : Type::S32;
  case TensorMap::UInt64:
    return isBitwise ? Type::B64 : Type::U64;
  case TensorMap::Int64:
    return isBitwise ? Type::B64 : Type::S64;
  case TensorMap::Float16:
    return Type::F16;
  case TensorMap::BFloat16:
    return Type::BF16;
  case TensorMap::Float32:
  case TensorMap::Float32Ftz:
    return Type::F32;
  default:
    return Type::None;
  }
}

// Op: list: addresses of the map, in shared memory, of the mbarrier; the mask of CTAs; the
// coordinates. count: dimensions; e: the reduction.
enum : size_t {
  Map = 0,
  Shared = addressWords,
  Barrier = 2 * addressWords,
  Mask = 3 * addressWords,
  Coordinates
};

/// What a lane names; false after a report.
bool readBox(Warp &warp, const Op &op, unsigned lane, TensorMap &map, Box &box) {
  if (!readTensorMap(warp, op, lane, addressOf(warp, op.list + Map, lane), map))
    return false;
  if (map.rank != op.count) {
    invalidCopy(warp, op, lane,
                "the copy has " + std::to_string(op.count) + " coordinates, and the tensor map " +
                    std::to_string(map.rank) + " dimensions");
    return false;
  }
  for (unsigned i = 0; i < op.count; ++i)
    box.at[i] = int32_t(warp.lanes<u32>(op.list[Coordinates + i])[lane]);
  return true;
}

void demandAll(Warp &warp, const Op &op, std::initializer_list<size_t> addresses) {
  for (size_t words : addresses)
    warp.demand(op.list[words], warp.mask, op, "an address");
  for (unsigned i = 0; i < op.count; ++i)
    warp.demand(op.list[Coordinates + i], warp.mask, op, "a coordinate of a box");
}

void load(Warp &warp, const Op &op) {
  demandAll(warp, op, {Map, Shared, Barrier});
  for (unsigned lane = 0; lane < 32; ++lane) {
    TensorMap map;
    Box box{map};
    if (!(warp.mask >> lane & 1) || !readBox(warp, op, lane, map, box) ||
        !findShared(warp, op, lane, addressOf(warp, op.list + Shared, lane), box.bytes(),
                    boxAlignment, box.shared))
      continue;
    if (op.list[Mask] != none && !checkMulticast(warp, op, lane, op.list[Mask]))
      continue;
    BulkCopy copy;
    copy.bytes = uint32_t(box.bytes());
    copy.fill = fillOf(map);
    if (addBox(warp, op, lane, box, /*isLoad=*/true, copy.segments))
      beginLoad(warp, op, lane, box.shared, std::move(copy),
                addressOf(warp, op.list + Barrier, lane));
  }
}

void store(Warp &warp, const Op &op) {
  demandAll(warp, op, {Map, Shared});
  for (unsigned lane = 0; lane < 32; ++lane) {
    TensorMap map;
    Box box{map};
    if (!(warp.mask >> lane & 1) || !readBox(warp, op, lane, map, box) ||
        !findShared(warp, op, lane, addressOf(warp, op.list + Shared, lane), box.bytes(),
                    boxAlignment, box.shared))
      continue;
    BulkCopy copy;
    if (op.e != none) {
      int kind = int(op.e);
      bool isBitwise = kind == AtomicKind::And || kind == AtomicKind::Or || kind == AtomicKind::Xor;
      copy.reduction = kind;
      copy.type = typeOf(map.type, isBitwise);
      if (!hasReduction(kind, copy.type)) {
        invalidCopy(warp, op, lane, "this reduction does not exist for the tensor map's type");
        continue;
      }
    }
    if (addBox(warp, op, lane, box, /*isLoad=*/false, copy.segments))
      beginStore(warp, op, lane, std::move(copy));
  }
}

void prefetch(Warp &warp, const Op &op) {
  demandAll(warp, op, {Map});
  for (unsigned lane = 0; lane < 32; ++lane) {
    TensorMap map;
    Box box{map};
    if (warp.mask >> lane & 1)
      readBox(warp, op, lane, map, box);
  }
}

/// [map, {coordinates}]
bool readCoordinates(Decoder &decoder, size_t operand, unsigned rank, uint32_t *list) {
  const Operand &from = decoder.operand(operand);
  if (from.kind != Operand::Address || from.elements.size() != 2 ||
      from.elements[1].elements.size() != rank)
    return decoder.fail("wants a tensor map with " + std::to_string(rank) +
                        " coordinates: [map, {...}]");
  for (unsigned i = 0; i < rank; ++i)
    list[Coordinates + i] = decoder.source(from.elements[1].elements[i], Type::S32);
  return readAddress(decoder, operand, list + Map, /*hasCoordinates=*/true);
}

struct Form {
  unsigned rank;
  uint32_t *list;
};

bool emitCopy(Decoder &decoder, Handler run, Class kind, const Form &form, int reduction) {
  Op &op = decoder.emit(run, kind);
  op.count = uint8_t(form.rank);
  op.list = form.list;
  op.e = uint32_t(reduction);
  return !decoder.failed();
}

bool decodeTensorLoad(Decoder &decoder, Modifiers &m, const Form &form) {
  if (!m.take("global") || !m.take("mbarrier::complete_tx::bytes"))
    return decoder.fail("copies from .global to .shared::cluster with "
                        ".mbarrier::complete_tx::bytes");
  bool multicast = m.take("multicast::cluster"), hint = m.take("L2::cache_hint");
  if (!decoder.done(m) || !decoder.wants(3 + multicast + hint) ||
      !readAddress(decoder, 0, form.list + Shared) ||
      !readCoordinates(decoder, 1, form.rank, form.list) ||
      !readAddress(decoder, 2, form.list + Barrier))
    return false;
  if (multicast)
    form.list[Mask] = decoder.source(3, Type::B16);
  return emitCopy(decoder, load, Class::AsyncCopy, form, -1);
}

bool decodeTensorStore(Decoder &decoder, Modifiers &m, const Form &form, bool reduces) {
  if (!m.take("shared::cta") || !m.take("bulk_group"))
    return decoder.fail("needs .global.shared::cta and .bulk_group");
  bool hint = m.take("L2::cache_hint");
  int reduction = reduces ? takeReduction(m) : -1;
  if (reduces && reduction < 0)
    return decoder.fail("needs .add, .min, .max, .inc, .dec, .and, .or or .xor");
  if (!decoder.done(m) || !decoder.wants(2 + hint) ||
      !readCoordinates(decoder, 0, form.rank, form.list) ||
      !readAddress(decoder, 1, form.list + Shared))
    return false;
  return emitCopy(decoder, store, Class::AsyncCopy, form, reduction);
}

} // namespace

bool tritium::sim::decodeTensorCopy(Decoder &decoder, Modifiers &m, bool reduces, bool prefetches) {
  int rank = 1 + m.takeOne({"1d", "2d", "3d", "4d", "5d"});
  m.take("tile");
  if (!rank)
    return decoder.fail("needs .1d to .5d");
  for (std::string_view mode : {"im2col", "im2col_no_offs", "im2col::w", "im2col::w::128",
                                "tile::gather4", "tile::scatter4"})
    if (m.take(mode))
      return decoder.fail("boxes are copied in .tile mode only, not in ." + std::string(mode));
  Form form{unsigned(rank), decoder.list(Coordinates + mostRank)};
  if (prefetches) {
    if (!m.take("L2") || !m.take("global"))
      return decoder.fail("prefetches from .global to .L2 only");
    bool hint = m.take("L2::cache_hint");
    return decoder.done(m) && decoder.wants(1 + hint) &&
           readCoordinates(decoder, 0, form.rank, form.list) &&
           emitCopy(decoder, prefetch, Class::Other, form, -1);
  }
  // The destination comes first.
  std::string_view to = m.left.empty() ? "" : m.left[0];
  if (!reduces && (to == "shared::cluster" || to == "shared::cta")) {
    m.take(to);
    return decodeTensorLoad(decoder, m, form);
  }
  if (!m.take("global"))
    return decoder.fail("copies to .shared::cluster, .shared::cta or .global");
  return decodeTensorStore(decoder, m, form, reduces);
}
