//===- JoinLoops.cpp - tt-join-loops --------------------------------------===//
//
// Causal attention goes over the keys that all of its rows see, and then, with a mask, over those
// that some see:
//
//   %r = scf.for %i = %a to %b step %s iter_args(%x = %x0) {
//     %k, %v = loads;  %d = tt.dot %q, %k
//     %p, %f = .. of %d
//     yield tt.dot %p, %v, %x * %f
//   }
//   scf.for %i = %b to %c step %s iter_args(%x = %r) { the same with others for `..` }
//
// The two become one loop, in which only what differs is in a branch:
//
//   scf.for %i = min(%a, %b) to max(%b, %c) step %s iter_args(%x = %x0) {
//     %k, %v = loads;  %d = tt.dot %q, %k
//     %p, %f = scf.if %i < %b { .. } else { .. }
//     yield tt.dot %p, %v, %x * %f
//   }
//
// so that copies and dots go on over the border. Every iteration computes what it did: %i comes to
// %b if the step divides %b and %a, which must be known. Where the first loop has no iteration, %b
// is the least; where the second has none, the greatest.
//
// Alike must be what touches memory, which is loads alone, and the dots, but that the last dot may
// have operands that differ. Where they do by masks (select) alone, the branch has these, and all
// else is common. Otherwise it has all that comes behind the common dots, but for what is computed
// from a sum that the loop carries, what only repeats or narrows elements, and what can be computed
// of the branch's results and reductions, as how much less weight earlier iterations have.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/AxisInfo.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_JOINLOOPS
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
/// What the bodies of two loops have in common.
class Bodies {
public:
  /// Result i of the first loop is what the second one begins with at `places[i]`.
  Bodies(scf::ForOp first, scf::ForOp second, ArrayRef<unsigned> places)
      : first(first), second(second), places(places) {}

  /// Whether the loops can be joined; finds what is common.
  bool match();
  /// The body of the joined loop, which has as many carried values as the first one.
  void build(scf::ForOp joined);

private:
  Value ofFirst(Value value) const {
    Value known = alike.lookup(value);
    return known ? known : value;
  }
  bool findCommon(Operation &op);
  void leaveToBranch();
  bool areDotsAlike();
  void addLate(scf::ForOp loop, DotOp last);
  bool isMasked(Value x, Value y) const;
  bool plan(Value x, Value y, bool onlyMasks);
  bool planAll(bool onlyMasks);
  bool staysBehind(Operation *op) const;
  bool comesOut(Value x, Value y, SmallVectorImpl<std::pair<Value, Value>> &reduced);
  bool isOfWhatComesOut(Value x, Value y, SmallVectorImpl<std::pair<Value, Value>> &reduced);
  void takeOut();
  Value joinedValue(OpBuilder &b, Value x, Value y);

  scf::ForOp first, second;
  ArrayRef<unsigned> places;
  llvm::DenseMap<Value, Value> alike; ///< values of the second body to those of the first
  llvm::MapVector<Operation *, Operation *> common; ///< of the first body, with those of the second
  llvm::DenseSet<Operation *> matched;              ///< of the second body
  DotOp lastOfFirst, lastOfSecond;                  ///< whose operands may differ
  llvm::DenseSet<Value> late;                       ///< of both bodies, see addLate
  llvm::MapVector<std::pair<Value, Value>, Value> chosen; ///< in the branch
  IRMapping mapping;                                      ///< of the first body to the joined one
};

bool Bodies::findCommon(Operation &op) {
  for (Operation &candidate : first.getBody()->without_terminator()) {
    if (common.contains(&candidate) || candidate.getName() != op.getName())
      continue;
    SmallVector<std::pair<Value, Value>> marked;
    auto check = [&](Value x, Value y) { return success(ofFirst(y) == x); };
    auto mark = [&](Value x, Value y) {
      marked.push_back({y, x});
      alike[y] = x;
    };
    if (OperationEquivalence::isEquivalentTo(&candidate, &op, check, mark,
                                             OperationEquivalence::IgnoreLocations)) {
      common[&candidate] = &op;
      matched.insert(&op);
      return true;
    }
    for (auto [y, x] : marked)
      alike.erase(y);
  }
  return false;
}

