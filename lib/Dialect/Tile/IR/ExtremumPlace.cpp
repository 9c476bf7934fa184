//===- ExtremumPlace.cpp - reductions of values with places ---------------===//

#include "tritium/Dialect/Tile/IR/ExtremumPlace.h"

using namespace mlir;

namespace tritium::tt {

static bool isMax(Extremum extremum) {
  return extremum == Extremum::Max || extremum == Extremum::UnsignedMax;
}

static bool isUnsigned(Extremum extremum) {
  return extremum == Extremum::UnsignedMax || extremum == Extremum::UnsignedMin;
}

Value comesFirst(OpBuilder &b, Location loc, Extremum extremum, Value x, Value i, Value y,
                 Value j) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  Value less = b.create<arith::CmpIOp>(loc, I::slt, i, j), better, equal;
  if (isa<FloatType>(x.getType())) {
    auto compare = [&](F predicate, Value a, Value c) -> Value {
      return b.create<arith::CmpFOp>(loc, predicate, a, c);
    };
    // Unordered counts as better for x, and as a tie where x is NaN itself.
    Value ahead = compare(isMax(extremum) ? F::UGT : F::ULT, x, y);
    better = b.create<arith::AndIOp>(loc, ahead, compare(F::ORD, x, x));
    Value noNumbers = b.create<arith::AndIOp>(loc, compare(F::UNO, x, x), compare(F::UNO, y, y));
    equal = b.create<arith::OrIOp>(loc, compare(F::OEQ, x, y), noNumbers);
  } else {
    I predicate = isUnsigned(extremum) ? (isMax(extremum) ? I::ugt : I::ult)
                                       : (isMax(extremum) ? I::sgt : I::slt);
    better = b.create<arith::CmpIOp>(loc, predicate, x, y);
    equal = b.create<arith::CmpIOp>(loc, I::eq, x, y);
  }
  Value tie = b.create<arith::AndIOp>(loc, equal, less);
  return b.create<arith::OrIOp>(loc, better, tie);
}

Value betterOf(OpBuilder &b, Location loc, Extremum extremum, Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return isMax(extremum) ? b.create<arith::MaxNumFOp>(loc, x, y).getResult()
                           : b.create<arith::MinNumFOp>(loc, x, y);
  switch (extremum) {
  case Extremum::Max:
    return b.create<arith::MaxSIOp>(loc, x, y);
  case Extremum::Min:
    return b.create<arith::MinSIOp>(loc, x, y);
  case Extremum::UnsignedMax:
    return b.create<arith::MaxUIOp>(loc, x, y);
  case Extremum::UnsignedMin:
    return b.create<arith::MinUIOp>(loc, x, y);
  }
  llvm_unreachable("an extremum is one of four");
}

std::optional<Extremum> extremumWithPlace(ReduceOp op) {
  if (op.getSrcs().size() != 2)
    return std::nullopt;
  Type value = elementType(op.getSrcs()[0].getType()),
       place = elementType(op.getSrcs()[1].getType());
  if (!isa<FloatType, IntegerType>(value) || !isa<IntegerType>(place))
    return std::nullopt;
  Location loc = op.getLoc();
  for (auto extremum :
       {Extremum::Max, Extremum::Min, Extremum::UnsignedMax, Extremum::UnsignedMin}) {
    Region expected;
    OpBuilder b(op.getContext());
    Block *body = b.createBlock(&expected, {}, {value, place, value, place}, {loc, loc, loc, loc});
    Value x = body->getArgument(0), i = body->getArgument(1), y = body->getArgument(2),
          j = body->getArgument(3);
    Value first = comesFirst(b, loc, extremum, x, i, y, j);
    Value best = b.create<arith::SelectOp>(loc, first, x, y);
    Value at = b.create<arith::SelectOp>(loc, first, i, j);
    b.create<ReduceReturnOp>(loc, ValueRange{best, at});
    if (OperationEquivalence::isRegionEquivalentTo(&expected, &op.getCombineOp(),
                                                   OperationEquivalence::IgnoreLocations))
      return extremum;
  }
  return std::nullopt;
}

} // namespace tritium::tt
