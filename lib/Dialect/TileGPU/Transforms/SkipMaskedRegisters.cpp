//===- SkipMaskedRegisters.cpp - ttg-skip-masked-registers ----------------===//
//
// Rows lie in tiles of the next power of two. Of the upper half of such a tile a warp may have no
// element inside of the mask, and what it would compute for it is known without memory: the load
// gives `other`, and what follows element by element gives the same value for all of it. So
//
//   %x = tt.load %p, %m, %other            %x = tt.load %p, %m, %other
//   %y = math.exp %x                       %s = ttg.skip_masked %m along 0 from [2048] {
//   %s = "tt.reduce"(%y) ..          ->      %y = math.exp %x
//                                            %s = "tt.reduce"(%y) ..
//                                            ttg.yield %s
//                                          }
//
// From each masked load forward, in its block:
//
//   load, other uniform                       filled by `other`
//   element-wise, operands filled or uniform  filled; a member
//   element-wise, some operand filled         a member, but nothing is known of its result
//   select on the mask                        filled by its third operand; a member
//   reduction of filled tiles along the row   a member
//   store under the mask                      a member
//
// A member whose result others read, but that is not filled, has to compute all of it and so has
// everything that it reads: it is struck off, until nothing changes.
//
// Members stand together: element-wise ones wait until a reduction or store joins them, or
// anything else wants their results. Loads come ahead of them meanwhile: a basic block with all of
// them ends at the first branch. Were the lower half computed in it, the assembler would load the
// upper half when registers of the lower one are free again.
//
// That is worth while if the bound of the mask is the same for all programs, as with rows in tiles
// of the next power of two; a bound that only the last program meets is not. The lower half of a
// tile is taken to be inside, or a smaller tile would do.
//
// It runs last: what other passes move and look for would be in bodies.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/MaskRuns.h"
#include "tritium/Analysis/SkippedRegisters.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/IR/SkipMasked.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Target/GPU/Strategy.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <deque>
#include <set>

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_SKIPMASKEDREGISTERS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// A mask whose parts are looked at one by one, in a block.
struct Skip {
  Value mask;
  unsigned axis;
  SmallVector<int64_t> from;
  unsigned registers; ///< of the first part
};

/// All programs compute the same.
bool isSameForAll(Value value, int depth = 16) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<tt::FuncOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
  return depth && isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         !isa<tt::GetProgramIdOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value x) { return isSameForAll(x, depth - 1); });
}

/// One of the mask's terms is a bound along `axis` that is the same for all programs.
bool hasFixedBound(Value mask, unsigned axis, const AxisInfoAnalysis &axes) {
  if (Value same = sameTile(mask))
    return hasFixedBound(same, axis, axes);
  Operation *op = mask.getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op))
    return hasFixedBound(both.getLhs(), axis, axes) || hasFixedBound(both.getRhs(), axis, axes);
  if (auto movement = dyn_cast_or_null<tt::DataMovement>(op)) {
    int64_t from = movement.getSourceDims()[axis];
    return from >= 0 && hasFixedBound(movement.getSource(), from, axes);
  }
  return isa_and_nonnull<arith::CmpIOp>(op) &&
         axes.get(mask).constancy[axis] < tt::shapeOf(mask.getType())[axis] && isSameForAll(mask);
}

/// Where the parts of a tile begin along `axis`, all of them in its upper half; nothing if they are
/// too small.
std::optional<Skip> skipAlong(Value mask, const TileLayout &tile, unsigned axis) {
  int64_t furthestWarp = 0;
  for (uint64_t base : tile.core().bases(kWarp))
    furthestWarp |= tile.core().unflatten(base)[axis];
  unsigned vector = tile.contiguous(axis), upper = 0;
  std::set<int64_t> places;
  for (unsigned r = 0; r < tile.registers(); ++r) {
    int64_t place = tile.offset(r)[axis];
    // Whole vectors are inside or not.
    if (2 * (place - place % vector + furthestWarp) < tile.extents()[axis])
      continue;
    places.insert(place);
    ++upper;
  }
  unsigned count = std::min<unsigned>(strategy::kMostMaskedParts,
                                      places.size() / std::max(strategy::kLeastMaskedRow, vector));
  if (count == 0)
    return {};
  if (places.size() % (count * vector) != 0)
    count = 1;
  Skip skip{mask, axis, {}, upper / count};
  size_t each = places.size() / count, number = 0;
  for (int64_t place : places)
    if (number++ % each == 0)
      skip.from.push_back(place);
  return skip;
}

