//===- Reductions.cpp - sum, max, argmax, reduce --------------------------===//

#include "Combine.h"
#include "tritium/Dialect/Tile/IR/ExtremumPlace.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "llvm/ADT/STLExtras.h"

namespace arith = mlir::arith;
using namespace tritium;
using namespace tritium::sema;

namespace {
/// What a reduction does with shapes; `axis` is absent for all dimensions at once.
struct Plan {
  std::optional<int> axis;
  bool keepDims = false;
};
} // namespace

static std::optional<Plan> readPlan(Sema &sema, const Tensor &input, const Value &axis,
                                    const Value &keepDims, std::string_view name) {
  auto keep = constantBool(sema, keepDims, "'keep_dims'");
  if (!keep)
    return std::nullopt;
  if (axis.isNone())
    return Plan{std::nullopt, *keep};
  if (input.isScalar())
    return sema.error(displayName(name) + " along an axis needs a tile, found " + describe(input));
  auto index = axisArgument(sema, axis, static_cast<int64_t>(input.shape().size()),
                            "the axis of " + displayName(name));
  if (!index)
    return std::nullopt;
  return Plan{*index, *keep};
}

/// Builds one tt.reduce over inputs of one shape. Empty after an error.
static std::vector<Tensor> buildReduce(Sema &sema, llvm::ArrayRef<Tensor> inputs, Plan plan,
                                       Combine combine) {
  llvm::SmallVector<int64_t> shape(inputs[0].shape());
  size_t rank = shape.size();
  std::vector<Tensor> operands(inputs.begin(), inputs.end());
  for (Tensor &operand : operands)
    if (!plan.axis || operand.isScalar())
      operand = *sema.reshape(operand, {operand.numElements()});
  int axis = plan.axis.value_or(0);
  llvm::SmallVector<int64_t> reduced;
  if (plan.axis) {
    reduced = shape;
    reduced.erase(reduced.begin() + axis);
  }
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<mlir::Type> types;
  for (const Tensor &operand : operands) {
    values.push_back(operand.value);
    types.push_back(sema.tensorType(operand.dtype, reduced));
  }
  auto reduce = sema.builder().create<tt::ReduceOp>(sema.loc(), types, values, axis);
  if (!buildRegion<tt::ReduceReturnOp>(sema, reduce.getCombineOp(), operands, combine)) {
    reduce.erase();
    return {};
  }
  std::vector<Tensor> results;
  for (auto [result, operand] : llvm::zip(reduce.getResult(), operands)) {
    Tensor tensor{result, operand.dtype};
    if (plan.keepDims && plan.axis)
      tensor = sema.expandDims(tensor, axis);
    else if (plan.keepDims && rank > 0)
      tensor = *sema.broadcastTo(tensor, llvm::SmallVector<int64_t>(rank, 1));
    results.push_back(tensor);
  }
  return results;
}

/// A reduction whose combination is one operation.
template <typename Build>
static Result reduceWith(Sema &sema, const Tensor &input, Plan plan, Build build) {
  auto results = buildReduce(
      sema, input, plan,
      [&](mlir::ValueRange l, mlir::ValueRange r, llvm::SmallVectorImpl<mlir::Value> &out) {
        out.push_back(build(l[0], r[0]));
        return true;
      });
  return results.empty() ? std::nullopt : Result(Value(results[0]));
}

static auto chooser(Sema &sema, DType dtype, bool isMax) {
  return [&sema, dtype, isMax](mlir::Value a, mlir::Value b) {
    return build::minMax(sema, isMax, false, dtype, a, b);
  };
}

Tensor build::reduce(Sema &sema, const Tensor &input, int axis, Combine combine) {
  return reduceWith(sema, input, {axis, false}, combine)->get<Tensor>();
}

Tensor build::sum(Sema &sema, const Tensor &input, int axis) {
  return reduce(sema, input, axis, adder(sema, input.dtype));
}

