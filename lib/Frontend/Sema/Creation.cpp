//===- Creation.cpp - program ids, new tiles, casts -----------------------===//

#include "BuiltinSupport.h"
#include "Casts.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

using namespace tritium;
using namespace tritium::sema;

template <typename Op> static Tensor gridValue(Sema &sema, int axis) {
  mlir::OpBuilder &b = sema.builder();
  return {b.create<Op>(sema.loc(), b.getI32Type(), static_cast<uint32_t>(axis)),
          {DTypeKind::Int32}};
}

Tensor build::programId(Sema &sema, int axis) { return gridValue<tt::GetProgramIdOp>(sema, axis); }

Tensor build::numPrograms(Sema &sema, int axis) {
  return gridValue<tt::GetNumProgramsOp>(sema, axis);
}

Tensor build::range(Sema &sema, int32_t start, int32_t end) {
  DType int32{DTypeKind::Int32};
  mlir::Type type = sema.tensorType(int32, {static_cast<int64_t>(end) - start});
  return {sema.builder().create<tt::MakeRangeOp>(sema.loc(), type, static_cast<uint32_t>(start),
                                                 static_cast<uint32_t>(end)),
          int32};
}

template <Tensor (*query)(Sema &, int)>
static Result gridQuery(Sema &sema, const BoundArguments &args) {
  auto axis = constantInt(sema, args[0], "the axis of the grid");
  if (!axis)
    return std::nullopt;
  if (*axis < 0 || *axis > 2)
    return sema.error("the axis of the grid must be 0, 1 or 2, found " + std::to_string(*axis));
  return Value(query(sema, static_cast<int>(*axis)));
}

/// arange(start, end), or arange(end) from 0.
static Result arange(Sema &sema, const BoundArguments &args) {
  bool hasStart = !args[1].isNone();
  auto start = hasStart ? constantInt(sema, args[0], "the start of tl.arange") : 0;
  auto end =
      start ? constantInt(sema, args[hasStart ? 1 : 0], "the end of tl.arange") : std::nullopt;
  if (!end)
    return std::nullopt;
  if (*start < INT32_MIN || *end > INT32_MAX)
    return sema.error("the bounds of tl.arange must fit int32, found " + std::to_string(*start) +
                      " and " + std::to_string(*end));
  if (*end <= *start)
    return sema.error("the end of tl.arange must be greater than its start, found " +
                      std::to_string(*start) + " and " + std::to_string(*end));
  if (!sema.checkShape({*end - *start}))
    return std::nullopt;
  return Value(build::range(sema, static_cast<int32_t>(*start), static_cast<int32_t>(*end)));
}

static Result fill(Sema &sema, const Value &shapeValue, const Value &value, DType dtype) {
  auto shape = constantInts(sema, shapeValue, "the shape");
  if (!shape || !sema.checkShape(*shape))
    return std::nullopt;
  if (dtype.isPointer() || kindOf(dtype) == Kind::Other)
    return sema.error("a tile of " + describeType(dtype) + " cannot be filled with a number");
  Value scalar = value;
  if (auto *tensor = value.getIf<Tensor>()) {
    if (tensor->numElements() != 1)
      return sema.error("tl.full needs a scalar value, found " + describe(value));
    scalar = sema.item(*tensor);
  }
  auto element = coerce(sema, scalar, dtype);
  auto tile = element ? sema.broadcastTo(*element, *shape) : std::nullopt;
  return tile ? Result(Value(*tile)) : std::nullopt;
}

static Result full(Sema &sema, const BoundArguments &args) {
  auto dtype = dtypeArgument(sema, args[2], "the dtype of tl.full");
  return dtype ? fill(sema, args[0], args[1], *dtype) : std::nullopt;
}

static Result zeros(Sema &sema, const BoundArguments &args) {
  auto dtype = dtypeArgument(sema, args[1], "the dtype of tl.zeros");
  return dtype ? fill(sema, args[0], makeInt(0), *dtype) : std::nullopt;
}

static Result zerosLike(Sema &sema, const BoundArguments &args) {
  auto like = sema.toTensor(args[0]);
  if (!like)
    return std::nullopt;
  if (kindOf(like->dtype) == Kind::Other)
    return sema.error("tl.zeros_like is not defined on " + describe(args[0]));
  auto zero = sema.constant({Constant::Int(0)}, like->dtype, like->shape());
  return zero ? Result(Value(*zero)) : std::nullopt;
}

static Result castTo(Sema &sema, const BoundArguments &args) {
  auto dtype = dtypeArgument(sema, args[1], "the target of a cast");
  auto isBitcast = dtype ? constantBool(sema, args[3], "'bitcast'") : std::nullopt;
  if (!isBitcast)
    return std::nullopt;
  if (args[0].is<Constant>() && !*isBitcast && args[2].isNone()) {
    auto result = coerce(sema, args[0], *dtype);
    return result ? Result(Value(*result)) : std::nullopt;
  }
  auto tensor = sema.toTensor(args[0]);
  if (!tensor)
    return std::nullopt;
  std::optional<Tensor> result;
  if (*isBitcast) {
    result = sema.bitcast(*tensor, *dtype);
  } else if (args[2].isNone()) {
    result = sema.cast(*tensor, *dtype);
  } else {
    auto rounding = constantString(sema, args[2], "'fp_downcast_rounding'");
    if (!rounding)
      return std::nullopt;
    if (*rounding != "rtne" && *rounding != "rtz")
      return sema.error("'fp_downcast_rounding' must be 'rtne' or 'rtz', found '" + *rounding +
                        "'");
    bool isNarrowing =
        isFloat(tensor->dtype) && isFloat(*dtype) && tensor->dtype.bits() > dtype->bits();
    if (!isNarrowing && tensor->dtype != *dtype)
      return sema.error(
          "'fp_downcast_rounding' applies only where a float becomes narrower, found " +
          describe(*tensor) + " to " + describeType(*dtype));
    result = isNarrowing && *rounding == "rtz" ? truncateTowardsZero(sema, *tensor, *dtype)
                                               : sema.cast(*tensor, *dtype);
  }
  return result ? Result(Value(*result)) : std::nullopt;
}

static Result toTensor(Sema &sema, const BoundArguments &args) {
  auto tensor = sema.toTensor(args[0]);
  return tensor ? Result(Value(*tensor)) : std::nullopt;
}

void sema::addCreationBuiltins(Registry &registry) {
  registry.add("program_id", "axis", gridQuery<build::programId>);
  registry.add("num_programs", "axis", gridQuery<build::numPrograms>);
  registry.add("arange", "start, end=None", arange);
  registry.add("full", "shape, value, dtype", full);
  registry.add("zeros", "shape, dtype", zeros);
  registry.add("zeros_like", "input", zerosLike);
  registry.add("to_tensor", "x", toTensor);
  registry.addMethod("cast", "input, dtype, fp_downcast_rounding=None, bitcast=False", castTo);
  registry.addMethod("to", "self, dtype, fp_downcast_rounding=None, bitcast=False", castTo);
}
