//===- Blocks.cpp - blocks of arrays --------------------------------------===//
//
// The array is described in i64, without the wrap of sums and products of int32 that extents are
// made of: what an access does is defined by the operations of the tt dialect.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"

#include "BuiltinSupport.h"
#include "Casts.h"
#include "Memory.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "mlir/IR/Matchers.h"

using namespace tritium;
using namespace tritium::sema;

static constexpr DType kInt32{DTypeKind::Int32}, kInt64{DTypeKind::Int64};

std::optional<int64_t> sema::knownInteger(const Tensor &value) {
  llvm::APInt known;
  if (mlir::matchPattern(value.value, mlir::m_ConstantInt(&known)) &&
      known.getSignificantBits() <= 64)
    return known.getSExtValue();
  return std::nullopt;
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
  if (extents->empty() || extents->size() > tt::kMaxDescriptorRank)
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
  if (isFloat(element) && !is(element, DTypeKind::Float8E4B15))
    return true;
  return sema.error("'padding_option' of " + std::string(what) +
                    " is 'nan', but the elements are " + describeType(element) +
                    "; only floats have a NaN, and float8e4b15 has none: use 'zero'");
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
// Building
//===----------------------------------------------------------------------===//

Tensor sema::describeArray(Sema &sema, const BlockedArray &array, bool padsWithNaN) {
  llvm::SmallVector<mlir::Value> shape, strides;
  for (const Tensor &extent : array.shape)
    shape.push_back(tt::OffsetWidener().widen(extent.value));
  for (const Tensor &stride : array.strides)
    strides.push_back(stride.value);
  auto type = tt::TensorDescType::get(sema.builder().getContext(), array.blockShape,
                                      sema.elementType(memoryType(array.element())), padsWithNaN);
  Tensor base = memoryPointer(sema, array.base);
  return {sema.builder().create<tt::MakeTensorDescriptorOp>(sema.loc(), type, base.value, shape,
                                                            strides),
          array.base.dtype};
}

Tensor sema::fromMemory(Sema &sema, mlir::Value elements, DType element) {
  return *sema.cast(Tensor{elements, memoryType(element)}, element);
}

mlir::Value sema::toMemory(Sema &sema, const Tensor &elements) {
  return sema.cast(elements, memoryType(elements.dtype))->value;
}

/// The attribute of dimensions that are not checked; null if all are.
static mlir::DenseBoolArrayAttr inBoundsOf(Sema &sema, const BlockPlace &place) {
  return llvm::is_contained(place.inBounds, true)
             ? sema.builder().getDenseBoolArrayAttr(place.inBounds)
             : mlir::DenseBoolArrayAttr();
}

Tensor sema::loadBlock(Sema &sema, const BlockedArray &array, const BlockPlace &place,
                       build::LoadOptions options) {
  mlir::Type type = tt::blockMovedBy(place.descriptor.getType());
  mlir::Value block = sema.builder().create<tt::DescriptorLoadOp>(
      sema.loc(), type, place.descriptor, place.indices, inBoundsOf(sema, place), options.cache,
      options.evict, options.isVolatile);
  return fromMemory(sema, block, array.element());
}

void sema::storeBlock(Sema &sema, const BlockPlace &place, const Tensor &value,
                      tt::CacheModifier cache, tt::EvictionPolicy evict) {
  mlir::Value elements = toMemory(sema, value);
  sema.builder().create<tt::DescriptorStoreOp>(sema.loc(), place.descriptor, place.indices,
                                               elements, inBoundsOf(sema, place), cache, evict);
}
