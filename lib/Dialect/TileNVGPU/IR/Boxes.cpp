//===- Boxes.cpp - how TMA sees a tile in shared memory -------------------===//

#include "tritium/Dialect/TileNVGPU/IR/Boxes.h"

#include "tritium/Dialect/TileGPU/IR/TileOffsets.h"
#include "tritium/Layout/TileConversion.h"

using namespace mlir;

namespace tritium::ttng {

namespace {
constexpr int64_t kChunkBytes = 16;
/// What an address in shared memory that TMA accesses must be a multiple of without a swizzle.
constexpr int64_t kLeastAlignment = 128;

/// Where an element lies in boxes one behind the other, in elements.
int64_t offsetIn(const Boxes &boxes, int64_t elementBytes, ArrayRef<int64_t> place) {
  int64_t width = boxes.shape.back(), column = place.back() % width, row = 0, rows = 1;
  for (size_t d = 0; d + 1 < place.size(); ++d) {
    row = row * boxes.shape[d] + place[d];
    rows *= boxes.shape[d];
  }
  int64_t offset = row * width + column;
  if (boxes.swizzle) {
    int64_t chunks = boxes.swizzle / kChunkBytes, byte = offset * elementBytes;
    offset = (byte ^ (byte / 128 % chunks * kChunkBytes)) / elementBytes;
  }
  return place.back() / width * rows * width + offset;
}

/// Extents of the parts of a tile, from each of whose first elements both maps are linear in the
/// bits of coordinates. Empty if there are none, as where rows of a box are no power of two.
SmallVector<int64_t, 5> linearPart(const Boxes &boxes, ArrayRef<int64_t> shape,
                                   ArrayRef<int64_t> panel) {
  if (llvm::all_of(shape, llvm::isPowerOf2_64))
    return SmallVector<int64_t, 5>(shape);
  int64_t width = boxes.shape.back();
  if (!llvm::isPowerOf2_64(width))
    return {};
  // A dimension more counts by a number of rows that is any.
  SmallVector<int64_t, 5> part(shape.size(), 1);
  for (size_t d = shape.size() - std::min<size_t>(2, shape.size()); d < shape.size(); ++d)
    part[d] = std::min(panel[d], shape[d] & -shape[d]);
  part.back() = std::min(part.back(), width);
  return part;
}

/// All elements lie where the boxes have them.
bool fits(const Boxes &boxes, ttg::MemDescType memory) {
  ArrayRef<int64_t> shape = memory.getTileShape();
  int64_t elementBytes = tt::scalarBytes(memory.getElementType());
  SmallVector<int64_t, 4> panel = memory.getLayout().getPanel(shape);
  if (panel.empty()) {
    // Rows in order, without exchanges.
    bool isInOrder = !boxes.swizzle && boxes.count == 1;
    for (auto [i, d] : llvm::enumerate(memory.getLayout().getFastestFirst()))
      isInOrder &= size_t(d) + 1 + i == shape.size();
    return isInOrder;
  }
  SmallVector<int64_t, 5> part = linearPart(boxes, shape, panel);
  if (part.empty())
    return false;
  ttg::TileOffsets offsets(memory);
  for (Coordinates place : panelStarts(shape, part)) {
    auto agrees = [&] { return offsetIn(boxes, elementBytes, place) == offsets(place); };
    if (!agrees())
      return false;
    for (size_t d = 0; d < shape.size(); ++d)
      for (int64_t bit = 1; bit < part[d]; bit *= 2) {
        place[d] += bit;
        if (!agrees())
          return false;
        place[d] -= bit;
      }
  }
  return true;
}
} // namespace

std::optional<int64_t> rowsOfWarp(ttg::MemDescType memory, int64_t warps) {
  constexpr int64_t repeated = 8;
  ArrayRef<int64_t> shape = memory.getTileShape();
  if (shape.size() != 2 || shape[0] % (warps * repeated))
    return std::nullopt;
  return shape[0] / warps;
}

bool areRowsOfWarps(const TileLayout &layout, int64_t rows) {
  if (layout.rank() != 2 || !llvm::isPowerOf2_64(rows) ||
      rows * layout.warps() != layout.extents()[0])
    return false;
  for (unsigned warp = 0; warp < layout.warps(); ++warp)
    if (layout.at(0, 0, warp)[0] != warp * rows)
      return false;
  // Other warps' coordinates differ in the bits above alone.
  for (unsigned lane = 0; lane < layout.lanes(); ++lane)
    for (unsigned reg = 0; reg < layout.registers(); ++reg)
      if (layout.at(reg, lane, 0)[0] >= rows)
        return false;
  return true;
}

std::optional<Boxes> boxesOf(ttg::MemDescType memory) {
  ArrayRef<int64_t> shape = memory.getTileShape();
  int64_t elementBytes = tt::scalarBytes(memory.getElementType()), rowBytes = elementBytes;
  rowBytes *= shape.back();
  auto attempt = [&](unsigned swizzle, int64_t widthBytes) -> std::optional<Boxes> {
    if (widthBytes % kChunkBytes || rowBytes % widthBytes)
      return std::nullopt;
    Boxes boxes;
    boxes.shape.assign(shape.begin(), shape.end());
    boxes.shape.back() = widthBytes / elementBytes;
    boxes.count = rowBytes / widthBytes;
    boxes.bytes = elementBytes;
    for (int64_t extent : boxes.shape)
      boxes.bytes *= extent;
    boxes.swizzle = swizzle;
    boxes.alignment = std::max<int64_t>(kLeastAlignment, 8 * swizzle);
    bool isAligned = boxes.count == 1 || boxes.bytes % boxes.alignment == 0;
    return isAligned && fits(boxes, memory) ? std::optional(boxes) : std::nullopt;
  };
  if (auto boxes = attempt(0, rowBytes))
    return boxes;
  for (unsigned swizzle : {128u, 64u, 32u})
    if (auto boxes = attempt(swizzle, swizzle))
      return boxes;
  for (int64_t width = rowBytes / 2; width >= kChunkBytes; width /= 2)
    if (auto boxes = attempt(0, width))
      return boxes;
  return std::nullopt;
}

} // namespace tritium::ttng
