//===- PackPrograms.cpp - ttg-pack-programs -------------------------------===//
//
//   module {
//     tt.func @kernel(..) {
//       %x = tt.load %p : tensor<128x!tt.ptr<f32>>
//       %m = tt.reduce %x ..
//
// becomes
//
//   module attributes {"ttg.num-warps" = 1 : i32} {
//     tt.func @kernel(..) attributes {ttg.programs_per_cta = 8 : i32} {
//
// A program that reduces a short row has less to do than it takes to start a CTA, and where several
// warps share the row, they wait for each other in shared memory. So one warp does the program, and
// a CTA has several programs. ttg-persist-programs makes the loop over programs that each of its
// warps runs, and the lowering puts the warps side by side: nothing in the kernel may be for all
// threads of a CTA, so that programs must not depend on each other.
//
// It runs on tiles without layouts, which are made for as many warps as it says.
//
//===----------------------------------------------------------------------===//

#include "ProgramDependence.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Support/EmitRemark.h"
#include "tritium/Target/GPU/Strategy.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_PACKPROGRAMS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// What a program does, if that is one row, reduced, scanned or counted: no loops, no products.
struct ShortProgram {
  bool isShort = false;
  int64_t bytes = 0; ///< the most that a load or store moves
};

ShortProgram look(tt::FuncOp kernel) {
  bool reduces = false, isLong = false;
  int64_t bytes = 0;
  auto look = [&](Type type) {
    if (auto tile = dyn_cast<RankedTensorType>(type))
      isLong |= tile.getNumElements() > strategy::kMostPackedElements;
  };
  auto lookAtMoved = [&](Type type) {
    if (auto tile = dyn_cast<RankedTensorType>(type))
      bytes =
          std::max<int64_t>(bytes, tile.getNumElements() * tt::scalarBytes(tile.getElementType()));
  };
  kernel.walk([&](Operation *op) {
    llvm::for_each(op->getOperandTypes(), look);
    llvm::for_each(op->getResultTypes(), look);
    if (auto load = dyn_cast<tt::LoadOp>(op))
      lookAtMoved(load.getType());
    if (auto store = dyn_cast<tt::StoreOp>(op))
      lookAtMoved(store.getValue().getType());
    isLong |= isa<tt::DotOp, LoopLikeOpInterface>(op);
    reduces |= isa<tt::ReduceOp, tt::ScanOp, tt::HistogramOp>(op);
  });
  return {reduces && !isLong && bytes <= strategy::kMostPackedBytes, bytes};
}

struct PackProgramsPass : impl::PackProgramsBase<PackProgramsPass> {
  using PackProgramsBase::PackProgramsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // The number of warps is the module's.
    if (!llvm::hasSingleElement(module.getOps<tt::FuncOp>()))
      return;
    tt::FuncOp kernel = *module.getOps<tt::FuncOp>().begin();
    if (kernel.isExternal() || !kernel.isKernel())
      return;
    ShortProgram program = look(kernel);
    if (!program.isShort)
      return;
    if (Operation *op = findDependence(kernel))
      return remarkMissed(op->getLoc(), "pack-programs",
                          "a CTA has one short program, not several: this may depend on other "
                          "programs, or on which CTA it is");
    Builder b(&getContext());
    module->setAttr(kNumWarps, b.getI32IntegerAttr(1));
    kernel->setAttr(kProgramsPerCTA, b.getI32IntegerAttr(strategy::kProgramsOfPackedCTA));
    int64_t rounds = strategy::kLeastBytesOfWarp / std::max<int64_t>(program.bytes, 1);
    constexpr int64_t mostRounds = 8;
    if (rounds > 1)
      kernel->setAttr(kProgramsPerWarp, b.getI32IntegerAttr(std::min(rounds, mostRounds)));
    remarkApplied(kernel.getLoc(), "pack-programs",
                  Twine("the row of a program is short: one warp does it, and a CTA has ") +
                      Twine(strategy::kProgramsOfPackedCTA) + " programs at a time");
  }
};
} // namespace

} // namespace tritium::ttg
