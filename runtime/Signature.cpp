//===- Signature.cpp - how arguments specialise a kernel ------------------===//

#include "Signature.h"
#include "Serialization.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

using namespace tritium;
using namespace tritium::runtime;

CompileError tritium::runtime::launchError(const char *kind, std::string message) {
  CompileError error;
  error.kind = kind;
  error.message = message;
  error.rendered = std::move(message);
  return error;
}

DType tritium::runtime::toDType(tritium_dtype type) {
  return {static_cast<DTypeKind>(type.kind), type.pointer_depth, type.is_const != 0};
}

tritium_dtype tritium::runtime::fromDType(const DType &type) {
  return {static_cast<uint8_t>(type.kind), type.pointerDepth, type.isConst};
}

Constant tritium::runtime::toConstant(const tritium_value &value) {
  switch (value.kind) {
  case TRITIUM_NONE:
    return {};
  case TRITIUM_BOOL:
    return {value.as.boolean != 0};
  case TRITIUM_INT:
    return {static_cast<Constant::Int>(
        static_cast<unsigned __int128>(static_cast<uint64_t>(value.as.integer.high)) << 64 |
        value.as.integer.low)};
  case TRITIUM_FLOAT:
    return {value.as.number};
  case TRITIUM_STRING:
    return {std::string(value.as.string.data, value.as.string.size)};
  case TRITIUM_DTYPE:
    return {toDType(value.as.dtype)};
  case TRITIUM_TUPLE: {
    Constant::Tuple items;
    for (size_t i = 0; i < value.as.tuple.count; ++i)
      items.push_back(toConstant(value.as.tuple.items[i]));
    return {std::move(items)};
  }
  case TRITIUM_OBJECT:
    return {Constant::Object{std::string(value.as.string.data, value.as.string.size)}};
  }
  return {};
}

tritium_value
tritium::runtime::fromConstant(const Constant &constant,
                               std::vector<std::unique_ptr<tritium_value[]>> &storage) {
  tritium_value value = {};
  if (const bool *flag = std::get_if<bool>(&constant.value)) {
    value.kind = TRITIUM_BOOL;
    value.as.boolean = *flag;
  } else if (auto *integer = std::get_if<Constant::Int>(&constant.value)) {
    value.kind = TRITIUM_INT;
    value.as.integer.low = static_cast<uint64_t>(*integer);
    value.as.integer.high = static_cast<int64_t>(*integer >> 64);
  } else if (auto *number = std::get_if<double>(&constant.value)) {
    value.kind = TRITIUM_FLOAT;
    value.as.number = *number;
  } else if (auto *string = std::get_if<std::string>(&constant.value)) {
    value.kind = TRITIUM_STRING;
    value.as.string = {string->data(), string->size()};
  } else if (auto *object = std::get_if<Constant::Object>(&constant.value)) {
    value.kind = TRITIUM_OBJECT;
    value.as.string = {object->name.data(), object->name.size()};
  } else if (auto *type = std::get_if<DType>(&constant.value)) {
    value.kind = TRITIUM_DTYPE;
    value.as.dtype = fromDType(*type);
  } else if (auto *tuple = std::get_if<Constant::Tuple>(&constant.value)) {
    auto items = std::make_unique<tritium_value[]>(tuple->size());
    for (size_t i = 0; i < tuple->size(); ++i)
      items[i] = fromConstant((*tuple)[i], storage);
    value.kind = TRITIUM_TUPLE;
    value.as.tuple = {items.get(), tuple->size()};
    storage.push_back(std::move(items));
  }
  return value;
}

//===-- Parameters --------------------------------------------------------===//

