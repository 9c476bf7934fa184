//===- PlanStorage.cpp - which tiles stand in scratch memory, since when --===//

#include "Planner.h"

#include "tritium/Analysis/WaitLoops.h"

using namespace mlir;

namespace tritium::cpu {

/// Cost of computing one lane, in simple instructions; `kHeavy` and more is never done
/// twice.
constexpr int kHeavy = 20;

static int ownCost(Operation *op) {
  if (isa<tt::LoadOp, tt::MapElementwiseOp>(op) ||
      llvm::any_of(op->getOpOperands(), tt::isReadAnywhere))
    return kHeavy;
  if (isa<arith::ConstantOp, tt::MakeRangeOp, tt::DataMovement, tt::BitcastOp>(op))
    return 0;
  // Indices of 64 bits are scalars and strides.
  if (isa<arith::ExtSIOp>(op) && tt::elementType(op->getResult(0).getType()).isInteger(64))
    return 0;
  if (isa<math::MathDialect>(op->getDialect()))
    return isa<math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp, math::FmaOp>(op) ? 1
                                                                                         : kHeavy;
  if (isa<arith::DivFOp, arith::RemFOp>(op))
    return 8;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return 6;
  return 1;
}

static bool isAddressLike(Type type) {
  Type element = tt::elementType(type);
  return isa<tt::PointerType>(element) || tt::isTileInt(element);
}

static bool isIntDivision(Operation *op) {
  return op && isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
}

/// A volatile load counts as a write.
static bool writesMemory(Operation *op) {
  return isa<tt::MemoryAccess>(op) && hasEffect<MemoryEffects::Write>(op);
}

int BlockPlanner::chainCost(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || planner.isStored(value) || !isVirtual(value))
    return 1;
  auto [it, inserted] = chainCosts.try_emplace(value, 0);
  if (!inserted)
    return it->second;
  int cost = ownCost(op);
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType())) {
      int part = chainCost(operand);
      Operation *def = operand.getDefiningOp();
      cost += def && ownCost(def) >= kHeavy ? 1 : part;
    }
  cost = std::min(cost, 1000);
  chainCosts[value] = cost;
  return cost;
}

bool BlockPlanner::worthKeeping(Value value) {
  Operation *op = value.getDefiningOp();
  if (ownCost(op) >= kHeavy)
    return true;
  return chainCost(value) >= (isAddressLike(value.getType()) ? 48 : 16);
}

void BlockPlanner::addUser(Value value, Step *step) {
  if (!planner.isStored(value) && (isVirtual(value) || value.getDefiningOp<tt::ScanOp>()))
    users[value].insert(step);
}

/// What is stored where the scan comes to it, and read by nobody else, needs no buffer.
void BlockPlanner::findReadScans() {
  for (Step &step : steps)
    for (Root &root : step.roots)
      if (root.kind == Root::Scan)
        root.isReadLater = llvm::any_of(root.op->getResults(), [&](Value result) {
          return llvm::any_of(users[result], [&](Step *user) { return user != &step; }) ||
                 !readElementwise(step, result);
        });
}

void BlockPlanner::collectUsers() {
  for (Step &step : steps) {
    if (step.kind != Step::Phase) {
      if (step.op)
        forEachTileOperand(step.op, [&](Value v) { addUser(v, &step); });
      continue;
    }
    for (const Root &root : step.roots) {
      if (root.kind == Root::Assign)
        addUser(root.value, &step);
      else
        forEachTileOperand(root.op, [&](Value v) { addUser(v, &step); });
    }
  }
}

/// `op` is or holds a product that reads `value` as it stands: in a loop it would be
/// computed, and packed, in each round.
static bool feedsDot(Operation *op, Value value) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    return isa<tt::DotOp>(use.getOwner()) && use.getOperandNumber() < 2 &&
           op->isAncestor(use.getOwner());
  });
}

/// A reshape reads its operand as one run of elements.
static bool needsDense(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    return !isa<tt::GatherOp>(use.getOwner()) && tt::isReadAnywhere(use);
  });
}

/// What reads the operand asks for one element of it, which is computed where it is needed: a
/// gather, or one of what a reshape, itself in no buffer, gives.
static bool picksOne(OpOperand &use, const Planner &planner) {
  Operation *op = use.getOwner();
  if (isa<tt::GatherOp>(op))
    return use.getOperandNumber() == 0 &&
           cast<RankedTensorType>(op->getResult(0).getType()).getNumElements() == 1;
  return isa<tt::ReshapeOp>(op) && !planner.isStored(op->getResult(0)) &&
         llvm::all_of(op->getUses(), [&](OpOperand &next) {
           return isa<tt::GatherOp>(next.getOwner()) && picksOne(next, planner);
         });
}

