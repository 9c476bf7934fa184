//===- Prefetch.cpp - ttg-prefetch ----------------------------------===//
//
//   scf.for .. iter_args(%acc, .., %slot) {
//     ttg.async_wait {num = 1}
//     copies for a later iteration start
//     %a = ttg.local_load ring_a[%slot]
//     %b = ttg.local_load ring_b[%slot]
//     %d = tt.dot %a, %b, %acc
//   }
//
// becomes, for two steps of k,
//
//   ttg.async_wait {num = 1}
//   %a0, %b0 = ttg.local_load ring[%slot0] {offsets = first step of k}
//   scf.for .. iter_args(%acc, .., %slot, %a = %a0, %b = %b0) {
//     copies for a later iteration start
//     %a1, %b1 = ttg.local_load ring[%slot] {offsets = second step}
//     %d0 = tt.dot %a, %b, %acc
//     ttg.async_wait {num = 1}
//     %a2, %b2 = ttg.local_load ring[%slot + 1] {offsets = first step}
//     %d1 = tt.dot %a1, %b1, %d0
//   }
//
// so that tensor cores always have operands in registers: those of a step come from shared
// memory while the step before is multiplied, across the iterations' only barrier too. It still
// stands between the last reads of a buffer and the copy that overwrites it in the next iteration.
//
// Only loops that the pipeliner has made, with one dot on tensor cores whose operands both come
// from its buffers. It runs right behind the pipeliner. What the last iteration loads for one
// more is not used; the buffers behind the end hold zeros.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_PREFETCH
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
class LoopPrefetcher {
public:
  explicit LoopPrefetcher(scf::ForOp loop) : loop(loop) {}

  bool run() {
    if (!match())
      return false;
    rewrite();
    return true;
  }

private:
  struct Operand {
    LocalLoadOp load;
    MemDescIndexOp index;
    SmallVector<MemDescTransOp> views; ///< between the two, the innermost last
    unsigned k;                        ///< the dimension along k
  };

