//===- Epilogue.cpp - sums that are stored block by block -----------------===//
//
// Which, the plan says (PlanEpilogue.cpp):
//
//   for chunks of rounds:
//     if (this is the last one, taken at once, and AMX may be used)
//       for each block: multiply, to where one block stands; the phase over this block
//     else
//       multiply, as for any chunk
//   if (the last chunk has not done it)
//     the phase
//
// Or, where the phase stores the sums as they are: the last product does, if it may.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

/// A product of rounds, which are multiplied at once, by AMX.
void Lowering::emitTilesOfRounds(const RoundsPlan &rounds, const TilesOfRounds &tiles,
                                 const BlocksOfSums &blocks) {
  RowsForTiles rowsOfA;
  auto find = [&](Value row, int64_t count) {
    return rowsOfBlock(rounds, tiles.a, tiles.isCopied, tiles.copy, row, count);
  };
  if (tiles.copy)
    rowsOfA.find = find;
  rowsOfA.behind = tiles.behind;
  if (tiles.behindStride) {
    constexpr int64_t kOfStep = 32;
    Type element = pointeeOf(tt::LoadOp(rounds.a.load).getPtr());
    rowsOfA.behindStride = tiles.behindStride;
    rowsOfA.behindStepBytes = kOfStep * int64_t(tt::scalarBytes(element));
  }
  if (tiles.panelsBehind) {
    rowsOfA.panelsBehind = tiles.panelsBehind;
    rowsOfA.panelsBehindBytes = rounds.dot.b.packed->bytes / rounds.dot.kept;
  }
  emitTileDot(b, loc, rounds.dot.form, rounds.m, rounds.n, rounds.k, tiles.a, tiles.b, tiles.sums,
              rounds.dot.fromZero, rowsOfA, blocks);
}

/// Tells the product what it asks for, as upcomingOfTiles() lists it.
void Lowering::takeUpcoming(const RoundsPlan &rounds, ArrayRef<UpcomingTile> upcoming,
                            TilesOfRounds &tiles) {
  if (rounds.asksForRows)
    tiles.behind = upcoming.front().base;
  // Parts stand elsewhere than the numbers.
  if (rounds.asksForRows && partsOf(rounds.dot.form) > 1)
    tiles.behindStride = upcoming.front().rowStride;
  if (rounds.asksForPanels)
    tiles.panelsBehind = upcoming.back().base;
}

/// The phase over the block of sums that begins at this row and column.
void Lowering::emitEpilogueOfBlock(const EpiloguePlan &epilogue, Value row, Value column) {
  Buffer *&home = plan.homes[epilogue.sums], *whole = home;
  home = epilogue.ofBlock;
  partBuffer = home;
  emitStepsOfBlock(epilogue.block, row, column);
  partBuffer = nullptr;
  home = whole;
}

/// The same where all stands in whole tiles.
void Lowering::emitStepsOfBlock(const StepList &steps, Value row, Value column) {
  Location where = loc;
  origin = {row, column};
  emitSteps(steps);
  origin.clear();
  loc = where;
}

/// A product of rounds, and if they are the last ones, the phase that stores its sums; whether
/// that is done (i1). `productAlone` emits the product for all other cases.
Value Lowering::emitProductAndEpilogue(const RoundsPlan &rounds, Value isLast,
                                       const TilesOfRounds &tiles,
                                       llvm::function_ref<void()> productAlone) {
  // Parts are made only where AMX may be used.
  Value isAllowed = compare(arith::CmpIPredicate::eq, tilesRefused, i64(0));
  Value isDone = b.create<arith::AndIOp>(loc, isLast, isAllowed);
  auto branch = b.create<scf::IfOp>(loc, isDone, /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  BlocksOfSums blocks;
  blocks.base = bufferBase(*rounds.epilogue->ofBlock);
  auto take = [&](Value row, Value column) { emitEpilogueOfBlock(*rounds.epilogue, row, column); };
  blocks.take = take;
  emitTilesOfRounds(rounds, tiles, blocks);
  b.setInsertionPointToStart(branch.elseBlock());
  productAlone();
  return isDone;
}

/// A product of one round, behind the phase that its sums begin with.
void Lowering::emitPrologueAndProduct(const Step &step, Value packed,
                                      llvm::function_ref<void()> productAlone) {
  const DotPlan &dot = *step.dot;
  auto op = cast<tt::DotOp>(step.op);
  auto shape = op.getType().getShape();
  PackedMatrix a{bufferBase(*dot.a.packed), dot.a.packed->rowStride, {}};
  if (dot.a.readsMemory) {
    DirectRead direct = directReads.lookup(op.getA());
    a = {direct.base, 0, direct.rowStride};
  }
  PackedMatrix rhs{packed, dot.rowOfPackedB(), {}, dot.panelRows};
  PackedMatrix sums{bufferBase(*dot.accumulator), dot.accumulator->rowStride, {}};
  auto prepare = [&](Value row, Value column) { emitStepsOfBlock(step.beforeBlock, row, column); };
  BlocksOfSums blocks;
  blocks.prepare = prepare;
  auto branch = b.create<scf::IfOp>(loc, compare(arith::CmpIPredicate::eq, tilesRefused, i64(0)),
                                    /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emitTileDot(b, loc, dot.form, shape[0], shape[1], op.getA().getType().getDimSize(1), a, rhs, sums,
              dot.fromZero, {}, blocks);
  b.setInsertionPointToStart(branch.elseBlock());
  emitSteps(step.before);
  loc = op.getLoc();
  productAlone();
}

std::pair<Lowering::DirectRead, Value> Lowering::resultOfProduct(const RoundsPlan &rounds,
                                                                 Value isLast) {
  if (!rounds.epilogue || !rounds.epilogue->store)
    return {};
  const EpiloguePlan &epilogue = *rounds.epilogue;
  const Buffer &sums = *rounds.dot.accumulator;
  MemoScope scope(*this);
  Value isStored = isLast;
  if (epilogue.holds)
    isStored = b.create<arith::AndIOp>(loc, isStored,
                                       emitScalarCode(epilogue.holds->code)[epilogue.holds->holds]);
  DirectRead place = placeOf(tt::StoreOp(epilogue.store).getPtr(), /*rowsDim=*/0);
  Value stride = i64(sums.rowStride * tt::scalarBytes(sums.element));
  place.base = b.create<arith::SelectOp>(loc, isStored, place.base, bufferBase(sums));
  place.rowStride = b.create<arith::SelectOp>(loc, isStored, place.rowStride, stride);
  return {place, isStored};
}

/// What the last product has not done.
void Lowering::emitWholeEpilogue(const EpiloguePlan &epilogue, Value isDone) {
  auto branch = b.create<scf::IfOp>(
      loc, compare(arith::CmpIPredicate::eq, isDone, b.create<arith::ConstantIntOp>(loc, 0, 1)),
      /*else=*/false);
  OpBuilder::InsertionGuard guard(b);
  MemoScope scope(*this);
  b.setInsertionPointToStart(branch.thenBlock());
  emitSteps(epilogue.whole);
}

} // namespace tritium::cpu
