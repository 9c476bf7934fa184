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

#include "BlockShape.h"
#include "MultiplyAdd.h"
#include "Prefetch.h"

using namespace mlir;
using namespace tritium::cpu;

namespace {

class DotEmitter {
public:
  DotEmitter(OpBuilder &b, Location loc, const TargetInfo &target, Type element, int64_t k,
             PackedMatrix a, PackedMatrix bMatrix, PackedMatrix acc, bool fromZero,
             ArrayRef<UpcomingTile> upcoming, DotForm form, const RowsInMemory *rowsOfB)
      : b(b), loc(loc), target(target), element(element), k(k), a(a), bMatrix(bMatrix), acc(acc),
        fromZero(fromZero), upcoming(upcoming), form(form), rowsOfB(rowsOfB), group(groupOf(form)),
        rowsAtOnce(rowsOf(form)),
        elementOfA(group == 1 ? element : b.getIntegerType(32 * rowsAtOnce / group)),
        lanes(target.vectorBits / element.getIntOrFloatBitWidth()),
        vector(VectorType::get(lanes, element)) {}

  void emit(int64_t rowCount, int64_t columnCount) {
    int64_t registers = (columnCount + lanes - 1) / lanes;
    m = rowCount;
    n = registers * lanes;
    BlockShape shape = blockShape(registers);
    // What is read where it lies comes in as many registers as a group has rows.
    int64_t unit = rowsOfB ? group / rowsAtOnce : 1;
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
        auto ofRows = [&](Value i, int64_t blockRows) { block(i, blockRows, first, blockColumns); };
        if (!rowsOfB || rows.pieces == 1)
          return forPieces(rows, ofRows);
        int64_t split = rows.longer * (rows.length + 1);
        int64_t firstRows = rows.length + (rows.longer > 0);
        groups = Groups::Put;
        ofRows(index(0), firstRows);
        groups = Groups::Taken;
        forRange(firstRows, split, rows.length + 1, ofRows);
        forRange(std::max(firstRows, split), m, rows.length, ofRows);
        groups = Groups::Read;
      });
  }