/// The type that an annotation fixes: `tl.int64`, `"*fp32"`, ...
static std::optional<DType> annotatedType(llvm::StringRef text) {
  text = text.trim();
  bool isQuoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                  text.back() == text.front();
  if (isQuoted) {
    text = text.drop_front().drop_back().trim();
    // "const int64*" is "*ki64".
    std::string stars;
    while (text.consume_back("*"))
      stars += '*';
    bool isConst = !stars.empty() && text.consume_front("const ");
    if (auto type = DType::parse(stars + (isConst ? "k" : "") + text.trim().str()))
      return type;
  }
  size_t dot = text.rfind('.');
  // A bare or foreign name (`int`, `torch.float32`) says nothing about the argument.
  if (dot == llvm::StringRef::npos ||
      (text.take_front(dot) != "tl" && !text.take_front(dot).ends_with("language")))
    return std::nullopt;
  return DType::parse(text.drop_front(dot + 1).str());
}

static bool isConstAnnotation(llvm::StringRef text) {
  return text.trim() == "tl.const" || text.trim().ends_with("language.const");
}

static tritium_argument argumentFor(const Constant &constant, const tritium_value &view) {
  tritium_argument argument = {};
  argument.kind = TRITIUM_ARG_VALUE;
  argument.value = &view;
  if (const bool *flag = std::get_if<bool>(&constant.value)) {
    argument.kind = TRITIUM_ARG_BOOL;
    argument.bits = *flag;
  } else if (auto *number = std::get_if<double>(&constant.value)) {
    argument.kind = TRITIUM_ARG_FLOAT;
    argument.bits = std::bit_cast<uint64_t>(*number);
  } else if (auto *integer = std::get_if<Constant::Int>(&constant.value)) {
    if (*integer >= std::numeric_limits<int64_t>::min() &&
        *integer <= std::numeric_limits<int64_t>::max())
      argument.kind = TRITIUM_ARG_INT;
    else if (*integer > 0 && *integer <= std::numeric_limits<uint64_t>::max())
      argument.kind = TRITIUM_ARG_UINT;
    argument.bits = static_cast<uint64_t>(*integer);
  }
  return argument;
}

Signature::Signature(const KernelSignature &signature, const tritium_kernel_config *config)
    : kernelName(signature.name), params(signature.parameters.size()) {
  auto named = [](const char *const *names, size_t count, const std::string &name) {
    return std::any_of(names, names + count, [&](const char *n) { return name == n; });
  };
  for (size_t i = 0; i < params.size(); ++i) {
    const KernelParameter &from = signature.parameters[i];
    Parameter &to = params[i];
    to.name = from.name;
    to.annotation = from.annotation;
    to.isConstexpr = from.isConstexpr;
    to.isConst = isConstAnnotation(from.annotation);
    if (!to.isConstexpr)
      to.type = from.type ? from.type : annotatedType(from.annotation);
    if (config) {
      to.specializeValue =
          !named(config->do_not_specialize, config->do_not_specialize_count, to.name);
      to.specializeAlignment =
          to.specializeValue && !named(config->do_not_specialize_on_alignment,
                                       config->do_not_specialize_on_alignment_count, to.name);
    }
    to.defaultValue = from.defaultValue;
    if (to.defaultValue) {
      to.defaultView = fromConstant(*to.defaultValue, to.storage);
      to.defaultArgument = argumentFor(*to.defaultValue, to.defaultView);
    }
    to.view = {to.name.c_str(), to.isConstexpr, to.annotation.c_str(),
               to.defaultValue ? &to.defaultView : nullptr};
  }
}

//===-- Classification ----------------------------------------------------===//

bool tritium::runtime::isFloat(DTypeKind kind) { return kind >= DTypeKind::Float8E5; }

static const char *describeKind(const tritium_argument &argument) {
  switch (argument.kind) {
  case TRITIUM_ARG_POINTER:
    return "an array";
  case TRITIUM_ARG_INT:
  case TRITIUM_ARG_UINT:
    return "an int";
  case TRITIUM_ARG_BOOL:
    return "a bool";
  case TRITIUM_ARG_FLOAT:
    return "a float";
  case TRITIUM_ARG_TUPLE:
    return "a tuple with arrays";
  case TRITIUM_ARG_DESCRIPTOR:
    return "a tensor descriptor";
  default:
    return argument.value && argument.value->kind != TRITIUM_NONE ? "a compile-time value" : "None";
  }
}

