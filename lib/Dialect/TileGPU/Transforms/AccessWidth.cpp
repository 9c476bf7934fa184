//===- AccessWidth.cpp - how much of an access moves at once --------------===//

#include "AccessWidth.h"

#include "tritium/Analysis/MaskRuns.h"

#include <numeric>

using namespace mlir;

namespace tritium::ttg {

int64_t bytesOfElement(Operation *access) {
  return tt::scalarBytes(
      cast<tt::PointerType>(tt::elementType(access->getOperand(0).getType())).getPointeeType());
}

int64_t widthOf(Operation *access, const AxisInfoAnalysis &axes, Cut cut) {
  Value ptr = access->getOperand(0);
  auto load = dyn_cast<tt::LoadOp>(access);
  Value mask = load ? load.getMask() : cast<tt::StoreOp>(access).getMask();
  const AxisInfo &info = axes.get(ptr);
  int64_t bytes = bytesOfElement(access), best = 1;
  for (auto [d, extent] : llvm::enumerate(tt::shapeOf(ptr.getType()))) {
    int64_t width = std::min({info.contiguity[d] & -info.contiguity[d],
                              std::max<int64_t>(1, info.divisibility[d] / bytes),
                              std::max<int64_t>(1, kMaxVectorBytes / bytes)});
    width = std::gcd(width, extent);
    if (mask)
      width = cut == Cut::AtBound ? maskRuns(mask, d, width, axes).width
                                  : std::gcd(width, axes.get(mask).constancy[d]);
    best = std::max(best, width);
  }
  return best;
}

} // namespace tritium::ttg
