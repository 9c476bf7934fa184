//===- WarpGroupDots.cpp - ttng-warp-group-dots ---------------------------===//
//
//   scf.for .. iter_args(%acc = %c0) {
//     ttg.async_wait {num = 1}
//     copies into the buffer that the iteration before the last one has read
//     %a = ttg.local_load ring_a[%slot]
//     %b = ttg.local_load ring_b[%slot]
//     %d = tt.dot %a, %b, %acc
//     scf.yield %d
//   }
//
// becomes
//
//   %r = scf.for .. iter_args(%acc = %c0) {
//     ttg.async_wait {num = 1}
//     copies, as before
//     %d = ttng.warp_group_dot ring_a[%slot], ring_b[%slot], %acc
//     ttng.warp_group_dot_wait {pendings = 1}      // the dot of the last iteration is over
//     scf.yield %d
//   }
//   %s = ttng.warp_group_dot_wait %r {pendings = 0}
//
// Where copies go to the buffer that the last iteration has read, or the sum is used otherwise, the
// wait is for the dot itself (DotWaits.h).
//
// What does not lie in panels (Mma.h) is put there, but for a left operand in the layout of a dot's
// result, which has the registers that it needs.
//
//===----------------------------------------------------------------------===//

#include "DotWaits.h"

#include "tritium/Analysis/Rings.h"
#include "tritium/Analysis/SharedLiveness.h"
#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileNVGPU/IR/Panels.h"
#include "tritium/Dialect/TileNVGPU/Transforms/Passes.h"

using namespace mlir;

namespace tritium::ttng {

#define GEN_PASS_DEF_WARPGROUPDOTS
#include "tritium/Dialect/TileNVGPU/Transforms/Passes.h.inc"

namespace {
/// Nothing between a load from shared memory and `dot` writes there.
bool stillHolds(ttg::LocalLoadOp load, Operation *dot) {
  if (load->getBlock() != dot->getBlock())
    return false;
  for (Operation *op = load->getNextNode(); op != dot; op = op->getNextNode())
    if (!isMemoryEffectFree(op) && !isa<ttg::LocalLoadOp, WarpGroupDotOp, WarpGroupDotWaitOp>(op) &&
        !(isa<ttg::LocalAllocOp>(op) && cast<ttg::LocalAllocOp>(op).getInit()))
      return false;
  return true;
}

class DotConverter {
public:
  DotConverter(tt::DotOp dot, llvm::DenseMap<Value, ttg::LocalAllocOp> &stored)
      : dot(dot), b(dot), loc(dot.getLoc()), stored(stored) {}

  void run() {
    bool goesOn = ttg::isCarriedSum(dot, dot.getC(), dot.getResult()) && isOnlyDot();
    Value left = leftOperand(), right = memoryOf(dot.getB());
    auto fresh = b.create<WarpGroupDotOp>(loc, dot.getType(), left, right, dot.getC());
    auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
    for (Value operand : {left, right})
      goesOn = goesOn && ttg::hasBufferToSpare(operand, loop, dot);
    if (goesOn)
      waitInNextIteration(fresh, loop);
    else
      dot.replaceAllUsesWith(fresh.getResult());
    dot.erase();
    if (!goesOn)
      placeWait(fresh);
  }

private:
  bool isOnlyDot() {
    int count = 0;
    dot->getParentOp()->walk([&](Operation *op) { count += isa<tt::DotOp, WarpGroupDotOp>(op); });
    return count == 1;
  }

  void waitInNextIteration(WarpGroupDotOp fresh, scf::ForOp loop) {
    unsigned number = dot.getResult().getUses().begin()->getOperandNumber();
    b.create<WarpGroupDotWaitOp>(loc, ValueRange(), b.getI32IntegerAttr(1));
    dot.replaceAllUsesWith(fresh.getResult());
    b.setInsertionPointAfter(loop);
    Value result = loop.getResult(number);
    auto wait = b.create<WarpGroupDotWaitOp>(loc, ValueRange(result), b.getI32IntegerAttr(0));
    result.replaceAllUsesExcept(wait.getResult(0), wait);
  }

