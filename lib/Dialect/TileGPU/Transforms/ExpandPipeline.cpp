//===- ExpandPipeline.cpp - ttg-expand-pipeline ---------------------------===//
//
//   scf.for %i = %lb to %ub step %s iter_args(%p = %p0, %acc = %c0) {
//     %a = tt.load %p              {#ttg.schedule<stage = 0, order = 1>, async_copy = #shared}
//     %r = tt.dot convert(%a), ... {#ttg.schedule<stage = 2, order = 2>}
//     %p1 = tt.addptr %p, ...      {#ttg.schedule<stage = 0, order = 0>}
//   } {ttg.stages = 3}
//
// becomes
//
//   buffers = ttg.local_alloc : 3 x tile of layout #shared
//   copies of iterations 0 and 1 start, a group each            // predicated by %lb + .. < %ub
//   scf.for .. iter_args(%p, %acc, %pAhead = %p0 two steps on, %slot = 0) {
//     ttg.async_wait {num = 1}          // the group of this iteration is there, for all threads
//     the copy of iteration + 2 starts, into the buffer that the last iteration has read
//     %a = ttg.local_load buffers[%slot]
//     ...
//   }
//   ttg.async_wait {num = 0}
//
// Loads of boxes (ttng.load_box) become copies by TMA instead, which one thread starts. Each buffer
// has a barrier in memory, at which its bytes count:
//
//   ttng.mbarrier_wait bars[%slot], %phase
//   ...
//   scf.if %runs {                      // the iteration that is ahead exists
//     ttg.barrier                       // all have read what the buffers held
//     ttng.mbarrier_expect bars[%there], bytes
//     ttng.tma_load %p[..] .., buffers[%there], bars[%there]
//   }
//
// In a loop that goes over tiles, say, copies for its next iteration start when the inner loop is
// over, before the rest of this one (`ttg.across`): then rings and barriers are there for the whole
// outer loop, which carries the number of the next buffer and its phase.
//
//   copies of the first iteration of the inner loop for %t = %first, if it exists
//   scf.for %t .. iter_args(%slot, %phase) {
//     the inner loop, from buffer %slot on
//     ttg.barrier
//     scf.if %more { what copies for %t + step depend on; its first copies }
//     the rest
//   }
//
// With more buffers than stages (`ttg.buffers`) the copy goes to one that has been read earlier:
// for dots that go on while the next iteration begins.
//
// One barrier an iteration, behind the wait, is enough (ttg-place-barriers puts it there): it
// stands between the reads of one iteration and the copy of the next that overwrites what they
// read.
//
// What the copies' addresses and masks depend on runs ahead with them: loop-carried values among
// it are carried twice, and what the iteration itself needs of it is computed again. Numbers of
// pages, say, are loaded into registers, for iterations that exist. Copies fill with zeros; another
// `other` is chosen by the mask when the tile is read.
//
// Schedules that it follows (LoopSchedule), of two stages or more:
//  - the first stage has the loads that become copies and exactly what their addresses and masks
//    depend on, through the loop too, none of which accesses memory, has regions or reads a copy;
//  - the last stage has everything else, its operations in the loop's order;
//  - an operation's order is none before that of what it depends on in its stage;
//  - the buffers fit into the shared memory of some GPU;
//  - there are neither other asynchronous copies nor loops with stages in the loop, and stores only
//    if the function says that they are overtaken (tt.overtakes).
// Others are refused. Whether copies may start before what earlier iterations do is not looked at:
// that is the schedule's to know.
//
//===----------------------------------------------------------------------===//

#include "BarrierRing.h"
#include "LoopExpander.h"

#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Dialect/TileNVGPU/IR/Boxes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_EXPANDPIPELINE
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
struct ExpandPipelinePass : impl::ExpandPipelineBase<ExpandPipelinePass> {
  using ExpandPipelineBase::ExpandPipelineBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    if (!getAnalysis<LayoutsHold>() || failed(findLoops(loops)))
      return signalPassFailure();
    for (scf::ForOp loop : loops) {
      LoopSchedule schedule(loop);
      if (failed(schedule.read()))
        return signalPassFailure();
      LoopExpander(loop, schedule).run();
    }
    SmallVector<ttng::LoadBoxOp> alone;
    getOperation().walk([&](ttng::LoadBoxOp box) {
      if (box->hasAttr(kAsyncCopy))
        alone.push_back(box);
    });
    for (ttng::LoadBoxOp box : alone)
      if (failed(expandAlone(box)))
        return signalPassFailure();
  }

private:
  /// A copy by itself: started, and waited for where it stands.
  static LogicalResult expandAlone(ttng::LoadBoxOp box) {
    Location loc = box.getLoc();
    auto type = cast<RankedTensorType>(box.getType());
    auto memory = MemDescType::getChecked([&] { return box->emitError(); }, box->getContext(),
                                          type.getShape(), type.getElementType(),
                                          box->getAttr(kAsyncCopy), MemorySpace::Shared,
                                          /*isMutable=*/true);
    if (!memory || failed(checkBuffer(box, memory)))
      return failure();
    OpBuilder b(box);
    auto buffer = b.create<LocalAllocOp>(loc, memory);
    buffer.setAlignment(ttng::boxesOf(memory)->alignment);
    Value barriers = makeBarrierRing(b, loc, 1, 1);
    Value zero = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(0));
    Value barrier = ringAt(b, loc, barriers, zero);
    b.create<ttng::MBarrierExpectOp>(loc, barrier, memory.getTileBytes());
    b.create<ttng::TMALoadOp>(loc, box.getBase(), box.getShape(), box.getStrides(),
                              box.getOffsets(), buffer, barrier, box.getRoundsToTF32());
    b.create<ttng::MBarrierWaitOp>(loc, barrier, zero);
    endBarrierRing(b, loc, barriers);
    box.replaceAllUsesWith(b.create<LocalLoadOp>(loc, type, buffer).getResult());
    box.erase();
    return success();
  }

  /// Loops with a schedule.
  LogicalResult findLoops(SmallVectorImpl<scf::ForOp> &loops) {
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (failed(checkPlace(op)))
        return WalkResult::interrupt();
      if (op->hasAttr(kStages))
        loops.push_back(cast<scf::ForOp>(op));
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// Attributes of a schedule stand at a loop of a kernel that is in no other such loop, and right
  /// in its body. A box may be copied by itself.
  static LogicalResult checkPlace(Operation *op) {
    Operation *parent = op->getParentOp();
    bool isAlone = isa<ttng::LoadBoxOp>(op) && !op->hasAttr(kSchedule) &&
                   !(isa_and_present<scf::ForOp>(parent) && parent->hasAttr(kStages));
    for (StringRef name : {kSchedule, kAsyncCopy})
      if (op->hasAttr(name) && !isAlone &&
          !(isa_and_present<scf::ForOp>(parent) && parent->hasAttr(kStages)))
        return op->emitError() << name << " is for operations right in the body of an scf.for with "
                               << kStages;
    if (!op->hasAttr(kStages))
      return success();
    if (!isa<scf::ForOp>(op) || !op->getParentOfType<tt::FuncOp>())
      return op->emitError() << kStages << " is for an scf.for of a kernel, found "
                             << op->getName();
    for (; parent; parent = parent->getParentOp())
      if (parent->hasAttr(kStages))
        return op->emitError() << "a loop around this has " << kStages
                               << ", too; only one of the two can be pipelined";
    return success();
  }
};
} // namespace

} // namespace tritium::ttg
