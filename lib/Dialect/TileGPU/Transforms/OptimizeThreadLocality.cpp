//===- OptimizeThreadLocality.cpp - ttg-optimize-thread-locality ----===//
//
//   %s = scf.for ... iter_args(%acc = %init) -> f32 {
//     %r = "tt.reduce"(%x) {add} : tensor<1024xf32, #blocked> -> f32
//     %t = arith.addf %acc, %r
//     scf.yield %t
//   }
//
// becomes
//
//   %tile = scf.for ... iter_args(%acc = dense<-0.0>) -> tensor<1024xf32, #blocked> {
//     %t = arith.addf %acc, %x
//     scf.yield %t
//   }
//   %r = "tt.reduce"(%tile) {add}
//   %s = arith.addf %init, %r
//
// An iteration adds in registers; shuffles and barriers come once, behind the loop. What a thread
// has of one of the results' elements it adds up first, so that the loop carries one register for
// it: tile and axis are reshaped so that those registers lie along dimensions of their own,
//
//   %y = tt.reshape %x : tensor<1024xf32, #blocked> -> tensor<256x4xf32, #linear>
//   %z = "tt.reduce"(%y) {axis = 1, add} : tensor<256x4xf32, #linear> -> tensor<256xf32, #slice>
//
// The
// reduction must be the accumulator's only use, of one operand, with the operation that
// combines them, which is associative and commutative because tt.reduce asks that. Padding
// of a tile stays padding, and a reduction leaves it out.
//
// A sum may be multiplied in each iteration before it is added to, as that of an online softmax is,
//
//   %t = math.fma %acc, %factor, %r     or     %u = arith.mulf %acc, %factor
//                                              %t = arith.addf %u, %r
//
// Then each thread multiplies what it has added up. The factor must be no more than one, and not
// negative, or not a number, so that it makes nothing infinite, nor NaN of a thread's zero.
//
// Maxima and others that may combine a value twice begin with the first value in all places, and
// nothing is combined behind the loop. (A constant that leaves all others as they are would do,
// but for floats it is NaN, which folding takes for a number: of NaN and -inf it makes NaN.)
//
// Reductions whose axis a thread holds alone stay, as do tiles of more registers than a
// thread can spare over the loop.
//
// It runs when layouts are settled, before loops are pipelined.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/Shares.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Target/GPU/Strategy.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_OPTIMIZETHREADLOCALITY
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
bool crossesThreads(RankedTensorType type, unsigned axis) {
  TileLayout layout = layoutOf(type);
  for (StringRef name : {StringRef(kLane), StringRef(kWarp)})
    for (uint64_t base : layout.core().bases(name))
      if (layout.core().unflatten(base)[axis])
        return true;
  return false;
}

/// The extents of runs of bits of a place along an axis, the highest first, that registers of a
/// thread differ in, or threads.
struct Run {
  int64_t extent;
  bool isOfRegisters;
};

/// Empty if a bit of a register's number stands for more than a bit of the place along the axis.
SmallVector<Run> runsAlong(RankedTensorType type, unsigned axis) {
  const TileLayout layout = layoutOf(type);
  const LinearLayout &core = layout.core();
  if (!llvm::isPowerOf2_64(type.getDimSize(axis)))
    return {};
  // What the core does not reach is repeated in registers.
  uint64_t ofThreads = 0, ofRegisters = 0;
  for (const LinearLayout::Input &input : core.getInputs())
    for (uint64_t base : input.bases) {
      Coordinates image = core.unflatten(base);
      uint64_t along = image[axis];
      bool isOfRegister = input.name == kRegister;
      bool isAlone = llvm::count_if(image, [](int64_t place) { return place != 0; }) == 1;
      if (along && isOfRegister && !(isAlone && llvm::isPowerOf2_64(along)))
        return {};
      (isOfRegister ? ofRegisters : ofThreads) |= along;
    }
  if (ofThreads & ofRegisters)
    return {};
  SmallVector<Run> runs;
  for (int64_t bit = type.getDimSize(axis) / 2; bit > 0; bit /= 2) {
    bool isOfRegisters = !(ofThreads & uint64_t(bit));
    if (runs.empty() || runs.back().isOfRegisters != isOfRegisters)
      runs.push_back({1, isOfRegisters});
    runs.back().extent *= 2;
  }
  return runs;
}

