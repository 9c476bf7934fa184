//===- DescriptorsToPointers.cpp - tt-descriptors-to-pointers -------------===//
//
// An access through a tensor descriptor becomes one through a tile of pointers and a mask, for
// targets that do not copy blocks:
//
//   %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] : !tt.tensordesc<16x32xf32>
//   %x = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<16x32xf32>
//
//   %rows = range(16) as 16x1, %columns = range(32) as 1x32
//   %tile = splat(%p) + %rows * %s + %columns
//   %pointers = %tile + splat(%i * %s + %j)
//   %mask = (%rows >= -%i and %rows < %m - %i) and (%columns >= -%j and %columns < %n - %j)
//   %x = tt.load %pointers, %mask, %zero
//
// The scalar is made of the indices that the innermost loop around the access changes; the others
// are added to the ranges. So the tile of pointers does not change while the loop moves over
// blocks, which is the form that the analyses and the targets know best, and it does depend on
// the blocks of an outer loop, across which nobody should keep it in registers.
// Offsets are exact: they are i64. The bounds of the mask are computed in i64 and cut to
// [0, 16], so comparisons of elements are of i32; those that ranges prove are left out.
//
// A descriptor that a loop or a branch carries is carried as what it is made of: base, extents,
// strides. One that comes from elsewhere, a parameter of a function or a call, is an error: the
// pass runs behind the inliner.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/IntegerRanges.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_DESCRIPTORSTOPOINTERS
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
//===----------------------------------------------------------------------===//
// What control flow carries
//===----------------------------------------------------------------------===//

bool isDescriptor(Type type) { return isa<TensorDescType>(type); }

/// The types of what a descriptor is made of.
void appendParts(TensorDescType type, SmallVectorImpl<Type> &types) {
  types.push_back(baseOf(type));
  types.append(2 * type.getRank(), IntegerType::get(type.getContext(), 64));
}

SmallVector<Type> partTypes(TypeRange types) {
  SmallVector<Type> result;
  for (Type type : types)
    if (auto descriptor = dyn_cast<TensorDescType>(type))
      appendParts(descriptor, result);
    else
      result.push_back(type);
  return result;
}

/// The values with the parts of descriptors in their place. Nothing, with an error, if a
/// descriptor is not made by an operation that can be seen.
FailureOr<SmallVector<Value>> partsOf(Operation *user, ValueRange values) {
  SmallVector<Value> result;
  for (Value value : values) {
    if (!isDescriptor(value.getType())) {
      result.push_back(value);
      continue;
    }
    auto make = value.getDefiningOp<MakeTensorDescriptorOp>();
    if (!make)
      return user->emitOpError("uses a tensor descriptor that no tt.make_tensor_descriptor of "
                               "this function makes; calls must have been inlined");
    llvm::append_range(result, make.getOperands());
  }
  return result;
}

/// Makes `old`, if it is a descriptor, of the front of `values`, which is advanced.
Value fromParts(OpBuilder &builder, Value old, ValueRange &values) {
  auto type = dyn_cast<TensorDescType>(old.getType());
  int64_t rank = type ? type.getRank() : 0;
  ValueRange parts = values.take_front(1 + 2 * rank);
  values = values.drop_front(parts.size());
  if (!type)
    return parts.front();
  return builder.create<MakeTensorDescriptorOp>(old.getLoc(), type, parts.front(),
                                                parts.slice(1, rank), parts.drop_front(1 + rank));
}

bool carriesDescriptor(Operation *op) {
  auto areArguments = [](Region &region) {
    return llvm::any_of(region.getArgumentTypes(), isDescriptor);
  };
  return llvm::any_of(op->getResultTypes(), isDescriptor) ||
         llvm::any_of(op->getOperandTypes(), isDescriptor) ||
         llvm::any_of(op->getRegions(), areArguments);
}

LogicalResult openBlock(Block &block);

/// The region's arguments in parts, behind them descriptors made of these.
LogicalResult openRegion(Region &region) {
  if (region.empty())
    return success();
  Block &block = region.front();
  OpBuilder builder(region.getContext());
  builder.setInsertionPointToStart(&block);
  SmallVector<Value> old(block.getArguments());
  SmallVector<Type> types = partTypes(block.getArgumentTypes());
  if (types.size() != old.size()) {
    SmallVector<Location> locations(types.size(), region.getLoc());
    block.addArguments(types, locations);
    ValueRange added = ValueRange(block.getArguments()).drop_front(old.size());
    for (Value value : old)
      value.replaceAllUsesWith(fromParts(builder, value, added));
    block.eraseArguments(0, old.size());
  }
  if (failed(openBlock(block)))
    return failure();
  Operation *end = block.getTerminator();
  FailureOr<SmallVector<Value>> yielded = partsOf(end, end->getOperands());
  if (failed(yielded))
    return failure();
  end->setOperands(*yielded);
  return success();
}

