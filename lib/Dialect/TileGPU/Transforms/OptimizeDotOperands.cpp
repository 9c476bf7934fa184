//===- OptimizeDotOperands.cpp - ttg-optimize-dot-operands ----------===//
//
//   %x = ttg.local_load %m : -> tensor<64x32xf8E5M2, #blocked>
//   %y = arith.extf %x
//   %z = tt.trans %y
//   %b = ttg.convert_layout %z : -> tensor<32x64xf16, #dot_op>
//   %d = tt.dot %a, %b, %c
//
// becomes
//
//   %t = ttg.memdesc_trans %m
//   %x = ttg.local_load %t : -> tensor<32x64xf8E5M2, #dot_op>
//   %b = arith.extf %x
//   %d = tt.dot %a, %b, %c
//
// What lies in shared memory is read as the fragments that the dot needs, instead of being
// sent through shared memory a second time: a transposition then is ldmatrix with or without
// .trans. Casts and other functions of one element follow in the layout of the operand.
//
// Every operation on the way must have no other use. Warp groups read operands in shared memory
// themselves: what others use as well, they read there, too, through whatever names for it. But a
// tile that is computed from what was loaded goes back to memory for them, so that it stays in a
// layout in which each element is computed once.
//
// It runs behind the pipeliner, whose buffers are what is read.
//
//===----------------------------------------------------------------------===//

#include "LayoutPlan.h"

#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/IR/TileOffsets.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_OPTIMIZEDOTOPERANDS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// The operations from shared memory to an operand, the last first; empty if there are others.
SmallVector<Operation *> pathTo(Value operand, bool isOfGroups) {
  SmallVector<Operation *> path;
  for (Value value = operand;;) {
    Operation *op = value.getDefiningOp();
    if (!op || (!isOfGroups && !op->hasOneUse()))
      return {};
    path.push_back(op);
    if (auto load = dyn_cast<LocalLoadOp>(op))
      return load.getOffsets() ? SmallVector<Operation *>() : path;
    bool isName = isa<ConvertLayoutOp, tt::TransOp>(op);
    bool isComputed = !isOfGroups && tt::isElementwise(op) && op->getNumOperands() == 1;
    if (!isName && !isComputed)
      return {};
    value = op->getOperand(0);
  }
}

void readInPlace(OpOperand &operand, bool isOfGroups) {
  SmallVector<Operation *> path = pathTo(operand.get(), isOfGroups);
  if (path.empty() ||
      llvm::none_of(path, [](Operation *op) { return isa<ConvertLayoutOp, tt::TransOp>(op); }))
    return;
  Attribute layout = cast<RankedTensorType>(operand.get().getType()).getEncoding();
  auto load = cast<LocalLoadOp>(path.back());
  MemDescType type = load.getSrc().getType();
  for (Operation *op : llvm::reverse(path))
    if (auto trans = dyn_cast<tt::TransOp>(op))
      type = MemDescTransOp::transposed(type, trans.getOrder());
  // Panels of operands of warp groups, which other instructions' fragments do not divide.
  auto fragments = RankedTensorType::get(type.getShape(), type.getElementType(), layout);
  if (!coversPanels(fragments, type))
    return;
  OpBuilder builder(load);
  Value memory = load.getSrc();
  for (Operation *op : llvm::reverse(path))
    if (auto trans = dyn_cast<tt::TransOp>(op))
      memory = builder.create<MemDescTransOp>(
          trans.getLoc(),
          MemDescTransOp::transposed(cast<MemDescType>(memory.getType()), trans.getOrder()), memory,
          builder.getDenseI32ArrayAttr(trans.getOrder()));
  ArrayRef<int64_t> shape = cast<MemDescType>(memory.getType()).getShape();
  auto typeOf = [&](Value like) {
    return RankedTensorType::get(shape, tt::elementType(like.getType()), layout);
  };
  Value value = builder.create<LocalLoadOp>(load.getLoc(), typeOf(load.getResult()), memory);
  for (Operation *op : llvm::reverse(path)) {
    if (isa<LocalLoadOp, ConvertLayoutOp, tt::TransOp>(op))
      continue;
    builder.setInsertionPoint(op);
    OperationState state(op->getLoc(), op->getName(), value, typeOf(op->getResult(0)),
                         op->getAttrs());
    value = builder.create(state)->getResult(0);
  }
  operand.set(value);
  for (Operation *op : path)
    if (op->use_empty())
      op->erase();
}

struct OptimizeDotOperandsPass : impl::OptimizeDotOperandsBase<OptimizeDotOperandsPass> {
  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>() || failed(checkNothingSkipped(getOperation())))
      return signalPassFailure();
    getOperation().walk([](tt::DotOp dot) {
      bool isOfGroups = isOfWarpGroups(dot);
      readInPlace(dot.getAMutable(), isOfGroups);
      readInPlace(dot.getBMutable(), isOfGroups);
    });
  }
};
} // namespace

} // namespace tritium::ttg
