//===- Prefetch.cpp - asking for what is read later -----------------------===//

#include "Prefetch.h"

using namespace mlir;

namespace tritium::cpu {

static Value constant(OpBuilder &b, Location loc, int64_t value) {
  return b.create<arith::ConstantIntOp>(loc, value, 64);
}

static Value moved(OpBuilder &b, Location loc, Value pointer, Value bytes) {
  return b.create<LLVM::GEPOp>(loc, pointer.getType(), b.getI8Type(), pointer,
                               ArrayRef<LLVM::GEPArg>{bytes});
}

void fetchRows(OpBuilder &b, Location loc, Value at, Value rowStride, int64_t rows,
               int64_t rowBytes, FetchTo to) {
  constexpr int64_t line = 64;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t byte = 0; byte < rowBytes; byte += line)
      b.create<LLVM::Prefetch>(loc, byte ? moved(b, loc, at, constant(b, loc, byte)) : at,
                               /*rw=*/0, /*hint=*/to == FetchTo::FirstCache ? 3 : 2, /*cache=*/1);
    if (row + 1 < rows)
      at = moved(b, loc, at, rowStride);
  }
}

void fetchPart(OpBuilder &b, Location loc, const UpcomingTile &tile, const BlockOfProduct &block) {
  constexpr int64_t line = 64;
  // at * count / whole; all are small.
  auto portion = [&](Value at, int64_t count, int64_t whole) -> Value {
    Value wide = b.create<arith::IndexCastOp>(loc, b.getI64Type(), at);
    if (count % whole == 0)
      return b.create<arith::MulIOp>(loc, wide, constant(b, loc, count / whole));
    return b.create<arith::DivUIOp>(
        loc, b.create<arith::MulIOp>(loc, wide, constant(b, loc, count)), constant(b, loc, whole));
  };
  int64_t rows = (block.rows * tile.rows + block.m - 1) / block.m;
  int64_t lines =
      ((tile.rowBytes + line - 1) / line + block.blocksOfColumns - 1) / block.blocksOfColumns;
  Value row = b.create<arith::MulIOp>(loc, portion(block.i, tile.rows, block.m), tile.rowStride);
  Value at = moved(b, loc, moved(b, loc, tile.base, row), portion(block.j, tile.rowBytes, block.n));
  fetchRows(b, loc, at, tile.rowStride, rows, lines * line, FetchTo::FirstCache);
}

Value distanceAhead(OpBuilder &b, Location loc, Value column, Value rowStride, int64_t rows,
                    int64_t rowBytes, int64_t ahead) {
  ahead = std::min(ahead, rowBytes);
  Value isInRow = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, column,
                                          constant(b, loc, rowBytes - ahead));
  Value below =
      b.create<arith::AddIOp>(loc, b.create<arith::MulIOp>(loc, rowStride, constant(b, loc, rows)),
                              constant(b, loc, ahead - rowBytes));
  return b.create<arith::SelectOp>(loc, isInRow, constant(b, loc, ahead), below);
}

} // namespace tritium::cpu
