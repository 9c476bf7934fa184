//===- RoundsOfPart.cpp - what a part of a program does of its loop -------===//

#include "LoopToSplit.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::tt {

namespace {
class Rounds {
public:
  Rounds(OpBuilder &b, LoopToSplit split)
      : b(b), split(std::move(split)), loc(this->split.loop.getLoc()) {}

  Value count() {
    Type i64 = b.getI64Type();
    Value begin = constant(i64, split.lower), end = extended(split.loop.getUpperBound());
    Value length = b.create<arith::SubIOp>(loc, b.create<arith::MaxSIOp>(loc, end, begin), begin);
    if (split.step == 1)
      return length;
    Value by = constant(i64, split.step);
    Value rest = b.create<arith::RemSIOp>(loc, length, by);
    return b.create<arith::AddIOp>(loc, b.create<arith::DivSIOp>(loc, length, by),
                                   b.create<arith::MinSIOp>(loc, rest, constant(i64, 1)));
  }

  void take(Value rounds, const RoundsOfPart &part) {
    scf::ForOp loop = split.loop;
    for (auto [i, what] : llvm::enumerate(split.carried)) {
      loop.getInitArgsMutable()[i].set(what.moves ? movedBy(what, part.from)
                                                  : ofFirst(what.init, part.isFirst));
      // Behind the loop a number is what all rounds make of it.
      if (Value result = loop.getResult(i); what.moves && !result.use_empty())
        result.replaceAllUsesWith(movedBy(what, rounds));
    }
    loop.setLowerBound(part.from);
    loop.setUpperBound(part.to);
    loop.setStep(constant(loop.getInductionVar().getType(), 1));
    countAsBefore();
  }

private:
  Value constant(Type type, int64_t value) {
    return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, value));
  }

  Value extended(Value number) {
    Type i64 = b.getI64Type();
    return number.getType() == i64 ? number
                                   : b.create<arith::ExtSIOp>(loc, i64, number).getResult();
  }

  /// The loop's index by the number of its round, which is none that the loop did not have.
  void countAsBefore() {
    scf::ForOp loop = split.loop;
    Value round = loop.getInductionVar(), index = round;
    SmallVector<OpOperand *> uses(llvm::make_pointer_range(round.getUses()));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    auto nsw = arith::IntegerOverflowFlags::nsw;
    if (split.step != 1)
      index = b.create<arith::MulIOp>(loc, index, constant(index.getType(), split.step), nsw);
    if (split.lower != 0)
      index = b.create<arith::AddIOp>(loc, index, constant(index.getType(), split.lower), nsw);
    for (OpOperand *use : uses)
      use->set(index);
  }

  /// A number after `rounds` iterations, which wraps as they do.
  Value movedBy(const Carried &what, Value rounds) {
    Value moved = what.init;
    unsigned width = moved.getType().getIntOrFloatBitWidth(),
             ofRounds = rounds.getType().getIntOrFloatBitWidth();
    if (width > ofRounds)
      rounds = b.create<arith::ExtSIOp>(loc, moved.getType(), rounds);
    else if (width < ofRounds)
      rounds = b.create<arith::TruncIOp>(loc, moved.getType(), rounds);
    for (const Move &move : *what.moves) {
      Value all = b.create<arith::MulIOp>(loc, move.amount, rounds);
      if (move.isSubtracted)
        moved = b.create<arith::SubIOp>(loc, moved, all);
      else
        moved = b.create<arith::AddIOp>(loc, moved, all);
    }
    return moved;
  }

  Value ofFirst(Value init, Value isFirst) {
    Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(init.getType()));
    if (matchPattern(init, m_AnyZeroFloat()) || matchPattern(init, m_Zero()))
      return init;
    return b.create<arith::SelectOp>(loc, isFirst, init, zero);
  }

  OpBuilder &b;
  LoopToSplit split;
  Location loc;
};
} // namespace

Value roundsOf(OpBuilder &b, const LoopToSplit &split) { return Rounds(b, split).count(); }

void takeRounds(OpBuilder &b, LoopToSplit &split, Value rounds, const RoundsOfPart &part) {
  Rounds(b, split).take(rounds, part);
}

} // namespace tritium::tt
