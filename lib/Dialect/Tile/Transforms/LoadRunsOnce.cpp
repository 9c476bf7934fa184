//===- LoadRunsOnce.cpp - tt-load-runs-once -------------------------------===//
//
// Eight weights of four bits lie in a word, and their kernel loads the word for each of them:
//
//   %k = tt.make_range {start = 0, end = 64}
//   %r = arith.divsi %k, %c8
//   %p = .. base + %r * stride + columns             // each row of pointers eight times
//   scf.for .. {
//     %x = tt.load %p : tensor<64x128x!tt.ptr<i32>>
//     .. tt.dot .. of (%x >> shift) & 15
//   }
//
// becomes
//
//   %k = arith.muli (tt.make_range {start = 0, end = 8}), %c8
//   %p = ..                                          // each row once
//   scf.for .. {
//     %y = tt.load %p : tensor<8x128x!tt.ptr<i32>>
//     %x = tt.reshape (tt.broadcast (tt.expand_dims %y)) : tensor<64x128xi32>
//
// so that an eighth of it moves and lies in shared memory. What the pointers are computed from is
// computed again, of every eighth element. It runs for loads of loops from which operands of dots
// are computed, which are copied to shared memory ahead; what is loaded into registers is loaded
// once by each thread anyway (Memory.cpp).
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/AxisInfo.h"
#include "tritium/Dialect/Tile/IR/DotUse.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_LOADRUNSONCE
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
/// Along dimension `dim` of a tile, which may be another one of what it is computed from, elements
/// in runs of `length` are the same.
struct Run {
  unsigned dim;
  int64_t length;
};

/// `op` of the first elements, of which what hints say of neighbours is not true.
Value ofFirsts(OpBuilder &b, Operation *op, ValueRange operands, Type type) {
  OperationState state(op->getLoc(), op->getName(), operands, type, op->getAttrs());
  Operation *made = b.create(state);
  for (StringRef hint : {"tt.contiguity", "tt.constancy", "tt.divisibility"})
    made->removeAttr(hint);
  return made->getResult(0);
}

RankedTensorType typeOf(Value tile) { return cast<RankedTensorType>(tile.getType()); }

SmallVector<int64_t> shapeOfFirst(Value tile, Run run) {
  SmallVector<int64_t> shape(typeOf(tile).getShape());
  shape[run.dim] /= run.length;
  return shape;
}

/// Computes the first element of each run of a tile, without the others.
class FirstOfRuns {
public:
  /// Whether `value` is made of nothing but what can be computed for some elements alone.
  bool isKnown(Value value, Run run) {
    if (!isTile(value.getType()) || !looked.insert({value, run.dim}).second)
      return true; // or the answer is no, where it was looked at first
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions())
      return false;
    if (matchPattern(op, m_Constant()))
      return isSplat(op);
    if (isa<MakeRangeOp, SplatOp>(op))
      return true;
    if (auto expand = dyn_cast<ExpandDimsOp>(op))
      return isKnown(expand.getSrc(), behind(expand, run));
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      return isWhole(broadcast, run) || isKnown(broadcast.getSrc(), run);
    return isElementwise(op) && isMemoryEffectFree(op) && op->getNumResults() == 1 &&
           llvm::all_of(op->getOperands(), [&](Value x) { return isKnown(x, run); });
  }

  /// Stands behind what it is computed from.
  Value make(Value value, Run run) {
    if (!isTile(value.getType()))
      return value;
    Value &made = known[{value, run.dim}];
    if (made)
      return made;
    Value first = create(value.getDefiningOp(), run);
    return known[{value, run.dim}] = first;
  }

