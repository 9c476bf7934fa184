//===- LocalMemory.h - tiles in shared memory ------------------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_LOCALMEMORY_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_LOCALMEMORY_H

#include "LoweringContext.h"

#include "tritium/Layout/TileConversion.h"

#include <deque>

namespace tritium {
struct MatrixLoad;
}

namespace tritium::ttg {

/// A tile from shared memory, instruction by instruction.
struct Fragments {
  std::vector<std::function<void(Registers &)>> loads;
  std::vector<int64_t> firstK; ///< the first k that each is for, ascending

  /// Loads for k below `end`.
  size_t loadsBelow(int64_t end) const { return llvm::lower_bound(firstK, end) - firstK.begin(); }
};

/// What starts among the products of dots.
struct DotWork {
  llvm::DenseMap<mlir::Operation *, Fragments> fragments; ///< that a dot loads itself
  std::deque<std::function<void()>> copies;               ///< asynchronous, for the next dots
  std::vector<std::function<void()>> later;               ///< loads in the midst of the next dot

  const Fragments *fragmentsOf(mlir::Value tile) const {
    auto found = fragments.find(tile.getDefiningOp());
    return found == fragments.end() ? nullptr : &found->second;
  }
  /// Starts the next of the copies.
  void startCopies(size_t count);
};

/// A tile in panels of memory, each of which has its elements at the same offsets.
Panels panelsIn(MemDescType memory, const TileLayout &layout);

/// LocalMemory.cpp, LocalMatrices.cpp, LocalGather.cpp, LocalCount.cpp and AsyncCopy.cpp.
class LocalMemoryLowering : public LoweringContext {
public:
  LocalMemoryLowering(const LoweringContext &context, std::shared_ptr<DotWork> work)
      : LoweringContext(context), work(std::move(work)) {}

  mlir::LogicalResult lowerLocal(mlir::Operation *op);
  mlir::LogicalResult lowerLocalGather(LocalGatherOp op);
  mlir::LogicalResult lowerLocalCount(LocalCountOp op);
  mlir::LogicalResult lowerAsyncCopy(AsyncCopyGlobalToLocalOp op);

private:
  /// A tile of registers, or a scalar, to and from memory.
  /// Of a tile, if `part` is not empty, what begins there.
  void storeLocal(Value base, MemDescType memory, Type type, llvm::ArrayRef<Value> registers,
                  llvm::ArrayRef<int64_t> part = {});
  void storeLocal(Value base, MemDescType memory, const TileLayout &layout,
                  llvm::ArrayRef<Value> registers);
  Registers loadLocal(Value base, LocalLoadOp op);
  Value addressOf(Value base, MemDescType memory, llvm::ArrayRef<int64_t> place);
  /// Through elements one after another, whose addresses are computed from their coordinates.
  /// `visit` gets an address, whether it is one of the tile's, and registers that are neighbours.
  void forEachRun(Value base, MemDescType memory, const TileLayout &layout,
                  llvm::function_ref<void(Value, Value, llvm::ArrayRef<unsigned>)> visit);
  void storeInOrder(Value base, MemDescType memory, const TileLayout &layout,
                    llvm::ArrayRef<Value> registers);
  Registers loadInOrder(Value base, MemDescType memory, const TileLayout &layout);
  /// At linear offsets (in elements) from `base`, `start` bytes further on.
  void storeTile(Value base, const LinearLayout &offsets, const TileLayout &layout, Type element,
                 llvm::ArrayRef<Value> registers);
  Registers loadTile(Value base, const LinearLayout &places, const TileLayout &tile, Type element,
                     uint64_t start = 0);
  /// `places` leads to offsets in elements from `base`, `start` bytes further on; instructions
  /// are in the order of dimension `k`, if one is given.
  Fragments planLoads(Value base, const LinearLayout &places, const TileLayout &tile, Type element,
                      uint64_t start, std::optional<unsigned> k);
  void loadMatrix(Value address, const MatrixLoad &load, unsigned instruction, Type element,
                  Registers &result);
  /// stmatrix, which is to ldmatrix as a store is to a load.
  void storeMatrix(Value predicate, Value address, const MatrixLoad &store, unsigned instruction,
                   Type element, llvm::ArrayRef<Value> registers);
  void loadRun(Value address, llvm::ArrayRef<unsigned> run, Type element, Registers &result);
  void storeSharedWords(Value predicate, Value address, llvm::ArrayRef<Value> words, unsigned bits,
                        bool asWritten);
  void lowerLocalLoad(LocalLoadOp op);
  /// `emit` now or, where `op` says so, among the products of the next dot.
  void emitHereOrInDot(mlir::Operation *op, std::function<void()> emit);
  mlir::Value bytesInside(mlir::Value mask, unsigned dim, llvm::ArrayRef<unsigned> group,
                          unsigned bytes);
  void copyNow(AsyncCopyGlobalToLocalOp op);
  void copyPanel(AsyncCopyGlobalToLocalOp op, const Panels &panels, const Coordinates &start,
                 unsigned run, unsigned dim);
  void storeShared(Value predicate, Value address, Value x);

  std::shared_ptr<DotWork> work;
};

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_LOCALMEMORY_H
