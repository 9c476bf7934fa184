//===- MicroKernel.cpp - register-blocked dot over packed scratch ---------===//
//
// acc += a * b is cut into blocks of `rows` rows by `columns` vector registers whose
// accumulators stay in registers over the whole of k:
//
//   for j, i over blocks:
//     fetch a part of the next product's operands
//     c[rows][columns] = load acc, or zeros
//     for k:
//       b[columns] = load b[k]
//       for each row: c[row] += broadcast(a[row][k]) * b
//     store c
//
// The block shape is the one of the least estimated time among those that fit the
// register file. A dimension is cut evenly (17 rows are 6 + 6 + 5, not 8 + 8 + 1): a thin
// block at the edge has too few independent accumulators to hide the FMA latency.
//
//===----------------------------------------------------------------------===//

#include "tritium/Conversion/TileToCPU/MicroKernel.h"

#include "MultiplyAdd.h"

using namespace mlir;
using namespace tritium::cpu;

namespace {

/// A dimension cut into `pieces` pieces; the first `longer` of them are one unit longer
/// than `length`.
struct EvenCut {
  int64_t length, pieces, longer;
  EvenCut(int64_t extent, int64_t most) : pieces((extent + most - 1) / most) {
    length = extent / pieces;
    longer = extent % pieces;
  }
};

struct BlockShape {
  int64_t rows, columns;
};

/// Clock ticks of a block and one k step on a core with two FMA and two load ports and
/// four ticks of FMA latency, in halves; and the loads and stores of acc.
double blockCost(int64_t rows, int64_t columns, int64_t k) {
  double step = std::max<double>({double(rows * columns), double(rows + columns), 8});
  return step * k + 3 * rows * columns + 8;
}

double cutCost(const EvenCut &rows, const EvenCut &columns, int64_t k) {
  double cost = 0;
  for (int longRow : {0, 1})
    for (int longColumn : {0, 1}) {
      int64_t count = (longRow ? rows.longer : rows.pieces - rows.longer) *
                      (longColumn ? columns.longer : columns.pieces - columns.longer);
      if (count)
        cost += count * blockCost(rows.length + longRow, columns.length + longColumn, k);
    }
  return cost;
}

/// Of so many columns at least and at most.
BlockShape chooseShape(const TargetInfo &target, int64_t m, int64_t registers, int64_t k,
                       int64_t leastColumns, int64_t mostColumns) {
  // One register for the broadcast, one for the product where there is no FMA.
  int64_t available = target.vectorRegisters - (target.hasFMA ? 1 : 2);
  // Half of a large register file is enough accumulators, and it leaves room to load ahead.
  int64_t accumulators = target.vectorRegisters > 16 ? 16 : available;
  BlockShape best{1, leastColumns};
  double bestCost = 1e300;
  for (int64_t columns = leastColumns; columns <= std::min(registers, mostColumns); ++columns)
    for (int64_t rows = 1; rows <= m && rows <= 16; ++rows) {
      if (rows * columns > accumulators || rows * columns + columns > available)
        break;
      double cost = cutCost(EvenCut(m, rows), EvenCut(registers, columns), k);
      if (cost < bestCost) {
        bestCost = cost;
        best = {rows, columns};
      }
    }
  return best;
}

class DotEmitter {
public:
  DotEmitter(OpBuilder &b, Location loc, const TargetInfo &target, Type element, int64_t k,
             PackedMatrix a, PackedMatrix bMatrix, PackedMatrix acc, bool fromZero,
             ArrayRef<UpcomingTile> upcoming, DotForm form, const RowsInMemory *rowsOfB)
      : b(b), loc(loc), target(target), element(element), k(k), a(a), bMatrix(bMatrix), acc(acc),
        fromZero(fromZero), upcoming(upcoming), form(form), rowsOfB(rowsOfB), group(groupOf(form)),
        elementOfA(group == 1 ? element : b.getIntegerType(32 / group)),
        lanes(target.vectorBits / element.getIntOrFloatBitWidth()),
        vector(VectorType::get(lanes, element)) {}

