//===- Transposed.cpp - assigning a tile that is read along another dimension -===//
//
// Where a matrix is contiguous in memory along its rows' dimension, it is first copied
// as it stands, then transposed from buffer to buffer in square blocks of registers.
// The second part is one function for all matrices of one shape.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tritium/Conversion/TileToCPU/MicroKernel.h"

using namespace mlir;

namespace tritium::cpu {

/// to[c, r] = from[r, c] for r < rows, c < columns. Rows of `from` are whole registers.
func::FuncOp Lowering::transposeFunction(Type element, int64_t rows, int64_t columns,
                                         int64_t fromStride, int64_t toStride) {
  std::string name;
  llvm::raw_string_ostream(name) << "transpose_" << rows << "x" << columns << "_" << element << "_"
                                 << fromStride << "_" << toStride;
  return sharedFunction(name, 2, [&](Block::BlockArgListType arguments) {
    unsigned bytes = tt::scalarBytes(element);
    int64_t block = target.vectorBits / 8 / bytes;
    auto type = VectorType::get(block, element);
    auto address = [&](Value base, Value row, Value column, int64_t stride) {
      return gep(base, mul(add(mul(row, stride), column), bytes));
    };
    auto emitBlock = [&](Value row, int64_t validRows, Value column, int64_t validColumns) {
      SmallVector<Value> lines;
      for (int64_t r = 0; r < block; ++r) {
        if (r >= validRows) {
          lines.push_back(zeroOf(element, block));
          continue;
        }
        Value at = address(arguments[0], add(row, i64(r)), column, fromStride);
        lines.push_back(b.create<LLVM::LoadOp>(loc, type, at, bytes));
      }
      SmallVector<Value> turned = emitTranspose(b, loc, lines);
      for (int64_t c = 0; c < validColumns; ++c) {
        Value at = address(arguments[1], add(column, i64(c)), row, toStride);
        if (validRows == block)
          b.create<LLVM::StoreOp>(loc, turned[c], at, bytes);
        else
          b.create<LLVM::MaskedStoreOp>(loc, turned[c], at, firstLanes(validRows, block), bytes);
      }
    };
    auto blocks = [&](int64_t extent, llvm::function_ref<void(Value, int64_t)> body) {
      int64_t full = extent / block * block;
      if (full > 0)
        loop(i64(0), i64(full), block, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
          body(i, block);
          return {};
        });
      if (full < extent)
        body(i64(full), extent - full);
    };
    blocks(columns, [&](Value column, int64_t validColumns) {
      blocks(rows, [&](Value row, int64_t validRows) {
        emitBlock(row, validRows, column, validColumns);
      });
    });
  });
}

void Lowering::emitTransposed(Step &step) {
  Root root = step.roots.front();
  Buffer &buffer = *root.buffer;
  int64_t rank = step.shape.size();
  SmallVector<int64_t> shape(step.shape);
  std::swap(shape[rank - 2], shape[rank - 1]);
  // Needed within this step only, so all steps of one shape share it.
  Buffer *&copy =
      transposeCopies[{{shape.begin(), shape.end()}, buffer.element.getAsOpaquePointer()}];
  if (!copy)
    copy = allocate(shape, buffer.element, /*dense=*/false);

  // The tile as it stands in memory: the same elements, the last two dimensions swapped.
  Step gather = step;
  gather.transposed = false;
  gather.roots.front().buffer = copy;
  bool isHome = isVirtual(root.value) && buffers.lookup(root.value) == root.buffer;
  if (isHome)
    buffers[root.value] = copy;
  swappedBuffer = copy;
  emitPhase(gather);
  swappedBuffer = nullptr;
  if (isHome)
    buffers[root.value] = root.buffer;

  int64_t rows = shape[rank - 2], columns = shape[rank - 1], count = 1;
  for (int64_t d : ArrayRef(shape).drop_back(2))
    count *= d;
  func::FuncOp function =
      transposeFunction(buffer.element, rows, columns, copy->rowStride, buffer.rowStride);
  int64_t bytes = tt::scalarBytes(buffer.element);
  auto matrix = [&](Value i) {
    b.create<func::CallOp>(
        loc, function,
        ValueRange{gep(bufferBase(*copy), mul(i, rows * copy->rowStride * bytes)),
                   gep(bufferBase(buffer), mul(i, columns * buffer.rowStride * bytes))});
  };
  if (count == 1)
    return matrix(i64(0));
  loop(i64(0), i64(count), 1, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
    matrix(i);
    return {};
  });
}

} // namespace tritium::cpu
