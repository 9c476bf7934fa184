//===- PrefetchNextPrograms.cpp - ttg-prefetch-next-programs --------------===//
//
// A program that loads a row, reduces it and stores it waits for memory once, with little in
// flight, and programs beside it on a multiprocessor do not always make up for that. So it
// asks for what the program that takes its place will load, to be brought to L2:
//
//   %row = tt.load f(program), g(program)
//   ttg.prefetch_l2 f(program + K), g(program + K) and program + K < programs
//
// K programs run at once on all multiprocessors. That is for kernels whose programs take their
// turns so (ChooseOccupancy.cpp), whose addresses and masks are made of the program's number,
// arguments and ranges alone, and for loads that every program comes to, so that no address is
// touched that would not be anyway.
//
// Each lane asks for its vectors, of 8 bytes or more. Rows so long that few programs run at once
// are asked for by one thread, from sm_90 on, if the tile is one run of neighbours, the mask at
// most a bound of it, and L2 has room for the runs of all programs beside what they store:
//
//   %row = tt.load %p + range, range < %n
//   ttng.prefetch_run %p(program + K), min(%n, width) if program + K < programs, or 0
//
//===----------------------------------------------------------------------===//

#include "Occupancy.h"

#include "tritium/Analysis/AccessWidth.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"
#include "tritium/Target/GPU/Strategy.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_PREFETCHNEXTPROGRAMS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
constexpr int kMaxDepth = 24;

/// No branch but those between versions of the kernel is around it.
bool isInEveryProgram(Operation *op) {
  for (Operation *parent = op->getParentOp(); !isa<tt::FuncOp>(parent);
       parent = parent->getParentOp())
    if (!parent->hasAttr(kVersions))
      return false;
  return true;
}

/// Another program can compute the value from its own number: without memory and other lanes, by
/// instructions that cannot fail.
bool isOfProgram(Value value, bool &usesFirstAxis, int depth = kMaxDepth) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<tt::FuncOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
  if (auto id = dyn_cast<tt::GetProgramIdOp>(op)) {
    usesFirstAxis |= id.getAxis() == 0;
    return true;
  }
  if (auto convert = dyn_cast<ConvertLayoutOp>(op))
    if (convert.getMechanism() != Mechanism::Registers)
      return false;
  return isa<arith::ConstantOp, tt::MakeRangeOp, tt::DataMovement, tt::AddPtrOp, arith::AddIOp,
             arith::SubIOp, arith::MulIOp, arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp, arith::CmpIOp>(op) &&
         depth && llvm::all_of(op->getOperands(), [&](Value x) {
           return isOfProgram(x, usesFirstAxis, depth - 1);
         });
}

/// What another program loads there can be computed here, and is reduced.
bool canPrefetch(tt::LoadOp load) {
  Value ptr = load.getPtr(), mask = load.getMask();
  if (!tt::isTile(ptr.getType()) || load.getIsVolatile() || !isInEveryProgram(load))
    return false;
  bool reduces =
      load->getBlock()->walk([](tt::ReduceOp) { return WalkResult::interrupt(); }).wasInterrupted();
  bool isOther = false;
  return reduces && isOfProgram(ptr, isOther) && (!mask || isOfProgram(mask, isOther)) && isOther;
}

/// How the load moves, if its vectors are worth an instruction each.
std::optional<AccessRuns> vectorsToPrefetch(tt::LoadOp load, const AxisInfoAnalysis &axes) {
  Value ptr = load.getPtr();
  TileLayout layout = layoutOf(cast<RankedTensorType>(ptr.getType()));
  if (layout.hasPadding())
    return std::nullopt;
  AccessRuns runs = accessRuns(ptr, load.getMask(), layout, axes, Crossing::Anywhere);
  if (runs.runs.width * pointeeBytes(ptr) < strategy::kLeastPrefetchBytes)
    return std::nullopt;
  return runs;
}

/// The operand of an operation that only moves elements and leaves the first one where it is.
Value movedBy(Operation *op) {
  auto reshape = dyn_cast_or_null<tt::ReshapeOp>(op);
  if (!isa_and_nonnull<tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp, tt::ReshapeOp,
                       ConvertLayoutOp>(op) ||
      (reshape && reshape.getAllowReorder()))
    return {};
  return op->getOperand(0);
}

