//===- Transpose.cpp - transpose of a square block in registers -----------===//
//
// A block of 2^s rows is transposed in s rounds. Round r swaps, between rows that differ in
// bit r, the elements whose column differs in bit r: row i keeps its columns with bit r
// clear and takes those of row i + 2^r into the places with bit r set. Each row of each
// round is one two-operand shuffle.
//
//===----------------------------------------------------------------------===//

#include "tritium/Conversion/TileToCPU/MicroKernel.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

SmallVector<Value> tritium::cpu::emitTranspose(OpBuilder &b, Location loc, ArrayRef<Value> rows) {
  SmallVector<Value> block(rows);
  int64_t size = block.size();
  assert(llvm::isPowerOf2_64(size) && "the block's side must be a power of two");
  for (int64_t bit = 1; bit < size; bit *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t column = 0; column < size; ++column) {
      bool set = column & bit;
      low.push_back(set ? size + column - bit : column);
      high.push_back(set ? size + column : column + bit);
    }
    for (int64_t row = 0; row < size; ++row) {
      if (row & bit)
        continue;
      Value upper = block[row], lower = block[row + bit];
      block[row] = b.create<vector::ShuffleOp>(loc, upper, lower, low);
      block[row + bit] = b.create<vector::ShuffleOp>(loc, upper, lower, high);
    }
  }
  return block;
}
