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
// TMA reads through the asynchronous proxy, which does not see what threads of the same launch have
// written: a kernel whose stores may reach what it loads keeps its loads, and of others a launch
// looks (kOvertakes).
//
// Copies by TMA start behind the dots of an iteration, into the buffers that those of the last one
// have read: one stage more runs ahead in the same memory.
//
//===----------------------------------------------------------------------===//

#include "AffineTiles.h"

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
constexpr size_t kMostDimensions = 5;
constexpr int64_t kMostExtent = 256;
/// Of a dimension that no mask bounds. Indices are of 32 bits.
constexpr int64_t kNoBound = std::numeric_limits<int32_t>::max();

/// One dimension of the tensor.
struct Axis {
  Polynomial start, stride;
  std::optional<Polynomial> size = std::nullopt; ///< none: nothing is masked off
  bool isLeftOpen = false;                       ///< indices below 0 are masked off
};

/// A mask is true where begin <= r + moving < end.
struct Bounds {
  Polynomial moving;
  std::optional<Polynomial> begin, end;

  bool isAny() const { return begin || end; }
};

/// The box that a load reads.
class BoxOfLoad {
public:
  BoxOfLoad(tt::LoadOp load, AffineReader &reader)
      : load(load), reader(reader), shape(tt::shapeOf(load.getType())) {}

  /// Empty if it is one; otherwise why not.
  std::string find() {
    if (load.getIsVolatile() || load.getCache() != tt::CacheModifier::NONE)
      return "it is volatile, or says how it is cached";
    if (Value other = load.getOther();
        other && !matchPattern(other, m_Zero()) && !matchPattern(other, m_PosZeroFloat()))
      return "what lies outside of its mask is not zero";
    std::optional<AffinePointers> pointers = reader.pointers(load.getPtr());
    if (!pointers)
      return "its addresses do not count up by rows and columns of one array";
    base = pointers->base;
    if (std::string reason = findAxes(pointers->offsets); !reason.empty())
      return reason;
    if (std::string reason = findBounds(); !reason.empty())
      return reason;
    splitOrigin(pointers->offsets.origin);
    if (leading.size() + axes.size() > kMostDimensions)
      return "it would need a tensor of more than 5 dimensions";
    return buildOffsets();
  }

  /// The load, in front of it.
  LoadBoxOp build() {
    OpBuilder b(load);
    Location loc = load.getLoc();
    SmallVector<Value> sizes, strides;
    for (const Axis *axis : inOrder()) {
      sizes.push_back(axis->size.value_or(Polynomial(kNoBound)).build(b, loc));
      strides.push_back(axis->stride.build(b, loc));
    }
    Value from = base;
    if (!start.isZero())
      from = b.create<tt::AddPtrOp>(loc, from.getType(), from, start.build(b, loc));
    auto type = cast<RankedTensorType>(load.getType());
    if (isTransposed())
      type = RankedTensorType::get({shape[1], shape[0]}, type.getElementType(),
                                   ttg::transposedLayout(type.getEncoding(), {1, 0}));
    return b.create<LoadBoxOp>(loc, type, from, sizes, strides, offsets);
  }

  /// Neighbours in memory are neighbours along the first dimension.
  bool isTransposed() const { return fastest == 0; }

private:
  /// Dimensions of the tensor, the fastest last.
  SmallVector<const Axis *> inOrder() const {
    SmallVector<const Axis *> result;
    for (const Axis &axis : leading)
      result.push_back(&axis);
    result.push_back(&axes[1 - fastest]);
    result.push_back(&axes[fastest]);
    return result;
  }

  bool isKnownAtLaunch(const Polynomial &number) const {
    return number.hasTerms() &&
           number.filtered([&](const auto &term) { return !reader.isKnownAtLaunch(term); })
               .isZero();
  }

  std::string findAxes(const AffineTile &tile) {
    if (tile.steps.size() != 2)
      return "it is no tile of two dimensions";
    for (auto [d, step] : llvm::enumerate(tile.steps)) {
      if (shape[d] > kMostExtent)
        return "a box has at most 256 rows, found " + std::to_string(shape[d]);
      if (!isKnownAtLaunch(step) || step.getTerms().size() != 1)
        return "what lies from one row to the next is not known at a launch";
      axes.push_back({Polynomial(0), step});
    }
    for (int d : {1, 0})
      if (axes[d].stride.number() == 1) {
        fastest = d;
        return "";
      }
    return "neighbours of a row are not known to be neighbours in memory; a stride that is 1 "
           "should be a constant, or an argument that is specialised";
  }

  std::string findBounds() {
    if (!load.getMask())
      return "";
    auto conditions = reader.conditions(load.getMask());
    if (!conditions)
      return "its mask does not only compare rows and columns with bounds";
    for (const AffineTile &condition : *conditions)
      if (!addBound(condition))
        return "its mask compares rows or columns with what a launch does not know";
    return "";
  }

  /// Takes in that `condition` is less than 0.
  bool addBound(const AffineTile &condition) {
    std::optional<size_t> dim;
    for (auto [d, step] : llvm::enumerate(condition.steps))
      if (!step.isZero()) {
        if (dim)
          return false;
        dim = d;
      }
    if (!dim || !condition.origin.hasTerms())
      return false;
    auto isFixed = [&](const Polynomial::Term &term) { return reader.isKnownAtLaunch(term); };
    Polynomial fixed = condition.origin.filtered(isFixed);
    std::optional<int64_t> step = condition.steps[*dim].number();
    if (step != 1 && step != -1)
      return false;
    // r + moving + fixed < 0, or -(r + moving) + fixed < 0.
    Polynomial moving = (condition.origin - fixed) * Polynomial(*step);
    Bounds &known = bounds[*dim];
    std::optional<Polynomial> &bound = step == 1 ? known.end : known.begin;
    Polynomial place = step == 1 ? Polynomial(0) - fixed : fixed + Polynomial(1);
    if ((bound && !(*bound == place)) || (known.isAny() && !(known.moving == moving)))
      return false;
    bound = place;
    known.moving = moving;
    return true;
  }

