//===- TypeBuiltins.cpp - tl.constexpr, tl.pointer_type, dtype methods ----===//

#include "BuiltinSupport.h"
#include "tritium/Frontend/Sema/DTypes.h"

using namespace tritium;
using namespace tritium::sema;

/// Any value stays as it is, as in Triton also one that is known only at run time.
static Result constexprOf(Sema &sema, const BoundArguments &args) {
  llvm::SmallVector<mlir::Value> values;
  flatten(args[0], values);
  if (!values.empty())
    sema.warning("tl.constexpr does not make a value known at compile time: this is " +
                 describe(args[0]) + ", and stays a run-time value");
  return args[0];
}

/// pointer_type(element_ty, address_space, const)
static Result pointerType(Sema &sema, const BoundArguments &args) {
  auto element = dtypeArgument(sema, args[0], "the element type of a pointer");
  auto space = element ? constantInt(sema, args[1], "'address_space'") : std::nullopt;
  auto isConst = space ? constantBool(sema, args[2], "'const'") : std::nullopt;
  if (!isConst)
    return std::nullopt;
  if (*space != 1)
    return sema.error("kernels use global memory, address space 1; found " +
                      std::to_string(*space));
  constexpr int kMaxDepth = 8;
  if (element->pointerDepth >= kMaxDepth)
    return sema.error("a pointer type may have at most 8 levels");
  return makeDType(pointerTo(*element, *isConst));
}

static Result blockType(Sema &sema, const BoundArguments &args) {
  auto element = dtypeArgument(sema, args[0], "the element type of a tile");
  auto shape = element ? constantInts(sema, args[1], "the shape") : std::nullopt;
  if (!shape || !sema.checkShape(*shape))
    return std::nullopt;
  if (shape->empty())
    return sema.error("a tile has at least one dimension");
  return Value(BlockType{*element, {shape->begin(), shape->end()}});
}

static Result dtypeByName(Sema &sema, const BoundArguments &args) {
  auto name = constantString(sema, args[0], "the name of a type");
  if (!name)
    return std::nullopt;
  if (auto dtype = DType::parse(*name))
    return makeDType(*dtype);
  return sema.error("there is no type '" + *name +
                    "'; types are written as 'fp32', 'int32' or "
                    "'*fp32'");
}

/// A question about an element type; false for the type of a tile.
template <bool (*predicate)(DType)> static Result ask(Sema &, const BoundArguments &args) {
  auto dtype = asDType(args[0]);
  return makeBool(dtype && predicate(*dtype));
}

template <DTypeKind kind> static bool isKind(DType dtype) { return is(dtype, kind); }
static bool isConstPointer(DType dtype) { return dtype.isPointer() && dtype.isConst; }
static bool isStandardFloat(DType dtype) { return isFloat(dtype) && !isFloat8(dtype); }

static Result isBlock(Sema &, const BoundArguments &args) {
  auto *type = args[0].getIf<BlockType>();
  return makeBool(type && !type->isPointer);
}

static Result isPointerType(Sema &, const BoundArguments &args) {
  auto dtype = asDType(args[0]);
  auto *type = args[0].getIf<BlockType>();
  return makeBool(dtype ? dtype->isPointer() : type->isPointer);
}

/// 0 bool, 1 integer, 2 float: the order of conversions.
static Result kind(Sema &sema, const BoundArguments &args) {
  auto dtype = asDType(args[0]);
  if (!dtype || kindOf(*dtype) == Kind::Other)
    return sema.error("kind() is not defined on " + describe(args[0]));
  return makeInt(static_cast<int>(kindOf(*dtype)));
}

template <bool isMax> static Result limit(Sema &sema, const BoundArguments &args) {
  auto dtype = asDType(args[0]);
  if (!dtype || !isInteger(*dtype))
    return sema.error("only integer types have a greatest and a least value, found " +
                      describe(args[0]));
  return makeInt(isMax ? maxValue(*dtype) : minValue(*dtype));
}

void sema::addTypeBuiltins(Registry &registry) {
  registry.add("constexpr", "value", constexprOf);
  registry.add("pointer_type", "element_ty, address_space=1, const=False", pointerType);
  registry.add("block_type", "element_ty, shape", blockType);
  registry.add("dtype", "name", dtypeByName);
  registry.add("str_to_ty", "name, c=None", dtypeByName);
  registry.add("dtype.kind", "self", kind);
  registry.add("dtype.get_int_max_value", "self", limit<true>);
  registry.add("dtype.get_int_min_value", "self", limit<false>);
  registry.add("dtype.is_block", "self", isBlock);
  registry.add("dtype.is_ptr", "self", isPointerType);
  registry.add("dtype.is_const", "self", ask<isConstPointer>);
  registry.add("dtype.is_floating", "self", ask<isFloat>);
  registry.add("dtype.is_standard_floating", "self", ask<isStandardFloat>);
  registry.add("dtype.is_fp8", "self", ask<isFloat8>);
  registry.add("dtype.is_fp8e5", "self", ask<isKind<DTypeKind::Float8E5>>);
  registry.add("dtype.is_fp8e4nv", "self", ask<isKind<DTypeKind::Float8E4NV>>);
  registry.add("dtype.is_fp8e4b8", "self", ask<isKind<DTypeKind::Float8E4B8>>);
  registry.add("dtype.is_fp8e4b15", "self", ask<isKind<DTypeKind::Float8E4B15>>);
  registry.add("dtype.is_fp8e5b16", "self", ask<isKind<DTypeKind::Float8E5B16>>);
  registry.add("dtype.is_fp16", "self", ask<isKind<DTypeKind::Float16>>);
  registry.add("dtype.is_bf16", "self", ask<isKind<DTypeKind::BFloat16>>);
  registry.add("dtype.is_fp32", "self", ask<isKind<DTypeKind::Float32>>);
  registry.add("dtype.is_fp64", "self", ask<isKind<DTypeKind::Float64>>);
  registry.add("dtype.is_int", "self", ask<isInteger>);
  registry.add("dtype.is_int_signed", "self", ask<isSigned>);
  registry.add("dtype.is_int_unsigned", "self", ask<isUnsigned>);
  registry.add("dtype.is_bool", "self", ask<isBool>);
  registry.add("dtype.is_int1", "self", ask<isBool>);
  registry.add("dtype.is_int8", "self", ask<isKind<DTypeKind::Int8>>);
  registry.add("dtype.is_int16", "self", ask<isKind<DTypeKind::Int16>>);
  registry.add("dtype.is_int32", "self", ask<isKind<DTypeKind::Int32>>);
  registry.add("dtype.is_int64", "self", ask<isKind<DTypeKind::Int64>>);
  registry.add("dtype.is_uint8", "self", ask<isKind<DTypeKind::UInt8>>);
  registry.add("dtype.is_uint16", "self", ask<isKind<DTypeKind::UInt16>>);
  registry.add("dtype.is_uint32", "self", ask<isKind<DTypeKind::UInt32>>);
  registry.add("dtype.is_uint64", "self", ask<isKind<DTypeKind::UInt64>>);
}
