//===- ScheduleLoops.cpp - ttg-schedule-loops -----------------------------===//
//
//   scf.for %i = %lb to %ub step %s iter_args(%p = %p0, %acc = %c0) {
//     %a = tt.load %p
//     %r = tt.dot convert(%a), ...
//     %p1 = tt.addptr %p, ...
//   }
//
// becomes, for three stages,
//
//   scf.for .. {
//     %a = tt.load %p              {#ttg.schedule<stage = 0, order = 1>, async_copy = #shared}
//     %r = tt.dot convert(%a), ... {#ttg.schedule<stage = 2, order = 2>}
//     %p1 = tt.addptr %p, ...      {#ttg.schedule<stage = 0, order = 0>}
//   } {ttg.stages = 3}
//
// What is in stage 0 runs two iterations ahead of the rest: loads, and before them in a turn of
// the loop what their addresses and masks depend on, be it loaded itself, as numbers of pages are.
// No operation changes; ttg-expand-pipeline does as the attributes say. A loop that has a schedule
// keeps it.
//
// A load stays where it is if what its address depends on has effects or is a dot's, if its
// elements are too few or too scattered for an asynchronous copy of 4 bytes, or if a store of
// the loop may write what it reads later. Stores to other arguments may be overtaken: a launch
// sees to it that their memory is apart (kOvertakes). Atomics, which may wait for other programs,
// and assertions may not, nor a barrier in a kernel with anything but plain loads and stores.
//
//===----------------------------------------------------------------------===//

#include "DotRotation.h"
#include "LoopSchedule.h"

#include "tritium/Analysis/Disjoint.h"
#include "tritium/Analysis/MaskRuns.h"
#include "tritium/Analysis/PointerBases.h"
#include "tritium/Dialect/Tile/IR/DotUse.h"
#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/IR/TileOffsets.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Support/EmitRemark.h"
#include "tritium/Target/GPU/GPUModel.h"
#include "tritium/Target/GPU/Strategy.h"

#include <numeric>

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_SCHEDULELOOPS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// Orders of a turn: addresses and masks, then the copies, then the iteration itself; or the copies
/// last.
enum Order : int32_t { kAddresses, kCopies, kRest, kCopiesBehind };

class LoopScheduler {
public:
  LoopScheduler(scf::ForOp loop, int stages, int mostStages, bool mayAlias,
                const AxisInfoAnalysis &axes)
      : loop(loop), stages(stages), mostStages(mostStages), mayAlias(mayAlias), axes(axes),
        slice(loop), isAsked(loop->hasAttr("tt.num_stages")) {
    if (auto asked = loop->getAttrOfType<IntegerAttr>("tt.num_stages"))
      this->stages = asked.getInt();
  }

  /// Whether loads are to run ahead of stores to other arguments.
  bool run() {
    if (stages < 2)
      return false;
    SmallVector<tt::LoadOp> wanted;
    for (Operation &op : *loop.getBody())
      if (auto load = dyn_cast<tt::LoadOp>(&op); load && isWanted(load))
        wanted.push_back(load);
    if (wanted.empty())
      return false;
    if (!collectStores())
      return false;
    keepBehindStores(wanted);
    dropIndices(wanted);
    for (tt::LoadOp load : wanted) {
      if (std::string reason = reasonAgainst(load); reason.empty())
        loads.push_back(load);
      else if (!isInNarrowVersion())
        remarkMissed(load.getLoc(), "pipeline", "the load is not pipelined: " + reason,
                     {{"case", "load"}});
    }
    if (loads.empty())
      return false;
    int64_t bytes = 0;
    for (tt::LoadOp load : loads)
      bytes += bufferOf(load).getTileBytes();
    takeFittingStages(bytes);
    if (stages < 2)
      return false;
    int buffers = stages;
    bool rotates = feedsRotation();
    if (stages > 2 && rotates)
      --stages;
    bool goesOn =
        !rotates && llvm::any_of(loads, feedsDotThatGoesOn) && llvm::none_of(loads, isTurned);
    remarkApplied(loop.getLoc(), "pipeline",
                  Twine(loads.size()) + " loads of the loop run " + Twine(stages - 1) +
                      " iterations ahead, in " + Twine(buffers * bytes) + " bytes of shared memory",
                  {{"stages", std::to_string(stages)}, {"bytes", std::to_string(bytes)}});
    annotate(buffers, goesOn ? kCopiesBehind : kCopies);
    return !stores.empty();
  }

private:
  /// Of a kernel with versions, in one that arguments take which keep accesses narrow.
  bool isInNarrowVersion() {
    for (Operation *op = loop; !isa<tt::FuncOp>(op); op = op->getParentOp())
      if (auto versions = dyn_cast<scf::IfOp>(op->getParentOp());
          versions && versions->hasAttr(kVersions) && op->getBlock() == versions.elseBlock())
        return true;
    return false;
  }

