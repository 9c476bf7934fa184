//===- NarrowOffsets.cpp - tt-narrow-offsets ------------------------------===//
//
// Offsets of pointers, and comparisons of them, are computed in i64, so that they do not wrap.
// Where ranges prove that none of it can leave 32 bits, it goes back to i32:
//
//   %r64 = arith.extsi %rows                         // 0 to 63
//   %o64 = arith.muli %r64, %c128                    // 0 to 8064
//   %p = tt.addptr %base, %o64
//   %m = arith.cmpi slt, %o64, %n64
//
//   %o = arith.muli %rows, %c128 overflow<nsw>
//   %p = tt.addptr %base, %o
//   %m = arith.cmpi slt, %o, %n
//
// Only the whole offset of an addptr is narrowed: an extension in its midst would be done for
// every element. Offsets with arguments of the kernel, or with program ids along x times a
// size, can be beyond 32 bits and stay. A comparison is narrowed wherever both sides fit, or a
// launch sees to it that they do (tt.narrow, by ttg-launch-conditions); what cannot be
// computed in i32 is cut to it.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/IntegerRanges.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_NARROWOFFSETS
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
unsigned widthOf(Value value) {
  return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
}

class Narrower {
public:
  enum Mode {
    Offsets,     ///< only what is made of narrow numbers
    Comparisons, ///< what fits, and is not made of such, is truncated
    Promised,    ///< a launch has seen that everything fits
  };
  explicit Narrower(Mode mode) : mode(mode) {}

  /// `value`, an i64, as i32; null if it is not known to fit.
  Value narrow(Value value) {
    if (auto found = narrowed.find(value); found != narrowed.end())
      return found->second;
    Value result = canNarrow(value) ? make(value) : Value();
    return narrowed[value] = result;
  }

private:
  bool canNarrow(Value value) {
    auto [found, isNew] = fits.try_emplace(value, false);
    if (!isNew)
      return found->second;
    bool result = decide(value);
    return fits[value] = result;
  }

  bool decide(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || widthOf(value) != 64 ||
        (mode != Promised && !ranges.get(value).isWithin(IntegerRange::ofWidth(32))))
      return false;
    return mode != Offsets || isMadeOfNarrow(op);
  }

  /// Its operands are narrowed with it.
  bool isMadeOfNarrow(Operation *op) {
    if (isa<arith::ExtSIOp>(op))
      return widthOf(op->getOperand(0)) == 32;
    if (APInt number; matchPattern(op->getResult(0), m_ConstantInt(&number)))
      return true;
    bool isHinted = isa<BitcastOp>(op) && op->getOperand(0).getType() == op->getResult(0).getType();
    if (!isHinted && !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, DataMovement>(op))
      return false;
    return llvm::all_of(numbersOf(op), [&](Value operand) { return canNarrow(operand); });
  }

  Value make(Value value) {
    Operation *op = value.getDefiningOp();
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    Type type = withElement(value.getType(), b.getI32Type());
    if (!isMadeOfNarrow(op))
      return b.create<arith::TruncIOp>(op->getLoc(), type, value);
    if (isa<arith::ExtSIOp>(op))
      return op->getOperand(0);
    APInt number; // of a splat, too
    if (matchPattern(value, m_ConstantInt(&number))) {
      TypedAttr constant = b.getI32IntegerAttr(int32_t(number.getSExtValue()));
      if (auto tile = dyn_cast<RankedTensorType>(type))
        constant = DenseElementsAttr::get(tile, Attribute(constant));
      return b.create<arith::ConstantOp>(op->getLoc(), constant);
    }
    IRMapping operands;
    for (Value operand : numbersOf(op))
      operands.map(operand, narrow(operand));
    Operation *clone = b.clone(*op, operands);
    clone->getResult(0).setType(type);
    if (auto arithmetic = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(clone))
      clone->setAttr(
          arithmetic.getIntegerOverflowAttrName(),
          arith::IntegerOverflowFlagsAttr::get(b.getContext(), arith::IntegerOverflowFlags::nsw));
    return clone->getResult(0);
  }

  Mode mode;
  IntegerRanges ranges;
  llvm::DenseMap<Value, bool> fits;
  llvm::DenseMap<Value, Value> narrowed;
};
} // namespace

void narrowOffsets(FuncOp func) {
  Narrower offsets(Narrower::Offsets), fitting(Narrower::Comparisons), promised(Narrower::Promised);
  SmallVector<AddPtrOp> pointers;
  SmallVector<arith::CmpIOp> comparisons;
  func.walk([&](Operation *op) {
    if (auto move = dyn_cast<AddPtrOp>(op); move && widthOf(move.getOffset()) == 64)
      pointers.push_back(move);
    auto compare = dyn_cast<arith::CmpIOp>(op);
    if (compare && compare.getPredicate() < arith::CmpIPredicate::ult &&
        isTile(compare.getType()) && widthOf(compare.getLhs()) == 64)
      comparisons.push_back(compare);
  });
  for (AddPtrOp op : pointers)
    if (Value offset = offsets.narrow(op.getOffset()))
      op.getOffsetMutable().assign(offset);
  for (arith::CmpIOp op : comparisons) {
    bool isPromised = op->removeAttr(kNarrow) != nullptr;
    // A side whose bounds fit is not among what a launch looks at.
    auto narrow = [&](Value side) {
      Value result = fitting.narrow(side);
      return result || !isPromised ? result : promised.narrow(side);
    };
    Value x = narrow(op.getLhs()), y = x ? narrow(op.getRhs()) : Value();
    if (!y)
      continue;
    op.getLhsMutable().assign(x);
    op.getRhsMutable().assign(y);
  }
}

namespace {
struct NarrowOffsetsPass : impl::NarrowOffsetsBase<NarrowOffsetsPass> {
  void runOnOperation() override {
    getOperation()->walk([](FuncOp func) {
      if (!func.isExternal())
        narrowOffsets(func);
    });
  }
};
} // namespace

} // namespace tritium::tt
