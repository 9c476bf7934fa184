//===- Coalesce.cpp - ttg-coalesce ----------------------------------===//
//
// For each access of a tile, from the axis info of its pointers: lanes run first along the
// dimension with the longest runs of neighbouring addresses, and a lane takes as many
// neighbours as alignment and mask let one instruction move, 16 bytes at most. Where a mask
// is a bound, most vectors are inside or outside as a whole, and the rest is moved element by
// element (Memory.cpp in the lowering to LLVM), so that such a mask costs no width.
//
// Accesses of tiles of one shape and order share the smallest width that fills 16 bytes of the
// widest element among them, so that tiles of different element types need no conversion and
// every instruction of a warp still covers whole lines. The versions that version-tails makes do
// not share, and each takes the width that costs the least instructions and lines of memory in
// all: a row that is aligned to one element only makes the aligned ones beside it narrow, too,
// because lanes that are eight elements apart would touch each line of it eight times. Nor do
// loads that only dots use share, casts and transpositions aside: they go through shared memory
// to the layout of the dot in any case, and share with loads of their own element size only.
//
// Tiles that are scanned across their neighbours have what a lane holds one behind the other along
// the scan: one lane combines a run of them before lanes exchange what theirs come to, once. Each
// line is whole sectors all the same.
//
// Where tiles are joined or split, a lane that holds w neighbours of the whole should hold w / 2
// of each half, which then are there already: halves are accessed half as wide.
//
// It runs before remove-layout-conversions, which makes everything else follow.
//
//===----------------------------------------------------------------------===//

#include "LayoutPlan.h"

#include "tritium/Analysis/AccessWidth.h"
#include "tritium/Analysis/MaskRuns.h"
#include "tritium/Dialect/Tile/IR/DotUse.h"
#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/IR/TileOffsets.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"

#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_COALESCE
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {

struct Access {
  Operation *op;
  SmallVector<int32_t> order;
  int64_t elementBytes;
  int64_t vector; ///< elements that one instruction could move
  int64_t run;    ///< elements that are neighbours in memory
  bool isForDots; ///< a load that nothing but dots use
  Block *version; ///< of version-tails, that it is in; null if there is only one
};

/// Whether all that becomes of `value` are operands of dots, each of which `isOne`.
bool feedsDotsOnly(Value value, llvm::function_ref<bool(tt::DotOp)> isOne) {
  return !value.use_empty() && llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto dot = dyn_cast<tt::DotOp>(user))
      return use.get() != dot.getC() && isOne(dot);
    bool isStep = isa<tt::TransOp, ConvertLayoutOp>(user) ||
                  (tt::isElementwise(user) && user->getNumOperands() == 1);
    return isStep && feedsDotsOnly(user->getResult(0), isOne);
  });
}

/// The block of the version that the operation is in; null if there is only one.
Block *versionOf(Operation *op) {
  for (; !isa<tt::FuncOp>(op->getParentOp()); op = op->getParentOp())
    if (op->getParentOp()->hasAttr(kVersions))
      return op->getBlock();
  return nullptr;
}

Access describe(Operation *op, const AxisInfoAnalysis &axes) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  const AxisInfo &info = axes.get(op->getOperand(0));
  bool isForDots =
      isa<tt::LoadOp>(op) && feedsDotsOnly(op->getResult(0), [](tt::DotOp) { return true; });
  Access access{op, {}, 0, 1, 1, isForDots, versionOf(op)};
  // The longest run first; of equals the last dimension.
  access.order = llvm::to_vector(llvm::seq<int32_t>(0, type.getRank()));
  llvm::sort(access.order, [&](int32_t a, int32_t b) {
    return std::pair(info.contiguity[a], a) > std::pair(info.contiguity[b], b);
  });
  access.elementBytes =
      tt::scalarBytes(cast<tt::PointerType>(type.getElementType()).getPointeeType());
  // An atomic is one element, whatever its neighbours.
  auto memory = cast<tt::MemoryAccess>(op);
  if (memory.isAtomic())
    return access;
  int32_t d = access.order[0];
  access.run = info.contiguity[d];
  int64_t vector = std::min({uint64_t(info.contiguity[d] & -info.contiguity[d]),
                             std::max<uint64_t>(1, info.divisibility[d] / access.elementBytes),
                             uint64_t(kMaxVectorBytes / access.elementBytes)});
  if (Value mask = memory.getMask())
    vector = maskRuns(mask, d, vector, axes).width;
  // Padding begins at a multiple of the width.
  access.vector = std::gcd(vector, type.getDimSize(d));
  return access;
}

