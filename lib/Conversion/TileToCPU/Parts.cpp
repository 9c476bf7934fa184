//===- Parts.cpp - operands of products as sums of two bf16 ---------------===//
//
// AMX multiplies bf16. A number of fp16 is exactly the sum of two of them, one of fp32 up to 2^-17
// of it:
//
//   high = bf16(x)      low = bf16(x - high)
//
// A matrix of such numbers is split while it is copied or packed:
//
//   row of a      x0 x1 x2 x3   -->   h0 h1 h2 h3 l0 l1 l2 l3
//   rows of b     x0 x1         -->   h(x0) h(y0) h(x1) h(y1)     groups of high parts
//                 y0 y1               l(x0) l(y0) l(x1) l(y1)     behind all of them, of low ones
//
// Infinities and NaNs have no such sums, nor has what would be rounded to infinity; what is very
// small has a low part that AMX takes for zero. Where such a number is seen, the rounds are not
// multiplied at once but go by the loop's own steps.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

/// As bits: the greatest number that is not rounded to infinity, and 2^-109: what AMX takes for
/// zero of a low part, less than 2^-126, is less than 2^-17 of the number.
constexpr int64_t kMostMagnitude = 0x7f7f7fff, kLeastMagnitude = (127 - 109) << 23;
/// Of fp16: the greatest number. The least one is far above 2^-109.
constexpr int64_t kMostHalf = 0x7bff;

/// The words whose upper halves are the parts of `x`, in fp32, which has been of type `from`.
std::array<Value, 2> Lowering::splitNumbers(Value x, Type from) {
  auto numbers = cast<VectorType>(x.getType());
  int64_t lanes = numbers.getNumElements();
  auto words = VectorType::get(lanes, b.getI32Type());
  auto all = [&](int64_t value) { return splat(constant(b.getI32Type(), value), lanes); };
  auto bitsOf = [&](Value number) { return b.create<arith::BitcastOp>(loc, words, number); };
  // To nearest; it does not matter which of two that are as near. The 11 bits of fp16 need no
  // rounding: the first 8 of them are high, the others low.
  auto rounded = [&](Value bits) -> Value {
    return from.isF16() ? bits : b.create<arith::AddIOp>(loc, bits, all(0x8000)).getResult();
  };
  Value high = rounded(bitsOf(x));
  Value upper = b.create<arith::AndIOp>(loc, high, all(int32_t(0xffff0000)));
  Value rest = b.create<arith::SubFOp>(loc, x, b.create<arith::BitcastOp>(loc, numbers, upper));
  return {high, rounded(bitsOf(rest))};
}

/// Looks at numbers in memory. `seen`: for each lane the greatest magnitude, and of fp32 the least
/// one less 1, for which zero is the greatest of all.
void Lowering::seeNumbers(Value at, Type from, SmallVectorImpl<Value> &seen) {
  auto words = cast<VectorType>(seen.front().getType());
  Type word = words.getElementType();
  int64_t lanes = words.getNumElements(), bits = word.getIntOrFloatBitWidth();
  auto all = [&](int64_t value) { return splat(constant(word, value), lanes); };
  Value loaded = b.create<LLVM::LoadOp>(loc, words, at, tt::scalarBytes(from));
  Value magnitude = b.create<arith::AndIOp>(loc, loaded, all((int64_t(1) << (bits - 1)) - 1));
  seen[0] = b.create<arith::MaxUIOp>(loc, seen[0], magnitude);
  if (!from.isF16())
    seen[1] =
        b.create<arith::MinUIOp>(loc, seen[1], b.create<arith::SubIOp>(loc, magnitude, all(1)));
}

/// Sets the word at `verdict` if a magnitude that was seen is out of bounds.
void Lowering::judge(ValueRange seen, Type from, Value verdict) {
  Type word = cast<VectorType>(seen.front().getType()).getElementType();
  auto reduced = [&](vector::CombiningKind kind, Value lanes) {
    return b.create<vector::ReductionOp>(loc, kind, lanes);
  };
  Value bad = compare(arith::CmpIPredicate::ugt, reduced(vector::CombiningKind::MAXUI, seen[0]),
                      constant(word, from.isF16() ? kMostHalf : kMostMagnitude));
  if (!from.isF16())
    bad = b.create<arith::OrIOp>(loc, bad,
                                 compare(arith::CmpIPredicate::ult,
                                         reduced(vector::CombiningKind::MINUI, seen[1]),
                                         constant(word, kLeastMagnitude - 1)));
  Value before = b.create<LLVM::LoadOp>(loc, b.getI64Type(), verdict, 8);
  Value isBad = b.create<arith::ExtUIOp>(loc, b.getI64Type(), bad);
  b.create<LLVM::StoreOp>(loc, b.create<arith::OrIOp>(loc, before, isBad), verdict, 8);
}

