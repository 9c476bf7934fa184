//===- AccessWidth.cpp - how much of an access moves at once --------------===//

#include "tritium/Analysis/AccessWidth.h"

#include "tritium/Dialect/Tile/IR/Tile.h"

#include <numeric>

using namespace mlir;

namespace tritium::ttg {

int64_t pointeeBytes(Value ptr) {
  return tt::scalarBytes(cast<tt::PointerType>(tt::elementType(ptr.getType())).getPointeeType());
}

namespace {
/// Of at most `width` neighbours along `dim`, a power of two, as many as addresses and mask let
/// move together.
MaskRuns runsAlong(unsigned dim, int64_t width, Value ptr, Value mask, const AxisInfoAnalysis &axes,
                   Crossing crossing) {
  const AxisInfo &info = axes.get(ptr);
  int64_t bytes = pointeeBytes(ptr);
  width = std::gcd(width, info.contiguity[dim] & -info.contiguity[dim]);
  width = std::min(width, std::max<int64_t>(1, info.divisibility[dim] / bytes));
  width = std::min(width, kMaxVectorBytes / bytes);
  MaskRuns runs{width};
  if (!mask)
    return runs;
  if (crossing != Crossing::Never)
    runs = maskRuns(mask, dim, width, axes);
  if (crossing == Crossing::Never || (crossing == Crossing::AtEnd && runs.rises))
    runs = {std::gcd(width, axes.get(mask).constancy[dim])};
  return runs;
}
} // namespace

AccessRuns accessRuns(Value ptr, Value mask, const TileLayout &layout, const AxisInfoAnalysis &axes,
                      Crossing crossing) {
  AccessRuns best;
  for (unsigned d = 0; d < layout.rank(); ++d) {
    MaskRuns runs = runsAlong(d, layout.contiguous(d), ptr, mask, axes, crossing);
    if (runs.width > best.runs.width)
      best = {runs, d};
  }
  return best;
}

int64_t widthOf(Operation *access, const AxisInfoAnalysis &axes, Crossing crossing) {
  auto memory = cast<tt::MemoryAccess>(access);
  Value ptr = memory.getAccessed(), mask = memory.getMask();
  int64_t best = 1;
  for (auto [d, extent] : llvm::enumerate(tt::shapeOf(ptr.getType())))
    best = std::max(best, runsAlong(d, extent & -extent, ptr, mask, axes, crossing).width);
  return best;
}

} // namespace tritium::ttg
