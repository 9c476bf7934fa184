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
  emitTileDot(b, loc, rounds.dot.form, rounds.m, rounds.n, rounds.k, tiles.a, tiles.b, tiles.sums,
              rounds.dot.fromZero, rowsOfA, blocks);
}

/// The phase over the block of sums that begins at this row and column.
void Lowering::emitEpilogueOfBlock(const EpiloguePlan &epilogue, Value row, Value column) {
  Buffer *&home = plan.homes[epilogue.sums], *whole = home;
  home = epilogue.ofBlock;
  origin = {row, column};
  partBuffer = home;
  emitSteps(epilogue.block);
  partBuffer = nullptr;
  origin.clear();
  home = whole;
}

/// A product of rounds, and if they are the last ones, the phase that stores its sums; whether
/// that is done (i1). `productAlone` emits the product for all other cases.
Value Lowering::emitProductAndEpilogue(const RoundsPlan &rounds, Value isLast,
                                       const TilesOfRounds &tiles,
                                       llvm::function_ref<void()> productAlone) {
  Location where = loc;
  // Parts are made only where AMX may be used.
  Value isAllowed = compare(arith::CmpIPredicate::eq, tilesRefused, i64(0));
  Value isDone = b.create<arith::AndIOp>(loc, isLast, isAllowed);
  auto branch = b.create<scf::IfOp>(loc, isDone, /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  BlocksOfSums blocks{bufferBase(*rounds.epilogue->ofBlock)};
  auto take = [&](Value row, Value column) {
    emitEpilogueOfBlock(*rounds.epilogue, row, column);
    loc = where;
  };
  blocks.take = take;
  emitTilesOfRounds(rounds, tiles, blocks);
  b.setInsertionPointToStart(branch.elseBlock());
  productAlone();
  return isDone;
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
