//===- TurnAhead.cpp - ttng-turn-ahead ------------------------------------===//
//
//   scf.for %i = %lb to %ub step %s iter_args(%c, %slot, %phase) {
//     ttng.mbarrier_wait %full[%slot], %phase
//     %x = ttg.local_load %ring[%slot]              // lies across k
//     %t = ttg.local_alloc init(%x)                 // along k
//     %d = ttng.warp_group_dot %a[%slot], %t, %c
//     %e = ttng.warp_group_dot_wait %d {pendings = 0}
//     ...
//   }
//
// becomes
//
//   %turned = ttg.local_alloc : two of %t
//   scf.if %lb < %ub { wait, load and store to %turned[0], as for the first iteration }
//   scf.for %i = .. iter_args(%c, %slot, %phase, %own = 0) {
//     ttng.mbarrier_wait %full[%slot], %phase
//     %d = ttng.warp_group_dot %a[%slot], %turned[%own], %c
//     scf.if %i + %s < %ub { wait, load and store to %turned[1 - %own], as for the next iteration }
//     %e = ttng.warp_group_dot_wait %d {pendings = 0}
//     ...
//   }
//
// so that threads turn an operand for the next dot while this one goes on, and one barrier an
// iteration is enough: it stands in front of the dot (ttg-place-barriers).
//
// What the next iteration waits for must be on its way: copies that start in this loop, behind the
// dot, must be for iterations further ahead. Loops with copies by threads keep their order, as do
// those whose memory would not suffice, and dots that wait themselves, for parts of their sums. So
// do those of which a multiprocessor has room for two programs: then one turns while the other
// multiplies, and the second buffer could take that room away (H200, 4096^3, TFLOP/s without and
// with: fp8 of 128x128x128 by four warps 929 and 489, of 128x256x128 by eight, alone, 848 and 963).
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/Rings.h"
#include "tritium/Analysis/SharedLiveness.h"
#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileNVGPU/Transforms/Passes.h"
#include "tritium/Target/GPU/GPUModel.h"
#include "tritium/Target/GPU/Strategy.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tritium::ttng {

#define GEN_PASS_DEF_TURNAHEAD
#include "tritium/Dialect/TileNVGPU/Transforms/Passes.h.inc"

namespace {
/// Everything that the kernel allocates, as if it were in use at one time.
int64_t allocatedBytes(tt::FuncOp kernel) {
  int64_t bytes = 0;
  kernel.walk([&](ttg::LocalAllocOp alloc) { bytes += alloc.getBytes(); });
  return bytes;
}

class LoopTurner {
public:
  explicit LoopTurner(scf::ForOp loop) : loop(loop), loc(loop.getLoc()) {}

  /// Whether the loop's only dot has operands that can be turned ahead.
  bool find();
  void run();

private:
  struct Turned {
    ttg::LocalAllocOp alloc; ///< of the loop, with the tile along k
    Value ring;              ///< the new one
  };

  /// Whether `operand` can be turned ahead, and adds it to `turned`; else nothing has changed.
  bool findTurned(Value operand);
  bool findLoad(ttg::LocalAllocOp alloc);
  bool findWaits(Operation *load);
  /// Whether `value` is computed from what the loop carries, without side effects, in this
  /// iteration and in the next; adds what it is computed from to `repeated`. Of what is false,
  /// that means nothing: findTurned forgets it.
  bool canRepeat(Value value);
  Value repeat(OpBuilder &b, Value value, IRMapping &mapping, std::optional<int64_t> ahead);
  /// Waits, loads and stores for the iteration that `mapping` has the carried values of.
  void turn(OpBuilder &b, IRMapping &mapping, Value buffer, std::optional<int64_t> ahead);
  Value isBelow(OpBuilder &b, Value x);
  Value wide(OpBuilder &b, Value x) {
    return x.getType().isInteger(64) ? x : b.create<arith::ExtSIOp>(loc, b.getI64Type(), x);
  }

  scf::ForOp loop;
  Location loc;
  WarpGroupDotOp dot;
  SmallVector<MBarrierWaitOp> waits;
  SmallVector<Turned> turned;
  llvm::SmallDenseSet<Value, 16> repeated;
};
} // namespace

//===----------------------------------------------------------------------===//
// Which loops
//===----------------------------------------------------------------------===//

bool LoopTurner::canRepeat(Value value) {
  if (loop.isDefinedOutsideOfLoop(value) || !repeated.insert(value).second)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody())
      return false;
    return argument == loop.getInductionVar() ||
           canRepeat(loop.getYieldedValues()[argument.getArgNumber() - 1]);
  }
  Operation *op = value.getDefiningOp();
  return op->getBlock() == loop.getBody() && !op->getNumRegions() && isMemoryEffectFree(op) &&
         !isa<RankedTensorType>(value.getType()) &&
         llvm::all_of(op->getOperands(), [&](Value x) { return canRepeat(x); });
}

