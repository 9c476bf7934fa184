//===- PrefetchNextPrograms.cpp - ttg-prefetch-next-programs --------------===//
//
// A program that loads a row, reduces it and stores it waits for memory once, with little in
// flight, and programs beside it on a multiprocessor do not always make up for that. So it
// asks for what the program that takes its place will load, to be brought to L2:
//
//   %row = tt.load %p, %mask {ttg.prefetch_for = 1056 : i32}
//
// is for the program so many further on, as many as run at once on all multiprocessors. That is
// for vectors of 8 bytes or more in kernels whose programs take their turns so
// (ChooseOccupancy.cpp), whose addresses and masks are made of the program's number, arguments and
// ranges alone, and for loads that every program comes to, so that no address is touched that
// would not be anyway.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/AccessWidth.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Target/GPU/GPUModel.h"
#include "tritium/Target/GPU/Strategy.h"

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
  return isa<arith::ConstantOp, tt::MakeRangeOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp,
             tt::TransOp, tt::ReshapeOp, tt::AddPtrOp, ConvertLayoutOp, arith::AddIOp,
             arith::SubIOp, arith::MulIOp, arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp, arith::CmpIOp>(op) &&
         depth && llvm::all_of(op->getOperands(), [&](Value x) {
           return isOfProgram(x, usesFirstAxis, depth - 1);
         });
}

bool isWorth(tt::LoadOp load, const AxisInfoAnalysis &axes) {
  Value ptr = load.getPtr(), mask = load.getMask();
  if (!tt::isTile(ptr.getType()) || load.getIsVolatile() || !isInEveryProgram(load))
    return false;
  bool reduces =
      load->getBlock()->walk([](tt::ReduceOp) { return WalkResult::interrupt(); }).wasInterrupted();
  TileLayout layout = layoutOf(cast<RankedTensorType>(ptr.getType()));
  bool isOther = false;
  return reduces && !layout.hasPadding() && isOfProgram(ptr, isOther) &&
         (!mask || isOfProgram(mask, isOther)) && isOther &&
         accessRuns(ptr, mask, layout, axes, Crossing::Anywhere).runs.width * pointeeBytes(ptr) >=
             strategy::kLeastPrefetchBytes;
}

struct PrefetchNextProgramsPass : impl::PrefetchNextProgramsBase<PrefetchNextProgramsPass> {
  using PrefetchNextProgramsBase::PrefetchNextProgramsBase;

  void runOnOperation() override {
    if (failed(checkLayouts(getOperation())))
      return signalPassFailure();
    const GPUModel &gpu = gpuModel(getOperation());
    for (auto func : getOperation().getOps<tt::FuncOp>()) {
      auto programs = func->getAttrOfType<IntegerAttr>(kProgramsAtOnce);
      if (!programs || programs.getInt() < 2 || !gpu.hasL2Prefetch)
        continue;
      AxisInfoAnalysis axes(func);
      auto distance =
          Builder(func).getI32IntegerAttr(programs.getInt() * int64_t(gpu.multiprocessors));
      func.walk([&](tt::LoadOp load) {
        if (isWorth(load, axes))
          load->setAttr(kPrefetchFor, distance);
      });
    }
  }
};
} // namespace

} // namespace tritium::ttg
