//===- Shared.h - scratch in shared memory, and barriers --------*- C++ -*-===//
//
// Reductions across warps and conversions across lanes exchange elements through shared
// memory. Each such operation writes its scratch, waits at a barrier, and reads it. The plan
// gives every operation a place and says where one more barrier must stand before it,
// because what it writes may still be read.
//
// A barrier also stands between accesses of global memory that must keep program order
// across threads.
//
// Explicit allocations live from where they stand to their last use; scratch while its
// operation runs. What does not live at one time may share a place. Small scratch gets
// places of its own as long as that stays small, which is what makes a second reduction
// need no second barrier.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_SHARED_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_SHARED_H

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Layout/Shuffle.h"

namespace tritium::ttg {

class SharedPlan {
public:
  /// mayAlias: see GPULoweringOptions.
  SharedPlan(tt::FuncOp kernel, bool mayAlias);

  uint64_t totalBytes() const { return total; }
  /// Where the scratch or the allocation of `op` begins.
  uint64_t offsetOf(mlir::Operation *op) const { return places.lookup(op).begin; }
  bool needsBarrierBefore(mlir::Operation *op) const { return barriers.contains(op); }

private:
  struct Range {
    uint64_t begin = 0, end = 0;
    /// Of an allocation with several buffers the one that is meant, counted from the one
    /// that the present iteration of the loop reads; -1: not known.
    mlir::Operation *ring = nullptr;
    int slot = -1;
    bool overlaps(Range other) const {
      bool isOther =
          ring && ring == other.ring && slot >= 0 && other.slot >= 0 && slot != other.slot;
      return begin < other.end && other.begin < end && !isOther;
    }
    bool operator==(const Range &) const = default;
  };
  /// What some thread may still read, and has written, since the last barrier.
  struct State {
    llvm::SmallVector<Range, 4> reads, writes;
    /// Accesses of global memory; true: in an earlier iteration of a loop, through another
    /// pointer than the operation has now.
    llvm::SmallVector<std::pair<mlir::Operation *, bool>, 4> globals;
    bool join(const State &other);
    /// Applies `change` to ranges that know their slot.
    void forEachSlot(llvm::function_ref<void(Range &)> change);
  };

  void place(tt::FuncOp kernel);
  /// `value`, a memdesc, in bytes.
  Range rangeOf(mlir::Value value) const;
  void access(mlir::Operation *op, State &state, Range range, bool writes);
  void accessGlobal(mlir::Operation *op, State &state);
  void walk(mlir::Block &block, State &state);
  void visit(mlir::Operation *op, State &state);

  bool mayAlias;
  uint64_t total = 0;
  llvm::DenseMap<mlir::Operation *, Range> places;
  llvm::DenseSet<mlir::Operation *> barriers;
};

/// Whether `second` must wait for `first` of other threads: both access global memory
/// through pointers that come from one argument (or from who knows where), one of them
/// writes, and not every thread accesses only what is its own. Accesses through different
/// arguments are taken not to meet. `earlier`: `first` ran in an earlier iteration, where
/// its pointer had another value.
bool mustWaitFor(mlir::Operation *second, mlir::Operation *first, bool earlier, bool mayAlias);

/// Bytes of shared memory that `op` exchanges elements through; 0 if it needs none.
uint64_t scratchBytes(mlir::Operation *op);

/// Whether one thread runs an atomic for others, which take its result from shared memory: it is
/// on a scalar, or several threads hold an element of the tile.
bool sharesResult(mlir::Operation *atomic);

/// A tile whose extents are multiples of powers of two, in panels of such extents, each of
/// which both layouts hold in the same way: an extent of 96 is three panels of 32.
struct Panels {
  TileLayout from, to;             ///< of one panel
  std::vector<Coordinates> starts; ///< of each panel
  uint64_t bytes;                  ///< of a panel
};
/// Nothing if a layout has padding, or panels would be too small.
std::optional<Panels> panelsOf(const TileLayout &from, const TileLayout &to, unsigned elementBits);

/// How a tile changes its layout.
struct Conversion {
  enum Kind { Registers, Shuffles, Shared } kind;
  ShufflePlan shuffles;         ///< for every panel
  std::optional<Panels> panels; ///< through shared memory without them: in row-major order
};
/// Registers are renamed if that is enough. Shuffles need no barrier and no memory, but a word
/// costs a shuffle and selects where shared memory writes and reads it once: they are taken
/// while they are not more work than that.
Conversion planConversion(const TileLayout &from, const TileLayout &to, unsigned elementBits);

/// What a reduction does with each bit of lanes and warps.
struct ReductionPlan {
  llvm::SmallVector<unsigned> laneBits; ///< along the axis
  llvm::SmallVector<unsigned> warpBits;
  bool isSeparable = true; ///< every bit lies along the axis or along the rest
};
ReductionPlan planReduction(const TileLayout &src, unsigned axis);

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_SHARED_H