bool LoopTurner::findWaits(Operation *load) {
  for (Operation &op : *loop.getBody()) {
    if (&op == load)
      return !waits.empty();
    if (auto wait = dyn_cast<MBarrierWaitOp>(op)) {
      // The next phase of one barrier alone may need what this iteration does at its end.
      ttg::MemDescIndexOp of = ttg::bufferOf(wait.getBarrier());
      if (!of || of.getSrc().getType().getNumBuffers() < 2 ||
          loop.isDefinedOutsideOfLoop(of.getIndex()) || !canRepeat(wait.getBarrier()) ||
          !canRepeat(wait.getParity()))
        return false;
      if (!llvm::is_contained(waits, wait))
        waits.push_back(wait);
    }
  }
  return false;
}

bool LoopTurner::findTurned(Value operand) {
  auto alloc = operand.getDefiningOp<ttg::LocalAllocOp>();
  auto before = std::pair(repeated, waits);
  if (!alloc || !findLoad(alloc)) {
    std::tie(repeated, waits) = std::move(before);
    return false;
  }
  turned.push_back({alloc, {}});
  return true;
}

bool LoopTurner::findLoad(ttg::LocalAllocOp alloc) {
  if (!alloc.getInit() || !alloc->hasOneUse() || alloc->getParentOp() != loop)
    return false;
  Value tile = alloc.getInit();
  if (auto rounded = tile.getDefiningOp<RoundToTF32Op>(); rounded && rounded->hasOneUse())
    tile = rounded.getOperand();
  auto load = tile.getDefiningOp<ttg::LocalLoadOp>();
  return load && !load.getOffsets() && load->hasOneUse() && load->getParentOp() == loop &&
         ttg::bufferOf(load.getSrc()) && canRepeat(load.getSrc()) && findWaits(load);
}

bool LoopTurner::find() {
  int64_t extra = 0;
  bool areFurtherAhead = true;
  WalkResult result = loop.getBody()->walk([&](Operation *op) {
    if (auto other = dyn_cast<WarpGroupDotOp>(op)) {
      if (dot || op->getParentOp() != loop)
        return WalkResult::interrupt();
      dot = other;
    }
    if (auto copy = dyn_cast<TMALoadOp>(op)) {
      ttg::MemDescIndexOp index = ttg::bufferOf(copy.getDst());
      areFurtherAhead &= index && index.getAhead().value_or(0) > 1;
    }
    return isa<ttg::AsyncWaitOp, LoopLikeOpInterface, tt::DotOp>(op) ? WalkResult::interrupt()
                                                                     : WalkResult::advance();
  });
  if (result.wasInterrupted() || !dot || !areFurtherAhead ||
      ttg::isMadeOfParts(dot.getMostImprecise(), tt::elementType(dot.getType())))
    return false;
  auto wait = dyn_cast_or_null<WarpGroupDotWaitOp>(ttg::waitBehind(dot));
  auto index = dyn_cast<IntegerType>(loop.getInductionVar().getType());
  if (!wait || wait.getPendings() != 0 || !index || index.getWidth() > 64)
    return false;
  for (Value operand : {dot.getA(), Value(dot.getB())})
    if (findTurned(operand))
      extra += turned.back().alloc.getBytes();
  // With two buffers the next one's copy need not wait for this iteration's end.
  for (Turned &one : turned) {
    Value memory = one.alloc.getInit();
    while (!isa<ttg::MemDescType>(memory.getType()))
      memory = memory.getDefiningOp()->getOperand(0);
    if (ttg::bufferOf(memory).getSrc().getType().getNumBuffers() < 2)
      return false;
  }
  auto kernel = loop->getParentOfType<tt::FuncOp>();
  int64_t bytes = allocatedBytes(kernel), all = ttg::gpuModel(kernel).sharedBytes;
  // Groups of warps whose registers move are alone, too.
  bool isAlone = loop->getParentOfType<ttg::WarpGroupsOp>() || 2 * bytes > all;
  return !turned.empty() && isAlone && bytes + extra + strategy::kReservedShared <= all;
}

//===----------------------------------------------------------------------===//
// How they change
//===----------------------------------------------------------------------===//

Value LoopTurner::repeat(OpBuilder &b, Value value, IRMapping &mapping,
                         std::optional<int64_t> ahead) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody())
    return value;
  for (Value operand : op->getOperands())
    repeat(b, operand, mapping, ahead);
  Operation *copy = b.clone(*op, mapping);
  if (auto index = dyn_cast<ttg::MemDescIndexOp>(copy); index && index.getAhead()) {
    index.removeAheadAttr();
    if (ahead)
      index.setAhead(*ahead);
  }
  return mapping.lookup(value);
}

