//===- Phase.cpp - one loop nest over a tile ------------------------------===//
//
// What is left of the lanes' dimension behind the last full chunk is one more chunk,
// narrower and masked.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace tritium::cpu {

void Lowering::emitPhase(const Step &step) {
  const Root &first = step.roots.front();
  loc = first.op ? first.op->getLoc() : first.value.getLoc();
  if (step.isReadDirectly)
    return emitDirectRead(step);
  if (first.kind == Root::Print)
    return emitPrint(step, cast<tt::PrintOp>(first.op));
  if (step.versions.empty())
    return emitTransposed(step);
  emitLoops(step);
}

/// The scalars that a phase reduces to.
static SmallVector<Value> combinedScalars(const Step &step) {
  SmallVector<Value> combined;
  for (const Root &root : step.roots)
    if (root.kind == Root::Reduce)
      llvm::append_range(combined, llvm::make_filter_range(root.op->getResults(), [](Value v) {
                           return !isa<RankedTensorType>(v.getType());
                         }));
  return combined;
}

void Lowering::emitLoops(const Step &step) {
  MemoScope scope(*this);
  findNextRows(step);
  if (!step.guard)
    return emitVersion(step, step.versions.front());
  SmallVector<Value> terms = emitScalarCode(step.guard->code);
  SmallVector<Value> combined = combinedScalars(step);
  auto types = llvm::map_to_vector(combined, [](Value v) { return evalType(v.getType()); });
  auto branch = b.create<scf::IfOp>(loc, types, terms[step.guard->holds], /*else=*/true);
  auto yield = [&] {
    auto values = llvm::map_to_vector(combined, [&](Value v) { return scalar(v); });
    if (!values.empty())
      b.create<scf::YieldOp>(loc, values);
  };
  OpBuilder::InsertionGuard guard(b);
  const Loops &whole = step.versions.front();
  {
    MemoScope inner(*this);
    SmallVector<Operation *> straight;
    for (auto [remainder, less] : whole.straight) {
      straightRemainders[remainder] = terms[less];
      straight.push_back(remainder);
    }
    Strides known(facts.ranges, straight);
    if (!straight.empty())
      strides = &known;
    assumedMasks.insert(whole.wholeMasks.begin(), whole.wholeMasks.end());
    auto restore = llvm::make_scope_exit([&] {
      strides = &facts.strides;
      straightRemainders.clear();
      assumedMasks.clear();
    });
    b.setInsertionPointToStart(branch.thenBlock());
    emitVersion(step, whole);
    yield();
  }
  MemoScope inner(*this);
  b.setInsertionPointToStart(branch.elseBlock());
  hasStraightVersion = !whole.straight.empty();
  emitVersion(step, step.versions.back());
  hasStraightVersion = false;
  yield();
  for (auto [value, result] : llvm::zip(combined, branch.getResults()))
    scalars[value] = result;
}

void Lowering::emitVersion(const Step &step, const Loops &loops) {
  PhaseState state{step, loops, {}};
  for (const Root &root : step.roots)
    if (root.kind == Root::Count)
      clearBuffer(*plan.home(root.op->getResult(0)));
    else if (root.kind == Root::Reduce || root.kind == Root::Scan)
      state.accumulators.push_back({cast<tt::Combining>(root.op), {}, false});
  Index index;
  index.dims.assign(step.shape.size(), {DimIndex::Pending, {}});
  emitLevel(state, 0, index);
}

void Lowering::hoistOperands(PhaseState &state, const Index &index) {
  if (!index.hasPending())
    return;
  Seen seen;
  for (const Root &root : state.step.roots) {
    if (root.kind == Root::Atomic || root.kind == Root::Count)
      continue;
    if (root.kind == Root::Assign) {
      // The value itself is not there yet: look at what it is computed from.
      Operation *op = root.value.getDefiningOp();
      if (op && isVirtual(root.value))
        hoistOperands(op, index, seen, 0);
      continue;
    }
    for (Value operand : root.op->getOperands())
      hoist(operand, index, seen);
  }
}

