//===- ProgramShares.cpp - which rounds of which programs a CTA has -------===//

#include "ProgramShares.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Support/SharedPrograms.h"

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

ProgramShares::ProgramShares(OpBuilder &b, Location loc, Value rounds, Value programs)
    : loc(loc), rounds(rounds) {
  Numbers n(b, loc);
  Value zero = n.of(0), one = n.of(1);
  cta = b.create<CTAIdOp>(loc, b.getI32Type());
  ctas = b.create<NumCTAsOp>(loc, b.getI32Type());
  whole = n.divide(programs, ctas);
  Value before = n.multiply(whole, ctas), left = n.subtract(programs, before);
  // Where nothing is left over, nobody looks at what follows.
  Value divisor = b.create<arith::MaxSIOp>(loc, left, one);
  Value parts = n.divide(ctas, divisor);
  parts = b.create<arith::MinSIOp>(loc, parts, n.of(kMostPartsOfProgram));
  Value number = n.divide(cta, divisor), program = n.rest(cta, divisor);
  Value has = n.is(cta, Is::slt, n.multiply(left, parts));
  count = n.add(whole, n.select(has, one, zero));
  // The first rounds % parts of them have one more.
  Value each = n.divide(rounds, parts), more = n.rest(rounds, parts);
  auto begin = [&](Value number) {
    return n.add(n.multiply(number, each), b.create<arith::MinSIOp>(loc, number, more));
  };
  Value own = b.create<arith::MinSIOp>(loc, number, parts);
  Value next = b.create<arith::MinSIOp>(loc, n.add(number, one), parts);
  part.program = n.add(before, program);
  part.from = begin(own);
  part.to = begin(next);
  part.first = n.multiply(program, parts);
  part.place = n.add(part.first, number);
  part.parts = parts;
}

ProgramShares::Item ProgramShares::at(OpBuilder &b, Value number) const {
  Numbers n(b, loc);
  Value zero = n.of(0), isWhole = n.is(number, Is::slt, whole);
  Item item;
  item.program = n.select(isWhole, n.add(cta, n.multiply(number, ctas)), part.program);
  item.from = n.select(isWhole, zero, part.from);
  item.to = n.select(isWhole, rounds, part.to);
  item.place = n.select(isWhole, zero, part.place);
  item.first = n.select(isWhole, zero, part.first);
  item.parts = n.select(isWhole, n.of(1), part.parts);
  return item;
}

} // namespace tritium::ttg
