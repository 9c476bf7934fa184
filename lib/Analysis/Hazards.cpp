//===- Hazards.cpp - accesses that must wait for others -------------------===//

#include "tritium/Analysis/Hazards.h"

#include "tritium/Analysis/GlobalOrder.h"
#include "tritium/Analysis/SharedLiveness.h"
#include "tritium/Dialect/TileNVGPU/IR/Boxes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
/// Bytes that an operation accesses. Of an allocation with several buffers `buffer` is the one that
/// is meant, counted from the one that the present iteration of the loop reads; -1: not known.
struct Access {
  uint64_t begin = 0, end = 0;
  LocalAllocOp ring;
  int buffer = -1;
  Operation *by = nullptr;
  /// Each warp accesses so many rows of its own; 0: not so. `haveMet`: its lanes have met since.
  int64_t rowsOfWarp = 0;
  bool haveMet = false;

  bool overlaps(const Access &other) const {
    bool isOther =
        ring && ring == other.ring && buffer >= 0 && other.buffer >= 0 && buffer != other.buffer;
    return begin < other.end && other.begin < end && !isOther;
  }
  /// Of what `other` accesses a thread has no more to do with than with its own warp's, which has
  /// met since.
  bool isBehind(const Access &other) const {
    return rowsOfWarp && rowsOfWarp == other.rowsOfWarp && other.haveMet && begin == other.begin &&
           end == other.end;
  }
  /// `by` is for messages only.
  bool operator==(const Access &other) const {
    return begin == other.begin && end == other.end && ring == other.ring &&
           buffer == other.buffer && rowsOfWarp == other.rowsOfWarp && haveMet == other.haveMet;
  }
};

/// A copy on its way; `age`: groups that have been closed since it started. Or a read; `age`:
/// operations that have started others since.
struct Copy {
  Access access;
  unsigned age = 0;
  bool operator==(const Copy &) const = default;
};
constexpr unsigned kOldest = 64; ///< copies of which nobody waits for grow no older

struct GlobalAccess {
  Operation *by;
  /// In an earlier iteration of a loop, through another pointer than the operation has now.
  bool earlier = false;
  bool operator==(const GlobalAccess &) const = default;
};

template <typename T> bool addTo(SmallVectorImpl<T> &list, ArrayRef<T> more) {
  size_t before = list.size();
  for (const T &x : more)
    if (!llvm::is_contained(list, x))
      list.push_back(x);
  return list.size() > before;
}

/// What some thread may still read, and has written, since the last barrier.
struct State {
  SmallVector<Access, 4> reads, writes;
  SmallVector<GlobalAccess, 4> globals;
  SmallVector<Copy, 4> copies, asyncReads, stores; ///< which no barrier ends
  SmallVector<Access, 4> notFenced; ///< writes that are not in order with the asynchronous proxy

  bool join(const State &other) {
    bool grew = addTo<Access>(reads, other.reads);
    grew |= addTo<Access>(writes, other.writes);
    grew |= addTo<Access>(notFenced, other.notFenced);
    grew |= addTo<Copy>(asyncReads, other.asyncReads);
    grew |= addTo<Copy>(stores, other.stores);
    grew |= addTo<GlobalAccess>(globals, other.globals);
    return addTo<Copy>(copies, other.copies) || grew;
  }
  void passBarrier() {
    reads.clear();
    writes.clear();
    globals.clear();
  }
  /// The lanes of each warp meet.
  void meetInWarps() {
    for (auto *list : {&reads, &writes})
      for (Access &access : *list)
        access.haveMet = access.rowsOfWarp != 0;
  }
  /// For accesses that know their buffer.
  void forEachBuffer(llvm::function_ref<void(Access &)> change) {
    for (auto *list : {&reads, &writes, &notFenced})
      for (Access &access : *list)
        if (access.buffer >= 0)
          change(access);
    for (auto *list : {&copies, &asyncReads, &stores})
      for (Copy &copy : *list)
        if (copy.access.buffer >= 0)
          change(copy.access);
  }
};

/// An iteration of `loop` takes the next buffer of the ring.
bool takesInTurn(Operation *loop, LocalAllocOp ring) {
  return llvm::any_of(ring->getUsers(), [&](Operation *user) {
    auto index = dyn_cast<MemDescIndexOp>(user);
    return index && index.getAhead() &&
           index->getParentOfType<LoopLikeOpInterface>().getOperation() == loop;
  });
}

class HazardFinder {
public:
  explicit HazardFinder(bool mayAlias) : mayAlias(mayAlias) {}

