//===- Reduce.cpp - reductions --------------------------------------------===//
//
// Along the lanes: a register-sized accumulator over the chunks, then halves are
// combined until one lane is left. Along another dimension: a loop over it for each
// chunk of lanes. Combiners without a known neutral element start with the first
// elements.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tritium/Conversion/TileToCPU/TileToCPU.h"

using namespace mlir;

namespace tritium::cpu {

/// Of one operand; null if none is known.
TypedAttr Lowering::neutralElement(tt::Combining op) {
  Operation *combiner = op.getCombiner();
  Type type = evalType(tt::elementType(op.getSrcs()[0].getType()));
  return combiner ? tt::neutralElement(combiner, type) : TypedAttr();
}

/// No element is a NaN that signals, which VRANGEPS, unlike the maximum of numbers, takes for one:
/// arithmetic gives none.
static bool isQuiet(Value value, int depth = 0) {
  constexpr int maxDepth = 8;
  Operation *op = value.getDefiningOp();
  if (!op || depth > maxDepth)
    return false;
  if (isa<tt::DotOp, arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, math::FmaOp>(op))
    return true;
  DenseFPElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return llvm::none_of(constant.getValues<APFloat>(),
                         [](const APFloat &number) { return number.isNaN(); });
  return isa<arith::SelectOp>(op) && isQuiet(op->getOperand(1), depth + 1) &&
         isQuiet(op->getOperand(2), depth + 1);
}

/// Of registers of AVX-512, whose maximum, or minimum, of numbers is one instruction instead of
/// three; null if it is something else.
Value Lowering::extremeOfRegisters(tt::Combining op, Value x, Value y, int64_t width) {
  Operation *combiner = op.getCombiner();
  constexpr int64_t lanes = 16;
  if (!target.hasAVX512 || !isa_and_nonnull<arith::MaxNumFOp, arith::MinNumFOp>(combiner) ||
      width % lanes != 0 || !getElementTypeOrSelf(x.getType()).isF32() ||
      !isQuiet(op.getSrcs().front()))
    return {};
  if (width > lanes) {
    auto part = [&](Value whole, int64_t first) -> Value {
      auto order = llvm::to_vector(llvm::seq<int64_t>(first, first + width / 2));
      return b.create<vector::ShuffleOp>(loc, whole, whole, order);
    };
    Value halves[2];
    for (int64_t half : {0, 1})
      halves[half] =
          extremeOfRegisters(op, part(x, half * width / 2), part(y, half * width / 2), width / 2);
    return b.create<vector::ShuffleOp>(loc, halves[0], halves[1],
                                       llvm::to_vector(llvm::seq<int64_t>(0, width)));
  }
  auto number = [&](int64_t value, unsigned bits) -> Value {
    return b.create<arith::ConstantIntOp>(loc, value, bits);
  };
  // Bit 2: with the sign of the result. All lanes, rounding as set.
  int64_t what = isa<arith::MaxNumFOp>(combiner) ? 5 : 4;
  return b
      .create<LLVM::CallIntrinsicOp>(
          loc, x.getType(), b.getStringAttr("llvm.x86.avx512.mask.range.ps.512"),
          ValueRange{x, y, number(what, 32), x, number(-1, 16), number(4, 32)})
      .getResult(0);
}

SmallVector<Value> Lowering::combine(tt::Combining op, ValueRange x, ValueRange y, int64_t width) {
  if (x.size() == 1)
    if (Value extreme = extremeOfRegisters(op, x[0], y[0], width))
      return {extreme};
  Block &body = op.getCombineOp().front();
  IRMapping map;
  for (auto [arg, v] :
       llvm::zip(body.getArguments(),
                 llvm::concat<const Value>(SmallVector<Value>(x), SmallVector<Value>(y))))
    map.map(arg, v);
  // Sums of narrow floats stay f32 until the end.
  bool keepWide = isa_and_nonnull<arith::AddFOp, arith::MulFOp>(op.getCombiner());
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
    } else if (auto product = operands.back().getDefiningOp<arith::MulFOp>();
               product && product->getBlock() == b.getInsertionBlock() && keepWide &&
               isa<arith::AddFOp>(inner) && fusesMultiplyAdds(target, options)) {
      result = b.create<math::FmaOp>(loc, product.getLhs(), product.getRhs(), operands[0]);
    } else if (keepWide) {
      OperationState state(loc, inner.getName().getStringRef(), operands, {operands[0].getType()});
      result = b.create(state)->getResult(0);
    } else if (inner.getNumResults() == 1 && inner.getNumRegions() == 0 &&
               isMemoryEffectFree(&inner)) {
      result = emitElementwise(&inner, operands, width);
    } else {
      error(&inner, "this operation is not supported in a function that combines elements");
      result = operands.empty() ? i64(0) : operands[0];
    }
    map.map(inner.getResult(0), result);
  }
  return llvm::to_vector(llvm::map_range(body.getTerminator()->getOperands(), lookup));
}

