//===- PlanEpilogue.cpp - what is done with sums block by block -----------===//
//
//   %sums = for .. { .. }            multiply the first rounds
//   store P, f(%sums), M       ->    for each block of the product of the last rounds, by AMX:
//                                      multiply; store P, f(block), M, of this block
//
// A block of AMX is 4 KB, in the first-level cache, and written to memory while the next one is
// multiplied. Otherwise all sums are stored, in the second-level cache as a rule, and read again.
//
// The stores of a block come before products of later blocks, which read a where it lies, so none
// of them may go to the memory of a. What b needs is packed before. Nothing else is read or written
// in between. The phase must need nothing of the loop but the sums, each at its own place, and must
// call nothing, so that the registers of AMX stay configured. What computes scalars for it is done
// in front of the loop.
//
// Blocks of FMA are smaller, and of them the phase would be more code. But one that only stores the
// sums as they are to rows a distance apart, which its mask does not cut, needs none: the last
// product stores its blocks there. This is for blocks of four registers of columns (kWidePanel).
//
// In the same way what the sums of one product begin with is computed where the product comes to a
// block, like the sums of attention that are scaled because a row's maximum has grown:
//
//   %c = f(%acc);  dot(%a, %b, %c)  ->  for each block: %acc = f(%acc), of this block; multiply
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

#include "tritium/Analysis/PointerBases.h"
#include "tritium/Conversion/TileToCPU/MicroKernel.h"

using namespace mlir;

namespace tritium::cpu {

static bool isRoot(Operation *op, const Step &phase) {
  return llvm::any_of(phase.roots, [&](const Root &root) { return root.op == op; });
}

/// Every use of `sums` leads, element by element, to stores of `phase` and nowhere else.
static bool isOnlyStored(Value sums, const Step &phase) {
  llvm::SetVector<Value> values;
  values.insert(sums);
  for (unsigned i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      if (isRoot(user, phase))
        continue;
      if (user->getBlock() != phase.roots.front().op->getBlock() || user->getNumResults() != 1 ||
          !isVirtual(user->getResult(0)) || !keepsPlaces(user))
        return false;
      values.insert(user->getResult(0));
    }
  return true;
}

/// An operation on elements that becomes a call, or may.
static bool mayCall(Operation *op) {
  return op->getNumRegions() ||
         (isPolynomial(op) && tt::elementType(op->getResult(0).getType()).isF64());
}

/// What `phase` computes calls no function, and takes nothing of `loop`, if there is one, but
/// `sums`.
static bool needsOnly(const Step &phase, Operation *loop, Value sums) {
  llvm::SetVector<Value> values;
  for (const Root &root : phase.roots)
    if (root.op)
      values.insert(root.op->operand_begin(), root.op->operand_end());
    else
      values.insert(root.value);
  for (unsigned i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (op && op == loop && values[i] != sums)
      return false;
    if (!op || !isVirtual(values[i]))
      continue;
    if (mayCall(op))
      return false;
    values.insert(op->operand_begin(), op->operand_end());
  }
  return true;
}

/// The tile that a loop of rounds gives: it carries no other.
static Value sumsOf(scf::ForOp loop) {
  return *llvm::find_if(loop.getResults(),
                        [](Value value) { return isa<RankedTensorType>(value.getType()); });
}

bool Planner::fitsEpilogue(const Step &loop, const Step &phase) {
  const RoundsPlan &rounds = *loop.rounds;
  auto isStore = [](const Root &root) { return root.kind == Root::Store; };
  // Of a result that is turned over, the rows of a block would be columns.
  if (ArrayRef(phase.shape) != ArrayRef<int64_t>{rounds.m, rounds.n} || phase.lanesDim != 1 ||
      phase.reduceDim >= 0 || !llvm::all_of(phase.roots, isStore))
    return false;
  auto overwritesA = [&](const Root &root) {
    return mayShareBase(root.op->getOperand(0), tt::LoadOp(rounds.a.load).getPtr());
  };
  auto loopOp = cast<scf::ForOp>(loop.op);
  Value sums = sumsOf(loopOp);
  return llvm::none_of(phase.roots, overwritesA) && isOnlyStored(sums, phase) &&
         needsOnly(phase, loopOp, sums);
}

/// Whether the product can store the sums where `phase` would.
std::optional<EpiloguePlan> Planner::storedByProduct(const RoundsPlan &rounds, const Step &phase,
                                                     Value sums) {
  const DotPlan &dot = rounds.dot;
  int64_t lanes = target.vectorBits / tt::scalarBits(dot.accumulator->element);
  // Whole registers are stored, and the panels of other forms have other columns.
  if (dot.form != DotForm::Single || !target.hasLargeFirstCache || rounds.n % lanes)
    return std::nullopt;
  auto store = cast<tt::StoreOp>(phase.roots.front().op);
  Value at = store.getPtr();
  if (phase.roots.size() != 1 || store.getValue() != sums || rounds.bInPlace ||
      dot.rowOfPackedB() != kWidePanel * lanes || pointeeOf(at) != dot.accumulator->element ||
      !isContiguous(at, 1, facts.strides) || !facts.strides.isLinear(at, 0) || !isArithmetic(at))
    return std::nullopt;
  EpiloguePlan epilogue{.sums = sums, .store = store};
  if (!store.getMask())
    return epilogue;
  Guard guard;
  auto whole = TileConditions(facts.ranges, facts.strides, guard.code).allTrue(store.getMask());
  if (!whole)
    return std::nullopt;
  guard.holds = *whole;
  epilogue.holds = std::move(guard);
  return epilogue;
}

/// The same phase over one block of sums.
StepList Planner::planBlockOf(const Step &phase) {
  StepList steps;
  Step &block = steps.emplace_back(Step::Phase);
  block.shape.assign(2, kBlockRows);
  block.lanesDim = phase.lanesDim;
  block.roots = phase.roots;
  completePhase(block);
  return steps;
}

/// The phase that assigns what the sums of `product` begin with goes block by block.
void Planner::planPrologue(Step &product, tt::DotOp op) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  if (!product.dot->onTiles || product.before.size() != 1 || shape.size() != 2 ||
      shape[0] % kBlockRows || shape[1] % kBlockRows)
    return;
  const Step &phase = product.before.front();
  // One that is turned over or has steps of its own goes over columns, or over the whole.
  bool isPlain = phase.kind == Step::Phase && phase.lanesDim == 1 && phase.before.empty() &&
                 !phase.versions.empty() && phase.roots.size() == 1;
  if (isPlain && phase.roots.front().value == op.getC() && needsOnly(phase, nullptr, {}))
    product.beforeBlock = planBlockOf(phase);
}

