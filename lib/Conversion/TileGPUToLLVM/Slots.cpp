//===- Slots.cpp - which operations leave out slots -----------------------===//
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
// A member whose result others read, but that is not filled, has to compute all of it and so
// has everything that it reads: it is struck off, until nothing changes.
//
//===----------------------------------------------------------------------===//

#include "Slots.h"

#include "tritium/Analysis/MaskRuns.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;

namespace tritium::ttg {

SmallVector<unsigned, 16> Slot::registers() const {
  SmallVector<unsigned, 16> all;
  for (ArrayRef<unsigned> strand : strands)
    all.append(strand.begin(), strand.end());
  return all;
}

namespace {
/// Fewer registers are not worth a branch.
constexpr unsigned kLeastStrand = 4;
/// Nor are fewer instructions for a slot.
constexpr unsigned kLeastCost = 24;
constexpr unsigned kMostSlots = 2;
/// Of all tiles that are loaded under the mask. Branches keep the assembler from loading the parts
/// of some tiles one after the other, for which there are no registers beside larger ones.
constexpr unsigned kMostRegisters = 48;

/// All programs compute the same.
bool isSameForAll(Value value, int depth = 16) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<tt::FuncOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
  return depth && isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         !isa<tt::GetProgramIdOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value x) { return isSameForAll(x, depth - 1); });
}

/// One of the mask's terms is a bound along `dim` that is the same for all programs.
bool hasFixedBound(Value mask, unsigned dim, const AxisInfoAnalysis &axes) {
  Operation *op = mask.getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op))
    return hasFixedBound(both.getLhs(), dim, axes) || hasFixedBound(both.getRhs(), dim, axes);
  if (Value same = op ? sameTile(op) : Value())
    return hasFixedBound(same, dim, axes);
  if (auto broadcast = dyn_cast_or_null<tt::BroadcastOp>(op))
    return hasFixedBound(broadcast.getSrc(), dim, axes);
  if (auto expand = dyn_cast_or_null<tt::ExpandDimsOp>(op)) {
    unsigned axis = expand.getAxis();
    return dim != axis && hasFixedBound(expand.getSrc(), dim - (dim > axis), axes);
  }
  return isa_and_nonnull<arith::CmpIOp>(op) &&
         axes.get(mask).constancy[dim] < tt::shapeOf(mask.getType())[dim] && isSameForAll(mask);
}

/// Instructions for one element, roughly.
unsigned costOf(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) ? 8
         : isa<arith::DivFOp>(op)                 ? 2
         : isa<arith::DivSIOp, arith::DivUIOp, arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(op)
             ? 16
             : 1;
}
} // namespace

bool SlotPlan::implies(Value mask, Value of) {
  if (mask == of)
    return true;
  auto both = mask ? mask.getDefiningOp<arith::AndIOp>() : arith::AndIOp();
  return both && (implies(both.getLhs(), of) || implies(both.getRhs(), of));
}

bool SlotPlan::isFilled(Value tile, const SlotMask &mask) const {
  return filled.lookup(tile) == &mask;
}

bool SlotPlan::isWantedEverywhere(Value tile, const SlotMask &mask) const {
  return llvm::any_of(tile.getUsers(),
                      [&](Operation *user) { return members.lookup(user) != &mask; });
}

class SlotPlan::Builder {
public:
  Builder(SlotPlan &plan, const AxisInfoAnalysis &axes, LayoutOf layout)
      : plan(plan), axes(axes), layout(layout) {}

  void run(tt::LoadOp load) {
    Value mask = load.getMask();
    if (!mask || !tt::isTile(mask.getType()) || !seen.insert({mask, load->getBlock()}).second)
      return;
    std::optional<SlotMask> slots = slotsOf(mask);
    if (!slots)
      return;
    plan.masks.push_back(std::move(*slots));
    const SlotMask &entry = plan.masks.back();
    for (Operation &op : *load->getBlock())
      visit(&op, entry);
    strikeOff(entry);
    unsigned cost = 0;
    for (Operation *op : added)
      if (plan.members.contains(op))
        cost += costOf(op);
    if (cost * entry.slots[0].registers().size() < kLeastCost ||
        loads * layout(mask).registers() > kMostRegisters)
      forget(entry);
    added.clear();
    loads = 0;
  }

private:
  std::optional<SlotMask> slotsOf(Value mask) {
    const TileLayout &tile = layout(mask);
    if (tile.hasPadding() || !tile.registersAreApart())
      return {};
    for (unsigned d = 0; d < tile.rank(); ++d) {
      int64_t extent = tile.extents()[d];
      MaskRuns runs = maskRuns(mask, d, extent, axes);
      if (runs.width == extent && runs.falls && !runs.rises && hasFixedBound(mask, d, axes))
        if (std::optional<SlotMask> slots = slotsAlong(mask, tile, d))
          return slots;
    }
    return {};
  }

  std::optional<SlotMask> slotsAlong(Value mask, const TileLayout &tile, unsigned d) {
    int64_t furthestWarp = 0;
    for (uint64_t base : tile.core().bases(kWarp))
      furthestWarp |= tile.core().unflatten(base)[d];
    SlotMask result{mask, d, {}, {}};
    std::map<int64_t, SmallVector<unsigned>> places; // along d, in the upper half
    for (unsigned r = 0; r < tile.registers(); ++r) {
      int64_t place = tile.offset(r)[d];
      // Whole vectors are inside or not.
      int64_t start = place - place % tile.contiguous(d);
      if (2 * (start + furthestWarp) >= tile.extents()[d])
        places[place].push_back(r);
      else
        result.always.push_back(r);
    }
    unsigned vector = tile.contiguous(d);
    unsigned count = std::min<unsigned>(kMostSlots, places.size() / std::max(kLeastStrand, vector));
    if (count == 0)
      return {};
    if (places.size() % (count * vector) != 0)
      count = 1;
    unsigned each = places.size() / count, seen = 0;
    std::map<Coordinates, unsigned> strandOf;
    for (auto &[place, registers] : places) {
      if (seen++ % each == 0) {
        result.slots.emplace_back();
        strandOf.clear();
      }
      auto &strands = result.slots.back().strands;
      for (unsigned r : registers) {
        Coordinates key = tile.offset(r);
        key[d] = 0;
        auto [it, isNew] = strandOf.try_emplace(key, strands.size());
        if (isNew)
          strands.emplace_back();
        strands[it->second].push_back(r);
      }
    }
    return result;
  }

