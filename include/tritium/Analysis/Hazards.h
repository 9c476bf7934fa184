//===- Hazards.h - accesses that must wait for others -----------*- C++ -*-===//
//
// Threads of a program run on their own between barriers. An access of shared memory that
// another thread has written, or a write of what another thread may still read, must have a
// barrier in front of it; so must accesses of global memory that program order puts in an
// order (GlobalOrder.h). A thread's own asynchronous copies arrive at an `async_wait`; what
// is on its way can be neither read nor written, and no barrier helps. Nor does one for what an
// `AsyncReader`, or a store of a box, reads up to the wait for it, and it does not see what threads
// have written without a `ProxyFence` of theirs, and a barrier behind that.
//
// Which buffer of several is meant follows from `ahead` of `memdesc_index`: a loop that takes
// them in turn does not read, in an iteration, what it writes for a later one.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_ANALYSIS_HAZARDS_H
#define TRITIUM_ANALYSIS_HAZARDS_H

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

namespace tritium::ttg {

struct Hazard {
  enum Kind {
    ReadAfterWrite,
    WriteAfterRead,
    WriteAfterWrite,
    CopyOnItsWay,
    ReadOnItsWay,
    NotFenced,
    GlobalMemory
  };
  Kind kind;
  mlir::Operation *first, *second; ///< `second` must wait
  uint64_t begin = 0, end = 0;     ///< bytes of shared memory

  bool isSettledByBarrier() const {
    return kind != CopyOnItsWay && kind != ReadOnItsWay && kind != NotFenced;
  }
  /// "read after write, shared memory [0, 512)"
  std::string describe() const;
};

/// The operations of `kernel` that a barrier is missing in front of, each with one of the reasons,
/// and those that no barrier settles. Barriers are taken to stand in front of the ones found
/// before. Allocations have offsets. mayAlias: see GPULoweringOptions.
std::vector<Hazard> findHazards(tt::FuncOp kernel, bool mayAlias);

/// Fails, with a message at the operation, if there are hazards.
mlir::LogicalResult checkHazards(tt::FuncOp kernel, bool mayAlias);

} // namespace tritium::ttg

#endif // TRITIUM_ANALYSIS_HAZARDS_H
