//===- StoreBoxes.cpp - ttng-store-boxes ----------------------------------===//
//
//   %m = ttg.local_alloc init(%x)      // 128x256 f16, as dots hold it
//   %y = ttg.local_load %m
//   tt.store %p, %y, %mask
//
// becomes, where %p[i, j] is %base + (%row + i) * %pitch + %column + j and %mask[i, j] says that
// %row + i < %m and %column + j < %n,
//
//   %m = ttg.local_alloc               // in panels
//   ttg.local_store %x, %m
//   ttng.tma_store %m, %base[%row, %column] shape [%m, %n] strides [%pitch, 1]
//   ttng.tma_store_commit
//
// so that one thread starts the store and all go on; or, in a loop over programs where each warp
// has rows of its own, one of each warp, so that the warps do not meet (`by_warp`). What a launch
// must know is what it must for loads (LoadBoxes.cpp). Stores whose base or pitch is not known to
// be a multiple of 16 bytes stay as they are: the launch would have to do without copies by TMA for
// all others, too.
//
// Nobody waits for what is stored but the end of the program, and TMA writes through a proxy of its
// own. So nothing else in the kernel may reach the tensor, or hand on what has been stored:
// atomics, volatile loads, and operations of which nothing is known keep all stores as they are. Of
// several stores by TMA that may meet, a later one waits until the earlier are over.
//
// In a loop memory is the store's own, in front of the outermost one, so that the store goes on
// beside the next iteration, and what waits for it is the next store. If that memory does not fit
// beside the rest, the tile is stored in parts of its columns, from two buffers in turn, which
// other stores of the same block have in their turn.
//
//===----------------------------------------------------------------------===//

#include "BoxOfTile.h"
#include "OtherAccesses.h"

#include "tritium/Analysis/Disjoint.h"
#include "tritium/Analysis/PointerBases.h"
#include "tritium/Analysis/SharedLiveness.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/IR/TileOffsets.h"
#include "tritium/Dialect/TileNVGPU/IR/Boxes.h"
#include "tritium/Dialect/TileNVGPU/Transforms/Passes.h"
#include "tritium/Support/EmitRemark.h"
#include "tritium/Target/GPU/Strategy.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tritium::ttng {

#define GEN_PASS_DEF_STOREBOXES
#include "tritium/Dialect/TileNVGPU/Transforms/Passes.h.inc"

namespace {
using Lifetime = ttg::SharedLiveness::Lifetime;

/// A store of a tile as dots of warp groups hold it.
struct Candidate {
  tt::StoreOp store;
  TypedValue<RankedTensorType> tile;
  ttg::LocalAllocOp exchange; ///< that the tile changes hands through today; null: none
  std::unique_ptr<AffineReader> reader = nullptr;
  std::unique_ptr<BoxOfTile> box = nullptr;
  std::string refused = ""; ///< why it stays as it is
  SmallVector<ttg::LocalAllocOp, 2> buffers = {};

  bool isInLoop() { return bool(store->getParentOfType<LoopLikeOpInterface>()); }
  /// Of warps, one of whose threads starts the store, and waits for it.
  Region *group() {
    Region *region = store->getParentRegion();
    while (region && !isa<ttg::WarpGroupsOp>(region->getParentOp()))
      region = region->getParentRegion();
    return region;
  }
  /// The loop around it has programs for iterations, whose stores have no order.
  bool isOfProgram() const {
    auto loop = store->getParentOfType<scf::ForOp>();
    return loop && loop->hasAttr(ttg::kPrograms);
  }
  ArrayRef<int64_t> shape() { return tile.getType().getShape(); }
};

/// Threads hold it as they hold results of warp groups, or parts of them.
bool isOfDots(Value tile) {
  SmallVector<Value> worklist{tile};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      continue;
    if (ttg::isOfWarpGroups(type.getEncoding()))
      return true;
    Operation *op = value.getDefiningOp();
    if (op && isMemoryEffectFree(op) && !op->getNumRegions() && !isa<ttg::ConvertLayoutOp>(op) &&
        seen.insert(op).second)
      llvm::append_range(worklist, op->getOperands());
  }
  return false;
}

