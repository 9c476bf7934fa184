//===- Packing.cpp - operands of products, as the micro-kernel reads them --===//
//
// Where a product takes several k at once, a group of them stands together for each column of
// its second operand. For groups of two:
//
//   row 0   a0 a1 a2 a3       a0 b0 a1 b1 a2 b2 a3 b3
//   row 1   b0 b1 b2 b3  -->  c0 0  c1 0  c2 0  c3 0
//   row 2   c0 c1 c2 c3
//
// Groups of four are made in two rounds: first their bytes are interleaved, then the pairs.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

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
      if (isa<IntegerType>(compute) && chunk.v.getType() != shaped(compute, width))
        chunk.v = isUnsigned
                      ? b.create<arith::ExtUIOp>(loc, shaped(compute, width), chunk.v).getResult()
                      : b.create<arith::ExtSIOp>(loc, shaped(compute, width), chunk.v).getResult();
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

/// As many rows as a lane has k, of as many columns as a row has elements in a register: the words
/// of these columns, in their order. Rows from `valid` on are zero.
SmallVector<Value> Lowering::readGroup(const Buffer &from, Type element, Value at, int64_t group,
                                       int64_t valid) {
  int64_t bytes = tt::scalarBytes(from.element), lanes = target.vectorBits / 32 * group;
  SmallVector<Value> rows(group, zeroOf(storageType(element), lanes));
  for (int64_t row = 0; row < valid; ++row) {
    Value stored = b.create<LLVM::LoadOp>(loc, VectorType::get(lanes, storageType(from.element)),
                                          gep(at, i64(row * from.rowStride * bytes)), bytes);
    rows[row] = from.element == element ? stored : encodeStorage(stored, element);
  }
  std::array<Value, 2> pairs = interleaved(b, loc, rows[0], rows[1]);
  if (group == 2)
    return {pairs[0], pairs[1]};
  std::array<Value, 2> others = interleaved(b, loc, rows[2], rows[3]);
  SmallVector<Value> words;
  for (int64_t half : {0, 1})
    llvm::append_range(words, interleaved(b, loc, pairs[half], others[half]));
  return words;
}

/// The second operand of `dot`, k rows of n elements, in groups; from one buffer to another.
func::FuncOp Lowering::groupingFunction(const DotPlan &dot, int64_t n, int64_t k) {
  const Buffer &from = *dot.b.stored, &to = *dot.b.packed;
  constexpr const char *forms[] = {"", "pairs", "quads", "unsigned_quads"};
  std::string name;
  llvm::raw_string_ostream(name) << forms[unsigned(dot.form)] << "_" << k << "x" << n << "_"
                                 << from.element << "_" << from.rowStride << "_" << to.rowStride;
  return sharedFunction(name, 2, 0, [&](Block::BlockArgListType arguments) {
    int64_t group = groupOf(dot.form), lanes = target.vectorBits / 32, columns = lanes * group;
    int64_t fromBytes = tt::scalarBytes(from.element);
    int64_t fromGroup = group * from.rowStride * fromBytes;
    int64_t toRow = to.rowStride * tt::scalarBytes(to.element);
    forPieces(n, columns, [&](Value column, int64_t valid) {
      Value source = gep(arguments[0], mul(column, fromBytes));
      Value packed = gep(arguments[1], mul(column, 4));
      int64_t count = llvm::divideCeil(valid, lanes);
      auto store = [&](ArrayRef<Value> vectors, Value row) {
        Value at = gep(packed, mul(row, toRow));
        for (int64_t i = 0; i < count; ++i)
          b.create<LLVM::StoreOp>(loc, vectors[i], gep(at, i64(i * lanes * 4)), 4);
      };
      // Packs group g, and adds its elements to the sums of the columns.
      auto pack = [&](Value g, int64_t rows, ValueRange before) {
        SmallVector<Value> words =
            readGroup(from, to.element, gep(source, mul(g, fromGroup)), group, rows);
        store(words, g);
        SmallVector<Value> sums;
        for (auto [sum, word] : llvm::zip_first(before, words))
          sums.push_back(columnSums(dot.form, sum, word));
        return sums;
      };
      SmallVector<Value> sums(hasStartRow(dot.form) ? count : 0, zeroOf(b.getI32Type(), lanes));
      if (k / group)
        sums = loop(i64(0), i64(k / group), 1, sums,
                    [&](Value g, ValueRange before) { return pack(g, group, before); });
      if (k % group)
        sums = pack(i64(k / group), k % group, sums);
      if (!hasStartRow(dot.form))
        return;
      Value factor =
          splat(constant(b.getI32Type(), dot.form == DotForm::SignedQuads ? -128 : 128), lanes);
      for (Value &sum : sums)
        sum = b.create<arith::MulIOp>(loc, sum, factor);
      store(sums, i64(llvm::divideCeil(k, group)));
    });
  });
}

/// `sums` and the four bytes of each of `words`.
Value Lowering::columnSums(DotForm form, Value sums, Value words) {
  Value ones = splat(constant(b.getI32Type(), 0x01010101), target.vectorBits / 32);
  return form == DotForm::SignedQuads ? emitByteDot(b, loc, sums, ones, words)
                                      : emitByteDot(b, loc, sums, words, ones);
}

void Lowering::emitGrouping(const DotPlan &dot, int64_t n, int64_t k, int64_t batches) {
  func::FuncOp function = groupingFunction(dot, n, k);
  const Buffer &from = *dot.b.stored, &to = *dot.b.packed;
  forPieces(batches, 1, [&](Value batch, int64_t) {
    b.create<func::CallOp>(loc, function,
                           ValueRange{gep(bufferBase(from), mul(batch, from.bytes / batches)),
                                      gep(bufferBase(to), mul(batch, to.bytes / batches))});
  });
}

} // namespace tritium::cpu
