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
// wait is for the dot itself (DotWaits.h). Where others fill the buffers, they are handed back
// behind it (ttng.mbarrier_arrive).
//
// What does not lie in panels (Mma.h) is put there, but for a left operand in the layout of a dot's
// result, which has the registers that it needs. Elements of 8 and 32 bits must be neighbours along
// k in memory: threads turn those that are not, 16 bytes by 4 at a time. Those of 32 bits are
// rounded to tf32 meanwhile, unless the copies that brought them have done so.
//
//===----------------------------------------------------------------------===//

#include "DotWaits.h"
#include "LoadsBeforeDots.h"

#include "tritium/Analysis/Rings.h"
#include "tritium/Analysis/SharedLiveness.h"
#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/IR/TileOffsets.h"
#include "tritium/Dialect/TileNVGPU/IR/Panels.h"
#include "tritium/Dialect/TileNVGPU/Transforms/Passes.h"
#include "tritium/Target/GPU/Strategy.h"

using namespace mlir;

namespace tritium::ttng {

#define GEN_PASS_DEF_WARPGROUPDOTS
#include "tritium/Dialect/TileNVGPU/Transforms/Passes.h.inc"

namespace {
/// Neither `op` writes to `memory`, nor who waits for it.
bool leavesAlone(Operation *op, Value memory) {
  if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op))
    return bool(alloc.getInit());
  if (auto arrive = dyn_cast<MBarrierArriveOp>(op))
    return !arrive.getReleases().empty() && llvm::all_of(arrive.getReleases(), [&](Value released) {
      return ttg::areApart(released, memory);
    });
  return isMemoryEffectFree(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
         isa<ttg::LocalLoadOp, tt::LoadOp, tt::DotOp, WarpGroupDotOp, WarpGroupDotWaitOp,
             MBarrierWaitOp>(op);
}

/// Nothing between a load from shared memory and `dot`, which may stand in loops behind it, writes
/// there.
bool stillHolds(ttg::LocalLoadOp load, Operation *dot) {
  auto allLeaveAlone = [&](Operation *op) {
    return !op->walk([&](Operation *inner) {
                return leavesAlone(inner, load.getSrc()) ? WalkResult::advance()
                                                         : WalkResult::interrupt();
              }).wasInterrupted();
  };
  Operation *here = load->getBlock()->findAncestorOpInBlock(*dot);
  if (!here)
    return false;
  for (Operation *op = load->getNextNode(); op != here; op = op->getNextNode())
    if (!allLeaveAlone(op))
      return false;
  return here == dot || allLeaveAlone(here);
}

/// Where the elements of a tile lie in shared memory; of one in registers, as a loop would copy it
/// there.
LinearLayout offsetsOf(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (auto load = tile.getDefiningOp<ttg::LocalLoadOp>(); load && !load.getOffsets())
    return ttg::offsetsOf(load.getSrc().getType());
  SmallVector<int32_t> order = ttg::orderOf(type.getEncoding());
  unsigned bytes = tt::scalarBytes(type.getElementType());
  Attribute layout = ttg::swizzledLayout(type.getContext(), type.getShape(), order, bytes);
  if (auto panels = ttg::panelLayout(type.getContext(), type.getShape(), order[0], bytes))
    layout = *panels;
  return ttg::offsetsOf(
      ttg::MemDescType::get(type.getContext(), type.getShape(), type.getElementType(), layout));
}

/// What writes to `memory` are copies by TMA that round.
bool holdsRounded(Value memory) {
  ttg::LocalAllocOp alloc = ttg::allocationOf(memory);
  if (!alloc)
    return false;
  SmallVector<Value> names{alloc.getResult()};
  while (!names.empty())
    for (Operation *user : names.pop_back_val().getUsers()) {
      if (isa<ttg::MemDescIndexOp, ttg::MemDescTransOp, ttg::MemDescReshapeOp>(user))
        names.push_back(user->getResult(0));
      auto copy = dyn_cast<TMALoadOp>(user);
      if (isa<ttg::LocalStoreOp, ttg::AsyncCopyGlobalToLocalOp>(user) ||
          (copy && !copy.getRoundsToTF32()))
        return false;
    }
  return !alloc.getInit();
}

/// By tile and the dimension of its neighbours in memory.
using StoredTiles = llvm::DenseMap<std::pair<Value, unsigned>, ttg::LocalAllocOp>;

class DotConverter {
public:
  DotConverter(tt::DotOp dot, StoredTiles &stored, bool keepOperands, bool storeEarly)
      : dot(dot), b(dot), loc(dot.getLoc()), stored(stored), keepOperands(keepOperands),
        storeEarly(storeEarly) {}

