//===- LoadBoxes.cpp - ttng-load-boxes ------------------------------------===//
//
//   scf.for %k = .. {
//     %x = tt.load %p, %mask, %zeros {stage 0, ttg.async_copy = #panels}
//     ...
//   } {ttg.stages = 3, ttg.buffers = 4}
//
// becomes, where %p[i, j] is %base + (%row + i) * %pitch + %column + j and %mask[i, j] says that
// %row + i < %m and %column + j < %n,
//
//   scf.for %k = .. {
//     %x = ttng.load_box %base[%row, %column] shape [%m, %n] strides [%pitch, 1]
//            {stage 0, ttg.async_copy = #panels}
//     ...
//   } {ttg.stages = 4}
//
// so that ttg-expand-pipeline copies it by TMA. The launch must know base, extents and strides; it
// takes other code if they are none that TMA has, if a number that the above relies on wraps, or
// if an index that no mask compares with 0 may be less. Where a tile begins is split into indices
// as masks say; what no dimension of the tile takes becomes one in front of them, of which the box
// has one index, a batch, say.
//
// Rows that begin anew behind an end, (start + r) % m, are cut off there, where the kernel uses
// none of those (UsedElements.cpp); else the launch sees to it that a tile has none.
//
// TMA reads through the asynchronous proxy, which does not see what threads of the same launch have
// written: a kernel whose stores may reach what it loads keeps its loads, and of others a launch
// looks (kOvertakes).
//
// In a loop over tiles, copies for the next tile start when the loop for this one is over
// (`ttg.across`), if their addresses follow from the tile's number and nothing in the outer loop
// orders memory.
//
// Copies by TMA start behind the dots of an iteration, into the buffers that those of the last one
// have read: one stage more runs ahead in the same memory.
//
//===----------------------------------------------------------------------===//

#include "BoxOfTile.h"

#include "tritium/Analysis/OuterSlice.h"
#include "tritium/Analysis/PointerBases.h"
#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileNVGPU/IR/Boxes.h"
#include "tritium/Dialect/TileNVGPU/Transforms/Passes.h"
#include "tritium/Support/EmitRemark.h"
#include "tritium/Target/GPU/GPUModel.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::ttng {

#define GEN_PASS_DEF_LOADBOXES
#include "tritium/Dialect/TileNVGPU/Transforms/Passes.h.inc"

namespace {
/// What a kernel may write.
class Writes {
public:
  Writes(tt::FuncOp func, bool mayAlias) : mayAlias(mayAlias) {
    func.getBody().walk([&](Operation *op) {
      auto access = dyn_cast<tt::MemoryAccess>(op);
      if (isa<tt::LoadOp, LoadBoxOp>(op) || isMemoryEffectFree(op) ||
          op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
          op->hasTrait<OpTrait::IsTerminator>())
        return;
      if (access)
        pointers.push_back(op->getOperand(0));
      else if (!isa<tt::AssumeOp, tt::PrintOp, ttg::BarrierOp>(op))
        isUnknown = true;
    });
  }

  /// May be what `pointer` leads to, even if arguments do not overlap.
  bool mayReach(Value pointer) const {
    return isUnknown || (mayAlias && !pointers.empty()) ||
           llvm::any_of(pointers, [&](Value x) { return mayShareBase(x, pointer); });
  }
  bool empty() const { return pointers.empty(); }

private:
  bool mayAlias, isUnknown = false;
  SmallVector<Value> pointers;
};

class LoopConverter {
public:
  LoopConverter(scf::ForOp loop, const Writes &writes) : loop(loop), writes(writes) {}

