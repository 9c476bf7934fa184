//===- Memory.cpp - load and store ----------------------------------------===//

#include "Memory.h"

#include "Blocks.h"
#include "BuiltinSupport.h"
#include "Casts.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "llvm/ADT/StringSwitch.h"

namespace arith = mlir::arith;
using namespace tritium;
using namespace tritium::sema;

std::optional<Tensor> sema::pointerArgument(Sema &sema, const Value &value, std::string_view what) {
  auto *tensor = value.getIf<Tensor>();
  if (!tensor || !tensor->dtype.isPointer())
    return sema.error(std::string(what) + " needs a pointer or a tile of pointers, found " +
                      describe(value) +
                      (tensor ? "; did you pass the value instead of the address?" : ""));
  if (is(pointee(tensor->dtype), DTypeKind::Void))
    return sema.error(
        std::string(what) +
        " cannot use a pointer to void; give it a type with .to(tl.pointer_type(...))");
  return *tensor;
}

bool sema::maskArgument(Sema &sema, const Value &value, const Tensor &pointer,
                        std::string_view what, std::optional<Tensor> &mask) {
  if (value.isNone())
    return true;
  auto tensor = sema.toTensor(value);
  if (!tensor)
    return false;
  if (!isBool(tensor->dtype)) {
    sema.error("the mask of " + std::string(what) + " must be bool (int1), found " +
               describe(value) + "; compare it, for example with '!= 0'");
    return false;
  }
  if (pointer.isScalar() && !tensor->isScalar()) {
    sema.error("the mask of " + std::string(what) + " is a tile, " + describe(value) +
               ", but the pointer is a scalar");
    return false;
  }
  mask = tensor;
  return true;
}

/// The operand of a memory access in the shape of its pointer.
static std::optional<Tensor> shapedLike(Sema &sema, const Tensor &value, const Tensor &pointer,
                                        std::string_view operand, std::string_view what) {
  llvm::ArrayRef<int64_t> from = value.shape(), to = pointer.shape();
  bool fits = from.size() <= to.size();
  for (size_t i = 0; fits && i < from.size(); ++i)
    fits = from[i] == 1 || from[i] == to[to.size() - from.size() + i];
  if (!fits)
    return sema.error("the " + std::string(operand) + " of " + std::string(what) + " has shape " +
                      describeShape(from) +
                      ", which does not broadcast to the shape of the "
                      "pointer, " +
                      describeShape(to));
  return sema.broadcastTo(value, to);
}

bool sema::shapeAccess(Sema &sema, const Tensor &pointer, std::optional<Tensor> &value,
                       std::string_view valueName, std::optional<Tensor> &mask,
                       std::string_view what) {
  if (value && !(value = shapedLike(sema, *value, pointer, valueName, what)))
    return false;
  return !mask || (mask = shapedLike(sema, *mask, pointer, "mask", what)).has_value();
}

DType sema::memoryType(DType element) { return isBool(element) ? DType{DTypeKind::Int8} : element; }

Tensor sema::memoryPointer(Sema &sema, const Tensor &pointer) {
  DType element = pointee(pointer.dtype);
  if (!isBool(element))
    return pointer;
  return *sema.cast(pointer, pointerTo(memoryType(element), pointer.dtype.isConst));
}

static mlir::Value orNull(const std::optional<Tensor> &tensor) {
  return tensor ? tensor->value : mlir::Value();
}

Tensor build::load(Sema &sema, const Tensor &pointer, const std::optional<Tensor> &mask,
                   const std::optional<Tensor> &other, LoadOptions options) {
  Tensor address = memoryPointer(sema, pointer);
  DType inMemory = pointee(address.dtype);
  std::optional<Tensor> filler = other ? sema.cast(*other, inMemory) : std::nullopt;
  mlir::Value loaded =
      sema.builder().create<tt::LoadOp>(sema.loc(), address.value, orNull(mask), orNull(filler),
                                        options.cache, options.evict, options.isVolatile);
  return *sema.cast(Tensor{loaded, inMemory}, pointee(pointer.dtype));
}

void build::store(Sema &sema, const Tensor &pointer, const Tensor &value,
                  const std::optional<Tensor> &mask, tt::CacheModifier cache,
                  tt::EvictionPolicy evict) {
  Tensor address = memoryPointer(sema, pointer);
  Tensor stored = *sema.cast(value, pointee(address.dtype));
  sema.builder().create<tt::StoreOp>(sema.loc(), address.value, stored.value, orNull(mask), cache,
                                     evict);
}

static std::optional<tt::CacheModifier> cacheModifier(Sema &sema, const Value &value, bool isLoad) {
  auto text = constantString(sema, value, "'cache_modifier'");
  if (!text)
    return std::nullopt;
  auto modifier = llvm::StringSwitch<std::optional<tt::CacheModifier>>(*text)
                      .Case("", tt::CacheModifier::NONE)
                      .Case(".cg", tt::CacheModifier::CG)
                      .Case(".cs", tt::CacheModifier::CS)
                      .Default(std::nullopt);
  if (isLoad && *text == ".ca")
    modifier = tt::CacheModifier::CA;
  if (isLoad && *text == ".cv")
    modifier = tt::CacheModifier::CV;
  if (!isLoad && *text == ".wb")
    modifier = tt::CacheModifier::WB;
  if (!isLoad && *text == ".wt")
    modifier = tt::CacheModifier::WT;
  if (modifier)
    return modifier;
  return sema.error(
      "'cache_modifier' must be one of '', " +
      std::string(isLoad ? "'.ca', '.cg', '.cs', '.cv'" : "'.wb', '.cg', '.cs', '.wt'") +
      ", found '" + *text + "'");
}

