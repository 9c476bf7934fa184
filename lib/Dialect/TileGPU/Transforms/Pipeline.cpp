//===- Pipeline.cpp - tritongpu-pipeline ----------------------------------===//
//
//   scf.for %i = %lb to %ub step %s iter_args(%p = %p0, %acc = %c0) {
//     %a = tt.load %p
//     %r = tt.dot convert(%a), ...
//     %p1 = tt.addptr %p, ...
//   }
//
// becomes, for three stages,
//
//   buffers = ttg.local_alloc : 3 x tile
//   copies of iterations 0 and 1 start, a group each            // predicated by %lb + .. < %ub
//   scf.for .. iter_args(%p, %acc, %pAhead = %p0 two steps on, %slot = 0) {
//     ttg.async_wait {num = 1}          // the group of this iteration is there, for all threads
//     the copy of iteration + 2 starts, into the buffer that the last iteration has read
//     %a = ttg.local_load buffers[%slot]
//     ...
//   }
//   ttg.async_wait {num = 0}
//
// One barrier an iteration, in the wait, is enough: it stands between the reads of one
// iteration and the copy of the next that overwrites what they read.
//
// What the addresses of a load depend on runs ahead of the rest: loop-carried values among
// it are carried twice. Copies fill with zeros; another `other` is chosen by the mask when the
// tile is read.
//
// A load stays where it is if what its address depends on is not free of side effects, if its
// elements are too few or too scattered for an asynchronous copy of 4 bytes, or if a store of
// the loop may write what it reads later. Stores to other arguments may be overtaken: a launch
// sees to it that their memory is apart (kOvertakes). Atomics, which may wait for other programs,
// and assertions may not.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/Disjoint.h"
#include "tritium/Analysis/MaskRuns.h"
#include "tritium/Analysis/PointerBases.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Support/EmitRemark.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_PIPELINE
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
constexpr int64_t kReserve = 8192; ///< shared memory that is left to reductions

int64_t sharedLimit(int capability) {
  return capability == 80 ? 166912 : capability >= 90 ? 232448 : 101376;
}

/// Operations of a loop's body whose results `roots` depend on, and the loop-carried
/// values among them. False if they are more than addresses and masks.
class AddressSlice {
public:
  explicit AddressSlice(scf::ForOp loop) : loop(loop) {}

  bool add(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != loop.getBody() || argument == loop.getInductionVar() ||
          !carried.insert(argument.getArgNumber() - 1))
        return true;
      return add(loop.getYieldedValues()[argument.getArgNumber() - 1]);
    }
    Operation *op = value.getDefiningOp();
    if (op->getBlock() != loop.getBody() || operations.contains(op))
      return true;
    if (op->getNumRegions() || !isMemoryEffectFree(op) || isa<tt::DotOp>(op))
      return false;
    operations.insert(op);
    return llvm::all_of(op->getOperands(), [&](Value operand) { return add(operand); });
  }

  /// Clones the operations in order; `mapping` says what loop-carried values are.
  void clone(OpBuilder &builder, IRMapping &mapping) {
    for (Operation &op : *loop.getBody())
      if (operations.contains(&op))
        builder.clone(op, mapping);
  }

  llvm::SmallSetVector<unsigned, 4> carried; ///< numbers of iter args

private:
  scf::ForOp loop;
  llvm::SmallPtrSet<Operation *, 16> operations;
};

bool reachesDot(Operation *op, Block *body, llvm::SmallPtrSetImpl<Operation *> &seen) {
  for (Operation *user : op->getUsers()) {
    if (user->getBlock() != body || !seen.insert(user).second)
      continue;
    if (isa<tt::DotOp>(user) || reachesDot(user, body, seen))
      return true;
  }
  return false;
}