  std::vector<Hazard> run(tt::FuncOp kernel) {
    kernel.walk([&](Operation *op) {
      hasAsyncAccesses |= isa<AsyncReader, ttng::TMAStoreOp, ttng::TMALoadOp>(op);
      auto store = dyn_cast<ttng::TMAStoreOp>(op);
      hasStoresByWarp |= store && store.getByWarp();
    });
    State state;
    walk(kernel.getBody().front(), state);
    std::vector<Hazard> result;
    for (auto &[op, hazard] : found)
      result.push_back(hazard);
    return result;
  }

private:
  Access accessOf(Value memory, Operation *by) {
    Access access;
    access.by = by;
    for (Value part = memory; Operation *op = part.getDefiningOp(); part = op->getOperand(0)) {
      if (auto index = dyn_cast<MemDescIndexOp>(op)) {
        int64_t buffers = index.getSrc().getType().getNumBuffers();
        if (auto ahead = index.getAhead())
          access.buffer = (int64_t(int32_t(*ahead)) % buffers + buffers) % buffers;
      }
      if (op->getNumOperands() == 0 || isa<LocalAllocOp>(op))
        break;
    }
    LocalAllocOp alloc = allocationOf(memory);
    if (!alloc) { // Anywhere.
      access.end = UINT64_MAX;
      access.buffer = -1;
      return access;
    }
    if (access.buffer >= 0)
      access.ring = alloc;
    access.begin = alloc.getOffset().value_or(0);
    access.end = access.begin + alloc.getBytes();
    return access;
  }

  void report(Hazard::Kind kind, Operation *first, const Access &second) {
    found.insert({second.by, {kind, first, second.by, second.begin, second.end}});
  }

  /// True if a barrier stands in front now.
  bool settle(State &state, const Access &access, ArrayRef<Access> earlier, Hazard::Kind kind) {
    auto met = llvm::find_if(earlier, [&](const Access &other) {
      return other.overlaps(access) && !access.isBehind(other);
    });
    if (met == earlier.end())
      return false;
    report(kind, met->by, access);
    state.passBarrier();
    return true;
  }

  void checkCopies(const State &state, const Access &access) {
    for (const Copy &copy : state.copies)
      if (copy.access.overlaps(access))
        return report(Hazard::CopyOnItsWay, copy.access.by, access);
  }

  Access aboutToRead(State &state, Value memory, Operation *by, int64_t rowsOfWarp = 0) {
    Access access = accessOf(memory, by);
    access.rowsOfWarp = rowsOfWarp;
    checkCopies(state, access);
    settle(state, access, state.writes, Hazard::ReadAfterWrite);
    return access;
  }

  void read(State &state, Value memory, Operation *by) {
    addTo<Access>(state.reads, aboutToRead(state, memory, by));
  }

  /// Reports the last of the writes that the reader, or who writes there next, does not see.
  void checkFences(const State &state, Operation *reader, ArrayRef<Value> memories) {
    for (const Access &write : llvm::reverse(state.notFenced))
      for (Value memory : memories)
        if (Access access = accessOf(memory, reader); write.overlaps(access))
          return report(Hazard::NotFenced, write.by, access);
  }

  void startReads(State &state, AsyncReader reader) {
    checkFences(state, reader, reader.getAsyncReads());
    SmallVector<Access> accesses;
    for (Value memory : reader.getAsyncReads())
      accesses.push_back(aboutToRead(state, memory, reader));
    for (Copy &read : state.asyncReads)
      read.age = std::min(read.age + 1, kOldest);
    for (const Access &access : accesses)
      addTo<Copy>(state.asyncReads, Copy{access});
  }

  /// The first thread makes and ends barriers in memory, in order. It also arrives for the others,
  /// which only wait themselves.
  void changeBarrier(State &state, Value barrier, Operation *by) {
    Access access = accessOf(barrier, by);
    SmallVector<Access> ofOthers(llvm::make_filter_range(state.writes, [](const Access &write) {
      return !isa<ttng::MBarrierInitOp, ttng::MBarrierInvalidateOp>(write.by);
    }));
    if (!settle(state, access, ofOthers, Hazard::WriteAfterWrite))
      settle(state, access, state.reads, Hazard::WriteAfterRead);
    addTo<Access>(state.writes, access);
  }

