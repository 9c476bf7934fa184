//===- Attributes.cpp - x.name --------------------------------------------===//

#include "Attributes.h"

#include "Aggregates.h"
#include "BuiltinSupport.h"
#include "tritium/Frontend/Sema/ConstantFold.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <numeric>

using namespace tritium;
using namespace tritium::sema;

static BoundMethod bindMethod(std::string name, const Value &self) {
  return {Library{std::move(name)}, std::make_shared<const Value>(self)};
}

static Value shapeTuple(llvm::ArrayRef<int64_t> shape) {
  Tuple tuple;
  for (int64_t extent : shape)
    tuple.elements.push_back(makeInt(extent));
  return tuple;
}

static int64_t product(llvm::ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

static std::optional<Value> tensorAttribute(Sema &sema, const Value &base, const Tensor &tensor,
                                            std::string_view name) {
  if (name == "shape")
    return shapeTuple(tensor.shape());
  if (name == "dtype")
    return makeDType(tensor.dtype);
  if (name == "type") {
    if (tensor.isScalar())
      return makeDType(tensor.dtype);
    return Value(BlockType{tensor.dtype, tensor.shape().vec()});
  }
  if (name == "numel")
    return makeInt(tensor.numElements());
  if (name == "T") {
    llvm::SmallVector<int32_t> order(tensor.shape().size());
    std::iota(order.rbegin(), order.rend(), 0);
    return Value(sema.transpose(tensor, order));
  }
  const Builtin *builtin = findBuiltin(name);
  if (builtin && builtin->isMethod)
    return Value(bindMethod(std::string(name), base));
  return std::nullopt;
}

static Value tensorTuple(llvm::ArrayRef<Tensor> tensors) {
  Tuple tuple;
  for (const Tensor &tensor : tensors)
    tuple.elements.push_back(tensor);
  return tuple;
}

static std::optional<Value> descriptorAttribute(const Value &base, const Descriptor &descriptor,
                                                std::string_view name) {
  if (name == "shape")
    return tensorTuple(descriptor.shape);
  if (name == "strides")
    return tensorTuple(descriptor.strides);
  if (name == "block_shape")
    return shapeTuple(descriptor.blockShape);
  if (name == "dtype")
    return makeDType(descriptor.element());
  if (name == "type" || name == "block_type")
    return Value(BlockType{descriptor.element(), descriptor.blockShape});
  std::string method = "tensor_descriptor." + std::string(name);
  if (findBuiltin(method))
    return Value(bindMethod(std::move(method), base));
  return std::nullopt;
}

static Value intTuple(llvm::ArrayRef<int32_t> values) {
  Tuple tuple;
  for (int32_t value : values)
    tuple.elements.push_back(makeInt(value));
  return tuple;
}

/// As of a tensor whose type is a pointer to a tile; besides, what tl.make_block_ptr got.
static std::optional<Value> blockPointerAttribute(const Value &base, const BlockPointer &pointer,
                                                  std::string_view name) {
  if (name == "type" || name == "dtype")
    return Value(BlockType{pointer.element(), pointer.blockShape, /*isPointer=*/true});
  if (name == "base")
    return Value(pointer.base);
  if (name == "shape")
    return tensorTuple(pointer.shape);
  if (name == "strides")
    return tensorTuple(pointer.strides);
  if (name == "offsets")
    return tensorTuple(pointer.offsets);
  if (name == "block_shape")
    return shapeTuple(pointer.blockShape);
  if (name == "order")
    return intTuple(pointer.order);
  if (name == "advance" || name == "store")
    return Value(bindMethod(std::string(name), base));
  return std::nullopt;
}

std::string sema::typeName(DType dtype) {
  if (dtype.isPointer())
    return "pointer<" + typeName(pointee(dtype)) + ">";
  return isFloat(dtype) ? dtype.signature() : std::string(dtype.languageName());
}

static int mantissaWidth(DType dtype) {
  switch (dtype.kind) {
  case DTypeKind::Float8E5:
  case DTypeKind::Float8E5B16:
    return 2;
  case DTypeKind::Float8E4NV:
  case DTypeKind::Float8E4B8:
  case DTypeKind::Float8E4B15:
    return 3;
  case DTypeKind::BFloat16:
    return 7;
  case DTypeKind::Float16:
    return 10;
  case DTypeKind::Float32:
    return 23;
  default:
    return 52;
  }
}

static int exponentBias(DType dtype) {
  switch (dtype.kind) {
  case DTypeKind::Float8E4NV:
    return 7;
  case DTypeKind::Float8E4B8:
    return 8;
  case DTypeKind::Float8E5:
  case DTypeKind::Float8E4B15:
  case DTypeKind::Float16:
    return 15;
  case DTypeKind::Float8E5B16:
    return 16;
  case DTypeKind::Float64:
    return 1023;
  default:
    return 127;
  }
}

static std::optional<Value> dtypeAttribute(const Value &base, DType dtype, std::string_view name) {
  if (name == "name")
    return makeString(typeName(dtype));
  if (name == "primitive_bitwidth")
    return makeInt(dtype.bits());
  if (name == "itemsize")
    return makeInt((dtype.bits() + 7) / 8);
  if (name == "scalar" || name == "value") // the value of a constexpr
    return base;
  if (name == "shape")
    return Value(Tuple{});
  if (dtype.isPointer() && name == "element_ty")
    return makeDType(pointee(dtype));
  if (dtype.isPointer() && name == "address_space")
    return makeInt(1);
  if (isInteger(dtype) && name == "int_bitwidth")
    return makeInt(dtype.bits());
  if (isInteger(dtype) && name == "int_signedness")
    return makeString(isSigned(dtype) ? "signed" : "unsigned");
  if (isFloat(dtype) && name == "fp_mantissa_width")
    return makeInt(mantissaWidth(dtype));
  if (isFloat(dtype) && name == "exponent_bias")
    return makeInt(exponentBias(dtype));
  std::string method = "dtype." + std::string(name);
  if (findBuiltin(method))
    return Value(bindMethod(std::move(method), base));
  return std::nullopt;
}

static std::optional<Value> blockTypeAttribute(const BlockType &type, std::string_view name) {
  if (name == "scalar" && type.isPointer)
    return Value(type);
  if (name == "element_ty" && type.isPointer)
    return Value(BlockType{type.element, type.shape});
  if (name == "address_space" && type.isPointer)
    return makeInt(1);
  if (name == "element_ty" || name == "scalar")
    return makeDType(type.element);
  if (name == "block_type")
    return Value(type);
  if (name == "shape")
    return shapeTuple(type.shape);
  if (name == "numel")
    return makeInt(product(type.shape));
  std::string method = "dtype." + std::string(name);
  if (findBuiltin(method))
    return Value(bindMethod(std::move(method), type));
  return std::nullopt;
}

static std::optional<Value> libraryAttribute(const Library &library, std::string_view name) {
  if (library.name == "PropagateNan" && (name == "NONE" || name == "ALL"))
    return makeString(name == "ALL" ? "all" : "");
  if (library.name == "dtype" && (name == "KIND" || name == "SIGNEDNESS"))
    return Value(Library{"dtype." + std::string(name)});
  if (library.name == "dtype.KIND")
    return llvm::StringSwitch<std::optional<Value>>(name)
        .Case("BOOLEAN", makeInt(0))
        .Case("INTEGRAL", makeInt(1))
        .Case("FLOATING", makeInt(2))
        .Default(std::nullopt);
  if (library.name == "dtype.SIGNEDNESS" && (name == "SIGNED" || name == "UNSIGNED"))
    return makeString(name == "SIGNED" ? "signed" : "unsigned");
  return std::nullopt;
}

static std::optional<Value> moduleAttribute(Sema &sema, const frontend::External::Module &module,
                                            std::string_view name) {
  if (!module.library.empty())
    return libraryName(module.library, name);
  auto external = module.scope ? module.scope->lookup(name) : std::nullopt;
  if (!external || std::holds_alternative<frontend::External::Unusable>(external->value))
    return std::nullopt;
  return sema.fromExternal(*external, name);
}

/// A number has what a scalar tensor has, a text the methods of Python's.
static std::optional<Value> constantAttribute(const Value &base, const Constant &constant,
                                              std::string_view name) {
  if (name == "value")
    return base;
  if (std::holds_alternative<std::string>(constant.value)) {
    std::string method = "str." + std::string(name);
    return findBuiltin(method) ? std::optional<Value>(bindMethod(std::move(method), base))
                               : std::nullopt;
  }
  auto dtype = constantType(constant);
  if (!dtype)
    return std::nullopt;
  if (name == "dtype" || name == "type")
    return makeDType(*dtype);
  const Builtin *builtin = findBuiltin(name);
  return builtin && builtin->isMethod ? std::optional<Value>(bindMethod(std::string(name), base))
                                      : std::nullopt;
}

std::optional<Value> sema::findAttribute(Sema &sema, const Value &base, std::string_view name) {
  if (auto *module = base.getIf<frontend::External::Module>())
    return moduleAttribute(sema, *module, name);
  if (auto *tensor = base.getIf<Tensor>())
    return tensorAttribute(sema, base, *tensor, name);
  if (auto dtype = asDType(base))
    return dtypeAttribute(base, *dtype, name);
  if (auto *type = base.getIf<BlockType>())
    return blockTypeAttribute(*type, name);
  if (auto *descriptor = base.getIf<Descriptor>())
    return descriptorAttribute(base, *descriptor, name);
  if (auto *pointer = base.getIf<BlockPointer>())
    return blockPointerAttribute(base, *pointer, name);
  if (base.is<Dict>() || base.is<Scope>()) {
    std::string method = (base.is<Dict>() ? "dict." : "scope.") + std::string(name);
    return findBuiltin(method) ? std::optional<Value>(bindMethod(std::move(method), base))
                               : std::nullopt;
  }
  if (auto *library = base.getIf<Library>())
    return libraryAttribute(*library, name);
  if (auto *function = base.getIf<Function>(); function && name == "__name__")
    return makeString(function->source->name);
  if (auto *tuple = base.getIf<Tuple>())
    for (size_t i = 0; i < tuple->names.size(); ++i)
      if (tuple->names[i] == name)
        return tuple->elements[i];
  if (asAggregate(base))
    return aggregateAttribute(sema, base, name);
  if (auto *constant = base.getIf<Constant>())
    return constantAttribute(base, *constant, name);
  return std::nullopt;
}

/// Names of Triton's language that have no implementation here, by their addresses in `tl`.
static bool isUnsupported(std::string_view name) {
  constexpr std::string_view kNames[] = {"extra.cuda.convert_custom_float8_sm70",
                                         "extra.cuda.convert_custom_float8_sm80"};
  return llvm::is_contained(kNames, name);
}

/// Why a module has no such attribute.
static std::nullopt_t moduleError(Sema &sema, const frontend::External::Module &module,
                                  std::string_view name) {
  if (module.library.empty()) {
    if (auto external = module.scope ? module.scope->lookup(name) : std::nullopt) {
      sema.fromExternal(*external, name);
      return std::nullopt;
    }
    return sema.error(describe(Value(module)) + " has no '" + std::string(name) + "'");
  }
  // "triton.language.extra.cuda" and "smid" -> "extra.cuda.smid"
  constexpr std::string_view kLanguage = "triton.language.";
  std::string inner = llvm::StringRef(module.library).starts_with("triton.language.extra.")
                          ? module.library.substr(kLanguage.size()) + "."
                          : "";
  inner += name;
  if (isUnsupported(inner))
    return sema.error("'tl." + inner + "' is not supported by this compiler");
  std::string suggestion = suggestName(module.library, name);
  return sema.error("the module '" + module.library + "' has no '" + std::string(name) +
                    "' that kernels can use" +
                    (suggestion.empty() ? "" : "; did you mean '" + suggestion + "'?"));
}

Result Sema::attribute(const Value &base, std::string_view name) {
  if (auto value = findAttribute(*this, base, name))
    return value;
  if (auto *module = base.getIf<frontend::External::Module>())
    return moduleError(*this, *module, name);
  if (base.is<Tensor>() && isUnsupported(name))
    return error("'." + std::string(name) + "' is not supported by this compiler");
  std::string advice;
  if (base.is<Tensor>() && (name == "cpu" || name == "numpy"))
    advice = "; values are known only when the kernel runs";
  return error(describe(base) + " has no attribute '" + std::string(name) + "'" + advice);
}
