//===- PlanPhase.cpp - the loops of a phase -------------------------------===//
//
// A phase runs over a tile's shape: one dimension in chunks of `width` lanes, the rest
// in scalar loops. PlanVersions.cpp says which of them need no masks.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tritium::cpu {

constexpr int kPolynomial = 12; ///< operations that an evaluation of one counts as

//===----------------------------------------------------------------------===//
// What is evaluated
//===----------------------------------------------------------------------===//

/// Of a lane; none of a mask.
static unsigned bitsOf(Type element) {
  if (element.isInteger(1))
    return 0;
  return tt::isTileFloat(element) ? std::max(32u, tt::scalarBits(element))
                                  : tt::scalarBits(element);
}

/// Remainders of tiles that the address `value` is computed from.
static void collectRemainders(Value value, llvm::SetVector<Operation *> &remainders,
                              int depth = 0) {
  constexpr int maxDepth = 16;
  Operation *op = value.getDefiningOp();
  if (!op || depth > maxDepth || !isVirtual(value) || isa<tt::LoadOp>(op))
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

void Planner::summarize(Value value, bool isHome, llvm::SmallPtrSetImpl<Operation *> &seen,
                        PhaseSummary &summary) {
  Operation *op = value.getDefiningOp();
  bool stored = isStored(value) && !isHome;
  auto note = [&] {
    unsigned bits = bitsOf(tt::elementType(value.getType()));
    summary.widestBits =
        std::max(summary.widestBits, !stored && isIndex(value, facts.strides) ? 32u : bits);
  };
  if (stored || !op || !isVirtual(value))
    return note();
  if (!seen.insert(op).second)
    return;
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    note();
    ++summary.operations;
    if (load.getMask() && isa<RankedTensorType>(load.getMask().getType()))
      summary.masks.insert(load.getMask());
    collectRemainders(load.getPtr(), summary.remainders);
    if (load.getOther())
      summarize(load.getOther(), false, seen, summary);
    return;
  }
  if (isa<tt::MakeRangeOp, arith::ConstantOp, tt::SplatOp>(op))
    return note();
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && isa<RankedTensorType>(select.getCondition().getType()))
    summary.masks.insert(select.getCondition());
  if (keepsPlaces(op)) {
    note();
    summary.operations += isPolynomial(op) || isa<tt::MapElementwiseOp>(op) ? kPolynomial : 1;
  }
  for (Value operand : op->getOperands())
    summarize(operand, false, seen, summary);
}

