//===- RotateDots.cpp - ttg-rotate-dots -----------------------------------===//
//
//   %r:2 = scf.for %i = %lb to %ub step %s iter_args(%sum = %sum0, %m = %m0) {
//     ttg.async_wait; copies for later iterations
//     %k = ttg.local_load ring_k[%slot]
//     %s = tt.dot %q, %k, %zero
//     %p, %f, %m1 = .. of %s and %m
//     %c = %sum * %f
//     %v = ttg.local_load ring_v[%slot]
//     %d = tt.dot %p, %v, %c
//     scf.yield %d, %m1
//   }
//
// becomes
//
//   %a:4 = scf.if %lb < %ub { the first iteration without %v and %d; yield %c, %m1, %p, %slot }
//   %r:4 = scf.for %i = %lb + %s to %ub step %s iter_args(%c = %a#0, %m = %a#1, %p, %slotBefore) {
//     ttg.async_wait
//     %k = ttg.local_load ring_k[%slot]
//     %s = tt.dot %q, %k, %zero
//     %v = ttg.local_load ring_v[%slotBefore]
//     %d = tt.dot %p, %v, %c
//     copies for later iterations
//     %p1, %f, %m1 = .. of %s and %m
//     %c1 = %d * %f
//     scf.yield %c1, %m1, %p1, %slot
//   }
//   %d = scf.if %lb < %ub { %v = ..; tt.dot %r#2, %v, %r#0 }
//
// Dots of warp groups go on by themselves up to a wait for them, which ttng-warp-group-dots places:
// here the wait for %s leaves %d in flight, and what is computed from %s, a softmax, is computed
// beside it. Every operation has the operands that it had, so that no bit changes.
//
// What %d reads must stay in its buffer for an iteration more (hasBufferToSpare), for which
// ttg-schedule-loops leaves a buffer; or another group of warps fills the buffer when it is handed
// back (ttng.mbarrier_arrive), which then is done an iteration later. The tile %p and both results
// must fit into registers together.
//
// The place of a dot's copies within the turn is of use to all that are in flight: the dots begin
// right behind the wait for the copies that they read, if nothing in between is in their way.
//
//===----------------------------------------------------------------------===//

#include "DotRotation.h"

#include "tritium/Analysis/Rings.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"
#include "tritium/Support/EmitRemark.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_ROTATEDOTS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// Operations from a buffer of a ring to an operand, the first first; empty if there are others.
SmallVector<Operation *> readsOf(Value operand, scf::ForOp loop) {
  SmallVector<Operation *> path;
  for (Operation *op = operand.getDefiningOp(); op && op->getParentOp() == loop;
       op = op->getOperand(0).getDefiningOp()) {
    path.insert(path.begin(), op);
    auto load = dyn_cast<LocalLoadOp>(op);
    if (isa<MemDescIndexOp>(op))
      return path;
    if (!isa<MemDescTransOp>(op) && !(load && !load.getOffsets()))
      break;
  }
  return {};
}

/// Whether what is loaded from `memories` behind `op` can be loaded in front of it.
bool canStandBehind(Operation *op, ArrayRef<Value> memories) {
  if (auto copy = dyn_cast<AsyncCopyGlobalToLocalOp>(op))
    return llvm::all_of(memories, [&](Value memory) { return areApart(memory, copy.getDst()); });
  return isMemoryEffectFree(op) || isa<AsyncCommitGroupOp, LocalLoadOp>(op);
}

/// Where the loop hands the buffer of `reads` back to who fills it, for others than itself; null if
/// it fills the buffer itself.
ttng::MBarrierArriveOp releaseOf(ArrayRef<Operation *> reads) {
  for (Operation *user : reads.front()->getUsers())
    if (auto arrive = dyn_cast<ttng::MBarrierArriveOp>(user))
      return arrive;
  return {};
}