/// What seeNumbers has seen, of so many at once, before it sees any.
SmallVector<Value> Lowering::seenNothing(Type from, int64_t lanes) {
  auto all = [&](Type word, int64_t value) { return splat(constant(word, value), lanes); };
  if (from.isF16())
    return {all(b.getI16Type(), 0)};
  return {all(b.getI32Type(), 0), all(b.getI32Type(), -1)};
}

/// From rows of k elements of type `from`, the function's last argument bytes apart, to rows of
/// their parts, `toStride` elements apart. The third argument is the verdict.
func::FuncOp Lowering::splitRowsFunction(Type from, int64_t rows, int64_t k, int64_t toStride) {
  int64_t lanes = target.lanesF32(), fromBytes = tt::scalarBytes(from);
  std::string name;
  llvm::raw_string_ostream(name) << "parts_of_rows_" << rows << "x" << k << "_" << from << "_"
                                 << toStride;
  return sharedFunction(name, 3, 1, [&](Block::BlockArgListType arguments) {
    auto halves = VectorType::get(2 * lanes, b.getI16Type());
    SmallVector<int64_t> upper;
    for (int64_t i = 0; i < 2 * lanes; ++i)
      upper.push_back(2 * i + 1);
    int64_t lanesSeen = 4 * lanes / fromBytes;
    auto numbers = [&](Value source, Value copy, ValueRange before) {
      SmallVector<Value> seen(before);
      std::array<std::array<Value, 2>, 2> words;
      for (int64_t i = 0; i < 2 * lanes; i += lanesSeen)
        seeNumbers(gep(source, i64(i * fromBytes)), from, seen);
      for (int64_t i : {0, 1}) {
        Value at = gep(source, i64(i * lanes * fromBytes));
        words[i] = splitNumbers(loadConverted(at, from, b.getF32Type(), lanes, false), from);
      }
      for (int64_t part : {0, 1}) {
        Value x = b.create<LLVM::BitcastOp>(loc, halves, words[0][part]);
        Value y = b.create<LLVM::BitcastOp>(loc, halves, words[1][part]);
        b.create<LLVM::StoreOp>(loc, b.create<vector::ShuffleOp>(loc, x, y, upper),
                                gep(copy, i64(part * k * 2)), 2);
      }
      return seen;
    };
    SmallVector<Value> seen =
        loop(i64(0), i64(rows), 1, seenNothing(from, lanesSeen), [&](Value row, ValueRange before) {
          Value source = gep(arguments[0], mul(row, arguments[3]));
          Value copy = gep(arguments[1], mul(row, toStride * 2));
          return loop(i64(0), i64(k), 2 * lanes, before, [&](Value column, ValueRange inner) {
            return numbers(gep(source, mul(column, fromBytes)), gep(copy, mul(column, 2)), inner);
          });
        });
    judge(seen, from, arguments[2]);
  });
}

/// From k rows of n elements of type `from` to groups of their parts, in panels.
func::FuncOp Lowering::splitGroupsFunction(const DotPlan &dot, Type from, int64_t n, int64_t k) {
  int64_t lanes = target.lanesF32(), fromBytes = tt::scalarBytes(from);
  int64_t laneBytes = 4, panel = dot.b.packed->rowStride / groupOf(dot.form);
  std::string name;
  llvm::raw_string_ostream(name) << "parts_of_groups_" << k << "x" << n << "_" << from << "_"
                                 << panel;
  return sharedFunction(name, 3, 1, [&](Block::BlockArgListType arguments) {
    auto wordsOf = [&](Value source, Value packed, SmallVectorImpl<Value> &seen) {
      std::array<std::array<Value, 2>, 2> words;
      for (int64_t row : {0, 1}) {
        Value at = row ? gep(source, arguments[3]) : source;
        seeNumbers(at, from, seen);
        words[row] = splitNumbers(loadConverted(at, from, b.getF32Type(), lanes, false), from);
      }
      auto all = [&](int64_t value) { return splat(constant(b.getI32Type(), value), lanes); };
      for (int64_t part : {0, 1}) {
        Value first = b.create<arith::ShRUIOp>(loc, words[0][part], all(16));
        Value second = b.create<arith::AndIOp>(loc, words[1][part], all(int32_t(0xffff0000)));
        b.create<LLVM::StoreOp>(loc, b.create<arith::OrIOp>(loc, first, second),
                                gep(packed, i64(part * k / 2 * panel * laneBytes)), laneBytes);
      }
    };
    auto columns = [&](Value row, Value column, int64_t count, ValueRange before) {
      SmallVector<Value> seen(before);
      Value source = gep(arguments[0], add(mul(row, arguments[3]), mul(column, fromBytes)));
      Value group = b.create<arith::DivUIOp>(loc, row, i64(2));
      Value packed = gep(columnOfPacked(dot, arguments[1], column), mul(group, panel * laneBytes));
      for (int64_t i = 0; i < count; i += lanes)
        wordsOf(gep(source, i64(i * fromBytes)), gep(packed, i64(i * laneBytes)), seen);
      return seen;
    };
    int64_t full = n / panel * panel;
    SmallVector<Value> seen =
        loop(i64(0), i64(k), 2, seenNothing(from, lanes), [&](Value row, ValueRange before) {
          SmallVector<Value> after =
              loop(i64(0), i64(full), panel, before, [&](Value column, ValueRange inner) {
                return columns(row, column, panel, inner);
              });
          return full < n ? columns(row, i64(full), n - full, after) : after;
        });
    judge(seen, from, arguments[2]);
  });
}

