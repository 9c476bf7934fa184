//===- DotWaits.cpp - where the wait for a dot stands ---------------------===//

#include "DotWaits.h"

#include "tritium/Analysis/Rings.h"
#include "tritium/Analysis/SharedLiveness.h"
#include "tritium/Dialect/TileGPU/IR/Mma.h"

using namespace mlir;

namespace tritium::ttng {

namespace {
/// Of a thread, of a tile that is one number a row.
constexpr int32_t kFewRegisters = 8;

bool isDotOfWarpGroups(Operation *op) {
  auto dot = dyn_cast<tt::DotOp>(op);
  return isa<WarpGroupDotOp>(op) || (dot && ttg::isOfWarpGroups(dot));
}

/// Whether `op` may run while `dot` goes on, if it does not need the result. What has a region may
/// have other dots there, of which it is not known how many.
bool canRunBeside(Operation *op, WarpGroupDotOp dot) {
  if (op->getNumRegions() && !isa<tt::Combining>(op)) {
    WalkResult result = op->walk([](Operation *inside) {
      return isDotOfWarpGroups(inside) ? WalkResult::interrupt() : WalkResult::advance();
    });
    return isa<scf::IfOp>(op) && !result.wasInterrupted() && isMemoryEffectFree(op);
  }
  if (auto copy = dyn_cast<ttg::AsyncCopyGlobalToLocalOp>(op))
    return llvm::all_of(dot.getAsyncReads(),
                        [&](Value read) { return ttg::areApart(read, copy.getDst()); });
  // A new allocation with an initial tile has bytes of its own until the wait.
  return isMemoryEffectFree(op) || isDotOfWarpGroups(op) ||
         isa<ttg::LocalLoadOp, ttg::LocalAllocOp, ttg::AsyncCommitGroupOp, ttg::AsyncWaitOp,
             tt::LoadOp, MBarrierWaitOp, WarpGroupDotWaitOp>(op);
}

/// The wait that the dot's result goes through; null where that is in the next iteration.
WarpGroupDotWaitOp waitFor(WarpGroupDotOp dot) {
  Operation *user = dot->hasOneUse() ? *dot->user_begin() : nullptr;
  return dyn_cast_or_null<WarpGroupDotWaitOp>(user);
}

/// Dots are over in the order that they begin in. Where a later one is waited for first, its wait
/// is this one's, too.
void joinWait(WarpGroupDotOp dot) {
  WarpGroupDotWaitOp wait = waitFor(dot);
  auto first = dyn_cast_or_null<WarpGroupDotWaitOp>(ttg::waitBehind(dot));
  if (!wait || !first || first == wait)
    return;
  SmallVector<Value> tiles(first.getTiles());
  tiles.push_back(dot.getResult());
  OpBuilder b(first);
  auto both = b.create<WarpGroupDotWaitOp>(first.getLoc(), tiles, first.getPendingsAttr());
  wait.getResult(0).replaceAllUsesWith(both.getResults().back());
  first.replaceAllUsesWith(both.getResults().drop_back());
  first.erase();
  wait.erase();
}

/// What the value of `next` is converted from, the conversions from the last one on.
Value convertedFrom(Value next, Block *block, SmallVectorImpl<Operation *> &conversions) {
  for (Operation *op = next.getDefiningOp(); op && op->getBlock() == block && op->hasOneUse() &&
                                             isa<ttg::ConvertLayoutOp, arith::TruncFOp>(op);
       op = next.getDefiningOp()) {
    conversions.push_back(op);
    next = op->getOperand(0);
  }
  return next;
}

/// What a loop carries on, a tile of few registers that is computed in front of `wait`.
bool isFewBefore(Value value, WarpGroupDotWaitOp wait) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *def = value.getDefiningOp();
  return type && type.getElementType().isF32() && def && def->getBlock() == wait->getBlock() &&
         def->isBeforeInBlock(wait) && !isa<WarpGroupDotWaitOp>(def) &&
         ttg::layoutOf(type).registers() <= kFewRegisters;
}

/// What is computed beside a dot of a loop that carries on the left operand of the next one. That
/// is in the registers of this one, which is read up to the wait: it must be converted behind it
/// only, and what it is converted from goes through it. So do the loop's tiles of few registers,
/// sums and maxima of rows, say, which keep their computation from being done behind the wait.
void passThroughWait(WarpGroupDotOp dot) {
  WarpGroupDotWaitOp wait = waitFor(dot);
  auto argument = dyn_cast<BlockArgument>(dot.getA());
  auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
  if (!wait || !argument || !loop || argument.getOwner() != loop.getBody())
    return;
  SmallVector<Operation *> conversions;
  Value source = convertedFrom(loop.getYieldedValues()[argument.getArgNumber() - 1], loop.getBody(),
                               conversions);
  Operation *def = source.getDefiningOp();
  if (conversions.empty() || !tt::elementType(source.getType()).isF32() || !def ||
      def->getBlock() != loop.getBody() || !def->isBeforeInBlock(wait))
    return;
  unsigned waited = wait.getTiles().size();
  SmallVector<Value> tiles(wait.getTiles());
  tiles.push_back(source);
  for (Value value : loop.getYieldedValues())
    if (isFewBefore(value, wait) && !llvm::is_contained(tiles, value))
      tiles.push_back(value);
  OpBuilder b(wait);
  auto all = b.create<WarpGroupDotWaitOp>(wait.getLoc(), tiles, wait.getPendingsAttr());
  wait.replaceAllUsesWith(all.getResults().take_front(waited));
  wait.erase();
  conversions.back()->setOperand(0, all.getResult(waited));
  Operation *last = all;
  for (Operation *op : llvm::reverse(conversions)) {
    if (op->isBeforeInBlock(last))
      op->moveAfter(last);
    last = op;
  }
  Operation *yield = loop.getBody()->getTerminator();
  for (auto [tile, result] : llvm::drop_begin(llvm::zip(tiles, all.getResults()), waited + 1))
    yield->replaceUsesOfWith(tile, result);
}
} // namespace

void placeWait(WarpGroupDotOp dot) {
  Value result = dot.getResult();
  Block *block = dot->getBlock();
  llvm::SmallPtrSet<Operation *, 4> users;
  for (Operation *user : result.getUsers())
    users.insert(block->findAncestorOpInBlock(*user));
  int32_t begun = 0;
  Operation *next = dot->getNextNode();
  for (;
       !next->hasTrait<OpTrait::IsTerminator>() && !users.contains(next) && canRunBeside(next, dot);
       next = next->getNextNode())
    begun += isDotOfWarpGroups(next);
  OpBuilder b(next);
  auto wait =
      b.create<WarpGroupDotWaitOp>(dot.getLoc(), ValueRange(result), b.getI32IntegerAttr(begun));
  result.replaceAllUsesExcept(wait.getResult(0), wait);
}

void settleWaits(Block &block) {
  for (auto dot : block.getOps<WarpGroupDotOp>())
    joinWait(dot);
  for (auto dot : block.getOps<WarpGroupDotOp>())
    passThroughWait(dot);
}

} // namespace tritium::ttng