/// What is computed from a dot and for none is better computed in the branch: it is part of what
/// comes behind it, as a product that a subtraction takes in is.
void Bodies::leaveToBranch() {
  llvm::DenseSet<Operation *> ofDots, kept;
  auto operandsOf = [&](Operation *op, auto visit) {
    op->walk([&](Operation *inside) {
      for (Value operand : inside->getOperands())
        if (Operation *def = operand.getDefiningOp(); def && common.contains(def))
          visit(def);
    });
  };
  for (auto &[op, other] : common)
    operandsOf(op, [&, op = op](Operation *def) {
      if (isa<DotOp>(def) || ofDots.contains(def))
        ofDots.insert(op);
    });
  SmallVector<Operation *> work;
  for (auto &[op, other] : common)
    if (isa<DotOp>(op) || !isMemoryEffectFree(op) || !ofDots.contains(op))
      work.push_back(op);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (kept.insert(op).second)
      operandsOf(op, [&](Operation *def) { work.push_back(def); });
  }
  common.remove_if([&](auto &pair) {
    if (kept.contains(pair.first))
      return false;
    matched.erase(pair.second);
    for (Value result : pair.second->getResults())
      alike.erase(result);
    return true;
  });
}

/// All of them are common, but for one that is the last of both.
bool Bodies::areDotsAlike() {
  bool isAnyCommon = false;
  auto findLast = [&](scf::ForOp loop, auto isCommon, DotOp &last) {
    for (DotOp dot : loop.getBody()->getOps<DotOp>()) {
      if (last)
        return false;
      if (isCommon(dot))
        isAnyCommon = true;
      else
        last = dot;
    }
    return bool(last);
  };
  return findLast(
             first, [&](DotOp dot) { return common.contains(dot); }, lastOfFirst) &&
         findLast(
             second, [&](DotOp dot) { return matched.contains(dot); }, lastOfSecond) &&
         isAnyCommon && lastOfFirst->getAttrs() == lastOfSecond->getAttrs() &&
         lastOfFirst->getOperandTypes() == lastOfSecond->getOperandTypes() &&
         lastOfFirst.getType() == lastOfSecond.getType();
}

/// Takes in what depends on the result of the last dot, or on the sum that it adds to.
void Bodies::addLate(scf::ForOp loop, DotOp last) {
  SmallVector<Value> work{last.getResult()};
  for (OpOperand &use : last->getUses())
    if (use.getOwner() == loop.getBody()->getTerminator())
      work.push_back(loop.getRegionIterArg(use.getOperandNumber()));
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!late.insert(value).second)
      continue;
    for (Operation *user : value.getUsers())
      if (Operation *op = loop.getBody()->findAncestorOpInBlock(*user))
        llvm::append_range(work, op->getResults());
  }
}

bool Bodies::staysBehind(Operation *op) const {
  return isa<BroadcastOp, ExpandDimsOp, SplatOp, arith::TruncFOp>(op) ||
         late.contains(op->getResult(0));
}

/// The same operation with one result, of operands that may differ.
static bool areSame(Operation *a, Operation *b) {
  llvm::DenseMap<Value, Value> inside; // of the operations' regions
  auto check = [&](Value x, Value y) {
    Value known = inside.lookup(y);
    return success(!known || known == x);
  };
  auto mark = [&](Value x, Value y) { inside[y] = x; };
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(a->getRegions(), captured);
  getUsedValuesDefinedAbove(b->getRegions(), captured);
  return a->getNumResults() == 1 && captured.empty() &&
         OperationEquivalence::isEquivalentTo(a, b, check, mark,
                                              OperationEquivalence::IgnoreLocations);
}

/// One of the values is the other one, of which a mask leaves some elements.
bool Bodies::isMasked(Value x, Value y) const {
  auto masks = [&](Value masked, Value whole) {
    auto select = masked.getDefiningOp<arith::SelectOp>();
    return select && llvm::any_of(select->getOperands(), [&](Value operand) {
             return ofFirst(operand) == ofFirst(whole);
           });
  };
  return masks(x, y) || masks(y, x);
}

