//===- LayoutPropagation.cpp - layouts for all tiles of a kernel ----------===//
//
// Writes the body of a kernel anew, as LayoutPlan has decided. A tile of the old body maps
// to one value for each layout that is asked for.
//
//===----------------------------------------------------------------------===//

#include "LayoutPropagation.h"

#include "LayoutPlan.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
class Rebuilder {
public:
  Rebuilder(const LayoutPlan &plan, MLIRContext *context) : plan(plan), builder(context) {}

  void run(tt::FuncOp func) {
    Block *old = &func.getBody().front();
    auto *fresh = new Block;
    for (BlockArgument arg : old->getArguments())
      scalars.map(arg, fresh->addArgument(arg.getType(), arg.getLoc()));
    builder.setInsertionPointToStart(fresh);
    rebuildBlock(*old);
    func.getBody().push_back(fresh);
    old->dropAllReferences();
    old->erase();
  }

private:
  Type inLayout(Type type, Attribute layout) {
    if (!tt::isTile(type))
      return type;
    return RankedTensorType::get(tt::shapeOf(type), tt::elementType(type), layout);
  }

  /// The new value of `old` in `layout`.
  Value get(Value old, Attribute layout) {
    if (!tt::isTile(old.getType()))
      return scalars.lookupOrDefault(old);
    Value found = tiles.lookup({old, layout});
    assert(found && "a layout that was not asked for");
    return found;
  }
  Value carried(Value old, Value representative) {
    return get(old, tt::isTile(old.getType()) ? plan.carriedIn(representative) : Attribute());
  }

  /// `fresh` is `old` in `layout`. Converts to what else is asked for.
  void define(Value old, ArrayRef<std::pair<Attribute, Value>> fresh) {
    if (!tt::isTile(old.getType())) {
      scalars.map(old, fresh.front().second);
      return;
    }
    for (auto [layout, value] : fresh)
      tiles[{old, layout}] = value;
    for (Attribute layout : plan.demandsOf(old))
      if (!tiles.count({old, layout}))
        tiles[{old, layout}] = builder.create<ConvertLayoutOp>(
            old.getLoc(), inLayout(old.getType(), layout), fresh.front().second);
  }
  void defineCarried(Value old, Value fresh, Value representative) {
    bool isTile = tt::isTile(old.getType());
    define(old, {{isTile ? plan.carriedIn(representative) : Attribute(), fresh}});
  }

  void rebuildBlock(Block &block) {
    for (Operation &op : block)
      rebuild(&op);
  }

  void rebuild(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<scf::ForOp, scf::WhileOp, scf::IfOp>([&](auto op) { rebuildFlow(op); })
        .Case<scf::YieldOp, scf::ConditionOp>([](auto) {})
        .Default([&](Operation *op) { rebuildPlain(op); });
  }

  void rebuildPlain(Operation *op);
  void rebuildFlow(scf::ForOp loop);
  void rebuildFlow(scf::WhileOp loop);
  void rebuildFlow(scf::IfOp branch);

  const LayoutPlan &plan;
  OpBuilder builder;
  IRMapping scalars;
  llvm::DenseMap<std::pair<Value, Attribute>, Value> tiles;
};

void Rebuilder::rebuildPlain(Operation *op) {
  bool hasTile = op->getNumResults() && tt::isTile(op->getResult(0).getType());
  SmallVector<Attribute, 2> layouts{Attribute()};
  if (hasTile)
    layouts = plan.computedIn(op);
  // A conversion is the value itself: its layouts are those that are asked of it.
  if (isa<ConvertLayoutOp>(op)) {
    for (Attribute layout : layouts)
      tiles[{op->getResult(0), layout}] = get(op->getOperand(0), layout);
    return;
  }
  SmallVector<SmallVector<std::pair<Attribute, Value>>> results(op->getNumResults());
  for (Attribute layout : layouts) {
    OperationState state(op->getLoc(), op->getName());
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      state.operands.push_back(get(operand, plan.operandLayout(op, i, layout)));
    for (Type type : op->getResultTypes())
      state.types.push_back(inLayout(type, layout));
    state.attributes = op->getAttrDictionary();
    for (size_t i = 0; i < op->getNumRegions(); ++i)
      state.addRegion();
    if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && hasTile)
      state.attributes.set("value", cast<DenseElementsAttr>(constant.getValue())
                                        .reshape(cast<ShapedType>(state.types.front())));
    Operation *fresh = builder.create(state);
    for (auto [from, to] : llvm::zip(op->getRegions(), fresh->getRegions())) {
      IRMapping mapping(scalars);
      from.cloneInto(&to, mapping);
    }
    for (auto [list, result] : llvm::zip(results, fresh->getResults()))
      list.push_back({layout, result});
  }
  for (auto [old, fresh] : llvm::zip(op->getResults(), results))
    if (!fresh.empty())
      define(old, fresh);
}