PhaseSummary Planner::summarize(const Step &step) {
  PhaseSummary summary;
  llvm::SmallPtrSet<Operation *, 32> seen;
  // What is written is all there, also where it is an index.
  auto noteWritten = [&](Value value) {
    summary.widestBits = std::max(summary.widestBits, bitsOf(tt::elementType(value.getType())));
  };
  for (const Root &root : step.roots) {
    if (root.kind == Root::Assign) {
      noteWritten(root.value);
      summarize(root.value, root.isHome, seen, summary);
      continue;
    }
    if (auto store = dyn_cast<tt::StoreOp>(root.op)) {
      noteWritten(store.getValue());
      summarize(store.getValue(), false, seen, summary);
      if (store.getMask() && isa<RankedTensorType>(store.getMask().getType()))
        summary.masks.insert(store.getMask());
      collectRemainders(store.getPtr(), summary.remainders);
      continue;
    }
    for (Value operand : root.op->getOperands())
      summarize(operand, false, seen, summary);
    if (auto combining = dyn_cast<tt::Combining>(root.op);
        combining && isCombinedByCalls(combining))
      summary.operations += kPolynomial;
  }
  return summary;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool hasRoot(const Step &step, Root::Kind kind) {
  return llvm::any_of(step.roots, [&](const Root &root) { return root.kind == kind; });
}

int64_t Planner::chooseWidth(const Step &step, const PhaseSummary &summary) const {
  if (hasRoot(step, Root::Atomic) || hasRoot(step, Root::Count))
    return 1;
  int64_t registers = summary.operations <= kThin ? 4 : summary.operations <= 4 * kThin ? 2 : 1;
  if (target.vectorRegisters < 32)
    registers = std::max<int64_t>(1, registers / 2);
  // The CPU fetches ahead only where lines are asked for strictly from the last to the first.
  if (step.backward)
    registers = 1;
  int64_t width = registers * target.vectorBits / summary.widestBits;
  return std::min<int64_t>(width, llvm::PowerOf2Ceil(step.shape[step.lanesDim]));
}

void Planner::orderLoops(Step &step) {
  for (int64_t d = 0; d < int64_t(step.shape.size()); ++d)
    if (d != step.lanesDim && d != step.reduceDim)
      step.loopOrder.push_back(d);
  bool combinesLanes =
      (hasRoot(step, Root::Reduce) || hasRoot(step, Root::Scan)) && step.reduceDim < 0;
  int64_t width = step.versions.front().width;
  int64_t chunks = llvm::divideCeil(step.shape[step.lanesDim], width);
  // With few chunks a row, values that depend on the column only stay in registers
  // over all rows.
  constexpr int64_t fewChunks = 4;
  if (!combinesLanes && step.reduceDim < 0 && chunks <= fewChunks && width > 1)
    step.loopOrder.insert(step.loopOrder.begin(), step.lanesDim);
  else
    step.loopOrder.push_back(step.lanesDim);
  if (step.reduceDim >= 0)
    step.loopOrder.push_back(step.reduceDim);
}

void Planner::completePhase(Step &step) {
  // A value that is already where it shall go needs nothing.
  llvm::erase_if(step.roots, [&](const Root &root) {
    return root.kind == Root::Assign && !isVirtual(root.value) &&
           plan.home(root.value) == root.buffer;
  });
  if (step.roots.empty())
    return;
  if (step.transposed && step.lanesDim == int64_t(step.shape.size()) - 2)
    planTurned(step);
  if (step.isReadDirectly && planDirectRead(step) && !step.whole)
    return;
  const Root &first = step.roots.front();
  if (first.op)
    planReport(step, first.op);
  if (first.kind == Root::Print)
    return;
  if (step.transposed && step.lanesDim == int64_t(step.shape.size()) - 2)
    return planTransposed(step);
  allocateResults(step);
  for (Root &root : step.roots)
    root.roundsForProducts = isRoundedForProducts(root);
  for (Root &root : step.roots)
    root.fetchesLaterRows = root.kind == Root::Store && hasDot && step.shape.size() == 2 &&
                            isArithmetic(root.op->getOperand(0));
  PhaseSummary summary = summarize(step);
  step.isPlain = summary.operations < kPolynomial;
  step.versions.push_back({chooseWidth(step, summary), nullptr, {}, {}});
  orderLoops(step);
  planVersions(step, summary);
  for (Loops &loops : step.versions)
    loops.streamed = streamedStore(step, loops);
}

/// Products take what is below 2^-126 for zero, as does the instruction that rounds to bf16.
bool Planner::isRoundedForProducts(const Root &root) const {
  auto cast = root.kind == Root::Assign && root.isHome && root.buffer->element.isBF16()
                  ? root.value.getDefiningOp<arith::TruncFOp>()
                  : nullptr;
  return cast && target.isX86 && !cast.getRoundingmode() &&
         tt::elementType(cast.getIn().getType()).isF32() &&
         llvm::all_of(root.value.getUses(), [&](OpOperand &use) {
           auto dot = dyn_cast<tt::DotOp>(use.getOwner());
           return dot && use.getOperandNumber() < 2 && takesBF16(formOf(dot));
         });
}

void Planner::allocateResults(const Step &step) {
  for (Root::Kind kind : {Root::Reduce, Root::Scan, Root::Atomic, Root::Count})
    for (const Root &root : step.roots)
      if (root.kind == kind && root.isReadLater)
        for (Value result : root.op->getResults())
          if (auto type = dyn_cast<RankedTensorType>(result.getType()))
            if (kind != Root::Atomic || !result.use_empty())
              setHome(result, allocate(type, /*dense=*/false));
}

/// The tile is first copied as it stands in memory, then transposed from buffer to buffer.
void Planner::planTransposed(Step &step) {
  Root root = step.roots.front();
  SmallVector<int64_t> shape(step.shape);
  std::swap(shape[shape.size() - 2], shape.back());
  // Needed within this step only, so all steps of one shape share it.
  Buffer *&copy =
      transposeCopies[{{shape.begin(), shape.end()}, root.buffer->element.getAsOpaquePointer()}];
  if (!copy)
    copy = allocate(shape, root.buffer->element, /*dense=*/false);
  root.buffer = copy;
  Step &gather = step.before.emplace_back(Step::Phase);
  gather.shape = step.shape;
  gather.lanesDim = step.lanesDim;
  gather.writesSwapped = true;
  gather.roots.push_back(root);
  completePhase(gather);
}

/// A product that takes groups of k reads what is contiguous along k as such groups: it need not
/// stand in memory by rows of k.
bool Planner::planTurned(Step &step) {
  Root &root = step.roots.front();
  auto dot = root.value.hasOneUse() ? dyn_cast<tt::DotOp>(*root.value.user_begin()) : nullptr;
  if (!dot || dot.getB() != root.value || !root.isHome)
    return false;
  int64_t group = groupOf(formOf(dot)), rank = step.shape.size();
  if (group == 1 || step.shape[rank - 2] % group || root.buffer->element != operandType(dot))
    return false;
  SmallVector<int64_t> shape(step.shape);
  std::swap(shape[rank - 2], shape[rank - 1]);
  root.buffer = allocate(shape, root.buffer->element, /*dense=*/false);
  setHome(root.value, root.buffer);
  turned.insert(root.value);
  step.transposed = false;
  step.writesSwapped = true;
  return true;
}

/// A product reads its first operand one group at a time, so nothing is won by packing it but a
/// short stride; its second operand is packed in groups from where it is. Where a mask hides a part
/// of it, it is copied as usual.
bool Planner::planDirectRead(Step &step) {
  step.isReadDirectly = false;
  Value value = step.roots.front().value;
  auto [load, isTransposed] = loadedMatrix(value);
  auto dot = cast<tt::DotOp>(*value.user_begin());
  auto type = cast<RankedTensorType>(value.getType());
  auto ptrType = dyn_cast<RankedTensorType>(load.getPtr().getType());
  Type element = type.getElementType();
  if (!ptrType || type.getRank() != 2 || operandType(dot) != element)
    return false;
  int64_t bytes = tt::scalarBytes(element), registerBytes = target.vectorBits / 8;
  if (dot.getA() == value) {
    int64_t lanesOfRegister = registerBytes / tt::scalarBytes(tt::elementType(dot.getType()));
    if (isTransposed || step.transposed ||
        cast<RankedTensorType>(dot.getType()).getDimSize(1) <= lanesOfRegister)
      return false;
  } else {
    // Packing reads registers, the last one in part where AVX-512 can, or pieces of 16 bytes where
    // it turns the matrix over.
    bool isTurned = turned.contains(value);
    int64_t rowBytes = type.getDimSize(isTurned ? 0 : 1) * bytes;
    int64_t unit = isTurned ? 16 : target.vectorBits == 512 ? bytes : registerBytes;
    if (formOf(dot) == DotForm::Single || step.transposed || rowBytes % unit)
      return false;
  }
  // The dimension of the loaded tile that is contiguous.
  int64_t along = turned.contains(value) == isTransposed;
  if (!isContiguous(load.getPtr(), along, facts.strides) ||
      !facts.strides.isLinear(load.getPtr(), 1 - along) || !isArithmetic(load.getPtr()))
    return false;
  if (load.getMask()) {
    Guard guard;
    auto whole = TileConditions(facts.ranges, facts.strides, guard.code).allTrue(load.getMask());
    if (!whole)
      return false;
    guard.holds = *whole;
    step.whole = std::move(guard);
  }
  step.isReadDirectly = true;
  readDirectly.insert(value);
  return true;
}

} // namespace tritium::cpu
