//===- Transpose.cpp - transpose of square blocks in registers ------------===//
//
// Every vector is cut into runs of as many lanes as there are vectors. The block of one run
// is transposed, in all runs at once, by rounds of unpacking: round g interleaves groups of
// g elements of two rows, the first halves of their runs into one, the second halves into
// the other. For rows a, b, c, d and one run:
//
//   a0 a1 a2 a3   g=1   a0 b0 a1 b1   g=2   a0 b0 c0 d0
//   b0 b1 b2 b3  ---->  a2 b2 a3 b3  ---->  a2 b2 c2 d2
//   c0 c1 c2 c3         c0 d0 c1 d1         a1 b1 c1 d1
//   d0 d1 d2 d3         c2 d2 c3 d3         a3 b3 c3 d3
//
// so that the columns come out in the order of their numbers with the bits reversed. Within
// 128 bits each is one cheap instruction of x86 (unpcklps, unpckhpd, ...).
//
//===----------------------------------------------------------------------===//

#include "tritium/Conversion/TileToCPU/MicroKernel.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

/// `first`: interleave the first halves of the runs, else the second ones.
static Value unpack(OpBuilder &b, Location loc, Value x, Value y, int64_t run, int64_t group,
                    bool first) {
  int64_t lanes = cast<VectorType>(x.getType()).getDimSize(0);
  SmallVector<int64_t> order;
  for (int64_t begin = first ? 0 : run / 2; begin < lanes; begin += run)
    for (int64_t i = 0; i < run / 2; i += group)
      for (int64_t source : {int64_t(0), lanes})
        for (int64_t element = 0; element < group; ++element)
          order.push_back(source + begin + i + element);
  return b.create<vector::ShuffleOp>(loc, x, y, order);
}

SmallVector<Value> tritium::cpu::emitTranspose(OpBuilder &b, Location loc, ArrayRef<Value> rows) {
  SmallVector<Value> block(rows);
  int64_t size = block.size();
  assert(llvm::isPowerOf2_64(size) && "the block's side must be a power of two");
  for (int64_t group = 1; group < size; group *= 2)
    for (int64_t row = 0; row < size; ++row) {
      if (row & group)
        continue;
      Value x = block[row], y = block[row + group];
      block[row] = unpack(b, loc, x, y, size, group, /*first=*/true);
      block[row + group] = unpack(b, loc, x, y, size, group, /*first=*/false);
    }
  SmallVector<Value> columns;
  unsigned bits = llvm::Log2_64(size);
  for (int64_t column = 0; column < size; ++column)
    columns.push_back(block[bits ? llvm::reverseBits<uint64_t>(column) >> (64 - bits) : 0]);
  return columns;
}
