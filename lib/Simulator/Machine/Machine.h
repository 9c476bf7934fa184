//===- Machine.h - the warp-level machine -----------------------*- C++ -*-===//
//
// A grid runs CTA by CTA, warp by warp; a warp's 32 lanes run one instruction together.
//
// Divergence is a tree of splits. A branch whose lanes disagree turns the split into a node
// that waits at the branch's post-dominator for its two children; a split whose pc reaches
// its rpc arrives at its parent, which goes on when no child is left. Only leaves run. A
// leaf that waits (barrier, missing lanes) lets another leaf run, so that lanes of one warp
// may wait for each other.
//
// Registers are slots of 32 lanes: 4 bytes a lane for types up to 32 bits, 8 or 16 for
// wider ones. A predicate is one 32-bit mask in the slot's first word. Constants stand in
// slots of the frame, so that an operand is always an offset into the frame.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SIMULATOR_MACHINE_H
#define TRITIUM_SIMULATOR_MACHINE_H

#include "Code.h"
#include "Memory.h"
#include "OtherMemory.h"
#include "Pace.h"
#include "Shadow.h"
#include "WarpGroup.h"
#include "tritium/Simulator/Simulator.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <unordered_map>
#include <utility>

namespace tritium::sim {

using LaneBytes = std::array<uint8_t, 32>;

struct Frame {
  const FunctionCode *code = nullptr;
  std::vector<uint64_t> storage;
  uint8_t *registers = nullptr;
  std::vector<uint32_t> defined, origin; ///< by offset / 128
  /// Which bytes are defined in a lane that is not defined as a whole; by offset / 128.
  /// Compilers build a word of bytes from the bottom up: the upper ones are undefined meanwhile.
  std::unordered_map<uint32_t, LaneBytes> definedBytes;
  std::vector<uint8_t> parameters;               ///< [lane][parameterBytes]
  std::vector<ProductRegister> productRegisters; ///< by offset / 128; empty without wgmma
  std::vector<SlotPace> paces; ///< by offset / 128; empty: nobody asked for clocks
  uint32_t localBase = 0;
};

struct Split {
  enum State : uint8_t {
    Running,
    WaitingChildren,
    WaitingBarrier,
    WaitingPhase, ///< of an mbarrier
    WaitingLanes,
    WaitingGroup, ///< other warps of the warp group, to issue a wgmma
    Done
  };
  Frame *frame = nullptr;
  uint32_t pc = 0, rpc = none, mask = 0;
  Split *parent = nullptr; ///< arrives there at rpc
  Split *caller = nullptr; ///< returns there
  uint32_t arrived = 0, children = 0, returnList = 0;
  uint32_t barrier = 0; ///< its number; of an mbarrier, its address
  State state = Running;
  bool isCall = false;
  bool timedOut = false; ///< a wait for a phase is to answer, whatever the answer
};

struct AsyncCopy {
  uint64_t source = 0;
  uint32_t destination = 0, group = 0;
  uint32_t number = 0; ///< among those of its lane
  uint8_t bytes = 0, sourceBytes = 0;
  bool committed = false;
  const Op *op = nullptr;
};

struct Cta;
class Machine;

/// Bytes of shared memory, or of a range.
struct AsyncPart {
  Range *range = nullptr; ///< null: the CTA's shared memory
  uint64_t offset = 0;
  uint32_t bytes = 0;
  /// Of a write: what the bytes will be, if that is known. A write of what memory holds races
  /// with nothing.
  const uint8_t *value = nullptr;
};

/// What one operation reads, or what it writes.
struct AsyncUse {
  enum Kind : uint8_t { Reads, Writes, Reduces };
  Kind kind = Reads;
  Cta *cta = nullptr;
  const Op *op = nullptr;
  uint16_t thread = 0; ///< that issued it
  std::vector<AsyncPart> parts;
};

/// Bytes that a bulk copy moves in one piece.
struct Segment {
  Range *range = nullptr; ///< null: there are none in global memory, and a load fills
  uint64_t offset = 0;    ///< in the range
  uint32_t shared = 0, bytes = 0;
};

/// cp.async.bulk: a load belongs to a phase of an mbarrier, a store to a bulk group.
struct BulkCopy {
  const Op *op = nullptr;
  uint16_t warp = 0;
  uint8_t lane = 0;
  std::vector<Segment> segments;
  uint32_t bytes = 0;                           ///< that a load completes
  AsyncUse *reads = nullptr, *writes = nullptr; ///< null: over
  uint64_t fill = 0;   ///< of a load outside of its tensor: bits of 8 bytes
  bool rounds = false; ///< of a load: f32 to tf32
  // Stores.
  std::vector<uint8_t> data; ///< once its source is read
  int reduction = -1;        ///< as Atomic.h numbers them; -1: none
  ptx::Type type = ptx::Type::None;
  bool committed = false;
  uint32_t group = 0;
};

/// When an operation of an actor was over (Proxy.h).
struct Completion {
  uint16_t thread = 0; ///< of the actor, or the thread that waits itself
  uint32_t time = 0;
};

/// A fence.proxy.async of some lanes.
struct ProxyFence {
  uint32_t time = 0, lanes = 0;
  uint8_t spaces = 0;
};

/// The sectors that a warp has read or written past the first cache.
class TouchedSectors {
public:
  /// Returns how many it has come to since it last came to this one, each time counted; 0: it is
  /// the first time.
  uint32_t touch(uint64_t sector) {
    if (sector / sectorsOfPage != number || !page) {
      number = sector / sectorsOfPage;
      std::unique_ptr<Page> &found = pages[number];
      if (!found)
        found = std::make_unique<Page>();
      page = found.get();
    }
    uint32_t before = std::exchange((*page)[sector % sectorsOfPage], ++touches);
    return before ? touches - before : 0;
  }

private:
  static constexpr uint64_t sectorsOfPage = 64;
  using Page = std::array<uint32_t, sectorsOfPage>; ///< the last touch of each, counted from 1
  llvm::DenseMap<uint64_t, std::unique_ptr<Page>> pages;
  Page *page = nullptr; ///< the one that was needed last
  uint64_t number = 0;  ///< of it
  uint32_t touches = 0;
};

struct Warp {
  Machine &machine;
  Cta &cta;
  uint32_t index = 0;
  // The instruction that runs:
  uint32_t mask = 0; ///< its lanes
  uint8_t *regs = nullptr;
  uint32_t *defined = nullptr;
  Frame *frame = nullptr;
  Split *current = nullptr;
  bool yield = false;