void Rebuilder::rebuildFlow(scf::ForOp loop) {
  SmallVector<Value> inits;
  for (auto [init, arg] : llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs()))
    inits.push_back(carried(init, arg));
  auto fresh =
      builder.create<scf::ForOp>(loop.getLoc(), get(loop.getLowerBound(), {}),
                                 get(loop.getUpperBound(), {}), get(loop.getStep(), {}), inits);
  fresh->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = fresh.getBody();
    if (!body->empty())
      body->getTerminator()->erase();
    builder.setInsertionPointToStart(body);
    scalars.map(loop.getInductionVar(), fresh.getInductionVar());
    for (auto [old, arg] : llvm::zip(loop.getRegionIterArgs(), fresh.getRegionIterArgs()))
      defineCarried(old, arg, old);
    rebuildBlock(*loop.getBody());
    SmallVector<Value> yields;
    for (auto [value, arg] : llvm::zip(loop.getYieldedValues(), loop.getRegionIterArgs()))
      yields.push_back(carried(value, arg));
    builder.create<scf::YieldOp>(loop.getBody()->getTerminator()->getLoc(), yields);
  }
  for (auto [old, result] : llvm::zip(loop.getResults(), fresh.getResults()))
    defineCarried(old, result, old);
}

void Rebuilder::rebuildFlow(scf::WhileOp loop) {
  SmallVector<Value> inits, passed, yields;
  SmallVector<Type> types;
  for (auto [init, arg] : llvm::zip(loop.getInits(), loop.getBeforeArguments()))
    inits.push_back(carried(init, arg));
  for (Value arg : loop.getAfterArguments())
    types.push_back(
        inLayout(arg.getType(), tt::isTile(arg.getType()) ? plan.carriedIn(arg) : Attribute()));
  auto fresh = builder.create<scf::WhileOp>(loop.getLoc(), types, inits);
  fresh->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *before = builder.createBlock(&fresh.getBefore());
    for (auto [old, init] : llvm::zip(loop.getBeforeArguments(), inits))
      defineCarried(old, before->addArgument(init.getType(), old.getLoc()), old);
    rebuildBlock(*loop.getBeforeBody());
    scf::ConditionOp condition = loop.getConditionOp();
    for (auto [value, arg] : llvm::zip(condition.getArgs(), loop.getAfterArguments()))
      passed.push_back(carried(value, arg));
    builder.create<scf::ConditionOp>(condition.getLoc(), get(condition.getCondition(), {}), passed);

    Block *after = builder.createBlock(&fresh.getAfter());
    for (auto [old, type] : llvm::zip(loop.getAfterArguments(), types))
      defineCarried(old, after->addArgument(type, old.getLoc()), old);
    rebuildBlock(*loop.getAfterBody());
    for (auto [value, arg] : llvm::zip(loop.getYieldOp().getOperands(), loop.getBeforeArguments()))
      yields.push_back(carried(value, arg));
    builder.create<scf::YieldOp>(loop.getYieldOp().getLoc(), yields);
  }
  for (auto [old, result, arg] :
       llvm::zip(loop.getResults(), fresh.getResults(), loop.getAfterArguments()))
    defineCarried(old, result, arg);
}

void Rebuilder::rebuildFlow(scf::IfOp branch) {
  SmallVector<Type> types;
  for (Value result : branch.getResults())
    types.push_back(inLayout(result.getType(),
                             tt::isTile(result.getType()) ? plan.carriedIn(result) : Attribute()));
  auto fresh = builder.create<scf::IfOp>(branch.getLoc(), types, get(branch.getCondition(), {}),
                                         /*withElseRegion=*/!branch.getElseRegion().empty());
  fresh->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  for (auto [from, to] : llvm::zip(branch.getRegions(), fresh.getRegions())) {
    if (from->empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    Block *block = &to->front();
    if (!block->empty())
      block->getTerminator()->erase();
    builder.setInsertionPointToStart(block);
    rebuildBlock(from->front());
    SmallVector<Value> yields;
    Operation *yield = from->front().getTerminator();
    for (auto [value, result] : llvm::zip(yield->getOperands(), branch.getResults()))
      yields.push_back(carried(value, result));
    builder.create<scf::YieldOp>(yield->getLoc(), yields);
  }
  for (auto [old, result] : llvm::zip(branch.getResults(), fresh.getResults()))
    defineCarried(old, result, old);
}
} // namespace

void propagateLayouts(tt::FuncOp func, int warps, AnchorRule anchors) {
  if (func.isExternal())
    return;
  LayoutPlan plan(func, warps, anchors);
  Rebuilder(plan, func.getContext()).run(func);
}

} // namespace tritium::ttg
