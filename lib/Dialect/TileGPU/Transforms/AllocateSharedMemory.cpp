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
// What is not in use at one time may share a place. Small allocations get places of their own as
// long as that stays small: then a second reduction needs no second barrier.
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
using Lifetime = SharedLiveness::Lifetime;

class Allocator {
public:
  LogicalResult run(tt::FuncOp kernel) {
    SharedLiveness liveness(kernel);
    uint64_t small = 0;
    SmallVector<Lifetime> large;
    for (Lifetime lifetime : liveness.lifetimes()) {
      uint64_t bytes = lifetime.alloc.getBytes();
      if (bytes > strategy::kSmallShared || small + bytes > strategy::kSmallSharedTotal) {
        large.push_back(lifetime);
        continue;
      }
      small += bytes;
      lifetime.begin = lifetime.groupsBegin = 0;
      lifetime.end = lifetime.groupsEnd = UINT_MAX;
      if (failed(place(lifetime)))
        return failure();
    }
    // Those that need a place for long first, so that the rest fits in between.
    llvm::stable_sort(large, [](const Lifetime &a, const Lifetime &b) {
      return a.end - a.begin > b.end - b.begin;
    });
    for (const Lifetime &lifetime : large)
      if (failed(place(lifetime)))
        return failure();
    return success();
  }

private:
  struct Placed {
    Lifetime lifetime;
    uint64_t begin, end;
  };

  /// In the lowest gap between those that are in use at the same time.
  LogicalResult place(Lifetime lifetime) {
    uint64_t bytes = llvm::alignTo(lifetime.alloc.getBytes(), kSharedAlignment);
    SmallVector<uint64_t> candidates{0};
    for (const Placed &other : placed)
      candidates.push_back(llvm::alignTo(other.end, lifetime.alloc.getLeastAlignment()));
    llvm::sort(candidates);
    auto isFree = [&](uint64_t begin) {
      return llvm::none_of(placed, [&](const Placed &other) {
        return lifetime.meets(other.lifetime) && begin < other.end && other.begin < begin + bytes;
      });
    };
    uint64_t begin = *llvm::find_if(candidates, isFree);
    // Addresses are computed in 32 bits.
    if (begin + bytes > INT32_MAX)
      return lifetime.alloc.emitError()
             << "the program would need " << begin + bytes
             << " bytes of shared memory at once; use smaller tiles or fewer stages";
    lifetime.alloc.setOffset(begin);
    placed.push_back({lifetime, begin, begin + bytes});
    return success();
  }

  std::vector<Placed> placed;
};

struct AllocateSharedMemoryPass : impl::AllocateSharedMemoryBase<AllocateSharedMemoryPass> {
  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>())
      return signalPassFailure();
    for (auto func : getOperation().getOps<tt::FuncOp>())
      if (!func.isExternal() && failed(Allocator().run(func)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace tritium::ttg
