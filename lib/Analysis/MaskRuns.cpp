//===- MaskRuns.cpp - masks that are bounds of an index -------------------===//
//
// As in AxisRules.cpp, an index is assumed not to wrap within a run of neighbours: it would
// be out of bounds already.
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

const MaskRuns &wider(const MaskRuns &a, const MaskRuns &b) { return a.width >= b.width ? a : b; }

MaskRuns ofComparison(arith::CmpIOp compare, int64_t dim, int64_t width,
                      const AxisInfoAnalysis &axes) {
  P p = compare.getPredicate();
  if (!isLess(p) && !isGreater(p))
    return {};
  auto against = [&](Value index, Value bound, bool falls) -> MaskRuns {
    int64_t w = std::gcd(axes.get(index).contiguity[dim], axes.get(bound).constancy[dim]);
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
  auto bound =
      llvm::TypeSwitch<Operation *, MaskRuns>(op)
          .Case([&](arith::CmpIOp op) { return ofComparison(op, dim, width, axes); })
          .Case([&](arith::AndIOp op) {
            MaskRuns a = maskRuns(op.getLhs(), dim, width, axes);
            MaskRuns b = maskRuns(op.getRhs(), dim, a.width, axes);
            return MaskRuns{b.width, a.falls || b.falls, a.rises || b.rises};
          })
          .Case([&](ttg::ConvertLayoutOp op) { return maskRuns(op.getSrc(), dim, width, axes); })
          .Case([&](tt::BroadcastOp op) {
            bool repeats =
                tt::shapeOf(op.getSrc().getType())[dim] != tt::shapeOf(op.getType())[dim];
            return repeats ? MaskRuns() : maskRuns(op.getSrc(), dim, width, axes);
          })
          .Case([&](tt::ExpandDimsOp op) {
            int64_t axis = op.getAxis();
            return dim == axis ? MaskRuns()
                               : maskRuns(op.getSrc(), dim - (dim > axis), width, axes);
          })
          .Default([](Operation *) { return MaskRuns(); });
  return wider(constant, bound);
}

} // namespace tritium