class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, int stages, int capability, bool mayAlias,
                const AxisInfoAnalysis &axes)
      : loop(loop), stages(stages), mayAlias(mayAlias), axes(axes), slice(loop),
        isAsked(loop->hasAttr("tt.num_stages")), limit(sharedLimit(capability) - kReserve) {
    if (auto asked = loop->getAttrOfType<IntegerAttr>("tt.num_stages"))
      this->stages = asked.getInt();
  }

  /// Whether loads run ahead of stores to other arguments now.
  bool run() {
    if (stages < 2)
      return false;
    SmallVector<tt::LoadOp> wanted;
    for (Operation &op : *loop.getBody())
      if (auto load = dyn_cast<tt::LoadOp>(&op); load && isWanted(load))
        wanted.push_back(load);
    if (wanted.empty())
      return false;
    if (!collectStores())
      return false;
    keepBehindStores(wanted);
    for (tt::LoadOp load : wanted) {
      if (std::string reason = reasonAgainst(load); reason.empty())
        loads.push_back(load);
      else if (!isInNarrowVersion())
        remarkMissed(load.getLoc(), "pipeline", "the load is not pipelined: " + reason);
    }
    if (loads.empty())
      return false;
    int64_t bytes = 0;
    for (tt::LoadOp load : loads)
      bytes += memoryOf(load).getTileBytes();
    int64_t fitting = std::min<int64_t>(stages, limit / bytes);
    if (fitting < stages)
      remarkMissed(loop.getLoc(), "pipeline",
                   Twine(fitting < 2 ? "the loop is not pipelined" : "the loop has fewer stages") +
                       ": " + Twine(stages) + " stages of " + Twine(bytes) +
                       " bytes are more than the " + Twine(limit) +
                       " of shared memory; use smaller tiles, or num_stages=" +
                       Twine(std::max<int64_t>(fitting, 1)),
                   {{"stages", std::to_string(fitting)}, {"bytes", std::to_string(bytes)}});
    stages = static_cast<int>(fitting);
    if (stages < 2)
      return false;
    remarkApplied(loop.getLoc(), "pipeline",
                  Twine(loads.size()) + " loads of the loop run " + Twine(stages - 1) +
                      " iterations ahead, in " + Twine(stages * bytes) + " bytes of shared memory",
                  {{"stages", std::to_string(stages)}, {"bytes", std::to_string(bytes)}});
    bool overtakes = !stores.empty();
    rewrite();
    return overtakes;
  }