  void emit(int64_t rowCount, int64_t columnCount) {
    int64_t registers = (columnCount + lanes - 1) / lanes;
    m = rowCount;
    n = registers * lanes;
    BlockShape shape = blockShape(registers);
    // What is read where it lies comes in as many registers as a group has rows.
    int64_t unit = rowsOfB ? group : 1;
    EvenCut rows(m, shape.rows), columns(registers / unit, shape.columns / unit);
    columnPieces = columns.pieces;
    auto block = [&](Value i, int64_t blockRows, Value firstRegister, int64_t blockColumns) {
      Value j = b.create<arith::MulIOp>(loc, firstRegister, index(unit * lanes));
      emitBlock(i, j, blockRows, unit * blockColumns);
    };
    // The rows of an `a` in memory compete for few sets of the first-level cache, so all
    // that is done with them is done at once; otherwise a block of b's columns stays there.
    if (a.byteStride && !bMatrix.panelRows && !rowsOfB)
      forPieces(rows, [&](Value i, int64_t blockRows) {
        forPieces(columns, [&](Value first, int64_t blockColumns) {
          block(i, blockRows, first, blockColumns);
        });
      });
    else
      forPieces(columns, [&](Value first, int64_t blockColumns) {
        forPieces(rows,
                  [&](Value i, int64_t blockRows) { block(i, blockRows, first, blockColumns); });
      });
  }

private:
  /// A block has the columns of a panel, or, where b has none, as many as are best.
  BlockShape blockShape(int64_t registers) const {
    if (rowsOfB)
      return shapeOfFewRows();
    int64_t groups = llvm::divideCeil(k, group);
    int64_t panel = bMatrix.panelRows ? bMatrix.rowStride / lanes : 0;
    return chooseShape(target, m, registers, groups, panel ? panel : 1, panel ? panel : 8);
  }

  /// All rows, if they fit, so that b is read once; of its columns the more, the longer the pieces.
  BlockShape shapeOfFewRows() const {
    int64_t most = target.vectorRegisters > 16 ? 16 : 8;
    int64_t columns = std::max<int64_t>(most / m / group * group, group);
    return {std::min(m, std::max<int64_t>(most * 3 / 2 / columns, 1)), columns};
  }

  Value zero() { return b.create<arith::ConstantOp>(loc, cast<TypedAttr>(b.getZeroAttr(vector))); }

  Value index(int64_t value) { return b.create<arith::ConstantIndexOp>(loc, value); }

  /// Runs `body` for every piece of a dimension: one loop for the longer pieces, one for
  /// the others.
  void forPieces(const EvenCut &cut, llvm::function_ref<void(Value, int64_t)> body) {
    int64_t split = cut.longer * (cut.length + 1);
    forRange(0, split, cut.length + 1, body);
    forRange(split, split + (cut.pieces - cut.longer) * cut.length, cut.length, body);
  }