std::pair<int64_t, int64_t> tritium::runtime::integerRange(DTypeKind kind) {
  auto within = [](int bits) { return INT64_MAX >> (64 - bits); };
  switch (kind) {
  case DTypeKind::Int1:
    return {0, 1};
  case DTypeKind::Int64:
    return {INT64_MIN, INT64_MAX};
  case DTypeKind::UInt64:
    return {0, INT64_MAX};
  case DTypeKind::Int8:
  case DTypeKind::Int16:
  case DTypeKind::Int32: {
    int64_t high = within(8 << (static_cast<int>(kind) - static_cast<int>(DTypeKind::Int8)));
    return {-high - 1, high};
  }
  default:
    return {0, within(1 + (8 << (static_cast<int>(kind) - static_cast<int>(DTypeKind::UInt8))))};
  }
}

bool tritium::runtime::fitsInteger(const tritium_argument &argument, DTypeKind kind) {
  if (argument.kind == TRITIUM_ARG_UINT)
    return kind == DTypeKind::UInt64;
  auto [low, high] = integerRange(kind);
  int64_t value = static_cast<int64_t>(argument.bits);
  return low <= value && value <= high;
}

/// Whether an argument may be passed as the type that the annotation fixes.
bool Signature::fitType(const Parameter &parameter, const tritium_argument &argument,
                        CompileError &error) const {
  const DType &type = *parameter.type;
  auto refuse = [&](const std::string &found) {
    error = launchError("ArgumentError", "kernel '" + kernelName + "': parameter '" +
                                             parameter.name + "' is annotated " +
                                             parameter.annotation + ", but got " + found);
    return false;
  };
  if (argument.kind == TRITIUM_ARG_POINTER) {
    if (!type.isPointer())
      return refuse("an array");
    DType element = toDType(argument.type);
    DType pointee = {type.kind, static_cast<uint8_t>(type.pointerDepth - 1), false};
    if (element.bits() != pointee.bits())
      return refuse("an array of " + element.signature() +
                    "; pass elements of the same width, or drop the annotation");
    return true;
  }
  if (type.isPointer())
    return refuse(describeKind(argument));
  switch (argument.kind) {
  case TRITIUM_ARG_INT:
  case TRITIUM_ARG_UINT:
    if (isFloat(type.kind) || fitsInteger(argument, type.kind))
      return true;
    return refuse(argument.kind == TRITIUM_ARG_UINT
                      ? std::to_string(argument.bits)
                      : std::to_string(static_cast<int64_t>(argument.bits)) +
                            ", which does not fit");
  case TRITIUM_ARG_BOOL:
    return true;
  case TRITIUM_ARG_FLOAT:
    return isFloat(type.kind) || refuse("a float");
  default:
    return refuse(describeKind(argument));
  }
}

/// Whether it is an object of the host that may have been meant as a run-time value: nobody said
/// that it is a compile-time value, and it is no function.
static bool isStrayObject(const tritium_argument &argument) {
  return argument.value && argument.value->kind == TRITIUM_OBJECT && !argument.is_constexpr &&
         !Constant::Object::isFunction(argument.value->as.string.data);
}

static bool refuseConstexpr(const std::string &kernelName, const Parameter &parameter,
                            const tritium_argument &argument, CompileError &error) {
  error = launchError("ArgumentError", "kernel '" + kernelName + "': parameter '" + parameter.name +
                                           "' is a constexpr, but got " + describeKind(argument) +
                                           "; pass a number, a string, a dtype, None or a tuple of "
                                           "these");
  return false;
}

