//===- PlanRounds.cpp - rounds of a loop that are multiplied at once ------===//
//
//   for %i = .. iter_args(%acc = ..) { %a = load(P);  %b = load(Q);  yield dot(%a, %b, %acc) }
//
// A round of 32 or 64 k packs its part of b, and moves its sums from memory to registers and
// back. Where a loop does nothing else, the tiles of several rounds, which as a rule follow each
// other in memory, are multiplied as one: sums stay in registers, and b is packed once, in panels.
//
// Programs that run one after another often multiply by the same columns of b. What was packed
// is kept for them, if nothing in a launch can write to b: arrays do not overlap, no pointer
// comes from memory, no store goes to b's array, and there are no atomics, volatile loads and loops
// by which one program might wait for what others, or the host, write.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

#include "tritium/Analysis/PointerBases.h"
#include "tritium/Analysis/WaitLoops.h"

using namespace mlir;

namespace tritium::cpu {

/// Rows of a panel: with rows of two registers of 512 bits they take half of a first-level cache.
/// Where each takes twice the k, half of them.
constexpr int64_t kPanelRows = 128;
/// Of a b that is not packed, so many rows can go at once.
constexpr int64_t kRowsInPlace = 256;

/// So many rows of such a b are multiplied at once. CPUs fetch ahead along a few rows; more of them
/// save sums their way to memory and back.
static int64_t rowsInPlace(const TargetInfo &target, int64_t m, int64_t group) {
  if (m <= kVeryFewRows)
    return std::min<int64_t>(8 * group, 16);
  return target.hasLargeFirstCache ? 32 : 64;
}

/// So few rows of a do not make up for packing b: twice the rows of a block. Blocks of bytes have
/// half as many on AArch64, where those of four registers of columns are read at once.
static int64_t fewRows(const TargetInfo &target, Type operand) {
  return target.vectorRegisters <= 16 || (!target.isX86 && operand.isInteger(8)) ? 8 : 16;
}

/// The product of a block that does nothing but load its operands and add it to what the loop
/// carries; null if there is more.
static Step *onlyProduct(StepList &steps) {
  Step *product = nullptr;
  for (Step &step : steps)
    if (step.kind == Step::Dot) {
      if (product)
        return nullptr;
      product = &step;
    }
  if (!product || !product->before.empty())
    return nullptr;
  auto dot = cast<tt::DotOp>(product->op);
  auto isOperand = [&](const Root &root) {
    return root.kind == Root::Assign && (root.value == dot.getA() || root.value == dot.getB());
  };
  for (const Step &step : steps) {
    bool suits = &step == product || (step.kind == Step::Scalar && isMemoryEffectFree(step.op)) ||
                 (step.kind == Step::Phase && llvm::all_of(step.roots, isOperand));
    if (!suits)
      return nullptr;
  }
  return product;
}

std::optional<RoundsPlan::Operand> Planner::operandOfRounds(Step &step, tt::DotOp op, Value value,
                                                            int64_t kDim) {
  auto [load, isTurned] = loadedMatrix(value);
  auto type = load ? dyn_cast<RankedTensorType>(load.getPtr().getType()) : nullptr;
  if (!type || load->getBlock() != op->getBlock() || load.getIsVolatile())
    return std::nullopt;
  int64_t along = isContiguous(load.getPtr(), 1, facts.strides) ? 1 : 0;
  if (!isContiguous(load.getPtr(), along, facts.strides) ||
      !facts.strides.isLinear(load.getPtr(), 1 - along) || !isArithmetic(load.getPtr())) {
    step.apart = {load, "the rows of a tile are not known to be one distance apart"};
    return std::nullopt;
  }
  RoundsPlan::Operand operand{load, along == (isTurned ? 1 - kDim : kDim), {}, along};
  if (load.getMask()) {
    Guard guard;
    auto whole = TileConditions(facts.ranges, facts.strides, guard.code).allTrue(load.getMask());
    if (!whole) {
      step.apart = {load,
                    "its mask is more than bounds of indices, so nothing tells soon whether it is "
                    "true everywhere"};
      return std::nullopt;
    }
    guard.holds = *whole;
    operand.whole = std::move(guard);
  }
  return operand;
}

/// In which parts AMX multiplies the operands as if they were bf16, if it can: fp16 exactly, fp32
/// where the product may be less exact than that.
std::optional<DotForm> Planner::formOfParts(const RoundsPlan &rounds) const {
  tt::DotOp op = rounds.op;
  auto areOf = [&](auto isType) {
    return llvm::all_of(std::array{rounds.a.load, rounds.b.load},
                        [&](tt::LoadOp load) { return isType(pointeeOf(load.getPtr())); });
  };
  if (!target.hasBF16Tiles || !rounds.dot.accumulator->element.isF32())
    return std::nullopt;
  if (areOf([](Type type) { return type.isF16(); }))
    return DotForm::HalfParts;
  bool mayRound = op.getInputPrecision() == tt::InputPrecision::BF16x3 ||
                  op.getInputPrecision() == tt::InputPrecision::TF32;
  if (mayRound && areOf([](Type type) { return type.isF32(); }))
    return DotForm::FloatParts;
  return std::nullopt;
}

/// Where the operands stand when they are multiplied; false if nothing copies or packs them so.
bool Planner::planOperandsOfRounds(RoundsPlan &rounds) {
  DotPlan &dot = rounds.dot;
  // Fewer columns do not make up for a copy of a, or for asking for its rows.
  constexpr int64_t fewColumns = 128;
  if (partsOf(dot.form) > 1) {
    rounds.aStands = RoundsPlan::Copied;
    rounds.asksForRows = rounds.n >= fewColumns;
    dot.a = {};
    dot.b = {nullptr, nullptr, /*readsMemory=*/true, /*isTurned=*/rounds.b.alongK};
    return rounds.a.alongK;
  }
  Type to = operandType(rounds.op, dot.form);
  int64_t group = groupOf(dot.form), bytes = tt::scalarBytes(to);
  int64_t inRegister = target.vectorBits / 8 / bytes;
  constexpr int64_t piece = 16; // bytes: what turning a matrix over loads at once
  auto isOf = [&](const RoundsPlan::Operand &operand) {
    return pointeeOf(tt::LoadOp(operand.load).getPtr()) == to;
  };
  if (rounds.a.alongK ? rounds.k % inRegister != 0
                      : !isOf(rounds.a) || rounds.m * bytes % piece != 0)
    return false;
  if (rounds.b.alongK ? !isOf(rounds.b) || rounds.k * bytes % piece != 0 || rounds.k % group != 0
                      : rounds.n % inRegister != 0)
    return false;
  bool inPlace = rounds.a.alongK && isOf(rounds.a);
  rounds.bInPlace = rounds.m <= fewRows(target, to) && !rounds.b.alongK && !dot.onTiles &&
                    rounds.k % group == 0 && (isa<FloatType>(to) || to.isInteger(8));
  // Beside rows of b, those of a would compete for few sets of the first-level cache.
  inPlace &= !rounds.bInPlace || rounds.m == 1;
  rounds.aStands = !inPlace                                ? RoundsPlan::Copied
                   : dot.onTiles && rounds.n >= fewColumns ? RoundsPlan::InPlaceIfFast
                                                           : RoundsPlan::InPlace;
  rounds.asksForRows = inPlace && dot.onTiles && rounds.n >= fewColumns;
  dot.a = {nullptr, nullptr, /*readsMemory=*/true};
  dot.b = {nullptr, nullptr, /*readsMemory=*/true, /*isTurned=*/rounds.b.alongK};
  return true;
}

/// Whether nothing that runs during a launch writes to what is loaded.
bool Planner::stays(tt::LoadOp load) {
  if (options.mayAlias || metadata.hasIndirectPointers || !basesOf(load.getPtr()).only())
    return false;
  auto mayChange = [&](tt::MemoryAccess access) {
    return access.isAtomic() || (hasEffect<MemoryEffects::Write>(access) &&
                                 mayShareBase(access->getOperand(0), load.getPtr()));
  };
  return !kernel
              .walk([&](Operation *op) {
                auto access = dyn_cast<tt::MemoryAccess>(op);
                bool isOver = (access && mayChange(access)) || waitsForOthers(op);
                return isOver ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Decides how many b of n columns and k rows, packed, are kept, in so many bytes.
void Planner::keepPacked(DotPlan &dot, tt::DotOp op, tt::LoadOp load, int64_t n, int64_t k,
                         int64_t mostBytes) {
  int64_t bytes = k * llvm::alignTo(n, target.vectorBits / 32) *
                  tt::scalarBytes(operandType(op, dot.form)) * partsOf(dot.form);
  int64_t most = partsOf(dot.form) > 1 ? kMostKeptPartBytes : kMostKeptBytes;
  int64_t kept = std::min(most - plan.keptBytes, mostBytes) / bytes;
  if (kept < 1 || !stays(load))
    return;
  dot.kept = kept;
  plan.keptBytes += kept * bytes;
  dot.keys = allocate({kept, partsOf(dot.form) > 1 ? 3 : 2},
                      IntegerType::get(kernel.getContext(), 64), /*dense=*/true);
  plan.keys.push_back(dot.keys);
}

/// Buffers for the operands of `rounds`, a copy and panels.
void Planner::allocateOperands(RoundsPlan &rounds) {
  DotForm form = rounds.dot.form;
  Type to = operandType(rounds.op, form), sum = rounds.dot.accumulator->element;
  int64_t group = groupOf(form), parts = partsOf(form);
  int64_t lanes = panelLanes(target, form, target.vectorBits / tt::scalarBits(sum), rounds.n);
  int64_t panels = llvm::divideCeil(rounds.n, lanes), slots = std::max<int64_t>(rounds.dot.kept, 1);
  rounds.dot.panelRows = llvm::divideCeil(rounds.k, group) * parts + hasStartRow(form);
  if (!rounds.bInPlace)
    rounds.dot.b.packed =
        allocate({slots, panels, rounds.dot.panelRows, lanes * group}, to, /*dense=*/true);
  else if (int64_t bytes = bytesOfSharedGroups(target, form, rounds.m, rounds.rowsAtOnce))
    rounds.dot.b.packed =
        allocate({bytes}, IntegerType::get(kernel.getContext(), 8), /*dense=*/true);
  // A line of the cache more: the rows of a copy do not compete for its sets.
  int64_t rowOfCopy = rounds.k * parts + kCacheLine / int64_t(tt::scalarBytes(to));
  int64_t rowsOfCopy =
      rounds.aStands == RoundsPlan::InPlaceIfFast ? std::min(rounds.m, kBlockRows) : rounds.m;
  if (rounds.aStands != RoundsPlan::InPlace)
    rounds.dot.a.packed = allocate({rowsOfCopy, rowOfCopy}, to, /*dense=*/true);
  if (parts == 1)
    return;
  rounds.verdicts = allocate({2}, IntegerType::get(kernel.getContext(), 64), /*dense=*/true);
  if (rounds.b.alongK)
    rounds.dot.b.stored = allocate({lanes, rowOfCopy}, to, /*dense=*/true);
}

/// The rounds, with the product in this form; none if it cannot be.
std::optional<RoundsPlan> Planner::inForm(RoundsPlan rounds, DotForm form) {
  int64_t round = rounds.op.getA().getType().getDimSize(1);
  rounds.dot.form = form;
  // So many rows are 512 bytes of each row of a. Parts, too, stand there as the numbers they are
  // of.
  int64_t bytes = tt::scalarBytes(pointeeOf(tt::LoadOp(rounds.a.load).getPtr()));
  int64_t group = partsOf(form) > 1 ? 4 / bytes : groupOf(form);
  rounds.count = std::max<int64_t>(kPanelRows * group / rowsOf(form) / round, 1);
  rounds.k = rounds.count * round;
  rounds.dot.onTiles = isOnTiles(form, rounds.m, rounds.n, rounds.k);
  if ((partsOf(form) > 1 && !rounds.dot.onTiles) || !planOperandsOfRounds(rounds))
    return std::nullopt;
  if (rounds.bInPlace) {
    rounds.rowsAtOnce = rowsInPlace(target, rounds.m, group);
    int64_t times = std::max<int64_t>(kRowsInPlace / rounds.k, 1);
    rounds.count *= times;
    rounds.k *= times;
  }
  return rounds;
}

void Planner::planRounds(Step &step, scf::ForOp loop) {
  Step *product = onlyProduct(step.blocks.front());
  Type index = loop.getInductionVar().getType();
  if (!product || !step.copies.empty() || !index.isInteger() || index.getIntOrFloatBitWidth() > 32)
    return;
  auto op = cast<tt::DotOp>(product->op);
  RankedTensorType type = op.getType();
  auto carriesTile = [](Value value) { return isa<RankedTensorType>(value.getType()); };
  auto accumulator = dyn_cast_or_null<BlockArgument>(carriedAccumulator(op.getResult(), loop));
  if (type.getRank() != 2 || type.getElementType() != product->dot->accumulator->element ||
      llvm::count_if(loop.getRegionIterArgs(), carriesTile) != 1 || !accumulator ||
      accumulator != op.getC())
    return;
  auto a = operandOfRounds(step, op, op.getA(), 1), b = operandOfRounds(step, op, op.getB(), 0);
  if (!a || !b)
    return;
  RoundsPlan common{.op = op, .a = *a, .b = *b, .dot = *product->dot};
  common.m = type.getDimSize(0), common.n = type.getDimSize(1);
  common.dot.upcoming.clear();
  std::optional<RoundsPlan> rounds;
  if (auto parts = formOfParts(common))
    rounds = inForm(common, *parts);
  if (!rounds)
    rounds = inForm(common, common.dot.form);
  if (!rounds)
    return;
  if (!rounds->bInPlace)
    keepPacked(rounds->dot, op, rounds->b.load, rounds->n, rounds->k, kMostKeptPartBytes);
  if (rounds->count == 1 && !rounds->bInPlace && !rounds->dot.kept &&
      partsOf(rounds->dot.form) == 1)
    return;
  // Of several chunks, what is kept of the next one may have left the second-level cache.
  rounds->asksForPanels = partsOf(rounds->dot.form) > 1 && rounds->dot.kept > 1;
  if (rounds->dot.kept > 1) {
    rounds->dot.strangers =
        allocate({1}, IntegerType::get(kernel.getContext(), 64), /*dense=*/true);
    plan.keys.push_back(rounds->dot.strangers);
  }
  allocateOperands(*rounds);
  rounds->fromZero = !rounds->bInPlace && isPositiveZero(loop.getTiedLoopInit(accumulator)->get());
  if (rounds->fromZero)
    step.before.clear();
  plan.usesTiles |= rounds->dot.onTiles;
  step.rounds = std::move(*rounds);
}

} // namespace tritium::cpu
