//===- SlotEmission.cpp - code that leaves out slots ----------------------===//
//
// Element-wise operations that leave out slots (Slots.h) are postponed until something else
// wants their results: a reduction or a store that leaves out the same slots joins them, and
// anything else comes behind them. Then they are emitted for one slot after the other, and for
// the lower half. Loads have been emitted in the meantime: a basic block with all of them ends
// at the first branch. Were the lower half computed in it, the assembler would load the upper
// half when registers of the lower one are free again.
//
// Registers of a slot that is left out, and that nothing but members of the plan reads, are
// not there: a later member branches on the same condition, and where it needs to know their
// value it computes it again from what is filled in for the load.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tritium::ttg {

void Lowering::postpone(Operation *op) { postponed.push_back(op); }

bool Lowering::mustEmitBefore(Operation *op) {
  if (postponed.empty())
    return false;
  if (const SlotMask *mask = slots.maskOf(op))
    return mask != slots.maskOf(postponed.front());
  return op->hasTrait<OpTrait::IsTerminator>() ||
         (op->getNumRegions() && !isa<tt::ReduceOp, WarpReduceOp>(op)) ||
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return llvm::is_contained(postponed, operand.getDefiningOp());
         });
}

Value Lowering::isLive(const SlotMask &mask, const Slot &slot) {
  Value &known = live[&slot];
  if (known)
    return known;
  // The first of a strand is inside if any of it is.
  SetVector<Value> first;
  for (ArrayRef<unsigned> strand : slot.strands)
    first.insert(get(mask.mask)[strand[0]]);
  return known = anyLane(anyOf(first.getArrayRef()));
}

Value Lowering::fillOf(Value tile, const SlotMask &mask, ArrayRef<unsigned> strand,
                       llvm::DenseMap<Value, Value> &known) {
  if (Value found = known.lookup(tile))
    return found;
  auto fill = [&](Value x) { return fillOf(x, mask, strand, known); };
  Type element = tt::elementType(tile.getType());
  Value result;
  if (SlotPlan::implies(tile, mask.mask)) {
    result = boolean(false);
  } else if (!slots.isFilled(tile, mask)) {
    result = get(tile)[strand[0]]; // uniform
  } else if (auto load = tile.getDefiningOp<tt::LoadOp>()) {
    result = load.getOther() ? fill(load.getOther()) : zero(lowered(element));
  } else if (auto select = tile.getDefiningOp<arith::SelectOp>();
             select && SlotPlan::implies(select.getCondition(), mask.mask)) {
    result = fill(select.getFalseValue());
  } else {
    Operation *op = tile.getDefiningOp();
    result = emitScalar(op, llvm::map_to_vector(op->getOperands(), fill));
  }
  known[tile] = result;
  return result;
}

LogicalResult Lowering::emitSlot(const SlotMask &mask, const Slot &slot, Value condition,
                                 ArrayRef<Operation *> ops, const SlotSink *sink) {
  SmallVector<unsigned, 16> registers = slot.registers();
  // Those results of `ops` that others read, too.
  SmallVector<Value> tiles;
  for (Operation *op : ops)
    if (llvm::any_of(op->getResult(0).getUsers(), [&](Operation *user) {
          return !(sink && user == sink->op) && !llvm::is_contained(ops, user);
        }))
      tiles.push_back(op->getResult(0));
  Partials *partials = sink ? sink->partials : nullptr;
  // All that either side makes.
  auto made = [&] {
    SmallVector<Value *> all;
    for (Value tile : tiles)
      for (unsigned r : registers)
        all.push_back(&values[tile][r]);
    if (partials)
      for (auto &[place, partial] : *partials)
        for (Value &x : partial)
          all.push_back(&x);
    return all;
  };
  auto leaveFor = [&](Block *join) {
    b.create<LLVM::BrOp>(loc, llvm::map_to_vector(made(), [](Value *x) { return *x; }), join);
  };
  Location behind = loc;
  Partials before = partials ? *partials : Partials();
  Block *inside = newBlock(), *outside = newBlock(), *join = newBlock();
  b.create<LLVM::CondBrOp>(loc, condition, inside, outside);

  b.setInsertionPointToStart(inside);
  for (Operation *op : ops) {
    loc = op->getLoc();
    if (failed(emitElementwise(op, registers)))
      return failure();
  }
  loc = behind;
  if (sink && failed(sink->take(registers)))
    return failure();
  for (Value *x : made())
    join->addArgument(x->getType(), loc);
  leaveFor(join);

  b.setInsertionPointToStart(outside);
  if (partials)
    *partials = std::move(before);
  for (ArrayRef<unsigned> strand : slot.strands) {
    llvm::DenseMap<Value, Value> known;
    for (Value tile : tiles) {
      Value x = slots.isWantedEverywhere(tile, mask)
                    ? fillOf(tile, mask, strand, known)
                    : b.create<LLVM::PoisonOp>(loc, values[tile][strand[0]].getType());
      if (!x)
        return failure();
      for (unsigned r : strand)
        values[tile][r] = x;
    }
  }
  if (sink && sink->leaveOut && failed(sink->leaveOut(slot)))
    return failure();
  leaveFor(join);

  join->moveBefore(join->getParent(), join->getParent()->end());
  b.setInsertionPointToStart(join);
  for (auto [x, argument] : llvm::zip_equal(made(), join->getArguments()))
    *x = argument;
  return success();
}

LogicalResult Lowering::emitPostponed(const SlotSink *sink) {
  SmallVector<Operation *> ops = std::exchange(postponed, {});
  const SlotMask &mask = *slots.maskOf(sink ? sink->op : ops.front());
  Location behind = loc;
  for (Operation *op : ops) {
    loc = op->getLoc();
    if (failed(prepareElementwise(op)))
      return failure();
  }
  SmallVector<Value> conditions;
  for (const Slot &slot : mask.slots)
    conditions.push_back(isLive(mask, slot));
  for (auto [slot, condition] : llvm::zip_equal(mask.slots, conditions))
    if (failed(emitSlot(mask, slot, condition, ops, sink)))
      return failure();
  for (Operation *op : ops) {
    loc = op->getLoc();
    if (failed(emitElementwise(op, mask.always)))
      return failure();
  }
  loc = behind;
  if (sink && failed(sink->take(mask.always)))
    return failure();
  reciprocals.clear();
  return success();
}

} // namespace tritium::ttg