/// The tile of `store` before it changes hands, if that is a result of warp groups.
std::optional<Candidate> candidateOf(tt::StoreOp store) {
  // Who counts it says that it is over.
  if (store->hasAttr(tt::kPartialSum))
    return std::nullopt;
  Candidate candidate{store, {}, {}};
  Value value = store.getValue();
  if (auto load = value.getDefiningOp<ttg::LocalLoadOp>(); load && !load.getOffsets())
    if (auto alloc = load.getSrc().getDefiningOp<ttg::LocalAllocOp>(); alloc && alloc.getInit()) {
      value = alloc.getInit();
      // Others that read it keep it.
      bool isLast = load->hasOneUse() && alloc->hasOneUse();
      candidate.exchange = isLast ? alloc : ttg::LocalAllocOp();
    }
  candidate.tile = dyn_cast<TypedValue<RankedTensorType>>(value);
  if (!candidate.tile || candidate.tile.getType().getRank() != 2 || !isOfDots(candidate.tile))
    return std::nullopt;
  return candidate;
}

class StoreConverter {
public:
  explicit StoreConverter(tt::FuncOp func) : func(func), info(func), accesses(func) {}

  void run() {
    func.walk([&](tt::StoreOp store) {
      if (auto candidate = candidateOf(store))
        candidates.push_back(std::move(*candidate));
      else
        accesses.addPointer(store.getPtr());
    });
    if (candidates.empty())
      return;
    mostShared = sharedAtMost();
    for (Candidate &candidate : candidates)
      candidate.refused = findBox(candidate);
    refuseWhatGroupsShare();
    refuseWhatOthersReach();
    for (Candidate &candidate : candidates)
      if (candidate.refused.empty() && candidate.buffers.empty())
        allocateAll(candidate);
    refuseWhatOthersReach();
    for (auto [i, candidate] : llvm::enumerate(candidates))
      if (candidate.refused.empty())
        convert(i);
      else
        remarkMissed(candidate.store.getLoc(), "tensor-copies",
                     "threads store this tile, not TMA: " + candidate.refused);
    eraseUnused();
  }

private:
  /// What the kernel may have without fewer programs side by side than with what it has now.
  uint64_t sharedAtMost() {
    const GPUModel &gpu = ttg::gpuModel(func);
    uint64_t most = gpu.sharedBytes, now = bytesOf(ttg::SharedLiveness(func).lifetimes());
    // Of each program the hardware keeps a kilobyte.
    constexpr uint64_t reserved = 1024;
    uint64_t programs = (most + reserved) / (now + reserved);
    for (Candidate &candidate : candidates) {
      uint64_t registers = ttg::layoutOf(candidate.tile.getType()).registers();
      uint64_t threads = ttg::kLanesPerWarp * ttg::numWarps(candidate.store);
      programs = std::min(programs,
                          gpu.registers / ((registers + strategy::kLeastWordsBesideSum) * threads));
    }
    return (most + reserved) / std::max<uint64_t>(1, programs) - reserved;
  }

  static uint64_t bytesOf(ArrayRef<Lifetime> lifetimes) {
    uint64_t bytes = 0;
    auto places = ttg::placesFor(lifetimes, strategy::kSmallShared, strategy::kSmallSharedTotal);
    for (auto [lifetime, begin] : llvm::zip(lifetimes, places)) {
      ttg::LocalAllocOp alloc = lifetime.alloc;
      bytes = std::max<uint64_t>(bytes, begin + alloc.getBytes());
    }
    return bytes;
  }

