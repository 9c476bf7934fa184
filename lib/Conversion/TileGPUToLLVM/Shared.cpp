//===- Shared.cpp - scratch in shared memory, and barriers ----------------===//

#include "Shared.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
constexpr uint64_t kAlignment = 16;
/// Scratch up to this size gets a place of its own, while all of it stays below the total.
constexpr uint64_t kSmallScratch = 1024, kSmallTotal = 8192;

uint64_t elementsOf(ArrayRef<int64_t> shape) {
  uint64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

uint64_t reduceBytes(tt::ReduceOp op) {
  auto src = cast<RankedTensorType>(op.getSrcs()[0].getType());
  TileLayout layout = layoutOf(src);
  ReductionPlan plan = planReduction(layout, op.getAxis());
  if (plan.warpBits.empty())
    return 0;
  uint64_t results = 1, bytes = 0;
  for (unsigned d = 0; d < layout.rank(); ++d)
    if (d != op.getAxis())
      results *= layout.core().extent(d) * layout.repeats()[d];
  for (Value operand : op.getSrcs())
    bytes += llvm::alignTo((results << plan.warpBits.size()) *
                               tt::scalarBytes(tt::elementType(operand.getType())),
                           kAlignment);
  return bytes;
}

uint64_t tileBytes(Type type) {
  return elementsOf(tt::shapeOf(type)) * tt::scalarBytes(tt::elementType(type));
}

uint64_t convertBytes(ConvertLayoutOp op) {
  auto src = cast<RankedTensorType>(op.getSrc().getType()),
       dst = cast<RankedTensorType>(op.getType());
  if (conversionKind(layoutOf(src), layoutOf(dst)) != ConversionKind::Shared)
    return 0;
  return tileBytes(src);
}

uint64_t reshapeBytes(tt::ReshapeOp op) {
  auto src = cast<RankedTensorType>(op.getSrc().getType()),
       dst = cast<RankedTensorType>(op.getType());
  Attribute expected = reshapedLayout(src.getEncoding(), src.getShape(), dst.getShape());
  return expected && sameLayout(expected, dst.getEncoding(), dst.getShape()) ? 0 : tileBytes(src);
}

/// The result of an atomic on a scalar reaches all threads.
uint64_t atomicBytes(Operation *op) {
  Type type = op->getResult(0).getType();
  return op->getResult(0).use_empty() ? 0 : tileBytes(type);
}
} // namespace

uint64_t scratchBytes(Operation *op, int) {
  return llvm::TypeSwitch<Operation *, uint64_t>(op)
      .Case([](tt::ReduceOp op) { return reduceBytes(op); })
      .Case([](ConvertLayoutOp op) { return convertBytes(op); })
      .Case([](tt::ReshapeOp op) { return reshapeBytes(op); })
      .Case<tt::AtomicRMWOp, tt::AtomicCASOp>([](auto op) { return atomicBytes(op); })
      .Default([](Operation *) { return 0; });
}

ConversionKind conversionKind(const TileLayout &from, const TileLayout &to) {
  // Threads stay where they are if every bit of lane and warp leads to the same element.
  for (StringRef name : {kLane, kWarp}) {
    ArrayRef<uint64_t> a = from.core().bases(name), b = to.core().bases(name);
    if (a.size() != b.size())
      return ConversionKind::Shared;
    for (auto [x, y] : llvm::zip(a, b))
      if (from.core().unflatten(x) != to.core().unflatten(y))
        return ConversionKind::Shared;
  }
  llvm::SmallVector<Coordinates> held;
  for (unsigned r = 0; r < from.registers(); ++r)
    held.push_back(from.offset(r));
  llvm::sort(held);
  for (unsigned r = 0; r < to.registers(); ++r)
    if (!llvm::binary_search(held, to.offset(r)))
      return ConversionKind::Shared;
  return ConversionKind::Registers;
}

ReductionPlan planReduction(const TileLayout &src, unsigned axis) {
  ReductionPlan plan;
  for (auto [name, bits] : {std::pair(kLane, &plan.laneBits), std::pair(kWarp, &plan.warpBits)})
    for (auto [i, base] : llvm::enumerate(src.core().bases(name))) {
      Coordinates image = src.core().unflatten(base);
      if (image[axis] == 0)
        continue;
      bits->push_back(i);
      for (unsigned d = 0; d < src.rank(); ++d)
        plan.isSeparable &= d == axis || image[d] == 0;
    }
  // Bits that make copies of axis elements would be combined twice.
  plan.isSeparable &= [&] {
    Span span;
    for (const LinearLayout::Input &input : src.core().getInputs())
      for (uint64_t base : input.bases)
        if (base && !span.insert(base))
          return false;
    return true;
  }();
  return plan;
}

SharedPlan::SharedPlan(tt::FuncOp kernel, int warps) {
  place(kernel, warps);
  State state;
  walk(kernel.getBody().front(), state);
}

void SharedPlan::place(tt::FuncOp kernel, int warps) {
  uint64_t small = 0, large = 0;
  SmallVector<std::pair<Operation *, uint64_t>> big;
  kernel.walk([&](Operation *op) {
    uint64_t bytes = scratchBytes(op, warps);
    if (bytes == 0)
      return;
    bytes = llvm::alignTo(bytes, kAlignment);
    if (bytes <= kSmallScratch && small + bytes <= kSmallTotal) {
      places[op] = {small, small + bytes};
      small += bytes;
    } else {
      big.push_back({op, bytes});
      large = std::max(large, bytes);
    }
  });
  for (auto [op, bytes] : big)
    places[op] = {small, small + bytes};
  total = small + large;
}

void SharedPlan::walk(Block &block, State &state) {
  for (Operation &op : block)
    visit(&op, state);
}

void SharedPlan::visit(Operation *op, State &state) {
  auto join = [](State &into, const State &from) {
    bool grew = false;
    for (Range range : from)
      if (!llvm::is_contained(into, range)) {
        into.push_back(range);
        grew = true;
      }
    return grew;
  };
  if (isa<tt::ReduceOp>(op) || op->getNumRegions() == 0) {
    auto it = places.find(op);
    if (it == places.end())
      return;
    if (llvm::any_of(state, [&](Range range) { return range.overlaps(it->second); }))
      barriers.insert(op);
    // Its own barrier, between writing and reading, settles everything before it.
    state = {it->second};
    return;
  }
  bool isLoop = isa<LoopLikeOpInterface>(op);
  State before = state, after;
  do {
    State round = before;
    after.clear();
    for (Region &region : op->getRegions()) {
      State inside = isLoop ? round : before;
      for (Block &block : region)
        walk(block, inside);
      join(after, inside);
      if (isLoop)
        round = inside;
    }
  } while (isLoop && join(before, after));
  // A branch that is not taken, a loop that does not run.
  join(after, before);
  state = after;
}

} // namespace tritium::ttg
