//===- UsedElements.cpp - which elements of a tile matter -----------------===//
//
//   %rows = (%start + arange) % %m
//   %a = tt.load %p + %rows * %pitch + ..
//   %c = tt.dot %a, %b, %zeros
//   tt.store %q, %c, %start + arange < %m
//
// A row of %c depends on that row of %a alone, and no row at or behind %m is stored: it is the same
// what %a has there. The tile is followed forward through all that is made of it, with the
// dimension that the condition counts along, until every way ends in a store or an atomic whose
// mask implies the condition.
//
// The condition is made of scalars that have one value for the tile and for the store: where a way
// goes from one iteration of a loop to the next, they must not change in it.
//
//===----------------------------------------------------------------------===//

#include "UsedElements.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tritium::ttng {

namespace {
class Uses {
public:
  Uses(const Polynomial &origin, AffineReader &reader) : origin(origin), reader(reader) {}

  bool areMasked(Value tile, size_t dim) {
    reach(tile, dim);
    while (!worklist.empty()) {
      auto [value, along] = worklist.pop_back_val();
      for (OpOperand &use : value.getUses())
        if (!follow(use, along))
          return false;
    }
    return true;
  }

private:
  void reach(Value value, size_t dim) {
    if (seen.insert({value, dim}).second)
      worklist.push_back({value, dim});
  }

  /// False if more may depend on the elements than can be told.
  bool follow(OpOperand &use, size_t dim) {
    Operation *op = use.getOwner();
    if (isa<tt::StoreOp, tt::AtomicRMWOp>(op))
      return isMasked(use, dim);
    if (auto dot = dyn_cast<tt::DotOp>(op))
      return followDot(dot, use, dim);
    if (auto movement = dyn_cast<tt::DataMovement>(op))
      return followMovement(movement, use, dim);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      reach(loop.getTiedLoopRegionIterArg(&use), dim);
      reach(loop.getTiedLoopResult(&use), dim);
      return true;
    }
    if (isa<scf::YieldOp>(op))
      return followYield(use, dim);
    // A quotient of integers must not be by what happens to be there.
    if (!tt::isElementwise(op) || !isMemoryEffectFree(op) || !isSpeculatable(op))
      return false;
    for (Value result : op->getResults())
      reach(result, dim);
    return true;
  }

  /// What the mask leaves out is not stored.
  bool isMasked(OpOperand &use, size_t dim) {
    auto access = cast<tt::MemoryAccess>(use.getOwner());
    Value mask = access.getMask();
    if (!mask || use.get() == mask || use.get() == access.getAccessed())
      return false;
    AffineTile condition{origin, SmallVector<Polynomial, 4>(rankOf(use.get())), {}};
    condition.steps[dim] = Polynomial(1);
    return reader.implies(mask, condition);
  }

  static size_t rankOf(Value tile) { return tt::shapeOf(tile.getType()).size(); }

  /// Rows of the product come from those of the left operand, columns from those of the right one.
  bool followDot(tt::DotOp dot, OpOperand &use, size_t dim) {
    unsigned operand = use.getOperandNumber();
    bool isOwn = operand == 2 || dim == operand;
    if (rankOf(dot) != 2 || operand > 2 || !isOwn)
      return false;
    reach(dot, dim);
    return true;
  }

  bool followMovement(tt::DataMovement movement, OpOperand &use, size_t dim) {
    if (use.getOperandNumber() != 0 || !movement.isAlongDims())
      return false;
    SmallVector<int64_t> dims = movement.getSourceDims();
    if (llvm::count(dims, int64_t(dim)) != 1)
      return false;
    for (Value result : movement->getResults())
      reach(result, llvm::find(dims, int64_t(dim)) - dims.begin());
    return true;
  }

  bool followYield(OpOperand &use, size_t dim) {
    Operation *parent = use.getOwner()->getParentOp();
    unsigned number = use.getOperandNumber();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      if (!isTheSameThroughout(loop))
        return false;
      reach(loop.getRegionIterArgs()[number], dim);
    } else if (!isa<scf::IfOp>(parent)) {
      return false;
    }
    reach(parent->getResult(number), dim);
    return true;
  }

  bool isTheSameThroughout(scf::ForOp loop) {
    return llvm::all_of(origin.getTerms(), [&](const Polynomial::Term &term) {
      return llvm::all_of(term.scalars,
                          [&](Value scalar) { return loop.isDefinedOutsideOfLoop(scalar); });
    });
  }

  const Polynomial &origin;
  AffineReader &reader;
  SmallVector<std::pair<Value, size_t>> worklist;
  llvm::SmallDenseSet<std::pair<Value, size_t>, 16> seen;
};
} // namespace

bool isUsedOnlyWhere(Value tile, const AffineTile &condition, AffineReader &reader) {
  std::optional<size_t> dim = condition.onlyDim();
  return dim && condition.steps[*dim].number() == 1 &&
         Uses(condition.origin, reader).areMasked(tile, *dim);
}

} // namespace tritium::ttng