/// What a thread holds of the axis is one run of registers, or two around that of the threads.
bool isOneRunOfThreads(ArrayRef<Run> runs) {
  return runs.size() >= 2 &&
         llvm::count_if(runs, [](const Run &run) { return !run.isOfRegisters; }) == 1;
}

/// What a thread has of a tile, each run of registers of one run of threads added up.
int64_t wordsOver(RankedTensorType type, ArrayRef<Run> runs) {
  int64_t registers = layoutOf(type).registers();
  if (isOneRunOfThreads(runs))
    for (const Run &run : runs)
      registers /= run.isOfRegisters ? run.extent : 1;
  return registers * tt::scalarBits(type.getElementType()) / 32;
}

/// An accumulator of a loop, by its number.
struct Accumulator {
  unsigned number;
  /// The one whose result is combined, or that of each way through a branch that gives it.
  SmallVector<tt::ReduceOp> reductions;
  Operation *combine; ///< of the accumulator, or its product, and the reduction's result
  TypedAttr neutral;
  Operation *product; ///< of the accumulator and `factor`, may be `combine`; null if there is none
  Value factor;

  bool isFused() const { return product == combine; }
};

/// What computes `value`, which has one use: a reduction, or one for each way through a branch, of
/// the same elements and layout in the same way. Empty if something else does.
SmallVector<tt::ReduceOp> reductionsOf(Value value) {
  if (!value.hasOneUse())
    return {};
  if (auto reduce = value.getDefiningOp<tt::ReduceOp>())
    return {reduce};
  auto branch = value.getDefiningOp<scf::IfOp>();
  if (!branch)
    return {};
  unsigned i = cast<OpResult>(value).getResultNumber();
  SmallVector<tt::ReduceOp> found;
  for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
    auto reduce = yield->getOperand(i).getDefiningOp<tt::ReduceOp>();
    if (!reduce || !reduce->hasOneUse())
      return {};
    found.push_back(reduce);
  }
  Operation *one = cast<tt::Combining>(*found[0]).getCombiner(),
            *other = cast<tt::Combining>(*found[1]).getCombiner();
  bool areAlike = one && other && one->getName() == other->getName() &&
                  one->getAttrDictionary() == other->getAttrDictionary() &&
                  found[0]->getOperandTypes() == found[1]->getOperandTypes() &&
                  found[0].getAxis() == found[1].getAxis();
  return areAlike ? found : SmallVector<tt::ReduceOp>();
}

std::optional<Accumulator> findAccumulator(scf::ForOp loop) {
  for (auto [i, arg] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (!arg.hasOneUse())
      continue;
    Operation *combine = *arg.user_begin(), *product = nullptr;
    Value sum = arg, factor;
    if (isa<arith::MulFOp, math::FmaOp>(combine) && combine->hasOneUse() &&
        combine->getBlock() == loop.getBody()) {
      factor = combine->getOperand(combine->getOperand(0) == arg ? 1 : 0);
      if (isShare(factor))
        product = combine;
    }
    if (isa_and_nonnull<arith::MulFOp>(product)) {
      sum = product->getResult(0);
      combine = *product->user_begin();
    }
    bool isFused = product == combine;
    if (combine->getBlock() != loop.getBody() || combine->getNumOperands() != (isFused ? 3 : 2) ||
        combine->getNumResults() != 1 || !combine->hasOneUse() ||
        loop.getYieldedValues()[i] != combine->getResult(0))
      continue;
    if (product && !isa<arith::AddFOp, math::FmaOp>(combine))
      continue;
    Value reduced = combine->getOperand(isFused ? 2 : combine->getOperand(0) == sum ? 1 : 0);
    SmallVector<tt::ReduceOp> reductions = reductionsOf(reduced);
    if (reductions.empty() || reduced.getParentBlock() != loop.getBody())
      continue;
    tt::ReduceOp reduce = reductions.front();
    Operation *combiner = cast<tt::Combining>(*reduce).getCombiner();
    bool combinesAlike =
        combiner &&
        (isFused ? isa<arith::AddFOp>(combiner) : combiner->getName() == combine->getName()) &&
        combiner->getAttrDictionary() == combine->getAttrDictionary();
    if (!combinesAlike)
      continue;
    auto type = cast<RankedTensorType>(reduce.getSrcs()[0].getType());
    TypedAttr neutral = tt::neutralElement(combiner, type.getElementType());
    SmallVector<Run> runs = runsAlong(type, reduce.getAxis());
    if (neutral && (isOneRunOfThreads(runs) || !product) &&
        wordsOver(type, runs) <= strategy::kMostAccumulatorWords &&
        crossesThreads(type, reduce.getAxis()))
      return Accumulator{unsigned(i), reductions, combine, neutral, product, factor};
  }
  return std::nullopt;
}

