//===- Memory.h - loads and stores -----------------------------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_MEMORY_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_MEMORY_H

#include "LoweringContext.h"

#include "mlir/IR/IRMapping.h"

namespace tritium::ttg {

/// Memory.cpp.
class MemoryLowering : public LoweringContext {
public:
  explicit MemoryLowering(const LoweringContext &context) : LoweringContext(context) {}

  mlir::LogicalResult lowerLoad(tt::LoadOp op);
  /// `op` and as many loads of tiles before it have begun behind this.
  void beginBehind(tt::LoadOp op, int64_t before);
  mlir::LogicalResult lowerPrefetch(PrefetchL2Op op);
  mlir::LogicalResult lowerStore(tt::StoreOp op);
  struct StorePlan {
    llvm::SmallVector<llvm::SmallVector<unsigned, 8>> groups;
    MaskRuns bound;
    Value writes; ///< this thread does; null if all do
  };
  StorePlan planStore(tt::StoreOp op);
  void emitStore(tt::StoreOp op, const StorePlan &plan,
                 llvm::ArrayRef<llvm::SmallVector<unsigned, 8>> groups);
  /// One instruction; `fallback` (empty: zeros) where the predicate does not hold.
  llvm::SmallVector<Value> loadWords(Value address, Value predicate, llvm::ArrayRef<Value> fallback,
                                     unsigned count, unsigned wordBits,
                                     llvm::StringRef instruction);

private:
  /// Of the groups of a load, those from one address under one mask are loaded as one.
  struct LoadGroups {
    llvm::SmallVector<llvm::SmallVector<unsigned, 8>> all, loaded;
    llvm::SmallVector<unsigned> loadedAs; ///< the number in `loaded` of each of `all`
  };
  LoadGroups loadGroups(tt::LoadOp op, MaskRuns &bound);
  /// How the elements behind a tile of pointers move: groups of neighbouring registers. The
  /// mask is the same for all of a group, or, if `bound` is given, as that says.
  llvm::SmallVector<llvm::SmallVector<unsigned, 8>> accessGroups(Value ptr, Value mask,
                                                                 MaskRuns *bound = nullptr);
  /// Predicates of a vector. `whole`: it moves as one, null if always. `ragged`: some of its
  /// elements move, null if never.
  struct VectorMask {
    Value whole, ragged;
  };
  VectorMask vectorMask(llvm::ArrayRef<unsigned> group, Value mask, const MaskRuns &bound,
                        Value also, mlir::IRMapping &here);
  /// A copy of x that LLVM does not look through.
  Value hidden(Value x);
  /// The same mask, computed here: where only a branch that is seldom taken wants it, nothing
  /// of it should be kept ready. `here` is what has been copied.
  Value maskHere(Value mask, mlir::IRMapping &here, int depth = 4);
  void storeWords(Value address, Value predicate, llvm::ArrayRef<Value> words, unsigned wordBits,
                  llvm::StringRef instruction);
};

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_MEMORY_H
