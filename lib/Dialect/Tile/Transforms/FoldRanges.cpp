//===- FoldRanges.cpp - tt-fold-ranges ------------------------------------===//
//
// Comparisons that are decided by what their operands can be become constants:
//
//   %i = tt.make_range {start = 0, end = 128}
//   %m = arith.cmpi slt, %i, %c1000                  // true of every element
//   %x = tt.load %p, %m                              // becomes tt.load %p
//
// so that there is no code for a tail that cannot exist. Arguments can be anything: nothing
// is decided about what they bound. It runs after loops of known length are unrolled, and
// before offsets are widened, on tiles without layouts.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/IntegerRanges.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_FOLDRANGES
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
/// Whether the comparison is true, or false, of all values in the ranges.
std::optional<bool> decide(arith::CmpIPredicate predicate, IntegerRange x, IntegerRange y) {
  using P = arith::CmpIPredicate;
  bool isUnsigned =
      predicate == P::ult || predicate == P::ule || predicate == P::ugt || predicate == P::uge;
  // Of numbers that are not negative the order is the same.
  if (isUnsigned && (x.low < 0 || y.low < 0))
    return std::nullopt;
  switch (predicate) {
  case P::eq:
  case P::ne:
    if (x.high < y.low || y.high < x.low)
      return predicate == P::ne;
    if (x.low == x.high && y.low == y.high && x.low == y.low)
      return predicate == P::eq;
    return std::nullopt;
  case P::slt:
  case P::ult:
    return x.high < y.low    ? std::optional(true)
           : x.low >= y.high ? std::optional(false)
                             : std::nullopt;
  case P::sle:
  case P::ule:
    return x.high <= y.low  ? std::optional(true)
           : x.low > y.high ? std::optional(false)
                            : std::nullopt;
  case P::sgt:
  case P::ugt:
    return decide(P::slt, y, x);
  case P::sge:
  case P::uge:
    return decide(P::sle, y, x);
  }
  llvm_unreachable("unknown predicate");
}
} // namespace

void foldRanges(FuncOp func) {
  IntegerRanges ranges;
  SmallVector<std::pair<arith::CmpIOp, bool>> decided;
  func.walk([&](arith::CmpIOp op) {
    if (getElementTypeOrSelf(op.getLhs().getType()).getIntOrFloatBitWidth() == 1)
      return;
    if (auto result = decide(op.getPredicate(), ranges.get(op.getLhs()), ranges.get(op.getRhs())))
      decided.emplace_back(op, *result);
  });
  for (auto [op, value] : decided) {
    OpBuilder b(op);
    Attribute attribute = b.getBoolAttr(value);
    if (auto tile = dyn_cast<RankedTensorType>(op.getType()))
      attribute = DenseElementsAttr::get(tile, value);
    op.replaceAllUsesWith(
        b.create<arith::ConstantOp>(op.getLoc(), cast<TypedAttr>(attribute)).getResult());
    op.erase();
  }
}

namespace {
struct FoldRangesPass : impl::FoldRangesBase<FoldRangesPass> {
  void runOnOperation() override {
    getOperation()->walk([](FuncOp func) {
      if (!func.isExternal())
        foldRanges(func);
    });
  }
};
} // namespace

} // namespace tritium::tt
