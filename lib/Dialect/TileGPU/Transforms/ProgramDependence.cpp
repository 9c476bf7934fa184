//===- ProgramDependence.cpp - whether the order of programs matters ------===//

#include "ProgramDependence.h"

#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tritium::ttg {

/// What a program finds when it counts itself among the parts of one decides who adds up, and does
/// not keep anybody waiting.
static bool countsParts(tt::AtomicRMWOp atomic) {
  return atomic->hasAttr(tt::kPartialSum) &&
         atomic->getParentOfType<tt::FuncOp>()->hasAttr(tt::kStreamK);
}

/// What a program may do that others share a CTA with.
static bool isIndependent(Operation *op) {
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return !load.getIsVolatile() && load.getCache() != tt::CacheModifier::CV;
  if (auto atomic = dyn_cast<tt::AtomicRMWOp>(op))
    return atomic->use_empty() || countsParts(atomic);
  // The number of the program does not reach what stands apart.
  if (isa<tt::GetProgramIdOp>(op))
    return !op->getParentOfType<tt::MapElementwiseOp>();
  // Assembly may read the registers that say which CTA this is.
  if (isa<tt::InlineAsmOp>(op))
    return false;
  return isa<tt::StoreOp, ttng::LoadBoxOp, tt::AssumeOp, scf::ForOp, scf::IfOp, scf::YieldOp,
             tt::ReturnOp>(op) ||
         isMemoryEffectFree(op);
}

Operation *findDependence(tt::FuncOp kernel) {
  Operation *found = nullptr;
  kernel.getBody().walk([&](Operation *op) {
    found = isIndependent(op) ? nullptr : op;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

} // namespace tritium::ttg
