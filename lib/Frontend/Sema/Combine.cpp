//===- Combine.cpp - what reductions and scans share ----------------------===//

#include "Combine.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace tritium;
using namespace tritium::sema;

bool sema::buildRegion(Sema &sema, mlir::Region &region, llvm::StringRef terminator,
                       llvm::ArrayRef<Tensor> inputs, Combine combine) {
  mlir::OpBuilder &b = sema.builder();
  mlir::OpBuilder::InsertionGuard guard(b);
  llvm::SmallVector<mlir::Type> arguments;
  for (int side = 0; side < 2; ++side)
    for (const Tensor &input : inputs)
      arguments.push_back(sema.elementType(input.dtype));
  mlir::Block *block = b.createBlock(
      &region, {}, arguments, llvm::SmallVector<mlir::Location>(arguments.size(), sema.loc()));
  mlir::ValueRange all = block->getArguments();
  llvm::SmallVector<mlir::Value> results;
  if (!combine(all.take_front(inputs.size()), all.drop_front(inputs.size()), results))
    return false;
  if (!llvm::all_of(*block, [](mlir::Operation &op) { return mlir::isMemoryEffectFree(&op); })) {
    sema.error("a combine function is called in any order and as often as it takes: it can only "
               "compute, not access memory, print or assert");
    return false;
  }
  mlir::OperationState end(sema.loc(), terminator);
  end.addOperands(results);
  b.create(end);
  return true;
}

bool sema::callCombine(Sema &sema, const Value &function, std::string_view name,
                       llvm::ArrayRef<Tensor> inputs, mlir::ValueRange l, mlir::ValueRange r,
                       llvm::SmallVectorImpl<mlir::Value> &out) {
  Arguments arguments;
  for (mlir::ValueRange side : {l, r})
    for (auto [value, input] : llvm::zip(side, inputs))
      arguments.positional.push_back(Tensor{value, input.dtype});
  auto result = sema.call(function, arguments);
  if (!result)
    return false;
  auto *tuple = result->getIf<Tuple>();
  llvm::ArrayRef<Value> elements =
      tuple ? llvm::ArrayRef<Value>(tuple->elements) : llvm::ArrayRef<Value>(*result);
  if (elements.size() != inputs.size()) {
    sema.error("the combine function of " + displayName(name) + " must return " +
               std::to_string(inputs.size()) + (inputs.size() == 1 ? " value" : " values") +
               ", found " + describe(*result));
    return false;
  }
  for (auto [element, input] : llvm::zip(elements, inputs)) {
    auto tensor = sema.toTensor(element);
    if (!tensor)
      return false;
    if (!tensor->isScalar() || kindOf(tensor->dtype) != kindOf(input.dtype)) {
      sema.error("the combine function of " + displayName(name) + " must return a scalar of type " +
                 describeType(input.dtype) + ", found " + describe(element));
      return false;
    }
    auto converted = sema.cast(*tensor, input.dtype);
    if (!converted)
      return false;
    out.push_back(converted->value);
  }
  return true;
}

std::vector<Tensor> sema::readInputs(Sema &sema, const Value &input, const Value &function,
                                     std::string_view name) {
  auto *tuple = input.getIf<Tuple>();
  llvm::ArrayRef<Value> elements =
      tuple ? llvm::ArrayRef<Value>(tuple->elements) : llvm::ArrayRef<Value>(input);
  if (!function.is<Function>() && !function.is<Library>()) {
    sema.error("the combine function of " + displayName(name) + " must be a jit function, found " +
               describe(function));
    return {};
  }
  std::vector<Tensor> inputs;
  for (const Value &element : elements) {
    auto tensor = sema.toTensor(element);
    if (!tensor)
      return {};
    if (!inputs.empty() && tensor->shape() != inputs[0].shape()) {
      sema.error("the inputs of " + displayName(name) + " must have one shape, found " +
                 describeShape(inputs[0].shape()) + " and " + describeShape(tensor->shape()));
      return {};
    }
    inputs.push_back(*tensor);
  }
  if (inputs.empty())
    sema.error(displayName(name) + " needs at least one input");
  return inputs;
}

Result sema::combined(const Value &input, const std::vector<Tensor> &results) {
  if (results.empty())
    return std::nullopt;
  if (!input.is<Tuple>())
    return Value(results[0]);
  Tuple all;
  for (const Tensor &result : results)
    all.elements.push_back(result);
  return Value(std::move(all));
}

std::optional<Tensor> sema::numbers(Sema &sema, const Value &value, std::string_view name) {
  auto tensor = sema.toTensor(value);
  if (tensor && (kindOf(tensor->dtype) == Kind::Other || isFloat8(tensor->dtype)))
    return sema.error(displayName(name) + " is not defined on " + describe(value) +
                      (isFloat8(tensor->dtype) ? "; convert it with .to(tl.float32)" : ""));
  return tensor;
}

static DType sumType(DType dtype) {
  if (!isInteger(dtype) || dtype.bits() >= 32)
    return dtype;
  return {isSigned(dtype) ? DTypeKind::Int32 : DTypeKind::UInt32};
}

std::optional<DType> sema::sumTypeArgument(Sema &sema, const Value &given, std::string_view name,
                                           DType dtype) {
  if (given.isNone())
    return sumType(dtype);
  auto type = dtypeArgument(sema, given, "the dtype of " + displayName(name));
  if (type && (kindOf(*type) == Kind::Other || isBool(*type) || isFloat8(*type)))
    return sema.error(displayName(name) + " cannot add in " + describeType(*type));
  return type;
}

DType sema::withoutBFloat16(DType dtype) {
  return is(dtype, DTypeKind::BFloat16) ? DType{DTypeKind::Float32} : dtype;
}
