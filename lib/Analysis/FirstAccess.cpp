//===- FirstAccess.cpp - where a kernel first touches memory --------------===//

#include "tritium/Analysis/FirstAccess.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

using namespace mlir;

namespace tritium::ttg {

/// Whatever its author says, assembly may read memory.
static bool hasAssembly(Operation &op) {
  return op.walk([](tt::InlineAsmOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

Operation *firstAccess(tt::FuncOp kernel) {
  Block &begin = kernel.getBody().front();
  for (Operation &op : begin.without_terminator())
    if ((!isMemoryEffectFree(&op) && !isa<BarrierOp, LocalAllocOp, ttng::MBarrierInitOp>(op)) ||
        hasAssembly(op))
      return &op;
  return begin.getTerminator();
}

bool waitsForLaunches(tt::FuncOp kernel) {
  auto found = dyn_cast<tt::GridDependencyOp>(firstAccess(kernel));
  return found && found.getKind() == tt::GridDependency::WAIT;
}

} // namespace tritium::ttg
