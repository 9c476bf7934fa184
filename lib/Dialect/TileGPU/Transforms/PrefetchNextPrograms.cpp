//===- PrefetchNextPrograms.cpp - ttg-prefetch-next-programs --------------===//
//
// A program that loads a row, reduces it and stores it waits for memory once, with little in
// flight, and programs beside it on a multiprocessor do not always make up for that. So it
// asks for what the program that takes its place will load, to be brought to L2:
//
//   %row = tt.load f(program), g(program)
//   ttg.prefetch_l2 f(program + K), g(program + K) and program + K < programs
//
// K programs run at once on all multiprocessors. That is for vectors of 8 bytes or more in kernels
// whose programs take their turns so (ChooseOccupancy.cpp), whose addresses and masks are made of
// the program's number, arguments and ranges alone, and for loads that every program comes to, so
// that no address is touched that would not be anyway.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/AccessWidth.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Target/GPU/GPUModel.h"
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

/// How the load moves, if it is worth it.
std::optional<AccessRuns> runsToPrefetch(tt::LoadOp load, const AxisInfoAnalysis &axes) {
  Value ptr = load.getPtr(), mask = load.getMask();
  if (!tt::isTile(ptr.getType()) || load.getIsVolatile() || !isInEveryProgram(load))
    return std::nullopt;
  bool reduces =
      load->getBlock()->walk([](tt::ReduceOp) { return WalkResult::interrupt(); }).wasInterrupted();
  TileLayout layout = layoutOf(cast<RankedTensorType>(ptr.getType()));
  bool isOther = false;
  if (!reduces || layout.hasPadding() || !isOfProgram(ptr, isOther) ||
      (mask && !isOfProgram(mask, isOther)) || !isOther)
    return std::nullopt;
  AccessRuns runs = accessRuns(ptr, mask, layout, axes, Crossing::Anywhere);
  if (runs.runs.width * pointeeBytes(ptr) < strategy::kLeastPrefetchBytes)
    return std::nullopt;
  return runs;
}

/// Values as the program `distance` further on computes them.
class NextProgram {
public:
  /// Operations go before where `b` stands.
  NextProgram(OpBuilder b, Location loc, int64_t distance) : b(b), loc(loc) {
    auto constant = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(distance));
    Value here = b.create<tt::GetProgramIdOp>(loc, b.getI32Type(), 0);
    next = b.create<arith::AddIOp>(loc, here, constant);
    Value programs = b.create<tt::GetNumProgramsOp>(loc, b.getI32Type(), 0);
    // Also where the sum has wrapped: there are less than 2^31 programs.
    exists = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, next, programs);
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
  OpBuilder b;
  Location loc;
  IRMapping mapping;
  Value next, exists;
};

struct PrefetchNextProgramsPass : impl::PrefetchNextProgramsBase<PrefetchNextProgramsPass> {
  using PrefetchNextProgramsBase::PrefetchNextProgramsBase;

  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>())
      return signalPassFailure();
    const GPUModel &gpu = gpuModel(getOperation());
    for (auto func : getOperation().getOps<tt::FuncOp>()) {
      auto programs = func->getAttrOfType<IntegerAttr>(kProgramsAtOnce);
      if (!programs || programs.getInt() < 2 || !gpu.hasL2Prefetch)
        continue;
      AxisInfoAnalysis axes(func);
      SmallVector<std::pair<tt::LoadOp, AccessRuns>> loads;
      func.walk([&](tt::LoadOp load) {
        if (auto runs = runsToPrefetch(load, axes))
          loads.push_back({load, *runs});
      });
      for (auto [load, runs] : loads)
        prefetchFor(load, runs, programs.getInt() * int64_t(gpu.multiprocessors));
    }
  }

private:
  /// What the program so many further on loads, a vector of the load at once.
  static void prefetchFor(tt::LoadOp load, const AccessRuns &runs, int64_t distance) {
    OpBuilder b(load->getContext());
    b.setInsertionPointAfter(load);
    NextProgram there(b, load.getLoc(), distance);
    auto type = cast<RankedTensorType>(load.getPtr().getType());
    Value ptr = there.get(load.getPtr());
    Value mask = there.existsAnd(load.getMask(), type.clone(b.getI1Type()));
    b.create<PrefetchL2Op>(load.getLoc(), ptr, mask, runs.runs.width, runs.dim);
  }
};
} // namespace

} // namespace tritium::ttg
