//===- Mma.cpp - what tensor cores multiply -------------------------------===//

#include "tritium/Dialect/TileGPU/IR/Mma.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
bool isFloat8(Type type) { return type.isFloat8E5M2() || type.isFloat8E4M3FN(); }

/// Neighbours in a lane; 0 if no instruction has these types.
unsigned kWidthFor(tt::DotOp dot) {
  const GPUModel &gpu = gpuModel(dot);
  Type a = dot.getA().getType().getElementType(), b = dot.getB().getType().getElementType();
  Type sum = dot.getC().getType().getElementType();
  if (isFloat8(a) && isFloat8(b))
    return gpu.multipliesFloat8 && (sum.isF32() || sum.isF16()) ? 4 : 0;
  if (a != b)
    return 0;
  if (a.isF16())
    return sum.isF32() || sum.isF16() ? 2 : 0;
  if (a.isInteger(8))
    return sum.isInteger(32) ? 4 : 0;
  if (!gpu.multipliesOtherFloats)
    return 0;
  if (a.isBF16())
    return sum.isF32() ? 2 : 0;
  if (a.isF64())
    return sum.isF64() ? 1 : 0;
  if (!a.isF32() || !sum.isF32())
    return 0;
  switch (dot.getInputPrecision()) {
  case tt::InputPrecision::TF32:
  case tt::InputPrecision::TF32x3:
    return 1;
  case tt::InputPrecision::BF16x3:
  case tt::InputPrecision::BF16x6:
    return 2;
  case tt::InputPrecision::IEEE:
    return 0;
  }
  llvm_unreachable("unknown precision");
}
} // namespace

std::optional<MmaFragments> mmaFragmentsFor(tt::DotOp dot) {
  unsigned kWidth = kWidthFor(dot);
  RankedTensorType a = dot.getA().getType(), c = dot.getC().getType();
  int64_t rank = c.getRank(), k = 8 * int64_t(kWidth);
  if (!kWidth || a.getDimSize(rank - 1) % k || c.getDimSize(rank - 2) < 16 ||
      c.getDimSize(rank - 1) < 8)
    return std::nullopt;
  return MmaFragments{k, kWidth};
}

} // namespace tritium::ttg