/// What an element costs if lanes are `width` elements apart: instructions, and lines of 128
/// bytes that they touch.
double costOf(const Access &access, int64_t width) {
  int64_t span = 32 * width, runs = llvm::divideCeil(span, access.run);
  int64_t lines = llvm::divideCeil(std::min(span, access.run) * access.elementBytes, 128);
  return (1 + std::min<double>(32, runs * lines)) / (32 * std::min(width, access.vector));
}

void giveLayout(const Access &access, Attribute layout) {
  Operation *op = access.op;
  OpBuilder builder(op);
  auto inLayout = [&](Type type) {
    return RankedTensorType::get(tt::shapeOf(type), tt::elementType(type), layout);
  };
  for (OpOperand &operand : op->getOpOperands())
    if (tt::isTile(operand.get().getType()))
      operand.set(builder.create<ConvertLayoutOp>(op->getLoc(), inLayout(operand.get().getType()),
                                                  operand.get()));
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    Type old = result.getType();
    result.setType(inLayout(old));
    auto back = builder.create<ConvertLayoutOp>(op->getLoc(), old, result);
    result.replaceAllUsesExcept(back, back);
  }
}

int64_t elementsOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// Shapes of tiles that are joined in a last dimension of 2, or split along one; the largest
/// first.
std::vector<SmallVector<int64_t>> halvesIn(tt::FuncOp func) {
  std::set<SmallVector<int64_t>> shapes;
  auto note = [&](ArrayRef<int64_t> whole) {
    if (whole.size() > 1 && whole.back() == 2)
      shapes.insert(SmallVector<int64_t>(whole.drop_back()));
  };
  func.walk([&](Operation *op) {
    if (auto split = dyn_cast<tt::ReduceOp>(op)) {
      ArrayRef<int64_t> whole = tt::shapeOf(split.getSrcs()[0].getType());
      if (split.getAxis() + 1 == whole.size())
        note(whole);
    } else if (auto join = dyn_cast<tt::BroadcastOp>(op)) {
      if (tt::shapeOf(join.getSrc().getType()).back() == 1)
        note(tt::shapeOf(join.getType()));
    }
  });
  std::vector<SmallVector<int64_t>> list(shapes.begin(), shapes.end());
  llvm::sort(
      list, [](ArrayRef<int64_t> a, ArrayRef<int64_t> b) { return elementsOf(a) > elementsOf(b); });
  return list;
}

/// Of the widths, up to `most`, that one of the accesses could have.
int64_t bestWidth(ArrayRef<Access *> accesses, int64_t most) {
  std::set<int64_t> widths;
  for (const Access *access : accesses)
    widths.insert(std::min(access->vector, most));
  int64_t best = 1;
  double least = INFINITY;
  for (int64_t width : widths) {
    double cost = 0;
    for (const Access *access : accesses)
      cost += access->isForDots || !access->version ? -double(width) : costOf(*access, width);
    if (std::pair(cost, -width) < std::pair(least, -best))
      std::tie(least, best) = std::pair(cost, width);
  }
  return best;
}

/// An asynchronous copy moves 4 bytes or more. Of few elements that are copied ahead, as factors of
/// columns are, lanes have as many; where these are all, some have what others have, too.
Attribute wideEnoughToCopy(const Access &access, BlockedEncodingAttr layout) {
  constexpr int64_t leastBytes = 4;
  int32_t d = access.order[0];
  SmallVector<int32_t> sizes(layout.getSizePerThread());
  int64_t least = leastBytes / access.elementBytes;
  if (sizes[d] >= least || access.vector < least || !isa<tt::LoadOp>(access.op) ||
      !isa<scf::ForOp>(access.op->getParentOp()) || !tt::reachesDot(access.op))
    return layout;
  sizes[d] = least;
  return BlockedEncodingAttr::get(layout.getContext(), sizes, layout.getThreadsPerWarp(),
                                  layout.getWarpsPerCTA(), layout.getOrder());
}

/// Shapes of tiles that are scanned, and the axis of that. More than one: null.
using Scans = std::map<SmallVector<int64_t>, std::optional<unsigned>>;

Scans scansIn(tt::FuncOp func) {
  Scans scans;
  func.walk([&](tt::ScanOp scan) {
    auto [it, isNew] = scans.try_emplace(
        SmallVector<int64_t>(tt::shapeOf(scan.getSrcs()[0].getType())), scan.getAxis());
    if (!isNew && it->second != scan.getAxis())
      it->second = std::nullopt;
  });
  return scans;
}