  void run() {
    goesOn = ttg::isCarriedSum(dot, dot.getC(), dot.getResult()) && isOnlyDot();
    Value left = leftOperand(), right = memoryOf(dot.getB(), /*depth=*/0);
    auto fresh = b.create<WarpGroupDotOp>(loc, dot.getType(), left, right, dot.getC(),
                                          ttg::mostImprecise(dot), dot.getIsUnsigned());
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
    keep(left, fresh);
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

  /// Registers that only products read (KeepOperandOp). Each dot of a loop that goes on beside the
  /// next iteration's begin reads them, and none is kept for it: see staysInRegisters.
  void keep(Value left, WarpGroupDotOp fresh) {
    if (!tt::isTile(left.getType()))
      return;
    for (auto loop = fresh->getParentOfType<LoopLikeOpInterface>();
         loop && loop.isDefinedOutsideOfLoop(left);
         loop = loop->getParentOfType<LoopLikeOpInterface>()) {
      Block &body = loop.getLoopRegions().back()->front();
      auto isKept = [&](KeepOperandOp op) { return op.getTile() == left; };
      if (llvm::any_of(body.getOps<KeepOperandOp>(), isKept))
        continue;
      OpBuilder::atBlockTerminator(&body).create<KeepOperandOp>(loc, left);
    }
  }

  /// A left operand that a dot has made stays in registers, also where a loop carries it.
  Value leftOperand() {
    Value source = ttg::behindConversions(dot.getA());
    Operation *def = dot.getA().getDefiningOp();
    if (!def || isa<RegionBranchOpInterface>(def) ||
        ttg::isOfWarpGroups(cast<RankedTensorType>(source.getType()).getEncoding()))
      return rounded(dot.getA());
    if (staysInRegisters(dot.getA()))
      return dot.getA();
    return memoryOf(dot.getA(), /*depth=*/1);
  }

  /// What a loop multiplies from the left in each iteration and does not change, as queries are, is
  /// not read from shared memory time and again where a group of warps has registers for it.
  bool staysInRegisters(Value operand) {
    auto type = cast<RankedTensorType>(operand.getType());
    auto groups = dot->getParentOfType<ttg::WarpGroupsOp>();
    // What is multiplied beyond an iteration's end must not be read there.
    if (!keepOperands || goesOn || !groups || !ttg::takesAcrossDepth(type.getElementType()))
      return false;
    int64_t registers = groups.getRegisters()[groups.groupOf(dot)];
    // Iterations that a loop has been relieved of, too.
    return llvm::any_of(operand.getUsers(), [&](Operation *user) {
      auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
      return loop && loop.isDefinedOutsideOfLoop(operand) &&
             ttg::wordsBesideOperand(loop, type) + wordsKept(loop, operand) +
                     strategy::kWordsBesideSums <=
                 registers;
    });
  }

  /// Of other left operands that stay in registers during the loop.
  static int64_t wordsKept(scf::ForOp loop, Value operand) {
    llvm::SmallPtrSet<Value, 4> kept;
    int64_t words = 0;
    for (auto dot : loop.getOps<WarpGroupDotOp>()) {
      auto type = dyn_cast<RankedTensorType>(dot.getA().getType());
      if (type && dot.getA() != operand && loop.isDefinedOutsideOfLoop(dot.getA()) &&
          kept.insert(dot.getA()).second)
        words += ttg::wordsOf(type);
    }
    return words;
  }

  /// What an instruction takes of f32.
  Value rounded(Value tile) {
    auto load = tile.getDefiningOp<ttg::LocalLoadOp>();
    if (!tt::elementType(tile.getType()).isF32() || (load && holdsRounded(load.getSrc())))
      return tile;
    return b.create<RoundToTF32Op>(tile.getLoc(), tile.getType(), tile);
  }

  /// Where an operand lies in panels.
  Value memoryOf(Value operand, unsigned depth) {
    Value memory;
    if (auto load = operand.getDefiningOp<ttg::LocalLoadOp>();
        load && !load.getOffsets() && stillHolds(load, dot) && ttg::allocationOf(load.getSrc()) &&
        Panels::along(depth, load.getSrc().getType()) &&
        (!load.getSrc().getType().getElementType().isF32() || holdsRounded(load.getSrc())))
      memory = load.getSrc();
    else
      memory = store(ttg::behindConversions(operand), depth);
    auto panels = Panels::of(cast<ttg::MemDescType>(memory.getType()));
    ttg::LocalAllocOp alloc = ttg::allocationOf(memory);
    alloc.setAlignment(std::max<uint64_t>(alloc.getLeastAlignment(), panels->alignment()));
    return memory;
  }

  /// Puts a tile there once: as soon as it has been computed, or else for the dot, in front of the
  /// loops that do not change it, and of all dots that read it so.
  Value store(Value tile, unsigned depth) {
    OpBuilder::InsertionGuard guard(b);
    Operation *def = tile.getDefiningOp();
    if (storeEarly && def && def->getBlock() == dot->getBlock())
      b.setInsertionPointAfter(def);
    for (auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
         loop && loop.isDefinedOutsideOfLoop(tile);
         loop = dyn_cast<scf::ForOp>(loop->getParentOp()))
      b.setInsertionPoint(loop);
    auto type = cast<RankedTensorType>(tile.getType());
    bool mayLieAcross = ttg::takesAcrossDepth(type.getElementType());
    unsigned fastest = mayLieAcross ? ttg::orderOf(type.getEncoding())[0] : depth;
    ttg::LocalAllocOp &alloc = stored[{tile, fastest}];
    if (alloc) {
      moveInFrontOf(alloc, b);
      return alloc;
    }
    unsigned bytes = tt::scalarBytes(type.getElementType());
    auto layout = ttg::panelLayout(b.getContext(), type.getShape(), fastest, bytes);
    auto memory = ttg::MemDescType::get(b.getContext(), type.getShape(), type.getElementType(),
                                        *layout, ttg::MemorySpace::Shared, /*isMutable=*/false);
    if (!mayLieAcross)
      tile = inLayout(tile, ttg::turningLayout(b.getContext(), type.getShape(), offsetsOf(tile),
                                               depth, bytes, ttg::numWarps(dot)));
    else if (!ttg::coversPanels(type, memory))
      tile = inLayout(tile, ttg::panelwiseLayout(memory, fastest, ttg::numWarps(dot)));
    alloc = b.create<ttg::LocalAllocOp>(tile.getLoc(), memory, rounded(tile));
    return alloc;
  }

  /// What is loaded from shared memory is loaded so, and `b` then stands behind it: before the
  /// other operand needs registers.
  Value inLayout(Value tile, Attribute layout) {
    auto type = cast<RankedTensorType>(tile.getType());
    auto changed = RankedTensorType::get(type.getShape(), type.getElementType(), layout);
    auto load = tile.getDefiningOp<ttg::LocalLoadOp>();
    if (!load || load.getOffsets())
      return b.create<ttg::ConvertLayoutOp>(tile.getLoc(), changed, tile);
    b.setInsertionPoint(load);
    return b.create<ttg::LocalLoadOp>(load.getLoc(), changed, load.getSrc());
  }

  /// Moves `alloc`, and what turns its tile, up to where it is there for an operation at `place`,
  /// too, behind the dots that have been converted before.
  static void moveInFrontOf(ttg::LocalAllocOp alloc, const OpBuilder &place) {
    Block *block = place.getInsertionBlock();
    while (!block->findAncestorOpInBlock(*alloc))
      block = block->getParentOp()->getBlock();
    Operation *own = block->findAncestorOpInBlock(*alloc);
    Operation *there = block->findAncestorOpInBlock(*place.getInsertionPoint());
    Operation *first = there->isBeforeInBlock(own) ? there : own;
    if (first == alloc)
      return;
    alloc->moveBefore(first);
    Operation *last = alloc;
    for (Operation *op = alloc.getInit().getDefiningOp();
         isa_and_nonnull<RoundToTF32Op, ttg::ConvertLayoutOp>(op);
         op = op->getOperand(0).getDefiningOp()) {
      op->moveBefore(last);
      last = op;
    }
  }

  tt::DotOp dot;
  OpBuilder b;
  Location loc;
  StoredTiles &stored; ///< tiles that have been put there
  bool keepOperands, storeEarly;
  bool goesOn = false; ///< the dot goes on beside the next iteration's begin
};

/// Buffers are handed back where all that reads them is over.
void releaseEarly(MBarrierArriveOp arrive) {
  Block *block = arrive->getBlock();
  Operation *last = nullptr;
  for (Value buffer : arrive.getReleases()) {
    SmallVector<Value> names{buffer};
    while (!names.empty())
      for (Operation *user : names.pop_back_val().getUsers()) {
        if (isa<ttg::MemDescTransOp>(user))
          names.push_back(user->getResult(0));
        Operation *end = isa<ttg::AsyncReader>(user) ? ttg::waitBehind(user) : user;
        Operation *here = end ? block->findAncestorOpInBlock(*end) : nullptr;
        if (!here || arrive->isBeforeInBlock(here))
          return;
        if (user != arrive && (!last || last->isBeforeInBlock(here)))
          last = here;
      }
  }
  Operation *barrier = arrive.getBarrier().getDefiningOp();
  if (!last || !isa_and_nonnull<ttg::MemDescIndexOp>(barrier))
    return;
  if (last->isBeforeInBlock(barrier) && barrier->getBlock() == block)
    barrier->moveAfter(last);
  arrive->moveAfter(barrier->isBeforeInBlock(last) ? last : barrier);
}

struct WarpGroupDotsPass : impl::WarpGroupDotsBase<WarpGroupDotsPass> {
  using WarpGroupDotsBase::WarpGroupDotsBase;