  /// Where the tile begins is what bounded dimensions say, of others what is a multiple of their
  /// strides, and the rest.
  void splitOrigin(Polynomial origin) {
    for (auto [axis, known] : llvm::zip(axes, bounds)) {
      if (!known.isAny())
        continue;
      // Indices count from where the mask begins.
      Polynomial first = known.begin.value_or(Polynomial(0));
      axis.start = known.moving - first;
      axis.isLeftOpen = known.begin.has_value();
      if (known.end)
        axis.size = *known.end - first;
      origin = origin - axis.start * axis.stride;
    }
    for (size_t d : {size_t(1 - fastest), size_t(fastest)}) {
      if (bounds[d].isAny())
        continue;
      Polynomial rows = origin.filtered([&](const Polynomial::Term &term) {
        bool isWhole = !Polynomial(term).quotient(axes[d].stride).isZero();
        return isWhole && !reader.isKnownAtLaunch(term) && (d != fastest || isPlain(term));
      });
      axes[d].start = rows.quotient(axes[d].stride);
      origin = origin - rows;
    }
    for (const Polynomial::Term &term : origin.getTerms())
      if (reader.isKnownAtLaunch(term))
        start = start + Polynomial(term);
      else
        addLeading(term);
  }

  /// No number that a launch knows is part of it.
  bool isPlain(const Polynomial::Term &term) {
    return llvm::none_of(term.scalars, [&](Value x) { return reader.isKnownAtLaunch(x); });
  }

  /// An index, and how far it is to the next.
  void addLeading(const Polynomial::Term &term) {
    Polynomial stride(term.factor), index(1);
    for (Value scalar : term.scalars)
      if (reader.isKnownAtLaunch(scalar))
        stride = stride * Polynomial(scalar);
      else
        index = index * Polynomial(scalar);
    for (Axis &axis : leading)
      if (axis.stride == stride) {
        axis.start = axis.start + index;
        return;
      }
    leading.push_back({index, stride});
  }

  std::string buildOffsets() {
    OpBuilder b(load);
    for (const Axis *axis : inOrder()) {
      if (!axis->start.hasTerms())
        return "where it begins is not known in 64 bits";
      Value index = axis->start.build(b, load.getLoc());
      // Of 32 bits, also behind it.
      std::optional<int64_t> least;
      if (!axis->isLeftOpen)
        least = 0;
      std::optional<int64_t> number = axis->start.number();
      bool isFine = number && *number >= least.value_or(INT32_MIN) && *number <= INT32_MAX;
      if (!isFine && !reader.require(index, least, /*bits=*/32))
        return "where it begins follows from more than arguments, the grid and indices of loops";
      offsets.push_back(b.create<arith::TruncIOp>(load.getLoc(), b.getI32Type(), index));
    }
    return "";
  }

  tt::LoadOp load;
  AffineReader &reader;
  ArrayRef<int64_t> shape;
  Value base;
  unsigned fastest = 1;
  SmallVector<Axis, 2> axes;
  SmallVector<Axis, 3> leading;
  Bounds bounds[2];
  Polynomial start; ///< of the tensor, behind the base
  SmallVector<Value> offsets;
};

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
    SmallVector<tt::LoadOp> loads;
    for (auto load : loop.getOps<tt::LoadOp>())
      if (load->hasAttr(ttg::kAsyncCopy) && ttg::isOperandOfWarpGroups(load))
        loads.push_back(load);
    size_t converted = llvm::count_if(loads, [&](tt::LoadOp load) { return convert(load); });
    if (converted == 0)
      return false;
    moveUnused();
    bool areAll = llvm::none_of(loop.getOps<tt::LoadOp>(),
                                [](tt::LoadOp load) { return load->hasAttr(ttg::kAsyncCopy); });
    if (areAll)
      startBehindDots();
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
    tt::FuncOp func = load->getParentOfType<tt::FuncOp>();
    AffineReader reader(func);
    BoxOfLoad box(load, reader);
    Operation *before = load->getPrevNode();
    std::string reason = box.find();
    if (reason.empty() && !isLaidOut(load, box.isTransposed()))
      reason = "its layout in shared memory is none that TMA has";
    if (!reason.empty()) {
      eraseBetween(before, load);
      return refuse(reason);
    }
    replace(load, box);
    reader.addConditions();
    return true;
  }

  /// What was built in front of `load`, and is not used.
  static void eraseBetween(Operation *before, Operation *load) {
    while (load->getPrevNode() != before) {
      Operation *op = load->getPrevNode();
      if (!op->use_empty())
        return;
      op->erase();
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

  void replace(tt::LoadOp load, BoxOfLoad &box) {
    Operation *before = load->getPrevNode();
    while (before && !before->hasAttr(ttg::kSchedule))
      before = before->getPrevNode();
    LoadBoxOp copy = box.build();
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
    // What was built for it runs ahead with it, but for numbers that are the same in the loop.
    Operation *next = before ? before->getNextNode() : &loop.getBody()->front();
    for (; next != copy; next = next->getNextNode())
      if (!next->hasAttr(ttg::kSchedule))
        put(next, 0, 0);
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
