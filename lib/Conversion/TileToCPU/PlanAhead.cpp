//===- PlanAhead.cpp - which tiles a product asks for ahead ---------------===//
//
// A product in a loop reads tiles that were loaded for it:
//
//   for %i = .. step %s iter_args(%o = ..) {
//     %a = load(P(%i, %o));  dot(%a, ..);  yield %o + ..
//   }
//
// P at the values that %i and %o have in the next round is where the next tile lies. The
// product asks for it while it computes; otherwise packing waits for each row, which
// another page of memory holds. The addresses only fetch, so it does no harm that the last
// round has no next, or that a mask hides some rows.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace mlir;

namespace tritium::cpu {

/// Smaller tiles are in the cache soon enough.
constexpr int64_t kLeastBytes = 2048;
constexpr int kDepth = 16;

/// The scalar `value` as it is in this round is there at the product, or takes only arithmetic.
static bool isKnownNow(Value value, scf::ForOp loop, tt::DotOp dot, int depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || !loop->isProperAncestor(op) ||
      (op->getBlock() == dot->getBlock() && op->isBeforeInBlock(dot) &&
       !isa<arith::ConstantOp>(op)))
    return true;
  return depth <= kDepth && op->getNumResults() == 1 &&
         isa<arith::ArithDialect>(op->getDialect()) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isKnownNow(operand, loop, dot, depth + 1); });
}

/// The same of `value` as it will be in the next round.
static bool isKnownNext(Value value, scf::ForOp loop, tt::DotOp dot, int depth = 0) {
  if (value == loop.getInductionVar())
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == loop.getBody())
    return isKnownNow(loop.getYieldedValues()[argument.getArgNumber() - 1], loop, dot);
  Operation *op = value.getDefiningOp();
  if (!op || !loop->isProperAncestor(op))
    return true;
  return depth <= kDepth && op->getNumResults() == 1 &&
         isa<arith::ArithDialect>(op->getDialect()) && op->getBlock() == loop.getBody() &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isKnownNext(operand, loop, dot, depth + 1); });
}

/// Finds the scalars of the loop's body that the tile `value` is computed from; false where
/// their next values are not known.
bool Planner::collectMoving(Value value, scf::ForOp loop, tt::DotOp dot,
                            SmallVectorImpl<Value> &moving, int depth) {
  Operation *op = value.getDefiningOp();
  bool inside = op ? loop->isProperAncestor(op) : value.getParentBlock() == loop.getBody();
  if (!isa<RankedTensorType>(value.getType())) {
    if (isa<tt::PointerType>(value.getType()) || !inside)
      return !inside;
    if (!llvm::is_contained(moving, value)) {
      if (!isKnownNext(value, loop, dot))
        return false;
      moving.push_back(value);
    }
    return true;
  }
  // What is computed outside stays as it is. Loads would be done twice.
  if (!op || depth > kDepth || (!inside && isStored(value)))
    return !inside && isStored(value);
  if (isStored(value) || !isVirtual(value) || isa<tt::LoadOp>(op) ||
      llvm::any_of(op->getOpOperands(), tt::isReadAnywhere))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return collectMoving(operand, loop, dot, moving, depth + 1);
  });
}

/// The load in the loop's body that `operand` is computed from; null if it is not clear.
static tt::LoadOp loadOf(Value operand, scf::ForOp loop) {
  for (int depth = 0; depth < kDepth; ++depth) {
    Operation *op = operand.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || !isVirtual(operand))
      return {};
    if (auto load = dyn_cast<tt::LoadOp>(op))
      return load;
    if (op->getNumOperands() == 0)
      return {};
    operand = op->getOperand(0);
  }
  return {};
}

std::optional<Upcoming> Planner::upcoming(tt::DotOp dot, Value operand, scf::ForOp loop) {
  tt::LoadOp load = loadOf(operand, loop);
  auto type = load ? dyn_cast<RankedTensorType>(load.getPtr().getType()) : nullptr;
  if (!type || type.getRank() != 2)
    return std::nullopt;
  int64_t along = isContiguous(load.getPtr(), 1, facts.likely) ? 1 : 0;
  if (!isContiguous(load.getPtr(), along, facts.likely))
    return std::nullopt;
  int64_t bytes = tt::scalarBytes(pointeeOf(load.getPtr()));
  Upcoming tile{load, along, type.getDimSize(1 - along), type.getDimSize(along) * bytes, {}};
  if (tile.rows * tile.rowBytes < kLeastBytes ||
      !collectMoving(load.getPtr(), loop, dot, tile.moving))
    return std::nullopt;
  return tile;
}

} // namespace tritium::cpu
