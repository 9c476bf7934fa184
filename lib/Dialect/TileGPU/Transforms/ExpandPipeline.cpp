//===- ExpandPipeline.cpp - ttg-expand-pipeline ---------------------------===//
//
//   scf.for %i = %lb to %ub step %s iter_args(%p = %p0, %acc = %c0) {
//     %a = tt.load %p              {#ttg.schedule<stage = 0, order = 1>, async_copy = #shared}
//     %r = tt.dot convert(%a), ... {#ttg.schedule<stage = 2, order = 2>}
//     %p1 = tt.addptr %p, ...      {#ttg.schedule<stage = 0, order = 0>}
//   } {ttg.stages = 3}
//
// becomes
//
//   buffers = ttg.local_alloc : 3 x tile of layout #shared
//   copies of iterations 0 and 1 start, a group each            // predicated by %lb + .. < %ub
//   scf.for .. iter_args(%p, %acc, %pAhead = %p0 two steps on, %slot = 0) {
//     ttg.async_wait {num = 1}          // the group of this iteration is there, for all threads
//     the copy of iteration + 2 starts, into the buffer that the last iteration has read
//     %a = ttg.local_load buffers[%slot]
//     ...
//   }
//   ttg.async_wait {num = 0}
//
// Loads of boxes (ttng.load_box) become copies by TMA instead, which one thread starts. Each buffer
// has a barrier in memory, at which its bytes count:
//
//   ttng.mbarrier_wait bars[%slot], %phase
//   ...
//   scf.if %runs {                      // the iteration that is ahead exists
//     ttg.barrier                       // all have read what the buffers held
//     ttng.mbarrier_expect bars[%there], bytes
//     ttng.tma_load %p[..] .., buffers[%there], bars[%there]
//   }
//
// With more buffers than stages (`ttg.buffers`) the copy goes to one that has been read earlier:
// for dots that go on while the next iteration begins.
//
// One barrier an iteration, behind the wait, is enough (ttg-place-barriers puts it there): it
// stands between the reads of one iteration and the copy of the next that overwrites what they
// read.
//
// What the copies' addresses and masks depend on runs ahead with them: loop-carried values among
// it are carried twice, and what the iteration itself needs of it is computed again. Copies fill
// with zeros; another `other` is chosen by the mask when the tile is read.
//
// Schedules that it follows (LoopSchedule), of two stages or more:
//  - the first stage has the loads that become copies and exactly what their addresses and masks
//    depend on, through the loop too, none of which accesses memory, has regions or reads a copy;
//  - the last stage has everything else, its operations in the loop's order;
//  - an operation's order is none before that of what it depends on in its stage;
//  - the buffers fit into the shared memory of some GPU;
//  - there are neither other asynchronous copies nor loops with stages in the loop, and stores only
//    if the function says that they are overtaken (tt.overtakes).
// Others are refused. Whether copies may start before what earlier iterations do is not looked at:
// that is the schedule's to know.
//
//===----------------------------------------------------------------------===//

#include "LoopSchedule.h"

#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Dialect/TileNVGPU/IR/Boxes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_EXPANDPIPELINE
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
class LoopExpander {
public:
  LoopExpander(scf::ForOp loop, const LoopSchedule &schedule)
      : schedule(schedule), loop(loop), loc(loop.getLoc()), b(loop) {}

  void run() {
    planTurn();
    allocate();
    runPrologue();
    createLoop();
    b.setInsertionPointAfter(fresh);
    if (hasThreadCopies())
      b.create<AsyncWaitOp>(loc, 0);
    for (int64_t i = 0; barriers && i < schedule.buffers; ++i)
      b.create<ttng::MBarrierInvalidateOp>(loc, barrierAt(constant(i), {}));
    for (auto [i, result] : llvm::enumerate(loop.getResults()))
      result.replaceAllUsesWith(fresh.getResult(i));
    loop.erase();
  }

private:
  /// An iteration whose first stage is being emitted.
  struct Ahead {
    IRMapping mapping;
    Value runs;                           ///< whether it exists
    llvm::function_ref<Value()> makeSlot; ///< number of the buffer of its copies
    int64_t distance;                     ///< from the iteration that the copies stand in
    unsigned started = 0;                 ///< copies
    Value slot = {};
    SmallVector<std::pair<ttng::LoadBoxOp, Value>> boxes = {}; ///< to start, and the buffers
  };

