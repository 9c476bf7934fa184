//===- RowSlices.cpp - a program whose CTAs have a slice of its row each --===//
//
// Of a tile's dimension of the row's extent N a CTA has the N/C places from its rank * N/C on. What
// is at the same place of all tiles stays together, so that only two operations change in more than
// their types: a range, which begins elsewhere, and a reduction along the row, whose result of each
// CTA all of them gather and reduce again, in the order of the ranks.
//
//===----------------------------------------------------------------------===//

#include "RowSlices.h"

#include "tritium/Analysis/Disjoint.h"
#include "tritium/Analysis/Distinct.h"
#include "tritium/Analysis/PointerBases.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
bool isOfRow(Type type, int64_t extent) {
  return tt::isTile(type) && llvm::is_contained(tt::shapeOf(type), extent);
}

bool touchesRow(Operation *op, int64_t extent) {
  auto isRow = [&](Type type) { return isOfRow(type, extent); };
  return llvm::any_of(op->getOperandTypes(), isRow) || llvm::any_of(op->getResultTypes(), isRow);
}

bool reducesRow(Operation *op, int64_t extent) {
  auto reduce = dyn_cast<tt::ReduceOp>(op);
  return reduce && tt::shapeOf(reduce.getSrcs()[0].getType())[reduce.getAxis()] == extent;
}

/// What needs, for a place of the row, nothing but that place of its operands.
bool keepsPlaces(Operation *op) {
  return isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::MakeRangeOp, tt::LoadOp,
             tt::StoreOp, tt::ReduceOp, arith::ConstantOp, scf::ForOp, scf::WhileOp, scf::IfOp,
             scf::YieldOp, scf::ConditionOp>(op) ||
         op->hasTrait<tt::Elementwise>() ||
         (op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op));
}

/// Every CTA may do it, and nobody sees that they all do.
bool mayBeRepeated(Operation *op) {
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return !load.getIsVolatile() && load.getCache() != tt::CacheModifier::CV;
  return isa<tt::StoreOp, scf::ForOp, scf::WhileOp, scf::IfOp, scf::YieldOp, scf::ConditionOp,
             tt::ReturnOp, tt::AssumeOp>(op) ||
         (isMemoryEffectFree(op) && !isa<tt::InlineAsmOp, tt::MapElementwiseOp>(op));
}

std::string obstacleOf(Operation *op, int64_t extent) {
  if (!mayBeRepeated(op))
    return "this is done once for a program, and may tell on how many CTAs it runs";
  if (!touchesRow(op, extent))
    return "";
  if (!keepsPlaces(op))
    return "this brings elements to other places of the row";
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (constant && !isa<SplatElementsAttr>(constant.getValue()))
    return "this constant differs from place to place of the row";
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types)
    if (isOfRow(type, extent) && llvm::count(tt::shapeOf(type), extent) > 1)
      return "two dimensions of this tile are as long as the row";
  for (StringRef hint : {"tt.contiguity", "tt.constancy", "tt.divisibility"})
    if (op->hasAttr(hint))
      return "this hint is about the whole row";
  if (!reducesRow(op, extent))
    return "";
  if (!isa<tt::FuncOp>(op->getParentOp()))
    return "this reduction stands in a loop or branch";
  for (Type type : op->getResultTypes())
    if (tt::isTile(type) && !llvm::all_of(tt::shapeOf(type), llvm::isPowerOf2_64))
      return "the extents of this reduction's result are no powers of two";
  return "";
}

/// A barrier of the cluster, at a reduction of the row, stands between two accesses.
bool isExchangeBetween(Operation *first, Operation *second, int64_t extent) {
  Block *body = &first->getParentOfType<tt::FuncOp>().getBody().front();
  Operation *from = body->findAncestorOpInBlock(*first), *to = body->findAncestorOpInBlock(*second);
  for (Operation *op = from; op && op != to; op = op->getNextNode())
    if (reducesRow(op, extent))
      return true;
  return false;
}

/// The CTA that has a place of the row accesses it, and no other one does.
bool isOfOneCTA(Operation *first, Operation *second, int64_t extent) {
  Value pointer = first->getOperand(0);
  IntegerRanges ranges;
  Strides strides(ranges);
  return pointer == second->getOperand(0) && isOfRow(pointer.getType(), extent) &&
         distinctAddresses(pointer, strides);
}

} // namespace

Operation *findUnordered(tt::FuncOp kernel, int64_t extent, bool mayAlias) {
  SmallVector<Operation *> accesses;
  kernel.walk([&](tt::MemoryAccess access) { accesses.push_back(access); });
  auto writes = [](Operation *op) { return cast<tt::MemoryAccess>(op).writes(); };
  auto isUnordered = [&](Operation *first, Operation *second, bool earlier) {
    return (writes(first) || writes(second)) &&
           (mayAlias || mayShareBase(first->getOperand(0), second->getOperand(0))) &&
           !neverMeet(second, first, earlier);
  };
  for (auto [i, second] : llvm::enumerate(accesses))
    for (Operation *first : ArrayRef(accesses).take_front(i + 1)) {
      auto loop = second->getParentOfType<LoopLikeOpInterface>();
      while (loop && !loop->isAncestor(first))
        loop = loop->getParentOfType<LoopLikeOpInterface>();
      // Either one comes first in some iteration.
      if (loop && (isUnordered(first, second, true) || isUnordered(second, first, true)))
        return second;
      if (first != second && isUnordered(first, second, false) &&
          !isOfOneCTA(first, second, extent) && !isExchangeBetween(first, second, extent))
        return second;
    }
  return nullptr;
}