/// Finds what of two values of the bodies is computed in the branch; false if that needs what is
/// there behind it only, or is more than a mask where there shall be no more.
bool Bodies::plan(Value x, Value y, bool onlyMasks) {
  if (ofFirst(y) == x)
    return true;
  if (chosen.contains({x, y}))
    return true;
  Operation *a = x.getDefiningOp(), *b = y.getDefiningOp();
  bool isInBodies = a && b && a->getBlock() == first.getBody() && b->getBlock() == second.getBody();
  if (isInBodies && areSame(a, b) && (onlyMasks || staysBehind(a)))
    return llvm::all_of(llvm::zip(a->getOperands(), b->getOperands()), [&](auto pair) {
      return plan(std::get<0>(pair), std::get<1>(pair), onlyMasks);
    });
  if (late.contains(x) || late.contains(y) || x.getType() != y.getType() ||
      (onlyMasks && !isMasked(x, y)))
    return false;
  chosen[{x, y}] = Value();
  return true;
}

/// Behind the branch the values are one that is there, or that can be computed of such; adds
/// reductions that the branch has to give for that, whose elements are better combined beside what
/// computes them.
bool Bodies::comesOut(Value x, Value y, SmallVectorImpl<std::pair<Value, Value>> &reduced) {
  if (ofFirst(y) == x || chosen.contains({x, y}))
    return true;
  if (x.getDefiningOp<ReduceOp>() && y.getDefiningOp<ReduceOp>() && x.getType() == y.getType() &&
      !late.contains(x) && !late.contains(y)) {
    reduced.push_back({x, y});
    return true;
  }
  return isOfWhatComesOut(x, y, reduced);
}

/// The values are the same operation, of what comes out of the branch.
bool Bodies::isOfWhatComesOut(Value x, Value y, SmallVectorImpl<std::pair<Value, Value>> &reduced) {
  Operation *a = x.getDefiningOp(), *b = y.getDefiningOp();
  return a && b && !isa<ReduceOp>(a) && a->getBlock() == first.getBody() &&
         b->getBlock() == second.getBody() && areSame(a, b) &&
         llvm::all_of(llvm::zip(a->getOperands(), b->getOperands()), [&](auto pair) {
           return comesOut(std::get<0>(pair), std::get<1>(pair), reduced);
         });
}

/// What can be computed of the branch's other results stands behind it, once; also of a reduction,
/// which is a result in its place then, if the branch itself has no use for it.
void Bodies::takeOut() {
  SmallVector<std::pair<Value, Value>> pairs;
  for (auto &[pair, value] : chosen)
    pairs.push_back(pair);
  for (auto [x, y] : pairs) {
    SmallVector<std::pair<Value, Value>> reduced;
    bool isNeededInside = !x.hasOneUse() || !y.hasOneUse();
    if (!isOfWhatComesOut(x, y, reduced) || (!reduced.empty() && isNeededInside) ||
        reduced.size() > 1)
      continue;
    chosen.erase({x, y});
    for (auto &pair : reduced)
      chosen[pair] = Value();
  }
}

/// Of the last dot's operands and what is carried on.
bool Bodies::planAll(bool onlyMasks) {
  chosen.clear();
  for (auto [x, y] : llvm::zip(lastOfFirst->getOperands(), lastOfSecond->getOperands()))
    if (!plan(x, y, onlyMasks))
      return false;
  for (auto [i, place] : llvm::enumerate(places))
    if (!plan(first.getYieldedValues()[i], second.getYieldedValues()[place], onlyMasks))
      return false;
  return true;
}

