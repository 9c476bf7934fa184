//===- SplitK.cpp - tt-split-k --------------------------------------------===//
//
// A kernel that adds up over a loop
//
//   %sum = scf.for %k = 0 to %n iter_args(%acc = %zero) { ... tt.dot %a, %b, %acc ... }
//   ... what becomes of %sum ...
//
// becomes one of which each program has several parts, that run side by side:
//
//   %partial = scf.for %k = first of this part to first of the next one ...
//   store %partial to this part's place in %partials
//   %before = atomically add 1 to this program's number in %arrivals
//   if %before is the number of the other parts:
//     this program's number in %arrivals = 0
//     %sum = the first part's %partial + the second one's + ...
//     ... what becomes of %sum ...
//
// No part waits for another, and sums are added up in the order of the parts, so that the result
// is the same in each run. The parts are further programs along the third dimension of the grid.
//
// The loop carries sums, which nothing else in it reads, and scalars that each iteration moves by
// the same amount. What stands in front of the loop is done by each part, so that neither it nor
// the loop may write; a program's own writes come when all of its parts have read, as before.
//
//===----------------------------------------------------------------------===//

#include "SumsOfParts.h"

#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Support/EmitRemark.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_SPLITK
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
/// What a thread may wait for: 4 bytes each, and parts.
constexpr int64_t kWordsOnTheirWay = 128, kMostOnTheirWay = 8;

/// The number of a program, an i64, x fastest; `third` is its id along the third dimension.
Value numberOfProgram(OpBuilder &b, Location loc, Value third) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Value program = b.create<arith::ExtSIOp>(loc, i64, third);
  for (unsigned axis : {1u, 0u}) {
    Value extent = b.create<GetNumProgramsOp>(loc, i32, axis);
    Value id = b.create<GetProgramIdOp>(loc, i32, axis);
    program = b.create<arith::MulIOp>(loc, program, b.create<arith::ExtSIOp>(loc, i64, extent));
    program = b.create<arith::AddIOp>(loc, program, b.create<arith::ExtSIOp>(loc, i64, id));
  }
  return program;
}

class Splitter {
public:
  Splitter(FuncOp kernel, int64_t parts, int64_t warps)
      : kernel(kernel), parts(parts), warps(warps), b(kernel.getContext()), loc(kernel.getLoc()) {}

  /// Why the kernel cannot be split, and where; empty if it is.
  std::string run() {
    std::string reason = findLoopToSplit(kernel, split);
    loop = split.loop;
    if (loop)
      loc = loop.getLoc();
    if (!reason.empty())
      return reason;
    sums.emplace(kernel, split);
    splitGrid();
    splitLoop();
    joinParts();
    kernel->setAttr(kSplitK, b.getI32IntegerAttr(static_cast<int32_t>(parts)));
    return "";
  }