  /// Barriers in memory, and copies of boxes. What a load brings, its barrier hands on.
  void visitNVGPU(Operation *op, State &state) {
    if (isa<ttng::MBarrierInitOp, ttng::MBarrierInvalidateOp>(op)) {
      changeBarrier(state, op->getOperand(0), op);
    } else if (auto wait = dyn_cast<ttng::MBarrierWaitOp>(op)) {
      read(state, wait.getBarrier(), op);
    } else if (auto arrive = dyn_cast<ttng::MBarrierArriveOp>(op)) {
      for (Value memory : arrive.getReleases())
        checkReads(state, accessOf(memory, op));
    } else if (auto load = dyn_cast<ttng::TMALoadOp>(op)) {
      checkFences(state, op, {load.getDst()});
      aboutToWrite(state, load.getDst(), op);
    } else if (auto store = dyn_cast<ttng::TMAStoreOp>(op)) {
      int64_t rows = 0;
      if (store.getByWarp()) {
        state.meetInWarps();
        rows = *ttng::rowsOfWarp(store.getSrc().getType(), numWarps(op));
      }
      checkFences(state, op, {store.getSrc()});
      addTo<Copy>(state.stores, Copy{aboutToRead(state, store.getSrc(), op, rows)});
    } else if (isa<ttng::TMAStoreCommitOp>(op)) {
      for (Copy &read : state.stores)
        read.age = std::min(read.age + 1, kOldest);
    } else if (auto wait = dyn_cast<ttng::TMAStoreWaitOp>(op)) {
      auto isOver = [&](const Copy &read) { return read.age > wait.getPendings(); };
      for (const Copy &read : state.stores)
        if (isOver(read))
          addTo<Access>(state.reads, read.access);
      llvm::erase_if(state.stores, isOver);
      if (wait.getByWarp())
        state.meetInWarps();
    }
  }

  /// Rows of its own that each warp has of the memory; 0 if threads hold others', too.
  static int64_t rowsOfWarp(LocalStoreOp store) {
    auto rows = ttng::rowsOfWarp(store.getDst().getType(), numWarps(store));
    return rows && ttng::areRowsOfWarps(layoutOf(store.getSrc().getType()), *rows) ? *rows : 0;
  }

  /// What is over has read, up to now.
  void awaitReads(State &state, AsyncReadWait wait) {
    auto isOver = [&](const Copy &read) { return read.age >= wait.getPendings(); };
    for (const Copy &read : state.asyncReads)
      if (isOver(read))
        addTo<Access>(state.reads, read.access);
    llvm::erase_if(state.asyncReads, isOver);
  }

  /// `by` is where all that is written is there.
  void written(State &state, Access access, Operation *by) {
    addTo<Access>(state.writes, access);
    if (!hasAsyncAccesses)
      return;
    access.by = by;
    llvm::erase(state.notFenced, access); // so that the last stands last
    state.notFenced.push_back(access);
  }

  /// Each thread's own writes: those of others are there behind a barrier.
  static void passFence(State &state) {
    addTo<Access>(state.writes, state.notFenced);
    state.notFenced.clear();
  }

  void checkReads(const State &state, const Access &access) {
    for (const Copy &read : llvm::concat<const Copy>(state.asyncReads, state.stores))
      if (read.access.overlaps(access))
        return report(Hazard::ReadOnItsWay, read.access.by, access);
  }

  /// Before what is written is there.
  Access aboutToWrite(State &state, Value memory, Operation *by, int64_t rowsOfWarp = 0) {
    Access access = accessOf(memory, by);
    access.rowsOfWarp = rowsOfWarp;
    checkCopies(state, access);
    checkReads(state, access);
    if (!settle(state, access, state.writes, Hazard::WriteAfterWrite))
      settle(state, access, state.reads, Hazard::WriteAfterRead);
    return access;
  }

  void accessGlobal(State &state, Operation *op) {
    for (GlobalAccess before : state.globals)
      if (mustWaitFor(op, before.by, before.earlier, mayAlias)) {
        found.insert({op, {Hazard::GlobalMemory, before.by, op}});
        return state.passBarrier();
      }
  }

  void visitLeaf(Operation *op, State &state) {
    bool isGlobal = isa<tt::MemoryAccess>(op);
    if (isGlobal)
      accessGlobal(state, op);
    if (isa<BarrierOp>(op)) {
      state.passBarrier();
    } else if (isa<LocalLoadOp, LocalGatherOp>(op)) {
      read(state, op->getOperand(0), op);
    } else if (auto store = dyn_cast<LocalStoreOp>(op)) {
      written(state,
              aboutToWrite(state, store.getDst(), op, hasStoresByWarp ? rowsOfWarp(store) : 0), op);
    } else if (auto count = dyn_cast<LocalCountOp>(op)) {
      aboutToRead(state, count.getMemory(), op);
      written(state, aboutToWrite(state, count.getMemory(), op), op);
    } else if (auto alloc = dyn_cast<LocalAllocOp>(op)) {
      if (alloc.getInit())
        written(state, aboutToWrite(state, alloc, op), op);
    } else if (auto copy = dyn_cast<AsyncCopyGlobalToLocalOp>(op)) {
      addTo<Copy>(state.copies, Copy{aboutToWrite(state, copy.getDst(), op)});
    } else if (isa<AsyncCommitGroupOp>(op)) {
      for (Copy &copy : state.copies)
        copy.age = std::min(copy.age + 1, kOldest);
    } else if (auto wait = dyn_cast<AsyncWaitOp>(op)) {
      for (const Copy &copy : state.copies)
        if (copy.age > wait.getNum())
          written(state, copy.access, op);
      llvm::erase_if(state.copies, [&](const Copy &copy) { return copy.age > wait.getNum(); });
    } else if (auto reader = dyn_cast<AsyncReader>(op)) {
      startReads(state, reader);
    } else if (auto wait = dyn_cast<AsyncReadWait>(op)) {
      awaitReads(state, wait);
    } else if (isa<ProxyFence>(op)) {
      passFence(state);
    } else {
      visitNVGPU(op, state);
    }
    if (isGlobal)
      addTo<GlobalAccess>(state.globals, GlobalAccess{op});
  }

