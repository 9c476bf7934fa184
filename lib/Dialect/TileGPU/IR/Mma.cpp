//===- Mma.cpp - what tensor cores multiply -------------------------------===//

#include "tritium/Dialect/TileGPU/IR/Mma.h"

#include "tritium/Target/GPU/Strategy.h"

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

/// Whether `operand` is loaded with neighbours in memory that are none along `depth`, which it must
/// have for an instruction. What is computed takes any place.
static bool isToBeTurned(Value operand, unsigned depth) {
  if (takesAcrossDepth(tt::elementType(operand.getType())))
    return false;
  while (Operation *op = operand.getDefiningOp()) {
    if (auto load = dyn_cast<tt::LoadOp>(op))
      return unsigned(orderOf(cast<RankedTensorType>(load.getType()).getEncoding())[0]) != depth;
    if (auto trans = dyn_cast<tt::TransOp>(op))
      depth = trans.getOrder()[depth];
    else if (!isa<ConvertLayoutOp>(op) && !(tt::isElementwise(op) && op->getNumOperands() == 1))
      return false;
    operand = op->getOperand(0);
  }
  return false;
}

bool isForWarpGroups(tt::DotOp dot, int warps) {
  RankedTensorType a = dot.getA().getType(), c = dot.getC().getType();
  unsigned kWidth = kWidthFor(dot);
  // Of 32 bits an instruction would cut the lower ones off, not round.
  if (!gpuModel(dot).hasWarpGroupDots || warps % 4 || c.getRank() != 2 || !kWidth ||
      tt::scalarBits(a.getElementType()) > 16)
    return false;
  constexpr int64_t rows = 64, columns = 16;
  auto isWhole = [](int64_t extent, int64_t part) {
    return llvm::isPowerOf2_64(extent) && extent >= part;
  };
  if (!isWhole(c.getDimSize(0), rows) || !isWhole(c.getDimSize(1), columns) ||
      !isWhole(a.getDimSize(1), 8 * kWidth) || c.getNumElements() < rows * columns * (warps / 4))
    return false;
  return c.getNumElements() * a.getDimSize(1) >= strategy::kLeastProductsTurned ||
         !(isToBeTurned(dot.getA(), 1) || isToBeTurned(dot.getB(), 0));
}

uint32_t mostImprecise(tt::DotOp dot) {
  return isFloat8(dot.getA().getType().getElementType()) ? dot.getMaxNumImpreciseAcc() : 0;
}

bool isMadeOfParts(uint32_t mostImprecise, Type sum) { return mostImprecise || sum.isF16(); }

bool isOfWarpGroups(Attribute encoding) {
  auto mma = dyn_cast_or_null<MmaEncodingAttr>(encoding);
  return mma && mma.getVersion() == 3;
}

std::optional<unsigned> depthForWarpGroups(Value value) {
  for (Operation *user : value.getUsers()) {
    if (isa<ConvertLayoutOp, tt::TransOp>(user)) {
      auto depth = depthForWarpGroups(user->getResult(0));
      auto trans = dyn_cast<tt::TransOp>(user);
      if (depth)
        return trans ? unsigned(trans.getOrder()[*depth]) : *depth;
    }
    auto dot = dyn_cast<tt::DotOp>(user);
    if (dot && isOfWarpGroups(dot.getType().getEncoding()) && value != dot.getC())
      return value == dot.getA() ? 1 : 0;
  }
  return std::nullopt;
}

Value behindConversions(Value value) {
  while (auto convert = value.getDefiningOp<ConvertLayoutOp>())
    value = convert.getSrc();
  return value;
}

bool isCarriedSum(Operation *dot, Value c, Value result) {
  if (auto product = dyn_cast<tt::DotOp>(dot);
      product && isMadeOfParts(mostImprecise(product), tt::elementType(result.getType())))
    return false;
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

bool takesAcrossDepth(Type element) { return tt::scalarBits(element) == 16; }

/// Of the blocks that turn an operand: elements along its depth and across.
static std::pair<int64_t, int64_t> blockToTurn(unsigned elementBytes) {
  constexpr int64_t chunkBytes = 16, wordBytes = 4;
  return {chunkBytes / elementBytes, wordBytes / elementBytes};
}

/// Lanes side by side along the depth: as many as there are chunks in all banks.
static int64_t lanesAlongDepth(int64_t extent, unsigned elementBytes) {
  constexpr int64_t chunks = 8;
  return std::min(chunks, extent / blockToTurn(elementBytes).first);
}

BlockedEncodingAttr turningLayout(MLIRContext *context, ArrayRef<int64_t> shape, unsigned depth,
                                  unsigned elementBytes, int warps) {
  unsigned across = 1 - depth;
  auto [along, width] = blockToTurn(elementBytes);
  int64_t lanes = lanesAlongDepth(shape[depth], elementBytes);
  SmallVector<int32_t, 2> sizes(2), threads(2), warpsPer(2);
  sizes[depth] = along;
  sizes[across] = width;
  threads[depth] = lanes;
  threads[across] = kLanesPerWarp / lanes;
  int64_t room = std::max<int64_t>(1, shape[across] / (width * threads[across]));
  warpsPer[across] = std::min<int64_t>(warps, room);
  warpsPer[depth] = warps / warpsPer[across];
  return BlockedEncodingAttr::get(context, sizes, threads, warpsPer,
                                  {int32_t(depth), int32_t(across)});
}

std::optional<SharedLinearEncodingAttr> turnedLayout(MLIRContext *context, ArrayRef<int64_t> shape,
                                                     unsigned depth, unsigned elementBytes) {
  constexpr int64_t chunkBytes = 16, bankBytes = 128;
  unsigned across = 1 - depth;
  int64_t row = shape[across], chunk = chunkBytes / elementBytes;
  int64_t along = blockToTurn(elementBytes).first;
  if (shape.size() != 2 || row < chunk || along * row * elementBytes < bankBytes ||
      !llvm::all_of(shape, [](int64_t n) { return llvm::isPowerOf2_64(n); }))
    return std::nullopt;
  // Of the chunks in all banks, the blocks of lanes are told apart by the high bits: the low ones
  // are for lanes side by side across the depth.
  int64_t phases = lanesAlongDepth(shape[depth], elementBytes);
  int64_t apart = bankBytes / chunkBytes / phases * chunk;
  SmallVector<int32_t> offsets;
  for (unsigned d = 0; d < 2; ++d)
    for (int64_t x = 1; x < shape[d]; x *= 2)
      offsets.push_back(d == across ? x : x * row + x / along % phases * apart);
  return SharedLinearEncodingAttr::get(context, offsets, llvm::to_vector_of<int32_t>(shape));
}

} // namespace tritium::ttg
