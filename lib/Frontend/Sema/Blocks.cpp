//===- Blocks.cpp - blocks of arrays as pointers and masks ----------------===//
//
// A block that starts at (i, j) of an array of shape (M, N) with strides (s, 1) becomes
//
//   tile  = base + range(BM)[:, None] * s + range(BN)[None, :]
//   pointers = tile + (i * s + j)                               one scalar, in int64
//   mask  = (range(BM) >= -i and range(BM) < M - i)[:, None] and the same of the columns
//
// Within an innermost loop only offsets that the loop changes become the scalar; the others
// are added to the ranges. So the tile of pointers does not change while the loop moves over
// blocks, which is the form that the analyses and the targets know best, and it does depend
// on the blocks of an outer loop, across which nobody should keep it in registers. The bounds
// of the mask are computed in int64 and cut to [0, BM], so comparisons of elements are of
// int32.
// Offsets are exact: sums and products of int32 that they are made of do not wrap, in the
// address and in the mask alike.
//
// Dedicated operations would only be rewritten to this form before any pass that looks at
// addresses; a target that copies whole blocks finds the description of the array whole in
// Sema's Descriptor and may keep it from here on.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"

#include "BuiltinSupport.h"
#include "Casts.h"
#include "Memory.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace arith = mlir::arith;
using namespace tritium;
using namespace tritium::sema;

static constexpr DType kInt32{DTypeKind::Int32}, kInt64{DTypeKind::Int64};
static constexpr size_t kMaxRank = 5;

std::optional<int64_t> sema::knownInteger(const Tensor &value) {
  llvm::APInt known;
  if (mlir::matchPattern(value.value, mlir::m_ConstantInt(&known)) &&
      known.getSignificantBits() <= 64)
    return known.getSExtValue();
  return std::nullopt;
}

/// Whether an integer is >= 0. Sums and products of 32 bits may wrap and prove nothing.
static bool isNonNegative(mlir::Value value, int depth = 8) {
  llvm::APInt known;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&known)))
    return known.isNonNegative();
  if (depth == 0)
    return false;
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
    auto loop = mlir::dyn_cast<mlir::scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && loop.getInductionVar() == value &&
           isNonNegative(loop.getLowerBound(), depth - 1);
  }
  auto both = [&](auto op) {
    return isNonNegative(op.getLhs(), depth - 1) && isNonNegative(op.getRhs(), depth - 1);
  };
  bool isWide = value.getType().isInteger(64);
  return llvm::TypeSwitch<mlir::Operation *, bool>(value.getDefiningOp())
      .Case<tt::GetProgramIdOp, tt::GetNumProgramsOp, arith::ExtUIOp>([](auto) { return true; })
      .Case([&](arith::ExtSIOp op) { return isNonNegative(op.getIn(), depth - 1); })
      .Case<arith::AddIOp, arith::MulIOp>([&](auto op) { return isWide && both(op); })
      .Case<arith::MinSIOp, arith::DivSIOp>(both)
      .Case([&](arith::RemSIOp op) { return isNonNegative(op.getLhs(), depth - 1); })
      .Default([](mlir::Operation *) { return false; });
}