  /// An operation of the loop in its own iteration, behind as many of those that run ahead.
  struct Step {
    Operation *op;
    size_t behind;
  };

  Value constant(int64_t value) {
    return b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(value));
  }

  Value wide(Value x) {
    return x.getType().isInteger(64) ? x : b.create<arith::ExtSIOp>(loc, b.getI64Type(), x);
  }

  bool hasThreadCopies() const {
    return !llvm::all_of(schedule.copies, [](auto &copy) { return copy.isOfBox(); });
  }

  void allocate();

  Value barrierAt(Value slot, std::optional<int64_t> ahead) {
    return ahead ? b.create<MemDescIndexOp>(loc, barriers, slot, *ahead)
                 : b.create<MemDescIndexOp>(loc, barriers, slot);
  }

  /// Interleaves the stages by their orders, and takes the attributes off.
  void planTurn() {
    // What is computed again stands in front of the operation of the last stage behind it.
    size_t behind = schedule.ahead.size();
    for (Operation &op : llvm::reverse(loop.getBody()->without_terminator())) {
      if (stageOf(&op) != 0)
        behind = llvm::count_if(schedule.ahead, [&](Operation *other) {
          return orderInTurn(other) <= orderInTurn(&op);
        });
      turn.push_back({&op, behind});
    }
    std::reverse(turn.begin(), turn.end());
    for (Operation &op : *loop.getBody()) {
      op.removeAttr(kSchedule);
      op.removeAttr(kAsyncCopy);
    }
    loop->removeAttr(kStages);
    loop->removeAttr(kBuffers);
  }

  IRMapping mappingFor(Value index, ValueRange carried) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), index);
    for (auto [i, value] : llvm::zip(schedule.slice.carried, carried))
      mapping.map(loop.getRegionIterArgs()[i], value);
    return mapping;
  }

  /// What the first stage carries to the next iteration.
  SmallVector<Value> carriedOn(const IRMapping &mapping) {
    return llvm::map_to_vector(schedule.slice.carried, [&](unsigned i) {
      return mapping.lookupOrDefault(loop.getYieldedValues()[i]);
    });
  }

  /// What of a load is copied, if `runs`. Of a mask that is the rows within an array and the
  /// columns within it, say, one part stays the same in the loop: `runs` goes to the other, where
  /// it is one operation for all rows.
  Value copyMask(const IRMapping &mapping, tt::LoadOp load, Type type, Value runs) {
    Location loc = load.getLoc();
    Value all = b.create<tt::SplatOp>(loc, type, runs), mask = load.getMask();
    if (!mask)
      return all;
    auto both = mask.getDefiningOp<arith::AndIOp>();
    if (!both || loop.isDefinedOutsideOfLoop(mask))
      return b.create<arith::AndIOp>(loc, all, mapping.lookupOrDefault(mask));
    Value fixed = both.getLhs(), moving = both.getRhs();
    if (loop.isDefinedOutsideOfLoop(moving))
      std::swap(fixed, moving);
    all = b.create<arith::AndIOp>(loc, all, mapping.lookupOrDefault(moving));
    return b.create<arith::AndIOp>(loc, mapping.lookupOrDefault(fixed), all);
  }

  /// Emits one operation of the first stage; behind the last copy their group ends.
  void emitAhead(Operation *op, Ahead &ahead) {
    Value ring = rings.lookup(op);
    if (!ring) {
      b.clone(*op, ahead.mapping);
      return;
    }
    if (ahead.started == 0)
      ahead.slot = ahead.makeSlot();
    auto makeBuffer = [&] {
      return b.create<MemDescIndexOp>(op->getLoc(), ring, ahead.slot, ahead.distance);
    };
    if (auto load = dyn_cast<tt::LoadOp>(op)) {
      Value ptr = ahead.mapping.lookupOrDefault(load.getPtr());
      auto ptrType = cast<RankedTensorType>(ptr.getType());
      auto maskType =
          RankedTensorType::get(ptrType.getShape(), b.getI1Type(), ptrType.getEncoding());
      Value mask = copyMask(ahead.mapping, load, maskType, ahead.runs);
      b.create<AsyncCopyGlobalToLocalOp>(load.getLoc(), ptr, makeBuffer(), mask);
    } else {
      ahead.boxes.push_back({cast<ttng::LoadBoxOp>(op), makeBuffer()});
    }
    if (++ahead.started < schedule.copies.size())
      return;
    if (hasThreadCopies())
      b.create<AsyncCommitGroupOp>(loc);
    if (barriers)
      startBoxes(ahead);
  }

  void startBoxes(Ahead &ahead);

  void runPrologue();
  void createLoop();
  void emitTurn(Ahead &ahead, IRMapping &mapping, Value slot);
  void emitOwn(Operation &op, IRMapping &mapping, Value slot);

  /// The tile of this iteration, which the copies have brought into buffer `slot`.
  Value readTile(Operation *load, Type type, Value slot) {
    Value buffer = b.create<MemDescIndexOp>(load->getLoc(), rings.lookup(load), slot, 0);
    return b.create<LocalLoadOp>(load->getLoc(), type, buffer);
  }

  /// What lanes outside the mask hold, if not zeros.
  static Value otherOf(Operation *op) {
    auto load = dyn_cast<tt::LoadOp>(op);
    if (!load)
      return {};
    Value other = load.getOther();
    // The copy fills in positive zeros.
    bool isZero = !other || matchPattern(other, m_Zero()) || matchPattern(other, m_PosZeroFloat());
    return isZero || !load.getMask() ? Value() : other;
  }

  const LoopSchedule &schedule;
  scf::ForOp loop, fresh;
  Location loc;
  OpBuilder b;
  SmallVector<Step> turn;
  llvm::SmallDenseMap<Operation *, Value> rings; ///< of each copy
  Value barriers;                                ///< one for each buffer of boxes
  SmallVector<Value> carriedAhead;               ///< what the first stage begins the loop with
  Value index;     ///< of the iteration with which the first stage begins the loop
  Value distance;  ///< from an iteration to the one that is as far ahead
  Value wideUpper; ///< the loop's end in 64 bits, as the distance
};

