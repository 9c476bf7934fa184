//===- Descriptors.cpp - tensor descriptors -------------------------------===//
//
//   d = tl.make_tensor_descriptor(p, [M, N], [s, 1], [BM, BN])     tt.make_tensor_descriptor
//   x = d.load([i, j])                                             tt.descriptor_load
//   d.store([i, j], y)                                             tt.descriptor_store
//
// That the base and all strides but the last are multiples of 16 bytes is the language's
// rule. It is checked of what is known, and stated as a fact of the rest; kernels that are
// compiled for debugging check it when they run.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "BuiltinSupport.h"
#include "Hints.h"
#include "Memory.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

using namespace tritium;
using namespace tritium::sema;

static constexpr int64_t kAlignment = 16; ///< bytes
static constexpr std::string_view kMake = "tl.make_tensor_descriptor";

/// Elements that make up the alignment; 1 if an element is larger.
static int64_t alignedElements(DType element) {
  return std::max<int64_t>(1, kAlignment * 8 / std::max(element.bits(), 8u));
}

/// Checks, in code for debugging, that `divisor` divides a value.
static void checkMultiple(Sema &sema, const Tensor &value, int64_t divisor,
                          const std::string &message) {
  if (sema.options().debug)
    build::checkHint(sema, tt::HintKind::DIVISIBILITY, value, divisor, message);
}

/// Checks the last stride and the alignment of the others, and states the latter.
static bool checkStrides(Sema &sema, BlockedArray &array) {
  int64_t last = array.rank() - 1, divisor = alignedElements(array.element());
  if (knownInteger(array.strides[last]) != 1) {
    auto known = knownInteger(array.strides[last]);
    sema.error("the last stride of " + std::string(kMake) + " must be the constant 1, found " +
               (known ? std::to_string(*known) : std::string("a value known only at run time")) +
               "; reorder the dimensions so that the contiguous one is last");
    return false;
  }
  for (int64_t d = 0; d < last; ++d) {
    Tensor &stride = array.strides[d];
    auto known = knownInteger(stride);
    if (known && *known % divisor != 0) {
      sema.error("the strides of " + std::string(kMake) +
                 " must be multiples of 16 bytes, which are " + std::to_string(divisor) +
                 " elements of " + describeType(array.element()) + ", found " +
                 std::to_string(*known) + "; pad the rows, or use pointers and a mask");
      return false;
    }
    if (known || divisor == 1)
      continue;
    checkMultiple(sema, stride, divisor,
                  "stride " + std::to_string(d) + " of a tensor descriptor is not a multiple of " +
                      std::to_string(divisor) + " elements (16 bytes)");
    stride = stateMultiple(sema, stride, static_cast<int32_t>(divisor));
  }
  return true;
}

/// make_tensor_descriptor(base, shape, strides, block_shape, padding_option)
static Result makeDescriptor(Sema &sema, const BoundArguments &args) {
  auto array = readArray(sema, args[0], args[1], args[2], args[3], kMake);
  if (!array)
    return std::nullopt;
  auto padsWithNaN = readPadding(sema, args[4], array->element(), /*allowsNone=*/false, kMake);
  if (!padsWithNaN || !checkStrides(sema, *array))
    return std::nullopt;
  checkMultiple(sema, array->base, kAlignment,
                "the base of a tensor descriptor is not aligned to 16 bytes");
  array->base = stateMultiple(sema, array->base, kAlignment);
  Tensor handle = describeArray(sema, *array, *padsWithNaN);
  return Value(Descriptor{std::move(*array), *padsWithNaN, handle});
}

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

static const Descriptor *descriptorArgument(Sema &sema, const Value &value, std::string_view what) {
  if (auto *descriptor = value.getIf<Descriptor>())
    return descriptor;
  sema.error(std::string(what) + " needs a tensor descriptor, found " + describe(value) +
             "; make one with tl.make_tensor_descriptor");
  return nullptr;
}