/// The innermost loop around the place where `builder` builds, unless it holds a loop by now.
static mlir::Operation *innermostLoop(mlir::OpBuilder &builder) {
  mlir::Operation *loop = builder.getInsertionBlock()->getParentOp();
  while (loop && !mlir::isa<mlir::scf::ForOp, mlir::scf::WhileOp>(loop))
    loop = loop->getParentOp();
  if (!loop)
    return nullptr;
  mlir::WalkResult result = loop->walk([&](mlir::Operation *op) {
    bool isInner = op != loop && mlir::isa<mlir::scf::ForOp, mlir::scf::WhileOp>(op);
    return isInner ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return result.wasInterrupted() ? nullptr : loop;
}

/// Whether `value` may be another one in each iteration of `loop`. `seen`: operations that
/// are known not to be.
static bool changesIn(mlir::Operation *loop, mlir::Value value,
                      llvm::SmallPtrSetImpl<mlir::Operation *> &seen) {
  constexpr unsigned kMaxOperations = 200;
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value))
    return loop->isAncestor(argument.getOwner()->getParentOp());
  mlir::Operation *op = value.getDefiningOp();
  if (!loop->isProperAncestor(op) || !seen.insert(op).second)
    return false;
  return seen.size() > kMaxOperations || op->getNumRegions() || !mlir::isMemoryEffectFree(op) ||
         llvm::any_of(op->getOperands(),
                      [&](mlir::Value operand) { return changesIn(loop, operand, seen); });
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

llvm::ArrayRef<Value> sema::listOf(const Value &value) {
  auto *tuple = value.getIf<Tuple>();
  return tuple ? llvm::ArrayRef<Value>(tuple->elements) : llvm::ArrayRef<Value>(value);
}

std::optional<Tensor> sema::wideInteger(Sema &sema, const Value &value, std::string_view operand,
                                        std::string_view what) {
  auto refuse = [&] {
    return sema.error("the " + std::string(operand) + " of " + std::string(what) +
                      " must be integers, found " + describe(value));
  };
  if (asInt(value) && !asBool(value))
    return sema.constant(value.get<Constant>(), kInt64);
  auto *tensor = value.getIf<Tensor>();
  if (!tensor || !isInteger(tensor->dtype) || isBool(tensor->dtype))
    return refuse();
  if (!is(tensor->dtype, DTypeKind::Int32))
    return sema.cast(*tensor, kInt64);
  return Tensor{tt::OffsetWidener().widen(tensor->value), kInt64};
}

static bool checkCount(Sema &sema, size_t count, int64_t rank, std::string_view operand,
                       std::string_view what) {
  if (static_cast<int64_t>(count) == rank)
    return true;
  sema.error(std::string(what) + " needs one of the " + std::string(operand) +
             " for each dimension of the block: " + std::to_string(rank) + ", found " +
             std::to_string(count));
  return false;
}

std::optional<std::vector<Tensor>> sema::readOffsets(Sema &sema, const Value &offsets, int64_t rank,
                                                     std::string_view operand,
                                                     std::string_view what) {
  llvm::ArrayRef<Value> list = listOf(offsets);
  if (!checkCount(sema, list.size(), rank, operand, what))
    return std::nullopt;
  std::vector<Tensor> result;
  for (const Value &value : list) {
    auto wide = wideInteger(sema, value, operand, what);
    if (!wide)
      return std::nullopt;
    if (!wide->isScalar())
      return sema.error("the " + std::string(operand) + " of " + std::string(what) +
                        " must be scalars, found " + describe(value));
    result.push_back(*wide);
  }
  return result;
}

/// The extents of an array: int32 where that holds them, as loops over them count in it.
static std::optional<std::vector<Tensor>> readShape(Sema &sema, const Value &shape, int64_t rank,
                                                    std::string_view what) {
  auto wide = readOffsets(sema, shape, rank, "shape", what);
  if (!wide)
    return std::nullopt;
  for (auto [extent, given] : llvm::zip(*wide, listOf(shape))) {
    auto known = knownInteger(extent);
    if (known && *known < 0)
      return sema.error("the shape of " + std::string(what) + " must not be negative, found " +
                        std::to_string(*known));
    auto *tensor = given.getIf<Tensor>();
    bool isNarrow = tensor ? is(tensor->dtype, DTypeKind::Int32) : known && *known <= INT32_MAX;
    if (isNarrow)
      extent = tensor ? *tensor : *sema.constant({Constant::Int(*known)}, kInt32);
  }
  return wide;
}

std::optional<BlockedArray> sema::readArray(Sema &sema, const Value &base, const Value &shape,
                                            const Value &strides, const Value &blockShape,
                                            std::string_view what) {
  auto pointer = pointerArgument(sema, base, what);
  if (!pointer)
    return std::nullopt;
  if (!pointer->isScalar())
    return sema.error("the base of " + std::string(what) + " must be one pointer, found " +
                      describe(base));
  auto extents = constantInts(sema, blockShape, "the block_shape of " + std::string(what));
  if (!extents)
    return std::nullopt;
  if (extents->empty() || extents->size() > kMaxRank)
    return sema.error(std::string(what) + " works on 1 to 5 dimensions, found a block_shape of " +
                      std::to_string(extents->size()));
  if (!sema.checkShape(*extents))
    return std::nullopt;
  int64_t rank = extents->size();
  auto size = readShape(sema, shape, rank, what);
  auto steps = size ? readOffsets(sema, strides, rank, "strides", what) : std::nullopt;
  if (!steps)
    return std::nullopt;
  return BlockedArray{
      *pointer, std::move(*size), std::move(*steps), {extents->begin(), extents->end()}};
}

std::optional<bool> sema::readPadding(Sema &sema, const Value &value, DType element,
                                      bool allowsNone, std::string_view what) {
  auto text = allowsNone && value.isNone() ? std::string()
                                           : constantString(sema, value, "'padding_option'");
  if (!text)
    return std::nullopt;
  if (*text == "zero" || (allowsNone && text->empty()))
    return false;
  if (*text != "nan")
    return sema.error("'padding_option' must be " + std::string(allowsNone ? "'', " : "") +
                      "'zero' or 'nan', found '" + *text + "'");
  if (isFloat(element))
    return true;
  return sema.error("'padding_option' of " + std::string(what) +
                    " is 'nan', but the elements are " + describeType(element) +
                    "; only floats have a NaN: use 'zero'");
}

Tensor sema::padding(Sema &sema, DType element, llvm::ArrayRef<int64_t> shape, bool isNaN) {
  if (element.isPointer()) {
    Tensor zero = *sema.constant({Constant::Int(0)}, kInt64, shape);
    return *sema.cast(zero, element);
  }
  Constant value =
      isNaN ? Constant{std::numeric_limits<double>::quiet_NaN()} : Constant{Constant::Int(0)};
  return *sema.constant(value, element, shape);
}

std::optional<Tensor> sema::blockValue(Sema &sema, const Value &value, DType element,
                                       llvm::ArrayRef<int64_t> blockShape, std::string_view what) {
  auto tensor = sema.toTensor(value);
  if (!tensor)
    return std::nullopt;
  if (tensor->shape() != blockShape)
    return sema.error(std::string(what) + " writes blocks of shape " + describeShape(blockShape) +
                      ", but the value is " + describe(value));
  return coerce(sema, *tensor, element);
}

//===----------------------------------------------------------------------===//
// Pointers and masks
//===----------------------------------------------------------------------===//

namespace {
/// Builds the pointers and the mask of one block.
class BlockBuilder {
public:
  BlockBuilder(Sema &sema, const BlockedArray &array, llvm::ArrayRef<int64_t> shape)
      : sema(sema), array(array), shape(shape), builder(sema.builder()), loc(sema.loc()) {}

  BlockAccess build(llvm::ArrayRef<BlockIndex> indices) {
    mlir::Operation *loop = innermostLoop(builder);
    // Dimension by dimension, so that what varies along the last one only stays a row.
    llvm::SmallVector<int64_t> grown(shape.size(), 1);
    Tensor pointers = *sema.broadcastTo(array.base, grown);
    std::optional<Tensor> offset, mask;
    for (size_t d = 0; d < shape.size(); ++d) {
      const BlockIndex &index = indices[d];
      Tensor range = build::range(sema, 0, static_cast<int32_t>(shape[d]));
      llvm::SmallPtrSet<mlir::Operation *, 16> seen;
      bool moves = !index.isList && loop && changesIn(loop, index.start.value, seen);
      Tensor steps = index.isList ? index.start : moves ? range : shifted(range, index.start);
      grown[d] = shape[d];
      pointers = build::addPointer(sema, *sema.broadcastTo(pointers, grown),
                                   *sema.broadcastTo(along(d, times(steps, d)), grown));
      if (moves)
        offset = sum(offset, times(index.start, d));
      if (index.isChecked)
        mask = both(mask, index.isList ? listInside(d, index.start) : rangeInside(d, index, range));
    }
    if (offset)
      pointers = build::addPointer(sema, pointers, *sema.broadcastTo(*offset, shape));
    if (mask)
      mask = sema.broadcastTo(*mask, shape);
    return {pointers, mask};
  }

private:
  /// A tile of one dimension as that dimension of the block.
  Tensor along(size_t d, Tensor tile) {
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (axis != d)
        tile = sema.expandDims(tile, static_cast<int>(axis));
    return tile;
  }

  Tensor shifted(const Tensor &range, const Tensor &start) {
    if (knownInteger(start) == 0)
      return range;
    Tensor wide = *sema.cast(range, kInt64), all = *sema.broadcastTo(start, range.shape());
    return {builder.create<arith::AddIOp>(loc, all.value, wide.value), kInt64};
  }

  /// Elements from the base: indices along dimension d by its stride.
  Tensor times(const Tensor &indices, size_t d) {
    if (knownInteger(array.strides[d]) == 1)
      return indices;
    Tensor wide = *sema.cast(indices, kInt64);
    Tensor stride = *sema.broadcastTo(array.strides[d], wide.shape());
    return {builder.create<arith::MulIOp>(loc, wide.value, stride.value), kInt64};
  }

  Tensor sum(const std::optional<Tensor> &a, const Tensor &b) {
    if (!a || knownInteger(*a) == 0)
      return b;
    return knownInteger(b) == 0
               ? *a
               : Tensor{builder.create<arith::AddIOp>(loc, a->value, b.value), kInt64};
  }

  std::optional<Tensor> both(const std::optional<Tensor> &a, const std::optional<Tensor> &b) {
    if (!a || !b)
      return a ? a : b;
    auto pair = sema.broadcast(*a, *b);
    return Tensor{builder.create<arith::AndIOp>(loc, pair->lhs.value, pair->rhs.value),
                  {DTypeKind::Int1}};
  }

  Tensor compare(arith::CmpIPredicate predicate, const Tensor &x, const Tensor &y) {
    Tensor bound = *sema.broadcastTo(y, x.shape());
    return {builder.create<arith::CmpIOp>(loc, predicate, x.value, bound.value), {DTypeKind::Int1}};
  }

  /// The extent of the array along d, as int64.
  Tensor extentOf(size_t d) { return {tt::OffsetWidener().widen(array.shape[d].value), kInt64}; }

  /// min(max(a - b, 0), extent) as int32.
  Tensor distance(const Tensor &a, const Tensor &b, int64_t extent) {
    Tensor zero = *sema.constant({Constant::Int(0)}, kInt64);
    Tensor most = *sema.constant({Constant::Int(extent)}, kInt64);
    mlir::Value value = builder.create<arith::SubIOp>(loc, a.value, b.value);
    value = builder.create<arith::MaxSIOp>(loc, value, zero.value);
    value = builder.create<arith::MinSIOp>(loc, value, most.value);
    return *sema.cast(Tensor{value, kInt64}, kInt32);
  }

  /// Which elements of [start, start + extent) lie within the array; absent if all do.
  std::optional<Tensor> rangeInside(size_t d, const BlockIndex &index, const Tensor &range) {
    std::optional<Tensor> mask;
    int64_t extent = shape[d];
    auto start = knownInteger(index.start), size = knownInteger(array.shape[d]);
    if (!isNonNegative(index.start.value)) {
      Tensor zero = *sema.constant({Constant::Int(0)}, kInt64);
      mask = compare(arith::CmpIPredicate::sge, range, distance(zero, index.start, extent));
    }
    bool endsInside = start && size && *start <= *size - extent;
    if (!endsInside) {
      Tensor last = distance(extentOf(d), index.start, extent);
      mask = both(mask, compare(arith::CmpIPredicate::slt, range, last));
    }
    return mask ? std::optional(along(d, *mask)) : std::nullopt;
  }

  Tensor listInside(size_t d, const Tensor &indices) {
    Tensor zero = *sema.constant({Constant::Int(0)}, kInt64);
    Tensor low = compare(arith::CmpIPredicate::sge, indices, zero);
    return along(d, *both(low, compare(arith::CmpIPredicate::slt, indices, extentOf(d))));
  }

  Sema &sema;
  const BlockedArray &array;
  llvm::ArrayRef<int64_t> shape;
  mlir::OpBuilder &builder;
  mlir::Location loc;
};
} // namespace

BlockAccess sema::accessBlock(Sema &sema, const BlockedArray &array,
                              llvm::ArrayRef<int64_t> blockShape,
                              llvm::ArrayRef<BlockIndex> indices) {
  return BlockBuilder(sema, array, blockShape).build(indices);
}