  uint32_t live = 0; ///< lanes that have not exited
  std::deque<Split> splits;
  std::vector<Split *> leaves, freeSplits;
  std::vector<std::unique_ptr<Frame>> frames;
  std::vector<Frame *> freeFrames;
  std::vector<uint8_t> local[32], localDefined[32];
  std::vector<AsyncCopy> copies[32];
  uint32_t groups[32] = {};
  ProductQueue products;
  uint32_t issued[32] = {};             ///< copies of a lane, over or not
  uint32_t handedToPhase[32] = {};      ///< so many of them an mbarrier waits for
  std::vector<BulkCopy> bulkCopies[32]; ///< with a bulk group
  uint32_t bulkGroups[32] = {};
  Known known;        ///< what happens before now
  Known fenced, seen; ///< known at the last fence; read from releases, not yet fenced
  bool hasFenced = false, hasSeen = false;
  std::vector<ProxyFence> proxyFences; ///< in order of time
  uint32_t lastSharedWrite = 0;        ///< its time, by the generic proxy
  /// A fence.proxy.tensormap::generic.acquire.
  struct MapFence {
    uint64_t address;
    uint32_t time, lanes;
  };
  std::vector<MapFence> mapFences;
  /// By warp: when it came to a barrier of the cluster that hands on initialised mbarriers only.
  std::vector<uint32_t> met;
  TouchedSectors touched;
  bool hasMetCluster = false; ///< so that all CTAs of the cluster have begun
  uint32_t atCluster = 0;     ///< lanes between barrier.cluster.arrive and .wait
  uint64_t clusterPhase = 0;  ///< in which they have arrived
  uint32_t registers = 0;     ///< of a thread, once setmaxnreg is used