void LoopTurner::turn(OpBuilder &b, IRMapping &mapping, Value buffer,
                      std::optional<int64_t> ahead) {
  for (MBarrierWaitOp wait : waits)
    b.create<MBarrierWaitOp>(wait.getLoc(), repeat(b, wait.getBarrier(), mapping, ahead),
                             repeat(b, wait.getParity(), mapping, ahead));
  for (Turned &one : turned) {
    Value tile = one.alloc.getInit();
    auto rounded = tile.getDefiningOp<RoundToTF32Op>();
    auto load = (rounded ? rounded.getOperand() : tile).getDefiningOp<ttg::LocalLoadOp>();
    Location where = load.getLoc();
    Value fresh =
        b.create<ttg::LocalLoadOp>(where, load.getType(), repeat(b, load.getSrc(), mapping, ahead));
    if (rounded)
      fresh = b.create<RoundToTF32Op>(where, fresh.getType(), fresh);
    b.create<ttg::LocalStoreOp>(where, fresh,
                                b.create<ttg::MemDescIndexOp>(where, one.ring, buffer, ahead));
  }
}

/// Whether there is an iteration with index `x`, of 64 bits.
Value LoopTurner::isBelow(OpBuilder &b, Value x) {
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, wide(b, loop.getUpperBound()));
}

void LoopTurner::run() {
  IRRewriter b(loop);
  auto number = [&](int32_t x) -> Value {
    return b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(x));
  };
  for (Turned &one : turned) {
    ttg::MemDescType type = one.alloc.getType();
    SmallVector<int64_t> shape{2};
    llvm::append_range(shape, type.getShape());
    auto ring = b.create<ttg::LocalAllocOp>(
        one.alloc.getLoc(),
        ttg::MemDescType::get(b.getContext(), shape, type.getElementType(), type.getEncoding(),
                              ttg::MemorySpace::Shared, /*isMutable=*/true));
    ring.setAlignment(one.alloc.getLeastAlignment());
    one.ring = ring;
  }
  IRMapping first;
  for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    first.map(argument, init);
  first.map(loop.getInductionVar(), loop.getLowerBound());
  Value zero = number(0);
  auto begins = b.create<scf::IfOp>(loc, isBelow(b, wide(b, loop.getLowerBound())),
                                    /*withElseRegion=*/false);
  OpBuilder inside = begins.getThenBodyBuilder();
  turn(inside, first, zero, std::nullopt);

  SmallVector<unsigned> needed;
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (repeated.contains(argument))
      needed.push_back(i);
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      b, zero, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &at, Location, ArrayRef<BlockArgument> own) {
        Value one = at.create<arith::ConstantOp>(loc, at.getI32IntegerAttr(1));
        return SmallVector<Value>{at.create<arith::XOrIOp>(loc, own[0], one)};
      }));
  Value own = loop.getRegionIterArgs().back();
  b.setInsertionPoint(dot);
  for (Turned &one : turned) {
    Value buffer = b.create<ttg::MemDescIndexOp>(one.alloc.getLoc(), one.ring, own, 0);
    one.alloc.getResult().replaceAllUsesWith(buffer);
  }
  b.setInsertionPointAfter(dot);
  Value index =
      b.create<arith::AddIOp>(loc, wide(b, loop.getInductionVar()), wide(b, loop.getStep()));
  auto goesOn = b.create<scf::IfOp>(loc, isBelow(b, index), /*withElseRegion=*/false);
  inside = goesOn.getThenBodyBuilder();
  IRMapping same, next;
  for (unsigned i : needed)
    next.map(loop.getRegionIterArgs()[i], repeat(inside, loop.getYieldedValues()[i], same, 0));
  next.map(loop.getInductionVar(),
           inside.create<arith::AddIOp>(loc, loop.getInductionVar(), loop.getStep()));
  Value other = inside.create<arith::XOrIOp>(
      loc, own, inside.create<arith::ConstantOp>(loc, inside.getI32IntegerAttr(1)));
  turn(inside, next, other, 1);
  for (Turned &one : turned) {
    Operation *tile = one.alloc.getInit().getDefiningOp();
    one.alloc.erase();
    for (Operation *op = tile; op && isa<RoundToTF32Op, ttg::LocalLoadOp>(op) && op->use_empty();
         op = tile) {
      tile = op->getOperand(0).getDefiningOp();
      op->erase();
    }
  }
}

namespace {
struct TurnAheadPass : impl::TurnAheadBase<TurnAheadPass> {
  void runOnOperation() override {
    if (!getAnalysis<ttg::LayoutsHold>())
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (LoopTurner turner(loop); turner.find())
        turner.run();
  }
};
} // namespace

} // namespace tritium::ttng
