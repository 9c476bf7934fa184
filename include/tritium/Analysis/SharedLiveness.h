//===- SharedLiveness.h - when shared memory is in use ----------*- C++ -*-===//

#ifndef TRITIUM_ANALYSIS_SHAREDLIVENESS_H
#define TRITIUM_ANALYSIS_SHAREDLIVENESS_H

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

namespace tritium::ttg {

/// The allocation that `memory` is, or is a part or a view of; null if it is not known.
LocalAllocOp allocationOf(mlir::Value memory);

/// The wait behind `reader`, an AsyncReader, in its block, by which it has read: null, if it goes
/// on out of there.
mlir::Operation *waitBehind(mlir::Operation *reader);

/// When each allocation of a kernel is in use, in program order: from where it stands to its
/// last use, of which those in a loop that it stands outside of last as long as the loop. What
/// asynchronous copies write is in use until they have arrived: those of boxes, as long as their
/// barrier is. What stores of boxes read is in use until a wait for all of them.
class SharedLiveness {
public:
  struct Lifetime {
    LocalAllocOp alloc;
    unsigned begin, end;
    mlir::Region *group; ///< of warps that it stands in, if any
    /// As other groups see it, which run meanwhile: as long as all groups do.
    unsigned groupsBegin, groupsEnd;
    bool meets(const Lifetime &other) const;
  };

  explicit SharedLiveness(tt::FuncOp kernel);

  /// In program order.
  llvm::ArrayRef<Lifetime> lifetimes() const { return all; }
  /// The end of the kernel.
  unsigned last() const { return end; }

private:
  llvm::SmallVector<Lifetime> all;
  unsigned end = 0;
};

/// Where the allocations of lifetimes begin, in bytes: those that are in use at one time share
/// none. Small ones, of at most `mostOfSmall` bytes, get places of their own as long as these have
/// at most `mostOfAll` together: then a second reduction needs no second barrier.
std::vector<uint64_t> placesFor(llvm::ArrayRef<SharedLiveness::Lifetime> lifetimes,
                                uint64_t mostOfSmall, uint64_t mostOfAll);

/// Fails, with a message, if an allocation has no offset, or shares bytes with one that is in use
/// at the same time, or if it is not known where memory was allocated.
mlir::LogicalResult checkPlaces(tt::FuncOp kernel);

/// All places lie in the shared memory that the module's target has. What was compiled from
/// source may need more: its launch says so, as hosts that try configurations expect.
mlir::LogicalResult checkFits(tt::FuncOp kernel);

/// Bytes of shared memory up to the end of the last allocation of `kernel`, all of which have
/// offsets.
uint64_t sharedBytes(tt::FuncOp kernel);
/// The same of one of the programs of a CTA, up to where the next one's begin; and of all of them.
uint64_t sharedPitch(tt::FuncOp kernel);
uint64_t sharedBytesOfCTA(tt::FuncOp kernel);
/// What the address of its shared memory must be a multiple of.
uint64_t sharedAlignment(tt::FuncOp kernel);

} // namespace tritium::ttg

#endif // TRITIUM_ANALYSIS_SHAREDLIVENESS_H