class DotRotator {
public:
  DotRotator(scf::ForOp loop, DotRotation &rotation, ArrayRef<Operation *> reads)
      : loop(loop), found(rotation), reads(reads), release(releaseOf(reads)), loc(loop.getLoc()),
        b(loop) {
    left.insert(rotation.second);
    if (release)
      left.insert(release);
    for (Operation *op : llvm::reverse(reads))
      if (llvm::all_of(op->getUsers(), [&](Operation *user) { return left.contains(user); }))
        left.insert(op);
  }

  void run() {
    moveBehindFirst();
    exists = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, loop.getLowerBound(),
                                     loop.getUpperBound());
    scf::IfOp start = runFirst();
    Value sum = loop.getResult(found.carried);
    scf::ForOp fresh = createLoop(start);
    numberFrom(fresh);
    scf::IfOp end = runLast(fresh);
    for (auto [old, result] : llvm::zip(loop.getResults(), fresh.getResults()))
      old.replaceAllUsesWith(old == sum ? end.getResult(0) : result);
    loop.erase();
    beginEarly(fresh);
    sinkBehind(fresh);
  }

private:
  /// Where the new loop has the sum that they need.
  void moveBehindFirst() {
    Operation *place = found.first;
    for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
      if (&op == found.first)
        break;
      if (!found.behind.contains(&op))
        continue;
      op.moveAfter(place);
      place = &op;
    }
  }

  MemDescIndexOp index() { return cast<MemDescIndexOp>(reads.front()); }

  /// What an iteration leaves to the next one: what it yields, but in place of the sum what the
  /// second dot adds to; its left operand, and the number of the buffer of its right one.
  SmallVector<Value> handedOn() {
    SmallVector<Value> values(loop.getYieldedValues());
    values[found.carried] = found.second.getC();
    values.append({found.second.getA(), index().getIndex()});
    return values;
  }

  /// The first iteration, but for the second dot.
  scf::IfOp runFirst() {
    SmallVector<Value> values = handedOn();
    auto branch = b.create<scf::IfOp>(loc, TypeRange(ValueRange(values)), exists,
                                      /*withElseRegion=*/true);
    OpBuilder inside = branch.getThenBodyBuilder();
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), loop.getLowerBound());
    mapping.map(loop.getRegionIterArgs(), loop.getInitArgs());
    for (Operation &op : loop.getBody()->without_terminator())
      if (!left.contains(&op))
        inside.clone(op, mapping);
    for (Value &value : values)
      value = mapping.lookupOrDefault(value);
    inside.create<scf::YieldOp>(loc, values);
    inside = branch.getElseBodyBuilder();
    // No copy is on its way behind either branch that is not behind both.
    if (llvm::any_of(*loop.getBody(), [](Operation &op) { return isa<AsyncWaitOp>(op); }))
      inside.create<AsyncWaitOp>(loc, 0);
    values.assign(loop.getInitArgs().begin(), loop.getInitArgs().end());
    values.push_back(zero(inside, found.second.getA().getType()));
    values.push_back(zero(inside, index().getIndex().getType()));
    inside.create<scf::YieldOp>(loc, values);
    return branch;
  }

  Value zero(OpBuilder &builder, Type type) {
    return builder.create<arith::ConstantOp>(loc, type, builder.getZeroAttr(type));
  }

  /// Where the second iteration begins: at the end if there is none. The difference of the bounds
  /// is right as a number without a sign, also where the first step leads over the greatest number.
  Value secondIteration() {
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
    Value distance = b.create<arith::SubIOp>(loc, upper, lower);
    Value isMore = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ugt, distance, step);
    isMore = b.create<arith::AndIOp>(loc, exists, isMore);
    Value next = b.create<arith::AddIOp>(loc, lower, step);
    return b.create<arith::SelectOp>(loc, isMore, next, upper);
  }

  scf::ForOp createLoop(scf::IfOp start) {
    auto fresh = b.create<scf::ForOp>(loc, secondIteration(), loop.getUpperBound(), loop.getStep(),
                                      start.getResults());
    fresh->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    ValueRange args = fresh.getRegionIterArgs();
    OpBuilder inside(fresh.getContext());
    inside.setInsertionPointToEnd(fresh.getBody());
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), fresh.getInductionVar());
    mapping.map(loop.getRegionIterArgs(), args.drop_back(2));
    SmallVector<Value> values = handedOn();
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (left.contains(&op))
        continue;
      inside.clone(op, mapping);
      if (&op != found.first)
        continue;
      Value sum = cloneSecond(inside, args[found.carried], args.take_back(2), -1);
      second = sum.getDefiningOp<tt::DotOp>();
      mapping.map(loop.getRegionIterArg(found.carried), sum);
    }
    if (release)
      cloneRelease(inside, args.take_back(2));
    first = mapping.lookup(found.first.getResult()).getDefiningOp<tt::DotOp>();
    for (Value &value : values)
      value = mapping.lookupOrDefault(value);
    inside.create<scf::YieldOp>(loc, values);
    for (Operation *op : found.behind)
      if (op != found.second)
        behind.push_back(mapping.lookup(op));
    return fresh;
  }

  /// Hands back what that has read, at the end.
  void cloneRelease(OpBuilder &builder, ValueRange before) {
    IRMapping mapping;
    mapping.map(index().getIndex(), before[1]);
    for (Value operand : release->getOperands())
      builder.clone(*operand.getDefiningOp(), mapping);
    builder.clone(*release, mapping);
  }

  /// The second dot of the iteration that has left `sum`, its left operand and number of a buffer.
  Value cloneSecond(OpBuilder &builder, Value sum, ValueRange before, std::optional<int> ahead) {
    IRMapping mapping;
    mapping.map(found.second.getC(), sum);
    mapping.map(found.second.getA(), before[0]);
    mapping.map(index().getIndex(), before[1]);
    for (Operation *op : reads) {
      Operation *clone = builder.clone(*op, mapping);
      if (auto of = dyn_cast<MemDescIndexOp>(clone))
        of.setAhead(ahead && !release ? std::optional<uint32_t>(*ahead) : std::nullopt);
    }
    return builder.clone(*found.second, mapping)->getResult(0);
  }

  /// The last iteration's second dot, behind the wait for all copies.
  scf::IfOp runLast(scf::ForOp fresh) {
    Operation *behind = loop->getNextNode();
    if (isa<AsyncWaitOp>(behind))
      b.setInsertionPointAfter(behind);
    else
      b.setInsertionPointAfter(loop);
    Value sum = fresh.getResult(found.carried);
    auto branch = b.create<scf::IfOp>(loc, sum.getType(), exists, /*withElseRegion=*/true);
    OpBuilder inside = branch.getThenBodyBuilder();
    Value last = cloneSecond(inside, sum, fresh.getResults().take_back(2), std::nullopt);
    if (release)
      cloneRelease(inside, fresh.getResults().take_back(2));
    inside.create<scf::YieldOp>(loc, last);
    branch.getElseBodyBuilder().create<scf::YieldOp>(loc, sum);
    return branch;
  }

  /// In front of the loop buffers are counted from the one that its first iteration reads, which
  /// was the second.
  void numberFrom(scf::ForOp fresh) {
    llvm::SmallSetVector<Value, 4> rings;
    fresh.getBody()->walk([&](MemDescIndexOp op) { rings.insert(op.getSrc()); });
    for (Value ring : rings)
      for (Operation *user : ring.getUsers())
        if (auto op = dyn_cast<MemDescIndexOp>(user);
            op && op.getAhead() && !fresh->isAncestor(op) && !loop->isAncestor(op))
          op.setAhead(*op.getAhead() - 1);
  }

  /// Moves both dots, with what they need, as far up as memory allows.
  void beginEarly(scf::ForOp fresh) {
    Operation *place = fresh.getBody()->getTerminator();
    llvm::SmallSetVector<Operation *, 16> needed;
    SmallVector<Value> memories;
    auto add = [&](auto &add, Operation *op) -> void {
      if (!op || op->getParentOp() != fresh || !needed.insert(op))
        return;
      if (auto load = dyn_cast<LocalLoadOp>(op))
        memories.push_back(load.getSrc());
      for (Value operand : op->getOperands())
        add(add, operand.getDefiningOp());
    };
    add(add, first);
    add(add, second);
    for (Operation *op = second; op && (needed.contains(op) || canStandBehind(op, memories));
         op = op->getPrevNode())
      place = op;
    if (!llvm::all_of(needed,
                      [](Operation *op) { return isMemoryEffectFree(op) || isa<LocalLoadOp>(op); }))
      return;
    SmallVector<Operation *> inOrder(needed.begin(), needed.end());
    llvm::sort(inOrder, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : inOrder)
      if (!op->isBeforeInBlock(place) && op != place)
        op->moveBefore(place);
      else if (op == place)
        place = op->getNextNode();
  }

  /// Moves what depends on the second dot to the end, so that it goes on until then.
  void sinkBehind(scf::ForOp fresh) {
    llvm::sort(behind, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : behind)
      op->moveBefore(fresh.getBody()->getTerminator());
  }

  scf::ForOp loop;
  DotRotation &found;
  ArrayRef<Operation *> reads; ///< of the second dot's right operand
  ttng::MBarrierArriveOp release;
  Location loc;
  OpBuilder b;
  llvm::SmallPtrSet<Operation *, 4> left; ///< to the next iteration: the second dot, its reads
  Value exists;                           ///< whether there is an iteration
  tt::DotOp first, second;
  SmallVector<Operation *> behind; ///< what depends on the second dot
};