std::optional<Skip> skipOf(Value mask, const AxisInfoAnalysis &axes) {
  TileLayout tile = layoutOf(cast<RankedTensorType>(mask.getType()));
  if (tile.hasPadding() || !tile.registersAreApart())
    return {};
  for (unsigned d = 0; d < tile.rank(); ++d) {
    int64_t extent = tile.extents()[d];
    MaskRuns runs = maskRuns(mask, d, extent, axes);
    if (runs.width == extent && runs.falls && !runs.rises && hasFixedBound(mask, d, axes))
      if (std::optional<Skip> skip = skipAlong(mask, tile, d))
        return skip;
  }
  return {};
}

/// Instructions for one element, roughly.
unsigned costOf(Operation *op) {
  return isa<math::FmaOp>(op)                       ? 1
         : isa<math::MathDialect>(op->getDialect()) ? 8
         : isa<arith::DivFOp>(op)                   ? 2
         : isa<arith::DivSIOp, arith::DivUIOp, arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(op)
             ? 16
             : 1;
}

/// Which operations leave out which registers.
class SkipPlan {
public:
  explicit SkipPlan(const AxisInfoAnalysis &axes) : axes(axes) {}

  void add(tt::LoadOp load) {
    Value mask = load.getMask();
    if (!seen.insert({mask, load->getBlock()}).second)
      return;
    std::optional<Skip> found = skipOf(mask, axes);
    if (!found)
      return;
    const Skip &skip = skips.emplace_back(std::move(*found));
    added.clear();
    loads = 0;
    for (Operation &op : *load->getBlock())
      visit(&op, skip);
    strikeOff(skip);
    unsigned cost = 0;
    for (Operation *op : added)
      if (members.contains(op))
        cost += costOf(op);
    unsigned registers = layoutOf(cast<RankedTensorType>(mask.getType())).registers();
    if (cost * skip.registers < strategy::kLeastMaskedCost ||
        loads * registers > strategy::kMostMaskedRegisters)
      for (Operation *op : added)
        members.erase(op);
  }

  /// Null if the operation leaves out nothing.
  const Skip *of(Operation *op) const { return members.lookup(op); }
  bool isEmpty() const { return members.empty(); }

private:
  /// One value for all of a row where the mask lets nothing in.
  bool isKnown(Value tile, const Skip &skip) {
    if (filled.lookup(tile) == &skip || implies(tile, skip.mask))
      return true;
    Operation *op = tile.getDefiningOp();
    return !(op && of(op) == &skip) && isUniformAlong(tile, skip.axis, axes);
  }

  bool isFilled(Value tile, const Skip &skip) const { return filled.lookup(tile) == &skip; }

  void visit(Operation *op, const Skip &skip) {
    if (members.contains(op))
      return;
    auto follows = [&](Value x) {
      Operation *maker = x.getDefiningOp();
      return isFilled(x, skip) || (maker && of(maker) == &skip);
    };
    auto operands = fillOperands(op, skip.mask);
    bool fills = operands && llvm::all_of(*operands, [&](Value x) { return isKnown(x, skip); });
    bool joins = false;
    if (isa<tt::LoadOp>(op)) {
      loads += fills && !filled.contains(op->getResult(0));
    } else if (auto store = dyn_cast<tt::StoreOp>(op)) {
      joins = implies(store.getMask(), skip.mask) && follows(store.getValue());
    } else if (reducesAlong(op, skip.axis)) {
      joins = llvm::all_of(op->getOperands(), [&](Value x) { return isFilled(x, skip); });
    } else if (isElementwiseUnder(op, skip.mask)) {
      auto select = dyn_cast<arith::SelectOp>(op);
      joins = (select && implies(select.getCondition(), skip.mask)) ||
              llvm::any_of(op->getOperands(), follows);
      fills &= joins;
    }
    if (joins) {
      members[op] = &skip;
      added.push_back(op);
    }
    if (fills)
      filled.try_emplace(op->getResult(0), &skip);
  }

  bool isReadByOthers(Value tile, const Skip &skip) const {
    return llvm::any_of(tile.getUsers(), [&](Operation *user) { return of(user) != &skip; });
  }

  void strikeOff(const Skip &skip) {
    for (bool changed = true; changed;) {
      changed = false;
      for (Operation *op : added) {
        if (!members.contains(op) || !isElementwiseUnder(op, skip.mask) ||
            isFilled(op->getResult(0), skip) || !isReadByOthers(op->getResult(0), skip))
          continue;
        members.erase(op);
        changed = true;
      }
    }
  }