/// Packs the parts of one b.
void Lowering::packParts(const DotPlan &dot, Type from, DirectRead matrix, Value packed, int64_t n,
                         int64_t k, Value verdict) {
  b.create<LLVM::StoreOp>(loc, i64(0), verdict, 8);
  if (!dot.b.isTurned) {
    b.create<func::CallOp>(loc, splitGroupsFunction(dot, from, n, k),
                           ValueRange{matrix.base, packed, verdict, matrix.rowStride});
    return;
  }
  const Buffer &rows = *dot.b.stored;
  int64_t panel = dot.b.packed->rowStride / groupOf(dot.form);
  Value split = bufferBase(rows);
  forPieces(n, panel, [&](Value column, int64_t valid) {
    b.create<func::CallOp>(loc, splitRowsFunction(from, valid, k, rows.rowStride),
                           ValueRange{gep(matrix.base, mul(column, matrix.rowStride)), split,
                                      verdict, matrix.rowStride});
    func::FuncOp turn = transposeFunction(b.getI32Type(), valid, k / 2, std::nullopt, panel);
    for (int64_t part : {0, 1}) {
      Value to = gep(columnOfPacked(dot, packed, column), i64(part * k / 2 * panel * 4));
      b.create<func::CallOp>(
          loc, turn, ValueRange{gep(split, i64(part * k * 2)), to, i64(rows.rowStride * 2)});
    }
  });
}

/// Where `isWhole` says that rounds can be multiplied at once, splits their operands; whether they
/// still can.
Value Lowering::splitOperands(const RoundsPlan &rounds, Value number, DirectRead a, DirectRead from,
                              Value isWhole) {
  Value isAllowed = compare(arith::CmpIPredicate::eq, tilesRefused, i64(0));
  auto branch =
      b.create<scf::IfOp>(loc, TypeRange{b.getI1Type()},
                          b.create<arith::AndIOp>(loc, isWhole, isAllowed), /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.elseBlock());
  b.create<scf::YieldOp>(loc, b.create<arith::ConstantIntOp>(loc, 0, 1).getResult());
  b.setInsertionPointToEnd(branch.thenBlock());
  Slot slot = slotOf(rounds, number);
  auto elementOf = [](tt::LoadOp load) { return pointeeOf(load.getPtr()); };
  Value isPacked =
      packIntoSlot(rounds.dot, elementOf(rounds.b.load), slot, from, rounds.n, rounds.k);
  countStrangers(rounds.dot, number, isPacked);
  const Buffer &copy = *rounds.dot.a.packed;
  Value verdict = bufferBase(*rounds.verdicts);
  b.create<LLVM::StoreOp>(loc, i64(0), verdict, 8);
  b.create<func::CallOp>(
      loc, splitRowsFunction(elementOf(rounds.a.load), rounds.m, rounds.k, copy.rowStride),
      ValueRange{a.base, bufferBase(copy), verdict, a.rowStride});
  Value bad = b.create<arith::OrIOp>(
      loc, b.create<LLVM::LoadOp>(loc, b.getI64Type(), verdict, 8).getResult(),
      b.create<LLVM::LoadOp>(loc, b.getI64Type(), slot.verdict, 8).getResult());
  b.create<scf::YieldOp>(loc, compare(arith::CmpIPredicate::eq, bad, i64(0)));
  return branch.getResult(0);
}

} // namespace tritium::cpu