  /// Whether there are copies by TMA now.
  bool run() {
    if (llvm::none_of(loop.getOps<tt::DotOp>(),
                      [](tt::DotOp dot) { return ttg::isOfWarpGroups(dot); }))
      return false;
    SmallVector<tt::LoadOp> operands, others;
    for (auto load : loop.getOps<tt::LoadOp>())
      if (load->hasAttr(ttg::kAsyncCopy))
        (ttg::isOperandOfWarpGroups(load) ? operands : others).push_back(load);
    auto countConverted = [&](ArrayRef<tt::LoadOp> loads) {
      return llvm::count_if(loads, [&](tt::LoadOp load) { return convert(load); });
    };
    // What threads copy keeps all of them in step, be it little.
    int64_t converted = countConverted(operands);
    if (converted == int64_t(operands.size()))
      converted += countConverted(others);
    if (converted == 0)
      return false;
    moveUnused();
    bool areAll = llvm::none_of(loop.getOps<tt::LoadOp>(),
                                [](tt::LoadOp load) { return load->hasAttr(ttg::kAsyncCopy); });
    if (areAll)
      startBehindDots();
    // What the loop around this one stores they do not read (Writes).
    if (areAll && isa<scf::ForOp>(loop->getParentOp()) && mayStartNext(loop))
      loop->setAttr(ttg::kAcross, UnitAttr::get(loop.getContext()));
    return true;
  }

private:
  bool convert(tt::LoadOp load) {
    auto refuse = [&](const std::string &reason) {
      remarkMissed(load.getLoc(), "tensor-copies", "threads copy this tile, not TMA: " + reason);
      return false;
    };
    if (writes.mayReach(load.getPtr()))
      return refuse("the kernel may write what it loads");
    // Of the operations that there are now: what is erased later must not be asked for.
    AxisInfoAnalysis info(load->getParentOfType<tt::FuncOp>());
    std::string reason = reasonAgainst(load);
    // Ends that cut boxes leave nothing for launches to see to.
    if (reason.empty() && !convert(load, Remainders::Cut, info).empty())
      reason = convert(load, Remainders::Whole, info);
    return reason.empty() || refuse(reason);
  }

  /// Empty, or why not.
  std::string convert(tt::LoadOp load, Remainders remainders, const AxisInfoAnalysis &info) {
    AffineReader reader(load->getParentOfType<tt::FuncOp>(), remainders);
    BoxOfTile box(load, reader);
    std::string reason = box.find();
    if (reason.empty() && !isLaidOut(load, box.isTransposed()))
      reason = "its layout in shared memory is none that TMA has";
    if (reason.empty() && !box.beginsAtChunk(info))
      reason = "where its rows begin is not known to be a multiple of 16 bytes";
    Location loc = load.getLoc();
    if (reason.empty()) {
      replace(load, box);
      reader.addConditions(loc);
    }
    scheduleBuilt();
    return reason;
  }

  /// Empty, or why it is no plain load that is zero outside of its mask.
  static std::string reasonAgainst(tt::LoadOp load) {
    if (load.getIsVolatile() || load.getCache() != tt::CacheModifier::NONE)
      return "it is volatile, or says how it is cached";
    Value other = load.getOther();
    if (other && !matchPattern(other, m_Zero()) && !matchPattern(other, m_PosZeroFloat()))
      return "what lies outside of its mask is not zero";
    return "";
  }

  /// What was built for a copy, wherever in the loop, runs ahead with it; in vain, it goes.
  void scheduleBuilt() {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*loop.getBody()))) {
      if (op.hasAttr(ttg::kSchedule) || op.hasTrait<OpTrait::IsTerminator>())
        continue;
      if (isOpTriviallyDead(&op))
        op.erase();
      else
        put(&op, 0, 0);
    }
  }

  static bool isLaidOut(tt::LoadOp load, bool isTransposed) {
    auto type = cast<RankedTensorType>(load.getType());
    auto memory = ttg::MemDescType::get(load.getContext(), type.getShape(), type.getElementType(),
                                        load->getAttr(ttg::kAsyncCopy));
    if (isTransposed)
      memory = ttg::MemDescTransOp::transposed(memory, {1, 0});
    auto boxes = boxesOf(memory);
    return boxes && memory.getTileBytes() % boxes->alignment == 0;
  }

  void replace(tt::LoadOp load, BoxOfTile &box) {
    BoxOfTile::Operands operands = box.build();
    auto type = cast<RankedTensorType>(load.getType());
    if (box.isTransposed())
      type = RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType(),
                                   ttg::transposedLayout(type.getEncoding(), {1, 0}));
    auto copy = OpBuilder(load).create<LoadBoxOp>(
        load.getLoc(), type, operands.base, operands.shape, operands.strides, operands.offsets,
        /*roundsToTF32=*/type.getElementType().isF32() && isForDotsAlone(load));
    copy->setAttr(ttg::kSchedule, load->getAttr(ttg::kSchedule));
    Attribute layout = load->getAttr(ttg::kAsyncCopy);
    Value tile = copy;
    if (box.isTransposed()) {
      layout = cast<ttg::MemoryLayout>(layout).transposed({1, 0});
      OpBuilder b(load);
      auto trans = b.create<tt::TransOp>(load.getLoc(), load.getType(), tile,
                                         b.getDenseI32ArrayAttr({1, 0}));
      put(trans, stages() - 1, orderOfRest());
      tile = trans;
    }
    copy->setAttr(ttg::kAsyncCopy, layout);
    load.replaceAllUsesWith(tile);
    load.erase();
  }

  /// Whether dots of warp groups multiply `tile`, and nothing else is done with it.
  static bool isForDotsAlone(Value tile) {
    return llvm::all_of(tile.getUsers(), [&](Operation *user) {
      if (isa<ttg::ConvertLayoutOp, tt::TransOp>(user))
        return isForDotsAlone(user->getResult(0));
      auto dot = dyn_cast<tt::DotOp>(user);
      return dot && dot.getC() != tile && ttg::isOfWarpGroups(dot);
    });
  }

  static void put(Operation *op, int32_t stage, int32_t order) {
    op->setAttr(ttg::kSchedule, ttg::ScheduleAttr::get(op->getContext(), stage, order));
  }
  int32_t stages() { return loop->getAttrOfType<IntegerAttr>(ttg::kStages).getInt(); }
  int32_t orderOfRest() {
    int32_t most = 0;
    for (Operation &op : loop.getBody()->without_terminator())
      if (auto schedule = op.getAttrOfType<ttg::ScheduleAttr>(ttg::kSchedule))
        most = std::max(most, schedule.getOrder());
    return most;
  }

  /// Addresses and masks that no copy has any more.
  void moveUnused();
  void startBehindDots();

  scf::ForOp loop;
  const Writes &writes;
};
} // namespace