/// `tile`, of which a thread has added up what it holds along the axis of `reduce`, the axis then
/// as long as there are threads along it; `tile` itself where that is not to be said by one axis.
Value reducedInThreads(OpBuilder &b, Value tile, tt::ReduceOp reduce) {
  unsigned axis = reduce.getAxis();
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<Run> runs = runsAlong(type, axis);
  if (!isOneRunOfThreads(runs))
    return tile;
  SmallVector<int64_t> shape(type.getShape().take_front(axis));
  for (const Run &run : runs)
    shape.push_back(run.extent);
  llvm::append_range(shape, type.getShape().drop_front(axis + 1));
  auto reshape = b.create<tt::ReshapeOp>(reduce.getLoc(),
                                         RankedTensorType::get(shape, type.getElementType()), tile);
  Attribute layout = resultLayout(reshape, type.getEncoding());
  if (!layout) {
    reshape.erase();
    return tile;
  }
  reshape.getResult().setType(RankedTensorType::get(shape, type.getElementType(), layout));
  Value result = reshape;
  for (size_t run = runs.size(); run-- > 0;) {
    if (!runs[run].isOfRegisters)
      continue;
    auto held = b.create<tt::ReduceOp>(reduce.getLoc(), ValueRange(result), axis + run);
    IRMapping mapping;
    reduce.getCombineOp().cloneInto(&held.getCombineOp(), mapping);
    auto source = cast<RankedTensorType>(result.getType());
    SmallVector<int64_t> left(source.getShape());
    left.erase(left.begin() + axis + run);
    held->getResult(0).setType(RankedTensorType::get(
        left, source.getElementType(),
        SliceEncodingAttr::get(b.getContext(), axis + run, source.getEncoding())));
    result = held->getResult(0);
  }
  return result;
}

/// `value`, a number for each row along `axis`, or one, where the elements of `type` are.
Value repeated(OpBuilder &b, Value value, RankedTensorType type, unsigned axis) {
  Location loc = value.getLoc();
  if (!tt::isTile(value.getType()))
    return b.create<tt::SplatOp>(loc, type, value);
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 1;
  auto row = RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
  return b.create<tt::BroadcastOp>(loc, type, b.create<tt::ExpandDimsOp>(loc, row, value, axis));
}

/// `init` at the first place along `axis`, and `neutral` at the others.
Value first(OpBuilder &b, Value init, RankedTensorType type, unsigned axis, TypedAttr neutral) {
  Location loc = init.getLoc();
  SmallVector<unsigned> others;
  SmallVector<Attribute> layouts{type.getEncoding()};
  for (unsigned dim = type.getRank(); dim-- > 0;)
    if (dim != axis) {
      others.push_back(dim);
      layouts.push_back(SliceEncodingAttr::get(b.getContext(), dim, layouts.back()));
    }
  SmallVector<int64_t> shape{type.getDimSize(axis)};
  auto line = RankedTensorType::get(shape, b.getI32Type(), layouts.back());
  Value place = b.create<tt::MakeRangeOp>(loc, line, 0, uint32_t(shape[0]));
  Value zero = b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(line, int32_t(0)));
  Value isFirst = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, place, zero);
  while (!others.empty()) {
    unsigned dim = others.pop_back_val();
    layouts.pop_back();
    shape.insert(shape.begin() + dim, 1);
    isFirst = b.create<tt::ExpandDimsOp>(
        loc, RankedTensorType::get(shape, b.getI1Type(), layouts.back()), isFirst, dim);
  }
  isFirst = b.create<tt::BroadcastOp>(loc, type.clone(b.getI1Type()), isFirst);
  Value rest = b.create<arith::ConstantOp>(
      loc, type, DenseElementsAttr::get(type, ArrayRef<Attribute>(neutral)));
  return b.create<arith::SelectOp>(loc, isFirst, repeated(b, init, type, axis), rest);
}

