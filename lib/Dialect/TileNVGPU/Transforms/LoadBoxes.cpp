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
// Where a warp of its own will start a kernel's copies (ttg-specialize-warps), and programs are of
// different lengths, so that most are short, what dots of the loop multiply in all iterations,
// loaded in front of it, is copied so, too:
//
//   %q = tt.load .. {no mark}   becomes   %q = ttng.load_box .. {ttg.async_copy = #panels}
//
// Copies by TMA start behind the dots of an iteration, into the buffers that those of the last one
// have read: one stage more runs ahead in the same memory.
//
//===----------------------------------------------------------------------===//

#include "BoxOfLoad.h"

#include "tritium/Analysis/OuterSlice.h"
#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/SpecializationChoice.h"
#include "tritium/Dialect/TileNVGPU/Transforms/Passes.h"

using namespace mlir;

namespace tritium::ttng {

#define GEN_PASS_DEF_LOADBOXES
#include "tritium/Dialect/TileNVGPU/Transforms/Passes.h.inc"

namespace {
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
    else
      startInFront();
    // What the loop around this one stores they do not read (Writes).
    if (areAll && isa<scf::ForOp>(loop->getParentOp()) && mayStartNext(loop))
      loop->setAttr(ttg::kAcross, UnitAttr::get(loop.getContext()));
    return true;
  }

private:
  bool convert(tt::LoadOp load) {
    Attribute schedule = load->getAttr(ttg::kSchedule);
    BoxOfLoad made = makeBox(load, load->getAttr(ttg::kAsyncCopy), writes);
    if (made.copy)
      made.copy->setAttr(ttg::kSchedule, schedule);
    if (made.trans)
      put(made.trans, stages() - 1, orderOfRest());
    // What was built for it runs ahead, too.
    for (Operation &op : *loop.getBody())
      if (!op.hasAttr(ttg::kSchedule) && !op.hasTrait<OpTrait::IsTerminator>())
        put(&op, 0, 0);
    return bool(made.copy);
  }

  static void put(Operation *op, int32_t stage, int32_t order) {
    op->setAttr(ttg::kSchedule, ttg::ScheduleAttr::get(op->getContext(), stage, order));
  }
  int32_t stages() { return loop->getAttrOfType<IntegerAttr>(ttg::kStages).getInt(); }
  int32_t orderOfRest() {
    int32_t most = 0;
    for (Operation &op : loop.getBody()->without_terminator())
      if (auto schedule = op.getAttrOfType<ttg::ScheduleAttr>(ttg::kSchedule);
          schedule && schedule.getStage() != 0)
        most = std::max(most, schedule.getOrder());
    return most;
  }

  /// Addresses and masks that no copy has any more.
  void moveUnused();
  void startBehindDots();
  void startInFront();

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

/// Copies by threads that start behind a dot wait for all threads once more, which they do not gain
/// beside those by TMA: all start in front of it, an iteration later, and have a buffer more
/// instead.
void LoopConverter::startInFront() {
  constexpr int32_t ofAddresses = 0, ofCopies = 1, ofRest = 2;
  Builder b(loop.getContext());
  bool isBehind = llvm::any_of(*loop.getBody(), [&](Operation &op) {
    return op.hasAttr(ttg::kAsyncCopy) &&
           op.getAttrOfType<ttg::ScheduleAttr>(ttg::kSchedule).getOrder() > orderOfRest();
  });
  if (!isBehind)
    return;
  int32_t before = stages(), now = std::max(before - 1, 2);
  loop->setAttr(ttg::kStages, b.getI32IntegerAttr(now));
  if (now < before)
    loop->setAttr(ttg::kBuffers, b.getI32IntegerAttr(before));
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool isAhead = op.getAttrOfType<ttg::ScheduleAttr>(ttg::kSchedule).getStage() == 0;
    put(&op, isAhead ? 0 : now - 1,
        op.hasAttr(ttg::kAsyncCopy) ? ofCopies
        : isAhead                   ? ofAddresses
                                    : ofRest);
  }
}

namespace {
/// Left operands, say, that stay the same in the loop: each is copied by itself.
void copyOperandsInFront(scf::ForOp loop, const Writes &writes) {
  SmallVector<tt::LoadOp> loads;
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode())
    if (auto load = dyn_cast<tt::LoadOp>(op);
        load && tt::isTile(load.getType()) && ttg::isOperandOfWarpGroups(load))
      loads.push_back(load);
  for (tt::LoadOp load : loads) {
    auto type = cast<RankedTensorType>(load.getType());
    auto layout =
        ttg::panelLayout(load.getContext(), type.getShape(), ttg::orderOf(type.getEncoding())[0],
                         tt::scalarBytes(type.getElementType()));
    if (layout)
      makeBox(load, *layout, writes);
  }
}

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
      if (hasCopies && inFront && ttg::willSpecialize(func, specialize))
        for (scf::ForOp loop : ttg::loopsOfBoxes(func))
          if (!ttg::isEven(loop))
            copyOperandsInFront(loop, writes);
      if (hasCopies && !writes.empty())
        func->setAttr(ttg::kOvertakes, UnitAttr::get(&getContext()));
    }
  }
};
} // namespace

} // namespace tritium::ttng