bool Bodies::match() {
  alike[second.getInductionVar()] = first.getInductionVar();
  for (auto [i, place] : llvm::enumerate(places))
    alike[second.getRegionIterArg(place)] = first.getRegionIterArg(i);
  auto isLoadOrPure = [](Operation &op) {
    return isMemoryEffectFree(&op) ||
           (isa<LoadOp>(op) && hasSingleEffect<MemoryEffects::Read>(&op));
  };
  if (!llvm::all_of(first.getBody()->without_terminator(), isLoadOrPure) ||
      !llvm::all_of(second.getBody()->without_terminator(), isLoadOrPure))
    return false;
  for (Operation &op : second.getBody()->without_terminator())
    findCommon(op);
  auto isLeftAlone = [&](scf::ForOp loop, auto isCommon) {
    return llvm::all_of(loop.getBody()->without_terminator(),
                        [&](Operation &op) { return isCommon(&op) || isMemoryEffectFree(&op); });
  };
  if (!isLeftAlone(first, [&](Operation *op) { return common.contains(op); }) ||
      !isLeftAlone(second, [&](Operation *op) { return matched.contains(op); }) || !areDotsAlike())
    return false;
  addLate(first, lastOfFirst);
  addLate(second, lastOfSecond);
  if (llvm::any_of(common, [&](auto &pair) {
        return pair.first->getNumResults() && late.contains(pair.first->getResult(0));
      }))
    return false;
  alike[lastOfSecond.getResult()] = lastOfFirst.getResult();
  if (planAll(/*onlyMasks=*/true))
    return true;
  leaveToBranch();
  if (!planAll(/*onlyMasks=*/false))
    return false;
  takeOut();
  return true;
}

Value Bodies::joinedValue(OpBuilder &b, Value x, Value y) {
  if (ofFirst(y) == x)
    return mapping.lookupOrDefault(x);
  if (auto it = chosen.find({x, y}); it != chosen.end())
    return it->second;
  Operation *a = x.getDefiningOp(), *other = y.getDefiningOp();
  // By position: what the first body uses twice may be two values of the second one.
  SmallVector<Value> operands;
  for (auto [p, q] : llvm::zip(a->getOperands(), other->getOperands()))
    operands.push_back(joinedValue(b, p, q));
  Operation *made = b.clone(*a);
  made->setOperands(operands);
  return chosen[{x, y}] = made->getResult(0);
}

void Bodies::build(scf::ForOp joined) {
  OpBuilder b(joined.getContext());
  b.setInsertionPointToEnd(joined.getBody());
  Location loc = joined.getLoc();
  mapping.map(first.getInductionVar(), joined.getInductionVar());
  mapping.map(first.getRegionIterArgs(), joined.getRegionIterArgs());
  for (Operation &op : first.getBody()->without_terminator())
    if (common.contains(&op))
      b.clone(op, mapping);
  Value isFirst = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, joined.getInductionVar(),
                                          first.getUpperBound());
  SmallVector<Type> types;
  for (auto &[pair, value] : chosen)
    types.push_back(pair.first.getType());
  auto branch = b.create<scf::IfOp>(loc, types, isFirst, /*withElseRegion=*/true);
  IRMapping ofSecond;
  for (auto [y, x] : alike)
    if (Value known = mapping.lookupOrNull(x))
      ofSecond.map(y, known);
  auto fill = [&](OpBuilder inside, scf::ForOp loop, IRMapping values, auto isLeftOut,
                  auto choice) {
    for (Operation &op : loop.getBody()->without_terminator())
      if (!isLeftOut(&op))
        inside.clone(op, values);
    SmallVector<Value> results;
    for (auto &[pair, value] : chosen)
      results.push_back(values.lookupOrDefault(choice(pair)));
    inside.create<scf::YieldOp>(loc, results);
  };
  // What nobody needs there is dead, and goes with the canonicalizer.
  auto isLate = [&](Operation *op) {
    return op->getNumResults() && late.contains(op->getResult(0));
  };
  fill(
      branch.getThenBodyBuilder(), first, mapping,
      [&](Operation *op) { return common.contains(op) || isLate(op); },
      [](auto &pair) { return pair.first; });
  fill(
      branch.getElseBodyBuilder(), second, ofSecond,
      [&](Operation *op) { return matched.contains(op) || isLate(op); },
      [](auto &pair) { return pair.second; });
  for (auto [i, entry] : llvm::enumerate(chosen))
    entry.second = branch.getResult(i);
  SmallVector<Value> joinedOperands;
  for (auto [x, y] : llvm::zip(lastOfFirst->getOperands(), lastOfSecond->getOperands()))
    joinedOperands.push_back(joinedValue(b, x, y));
  Operation *last = b.clone(*lastOfFirst);
  last->setOperands(joinedOperands);
  mapping.map(lastOfFirst.getResult(), last->getResult(0));
  SmallVector<Value> yielded;
  for (auto [i, place] : llvm::enumerate(places))
    yielded.push_back(
        joinedValue(b, first.getYieldedValues()[i], second.getYieldedValues()[place]));
  b.create<scf::YieldOp>(loc, yielded);
}