namespace {
class Slicer {
public:
  Slicer(tt::FuncOp kernel, int64_t extent, int ctas)
      : kernel(kernel), extent(extent), ctas(ctas), b(kernel.getContext()) {
    b.setInsertionPointToStart(&kernel.getBody().front());
    rank = b.create<ttng::ClusterRankOp>(kernel.getLoc(), b.getI32Type());
  }

  void run() {
    SmallVector<Operation *> all;
    kernel.getBody().walk([&](Operation *op) {
      if (!op->getParentOfType<tt::ReduceOp>())
        all.push_back(op);
    });
    for (Operation *op : all) {
      if (auto store = dyn_cast<tt::StoreOp>(op); store && !touchesRow(op, extent))
        storeOnce(store);
      else if (reducesRow(op, extent))
        gather(cast<tt::ReduceOp>(op));
    }
    for (Operation *op : all)
      slice(op);
    for (Operation *op : all)
      if (auto range = dyn_cast<tt::MakeRangeOp>(op); range && ranges.contains(op))
        moveRange(range);
  }

private:
  Type sliced(Type type) const {
    if (!isOfRow(type, extent))
      return type;
    SmallVector<int64_t> shape(tt::shapeOf(type));
    std::replace(shape.begin(), shape.end(), extent, extent / ctas);
    return RankedTensorType::get(shape, tt::elementType(type));
  }

  void slice(Operation *op) {
    if (auto range = dyn_cast<tt::MakeRangeOp>(op); range && isOfRow(range.getType(), extent)) {
      range.setEnd(range.getStart() + extent / ctas);
      ranges.insert(op);
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
        constant.setValueAttr(splat.resizeSplat(cast<ShapedType>(sliced(constant.getType()))));
    for (Value result : op->getResults())
      result.setType(sliced(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(sliced(argument.getType()));
  }

  /// From the rank's first place on.
  void moveRange(tt::MakeRangeOp range) {
    b.setInsertionPointAfter(range);
    Location loc = range.getLoc();
    Value length = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(int32_t(extent / ctas)));
    // Ranks are few, and ranges end below 2^31.
    constexpr auto never = arith::IntegerOverflowFlags::nsw;
    Value first = b.create<arith::MulIOp>(loc, rank, length, never);
    Value firsts = b.create<tt::SplatOp>(loc, range.getType(), first);
    auto moved = b.create<arith::AddIOp>(loc, range, firsts, never);
    range.getResult().replaceAllUsesExcept(moved, moved);
  }

  /// What all CTAs have is stored by the first one.
  void storeOnce(tt::StoreOp store) {
    b.setInsertionPoint(store);
    Location loc = store.getLoc();
    Value zero = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(0));
    Value mask = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, rank, zero);
    if (Type type = store.getPtr().getType(); tt::isTile(type))
      mask =
          b.create<tt::SplatOp>(loc, RankedTensorType::get(tt::shapeOf(type), b.getI1Type()), mask);
    if (Value own = store.getMask())
      mask = b.create<arith::AndIOp>(loc, own, mask);
    store.getMaskMutable().assign(mask);
  }

  /// The same reduction of what each CTA has found.
  void gather(tt::ReduceOp reduce) {
    b.setInsertionPointAfter(reduce);
    Location loc = reduce.getLoc();
    SmallVector<Value> all;
    for (Value own : reduce.getResults()) {
      SmallVector<int64_t> shape{ctas};
      llvm::append_range(shape, tt::shapeOf(own.getType()));
      all.push_back(b.create<ttng::ClusterGatherOp>(
          loc, RankedTensorType::get(shape, tt::elementType(own.getType())), own));
    }
    auto total = cast<tt::ReduceOp>(b.clone(*reduce));
    total->setOperands(all);
    total.setAxis(0);
    for (auto [own, result] : llvm::zip(reduce.getResults(), total.getResults()))
      own.replaceUsesWithIf(
          result, [](OpOperand &use) { return !isa<ttng::ClusterGatherOp>(use.getOwner()); });
  }

  tt::FuncOp kernel;
  int64_t extent;
  int ctas;
  OpBuilder b;
  Value rank;
  llvm::SmallPtrSet<Operation *, 4> ranges; ///< of the row
};
} // namespace

RowObstacle findObstacle(tt::FuncOp kernel, int64_t extent) {
  RowObstacle found;
  kernel.getBody().walk([&](Operation *op) {
    if (op->getParentOfType<tt::ReduceOp>())
      return WalkResult::advance();
    found = {op, obstacleOf(op, extent)};
    return found.why.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return found.why.empty() ? RowObstacle() : found;
}

void sliceRows(tt::FuncOp kernel, int64_t extent, int ctas) { Slicer(kernel, extent, ctas).run(); }

} // namespace tritium::ttg
