//===- Plan.cpp - which loops a block of tile operations becomes ----------===//
//
// 1. Every operation that is not virtual becomes a step, merged into the phase before
//    it where shapes and memory order allow.
// 2. One sweep from the last tile value to the first knows, for each, the steps that
//    evaluate it. Values that are worth it, or must be, get a buffer that the first of
//    these steps assigns; their operands are then evaluated in that step only.
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::cpu {

void forEachTileOperand(Operation *op, llvm::function_ref<void(Value)> fn) {
  auto visit = [&](Value v) {
    if (isa<RankedTensorType>(v.getType()))
      fn(v);
  };
  for (Value v : op->getOperands())
    visit(v);
  if (op->getNumRegions() == 0 || isa<tt::ReduceOp>(op))
    return;
  op->walk([&](Operation *inner) {
    if (inner == op)
      return;
    // In a chain of branches nearly all operands are of the same block, and to ask for their
    // ancestors at every level would take cubic time.
    for (Value v : inner->getOperands())
      if (isa<RankedTensorType>(v.getType()) && v.getParentBlock() != inner->getBlock() &&
          !op->isAncestor(v.getParentBlock()->getParentOp()))
        fn(v);
  });
}

bool isVirtual(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<RankedTensorType>(value.getType()))
    return false;
  return op->getNumRegions() == 0 && !isa<tt::DotOp, tt::AtomicRMWOp, tt::AtomicCASOp>(op);
}

namespace {

/// Cost of computing one lane, in simple instructions; `kHeavy` and more is never done
/// twice.
constexpr int kHeavy = 20;

int ownCost(Operation *op) {
  if (isa<arith::ConstantOp, tt::MakeRangeOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp,
          tt::TransOp, tt::BitcastOp>(op))
    return 0;
  // Indices of 64 bits are scalars and strides.
  if (isa<arith::ExtSIOp>(op) && tt::elementType(op->getResult(0).getType()).isInteger(64))
    return 0;
  if (isa<tt::LoadOp, tt::ReshapeOp>(op))
    return kHeavy;
  if (isa<math::MathDialect>(op->getDialect()))
    return isa<math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp, math::FmaOp>(op) ? 1
                                                                                         : kHeavy;
  if (isa<arith::DivFOp, arith::RemFOp>(op))
    return 8;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return 6;
  return 1;
}

bool isAddressLike(Type type) {
  Type element = tt::elementType(type);
  return isa<tt::PointerType>(element) || tt::isTileInt(element);
}

bool isIntDivision(Operation *op) {
  return op && isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
}

bool writesMemory(Operation *op) {
  if (isa<tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp>(op))
    return true;
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return load.getIsVolatile();
  return false;
}

/// An atomic that gives back a lock, say: what was read before it must not be read again
/// behind it, wherever it lies.
bool ordersMemory(Operation *op) {
  if (auto rmw = dyn_cast<tt::AtomicRMWOp>(op))
    return rmw.getSem() != tt::MemSemantic::RELAXED;
  if (auto cas = dyn_cast<tt::AtomicCASOp>(op))
    return cas.getSem() != tt::MemSemantic::RELAXED;
  return false;
}

class Planner {
public:
  Planner(Block &block, PlanContext &context) : block(block), context(context) {}

  StepList run(ArrayRef<Root> results) {
    int64_t position = 0;
    for (Operation &op : block.without_terminator()) {
      positions[&op] = position++;
      addOperation(&op);
    }
    end = position;
    for (const Root &root : results)
      addRoot(root, cast<RankedTensorType>(root.value.getType()),
              preferredDim(root.value, context.likelyStrides()));
    renumber();
    assignBuffers();
    markDirectReads();
    return std::move(steps);
  }

private:
  Block &block;
  PlanContext &context;
  StepList steps;
  DenseMap<Operation *, int64_t> positions;
  int64_t end = 0;
  DenseMap<Value, int> chainCosts;
  DenseMap<Value, llvm::SmallSetVector<Step *, 4>> users;

  /// Position in this block of the operation that holds `op`.
  int64_t position(Operation *op) const {
    Operation *here = block.findAncestorOpInBlock(*op);
    return here && positions.count(here) ? positions.lookup(here) : end;
  }

  //===--------------------------------------------------------------------===//
  // Steps
  //===--------------------------------------------------------------------===//

  void addOperation(Operation *op) {
    if (op->getNumRegions() != 0 && !isa<tt::ReduceOp>(op))
      return addStep(Step::Region, op);
    if (isa<tt::DotOp>(op))
      return addStep(Step::Dot, op);
    bool tiled = false;
    forEachTileOperand(op, [&](Value) { tiled = true; });
    for (Value result : op->getResults())
      tiled |= isa<RankedTensorType>(result.getType());
    if (!tiled)
      return addStep(Step::Scalar, op);
    if (op->getNumResults() == 1 && isVirtual(op->getResult(0)))
      return;
    addTiledRoot(op);
  }