bool Signature::classifyOne(const Parameter &parameter, const tritium_argument &argument,
                            bool isItem, ArgumentClass &result, CompileError &error) const {
  if (parameter.isConstexpr) {
    result.isConstexpr = true;
    result.payload = argument.bits;
    switch (argument.kind) {
    case TRITIUM_ARG_INT:
      result.type.kind = DTypeKind::Int64;
      return true;
    case TRITIUM_ARG_UINT:
      result.type.kind = DTypeKind::UInt64;
      return true;
    case TRITIUM_ARG_BOOL:
      result.type.kind = DTypeKind::Int1;
      return true;
    case TRITIUM_ARG_FLOAT:
      result.type.kind = DTypeKind::Float64;
      return true;
    case TRITIUM_ARG_VALUE:
      result.isComplex = true;
      return true;
    case TRITIUM_ARG_TUPLE: // each of its items is a constexpr
      result.isConstexpr = false;
      result.items = argument.bits;
      return true;
    default:
      return refuseConstexpr(kernelName, parameter, argument, error);
    }
  }
  if (parameter.type && !isItem && argument.kind != TRITIUM_ARG_VALUE) {
    if (!fitType(parameter, argument, error))
      return false;
    result.type = *parameter.type;
    if (result.type.isPointer() || !isFloat(result.type.kind))
      result.divisible = parameter.specializeAlignment && argument.bits % 16 == 0;
    return true;
  }
  switch (argument.kind) {
  case TRITIUM_ARG_POINTER:
    result.type = toDType(argument.type);
    ++result.type.pointerDepth;
    result.type.isConst = parameter.isConst;
    result.divisible = parameter.specializeAlignment && argument.bits % 16 == 0;
    return true;
  case TRITIUM_ARG_INT: {
    int64_t value = static_cast<int64_t>(argument.bits);
    if (value == 1 && (parameter.specializeValue || isItem)) {
      result.isConstexpr = true;
      result.payload = 1;
      result.type.kind = DTypeKind::Int64;
      return true;
    }
    result.type.kind = value == static_cast<int32_t>(value) ? DTypeKind::Int32 : DTypeKind::Int64;
    result.divisible = parameter.specializeAlignment && value % 16 == 0;
    return true;
  }
  case TRITIUM_ARG_UINT:
    result.type.kind = DTypeKind::UInt64;
    result.divisible = parameter.specializeAlignment && argument.bits % 16 == 0;
    return true;
  case TRITIUM_ARG_BOOL:
    result.type.kind = DTypeKind::Int1;
    return true;
  case TRITIUM_ARG_FLOAT:
    result.type.kind = DTypeKind::Float32;
    return true;
  case TRITIUM_ARG_TUPLE:
  case TRITIUM_ARG_DESCRIPTOR:
    result.items = argument.bits;
    result.isDescriptor = argument.kind == TRITIUM_ARG_DESCRIPTOR;
    return true;
  default:
    result.isConstexpr = true;
    result.isComplex = true;
    return true;
  }
}

bool Signature::classifyAll(const Parameter &parameter, unsigned number,
                            const tritium_argument &argument, bool isItem,
                            llvm::SmallVectorImpl<ArgumentClass> &classes,
                            llvm::SmallVectorImpl<const tritium_argument *> &bound, Key &key,
                            CompileError &error) const {
  // Filled in where it stays: to copy it right after its fields were written is slow.
  ArgumentClass &result = classes.emplace_back();
  if (!parameter.isConstexpr && isStrayObject(argument)) [[unlikely]] {
    error = launchError(
        "ArgumentError",
        "kernel '" + kernelName + "': argument '" + parameter.name +
            "': " + toConstant(*argument.value).repr() +
            " cannot be passed to a kernel as a run-time value; pass an array (NumPy, CuPy, "
            "DLPack, torch), an int, float or bool, or annotate the parameter tl.constexpr");
    return false;
  }
  if (!classifyOne(parameter, argument, isItem, result, error))
    return false;
  result.parameter = number;
  key.push_back(static_cast<uint64_t>(result.isConstexpr) | uint64_t(result.isComplex) << 1 |
                uint64_t(result.divisible) << 2 | uint64_t(result.type.isConst) << 3 |
                uint64_t(result.isDescriptor) << 4 | uint64_t(result.type.kind) << 8 |
                uint64_t(result.type.pointerDepth) << 16 | uint64_t(result.items) << 32);
  bool hasNames = result.items && argument.value && !result.isDescriptor;
  if (result.isComplex || hasNames) {
    Writer writer;
    writer.constant(toConstant(*argument.value));
    key.push_back(writer.bytes.size());
    size_t words = (writer.bytes.size() + 7) / 8, at = key.size();
    key.resize(at + words, 0);
    std::memcpy(&key[at], writer.bytes.data(), writer.bytes.size());
  } else if (result.isConstexpr) {
    key.push_back(result.payload);
  }
  bound.push_back(&argument);
  for (size_t i = 0, items = result.items; i < items; ++i)
    if (!classifyAll(parameter, number, argument.items[i], true, classes, bound, key, error))
      return false;
  return true;
}