/// For each result of `first` where `second` begins with it; nothing if it is used elsewhere, or
/// `second` begins with something else.
std::optional<SmallVector<unsigned>> placesOf(scf::ForOp first, scf::ForOp second) {
  SmallVector<unsigned> places;
  if (first.getNumResults() != second.getNumResults())
    return std::nullopt;
  for (Value result : first.getResults()) {
    if (!result.hasOneUse() || result.getUses().begin()->getOwner() != second)
      return std::nullopt;
    unsigned number = result.getUses().begin()->getOperandNumber();
    if (number < second.getNumControlOperands())
      return std::nullopt;
    places.push_back(number - second.getNumControlOperands());
  }
  return places;
}

/// The loop behind `first` that goes on where it ends, if what stands between them can be computed
/// in front of both.
scf::ForOp nextLoop(scf::ForOp first, SmallVectorImpl<Operation *> &between) {
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return loop.getLowerBound() == first.getUpperBound() && loop.getStep() == first.getStep() &&
                     loop->getDiscardableAttrDictionary() == first->getDiscardableAttrDictionary()
                 ? loop
                 : scf::ForOp();
    bool usesResult = llvm::any_of(op->getOperands(), [&](Value operand) {
      return operand.getDefiningOp() == first.getOperation();
    });
    if (op->getNumRegions() || !isMemoryEffectFree(op) || usesResult)
      return {};
    between.push_back(op);
  }
  return {};
}

bool isMultiple(Value number, int64_t of, const AxisInfoAnalysis &axes) {
  APInt constant;
  if (matchPattern(number, m_ConstantInt(&constant)))
    return constant.getSExtValue() % of == 0;
  return axes.get(number).divisibility.front() % of == 0;
}

/// Joins `first` and the loop behind it, if there is one for it.
void join(scf::ForOp first, const AxisInfoAnalysis &axes) {
  SmallVector<Operation *> between;
  scf::ForOp second = nextLoop(first, between);
  APInt step;
  if (!second || !matchPattern(first.getStep(), m_ConstantInt(&step)) ||
      !step.isStrictlyPositive() || !isMultiple(first.getLowerBound(), step.getSExtValue(), axes) ||
      !isMultiple(first.getUpperBound(), step.getSExtValue(), axes))
    return;
  std::optional<SmallVector<unsigned>> places = placesOf(first, second);
  if (!places)
    return;
  Bodies bodies(first, second, *places);
  if (!bodies.match())
    return;
  for (Operation *op : between)
    op->moveBefore(first);
  OpBuilder b(first);
  Location loc = first.getLoc();
  Value border = first.getUpperBound();
  Value lower = b.create<arith::MinSIOp>(loc, first.getLowerBound(), border);
  Value upper = b.create<arith::MaxSIOp>(loc, border, second.getUpperBound());
  auto joined = b.create<scf::ForOp>(loc, lower, upper, first.getStep(), first.getInitArgs());
  joined->setDiscardableAttrs(first->getDiscardableAttrDictionary());
  bodies.build(joined);
  for (auto [i, place] : llvm::enumerate(*places))
    second.getResult(place).replaceAllUsesWith(joined.getResult(i));
  second.erase();
  first.erase();
}

struct JoinLoopsPass : impl::JoinLoopsBase<JoinLoopsPass> {
  void runOnOperation() override {
    getOperation()->walk([](FuncOp func) {
      if (func.isExternal())
        return;
      SmallVector<scf::ForOp> loops;
      func.walk([&](scf::ForOp loop) {
        if (!loop.getBody()->getOps<DotOp>().empty())
          loops.push_back(loop);
      });
      // From the last one on: what is joined has been visited.
      for (scf::ForOp loop : llvm::reverse(loops))
        join(loop, AxisInfoAnalysis(func));
    });
  }
};
} // namespace

} // namespace tritium::tt