/// A loop or a branch that carries parts.
LogicalResult openControlFlow(Operation *op) {
  FailureOr<SmallVector<Value>> operands = partsOf(op, op->getOperands());
  if (failed(operands))
    return failure();
  OperationState state(op->getLoc(), op->getName(), *operands, partTypes(op->getResultTypes()),
                       op->getAttrs());
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  OpBuilder builder(op);
  Operation *opened = builder.create(state);
  for (Region &region : opened->getRegions())
    if (failed(openRegion(region)))
      return failure();
  ValueRange results = opened->getResults();
  for (Value old : op->getResults())
    old.replaceAllUsesWith(fromParts(builder, old, results));
  op->erase();
  return success();
}

LogicalResult openSelect(arith::SelectOp op) {
  FailureOr<SmallVector<Value>> yes = partsOf(op, op.getTrueValue()),
                                no = partsOf(op, op.getFalseValue());
  if (failed(yes) || failed(no))
    return failure();
  OpBuilder builder(op);
  SmallVector<Value> parts;
  for (auto [a, b] : llvm::zip(*yes, *no))
    parts.push_back(builder.createOrFold<arith::SelectOp>(op.getLoc(), op.getCondition(), a, b));
  ValueRange values = parts;
  op.replaceAllUsesWith(fromParts(builder, op, values));
  op->erase();
  return success();
}

/// Lets control flow in `block` carry the parts of descriptors, so that each descriptor is made
/// by an operation: from the front, as what is used is made further up.
LogicalResult openBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    LogicalResult opened = success();
    if (auto select = dyn_cast<arith::SelectOp>(op); select && isDescriptor(select.getType()))
      opened = openSelect(select);
    else if (op.getNumRegions() && carriesDescriptor(&op))
      opened = openControlFlow(&op);
    else
      for (Region &region : op.getRegions())
        if (succeeded(opened))
          opened = openRegion(region);
    if (failed(opened))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Pointers and masks
//===----------------------------------------------------------------------===//

/// Where a block lies along one dimension of its array.
struct BlockIndex {
  Value start;           ///< the first element, an i64; or
  bool isList = false;   ///< `start` is a tile: the elements, one for each of the block
  bool isChecked = true; ///< what lies outside is masked off
};

/// The pointers of a block, and which of them lie within the array (null: all do).
struct BlockPointers {
  Value pointers, mask;
};

/// The innermost loop around `op`, unless it holds another one.
LoopLikeOpInterface innermostLoop(Operation *op) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  if (!loop)
    return loop;
  WalkResult result = loop->walk([&](LoopLikeOpInterface inner) {
    return inner == loop ? WalkResult::advance() : WalkResult::interrupt();
  });
  return result.wasInterrupted() ? LoopLikeOpInterface() : loop;
}

bool isConstant(Value value, int64_t number) {
  APInt known;
  return matchPattern(value, m_ConstantInt(&known)) && known.trySExtValue() == number;
}

/// Builds the pointers and the mask of one block in front of an access.
class BlockBuilder {
public:
  BlockBuilder(Operation *access, MakeTensorDescriptorOp array, ArrayRef<int64_t> shape,
               IntegerRanges &ranges)
      : loop(innermostLoop(access)), array(array), shape(shape), ranges(ranges), b(access),
        loc(access->getLoc()) {}

