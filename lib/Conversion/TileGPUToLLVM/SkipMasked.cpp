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
// compute it again from what is filled in for the load. A quotient is not the same wherever it is
// computed, since it depends on how many there are of a divisor: what comes of one is held in the
// first register of each row.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Families.h"
#include "Memory.h"
#include "Reduce.h"

#include "tritium/Analysis/SkippedRegisters.h"
#include "tritium/Dialect/TileGPU/IR/SkipMasked.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
class SkipMaskedLowering : public LoweringContext {
public:
  explicit SkipMaskedLowering(const LoweringContext &context)
      : LoweringContext(context), elementwise(context), memory(context), reduce(context) {}

  LogicalResult lowerSkipMasked(SkipMaskedOp op);

private:
  /// What takes the element-wise results of a body, part by part.
  struct Joiner {
    /// Takes these registers.
    std::function<LogicalResult(ArrayRef<unsigned>)> take;
    /// Does without this part; may be empty.
    std::function<LogicalResult(const MaskedPart &)> leaveOut;
    /// What either changes, if anything.
    Partials *partials = nullptr;
    /// After all parts; may be empty.
    std::function<LogicalResult()> finish;
  };
  LogicalResult emitPart(SkipMaskedOp op, const MaskedPart &part, Value condition,
                         ArrayRef<Operation *> ops, const Joiner &joiner);
  /// For each part, whether some lane of the warp has an element of it inside of the mask.
  SmallVector<Value> partsInside(SkipMaskedOp op, ArrayRef<MaskedPart> parts);
  /// What the operations of all bodies make of a quotient.
  bool comesOfQuotient(Value tile, SkipMaskedOp op);
  /// Finds what fillOf takes of quotients that other operations have computed.
  void findHeld(SkipMaskedOp op);
  void findHeld(Value tile, SkipMaskedOp op);
  /// The value of a row where nothing is inside.
  Value fillOf(Value tile, SkipMaskedOp op, ArrayRef<unsigned> row,
               llvm::DenseMap<Value, Value> &known);
  Joiner joinStore(tt::StoreOp op);
  FailureOr<Joiner> joinReduction(Operation *op);
  LogicalResult reduceFilled(Operation *op, Partials &partials, const MaskedPart &part);

  ElementwiseLowering elementwise;
  MemoryLowering memory;
  ReduceLowering reduce;
  llvm::DenseMap<Value, bool> quotients; ///< comesOfQuotient
  llvm::DenseSet<Value> held;            ///< findHeld, of the whole kernel
  llvm::DenseSet<std::pair<Value, Operation *>> seen;
  bool heldAreFound = false;
  /// By mask, axis, parts, and the block in which they are known.
  std::map<std::tuple<void *, unsigned, const void *, Block *>, SmallVector<Value>> insides;
};
} // namespace