void LoopExpander::allocate() {
  for (const LoopSchedule::Copy &copy : schedule.copies) {
    auto ring = b.create<LocalAllocOp>(copy.load->getLoc(), copy.ring);
    rings[copy.load] = ring;
    if (copy.isOfBox())
      ring.setAlignment(ttng::boxesOf(copy.ring.getBuffer())->alignment);
  }
  if (!schedule.bytesOfBoxes())
    return;
  auto rows = swizzledLayout(b.getContext(), {1}, {0}, sizeof(int64_t));
  auto type = MemDescType::get(b.getContext(), {schedule.buffers, 1}, b.getI64Type(), rows,
                               MemorySpace::Shared, /*isMutable=*/true);
  barriers = b.create<LocalAllocOp>(loc, type);
  for (int64_t i = 0; i < schedule.buffers; ++i)
    b.create<ttng::MBarrierInitOp>(loc, barrierAt(constant(i), {}), /*count=*/1);
}

/// One thread starts the copies by TMA of an iteration, if it exists.
void LoopExpander::startBoxes(Ahead &ahead) {
  auto exists = b.create<scf::IfOp>(loc, ahead.runs, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(exists.thenBlock());
  if (fresh) // All have read what the buffers held.
    b.create<BarrierOp>(loc, StringAttr());
  Value barrier = barrierAt(ahead.slot, ahead.distance);
  b.create<ttng::MBarrierExpectOp>(loc, barrier, schedule.bytesOfBoxes());
  auto mapped = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value x) { return ahead.mapping.lookupOrDefault(x); });
  };
  for (auto [load, buffer] : ahead.boxes)
    b.create<ttng::TMALoadOp>(load.getLoc(), ahead.mapping.lookupOrDefault(load.getBase()),
                              mapped(load.getShape()), mapped(load.getStrides()),
                              mapped(load.getOffsets()), buffer, barrier);
}

