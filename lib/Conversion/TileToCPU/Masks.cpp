//===- Masks.cpp - masks that are true for the first elements -------------===//
//
// A mask like `offsets < n` is true for the first so many lanes of a chunk, and for the first so
// many elements of a row. A row goes in three pieces: whole chunks where it is true, which need no
// mask, whole chunks with it, and what is left:
//
//   %count = n - first, in whole chunks          for %i = 0 .. %count      { .. }
//                                                for %i = %count .. extent { .. with the mask .. }
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

/// Masks that are true for the first so many lanes.
std::optional<Chunk> Lowering::computeMask(Operation *op, ArrayRef<Chunk> operands,
                                           const Index &index) {
  if (!index.hasLanes())
    return std::nullopt;
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return prefixCompare(cmp, operands[0], operands[1], index);
  if (!isa<arith::AndIOp>(op) || !tt::elementType(op->getResult(0).getType()).isInteger(1))
    return std::nullopt;
  const Chunk &x = operands[0], &y = operands[1];
  if (x.kind == Chunk::Prefix && y.kind == Chunk::Prefix)
    return Chunk::prefix(minSigned(x.v, y.v));
  for (auto [p, u] : {std::pair(&x, &y), std::pair(&y, &x)})
    if (p->kind == Chunk::Prefix && u->kind == Chunk::Uniform)
      return Chunk::prefix(b.create<arith::SelectOp>(loc, u->v, p->v, i64(0)));
  return std::nullopt;
}

/// A comparison of lanes that count up by one with one value is true for the first so
/// many lanes. Premise: no lane wraps.
std::optional<Chunk> Lowering::prefixCompare(arith::CmpIOp op, const Chunk &x, const Chunk &y,
                                             const Index &index) {
  using P = arith::CmpIPredicate;
  P predicate = op.getPredicate();
  bool swapped = x.kind == Chunk::Uniform;
  const Chunk &affine = swapped ? y : x, &bound = swapped ? x : y;
  if (affine.kind != Chunk::Affine || affine.stride != 1 || bound.kind != Chunk::Uniform ||
      affine.base || bound.base)
    return std::nullopt;
  bool isStrict = predicate == (swapped ? P::sgt : P::slt);
  if (!isStrict && predicate != (swapped ? P::sge : P::sle))
    return std::nullopt;
  Value affineValue = op->getOperand(swapped), boundValue = op->getOperand(!swapped);
  if (!isExact(affineValue, affine, index))
    return std::nullopt;
  auto wide = [&](Value v) -> Value {
    return v.getType().isInteger(64) ? v : b.createOrFold<arith::ExtSIOp>(loc, b.getI64Type(), v);
  };
  Value first = wide(affine.v), limit = wide(bound.v);
  Value count = sub(limit, first);
  MaybeRange known =
      range::difference(facts.ranges.get(boundValue), facts.ranges.get(affineValue), 64);
  // Otherwise the difference may be any of 64 bits without a sign.
  bool fits = known && known->high < INT64_MAX;
  if (!fits)
    count = b.create<arith::MinUIOp>(loc, count, i64(INT64_MAX - 1));
  if (!isStrict)
    count = add(count, i64(1));
  if (!fits)
    count = b.create<arith::SelectOp>(loc, compare(isStrict ? P::slt : P::sle, first, limit), count,
                                      i64(0));
  return Chunk::prefix(count);
}

bool Lowering::isAssumed(Value mask, const Index &index) {
  if (assumedMasks.contains(mask))
    return true;
  return leading.at && leading.masks.contains(mask) && index.dims[leading.dim].index == leading.at;
}

/// So many elements at the beginning of the row at `index` (i64, none below 0), all that the
/// leading masks are true for.
Value Lowering::countLeading(const PhaseState &state, const Index &index) {
  Index first = index;
  first.dims[state.step.lanesDim] = {DimIndex::Lanes, i64(0)};
  first.width = first.valid = state.loops.width;
  Value count = i64(state.step.shape[state.step.lanesDim]);
  for (Value mask : state.loops.leadingMasks) {
    Chunk chunk = evaluate(mask, first);
    if (chunk.kind != Chunk::Prefix) {
      error(mask.getDefiningOp(), "a mask of a row was planned to be true for its first elements");
      return count;
    }
    count = minSigned(count, chunk.v);
  }
  return b.create<arith::MaxSIOp>(loc, count, i64(0));
}

/// A loop over the whole chunks from the element `from` to `full`.
SmallVector<Value>
Lowering::chunkLoop(const PhaseState &state, const Index &index, int64_t from, int64_t full,
                    int64_t step, ValueRange carried,
                    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  if (state.loops.leadingMasks.empty())
    return loop(i64(from), i64(full), step, carried, body);
  Value count = countLeading(state, index);
  Value whole = b.create<arith::AndIOp>(loc, count, i64(-step));
  Value end = i64(full);
  if (state.loops.endsWithMasks)
    end = minSigned(end, b.create<arith::AndIOp>(loc, add(count, i64(step - 1)), i64(-step)));
  leading.masks.insert(state.loops.leadingMasks.begin(), state.loops.leadingMasks.end());
  leading.dim = state.step.lanesDim;
  SmallVector<Value> values =
      loop(i64(from), whole, step, carried, [&](Value i, ValueRange arguments) {
        leading.at = i;
        return body(i, arguments);
      });
  leading = {};
  return loop(b.create<arith::MaxSIOp>(loc, whole, i64(from)), end, step, values, body);
}

} // namespace tritium::cpu
