//===- MBarrier.cpp - barriers in memory ----------------------------------===//
//
// What one thread of the group does for all, such as arriving, the first one does, under a
// predicate: no branch parts the warp. An arrival says that all threads of the group are done, so
// that they meet before it, if they have not just met; or each warp arrives for itself.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "TensorCopies.h"

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
class MBarrierLowering : public LoweringContext {
public:
  explicit MBarrierLowering(const LoweringContext &context) : LoweringContext(context) {}

  LogicalResult lowerInit(ttng::MBarrierInitOp op);
  LogicalResult lowerInvalidate(ttng::MBarrierInvalidateOp op);
  LogicalResult lowerExpect(ttng::MBarrierExpectOp op);
  LogicalResult lowerArrive(ttng::MBarrierArriveOp op);
  LogicalResult lowerWait(ttng::MBarrierWaitOp op);

private:
  /// The barrier's address, in 32 bits.
  Value addressOf(Value barrier) {
    return b.create<LLVM::PtrToIntOp>(loc, b.getI32Type(), scalar(barrier));
  }
  /// Each warp arrives for itself.
  bool isOfWarps(ttng::MBarrierArriveOp op) { return op.getCount() % warps == 0; }
  bool isMeeting(Operation *op);
  void meetBefore(Operation *op);
};

/// Only the first thread does anything of note.
bool isOfFirstThread(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return !branch.elseBlock() && llvm::all_of(*branch.thenBlock(), [](Operation &inside) {
      return isOfFirstThread(&inside);
    });
  if (auto alloc = dyn_cast<LocalAllocOp>(op))
    return !alloc.getInit();
  return isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>() ||
         isa<tt::GridDependencyOp, ttng::MBarrierInitOp, ttng::MBarrierExpectOp, ttng::TMALoadOp>(
             op);
}

} // namespace

/// All threads of the group have come here together.
bool MBarrierLowering::isMeeting(Operation *op) {
  if (auto arrive = dyn_cast<ttng::MBarrierArriveOp>(op))
    return !isOfWarps(arrive);
  return isa<BarrierOp>(op) && !op->hasAttr(kOverlap);
}

void MBarrierLowering::meetBefore(Operation *op) {
  // Bytes that are expected come to shared memory: what is loaded from elsewhere has nothing to do
  // with them, and what had to be done before one expectation is done before the next.
  bool expects = isa<ttng::MBarrierExpectOp>(op);
  // Branches are for all threads.
  Operation *inside = op;
  for (;; inside = inside->getParentOp()) {
    for (Operation *before = inside->getPrevNode(); before; before = before->getPrevNode()) {
      if (isMeeting(before) || (expects && isa<ttng::MBarrierExpectOp>(before)))
        return;
      // What the first thread alone does it has done before it arrives.
      if (!isOfFirstThread(before) && !(expects && isa<tt::LoadOp>(before)))
        return (void)barrier();
    }
    if (!isa<scf::IfOp>(inside->getParentOp()))
      break;
  }
  // Where a kernel begins the others have done nothing yet.
  auto func = dyn_cast<tt::FuncOp>(inside->getParentOp());
  if (!func || !func.isKernel())
    barrier();
}

/// Another barrier is made next, before anything is done with this one.
static bool isFollowedByInit(ttng::MBarrierInitOp op) {
  Operation *next = op->getNextNode();
  while (next && (isMemoryEffectFree(next) || isa<LocalAllocOp>(next)) && !next->getNumRegions())
    next = next->getNextNode();
  return isa_and_nonnull<ttng::MBarrierInitOp>(next);
}

LogicalResult MBarrierLowering::lowerInit(ttng::MBarrierInitOp op) {
  // The fence is for copies that count bytes there; threads find it behind a barrier. One is for
  // all that are made together.
  std::string text = "@$0 mbarrier.init.shared::cta.b64 [$1], $2;";
  if (!isFollowedByInit(op))
    text += "\n\t@$0 fence.mbarrier_init.release.cluster;";
  assembly({}, text, "b,r,r", {isThreadZero(), addressOf(op.getBarrier()), i32(op.getCount())});
  return success();
}

LogicalResult MBarrierLowering::lowerInvalidate(ttng::MBarrierInvalidateOp op) {
  assembly({}, "@$0 mbarrier.inval.shared::cta.b64 [$1];", "b,r",
           {isThreadZero(), addressOf(op.getBarrier())});
  return success();
}

LogicalResult MBarrierLowering::lowerExpect(ttng::MBarrierExpectOp op) {
  meetBefore(op);
  assembly({}, "@$0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], $2;", "b,r,r",
           {isThreadZero(), addressOf(op.getBarrier()), i32(op.getBytes())});
  return success();
}

/// Of a warp that arrives for itself the lanes meet.
LogicalResult MBarrierLowering::lowerArrive(ttng::MBarrierArriveOp op) {
  bool each = isOfWarps(op);
  if (each)
    b.create<NVVM::SyncWarpOp>(loc, i32(-1));
  else
    meetBefore(op);
  assembly({}, "@$0 mbarrier.arrive.shared::cta.b64 _, [$1], $2;", "b,r,r",
           {each ? equals(lane, 0) : isThreadZero(), addressOf(op.getBarrier()),
            i32(each ? op.getCount() / warps : op.getCount())});
  return success();
}

/// All threads wait. The label's name ends with the braces.
LogicalResult MBarrierLowering::lowerWait(ttng::MBarrierWaitOp op) {
  Value parity = iand(scalar(op.getParity()), i32(1));
  assembly({},
           "{\n\t"
           ".reg .pred over;\n"
           "again:\n\t"
           "mbarrier.try_wait.parity.shared::cta.b64 over, [$0], $1;\n\t"
           "@!over bra again;\n\t"
           "}",
           "r,r", {addressOf(op.getBarrier()), parity});
  return success();
}

void populateMBarrierPatterns(LoweringPatterns &patterns, const LoweringContext &context) {
  auto family = std::make_shared<MBarrierLowering>(context);
  auto add = [&]<typename Op>(LogicalResult (MBarrierLowering::*lower)(Op)) {
    patterns.add<Op>(
        [=](Op op) { return failed(checkTensorCopies(op)) ? failure() : ((*family).*lower)(op); });
  };
  add(&MBarrierLowering::lowerInit);
  add(&MBarrierLowering::lowerInvalidate);
  add(&MBarrierLowering::lowerExpect);
  add(&MBarrierLowering::lowerArrive);
  add(&MBarrierLowering::lowerWait);
}

} // namespace tritium::ttg
