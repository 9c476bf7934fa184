//===- LoopExpander.cpp - a loop as its schedule says ---------------------===//

#include "LoopExpander.h"

#include "tritium/Dialect/TileNVGPU/IR/Boxes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tritium::ttg {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value LoopExpander::constant(int64_t value) {
  return b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(value));
}

Value LoopExpander::wide(Value x) {
  return x.getType().isInteger(64) ? x : b.create<arith::ExtSIOp>(loc, b.getI64Type(), x);
}

bool LoopExpander::hasThreadCopies() const {
  return !llvm::all_of(schedule.copies, [](auto &copy) { return copy.isOfBox(); });
}

Value LoopExpander::barrierAt(Value slot, std::optional<int64_t> ahead) {
  return b.create<MemDescIndexOp>(loc, barriers, slot, ahead);
}

/// `outside`: what is known of values from outside of the loop.
IRMapping LoopExpander::mappingFor(const IRMapping &outside, Value index, ValueRange carried) {
  IRMapping mapping = outside;
  mapping.map(loop.getInductionVar(), index);
  for (auto [i, value] : llvm::zip(schedule.slice.carried, carried))
    mapping.map(loop.getRegionIterArgs()[i], value);
  return mapping;
}

/// What the first stage carries to the next iteration.
SmallVector<Value> LoopExpander::carriedOn(const IRMapping &mapping) {
  return llvm::map_to_vector(schedule.slice.carried, [&](unsigned i) {
    return mapping.lookupOrDefault(loop.getYieldedValues()[i]);
  });
}

/// The mask of a load of an iteration that may not exist.
Value LoopExpander::aheadMask(const Ahead &ahead, tt::LoadOp load) {
  if (auto type = dyn_cast<RankedTensorType>(load.getPtr().getType()))
    return copyMask(ahead.mapping, load,
                    RankedTensorType::get(type.getShape(), b.getI1Type(), type.getEncoding()),
                    ahead.runs);
  Value mask = load.getMask();
  return mask ? b.create<arith::AndIOp>(load.getLoc(), ahead.runs,
                                        ahead.mapping.lookupOrDefault(mask))
              : ahead.runs;
}

/// What of a load is copied, if `runs`. Of a mask that is the rows within an array and the columns
/// within it, say, one part stays the same in the loop: `runs` goes to the other, where it is one
/// operation for all rows.
Value LoopExpander::copyMask(const IRMapping &mapping, tt::LoadOp load, Type type, Value runs) {
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

/// The tile of this iteration, which the copies have brought into buffer `slot`.
Value LoopExpander::readTile(Operation *load, Type type, Value slot) {
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

//===----------------------------------------------------------------------===//
// The first stage
//===----------------------------------------------------------------------===//

/// Interleaves the stages by their orders, and takes the attributes off.
void LoopExpander::planTurn() {
  // What is computed again stands in front of the operation of the last stage behind it.
  size_t behind = schedule.ahead.size();
  for (Operation &op : llvm::reverse(loop.getBody()->without_terminator())) {
    if (stageOf(&op) != 0)
      behind = llvm::count_if(
          schedule.ahead, [&](Operation *other) { return orderInTurn(other) <= orderInTurn(&op); });
    turn.push_back({&op, behind});
  }
  std::reverse(turn.begin(), turn.end());
  for (Operation &op : *loop.getBody()) {
    op.removeAttr(kSchedule);
    op.removeAttr(kAsyncCopy);
  }
  for (StringRef name : {kStages, kBuffers, kAcross})
    loop->removeAttr(name);
}

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

/// Ends the use of barriers.
void LoopExpander::release() {
  for (int64_t i = 0; barriers && i < schedule.buffers; ++i)
    b.create<ttng::MBarrierInvalidateOp>(loc, barrierAt(constant(i), {}));
}

/// Emits one operation of the first stage; behind the last copy their group ends.
void LoopExpander::emitAhead(Operation *op, Ahead &ahead) {
  Value ring = rings.lookup(op);
  if (!ring) {
    auto load = dyn_cast<tt::LoadOp>(op);
    Value mask = load ? aheadMask(ahead, load) : Value();
    Operation *made = b.clone(*op, ahead.mapping);
    if (load)
      cast<tt::LoadOp>(made).getMaskMutable().assign(mask);
    return;
  }
  if (!ahead.runs)
    return;
  if (ahead.started == 0)
    ahead.slot = ahead.makeSlot();
  auto makeBuffer = [&] {
    return b.create<MemDescIndexOp>(op->getLoc(), ring, ahead.slot, ahead.distance);
  };
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    Value mask = aheadMask(ahead, load);
    b.create<AsyncCopyGlobalToLocalOp>(load.getLoc(), ahead.mapping.lookupOrDefault(load.getPtr()),
                                       makeBuffer(), mask);
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

/// One thread starts the copies by TMA of an iteration, if it exists.
void LoopExpander::startBoxes(Ahead &ahead) {
  auto exists = b.create<scf::IfOp>(loc, ahead.runs, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(exists.thenBlock());
  // All have read what the buffers held; copies by threads, in front, have a barrier of their own.
  if (fresh && ahead.distance && !hasThreadCopies())
    b.create<BarrierOp>(loc, StringAttr());
  Value barrier = barrierAt(ahead.slot, ahead.distance);
  b.create<ttng::MBarrierExpectOp>(loc, barrier, schedule.bytesOfBoxes());
  auto mapped = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value x) { return ahead.mapping.lookupOrDefault(x); });
  };
  for (auto [load, buffer] : ahead.boxes)
    b.create<ttng::TMALoadOp>(load.getLoc(), ahead.mapping.lookupOrDefault(load.getBase()),
                              mapped(load.getShape()), mapped(load.getStrides()),
                              mapped(load.getOffsets()), buffer, barrier, load.getRoundsToTF32());
}

/// The first stage of as many iterations as it runs ahead, before the loop; copies go to the
/// buffers from `firstSlot` on, null for 0. Without `copies` only what the loop begins with is
/// computed.
void LoopExpander::runPrologue(const IRMapping &outside, Value firstSlot, bool copies) {
  Value lower = outside.lookupOrDefault(loop.getLowerBound());
  Value step = outside.lookupOrDefault(loop.getStep());
  index = lower;
  Value wideIndex = wide(lower), wideStep = wide(step);
  wideUpper = wide(outside.lookupOrDefault(loop.getUpperBound()));
  carriedAhead.clear();
  for (unsigned i : schedule.slice.carried)
    carriedAhead.push_back(outside.lookupOrDefault(loop.getInitArgs()[i]));
  for (int64_t s = 0; s + 1 < schedule.stages; ++s) {
    Value runs = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, wideIndex, wideUpper);
    auto makeSlot = [&]() -> Value { return firstSlot ? slotBehind(firstSlot, s) : constant(s); };
    Ahead ahead{mappingFor(outside, index, carriedAhead), copies ? runs : Value(), makeSlot,
                firstSlot ? std::nullopt : std::optional(s)};
    for (Operation *op : schedule.ahead)
      emitAhead(op, ahead);
    carriedAhead = carriedOn(ahead.mapping);
    index = b.create<arith::AddIOp>(loc, index, step);
    wideIndex = b.create<arith::AddIOp>(loc, wideIndex, wideStep);
  }
  distance = b.create<arith::SubIOp>(loc, wideIndex, wide(lower));
}