/// The block of a descriptor at `offsets`.
static std::optional<BlockPlace> blockAt(Sema &sema, const Descriptor &descriptor,
                                         const Value &offsets, std::string_view what) {
  auto starts = readOffsets(sema, offsets, descriptor.rank(), "offsets", what);
  if (!starts)
    return std::nullopt;
  BlockPlace place{descriptor.handle.value, {}, {}};
  for (const Tensor &start : *starts)
    place.indices.push_back(start.value);
  return place;
}

static bool checkWritable(Sema &sema, const Descriptor &descriptor, std::string_view what) {
  if (!descriptor.base.dtype.isConst)
    return true;
  sema.error(std::string(what) + " through a tl.const pointer; remove the tl.const annotation of "
                                 "the parameter if the kernel writes to it");
  return false;
}

/// load(desc, offsets)
static Result load(Sema &sema, const BoundArguments &args) {
  constexpr std::string_view what = "the load of a tensor descriptor";
  auto *descriptor = descriptorArgument(sema, args[0], what);
  auto place = descriptor ? blockAt(sema, *descriptor, args[1], what) : std::nullopt;
  if (!place)
    return std::nullopt;
  return Value(loadBlock(sema, *descriptor, *place));
}

/// store(desc, offsets, value)
static Result store(Sema &sema, const BoundArguments &args) {
  constexpr std::string_view what = "the store of a tensor descriptor";
  auto *descriptor = descriptorArgument(sema, args[0], what);
  if (!descriptor || !checkWritable(sema, *descriptor, what))
    return std::nullopt;
  auto place = blockAt(sema, *descriptor, args[1], what);
  if (!place)
    return std::nullopt;
  auto value = blockValue(sema, args[2], descriptor->element(), descriptor->blockShape, what);
  if (!value)
    return std::nullopt;
  storeBlock(sema, *place, *value);
  return Value();
}