  void forRange(int64_t begin, int64_t end, int64_t step,
                llvm::function_ref<void(Value, int64_t)> body) {
    if (begin == end)
      return;
    if (end - begin == step)
      return body(index(begin), step);
    auto loop = b.create<scf::ForOp>(loc, index(begin), index(end), index(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar(), step);
  }

  /// base + row * stride + column, in elements.
  Value address(const PackedMatrix &matrix, Value row, Value column) {
    return address(matrix, row, column, element);
  }

  Value address(const PackedMatrix &matrix, Value row, Value column, Type type) {
    Value offset = row ? b.create<arith::MulIOp>(loc, row, index(matrix.rowStride)) : Value();
    if (column)
      offset = offset ? b.create<arith::AddIOp>(loc, offset, column) : column;
    Value bytes = b.create<arith::IndexCastOp>(loc, b.getI64Type(), offset);
    return b.create<LLVM::GEPOp>(loc, matrix.base.getType(), type, matrix.base, ValueRange{bytes},
                                 /*inbounds=*/true);
  }

  /// Where column `j` of b begins; that of a panel where there are panels.
  Value columnOfB(Value j) {
    if (rowsOfB)
      return b.create<arith::MulIOp>(loc, j, index(rowsOfB->elementBytes));
    if (!bMatrix.panelRows)
      return j;
    return b.create<arith::MulIOp>(loc, j, index(bMatrix.panelRows));
  }

  /// Row `i` of an `a` whose stride is known at run time, or the one behind `before`.
  Value rowOfA(Value i, Value before) {
    Value offset = a.byteStride;
    if (!before)
      offset = b.create<arith::MulIOp>(loc, b.create<arith::IndexCastOp>(loc, b.getI64Type(), i),
                                       offset);
    return b.create<LLVM::GEPOp>(loc, a.base.getType(), b.getI8Type(), before ? before : a.base,
                                 ArrayRef<LLVM::GEPArg>{offset});
  }

  Value load(Type type, Value pointer, int64_t offset) {
    return b.create<LLVM::LoadOp>(loc, type, moved(pointer, offset),
                                  element.getIntOrFloatBitWidth() / 8);
  }

  Value moved(Value pointer, int64_t offset) { return moved(pointer, offset, element); }

  Value moved(Value pointer, int64_t offset, Type type) {
    if (offset == 0)
      return pointer;
    return b.create<LLVM::GEPOp>(loc, pointer.getType(), type, pointer,
                                 ArrayRef<LLVM::GEPArg>{int32_t(offset)}, /*inbounds=*/true);
  }

  /// The `valid` elements of `a` from `pointer` on, a group as a rule, for all lanes.
  Value splatOfA(Value pointer, int64_t valid) {
    unsigned bits = elementOfA.getIntOrFloatBitWidth();
    auto loadAt = [&](Type type, int64_t byte) -> Value {
      Value at = byte ? b.create<LLVM::GEPOp>(loc, pointer.getType(), b.getI8Type(), pointer,
                                              ArrayRef<LLVM::GEPArg>{int32_t(byte)}, true)
                      : pointer;
      return b.create<LLVM::LoadOp>(loc, type, at, bits / 8);
    };
    if (group == 1)
      return b.create<vector::BroadcastOp>(loc, vector, loadAt(element, 0));
    auto word = VectorType::get(lanes, b.getI32Type());
    // Behind the last element of a row memory may end.
    Value joined;
    int64_t bytes = valid * bits / 8;
    for (int64_t at = 0, size; at < bytes; at += size) {
      size = bytes - at >= 4 ? 4 : bytes - at >= 2 ? 2 : 1;
      Value part = loadAt(b.getIntegerType(8 * size), at);
      if (size < 4)
        part = b.create<arith::ExtUIOp>(loc, b.getI32Type(), part);
      if (at)
        part = b.create<arith::ShLIOp>(loc, part,
                                       b.create<arith::ConstantIntOp>(loc, 8 * at, 32).getResult());
      joined = joined ? b.create<arith::OrIOp>(loc, joined, part).getResult() : part;
    }
    Value splat = b.create<vector::BroadcastOp>(loc, word, joined);
    if (!hasStartRow(form))
      return splat;
    Value signs = b.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(word, APInt::getSplat(32, APInt(8, 0x80))));
    return b.create<arith::XOrIOp>(loc, splat, signs);
  }

  Value multiplyAdd(Value x, Value y, Value sum) {
    return emitMultiplyAdd(b, loc, target, form, x, y, sum);
  }

  Value byteAddress(Value base, Value bytes) {
    return b.create<LLVM::GEPOp>(loc, base.getType(), b.getI8Type(), base,
                                 ArrayRef<LLVM::GEPArg>{bytes});
  }

  /// Asks for what the block but one along the rows reads of this group, to the second-level cache:
  /// the CPU itself fetches ahead along few rows at a time, and such rows compete for few sets of
  /// the first-level cache.
  void fetchAhead(Value group0, int64_t rowBytes) {
    constexpr int64_t line = 64;
    for (int64_t row = 0; row < group; ++row) {
      for (int64_t byte = 0; byte < rowBytes; byte += line)
        b.create<LLVM::Prefetch>(
            loc, byteAddress(group0, b.create<arith::ConstantIntOp>(loc, 2 * rowBytes + byte, 64)),
            /*rw=*/0, /*hint=*/2, /*cache=*/1);
      if (row + 1 < group)
        group0 = byteAddress(group0, rowsOfB->rowStride);
    }
  }

  /// The words of a group of rows of an unpacked b.
  SmallVector<Value> readRows(Value bBlock, Value kk, int64_t columns) {
    auto constant = [&](int64_t value) -> Value {
      return b.create<arith::ConstantIntOp>(loc, value, 64);
    };
    int64_t rowBytes = columns * lanes * rowsOfB->elementBytes;
    Value row = b.create<arith::MulIOp>(loc, b.create<arith::IndexCastOp>(loc, b.getI64Type(), kk),
                                        constant(group));
    Value first = byteAddress(bBlock, b.create<arith::MulIOp>(loc, row, rowsOfB->rowStride));
    fetchAhead(first, rowBytes);
    SmallVector<Value> words;
    int64_t atOnce = group * lanes * rowsOfB->elementBytes;
    for (int64_t byte = 0; byte < rowBytes; byte += atOnce)
      llvm::append_range(words, rowsOfB->read(byteAddress(first, constant(byte))));
    return words;
  }