Tensor build::extremum(Sema &sema, const Tensor &input, int axis, bool isMax) {
  return reduce(sema, input, axis, chooser(sema, input.dtype, isMax));
}

//===----------------------------------------------------------------------===//
// sum, xor_sum, reduce_or
//===----------------------------------------------------------------------===//

/// sum(input, axis, keep_dims, dtype)
static Result sum(Sema &sema, const BoundArguments &args) {
  auto input = numbers(sema, args[0], "sum");
  auto plan = input ? readPlan(sema, *input, args[1], args[2], "sum") : std::nullopt;
  if (!plan)
    return std::nullopt;
  auto dtype = sumTypeArgument(sema, args[3], "sum", input->dtype);
  auto converted = dtype ? sema.cast(*input, *dtype) : std::nullopt;
  if (!converted)
    return std::nullopt;
  return reduceWith(sema, *converted, *plan, adder(sema, *dtype));
}

template <typename Op>
static Result integerReduction(Sema &sema, const BoundArguments &args, std::string_view name) {
  auto input = numbers(sema, args[0], name);
  auto plan = input ? readPlan(sema, *input, args[1], args[2], name) : std::nullopt;
  if (!plan)
    return std::nullopt;
  if (!isInteger(input->dtype))
    return sema.error(displayName(name) + " needs integers, found " + describe(args[0]));
  return reduceWith(sema, *input, *plan, [&](mlir::Value a, mlir::Value b) -> mlir::Value {
    return sema.builder().create<Op>(sema.loc(), a, b);
  });
}

static Result xorSum(Sema &sema, const BoundArguments &args) {
  return integerReduction<arith::XOrIOp>(sema, args, "xor_sum");
}

static Result reduceOr(Sema &sema, const BoundArguments &args) {
  return integerReduction<arith::OrIOp>(sema, args, "reduce_or");
}

//===----------------------------------------------------------------------===//
// max, min, argmax, argmin
//===----------------------------------------------------------------------===//

/// 0, 1, ... along the reduced axis, in the shape of the input.
static std::optional<Tensor> indicesAlong(Sema &sema, const Tensor &input, int axis) {
  int64_t extent = input.shape()[axis];
  Tensor indices = build::range(sema, 0, static_cast<int32_t>(extent));
  for (size_t i = axis + 1; i < input.shape().size(); ++i)
    indices = sema.expandDims(indices, static_cast<int>(indices.shape().size()));
  return sema.broadcastTo(indices, input.shape());
}

/// The best element and its index; the first of equal ones, which is also a valid
/// choice where the caller leaves ties open.
static std::vector<Tensor> withIndices(Sema &sema, const Tensor &input, Plan plan, bool isMax) {
  bool flat = !plan.axis || input.isScalar();
  Tensor values = flat ? *sema.reshape(input, {input.numElements()}) : input;
  if (flat) {
    // keep_dims is about the shape before it was flattened.
    auto results = withIndices(sema, values, Plan{0, false}, isMax);
    if (plan.keepDims && !input.isScalar())
      for (Tensor &result : results)
        result = *sema.broadcastTo(result, llvm::SmallVector<int64_t>(input.shape().size(), 1));
    return results;
  }
  auto indices = indicesAlong(sema, values, *plan.axis);
  if (!indices)
    return {};
  bool isUnsigned = isInteger(values.dtype) && !isSigned(values.dtype);
  auto extremum = isUnsigned ? (isMax ? tt::Extremum::UnsignedMax : tt::Extremum::UnsignedMin)
                             : (isMax ? tt::Extremum::Max : tt::Extremum::Min);
  return buildReduce(
      sema, {values, *indices}, plan,
      [&](mlir::ValueRange l, mlir::ValueRange r, llvm::SmallVectorImpl<mlir::Value> &out) {
        mlir::OpBuilder &b = sema.builder();
        mlir::Value first = tt::comesFirst(b, sema.loc(), extremum, l[0], l[1], r[0], r[1]);
        out.push_back(b.create<arith::SelectOp>(sema.loc(), first, l[0], r[0]));
        out.push_back(b.create<arith::SelectOp>(sema.loc(), first, l[1], r[1]));
        return true;
      });
}