/// Neighbours in memory, all that a load moves: as many as the tile has, or `bound`, if there is
/// one, less `from`, if these are fewer.
struct Run {
  int64_t most;
  Value bound;
  int64_t from = 0;
};

/// Null if there is none, or too long a one for so many programs at once.
std::optional<Run> runToPrefetch(tt::LoadOp load, int64_t programs, const AxisInfoAnalysis &axes) {
  ArrayRef<int64_t> shape = tt::shapeOf(load.getPtr().getType());
  auto longest = llvm::max_element(shape);
  unsigned dim = longest - shape.begin();
  auto isOneRun = [&](Value tile) { return axes.get(tile).contiguity[dim] >= *longest; };
  if (llvm::count(shape, 1) + 1 != int64_t(shape.size()) || !isOneRun(load.getPtr()) ||
      programs * *longest * pointeeBytes(load.getPtr()) > strategy::kMostPrefetchedBytes ||
      widthOf(load, axes, Crossing::Anywhere) * pointeeBytes(load.getPtr()) <
          strategy::kLeastPrefetchBytes)
    return std::nullopt;
  Value mask = load.getMask();
  if (!mask)
    return Run{*longest, Value()};
  while (Value moved = movedBy(mask.getDefiningOp()))
    mask = moved;
  auto compare = mask.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt ||
      !tt::elementType(compare.getLhs().getType()).isInteger(32))
    return std::nullopt;
  Value index = compare.getLhs(), bound = compare.getRhs();
  while (Value moved = movedBy(index.getDefiningOp()))
    index = moved;
  while (Value moved = movedBy(bound.getDefiningOp()))
    bound = moved;
  auto range = index.getDefiningOp<tt::MakeRangeOp>();
  auto splat = bound.getDefiningOp<tt::SplatOp>();
  int64_t from = range ? static_cast<int32_t>(range.getStart()) : -1;
  if (!splat || from < 0 || from + *longest > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  return Run{*longest, splat.getSrc(), from};
}

/// Values as the program `distance` further on computes them.
class NextProgram {
public:
  /// Operations go before where `b` stands.
  NextProgram(OpBuilder b, Location loc, int64_t distance) : b(b), loc(loc) {
    Value constant = constantOf(distance);
    Value here = b.create<tt::GetProgramIdOp>(loc, b.getI32Type(), 0);
    next = b.create<arith::AddIOp>(loc, here, constant);
    Value programs = b.create<tt::GetNumProgramsOp>(loc, b.getI32Type(), 0);
    // Also where the sum has wrapped: there are less than 2^31 programs.
    exists = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, next, programs);
  }

  /// The elements of a run in it, if there is one.
  Value countOf(const Run &run) {
    Value count = constantOf(run.most);
    if (run.bound) {
      // Held to what the tile has before the subtraction, which then cannot wrap.
      Value from = constantOf(run.from);
      Value behind = b.create<arith::MinSIOp>(loc, get(run.bound), constantOf(run.from + run.most));
      count = b.create<arith::SubIOp>(loc, b.create<arith::MaxSIOp>(loc, behind, from), from);
    }
    return b.create<arith::SelectOp>(loc, exists, count, constantOf(0));
  }

  /// The first element of a tile of pointers or indices in it.
  Value first(Value value) {
    if (!tt::isTile(value.getType()))
      return get(value);
    if (Value known = firsts.lookup(value))
      return known;
    Operation *op = value.getDefiningOp();
    Type element = tt::elementType(value.getType());
    Value result;
    if (Value moved = movedBy(op)) {
      result = first(moved);
    } else if (auto splat = dyn_cast<tt::SplatOp>(op)) {
      result = get(splat.getSrc());
    } else if (auto range = dyn_cast<tt::MakeRangeOp>(op)) {
      result = constantOf(static_cast<int32_t>(range.getStart()));
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto splat = cast<SplatElementsAttr>(constant.getValue());
      result = b.create<arith::ConstantOp>(loc, splat.getSplatValue<TypedAttr>());
    } else {
      OperationState state(loc, op->getName());
      for (Value operand : op->getOperands())
        state.addOperands(first(operand));
      state.addTypes(element);
      state.addAttributes(op->getAttrs());
      result = b.create(state)->getResult(0);
    }
    return firsts[value] = result;
  }

  /// There is one, and `mask`, if any, holds in it.
  Value existsAnd(Value mask, RankedTensorType type) {
    Value all = b.create<tt::SplatOp>(loc, type, exists);
    return mask ? b.create<arith::AndIOp>(loc, get(mask), all).getResult() : all;
  }

  /// The same value if it does not depend on the program.
  Value get(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || mapping.contains(value))
      return mapping.lookupOrDefault(value);
    Value result = value;
    if (auto id = dyn_cast<tt::GetProgramIdOp>(op); id && id.getAxis() == 0) {
      result = next;
    } else {
      bool differs = false;
      for (Value operand : op->getOperands())
        differs |= get(operand) != operand;
      if (differs)
        result = b.clone(*op, mapping)->getResult(0);
    }
    mapping.map(value, result);
    return result;
  }