/// The first stage of as many iterations as it runs ahead, before the loop.
void LoopExpander::runPrologue() {
  Value lower = loop.getLowerBound(), step = loop.getStep();
  index = lower;
  Value wideIndex = wide(lower), wideStep = wide(step);
  wideUpper = wide(loop.getUpperBound());
  for (unsigned i : schedule.slice.carried)
    carriedAhead.push_back(loop.getInitArgs()[i]);
  for (int64_t s = 0; s + 1 < schedule.stages; ++s) {
    Value runs = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, wideIndex, wideUpper);
    auto makeSlot = [&] { return constant(s); };
    Ahead ahead{mappingFor(index, carriedAhead), runs, makeSlot, s};
    for (Operation *op : schedule.ahead)
      emitAhead(op, ahead);
    carriedAhead = carriedOn(ahead.mapping);
    index = b.create<arith::AddIOp>(loc, index, step);
    wideIndex = b.create<arith::AddIOp>(loc, wideIndex, wideStep);
  }
  distance = b.create<arith::SubIOp>(loc, wideIndex, wide(lower));
}

/// The loop carries what it did, what the first stage does, the index of the iteration ahead, the
/// number of the buffer to read, and of its barrier's phase.
void LoopExpander::createLoop() {
  SmallVector<Value> inits(loop.getInitArgs());
  size_t own = inits.size(), carried = carriedAhead.size();
  inits.append(carriedAhead);
  inits.push_back(index);
  inits.push_back(constant(0));
  if (barriers)
    inits.push_back(constant(0));
  fresh =
      b.create<scf::ForOp>(loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits);
  fresh->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  b.setInsertionPointToStart(fresh.getBody());
  auto args = fresh.getRegionIterArgs();
  Value aheadIndex = args[own + carried], slot = args[own + carried + 1];
  if (hasThreadCopies())
    b.create<AsyncWaitOp>(loc, schedule.stages - 2);
  if (barriers)
    b.create<ttng::MBarrierWaitOp>(loc, barrierAt(slot, 0), args.back());

  Value wideAhead = b.create<arith::AddIOp>(loc, wide(fresh.getInductionVar()), distance);
  Value runs = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, wideAhead, wideUpper);
  // The one that the turn before has read, or one before it if there are more buffers.
  auto makeSlot = [&]() -> Value {
    int64_t back = schedule.buffers - schedule.stages + 1;
    auto isFew = back == 1 ? arith::CmpIPredicate::eq : arith::CmpIPredicate::slt;
    Value wraps = b.create<arith::CmpIOp>(loc, isFew, slot, constant(back - 1 ? back : 0));
    Value before = b.create<arith::SubIOp>(loc, slot, constant(back));
    Value around = constant(schedule.stages - 1);
    if (back > 1)
      around = b.create<arith::AddIOp>(loc, slot, around);
    return b.create<arith::SelectOp>(loc, wraps, around, before);
  };
  Ahead ahead{mappingFor(aheadIndex, ValueRange(args.slice(own, carried))), runs, makeSlot,
              schedule.stages - 1};
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), fresh.getInductionVar());
  for (auto [old, arg] : llvm::zip(loop.getRegionIterArgs(), args))
    mapping.map(old, arg);
  emitTurn(ahead, mapping, slot);

  SmallVector<Value> yields;
  for (Value value : loop.getYieldedValues())
    yields.push_back(mapping.lookupOrDefault(value));
  yields.append(carriedOn(ahead.mapping));
  yields.push_back(b.create<arith::AddIOp>(loc, aheadIndex, loop.getStep()));
  Value next = b.create<arith::AddIOp>(loc, slot, constant(1));
  Value wraps =
      b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, next, constant(schedule.buffers));
  yields.push_back(b.create<arith::SelectOp>(loc, wraps, constant(0), next));
  if (barriers) {
    // All buffers have been used once more.
    Value other = b.create<arith::XOrIOp>(loc, args.back(), constant(1));
    yields.push_back(b.create<arith::SelectOp>(loc, wraps, other, args.back()));
  }
  b.create<scf::YieldOp>(loc, yields);
}