/// The type in which extrema are taken. bfloat16 becomes float32 always, other narrow
/// types are widened unless indices are wanted too.
static DType extremumType(DType dtype, bool hasIndices) {
  dtype = withoutBFloat16(dtype);
  if (hasIndices || dtype.bits() >= 32)
    return dtype;
  return {isFloat(dtype) ? DTypeKind::Float32 : DTypeKind::Int32};
}

/// max(input, axis, return_indices, return_indices_tie_break_left, keep_dims)
template <bool isMax> static Result extremum(Sema &sema, const BoundArguments &args) {
  std::string_view name = isMax ? "max" : "min";
  auto input = numbers(sema, args[0], name);
  auto plan = input ? readPlan(sema, *input, args[1], args[4], name) : std::nullopt;
  auto hasIndices = plan ? constantBool(sema, args[2], "'return_indices'") : std::nullopt;
  if (!hasIndices || !constantBool(sema, args[3], "'return_indices_tie_break_left'"))
    return std::nullopt;
  auto converted = sema.cast(*input, extremumType(input->dtype, *hasIndices));
  if (!converted)
    return std::nullopt;
  if (!*hasIndices)
    return reduceWith(sema, *converted, *plan, chooser(sema, converted->dtype, isMax));
  auto results = withIndices(sema, *converted, *plan, isMax);
  if (results.empty())
    return std::nullopt;
  return Value(Tuple{{Value(results[0]), Value(results[1])}, {}});
}

/// argmax(input, axis, tie_break_left, keep_dims)
template <bool isMax> static Result argExtremum(Sema &sema, const BoundArguments &args) {
  std::string_view name = isMax ? "argmax" : "argmin";
  auto input = numbers(sema, args[0], name);
  auto plan = input ? readPlan(sema, *input, args[1], args[3], name) : std::nullopt;
  if (!plan || !constantBool(sema, args[2], "'tie_break_left'"))
    return std::nullopt;
  auto converted = sema.cast(*input, extremumType(input->dtype, true));
  auto results = converted ? withIndices(sema, *converted, *plan, isMax) : std::vector<Tensor>();
  return results.empty() ? std::nullopt : Result(Value(results[1]));
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

/// reduce(input, axis, combine_fn, keep_dims)
static Result reduce(Sema &sema, const BoundArguments &args) {
  std::vector<Tensor> inputs = readInputs(sema, args[0], args[2], "reduce");
  auto plan = inputs.empty() ? std::nullopt : readPlan(sema, inputs[0], args[1], args[3], "reduce");
  if (!plan)
    return std::nullopt;
  return combined(args[0], buildReduce(sema, inputs, *plan,
                                       [&](mlir::ValueRange l, mlir::ValueRange r,
                                           llvm::SmallVectorImpl<mlir::Value> &out) {
                                         return callCombine(sema, args[2], "reduce", inputs, l, r,
                                                            out);
                                       }));
}

void sema::addReductionBuiltins(Registry &registry) {
  constexpr std::string_view kExtremum =
      "input, axis=None, return_indices=False, return_indices_tie_break_left=True, "
      "keep_dims=False";
  constexpr std::string_view kArg = "input, axis, tie_break_left=True, keep_dims=False";
  registry.addMethod("sum", "input, axis=None, keep_dims=False, dtype=None", sum);
  registry.addMethod("xor_sum", "input, axis=None, keep_dims=False", xorSum);
  registry.addMethod("reduce_or", "input, axis, keep_dims=False", reduceOr);
  registry.addMethod("max", kExtremum, extremum<true>);
  registry.addMethod("min", kExtremum, extremum<false>);
  registry.addMethod("argmax", kArg, argExtremum<true>);
  registry.addMethod("argmin", kArg, argExtremum<false>);
  registry.addMethod("reduce", "input, axis, combine_fn, keep_dims=False", reduce);
}