private:
  Value constantOf(int64_t number) {
    return b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(number));
  }

  OpBuilder b;
  Location loc;
  IRMapping mapping;
  llvm::DenseMap<Value, Value> firsts;
  Value next, exists;
};

struct PrefetchNextProgramsPass : impl::PrefetchNextProgramsBase<PrefetchNextProgramsPass> {
  using PrefetchNextProgramsBase::PrefetchNextProgramsBase;

  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>())
      return signalPassFailure();
    const GPUModel &gpu = gpuModel(getOperation());
    if (gpu.hasL2Prefetch)
      for (auto func : getOperation().getOps<tt::FuncOp>())
        if (!func.isExternal() && func.isKernel())
          prefetchIn(func, gpu);
  }

private:
  static void prefetchIn(tt::FuncOp kernel, const GPUModel &gpu) {
    int64_t distance = int64_t(programsThatStream(kernel, gpu)) * gpu.multiprocessors;
    // Programs of several CTAs leave room for others that load meanwhile.
    if (distance == 0 || numCTAs(kernel) > 1)
      return;
    auto asked = kernel->getAttrOfType<IntegerAttr>(kProgramsAtOnce);
    bool areMany = asked && asked.getInt() > 1;
    AxisInfoAnalysis axes(kernel);
    SmallVector<std::pair<tt::LoadOp, AccessRuns>> vectors;
    SmallVector<std::pair<tt::LoadOp, Run>> runs;
    kernel.walk([&](tt::LoadOp load) {
      if (!canPrefetch(load))
        return;
      if (areMany) {
        if (auto found = vectorsToPrefetch(load, axes))
          vectors.push_back({load, *found});
      } else if (gpu.hasTensorCopies) {
        if (auto found = runToPrefetch(load, distance, axes))
          runs.push_back({load, *found});
      }
    });
    for (auto &[load, found] : vectors)
      prefetchVectors(load, found, distance);
    for (auto &[load, found] : runs)
      prefetchRun(load, found, distance);
  }

  /// What the program so many further on loads, a vector of the load at once.
  static void prefetchVectors(tt::LoadOp load, const AccessRuns &runs, int64_t distance) {
    OpBuilder b(load->getContext());
    b.setInsertionPointAfter(load);
    NextProgram there(b, load.getLoc(), distance);
    auto type = cast<RankedTensorType>(load.getPtr().getType());
    Value ptr = there.get(load.getPtr());
    Value mask = there.existsAnd(load.getMask(), type.clone(b.getI1Type()));
    b.create<PrefetchL2Op>(load.getLoc(), ptr, mask, runs.runs.width, runs.dim);
  }

  static void prefetchRun(tt::LoadOp load, const Run &run, int64_t distance) {
    OpBuilder b(load->getContext());
    b.setInsertionPointAfter(load);
    NextProgram there(b, load.getLoc(), distance);
    Value ptr = there.first(load.getPtr()), count = there.countOf(run);
    b.create<ttng::PrefetchRunOp>(load.getLoc(), ptr, count);
  }
};
} // namespace

} // namespace tritium::ttg