  /// Empty, or why the store is none of a box that TMA has.
  std::string findBox(Candidate &candidate) {
    tt::StoreOp store = candidate.store;
    if (store.getCache() != tt::CacheModifier::NONE)
      return "it says how it is cached";
    if (accesses.isOrdered())
      return accesses.whatOrders().str();
    candidate.reader = std::make_unique<AffineReader>(func, Remainders::Refused);
    candidate.box = std::make_unique<BoxOfTile>(cast<tt::MemoryAccess>(store.getOperation()),
                                                *candidate.reader);
    if (std::string reason = candidate.box->find(); !reason.empty())
      return reason;
    if (candidate.box->countsDown() || candidate.box->mayBeginInFront())
      return "it may begin in front of the array, where TMA stores nothing";
    if (!candidate.box->isAligned(info))
      return "the array and its rows are not known to begin at multiples of 16 bytes";
    if (!candidate.box->beginsAtChunk(info) || !candidate.box->endsAtChunk(info))
      return "where its rows begin and the mask ends them are not known to be multiples of 16 "
             "bytes, of which TMA writes whole ones";
    if (store->getParentOfType<ttg::WarpGroupsOp>() && !candidate.isInLoop())
      return "its group of warps ends behind it, and would wait for it";
    if (!memoryFor(candidate, candidate.shape()))
      return "its rows are no multiple of 32 bytes, or threads do not hold them in such parts";
    return "";
  }

  /// In rows as they are in global memory.
  static ttg::MemDescType memoryFor(Candidate &candidate, ArrayRef<int64_t> shape) {
    RankedTensorType type = candidate.tile.getType();
    Type element = type.getElementType();
    auto layout = ttg::panelLayout(type.getContext(), shape, candidate.box->isTransposed() ? 0 : 1,
                                   tt::scalarBytes(element));
    auto memory =
        layout ? ttg::MemDescType::get(type.getContext(), shape, element, *layout) : nullptr;
    bool fits = memory && ttg::coversPanels(type, memory) && boxesOf(inRows(memory, candidate));
    return fits ? memory : ttg::MemDescType();
  }

  static ttg::MemDescType inRows(ttg::MemDescType memory, Candidate &candidate) {
    return candidate.box->isTransposed() ? ttg::MemDescTransOp::transposed(memory, {1, 0}) : memory;
  }

  /// The threads of two groups do not wait for each other's stores.
  void refuseWhatGroupsShare() {
    for (Candidate &candidate : candidates)
      for (Candidate &other : candidates)
        if (candidate.refused.empty() && other.refused.empty() &&
            candidate.group() != other.group() &&
            mayShareBase(candidate.store.getPtr(), other.store.getPtr()))
          candidate.refused = "other groups of warps store to the same array";
  }

  /// Those that may meet what is no store by TMA, until none is left.
  void refuseWhatOthersReach() {
    bool isDone = false;
    while (!isDone) {
      isDone = true;
      for (Candidate &candidate : candidates) {
        Value pointer = candidate.store.getPtr();
        if (!candidate.refused.empty()) {
          accesses.addPointer(pointer);
        } else if (accesses.mayReach(pointer)) {
          candidate.refused = "the kernel may access in another way what it writes";
          isDone = false;
        }
        if (!candidate.refused.empty())
          candidate.buffers.clear();
      }
    }
  }

  /// Memory for `first` and the stores behind it in its block that are of such tiles: the whole
  /// tile for each, or two parts in turn for all of them, or one.
  void allocateAll(Candidate &first) {
    SmallVector<Candidate *> group;
    for (Candidate &other : llvm::MutableArrayRef(candidates).drop_front(&first - &candidates[0]))
      if (other.refused.empty() && other.store->getBlock() == first.store->getBlock() &&
          other.tile.getType() == first.tile.getType() &&
          other.box->isTransposed() == first.box->isTransposed())
        group.push_back(&other);
    if (llvm::all_of(group, [&](Candidate *x) { return allocate(x, x->shape(), 1); }))
      return;
    for (Candidate *candidate : group)
      release(candidate);
    if (!allocateParts(group))
      for (Candidate *candidate : group)
        candidate->refused = "there is no shared memory left for it";
  }

  bool allocateParts(ArrayRef<Candidate *> group) {
    Candidate &first = *group.front();
    constexpr int64_t leastBytes = 128; // a row of a panel, in which no banks conflict
    int64_t least = leastBytes / tt::scalarBytes(first.tile.getType().getElementType());
    SmallVector<int64_t> part(first.shape());
    if (first.box->isTransposed() || part[1] < least)
      return false;
    // Two halves are a whole tile.
    int64_t power = part[1] & -part[1], halves = group.size() == 1 ? 4 : 1;
    for (part[1] = power == part[1] ? power / halves : power; part[1] >= least; part[1] /= 2)
      if (allocate(group, part, 2))
        return true;
    part[1] = least;
    return allocate(group, part, 1);
  }

