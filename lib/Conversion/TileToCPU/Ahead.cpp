//===- Ahead.cpp - where the operands of the next product lie -------------===//
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

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

/// Smaller tiles are in the cache soon enough.
constexpr int64_t kLeastBytes = 2048;
constexpr int kDepth = 16;

/// `value` as it is in this round, computed now if it must be. Null if it takes more than
/// arithmetic.
Value Lowering::scalarNow(Value value, scf::ForOp loopOp, int depth) {
  Operation *op = value.getDefiningOp();
  if (scalars.contains(value) || !op || !loopOp->isProperAncestor(op))
    return scalar(value);
  if (depth > kDepth || op->getNumResults() != 1 || !isa<arith::ArithDialect>(op->getDialect()))
    return {};
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    if (Value v = scalarNow(operand, loopOp, depth + 1))
      operands.push_back(v);
    else
      return {};
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op))
    return emitConstant(constantOp.getValue());
  return emitElementwise(op, operands, 1);
}

/// `value` as it will be in the next round.
Value Lowering::scalarNext(Value value, scf::ForOp loopOp, int depth) {
  if (value == loopOp.getInductionVar())
    return b.create<arith::AddIOp>(loc, scalar(value), scalar(loopOp.getStep()));
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == loopOp.getBody())
    return scalarNow(loopOp.getYieldedValues()[argument.getArgNumber() - 1], loopOp);
  Operation *op = value.getDefiningOp();
  if (!op || !loopOp->isProperAncestor(op))
    return scalar(value);
  if (depth > kDepth || op->getNumResults() != 1 || !isa<arith::ArithDialect>(op->getDialect()) ||
      op->getBlock() != loopOp.getBody())
    return {};
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op))
    return emitConstant(constantOp.getValue());
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    if (Value v = scalarNext(operand, loopOp, depth + 1))
      operands.push_back(v);
    else
      return {};
  return emitElementwise(op, operands, 1);
}

/// Finds the scalars of the loop's body that the tile `value` is computed from, with their
/// next values; false where these are not known.
bool Lowering::collectNext(Value value, scf::ForOp loopOp,
                           SmallVectorImpl<std::pair<Value, Value>> &next, int depth) {
  Operation *op = value.getDefiningOp();
  bool inside = op ? loopOp->isProperAncestor(op) : value.getParentBlock() == loopOp.getBody();
  if (!isa<RankedTensorType>(value.getType())) {
    if (isa<tt::PointerType>(value.getType()) || !inside)
      return !inside;
    if (llvm::none_of(next, [&](auto &pair) { return pair.first == value; })) {
      Value v = scalarNext(value, loopOp);
      if (!v)
        return false;
      next.push_back({value, v});
    }
    return true;
  }
  // What is computed outside stays as it is. Loads would be done twice.
  if (!op || depth > kDepth || (!inside && isStored(value)))
    return !inside && isStored(value);
  if (isStored(value) || !isVirtual(value) || isa<tt::LoadOp, tt::ReshapeOp>(op))
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return collectNext(operand, loopOp, next, depth + 1); });
}

std::optional<UpcomingTile> Lowering::nextTile(Value operand, scf::ForOp loopOp) {
  tt::LoadOp load;
  for (int depth = 0; !load && depth < kDepth; ++depth) {
    Operation *op = operand.getDefiningOp();
    if (!op || op->getBlock() != loopOp.getBody() || !isVirtual(operand))
      return std::nullopt;
    load = dyn_cast<tt::LoadOp>(op);
    if (!load) {
      if (op->getNumOperands() == 0)
        return std::nullopt;
      operand = op->getOperand(0);
    }
  }
  auto type = load ? dyn_cast<RankedTensorType>(load.getPtr().getType()) : nullptr;
  if (!type || type.getRank() != 2)
    return std::nullopt;
  int64_t along = isContiguous(load.getPtr(), 1, likely) ? 1 : 0;
  if (!isContiguous(load.getPtr(), along, likely))
    return std::nullopt;
  int64_t bytes = tt::scalarBytes(cast<tt::PointerType>(type.getElementType()).getPointeeType());
  UpcomingTile tile;
  tile.rows = type.getDimSize(1 - along);
  tile.rowBytes = type.getDimSize(along) * bytes;
  if (tile.rows * tile.rowBytes < kLeastBytes)
    return std::nullopt;

  SmallVector<std::pair<Value, Value>> next;
  if (!collectNext(load.getPtr(), loopOp, next))
    return std::nullopt;
  for (auto &[value, v] : next)
    std::swap(scalars[value], v);
  // Buffers are read only at elements of the tile.
  Chunk at[2];
  {
    MemoScope scope(*this);
    for (int64_t row : {0, 1}) {
      Index index;
      index.dims.assign(2, {DimIndex::Scalar, {}});
      index.dims[along].index = i64(0);
      index.dims[1 - along].index = i64(std::min(row, tile.rows - 1));
      at[row] = evaluate(load.getPtr(), index);
    }
  }
  for (auto &[value, v] : next)
    std::swap(scalars[value], v);
  if (at[0].base != at[1].base)
    return std::nullopt;
  tile.base = scalarAddress(at[0]);
  tile.rowStride = sub(at[1].v, at[0].v);
  return tile;
}

} // namespace tritium::cpu