  bool match() {
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (auto found = dyn_cast<AsyncWaitOp>(&op)) {
        if (wait)
          return false;
        wait = found;
      } else if (auto found = dyn_cast<tt::DotOp>(&op)) {
        if (dot)
          return false;
        dot = found;
      }
    }
    if (!wait || !dot || dot.getType().getRank() != 2)
      return false;
    auto fragments = mmaFragmentsFor(dot);
    auto mma = dyn_cast<MmaEncodingAttr>(dot.getType().getEncoding());
    if (!fragments || !mma || mma.getVersion() != 2)
      return false;
    step = fragments->k;
    steps = dot.getA().getType().getDimSize(1) / step;
    return matchOperand(dot.getA(), 1) && matchOperand(dot.getB(), 0) &&
           operands[0].index.getIndex() == operands[1].index.getIndex() && matchSlot();
  }

  bool matchOperand(Value value, unsigned k) {
    Operand operand;
    operand.k = k;
    operand.load = value.getDefiningOp<LocalLoadOp>();
    if (!operand.load || !operand.load->hasOneUse() || operand.load->getBlock() != loop.getBody() ||
        operand.load.getOffsets())
      return false;
    Value memory = operand.load.getSrc();
    while (auto trans = memory.getDefiningOp<MemDescTransOp>()) {
      operand.views.insert(operand.views.begin(), trans);
      memory = trans.getSrc();
    }
    operand.index = memory.getDefiningOp<MemDescIndexOp>();
    if (!operand.index || operand.index.getAhead() != 0u ||
        !loop.isDefinedOutsideOfLoop(operand.index.getSrc()))
      return false;
    operands.push_back(operand);
    return true;
  }

  /// The buffer of the next iteration is known from arithmetic on this one's number.
  bool matchSlot() {
    slot = dyn_cast<BlockArgument>(operands[0].index.getIndex());
    if (!slot || slot.getOwner() != loop.getBody() || slot.getArgNumber() == 0)
      return false;
    nextSlot = loop.getYieldedValues()[slot.getArgNumber() - 1];
    BackwardSliceOptions options;
    options.inclusive = true;
    options.filter = [&](Operation *op) { return op->getBlock() == loop.getBody(); };
    getBackwardSlice(nextSlot, &slotOps, options);
    return llvm::all_of(slotOps, [](Operation *op) { return isMemoryEffectFree(op); });
  }

  /// One step of an operand from buffer `index`.
  Value loadStep(OpBuilder &b, Operand operand, Value index, int64_t which, int ahead) {
    Location loc = operand.load.getLoc();
    Value memory = b.create<MemDescIndexOp>(loc, operand.index.getSrc(), index, ahead);
    for (MemDescTransOp view : operand.views)
      memory = b.create<MemDescTransOp>(loc, view.getType(), memory, view.getOrderAttr());
    auto type = cast<RankedTensorType>(operand.load.getType());
    SmallVector<int64_t> shape(type.getShape()), offsets(2, 0);
    shape[operand.k] = step;
    offsets[operand.k] = which * step;
    return b.create<LocalLoadOp>(
        loc, RankedTensorType::get(shape, type.getElementType(), type.getEncoding()), memory,
        b.getDenseI64ArrayAttr(offsets));
  }

  void rewrite() {
    OpBuilder b(loop);
    b.create<AsyncWaitOp>(wait.getLoc(), wait.getNum());
    Value firstSlot = loop.getInitArgs()[slot.getArgNumber() - 1];
    SmallVector<Value> inits(loop.getInitArgs());
    for (const Operand &operand : operands)
      inits.push_back(loadStep(b, operand, firstSlot, 0, 0));
    auto fresh = b.create<scf::ForOp>(loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                      loop.getStep(), inits);
    fresh->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    Block *body = fresh.getBody();
    if (!body->empty())
      body->getTerminator()->erase();
    body->getOperations().splice(body->end(), loop.getBody()->getOperations());
    unsigned own = loop.getInitArgs().size();
    for (auto [old, arg] : llvm::zip(loop.getBody()->getArguments(), body->getArguments()))
      old.replaceAllUsesWith(arg);
    slot = body->getArgument(slot.getArgNumber());
    SetVector<Operation *> sorted = topologicalSort(slotOps);
    for (Operation *op : llvm::reverse(sorted))
      op->moveBefore(body, body->begin());

    b.setInsertionPoint(dot);
    Value current[2] = {fresh.getRegionIterArg(own), fresh.getRegionIterArg(own + 1)};
    Value sum = dot.getC();
    for (int64_t i = 0; i < steps; ++i) {
      bool isLast = i + 1 == steps;
      if (isLast)
        b.create<AsyncWaitOp>(wait.getLoc(), wait.getNum());
      Value next[2];
      for (auto [value, operand] : llvm::zip(next, operands))
        value = loadStep(b, operand, isLast ? nextSlot : slot, isLast ? 0 : i + 1, isLast);
      auto part = b.create<tt::DotOp>(dot.getLoc(), dot.getType(), current[0], current[1], sum,
                                      dot.getInputPrecision(), dot.getMaxNumImpreciseAcc(),
                                      dot.getIsUnsigned());
      part->setDiscardableAttrs(dot->getDiscardableAttrDictionary());
      sum = part;
      std::copy(next, next + 2, current);
    }
    dot.replaceAllUsesWith(sum);
    auto yield = cast<scf::YieldOp>(body->getTerminator());
    yield.getResultsMutable().append(ValueRange(current));
    dot.erase();
    wait.erase();
    for (Operand &operand : operands) {
      operand.load.erase();
      for (MemDescTransOp view : llvm::reverse(operand.views))
        if (view->use_empty())
          view.erase();
      if (operand.index->use_empty())
        operand.index.erase();
    }
    for (unsigned i = 0; i < own; ++i)
      loop.getResult(i).replaceAllUsesWith(fresh.getResult(i));
    loop.erase();
  }

  scf::ForOp loop;
  AsyncWaitOp wait;
  tt::DotOp dot;
  int64_t step = 0, steps = 0;
  SmallVector<Operand, 2> operands;
  BlockArgument slot;
  Value nextSlot;
  SetVector<Operation *> slotOps;
};

struct PrefetchPass : impl::PrefetchBase<PrefetchPass> {
  using PrefetchBase::PrefetchBase;

  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>())
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      LoopPrefetcher(loop).run();
  }
};
} // namespace

} // namespace tritium::ttg