  BlockPointers build(ArrayRef<BlockIndex> indices) {
    // Dimension by dimension, so that what varies along the last one only stays a row.
    SmallVector<int64_t> grown(shape.size(), 1);
    Value pointers = shaped(array.getBase(), grown), offset, mask;
    for (auto [d, index] : llvm::enumerate(indices)) {
      auto rangeType = RankedTensorType::get(shape[d], b.getI32Type());
      Value range = b.create<MakeRangeOp>(loc, rangeType, 0, static_cast<uint32_t>(shape[d]));
      bool moves = !index.isList && loop && !loop.isDefinedOutsideOfLoop(index.start);
      Value steps = index.isList ? index.start : moves ? range : shifted(range, index.start);
      grown[d] = shape[d];
      pointers = moved(shaped(pointers, grown), shaped(along(d, times(steps, d)), grown));
      if (moves)
        offset = sum(offset, times(index.start, d));
      if (index.isChecked)
        mask = both(mask, index.isList ? listInside(d, index.start) : rangeInside(d, index, range));
    }
    if (offset)
      pointers = moved(pointers, shaped(offset, shape));
    return {pointers, mask ? shaped(mask, shape) : mask};
  }

private:
  Value constant(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); }

  Value moved(Value pointers, Value offsets) {
    return b.create<AddPtrOp>(loc, pointers.getType(), pointers, offsets);
  }

  /// A scalar, or a tile with extents of 1, repeated to `extents`.
  Value shaped(Value value, ArrayRef<int64_t> extents) {
    if (shapeOf(value.getType()) == extents)
      return value;
    auto type = RankedTensorType::get(extents, elementType(value.getType()));
    if (isa<RankedTensorType>(value.getType()))
      return b.create<BroadcastOp>(loc, type, value);
    return b.createOrFold<SplatOp>(loc, type, value);
  }

  /// A tile of one dimension as dimension `d` of the block.
  Value along(size_t d, Value tile) {
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (axis == d)
        continue;
      SmallVector<int64_t> extents(shapeOf(tile.getType()));
      extents.insert(extents.begin() + axis, 1);
      auto type = RankedTensorType::get(extents, elementType(tile.getType()));
      tile = b.create<ExpandDimsOp>(loc, type, tile, axis);
    }
    return tile;
  }

  Value wide(Value value) {
    Type type = withElement(value.getType(), b.getI64Type());
    return type == value.getType() ? value : b.create<arith::ExtSIOp>(loc, type, value);
  }

  Value shifted(Value range, Value start) {
    if (isConstant(start, 0))
      return range;
    return b.create<arith::AddIOp>(loc, shaped(start, shapeOf(range.getType())), wide(range));
  }

  /// Elements from the base: indices along dimension d by its stride.
  Value times(Value indices, size_t d) {
    if (isConstant(array.getStrides()[d], 1))
      return indices;
    Value stride = shaped(array.getStrides()[d], shapeOf(indices.getType()));
    return b.create<arith::MulIOp>(loc, wide(indices), stride);
  }

  Value sum(Value x, Value y) {
    if (!x || isConstant(x, 0))
      return y;
    return isConstant(y, 0) ? x : b.create<arith::AddIOp>(loc, x, y);
  }

  /// Conditions of two tiles, either of which may be null, or have extents of 1.
  Value both(Value x, Value y) {
    if (!x || !y)
      return x ? x : y;
    SmallVector<int64_t> common;
    for (auto [m, n] : llvm::zip(shapeOf(x.getType()), shapeOf(y.getType())))
      common.push_back(std::max(m, n));
    return b.create<arith::AndIOp>(loc, shaped(x, common), shaped(y, common));
  }

  Value compare(arith::CmpIPredicate predicate, Value x, Value bound) {
    return b.create<arith::CmpIOp>(loc, predicate, x, shaped(bound, shapeOf(x.getType())));
  }

  /// min(max(x - y, 0), extent) as i32.
  Value distance(Value x, Value y, int64_t extent) {
    Value value = b.create<arith::SubIOp>(loc, x, y);
    value = b.create<arith::MaxSIOp>(loc, value, constant(0));
    value = b.create<arith::MinSIOp>(loc, value, constant(extent));
    return b.create<arith::TruncIOp>(loc, b.getI32Type(), value);
  }

  /// Which elements of [start, start + extent) lie within the array; null if all do.
  Value rangeInside(size_t d, const BlockIndex &index, Value range) {
    Value mask, size = array.getShape()[d];
    int64_t extent = shape[d];
    IntegerRange starts = ranges.get(index.start), sizes = ranges.get(size);
    if (starts.low < 0)
      mask = compare(arith::CmpIPredicate::sge, range, distance(constant(0), index.start, extent));
    bool endsInside = sizes.low >= extent && starts.high <= sizes.low - extent;
    if (!endsInside)
      mask = both(mask,
                  compare(arith::CmpIPredicate::slt, range, distance(size, index.start, extent)));
    return mask ? along(d, mask) : mask;
  }

  Value listInside(size_t d, Value indices) {
    Value low = compare(arith::CmpIPredicate::sge, indices, constant(0));
    Value high = compare(arith::CmpIPredicate::slt, indices, array.getShape()[d]);
    return along(d, both(low, high));
  }

  LoopLikeOpInterface loop;
  MakeTensorDescriptorOp array;
  ArrayRef<int64_t> shape;
  IntegerRanges &ranges;
  OpBuilder b;
  Location loc;
};

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// A tile that is all padding.
Value padding(OpBuilder &b, Location loc, TensorDescType array, RankedTensorType type) {
  Type element = array.getElementType();
  if (isa<PointerType>(element)) {
    Type integers = withElement(type, b.getI64Type());
    Value zero = b.create<arith::ConstantOp>(loc, integers, b.getZeroAttr(integers));
    return b.create<IntToPtrOp>(loc, type, zero);
  }
  TypedAttr value = b.getZeroAttr(element);
  if (array.getPadsWithNaN())
    value = b.getFloatAttr(element, APFloat::getQNaN(cast<FloatType>(element).getFloatSemantics()));
  return b.create<arith::ConstantOp>(loc, type, DenseElementsAttr::get(type, value));
}

