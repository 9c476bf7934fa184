//===- HoistDots.cpp - ttg-hoist-dots -------------------------------------===//
//
//   scf.for .. {
//     %s = tt.dot %k, %q, %zero           // of warp groups
//     %p = .. of %s
//     %dv1 = tt.dot %p, %do, %dv
//     %dp = tt.dot %v, %dot, %zero        // needs nothing of %s
//     %x = tt.load ..
//     %y = arith.sitofp %x                // multiplied below, and needs nothing of %s
//     .. of %dp
//   }
//
// becomes
//
//   scf.for .. {
//     %s = tt.dot %k, %q, %zero
//     %dp = tt.dot %v, %dot, %zero
//     %x = tt.load ..
//     %y = arith.sitofp %x
//     %p = .. of %s
//     %dv1 = tt.dot %p, %do, %dv
//     .. of %dp
//   }
//
// and what an iteration's first dot does not need stands behind it, loads of factors first, whose
// latency then passes beside the dot.
//
// Dots of warp groups go on by themselves up to a wait for their result, which stands in front of
// what needs it: all that does not need it had better stand in front of that. No operation has
// other operands than before, so that no bit changes.
//
//===----------------------------------------------------------------------===//

#include "DotRotation.h"

#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Target/GPU/Strategy.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_HOISTDOTS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
bool isOfGroups(Operation *op) {
  auto dot = dyn_cast<tt::DotOp>(op);
  return dot && isOfWarpGroups(dot);
}

/// Neither writes to memory nor waits for who does: loads may move over it.
bool isPlain(Operation *op) {
  auto load = dyn_cast<tt::LoadOp>(op);
  return isMemoryEffectFree(op) || (load && !load.getIsVolatile());
}

class Hoister {
public:
  Hoister(scf::ForOp loop, int64_t mostWords) : body(*loop.getBody()), mostWords(mostWords) {}

  void run() {
    SmallVector<tt::DotOp> dots;
    for (Operation &op : body)
      if (isOfGroups(&op))
        dots.push_back(cast<tt::DotOp>(op));
    if (dots.empty())
      return;
    SmallVector<Operation *> later = beginEarly(dots.front());
    place = dots.front();
    begun.insert(place);
    for (Operation *op : later)
      if (isa<tt::LoadOp>(op))
        hoist(op);
    int64_t words = 0;
    for (tt::DotOp dot : dots)
      words += wordsOf(dot.getType());
    // Tensor cores come first.
    for (tt::DotOp dot : llvm::drop_begin(dots))
      if (words <= mostWords && hoist(dot))
        begun.insert(dot);
    for (tt::DotOp dot : dots)
      for (Value operand : {dot.getA(), dot.getB()})
        if (Operation *op = behindConversions(operand).getDefiningOp();
            op && op->getBlock() == &body && tt::isElementwise(op) && !begun.contains(dot))
          hoist(op);
  }

private:
  /// Moves what the first dot does not need from in front of it to behind it, as far as nothing in
  /// between may write what is loaded. What has been moved, in its order.
  SmallVector<Operation *> beginEarly(tt::DotOp dot) {
    llvm::SmallPtrSet<Operation *, 16> needed{dot};
    SmallVector<Operation *> moved;
    for (Operation *op = dot->getPrevNode(); op && isPlain(op); op = op->getPrevNode()) {
      bool isNeeded = llvm::any_of(op->getUsers(), [&](Operation *user) {
        return needed.contains(body.findAncestorOpInBlock(*user));
      });
      if (isNeeded)
        needed.insert(op);
      else
        moved.push_back(op);
    }
    for (Operation *op : moved)
      op->moveAfter(dot);
    return {moved.rbegin(), moved.rend()};
  }

  /// Moves `op`, and what it needs, behind the place, and the place behind it. False if that needs
  /// a dot of the iteration, or something in between may write what is loaded for it.
  bool hoist(Operation *op) {
    llvm::SetVector<Operation *> needed;
    if (!collect(op, needed))
      return false;
    SmallVector<Operation *> moved(needed.begin(), needed.end());
    llvm::sort(moved, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
    bool loads = llvm::any_of(moved, [](Operation *x) { return isa<tt::LoadOp>(x); });
    for (Operation *x = place->getNextNode(); loads && x != op; x = x->getNextNode())
      if (!isPlain(x))
        return false;
    for (Operation *x : moved) {
      x->moveAfter(place);
      place = x;
    }
    return true;
  }

  /// What stands behind the place, and `op` needs, and `op`.
  bool collect(Operation *op, llvm::SetVector<Operation *> &needed) {
    if (begun.contains(op))
      return false;
    if (op->getBlock() != &body || !place->isBeforeInBlock(op) || needed.contains(op))
      return true;
    bool isFirst = needed.empty();
    needed.insert(op);
    if (!isPlain(op) || op->getNumRegions() != 0 || (isOfGroups(op) && !isFirst))
      return false;
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      Operation *def = operand.getDefiningOp();
      return !def || collect(def, needed);
    });
  }

  Block &body;
  int64_t mostWords;
  Operation *place = nullptr;              ///< what is moved goes behind it
  llvm::SmallPtrSet<Operation *, 4> begun; ///< dots in front of the place
};

struct HoistDotsPass : impl::HoistDotsBase<HoistDotsPass> {
  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>() || failed(checkNothingSkipped(getOperation())))
      return signalPassFailure();
    int64_t most = registersOfThread(getOperation()) * strategy::kMostDotsPercent / 100;
    getOperation().walk([&](scf::ForOp loop) { Hoister(loop, most).run(); });
  }
};
} // namespace

} // namespace tritium::ttg