static std::optional<tt::EvictionPolicy> evictionPolicy(Sema &sema, const Value &value) {
  auto text = constantString(sema, value, "'eviction_policy'");
  if (!text)
    return std::nullopt;
  auto policy = llvm::StringSwitch<std::optional<tt::EvictionPolicy>>(*text)
                    .Cases("", "evict_normal", tt::EvictionPolicy::NORMAL)
                    .Case("evict_first", tt::EvictionPolicy::FIRST)
                    .Case("evict_last", tt::EvictionPolicy::LAST)
                    .Default(std::nullopt);
  if (policy)
    return policy;
  return sema.error("'eviction_policy' must be one of '', 'evict_first', 'evict_last', found '" +
                    *text + "'");
}

/// Block pointers are the only ones with bounds. False after an error.
static bool refuseBoundaryCheck(Sema &sema, const Value &boundaryCheck, const Value &padding) {
  auto *tuple = boundaryCheck.getIf<Tuple>();
  bool isEmpty = boundaryCheck.isNone() || (tuple && tuple->elements.empty());
  if (isEmpty && (padding.isNone() || asString(padding) == ""))
    return true;
  sema.error("'boundary_check' and 'padding_option' apply to block pointers only; use 'mask' "
             "and 'other'");
  return false;
}

/// load(pointer, mask, other, boundary_check, padding_option, cache_modifier,
/// eviction_policy, volatile)
static Result load(Sema &sema, const BoundArguments &args) {
  auto cache = cacheModifier(sema, args[5], true);
  auto evict = cache ? evictionPolicy(sema, args[6]) : std::nullopt;
  auto isVolatile = evict ? constantBool(sema, args[7], "'volatile'") : std::nullopt;
  if (!isVolatile)
    return std::nullopt;
  if (auto *block = args[0].getIf<BlockPointer>()) {
    if (!args[1].isNone() || !args[2].isNone())
      return sema.error("tl.load of a block pointer takes no mask and no 'other'; name the "
                        "dimensions to check in 'boundary_check' and use 'padding_option'");
    return loadThrough(sema, *block, args[3], args[4], {*cache, *evict, *isVolatile});
  }
  auto pointer = pointerArgument(sema, args[0], "tl.load");
  if (!pointer || !refuseBoundaryCheck(sema, args[3], args[4]))
    return std::nullopt;
  std::optional<Tensor> mask, other;
  if (!maskArgument(sema, args[1], *pointer, "tl.load", mask))
    return std::nullopt;
  if (!args[2].isNone() && !mask)
    return sema.error("tl.load: 'other' needs a mask: it is what masked-off elements read");
  DType element = pointee(pointer->dtype);
  if (!args[2].isNone()) {
    other = coerce(sema, args[2], element);
    if (!other)
      return std::nullopt;
    if (pointer->isScalar() && !other->isScalar())
      return sema.error("the 'other' of tl.load is a tile, " + describe(args[2]) +
                        ", but the pointer is a scalar");
  }
  // A tile of pointers with extents of 1 repeats to the shape of its mask.
  if (mask && !pointer->isScalar() && mask->shape().size() <= pointer->shape().size()) {
    auto pair = sema.broadcast(*pointer, *mask);
    if (!pair)
      return std::nullopt;
    pointer = pair->lhs;
  }
  if (!shapeAccess(sema, *pointer, other, "'other'", mask, "tl.load"))
    return std::nullopt;
  return Value(build::load(sema, *pointer, mask, other, {*cache, *evict, *isVolatile}));
}

/// store(pointer, value, mask, boundary_check, cache_modifier, eviction_policy)
static Result store(Sema &sema, const BoundArguments &args) {
  auto *block = args[0].getIf<BlockPointer>();
  auto pointer = block ? block->base : pointerArgument(sema, args[0], "tl.store");
  if (!pointer || (!block && !refuseBoundaryCheck(sema, args[3], Value())))
    return std::nullopt;
  if (pointer->dtype.isConst)
    return sema.error("tl.store through a tl.const pointer; remove the tl.const annotation of "
                      "the parameter if the kernel writes to it");
  auto cache = cacheModifier(sema, args[4], false);
  auto evict = cache ? evictionPolicy(sema, args[5]) : std::nullopt;
  if (!evict)
    return std::nullopt;
  if (block) {
    if (!args[2].isNone())
      return sema.error("tl.store through a block pointer takes no mask; name the dimensions to "
                        "check in 'boundary_check'");
    return storeThrough(sema, *block, args[1], args[3], *cache, *evict);
  }
  std::optional<Tensor> mask;
  if (!maskArgument(sema, args[2], *pointer, "tl.store", mask))
    return std::nullopt;
  DType element = pointee(pointer->dtype);
  std::optional<Tensor> value = coerce(sema, args[1], element);
  if (!value)
    return std::nullopt;
  if (pointer->isScalar() && !value->isScalar())
    return sema.error("tl.store of a tile, " + describe(args[1]) +
                      ", through a scalar pointer; add offsets to the pointer, for example "
                      "ptr + tl.arange(0, N)");
  if (!shapeAccess(sema, *pointer, value, "value", mask, "tl.store"))
    return std::nullopt;
  build::store(sema, *pointer, *value, mask, *cache, *evict);
  return Value();
}

void sema::addMemoryBuiltins(Registry &registry) {
  registry.add("load",
               "pointer, mask=None, other=None, boundary_check=(), padding_option='', "
               "cache_modifier='', eviction_policy='', volatile=False",
               load);
  registry.addMethod("store",
                     "pointer, value, mask=None, boundary_check=(), cache_modifier='', "
                     "eviction_policy=''",
                     store);
}
