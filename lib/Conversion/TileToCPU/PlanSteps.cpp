//===- PlanSteps.cpp - the steps of a block, and what shares a loop -------===//

#include "Planner.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::cpu {

bool standsAlone(const Root &root) {
  return root.kind == Root::Print || root.kind == Root::Atomic || root.kind == Root::Count ||
         root.kind == Root::Assert;
}

bool isTransposed(RankedTensorType type, int64_t lanesDim) {
  return lanesDim != type.getRank() - 1 && type.getDimSize(type.getRank() - 1) > 1;
}

/// An atomic that gives back a lock, say: what was read before it must not be read again
/// behind it, wherever it lies.
static bool ordersMemory(Operation *op) {
  auto access = dyn_cast<tt::MemoryAccess>(op);
  return access &&
         access.getAtomicOrder().value_or(tt::MemSemantic::RELAXED) != tt::MemSemantic::RELAXED;
}

StepList BlockPlanner::run(ArrayRef<Root> results) {
  for (Operation &op : block.without_terminator()) {
    positions[&op] = end++;
    addOperation(&op);
  }
  for (const Root &root : results)
    addRoot(root, cast<RankedTensorType>(root.value.getType()),
            preferredDim(root.value, planner.likelyStrides()));
  renumber();
  collectUsers();
  for (Operation &op : llvm::reverse(block.without_terminator()))
    for (Value result : op.getResults())
      if (isVirtual(result) && users.count(result))
        decide(result);
  findReadScans();
  markDirectReads();
  return std::move(steps);
}

/// Position in this block of the operation that holds `op`.
int64_t BlockPlanner::position(Operation *op) const {
  Operation *here = block.findAncestorOpInBlock(*op);
  return here && positions.count(here) ? positions.lookup(here) : end;
}

void BlockPlanner::renumber() {
  int64_t order = 0;
  for (Step &step : steps)
    step.order = ++order;
}

/// `sameIndex`: an access of both at the same address by the same lane also counts.
bool BlockPlanner::conflicts(Operation *load, Operation *write, bool sameIndex) const {
  if (ordersMemory(write) || planner.mayConflict(load, write))
    return true;
  if (!sameIndex || !isa<tt::StoreOp>(write))
    return false;
  return cast<tt::LoadOp>(load).getPtr() == cast<tt::StoreOp>(write).getPtr();
}

void BlockPlanner::addOperation(Operation *op) {
  if (op->getNumRegions() != 0 && !isa<tt::Combining, tt::MapElementwiseOp>(op))
    return void(steps.emplace_back(Step::Region, op));
  if (isa<tt::DotOp>(op))
    return void(steps.emplace_back(Step::Dot, op));
  bool tiled = false;
  forEachTileOperand(op, [&](Value) { tiled = true; });
  for (Value result : op->getResults())
    tiled |= isa<RankedTensorType>(result.getType());
  if (!tiled)
    return void(steps.emplace_back(Step::Scalar, op));
  if (op->getNumResults() != 0 && llvm::all_of(op->getResults(), isVirtual))
    return;
  addTiledRoot(op);
}

void BlockPlanner::addTiledRoot(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tt::StoreOp store) {
        addRoot({Root::Store, op}, cast<RankedTensorType>(store.getPtr().getType()),
                storeDim(store));
      })
      .Case([&](tt::Combining combining) {
        auto type = cast<RankedTensorType>(combining.getSrcs()[0].getType());
        int64_t lanes = preferredDim(combining.getSrcs()[0], planner.likelyStrides());
        int64_t axis = combining.getAxis();
        auto scan = dyn_cast<tt::ScanOp>(op);
        addRoot({scan ? Root::Scan : Root::Reduce, op}, type, lanes, axis == lanes ? -1 : axis,
                scan && scan.getReverse());
      })
      .Default([&](Operation *) {
        Root::Kind kind = isa<tt::PrintOp>(op)       ? Root::Print
                          : isa<tt::AssertOp>(op)    ? Root::Assert
                          : isa<tt::HistogramOp>(op) ? Root::Count
                                                     : Root::Atomic;
        RankedTensorType type;
        forEachTileOperand(op, [&](Value v) {
          if (!type)
            type = cast<RankedTensorType>(v.getType());
        });
        addRoot({kind, op}, type, type.getRank() - 1);
      });
}

int64_t BlockPlanner::storeDim(tt::StoreOp store) {
  int64_t rank = cast<RankedTensorType>(store.getPtr().getType()).getRank();
  for (int64_t d = rank - 1; d >= 0; --d)
    if (isContiguous(store.getPtr(), d, planner.likelyStrides()))
      return d;
  return preferredDim(store.getValue(), planner.likelyStrides());
}