void LoopConverter::moveUnused() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*loop.getBody())))
    if (op.hasAttr(ttg::kSchedule) && isOpTriviallyDead(&op))
      op.erase();
  // What copies depend on, through the loop too.
  llvm::SmallPtrSet<Operation *, 16> needed;
  SmallVector<Value> worklist;
  auto add = [&](Operation *op) {
    if (needed.insert(op).second)
      llvm::append_range(worklist, op->getOperands());
  };
  for (Operation &op : *loop.getBody())
    if (op.hasAttr(ttg::kAsyncCopy))
      add(&op);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == loop.getBody() && argument.getArgNumber() > 0)
      value = loop.getYieldedValues()[argument.getArgNumber() - 1];
    if (Operation *op = value.getDefiningOp(); op && op->getBlock() == loop.getBody())
      add(op);
  }
  for (Operation &op : loop.getBody()->without_terminator())
    if (!needed.contains(&op))
      put(&op, stages() - 1, orderOfRest());
}

void LoopConverter::startBehindDots() {
  int32_t order = orderOfRest() + 1;
  Builder b(loop.getContext());
  if (auto buffers = loop->getAttrOfType<IntegerAttr>(ttg::kBuffers)) {
    loop->setAttr(ttg::kStages, buffers);
    loop->removeAttr(ttg::kBuffers);
  }
  for (Operation &op : loop.getBody()->without_terminator()) {
    int32_t stage = op.getAttrOfType<ttg::ScheduleAttr>(ttg::kSchedule).getStage();
    if (op.hasAttr(ttg::kAsyncCopy))
      put(&op, 0, order);
    else if (stage != 0)
      put(&op, stages() - 1, order - 1);
  }
}

namespace {
struct LoadBoxesPass : impl::LoadBoxesBase<LoadBoxesPass> {
  using LoadBoxesBase::LoadBoxesBase;

  void runOnOperation() override {
    if (!getAnalysis<ttg::LayoutsHold>())
      return signalPassFailure();
    if (!ttg::gpuModel(getOperation()).hasTensorCopies)
      return;
    for (auto func : getOperation().getOps<tt::FuncOp>()) {
      // An assertion that fails ends a program whose copies are on their way.
      bool asserts =
          func.walk([](tt::AssertOp) { return WalkResult::interrupt(); }).wasInterrupted();
      if (func.isExternal() || !func.isKernel() || asserts)
        continue;
      Writes writes(func, mayAlias);
      bool hasCopies = false;
      func.walk([&](scf::ForOp loop) {
        if (loop->hasAttr(ttg::kStages))
          hasCopies |= LoopConverter(loop, writes).run();
      });
      if (hasCopies && !writes.empty())
        func->setAttr(ttg::kOvertakes, UnitAttr::get(&getContext()));
    }
  }
};
} // namespace

} // namespace tritium::ttng