SmallVector<Value> Lowering::horizontal(tt::Combining op, ValueRange values, int64_t width,
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
  if (isCombinedByCalls(acc.op))
    combineByCalls(acc, values, index);
  else if (isa<tt::ScanOp>(acc.op))
    scan(acc, values, index);
  else
    acc.values = acc.started
                     ? combine(acc.op, acc.values, values, index.hasLanes() ? index.width : 1)
                     : values;
  acc.started = true;
}

void Lowering::storeCombined(tt::Combining op, ValueRange values, const Index &index) {
  for (auto [result, v] : llvm::zip(op->getResults(), values)) {
    Value rounded = roundTo(v, tt::elementType(result.getType()));
    if (!isa<RankedTensorType>(result.getType())) {
      scalars[result] = rounded;
      continue;
    }
    Chunk chunk = index.hasLanes() ? Chunk::vector(rounded) : Chunk::uniform(rounded);
    if (Buffer *buffer = plan.home(result))
      writeBuffer(*buffer, index, chunk);
    if (isa<tt::ScanOp>(op))
      remember(result, chunk, index);
  }
}

/// What the scan gives at `index`, for what is computed from it there.
void Lowering::remember(Value scan, const Chunk &chunk, const Index &index) {
  memo.back()[memoKey(scan, index)] = chunk;
  if (!index.hasLanes())
    return;
  Index first = index;
  first.dims[index.lanesDim()].kind = DimIndex::Scalar;
  first.width = first.valid = 1;
  memo.back()[memoKey(scan, first)] =
      Chunk::uniform(b.create<vector::ExtractOp>(loc, chunk.v, ArrayRef<int64_t>{0}));
}

void Lowering::storeReduction(tt::Combining op, ValueRange values, const Index &index,
                              int64_t axis) {
  Index at = index;
  at.dims.erase(at.dims.begin() + axis);
  if (!at.hasLanes())
    at.width = at.valid = 1;
  storeCombined(op, values, at);
}

SmallVector<Value> Lowering::callCombiner(tt::Combining op, ValueRange x, ValueRange y) {
  SmallVector<Value> both(x);
  llvm::append_range(both, y);
  return callFunction(op, both);
}

SmallVector<Value> Lowering::laneOf(ValueRange vectors, Value lane) {
  return llvm::map_to_vector(
      vectors, [&](Value v) -> Value { return b.create<vector::ExtractElementOp>(loc, v, lane); });
}

/// One lane after the other, those of the tile: each with what is in front of it where the axis is
/// along the lanes, else with what is in its lane.
void Lowering::combineByCalls(Accumulators &acc, ValueRange values, const Index &index) {
  bool isScan = isa<tt::ScanOp>(acc.op);
  if (!index.hasLanes() || index.width == 1) {
    acc.values =
        acc.started ? callCombiner(acc.op, acc.values, values) : SmallVector<Value>(values);
    return isScan ? storeCombined(acc.op, acc.values, index) : void();
  }
  if (index.lanesDim() == acc.op.getAxis()) {
    SmallVector<Value> scanned = callAlongLanes(acc, values, index.valid);
    return isScan ? storeCombined(acc.op, scanned, index) : void();
  }
  if (!acc.started) {
    acc.values = SmallVector<Value>(values);
  } else {
    acc.values = loop(i64(0), i64(index.valid), 1, acc.values, [&](Value lane, ValueRange whole) {
      SmallVector<Value> next;
      for (auto [all, value] :
           llvm::zip(whole, callCombiner(acc.op, laneOf(whole, lane), laneOf(values, lane))))
        next.push_back(b.create<vector::InsertElementOp>(loc, value, all, lane));
      return next;
    });
  }
  if (isScan)
    storeCombined(acc.op, acc.values, index);
}

