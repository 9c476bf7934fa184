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

static bool multipliesTF32(tt::DotOp dot) {
  return dot.getA().getType().getElementType().isF32() &&
         dot.getInputPrecision() == tt::InputPrecision::TF32;
}

/// Least extents of what a warp group does.
constexpr int64_t rows = 64, columns = 16;

std::optional<std::array<int32_t, 2>> groupsAlong(int64_t m, int64_t n, int warps) {
  int64_t groups = warps / 4, parts = m / rows;
  int64_t alongM = std::min(groups, parts & -parts), alongN = groups / alongM;
  if (n % (columns * alongN) || (alongN > 1 && !llvm::isPowerOf2_64(n)))
    return std::nullopt;
  return std::array{int32_t(alongM), int32_t(alongN)};
}

std::string reasonAgainstExtents(tt::DotOp dot, int warps) {
  constexpr int64_t stepBits = 256;
  RankedTensorType a = dot.getA().getType(), c = dot.getC().getType();
  std::string text;
  llvm::raw_string_ostream out(text);
  if (c.getRank() != 2) {
    out << "it has none for batches; let programs or a loop count them";
    return text;
  }
  int64_t bits = tt::scalarBits(a.getElementType());
  int64_t m = c.getDimSize(0), n = c.getDimSize(1), k = a.getDimSize(1), leastK = stepBits / bits;
  bool arePowers = llvm::isPowerOf2_64(m) && llvm::isPowerOf2_64(n) && llvm::isPowerOf2_64(k);
  if (warps % 4)
    out << "four warps do it together, and there are " << warps << "; use num_warps=4";
  else if (m % rows || n % columns || k % leastK)
    out << "it takes multiples of " << rows << "x" << columns << "x" << leastK
        << " (M, N, K), and found " << m << "x" << n << "x" << k;
  else if (!arePowers && !takesAcrossDepth(a.getElementType()))
    out << "of elements of " << bits << " bits it takes powers of two, and found " << m << "x" << n
        << "x" << k;
  else if (!groupsAlong(m, n, warps))
    out << "groups of four warps share rows in multiples of " << rows
        << ", and columns, if a power of two, in multiples of " << columns
        << ", all alike, and the result is " << m << "x" << n << " for " << warps
        << " warps; use larger tiles, or fewer warps";
  return text;
}

std::string reasonAgainstWarpGroups(tt::DotOp dot, int warps) {
  RankedTensorType a = dot.getA().getType();
  std::string text;
  llvm::raw_string_ostream out(text);
  if (!gpuModel(dot).hasWarpGroupDots || !kWidthFor(dot)) {
    out << "the target has none for these elements";
    return text;
  }
  if (tt::scalarBits(a.getElementType()) > 16 && !multipliesTF32(dot)) {
    out << "it has none for " << a.getElementType()
        << (a.getElementType().isF32() ? " in several parts; input_precision='tf32' takes one"
                                       : "");
    return text;
  }
  if (std::string reason = reasonAgainstExtents(dot, warps); !reason.empty())
    return reason;
  int64_t m = a.getDimSize(0), n = dot.getType().getDimSize(1), k = a.getDimSize(1);
  if (m * n * k < strategy::kLeastProductsTurned &&
      (isToBeTurned(dot.getA(), 1) || isToBeTurned(dot.getB(), 0)))
    out << "an operand lies across K in memory, and for " << m << "x" << n << "x" << k
        << " products it does not pay to turn it; use larger tiles, or store the array transposed";
  return text;
}

bool isForWarpGroups(tt::DotOp dot, int warps) {
  return reasonAgainstWarpGroups(dot, warps).empty();
}

uint32_t mostImprecise(tt::DotOp dot) {
  return isFloat8(dot.getA().getType().getElementType()) ? dot.getMaxNumImpreciseAcc() : 0;
}

bool isMadeOfParts(uint32_t mostImprecise, Type sum) { return mostImprecise || sum.isF16(); }

bool isOfWarpGroups(Attribute encoding) {
  auto mma = dyn_cast_or_null<MmaEncodingAttr>(encoding);
  return mma && mma.getVersion() == 3;
}

bool isOfWarpGroups(tt::DotOp dot) { return isOfWarpGroups(dot.getType().getEncoding()); }