  const AxisInfoAnalysis &axes;
  std::deque<Skip> skips;
  llvm::DenseMap<Operation *, const Skip *> members;
  llvm::DenseMap<Value, const Skip *> filled;
  llvm::DenseSet<std::pair<Value, Block *>> seen;
  SmallVector<Operation *> added; ///< members of the mask that is looked at
  unsigned loads = 0;             ///< under it
};

/// Neither data nor exchanged between lanes.
bool isAddressing(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         !isa<ConvertLayoutOp, MemDescIndexOp, MemDescTransOp, MemDescReshapeOp>(op) &&
         !isa<FloatType>(tt::elementType(op->getResult(0).getType()));
}

/// Moves what addresses are made of ahead of the first member: the code generator sees one basic
/// block at a time, so that it multiplies a pitch in 64 bits if that was widened in another.
void hoistAddresses(Block &block, const SkipPlan &plan) {
  auto first = llvm::find_if(block, [&](Operation &op) { return plan.of(&op); });
  if (first == block.end())
    return;
  for (Operation &op : llvm::make_early_inc_range(llvm::make_range(first, block.end())))
    if (!plan.of(&op) && isAddressing(&op) && llvm::all_of(op.getOperands(), [&](Value x) {
          Operation *maker = x.getDefiningOp();
          return !maker || maker->getBlock() != &block || maker->isBeforeInBlock(&*first);
        }))
      op.moveBefore(&*first);
}

/// Puts members into bodies.
class Grouper {
public:
  explicit Grouper(const SkipPlan &plan) : plan(plan) {}

  void run(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      const Skip *skip = plan.of(&op);
      if (mustGroupBefore(&op))
        group(&op);
      if (!skip)
        continue;
      waiting.push_back(&op);
      if (isElementwiseUnder(&op, skip->mask))
        continue;
      group(&op);
    }
  }

private:
  bool mustGroupBefore(Operation *op) {
    if (waiting.empty())
      return false;
    if (const Skip *skip = plan.of(op))
      return skip != plan.of(waiting.front());
    return op->hasTrait<OpTrait::IsTerminator>() ||
           (op->getNumRegions() && !isa<tt::Combining>(op)) ||
           llvm::any_of(op->getOperands(), [&](Value operand) {
             return llvm::is_contained(waiting, operand.getDefiningOp());
           });
  }

  /// What waits becomes one operation, in front of `at`.
  void group(Operation *at) {
    SmallVector<Operation *> ops = std::exchange(waiting, {});
    const Skip &skip = *plan.of(ops.front());
    SmallVector<Value> results;
    for (Operation *op : ops)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(),
                         [&](Operation *user) { return !llvm::is_contained(ops, user); }))
          results.push_back(result);
    OpBuilder b(at);
    auto body = b.create<SkipMaskedOp>(at->getLoc(), ValueRange(results).getTypes(), skip.mask,
                                       skip.axis, skip.from);
    Block &block = body.getBody().emplaceBlock();
    for (Operation *op : ops)
      op->moveBefore(&block, block.end());
    for (auto [result, outside] : llvm::zip_equal(results, body.getResults()))
      result.replaceUsesWithIf(outside,
                               [&](OpOperand &use) { return !body->isAncestor(use.getOwner()); });
    b.setInsertionPointToEnd(&block);
    b.create<YieldOp>(at->getLoc(), results);
  }

  const SkipPlan &plan;
  SmallVector<Operation *> waiting; ///< element-wise members of one mask
};

void skipIn(tt::FuncOp func) {
  SmallVector<tt::LoadOp> loads;
  func.walk([&](tt::LoadOp load) {
    if (load.getMask() && tt::isTile(load.getMask().getType()))
      loads.push_back(load);
  });
  if (loads.empty())
    return;
  AxisInfoAnalysis axes(func);
  SkipPlan plan(axes);
  for (tt::LoadOp load : loads)
    plan.add(load);
  if (plan.isEmpty())
    return;
  func.walk([&](Block *block) { hoistAddresses(*block, plan); });
  llvm::SetVector<Block *> blocks;
  for (tt::LoadOp load : loads)
    blocks.insert(load->getBlock());
  for (Block *block : blocks)
    Grouper(plan).run(*block);
}

struct SkipMaskedRegistersPass : impl::SkipMaskedRegistersBase<SkipMaskedRegistersPass> {
  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>())
      return signalPassFailure();
    for (auto func : getOperation().getOps<tt::FuncOp>())
      if (!func.isExternal())
        skipIn(func);
  }
};
} // namespace

} // namespace tritium::ttg
