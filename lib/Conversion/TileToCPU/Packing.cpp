//===- Packing.cpp - operands of products, as the micro-kernel reads them --===//
//
// Where a product takes several k at once, a group of them stands together for each column of
// its second operand. For groups of two:
//
//   row 0   a0 a1 a2 a3       a0 b0 a1 b1 a2 b2 a3 b3
//   row 1   b0 b1 b2 b3  -->  c0 0  c1 0  c2 0  c3 0
//   row 2   c0 c1 c2 c3
//
// Groups of four are made in two rounds: first their bytes are interleaved, then the pairs; groups
// of eight in three.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

/// `value`, of integers, with elements of the wider type `to`.
Value Lowering::extendedTo(Type to, Value value, bool isUnsigned) {
  auto vector = dyn_cast<VectorType>(value.getType());
  Type type = shaped(to, vector ? vector.getNumElements() : 1);
  return isUnsigned ? b.create<arith::ExtUIOp>(loc, type, value).getResult()
                    : b.create<arith::ExtSIOp>(loc, type, value).getResult();
}

/// Copies an operand to where it has elements of the type that the product reads.
void Lowering::emitPacking(const DotPlan::Operand &operand, bool isUnsigned) {
  if (operand.packed == operand.stored)
    return;
  ArrayRef<int64_t> shape = operand.packed->shape;
  Type compute = operand.packed->element;
  int64_t registerLanes = target.vectorBits / 8 / tt::scalarBytes(compute);
  int64_t width = std::min<int64_t>(registerLanes, llvm::PowerOf2Ceil(shape.back()));
  std::function<void(unsigned, Index)> rows = [&](unsigned d, Index index) {
    bool last = d + 1 == shape.size();
    int64_t extent = shape[d], step = last ? width : 1;
    forPieces(extent, step, [&](Value i, int64_t valid) {
      Index next = index;
      next.dims.push_back({last && width > 1 ? DimIndex::Lanes : DimIndex::Scalar, i});
      if (!last)
        return rows(d + 1, next);
      next.width = width;
      next.valid = valid;
      Chunk chunk = readBuffer(*operand.stored, next);
      if (isa<IntegerType>(compute) && operand.stored->element != compute)
        chunk.v = extendedTo(compute, chunk.v, isUnsigned);
      writeBuffer(*operand.packed, next, chunk);
    });
  };
  rows(0, {});
}

/// The first halves of two vectors, element by element, and the second ones, as integers of twice
/// the width.
static std::array<Value, 2> interleaved(OpBuilder &b, Location loc, Value x, Value y) {
  auto type = cast<VectorType>(x.getType());
  int64_t lanes = type.getNumElements();
  auto wide = VectorType::get(lanes / 2, b.getIntegerType(2 * type.getElementTypeBitWidth()));
  std::array<Value, 2> halves;
  for (int64_t half : {0, 1}) {
    SmallVector<int64_t> order;
    for (int64_t i = half * lanes / 2; i < (half + 1) * lanes / 2; ++i)
      order.append({i, lanes + i});
    Value mixed = b.create<vector::ShuffleOp>(loc, x, y, order);
    halves[half] = b.create<LLVM::BitcastOp>(loc, wide, mixed);
  }
  return halves;
}

/// What is loaded from `at`, elements of type `from` in memory, as elements of the product's type
/// `to`. Lanes from `valid` on are zero, their memory is not read.
Value Lowering::loadConverted(Value at, Type from, Type to, int64_t lanes, bool isUnsigned,
                              int64_t valid) {
  Type storage = storageType(from);
  unsigned bytes = tt::scalarBytes(from);
  Value stored = valid < lanes
                     ? maskedLoad(VectorType::get(lanes, storage), at, firstLanes(valid, lanes),
                                  zeroOf(storage, lanes), bytes)
                     : b.create<LLVM::LoadOp>(loc, shaped(storage, lanes), at, bytes).getResult();
  if (from == to)
    return stored;
  if (isa<IntegerType>(to))
    return extendedTo(to, stored, isUnsigned);
  return encodeStorage(decodeStorage(stored, from), to);
}

/// The groups of a power of two of rows, in the order of their columns: as many registers as rows.
static SmallVector<Value> grouped(OpBuilder &b, Location loc, ArrayRef<Value> rows) {
  if (rows.size() == 1)
    return {rows.front()};
  size_t half = rows.size() / 2;
  SmallVector<Value> groups;
  for (auto [first, second] : llvm::zip_equal(grouped(b, loc, rows.take_front(half)),
                                              grouped(b, loc, rows.drop_front(half))))
    llvm::append_range(groups, interleaved(b, loc, first, second));
  return groups;
}

/// As many rows as a group has k, of as many columns as a row has elements in a register: the
/// groups of these columns, in their order. Rows from `valid` on, and columns from `columns` on,
/// are zero.
SmallVector<Value> Lowering::readGroup(const DotPlan &dot, Type from, Type to, Value at,
                                       Value rowStride, int64_t valid, int64_t columns) {
  int64_t lanes = target.vectorBits / 8 / tt::scalarBytes(to);
  SmallVector<Value> rows(groupOf(dot.form), zeroOf(storageType(to), lanes));
  for (int64_t row = 0; row < valid; ++row)
    rows[row] = loadConverted(row ? gep(at, mul(rowStride, row)) : at, from, to, lanes,
                              dot.isUnsigned, std::min(columns, lanes));
  return grouped(b, loc, rows);
}

