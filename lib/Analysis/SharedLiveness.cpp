//===- SharedLiveness.cpp - when shared memory is in use ------------------===//

#include "tritium/Analysis/SharedLiveness.h"

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tritium::ttg {

LocalAllocOp allocationOf(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (auto alloc = dyn_cast<LocalAllocOp>(op))
      return alloc;
    if (!isa<MemDescIndexOp, MemDescTransOp, MemDescReshapeOp>(op))
      return {};
    memory = op->getOperand(0);
  }
  return {};
}

Operation *waitBehind(Operation *reader) {
  unsigned begun = 0; // since, so that as many may still read
  for (Operation *op = reader->getNextNode(); op; op = op->getNextNode()) {
    if (auto wait = dyn_cast<AsyncReadWait>(op); wait && wait.getPendings() <= begun)
      return op;
    begun += isa<AsyncReader>(op);
  }
  return nullptr;
}

namespace {
/// Operations' begin and end, in program order.
class Times {
public:
  explicit Times(Operation *root) { number(root); }
  std::pair<unsigned, unsigned> of(Operation *op) const { return times.lookup(op); }
  unsigned last() const { return now; }

private:
  void number(Operation *op) {
    unsigned begin = now++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          number(&inner);
    times[op] = {begin, now++};
  }

  unsigned now = 0;
  llvm::DenseMap<Operation *, std::pair<unsigned, unsigned>> times;
};

/// The end of the next operation behind `op`, in its block, for which `isWait` holds.
unsigned nextWait(Operation *op, const Times &times, llvm::function_ref<bool(Operation *)> isWait) {
  for (Operation *next = op; next; next = next->getNextNode())
    if (isWait(next))
      return times.of(next).second;
  return times.last();
}

/// The copies that were started up to there have arrived.
bool waitsForCopies(Operation *op) {
  auto wait = dyn_cast<AsyncWaitOp>(op);
  return wait && wait.getNum() == 0;
}

/// The stores of boxes that were started up to there have read their sources.
bool waitsForStores(Operation *op) {
  auto wait = dyn_cast<ttng::TMAStoreWaitOp>(op);
  return wait && wait.getPendings() == 0;
}

/// What reads on its own and was started up to there has read.
bool waitsForReads(Operation *op) {
  auto wait = dyn_cast<AsyncReadWait>(op);
  return wait && wait.getPendings() == 0;
}

/// How an allocation is used, itself and by its parts and views.
struct Uses {
  Operation *last;               ///< in the block of the allocation
  Operation *lastCopy = nullptr; ///< to it, there too
  bool isStored = false, isReadLate = false;
  bool isOfCluster = false;    ///< other CTAs write there, of which nobody knows where they are
  SmallVector<Value> barriers; ///< of copies of boxes that write there

  explicit Uses(LocalAllocOp alloc) : last(alloc) {
    SmallVector<Value> names{alloc.getResult()};
    while (!names.empty())
      for (Operation *user : names.pop_back_val().getUsers()) {
        add(alloc, user);
        for (Value result : user->getResults())
          if (isa<MemDescType>(result.getType()))
            names.push_back(result);
      }
  }

private:
  void add(LocalAllocOp alloc, Operation *user) {
    extend(last, alloc, user);
    if (isa<AsyncReader>(user)) {
      Operation *wait = waitBehind(user);
      isReadLate |= !wait;
      extend(last, alloc, wait ? wait : user);
    }
    if (isa<AsyncCopyGlobalToLocalOp>(user))
      extend(lastCopy, alloc, user);
    isStored |= isa<ttng::TMAStoreOp>(user);
    isOfCluster |= isa<ttng::ClusterStoreOp>(user);
    auto load = dyn_cast<ttng::TMALoadOp>(user);
    if (load && allocationOf(load.getDst()) == alloc)
      barriers.push_back(load.getBarrier());
  }

