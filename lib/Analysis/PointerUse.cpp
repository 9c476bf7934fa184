//===- PointerUse.cpp - what a kernel does through its pointers -----------===//

#include "tritium/Analysis/PointerUse.h"

#include "tritium/Analysis/PointerBases.h"

using namespace mlir;

namespace tritium {

PointerUse findPointerUse(tt::FuncOp func) {
  llvm::BitVector none(func.getNumArguments());
  PointerUse use{none, none};
  llvm::DenseMap<Value, PointerBases> known;
  auto addUse = [&](Value through, bool reads, bool writes) {
    auto [bases, isNew] = known.try_emplace(through);
    if (isNew)
      bases->second = basesOf(through);
    for (Value argument : bases->second.arguments) {
      unsigned number = cast<BlockArgument>(argument).getArgNumber();
      if (reads)
        use.read.set(number);
      if (writes)
        use.written.set(number);
    }
    use.indirect |= bases->second.elsewhere;
    use.indirectlyWritten |= bases->second.elsewhere && writes;
  };
  bool hasAddresses =
      func.walk([](tt::PtrToIntOp) { return WalkResult::interrupt(); }).wasInterrupted();
  func.walk([&](Operation *op) {
    if (auto access = dyn_cast<tt::MemoryAccess>(op))
      addUse(access.getAccessed(), access.reads(), access.writes());
    // Copies of boxes, say, which go through one pointer.
    else if (auto other = dyn_cast<MemoryEffectOpInterface>(op))
      for (Value operand : op->getOperands())
        if (isa<tt::PointerType>(operand.getType()))
          addUse(operand, other.getEffectOnValue<MemoryEffects::Read>(operand).has_value(),
                 other.getEffectOnValue<MemoryEffects::Write>(operand).has_value());
    // What assembly does with an address, nobody knows.
    if (auto assembly = dyn_cast<tt::InlineAsmOp>(op))
      for (Value argument : assembly.getArgs()) {
        Type element = tt::elementType(argument.getType());
        if (isa<tt::PointerType>(element))
          addUse(argument, /*reads=*/true, /*writes=*/!assembly.getPure());
        else if (element.isInteger(64) && hasAddresses) {
          use.indirect = true;
          use.indirectlyWritten |= !assembly.getPure();
        }
      }
  });
  return use;
}

} // namespace tritium