private:
  /// Of a kernel with versions, in one that arguments take which keep accesses narrow.
  bool isInNarrowVersion() {
    for (Operation *op = loop; !isa<tt::FuncOp>(op); op = op->getParentOp())
      if (auto versions = dyn_cast<scf::IfOp>(op->getParentOp());
          versions && versions->hasAttr(kVersions) && op->getBlock() == versions.elseBlock())
        return true;
    return false;
  }

  /// False, with a remark, if something in the loop keeps all loads from running ahead.
  bool collectStores() {
    Operation *obstacle = nullptr;
    std::string reason;
    auto found = [&](Operation *op, std::string why) {
      obstacle = op;
      reason = std::move(why);
      return WalkResult::interrupt();
    };
    loop.walk([&](Operation *op) {
      if (isMemoryEffectFree(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
          isa<tt::AssumeOp, tt::PrintOp>(op))
        return WalkResult::advance();
      if (auto load = dyn_cast<tt::LoadOp>(op)) {
        if (!load.getIsVolatile())
          return WalkResult::advance();
        return found(op, "this load is volatile, and may wait for what other programs write");
      }
      if (auto store = dyn_cast<tt::StoreOp>(op)) {
        stores.push_back(store);
        return WalkResult::advance();
      }
      if (isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op))
        return found(op, "this atomic may order what the loop loads after what other programs "
                         "write; move it behind the loop");
      if (isa<tt::AssertOp>(op))
        return found(op, "this assertion ends the program before later iterations load; it is "
                         "not there without debug");
      return found(op, "it is not known what '" + op->getName().getStringRef().str() + "' does");
    });
    if (obstacle)
      remarkMissed(obstacle->getLoc(), "pipeline", "the loop is not pipelined: " + reason);
    return !obstacle;
  }

  /// Removes what may read, when it should, what a store writes before.
  void keepBehindStores(SmallVectorImpl<tt::LoadOp> &wanted) {
    for (tt::StoreOp store : stores) {
      Operation *inBody = loop.getBody()->findAncestorOpInBlock(*store);
      // Of earlier iterations, and of the load's own if it comes first there.
      auto mayReach = [&](tt::LoadOp load) {
        if (!mayAlias && !mayShareBase(load.getPtr(), store.getPtr()))
          return false;
        return !neverMeet(load, store, /*earlier=*/true) ||
               (inBody->isBeforeInBlock(load) && !neverMeet(load, store, /*earlier=*/false));
      };
      if (!llvm::any_of(wanted, mayReach))
        continue;
      remarkMissed(store.getLoc(), "pipeline",
                   "loads are not pipelined, because this may write what a later iteration loads; "
                   "store to another array, or move it behind the loop");
      llvm::erase_if(wanted, mayReach);
    }
  }

  /// Loads of tiles that feed a dot, or all if the user asks.
  bool isWanted(tt::LoadOp load) {
    if (!tt::isTile(load.getType()) || !tt::isTile(load.getPtr().getType()))
      return false;
    llvm::SmallPtrSet<Operation *, 16> seen;
    return isAsked || reachesDot(load, loop.getBody(), seen);
  }

  /// Empty if the load can run ahead; its addresses are then part of the slice.
  std::string reasonAgainst(tt::LoadOp load) {
    auto type = cast<RankedTensorType>(load.getType());
    if (type.getRank() > 2 ||
        !llvm::all_of(type.getShape(), [](int64_t n) { return llvm::isPowerOf2_64(n); }))
      return "only tiles of one or two dimensions whose extents are powers of two are";
    if (!isa<IntegerType, FloatType>(type.getElementType()) || type.getElementType().isInteger(1))
      return "it loads neither integers nor floats";
    if (runBytes(load) < 4 || layoutOf(type).contiguous(orderOf(type.getEncoding())[0]) *
                                      tt::scalarBytes(type.getElementType()) <
                                  4)
      return "a lane moves less than the 4 bytes of an asynchronous copy; its strides and "
             "bounds should be known to be multiples (tl.multiple_of)";
    AddressSlice attempt = slice;
    if (!attempt.add(load.getPtr()) || (load.getMask() && !attempt.add(load.getMask())))
      return "its address or mask depends on what the same iteration loads or computes";
    slice = attempt;
    return "";
  }

  /// Neighbouring bytes of one element group, as alignment and mask allow.
  int64_t runBytes(tt::LoadOp load) {
    auto type = cast<RankedTensorType>(load.getType());
    int32_t d = orderOf(type.getEncoding())[0];
    int64_t bytes = tt::scalarBytes(type.getElementType());
    const AxisInfo &info = axes.get(load.getPtr());
    int64_t run = std::min(info.contiguity[d] & -info.contiguity[d],
                           std::max<int64_t>(1, info.divisibility[d] / bytes));
    if (Value mask = load.getMask()) {
      // A copy can end early, but not begin late.
      MaskRuns runs = maskRuns(mask, d, run, axes);
      run = runs.rises ? std::gcd(run, axes.get(mask).constancy[d]) : runs.width;
    }
    return run * bytes;
  }

  /// What lanes outside the mask hold, if not zeros.
  static Value otherOf(tt::LoadOp load) {
    Value other = load.getOther();
    // The copy fills in positive zeros.
    bool isZero = !other || matchPattern(other, m_Zero()) || matchPattern(other, m_PosZeroFloat());
    return isZero || !load.getMask() ? Value() : other;
  }

  MemDescType memoryOf(tt::LoadOp load) {
    auto type = cast<RankedTensorType>(load.getType());
    unsigned bytes = tt::scalarBytes(type.getElementType());
    SharedEncodingAttr encoding =
        swizzledLayout(load.getContext(), type.getShape(), orderOf(type.getEncoding()), bytes);
    SmallVector<int64_t> shape{stages};
    llvm::append_range(shape, type.getShape());
    return MemDescType::get(load.getContext(), shape, type.getElementType(), encoding);
  }

  Value wide(OpBuilder &b, Value x) {
    if (x.getType().isInteger(64))
      return x;
    return b.create<arith::ExtSIOp>(loop.getLoc(), b.getI64Type(), x);
  }

  /// What of a load is copied, if `runs`. Of a mask that is the rows within an array and the
  /// columns within it, say, one part stays the same in the loop: `runs` goes to the other, where
  /// it is one operation for all rows.
  Value copyMask(OpBuilder &b, const IRMapping &mapping, tt::LoadOp load, Type type, Value runs) {
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

  /// Starts the copies of one iteration, if `runs`, into buffer `slot`.
  void startCopies(OpBuilder &b, const IRMapping &mapping, Value runs, Value slot, int ahead) {
    for (auto [load, ring] : llvm::zip(loads, rings)) {
      Location loc = load.getLoc();
      Value ptr = mapping.lookupOrDefault(load.getPtr());
      auto ptrType = cast<RankedTensorType>(ptr.getType());
      auto maskType =
          RankedTensorType::get(ptrType.getShape(), b.getI1Type(), ptrType.getEncoding());
      Value mask = copyMask(b, mapping, load, maskType, runs);
      Value buffer = b.create<MemDescIndexOp>(loc, ring, slot, ahead);
      b.create<AsyncCopyGlobalToLocalOp>(loc, ptr, buffer, mask);
    }
    b.create<AsyncCommitGroupOp>(loop.getLoc());
  }

  void rewrite();
  /// The tile of this iteration, which the copies have brought into buffer `slot`.
  Value readTile(OpBuilder &b, tt::LoadOp load, Type type, Value slot) {
    Value ring = rings[llvm::find(loads, load) - loads.begin()];
    Value buffer = b.create<MemDescIndexOp>(load.getLoc(), ring, slot, 0);
    return b.create<LocalLoadOp>(load.getLoc(), type, buffer);
  }

  scf::ForOp loop;
  int stages;
  bool mayAlias;
  const AxisInfoAnalysis &axes;
  AddressSlice slice;
  bool isAsked;
  int64_t limit;
  SmallVector<tt::StoreOp> stores;
  SmallVector<tt::LoadOp> loads;
  SmallVector<Value> rings;
};