/// Whether the second dot can read what lies in its buffer an iteration later.
bool staysForIteration(ArrayRef<Operation *> reads, scf::ForOp loop, Operation *second) {
  auto index = cast<MemDescIndexOp>(reads.front());
  // Of one buffer alone there is never a next one before it is handed back.
  if (ttng::MBarrierArriveOp release = releaseOf(reads))
    return release->getParentOp() == loop && release.getReleases().size() == 1 &&
           index.getSrc().getType().getNumBuffers() > 1 &&
           isa_and_nonnull<MemDescIndexOp>(release.getBarrier().getDefiningOp()) &&
           release.getBarrier().getDefiningOp<MemDescIndexOp>().getIndex() == index.getIndex();
  return hasBufferToSpare(index, loop, second);
}

/// Rotates the dots of a loop, or says why not.
void rotate(scf::ForOp loop) {
  std::optional<DotRotation> found = DotRotation::find(loop);
  if (!found)
    return;
  auto missed = [&](const Twine &reason) {
    remarkMissed(found->second.getLoc(), "rotate-dots",
                 "this dot does not go on while the next iteration computes from the other one: " +
                     reason);
  };
  int64_t words = found->words(), most = found->mostWords();
  if (words > most)
    return missed("both results and the tile between them are " + Twine(words) +
                  " registers a thread, and at most " + Twine(most) +
                  " leave enough for the rest; use smaller tiles or more warps");
  SmallVector<Operation *> reads = readsOf(found->second.getB(), loop);
  if (reads.empty() || !staysForIteration(reads, loop, found->second))
    return missed("its right operand does not lie in a buffer of shared memory that the next "
                  "iteration leaves alone; load it from memory, in a loop with num_stages=3");
  DotRotator(loop, *found, reads).run();
  remarkApplied(found->second.getLoc(), "rotate-dots",
                "this dot goes on while the next iteration computes from the other one");
}

struct RotateDotsPass : impl::RotateDotsBase<RotateDotsPass> {
  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>())
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      rotate(loop);
  }
};
} // namespace

} // namespace tritium::ttg
