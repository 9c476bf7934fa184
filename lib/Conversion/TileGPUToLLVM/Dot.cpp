//===- Dot.cpp - matrix products ------------------------------------------===//
//
// By multiply-add, where no tensor core fits: under a blocked layout every lane holds all
// of K for its rows of a and columns of b.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include <map>

using namespace mlir;

namespace tritium::ttg {

LogicalResult Lowering::lowerDot(tt::DotOp op) {
  const TileLayout &layoutA = layout(op.getA()), &layoutB = layout(op.getB()),
                   &layoutC = layout(op.getC());
  if (!isa<BlockedEncodingAttr>(cast<RankedTensorType>(op.getC().getType()).getEncoding()))
    return unsupported(op, "a dot in this layout");
  unsigned rank = layoutC.rank(), m = rank - 2, n = rank - 1;
  int64_t extentK = layoutA.extents()[n];
  auto byPlace = [](const TileLayout &layout) {
    std::map<Coordinates, unsigned> places;
    for (unsigned r = 0; r < layout.registers(); ++r)
      places.try_emplace(layout.offset(r), r);
    return places;
  };
  auto placesA = byPlace(layoutA), placesB = byPlace(layoutB);
  Type element = tt::elementType(op.getA().getType()), sum = tt::elementType(op.getC().getType());
  auto widened = [&](Value x) -> Value {
    if (element == sum)
      return x;
    if (!sum.isInteger(32))
      return fpext(x, sum);
    return op.getIsUnsigned() ? zext(x, 32) : b.create<LLVM::SExtOp>(loc, sum, x).getResult();
  };
  bool isFloat = tt::isTileFloat(element);
  if (isFloat && (tt::scalarBits(element) < 16 || tt::scalarBits(element) > tt::scalarBits(sum)))
    return unsupported(op, "a dot of these element types");
  Registers a, bb, result = get(op.getC());
  for (Value x : get(op.getA()))
    a.push_back(widened(x));
  for (Value x : get(op.getB()))
    bb.push_back(widened(x));
  for (int64_t k = 0; k < extentK; ++k)
    for (unsigned r = 0; r < layoutC.registers(); ++r) {
      Coordinates atA = layoutC.offset(r), atB = atA;
      atA[n] = k;
      atB[m] = k;
      Value x = a[placesA.find(atA)->second], y = bb[placesB.find(atB)->second];
      if (!isFloat) {
        result[r] = add(result[r], mul(x, y));
        continue;
      }
      OperationState state(loc, "llvm.intr.fma", {x, y, result[r]}, {sum});
      result[r] = b.create(state)->getResult(0);
    }
  set(op, std::move(result));
  return success();
}

} // namespace tritium::ttg