std::optional<unsigned> depthForWarpGroups(Value value) {
  for (Operation *user : value.getUsers()) {
    if (isa<ConvertLayoutOp, tt::TransOp>(user)) {
      auto depth = depthForWarpGroups(user->getResult(0));
      auto trans = dyn_cast<tt::TransOp>(user);
      if (depth)
        return trans ? unsigned(trans.getOrder()[*depth]) : *depth;
    }
    auto dot = dyn_cast<tt::DotOp>(user);
    if (dot && isOfWarpGroups(dot) && value != dot.getC())
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
  for (unsigned rowBytes : {128u, 64u, 32u})
    if (fastestExtent * elementBytes % rowBytes == 0)
      return rowBytes;
  return 0;
}

std::optional<SharedLinearEncodingAttr> panelLayout(MLIRContext *context, ArrayRef<int64_t> shape,
                                                    unsigned fastest, unsigned elementBytes) {
  constexpr unsigned chunkBytes = 16, bankBytes = 128, leastRows = 8;
  unsigned rowBytes = panelRowBytes(shape[fastest], elementBytes);
  if (shape.size() != 2 || !rowBytes)
    return std::nullopt;
  int64_t row = rowBytes / elementBytes, chunk = chunkBytes / elementBytes;
  SmallVector<int64_t, 2> panel(shape);
  if (!llvm::all_of(shape, llvm::isPowerOf2_64)) {
    panel[fastest] = row;
    panel[1 - fastest] &= -panel[1 - fastest];
    // The next one begins as this one does.
    if (panel[1 - fastest] < leastRows)
      return std::nullopt;
  }
  // Rows that share the 128 bytes of all banks share a phase.
  int64_t perPhase = bankBytes / rowBytes, phases = rowBytes / chunkBytes;
  SmallVector<int32_t> offsets;
  for (unsigned d = 0; d < 2; ++d)
    for (int64_t x = 1; x < panel[d]; x *= 2) {
      if (d == fastest)
        offsets.push_back(x < row ? x : x / row * row * panel[1 - d]);
      else
        offsets.push_back(x * row + (x / perPhase) % phases * chunk);
    }
  return SharedLinearEncodingAttr::get(context, offsets, llvm::to_vector_of<int32_t>(panel));
}

LinearEncodingAttr panelwiseLayout(MemDescType memory, unsigned fastest, int warps) {
  constexpr int64_t chunkBytes = 16;
  SmallVector<int64_t, 4> panel = memory.getLayout().getPanel(memory.getTileShape());
  int64_t chunk = chunkBytes / tt::scalarBytes(memory.getElementType()),
          lanes = std::min<int64_t>(kLanesPerWarp, panel[fastest] / chunk);
  CoreBuilder core(panel, panel);
  core.add(kRegister, fastest, chunk).add(kLane, fastest, lanes);
  core.add(kLane, 1 - fastest, kLanesPerWarp / lanes).add(kWarp, 1 - fastest, warps);
  return toLinearEncoding(memory.getContext(),
                          core.finish({int32_t(fastest), int32_t(1 - fastest)}));
}

bool takesAcrossDepth(Type element) { return tt::scalarBits(element) == 16; }

namespace {
/// Chooses bits of a tile's coordinates for lanes. Accesses of 16 bytes to shared memory go by
/// chunks, of which all banks have 8: those of lanes that access it together are to be apart.
class TurningPlan {
public:
  TurningPlan(ArrayRef<int64_t> shape, const LinearLayout &from, const LinearLayout &to,
              unsigned depth, unsigned elementBytes)
      : shape(shape), from(from), to(to), depth(depth), elementBytes(elementBytes),
        isAcross(bytesOf(from, place(1, 0)) != elementBytes), along(kChunkBytes / elementBytes),
        width(isAcross ? kWordBytes / elementBytes : 1) {
    for (int64_t x = along; x < shape[depth]; x *= 2)
      deeper.push_back(place(x, 0));
    for (int64_t x = width; x < shape[1 - depth]; x *= 2)
      wider.push_back(place(0, x));
  }

  LinearEncodingAttr layout(MLIRContext *context, int warps) {
    chooseLanes();
    orderLanes();
    SmallVector<uint64_t> rest(wider);
    llvm::append_range(rest, deeper);
    llvm::erase_if(rest, [&](uint64_t bit) { return llvm::is_contained(taken, bit); });
    LinearLayout::Input registers{kRegister, {}}, lane{kLane, lanes}, warp{kWarp, {}};
    for (int64_t x = 1; x < along; x *= 2)
      registers.bases.push_back(place(x, 0));
    for (int64_t x = 1; x < width; x *= 2)
      registers.bases.push_back(place(0, x));
    ArrayRef<uint64_t> left = rest;
    for (int i = 1; i < warps; i *= 2) {
      // What there is no tile for has copies.
      warp.bases.push_back(left.empty() ? 0 : left.front());
      left = left.drop_front(left.empty() ? 0 : 1);
    }
    registers.bases.append(left.begin(), left.end());
    SmallVector<unsigned, 4> bits;
    for (int64_t extent : shape)
      bits.push_back(llvm::Log2_64(extent));
    return toLinearEncoding(context, LinearLayout({registers, lane, warp}, bits));
  }

private:
  static constexpr int64_t kChunkBytes = 16, kWordBytes = 4, kChunks = 8;
  static constexpr unsigned kLaneBits = 5;

  /// A flat element: `x` along the depth, `y` across.
  uint64_t place(int64_t x, int64_t y) const {
    int64_t first = depth == 0 ? x : y, second = depth == 0 ? y : x;
    return uint64_t(first) | uint64_t(second) << llvm::Log2_64(shape[0]);
  }
  uint64_t bytesOf(const LinearLayout &offsets, uint64_t element) const {
    return offsets.apply({element}) * elementBytes;
  }
  unsigned chunkOf(const LinearLayout &offsets, uint64_t element) const {
    return bytesOf(offsets, element) / kChunkBytes % kChunks;
  }

  /// Whether sums of `chunks` do not make `more`.
  static bool isApart(ArrayRef<unsigned> chunks, unsigned more) {
    for (unsigned mask = 0; mask < 1u << chunks.size(); ++mask) {
      unsigned sum = more;
      for (auto [i, chunk] : llvm::enumerate(chunks))
        sum ^= mask >> i & 1 ? chunk : 0;
      if (sum == 0)
        return false;
    }
    return true;
  }

  /// Adds a chunk that is apart from the others, of which there are 3 at most.
  static bool addApart(SmallVectorImpl<unsigned> &chunks, unsigned chunk) {
    if (!isApart(chunks, chunk))
      return false;
    chunks.push_back(chunk);
    return true;
  }

  /// A bit that is apart where the tile lies; if `inBoth`, in the panels too, as far as lanes go
  /// that store together.
  bool take(uint64_t bit, uint64_t moved, bool inBoth) {
    uint64_t place = bit ^ moved;
    bool isFull = stored.size() == llvm::Log2_64(kChunks);
    if (lanes.size() == kLaneBits || (inBoth && !isFull && !isApart(stored, chunkOf(to, place))) ||
        !addApart(loaded, chunkOf(from, place)))
      return false;
    addApart(stored, chunkOf(to, place));
    lanes.push_back(place);
    taken.push_back(bit);
    return true;
  }

  /// Words of a chunk, and chunks that are apart where the tile lies. Blocks further along the
  /// depth that are not are moved across to where they are.
  void chooseLanes() {
    SmallVector<uint64_t> chunkwise;
    for (uint64_t bit : wider)
      if (bytesOf(from, bit) < kChunkBytes && isAcross) {
        lanes.push_back(bit);
        taken.push_back(bit);
        addApart(stored, chunkOf(to, bit));
      } else {
        chunkwise.push_back(bit);
      }
    SmallVector<uint64_t> moves{0};
    if (isAcross)
      llvm::append_range(moves, chunkwise);
    for (uint64_t bit : deeper)
      for (bool inBoth : {true, false})
        if (llvm::any_of(moves, [&](uint64_t moved) { return take(bit, moved, inBoth); }))
          break;
    for (uint64_t bit : chunkwise)
      take(bit, 0, /*inBoth=*/false);
    // What is left has conflicts.
    for (uint64_t bit : llvm::concat<uint64_t>(chunkwise, deeper))
      if (lanes.size() < kLaneBits && !llvm::is_contained(taken, bit)) {
        lanes.push_back(bit);
        taken.push_back(bit);
      }
    lanes.resize(kLaneBits, 0);
  }

  /// The first 8 lanes, which store together, are apart in the panels.
  void orderLanes() {
    SmallVector<unsigned> chunks;
    SmallVector<uint64_t> first, rest;
    for (uint64_t bit : lanes)
      (addApart(chunks, chunkOf(to, bit)) ? first : rest).push_back(bit);
    lanes.assign(first.begin(), first.end());
    lanes.append(rest.begin(), rest.end());
  }

  ArrayRef<int64_t> shape;
  const LinearLayout &from, &to;
  unsigned depth, elementBytes;
  bool isAcross;                       ///< neighbours in memory are none along the depth
  int64_t along, width;                ///< of a block
  SmallVector<uint64_t> deeper, wider; ///< bits of blocks along the depth and across
  SmallVector<uint64_t> taken;
  SmallVector<unsigned> loaded, stored; ///< chunks of lanes that access memory together
  SmallVector<uint64_t, 8> lanes;
};
} // namespace

LinearEncodingAttr turningLayout(MLIRContext *context, ArrayRef<int64_t> shape,
                                 const LinearLayout &offsets, unsigned depth, unsigned elementBytes,
                                 int warps) {
  LinearLayout panels = panelLayout(context, shape, depth, elementBytes)->getPanelOffsets(shape);
  return TurningPlan(shape, offsets, panels, depth, elementBytes).layout(context, warps);
}

int64_t registersOfThread(ModuleOp module) {
  constexpr int64_t most = 255;
  return std::min(most, gpuModel(module).registers / (int64_t(numWarps(module)) * kLanesPerWarp));
}

int64_t wordsOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return 0;
  return llvm::divideCeil(layoutOf(tile).registers() * tt::scalarBits(tile.getElementType()), 32);
}

int64_t wordsBesideOperand(scf::ForOp loop, RankedTensorType operand) {
  int64_t total = wordsOf(operand);
  for (Value carried : loop.getRegionIterArgs())
    total += wordsOf(carried.getType());
  // A dot adds to what it has as third operand, in the same registers.
  auto isCarried = [&](Operation &op) {
    return llvm::is_contained(loop.getYieldedValues(), op.getResult(0)) ||
           llvm::is_contained(loop.getRegionIterArgs(), op.getOperand(2));
  };
  for (Operation &op : *loop.getBody())
    if (isa<tt::DotOp, AsyncReader>(op) && op.getNumResults() == 1 && !isCarried(op))
      total += wordsOf(op.getResult(0).getType());
  return total;
}

} // namespace tritium::ttg
