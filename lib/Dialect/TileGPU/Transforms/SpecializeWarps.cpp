//===- SpecializeWarps.cpp - ttg-specialize-warps -------------------------===//
//
//   scf.for %k = .. iter_args(%acc = %c0) {
//     %a = ttng.load_box %p[%i, %k]  {stage 0, ttg.async_copy = #panels}
//     %b = ttng.load_box %q[%k, %j]  {stage 0, ttg.async_copy = #panels}
//     %d = tt.dot %a, %b, %acc
//     scf.yield %d
//   } {ttg.stages = 4}
//   the rest
//
// becomes
//
//   rings of buffers; of each buffer a barrier %full of one arrival and the copies' bytes, and a
//   barrier %empty of an arrival of each warp that computes
//   ttg.warp_groups "compute" warps 8 {
//     scf.for %k = .. iter_args(%acc = %c0, %slot = 0, %phase = 0) {
//       ttng.mbarrier_wait %full[%slot], %phase
//       %d = tt.dot ring_a[%slot], ring_b[%slot], %acc
//       ttng.mbarrier_arrive %empty[%slot], 8 releases(ring_a[%slot], ring_b[%slot])
//       scf.yield %d, the next slot and its phase
//     }
//     the rest
//   } "load" warps 1 {
//     scf.for %k = .. iter_args(%slot = 0, %phase = 0) {
//       ttng.mbarrier_wait %empty[%slot], 1 - %phase
//       ttng.mbarrier_expect %full[%slot], bytes
//       ttng.tma_load %p[%i, %k], ring_a[%slot], %full[%slot]
//       ttng.tma_load %q[%k, %j], ring_b[%slot], %full[%slot]
//       scf.yield the next slot and its phase
//     }
//   }
//
// The group that loads runs ahead as far as there are buffers: over the ends of loops, and of tiles
// of a loop over tiles, too. Nothing makes all warps of the program meet meanwhile. Copies that
// different dots read have barriers of their own (a part), so that the first dot need not wait
// for what the second one reads. Loops that copy the same kinds of tiles share their buffers.
//
// Neither group waits in vain: both go through the same loops, whose bounds are the same numbers,
// and take the same buffers in the same order; the one that loads waits for a buffer only when all
// others of its ring are on their way, or have arrived.
//
// A copy is started before what the kernel does in front of it. That it does not see its stores is
// known (ttng-load-boxes); where others may see that order, by atomics, say, nothing changes. What
// addresses, bounds and branches depend on the group that loads computes again; what stands in
// front of all that is computed once, for both.
//
//===----------------------------------------------------------------------===//

#include "WarpSpecializer.h"
#include "tritium/Dialect/TileGPU/Transforms/SpecializationChoice.h"

#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Support/EmitRemark.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_SPECIALIZEWARPS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
struct SpecializeWarpsPass : impl::SpecializeWarpsBase<SpecializeWarpsPass> {
  using SpecializeWarpsBase::SpecializeWarpsBase;

  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>())
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<tt::FuncOp>()) {
      if (kernel.isExternal() || !kernel.isKernel())
        continue;
      specialize(kernel);
      kernel.walk([](scf::ForOp loop) { loop->removeAttr(kWarpSpecialize); });
    }
  }

private:
  void specialize(tt::FuncOp kernel) {
    Operation *asked = loopToSpecialize(kernel, mode);
    SmallVector<scf::ForOp> loops = loopsOfBoxes(kernel);
    if (mode == "never" || (!asked && !llvm::any_of(loops, paysToSpecialize)))
      return;
    auto missed = [&](Operation *op, const Twine &reason) {
      remarkMissed(op->getLoc(), "warp-specialization",
                   "the warps that compute start the loop's copies themselves: " + reason);
    };
    if (loops.empty())
      return missed(asked, "no loop of the kernel has copies by TMA alone");
    WarpSpecializer specializer(kernel, loops);
    if (failed(specializer.read()))
      return signalPassFailure();
    if (std::string reason = specializer.reasonAgainst(); !reason.empty())
      return missed(asked ? asked : loops.front(), reason);
    for (scf::ForOp loop : loops)
      remarkApplied(loop.getLoc(), "warp-specialization",
                    "a warp of its own starts the loop's copies");
    specializer.run();
  }
};
} // namespace

} // namespace tritium::ttg