  /// A left operand that a dot has made stays in registers, also where a loop carries it.
  Value leftOperand() {
    Value source = ttg::behindConversions(dot.getA());
    Operation *def = dot.getA().getDefiningOp();
    if (!def || isa<RegionBranchOpInterface>(def) ||
        ttg::isOfWarpGroups(cast<RankedTensorType>(source.getType()).getEncoding()))
      return dot.getA();
    return memoryOf(dot.getA());
  }

  /// Where an operand lies in panels.
  Value memoryOf(Value operand) {
    Value memory;
    if (auto load = operand.getDefiningOp<ttg::LocalLoadOp>();
        load && !load.getOffsets() && stillHolds(load, dot) && ttg::allocationOf(load.getSrc()) &&
        Panels::of(load.getSrc().getType()))
      memory = load.getSrc();
    else
      memory = store(ttg::behindConversions(operand));
    auto panels = Panels::of(cast<ttg::MemDescType>(memory.getType()));
    ttg::LocalAllocOp alloc = ttg::allocationOf(memory);
    alloc.setAlignment(std::max<uint64_t>(alloc.getLeastAlignment(), panels->alignment()));
    return memory;
  }

  /// Puts a tile there once: in front of the loops that do not change it, and of all dots that
  /// read it.
  Value store(Value tile) {
    OpBuilder::InsertionGuard guard(b);
    for (auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
         loop && loop.isDefinedOutsideOfLoop(tile);
         loop = dyn_cast<scf::ForOp>(loop->getParentOp()))
      b.setInsertionPoint(loop);
    auto type = cast<RankedTensorType>(tile.getType());
    unsigned fastest = ttg::orderOf(type.getEncoding())[0];
    auto layout = ttg::panelLayout(b.getContext(), type.getShape(), fastest,
                                   tt::scalarBytes(type.getElementType()));
    auto memory = ttg::MemDescType::get(b.getContext(), type.getShape(), type.getElementType(),
                                        *layout, ttg::MemorySpace::Shared, /*isMutable=*/false);
    ttg::LocalAllocOp &alloc = stored[tile];
    if (alloc)
      moveInFrontOf(alloc, b);
    else
      alloc = b.create<ttg::LocalAllocOp>(tile.getLoc(), memory, tile);
    return alloc;
  }

  /// Moves `alloc` up to where it is there for an operation at `place`, too, behind the dots that
  /// have been converted before.
  static void moveInFrontOf(ttg::LocalAllocOp alloc, const OpBuilder &place) {
    Block *block = place.getInsertionBlock();
    while (!block->findAncestorOpInBlock(*alloc))
      block = block->getParentOp()->getBlock();
    Operation *own = block->findAncestorOpInBlock(*alloc);
    Operation *there = block->findAncestorOpInBlock(*place.getInsertionPoint());
    Operation *first = there->isBeforeInBlock(own) ? there : own;
    if (first != alloc)
      alloc->moveBefore(first);
  }

  tt::DotOp dot;
  OpBuilder b;
  Location loc;
  llvm::DenseMap<Value, ttg::LocalAllocOp> &stored; ///< tiles that have been put there
};

struct WarpGroupDotsPass : impl::WarpGroupDotsBase<WarpGroupDotsPass> {
  void runOnOperation() override {
    if (!getAnalysis<ttg::LayoutsHold>())
      return signalPassFailure();
    SmallVector<tt::DotOp> dots;
    getOperation().walk([&](tt::DotOp dot) {
      if (ttg::isOfWarpGroups(dot.getType().getEncoding()))
        dots.push_back(dot);
    });
    llvm::DenseMap<Value, ttg::LocalAllocOp> stored;
    for (tt::DotOp dot : dots)
      DotConverter(dot, stored).run();
    // What was loaded for them.
    getOperation().walk([](Operation *op) {
      if (isa<ttg::LocalLoadOp, ttg::ConvertLayoutOp>(op) && op->use_empty())
        op->erase();
    });
  }
};
} // namespace

} // namespace tritium::ttng