void BlockPlanner::addRoot(const Root &root, RankedTensorType type, int64_t lanesDim,
                           int64_t reduceDim, bool backward) {
  if (Step *last = mergeTarget(root, type, lanesDim, reduceDim, backward)) {
    last->roots.push_back(root);
    return;
  }
  Step &step = steps.emplace_back(Step::Phase);
  step.shape.assign(type.getShape().begin(), type.getShape().end());
  step.lanesDim = lanesDim;
  step.reduceDim = reduceDim;
  step.backward = backward;
  step.transposed = root.kind == Root::Assign && isTransposed(type, lanesDim);
  step.roots.push_back(root);
}

/// The phase before, moved past the scalar steps behind it, if `root` may join it.
Step *BlockPlanner::mergeTarget(const Root &root, RankedTensorType type, int64_t lanesDim,
                                int64_t reduceDim, bool backward) {
  if (standsAlone(root))
    return nullptr;
  auto it = steps.end();
  while (it != steps.begin()) {
    --it;
    if (it->kind == Step::Phase)
      break;
    if (it->kind != Step::Scalar || !isMemoryEffectFree(it->op))
      return nullptr;
  }
  if (it == steps.end() || it->kind != Step::Phase)
    return nullptr;
  Step &phase = *it;
  if (ArrayRef(phase.shape) != type.getShape() || phase.lanesDim != lanesDim ||
      phase.reduceDim != reduceDim || (phase.backward != backward && root.kind != Root::Store) ||
      phase.transposed)
    return nullptr;
  for (const Root &other : phase.roots)
    if (standsAlone(other) || (other.kind == Root::Store && overwrites(root, other)))
      return nullptr;
  // A tile is assigned in front of what the phase combines, so none of that can be it.
  if (!root.op && llvm::any_of(phase.roots, [&](const Root &other) {
        return other.op && other.op == root.value.getDefiningOp();
      }))
    return nullptr;
  bool storesScans = root.kind == Root::Store && reduceDim < 0 && lanesDim == type.getRank() - 1;
  Operations behind = runsBehind(phase, root.op, storesScans);
  auto mustWait = [&](Operation *op) { return op && behind.contains(op); };
  if (mustWait(root.op ? root.op : root.value.getDefiningOp()) ||
      (root.kind == Root::Store && llvm::any_of(behind, [&](Operation *op) {
         return isa<tt::LoadOp>(op) && conflicts(op, root.op, true);
       })))
    return nullptr;
  for (auto scalar = std::next(it); scalar != steps.end(); ++scalar)
    if (mustWait(scalar->op))
      return nullptr;
  steps.splice(steps.end(), steps, it);
  return &steps.back();
}

/// Both store, and an element of one may lie where another element of the other does: in
/// one loop the first would overwrite what the second has already written.
bool BlockPlanner::overwrites(const Root &second, const Root &first) const {
  return second.kind == Root::Store && planner.mayConflict(second.op, first.op);
}

/// The operations up to `last` (null: to the end of the block) that can run only when the loops
/// of `phase` are over: they need what it combines, or a load that may see what it stores. A
/// root that is one of them cannot be in the phase; nor can a store before which one of them
/// must read memory.
///
/// `storesScans`: what is computed from a scan element by element, and stored, can run where the
/// scan has come to the element. Loads cannot: a store may be in their way.
BlockPlanner::Operations BlockPlanner::runsBehind(const Step &phase, Operation *last,
                                                  bool storesScans) const {
  Operations behind;
  llvm::SmallPtrSet<Operation *, 4> combining, scanned;
  Operation *first = nullptr;
  for (const Root &root : phase.roots) {
    if (root.op && (!first || root.op->isBeforeInBlock(first)))
      first = root.op;
    if (root.kind == Root::Scan && storesScans)
      scanned.insert(root.op);
    else if (root.kind == Root::Reduce || root.kind == Root::Scan)
      combining.insert(root.op);
  }
  auto needs = [](Operation *op, auto &sources) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *source = operand.getDefiningOp();
      return source && sources.contains(source);
    });
  };
  auto waits = [&](Operation *op) {
    if (needs(op, combining) || needs(op, behind))
      return true;
    if (needs(op, scanned)) {
      bool isElementwise = op->getNumResults() != 0 && llvm::all_of(op->getResults(), isVirtual) &&
                           keepsPlaces(op) && !isa<tt::LoadOp>(op);
      if (!isElementwise && op != last)
        return true;
      scanned.insert(op);
    }
    return isa<tt::LoadOp>(op) && llvm::any_of(phase.roots, [&](const Root &root) {
             return root.kind == Root::Store && position(op) > position(root.op) &&
                    conflicts(op, root.op, true);
           });
  };
  for (Operation *op = first; op; op = op == last ? nullptr : op->getNextNode())
    if (waits(op))
      behind.insert(op);
  return behind;
}

} // namespace tritium::cpu
