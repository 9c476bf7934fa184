//===- PlanStreams.cpp - which stores go past the caches ------------------===//
//
// A store that misses the cache fetches its line first, and throws another one out. For an
// output larger than the caches both are waste; a streaming store goes to memory past them.
// How large an output is, the launch knows. So the plan tells what one program would
// store that way (ParameterInfo::streamedBytes), and does it in the version of the kernel
// that CompileOptions::streamStores asks for.
//
// Other threads may see streamed elements late. Kernels with atomics, through which threads may
// meet before the end of a launch, do not stream, nor do those with matrix products, whose
// results are a small part of their traffic.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

#include "tritium/Analysis/PointerBases.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tritium::cpu {

/// A row of fewer lines does not make up for what is stored one by one around them.
constexpr int64_t kLeastLines = 32;
constexpr unsigned kLeastBytes = 4; ///< of an element, for the same reason

/// Whether `value` changes from one round of the loop around `body` to the next.
static bool variesIn(Value value, Block &body, llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &body;
  Operation *op = value.getDefiningOp();
  if (!body.getParentOp()->isProperAncestor(op) || !seen.insert(op).second)
    return false;
  return op->getNumRegions() > 0 || llvm::any_of(op->getOperands(), [&](Value operand) {
           return variesIn(operand, body, seen);
         });
}

/// A loop that stores to the same place each time is better off with it in the cache. One
/// that walks along a row under a mask has a rest to store in each row: an ordinary store
/// holds up the streamed ones behind it until it has its line.
static bool suitsItsLoops(tt::StoreOp store) {
  if (store.getMask() && store->getParentOfType<scf::ForOp>())
    return false;
  for (Operation *parent = store->getParentOp(); !isa<tt::FuncOp>(parent);
       parent = parent->getParentOp()) {
    if (isa<scf::IfOp>(parent))
      continue;
    auto loop = dyn_cast<scf::ForOp>(parent);
    llvm::SmallPtrSet<Operation *, 16> seen;
    if (!loop || !variesIn(store.getPtr(), *loop.getBody(), seen))
      return false;
  }
  return true;
}

void Planner::findStreamedStores() {
  plan.streamedBytes.resize(kernel.getNumArguments());
  bool hasAtomics =
      kernel
          .walk([](tt::MemoryAccess access) {
            return access.isAtomic() ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  if (!target.isX86 || hasDot || options.mayAlias || metadata.hasIndirectPointers || hasAtomics)
    return;
  kernel.walk([&](tt::StoreOp store) {
    auto type = dyn_cast<RankedTensorType>(store.getPtr().getType());
    auto base = dyn_cast_or_null<BlockArgument>(basesOf(store.getPtr()).only());
    uint64_t elementBytes = tt::scalarBytes(pointeeOf(store.getPtr()));
    if (!type || !base || elementBytes < kLeastBytes ||
        metadata.parameters[base.getArgNumber()].isRead || !suitsItsLoops(store) ||
        store.getEvict() == tt::EvictionPolicy::LAST)
      return;
    uint64_t &total = plan.streamedBytes[base.getArgNumber()];
    uint64_t bytes = static_cast<uint64_t>(type.getNumElements()) * elementBytes;
    total =
        store->getParentOfType<scf::ForOp>() ? kUnknownBytes : llvm::SaturatingAdd(total, bytes);
    if (options.streamStores)
      plan.streamedStores.insert(store);
  });
}

/// The store whose lines the rows of a phase are cut by; null if it streams nothing. Rows that are
/// scanned are not cut, and streamed where they begin with a line.
Operation *Planner::streamedStore(const Step &step, const Loops &loops) {
  if (plan.streamedStores.empty() || !step.isPlain || step.loopOrder.back() != step.lanesDim)
    return nullptr;
  tt::StoreOp streamed;
  for (const Root &root : step.roots) {
    if (root.kind == Root::Scan)
      continue;
    auto store = root.kind == Root::Store ? cast<tt::StoreOp>(root.op) : tt::StoreOp();
    if (!store || (store.getMask() && !loops.endsWithMasks &&
                   !llvm::is_contained(loops.wholeMasks, store.getMask())))
      return nullptr;
    if (!streamed && plan.streamedStores.contains(store))
      streamed = store;
  }
  if (!streamed)
    return nullptr;
  int64_t line = kCacheLine / int64_t(tt::scalarBytes(pointeeOf(streamed.getPtr())));
  auto straight = llvm::to_vector(llvm::make_first_range(loops.straight));
  Strides strides(facts.ranges, straight);
  bool suits = step.shape[step.lanesDim] >= kLeastLines * line && loops.width % line == 0 &&
               isContiguous(streamed.getPtr(), step.lanesDim, strides);
  return suits ? streamed.getOperation() : nullptr;
}

} // namespace tritium::cpu
