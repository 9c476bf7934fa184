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

#include "LoopToSplit.h"

#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Support/EmitRemark.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_SPLITK
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
constexpr int64_t kSumAlignment = 128; ///< a line of a GPU's caches, in bytes
/// What a thread may wait for: 4 bytes each, and parts.
constexpr int64_t kWordsOnTheirWay = 128, kMostOnTheirWay = 8;

class Splitter {
public:
  Splitter(FuncOp kernel, int64_t parts, int64_t warps)
      : kernel(kernel), parts(parts), warps(warps), b(kernel.getContext()), loc(kernel.getLoc()) {}

  /// Why the kernel cannot be split, and where; empty if it is.
  std::string run() {
    std::string reason = findLoopToSplit(kernel, split);
    if (loop = split.loop)
      loc = loop.getLoc();
    if (!reason.empty())
      return reason;
    addArguments();
    splitGrid();
    splitLoop();
    joinParts();
    kernel->setAttr(kSplitK, b.getI32IntegerAttr(static_cast<int32_t>(parts)));
    kernel->setAttr(kPartialBytes, b.getI64IntegerAttr(bytes));
    return "";
  }

  Location place() const { return loc; }

private:
  //===-- Programs and parts --------------------------------------------------===//

  Value constant(Type type, int64_t value) {
    return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, value));
  }

  StoreOp store(Value pointers, Value value) {
    return b.create<StoreOp>(loc, pointers, value, /*mask=*/Value());
  }

  void addArguments() {
    auto add = [&](StringRef name, Type pointee) {
      NamedAttrList attributes;
      attributes.set("tt.name", b.getStringAttr(name));
      attributes.set("tt.divisibility", b.getI32IntegerAttr(16));
      unsigned at = kernel.getNumArguments();
      kernel.insertArgument(at, PointerType::get(pointee), attributes.getDictionary(b.getContext()),
                            kernel.getLoc());
      return kernel.getArgument(at);
    };
    partials = add("partial sums", b.getI8Type());
    arrivals = add("arrivals", b.getI32Type());
  }

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
    program = extended(id);
    for (unsigned axis : {1u, 0u}) {
      Value above = b.create<arith::MulIOp>(loc, program, extended(number(axis)));
      program = b.create<arith::AddIOp>(loc, above, extended(along(axis)));
    }
  }

  //===-- The loop ------------------------------------------------------------===//

  /// This part has the loop's rounds `from` up to `to`, by whose numbers the new loop counts.
  /// Nothing wraps on the way: from <= rounds, as (parts - 1) * each is unless rounds are fewer
  /// than parts^2.
  void splitLoop() {
    b.setInsertionPoint(loop);
    Type i64 = b.getI64Type(), type = loop.getInductionVar().getType();
    Value begin = constant(i64, split.lower), end = extended(loop.getUpperBound());
    Value length = b.create<arith::SubIOp>(loc, b.create<arith::MaxSIOp>(loc, end, begin), begin);
    Value rounds = quotient(length, split.step), each = quotient(rounds, parts);
    Value first = b.create<arith::MulIOp>(loc, extended(part), each);
    Value from = b.create<arith::MinSIOp>(loc, first, rounds);
    Value rest = b.create<arith::SubIOp>(loc, rounds, from);
    Value to = b.create<arith::AddIOp>(loc, from, b.create<arith::MinSIOp>(loc, each, rest));
    if (type != i64) {
      from = b.create<arith::TruncIOp>(loc, type, from);
      to = b.create<arith::TruncIOp>(loc, type, to);
    }
    for (auto [i, what] : llvm::enumerate(split.carried)) {
      loop.getInitArgsMutable()[i].set(what.moves ? movedBy(what, from) : ofFirstPart(what.init));
      // Behind the loop a number is what all rounds make of it.
      if (Value result = loop.getResult(i); what.moves && !result.use_empty())
        result.replaceAllUsesWith(movedBy(what, rounds));
    }
    loop.setLowerBound(from);
    loop.setUpperBound(to);
    loop.setStep(constant(type, 1));
    countAsBefore();
  }

  /// The loop's index by the number of its round, which is none that the loop did not have.
  void countAsBefore() {
    Value round = loop.getInductionVar(), index = round;
    SmallVector<OpOperand *> uses(llvm::make_pointer_range(round.getUses()));
    b.setInsertionPointToStart(loop.getBody());
    auto nsw = arith::IntegerOverflowFlags::nsw;
    if (split.step != 1)
      index = b.create<arith::MulIOp>(loc, index, constant(index.getType(), split.step), nsw);
    if (split.lower != 0)
      index = b.create<arith::AddIOp>(loc, index, constant(index.getType(), split.lower), nsw);
    for (OpOperand *use : uses)
      use->set(index);
  }

  Value extended(Value number) {
    Type i64 = b.getI64Type();
    return number.getType() == i64 ? number
                                   : b.create<arith::ExtSIOp>(loc, i64, number).getResult();
  }

  /// Of what is at least 0, rounded up.
  Value quotient(Value number, int64_t divisor) {
    if (divisor == 1)
      return number;
    Value by = constant(number.getType(), divisor), one = constant(number.getType(), 1);
    Value rest = b.create<arith::RemSIOp>(loc, number, by);
    return b.create<arith::AddIOp>(loc, b.create<arith::DivSIOp>(loc, number, by),
                                   b.create<arith::MinSIOp>(loc, rest, one));
  }

  /// A number after `rounds` iterations, which wraps as they do.
  Value movedBy(const Carried &what, Value rounds) {
    Value moved = what.init;
    unsigned width = moved.getType().getIntOrFloatBitWidth(),
             ofRounds = rounds.getType().getIntOrFloatBitWidth();
    if (width > ofRounds)
      rounds = b.create<arith::ExtSIOp>(loc, moved.getType(), rounds);
    else if (width < ofRounds)
      rounds = b.create<arith::TruncIOp>(loc, moved.getType(), rounds);
    for (const Move &move : *what.moves) {
      Value all = b.create<arith::MulIOp>(loc, move.amount, rounds);
      if (move.isSubtracted)
        moved = b.create<arith::SubIOp>(loc, moved, all);
      else
        moved = b.create<arith::AddIOp>(loc, moved, all);
    }
    return moved;
  }

  Value ofFirstPart(Value init) {
    Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(init.getType()));
    if (matchPattern(init, m_AnyZeroFloat()) || matchPattern(init, m_Zero()))
      return init;
    Value isFirst =
        b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, part, constant(part.getType(), 0));
    return b.create<arith::SelectOp>(loc, isFirst, init, zero);
  }

  //===-- The sums ------------------------------------------------------------===//

  /// Where the elements of a tile stand, one behind the other.
  Value placesIn(RankedTensorType type) {
    Value places;
    int64_t stride = 1;
    for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
      int64_t extent = type.getDimSize(axis);
      auto row = RankedTensorType::get({extent}, b.getI32Type());
      Value along = b.create<MakeRangeOp>(loc, row, 0, extent);
      SmallVector<int64_t> shape{extent};
      for (int64_t other = 0; other < type.getRank(); ++other) {
        if (other == axis)
          continue;
        shape.insert(shape.begin() + other, 1);
        along = b.create<ExpandDimsOp>(loc, RankedTensorType::get(shape, b.getI32Type()), along,
                                       static_cast<uint32_t>(other));
      }
      auto narrow = cast<RankedTensorType>(along.getType());
      Value scale = b.create<arith::ConstantOp>(
          loc, DenseElementsAttr::get(narrow, b.getI32IntegerAttr(stride)));
      along = b.create<arith::MulIOp>(loc, along, scale);
      along = b.create<BroadcastOp>(loc, withElement(type, b.getI32Type()), along);
      places = places ? b.create<arith::AddIOp>(loc, places, along).getResult() : along;
      stride *= extent;
    }
    return places;
  }

  /// Pointers to the elements of `type` in a part's sums, `offset` bytes behind their beginning.
  Value pointersTo(Type type, Value ofPart, int64_t offset) {
    Value at = b.create<AddPtrOp>(loc, ofPart, constant(b.getI64Type(), offset));
    at = b.create<BitcastOp>(loc, PointerType::get(elementType(type)), at);
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile)
      return at;
    Value all = b.create<SplatOp>(loc, withElement(type, at.getType()), at);
    return b.create<AddPtrOp>(loc, all, placesIn(tile));
  }

  /// The sums of a part of this program.
  Value sumsOf(Value number) {
    Type i64 = b.getI64Type();
    Value firstOfProgram = b.create<arith::MulIOp>(loc, program, constant(i64, parts * bytes));
    Value behind = b.create<arith::MulIOp>(loc, extended(number), constant(i64, bytes));
    return b.create<AddPtrOp>(loc, partials, b.create<arith::AddIOp>(loc, firstOfProgram, behind));
  }

  void joinParts() {
    SmallVector<std::pair<Value, int64_t>> sums; // results, and where they lie
    for (auto [result, what] : llvm::zip(loop.getResults(), split.carried)) {
      if (what.moves)
        continue;
      sums.push_back({result, bytes});
      auto tile = dyn_cast<RankedTensorType>(result.getType());
      int64_t elements = tile ? tile.getNumElements() : 1;
      bytes += llvm::alignTo<kSumAlignment>(elements * scalarBytes(elementType(result.getType())));
    }
    Block *body = loop->getBlock();
    auto behind = std::next(loop->getIterator());
    b.setInsertionPointAfter(loop);
    Value own = sumsOf(part);
    for (auto [sum, offset] : sums)
      store(pointersTo(sum.getType(), own, offset), sum)->setAttr(kPartialSum, b.getUnitAttr());
    Value arrival = b.create<AddPtrOp>(loc, arrivals, program);
    Type i32 = b.getI32Type();
    Value before = b.create<AtomicRMWOp>(loc, i32, RMWOp::ADD, arrival, constant(i32, 1), Value(),
                                         MemSemantic::ACQUIRE_RELEASE, MemScope::GPU);
    Value isLast =
        b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, before, constant(i32, parts - 1));
    auto branch = b.create<scf::IfOp>(loc, isLast, /*withElseRegion=*/false);
    Block *then = branch.thenBlock();
    then->getOperations().splice(then->getTerminator()->getIterator(), body->getOperations(),
                                 behind, std::prev(body->end()));
    b.setInsertionPointToStart(then);
    store(arrival, constant(i32, 0));
    for (auto [sum, offset] : sums) {
      Value whole = addUp(sum.getType(), offset);
      sum.replaceUsesWithIf(whole,
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

  /// The sums of all parts, in their order.
  Value addUp(Type type, int64_t offset) {
    Type i32 = b.getI32Type();
    int64_t atOnce = loadsAtOnce(type);
    // So many behind `first`, added to `sum`, if there is one.
    auto addNext = [&](Value sum, Value first, int64_t count) {
      SmallVector<Value> next;
      for (int64_t i = 0; i < count; ++i) {
        Value number = b.create<arith::AddIOp>(loc, first, constant(i32, i));
        next.push_back(b.create<LoadOp>(loc, pointersTo(type, sumsOf(number), offset), Value()));
      }
      for (Value each : next)
        sum = sum ? added(sum, each) : each;
      return sum;
    };
    int64_t begin = (parts - 1) % atOnce + 1;
    Value sum = addNext({}, constant(i32, 0), begin);
    if (begin == parts)
      return sum;
    auto others = b.create<scf::ForOp>(loc, constant(i32, begin), constant(i32, parts),
                                       constant(i32, atOnce), sum);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(others.getBody());
    b.create<scf::YieldOp>(loc,
                           addNext(others.getRegionIterArg(0), others.getInductionVar(), atOnce));
    return others.getResult(0);
  }

  Value added(Value x, Value y) {
    if (isTileFloat(elementType(x.getType())))
      return b.create<arith::AddFOp>(loc, x, y);
    return b.create<arith::AddIOp>(loc, x, y);
  }

  FuncOp kernel;
  int64_t parts, warps;
  OpBuilder b;
  Location loc;
  scf::ForOp loop;
  LoopToSplit split;
  BlockArgument partials, arrivals;
  Value part, program; ///< their numbers, i32 and i64
  int64_t bytes = 0;   ///< of a part's sums
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
