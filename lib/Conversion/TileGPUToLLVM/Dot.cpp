//===- Dot.cpp - matrix products by multiply-add --------------------------===//
//
// Under a mma layout Mma.cpp takes over. Under a blocked one every lane holds all of K for its
// rows of a and columns of b, and multiplies them out. Operands in shared memory are read as
// k goes on, so that only a few of them are in registers at a time.
//
//===----------------------------------------------------------------------===//

#include "Dot.h"

#include "Families.h"

#include <map>

using namespace mlir;

namespace tritium::ttg {

LogicalResult DotLowering::lowerDot(tt::DotOp op) {
  if (isa<MmaEncodingAttr>(op.getC().getType().getEncoding()))
    return lowerMma(op);
  const TileLayout &layoutA = layout(op.getA()), &layoutB = layout(op.getB()),
                   &layoutC = layout(op.getC());
  unsigned rank = layoutC.rank(), m = rank - 2, n = rank - 1;
  int64_t extentK = layoutA.extents()[n];
  auto placesA = byPlace(layoutA), placesB = byPlace(layoutB);
  Type element = tt::elementType(op.getA().getType()), whole = tt::elementType(op.getC().getType());
  // Halves add up in f32 and are rounded once.
  Type sum = tt::isTileFloat(whole) && tt::scalarBits(whole) < 32 ? Type(b.getF32Type()) : whole;
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
  Registers a = get(op.getA()), bb = get(op.getB()), result = get(op.getC());
  if (whole != sum)
    for (Value &x : result)
      x = fpext(x, sum);
  const Fragments *ofA = work->fragmentsOf(op.getA()), *ofB = work->fragmentsOf(op.getB());
  size_t nextA = 0, nextB = 0;
  auto loadUpTo = [&](const Fragments *from, size_t &next, Registers &to, int64_t k) {
    for (size_t end = from ? from->loadsBelow(k + 1) : 0; next < end; ++next)
      from->loads[next](to);
  };
  std::map<unsigned, Value> wideA, wideB;
  auto operand = [&](std::map<unsigned, Value> &wide, const Registers &registers, unsigned r) {
    Value &x = wide[r];
    if (!x)
      x = widened(registers[r]);
    return x;
  };
  for (int64_t k = 0; k < extentK; ++k) {
    loadUpTo(ofA, nextA, a, k);
    loadUpTo(ofB, nextB, bb, k);
    for (unsigned r = 0; r < layoutC.registers(); ++r) {
      Coordinates atA = layoutC.offset(r), atB = atA;
      atA[n] = k;
      atB[m] = k;
      Value x = operand(wideA, a, placesA.find(atA)->second),
            y = operand(wideB, bb, placesB.find(atB)->second);
      if (!isFloat) {
        result[r] = add(result[r], mul(x, y));
        continue;
      }
      OperationState state(loc, "llvm.intr.fma", {x, y, result[r]}, {sum});
      result[r] = b.create(state)->getResult(0);
    }
  }
  work->startCopies(work->copies.size());
  if (whole != sum)
    for (Value &x : result)
      x = fptrunc(x, whole);
  set(op, std::move(result));
  return success();
}

void populateDotPatterns(LoweringPatterns &patterns, const LoweringContext &context,
                         std::shared_ptr<DotWork> work) {
  auto family = std::make_shared<DotLowering>(context, std::move(work));
  patterns.add<tt::DotOp>([=](tt::DotOp op) { return family->lowerDot(op); });
}

} // namespace tritium::ttg
