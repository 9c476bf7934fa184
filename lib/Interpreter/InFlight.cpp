//===- InFlight.cpp - values that dots are still to bring -----------------===//
//
// The value of a dot of a warp group is computed at once: whoever writes its operands before it is
// over is refused, so that late is no different. But it must not be used before. Values that may be
// such a dot's carry its number in a slot of their own, through loops and branches.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

using namespace mlir;

namespace tritium::interpreter {

/// Values of `op` that are one and the same at different times: what a loop carries, what branches
/// yield.
static SmallVector<SmallVector<Value>> handedOn(Operation *op) {
  SmallVector<SmallVector<Value>> groups(op->getNumResults());
  for (auto [i, group] : llvm::enumerate(groups)) {
    group.push_back(op->getResult(i));
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      group.append({loop.getInitArgs()[i], loop.getRegionIterArg(i), loop.getYieldedValues()[i]});
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      group.append({branch.thenYield().getOperand(i), branch.elseYield().getOperand(i)});
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      group.append({loop.getConditionOp().getArgs()[i], loop.getAfterArguments()[i]});
    } else if (auto wait = dyn_cast<ttng::WarpGroupDotWaitOp>(op)) {
      group.push_back(wait.getTiles()[i]);
    }
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    for (auto [init, argument, yielded] :
         llvm::zip(loop.getInits(), loop.getBeforeArguments(), loop.getYieldOp().getOperands()))
      groups.push_back({init, argument, yielded});
  return groups;
}

void Builder::planDots(tt::FuncOp kernel) {
  kernel.walk([&](ttng::WarpGroupDotOp dot) { inFlight.insert(dot); });
  for (size_t before = 0; before != inFlight.size();) {
    before = inFlight.size();
    kernel.walk([&](Operation *op) {
      for (ArrayRef<Value> group : handedOn(op))
        if (llvm::any_of(group, [&](Value value) { return inFlight.contains(value); }))
          inFlight.insert(group.begin(), group.end());
    });
  }
}

Tile Builder::dotOf(Value value) {
  auto [it, isNew] = dots.try_emplace(value);
  // A slot that is never given back is 0 until a dot's number is there.
  if (isNew)
    it->second = Tile{program.frameSlots++, 1, Element{Kind::Integer, 64}};
  return it->second;
}

void Builder::checkInFlight(Operation *op) {
  if (isa<scf::ForOp, scf::WhileOp, ttng::WarpGroupDotWaitOp>(op))
    return;
  auto dot = dyn_cast<ttng::WarpGroupDotOp>(op);
  for (Value operand : op->getOperands())
    if (mayBeInFlight(operand) && !(dot && operand == dot.getC()))
      add([number = dotOf(operand), site = siteOf(op->getLoc()),
           name = op->getName().getStringRef().str()](Machine &m) {
        if (!m.cta->dots().isOver(*m.at(number)))
          m.fail("an operand of " + name +
                     " is the result of a ttng.warp_group_dot that may not be over; a "
                     "ttng.warp_group_dot_wait for it must stand before",
                 site);
      });
}

} // namespace tritium::interpreter