  Warp(Machine &machine, Cta &cta, uint32_t index) : machine(machine), cta(cta), index(index) {}

  template <typename T> T *lanes(uint32_t slot) { return reinterpret_cast<T *>(regs + slot); }
  uint32_t &predicate(uint32_t slot) { return *reinterpret_cast<uint32_t *>(regs + slot); }
  uint32_t thread(unsigned lane) const { return index * 32 + lane; }
  Op const *now = nullptr;

  /// Runs up to `steps` instructions; returns how many.
  uint64_t run(uint64_t steps);
  bool finished() const { return live == 0; }
  bool runnable() const;

  // Control.cpp
  void start(const FunctionCode &code);
  void branch(const Op &op, uint32_t taken);
  void arrive();
  void leave(uint32_t lanes);       ///< exit
  void returnLanes(uint32_t lanes); ///< ret
  void call(const Op &op, const FunctionCode &callee);
  void leaveCopies(unsigned lane);     ///< Async.cpp
  void leaveBulkCopies(unsigned lane); ///< BulkCopy.cpp
  void leaveCluster(uint32_t lanes);   ///< Cluster.cpp
  void dissolve(Split *split);
  Split *newSplit();
  Frame *newFrame(const FunctionCode &code, uint32_t localBase);
  void removeLeaf(Split *split);
  /// False: not all of `needed` are here; the split waits, or a fault was reported.
  bool gather(const Op &op, uint32_t needed);
  uint32_t gatherBase = 0;

  // Undefined.cpp
  void track(const Op &op);
  void trackBytes(const Op &op, uint32_t from);
  /// The value matters here: reports lanes of `slot` that nothing wrote.
  void demand(uint32_t slot, uint32_t lanes, const Op &op, const char *use);
  uint32_t definedIn(uint32_t slot) const { return defined[slot >> 7]; }
  void define(uint32_t slot, uint32_t lanes) { defined[slot >> 7] |= lanes; }
  void undefine(uint32_t slot, uint32_t lanes, uint32_t from) {
    defined[slot >> 7] &= ~lanes;
    frame->origin[slot >> 7] = from;
    forgetBytes(slot, lanes);
  }
  void forgetBytes(uint32_t slot, uint32_t lanes);
  /// Of a slot of 32 bits, as a mask of four.
  unsigned bytesDefinedIn(uint32_t slot, unsigned lane) const;
  void defineBytes(uint32_t slot, const LaneBytes &bytes, uint32_t from);

  // Families/WarpGroup.cpp
  /// An operation uses registers that wgmma uses, too.
  void useProductRegisters(const Op &op, const std::vector<uint32_t> &slots);
  /// Products that nothing waited for end with the frame, or with the warp if it is null.
  void leaveProducts(const Frame *frame);
  std::string describeGroupWait() const;

  // Access.cpp
  uint8_t *resolve(const Op &op, ptx::Space space, uint64_t address, unsigned lane, uint32_t bytes,
                   bool write, Located &located);
  /// At any address.
  uint8_t *resolveGlobal(const Op &op, uint64_t address, unsigned lane, uint32_t bytes, bool write,
                         Located &located);
};

/// What an arrival hands on to those that wait.
struct Handover {
  Known known, fenced, seen; ///< as of the warps that arrive
  bool hasFenced = false, hasSeen = false;