  Location place() const { return loc; }

private:
  Value constant(Type type, int64_t value) {
    return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, value));
  }

  Value extended(Value number) { return b.create<arith::ExtSIOp>(loc, b.getI64Type(), number); }

  /// The parts of a program have its ids; along the third dimension there are `parts` times as
  /// many.
  void splitGrid() {
    b.setInsertionPointToStart(&kernel.getBody().front());
    Type i32 = b.getI32Type();
    auto along = [&](unsigned axis) { return b.create<GetProgramIdOp>(loc, i32, axis); };
    auto number = [&](unsigned axis) { return b.create<GetNumProgramsOp>(loc, i32, axis); };
    Value ofGrid = number(2), place = along(2);
    Value third = b.create<arith::DivSIOp>(loc, ofGrid, constant(i32, parts));
    part = b.create<arith::DivSIOp>(loc, place, third);
    Value id = b.create<arith::RemSIOp>(loc, place, third);
    kernel.walk([&](Operation *op) {
      if (auto old = dyn_cast<GetProgramIdOp>(op);
          old && old.getAxis() == 2 && old != place.getDefiningOp())
        old.replaceAllUsesWith(id);
      if (auto old = dyn_cast<GetNumProgramsOp>(op);
          old && old.getAxis() == 2 && old != ofGrid.getDefiningOp())
        old.replaceAllUsesWith(third);
    });
    program = numberOfProgram(b, loc, id);
  }

  /// This part has the loop's rounds `from` up to `to`. Nothing wraps on the way: from <= rounds,
  /// as (parts - 1) * each is unless rounds are fewer than parts^2.
  void splitLoop() {
    b.setInsertionPoint(loop);
    Type i64 = b.getI64Type(), type = loop.getInductionVar().getType();
    Value rounds = roundsOf(b, split), by = constant(i64, parts);
    Value rest = b.create<arith::RemSIOp>(loc, rounds, by);
    Value each = b.create<arith::AddIOp>(loc, b.create<arith::DivSIOp>(loc, rounds, by),
                                         b.create<arith::MinSIOp>(loc, rest, constant(i64, 1)));
    Value first = b.create<arith::MulIOp>(loc, extended(part), each);
    Value from = b.create<arith::MinSIOp>(loc, first, rounds);
    Value left = b.create<arith::SubIOp>(loc, rounds, from);
    Value to = b.create<arith::AddIOp>(loc, from, b.create<arith::MinSIOp>(loc, each, left));
    if (type != i64) {
      from = b.create<arith::TruncIOp>(loc, type, from);
      to = b.create<arith::TruncIOp>(loc, type, to);
    }
    Value isFirst =
        b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, part, constant(part.getType(), 0));
    takeRounds(b, split, rounds, {from, to, isFirst});
  }

  void joinParts() {
    Block *body = loop->getBlock();
    auto behind = std::next(loop->getIterator());
    b.setInsertionPointAfter(loop);
    Value first = b.create<arith::MulIOp>(loc, program, constant(b.getI64Type(), parts));
    Value own = b.create<arith::AddIOp>(loc, first, extended(part));
    Value all = constant(b.getI32Type(), parts);
    Value isLast = sums->store(b, own, program, all);
    auto branch = b.create<scf::IfOp>(loc, isLast, /*withElseRegion=*/false);
    Block *then = branch.thenBlock();
    then->getOperations().splice(then->getTerminator()->getIterator(), body->getOperations(),
                                 behind, std::prev(body->end()));
    b.setInsertionPointToStart(then);
    sums->reset(b, program);
    for (auto [kind, sum] : llvm::enumerate(sums->sums())) {
      int64_t more = loadsAtOnce(sum.getType());
      Value whole = sums->addUp(b, kind, first, all, (parts - 1) % more + 1, more,
                                /*isInPlace=*/false);
      Value partial = sum;
      partial.replaceUsesWithIf(whole,
                                [&](OpOperand &use) { return branch->isAncestor(use.getOwner()); });
    }
  }

  /// How many parts' sums are on their way at a time, as registers hold them.
  int64_t loadsAtOnce(Type type) const {
    auto tile = dyn_cast<RankedTensorType>(type);
    int64_t threads = 32 * warps, elements = tile ? tile.getNumElements() : 1;
    int64_t words = llvm::divideCeil(elements * scalarBytes(elementType(type)), 4 * threads);
    return std::clamp<int64_t>(kWordsOnTheirWay / words, 1, std::min(parts, kMostOnTheirWay));
  }

  FuncOp kernel;
  int64_t parts, warps;
  OpBuilder b;
  Location loc;
  scf::ForOp loop;
  LoopToSplit split;
  std::optional<SumsOfParts> sums;
  Value part, program; ///< their numbers, i32 and i64
};

struct SplitKPass : impl::SplitKBase<SplitKPass> {
  using SplitKBase::SplitKBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<FuncOp>()) {
      if (!kernel.isKernel() || kernel.isExternal())
        continue;
      Splitter splitter(kernel, parts, warps);
      std::string reason = splitter.run(), asked = std::to_string(parts);
      if (reason.empty())
        remarkApplied(splitter.place(), "split-k",
                      "the loop is split in " + asked +
                          " parts, each of which is a program of its own; the last of them to end "
                          "adds their sums up and does what comes behind the loop");
      else
        remarkMissed(splitter.place(), "split-k",
                     "split_k=" + asked + " changes nothing: of kernel '" + kernel.getName().str() +
                         "', " + reason);
    }
  }
};
} // namespace

} // namespace tritium::tt