void LoopPipeliner::rewrite() {
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  auto i32 = [&](int64_t value) -> Value {
    return b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(value));
  };
  for (tt::LoadOp load : loads)
    rings.push_back(b.create<LocalAllocOp>(load.getLoc(), memoryOf(load)));

  // The first iterations. `ahead` is what the address part carries.
  Value lower = loop.getLowerBound(), step = loop.getStep();
  Value index = lower, wideIndex = wide(b, lower), wideStep = wide(b, step),
        wideUpper = wide(b, loop.getUpperBound());
  SmallVector<Value> ahead;
  for (unsigned i : slice.carried)
    ahead.push_back(loop.getInitArgs()[i]);
  auto mappingFor = [&](Value index, ValueRange carried) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), index);
    for (auto [i, value] : llvm::zip(slice.carried, carried))
      mapping.map(loop.getRegionIterArgs()[i], value);
    return mapping;
  };
  auto carriedOn = [&](const IRMapping &mapping) {
    SmallVector<Value> next;
    for (unsigned i : slice.carried)
      next.push_back(mapping.lookupOrDefault(loop.getYieldedValues()[i]));
    return next;
  };
  for (int s = 0; s + 1 < stages; ++s) {
    Value runs = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, wideIndex, wideUpper);
    IRMapping mapping = mappingFor(index, ahead);
    slice.clone(b, mapping);
    startCopies(b, mapping, runs, i32(s), s);
    ahead = carriedOn(mapping);
    index = b.create<arith::AddIOp>(loc, index, step);
    wideIndex = b.create<arith::AddIOp>(loc, wideIndex, wideStep);
  }
  Value distance = b.create<arith::SubIOp>(loc, wideIndex, wide(b, lower));

  // The loop carries what it did, the address part of the iteration ahead, its index, and
  // the number of the buffer to read.
  SmallVector<Value> inits(loop.getInitArgs());
  unsigned own = inits.size();
  inits.append(ahead);
  inits.push_back(index);
  inits.push_back(i32(0));
  auto fresh = b.create<scf::ForOp>(loc, lower, loop.getUpperBound(), step, inits);
  fresh->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  fresh->removeAttr("tt.num_stages");
  if (!fresh.getBody()->empty())
    fresh.getBody()->getTerminator()->erase();
  b.setInsertionPointToStart(fresh.getBody());
  auto args = fresh.getRegionIterArgs();
  Value slot = args.back(), aheadIndex = args[args.size() - 2];
  b.create<AsyncWaitOp>(loc, stages - 2);

  Value wideAhead = b.create<arith::AddIOp>(loc, wide(b, fresh.getInductionVar()), distance);
  Value runs = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, wideAhead, wideUpper);
  IRMapping aheadMapping =
      mappingFor(aheadIndex, ValueRange(args.slice(own, slice.carried.size())));
  slice.clone(b, aheadMapping);
  Value isFirst = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, slot, i32(0));
  Value before = b.create<arith::SubIOp>(loc, slot, i32(1));
  Value target = b.create<arith::SelectOp>(loc, isFirst, i32(stages - 1), before);
  startCopies(b, aheadMapping, runs, target, stages - 1);

  IRMapping mapping;
  mapping.map(loop.getInductionVar(), fresh.getInductionVar());
  for (auto [old, arg] : llvm::zip(loop.getRegionIterArgs(), args))
    mapping.map(old, arg);
  auto isRead = [&](tt::LoadOp load) { return load && llvm::is_contained(loads, load); };
  for (Operation &op : loop.getBody()->without_terminator()) {
    // A conversion of a pipelined load is a load in its layout.
    if (auto convert = dyn_cast<ConvertLayoutOp>(&op))
      if (auto load = convert.getSrc().getDefiningOp<tt::LoadOp>();
          isRead(load) && !otherOf(load)) {
        mapping.map(convert.getResult(), readTile(b, load, convert.getType(), slot));
        continue;
      }
    auto load = dyn_cast<tt::LoadOp>(&op);
    if (!isRead(load)) {
      b.clone(op, mapping);
      continue;
    }
    Value other = otherOf(load);
    bool isConverted = !other && llvm::all_of(op.getUsers(), [&](Operation *user) {
      return isa<ConvertLayoutOp>(user) && user->getBlock() == loop.getBody();
    });
    if (isConverted)
      continue;
    Value tile = readTile(b, load, load.getType(), slot);
    if (other)
      tile = b.create<arith::SelectOp>(load.getLoc(), mapping.lookupOrDefault(load.getMask()), tile,
                                       mapping.lookupOrDefault(other));
    mapping.map(load.getResult(), tile);
  }
  SmallVector<Value> yields;
  for (Value value : loop.getYieldedValues())
    yields.push_back(mapping.lookupOrDefault(value));
  yields.append(carriedOn(aheadMapping));
  yields.push_back(b.create<arith::AddIOp>(loc, aheadIndex, step));
  Value next = b.create<arith::AddIOp>(loc, slot, i32(1));
  Value wraps = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, next, i32(stages));
  yields.push_back(b.create<arith::SelectOp>(loc, wraps, i32(0), next));
  b.create<scf::YieldOp>(loc, yields);

  b.setInsertionPointAfter(fresh);
  b.create<AsyncWaitOp>(loc, 0);
  for (unsigned i = 0; i < own; ++i)
    loop.getResult(i).replaceAllUsesWith(fresh.getResult(i));
  loop.erase();
}

struct PipelinePass : impl::PipelineBase<PipelinePass> {
  using PipelineBase::PipelineBase;

  void runOnOperation() override {
    if (failed(checkLayouts(getOperation())))
      return signalPassFailure();
    if (capability < 80)
      return;
    for (auto func : getOperation().getOps<tt::FuncOp>()) {
      if (func.isExternal())
        continue;
      AxisInfoAnalysis axes(func);
      SmallVector<scf::ForOp> loops;
      func.walk([&](scf::ForOp loop) {
        // Innermost loops: the ring of an outer one would stand still meanwhile.
        bool isInner = !loop.getBody()
                            ->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
                            .wasInterrupted();
        if (isInner && !loop.getInductionVar().getType().isIndex())
          loops.push_back(loop);
      });
      for (scf::ForOp loop : loops)
        if (LoopPipeliner(loop, stages, capability, mayAlias, axes).run())
          func->setAttr(kOvertakes, UnitAttr::get(&getContext()));
    }
  }
};
} // namespace

} // namespace tritium::ttg