void LoopExpander::emitTurn(Ahead &ahead, IRMapping &mapping, Value slot) {
  size_t emitted = 0;
  auto catchUp = [&](size_t end) {
    for (; emitted < end; ++emitted)
      emitAhead(schedule.ahead[emitted], ahead);
  };
  for (auto [op, behind] : turn) {
    catchUp(behind);
    emitOwn(*op, mapping, slot);
  }
  catchUp(schedule.ahead.size());
}

/// An operation in its own iteration. A copy is read here, as often as conversions need it in
/// layouts of their own.
void LoopExpander::emitOwn(Operation &op, IRMapping &mapping, Value slot) {
  if (auto convert = dyn_cast<ConvertLayoutOp>(&op))
    if (Operation *load = convert.getSrc().getDefiningOp();
        load && rings.contains(load) && !otherOf(load)) {
      mapping.map(convert.getResult(), readTile(load, convert.getType(), slot));
      return;
    }
  if (!rings.contains(&op)) {
    b.clone(op, mapping);
    return;
  }
  Value other = otherOf(&op);
  bool isConverted = !other && llvm::all_of(op.getUsers(), [&](Operation *user) {
    return isa<ConvertLayoutOp>(user) && user->getBlock() == loop.getBody();
  });
  if (isConverted)
    return;
  Value tile = readTile(&op, op.getResult(0).getType(), slot);
  if (other)
    tile = b.create<arith::SelectOp>(op.getLoc(),
                                     mapping.lookupOrDefault(cast<tt::LoadOp>(op).getMask()), tile,
                                     mapping.lookupOrDefault(other));
  mapping.map(op.getResult(0), tile);
}

struct ExpandPipelinePass : impl::ExpandPipelineBase<ExpandPipelinePass> {
  using ExpandPipelineBase::ExpandPipelineBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    if (!getAnalysis<LayoutsHold>() || failed(findLoops(loops)))
      return signalPassFailure();
    for (scf::ForOp loop : loops) {
      LoopSchedule schedule(loop);
      if (failed(schedule.read()))
        return signalPassFailure();
      LoopExpander(loop, schedule).run();
    }
  }

private:
  /// Loops with a schedule.
  LogicalResult findLoops(SmallVectorImpl<scf::ForOp> &loops) {
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (failed(checkPlace(op)))
        return WalkResult::interrupt();
      if (op->hasAttr(kStages))
        loops.push_back(cast<scf::ForOp>(op));
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// Attributes of a schedule stand at a loop of a kernel that is in no other such loop, and right
  /// in its body.
  static LogicalResult checkPlace(Operation *op) {
    Operation *parent = op->getParentOp();
    for (StringRef name : {kSchedule, kAsyncCopy})
      if (op->hasAttr(name) && !(isa_and_present<scf::ForOp>(parent) && parent->hasAttr(kStages)))
        return op->emitError() << name << " is for operations right in the body of an scf.for with "
                               << kStages;
    if (!op->hasAttr(kStages))
      return success();
    if (!isa<scf::ForOp>(op) || !op->getParentOfType<tt::FuncOp>())
      return op->emitError() << kStages << " is for an scf.for of a kernel, found "
                             << op->getName();
    for (; parent; parent = parent->getParentOp())
      if (parent->hasAttr(kStages))
        return op->emitError() << "a loop around this has " << kStages
                               << ", too; only one of the two can be pipelined";
    return success();
  }
};
} // namespace

} // namespace tritium::ttg
