//===- MaskRuns.cpp - masks that are bounds of an index -------------------===//
//
// An index that counts up modulo 2^width may wrap within a run of neighbours, and then the mask
// is true, false and true again. Bounds show that it does not, or the run is aligned: 2^n
// elements from a multiple of 2^n on.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/MaskRuns.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace tritium {

namespace {
using P = arith::CmpIPredicate;

bool isLess(P p) { return p == P::slt || p == P::sle || p == P::ult || p == P::ule; }
bool isGreater(P p) { return p == P::sgt || p == P::sge || p == P::ugt || p == P::uge; }

bool isUnsigned(P p) { return p == P::ult || p == P::ule || p == P::ugt || p == P::uge; }

/// The longest aligned run that does not cross an end of the integers.
int64_t longestAligned(Value index) {
  return int64_t(1) << std::min(getElementTypeOrSelf(index).getIntOrFloatBitWidth() - 1, 30u);
}

const MaskRuns &wider(const MaskRuns &a, const MaskRuns &b) { return a.width >= b.width ? a : b; }

MaskRuns ofComparison(arith::CmpIOp compare, int64_t dim, int64_t width,
                      const AxisInfoAnalysis &axes) {
  P p = compare.getPredicate();
  if (!isLess(p) && !isGreater(p))
    return {};
  auto against = [&](Value index, Value bound, bool falls) -> MaskRuns {
    const AxisInfo &info = axes.get(index);
    int64_t w = std::gcd(info.contiguity[dim], axes.get(bound).constancy[dim]);
    IntegerRanges &ranges = axes.ranges();
    bool cannotCross =
        isUnsigned(p) ? ranges.cannotCrossUnsignedEnd(index) : ranges.cannotCrossSignedEnd(index);
    if (!cannotCross)
      w = std::gcd(std::gcd(w, info.divisibility[dim]), longestAligned(index));
    return {std::gcd(width, w), falls, !falls};
  };
  return wider(against(compare.getLhs(), compare.getRhs(), isLess(p)),
               against(compare.getRhs(), compare.getLhs(), isGreater(p)));
}
} // namespace

MaskRuns maskRuns(Value mask, int64_t dim, int64_t width, const AxisInfoAnalysis &axes) {
  MaskRuns constant{std::gcd(width, axes.get(mask).constancy[dim])};
  Operation *op = mask.getDefiningOp();
  if (constant.width == width || !op)
    return constant;
  if (Value same = ttg::sameTile(mask))
    return maskRuns(same, dim, width, axes);
  auto bound = llvm::TypeSwitch<Operation *, MaskRuns>(op)
                   .Case([&](arith::CmpIOp op) { return ofComparison(op, dim, width, axes); })
                   .Case([&](arith::AndIOp op) {
                     MaskRuns a = maskRuns(op.getLhs(), dim, width, axes);
                     MaskRuns b = maskRuns(op.getRhs(), dim, a.width, axes);
                     return MaskRuns{b.width, a.falls || b.falls, a.rises || b.rises};
                   })
                   .Case([&](tt::DataMovement op) {
                     int64_t from = op.getSourceDims()[dim];
                     return from < 0 ? MaskRuns() : maskRuns(op.getSource(), from, width, axes);
                   })
                   .Default([](Operation *) { return MaskRuns(); });
  return wider(constant, bound);
}

} // namespace tritium