/// Builds what accesses become, and leaves them: what is known of ranges is known by the values,
/// so that none may go in between.
class AccessRewriter {
public:
  void rewrite(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](DescriptorLoadOp op) {
          BlockPointers block = blockAt(op, op.getDesc(), op.getIndices(), op.getInBounds());
          replace(op, op.getDesc(), block, op.getCache(), op.getEvict(), op.getIsVolatile());
        })
        .Case([&](DescriptorGatherOp op) {
          replace(op, op.getDesc(), rowsAt(op, op.getRows(), op.getColumn(), op.getType()),
                  CacheModifier::NONE, EvictionPolicy::NORMAL, false);
        })
        .Case([&](DescriptorStoreOp op) {
          BlockPointers block = blockAt(op, op.getDesc(), op.getIndices(), op.getInBounds());
          OpBuilder(op).create<StoreOp>(op.getLoc(), block.pointers, op.getValue(), block.mask,
                                        op.getCache(), op.getEvict());
        })
        .Case([&](DescriptorScatterOp op) {
          BlockPointers rows = rowsAt(op, op.getRows(), op.getColumn(), op.getValue().getType());
          OpBuilder(op).create<StoreOp>(op.getLoc(), rows.pointers, op.getValue(), rows.mask);
        })
        .Case([&](DescriptorReduceOp op) { reduce(op); });
  }

private:
  BlockPointers blockAt(Operation *op, Value desc, ValueRange starts,
                        std::optional<ArrayRef<bool>> inBounds) {
    auto array = desc.getDefiningOp<MakeTensorDescriptorOp>();
    SmallVector<BlockIndex> indices;
    for (auto [d, start] : llvm::enumerate(starts))
      indices.push_back({start, /*isList=*/false, /*isChecked=*/!inBounds || !(*inBounds)[d]});
    return BlockBuilder(op, array, array.getType().getBlockShape(), ranges).build(indices);
  }

  BlockPointers rowsAt(Operation *op, Value rows, Value column, RankedTensorType tile) {
    auto array = op->getOperand(0).getDefiningOp<MakeTensorDescriptorOp>();
    return BlockBuilder(op, array, tile.getShape(), ranges)
        .build({{rows, /*isList=*/true}, {column}});
  }

  void replace(Operation *op, TypedValue<TensorDescType> desc, BlockPointers block,
               CacheModifier cache, EvictionPolicy evict, bool isVolatile) {
    OpBuilder b(op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value other = block.mask ? padding(b, op->getLoc(), desc.getType(), type) : Value();
    op->replaceAllUsesWith(b.create<LoadOp>(op->getLoc(), block.pointers, block.mask, other, cache,
                                            evict, isVolatile));
  }

  /// Unordered: nothing can be read of what it does.
  void reduce(DescriptorReduceOp op) {
    OpBuilder b(op);
    BlockPointers block = blockAt(op, op.getDesc(), op.getIndices(), {});
    RMWOp kind = op.getKind();
    bool isFloat = isTileFloat(op.getDesc().getType().getElementType());
    if (isFloat && kind != RMWOp::FADD)
      buildFloatAtomic(b, op.getLoc(), kind == RMWOp::MAX, block.pointers, op.getValue(),
                       block.mask, MemSemantic::RELAXED, MemScope::GPU);
    else
      b.create<AtomicRMWOp>(op.getLoc(), op.getValue().getType(), kind, block.pointers,
                            op.getValue(), block.mask, MemSemantic::RELAXED, MemScope::GPU);
  }

  IntegerRanges ranges;
};

LogicalResult rewriteDescriptors(FuncOp func) {
  if (failed(openBlock(func.getBody().front())))
    return failure();
  SmallVector<Operation *> accesses, made;
  WalkResult result = func.walk([&](Operation *op) {
    if (isa<MakeTensorDescriptorOp>(op)) {
      made.push_back(op);
    } else if (llvm::any_of(op->getOperandTypes(), isDescriptor)) {
      accesses.push_back(op);
      return failed(partsOf(op, op->getOperands())) ? WalkResult::interrupt()
                                                    : WalkResult::advance();
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  AccessRewriter rewriter;
  for (Operation *op : accesses)
    rewriter.rewrite(op);
  for (Operation *op : accesses)
    op->erase();
  for (Operation *op : made)
    if (isOpTriviallyDead(op))
      op->erase();
  return success();
}

struct DescriptorsToPointersPass : impl::DescriptorsToPointersBase<DescriptorsToPointersPass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](FuncOp func) {
      return func.isExternal() || succeeded(rewriteDescriptors(func)) ? WalkResult::advance()
                                                                      : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

bool hasDescriptors(Operation *op) {
  return op
      ->walk([](Operation *op) {
        return isa<MakeTensorDescriptorOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace tritium::tt
