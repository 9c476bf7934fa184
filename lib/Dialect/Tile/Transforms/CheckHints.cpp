//===- CheckHints.cpp - tt-check-hints ------------------------------------===//
//
// The check of a hint becomes the arithmetic that finds the first element of which the hint does
// not hold, and an assertion that reports it:
//
//   tt.check_hint divisibility [16] of %x, "..." : tensor<64xi32>
//   ->
//   %i = tt.make_range 0 to 64
//   %holds = %x % 16 == 0 || %i % c != 0     (c: the elements of x that count up together)
//   %at = min of (%holds ? 64 : %i)
//   %value = sum of (%i == %at ? %x : 0)
//   tt.assert %at == 64, "...: element" reports %at, %value
//
// A check says what AxisInfo.h claims, of numbers that do not wrap, along one dimension:
//
//   contiguity v     x is what its aligned run of v elements begins with, plus the place in it
//   constancy v      x is what its aligned run of v elements begins with
//   divisibility v   x is a multiple of v at the beginning of each run that is known to count up,
//                    from the kernel or from a hint; where none is known, that is each element
//
// What a run begins with is summed up from a tile that is zero everywhere else. All of it works on
// the elements in one row, as i64; a pointer is its address.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "tritium/Analysis/AxisInfo.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_CHECKHINTS
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
class HintCheck {
public:
  HintCheck(CheckHintOp op, const AxisInfo &info)
      : b(op), loc(op.getLoc()), op(op), info(info), shape(shapeOf(op.getX().getType())) {
    for (int64_t extent : shape)
      count *= extent;
  }
  void emit();

private:
  /// A line of `count` elements, or a scalar where x is one.
  Type typeOf(Type element) {
    return shape.empty() ? element : RankedTensorType::get({count}, element);
  }
  Value constant(Type element, int64_t value) {
    auto attr = b.getIntegerAttr(element, value);
    if (shape.empty())
      return b.create<arith::ConstantOp>(loc, attr);
    auto type = cast<RankedTensorType>(typeOf(element));
    return b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, attr));
  }
  Value constant32(int64_t value) { return constant(b.getI32Type(), value); }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return b.create<arith::CmpIOp>(loc, predicate, lhs, rhs);
  }
  Value equal(Value lhs, Value rhs) { return compare(arith::CmpIPredicate::eq, lhs, rhs); }
  Value select(Value condition, Value yes, Value no) {
    return b.create<arith::SelectOp>(loc, condition, yes, no);
  }
  Value reshape(Value tile, ArrayRef<int64_t> to) {
    if (shapeOf(tile.getType()) == to)
      return tile;
    return b.create<ReshapeOp>(loc, RankedTensorType::get(to, elementType(tile.getType())), tile,
                               /*allow_reorder=*/false);
  }
  int64_t inner(unsigned d) {
    int64_t elements = 1;
    for (int64_t extent : shape.drop_front(d + 1))
      elements *= extent;
    return elements;
  }

  template <typename Combine> Value reduce(Value tile, int axis);
  Value numbers();
  Value reported(Value number);
  ReportKind reportKind();
  Value coordinate(unsigned d);
  Value sumOfRuns(Value tile, int64_t runs, int64_t length, int64_t inner);
  Value beginningOfRuns(Value x, Value place, unsigned d, int64_t length);
  Value holdsAlong(unsigned d);

  OpBuilder b;
  Location loc;
  CheckHintOp op;
  const AxisInfo &info;
  ArrayRef<int64_t> shape;
  int64_t count = 1;
  Value x, index; ///< the elements and their numbers
};

template <typename Combine> Value HintCheck::reduce(Value tile, int axis) {
  auto result = b.create<ReduceOp>(loc, ValueRange(tile), axis);
  OpBuilder::InsertionGuard guard(b);
  Type element = elementType(tile.getType());
  Block *body = b.createBlock(&result.getCombineOp(), {}, {element, element}, {loc, loc});
  Value combined = b.create<Combine>(loc, body->getArgument(0), body->getArgument(1));
  b.create<ReduceReturnOp>(loc, combined);
  return result.getResult()[0];
}

/// The elements in one row, as i64: a float as its bits.
Value HintCheck::numbers() {
  Value value = op.getX();
  Type type = value.getType(), element = elementType(type), wide = b.getI64Type();
  unsigned bits = scalarBits(element);
  if (isa<PointerType>(element))
    value = b.create<PtrToIntOp>(loc, withElement(type, wide), value);
  else if (isTileFloat(element))
    value = b.create<BitcastOp>(loc, withElement(type, b.getIntegerType(bits)), value);
  if (bits < 64 && op.getIsSigned() && !isTileFloat(element))
    value = b.create<arith::ExtSIOp>(loc, withElement(type, wide), value);
  else if (bits < 64)
    value = b.create<arith::ExtUIOp>(loc, withElement(type, wide), value);
  return shape.empty() ? value : reshape(value, count);
}

ReportKind HintCheck::reportKind() {
  Type element = elementType(op.getX().getType());
  if (isa<PointerType>(element))
    return ReportKind::POINTER;
  if (isTileFloat(element))
    return ReportKind::FLOAT;
  return op.getIsSigned() ? ReportKind::SIGNED : ReportKind::UNSIGNED;
}

/// One of numbers() as an assertion reports it.
Value HintCheck::reported(Value number) {
  Type element = elementType(op.getX().getType());
  unsigned bits = scalarBits(element);
  if (!isTileFloat(element) || bits == 64)
    return number;
  Value narrow = b.create<arith::TruncIOp>(loc, b.getIntegerType(bits), number);
  Value value = b.create<BitcastOp>(loc, element, narrow);
  return b.create<BitcastOp>(loc, b.getI64Type(),
                             b.create<arith::ExtFOp>(loc, b.getF64Type(), value));
}