/// A product reads it there, what may ask for any of its elements, or what counts them one after
/// the other, for which it is computed in registers of many.
bool BlockPlanner::mustStandInMemory(Value value, ArrayRef<Step *> uses) const {
  return llvm::any_of(value.getUses(),
                      [&](OpOperand &use) {
                        return isa<tt::HistogramOp>(use.getOwner()) ||
                               (tt::isReadAnywhere(use) && !picksOne(use, planner));
                      }) ||
         llvm::any_of(uses, [&](Step *use) { return use->op && feedsDot(use->op, value); });
}

/// A row that is loaded as it stands: from memory it is read like from a buffer, which would have
/// to be written, and would take its place in the caches.
bool BlockPlanner::isReadAgain(Value value, ArrayRef<Step *> uses) const {
  auto load = value.getDefiningOp<tt::LoadOp>();
  auto type = load ? cast<RankedTensorType>(load.getType()) : nullptr;
  if (!load || load.getIsVolatile() || !planner.isCheapToDecode(type.getElementType()) ||
      (load.getMask() && !planner.isArithmetic(load.getMask())) ||
      (load.getOther() && !planner.isArithmetic(load.getOther())))
    return false;
  return llvm::all_of(uses, [&](Step *use) {
    return use->kind == Step::Phase && ArrayRef(use->shape) == type.getShape() && use->isRow() &&
           !use->transposed && planner.isRow(load.getPtr(), use->lanesDim) &&
           readElementwise(*use, value);
  });
}

/// The phase, in front of `first`, that evaluates the only operand of `value`, which comes from it
/// element by element: where it is computed there, the operand need not stand in memory, too.
Step *BlockPlanner::phaseOfOperand(Value value, const Step &first) {
  Operation *op = value.getDefiningOp();
  if (op->getNumOperands() != 1 || !keepsPlaces(op) || isa<tt::LoadOp>(op))
    return nullptr;
  Value operand = op->getOperand(0);
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type || !isVirtual(operand) || planner.isStored(operand) || !worthKeeping(operand))
    return nullptr;
  Step *found = nullptr;
  for (Step *step : users[operand]) {
    bool suits = step->kind == Step::Phase && step->order < first.order && !step->transposed &&
                 step->reduceDim < 0 && ArrayRef(step->shape) == type.getShape() &&
                 step->lanesDim == preferredDim(value, planner.likelyStrides()) &&
                 llvm::none_of(step->roots, standsAlone) && readElementwise(*step, operand);
    if (suits && (!found || step->order < found->order))
      found = step;
  }
  return found;
}

void BlockPlanner::decide(Value value) {
  Operation *op = value.getDefiningOp();
  SmallVector<Step *> uses(users[value].begin(), users[value].end());
  llvm::sort(uses, [](Step *a, Step *b) { return a->order < b->order; });

  // A virtual tile whose value a loop needs as an index stays computable, so that
  // addresses stay contiguous; a copy in memory serves scalar positions.
  bool usedInRegion = llvm::any_of(uses, [](Step *use) { return use->kind == Step::Region; });
  bool keepVirtual = usedInRegion && isAddressLike(value.getType()) && isIntDivision(op);
  bool scalarPhase = llvm::any_of(uses, [](Step *use) {
    return llvm::any_of(use->roots, [](const Root &root) {
      return root.kind == Root::Atomic || root.kind == Root::Count || root.kind == Root::Print;
    });
  });
  bool store = mustStandInMemory(value, uses) || keepVirtual ||
               ((uses.size() > 1 || usedInRegion || scalarPhase) && worthKeeping(value) &&
                !isReadAgain(value, uses));
  Step *before = nullptr;
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    before = firstConflict(load, uses);
    store |= before != nullptr;
    if (load.getIsVolatile())
      store = true;
  }
  if (!store) {
    propagate(op, uses);
    return;
  }
  Buffer *buffer = planner.allocateHome(value, needsDense(value));
  Step *first = uses.front();
  if (Step *earlier = before ? nullptr : phaseOfOperand(value, *first))
    first = earlier;
  Step *home = assignStep(value, buffer, first, before);
  planner.setHome(value, buffer);
  SmallVector<Step *> from{home};
  if (keepVirtual)
    from.append(uses.begin(), uses.end());
  propagate(op, from);
}

