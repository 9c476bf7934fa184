//===- StreamK.cpp - tt-stream-k ------------------------------------------===//
//
// A kernel that adds up over a loop
//
//   %sum = scf.for %k = 0 to %n iter_args(%acc = %zero) { ... tt.dot %a, %b, %acc ... }
//   ... what becomes of %sum ...
//
// becomes one whose programs may have several parts:
//
//   %from, %to, %place, %first, %parts = tt.program_share %rounds
//   %own = scf.for %k = %from to %to ...
//   %is_whole = %parts == 1
//   %goes_on = if %is_whole: true, else:
//     store %own to the place %place in %partials
//     atomically add 1 to the number %first in %arrivals; was it the number of the other parts?
//   if %goes_on:
//     %sum = if %is_whole: %own, else:
//       the number %first in %arrivals = 0
//       the sums of all parts, in their order, from the places %first and what follows
//     ... what becomes of %sum ...
//
// ttg-persist-programs, which makes the loop over programs, says what a share is. Which loops can
// be shared out is as for tt-split-k, but that each program must have as many rounds.
//
//===----------------------------------------------------------------------===//

#include "SumsOfParts.h"

#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Support/EmitRemark.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_STREAMK
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
class Streamer {
public:
  explicit Streamer(FuncOp kernel) : kernel(kernel), b(kernel.getContext()), loc(kernel.getLoc()) {}

  /// Why the kernel's programs stay whole, and where; empty if they need not.
  std::string run() {
    std::string reason = findLoopToSplit(kernel, split);
    if (split.loop)
      loc = split.loop.getLoc();
    if (!reason.empty())
      return reason;
    Type type = split.loop.getInductionVar().getType();
    if (!type.isInteger(32))
      return "its loop counts in " + std::to_string(type.getIntOrFloatBitWidth()) +
             " bits instead of 32";
    SumsOfParts sums(kernel, split);
    b.setInsertionPoint(split.loop);
    Value rounds = roundsOf(b, split);
    Type i32 = b.getI32Type();
    share = b.create<ProgramShareOp>(loc, b.create<arith::TruncIOp>(loc, i32, rounds));
    Value isFirst =
        b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, share.getPlace(), share.getFirst());
    takeRounds(b, split, rounds, {share.getFrom(), share.getTo(), isFirst});
    join(sums);
    kernel->setAttr(kStreamK, b.getUnitAttr());
    return "";
  }

  Location place() const { return loc; }

private:
  Value extended(Value number) { return b.create<arith::ExtSIOp>(loc, b.getI64Type(), number); }

  void join(SumsOfParts &sums) {
    scf::ForOp loop = split.loop;
    Block *body = loop->getBlock();
    auto behind = std::next(loop->getIterator());
    b.setInsertionPointAfter(loop);
    Value one = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(1));
    Value isWhole = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, share.getParts(), one);
    // Places of programs are apart, so that a number for the first of them is one of the program.
    Value program = extended(share.getFirst());
    auto yield = [&](ValueRange values) { b.create<scf::YieldOp>(loc, values); };
    auto goesOn = b.create<scf::IfOp>(
        loc, isWhole,
        [&](OpBuilder &, Location) {
          yield(b.create<arith::ConstantOp>(loc, b.getBoolAttr(true)).getResult());
        },
        [&](OpBuilder &, Location) {
          yield(sums.store(b, extended(share.getPlace()), program, share.getParts()));
        });
    auto rest = b.create<scf::IfOp>(loc, goesOn.getResult(0), /*withElseRegion=*/false);
    Block *then = rest.thenBlock();
    then->getOperations().splice(then->getTerminator()->getIterator(), body->getOperations(),
                                 behind, std::prev(body->end()));
    b.setInsertionPointToStart(then);
    auto whole = b.create<scf::IfOp>(
        loc, isWhole, [&](OpBuilder &, Location) { yield(sums.sums()); },
        [&](OpBuilder &, Location) {
          sums.reset(b, program);
          SmallVector<Value> all;
          // One at a time: there are registers for its sums and those so far.
          for (size_t kind = 0; kind < sums.sums().size(); ++kind)
            all.push_back(sums.addUp(b, kind, extended(share.getFirst()), share.getParts(),
                                     /*begin=*/1, /*more=*/1, /*isInPlace=*/true));
          yield(all);
        });
    for (auto [sum, result] : llvm::zip(sums.sums(), whole.getResults()))
      Value(sum).replaceUsesWithIf(result, [&](OpOperand &use) {
        return rest->isAncestor(use.getOwner()) && use.getOwner()->getParentOp() != whole;
      });
  }

  FuncOp kernel;
  OpBuilder b;
  Location loc;
  LoopToSplit split;
  ProgramShareOp share;
};

struct StreamKPass : impl::StreamKBase<StreamKPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<FuncOp>()) {
      if (!kernel.isKernel() || kernel.isExternal())
        continue;
      Streamer streamer(kernel);
      std::string reason = streamer.run();
      if (reason.empty())
        remarkApplied(streamer.place(), "stream-k",
                      "programs that are left over where each multiprocessor has as many have "
                      "several parts, which share the loop's rounds out; the last of them to end "
                      "adds their sums up and does what comes behind the loop");
      else
        remarkMissed(streamer.place(), "stream-k",
                     "stream_k changes nothing: of kernel '" + kernel.getName().str() + "', " +
                         reason);
    }
  }
};
} // namespace

} // namespace tritium::tt
