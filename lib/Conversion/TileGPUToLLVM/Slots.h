//===- Slots.h - registers that a mask may rule out ------------*- C++ -*-===//
//
// A row of 3000 elements in a tile of 4096, eight warps, vectors of eight:
//
//   register     warp 0   1   2   3   4   5   6   7
//   0..7         inside for all
//   8..15        in   in  in  cut  out out out out
//
// A slot is a set of registers like the second line, in the upper half of a tile, of which
// a warp may have no element inside of the mask. What such a warp would compute for it is
// known without memory: the load gives `other`, and what follows element by element gives
// the same value for all of the slot. So these operations are emitted slot by slot, each
// under a branch that all lanes take together:
//
//   if any lane has an element of the slot inside
//     the operations on each register, their part in a reduction, their store
//   else
//     the operations on one value, its part in a reduction
//
// That is worth while if the bound of the mask is the same for all programs, as with rows in
// tiles of the next power of two; a bound that only the last program meets is not. The lower
// half of a tile is taken to be inside, or a smaller tile would do.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_SLOTS_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_SLOTS_H

#include "tritium/Analysis/AxisInfo.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "llvm/ADT/DenseSet.h"

#include <deque>

namespace tritium::ttg {

struct Slot {
  /// The registers with the same coordinates but along the mask's dimension, in order of that:
  /// where nothing is inside, they have the same value.
  llvm::SmallVector<llvm::SmallVector<unsigned, 8>, 2> strands;

  llvm::SmallVector<unsigned, 16> registers() const;
};

/// A mask whose slots are looked at one by one.
struct SlotMask {
  mlir::Value mask;
  unsigned dim;                           ///< it is true up to a bound along this dimension
  llvm::SmallVector<unsigned, 16> always; ///< registers of the lower half
  llvm::SmallVector<Slot, 2> slots;
};

class SlotPlan {
public:
  using LayoutOf = llvm::function_ref<const TileLayout &(mlir::Value)>;

  SlotPlan(tt::FuncOp kernel, const AxisInfoAnalysis &axes, LayoutOf layout);

  /// Of an element-wise operation, a reduction or a store that leaves out slots; else null.
  const SlotMask *maskOf(mlir::Operation *op) const { return members.lookup(op); }
  /// The tile has one value for all of a strand where `mask` lets nothing in. `fillOf` in
  /// SlotEmission.cpp computes it.
  bool isFilled(mlir::Value tile, const SlotMask &mask) const;
  /// Operations other than those that leave out slots read the tile.
  bool isWantedEverywhere(mlir::Value tile, const SlotMask &mask) const;
  /// `mask` holds nowhere where `of` does not.
  static bool implies(mlir::Value mask, mlir::Value of);

  /// Moves what addresses are made of ahead of the first operation that leaves out slots: the
  /// code generator sees one basic block at a time, so that it multiplies a pitch in 64 bits if
  /// that was widened in another.
  void hoistAddresses(tt::FuncOp kernel) const;

private:
  class Builder;
  std::deque<SlotMask> masks;
  llvm::DenseMap<mlir::Operation *, const SlotMask *> members;
  llvm::DenseMap<mlir::Value, const SlotMask *> filled;
};

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_SLOTS_H