bool Signature::classify(const tritium_argument *arguments, size_t count,
                         llvm::SmallVectorImpl<ArgumentClass> &classes,
                         llvm::SmallVectorImpl<const tritium_argument *> &bound, Key &key,
                         CompileError &error) const {
  if (count > params.size()) {
    error = launchError("ArgumentError", "kernel '" + kernelName + "' takes " +
                                             std::to_string(params.size()) +
                                             " arguments, but got " + std::to_string(count));
    return false;
  }
  for (size_t i = 0; i < params.size(); ++i) {
    const Parameter &parameter = params[i];
    const tritium_argument *argument = i < count && arguments[i].kind != TRITIUM_ARG_ABSENT
                                           ? &arguments[i]
                                           : &parameter.defaultArgument;
    if (argument->kind == TRITIUM_ARG_ABSENT) {
      error = launchError("ArgumentError", "kernel '" + kernelName + "': missing argument '" +
                                               parameter.name + "'" +
                                               (parameter.isConstexpr ? " (a constexpr)" : ""));
      return false;
    }
    if (!classifyAll(parameter, static_cast<unsigned>(i), *argument, false, classes, bound, key,
                     error))
      return false;
  }
  return true;
}

ArgumentSpec Signature::spec(llvm::ArrayRef<ArgumentClass> &classes,
                             llvm::ArrayRef<const tritium_argument *> &bound) {
  ArgumentSpec spec;
  const ArgumentClass &argument = classes.front();
  const tritium_argument &value = *bound.front();
  classes = classes.drop_front();
  bound = bound.drop_front();
  if (argument.items) {
    spec.isDescriptor = argument.isDescriptor;
    if (value.value && !spec.isDescriptor)
      spec.value = toConstant(*value.value);
    for (size_t i = 0; i < argument.items; ++i)
      spec.parts.push_back(Signature::spec(classes, bound));
    return spec;
  }
  spec.isConstexpr = argument.isConstexpr;
  if (!argument.isConstexpr) {
    spec.type = argument.type;
    spec.divisibility = argument.divisible ? 16 : 1;
    return spec;
  }
  if (argument.isComplex) {
    spec.value = toConstant(*value.value);
    return spec;
  }
  switch (argument.type.kind) {
  case DTypeKind::Int1:
    spec.value = {argument.payload != 0};
    break;
  case DTypeKind::Float64:
    spec.value = {std::bit_cast<double>(argument.payload)};
    break;
  case DTypeKind::UInt64:
    spec.value = {static_cast<Constant::Int>(argument.payload)};
    break;
  default:
    spec.value = {static_cast<Constant::Int>(static_cast<int64_t>(argument.payload))};
  }
  return spec;
}

uint64_t tritium::runtime::argumentSlot(const tritium_argument &argument, const DType &type) {
  if (type.isPointer() || !isFloat(type.kind))
    return type.kind == DTypeKind::Int1 && !type.isPointer() ? argument.bits != 0 : argument.bits;
  double value = argument.kind == TRITIUM_ARG_FLOAT ? std::bit_cast<double>(argument.bits)
                 : argument.kind == TRITIUM_ARG_UINT
                     ? static_cast<double>(argument.bits)
                     : static_cast<double>(static_cast<int64_t>(argument.bits));
  if (type.kind == DTypeKind::Float64)
    return std::bit_cast<uint64_t>(value);
  return std::bit_cast<uint32_t>(static_cast<float>(value));
}
