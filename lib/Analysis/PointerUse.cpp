//===- PointerUse.cpp - what a kernel does through its pointers -----------===//

#include "tritium/Analysis/PointerUse.h"

#include "tritium/Analysis/PointerBases.h"

using namespace mlir;

namespace tritium {

PointerUse findPointerUse(tt::FuncOp func) {
  llvm::BitVector none(func.getNumArguments());
  PointerUse use{none, none};
  llvm::DenseMap<Value, PointerBases> known;
  func.walk([&](tt::MemoryAccess access) {
    Value through = access.getAccessed();
    auto [bases, isNew] = known.try_emplace(through);
    if (isNew)
      bases->second = basesOf(through);
    bool reads = access.reads(), writes = access.writes();
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