/// Where along `d` each element stands.
Value HintCheck::coordinate(unsigned d) {
  Value outer = b.create<arith::DivUIOp>(loc, index, constant32(inner(d)));
  return d == 0 ? outer : b.create<arith::RemUIOp>(loc, outer, constant32(shape[d])).getResult();
}

/// To each element the sum over its run, a run being `length` elements that are `inner` apart.
Value HintCheck::sumOfRuns(Value tile, int64_t runs, int64_t length, int64_t inner) {
  SmallVector<int64_t> full{runs, length, inner};
  Value sums = reduce<arith::AddIOp>(reshape(tile, full), /*axis=*/1);
  Type element = elementType(tile.getType());
  sums = b.create<ExpandDimsOp>(loc, RankedTensorType::get({runs, 1, inner}, element), sums, 1);
  Value all = b.create<BroadcastOp>(loc, RankedTensorType::get(full, element), sums);
  return reshape(all, count);
}

/// To each element what its aligned run of `length` elements along `d` begins with. `place`: where
/// in the run it stands.
Value HintCheck::beginningOfRuns(Value x, Value place, unsigned d, int64_t length) {
  int64_t extent = shape[d], outer = count / extent / inner(d);
  Value zero = constant(b.getI64Type(), 0);
  if (extent % length == 0)
    return sumOfRuns(select(equal(place, constant32(0)), x, zero), outer * extent / length, length,
                     inner(d));
  // Runs of one length do not make up the dimension: one run after the other.
  Value at = coordinate(d), start = b.create<arith::SubIOp>(loc, at, place);
  auto bound = [&](int64_t value) {
    return b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  auto loop = b.create<scf::ForOp>(loc, bound(0), bound(extent), bound(length), zero);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value run = b.create<SplatOp>(loc, at.getType(), loop.getInductionVar());
  Value first = sumOfRuns(select(equal(at, run), x, zero), outer, extent, inner(d));
  b.create<scf::YieldOp>(loc, select(equal(start, run), first, loop.getRegionIterArg(0)));
  return loop.getResult(0);
}

/// Where the hint holds along `d`; nothing if it says nothing.
Value HintCheck::holdsAlong(unsigned d) {
  int64_t stated = op.getValues()[d], extent = shape.empty() ? 1 : shape[d];
  if (op.getKind() == HintKind::DIVISIBILITY) {
    if (stated == 1)
      return {};
    Value divisor = constant(b.getI64Type(), stated);
    Value rest = op.getIsSigned() ? b.create<arith::RemSIOp>(loc, x, divisor).getResult()
                                  : b.create<arith::RemUIOp>(loc, x, divisor).getResult();
    Value isMultiple = equal(rest, constant(b.getI64Type(), 0));
    int64_t run = std::min(info.contiguity[d], extent);
    if (run == 1)
      return isMultiple;
    Value place = b.create<arith::RemUIOp>(loc, coordinate(d), constant32(run));
    Value isWithin = compare(arith::CmpIPredicate::ne, place, constant32(0));
    return b.create<arith::OrIOp>(loc, isMultiple, isWithin);
  }
  int64_t length = std::min(stated, extent);
  if (length == 1)
    return {};
  Value place = b.create<arith::RemUIOp>(loc, coordinate(d), constant32(length));
  Value base = x;
  if (op.getKind() == HintKind::CONTIGUITY) {
    auto pointer = dyn_cast<PointerType>(elementType(op.getX().getType()));
    int64_t unit = pointer ? scalarBytes(pointer.getPointeeType()) : 1;
    Value steps = b.create<arith::ExtUIOp>(loc, x.getType(), place);
    Value passed = b.create<arith::MulIOp>(loc, steps, constant(b.getI64Type(), unit));
    base = b.create<arith::SubIOp>(loc, x, passed);
  }
  return equal(base, beginningOfRuns(base, place, d, length));
}

void HintCheck::emit() {
  x = numbers();
  if (!shape.empty())
    index = b.create<MakeRangeOp>(loc, RankedTensorType::get({count}, b.getI32Type()), 0, count);
  Value holds;
  for (unsigned d = 0; d < op.getValues().size(); ++d)
    if (Value along = holdsAlong(d))
      holds = holds ? b.create<arith::AndIOp>(loc, holds, along).getResult() : along;
  if (!holds)
    return;
  std::string message = (op.getMessage() + (shape.empty() ? ": the value" : ": element")).str();
  if (shape.empty()) {
    b.create<AssertOp>(loc, holds, message, reported(x), reportKind(), shape);
    return;
  }
  Value at = reduce<arith::MinUIOp>(select(holds, constant32(count), index), 0);
  Value isAt = equal(index, b.create<SplatOp>(loc, index.getType(), at));
  Value value = reduce<arith::AddIOp>(select(isAt, x, constant(b.getI64Type(), 0)), 0);
  Value end = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(static_cast<int32_t>(count)));
  Value number = b.create<arith::ExtUIOp>(loc, b.getI64Type(), at);
  b.create<AssertOp>(loc, equal(at, end), message, ValueRange{number, reported(value)},
                     reportKind(), shape);
}

void checkHints(FuncOp func) {
  SmallVector<CheckHintOp> checks;
  func.walk([&](CheckHintOp check) { checks.push_back(check); });
  if (checks.empty())
    return;
  AxisInfoAnalysis analysis(func);
  for (CheckHintOp check : checks) {
    HintCheck(check, analysis.get(check.getX())).emit();
    check.erase();
  }
}

struct CheckHintsPass : impl::CheckHintsBase<CheckHintsPass> {
  void runOnOperation() override { getOperation()->walk(checkHints); }
};
} // namespace

} // namespace tritium::tt