  /// What the warp knows of others.
  void addKnown(const Warp &warp);
  void giveKnown(Warp &warp) const;
  /// The lanes of the warp arrive: what they did before, and what they know.
  void add(Warp &warp, uint32_t lanes);
  void join(const Handover &other);
  /// The lanes of the warp have waited.
  void give(Warp &warp, uint32_t lanes) const;
};

/// mbarrier: an object in shared memory.
struct MBarrier {
  uint32_t address = 0;
  uint32_t count = 0, pending = 0; ///< arrivals of a phase; those that are missing
  int64_t expected = 0;            ///< bytes, of this phase, less those of complete_tx
  uint64_t phase = 0;              ///< the one under way
  std::vector<BulkCopy> copies;    ///< of this phase: they have not arrived
  uint64_t copied = 0;             ///< their bytes
  std::vector<std::pair<Warp *, Split *>> waiting;
  Handover arriving, done;     ///< of this phase; of all that are over
  Instants arrivals{}, over{}; ///< when the last arrival of this phase comes, and came before it
  uint32_t actor = 0;          ///< of its copies
  Access init;
  uint32_t initFence = 0; ///< time of the fence.mbarrier_init; 0: none
  const Op *lastExpect = nullptr;
  struct Pass {
    Warp *warp;
    uint32_t lanes, time;
    const Op *op;
  };
  std::vector<Pass> passes; ///< who has waited for the phase before this one; each lane once
  std::vector<Access> uses; ///< by warp: the last one

  /// cp.async.mbarrier.arrive: an arrival that comes when copies of a lane are over.
  struct CopyArrival {
    Warp *warp;
    unsigned lane;
    uint32_t copies; ///< so many of all that the lane has issued
  };
  std::vector<CopyArrival> copyArrivals; ///< in this phase; they are pending

  /// Arrivals that nothing under way brings.
  uint32_t missing() const { return pending - uint32_t(copyArrivals.size()); }
  bool hasCopies() const { return !copies.empty() || !copyArrivals.empty(); }
  bool isOver() const { return !missing() && expected == int64_t(copied); }
};

struct BarrierState {
  uint32_t arrived = 0, expected = 0;
  uint32_t all = 1, any = 0, population = 0;
  bool active = false, counted = false;
  Handover arrivals; ///< of bar.arrive
  Instants latest{}; ///< when the last one of them comes
  std::vector<std::pair<Warp *, Split *>> waiting;
  const Op *first = nullptr;
};

struct Cluster;

struct Cta {
  Extent id;
  uint32_t linear = 0;
  std::shared_ptr<Cluster> cluster;
  uint32_t rank = 0;                   ///< in it
  std::map<uint64_t, Access> visitors; ///< last accesses to its memory, by CTA and warp
  std::vector<uint8_t> shared, sharedDefined;
  Shadow shadow;
  std::deque<Warp> warps;
  std::vector<WarpGroup> warpGroups;
  BarrierState barriers[16];
  std::map<uint32_t, MBarrier> mbarriers; ///< by address
  std::vector<uint32_t> clusterArrivals;  ///< by warp: when it last came to the cluster's barrier
  struct RegisterGroup {
    const Op *op = nullptr;
    uint32_t warps = 0; ///< of the group, that have executed it
  };
  std::map<uint32_t, RegisterGroup> registerGroups; ///< by warp group: its last setmaxnreg
  uint32_t live = 0;                                ///< threads
  uint64_t frameBytes = 0;                          ///< of all frames that its calls have made
  bool exited = false;
  unsigned half = 0;      ///< every other cluster's CTAs are one half of them all
  uint32_t actors = 0;    ///< that have numbers: behind those of the warps
  Pace *pace = nullptr;   ///< of the CTAs that run at once; null: nobody asked for clocks
  uint32_t firstWarp = 0; ///< of its warps there
  /// Sectors of global memory that the CTA has loaded lately, in what it has of the first cache: 32
  /// KB, each sector in one place.
  std::array<uint64_t, 1024> cached{};

  uint32_t newActor();
};

class Machine {
public:
  Machine(const ptx::Module &module, const Launch &launch, Result &result)
      : module(module), launch(launch), result(result) {}

  void run();

