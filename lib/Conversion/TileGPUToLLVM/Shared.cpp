//===- Shared.cpp - scratch in shared memory, and barriers ----------------===//

#include "Shared.h"

#include "llvm/ADT/TypeSwitch.h"

#include <functional>

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
  unsigned bits = 8 * tt::scalarBytes(src.getElementType());
  bool isShared = planConversion(layoutOf(src), layoutOf(dst), bits).kind == Conversion::Shared;
  return isShared ? tileBytes(src) : 0;
}

uint64_t reshapeBytes(tt::ReshapeOp op) {
  auto src = cast<RankedTensorType>(op.getSrc().getType()),
       dst = cast<RankedTensorType>(op.getType());
  Attribute reshaped = reshapedLayout(src.getEncoding(), src.getShape(), dst.getShape());
  if (!reshaped)
    return tileBytes(src);
  unsigned bits = 8 * tt::scalarBytes(src.getElementType());
  Conversion conversion = planConversion(layoutOf(reshaped, dst.getShape()), layoutOf(dst), bits);
  return conversion.kind == Conversion::Shared ? tileBytes(src) : 0;
}

uint64_t atomicBytes(Operation *op) {
  return sharesResult(op) ? tileBytes(op->getResult(0).getType()) : 0;
}
} // namespace

bool sharesResult(Operation *atomic) {
  auto tile = dyn_cast<RankedTensorType>(atomic->getOperand(0).getType());
  return !atomic->getResult(0).use_empty() &&
         (!tile || layoutOf(tile).core().freeMask(kLane) || layoutOf(tile).core().freeMask(kWarp));
}