  static void extend(Operation *&last, LocalAllocOp alloc, Operation *by) {
    Operation *here = alloc->getBlock()->findAncestorOpInBlock(*by);
    last = here && (!last || last->isBeforeInBlock(here)) ? here : last;
  }
};

/// The end of the last use of what has a barrier in memory for its copies.
unsigned endOfBarrier(Value barrier, const Times &times) {
  LocalAllocOp alloc = allocationOf(barrier);
  return alloc ? times.of(Uses(alloc).last).second : times.last();
}
} // namespace

SharedLiveness::SharedLiveness(tt::FuncOp kernel) {
  Times times(kernel);
  end = times.last();
  kernel.walk<WalkOrder::PreOrder>([&](LocalAllocOp alloc) {
    Uses uses(alloc);
    unsigned begin = times.of(alloc).first;
    unsigned end = times.of(uses.last).second;
    if (uses.lastCopy)
      end = std::max(end, nextWait(uses.lastCopy, times, waitsForCopies));
    if (uses.isStored)
      end = std::max(end, nextWait(uses.last, times, waitsForStores));
    if (uses.isReadLate)
      end = std::max(end, nextWait(uses.last, times, waitsForReads));
    if (uses.isOfCluster)
      begin = 0, end = times.last();
    for (Value barrier : uses.barriers)
      end = std::max(end, endOfBarrier(barrier, times));
    Lifetime lifetime{alloc, begin, end, nullptr, begin, end};
    for (Operation *op = alloc; op != kernel; op = op->getParentOp())
      if (isa<WarpGroupsOp>(op->getParentOp())) {
        lifetime.group = op->getParentRegion();
        lifetime.groupsBegin = times.of(op->getParentOp()).first;
        lifetime.groupsEnd = std::max(end, times.of(op->getParentOp()).second);
      }
    all.push_back(lifetime);
  });
}

bool SharedLiveness::Lifetime::meets(const Lifetime &other) const {
  if (group == other.group)
    return begin <= other.end && other.begin <= end;
  return groupsBegin <= other.groupsEnd && other.groupsBegin <= groupsEnd;
}

namespace {
using Lifetime = SharedLiveness::Lifetime;

/// Places, one after the other.
class Allocator {
public:
  /// The lowest gap between those that are in use at the same time.
  uint64_t place(Lifetime lifetime) {
    uint64_t bytes = llvm::alignTo(lifetime.alloc.getBytes(), kSharedAlignment);
    SmallVector<uint64_t> candidates{0};
    for (const Placed &other : placed)
      candidates.push_back(llvm::alignTo(other.end, lifetime.alloc.getLeastAlignment()));
    llvm::sort(candidates);
    auto isFree = [&](uint64_t begin) {
      return llvm::none_of(placed, [&](const Placed &other) {
        return lifetime.meets(other.lifetime) && begin < other.end && other.begin < begin + bytes;
      });
    };
    uint64_t begin = *llvm::find_if(candidates, isFree);
    placed.push_back({lifetime, begin, begin + bytes});
    return begin;
  }

private:
  struct Placed {
    Lifetime lifetime;
    uint64_t begin, end;
  };
  std::vector<Placed> placed;
};
} // namespace

std::vector<uint64_t> placesFor(ArrayRef<Lifetime> lifetimes, uint64_t mostOfSmall,
                                uint64_t mostOfAll) {
  Allocator allocator;
  std::vector<uint64_t> places(lifetimes.size());
  uint64_t small = 0;
  SmallVector<size_t> large;
  for (auto [i, lifetime] : llvm::enumerate(lifetimes)) {
    LocalAllocOp alloc = lifetime.alloc;
    uint64_t bytes = alloc.getBytes();
    if (bytes > mostOfSmall || small + bytes > mostOfAll) {
      large.push_back(i);
      continue;
    }
    small += bytes;
    Lifetime whole = lifetime;
    whole.begin = whole.groupsBegin = 0;
    whole.end = whole.groupsEnd = UINT_MAX;
    places[i] = allocator.place(whole);
  }
  // Those that need a place for long first, so that the rest fits in between.
  auto length = [&](size_t i) { return lifetimes[i].end - lifetimes[i].begin; };
  llvm::sort(large, [&](size_t a, size_t b) {
    return length(a) != length(b) ? length(a) > length(b) : a < b;
  });
  for (size_t i : large)
    places[i] = allocator.place(lifetimes[i]);
  return places;
}

