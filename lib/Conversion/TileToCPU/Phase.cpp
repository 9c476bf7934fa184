//===- Phase.cpp - one loop nest over a tile ------------------------------===//
//
// A phase runs over a tile's shape: one dimension in chunks of `width` lanes, the rest
// in scalar loops. What is left of the lanes' dimension behind the last full chunk is
// one more chunk, narrower and masked.
//
// A thin phase whose masks can be proved true by a scalar condition is emitted twice,
// without masks and with them; not so where matrix products take most of the time. So
// is a phase whose addresses have remainders that a scalar condition proves to be
// differences.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

namespace {
/// Up to this many operations a phase counts as thin: its time is memory traffic, so
/// masks and loop overhead show. A polynomial counts as kPolynomial.
constexpr int kThin = 12;
constexpr int kPolynomial = 12;

/// Of a lane; none of a mask.
unsigned bitsOf(Type element) {
  if (element.isInteger(1))
    return 0;
  return tt::isTileFloat(element) ? std::max(32u, tt::scalarBits(element))
                                  : tt::scalarBits(element);
}

/// What the values that a phase evaluates are made of.
struct Summary {
  void note(unsigned bits) { widestBits = std::max(widestBits, bits); }

  int operations = 0;
  unsigned widestBits = 8;
  llvm::SetVector<Value> masks;
  llvm::SetVector<Operation *> remainders; ///< in addresses
};
} // namespace

static bool isPolynomial(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp, math::FmaOp, math::SqrtOp>(
             op);
}

/// Remainders of tiles that the address `value` is computed from.
static void collectRemainders(Value value, llvm::SetVector<Operation *> &remainders,
                              int depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 16 || !isVirtual(value) || isa<tt::LoadOp>(op))
    return;
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    remainders.insert(op);
  for (Value operand : op->getOperands())
    collectRemainders(operand, remainders, depth + 1);
}

/// A tile of indices, which are scalars and strides mostly: what is computed of it in 64 bits
/// takes no more registers than in 32.
static bool isIndex(Value value, Strides &strides) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isInteger(64) &&
         llvm::all_of(llvm::seq<int64_t>(0, type.getRank()),
                      [&](int64_t dim) { return strides.isLinear(value, dim); });
}

static void summarize(Value value, const llvm::DenseMap<Value, Buffer *> &buffers, Strides &strides,
                      llvm::SmallPtrSetImpl<Operation *> &seen, bool isHome, Summary &summary) {
  Type element = tt::elementType(value.getType());
  Operation *op = value.getDefiningOp();
  bool stored = buffers.contains(value) && !isHome;
  auto note = [&](Type t) { summary.note(!stored && isIndex(value, strides) ? 32 : bitsOf(t)); };
  if (stored || !op || !isVirtual(value)) {
    note(element);
    return;
  }
  if (!seen.insert(op).second)
    return;
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    note(element);
    ++summary.operations;
    if (load.getMask() && isa<RankedTensorType>(load.getMask().getType()))
      summary.masks.insert(load.getMask());
    collectRemainders(load.getPtr(), summary.remainders);
    if (load.getOther())
      summarize(load.getOther(), buffers, strides, seen, false, summary);
    return;
  }
  if (isa<tt::MakeRangeOp, arith::ConstantOp, tt::SplatOp>(op)) {
    note(element);
    return;
  }
  if (!isa<tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp, tt::ReshapeOp>(op)) {
    note(element);
    summary.operations += isPolynomial(op) ? kPolynomial : 1;
  }
  for (Value operand : op->getOperands())
    summarize(operand, buffers, strides, seen, false, summary);
}

static Summary summarize(const Step &step, const llvm::DenseMap<Value, Buffer *> &buffers,
                         Strides &strides) {
  Summary summary;
  llvm::SmallPtrSet<Operation *, 32> seen;
  for (const Root &root : step.roots) {
    // What is written is all there, also where it is an index.
    if (root.kind == Root::Assign) {
      summary.note(bitsOf(tt::elementType(root.value.getType())));
      summarize(root.value, buffers, strides, seen, buffers.lookup(root.value) == root.buffer,
                summary);
      continue;
    }
    if (auto store = dyn_cast<tt::StoreOp>(root.op)) {
      summary.note(bitsOf(tt::elementType(store.getValue().getType())));
      summarize(store.getValue(), buffers, strides, seen, false, summary);
      if (store.getMask() && isa<RankedTensorType>(store.getMask().getType()))
        summary.masks.insert(store.getMask());
      collectRemainders(store.getPtr(), summary.remainders);
      continue;
    }
    for (Value operand : root.op->getOperands())
      summarize(operand, buffers, strides, seen, false, summary);
  }
  return summary;
}