  /// One step of a block: group `kk` of k, of `valid` elements.
  void emitStep(ArrayRef<Value> aRows, Value bBlock, Value kk, int64_t columns,
                SmallVectorImpl<Value> &sums, int64_t valid) {
    Value column = group == 1 ? kk : b.create<arith::MulIOp>(loc, kk, index(group)).getResult();
    Value aPointer = address({aRows.front(), a.rowStride, {}}, Value(), column, elementOfA);
    SmallVector<Value> bs = rowsOfB ? readRows(bBlock, kk, columns) : SmallVector<Value>();
    Value bPointer = address({bBlock, bMatrix.rowStride, {}}, kk, Value());
    for (int64_t column = bs.size(); column < columns; ++column)
      bs.push_back(load(vector, bPointer, column * lanes));
    for (int64_t row = 0; row < int64_t(aRows.size()); ++row) {
      Value at = a.byteStride ? address({aRows[row], 0, {}}, Value(), column, elementOfA)
                              : moved(aPointer, row * a.rowStride, elementOfA);
      Value splat = splatOfA(at, valid);
      for (int64_t column = 0; column < columns; ++column) {
        Value &sum = sums[row * columns + column];
        sum = multiplyAdd(splat, bs[column], sum);
      }
    }
    if (findsColumnSums())
      for (int64_t column = 0; column < columns; ++column) {
        Value &sum = sums[aRows.size() * columns + column];
        sum = form == DotForm::SignedQuads ? emitByteDot(b, loc, sum, ones(), bs[column])
                                           : emitByteDot(b, loc, sum, bs[column], ones());
      }
  }

  /// Packing has not added up the columns of bytes, from which sums start.
  bool findsColumnSums() const { return rowsOfB && hasStartRow(form); }

  Value ones() { return constantOf(0x01010101); }

  Value constantOf(int32_t word) {
    return b.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(vector, APInt(32, word, /*isSigned=*/true)));
  }

  /// Adds to the sums of a block what they should have started from.
  void addColumnSums(SmallVectorImpl<Value> &sums, int64_t rows, int64_t columns) {
    Value factor = constantOf(form == DotForm::SignedQuads ? -128 : 128);
    for (int64_t column = 0; column < columns; ++column) {
      Value start = b.create<arith::MulIOp>(loc, sums[rows * columns + column], factor);
      for (int64_t row = 0; row < rows; ++row) {
        Value &sum = sums[row * columns + column];
        sum = b.create<arith::AddIOp>(loc, sum, start);
      }
    }
  }

  /// Fetches the part of `tile` that is to the tile what the block is to the product.
  void fetch(const UpcomingTile &tile, Value i, Value j, int64_t rows) {
    constexpr int64_t line = 64;
    auto constant = [&](int64_t value) {
      return b.create<arith::ConstantIntOp>(loc, value, 64).getResult();
    };
    // at * count / whole; all are small.
    auto portion = [&](Value at, int64_t count, int64_t whole) -> Value {
      Value wide = b.create<arith::IndexCastOp>(loc, b.getI64Type(), at);
      if (count % whole == 0)
        return b.create<arith::MulIOp>(loc, wide, constant(count / whole));
      return b.create<arith::DivUIOp>(loc, b.create<arith::MulIOp>(loc, wide, constant(count)),
                                      constant(whole));
    };
    auto moved = [&](Value pointer, Value bytes) -> Value {
      return b.create<LLVM::GEPOp>(loc, pointer.getType(), b.getI8Type(), pointer,
                                   ArrayRef<LLVM::GEPArg>{bytes});
    };
    int64_t rowsHere = (rows * tile.rows + m - 1) / m;
    int64_t linesHere = ((tile.rowBytes + line - 1) / line + columnPieces - 1) / columnPieces;
    Value row = b.create<arith::MulIOp>(loc, portion(i, tile.rows, m), tile.rowStride);
    Value at = moved(moved(tile.base, row), portion(j, tile.rowBytes, n));
    for (int64_t r = 0; r < rowsHere; ++r) {
      for (int64_t l = 0; l < linesHere; ++l)
        b.create<LLVM::Prefetch>(loc, l ? moved(at, constant(l * line)) : at, /*rw=*/0,
                                 /*hint=*/3, /*cache=*/1);
      if (r + 1 < rowsHere)
        at = moved(at, tile.rowStride);
    }
  }