  void addStep(Step::Kind kind, Operation *op) {
    Step step{kind};
    step.op = op;
    steps.push_back(std::move(step));
  }

  void addTiledRoot(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](tt::StoreOp store) {
          addRoot({Root::Store, op}, cast<RankedTensorType>(store.getPtr().getType()),
                  storeDim(store));
        })
        .Case([&](tt::ReduceOp reduce) {
          auto type = cast<RankedTensorType>(reduce.getSrcs()[0].getType());
          int64_t lanes = preferredDim(reduce.getSrcs()[0], context.likelyStrides());
          int64_t axis = reduce.getAxis();
          addRoot({Root::Reduce, op}, type, lanes, axis == lanes ? -1 : axis);
        })
        .Default([&](Operation *) {
          Root::Kind kind = isa<tt::PrintOp>(op)    ? Root::Print
                            : isa<tt::AssertOp>(op) ? Root::Assert
                                                    : Root::Atomic;
          RankedTensorType type;
          forEachTileOperand(op, [&](Value v) {
            if (!type)
              type = cast<RankedTensorType>(v.getType());
          });
          addRoot({kind, op}, type, type.getRank() - 1);
        });
  }

  int64_t storeDim(tt::StoreOp store) {
    int64_t rank = cast<RankedTensorType>(store.getPtr().getType()).getRank();
    for (int64_t d = rank - 1; d >= 0; --d)
      if (isContiguous(store.getPtr(), d, context.likelyStrides()))
        return d;
    return preferredDim(store.getValue(), context.likelyStrides());
  }

  void addRoot(const Root &root, RankedTensorType type, int64_t lanesDim, int64_t reduceDim = -1) {
    if (Step *last = mergeTarget(root, type, lanesDim, reduceDim)) {
      last->roots.push_back(root);
      return;
    }
    Step step{Step::Phase};
    step.shape.assign(type.getShape().begin(), type.getShape().end());
    step.lanesDim = lanesDim;
    step.reduceDim = reduceDim;
    step.transposed = root.kind == Root::Assign && isTransposed(type, lanesDim);
    step.roots.push_back(root);
    steps.push_back(std::move(step));
  }

  static bool isTransposed(RankedTensorType type, int64_t lanesDim) {
    return lanesDim != type.getRank() - 1 && type.getDimSize(type.getRank() - 1) > 1;
  }

  /// The phase before, moved past the scalar steps behind it, if `root` may join it.
  Step *mergeTarget(const Root &root, RankedTensorType type, int64_t lanesDim, int64_t reduceDim) {
    if (root.kind == Root::Print || root.kind == Root::Atomic || root.kind == Root::Assert)
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
        phase.reduceDim != reduceDim || phase.transposed)
      return nullptr;
    for (const Root &other : phase.roots)
      if (other.kind == Root::Print || other.kind == Root::Atomic || other.kind == Root::Assert ||
          (other.kind == Root::Store && overwrites(root, other)))
        return nullptr;
    Behind behind = runsBehind(phase, root.op);
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
  bool overwrites(const Root &second, const Root &first) const {
    return second.kind == Root::Store && context.mayConflict(second.op, first.op);
  }

  using Behind = llvm::SmallSetVector<Operation *, 16>;

  /// The operations up to `last` (null: to the end of the block) that can run only when the loops
  /// of `phase` are over: they need what it reduces to, or a load that may see what it stores. A
  /// root that is one of them cannot be in the phase; nor can a store before which one of them
  /// must read memory.
  Behind runsBehind(const Step &phase, Operation *last) const {
    Behind behind;
    llvm::SmallPtrSet<Operation *, 4> reductions;
    Operation *first = nullptr;
    for (const Root &root : phase.roots) {
      if (root.op && (!first || root.op->isBeforeInBlock(first)))
        first = root.op;
      if (root.kind == Root::Reduce)
        reductions.insert(root.op);
    }
    auto waits = [&](Operation *op) {
      if (llvm::any_of(op->getOperands(), [&](Value operand) {
            Operation *source = operand.getDefiningOp();
            return source && (reductions.contains(source) || behind.contains(source));
          }))
        return true;
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

  /// `sameIndex`: an access of both at the same address by the same lane also counts.
  bool conflicts(Operation *load, Operation *write, bool sameIndex) const {
    if (ordersMemory(write) || context.mayConflict(load, write))
      return true;
    if (!sameIndex || !isa<tt::StoreOp>(write))
      return false;
    return cast<tt::LoadOp>(load).getPtr() == cast<tt::StoreOp>(write).getPtr();
  }

  void renumber() {
    int64_t order = 0;
    for (Step &step : steps)
      step.order = order += 1024;
  }

  //===--------------------------------------------------------------------===//
  // Buffers
  //===--------------------------------------------------------------------===//

  int chainCost(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || context.isStored(value) || !isVirtual(value))
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

  bool worthKeeping(Value value) {
    Operation *op = value.getDefiningOp();
    if (ownCost(op) >= kHeavy)
      return true;
    return chainCost(value) >= (isAddressLike(value.getType()) ? 48 : 16);
  }

  void addUser(Value value, Step *step) {
    if (!context.isStored(value) && isVirtual(value))
      users[value].insert(step);
  }

  void assignBuffers() {
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
    for (Operation &op : llvm::reverse(block.without_terminator()))
      if (op.getNumResults() == 1 && isVirtual(op.getResult(0)) && users.count(op.getResult(0)))
        decide(op.getResult(0));
  }

  void decide(Value value) {
    Operation *op = value.getDefiningOp();
    SmallVector<Step *> uses(users[value].begin(), users[value].end());
    llvm::sort(uses, [](Step *a, Step *b) { return a->order < b->order; });

    bool neededInMemory = false, usedInRegion = false, scalarPhase = false;
    for (Step *use : uses) {
      neededInMemory |= use->op && feedsDot(use->op, value);
      usedInRegion |= use->kind == Step::Region;
      for (const Root &root : use->roots)
        scalarPhase |= root.kind == Root::Atomic || root.kind == Root::Print;
    }
    for (Operation *user : value.getUsers())
      if (auto reshape = dyn_cast<tt::ReshapeOp>(user))
        neededInMemory |= !isUnitReshape(reshape);

    // A virtual tile whose value a loop needs as an index stays computable, so that
    // addresses stay contiguous; a copy in memory serves scalar positions.
    bool keepVirtual = usedInRegion && isAddressLike(value.getType()) && isIntDivision(op);
    bool store = neededInMemory || keepVirtual ||
                 ((uses.size() > 1 || usedInRegion || scalarPhase) && worthKeeping(value));
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
    Buffer *buffer = context.allocate(cast<RankedTensorType>(value.getType()), needsDense(value));
    Step *home = assignStep(value, buffer, uses.front(), before);
    context.setBuffer(value, buffer);
    SmallVector<Step *> from{home};
    if (keepVirtual)
      from.append(uses.begin(), uses.end());
    propagate(op, from);
  }

  void markDirectReads() {
    for (auto it = steps.begin(); it != steps.end(); ++it) {
      if (it->kind != Step::Phase || it->roots.size() != 1 || it->transposed ||
          it->roots.front().kind != Root::Assign)
        continue;
      auto load = it->roots.front().value.getDefiningOp<tt::LoadOp>();
      if (!load || load.getIsVolatile() || !load->hasOneUse())
        continue;
      auto dot = dyn_cast<tt::DotOp>(*load->user_begin());
      if (!dot || dot.getA() != load.getResult() || dot.getB() == load.getResult())
        continue;
      auto after = std::next(it);
      auto onlyReads = [](const Step &step) {
        return (step.kind == Step::Scalar && isMemoryEffectFree(step.op)) ||
               (step.kind == Step::Phase && llvm::all_of(step.roots, [](const Root &root) {
                  return root.kind == Root::Assign || root.kind == Root::Reduce;
                }));
      };
      while (after != steps.end() && onlyReads(*after))
        ++after;
      it->mayReadDirectly = after != steps.end() && after->op == dot;
    }
  }

  void propagate(Operation *op, ArrayRef<Step *> uses) {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        for (Step *use : uses)
          addUser(operand, use);
  }

  /// `op` is or holds a product that reads `value` as it stands: in a loop it would be
  /// computed, and packed, in each round.
  static bool feedsDot(Operation *op, Value value) {
    return llvm::any_of(value.getUses(), [&](OpOperand &use) {
      return isa<tt::DotOp>(use.getOwner()) && use.getOperandNumber() < 2 &&
             op->isAncestor(use.getOwner());
    });
  }

public:
  /// Only dimensions of extent 1 come or go.
  static bool isUnitReshape(tt::ReshapeOp reshape) {
    auto nontrivial = [](Value v) {
      SmallVector<int64_t> dims;
      for (int64_t d : tt::shapeOf(v.getType()))
        if (d != 1)
          dims.push_back(d);
      return dims;
    };
    return nontrivial(reshape.getSrc()) == nontrivial(reshape.getResult());
  }

private:
  /// A reshape reads its operand as one run of elements.
  static bool needsDense(Value value) {
    return llvm::any_of(value.getUsers(), [](Operation *user) {
      auto reshape = dyn_cast<tt::ReshapeOp>(user);
      return reshape && !isUnitReshape(reshape);
    });
  }

  /// The first step that writes what `load` must not see any more, though one of
  /// `uses` evaluates the load there or later.
  Step *firstConflict(tt::LoadOp load, ArrayRef<Step *> uses) {
    int64_t last = uses.back()->order;
    for (Step &step : steps) {
      if (step.order > last)
        break;
      bool conflict = false;
      // What the step writes at an element, another element of it may still have to read.
      bool readsElsewhere =
          step.order < last || step.kind != Step::Phase || !readElementwise(step, load.getResult());
      auto check = [&](Operation *op) {
        if (writesMemory(op) && position(op) > position(load))
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
  bool readElementwise(const Step &phase, Value value) const {
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
      bool keeps = same && !isa<tt::TransOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp>(op);
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          worklist.push_back({operand, keeps});
    }
    return true;
  }

  /// Finds or makes the phase that assigns `value`: the first use if it runs over the
  /// same space, else a new phase before it.
  Step *assignStep(Value value, Buffer *buffer, Step *first, Step *before) {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t lanesDim = preferredDim(value, context.likelyStrides());
    Root root{Root::Assign, nullptr, value, buffer};
    bool scalarPhase = llvm::any_of(first->roots, [](const Root &r) {
      return r.kind == Root::Atomic || r.kind == Root::Print || r.kind == Root::Assert;
    });
    bool forced = before && before->order <= first->order;
    if (!forced && first->kind == Step::Phase && !scalarPhase && !first->transposed &&
        first->reduceDim < 0 && ArrayRef(first->shape) == type.getShape() &&
        (first->lanesDim == lanesDim || first->lanesDim == type.getRank() - 1) &&
        readElementwise(*first, value)) {
      first->roots.insert(first->roots.begin(), root);
      return first;
    }
    Step *anchor = forced ? before : first;
    Step step{Step::Phase};
    step.shape.assign(type.getShape().begin(), type.getShape().end());
    step.lanesDim = lanesDim;
    step.transposed = isTransposed(type, lanesDim);
    step.roots.push_back(root);
    auto it = llvm::find_if(steps, [&](Step &s) { return &s == anchor; });
    it = steps.insert(it, std::move(step));
    renumber();
    return &*it;
  }
};

} // namespace

StepList planBlock(Block &block, ArrayRef<Root> results, PlanContext &context) {
  return Planner(block, context).run(results);
}

bool isContiguous(Value pointers, int64_t dim, Strides &strides) {
  auto pointee = cast<tt::PointerType>(tt::elementType(pointers.getType())).getPointeeType();
  return strides.modular(pointers, dim) == static_cast<int64_t>(tt::scalarBytes(pointee));
}

/// The dimension of `value` along which the first load it is computed from is
/// contiguous.
static std::optional<int64_t> loadDim(Value value, Strides &likely, int depth) {
  Operation *op = value.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!op || !type || depth > 12 || !isVirtual(value))
    return std::nullopt;
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    for (int64_t d = type.getRank() - 1; d >= 0; --d)
      if (isContiguous(load.getPtr(), d, likely))
        return d;
    return std::nullopt;
  }
  if (auto trans = dyn_cast<tt::TransOp>(op)) {
    std::optional<int64_t> inner = loadDim(trans.getSrc(), likely, depth + 1);
    // A stored operand is contiguous along its last dimension.
    if (!inner && !isVirtual(trans.getSrc()))
      inner = type.getRank() - 1;
    if (!inner)
      return std::nullopt;
    return llvm::find(trans.getOrder(), static_cast<int32_t>(*inner)) - trans.getOrder().begin();
  }
  if (isa<tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp, tt::SplatOp>(op))
    return std::nullopt;
  for (Value operand : op->getOperands())
    if (auto dim = loadDim(operand, likely, depth + 1))
      return dim;
  return std::nullopt;
}

int64_t preferredDim(Value value, Strides &likely) {
  auto type = cast<RankedTensorType>(value.getType());
  if (auto dim = loadDim(value, likely, 0); dim && type.getDimSize(*dim) > 1)
    return *dim;
  int64_t last = type.getRank() - 1;
  for (int64_t d = last; d >= 0; --d)
    if (type.getDimSize(d) > 1)
      return d;
  return last;
}

} // namespace tritium::cpu