int64_t Lowering::chooseWidth(const Step &step) {
  for (const Root &root : step.roots)
    if (root.kind == Root::Atomic)
      return 1;
  Summary summary = summarize(step, buffers, strides);
  int64_t registers = summary.operations <= kThin ? 4 : summary.operations <= 4 * kThin ? 2 : 1;
  if (target.vectorRegisters < 32)
    registers = std::max<int64_t>(1, registers / 2);
  int64_t width = registers * target.vectorBits / summary.widestBits;
  return std::min<int64_t>(width, llvm::PowerOf2Ceil(step.shape[step.lanesDim]));
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

void Lowering::emitPhase(Step &step) {
  // A value that is already where it shall go needs nothing.
  llvm::erase_if(step.roots, [&](const Root &root) {
    return root.kind == Root::Assign && !isVirtual(root.value) &&
           buffers.lookup(root.value) == root.buffer;
  });
  if (step.roots.empty())
    return;
  const Root &first = step.roots.front();
  loc = first.op ? first.op->getLoc() : first.value.getLoc();
  if (step.mayReadDirectly && emitDirectRead(step))
    return;
  if (first.kind == Root::Print)
    return emitPrint(cast<tt::PrintOp>(first.op));
  if (step.transposed && step.lanesDim == static_cast<int64_t>(step.shape.size()) - 2)
    return emitTransposed(step);

  PhaseState state{&step, chooseWidth(step), {}, {}};
  bool givesScalar = false;
  for (const Root &root : step.roots) {
    if (root.kind != Root::Reduce)
      continue;
    auto reduce = cast<tt::ReduceOp>(root.op);
    state.accumulators.push_back({reduce, {}, false});
    givesScalar |= step.shape.size() == 1;
    for (Value result : reduce.getResults())
      if (auto type = dyn_cast<RankedTensorType>(result.getType()))
        buffers[result] = allocate(type, /*dense=*/false);
  }
  for (const Root &root : step.roots)
    if (root.kind == Root::Atomic)
      if (auto type = dyn_cast<RankedTensorType>(root.op->getResult(0).getType()))
        if (!root.op->getResult(0).use_empty())
          buffers[root.op->getResult(0)] = allocate(type, /*dense=*/false);

  int64_t rank = step.shape.size();
  for (int64_t d = 0; d < rank; ++d)
    if (d != step.lanesDim && d != step.reduceDim)
      state.loopOrder.push_back(d);
  bool reducesLanes = !state.accumulators.empty() && step.reduceDim < 0;
  int64_t chunks = llvm::divideCeil(step.shape[step.lanesDim], state.width);
  // With few chunks a row, values that depend on the column only stay in registers
  // over all rows.
  if (!reducesLanes && step.reduceDim < 0 && chunks <= 4 && state.width > 1)
    state.loopOrder.insert(state.loopOrder.begin(), step.lanesDim);
  else
    state.loopOrder.push_back(step.lanesDim);
  if (step.reduceDim >= 0)
    state.loopOrder.push_back(step.reduceDim);

  MemoScope scope(*this);
  Summary summary = summarize(step, buffers, strides);
  state.isPlain = summary.operations < kPolynomial;
  Conditions conditions;
  SmallVector<Value> proved;
  if (!hasDot && summary.operations <= kThin)
    for (Value mask : summary.masks)
      if (Value condition = allTrue(mask)) {
        proved.push_back(mask);
        conditions.push_back(condition);
      }
  SmallVector<Operation *> straight;
  for (Operation *remainder : summary.remainders)
    if (Value condition = staysStraight(remainder)) {
      straight.push_back(remainder);
      conditions.push_back(condition);
    }
  if (givesScalar || conditions.empty()) {
    straightRemainders.clear();
    return emitPhaseLoops(state);
  }
  auto branch = b.create<scf::IfOp>(loc, all(conditions), /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  auto emit = [&](Block *block, int64_t width) {
    MemoScope inner(*this);
    b.setInsertionPointToStart(block);
    PhaseState copy = state;
    copy.width = width;
    emitPhaseLoops(copy);
  };
  assumedMasks.insert(proved.begin(), proved.end());
  emit(branch.thenBlock(), state.width);
  assumedMasks.clear();
  straightRemainders.clear();
  // Elements of wrapped addresses are gathered: one register of them at a time.
  int64_t oneRegister = target.vectorBits / summary.widestBits;
  emit(branch.elseBlock(), straight.empty() ? state.width : std::min(state.width, oneRegister));
}

void Lowering::emitPhaseLoops(PhaseState &state) {
  Index index;
  index.dims.assign(state.step->shape.size(), {DimIndex::Pending, {}});
  emitLevel(state, 0, index);
}

void Lowering::hoistOperands(PhaseState &state, const Index &index) {
  if (!index.hasPending())
    return;
  for (const Root &root : state.step->roots) {
    if (root.kind == Root::Atomic)
      continue;
    if (root.kind == Root::Assign) {
      // The value itself is not there yet: look at what it is computed from.
      Operation *op = root.value.getDefiningOp();
      if (!op || !isVirtual(root.value) || isa<tt::ReshapeOp>(op))
        continue;
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        hoist(operand, operandIndex(op, i, index));
      continue;
    }
    for (Value operand : root.op->getOperands())
      hoist(operand, index);
  }
}

void Lowering::emitLevel(PhaseState &state, unsigned level, Index index) {
  if (level == state.loopOrder.size())
    return emitBody(state, index);
  hoistOperands(state, index);
  int64_t dim = state.loopOrder[level];
  bool innermost = level + 1 == state.loopOrder.size();
  if (innermost && !state.accumulators.empty())
    return emitReduceLevel(state, level, index);
  if (dim == state.step->lanesDim && state.width > 1)
    return emitLanesLevel(state, level, index);
  int64_t extent = state.step->shape[dim];
  auto at = [&](Value i) {
    Index next = index;
    next.dims[dim] = {DimIndex::Scalar, i};
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
  int64_t dim = state.step->lanesDim, extent = state.step->shape[dim];
  int64_t full = extent / state.width * state.width, rest = extent - full;
  auto at = [&](Value first, int64_t width, int64_t valid) {
    Index next = index;
    next.dims[dim] = {DimIndex::Lanes, first};
    next.width = width;
    next.valid = valid;
    emitLevel(state, level + 1, next);
  };
  if (full == state.width)
    at(i64(0), state.width, state.width);
  else if (full > 0)
    loop(i64(0), i64(full), state.width, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      at(i, state.width, state.width);
      return {};
    });
  if (rest > 0) {
    MemoScope scope(*this);
    at(i64(full), std::max<int64_t>(2, llvm::PowerOf2Ceil(rest)), rest);
  }
}

void Lowering::emitBody(PhaseState &state, const Index &index) {
  // Everything is evaluated before anything is written.
  SmallVector<std::pair<const Root *, Chunk>> writes;
  for (const Root &root : state.step->roots) {
    if (root.kind == Root::Store) {
      auto store = cast<tt::StoreOp>(root.op);
      writes.push_back({&root, evaluate(store.getValue(), index)});
    } else if (root.kind == Root::Assign) {
      bool isHome = isVirtual(root.value) && buffers.lookup(root.value) == root.buffer;
      Chunk chunk;
      if (isHome) {
        // Not in its buffer yet: computed here, remembered for the other roots.
        buffers.erase(root.value);
        chunk = evaluate(root.value, index);
        buffers[root.value] = root.buffer;
      } else {
        chunk = evaluate(root.value, index);
      }
      writes.push_back({&root, chunk});
    }
  }
  for (Accumulators &acc : state.accumulators)
    accumulate(acc, index);
  for (const Root &root : state.step->roots) {
    if (root.kind == Root::Atomic) {
      loc = root.op->getLoc();
      emitAtomic(root.op, index);
    } else if (root.kind == Root::Assert) {
      loc = root.op->getLoc();
      emitAssert(cast<tt::AssertOp>(root.op), index);
    }
  }
  for (auto &[root, chunk] : writes) {
    if (root->kind == Root::Assign) {
      Index at = index;
      if (root->buffer == swappedBuffer)
        std::swap(at.dims[at.dims.size() - 2], at.dims.back());
      writeBuffer(*root->buffer, at, chunk);
    } else {
      loc = root->op->getLoc();
      emitStore(cast<tt::StoreOp>(root->op), chunk, index);
    }
  }
}

} // namespace tritium::cpu