/// Copies rows of k elements of type `from`, the function's last argument bytes apart.
func::FuncOp Lowering::rowsFunction(const DotPlan &dot, Type from, int64_t rows, int64_t k) {
  const Buffer &to = *dot.a.packed;
  int64_t bytes = tt::scalarBytes(to.element), lanes = target.vectorBits / 8 / bytes;
  std::string name;
  llvm::raw_string_ostream(name) << "rows_" << rows << "x" << k << "_" << from << "_" << to.element
                                 << "_" << to.rowStride << (dot.isUnsigned ? "_unsigned" : "");
  return sharedFunction(name, 2, 1, [&](Block::BlockArgListType arguments) {
    forPieces(rows, 1, [&](Value row, int64_t) {
      Value source = gep(arguments[0], mul(row, arguments[2]));
      Value copy = gep(arguments[1], mul(row, to.rowStride * bytes));
      forPieces(k, lanes, [&](Value column, int64_t) {
        Value elements = loadConverted(gep(source, mul(column, tt::scalarBytes(from))), from,
                                       to.element, lanes, dot.isUnsigned);
        b.create<LLVM::StoreOp>(loc, elements, gep(copy, mul(column, bytes)), bytes);
      });
    });
  });
}

/// From k rows of n elements of type `from`, the function's last argument bytes apart, to groups.
/// Memory is read row by row.
func::FuncOp Lowering::groupingFunction(const DotPlan &dot, Type from, int64_t n, int64_t k) {
  const Buffer &to = *dot.b.packed;
  int64_t group = groupOf(dot.form), registerBytes = target.vectorBits / 8;
  int64_t fromBytes = tt::scalarBytes(from);
  int64_t columnsAtOnce = registerBytes / tt::scalarBytes(to.element);
  int64_t toRow = to.rowStride * tt::scalarBytes(to.element);
  std::string name;
  llvm::raw_string_ostream(name) << "group_" << k << "x" << n << "_" << from << "_" << to.element
                                 << "_" << toRow << (dot.panelRows ? "_panels" : "")
                                 << (dot.isUnsigned ? "_unsigned" : "");
  return sharedFunction(name, 2, 1, [&](Block::BlockArgListType arguments) {
    Value rowStride = arguments[2];
    int64_t laneBytes = group * tt::scalarBytes(to.element);
    int64_t panelBytes = dot.panelRows * toRow, panelRegisters = toRow / registerBytes;
    // Of register `number` of a row: behind each other in memory, or in the rows of panels.
    auto byteOf = [&](int64_t number) {
      return dot.panelRows
                 ? number / panelRegisters * panelBytes + number % panelRegisters * registerBytes
                 : number * registerBytes;
    };
    auto pack = [&](Value source, Value packed, int64_t rows, int64_t columns) {
      for (int64_t column = 0; column < columns; column += columnsAtOnce) {
        SmallVector<Value> words =
            readGroup(dot, from, to.element, gep(source, i64(column * fromBytes)), rowStride, rows,
                      columns - column);
        for (auto [i, word] : llvm::enumerate(words)) {
          int64_t byte = column * laneBytes + i * registerBytes;
          if (byte < llvm::alignTo(columns, target.vectorBits / 32) * laneBytes)
            b.create<LLVM::StoreOp>(loc, word, gep(packed, i64(byteOf(byte / registerBytes))),
                                    laneBytes);
        }
      }
    };
    constexpr int64_t unrolled = 4; // a multiple of the registers in a row of a panel
    forPieces(k, group, [&](Value row, int64_t rows) {
      Value number = b.createOrFold<arith::DivUIOp>(loc, row, i64(group));
      Value source = gep(arguments[0], mul(row, rowStride));
      Value packed = gep(arguments[1], mul(number, toRow));
      forPieces(n, unrolled * columnsAtOnce, [&](Value column, int64_t valid) {
        pack(gep(source, mul(column, fromBytes)), columnOfPacked(dot, packed, column), rows, valid);
      });
    });
  });
}

/// Where column `column`, the first one of a panel if b stands in panels, begins.
Value Lowering::columnOfPacked(const DotPlan &dot, Value packed, Value column) {
  int64_t laneBytes = groupOf(dot.form) * tt::scalarBytes(dot.b.packed->element);
  return gep(packed, mul(column, laneBytes * std::max<int64_t>(dot.panelRows, 1)));
}

