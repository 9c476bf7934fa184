//===- TakePrograms.cpp - ttg-take-programs -------------------------------===//
//
// In a kernel with `ttg.program_counter`
//
//   ttg.warp_groups "compute" warps 8 {
//     scf.for %p = %cta to %n step %ctas { .. } {ttg.programs}
//   } "load" warps 1 {
//     scf.for %p = %cta to %n step %ctas { .. } {ttg.programs}
//   }
//
// becomes
//
//   %numbers: two buffers of an i32; of each a barrier %full of one arrival, and a barrier %empty
//   of an arrival of each warp that computes ttg.warp_groups "compute" warps 8 {
//     scf.while (%p = %cta, %slot = 0, %phase = 0) : %p < %n {
//       ..
//       ttng.mbarrier_wait %full[%slot], %phase
//       %next = ttg.local_load %numbers[%slot]
//       ttng.mbarrier_arrive %empty[%slot], 8 releases(%numbers[%slot])
//       scf.yield %next, the next slot and its phase
//     }
//   } "load" warps 1 {
//     scf.while (%p = %cta, %slot = 0, %phase = 0) : %p < %n {
//       ..
//       %next = ttg.next_program %p of %n
//       ttng.mbarrier_wait %empty[%slot], 1 - %phase
//       ttg.local_store %next, %numbers[%slot]
//       ttng.mbarrier_arrive %full[%slot], 1
//       scf.yield %next, the next slot and its phase
//     }
//   }
//
// so that who is done first takes the next program. The warp that loads is ahead of the others by
// the copies that are on their way, and knows the next number before they are done. It waits for
// nobody but for who reads the number but one before, and each number that is waited for is on its
// way by then: it is taken before anything is copied for its program.
//
// It stands behind all passes that want to know how a loop counts. A kernel without such groups
// goes on with fixed shares, and without the mark.
//
//===----------------------------------------------------------------------===//

#include "BarrierRing.h"

#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_TAKEPROGRAMS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// Numbers that are on their way from the warp that takes them to all others.
class Numbers {
public:
  /// In front of the groups, of which `readers` warps read what one takes.
  Numbers(OpBuilder &b, Location loc, int32_t readers)
      : loc(loc), values(allocateRing(b, loc, kBuffers, b.getI32Type())),
        full(makeBarrierRing(b, loc, kBuffers, 1)),
        empty(makeBarrierRing(b, loc, kBuffers, readers)) {}

  void end(OpBuilder &b) const {
    endBarrierRing(b, loc, full);
    endBarrierRing(b, loc, empty);
  }

  /// Takes the number behind `number` and hands it on.
  Value take(OpBuilder &b, Value number, Value count, Value slot, Value phase) const {
    Value next = b.create<NextProgramOp>(loc, b.getI32Type(), number, count);
    Value one = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(1));
    Value before = b.create<arith::XOrIOp>(loc, phase, one);
    b.create<ttng::MBarrierWaitOp>(loc, ringAt(b, loc, empty, slot), before);
    auto layout = BlockedEncodingAttr::get(b.getContext(), {1}, {kLanesPerWarp}, {1}, {0});
    auto tile = RankedTensorType::get({1}, b.getI32Type(), layout);
    b.create<LocalStoreOp>(loc, b.create<tt::SplatOp>(loc, tile, next),
                           ringAt(b, loc, values, slot));
    b.create<ttng::MBarrierArriveOp>(loc, ringAt(b, loc, full, slot), 1, ValueRange());
    return next;
  }

  /// By a group of so many warps.
  Value read(OpBuilder &b, int32_t warps, Value slot, Value phase) const {
    b.create<ttng::MBarrierWaitOp>(loc, ringAt(b, loc, full, slot), phase);
    Value buffer = ringAt(b, loc, values, slot);
    Value next = b.create<LocalLoadOp>(loc, b.getI32Type(), buffer);
    b.create<ttng::MBarrierArriveOp>(loc, ringAt(b, loc, empty, slot), warps, buffer);
    return next;
  }

  static void advance(OpBuilder &b, Location loc, Value &slot, Value &phase) {
    advanceInRing(b, loc, kBuffers, slot, phase);
  }

private:
  static constexpr int64_t kBuffers = 2;
  Location loc;
  Value values, full, empty;
};

/// A group's loop over programs.
struct GroupsLoop {
  scf::ForOp loop;
  int32_t warps;
};