  const ptx::Module &module;
  const Launch &launch;
  Result &result;
  bool stop = false;
  uint32_t time = 1;              ///< of synchronisations, over the whole grid
  std::vector<Tally> tallies;     ///< by Op::id
  std::vector<const Op *> ops;    ///< by Op::id
  std::vector<FunctionCode> code; ///< by function
  std::vector<uint8_t> parameters;
  std::vector<uint32_t> parameterOffsets;
  AddressSpace memory;
  OtherMemory others; ///< that was reached, where addresses are the host's
  const std::vector<uint64_t> *moduleAddresses = nullptr;
  std::vector<uint64_t> variableAddresses; ///< by the module's variable
  /// Of each function's variables; only those in shared memory count.
  std::unordered_map<const ptx::Function *, std::vector<uint32_t>> sharedOffsets;
  uint32_t sharedStatic = 0, sharedBytes = 0;
  std::unordered_map<uint64_t, Known> releases; ///< by the address of a strong access
  std::mt19937_64 random;
  uint32_t threads = 0, warpsOfCta = 0;
  Extent cluster;     ///< CTAs of one
  uint64_t clock = 0; ///< instructions of warps that have run, what %clock64 and %globaltimer say

  // Reporting.
  std::map<std::pair<const ptx::Instruction *, FaultKind>, uint32_t> reported;
  Fault *report(FaultKind kind, const Op *op, Warp *warp, int lane, std::string message);
  Place place(const Op *op, const Warp *warp, int lane) const;
  Place placeOf(const Access &access) const;
  /// The instruction that a split runs next.
  const Op &opAt(const Split &split) const { return split.frame->code->ops[split.pc]; }

  /// What an actor has begun is over now.
  Completion complete(uint32_t actor);
  std::list<AsyncUse> asyncUses;                   ///< under way
  std::unordered_map<uint32_t, Cta *> runningCtas; ///< by number

  // Phase.cpp
  /// Waits for phases that nothing ends give up, as their time limit lets them.
  bool timeOut(Cta &cta);
  /// The CTA has ended: nobody waits for what is under way.
  void abandon(Warp &warp);

  // Sync.cpp
  void completeBarrier(Cta &cta, unsigned number);
  void sweepBarriers(Cta &cta);

  std::vector<const FunctionCode *> used; ///< what the launch may run
  bool prepare();

private:
  bool checkLaunch(const ptx::Function &entry);
  bool checkCluster(const ptx::Function &entry);
  bool layOutVariables();
  /// The entry and all that it may call.
  bool decode();
  std::vector<uint32_t> reachable() const;
  /// Those of the grid that run, in whole clusters.
  uint64_t sampledCTAs() const { return sampledClusters() * cluster.count(); }
  uint64_t sampledClusters() const;
  /// Of the cluster, whose CTAs these are by rank.
  std::unique_ptr<Cta> makeCta(const std::shared_ptr<Cluster> &cluster, const Extent &id);
  using Resident = std::vector<std::unique_ptr<Cta>>;
  /// `turn`: of the clusters that run, in order.
  void startCluster(uint64_t turn, Resident &resident);
  uint64_t turn(Cta &cta, uint64_t steps);
  uint64_t runOnce(Cta &cta, uint64_t steps);
  uint64_t runAll(Cta &cta, uint64_t steps);
  void schedule();
  void reportStepLimit(Cta &cta, uint64_t left);
  /// CTAs of the multiprocessor that has most of them, and how many of them run at once.
  uint64_t ofMultiprocessor() const;
  size_t sideBySide() const;
  /// All CTAs of a multiprocessor have ended.
  void notePath();
  std::unique_ptr<Pace> newPace() const;
  std::unique_ptr<Pace> pace;
  bool multiplies = false; ///< by tensor cores
  double paths = 0;        ///< whose average Counters::path is
  Occupancy occupancy(unsigned architecture) const;
  static uint64_t multiprocessorsOf(unsigned architecture);
  /// CTAs that run at once, as many as the GPU holds.
  uint64_t mostResident() const;
  /// Reports who waits for what.
  void deadlock(Resident &resident);
  void gatherCounters();
  const ptx::Function *entry = nullptr;
  uint32_t entryIndex = 0;
  uint64_t steps = 0;
  unsigned timeOuts = 0;   ///< rounds, one after another, in which only they let anything run
  uint64_t bytesOfCta = 0; ///< for its registers, local and shared memory
  uint64_t localPerThread = 0;
};

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_MACHINE_H
