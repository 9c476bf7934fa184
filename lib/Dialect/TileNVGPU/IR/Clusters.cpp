//===- Clusters.cpp - what CTAs of a cluster store to each other ----------===//

#include "tritium/Dialect/TileNVGPU/IR/Clusters.h"

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tritium::ttng {

/// Behind `op`, before `end` or the end of the block, the CTAs meet, `relaxed` or not.
static bool meetsBetween(Operation *op, Operation *end, bool relaxed) {
  bool hasArrived = false;
  for (; op && op != end; op = op->getNextNode()) {
    if (auto arrive = dyn_cast<ClusterArriveOp>(op))
      hasArrived = relaxed || !arrive.getRelaxed();
    if (hasArrived && isa<ClusterWaitOp>(op))
      return true;
  }
  return false;
}

static LogicalResult refuse(Operation *op, const Twine &rule) {
  return op->emitError() << "'" << op->getName() << "' " << rule;
}

static LogicalResult checkStore(ClusterStoreOp store) {
  if (store->getParentOfType<LoopLikeOpInterface>())
    return refuse(store, "stands in a loop, where other CTAs may still read what it has stored "
                         "before; put it behind the loop");
  auto alloc = store.getDst().getDefiningOp<ttg::LocalAllocOp>();
  if (!alloc || alloc.getInit())
    return refuse(store, "needs memory of its own, a ttg.local_alloc without a value");
  Block *block = store->getBlock();
  if (!meetsBetween(&block->front(), store, /*relaxed=*/true))
    return refuse(store, "may come before other CTAs have begun; put ttng.cluster_arrive and "
                         "ttng.cluster_wait before it");
  // Whether it is read or not: a CTA must not end before.
  if (!meetsBetween(store, nullptr, /*relaxed=*/false))
    return refuse(store, "may come after other CTAs have ended; put ttng.cluster_arrive, not "
                         "relaxed, and ttng.cluster_wait behind it");
  for (Operation *user : alloc->getUsers()) {
    if (user == store)
      continue;
    if (!isa<ttg::LocalLoadOp, ttg::LocalGatherOp>(user))
      return refuse(user, "accesses memory that other CTAs store to; only loads may");
    Operation *here = block->findAncestorOpInBlock(*user);
    if (!here || !store->isBeforeInBlock(here) || !meetsBetween(store, here, /*relaxed=*/false)) {
      InFlightDiagnostic diagnostic =
          user->emitError() << "'" << user->getName()
                            << "' may come before other CTAs have stored there; put "
                               "ttng.cluster_arrive, not relaxed, and ttng.cluster_wait between";
      diagnostic.attachNote(store.getLoc()) << "stored here";
      return diagnostic;
    }
  }
  return success();
}

LogicalResult checkClusters(tt::FuncOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    if (isa<ClusterGatherOp>(op))
      return (void)refuse(op, "has to become stores; run ttg-plan-exchanges first"),
             WalkResult::interrupt();
    auto store = dyn_cast<ClusterStoreOp>(op);
    return store && failed(checkStore(store)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace tritium::ttng
