//===- WidenOffsets.cpp - tt-widen-offsets --------------------------------===//
//
// Sums and products of i32 that make up the offset of an addptr do not wrap: an index
// beyond 2^31 reaches the element that the arithmetic means. Written out, the offset is
// computed in i64:
//
//   %r = arith.muli %row, %stride : tensor<64xi32>
//   %o = arith.addi %r, %col : tensor<64xi32>
//   %p = tt.addptr %base, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
//
//   %row64 = arith.extsi %row : tensor<64xi32> to tensor<64xi64>   (also stride and col)
//   %r64 = arith.muli %row64, %stride64 : tensor<64xi64>
//   %o64 = arith.addi %r64, %col64 : tensor<64xi64>
//   %p = tt.addptr %base, %o64 : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
//
// Other users, masks above all, keep the i32 values, which wrap. What comes out of a
// loop or a branch is extended as it is. The interpreter runs this pass; the CPU back
// end has the same effect in how it evaluates addresses, without i64 tiles.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_WIDENOFFSETS
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
/// Deeper expressions are extended as they are.
constexpr int kMaxDepth = 500;

unsigned widthOf(Value value) { return elementType(value.getType()).getIntOrFloatBitWidth(); }

bool isArithmetic(Operation *op) { return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op); }
bool isShape(Operation *op) {
  return isa<SplatOp, BroadcastOp, ExpandDimsOp, TransOp, ReshapeOp>(op);
}

/// The operation that `value` is computed by, if it can be done in i64 instead.
Operation *widenable(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || (widthOf(value) != 32 && widthOf(value) != 64))
    return nullptr;
  bool extends = isa<arith::ExtSIOp>(op) && widthOf(op->getOperand(0)) == 32;
  return isArithmetic(op) || isShape(op) || extends ? op : nullptr;
}

/// Whether i32 arithmetic takes part in `value`. `seen`: operations that were looked at.
bool mayWrap(Value value, llvm::SmallPtrSetImpl<Operation *> &seen, int depth = 0) {
  Operation *op = widenable(value);
  if (!op || depth > kMaxDepth || !seen.insert(op).second)
    return false;
  return (isArithmetic(op) && widthOf(value) == 32) ||
         llvm::any_of(op->getOperands(), [&](Value v) { return mayWrap(v, seen, depth + 1); });
}
} // namespace

Value OffsetWidener::widen(Value value) { return widen(value, 0); }

Value OffsetWidener::widen(Value value, int depth) {
  if (Value known = wide.lookup(value))
    return known;
  MLIRContext *context = value.getContext();
  Type type = withElement(value.getType(), IntegerType::get(context, 64));
  Operation *op = widenable(value);
  OpBuilder b(context);
  b.setInsertionPointAfterValue(value);
  Value result;
  if (op && depth < kMaxDepth && isa<arith::ExtSIOp>(op)) {
    result = widen(op->getOperand(0), depth + 1);
  } else if (op && depth < kMaxDepth) {
    IRMapping operands;
    for (Value operand : op->getOperands())
      operands.map(operand, widen(operand, depth + 1));
    result = b.clone(*op, operands)->getResult(0);
    result.setType(type);
  } else if (widthOf(value) == 64) {
    result = value;
  } else {
    result = b.create<arith::ExtSIOp>(value.getLoc(), type, value);
  }
  return wide[value] = result;
}

void widenOffsets(FuncOp func) {
  OffsetWidener widener;
  func.walk([&](AddPtrOp op) {
    llvm::SmallPtrSet<Operation *, 16> seen;
    if (mayWrap(op.getOffset(), seen))
      op.getOffsetMutable().assign(widener.widen(op.getOffset()));
  });
  // The narrow operations that nothing else uses.
  SmallVector<Operation *> operations;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isArithmetic(op) || isShape(op) || isa<arith::ExtSIOp>(op))
      operations.push_back(op);
  });
  for (Operation *op : llvm::reverse(operations))
    if (isOpTriviallyDead(op))
      op->erase();
}

namespace {
struct WidenOffsetsPass : impl::WidenOffsetsBase<WidenOffsetsPass> {
  void runOnOperation() override {
    getOperation()->walk([](FuncOp func) {
      if (!func.isExternal())
        widenOffsets(func);
    });
  }
};
} // namespace

} // namespace tritium::tt
