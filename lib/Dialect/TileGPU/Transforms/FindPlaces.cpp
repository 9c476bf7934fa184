//===- FindPlaces.cpp - ttg-find-places -----------------------------------===//
//
// Reductions of pairs of a value and its place cost several comparisons for each two elements.
// Where only the place is used, or values are integers,
//
//   %best, %place = tt.reduce %x, %i {axis}     // of two pairs the one that comes first
//
// becomes
//
//   %best = tt.reduce %x {axis}                 // maximum or minimum, of numbers if there are any
//   %all = tt.broadcast (tt.expand_dims %best)
//   %at = arith.select (%x == %all), %i, greatest
//   %place = tt.reduce %at {axis}               // minimum
//
// Where no element is a number, %best is NaN, and %at all of %i. Values of floats that are used
// stay in pairs, since of 0 and -0, which are equal, the one at the place is meant.
//
// Elements may be computed twice, for the maximum and for the comparison with it: what
// ttg-skip-masked-registers leaves out is. They are the same: tt-fuse-multiply-adds has decided
// what is rounded, and such quotients are computed once.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/Tile/IR/ExtremumPlace.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_FINDPLACES
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// A reduction of one tile, whose elements `combine` combines.
template <typename Combine>
Value reduceTile(OpBuilder &b, Location loc, Value tile, Type result, unsigned axis,
                 Combine combine) {
  auto reduce = b.create<tt::ReduceOp>(loc, TypeRange{result}, tile, axis);
  OpBuilder::InsertionGuard guard(b);
  Type element = tt::elementType(tile.getType());
  Block *body = b.createBlock(&reduce.getCombineOp(), {}, {element, element}, {loc, loc});
  Value combined = combine(body->getArgument(0), body->getArgument(1));
  b.create<tt::ReduceReturnOp>(loc, combined);
  return reduce.getResult().front();
}

/// A tile of the greatest signed number.
Value greatestOf(OpBuilder &b, Location loc, RankedTensorType type) {
  APInt greatest = APInt::getSignedMaxValue(type.getElementTypeBitWidth());
  return b.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(type, b.getIntegerAttr(type.getElementType(), greatest)));
}

/// What each row has, for all of its elements.
Value alongRow(OpBuilder &b, Location loc, Value ofRow, RankedTensorType all, unsigned axis) {
  auto typeOf = [&](ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, tt::elementType(ofRow.getType()), all.getEncoding());
  };
  if (!tt::isTile(ofRow.getType()))
    return b.create<tt::SplatOp>(loc, typeOf(all.getShape()), ofRow);
  SmallVector<int64_t> column(all.getShape());
  column[axis] = 1;
  Value expanded = b.create<tt::ExpandDimsOp>(loc, typeOf(column), ofRow, axis);
  return column == all.getShape()
             ? expanded
             : b.create<tt::BroadcastOp>(loc, typeOf(all.getShape()), expanded).getResult();
}

void findPlaces(tt::ReduceOp op, tt::Extremum extremum) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  unsigned axis = op.getAxis();
  Value x = op.getSrcs()[0], i = op.getSrcs()[1];
  auto values = cast<RankedTensorType>(x.getType()), places = cast<RankedTensorType>(i.getType());
  Value best = reduceTile(b, loc, x, op.getResult()[0].getType(), axis,
                          [&](Value l, Value r) { return tt::betterOf(b, loc, extremum, l, r); });
  Value everywhere = alongRow(b, loc, best, values, axis), hasBest;
  if (isa<FloatType>(values.getElementType())) {
    Value isBest = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, x, everywhere);
    Value isNaN = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, best, best);
    hasBest =
        b.create<arith::OrIOp>(loc, isBest, alongRow(b, loc, isNaN, values, axis)).getResult();
  } else {
    hasBest = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x, everywhere);
  }
  Value at = b.create<arith::SelectOp>(loc, hasBest, i, greatestOf(b, loc, places));
  Value first = reduceTile(b, loc, at, op.getResult()[1].getType(), axis, [&](Value l, Value r) {
    return b.create<arith::MinSIOp>(loc, l, r).getResult();
  });
  op->replaceAllUsesWith(ValueRange{best, first});
  op.erase();
}

struct FindPlacesPass : impl::FindPlacesBase<FindPlacesPass> {
  void runOnOperation() override {
    getOperation().walk([](tt::ReduceOp op) {
      auto extremum = tt::extremumWithPlace(op);
      bool isExact = extremum && (op.getResult()[0].use_empty() ||
                                  isa<IntegerType>(tt::elementType(op.getSrcs()[0].getType())));
      if (isExact)
        findPlaces(op, *extremum);
    });
  }
};
} // namespace

} // namespace tritium::ttg