/// atomic_add(desc, offsets, value), ...
template <const char *name> static Result atomic(Sema &sema, const BoundArguments &args) {
  std::string what = "the " + std::string(name) + " of a tensor descriptor";
  auto *descriptor = descriptorArgument(sema, args[0], what);
  if (!descriptor || !checkWritable(sema, *descriptor, what))
    return std::nullopt;
  auto place = blockAt(sema, *descriptor, args[1], what);
  auto value = place
                   ? blockValue(sema, args[2], descriptor->element(), descriptor->blockShape, what)
                   : std::nullopt;
  auto op = value ? atomicOperation(sema, name, descriptor->element()) : std::nullopt;
  if (!op)
    return std::nullopt;
  sema.builder().create<tt::DescriptorReduceOp>(sema.loc(), *op, place->descriptor, place->indices,
                                                value->value);
  return Value();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {
/// Rows of an array of two dimensions, from a column on.
struct Rows {
  Tensor numbers, column;
  llvm::SmallVector<int64_t> shape;
};
} // namespace

static std::optional<Rows> rowsAt(Sema &sema, const Descriptor &descriptor, const Value &rows,
                                  const Value &column, std::string_view what) {
  if (descriptor.rank() != 2 || descriptor.blockShape[0] != 1)
    return sema.error(std::string(what) + " needs blocks of one row, [1, columns], found " +
                      describeShape(descriptor.blockShape));
  auto *tile = rows.getIf<Tensor>();
  if (!tile || tile->shape().size() != 1)
    return sema.error("the rows of " + std::string(what) +
                      " must be a tile of one dimension, found " + describe(rows));
  auto indices = wideInteger(sema, rows, "rows", what);
  auto start = indices ? wideInteger(sema, column, "column", what) : std::nullopt;
  if (!start)
    return std::nullopt;
  if (!start->isScalar())
    return sema.error("the column of " + std::string(what) + " must be a scalar, found " +
                      describe(column));
  Rows result{*indices, *start, {tile->shape()[0], descriptor.blockShape[1]}};
  return sema.checkShape(result.shape) ? std::optional(std::move(result)) : std::nullopt;
}

/// gather(desc, x_offsets, y_offset)
static Result gather(Sema &sema, const BoundArguments &args) {
  constexpr std::string_view what = "the gather of a tensor descriptor";
  auto *descriptor = descriptorArgument(sema, args[0], what);
  auto rows = descriptor ? rowsAt(sema, *descriptor, args[1], args[2], what) : std::nullopt;
  if (!rows)
    return std::nullopt;
  DType element = descriptor->element();
  mlir::Value tile = sema.builder().create<tt::DescriptorGatherOp>(
      sema.loc(), sema.tensorType(memoryType(element), rows->shape), descriptor->handle.value,
      rows->numbers.value, rows->column.value);
  return Value(fromMemory(sema, tile, element));
}

/// scatter(desc, value, x_offsets, y_offset)
static Result scatter(Sema &sema, const BoundArguments &args) {
  constexpr std::string_view what = "the scatter of a tensor descriptor";
  auto *descriptor = descriptorArgument(sema, args[0], what);
  if (!descriptor || !checkWritable(sema, *descriptor, what))
    return std::nullopt;
  auto rows = rowsAt(sema, *descriptor, args[2], args[3], what);
  auto value =
      rows ? blockValue(sema, args[1], descriptor->element(), rows->shape, what) : std::nullopt;
  if (!value)
    return std::nullopt;
  mlir::Value elements = toMemory(sema, *value);
  sema.builder().create<tt::DescriptorScatterOp>(sema.loc(), descriptor->handle.value,
                                                 rows->numbers.value, rows->column.value, elements);
  return Value();
}

//===----------------------------------------------------------------------===//
// The names of Triton 3.0 to 3.3
//===----------------------------------------------------------------------===//

/// The array of `descriptor` with other elements of the same width, in blocks of another shape. A
/// descriptor that the host has made of an address knows no more of its elements than their bytes.
static std::optional<Descriptor> reinterpreted(Sema &sema, const Descriptor &descriptor,
                                               llvm::ArrayRef<int64_t> blockShape, DType element,
                                               std::string_view what) {
  if (static_cast<int64_t>(blockShape.size()) != descriptor.rank())
    return sema.error(std::string(what) + " needs blocks of as many dimensions as the array has, " +
                      std::to_string(descriptor.rank()) + ", found " + describeShape(blockShape));
  if (!sema.checkShape(blockShape))
    return std::nullopt;
  if (!isInteger(element) && !isFloat(element))
    return sema.error(std::string(what) + " moves integers and floats, found " +
                      describeType(element));
  if (memoryType(element).bits() != memoryType(descriptor.element()).bits())
    return sema.error(std::string(what) + " is of " + describeType(element) +
                      ", and the elements of the descriptor have " +
                      std::to_string(memoryType(descriptor.element()).bits()) +
                      " bits; their element_size on the host and their type here must agree");
  if (descriptor.padsWithNaN && (!isFloat(element) || element == DType{DTypeKind::Float8E4B15}))
    return sema.error(std::string(what) + " is of " + describeType(element) +
                      ", which has no NaN that the descriptor pads with");
  BlockedArray array = descriptor;
  array.blockShape.assign(blockShape.begin(), blockShape.end());
  auto base = sema.bitcast(array.base, pointerTo(element, array.base.dtype.isConst));
  if (!base)
    return std::nullopt;
  // The fact goes with the address.
  array.base = stateMultiple(sema, *base, kAlignment);
  Tensor handle = describeArray(sema, array, descriptor.padsWithNaN);
  return Descriptor{std::move(array), descriptor.padsWithNaN, handle};
}

/// _experimental_reinterpret_tensor_descriptor(desc_ptr, block_shape, dtype)
static Result reinterpretDescriptor(Sema &sema, const BoundArguments &args) {
  constexpr std::string_view what = "tl._experimental_reinterpret_tensor_descriptor";
  auto *descriptor = descriptorArgument(sema, args[0], what);
  auto shape = descriptor ? constantInts(sema, args[1], "'block_shape'") : std::nullopt;
  auto element = shape ? dtypeArgument(sema, args[2], "'dtype'") : std::nullopt;
  auto result = element ? reinterpreted(sema, *descriptor, *shape, *element, what) : std::nullopt;
  return result ? Result(Value(std::move(*result))) : std::nullopt;
}

/// _experimental_descriptor_load(desc_pointer, offsets, shape, dtype)
static Result loadAs(Sema &sema, const BoundArguments &args) {
  constexpr std::string_view what = "tl._experimental_descriptor_load";
  auto *descriptor = descriptorArgument(sema, args[0], what);
  auto shape = descriptor ? constantInts(sema, args[2], "'shape'") : std::nullopt;
  auto element = shape ? dtypeArgument(sema, args[3], "'dtype'") : std::nullopt;
  auto array = element ? reinterpreted(sema, *descriptor, *shape, *element, what) : std::nullopt;
  auto place = array ? blockAt(sema, *array, args[1], what) : std::nullopt;
  return place ? Result(Value(loadBlock(sema, *array, *place))) : std::nullopt;
}

/// _experimental_descriptor_store(desc_pointer, value, offsets)
static Result storeAs(Sema &sema, const BoundArguments &args) {
  constexpr std::string_view what = "tl._experimental_descriptor_store";
  auto *descriptor = descriptorArgument(sema, args[0], what);
  if (!descriptor || !checkWritable(sema, *descriptor, what))
    return std::nullopt;
  auto *value = args[1].getIf<Tensor>();
  if (!value)
    return sema.error(std::string(what) + " needs a tile, found " + describe(args[1]));
  auto array = reinterpreted(sema, *descriptor, value->shape(), value->dtype, what);
  auto place = array ? blockAt(sema, *array, args[2], what) : std::nullopt;
  if (!place)
    return std::nullopt;
  storeBlock(sema, *place, *value);
  return Value();
}

static constexpr char kAdd[] = "atomic_add", kMin[] = "atomic_min", kMax[] = "atomic_max",
                      kAnd[] = "atomic_and", kOr[] = "atomic_or", kXor[] = "atomic_xor";

template <const char *name> static void addAtomic(Registry &registry) {
  registry.add("tensor_descriptor." + std::string(name), "desc, offsets, value", atomic<name>);
}

void sema::addDescriptorBuiltins(Registry &registry) {
  registry.add("make_tensor_descriptor", "base, shape, strides, block_shape, padding_option='zero'",
               makeDescriptor);
  registry.add("load_tensor_descriptor", "desc, offsets", load);
  registry.add("store_tensor_descriptor", "desc, offsets, value", store);
  registry.add("_experimental_make_tensor_descriptor",
               "base, shape, strides, block_shape, padding_option='zero'", makeDescriptor);
  registry.add("_experimental_reinterpret_tensor_descriptor", "desc_ptr, block_shape, dtype",
               reinterpretDescriptor);
  registry.add("_experimental_descriptor_load", "desc_pointer, offsets, shape, dtype", loadAs);
  registry.add("_experimental_descriptor_store", "desc_pointer, value, offsets", storeAs);
  registry.add("tensor_descriptor.load", "desc, offsets", load);
  registry.add("tensor_descriptor.store", "desc, offsets, value", store);
  registry.add("tensor_descriptor.gather", "desc, x_offsets, y_offset", gather);
  registry.add("tensor_descriptor.scatter", "desc, value, x_offsets, y_offset", scatter);
  addAtomic<kAdd>(registry);
  addAtomic<kMin>(registry);
  addAtomic<kMax>(registry);
  addAtomic<kAnd>(registry);
  addAtomic<kOr>(registry);
  addAtomic<kXor>(registry);
}