  void walk(Block &block, State &state) {
    for (Operation &op : block)
      if (op.getNumRegions() == 0 || isa<tt::Combining>(op))
        visitLeaf(&op, state);
      else if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
        visitLoop(loop, state);
      else if (isa<WarpGroupsOp>(op))
        visitGroups(op, state);
      else
        visitBranches(op, state);
  }

  /// All threads meet before groups part, and when they are done.
  void visitGroups(Operation &op, State &state) {
    state.passBarrier();
    visitBranches(op, state);
    state.passBarrier();
  }

  void visitBranches(Operation &op, State &state) {
    State before = state;
    // A branch that is not taken leaves what was before.
    auto branch = dyn_cast<scf::IfOp>(op);
    if (branch && branch.elseBlock())
      state = {};
    for (Region &region : op.getRegions()) {
      State inside = before;
      for (Block &block : region)
        walk(block, inside);
      state.join(inside);
    }
  }

  /// Until the state in front of an iteration holds all that one leaves behind. What counts are the
  /// hazards of the last round: with barriers in front of them, that is so.
  void visitLoop(LoopLikeOpInterface loop, State &state) {
    auto before = found;
    State after;
    do {
      found = before;
      State round = state;
      after = {};
      for (Region &region : loop->getRegions()) {
        for (Block &block : region)
          walk(block, round);
        after.join(round);
      }
      for (GlobalAccess &access : after.globals)
        access.earlier |= loop->isProperAncestor(access.by) &&
                          !loop.isDefinedOutsideOfLoop(access.by->getOperand(0));
      after.forEachBuffer([&](Access &access) {
        int buffers = access.ring.getType().getNumBuffers();
        if (takesInTurn(loop, access.ring))
          access.buffer = (access.buffer + buffers - 1) % buffers;
      });
    } while (state.join(after));
    state.forEachBuffer([&](Access &access) {
      if (takesInTurn(loop, access.ring))
        access.buffer = -1;
    });
  }

  bool mayAlias, hasAsyncAccesses = false, hasStoresByWarp = false;
  llvm::MapVector<Operation *, Hazard> found;
};

StringRef nameOf(Hazard::Kind kind) {
  switch (kind) {
  case Hazard::ReadAfterWrite:
    return "read after write";
  case Hazard::WriteAfterRead:
    return "write after read";
  case Hazard::WriteAfterWrite:
    return "write after write";
  case Hazard::CopyOnItsWay:
    return "access before a copy has arrived";
  case Hazard::ReadOnItsWay:
    return "write before what reads there is over";
  case Hazard::NotFenced:
    return "written without a fence";
  case Hazard::GlobalMemory:
    return "program order of global memory";
  }
  llvm_unreachable("unknown kind");
}
} // namespace

static StringRef remedyFor(Hazard::Kind kind) {
  switch (kind) {
  case Hazard::CopyOnItsWay:
    return "; put ttg.async_wait for its group, and ttg.barrier, before it";
  case Hazard::ReadOnItsWay:
    return "; put the wait for it, and ttg.barrier, before it";
  case Hazard::NotFenced:
    return "; put a fence of the proxy, and ttg.barrier, before it";
  default:
    return "; put ttg.barrier before it";
  }
}

std::string Hazard::describe() const {
  std::string text = nameOf(kind).str();
  if (kind != GlobalMemory && end != UINT64_MAX)
    text += ", shared memory [" + std::to_string(begin) + ", " + std::to_string(end) + ")";
  return text;
}

std::vector<Hazard> findHazards(tt::FuncOp kernel, bool mayAlias) {
  return HazardFinder(mayAlias).run(kernel);
}

LogicalResult checkHazards(tt::FuncOp kernel, bool mayAlias) {
  for (const Hazard &hazard : findHazards(kernel, mayAlias)) {
    InFlightDiagnostic diagnostic = hazard.second->emitError()
                                    << "'" << hazard.second->getName()
                                    << "' may run before other threads are done: "
                                    << hazard.describe() << remedyFor(hazard.kind);
    diagnostic.attachNote(hazard.first->getLoc())
        << "after '" << hazard.first->getName() << "' here";
    return diagnostic;
  }
  return success();
}

} // namespace tritium::ttg
