//===- TensorCopy.cpp - boxes of tensors in bulk copies -------------------===//
//
// A box of a tensor and the same box in shared memory, dense, its fastest dimension first. A
// swizzle exchanges chunks of 16 bytes: bits 4 and up of a shared address are changed by bits 7
// and up. What of a box lies outside of the tensor is filled by a load, and left out by a store,
// whose rows are cut off in chunks of 16 bytes.
//
//===----------------------------------------------------------------------===//

#include "Atomic.h"
#include "BulkCopy.h"

#include <algorithm>

using namespace tritium::sim;
using namespace tritium::sim::ptx;

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

/// What a GPU stores else than PTX says, or does not copy at all: measured on an H200, which has no
/// instruction for the latter. False after a report.
bool checkPlace(Warp &warp, const Op &op, unsigned lane, const Box &box, bool isLoad) {
  const TensorMap &map = box.map;
  auto refuse = [&](const std::string &what) {
    invalidCopy(warp, op, lane, what);
    return false;
  };
  int64_t size = box.elementBytes(), first = box.at[0] * size;
  int64_t extent = int64_t(map.dims[0]) * size;
  if (first % chunk)
    return refuse("a row of a box begins " + std::to_string(first) +
                  " bytes behind the tensor's, which must be a multiple of 16");
  if (isLoad)
    return true;
  for (unsigned i = 0; i < map.rank; ++i)
    if (box.at[i] < 0)
      return refuse("a store's box must not begin in front of the tensor: coordinate " +
                    std::to_string(i) + " is " + std::to_string(box.at[i]));
  if (extent % chunk && first < extent && first + box.rowBytes() > extent)
    return refuse("a store cuts its rows off at chunks of 16 bytes, and the tensor's have " +
                  std::to_string(extent) + " bytes: what lies behind them would be written");
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

/// What a lane names; false after a report.
bool findBox(Warp &warp, const Op &op, unsigned lane, TensorMap &map, Box &box) {
  if (!readTensorMap(warp, op, lane, addressOf(warp, op.list + CopiesGlobal, lane), map))
    return false;
  if (map.rank != op.count) {
    invalidCopy(warp, op, lane,
                "the copy has " + std::to_string(op.count) + " coordinates, and the tensor map " +
                    std::to_string(map.rank) + " dimensions");
    return false;
  }
  for (unsigned i = 0; i < op.count; ++i)
    box.at[i] = int32_t(warp.lanes<u32>(op.list[CopiesCoordinates + i])[lane]);
  return true;
}

/// False after a report: the tensor map's type does not have the reduction.
bool setReduction(Warp &warp, const Op &op, unsigned lane, const TensorMap &map, BulkCopy &copy) {
  if (op.e == none)
    return true;
  int kind = int(op.e);
  bool isBitwise = kind == AtomicKind::And || kind == AtomicKind::Or || kind == AtomicKind::Xor;
  copy.reduction = kind;
  copy.type = typeOf(map.type, isBitwise);
  if (hasReduction(kind, copy.type))
    return true;
  invalidCopy(warp, op, lane, "this reduction does not exist for the tensor map's type");
  return false;
}

} // namespace

bool tritium::sim::readBox(Warp &warp, const Op &op, unsigned lane, bool isLoad, BulkCopy &copy,
                           uint32_t &shared) {
  TensorMap map;
  Box box{map};
  if (!findBox(warp, op, lane, map, box) ||
      !findShared(warp, op, lane, box.bytes(), boxAlignment, box.shared) ||
      !setReduction(warp, op, lane, map, copy))
    return false;
  shared = box.shared;
  copy.bytes = uint32_t(box.bytes());
  copy.fill = fillOf(map);
  copy.rounds = isLoad && (map.type == TensorMap::TFloat32 || map.type == TensorMap::TFloat32Ftz);
  return checkPlace(warp, op, lane, box, isLoad) &&
         addBox(warp, op, lane, box, isLoad, copy.segments);
}

bool tritium::sim::checkBox(Warp &warp, const Op &op, unsigned lane) {
  TensorMap map;
  Box box{map};
  return findBox(warp, op, lane, map, box);
}