/// Goes on from the scalars that `acc` holds, and of a scan gives what there is at each lane.
SmallVector<Value> Lowering::callAlongLanes(Accumulators &acc, ValueRange values, int64_t valid) {
  auto scan = dyn_cast<tt::ScanOp>(acc.op.getOperation());
  bool isReverse = scan && scan.getReverse();
  auto laneAt = [&](Value i) { return isReverse ? sub(i64(valid - 1), i) : i; };
  int64_t first = 0;
  if (!acc.started) {
    acc.values = laneOf(values, laneAt(i64(0)));
    first = 1;
  }
  size_t count = values.size();
  SmallVector<Value> carried(acc.values);
  if (scan) // the first lane is its own result
    carried.append(values.begin(), values.end());
  SmallVector<Value> ends =
      loop(i64(first), i64(valid), 1, carried, [&](Value i, ValueRange before) {
        Value lane = laneAt(i);
        SmallVector<Value> next =
            callCombiner(acc.op, before.take_front(count), laneOf(values, lane));
        if (scan)
          for (size_t k = 0; k < count; ++k)
            next.push_back(
                b.create<vector::InsertElementOp>(loc, next[k], before[count + k], lane));
        return next;
      });
  acc.values.assign(ends.begin(), ends.begin() + count);
  return SmallVector<Value>(llvm::drop_begin(ends, count));
}

/// The chunks along the axis. Of a scan from the end the last comes first.
void Lowering::emitReduceLevel(PhaseState &state, unsigned level, Index index) {
  int64_t dim = state.step.loopOrder[level], extent = state.step.shape[dim];
  bool alongLanes = dim == state.step.lanesDim && state.loops.width > 1;
  bool backward = state.step.backward;
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
  // Chunks lie where they lie in the tile: how sums are grouped does not depend on addresses.
  auto fullChunk = [&](Value i) {
    isStreaming = alongLanes && state.loops.streamed;
    bodyAt(backward ? sub(i64(full - step), i) : i, width, width);
    isStreaming = false;
  };
  int64_t narrow = std::max<int64_t>(2, llvm::PowerOf2Ceil(rest));
  for (Accumulators &acc : state.accumulators) {
    acc.values.clear();
    acc.started = false;
  }
  if (backward && rest > 0) {
    MemoScope scope(*this);
    bodyAt(i64(full), narrow, rest);
  }
  emitFullChunks(state, index, full, step, alongLanes, width, fullChunk);

  SmallVector<SmallVector<Value>> finals;
  for (Accumulators &acc : state.accumulators) {
    if (!alongLanes || acc.isInOrder())
      finals.push_back(acc.values);
    else
      finals.push_back(acc.started ? horizontal(acc.op, acc.values, width, width)
                                   : SmallVector<Value>());
  }
  if (!backward && rest > 0) {
    MemoScope scope(*this);
    for (Accumulators &acc : state.accumulators)
      acc.started &= acc.isInOrder();
    bodyAt(i64(full), narrow, rest);
    for (auto [acc, final] : llvm::zip(state.accumulators, finals)) {
      if (acc.isInOrder()) {
        final = acc.values;
        continue;
      }
      SmallVector<Value> tail = horizontal(acc.op, acc.values, narrow, rest);
      final = final.empty() ? tail : combine(acc.op, final, tail, 1);
    }
  }
  for (auto [acc, final] : llvm::zip(state.accumulators, finals)) {
    loc = acc.op.getLoc();
    if (!isa<tt::ScanOp>(acc.op))
      storeReduction(acc.op, final, index, dim);
  }
}

/// A loop over what is `full` of the axis. The first chunk stands in front of it unless there is
/// something to begin with.
void Lowering::emitFullChunks(PhaseState &state, const Index &index, int64_t full, int64_t step,
                              bool alongLanes, int64_t width,
                              llvm::function_ref<void(Value)> chunk) {
  bool started = llvm::all_of(state.accumulators, [](Accumulators &acc) { return acc.started; });
  bool neutral = llvm::all_of(state.accumulators,
                              [&](Accumulators &acc) { return bool(neutralElement(acc.op)); });
  int64_t first = 0;
  if (!started && (full == step || (full > step && !neutral))) {
    chunk(i64(0));
    first = step;
  } else if (!started && full > step) {
    for (Accumulators &acc : state.accumulators) {
      bool isScalar = alongLanes && acc.isInOrder();
      Value element = b.create<arith::ConstantOp>(loc, neutralElement(acc.op));
      acc.values = {splat(element, isScalar ? 1 : width)};
      acc.started = true;
    }
  }
  if (first >= full)
    return;
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
  auto body = [&](Value i, ValueRange args) {
    unpack(args);
    chunk(i);
    SmallVector<Value> next;
    for (Accumulators &acc : state.accumulators)
      next.append(acc.values);
    return next;
  };
  unpack(chunkLoop(state, index, first, full, step, carried, body));
}

} // namespace tritium::cpu
