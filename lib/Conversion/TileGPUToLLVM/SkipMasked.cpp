//===- SkipMasked.cpp - registers that a mask rules out -------------------===//
//
// The body of ttg.skip_masked is emitted for one part after the other, each under a branch that all
// lanes take together, and at last for the registers that are always computed:
//
//   if any lane has an element of the part inside
//     the operations on each register, their part in a reduction, their store
//   else
//     the operations on one value, its part in a reduction
//
// Registers of a part that is left out, and that nothing but operations that skip the same read,
// are not there: those branch on the same condition, and where they need to know the value they
// compute it again from what is filled in for the load.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tritium/Dialect/TileGPU/IR/SkipMasked.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tritium::ttg {

SmallVector<Value> Lowering::partsInside(SkipMaskedOp op, ArrayRef<MaskedPart> parts) {
  SmallVector<Value> &known = insides[{op.getMask().getAsOpaquePointer(), op.getAxis(),
                                       op.getFromAttr().getAsOpaquePointer(), op->getBlock()}];
  if (known.empty())
    for (const MaskedPart &part : parts) {
      // The first of a row is inside if any of it is.
      SetVector<Value> first;
      for (ArrayRef<unsigned> row : part.rows)
        first.insert(get(op.getMask())[row[0]]);
      known.push_back(anyLane(anyOf(first.getArrayRef())));
    }
  return known;
}

Value Lowering::fillOf(Value tile, SkipMaskedOp op, ArrayRef<unsigned> row,
                       llvm::DenseMap<Value, Value> &known) {
  if (Value found = known.lookup(tile))
    return found;
  Value inner = skippedAs(tile, op), result;
  Operation *maker = (inner ? inner : tile).getDefiningOp();
  auto operands = inner || isa_and_nonnull<tt::LoadOp>(maker) ? fillOperands(maker, op.getMask())
                                                              : std::nullopt;
  if (implies(tile, op.getMask())) {
    result = boolean(false);
  } else if (!operands) {
    result = get(tile)[get(tile).size() == 1 ? 0 : row[0]]; // uniform
  } else {
    SmallVector<Value> values =
        llvm::map_to_vector(*operands, [&](Value x) { return fillOf(x, op, row, known); });
    bool computes = values.size() == maker->getNumOperands(); // or takes one of its operands
    result = computes         ? emitScalar(maker, values)
             : values.empty() ? zero(lowered(tt::elementType(tile.getType())))
                              : values[0];
  }
  known[tile] = result;
  return result;
}

LogicalResult Lowering::emitPart(SkipMaskedOp op, const MaskedPart &part, Value condition,
                                 ArrayRef<Operation *> ops, const Joiner &joiner) {
  SmallVector<unsigned, 16> registers = part.registers();
  SmallVector<std::pair<Value, bool>> tiles; // and whether all of it is read
  for (OpResult result : op->getResults())
    if (Value tile = skippedAs(result, op))
      tiles.push_back({tile, isReadElsewhere(result)});
  // All that either side makes.
  auto made = [&] {
    SmallVector<Value *> all;
    for (auto [tile, isRead] : tiles)
      for (unsigned r : registers)
        all.push_back(&values[tile][r]);
    if (joiner.partials)
      for (auto &[place, partial] : *joiner.partials)
        for (Value &x : partial)
          all.push_back(&x);
    return all;
  };
  auto leaveFor = [&](Block *join) {
    b.create<LLVM::BrOp>(loc, llvm::map_to_vector(made(), [](Value *x) { return *x; }), join);
  };
  Location behind = loc;
  Partials before = joiner.partials ? *joiner.partials : Partials();
  Block *inside = newBlock(), *outside = newBlock(), *join = newBlock();
  b.create<LLVM::CondBrOp>(loc, condition, inside, outside);

  b.setInsertionPointToStart(inside);
  for (Operation *op : ops) {
    loc = op->getLoc();
    if (failed(emitElementwise(op, registers)))
      return failure();
  }
  loc = behind;
  if (joiner.take && failed(joiner.take(registers)))
    return failure();
  for (Value *x : made())
    join->addArgument(x->getType(), loc);
  leaveFor(join);

  b.setInsertionPointToStart(outside);
  if (joiner.partials)
    *joiner.partials = std::move(before);
  for (ArrayRef<unsigned> row : part.rows) {
    llvm::DenseMap<Value, Value> known;
    for (auto [tile, isRead] : tiles) {
      Value x = isRead ? fillOf(tile, op, row, known)
                       : b.create<LLVM::PoisonOp>(loc, values[tile][row[0]].getType());
      if (!x)
        return failure();
      for (unsigned r : row)
        values[tile][r] = x;
    }
  }
  if (joiner.leaveOut && failed(joiner.leaveOut(part)))
    return failure();
  leaveFor(join);

  join->moveBefore(join->getParent(), join->getParent()->end());
  b.setInsertionPointToStart(join);
  for (auto [x, argument] : llvm::zip_equal(made(), join->getArguments()))
    *x = argument;
  return success();
}

LogicalResult Lowering::lowerSkipMasked(SkipMaskedOp op) {
  SmallVector<Operation *> ops;
  for (Operation &inner : op.getBody().front().without_terminator())
    if (&inner != op.getLast())
      ops.push_back(&inner);
  Joiner joiner;
  if (auto store = dyn_cast_or_null<tt::StoreOp>(op.getLast())) {
    joiner = joinStore(store);
  } else if (op.getLast()) {
    FailureOr<Joiner> reduction = joinReduction(op.getLast());
    if (failed(reduction))
      return failure();
    joiner = std::move(*reduction);
  }
  for (Operation *inner : ops) {
    loc = inner->getLoc();
    if (failed(prepareElementwise(inner)))
      return failure();
  }
  loc = op.getLoc();
  MaskedParts parts = maskedParts(op);
  for (auto [part, condition] : llvm::zip_equal(parts.parts, partsInside(op, parts.parts)))
    if (failed(emitPart(op, part, condition, ops, joiner)))
      return failure();
  for (Operation *inner : ops) {
    loc = inner->getLoc();
    if (failed(emitElementwise(inner, parts.always)))
      return failure();
  }
  loc = op.getLoc();
  if (joiner.take && failed(joiner.take(parts.always)))
    return failure();
  reciprocals.clear();
  if (joiner.finish && failed(joiner.finish()))
    return failure();
  for (auto [result, value] : llvm::zip(op.getResults(), op.getYield().getValues()))
    set(result, Registers(get(value)));
  return success();
}

} // namespace tritium::ttg
