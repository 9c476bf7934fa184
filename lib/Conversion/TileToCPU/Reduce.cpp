//===- Reduce.cpp - reductions --------------------------------------------===//
//
// Along the lanes: a register-sized accumulator over the chunks, then halves are
// combined until one lane is left. Along another dimension: a loop over it for each
// chunk of lanes. Combiners without a known neutral element start with the first
// elements.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

/// The one operation that a simple combiner consists of.
static Operation *simpleCombiner(tt::ReduceOp op) {
  Block &body = op.getCombineOp().front();
  if (op.getSrcs().size() != 1 || !llvm::hasNItems(body, 2))
    return nullptr;
  Operation *inner = &body.front();
  bool direct = inner->getNumOperands() == 2 && inner->getNumResults() == 1 &&
                body.getTerminator()->getOperand(0) == inner->getResult(0) &&
                inner->getOperand(0) != inner->getOperand(1) &&
                llvm::all_of(inner->getOperands(),
                             [&](Value v) { return llvm::is_contained(body.getArguments(), v); });
  return direct ? inner : nullptr;
}

bool Lowering::hasNeutralElement(tt::ReduceOp op) {
  Operation *inner = simpleCombiner(op);
  return inner &&
         isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp, arith::MinSIOp,
             arith::MaxUIOp, arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(inner);
}

Value Lowering::neutralElement(tt::ReduceOp op, unsigned number) {
  Operation *inner = simpleCombiner(op);
  Type type = evalType(tt::elementType(op.getSrcs()[number].getType()));
  auto floating = [&](APFloat v) -> Value {
    bool ignored;
    v.convert(cast<FloatType>(type).getFloatSemantics(), APFloat::rmNearestTiesToEven, &ignored);
    return b.create<arith::ConstantOp>(loc, b.getFloatAttr(type, v));
  };
  auto integer = [&](APInt v) -> Value {
    return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, v));
  };
  unsigned bits = tt::scalarBits(type);
  const auto &semantics = APFloat::IEEEdouble();
  // -0 + x is x for every x, and a number always wins against NaN in maxnum.
  if (isa<arith::AddFOp>(inner))
    return floating(APFloat::getZero(semantics, /*Negative=*/true));
  if (isa<arith::MulFOp>(inner))
    return floating(APFloat(1.0));
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(inner))
    return floating(APFloat::getNaN(semantics));
  if (isa<arith::MaximumFOp>(inner))
    return floating(APFloat::getInf(semantics, true));
  if (isa<arith::MinimumFOp>(inner))
    return floating(APFloat::getInf(semantics));
  if (isa<arith::MulIOp>(inner))
    return integer(APInt(bits, 1));
  if (isa<arith::MaxSIOp>(inner))
    return integer(APInt::getSignedMinValue(bits));
  if (isa<arith::MinSIOp>(inner))
    return integer(APInt::getSignedMaxValue(bits));
  if (isa<arith::MinUIOp, arith::AndIOp>(inner))
    return integer(APInt::getAllOnes(bits));
  return integer(APInt::getZero(bits));
}

SmallVector<Value> Lowering::combine(tt::ReduceOp op, ValueRange x, ValueRange y, int64_t width) {
  Block &body = op.getCombineOp().front();
  IRMapping map;
  for (auto [arg, v] :
       llvm::zip(body.getArguments(),
                 llvm::concat<const Value>(SmallVector<Value>(x), SmallVector<Value>(y))))
    map.map(arg, v);
  // Sums of narrow floats stay f32 until the end.
  bool keepWide = isa_and_nonnull<arith::AddFOp, arith::MulFOp>(simpleCombiner(op));
  auto lookup = [&](Value v) -> Value {
    if (Value mapped = map.lookupOrNull(v))
      return mapped;
    return splat(scalar(v), width);
  };
  for (Operation &inner : body.without_terminator()) {
    SmallVector<Value> operands(llvm::map_range(inner.getOperands(), lookup));
    Value result;
    if (auto constantOp = dyn_cast<arith::ConstantOp>(inner)) {
      result = splat(emitConstant(constantOp.getValue()), width);
    } else if (keepWide) {
      OperationState state(loc, inner.getName().getStringRef(), operands, {operands[0].getType()});
      result = b.create(state)->getResult(0);
    } else if (inner.getNumResults() == 1 && inner.getNumRegions() == 0 &&
               isMemoryEffectFree(&inner)) {
      result = emitElementwise(&inner, operands, width);
    } else {
      error(&inner, "this operation is not supported in the function of a reduction");
      result = operands.empty() ? i64(0) : operands[0];
    }
    map.map(inner.getResult(0), result);
  }
  return llvm::to_vector(llvm::map_range(body.getTerminator()->getOperands(), lookup));
}