/// The row behind the last group: what the sums of each column start from.
func::FuncOp Lowering::startFunction(const DotPlan &dot, int64_t n, int64_t k) {
  bool isSigned = dot.form == DotForm::SignedQuads;
  int64_t groups = llvm::divideCeil(k, groupOf(dot.form)), lanes = target.vectorBits / 32;
  int64_t rowBytes = dot.b.packed->rowStride;
  std::string name;
  llvm::raw_string_ostream(name) << (isSigned ? "start_" : "start_unsigned_") << groups << "x" << n
                                 << "_" << rowBytes;
  return sharedFunction(name, 1, 0, [&](Block::BlockArgListType arguments) {
    auto words = VectorType::get(lanes, b.getI32Type());
    Value ones = splat(constant(b.getI32Type(), 0x01010101), lanes);
    Value factor = splat(constant(b.getI32Type(), isSigned ? -128 : 128), lanes);
    auto columns = [&](Value column, int64_t count) {
      Value packed = gep(arguments[0], mul(column, 4));
      auto at = [&](Value row, int64_t i) {
        return gep(packed, add(mul(row, rowBytes), i64(i * lanes * 4)));
      };
      SmallVector<Value> sums(count, zeroOf(b.getI32Type(), lanes));
      sums = loop(i64(0), i64(groups), 1, sums, [&](Value row, ValueRange before) {
        SmallVector<Value> after;
        for (auto [i, sum] : llvm::enumerate(before)) {
          Value group = b.create<LLVM::LoadOp>(loc, words, at(row, i), 4);
          after.push_back(isSigned ? emitByteDot(b, loc, sum, ones, group)
                                   : emitByteDot(b, loc, sum, group, ones));
        }
        return after;
      });
      for (auto [i, sum] : llvm::enumerate(sums))
        b.create<LLVM::StoreOp>(loc, b.create<arith::MulIOp>(loc, sum, factor), at(i64(groups), i),
                                4);
    };
    constexpr int64_t atOnce = 4;
    forPieces(n, atOnce * lanes, [&](Value column, int64_t valid) {
      columns(column, llvm::divideCeil(valid, lanes));
    });
  });
}

/// Packs one b: k rows of n elements of type `from`, or, turned over, n rows of k.
void Lowering::packMatrix(const DotPlan &dot, Type from, DirectRead matrix, Value packed, int64_t n,
                          int64_t k) {
  const Buffer &to = *dot.b.packed;
  int64_t group = groupOf(dot.form), lanesOfRow = to.rowStride / group;
  int64_t atOnce = dot.panelRows ? lanesOfRow : n;
  if (!dot.b.isTurned)
    b.create<func::CallOp>(loc, groupingFunction(dot, from, n, k),
                           ValueRange{matrix.base, packed, matrix.rowStride});
  // A word is a group of k already where these stand side by side.
  Type word = group == 1 ? storageType(to.element) : Type(b.getIntegerType(32 * rowsOf(dot.form)));
  if (dot.b.isTurned)
    forPieces(n, atOnce, [&](Value column, int64_t valid) {
      func::FuncOp function = transposeFunction(word, valid, k / group, std::nullopt, lanesOfRow);
      b.create<func::CallOp>(loc, function,
                             ValueRange{gep(matrix.base, mul(column, matrix.rowStride)),
                                        columnOfPacked(dot, packed, column), matrix.rowStride});
    });
  if (!hasStartRow(dot.form))
    return;
  OpBuilder::InsertionGuard guard(b);
  if (dot.onTiles) {
    Value isRefused = compare(arith::CmpIPredicate::ne, tilesRefused, i64(0));
    auto branch = b.create<scf::IfOp>(loc, isRefused, /*else=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  forPieces(n, atOnce, [&](Value column, int64_t valid) {
    b.create<func::CallOp>(loc, startFunction(dot, valid, k),
                           ValueRange{columnOfPacked(dot, packed, column)});
  });
}

/// Packs b in groups; where it begins.
Value Lowering::emitGrouping(tt::DotOp op, const DotPlan &dot) {
  const Buffer &from = *dot.b.stored, &to = *dot.b.packed;
  ArrayRef<int64_t> shape = op.getB().getType().getShape();
  int64_t rank = shape.size(), k = shape[rank - 2], n = shape[rank - 1];
  int64_t batches = rank == 2 ? 1 : shape[0];
  DirectRead matrix{bufferBase(from), i64(from.rowStride * tt::scalarBytes(from.element))};
  if (dot.b.readsMemory)
    matrix = directReads.lookup(op.getB());
  if (dot.kept) {
    auto loop = cast<scf::ForOp>(op->getParentOp());
    Value behind = scalarI64(loop.getInductionVar());
    if (!dot.sharesKept)
      behind = sub(behind, scalarI64(loop.getLowerBound()));
    Slot slot =
        slotOf(dot, b.create<arith::DivUIOp>(loc, behind, scalarI64(loop.getStep())).getResult());
    packIntoSlot(dot, from.element, slot, matrix, n, k);
    return slot.packed;
  }
  forPieces(batches, 1, [&](Value batch, int64_t) {
    Value packed = gep(bufferBase(to), mul(batch, to.bytes / batches));
    Value source = gep(matrix.base, mul(batch, from.bytes / batches));
    packMatrix(dot, from.element, {source, matrix.rowStride}, packed, n, k);
  });
  return bufferBase(to);
}

} // namespace tritium::cpu