/// The phase behind `loop`, if nothing but scalars that can be computed in front of it stand
/// between them; else the end.
static StepList::iterator phaseBehind(StepList &steps, StepList::iterator loop) {
  auto it = std::next(loop);
  for (; it != steps.end() && it->kind == Step::Scalar; ++it) {
    bool comesOfLoop =
        llvm::any_of(it->op->getOperands(), [&](Value v) { return v.getDefiningOp() == loop->op; });
    if (comesOfLoop || !isMemoryEffectFree(it->op))
      return steps.end();
  }
  return it != steps.end() && it->kind == Step::Phase ? it : steps.end();
}

void Planner::planEpilogues(StepList &steps) {
  if (options.mayAlias || metadata.hasIndirectPointers)
    return;
  for (auto loop = steps.begin(); loop != steps.end(); ++loop) {
    if (!loop->rounds)
      continue;
    const RoundsPlan &rounds = *loop->rounds;
    bool onTiles = rounds.dot.onTiles;
    if (onTiles && (rounds.m % kBlockRows || rounds.n % kBlockRows))
      continue;
    auto phase = phaseBehind(steps, loop);
    if (phase == steps.end() || !fitsEpilogue(*loop, *phase))
      continue;
    EpiloguePlan epilogue{.sums = sumsOf(cast<scf::ForOp>(loop->op))};
    if (onTiles) {
      epilogue.ofBlock =
          allocate({kBlockRows, kBlockRows}, rounds.dot.accumulator->element, /*dense=*/true);
      epilogue.block = planBlockOf(*phase);
    } else if (auto stored = storedByProduct(rounds, *phase, epilogue.sums)) {
      epilogue = std::move(*stored);
    } else {
      continue;
    }
    steps.splice(loop, steps, std::next(loop), phase);
    epilogue.whole.splice(epilogue.whole.end(), steps, phase);
    loop->rounds->epilogue = std::move(epilogue);
  }
}

} // namespace tritium::cpu