/// Whether what is combined twice counts once.
bool isIdempotent(Operation *op) {
  return isa<arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp, arith::AndIOp,
             arith::OrIOp>(op);
}

scf::ForOp accumulateTile(scf::ForOp loop, const Accumulator &found, bool fpFusion) {
  auto [number, reductions, combine, neutral, product, factor] = found;
  tt::ReduceOp reduce = reductions.front();
  Value init = loop.getInitArgs()[number];
  Value tile = reduce->getResult(0);
  for (tt::ReduceOp each : reductions) {
    OpOperand &use = *each->getUses().begin();
    OpBuilder inside(use.getOwner());
    tile = reducedInThreads(inside, each.getSrcs()[0], each);
    use.set(tile);
    if (auto yield = dyn_cast<scf::YieldOp>(use.getOwner())) {
      Value result = yield->getParentOp()->getResult(use.getOperandNumber());
      result.setType(tile.getType());
      tile = result;
    }
  }
  auto type = cast<RankedTensorType>(tile.getType());
  OpBuilder b(loop);
  SmallVector<Value> inits(loop.getInitArgs());
  // All of a thread's may begin with the first value, or it stands once, or comes behind the loop.
  Operation *combiner = cast<tt::Combining>(*reduce).getCombiner();
  bool isRepeated = isIdempotent(combiner);
  if (isRepeated)
    inits[number] = repeated(b, init, type, reduce.getAxis());
  else if (product)
    inits[number] = first(b, init, type, reduce.getAxis(), neutral);
  else
    inits[number] = b.create<arith::ConstantOp>(
        reduce.getLoc(), type, DenseElementsAttr::get(type, ArrayRef<Attribute>(neutral)));
  auto fresh = b.create<scf::ForOp>(loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                    loop.getStep(), inits);
  fresh->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  fresh.getBody()->getOperations().splice(fresh.getBody()->end(), loop.getBody()->getOperations());
  for (auto [from, to] : llvm::zip(loop.getBody()->getArguments(), fresh.getBody()->getArguments()))
    if (from != loop.getRegionIterArgs()[number])
      from.replaceAllUsesWith(to);

  auto combined = [&](Location loc, Value x, Value y) {
    OperationState state(loc, combiner->getName(), {x, y}, {x.getType()}, combiner->getAttrs());
    return b.create(state)->getResult(0);
  };
  b.setInsertionPoint(combine);
  Location loc = combine->getLoc();
  Type element = type.getElementType();
  bool mayFuse = fpFusion && (element.isF32() || element.isF64());
  Value sum = fresh.getRegionIterArgs()[number];
  auto term = tile.getDefiningOp<arith::MulFOp>();
  if (product) {
    Value factors = repeated(b, factor, type, reduce.getAxis());
    sum = found.isFused() || mayFuse
              ? b.create<math::FmaOp>(loc, sum, factors, tile).getResult()
              : combined(loc, b.create<arith::MulFOp>(loc, sum, factors), tile);
  } else if (mayFuse && term && term->getBlock() == fresh.getBody() &&
             isa<arith::AddFOp>(combiner)) {
    sum = b.create<math::FmaOp>(loc, term.getLhs(), term.getRhs(), sum);
  } else {
    sum = combined(loc, sum, tile);
  }
  combine->replaceAllUsesWith(ValueRange(sum));

  b.setInsertionPointAfter(fresh);
  auto once = cast<tt::ReduceOp>(b.clone(*reduce));
  once->setOperand(0, fresh.getResult(number));
  Value total = once->getResult(0);
  if (!product && !isRepeated)
    total = combined(combine->getLoc(), init, total);
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    result.replaceAllUsesWith(i == number ? total : fresh.getResult(i));
  combine->erase();
  if (product && !found.isFused())
    product->erase();
  for (tt::ReduceOp each : reductions)
    each->erase();
  loop->erase();
  return fresh;
}

struct OptimizeThreadLocalityPass : impl::OptimizeThreadLocalityBase<OptimizeThreadLocalityPass> {
  using OptimizeThreadLocalityBase::OptimizeThreadLocalityBase;
  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>() || failed(checkNothingSkipped(getOperation())))
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      while (std::optional<Accumulator> found = findAccumulator(loop))
        loop = accumulateTile(loop, *found, fpFusion);
  }
};
} // namespace

} // namespace tritium::ttg