uint64_t scratchBytes(Operation *op) {
  return llvm::TypeSwitch<Operation *, uint64_t>(op)
      .Case([](tt::ReduceOp op) { return reduceBytes(op); })
      .Case([](ConvertLayoutOp op) { return convertBytes(op); })
      .Case([](tt::ReshapeOp op) { return reshapeBytes(op); })
      .Case<tt::AtomicRMWOp, tt::AtomicCASOp>([](auto op) { return atomicBytes(op); })
      .Default([](Operation *) { return 0; });
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

SharedPlan::SharedPlan(tt::FuncOp kernel, bool mayAlias) : mayAlias(mayAlias) {
  place(kernel);
  State state;
  walk(kernel.getBody().front(), state);
}

void SharedPlan::place(tt::FuncOp kernel) {
  // When operations begin and end, in program order.
  llvm::DenseMap<Operation *, std::pair<unsigned, unsigned>> times;
  unsigned now = 0;
  std::function<void(Operation *)> number = [&](Operation *op) {
    unsigned begin = now++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          number(&inner);
    times[op] = {begin, now++};
  };
  number(kernel);
  struct Placed {
    std::pair<unsigned, unsigned> lives;
    Range range;
  };
  std::vector<Placed> placed;
  auto put = [&](Operation *op, uint64_t bytes, std::pair<unsigned, unsigned> lives) {
    bytes = llvm::alignTo(bytes, kAlignment);
    // The lowest gap between those that live at the same time.
    SmallVector<uint64_t> candidates{0};
    for (const Placed &other : placed)
      candidates.push_back(other.range.end);
    llvm::sort(candidates);
    for (uint64_t begin : candidates) {
      Range range{begin, begin + bytes};
      bool isFree = llvm::none_of(placed, [&](const Placed &other) {
        bool meets = lives.first <= other.lives.second && other.lives.first <= lives.second;
        return meets && range.overlaps(other.range);
      });
      if (!isFree)
        continue;
      places[op] = range;
      placed.push_back({lives, range});
      total = std::max(total, range.end);
      return;
    }
  };

  std::pair<unsigned, unsigned> always{0, now};
  uint64_t small = 0;
  SmallVector<std::pair<Operation *, uint64_t>> large;
  kernel.walk([&](Operation *op) {
    uint64_t bytes = scratchBytes(op);
    if (bytes == 0)
      return;
    if (bytes <= kSmallScratch && small + bytes <= kSmallTotal) {
      put(op, bytes, always);
      small += bytes;
    } else {
      large.push_back({op, bytes});
    }
  });
  kernel.walk([&](LocalAllocOp op) {
    unsigned last = times[op].second;
    SmallVector<Value> names{op.getResult()};
    while (!names.empty())
      for (Operation *user : names.pop_back_val().getUsers()) {
        Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
        last = std::max(last, times[ancestor ? ancestor : user].second);
        if (isa<MemDescIndexOp, MemDescTransOp>(user))
          names.push_back(user->getResult(0));
      }
    MemDescType type = op.getType();
    put(op, type.getTileBytes() * type.getNumBuffers(), {times[op].first, last});
  });
  for (auto [op, bytes] : large)
    put(op, bytes, times[op]);
}

SharedPlan::Range SharedPlan::rangeOf(Value value) const {
  int slot = -1;
  while (Operation *op = value.getDefiningOp()) {
    if (auto index = dyn_cast<MemDescIndexOp>(op)) {
      int64_t buffers = index.getSrc().getType().getNumBuffers();
      if (auto ahead = index.getAhead())
        slot = (int64_t(int32_t(*ahead)) % buffers + buffers) % buffers;
    } else if (!isa<MemDescTransOp>(op)) {
      break;
    }
    value = op->getOperand(0);
  }
  Range range = places.lookup(value.getDefiningOp());
  range.ring = slot >= 0 ? value.getDefiningOp() : nullptr;
  range.slot = slot;
  return range;
}

void SharedPlan::State::forEachSlot(llvm::function_ref<void(Range &)> change) {
  for (auto *list : {&reads, &writes})
    for (Range &range : *list)
      if (range.slot >= 0)
        change(range);
}

/// An iteration of `loop` takes the next buffer of the ring.
static bool turns(Operation *loop, Operation *ring) {
  return llvm::any_of(ring->getUsers(), [&](Operation *user) {
    auto index = dyn_cast<MemDescIndexOp>(user);
    return index && index.getAhead() && index->getParentOp() == loop;
  });
}

bool SharedPlan::State::join(const State &other) {
  bool grew = false;
  auto add = [&](SmallVector<Range, 4> &into, const SmallVector<Range, 4> &from) {
    for (Range range : from)
      if (!llvm::is_contained(into, range)) {
        into.push_back(range);
        grew = true;
      }
  };
  add(reads, other.reads);
  add(writes, other.writes);
  for (auto access : other.globals)
    if (!llvm::is_contained(globals, access)) {
      globals.push_back(access);
      grew = true;
    }
  return grew;
}

void SharedPlan::access(Operation *op, State &state, Range range, bool writes) {
  auto meets = [&](Range other) { return other.overlaps(range); };
  if (llvm::any_of(state.writes, meets) || (writes && llvm::any_of(state.reads, meets))) {
    barriers.insert(op);
    state = {};
  }
}

void SharedPlan::walk(Block &block, State &state) {
  for (Operation &op : block)
    visit(&op, state);
}

void SharedPlan::accessGlobal(Operation *op, State &state) {
  if (llvm::any_of(state.globals, [&](auto access) {
        return mustWaitFor(op, access.first, access.second, mayAlias);
      })) {
    barriers.insert(op);
    state = {};
  }
}

void SharedPlan::visit(Operation *op, State &state) {
  bool isGlobal =
      isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp, AsyncCopyGlobalToLocalOp>(op);
  if (isGlobal)
    accessGlobal(op, state);
  if (isa<tt::ReduceOp>(op) || op->getNumRegions() == 0) {
    if (auto load = dyn_cast<LocalLoadOp>(op)) {
      Range range = rangeOf(load.getSrc());
      access(op, state, range, /*writes=*/false);
      state.reads.push_back(range);
    } else if (auto store = dyn_cast<LocalStoreOp>(op)) {
      Range range = rangeOf(store.getDst());
      access(op, state, range, /*writes=*/true);
      state.writes.push_back(range);
    } else if (auto copy = dyn_cast<AsyncCopyGlobalToLocalOp>(op)) {
      // What it writes is not read before a wait, which is a barrier.
      access(op, state, rangeOf(copy.getDst()), /*writes=*/true);
    } else if (isa<AsyncWaitOp>(op)) {
      state = {};
    } else if (scratchBytes(op)) {
      Range range = places.lookup(op);
      access(op, state, range, /*writes=*/true);
      // Its own barrier, between writing and reading, settles everything before it.
      state = {};
      state.reads.push_back(range);
    }
    if (isGlobal)
      state.globals.push_back({op, false});
    return;
  }
  bool isLoop = isa<LoopLikeOpInterface>(op);
  State before = state, after;
  do {
    State round = before;
    after = {};
    for (Region &region : op->getRegions()) {
      State inside = isLoop ? round : before;
      for (Block &block : region)
        walk(block, inside);
      after.join(inside);
      if (isLoop)
        round = inside;
    }
    if (isLoop)
      for (auto &[access, earlier] : after.globals)
        earlier |= op->isProperAncestor(access) &&
                   !cast<LoopLikeOpInterface>(op).isDefinedOutsideOfLoop(access->getOperand(0));
    if (isLoop)
      after.forEachSlot([&](Range &range) {
        int buffers = cast<LocalAllocOp>(range.ring).getType().getNumBuffers();
        if (turns(op, range.ring))
          range.slot = (range.slot + buffers - 1) % buffers;
      });
  } while (isLoop && before.join(after));
  // A branch that is not taken, a loop that does not run.
  after.join(before);
  state = after;
  if (isLoop)
    state.forEachSlot([&](Range &range) {
      if (turns(op, range.ring))
        range.slot = -1;
    });
}

} // namespace tritium::ttg