/// Its iterations are a CTA's share of the programs, as ttg-persist-programs makes it.
bool isOfShare(scf::ForOp loop) {
  return loop.getLowerBound().getDefiningOp<CTAIdOp>() && loop.getStep().getDefiningOp<NumCTAsOp>();
}

/// One of each group, right in it, all over the same programs; none if there is not.
SmallVector<GroupsLoop> loopsOf(WarpGroupsOp groups) {
  SmallVector<GroupsLoop> found;
  for (auto [region, warps] : llvm::zip(groups.getGroups(), groups.getWarps()))
    for (auto loop : region.front().getOps<scf::ForOp>())
      if (loop->hasAttr(kPrograms))
        found.push_back({loop, warps});
  bool isOneOfEach = found.size() == groups.getGroups().size();
  for (size_t i = 0; isOneOfEach && i < found.size(); ++i)
    isOneOfEach = found[i].loop->getParentRegion() == &groups.getGroups()[i] &&
                  isOfShare(found[i].loop) &&
                  found[i].loop.getUpperBound() == found[0].loop.getUpperBound();
  return isOneOfEach ? found : SmallVector<GroupsLoop>();
}

/// The loop goes on with what `next` makes of a program's number, as long as that is one.
void countBy(scf::ForOp loop,
             llvm::function_ref<Value(OpBuilder &, Value number, Value slot, Value phase)> next) {
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  Value zero = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(0));
  SmallVector<Value> inits{loop.getLowerBound()};
  llvm::append_range(inits, loop.getInitArgs());
  inits.append(2, zero); // slot and phase
  SmallVector<Type> types = llvm::to_vector(ValueRange(inits).getTypes());
  auto fresh = b.create<scf::WhileOp>(loc, types, inits);
  SmallVector<Location> places(types.size(), loc);
  Block *before = b.createBlock(&fresh.getBefore(), {}, types, places);
  Value more = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, before->getArgument(0),
                                       loop.getUpperBound());
  b.create<scf::ConditionOp>(loc, more, before->getArguments());
  Block *after = b.createBlock(&fresh.getAfter(), {}, types, places);
  Block *body = loop.getBody();
  auto yield = cast<scf::YieldOp>(body->getTerminator());
  for (auto [old, argument] : llvm::zip(body->getArguments(), after->getArguments()))
    old.replaceAllUsesWith(argument);
  SmallVector<Value> yields = llvm::to_vector(yield.getOperands());
  yield.erase();
  after->getOperations().splice(after->end(), body->getOperations());
  b.setInsertionPointToEnd(after);
  Value slot = after->getArgument(types.size() - 2), phase = after->getArguments().back();
  yields.insert(yields.begin(), next(b, after->getArgument(0), slot, phase));
  Numbers::advance(b, loc, slot, phase);
  yields.append({slot, phase});
  b.create<scf::YieldOp>(loc, yields);
  loop.replaceAllUsesWith(fresh.getResults().slice(1, loop.getNumResults()));
  loop.erase();
}

struct TakeProgramsPass : impl::TakeProgramsBase<TakeProgramsPass> {
  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>())
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<tt::FuncOp>())
      if (kernel->hasAttr(kProgramCounter) && !convert(kernel))
        kernel->removeAttr(kProgramCounter);
  }

private:
  static bool convert(tt::FuncOp kernel) {
    SmallVector<WarpGroupsOp> all = llvm::to_vector(kernel.getOps<WarpGroupsOp>());
    if (all.size() != 1)
      return false;
    WarpGroupsOp groups = all.front();
    SmallVector<GroupsLoop> loops = loopsOf(groups);
    auto *taker = llvm::find_if(loops, [](const GroupsLoop &own) { return own.warps == 1; });
    if (taker == loops.end() || loops.size() < 2)
      return false;
    int32_t readers = 0;
    for (const GroupsLoop &own : loops)
      readers += &own == taker ? 0 : own.warps;
    OpBuilder b(groups);
    Numbers numbers(b, groups.getLoc(), readers);
    b.setInsertionPointAfter(groups);
    numbers.end(b);
    for (GroupsLoop &own : loops) {
      Value count = own.loop.getUpperBound();
      countBy(own.loop, [&](OpBuilder &b, Value number, Value slot, Value phase) {
        return &own == taker ? numbers.take(b, number, count, slot, phase)
                             : numbers.read(b, own.warps, slot, phase);
      });
    }
    return true;
  }
};
} // namespace

} // namespace tritium::ttg