/// What comes through results of branches and carried values of loops is not followed.
static LogicalResult checkOrigins(tt::FuncOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<MemDescType>(operand.getType()) &&
          (!allocationOf(operand) || op->hasTrait<OpTrait::IsTerminator>() ||
           isa<LoopLikeOpInterface>(op))) {
        op->emitError() << "'" << op->getName()
                        << "' takes memory of which it is not known where it was allocated; use "
                           "the allocation, or views of it, by name: memory passes neither through "
                           "results of branches nor is it carried by loops";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult checkPlaces(tt::FuncOp kernel) {
  if (failed(checkOrigins(kernel)))
    return failure();
  SharedLiveness liveness(kernel);
  auto endOf = [](LocalAllocOp alloc) { return uint64_t(*alloc.getOffset()) + alloc.getBytes(); };
  for (auto [i, one] : llvm::enumerate(liveness.lifetimes())) {
    LocalAllocOp alloc = one.alloc;
    if (!alloc.getOffset())
      return alloc.emitError() << "the allocation has no place in shared memory; run "
                                  "ttg-allocate-shared-memory first";
    for (const SharedLiveness::Lifetime &before : liveness.lifetimes().take_front(i)) {
      LocalAllocOp other = before.alloc;
      if (!one.meets(before) || *alloc.getOffset() >= endOf(other) ||
          *other.getOffset() >= endOf(alloc))
        continue;
      InFlightDiagnostic diagnostic =
          alloc.emitError() << "shared memory [" << *alloc.getOffset() << ", " << endOf(alloc)
                            << ") is in use by another allocation at the same time; leave the "
                               "offsets to ttg-allocate-shared-memory";
      diagnostic.attachNote(other.getLoc())
          << "which has [" << *other.getOffset() << ", " << endOf(other) << ")";
      return diagnostic;
    }
  }
  return success();
}

LogicalResult checkFits(tt::FuncOp kernel) {
  const GPUModel &gpu = gpuModel(kernel);
  WalkResult fits = kernel.walk([&](LocalAllocOp alloc) {
    uint64_t end = alloc.getOffset().value_or(0) + alloc.getBytes();
    if (end <= uint64_t(gpu.sharedBytes))
      return WalkResult::advance();
    alloc.emitError() << "the allocation ends at byte " << end
                      << " of shared memory, of which compute capability " << gpu.capability / 10
                      << "." << gpu.capability % 10 << " has " << gpu.sharedBytes
                      << "; use smaller tiles or fewer stages";
    return WalkResult::interrupt();
  });
  return failure(fits.wasInterrupted());
}

uint64_t sharedBytes(tt::FuncOp kernel) {
  uint64_t bytes = 0;
  kernel.walk([&](LocalAllocOp alloc) {
    bytes = std::max<uint64_t>(bytes, alloc.getOffset().value_or(0) + alloc.getBytes());
  });
  return llvm::alignTo(bytes, kSharedAlignment);
}

uint64_t sharedPitch(tt::FuncOp kernel) {
  return llvm::alignTo(sharedBytes(kernel), sharedAlignment(kernel));
}

uint64_t sharedBytesOfCTA(tt::FuncOp kernel) {
  int programs = programsPerCTA(kernel);
  return programs == 1 ? sharedBytes(kernel) : programs * sharedPitch(kernel);
}

uint64_t sharedAlignment(tt::FuncOp kernel) {
  uint64_t alignment = kSharedAlignment;
  kernel.walk(
      [&](LocalAllocOp alloc) { alignment = std::max(alignment, alloc.getLeastAlignment()); });
  return alignment;
}

} // namespace tritium::ttg