/// What a lane has of `layout` along the axis of a scan, it has at one place.
BlockedEncodingAttr inRuns(BlockedEncodingAttr layout, const Access &access, unsigned axis) {
  constexpr int64_t sectorBytes = 32;
  auto d = unsigned(access.order[0]);
  SmallVector<int32_t> sizes(layout.getSizePerThread());
  int64_t line = int64_t(sizes[d]) * layout.getThreadsPerWarp()[d] * access.elementBytes;
  if (axis == d || line < sectorBytes)
    return layout;
  int64_t extent = tt::shapeOf(access.op->getOperand(0).getType())[axis];
  int64_t holders = int64_t(layout.getThreadsPerWarp()[axis]) * layout.getWarpsPerCTA()[axis];
  sizes[axis] = int32_t(llvm::bit_floor(uint64_t(std::max<int64_t>(1, extent / holders))));
  return BlockedEncodingAttr::get(layout.getContext(), sizes, layout.getThreadsPerWarp(),
                                  layout.getWarpsPerCTA(), layout.getOrder());
}

/// Of `width` elements a lane. Operands of warp groups whose extents are no powers of two lie in
/// panels, of which threads hold as much of each, or copies could not go there.
Attribute layoutFor(const Access &access, int64_t width, int warps, const Scans &scans) {
  MLIRContext *context = access.op->getContext();
  ArrayRef<int64_t> shape = tt::shapeOf(access.op->getOperand(0).getType());
  if (auto scan = scans.find(SmallVector<int64_t>(shape));
      scan != scans.end() && scan->second && !access.isForDots)
    return inRuns(defaultLayout(context, shape, warps, access.order, width), access, *scan->second);
  Attribute layout =
      wideEnoughToCopy(access, defaultLayout(context, shape, warps, access.order, width));
  if (shape.size() != 2 || llvm::all_of(shape, llvm::isPowerOf2_64) || !access.isForDots ||
      width * access.elementBytes != kMaxVectorBytes)
    return layout;
  Value tile = access.op->getResult(0);
  auto isOne = [&](tt::DotOp dot) { return isForWarpGroups(dot, warps); };
  auto panels = panelLayout(context, shape, access.order[0], access.elementBytes);
  if (!panels || !feedsDotsOnly(tile, isOne))
    return layout;
  Type element = tt::elementType(tile.getType());
  auto memory = MemDescType::get(context, shape, element, *panels);
  if (coversPanels(RankedTensorType::get(shape, element, layout), memory))
    return layout;
  return panelwiseLayout(memory, access.order[0], warps);
}

void coalesce(tt::FuncOp func, int warps) {
  AxisInfoAnalysis axes(func);
  std::vector<Access> accesses;
  func.walk([&](Operation *op) {
    if (isAnchor(op) && !isa<tt::DotOp>(op))
      accesses.push_back(describe(op, axes));
  });
  struct Group {
    SmallVector<Access *> members;
    int64_t widest = 1; ///< bytes of an element
    int64_t best = 1;   ///< the members' width, by themselves
    int64_t most = kMaxVectorBytes;
    int64_t width() const { return std::min(best, most); }
  };
  struct Key {
    Block *version;
    SmallVector<int64_t> shape;
    SmallVector<int32_t> order;
    int64_t bytesForDots; ///< the element size of loads for dots, or 0
    auto parts() const { return std::tie(version, shape, order, bytesForDots); }
    bool operator<(const Key &other) const { return parts() < other.parts(); }
  };
  std::map<Key, Group> groups;
  auto groupOf = [&](const Access &access) -> Group & {
    ArrayRef<int64_t> shape = tt::shapeOf(access.op->getOperand(0).getType());
    return groups[{access.version, SmallVector<int64_t>(shape), access.order,
                   access.isForDots ? access.elementBytes : 0}];
  };
  for (Access &access : accesses) {
    Group &group = groupOf(access);
    group.members.push_back(&access);
    group.widest = std::max(group.widest, access.elementBytes);
  }
  for (auto &[key, group] : groups)
    group.best = bestWidth(group.members, kMaxVectorBytes / group.widest);
  for (const SmallVector<int64_t> &half : halvesIn(func))
    for (auto &[key, group] : groups) {
      if (key.shape != half || key.order[0] + 1 != int32_t(half.size()))
        continue;
      for (auto &[other, whole] : groups)
        if (other.version == key.version && elementsOf(other.shape) == 2 * elementsOf(half) &&
            other.order[0] + 1 == int32_t(other.shape.size()))
          group.most = std::min(group.most, std::max<int64_t>(1, whole.width() / 2));
    }
  Scans scans = scansIn(func);
  for (const Access &access : accesses)
    giveLayout(access, layoutFor(access, groupOf(access).width(), warps, scans));
}

struct CoalescePass : impl::CoalesceBase<CoalescePass> {
  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>() || failed(checkNothingSkipped(getOperation())))
      return signalPassFailure();
    ModuleOp module = getOperation();
    for (auto func : module.getOps<tt::FuncOp>())
      if (!func.isExternal())
        coalesce(func, numWarps(module));
  }
};
} // namespace

} // namespace tritium::ttg
