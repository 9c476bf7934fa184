//===- ConvertTileToTileGPU.cpp - convert-tt-to-ttg ---------===//
//
//   %x = tt.load %p : tensor<128x!tt.ptr<f32>>
// becomes
//   %x = tt.load %p : tensor<128x!tt.ptr<f32>, #blocked>
//
// with the plain layout of the shape, so that no conversion is needed between tiles of one
// shape. Later passes choose better ones for memory accesses and dots, and let the rest
// follow. A barrier is one of threads from here on.
//
//===----------------------------------------------------------------------===//

#include "LayoutPropagation.h"

#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_CONVERTTILETOTILEGPU
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// The plain layout for each shape; operands of a dot as its result's layout wants them.
AnchorLayouts plainLayouts(Operation *op, int warps) {
  MLIRContext *context = op->getContext();
  AnchorLayouts layouts;
  auto plain = [&](Value value) -> Attribute {
    if (!tt::isTile(value.getType()))
      return {};
    return defaultLayout(context, tt::shapeOf(value.getType()), warps);
  };
  for (Value operand : op->getOperands())
    layouts.operands.push_back(plain(operand));
  if (op->getNumResults())
    layouts.result = plain(op->getResult(0));
  if (isa<tt::DotOp>(op))
    for (uint32_t i : {0u, 1u})
      layouts.operands[i] = DotOperandEncodingAttr::get(context, i, layouts.result, 1);
  return layouts;
}

struct ConvertTileToTileGPUPass : impl::ConvertTileToTileGPUBase<ConvertTileToTileGPUPass> {
  using ConvertTileToTileGPUBase::ConvertTileToTileGPUBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    int warps = numWarps(module, this->warps);
    if (failed(checkNoLayouts(module, warps)))
      return signalPassFailure();
    if (failed(TargetAttr::verify([&] { return module.emitError(); }, capability, isSpecific)))
      return signalPassFailure();
    module->setAttr(kTarget, TargetAttr::get(&getContext(), capability, isSpecific));
    module->setAttr(kNumWarps, Builder(module.getContext()).getI32IntegerAttr(warps));
    module.walk([](gpu::BarrierOp barrier) {
      OpBuilder b(barrier);
      b.create<BarrierOp>(barrier.getLoc(), StringAttr());
      barrier.erase();
    });
    for (auto func : module.getOps<tt::FuncOp>())
      propagateLayouts(func, warps, [&](Operation *op) { return plainLayouts(op, warps); });
  }
};
} // namespace

} // namespace tritium::ttg