void BlockPlanner::markDirectReads() {
  for (auto it = steps.begin(); it != steps.end(); ++it) {
    if (it->kind != Step::Phase || it->roots.size() != 1 || it->roots.front().kind != Root::Assign)
      continue;
    Value value = it->roots.front().value;
    tt::LoadOp load = loadedMatrix(value).load;
    if (!load || load.getIsVolatile() || !load->hasOneUse() || !value.hasOneUse())
      continue;
    auto dot = dyn_cast<tt::DotOp>(*value.user_begin());
    if (!dot || dot.getC() == value)
      continue;
    auto after = std::next(it);
    auto onlyReads = [](const Step &step) {
      return (step.kind == Step::Scalar && isMemoryEffectFree(step.op)) ||
             (step.kind == Step::Phase && llvm::all_of(step.roots, [](const Root &root) {
                return root.kind == Root::Assign || root.kind == Root::Reduce ||
                       root.kind == Root::Scan;
              }));
    };
    while (after != steps.end() && onlyReads(*after))
      ++after;
    it->isReadDirectly = after != steps.end() && after->op == dot;
  }
}

void BlockPlanner::propagate(Operation *op, ArrayRef<Step *> uses) {
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      for (Step *use : uses)
        addUser(operand, use);
}

/// The first step that writes what `load` must not see any more, though one of
/// `uses` evaluates the load there or later.
Step *BlockPlanner::firstConflict(tt::LoadOp load, ArrayRef<Step *> uses) {
  int64_t last = uses.back()->order;
  for (Step &step : steps) {
    if (step.order > last)
      break;
    bool conflict = false;
    // What the step writes at an element, another element of it may still have to read.
    bool readsElsewhere =
        step.order < last || step.kind != Step::Phase || !readElementwise(step, load.getResult());
    auto check = [&](Operation *op) {
      if (position(op) <= position(load))
        return;
      // What was read in front of a wait others may have overwritten behind it, wherever it lies.
      conflict |= waitsForOthers(op);
      if (writesMemory(op))
        conflict |= conflicts(load, op, /*sameIndex=*/readsElsewhere);
    };
    if (step.kind == Step::Region)
      step.op->walk(check);
    else if (step.op)
      check(step.op);
    for (const Root &root : step.roots)
      if (root.op)
        check(root.op);
    if (conflict)
      return &step;
  }
  return nullptr;
}

/// Every use of `value` in `phase` is of the element that the loops are at.
bool BlockPlanner::readElementwise(const Step &phase, Value value) const {
  SmallVector<std::pair<Value, bool>> worklist;
  for (const Root &root : phase.roots) {
    if (root.kind == Root::Assign)
      worklist.push_back({root.value, true});
    else
      forEachTileOperand(root.op, [&](Value v) { worklist.push_back({v, true}); });
  }
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  while (!worklist.empty()) {
    auto [v, same] = worklist.pop_back_val();
    if (!seen.insert({v, unsigned(same)}).second)
      continue;
    if (v == value) {
      if (!same)
        return false;
      continue;
    }
    Operation *op = v.getDefiningOp();
    if (!op || !isVirtual(v) || op->getBlock() != &block)
      continue;
    bool keeps = same && keepsPlaces(op);
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        worklist.push_back({operand, keeps});
  }
  return true;
}

/// Finds or makes the phase that assigns `value`: the first use if it runs over the
/// same space, else a new phase before it.
Step *BlockPlanner::assignStep(Value value, Buffer *buffer, Step *first, Step *before) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t lanesDim = preferredDim(value, planner.likelyStrides());
  Root root{Root::Assign, nullptr, value, buffer, /*isHome=*/true};
  bool scalarPhase = llvm::any_of(first->roots, standsAlone);
  bool forced = before && before->order <= first->order;
  if (!forced && first->kind == Step::Phase && !scalarPhase && !first->transposed &&
      first->reduceDim < 0 && ArrayRef(first->shape) == type.getShape() &&
      (first->lanesDim == lanesDim || first->lanesDim == type.getRank() - 1) &&
      readElementwise(*first, value)) {
    // In front of what may be computed from it.
    auto at = llvm::find_if(first->roots, [&](const Root &other) {
      Operation *place = other.place();
      return !place || value.getDefiningOp()->isBeforeInBlock(place);
    });
    first->roots.insert(at, root);
    return first;
  }
  Step *anchor = forced ? before : first;
  Step step(Step::Phase);
  step.shape.assign(type.getShape().begin(), type.getShape().end());
  step.lanesDim = lanesDim;
  step.transposed = isTransposed(type, lanesDim);
  step.roots.push_back(root);
  auto it = llvm::find_if(steps, [&](Step &s) { return &s == anchor; });
  it = steps.insert(it, std::move(step));
  renumber();
  return &*it;
}

} // namespace tritium::cpu