private:
  /// Of an unpacked b, for the block that is emitted: read from memory, and put to
  /// RowsInMemory::shared for the rows behind, or taken from there.
  enum class Groups { Read, Put, Taken };

  /// Register `number` of group `kk` of the columns, or, behind the last group, of what sums start
  /// from.
  Value sharedAt(Value kk, int64_t perGroup, int64_t number) {
    Value row = b.create<arith::MulIOp>(loc, kk, index(perGroup * lanes));
    return moved(address({rowsOfB->shared, 0, {}}, Value(), row), number * lanes);
  }

  /// A block has the columns of a panel, or, where b has none, as many as are best.
  BlockShape blockShape(int64_t registers) const {
    if (rowsOfB)
      return shapeOfFewRows(target, m, group / rowsAtOnce);
    int64_t groups = llvm::divideCeil(k, group);
    int64_t panel = bMatrix.panelRows ? bMatrix.rowStride / (rowsAtOnce * lanes) : 0;
    return chooseShape(target, m, registers, groups, rowsAtOnce, panel ? panel : 1,
                       panel ? panel : 8);
  }

  bool hasWidePanels() const {
    return bMatrix.panelRows && bMatrix.rowStride == kWidePanel * rowsAtOnce * lanes;
  }

  /// Steps of one round of the loop over k: FMA's ports are busy with one, but two are fewer
  /// instructions, which other work on the core takes a share of.
  int64_t stepsAtOnce() const { return hasWidePanels() && k / group % 2 == 0 ? 2 : 1; }

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
    int64_t rows = std::max<int64_t>(bMatrix.panelRows, 1);
    return b.createOrFold<arith::MulIOp>(loc, j, index(rowsAtOnce * rows));
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

  void store(Value value, Value pointer) {
    b.create<LLVM::StoreOp>(loc, value, pointer, element.getIntOrFloatBitWidth() / 8);
  }

  Value moved(Value pointer, int64_t offset) { return moved(pointer, offset, element); }

  Value moved(Value pointer, int64_t offset, Type type) {
    if (offset == 0)
      return pointer;
    return b.create<LLVM::GEPOp>(loc, pointer.getType(), type, pointer,
                                 ArrayRef<LLVM::GEPArg>{int32_t(offset)}, /*inbounds=*/true);
  }

  /// What of a's rows, of each the `valid` elements from a pointer on, all lanes of b meet.
  Value wordsOfA(ArrayRef<Value> pointers, int64_t valid) {
    if (group == 1)
      return b.create<vector::BroadcastOp>(loc, vector, load(element, pointers.front(), 0));
    return emitGroups(b, loc, form, lanes, pointers, valid);
  }

  Value multiplyAdd(Value x, Value y, Value sum) {
    return emitMultiplyAdd(b, loc, target, form, x, y, sum);
  }

  Value byteAddress(Value base, Value bytes) {
    return b.create<LLVM::GEPOp>(loc, base.getType(), b.getI8Type(), base,
                                 ArrayRef<LLVM::GEPArg>{bytes});
  }

  /// Whether a product is a few steps, which need no loop.
  bool isBrief() const { return rowsOfB && m <= kVeryFewRows && k / group <= 8; }

  /// Where blocks of an unpacked b ask for later rows, to the second-level cache: rows that are a
  /// power of two apart compete for few sets of the first-level cache. The fewer, the further
  /// ahead.
  Value distanceOfBlock(Value j, int64_t bytesOfBlock) {
    constexpr int64_t far = 1024;
    Value column = b.create<arith::IndexCastOp>(loc, b.getI64Type(), columnOfB(j));
    return distanceAhead(b, loc, column, rowsOfB->rowStride, k, n * rowsOfB->elementBytes,
                         isBrief() ? far : 2 * bytesOfBlock);
  }

  /// The words of a group of rows of an unpacked b.
  SmallVector<Value> readRows(Value bBlock, Value kk, int64_t columns) {
    auto constant = [&](int64_t value) -> Value {
      return b.create<arith::ConstantIntOp>(loc, value, 64);
    };
    int64_t rowBytes = columns * lanes * rowsOfB->elementBytes, perGroup = columns * rowsAtOnce;
    SmallVector<Value> words;
    if (groups == Groups::Taken) {
      for (int64_t i = 0; i < perGroup; ++i)
        words.push_back(load(vector, sharedAt(kk, perGroup, i), 0));
      return words;
    }
    Value row = b.create<arith::MulIOp>(loc, b.create<arith::IndexCastOp>(loc, b.getI64Type(), kk),
                                        constant(group));
    Value first = byteAddress(bBlock, b.create<arith::MulIOp>(loc, row, rowsOfB->rowStride));
    fetchRows(b, loc, byteAddress(first, distance), rowsOfB->rowStride, group, rowBytes,
              FetchTo::SecondCache);
    int64_t atOnce = group / rowsAtOnce * lanes * rowsOfB->elementBytes;
    for (int64_t byte = 0; byte < rowBytes; byte += atOnce)
      llvm::append_range(words, rowsOfB->read(byteAddress(first, constant(byte))));
    if (groups == Groups::Put)
      for (auto [i, word] : llvm::enumerate(words))
        store(word, sharedAt(kk, perGroup, i));
    return words;
  }

  /// One step of a block: the group of k that is `further` behind group `kk`, of `valid` elements.
  void emitStep(ArrayRef<Value> aRows, Value bBlock, Value kk, int64_t columns,
                SmallVectorImpl<Value> &sums, int64_t valid, int64_t further = 0) {
    Value column = group == 1 ? kk : b.create<arith::MulIOp>(loc, kk, index(group)).getResult();
    Value aPointer = address({aRows.front(), a.rowStride, {}}, Value(), column, elementOfA);
    SmallVector<Value> bs = rowsOfB ? readRows(bBlock, kk, columns) : SmallVector<Value>();
    Value bPointer = address({bBlock, bMatrix.rowStride, {}}, kk, Value());
    for (int64_t i = bs.size(); i < columns * rowsAtOnce; ++i)
      bs.push_back(load(vector, bPointer, further * bMatrix.rowStride + i * lanes));
    int64_t rows = aRows.size();
    auto rowAt = [&](int64_t row) {
      Value pointer = a.byteStride ? address({aRows[row], 0, {}}, Value(), column, elementOfA)
                                   : moved(aPointer, row * a.rowStride, elementOfA);
      return moved(pointer, further * group, elementOfA);
    };
    for (int64_t row = 0; row < rows; row += rowsAtOnce) {
      // An odd row is its own neighbour.
      SmallVector<Value> pointers{rowAt(row)};
      for (int64_t next = 1; next < rowsAtOnce; ++next)
        pointers.push_back(row + next < rows ? rowAt(row + next) : pointers.front());
      Value words = wordsOfA(pointers, valid);
      for (auto [i, ofB] : llvm::enumerate(bs)) {
        Value &sum = sums[row * columns + i];
        sum = multiplyAdd(words, ofB, sum);
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
  bool findsColumnSums() const { return rowsOfB && hasStartRow(form) && groups != Groups::Taken; }

  Value ones() { return constantOf(0x01010101); }

  Value constantOf(int32_t word) {
    return b.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(vector, APInt(32, word, /*isSigned=*/true)));
  }

  /// Adds to the sums of a block what they should have started from.
  void addColumnSums(SmallVectorImpl<Value> &sums, int64_t rows, int64_t columns) {
    Value factor = constantOf(form == DotForm::SignedQuads ? -128 : 128);
    for (int64_t column = 0; column < columns; ++column) {
      Value at = groups == Groups::Read ? Value() : sharedAt(index(k / group), columns, column);
      Value start = groups == Groups::Taken
                        ? load(vector, at, 0)
                        : b.create<arith::MulIOp>(loc, sums[rows * columns + column], factor);
      if (groups == Groups::Put)
        store(start, at);
      for (int64_t row = 0; row < rows; ++row) {
        Value &sum = sums[row * columns + column];
        sum = b.create<arith::AddIOp>(loc, sum, start);
      }
    }
  }

  /// Rows that are no distance apart stand for a tile that will not be read.
  void fetchIfAny(const UpcomingTile &tile, Value i, Value j, int64_t rows) {
    BlockOfProduct block{m, n, i, j, rows, columnPieces};
    if (!hasWidePanels())
      return fetchPart(b, loc, tile, block);
    Value isRead = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, tile.rowStride,
                                           b.create<arith::ConstantIntOp>(loc, 0, 64));
    auto branch = b.create<scf::IfOp>(loc, isRead, /*else=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    fetchPart(b, loc, tile, block);
  }

  /// Rows of sums as the product adds to them. Where it takes two rows at once, a register has two
  /// columns of both, and those of a pair stand in the order of columns. With `back` the other way.
  SmallVector<Value> arranged(ArrayRef<Value> sums, int64_t columns, bool back) {
    if (rowsAtOnce == 1)
      return SmallVector<Value>(sums);
    SmallVector<Value> result(sums.size());
    for (int64_t first = 0; first < int64_t(sums.size()); first += 2 * columns)
      for (int64_t column = 0; column < columns; ++column) {
        std::array<int64_t, 2> rows{first + column, first + columns + column};
        std::array<int64_t, 2> blocks{first + 2 * column, first + 2 * column + 1};
        auto [from, to] = back ? std::pair(blocks, rows) : std::pair(rows, blocks);
        for (int64_t half : {0, 1})
          result[to[half]] = b.create<vector::ShuffleOp>(
              loc, sums[from[0]], sums[from[1]],
              ArrayRef<int64_t>{2 * half, 2 * half + 1, lanes + 2 * half, lanes + 2 * half + 1});
      }
    return result;
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
    sums.resize(llvm::alignTo(rows, rowsAtOnce) * columns, zero());
    return arranged(sums, columns, /*back=*/false);
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

  /// Where the result of a block begins.
  Value resultOf(Value i, Value j) {
    Value row = b.create<arith::IndexCastOp>(loc, b.getI64Type(), i);
    Value first = byteAddress(acc.result, b.create<arith::MulIOp>(loc, row, acc.resultStride));
    return address({first, 0, {}}, Value(), j);
  }

  void emitBlock(Value i, Value j, int64_t rows, int64_t columns) {
    for (const UpcomingTile &tile : upcoming)
      fetchIfAny(tile, i, j, rows);
    SmallVector<Value> aRows(rows);
    for (int64_t row = 0; row < rows; ++row)
      aRows[row] = a.byteStride ? rowOfA(i, row ? aRows[row - 1] : Value())
                                : address(a, i, Value(), elementOfA);
    Value bBlock =
        rowsOfB ? byteAddress(bMatrix.base,
                              b.create<arith::IndexCastOp>(loc, b.getI64Type(), columnOfB(j)))
                : address(bMatrix, Value(), columnOfB(j));
    if (rowsOfB)
      distance = distanceOfBlock(j, columns * lanes * rowsOfB->elementBytes);
    Value accBlock = address(acc, i, j);
    SmallVector<Value> sums = startOf(accBlock, bBlock, rows, columns);
    if (findsColumnSums())
      sums.append(columns, zero());

    int64_t wholeGroups = k / group, atOnce = stepsAtOnce();
    if (isBrief()) {
      for (int64_t step = 0; step < wholeGroups; ++step)
        emitStep(aRows, bBlock, index(step), columns, sums, group);
    } else if (wholeGroups > 0) {
      auto loop = b.create<scf::ForOp>(loc, index(0), index(wholeGroups), index(atOnce), sums);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      SmallVector<Value> inner(loop.getRegionIterArgs());
      for (int64_t step = 0; step < atOnce; ++step)
        emitStep(aRows, bBlock, loop.getInductionVar(), columns, inner, group, step);
      b.create<scf::YieldOp>(loc, inner);
      sums.assign(loop.result_begin(), loop.result_end());
    }
    if (k % group)
      emitStep(aRows, bBlock, index(wholeGroups), columns, sums, k % group);
    if (rowsOfB && hasStartRow(form))
      addColumnSums(sums, rows, columns);

    sums = arranged(sums, columns, /*back=*/true);
    Value result = acc.result ? resultOf(i, j) : Value();
    for (int64_t row = 0; row < rows; ++row) {
      if (result && row)
        result = byteAddress(result, acc.resultStride);
      for (int64_t column = 0; column < columns; ++column)
        store(sums[row * columns + column],
              result ? moved(result, column * lanes)
                     : moved(accBlock, row * acc.rowStride + column * lanes));
    }
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
  Groups groups = Groups::Read;
  Value distance; ///< of the block that is emitted
  int64_t group, rowsAtOnce;
  Type elementOfA;
  int64_t m = 0, n = 0, columnPieces = 1;
  int64_t lanes;
  VectorType vector;
};

} // namespace

/// A block of four registers of columns reads eight operands for 16 products, one of two reads ten.
/// A panel for it, 128 rows of 256 bytes, takes two thirds of a large first-level cache, and leaves
/// a third for the four rows of `a`, which may compete for few of its sets.
int64_t tritium::cpu::panelLanes(const TargetInfo &target, DotForm form, int64_t lanes,
                                 int64_t columns) {
  if (target.hasLargeFirstCache && form == DotForm::Single && columns % (kWidePanel * lanes) == 0)
    return kWidePanel * lanes;
  return columns <= lanes ? lanes : 2 * lanes;
}

int64_t tritium::cpu::bytesOfSharedGroups(const TargetInfo &target, DotForm form, int64_t m,
                                          int64_t k) {
  BlockShape shape = shapeOfFewRows(target, m, groupOf(form) / rowsOf(form));
  int64_t rows = k / groupOf(form) * rowsOf(form) + hasStartRow(form);
  return shape.rows < m ? rows * shape.columns * target.vectorBits / 8 : 0;
}

void tritium::cpu::emitDot(OpBuilder &builder, Location loc, const TargetInfo &target, Type element,
                           int64_t m, int64_t n, int64_t k, PackedMatrix a, PackedMatrix b,
                           PackedMatrix acc, bool fromZero, ArrayRef<UpcomingTile> upcoming,
                           DotForm form, const RowsInMemory *rows) {
  DotEmitter(builder, loc, target, element, k, a, b, acc, fromZero, upcoming, form, rows)
      .emit(m, n);
}
