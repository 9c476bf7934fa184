//===- SkippedRegisters.cpp - registers that a mask rules out -------------===//

#include "tritium/Analysis/SkippedRegisters.h"

#include "tritium/Analysis/MaskRuns.h"
#include "tritium/Dialect/TileGPU/IR/SkipMasked.h"

#include <map>

using namespace mlir;

namespace tritium::ttg {

SmallVector<unsigned, 16> MaskedPart::registers() const {
  SmallVector<unsigned, 16> all;
  for (ArrayRef<unsigned> row : rows)
    all.append(row.begin(), row.end());
  return all;
}

MaskedParts maskedParts(SkipMaskedOp op) {
  TileLayout layout = layoutOf(cast<RankedTensorType>(op.getMask().getType()));
  unsigned axis = op.getAxis();
  MaskedParts result;
  result.parts.resize(op.getFrom().size());
  std::map<int64_t, SmallVector<unsigned>> places;
  for (unsigned r = 0; r < layout.registers(); ++r)
    if (int64_t place = layout.offset(r)[axis]; place < op.getFrom()[0])
      result.always.push_back(r);
    else
      places[place].push_back(r);
  SmallVector<std::map<Coordinates, unsigned>, 2> rowOf(result.parts.size());
  for (auto &[place, registers] : places) {
    size_t number = llvm::upper_bound(op.getFrom(), place) - op.getFrom().begin() - 1;
    auto &rows = result.parts[number].rows;
    for (unsigned r : registers) {
      Coordinates key = layout.offset(r);
      key[axis] = 0;
      auto [it, isNew] = rowOf[number].try_emplace(key, rows.size());
      if (isNew)
        rows.emplace_back();
      rows[it->second].push_back(r);
    }
  }
  return result;
}

std::optional<SmallVector<Value, 3>> fillOperands(Operation *op, Value mask) {
  using Operands = SmallVector<Value, 3>;
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    if (!implies(load.getMask(), mask) || load.getIsVolatile())
      return std::nullopt;
    return load.getOther() ? Operands{load.getOther()} : Operands();
  }
  if (auto select = dyn_cast<arith::SelectOp>(op); select && implies(select.getCondition(), mask))
    return Operands{select.getFalseValue()};
  if (isElementwiseUnder(op, mask))
    return Operands(op->getOperands());
  return std::nullopt;
}

bool isUniformAlong(Value tile, unsigned axis, const AxisInfoAnalysis &axes) {
  return !tt::isTile(tile.getType()) ||
         axes.get(tile).constancy[axis] == tt::shapeOf(tile.getType())[axis];
}

Value skippedAs(Value value, SkipMaskedOp like) {
  if (value.getDefiningOp<SkipMaskedOp>())
    value = sameTile(value);
  Operation *op = value.getDefiningOp();
  auto around = op ? dyn_cast<SkipMaskedOp>(op->getParentOp()) : SkipMaskedOp();
  return around && around.skipsAs(like) && op != around.getLast() ? value : Value();
}

bool isReadElsewhere(OpResult result) {
  auto skip = cast<SkipMaskedOp>(result.getOwner());
  return llvm::any_of(result.getUsers(), [&](Operation *user) {
    auto other = dyn_cast<SkipMaskedOp>(user->getParentOp());
    return !other || !other.skipsAs(skip);
  });
}

namespace {
class SkipChecker {
public:
  SkipChecker(SkipMaskedOp op, const AxisInfoAnalysis &axes) : skip(op), axes(axes) {}

  LogicalResult run() {
    if (failed(checkMask()) || failed(checkParts()))
      return failure();
    if (Operation *last = skip.getLast(); last && !isa<tt::StoreOp>(last))
      for (Value operand : last->getOperands())
        if (failed(checkKnown(operand, last)))
          return failure();
    for (OpResult result : skip->getResults())
      if (Value value = skippedAs(result, skip); value && isReadElsewhere(result))
        if (failed(checkKnown(value, value.getDefiningOp())))
          return failure();
    return success();
  }

private:
  LogicalResult checkMask() {
    Value mask = skip.getMask();
    int64_t extent = tt::shapeOf(mask.getType())[skip.getAxis()];
    MaskRuns runs = maskRuns(mask, skip.getAxis(), extent, axes);
    if (runs.width == extent && !runs.rises)
      return success();
    return skip.emitError() << "registers can be skipped if the mask is true up to a bound along "
                               "dimension "
                            << skip.getAxis()
                            << " and false behind it, as index < bound; of this one that is not "
                               "known";
  }

  LogicalResult checkParts() {
    TileLayout layout = layoutOf(cast<RankedTensorType>(skip.getMask().getType()));
    if (layout.hasPadding() || !layout.registersAreApart())
      return skip.emitError() << "no registers can be skipped of a tile whose registers do not lie "
                                 "in order, or are padding in part, found "
                              << skip.getMask().getType();
    unsigned vector = layout.contiguous(skip.getAxis());
    MaskedParts parts = maskedParts(skip);
    for (auto [place, part] : llvm::zip_equal(skip.getFrom(), parts.parts))
      if (part.rows.empty() || place % vector != 0)
        return skip.emitError() << "a part must have registers of each thread, and begin at a "
                                   "multiple of the "
                                << vector << " that are neighbours, found one from " << place
                                << " on";
    return success();
  }

  LogicalResult checkKnown(Value value, Operation *at) {
    if (isKnown(value))
      return success();
    InFlightDiagnostic error =
        at->emitError()
        << "'" << at->getName()
        << "' is for all of a tile, of which skipped registers are not known; leave "
           "it to ttg-skip-masked-registers what is skipped";
    error.attachNote(skip.getLoc()) << "they are skipped here";
    return error;
  }

  /// One value for all of a row where the mask lets nothing in.
  bool isKnown(Value value) {
    auto [it, isNew] = known.try_emplace(value, false);
    if (isNew)
      known[value] = findKnown(value);
    return known[value];
  }

  bool findKnown(Value value) {
    if (implies(value, skip.getMask()))
      return true;
    Value inner = skippedAs(value, skip);
    if (!inner && isUniformAlong(value, skip.getAxis(), axes))
      return true;
    Operation *op = (inner ? inner : value).getDefiningOp();
    if (!inner && !isa_and_nonnull<tt::LoadOp>(op))
      return false;
    auto operands = fillOperands(op, skip.getMask());
    return operands && llvm::all_of(*operands, [&](Value x) { return isKnown(x); });
  }

  SkipMaskedOp skip;
  const AxisInfoAnalysis &axes;
  llvm::DenseMap<Value, bool> known;
};
} // namespace

LogicalResult checkSkippedRegisters(tt::FuncOp kernel, const AxisInfoAnalysis &axes) {
  WalkResult result = kernel.walk([&](SkipMaskedOp op) {
    return succeeded(SkipChecker(op, axes).run()) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

} // namespace tritium::ttg