SmallVector<Value> Lowering::horizontal(tt::ReduceOp op, ValueRange values, int64_t width,
                                        int64_t valid) {
  SmallVector<Value> current(values);
  while (width > 1) {
    int64_t half = width / 2;
    SmallVector<Value> low, high;
    for (Value v : current) {
      auto part = [&](int64_t first) -> Value {
        if (half == 1)
          return b.create<vector::ExtractOp>(loc, v, ArrayRef<int64_t>{first});
        auto order = llvm::to_vector(llvm::seq<int64_t>(first, first + half));
        return b.create<vector::ShuffleOp>(loc, v, v, order);
      };
      low.push_back(part(0));
      if (valid > half)
        high.push_back(part(half));
    }
    if (valid > half) {
      SmallVector<Value> combined = combine(op, low, high, half);
      if (valid < width)
        for (auto [c, l] : llvm::zip(combined, low))
          c = b.create<arith::SelectOp>(loc, firstLanes(valid - half, half), c, l);
      current = combined;
    } else {
      current = low;
    }
    width = half;
    valid = std::min(valid, half);
  }
  return current;
}

void Lowering::accumulate(Accumulators &acc, const Index &index) {
  SmallVector<Value> values;
  for (Value src : acc.op.getSrcs())
    values.push_back(
        asValue(evaluate(src, index), evalType(tt::elementType(src.getType())), index));
  acc.values = acc.started ? combine(acc.op, acc.values, values, index.hasLanes() ? index.width : 1)
                           : values;
  acc.started = true;
}

void Lowering::storeReduction(tt::ReduceOp op, ValueRange values, const Index &index,
                              int64_t axis) {
  Index at = index;
  at.dims.erase(at.dims.begin() + axis);
  if (!at.hasLanes())
    at.width = at.valid = 1;
  for (auto [result, v] : llvm::zip(op.getResults(), values)) {
    Value rounded = roundTo(v, tt::elementType(result.getType()));
    if (isa<RankedTensorType>(result.getType()))
      writeBuffer(*plan.home(result), at,
                  at.hasLanes() ? Chunk::vector(rounded) : Chunk::uniform(rounded));
    else
      scalars[result] = rounded;
  }
}

void Lowering::emitReduceLevel(PhaseState &state, unsigned level, Index index) {
  int64_t dim = state.step.loopOrder[level], extent = state.step.shape[dim];
  bool alongLanes = dim == state.step.lanesDim && state.loops.width > 1;
  int64_t step = alongLanes ? state.loops.width : 1;
  int64_t full = extent / step * step, rest = extent - full;
  int64_t width = alongLanes ? state.loops.width : index.hasLanes() ? index.width : 1;

  auto bodyAt = [&](Value first, int64_t lanesWidth, int64_t valid) {
    Index next = index;
    next.dims[dim] = {alongLanes ? DimIndex::Lanes : DimIndex::Scalar, first};
    if (alongLanes) {
      next.width = lanesWidth;
      next.valid = valid;
    }
    emitBody(state, next);
  };

  for (Accumulators &acc : state.accumulators) {
    acc.values.clear();
    acc.started = false;
  }
  bool neutral = llvm::all_of(state.accumulators,
                              [&](Accumulators &acc) { return hasNeutralElement(acc.op); });
  int64_t first = 0;
  if (full == step || (full > step && !neutral)) {
    bodyAt(i64(0), width, width);
    first = step;
  } else if (full > step) {
    for (Accumulators &acc : state.accumulators) {
      acc.values = {splat(neutralElement(acc.op, 0), width)};
      acc.started = true;
    }
  }
  if (first < full) {
    SmallVector<Value> carried;
    for (Accumulators &acc : state.accumulators)
      carried.append(acc.values);
    auto unpack = [&](ValueRange values) {
      for (Accumulators &acc : state.accumulators) {
        size_t n = acc.op.getSrcs().size();
        acc.values.assign(values.begin(), values.begin() + n);
        values = values.drop_front(n);
      }
    };
    SmallVector<Value> results =
        loop(i64(first), i64(full), step, carried, [&](Value i, ValueRange args) {
          unpack(args);
          bodyAt(i, width, width);
          SmallVector<Value> next;
          for (Accumulators &acc : state.accumulators)
            next.append(acc.values);
          return next;
        });
    unpack(results);
  }

  SmallVector<SmallVector<Value>> finals;
  for (Accumulators &acc : state.accumulators) {
    if (!alongLanes)
      finals.push_back(acc.values);
    else
      finals.push_back(acc.started ? horizontal(acc.op, acc.values, width, width)
                                   : SmallVector<Value>());
  }
  if (rest > 0) {
    MemoScope scope(*this);
    for (Accumulators &acc : state.accumulators)
      acc.started = false;
    int64_t narrow = std::max<int64_t>(2, llvm::PowerOf2Ceil(rest));
    bodyAt(i64(full), narrow, rest);
    for (auto [acc, final] : llvm::zip(state.accumulators, finals)) {
      SmallVector<Value> tail = horizontal(acc.op, acc.values, narrow, rest);
      final = final.empty() ? tail : combine(acc.op, final, tail, 1);
    }
  }
  for (auto [acc, final] : llvm::zip(state.accumulators, finals)) {
    loc = acc.op.getLoc();
    storeReduction(acc.op, final, index, dim);
  }
}

} // namespace tritium::cpu
