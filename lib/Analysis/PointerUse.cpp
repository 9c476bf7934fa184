//===- PointerUse.cpp - what a kernel does through its pointers -----------===//

#include "tritium/Analysis/PointerUse.h"

#include "tritium/Analysis/PointerBases.h"

using namespace mlir;

namespace tritium {

/// Whether an operation goes through its first operand, a pointer or a tensor descriptor.
static bool accessesGlobalMemory(Operation *op) {
  return isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp, tt::DescriptorLoadOp,
             tt::DescriptorStoreOp, tt::DescriptorReduceOp, tt::DescriptorGatherOp,
             tt::DescriptorScatterOp>(op);
}

PointerUse findPointerUse(tt::FuncOp func) {
  llvm::BitVector none(func.getNumArguments());
  PointerUse use{none, none};
  llvm::DenseMap<Value, PointerBases> known;
  func.walk([&](Operation *op) {
    if (!accessesGlobalMemory(op))
      return;
    Value through = op->getOperand(0);
    auto [bases, isNew] = known.try_emplace(through);
    if (isNew)
      bases->second = basesOf(through);
    auto memory = cast<MemoryEffectOpInterface>(op);
    bool reads = memory.getEffectOnValue<MemoryEffects::Read>(through).has_value(),
         writes = memory.getEffectOnValue<MemoryEffects::Write>(through).has_value();
    for (Value argument : bases->second.arguments) {
      unsigned number = cast<BlockArgument>(argument).getArgNumber();
      if (reads)
        use.read.set(number);
      if (writes)
        use.written.set(number);
    }
    use.indirect |= bases->second.elsewhere;
    use.indirectlyWritten |= bases->second.elsewhere && writes;
  });
  return use;
}

} // namespace tritium