  /// The same memory for all of them.
  bool allocate(ArrayRef<Candidate *> group, ArrayRef<int64_t> shape, unsigned count) {
    Candidate &first = *group.front();
    ttg::MemDescType type = memoryFor(first, shape);
    if (!type)
      return false;
    Operation *before = first.store;
    for (Operation *op = before; op && !isa<ttg::WarpGroupsOp>(op); op = op->getParentOp())
      before = isa<LoopLikeOpInterface>(op) ? op : before;
    OpBuilder b(before);
    for (unsigned i = 0; i < count; ++i) {
      auto alloc = b.create<ttg::LocalAllocOp>(first.store.getLoc(), type);
      alloc.setAlignment(boxesOf(inRows(type, first))->alignment);
      for (Candidate *candidate : group)
        candidate->buffers.push_back(alloc);
    }
    if (fits())
      return true;
    release(group);
    return false;
  }

  static void release(ArrayRef<Candidate *> group) {
    for (ttg::LocalAllocOp alloc : group.front()->buffers)
      alloc.erase();
    for (Candidate *candidate : group)
      candidate->buffers.clear();
  }

  /// With the memory of candidates, which is in use to the end, instead of what they have now.
  bool fits() {
    ttg::SharedLiveness liveness(func);
    SmallVector<Lifetime> lifetimes;
    for (Lifetime lifetime : liveness.lifetimes()) {
      bool isGone = false;
      for (Candidate &candidate : candidates) {
        isGone |= !candidate.buffers.empty() && candidate.exchange == lifetime.alloc;
        if (llvm::is_contained(candidate.buffers, lifetime.alloc))
          lifetime.end = lifetime.groupsEnd = liveness.last();
      }
      if (!isGone)
        lifetimes.push_back(lifetime);
    }
    return bytesOf(lifetimes) <= mostShared;
  }

  /// What has been stored since a block has waited for all stores, which each iteration of a loop
  /// does at its first one.
  struct Since {
    size_t first = 0; ///< of the candidates that count
    bool hasWaited = false;
    unsigned commits = 0;
    llvm::DenseMap<Operation *, unsigned> lastOf; ///< of a buffer, counted from 1
  };

  bool mayMeet(Candidate &first, Candidate &second) {
    return mayShareBase(first.store.getPtr(), second.store.getPtr()) &&
           !first.box->isApartFrom(*second.box) &&
           !neverMeet(second.store, first.store, /*earlier=*/false);
  }

  /// In a loop over programs warps that hold rows of their own need not meet for the store. Which
  /// of them stores first is nobody's business: programs have no order, and nothing else stores to
  /// the array.
  bool isByWarp(Candidate &candidate) {
    auto rows = rowsOfWarp(candidate.buffers.front().getType(), ttg::numWarps(candidate.store));
    return rows && candidate.isOfProgram() && !candidate.box->isTransposed() &&
           areRowsOfWarps(ttg::layoutOf(candidate.tile.getType()), *rows) &&
           llvm::none_of(candidates, [&](Candidate &other) {
             return &other != &candidate && other.refused.empty() &&
                    mayShareBase(other.store.getPtr(), candidate.store.getPtr());
           });
  }

  void convert(size_t number) {
    Candidate &candidate = candidates[number];
    tt::StoreOp store = candidate.store;
    Since &since = sinceOf[store->getBlock()];
    BoxOfTile::Operands box = candidate.box->build();
    OpBuilder b(store);
    auto before = llvm::MutableArrayRef(candidates).slice(since.first, number - since.first);
    bool meets = llvm::any_of(before, [&](Candidate &other) {
      return other.refused.empty() && mayMeet(other, candidate);
    });
    if (meets || (candidate.isInLoop() && !since.hasWaited)) {
      b.create<TMAStoreWaitOp>(store.getLoc(), 0, /*reads=*/!meets && candidate.isOfProgram(),
                               isByWarp(candidate));
      since = Since();
      since.first = number;
      since.hasWaited = true;
    }
    int64_t width = candidate.buffers.front().getType().getShape()[1];
    for (int64_t column = 0, i = 0; column < candidate.shape()[1]; column += width, ++i)
      storePart(b, candidate, box, candidate.buffers[i % candidate.buffers.size()], column, since);
    waitAtEndOfGroup(store);
    candidate.reader->addConditions(store.getLoc());
    if (!accesses.empty() || candidates.size() > 1)
      func->setAttr(ttg::kOvertakes, b.getUnitAttr());
    remark(candidate, candidate.shape()[1] / width);
    converted.push_back(store);
  }