  bool hasLayoutOf(Value tile, const SlotMask &slots) {
    auto type = dyn_cast<RankedTensorType>(tile.getType());
    auto mask = cast<RankedTensorType>(slots.mask.getType());
    return type && type.getShape() == mask.getShape() && type.getEncoding() == mask.getEncoding();
  }

  /// One value for all of a strand, inside of the mask, too.
  bool isUniform(Value tile, const SlotMask &slots) {
    return axes.get(tile).constancy[slots.dim] == tt::shapeOf(tile.getType())[slots.dim];
  }

  /// One value for all of a strand where the mask lets nothing in.
  bool isKnown(Value tile, const SlotMask &slots) {
    return plan.isFilled(tile, slots) || implies(tile, slots.mask) || isUniform(tile, slots);
  }

  void visit(Operation *op, const SlotMask &slots) {
    if (plan.members.contains(op))
      return;
    auto follows = [&](Value x) {
      Operation *maker = x.getDefiningOp();
      return plan.isFilled(x, slots) || (maker && plan.members.lookup(maker) == &slots);
    };
    auto fill = [&] { plan.filled.try_emplace(op->getResult(0), &slots); };
    auto join = [&] {
      plan.members[op] = &slots;
      added.push_back(op);
    };
    if (auto load = dyn_cast<tt::LoadOp>(op)) {
      if (load.getMask() && implies(load.getMask(), slots.mask) && !load.getIsVolatile() &&
          (!load.getOther() || isKnown(load.getOther(), slots)))
        fill();
      loads += plan.isFilled(op->getResult(0), slots);
      return;
    }
    if (auto store = dyn_cast<tt::StoreOp>(op)) {
      if (store.getMask() && implies(store.getMask(), slots.mask) && follows(store.getValue()))
        join();
      return;
    }
    if (isa<tt::ReduceOp, WarpReduceOp>(op)) {
      unsigned axis = isa<tt::ReduceOp>(op) ? cast<tt::ReduceOp>(op).getAxis()
                                            : cast<WarpReduceOp>(op).getAxis();
      if (axis == slots.dim &&
          llvm::all_of(op->getOperands(), [&](Value x) { return plan.isFilled(x, slots); }))
        join();
      return;
    }
    if (op->getNumResults() != 1 || op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
        !hasLayoutOf(op->getResult(0), slots) || !isElementwise(op))
      return;
    auto select = dyn_cast<arith::SelectOp>(op);
    bool chooses = select && implies(select.getCondition(), slots.mask);
    if (!chooses && llvm::none_of(op->getOperands(), follows))
      return;
    join();
    if (chooses ? isKnown(select.getFalseValue(), slots)
                : llvm::all_of(op->getOperands(), [&](Value x) { return isKnown(x, slots); }))
      fill();
  }

  static bool isElementwise(Operation *op) {
    return OpTrait::hasElementwiseMappableTraits(op) || isa<tt::BitcastOp>(op);
  }

  void strikeOff(const SlotMask &slots) {
    for (bool changed = true; changed;) {
      changed = false;
      for (Operation *op : added) {
        if (!plan.members.contains(op) || op->getNumResults() != 1 || !isElementwise(op) ||
            plan.isFilled(op->getResult(0), slots) ||
            !plan.isWantedEverywhere(op->getResult(0), slots))
          continue;
        plan.members.erase(op);
        changed = true;
      }
    }
  }

  void forget(const SlotMask &slots) {
    for (Operation *op : added)
      plan.members.erase(op);
  }

  SlotPlan &plan;
  const AxisInfoAnalysis &axes;
  LayoutOf layout;
  SmallVector<Operation *> added;
  unsigned loads = 0; ///< under the mask
  llvm::DenseSet<std::pair<Value, Block *>> seen;
};

SlotPlan::SlotPlan(tt::FuncOp kernel, const AxisInfoAnalysis &axes, LayoutOf layout) {
  Builder builder(*this, axes, layout);
  kernel.walk([&](tt::LoadOp load) { builder.run(load); });
}

/// Neither data nor exchanged between lanes.
static bool isAddressing(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         !isa<ConvertLayoutOp, MemDescIndexOp, MemDescTransOp, MemDescReshapeOp>(op) &&
         !isa<FloatType>(tt::elementType(op->getResult(0).getType()));
}

void SlotPlan::hoistAddresses(tt::FuncOp kernel) const {
  kernel.walk([&](Block *block) {
    auto first = llvm::find_if(*block, [&](Operation &op) { return members.contains(&op); });
    if (first == block->end())
      return;
    for (Operation &op : llvm::make_early_inc_range(llvm::make_range(first, block->end())))
      if (!members.contains(&op) && isAddressing(&op) &&
          llvm::all_of(op.getOperands(), [&](Value x) {
            Operation *maker = x.getDefiningOp();
            return !maker || maker->getBlock() != block || maker->isBeforeInBlock(&*first);
          }))
        op.moveBefore(&*first);
  });
}

} // namespace tritium::ttg
