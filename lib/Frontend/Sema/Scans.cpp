//===- Scans.cpp - associative_scan, cumsum, cumprod ----------------------===//

#include "Combine.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "llvm/ADT/STLExtras.h"

using namespace tritium;
using namespace tritium::sema;

/// Builds one tt.scan over inputs of one shape. Empty after an error.
static std::vector<Tensor> buildScan(Sema &sema, llvm::ArrayRef<Tensor> inputs, const Value &axis,
                                     const Value &reverse, std::string_view name, Combine combine) {
  if (inputs[0].isScalar()) {
    sema.error(displayName(name) + " needs a tile, found " + describe(inputs[0]) +
               "; tl.full([1], x, dtype) makes one");
    return {};
  }
  auto index = axisArgument(sema, axis, static_cast<int64_t>(inputs[0].shape().size()),
                            "the axis of " + displayName(name));
  auto isReverse = index ? constantBool(sema, reverse, "'reverse'") : std::nullopt;
  if (!isReverse)
    return {};
  llvm::SmallVector<mlir::Value> values;
  for (const Tensor &input : inputs)
    values.push_back(input.value);
  auto scan = sema.builder().create<tt::ScanOp>(sema.loc(), mlir::ValueRange(values).getTypes(),
                                                values, *index, *isReverse);
  if (!buildRegion<tt::ScanReturnOp>(sema, scan.getCombineOp(), inputs, combine)) {
    scan.erase();
    return {};
  }
  std::vector<Tensor> results;
  for (auto [result, input] : llvm::zip(scan.getResult(), inputs))
    results.push_back({result, input.dtype});
  return results;
}

/// associative_scan(input, axis, combine_fn, reverse)
static Result associativeScan(Sema &sema, const BoundArguments &args) {
  std::vector<Tensor> inputs = readInputs(sema, args[0], args[2], "associative_scan");
  if (inputs.empty())
    return std::nullopt;
  auto combine = [&](mlir::ValueRange l, mlir::ValueRange r,
                     llvm::SmallVectorImpl<mlir::Value> &out) {
    return callCombine(sema, args[2], "associative_scan", inputs, l, r, out);
  };
  return combined(args[0], buildScan(sema, inputs, args[1], args[3], "associative_scan", combine));
}

/// A scan whose combination is one operation.
template <typename Build>
static Result scanWith(Sema &sema, const Tensor &input, const Value &axis, const Value &reverse,
                       std::string_view name, Build build) {
  auto results = buildScan(
      sema, input, axis, reverse, name,
      [&](mlir::ValueRange l, mlir::ValueRange r, llvm::SmallVectorImpl<mlir::Value> &out) {
        out.push_back(build(l[0], r[0]));
        return true;
      });
  return results.empty() ? std::nullopt : Result(Value(results[0]));
}

/// cumsum(input, axis, reverse, dtype)
static Result cumsum(Sema &sema, const BoundArguments &args) {
  auto input = numbers(sema, args[0], "cumsum");
  auto dtype = input ? sumTypeArgument(sema, args[3], "cumsum", withoutBFloat16(input->dtype))
                     : std::nullopt;
  auto converted = dtype ? sema.cast(*input, *dtype) : std::nullopt;
  if (!converted)
    return std::nullopt;
  return scanWith(sema, *converted, args[1], args[2], "cumsum", adder(sema, *dtype));
}

/// cumprod(input, axis, reverse)
static Result cumprod(Sema &sema, const BoundArguments &args) {
  auto input = numbers(sema, args[0], "cumprod");
  auto converted = input ? sema.cast(*input, withoutBFloat16(input->dtype)) : std::nullopt;
  if (!converted)
    return std::nullopt;
  DType dtype = converted->dtype;
  return scanWith(sema, *converted, args[1], args[2], "cumprod",
                  [&](mlir::Value x, mlir::Value y) -> mlir::Value {
                    if (isBool(dtype))
                      return sema.builder().create<mlir::arith::AndIOp>(sema.loc(), x, y);
                    return build::arithmetic(sema, BinaryOp::Mul, {{x, dtype}, {y, dtype}}).value;
                  });
}

void sema::addScanBuiltins(Registry &registry) {
  registry.addMethod("associative_scan", "input, axis, combine_fn, reverse=False", associativeScan);
  registry.addMethod("cumsum", "input, axis=0, reverse=False, dtype=None", cumsum);
  registry.addMethod("cumprod", "input, axis=0, reverse=False", cumprod);
}
