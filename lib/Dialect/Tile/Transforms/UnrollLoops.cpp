//===- UnrollLoops.cpp - tt-unroll-loops ----------------------------------===//
//
// A short loop whose trip count is known becomes its iterations, one after the other:
//
//   scf.for %t = 0 to 8 { body of %t }      ->      body of 0; body of 1; ... body of 7
//
// Masks that can only be false in the last of them then vanish from the others
// (tt-fold-ranges). Loops with products stay, because a pipeline is worth more to them, and
// so do those with loops or branches inside, which asked for stages, or which are long: the
// code grows with the trip count.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_UNROLLLOOPS
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
constexpr int64_t kMaxTrips = 16, kMaxOperations = 320;

/// The trip count, if the loop is to be unrolled.
std::optional<int64_t> tripsToUnroll(scf::ForOp loop) {
  APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isStrictlyPositive() ||
      lower.getBitWidth() > 64 || loop->hasAttr("tt.num_stages"))
    return std::nullopt;
  int64_t begin = lower.getSExtValue(), end = upper.getSExtValue(), by = step.getSExtValue();
  if (end > begin && (uint64_t(end) - uint64_t(begin) - 1) / by >= kMaxTrips)
    return std::nullopt;
  int64_t trips = end > begin ? (end - begin - 1) / by + 1 : 0, operations = 0;
  for (Operation &op : *loop.getBody()) {
    if (isa<DotOp>(op) || (op.getNumRegions() && !isa<Combining>(op)))
      return std::nullopt;
    ++operations;
  }
  if (trips * operations > kMaxOperations)
    return std::nullopt;
  return trips;
}

void unroll(scf::ForOp loop, int64_t trips) {
  OpBuilder b(loop);
  APInt lower, step;
  matchPattern(loop.getLowerBound(), m_ConstantInt(&lower));
  matchPattern(loop.getStep(), m_ConstantInt(&step));
  Type type = loop.getInductionVar().getType();
  SmallVector<Value> carried(loop.getInitArgs());
  for (int64_t trip = 0; trip < trips; ++trip) {
    IRMapping mapping;
    int64_t index = lower.getSExtValue() + trip * step.getSExtValue();
    mapping.map(loop.getInductionVar(),
                b.create<arith::ConstantOp>(loop.getLoc(), b.getIntegerAttr(type, index)));
    mapping.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator())
      b.clone(op, mapping);
    for (auto [value, yielded] : llvm::zip(carried, loop.getYieldedValues()))
      value = mapping.lookupOrDefault(yielded);
  }
  loop.replaceAllUsesWith(carried);
  loop.erase();
}

struct UnrollLoopsPass : impl::UnrollLoopsBase<UnrollLoopsPass> {
  void runOnOperation() override {
    // Inner loops first: what was around one may be short now.
    getOperation()->walk([](scf::ForOp loop) {
      if (std::optional<int64_t> trips = tripsToUnroll(loop))
        unroll(loop, *trips);
    });
  }
};
} // namespace

} // namespace tritium::tt
