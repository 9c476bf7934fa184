//===- PlanRegion.cpp - loops and branches that carry tiles ---------------===//
//
// Every tile that a loop carries, or that a branch or loop gives, has a buffer; yielding
// assigns it. The values of one yield are assigned as if at once: what still reads an old tile
// is first assigned to a temporary.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace mlir;

namespace tritium::cpu {

static RankedTensorType tileType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

/// The iteration arguments of `loop` whose memory `value` is computed from, not from a copy.
/// `identity` is cleared if one is read at another index.
static void collectArgs(Value value, scf::ForOp loop, llvm::SmallSetVector<Value, 4> &args,
                        bool &identity) {
  SmallVector<std::pair<Value, bool>> worklist{{value, true}};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    auto [v, same] = worklist.pop_back_val();
    if (!seen.insert(v).second)
      continue;
    Value inPlaceOf = isCarriedBy(v, loop) ? v : carriedAccumulator(v, loop);
    if (inPlaceOf) {
      args.insert(inPlaceOf);
      identity &= same;
      continue;
    }
    Operation *op = v.getDefiningOp();
    if (!op || !isVirtual(v) || op->getBlock() != loop.getBody())
      continue;
    bool keeps = same && keepsPlaces(op);
    for (Value operand : op->getOperands())
      if (tileType(operand))
        worklist.push_back({operand, keeps});
  }
}

/// For each value that `loop` carries: whether it can be assigned while the old values are read.
static SmallVector<bool> assignableAtOnce(scf::ForOp loop) {
  unsigned count = loop.getInitArgs().size();
  SmallVector<llvm::SmallSetVector<Value, 4>> needs(count);
  SmallVector<bool> atOnce(count, true);
  for (unsigned i = 0; i < count; ++i)
    if (Value yielded = loop.getYieldedValues()[i]; tileType(yielded)) {
      bool identity = true;
      collectArgs(yielded, loop, needs[i], identity);
      atOnce[i] = identity;
    }
  for (unsigned i = 0; i < count; ++i)
    for (unsigned j = 0; j < count; ++j)
      if (j != i && needs[j].contains(loop.getRegionIterArgs()[i]))
        atOnce[i] = false;
  return atOnce;
}

/// Where `loop` carries a tile that begins as `init`: if that is what another loop or branch gives,
/// and nothing else reads it, where it stands.
Buffer *Planner::allocateCarried(Value init, scf::ForOp loop) {
  Operation *source = init.getDefiningOp();
  if (isa_and_present<scf::ForOp, scf::IfOp, scf::WhileOp>(source) && init.hasOneUse() &&
      source->getBlock() == loop->getBlock())
    return plan.home(init);
  return allocate(tileType(init), /*dense=*/false);
}

void Planner::planFor(Step &step, scf::ForOp op) {
  unsigned count = op.getInitArgs().size();
  SmallVector<Buffer *> carried(count, nullptr);
  for (auto [i, init] : llvm::enumerate(op.getInitArgs()))
    if (tileType(init)) {
      carried[i] = allocateCarried(init, op);
      assign(step.before, init, carried[i]);
    }
  for (unsigned i = 0; i < count; ++i)
    if (carried[i]) {
      setHome(op.getRegionIterArgs()[i], carried[i]);
      setHome(op.getResult(i), carried[i]);
    }
  SmallVector<bool> atOnce = assignableAtOnce(op);
  SmallVector<Root> results;
  for (unsigned i = 0; i < count; ++i) {
    Value yielded = op.getYieldedValues()[i];
    if (!carried[i] || yielded == op.getRegionIterArgs()[i])
      continue;
    Buffer *destination = carried[i];
    if (!atOnce[i]) {
      destination = allocate(tileType(yielded), /*dense=*/false);
      step.copies.push_back({destination, carried[i]});
    }
    results.push_back({Root::Assign, nullptr, yielded, destination});
  }
  step.blocks.push_back(planBlock(*op.getBody(), results));
  planRounds(step, op);
}

/// The tiles among `values` go to where those of `targets` are.
static SmallVector<Root> assignments(ValueRange values, ValueRange targets,
                                     const KernelPlan &plan) {
  SmallVector<Root> roots;
  for (auto [value, target] : llvm::zip(values, targets))
    if (tileType(value))
      roots.push_back({Root::Assign, nullptr, value, plan.home(target)});
  return roots;
}

void Planner::planIf(Step &step, scf::IfOp op) {
  for (Value result : op.getResults())
    if (auto type = tileType(result))
      setHome(result, allocate(type, /*dense=*/false));
  for (Region &region : op->getRegions())
    if (!region.empty()) {
      Block &block = region.front();
      step.blocks.push_back(planBlock(
          block, assignments(block.getTerminator()->getOperands(), op.getResults(), plan)));
    }
}

void Planner::planWhile(Step &step, scf::WhileOp op) {
  for (auto [init, arg] : llvm::zip(op.getInits(), op.getBeforeArguments()))
    if (auto type = tileType(init)) {
      setHome(arg, allocate(type, /*dense=*/false));
      assign(step.before, init, plan.home(arg));
    }
  for (auto [result, arg] : llvm::zip(op.getResults(), op.getAfterArguments()))
    if (auto type = tileType(result)) {
      setHome(arg, allocate(type, /*dense=*/false));
      setHome(result, plan.home(arg));
    }
  step.blocks.push_back(planBlock(*op.getBeforeBody(), assignments(op.getConditionOp().getArgs(),
                                                                   op.getAfterArguments(), plan)));
  step.blocks.push_back(planBlock(*op.getAfterBody(), assignments(op.getYieldOp().getOperands(),
                                                                  op.getBeforeArguments(), plan)));
}

} // namespace tritium::cpu