/// The number of the buffer that is `distance` behind `slot`, of as many or fewer.
Value LoopExpander::slotBehind(Value slot, int64_t distance) {
  Value sum = b.create<arith::AddIOp>(loc, slot, constant(distance));
  Value around = b.create<arith::SubIOp>(loc, sum, constant(schedule.buffers));
  Value wraps =
      b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, sum, constant(schedule.buffers));
  return b.create<arith::SelectOp>(loc, wraps, around, sum);
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// The loop carries what it did, what the first stage does, the index of the iteration ahead, the
/// number of the buffer to read, and of its barrier's phase.
void LoopExpander::createLoop(Value firstSlot, Value firstPhase) {
  SmallVector<Value> inits(loop.getInitArgs());
  size_t own = inits.size(), carried = carriedAhead.size();
  inits.append(carriedAhead);
  inits.push_back(index);
  inits.push_back(firstSlot);
  if (barriers)
    inits.push_back(firstPhase);
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
  Ahead ahead{mappingFor({}, aheadIndex, ValueRange(args.slice(own, carried))), runs, makeSlot,
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

//===----------------------------------------------------------------------===//
// What is around the loop
//===----------------------------------------------------------------------===//

void LoopExpander::run() {
  planTurn();
  if (schedule.outer)
    expandAcross(schedule.outer);
  else
    expandAlone();
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    result.replaceAllUsesWith(fresh.getResult(i));
  loop.erase();
}

void LoopExpander::expandAlone() {
  allocate();
  runPrologue({}, {}, /*copies=*/true);
  createLoop(constant(0), barriers ? constant(0) : Value());
  b.setInsertionPointAfter(fresh);
  if (hasThreadCopies())
    b.create<AsyncWaitOp>(loc, 0);
  release();
}

void LoopExpander::expandAcross(scf::ForOp outer) {
  b.setInsertionPoint(outer);
  allocate();
  auto isBelow = [&](Value x, Value y) {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y);
  };
  Value first = outer.getLowerBound(), step = wide(outer.getStep());
  Value end = wide(outer.getUpperBound());
  startTile(outer, first, isBelow(wide(first), end), constant(0));
  SmallVector<Value> zeros{constant(0), constant(0)};
  IRRewriter rewriter(b);
  outer = cast<scf::ForOp>(*outer.replaceWithAdditionalYields(
      rewriter, zeros, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
        return SmallVector<Value>(arguments.begin(), arguments.end());
      }));
  auto carried = outer.getRegionIterArgs().take_back(2);
  b.setInsertionPoint(loop);
  runPrologue({}, {}, /*copies=*/false);
  createLoop(carried[0], carried[1]);
  b.setInsertionPointAfter(fresh);
  // All have read what the buffers held.
  b.create<BarrierOp>(loc, StringAttr());
  Value later = b.create<arith::AddIOp>(loc, wide(outer.getInductionVar()), step);
  Value next = b.create<arith::AddIOp>(loc, outer.getInductionVar(), outer.getStep());
  ResultRange state = fresh.getResults().take_back(2);
  startTile(outer, next, isBelow(later, end), state[0]);
  Operation *yield = outer.getBody()->getTerminator();
  yield->setOperand(yield->getNumOperands() - 2, state[0]);
  yield->setOperand(yield->getNumOperands() - 1, state[1]);
  b.setInsertionPointAfter(outer);
  release();
}

/// The first copies for the iteration of `outer` with `index`, if it exists.
void LoopExpander::startTile(scf::ForOp outer, Value index, Value exists, Value firstSlot) {
  auto branch = b.create<scf::IfOp>(loc, exists, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  IRMapping outside;
  outside.map(outer.getInductionVar(), index);
  for (Operation *op : schedule.outerSlice)
    b.clone(*op, outside);
  runPrologue(outside, firstSlot, /*copies=*/true);
}

} // namespace tritium::ttg
