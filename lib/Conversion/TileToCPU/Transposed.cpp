//===- Transposed.cpp - assigning a tile that is read along another dimension -===//
//
// Where a tile is contiguous in memory along a dimension that is not its last, square
// blocks are loaded along that dimension, transposed in registers, and stored along the
// last one.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tritium/Conversion/TileToCPU/MicroKernel.h"

using namespace mlir;

namespace tritium::cpu {

void Lowering::emitTransposed(Step &step) {
  Root root = step.roots.front();
  Buffer &buffer = *root.buffer;
  int64_t rank = step.shape.size(), from = step.lanesDim, to = rank - 1;
  int64_t block = target.vectorBits / (8 * tt::scalarBytes(buffer.element));
  bool isHome = isVirtual(root.value) && buffers.lookup(root.value) == root.buffer;
  bool isMask = tt::elementType(root.value.getType()).isInteger(1);

  auto emitBlock = [&](Index index, Value fromStart, int64_t fromValid, Value toStart,
                       int64_t toValid) {
    MemoScope scope(*this);
    SmallVector<Value> columns;
    if (isHome)
      buffers.erase(root.value);
    Type element = isMask ? Type(b.getI1Type()) : buffer.element;
    for (int64_t c = 0; c < block; ++c) {
      if (c >= toValid) {
        columns.push_back(zeroOf(buffer.element, block));
        continue;
      }
      Index at = index;
      at.dims[from] = {DimIndex::Lanes, fromStart};
      at.dims[to] = {DimIndex::Scalar, add(toStart, i64(c))};
      at.width = block;
      at.valid = fromValid;
      Value v = asVector(evaluate(root.value, at), element, block);
      if (isMask)
        v = b.create<arith::ExtUIOp>(loc, VectorType::get(block, buffer.element), v);
      columns.push_back(v);
    }
    if (isHome)
      buffers[root.value] = root.buffer;
    SmallVector<Value> rows = emitTranspose(b, loc, columns);
    for (int64_t r = 0; r < fromValid; ++r) {
      Index at = index;
      at.dims[from] = {DimIndex::Scalar, add(fromStart, i64(r))};
      at.dims[to] = {DimIndex::Lanes, toStart};
      at.width = block;
      at.valid = toValid;
      writeBuffer(buffer, at, Chunk::vector(rows[r]));
    }
  };

  auto alongTo = [&](Index index, Value fromStart, int64_t fromValid) {
    int64_t extent = step.shape[to], full = extent / block * block;
    if (full > 0)
      loop(i64(0), i64(full), block, {}, [&](Value j, ValueRange) -> SmallVector<Value> {
        emitBlock(index, fromStart, fromValid, j, block);
        return {};
      });
    if (full < extent)
      emitBlock(index, fromStart, fromValid, i64(full), extent - full);
  };
  auto alongFrom = [&](Index index) {
    int64_t extent = step.shape[from], full = extent / block * block;
    if (full > 0)
      loop(i64(0), i64(full), block, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
        alongTo(index, i, block);
        return {};
      });
    if (full < extent)
      alongTo(index, i64(full), extent - full);
  };
  Index index;
  index.dims.assign(rank, {DimIndex::Pending, {}});
  std::function<void(int64_t, Index)> rows = [&](int64_t d, Index at) {
    if (d == rank)
      return alongFrom(at);
    if (d == from || d == to)
      return rows(d + 1, at);
    loop(i64(0), i64(step.shape[d]), 1, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      Index next = at;
      next.dims[d] = {DimIndex::Scalar, i};
      rows(d + 1, next);
      return {};
    });
  };
  MemoScope scope(*this);
  rows(0, index);
}

} // namespace tritium::cpu
