//===- OtherAccesses.cpp - what else a kernel does with memory ------------===//

#include "OtherAccesses.h"

#include "tritium/Analysis/PointerBases.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

using namespace mlir;

namespace tritium::ttng {

/// It does nothing to global memory.
static bool isHarmless(Operation *op) {
  return isMemoryEffectFree(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
         op->hasTrait<OpTrait::IsTerminator>() || isa<tt::AssumeOp, tt::PrintOp>(op) ||
         isa<ttg::TileGPUDialect, TileNVGPUDialect>(op->getDialect());
}

bool OtherAccesses::mayReach(Value pointer) const {
  return llvm::any_of(pointers, [&](Value x) { return mayShareBase(x, pointer); });
}

void OtherAccesses::add(Operation *op) {
  auto access = dyn_cast<tt::MemoryAccess>(op);
  auto load = dyn_cast<tt::LoadOp>(op);
  if (auto copy = dyn_cast<TMALoadOp>(op)) {
    addPointer(copy.getBase());
  } else if (op->hasAttr(tt::kPartialSum)) {
    return; // it counts sums that threads have stored, and no tile that goes on behind it
  } else if ((access && access.isAtomic()) || (load && load.getIsVolatile())) {
    ordering = "an atomic or volatile access of the kernel may tell others that it is over";
  } else if (isa<tt::StoreOp>(op)) {
    return;
  } else if (access) {
    addPointer(access.getAccessed());
  } else if (isa<tt::PtrToIntOp, tt::InlineAsmOp>(op) && isMemoryEffectFree(op)) {
    // What they do with addresses, nobody knows.
    for (Value operand : op->getOperands())
      if (isa<tt::PointerType>(tt::elementType(operand.getType())))
        addPointer(operand);
  } else if (isa<TMAStoreOp, tt::AssertOp>(op) || !isHarmless(op)) {
    ordering = "the kernel does what may end it or depend on memory: '";
    ordering += op->getName().getStringRef();
    ordering += "'";
  }
}

} // namespace tritium::ttng