void Lowering::emitLevel(PhaseState &state, unsigned level, Index index) {
  if (level == state.step.loopOrder.size())
    return emitBody(state, index);
  hoistOperands(state, index);
  int64_t dim = state.step.loopOrder[level];
  bool innermost = level + 1 == state.step.loopOrder.size();
  if (innermost && !state.accumulators.empty())
    return emitReduceLevel(state, level, index);
  if (dim == state.step.lanesDim && state.loops.width > 1)
    return emitLanesLevel(state, level, index);
  int64_t extent = state.step.shape[dim];
  auto at = [&](Value i) {
    Index next = index;
    next.dims[dim] = {DimIndex::Scalar, fromOrigin(dim, i)};
    emitLevel(state, level + 1, next);
  };
  if (extent == 1)
    return at(i64(0));
  loop(i64(0), i64(extent), 1, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
    at(i);
    return {};
  });
}

void Lowering::emitLanesLevel(PhaseState &state, unsigned level, Index index) {
  if (emitStreamedRow(state, level, index))
    return;
  int64_t dim = state.step.lanesDim, extent = state.step.shape[dim];
  int64_t full = extent / state.loops.width * state.loops.width, rest = extent - full;
  auto at = [&](Value first, int64_t width, int64_t valid) {
    Index next = index;
    next.dims[dim] = {DimIndex::Lanes, fromOrigin(dim, first)};
    next.width = width;
    next.valid = valid;
    emitLevel(state, level + 1, next);
  };
  if (full == state.loops.width)
    at(i64(0), state.loops.width, state.loops.width);
  else if (full > 0)
    chunkLoop(state, index, 0, full, state.loops.width, {},
              [&](Value i, ValueRange) -> SmallVector<Value> {
                at(i, state.loops.width, state.loops.width);
                return {};
              });
  if (rest > 0) {
    MemoScope scope(*this);
    at(i64(full), std::max<int64_t>(2, llvm::PowerOf2Ceil(rest)), rest);
  }
}

void Lowering::emitBody(PhaseState &state, const Index &index) {
  if (index.valid == index.width)
    fetchNextRows(state.step, index);
  // Everything is evaluated before anything is written, each in front of what is computed from it.
  // What is computed from the first lane alone must not look for that where it will be written.
  llvm::SmallPtrSet<Value, 8> before = unwritten;
  for (const Root &root : state.step.roots)
    if (root.kind == Root::Assign && root.isHome)
      unwritten.insert(root.value);
  SmallVector<std::pair<const Root *, Chunk>> writes;
  auto accumulators = state.accumulators.begin();
  for (const Root &root : state.step.roots) {
    if (root.kind == Root::Store)
      writes.push_back({&root, evaluate(cast<tt::StoreOp>(root.op).getValue(), index)});
    else if (root.roundsForProducts)
      writes.push_back({&root, evaluate(root.value.getDefiningOp()->getOperand(0), index)});
    else if (root.kind == Root::Assign)
      writes.push_back(
          {&root, root.isHome ? evaluateHome(root.value, index) : evaluate(root.value, index)});
    else if (root.kind == Root::Reduce || root.kind == Root::Scan)
      accumulate(*accumulators++, index);
  }
  for (const Root &root : state.step.roots) {
    if (root.kind == Root::Atomic) {
      loc = root.op->getLoc();
      emitAtomic(root.op, index);
    } else if (root.kind == Root::Count) {
      loc = root.op->getLoc();
      emitCount(cast<tt::HistogramOp>(root.op), index);
    } else if (root.kind == Root::Assert) {
      loc = root.op->getLoc();
      emitAssert(state.step, cast<tt::AssertOp>(root.op), index);
    }
  }
  for (auto &[root, chunk] : writes) {
    if (root->kind == Root::Assign) {
      Index at = index;
      if (state.step.writesSwapped)
        std::swap(at.dims[at.dims.size() - 2], at.dims.back());
      writeBuffer(*root->buffer, at, chunk, root->roundsForProducts);
    } else {
      loc = root->op->getLoc();
      emitStore(cast<tt::StoreOp>(root->op), chunk, index, root->fetchesLaterRows);
    }
  }
  unwritten = std::move(before);
}

} // namespace tritium::cpu