  void runOnOperation() override {
    if (!getAnalysis<ttg::LayoutsHold>())
      return signalPassFailure();
    SmallVector<tt::DotOp> dots;
    getOperation().walk([&](tt::DotOp dot) {
      if (ttg::isOfWarpGroups(dot))
        dots.push_back(dot);
    });
    for (tt::DotOp dot : dots)
      if (std::string reason = ttg::reasonAgainstExtents(dot, ttg::numWarps(dot));
          !reason.empty()) {
        dot.emitError() << "warp groups cannot do this dot, whose result has their layout: "
                        << reason;
        return signalPassFailure();
      }
    StoredTiles stored;
    for (tt::DotOp dot : dots)
      DotConverter(dot, stored, keepOperands, storeEarly).run();
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!block->getOps<WarpGroupDotOp>().empty())
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      settleWaits(*block);
    getOperation().walk([](MBarrierArriveOp arrive) { releaseEarly(arrive); });
    // What was loaded for them.
    getOperation().walk([](Operation *op) {
      if (isa<ttg::LocalLoadOp, ttg::ConvertLayoutOp>(op) && op->use_empty())
        op->erase();
    });
    for (Block *block : blocks)
      loadBefore(*block->getOps<WarpGroupDotOp>().begin());
  }
};
} // namespace

} // namespace tritium::ttng