  /// Lowers `stages`, of `bytes` each, to as many as there is shared memory for.
  void takeFittingStages(int64_t bytes) {
    int64_t all = gpuModel(loop).sharedBytes, limit = all - strategy::kReservedShared;
    int64_t fitting = std::min<int64_t>(stages, limit / bytes);
    std::string reason = std::to_string(stages) + " stages of " + std::to_string(bytes) +
                         " bytes are more than the " + std::to_string(limit) + " of shared memory";
    if (mostStages && mostStages < fitting) {
      reason = std::to_string(mostStages + 1) + " stages of " + std::to_string(bytes) +
               " bytes and what else the program keeps in shared memory are more than its " +
               std::to_string(all) + " bytes";
      fitting = mostStages;
    }
    if (fitting < stages)
      remarkMissed(loop.getLoc(), "pipeline",
                   Twine(fitting < 2 ? "the loop is not pipelined" : "the loop has fewer stages") +
                       ": " + reason +
                       "; use smaller tiles, or num_stages=" + Twine(std::max<int64_t>(fitting, 1)),
                   {{"stages", std::to_string(fitting)},
                    {"bytes", std::to_string(bytes)},
                    {"case", "stages"}});
    stages = static_cast<int>(fitting);
  }

  /// Whether what may change memory while the kernel runs are its own plain stores, which loads
  /// overtake only where that is proved or looked at: then a barrier of the kernel orders no
  /// others.
  static bool allStoresAreSeen(tt::FuncOp kernel) {
    auto isSeen = [](Operation *op) {
      if (auto load = dyn_cast<tt::LoadOp>(op))
        return !load.getIsVolatile();
      return isMemoryEffectFree(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
             isa<tt::StoreOp, tt::AssumeOp, tt::PrintOp, tt::AssertOp, BarrierOp>(op);
    };
    return !kernel.getBody()
                .walk([&](Operation *op) {
                  return isSeen(op) ? WalkResult::advance() : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  /// False, with a remark, if something in the loop keeps all loads from running ahead.
  bool collectStores() {
    Operation *obstacle = nullptr;
    std::string reason;
    auto found = [&](Operation *op, std::string why) {
      obstacle = op;
      reason = std::move(why);
      return WalkResult::interrupt();
    };
    loop.walk([&](Operation *op) {
      if (isMemoryEffectFree(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
          isa<tt::AssumeOp, tt::PrintOp>(op))
        return WalkResult::advance();
      if (isa<BarrierOp>(op)) {
        if (allStoresAreSeen(op->getParentOfType<tt::FuncOp>()))
          return WalkResult::advance();
        return found(op, "this barrier may order what the loop loads after what assembly, atomics "
                         "or other programs write; move it out of the loop");
      }
      if (auto load = dyn_cast<tt::LoadOp>(op)) {
        if (!load.getIsVolatile())
          return WalkResult::advance();
        return found(op, "this load is volatile, and may wait for what other programs write");
      }
      if (auto store = dyn_cast<tt::StoreOp>(op)) {
        stores.push_back(store);
        return WalkResult::advance();
      }
      if (isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op))
        return found(op, "this atomic may order what the loop loads after what other programs "
                         "write; move it behind the loop");
      if (isa<tt::AssertOp>(op))
        return found(op, "this assertion ends the program before later iterations load; it is "
                         "not there without debug");
      return found(op, "it is not known what '" + op->getName().getStringRef().str() + "' does");
    });
    if (obstacle)
      remarkMissed(obstacle->getLoc(), "pipeline", "the loop is not pipelined: " + reason,
                   {{"case", "loop"}});
    return !obstacle;
  }

  /// Whether a load would read, when it should, what a store writes before: in earlier iterations,
  /// and in the load's own if the store comes first there.
  bool mayReach(tt::StoreOp store, tt::LoadOp load) {
    if (!mayAlias && !mayShareBase(load.getPtr(), store.getPtr()))
      return false;
    Operation *inBody = loop.getBody()->findAncestorOpInBlock(*store);
    return !neverMeet(load, store, /*earlier=*/true) ||
           (inBody->isBeforeInBlock(load) && !neverMeet(load, store, /*earlier=*/false));
  }

  /// Removes what may read, when it should, what a store writes before.
  void keepBehindStores(SmallVectorImpl<tt::LoadOp> &wanted) {
    for (tt::StoreOp store : stores) {
      auto mayReach = [&](tt::LoadOp load) { return this->mayReach(store, load); };
      if (!llvm::any_of(wanted, mayReach))
        continue;
      remarkMissed(store.getLoc(), "pipeline",
                   "loads are not pipelined, because this may write what a later iteration loads; "
                   "store to another array, or move it behind the loop",
                   {{"case", "store"}});
      llvm::erase_if(wanted, mayReach);
    }
  }

  /// Loads of tiles that feed a dot, or all if the user asks.
  bool isWanted(tt::LoadOp load) {
    if (!tt::isTile(load.getType()) || !tt::isTile(load.getPtr().getType()))
      return false;
    return isAsked || tt::reachesDot(load);
  }

  /// Of what addresses and masks depend on. Numbers of pages, say, are loaded ahead into registers.
  bool canRunAhead(Operation *op) {
    if (auto load = dyn_cast<tt::LoadOp>(op))
      return !llvm::is_contained(loads, load) && !load.getIsVolatile() &&
             llvm::none_of(stores, [&](tt::StoreOp store) { return mayReach(store, load); });
    return !op->getNumRegions() && isMemoryEffectFree(op) && !isa<tt::DotOp>(op);
  }

  /// Adds what says which elements are loaded; false, and nothing is added, if that cannot run
  /// ahead.
  bool addPlace(tt::LoadOp load, LoopSlice &slice) {
    auto canAdd = [&](Operation *op) { return canRunAhead(op); };
    LoopSlice attempt = slice;
    if (!attempt.add(load.getPtr(), canAdd) ||
        (load.getMask() && !attempt.add(load.getMask(), canAdd)))
      return false;
    slice = attempt;
    return true;
  }

  /// Removes what others need to know where to load.
  void dropIndices(SmallVectorImpl<tt::LoadOp> &wanted) {
    LoopSlice needed(loop);
    for (tt::LoadOp load : wanted)
      addPlace(load, needed);
    llvm::erase_if(wanted, [&](tt::LoadOp load) { return needed.operations.contains(load); });
  }

  /// Empty if the load can run ahead; its addresses are then part of the slice.
  std::string reasonAgainst(tt::LoadOp load) {
    auto type = cast<RankedTensorType>(load.getType());
    if (type.getRank() > 2)
      return "only tiles of one or two dimensions are";
    if (!llvm::all_of(type.getShape(), llvm::isPowerOf2_64) && !liesInPanels(load))
      return "extents that are no powers of two are those of operands of warp groups (wgmma) "
             "alone, "
             "in rows of multiples of 32 bytes";
    if (!isa<IntegerType, FloatType>(type.getElementType()) || type.getElementType().isInteger(1))
      return "it loads neither integers nor floats";
    if (runBytes(load) < 4 || layoutOf(type).contiguous(orderOf(type.getEncoding())[0]) *
                                      tt::scalarBytes(type.getElementType()) <
                                  4)
      return "a lane moves less than the 4 bytes of an asynchronous copy; its strides and "
             "bounds should be known to be multiples (tl.multiple_of)";
    return addPlace(load, slice)
               ? ""
               : "its address or mask depends on what the same iteration computes with dots, or "
                 "loads where something may have been stored";
  }

  /// Neighbouring bytes of one element group, as alignment and mask allow.
  int64_t runBytes(tt::LoadOp load) {
    auto type = cast<RankedTensorType>(load.getType());
    int32_t d = orderOf(type.getEncoding())[0];
    int64_t bytes = tt::scalarBytes(type.getElementType());
    const AxisInfo &info = axes.get(load.getPtr());
    int64_t run = std::min(info.contiguity[d] & -info.contiguity[d],
                           std::max<int64_t>(1, info.divisibility[d] / bytes));
    if (Value mask = load.getMask()) {
      // A copy can end early, but not begin late.
      MaskRuns runs = maskRuns(mask, d, run, axes);
      run = runs.rises ? std::gcd(run, axes.get(mask).constancy[d]) : runs.width;
    }
    return run * bytes;
  }

  MemDescType bufferOf(tt::LoadOp load) {
    if (auto panels = panelsOf(load))
      return *panels;
    auto type = cast<RankedTensorType>(load.getType());
    return MemDescType::get(load.getContext(), type.getShape(), type.getElementType(),
                            swizzledLayout(load.getContext(), type.getShape(),
                                           orderOf(type.getEncoding()),
                                           tt::scalarBytes(type.getElementType())));
  }

  /// The buffer of an operand of warp groups, as they read it.
  static std::optional<MemDescType> panelsOf(tt::LoadOp load) {
    auto type = cast<RankedTensorType>(load.getType());
    Type element = type.getElementType();
    if (!isOperandOfWarpGroups(load))
      return std::nullopt;
    auto layout = panelLayout(load.getContext(), type.getShape(), orderOf(type.getEncoding())[0],
                              tt::scalarBytes(element));
    if (!layout)
      return std::nullopt;
    return MemDescType::get(load.getContext(), type.getShape(), element, *layout);
  }

  /// In panels, each of which is as many elements of threads.
  static bool liesInPanels(tt::LoadOp load) {
    auto memory = panelsOf(load);
    return memory && coversPanels(cast<RankedTensorType>(load.getType()), *memory);
  }

  /// A dot of warp groups multiplies it along a dimension that it does not lie along, as its
  /// instructions do not: threads copy it to other memory.
  static bool isTurned(tt::LoadOp load) {
    auto type = cast<RankedTensorType>(load.getType());
    auto depth = depthForWarpGroups(load);
    return depth && *depth != unsigned(orderOf(type.getEncoding())[0]) &&
           !takesAcrossDepth(type.getElementType());
  }

  /// The last iteration's dot may read it until the present one's has begun: behind that one, and
  /// the wait for the last one, its buffer is free for the copies that run ahead furthest.
  static bool feedsDotThatGoesOn(tt::LoadOp load) {
    SmallVector<tt::DotOp> dots;
    load->getParentOp()->walk([&](tt::DotOp dot) { dots.push_back(dot); });
    return isOperandOfWarpGroups(load) && dots.size() == 1 &&
           isCarriedSum(dots[0], dots[0].getC(), dots[0].getResult());
  }

  /// The second of two dots that ttg-rotate-dots hands on to the next iteration reads it there, so
  /// that one buffer more is in use.
  bool feedsRotation() {
    std::optional<DotRotation> found = DotRotation::find(loop);
    if (!found || found->words() > found->mostWords())
      return false;
    Operation *op = found->second.getB().getDefiningOp();
    while (isa_and_nonnull<ConvertLayoutOp, tt::TransOp>(op))
      op = op->getOperand(0).getDefiningOp();
    return llvm::is_contained(loads, dyn_cast_or_null<tt::LoadOp>(op));
  }

  void annotate(int buffers, Order ofCopies) {
    auto put = [&](Operation *op, int32_t stage, Order order) {
      op->setAttr(kSchedule, ScheduleAttr::get(op->getContext(), stage, order));
    };
    for (Operation &op : loop.getBody()->without_terminator())
      if (slice.operations.contains(&op))
        put(&op, 0, kAddresses);
      else
        put(&op, stages - 1, kRest);
    for (tt::LoadOp load : loads) {
      put(load, 0, ofCopies);
      load->setAttr(kAsyncCopy, bufferOf(load).getEncoding());
    }
    loop->removeAttr("tt.num_stages");
    Builder builder(loop.getContext());
    loop->setAttr(kStages, builder.getI32IntegerAttr(stages));
    if (buffers > stages)
      loop->setAttr(kBuffers, builder.getI32IntegerAttr(buffers));
  }

  scf::ForOp loop;
  int stages, mostStages;
  bool mayAlias;
  const AxisInfoAnalysis &axes;
  LoopSlice slice;
  bool isAsked;
  SmallVector<tt::StoreOp> stores;
  SmallVector<tt::LoadOp> loads;
};

struct ScheduleLoopsPass : impl::ScheduleLoopsBase<ScheduleLoopsPass> {
  using ScheduleLoopsBase::ScheduleLoopsBase;

  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>())
      return signalPassFailure();
    if (!gpuModel(getOperation()).hasAsyncCopies)
      return;
    for (auto func : getOperation().getOps<tt::FuncOp>()) {
      if (func.isExternal())
        continue;
      AxisInfoAnalysis axes(func);
      SmallVector<scf::ForOp> loops;
      func.walk([&](scf::ForOp loop) {
        // Innermost loops: the ring of an outer one would stand still meanwhile.
        bool isInner = !loop.getBody()
                            ->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
                            .wasInterrupted();
        if (isInner && LoopSchedule::canCount(loop) && !loop->hasAttr(kStages))
          loops.push_back(loop);
      });
      for (scf::ForOp loop : loops)
        if (LoopScheduler(loop, stages, mostStages, mayAlias, axes).run())
          func->setAttr(kOvertakes, UnitAttr::get(&getContext()));
    }
  }
};
} // namespace

} // namespace tritium::ttg