SmallVector<Value> SkipMaskedLowering::partsInside(SkipMaskedOp op, ArrayRef<MaskedPart> parts) {
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

bool SkipMaskedLowering::comesOfQuotient(Value tile, SkipMaskedOp op) {
  Value inner = skippedAs(tile, op);
  if (!inner)
    return false;
  if (auto known = quotients.find(inner); known != quotients.end())
    return known->second;
  Operation *maker = inner.getDefiningOp();
  bool result = isa<arith::DivFOp>(maker) || llvm::any_of(maker->getOperands(), [&](Value operand) {
                  return comesOfQuotient(operand, op);
                });
  return quotients[inner] = result;
}

void SkipMaskedLowering::findHeld(Value tile, SkipMaskedOp op) {
  Value inner = skippedAs(tile, op);
  if (!inner || !seen.insert({inner, op}).second || implies(tile, op.getMask()))
    return;
  Operation *maker = inner.getDefiningOp();
  if (auto owner = cast<SkipMaskedOp>(maker->getParentOp());
      owner != op && comesOfQuotient(tile, op)) {
    held.insert(inner);
    // The owner needs what it makes it of.
    op = owner;
  }
  if (auto operands = fillOperands(maker, op.getMask()))
    for (Value operand : *operands)
      findHeld(operand, op);
}

void SkipMaskedLowering::findHeld(SkipMaskedOp op) {
  if (Operation *last = op.getLast(); last && !isa<tt::StoreOp>(last))
    for (Value operand : last->getOperands())
      findHeld(operand, op);
  for (OpResult result : op->getResults())
    if (Value tile = skippedAs(result, op); tile && isReadElsewhere(result))
      findHeld(tile, op);
}

Value SkipMaskedLowering::fillOf(Value tile, SkipMaskedOp op, ArrayRef<unsigned> row,
                                 llvm::DenseMap<Value, Value> &known) {
  if (Value found = known.lookup(tile))
    return found;
  Value inner = skippedAs(tile, op), result;
  Operation *maker = (inner ? inner : tile).getDefiningOp();
  auto operands = inner || isa_and_nonnull<tt::LoadOp>(maker) ? fillOperands(maker, op.getMask())
                                                              : std::nullopt;
  bool isHeld = inner && maker->getParentOp() != op && held.contains(inner);
  if (implies(tile, op.getMask())) {
    result = boolean(false);
  } else if (isHeld) {
    result = get(tile)[row[0]];
  } else if (!operands) {
    result = get(tile)[get(tile).size() == 1 ? 0 : row[0]]; // uniform
  } else {
    SmallVector<Value> values =
        llvm::map_to_vector(*operands, [&](Value x) { return fillOf(x, op, row, known); });
    bool computes = values.size() == maker->getNumOperands(); // or takes one of its operands
    result = computes         ? elementwise.emitScalar(maker, values)
             : values.empty() ? zero(lowered(tt::elementType(tile.getType())))
                              : values[0];
  }
  known[tile] = result;
  return result;
}

LogicalResult SkipMaskedLowering::emitPart(SkipMaskedOp op, const MaskedPart &part, Value condition,
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
    if (failed(elementwise.emitElementwise(op, registers)))
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
      // All registers of the row, the first of them, or none.
      size_t filled = isRead ? row.size() : held.contains(tile) ? 1 : 0;
      Type type = values[tile][row[0]].getType();
      Value fill = filled ? fillOf(tile, op, row, known) : Value();
      Value none = filled < row.size() ? b.create<LLVM::PoisonOp>(loc, type) : Value();
      if (filled && !fill)
        return failure();
      for (auto [i, r] : llvm::enumerate(row))
        values[tile][r] = i < filled ? fill : none;
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

LogicalResult SkipMaskedLowering::reduceFilled(Operation *op, Partials &partials,
                                               const MaskedPart &part) {
  auto skip = cast<SkipMaskedOp>(op->getParentOp());
  for (ArrayRef<unsigned> row : part.rows) {
    llvm::DenseMap<Value, Value> known;
    Registers x, sum;
    for (Value operand : op->getOperands())
      x.push_back(fillOf(operand, skip, row, known));
    // n of the same by doubling.
    for (size_t n = row.size(); n; n >>= 1) {
      if (n & 1)
        sum = sum.empty() ? x : reduce.combine(op->getRegion(0), sum, x);
      if (n > 1)
        x = reduce.combine(op->getRegion(0), x, x);
    }
    if (failed(reduce.addToPartial(op, partials, row[0], sum, Value())))
      return failure();
  }
  return success();
}

SkipMaskedLowering::Joiner SkipMaskedLowering::joinStore(tt::StoreOp op) {
  Joiner joiner;
  joiner.take = [this, op, plan = memory.planStore(op)](ArrayRef<unsigned> registers) {
    SmallVector<SmallVector<unsigned, 8>> groups;
    for (const SmallVector<unsigned, 8> &group : plan.groups)
      if (llvm::is_contained(registers, group[0]))
        groups.push_back(group);
    memory.emitStore(op, plan, groups);
    return success();
  };
  return joiner;
}

FailureOr<SkipMaskedLowering::Joiner> SkipMaskedLowering::joinReduction(Operation *op) {
  if (failed(reduce.checkReduction(op)))
    return failure();
  auto partials = std::make_shared<Partials>();
  Joiner joiner;
  joiner.partials = partials.get();
  joiner.take = [=, this](ArrayRef<unsigned> registers) {
    return reduce.reduceRegisters(op, *partials, registers);
  };
  joiner.leaveOut = [=, this](const MaskedPart &part) { return reduceFilled(op, *partials, part); };
  joiner.finish = [=, this] { return reduce.reduceLanes(op, *partials); };
  return joiner;
}

LogicalResult SkipMaskedLowering::lowerSkipMasked(SkipMaskedOp op) {
  if (!heldAreFound)
    op->getParentOfType<tt::FuncOp>().walk([&](SkipMaskedOp each) { findHeld(each); });
  heldAreFound = true;
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
    if (failed(elementwise.prepareElementwise(inner)))
      return failure();
  }
  loc = op.getLoc();
  MaskedParts parts = maskedParts(op);
  for (auto [part, condition] : llvm::zip_equal(parts.parts, partsInside(op, parts.parts)))
    if (failed(emitPart(op, part, condition, ops, joiner)))
      return failure();
  for (Operation *inner : ops) {
    loc = inner->getLoc();
    if (failed(elementwise.emitElementwise(inner, parts.always)))
      return failure();
  }
  loc = op.getLoc();
  if (joiner.take && failed(joiner.take(parts.always)))
    return failure();
  elementwise.forgetReciprocals();
  if (joiner.finish && failed(joiner.finish()))
    return failure();
  for (auto [result, value] : llvm::zip(op.getResults(), op.getYield().getValues()))
    set(result, Registers(get(value)));
  return success();
}

void populateSkipMaskedPatterns(LoweringPatterns &patterns, const LoweringContext &context) {
  auto family = std::make_shared<SkipMaskedLowering>(context);
  patterns.add<SkipMaskedOp>([=](SkipMaskedOp op) { return family->lowerSkipMasked(op); });
}

} // namespace tritium::ttg
