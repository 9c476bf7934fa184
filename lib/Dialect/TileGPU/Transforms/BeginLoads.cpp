//===- BeginLoads.cpp - ttg-begin-loads -----------------------------------===//
//
//   %a = tt.load %p
//   %b = tt.load %q
//   %s = math.exp2 %a
//
// becomes
//
//   %a = tt.load %p
//   %b = tt.load %q {ttg.begins_behind = 1}
//   %s = math.exp2 %a
//
// ptxas saves registers by loading late: it puts the load of %b, and further parts of %a, behind
// what is computed of the first part. Where a warp does that once, and not in a loop, it waits for
// memory several times, one after the other. Here all loads begin first (Memory.cpp says how), as
// far as their tiles fit into registers beside what is computed. Only where something takes long
// to compute of them without a reduction, which would need all of a tile anyway; and in loops that
// add up what they load, which wait in each iteration.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/TileGPU/IR/BeginLoads.h"
#include "tritium/Analysis/AccessWidth.h"
#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Target/GPU/Strategy.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_BEGINLOADS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
bool isTileLoad(Operation &op) {
  auto load = dyn_cast<tt::LoadOp>(op);
  return load && !load.getIsVolatile() && tt::isTile(load.getType());
}

/// Neither writes to memory nor waits for who does.
bool isPlain(Operation &op) { return isMemoryEffectFree(&op) || isTileLoad(op); }

/// Takes long for each element: of several instructions, or by a unit of its own.
bool takesLong(Operation &op) {
  return (isa<math::MathDialect>(op.getDialect()) && !isa<math::FmaOp>(op)) ||
         isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
}

/// Whether something that takes long is computed of `loads` element by element, and does not wait
/// for a whole tile.
bool isComputed(ArrayRef<tt::LoadOp> loads) {
  llvm::SmallPtrSet<Operation *, 16> early, late;
  for (tt::LoadOp load : loads)
    early.insert(load);
  tt::LoadOp first = loads.front();
  for (Operation *op = first; op; op = op->getNextNode()) {
    auto isOf = [&](llvm::SmallPtrSetImpl<Operation *> &set) {
      return llvm::any_of(op->getOperands(),
                          [&](Value operand) { return set.contains(operand.getDefiningOp()); });
    };
    if (isa<tt::Combining, tt::DotOp, tt::HistogramOp>(op) || isOf(late)) {
      late.insert(op);
    } else if (tt::isElementwise(op) && isOf(early)) {
      if (takesLong(*op))
        return true;
      early.insert(op);
    }
  }
  return false;
}

/// The loop whose body this is adds up what it loads, element by element: without dots, whose
/// operands have stages, and without reductions, which wait for all of a tile.
bool sumsUp(Block &body) {
  return llvm::none_of(body,
                       [](Operation &op) {
                         auto type = op.getNumResults()
                                         ? dyn_cast<RankedTensorType>(op.getResult(0).getType())
                                         : RankedTensorType();
                         return isa<tt::Combining, tt::DotOp, tt::HistogramOp>(op) ||
                                (type && isa_and_nonnull<MmaEncodingAttr>(type.getEncoding()));
                       }) &&
         llvm::any_of(body.getArgumentTypes(), tt::isTile);
}

/// Of a thread.
int64_t bytesOf(tt::LoadOp load) { return 4 * wordsOf(cast<RankedTensorType>(load.getType())); }

void begin(ArrayRef<tt::LoadOp> loads, bool isOfLoop) {
  int64_t bytes = 0;
  for (tt::LoadOp load : loads)
    bytes += bytesOf(load);
  if (bytes <= kMaxVectorBytes || bytes > strategy::kMostBytesBegun ||
      (!isOfLoop && !isComputed(loads)))
    return;
  tt::LoadOp last = loads.back();
  last->setAttr(kBeginsBehind, Builder(last).getI32IntegerAttr(loads.size() - 1));
}

struct BeginLoadsPass : impl::BeginLoadsBase<BeginLoadsPass> {
  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>() || failed(checkNothingSkipped(getOperation())))
      return signalPassFailure();
    getOperation().walk([](Block *block) {
      Operation *parent = block->getParentOp();
      bool isOfLoop = isa<LoopLikeOpInterface>(parent);
      if (isOfLoop ? !sumsUp(*block) : bool(parent->getParentOfType<LoopLikeOpInterface>()))
        return;
      SmallVector<tt::LoadOp> loads;
      for (Operation &op : *block) {
        if (isTileLoad(op))
          loads.push_back(cast<tt::LoadOp>(op));
        bool isLast = &op == &block->back();
        if ((isPlain(op) && !isLast) || loads.empty())
          continue;
        begin(loads, isOfLoop);
        loads.clear();
      }
    });
  }
};
} // namespace

} // namespace tritium::ttg
