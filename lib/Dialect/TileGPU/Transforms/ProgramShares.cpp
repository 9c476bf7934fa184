//===- ProgramShares.cpp - which rounds of which programs a CTA has -------===//

#include "ProgramShares.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
/// Of numbers that are not negative, and whose results fit 32 bits.
class Numbers {
public:
  Numbers(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value of(int32_t number) { return b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(number)); }
  Value add(Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y, nsw); }
  Value subtract(Value x, Value y) { return b.create<arith::SubIOp>(loc, x, y, nsw); }
  Value multiply(Value x, Value y) { return b.create<arith::MulIOp>(loc, x, y, nsw); }
  Value divide(Value x, Value y) { return b.create<arith::DivSIOp>(loc, x, y); }
  Value rest(Value x, Value y) { return b.create<arith::RemSIOp>(loc, x, y); }
  Value select(Value condition, Value x, Value y) {
    return b.create<arith::SelectOp>(loc, condition, x, y);
  }
  Value both(Value x, Value y) { return b.create<arith::AndIOp>(loc, x, y); }
  Value is(Value x, arith::CmpIPredicate predicate, Value y) {
    return b.create<arith::CmpIOp>(loc, predicate, x, y);
  }

private:
  static constexpr auto nsw = arith::IntegerOverflowFlags::nsw;
  OpBuilder &b;
  Location loc;
};

using Is = arith::CmpIPredicate;
} // namespace

/// c S / P: the program, and of its rounds the part that is left over, rounded up. With rounds =
/// q P + m that is rest * q + rest * m / P, whose products are small.
ProgramShares::Cut ProgramShares::cutOf(OpBuilder &b, Value cta) const {
  Numbers n(b, loc);
  Value at = n.multiply(cta, shared);
  Value rest = n.rest(at, ctas);
  Value whole = n.multiply(rest, n.divide(rounds, ctas));
  Value more = n.multiply(rest, n.rest(rounds, ctas));
  more = n.divide(n.add(more, n.subtract(ctas, n.of(1))), ctas);
  return {n.divide(at, ctas), n.add(whole, more), n.is(rest, Is::sgt, n.of(0))};
}

ProgramShares::ProgramShares(OpBuilder &b, Location loc, Value rounds, Value programs)
    : loc(loc), rounds(rounds) {
  Numbers n(b, loc);
  cta = b.create<CTAIdOp>(loc, b.getI32Type());
  ctas = b.create<NumCTAsOp>(loc, b.getI32Type());
  Value left = n.rest(programs, ctas);
  Value hasMore = n.is(programs, Is::sge, ctas);
  shared =
      n.select(n.is(left, Is::eq, n.of(0)), left, n.add(left, n.select(hasMore, ctas, n.of(0))));
  begin = cutOf(b, cta);
  end = cutOf(b, n.add(cta, n.of(1)));
  ofShare = n.add(n.subtract(end.program, begin.program), n.select(end.isInside, n.of(1), n.of(0)));
  count = n.add(ofShare, n.divide(n.subtract(programs, shared), ctas));
}

ProgramShares::Item ProgramShares::at(OpBuilder &b, Value number) const {
  Numbers n(b, loc);
  Value one = n.of(1), zero = n.of(0);
  Value isOfShare = n.is(number, Is::slt, ofShare);
  Value sharedOne = n.add(begin.program, b.create<arith::MinSIOp>(loc, number, ofShare));
  Value whole = n.add(n.add(shared, cta), n.multiply(n.subtract(number, ofShare), ctas));
  Item item;
  item.program = n.select(isOfShare, sharedOne, whole);
  Value isFirst = n.both(isOfShare, n.is(number, Is::eq, zero));
  Value isLast = n.both(end.isInside, n.is(number, Is::eq, n.subtract(ofShare, one)));
  item.from = n.select(isFirst, begin.round, zero);
  item.to = n.select(isLast, end.round, rounds);
  // The CTAs that have something of the program: those that begin at it or in it, and the last one
  // to begin in front. Where no program is shared out, nobody looks at them.
  Value divisor = b.create<arith::MaxSIOp>(loc, shared, one);
  Value ahead = n.multiply(sharedOne, ctas);
  Value first = n.divide(ahead, divisor);
  Value last = n.divide(n.subtract(n.add(ahead, ctas), one), divisor);
  item.parts = n.select(isOfShare, n.add(n.subtract(last, first), one), one);
  item.first = n.add(first, sharedOne);
  item.place = n.select(isOfShare, n.add(cta, sharedOne), item.first);
  return item;
}

} // namespace tritium::ttg
