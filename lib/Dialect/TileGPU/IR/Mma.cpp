//===- Mma.cpp - what tensor cores multiply -------------------------------===//

#include "tritium/Dialect/TileGPU/IR/Mma.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

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

/// Types that an instruction takes in either order: 8-bit operands and tf32 must be neighbours
/// along k in memory.
static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

bool isForWarpGroups(tt::DotOp dot, int warps) {
  RankedTensorType a = dot.getA().getType(), c = dot.getC().getType();
  Type element = a.getElementType(), sum = c.getElementType();
  if (!gpuModel(dot).hasWarpGroupDots || warps % 4 || c.getRank() != 2 || !isHalf(element) ||
      dot.getB().getType().getElementType() != element || !sum.isF32())
    return false;
  constexpr int64_t rows = 64, columns = 16, depth = 16;
  auto isWhole = [](int64_t extent, int64_t part) {
    return llvm::isPowerOf2_64(extent) && extent >= part;
  };
  return isWhole(c.getDimSize(0), rows) && isWhole(c.getDimSize(1), columns) &&
         isWhole(a.getDimSize(1), depth) && c.getNumElements() >= rows * columns * (warps / 4);
}

bool isOfWarpGroups(Attribute encoding) {
  auto mma = dyn_cast_or_null<MmaEncodingAttr>(encoding);
  return mma && mma.getVersion() == 3;
}

bool isOperandOfWarpGroups(Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isa<ConvertLayoutOp, tt::TransOp>(user))
      return isOperandOfWarpGroups(user->getResult(0));
    auto dot = dyn_cast<tt::DotOp>(user);
    return dot && isOfWarpGroups(dot.getType().getEncoding()) && value != dot.getC();
  });
}

Value behindConversions(Value value) {
  while (auto convert = value.getDefiningOp<ConvertLayoutOp>())
    value = convert.getSrc();
  return value;
}

bool isCarriedSum(Operation *dot, Value c, Value result) {
  auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
  auto carried = dyn_cast<BlockArgument>(c);
  if (!loop || !carried || carried.getOwner() != loop.getBody() ||
      carried == loop.getInductionVar() || !carried.hasOneUse() || !result.hasOneUse())
    return false;
  OpOperand &use = *result.getUses().begin();
  return use.getOwner() == loop.getBody()->getTerminator() &&
         use.getOperandNumber() + 1 == carried.getArgNumber();
}

unsigned panelRowBytes(int64_t fastestExtent, unsigned elementBytes) {
  constexpr int64_t most = 128;
  return std::min(most, fastestExtent * elementBytes);
}

std::optional<SharedLinearEncodingAttr> panelLayout(MLIRContext *context, ArrayRef<int64_t> shape,
                                                    unsigned fastest, unsigned elementBytes) {
  constexpr unsigned least = 32, chunkBytes = 16, bankBytes = 128;
  unsigned rowBytes = panelRowBytes(shape[fastest], elementBytes);
  if (shape.size() != 2 || rowBytes < least ||
      !llvm::all_of(shape, [](int64_t n) { return llvm::isPowerOf2_64(n); }))
    return std::nullopt;
  int64_t row = rowBytes / elementBytes, chunk = chunkBytes / elementBytes;
  // Rows that share the 128 bytes of all banks share a phase.
  int64_t perPhase = bankBytes / rowBytes, phases = rowBytes / chunkBytes;
  SmallVector<int32_t> offsets;
  for (unsigned d = 0; d < 2; ++d)
    for (int64_t x = 1; x < shape[d]; x *= 2) {
      if (d == fastest)
        offsets.push_back(x < row ? x : x / row * row * shape[1 - d]);
      else
        offsets.push_back(x * row + (x / perPhase) % phases * chunk);
    }
  return SharedLinearEncodingAttr::get(context, offsets, llvm::to_vector_of<int32_t>(shape));
}

} // namespace tritium::ttg
