//===- RemoveLayoutConversions.cpp - ttg-remove-layout-conversions --===//
//
//   %p1 = ttg.convert_layout %p : #blocked -> #blocked1
//   %x1 = tt.load %p1                                       // #blocked1 chosen by coalesce
//   %x = ttg.convert_layout %x1 : #blocked1 -> #blocked
//   %y = arith.addf %x, %x : #blocked
//
// becomes a computation of %p, the load and the sum in #blocked1. See LayoutPropagation.h.
//
//===----------------------------------------------------------------------===//

#include "LayoutPropagation.h"

#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_REMOVELAYOUTCONVERSIONS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
AnchorLayouts presentLayouts(Operation *op) {
  AnchorLayouts layouts;
  auto present = [](Value value) -> Attribute {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? type.getEncoding() : Attribute();
  };
  for (Value operand : op->getOperands())
    layouts.operands.push_back(present(operand));
  if (op->getNumResults())
    layouts.result = present(op->getResult(0));
  return layouts;
}

struct RemoveLayoutConversionsPass
    : impl::RemoveLayoutConversionsBase<RemoveLayoutConversionsPass> {
  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>() || failed(checkNothingSkipped(getOperation())))
      return signalPassFailure();
    ModuleOp module = getOperation();
    for (auto func : module.getOps<tt::FuncOp>())
      propagateLayouts(func, numWarps(module), presentLayouts);
  }
};
} // namespace

} // namespace tritium::ttg