  /// What the sums of a block are before the first step.
  SmallVector<Value> startOf(Value accBlock, Value bBlock, int64_t rows, int64_t columns) {
    SmallVector<Value> start;
    if (hasStartRow(form) && !rowsOfB) {
      Value row = index(llvm::divideCeil(k, group));
      Value pointer = address({bBlock, bMatrix.rowStride, {}}, row, Value());
      for (int64_t column = 0; column < columns; ++column)
        start.push_back(load(vector, pointer, column * lanes));
    }
    SmallVector<Value> held = heldSums(accBlock, rows, columns), sums;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        Value sum = held.empty() ? Value() : held[row * columns + column];
        if (!start.empty())
          sum = sum ? b.create<arith::AddIOp>(loc, sum, start[column]).getResult() : start[column];
        sums.push_back(sum ? sum : zero());
      }
    return sums;
  }

  /// What acc holds of a block; nothing if it is never read.
  SmallVector<Value> heldSums(Value accBlock, int64_t rows, int64_t columns) {
    if (fromZero)
      return {};
    auto loaded = [&] {
      SmallVector<Value> sums;
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
          sums.push_back(load(vector, accBlock, row * acc.rowStride + column * lanes));
      return sums;
    };
    if (!acc.isEmpty)
      return loaded();
    SmallVector<Type> types(rows * columns, vector);
    auto branch = b.create<scf::IfOp>(loc, types, acc.isEmpty, /*else=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    b.create<scf::YieldOp>(loc, SmallVector<Value>(rows * columns, zero()));
    b.setInsertionPointToStart(branch.elseBlock());
    b.create<scf::YieldOp>(loc, loaded());
    return SmallVector<Value>(branch.getResults());
  }

  void emitBlock(Value i, Value j, int64_t rows, int64_t columns) {
    for (const UpcomingTile &tile : upcoming)
      fetch(tile, i, j, rows);
    SmallVector<Value> aRows(rows);
    for (int64_t row = 0; row < rows; ++row)
      aRows[row] = a.byteStride ? rowOfA(i, row ? aRows[row - 1] : Value())
                                : address(a, i, Value(), elementOfA);
    Value bBlock =
        rowsOfB ? byteAddress(bMatrix.base,
                              b.create<arith::IndexCastOp>(loc, b.getI64Type(), columnOfB(j)))
                : address(bMatrix, Value(), columnOfB(j));
    Value accBlock = address(acc, i, j);
    SmallVector<Value> sums = startOf(accBlock, bBlock, rows, columns);
    if (findsColumnSums())
      sums.append(columns, zero());

    // Unrolling k gains nothing: the FMA ports are busy already.
    int64_t groups = k / group;
    if (groups > 0) {
      auto loop = b.create<scf::ForOp>(loc, index(0), index(groups), index(1), sums);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      SmallVector<Value> inner(loop.getRegionIterArgs());
      emitStep(aRows, bBlock, loop.getInductionVar(), columns, inner, group);
      b.create<scf::YieldOp>(loc, inner);
      sums.assign(loop.result_begin(), loop.result_end());
    }
    if (k % group)
      emitStep(aRows, bBlock, index(groups), columns, sums, k % group);
    if (findsColumnSums())
      addColumnSums(sums, rows, columns);

    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        b.create<LLVM::StoreOp>(loc, sums[row * columns + column],
                                moved(accBlock, row * acc.rowStride + column * lanes),
                                element.getIntOrFloatBitWidth() / 8);
  }

  OpBuilder &b;
  Location loc;
  const TargetInfo &target;
  Type element;
  int64_t k;
  PackedMatrix a, bMatrix, acc;
  bool fromZero;
  ArrayRef<UpcomingTile> upcoming;
  DotForm form;
  const RowsInMemory *rowsOfB;
  int64_t group;
  Type elementOfA;
  int64_t m = 0, n = 0, columnPieces = 1;
  int64_t lanes;
  VectorType vector;
};

} // namespace

void tritium::cpu::emitDot(OpBuilder &builder, Location loc, const TargetInfo &target, Type element,
                           int64_t m, int64_t n, int64_t k, PackedMatrix a, PackedMatrix b,
                           PackedMatrix acc, bool fromZero, ArrayRef<UpcomingTile> upcoming,
                           DotForm form, const RowsInMemory *rows) {
  DotEmitter(builder, loc, target, element, k, a, b, acc, fromZero, upcoming, form, rows)
      .emit(m, n);
}
