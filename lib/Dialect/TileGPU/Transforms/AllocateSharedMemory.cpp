//===- AllocateSharedMemory.cpp - ttg-allocate-shared-memory --------------===//
//
//   %m = ttg.local_alloc : ..               // 512 bytes, to the end of the loop
//   %n = ttg.local_alloc init(%x : ..) : .. // 4096 bytes, used up before %m begins
//
// becomes
//
//   %m = ttg.local_alloc {offset = 0 : i32} : ..
//   %n = ttg.local_alloc init(%x : ..) {offset = 512 : i32} : ..
//
// What is not in use at one time may share a place (placesFor).
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/SharedLiveness.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Target/GPU/Strategy.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_ALLOCATESHAREDMEMORY
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
LogicalResult allocate(tt::FuncOp kernel) {
  SharedLiveness liveness(kernel);
  std::vector<uint64_t> places =
      placesFor(liveness.lifetimes(), strategy::kSmallShared, strategy::kSmallSharedTotal);
  for (auto [lifetime, begin] : llvm::zip(liveness.lifetimes(), places)) {
    LocalAllocOp alloc = lifetime.alloc;
    // Addresses are computed in 32 bits.
    if (uint64_t end = begin + alloc.getBytes(); end > INT32_MAX)
      return alloc.emitError() << "the program would need " << end
                               << " bytes of shared memory at once; use smaller tiles or fewer "
                                  "stages";
    alloc.setOffset(begin);
  }
  return success();
}

struct AllocateSharedMemoryPass : impl::AllocateSharedMemoryBase<AllocateSharedMemoryPass> {
  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>())
      return signalPassFailure();
    for (auto func : getOperation().getOps<tt::FuncOp>())
      if (!func.isExternal() && failed(allocate(func)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace tritium::ttg