private:
  static bool isSplat(Operation *op) {
    DenseElementsAttr elements;
    return matchPattern(op, m_Constant(&elements)) && elements.isSplat();
  }

  static Run behind(ExpandDimsOp expand, Run run) {
    return {run.dim - (uint32_t(expand.getAxis()) < run.dim), run.length};
  }

  /// The source has one element along the dimension.
  static bool isWhole(BroadcastOp broadcast, Run run) {
    return typeOf(broadcast.getSrc()).getDimSize(run.dim) == 1;
  }

  Value create(Operation *op, Run run) {
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    Location loc = op->getLoc();
    Value tile = op->getResult(0);
    auto type = RankedTensorType::get(shapeOfFirst(tile, run), typeOf(tile).getElementType());
    DenseElementsAttr elements;
    if (matchPattern(op, m_Constant(&elements)))
      return b.create<arith::ConstantOp>(
          loc, DenseElementsAttr::get(type, elements.getSplatValue<Attribute>()));
    if (auto splat = dyn_cast<SplatOp>(op))
      return b.create<SplatOp>(loc, type, splat.getSrc());
    if (auto range = dyn_cast<MakeRangeOp>(op))
      return steps(b, loc, type, int32_t(range.getStart()), run.length);
    if (Value quotient = createQuotient(b, op, type, run))
      return quotient;
    if (auto expand = dyn_cast<ExpandDimsOp>(op))
      return b.create<ExpandDimsOp>(loc, type, make(expand.getSrc(), behind(expand, run)),
                                    expand.getAxis());
    if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      Value source =
          isWhole(broadcast, run) ? Value(broadcast.getSrc()) : make(broadcast.getSrc(), run);
      return b.create<BroadcastOp>(loc, type, source);
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(make(operand, run));
    return ofFirsts(b, op, operands, type);
  }

  /// start + i * step, which is what a range has, or less, and does not wrap.
  static Value steps(OpBuilder &b, Location loc, RankedTensorType type, int64_t start,
                     int64_t step) {
    auto flags = arith::IntegerOverflowFlags::nsw;
    auto number = [&](int64_t x) {
      return b.create<arith::ConstantOp>(
          loc, DenseElementsAttr::get(type, b.getI32IntegerAttr(static_cast<int32_t>(x))));
    };
    Value result = b.create<MakeRangeOp>(loc, type, 0, type.getDimSize(0));
    if (step != 1)
      result = b.create<arith::MulIOp>(loc, result, number(step), flags);
    return start == 0 ? result : b.create<arith::AddIOp>(loc, result, number(start), flags);
  }

  /// A range divided by what divides all that is left of it, of which it is known then that
  /// neighbours follow one another; null if it is something else.
  static Value createQuotient(OpBuilder &b, Operation *op, RankedTensorType type, Run run) {
    auto division = dyn_cast<arith::DivSIOp>(op);
    auto range = division ? division.getLhs().getDefiningOp<MakeRangeOp>() : MakeRangeOp();
    APInt divisor;
    if (!range || !matchPattern(division.getRhs(), m_ConstantInt(&divisor)) ||
        !divisor.isStrictlyPositive())
      return {};
    int64_t by = divisor.getSExtValue(), start = int32_t(range.getStart());
    if (run.length % by || start % by)
      return {};
    return steps(b, op->getLoc(), type, start / by, run.length / by);
  }

  llvm::DenseSet<std::pair<Value, unsigned>> looked;
  llvm::DenseMap<std::pair<Value, unsigned>, Value> known;
};

/// Operands of dots are computed from it: what a dot takes as it is, it reads in place.
bool isWanted(LoadOp load) {
  return isTile(load.getPtr().getType()) && isa<scf::ForOp>(load->getParentOp()) &&
         !load.getIsVolatile() && llvm::all_of(load->getUsers(), isElementwise) && reachesDot(load);
}

/// The runs of one address under one mask, of each dimension that has some.
SmallVector<Run> runsOf(LoadOp load, const AxisInfoAnalysis &axes) {
  SmallVector<Run> runs;
  for (auto [dim, extent] : llvm::enumerate(shapeOf(load.getType()))) {
    int64_t length = extent;
    for (Value operand : load->getOperands())
      length = std::gcd(length, axes.get(operand).constancy[dim]);
    if (length > 1)
      runs.push_back({static_cast<unsigned>(dim), length});
  }
  return runs;
}

/// A tile of which `first` has the first element of each run.
Value repeat(OpBuilder &b, Location loc, Value first, Run run, RankedTensorType type) {
  if (type.getDimSize(run.dim) == run.length)
    return b.create<BroadcastOp>(loc, type, first);
  SmallVector<int64_t> shape(typeOf(first).getShape());
  auto ofShape = [&] { return RankedTensorType::get(shape, type.getElementType()); };
  shape.insert(shape.begin() + run.dim + 1, 1);
  Value wide = b.create<ExpandDimsOp>(loc, ofShape(), first, run.dim + 1);
  shape[run.dim + 1] = run.length;
  wide = b.create<BroadcastOp>(loc, ofShape(), wide);
  return b.create<ReshapeOp>(loc, type, wide);
}

/// The load of first elements; null, and nothing has changed, if they cannot be told apart.
LoadOp loadOnce(LoadOp load, Run run) {
  FirstOfRuns first;
  if (!llvm::all_of(load->getOperands(), [&](Value x) { return first.isKnown(x, run); }))
    return {};
  OpBuilder b(load);
  auto wide = typeOf(load.getResult());
  SmallVector<Value> operands;
  for (Value operand : load->getOperands())
    operands.push_back(first.make(operand, run));
  auto type = RankedTensorType::get(shapeOfFirst(load.getResult(), run), wide.getElementType());
  b.setInsertionPoint(load);
  Value tile = ofFirsts(b, load, operands, type);
  load.replaceAllUsesWith(repeat(b, load.getLoc(), tile, run, wide));
  load.erase();
  return tile.getDefiningOp<LoadOp>();
}

struct LoadRunsOncePass : impl::LoadRunsOnceBase<LoadRunsOncePass> {
  void runOnOperation() override {
    getOperation()->walk([](FuncOp func) {
      if (func.isExternal())
        return;
      SmallVector<LoadOp> loads;
      func.walk([&](LoadOp load) {
        if (isWanted(load))
          loads.push_back(load);
      });
      if (loads.empty())
        return;
      AxisInfoAnalysis axes(func);
      SmallVector<std::pair<LoadOp, SmallVector<Run>>> runs;
      for (LoadOp load : loads)
        runs.emplace_back(load, runsOf(load, axes));
      // Along one dimension after the other: runs along one are none along another.
      for (auto [load, all] : runs)
        for (Run run : all)
          if (LoadOp once = loadOnce(load, run))
            load = once;
    });
  }
};
} // namespace

} // namespace tritium::tt