  void storePart(OpBuilder &b, Candidate &candidate, const BoxOfTile::Operands &box,
                 ttg::LocalAllocOp buffer, int64_t column, Since &since) {
    Location loc = candidate.store.getLoc();
    unsigned &last = since.lastOf[buffer];
    bool byWarp = isByWarp(candidate);
    if (last)
      b.create<TMAStoreWaitOp>(loc, since.commits - last, /*reads=*/true, byWarp);
    ttg::MemDescType type = buffer.getType();
    if (type.getShape() == candidate.shape())
      b.create<ttg::LocalStoreOp>(loc, candidate.tile, buffer);
    else
      b.create<ttg::LocalStoreOp>(loc, candidate.tile, buffer, b.getDenseI64ArrayAttr({0, column}));
    Value rows = buffer;
    if (candidate.box->isTransposed())
      rows = b.create<ttg::MemDescTransOp>(loc, inRows(type, candidate), rows,
                                           b.getDenseI32ArrayAttr({1, 0}));
    SmallVector<Value> offsets(box.offsets);
    if (column > 0) // which has been seen to fit, as the tile's last column has
      offsets.back() = b.create<arith::AddIOp>(
          loc, offsets.back(),
          b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(int32_t(column))));
    b.create<TMAStoreOp>(loc, rows, box.base, box.shape, box.strides, offsets, byWarp);
    b.create<TMAStoreCommitOp>(loc);
    last = ++since.commits;
  }

  /// The program's last wait is not for warps that end with their group.
  static void waitAtEndOfGroup(Operation *store) {
    auto groups = store->getParentOfType<ttg::WarpGroupsOp>();
    if (!groups)
      return;
    for (Region &region : groups->getRegions()) {
      Operation *end = region.front().getTerminator();
      if (region.isAncestor(store->getParentRegion()) &&
          !isa_and_nonnull<TMAStoreWaitOp>(end->getPrevNode()))
        OpBuilder(end).create<TMAStoreWaitOp>(store->getLoc(), 0, /*reads=*/true);
    }
  }

  static void remark(Candidate &candidate, int64_t parts) {
    std::string bytes =
        std::to_string(candidate.buffers.size() * candidate.buffers.front().getBytes());
    std::string inParts = parts > 1 ? " in " + std::to_string(parts) + " parts" : "";
    remarkApplied(candidate.store.getLoc(), "tensor-copies",
                  "TMA stores this tile" + inParts + ", from " + bytes + " bytes of shared memory",
                  {{"bytes", bytes}, {"parts", std::to_string(parts)}});
  }

  /// Addresses and masks that no store has any more.
  void eraseUnused() {
    for (tt::StoreOp store : converted)
      store.erase();
    SmallVector<Operation *> unused;
    func.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { unused.push_back(op); });
    for (Operation *op : llvm::reverse(unused))
      if (isOpTriviallyDead(op))
        op->erase();
  }

  tt::FuncOp func;
  AxisInfoAnalysis info;
  OtherAccesses accesses;
  uint64_t mostShared = 0;
  std::vector<Candidate> candidates;
  llvm::DenseMap<Block *, Since> sinceOf;
  SmallVector<tt::StoreOp> converted; ///< which those behind are compared with
};

struct StoreBoxesPass : impl::StoreBoxesBase<StoreBoxesPass> {
  void runOnOperation() override {
    if (!getAnalysis<ttg::LayoutsHold>())
      return signalPassFailure();
    if (!ttg::gpuModel(getOperation()).hasTensorCopies)
      return;
    for (auto func : getOperation().getOps<tt::FuncOp>())
      if (!func.isExternal() && func.isKernel())
        StoreConverter(func).run();
  }
};
} // namespace

} // namespace tritium::ttng
