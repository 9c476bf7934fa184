//===- SpreadPrograms.cpp - ttg-spread-programs ---------------------------===//
//
//   module {
//     tt.func @kernel(..) {
//       %r = tt.make_range {end = 65536}
//       %x = tt.load %p + %r : tensor<65536x!tt.ptr<f32>>
//       %m = tt.reduce %x ..
//
// becomes
//
//   module attributes {"ttg.num-ctas" = 8 : i32, "ttg.num-warps" = 4 : i32} {
//     tt.func @kernel(..) {
//       %rank = ttng.cluster_rank
//       %r = tt.make_range {end = 8192} + %rank * 8192
//       %x = tt.load %p + %r : tensor<8192x!tt.ptr<f32>>
//       %own = tt.reduce %x ..
//       %all = ttng.cluster_gather %own : f32 -> tensor<8xf32>
//       %m = tt.reduce %all ..
//
// A CTA that has a row of 65536 elements fills the registers of a multiprocessor: while it loads
// nobody computes, and while it computes nobody loads. Slices of the row in the CTAs of a cluster,
// which exchange what their reductions find, leave room for CTAs of other programs beside them.
//
// It runs on tiles without layouts, which are made for as many warps as it says, and before a
// kernel is in versions.
//
//===----------------------------------------------------------------------===//

#include "RowSlices.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"
#include "tritium/Support/EmitRemark.h"
#include "tritium/Target/GPU/Strategy.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_SPREADPROGRAMS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// Of a kernel: the longest dimension that is reduced, and what the largest tile has that is as
/// long along one.
struct Row {
  int64_t extent = 0, elements = 0;
};

Row findRow(tt::FuncOp kernel) {
  Row row;
  kernel.walk([&](tt::ReduceOp reduce) {
    row.extent = std::max(row.extent, tt::shapeOf(reduce.getSrcs()[0].getType())[reduce.getAxis()]);
  });
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (auto tile = dyn_cast<RankedTensorType>(result.getType());
          tile && llvm::is_contained(tile.getShape(), row.extent))
        row.elements = std::max(row.elements, tile.getNumElements());
  });
  return row;
}

struct SpreadProgramsPass : impl::SpreadProgramsBase<SpreadProgramsPass> {
  using SpreadProgramsBase::SpreadProgramsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // The numbers of CTAs and warps are the module's.
    if (ctas == 1 || !llvm::hasSingleElement(module.getOps<tt::FuncOp>()))
      return;
    tt::FuncOp kernel = *module.getOps<tt::FuncOp>().begin();
    if (kernel.isExternal() || !kernel.isKernel())
      return;
    Row row = findRow(kernel);
    int64_t chosen = ctas ? int64_t(ctas) : chooseCTAs(row);
    if (chosen == 1)
      return;
    if (std::string why = whyNot(row, chosen); !why.empty())
      return stay(kernel.getLoc(), chosen, why);
    if (RowObstacle obstacle = findObstacle(kernel, row.extent); obstacle.op)
      return stay(obstacle.op->getLoc(), chosen, obstacle.why);
    if (Operation *op = findUnordered(kernel, row.extent, mayAlias))
      return stay(
          op->getLoc(), chosen,
          "this may access what the program has accessed before at another place of the row");
    Builder b(&getContext());
    if (findUnordered(kernel, row.extent, /*mayAlias=*/true))
      kernel->setAttr(kOvertakes, b.getUnitAttr());
    sliceRows(kernel, row.extent, chosen);
    int64_t warps = ctas ? int64_t(this->warps) : chooseWarps(row.elements / chosen, chosen);
    module->setAttr(kNumCTAs, b.getI32IntegerAttr(chosen));
    module->setAttr(kNumWarps, b.getI32IntegerAttr(warps));
    remarkApplied(kernel.getLoc(), "spread-programs",
                  "rows of " + Twine(row.extent) + " elements: a program is a cluster of " +
                      Twine(chosen) + " CTAs, each with " + Twine(row.extent / chosen) +
                      " of them and " + Twine(warps) + " warps");
  }

private:
  /// 1: a CTA has room for the row, or for what it does beside it.
  static int64_t chooseCTAs(const Row &row) {
    if (row.extent == 0 || row.elements <= strategy::kMostElementsOfCTA)
      return 1;
    int64_t needed = llvm::divideCeil(row.elements, strategy::kElementsOfClusterCTA);
    return std::min<int64_t>(llvm::PowerOf2Ceil(needed), strategy::kMostCTAsOfCluster);
  }

  int64_t chooseWarps(int64_t elements, int64_t chosen) const {
    int64_t least = llvm::divideCeil(elements, kLanesPerWarp * strategy::kElementsOfClusterLane);
    return std::clamp<int64_t>(llvm::PowerOf2Ceil(least), std::max<int64_t>(warps / chosen, 1), 32);
  }

  std::string whyNot(const Row &row, int64_t chosen) const {
    if (row.extent == 0)
      return "nothing is reduced";
    if (persistent)
      return "CTAs loop over programs; leave persistent=True out";
    if (chosen > strategy::kMostCTAsOfCluster)
      return "GPUs have clusters of at most " + std::to_string(strategy::kMostCTAsOfCluster);
    if (row.extent % (chosen * kLanesPerWarp) != 0)
      return "a row of " + std::to_string(row.extent) +
             " elements is too short, or cannot be divided";
    return "";
  }

  void stay(Location loc, int64_t chosen, const Twine &why) const {
    remarkMissed(loc, "spread-programs",
                 Twine("a program runs on one CTA, not on a cluster of ") + Twine(chosen) + ": " +
                     why);
  }
};
} // namespace

} // namespace tritium::ttg
