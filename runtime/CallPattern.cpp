//===- CallPattern.cpp - the calls that a variant is known to fit ---------===//

#include "CallPattern.h"

#include <cstddef>
#include <cstring>
#include <limits>

using namespace tritium;
using namespace tritium::runtime;

/// The bytes of an argument before its bits: kind, type, memory and others.
static uint64_t headOf(const tritium_argument &argument) {
  static_assert(offsetof(tritium_argument, bits) == sizeof(uint64_t));
  uint64_t head;
  std::memcpy(&head, &argument, sizeof head);
  return head;
}

/// The bytes of a head that mean something to the compiler. What the memory may be used
/// for is checked with each launch, and which GPU it is on with each call.
static uint64_t comparedBytes() {
  tritium_argument all;
  std::memset(&all, 0, sizeof all);
  all.kind = all.memory = all.type.kind = all.type.pointer_depth = 0xff;
  all.type.is_const = all.is_constexpr = 0xff;
  return headOf(all);
}

/// Whether `value` is `constant`. False for kinds that are not compared here.
static bool isSame(const tritium_value &value, const Constant &constant) {
  switch (value.kind) {
  case TRITIUM_NONE:
    return constant.isNone();
  case TRITIUM_DTYPE: {
    auto *type = std::get_if<DType>(&constant.value);
    return type && *type == toDType(value.as.dtype);
  }
  case TRITIUM_STRING: {
    auto *text = std::get_if<std::string>(&constant.value);
    return text && text->size() == value.as.string.size &&
           std::memcmp(text->data(), value.as.string.data, text->size()) == 0;
  }
  case TRITIUM_OBJECT: {
    auto *object = std::get_if<Constant::Object>(&constant.value);
    return object && object->name == std::string_view(value.as.string.data, value.as.string.size);
  }
  default:
    return false;
  }
}

bool CallPattern::fits(const tritium_argument &argument, const Item &item) const {
  bool isInRange = argument.bits - static_cast<uint64_t>(item.low) <= item.span;
  return (headOf(argument) & headMask) == item.head &&
         ((argument.bits & item.mask) == item.masked) != item.unlike && isInRange != item.outside &&
         !(item.notOne && argument.bits == 1) &&
         (!item.constant || isSame(*argument.value, *item.constant));
}

bool CallPattern::describe(const Parameter &parameter, const tritium_argument &argument,
                           const ArgumentClass &known, Item &item) {
  if (known.items)
    return false;
  if (known.isComplex) {
    item.constant = std::make_unique<Constant>(toConstant(*argument.value));
    return isSame(*argument.value, *item.constant);
  }
  if (known.isConstexpr) {
    item.mask = UINT64_MAX;
    item.masked = argument.bits;
    return true;
  }
  auto isWithin = [&](int64_t low, int64_t high) {
    item.low = low;
    item.span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  };
  bool isInt = argument.kind == TRITIUM_ARG_INT, hasAlignment;
  if (parameter.type) {
    bool isInteger = !parameter.type->isPointer() && !isFloat(parameter.type->kind);
    hasAlignment = parameter.type->isPointer() || isInteger;
    if (isInt && isInteger) {
      auto [low, high] = integerRange(parameter.type->kind);
      isWithin(low, high);
    }
  } else {
    hasAlignment = argument.kind != TRITIUM_ARG_BOOL && argument.kind != TRITIUM_ARG_FLOAT;
    if (isInt) {
      isWithin(std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
      item.outside = known.type.kind == DTypeKind::Int64;
      item.notOne = parameter.specializeValue;
    }
  }
  if (hasAlignment && parameter.specializeAlignment) {
    item.mask = 15;
    item.unlike = !known.divisible;
  }
  return true;
}

std::optional<CallPattern> CallPattern::of(const Signature &signature,
                                           const tritium_argument *arguments, size_t count,
                                           const tritium_option *options, size_t optionCount,
                                           llvm::ArrayRef<ArgumentClass> classes,
                                           llvm::ArrayRef<const tritium_argument *> bound) {
  CallPattern pattern;
  const std::vector<Parameter> &parameters = signature.parameters();
  if (signature.takesKeywords() || count != parameters.size() || classes.size() != count)
    return std::nullopt;
  pattern.headMask = comparedBytes();
  std::optional<uint8_t> arrays;
  for (size_t i = 0; i < count; ++i) {
    Item &item = pattern.items.emplace_back();
    item.head = headOf(arguments[i]) & pattern.headMask;
    if (arguments[i].kind == TRITIUM_ARG_ABSENT)
      item.whenAbsent = bound[i];
    else if (!describe(parameters[i], arguments[i], classes[i], item))
      return std::nullopt;
    if (arguments[i].kind != TRITIUM_ARG_POINTER)
      continue;
    if (arrays && *arrays != arguments[i].memory)
      return std::nullopt;
    arrays = arguments[i].memory;
  }
  pattern.arrays = arrays.value_or(TRITIUM_HOST_MEMORY);
  for (size_t i = 0; i < optionCount; ++i) {
    const tritium_value &value = options[i].value;
    if (value.kind != TRITIUM_INT || value.as.integer.high != 0)
      return std::nullopt;
    pattern.options.push_back({options[i].name, value.as.integer.low});
  }
  return pattern;
}

bool CallPattern::fits(const tritium_argument *arguments, size_t count, const tritium_option *given,
                       size_t optionCount, int &device) const {
  device = -1;
  if (count != items.size() || optionCount != options.size())
    return false;
  for (size_t i = 0; i < count; ++i) {
    const tritium_argument &argument = arguments[i];
    if (!fits(argument, items[i]))
      return false;
    if (!isOnDevice() || argument.kind != TRITIUM_ARG_POINTER)
      continue;
    if (device >= 0 && device != argument.device)
      return false;
    device = argument.device;
  }
  for (size_t i = 0; i < optionCount; ++i) {
    const tritium_value &value = given[i].value;
    if (value.kind != TRITIUM_INT || value.as.integer.high != 0 ||
        value.as.integer.low != options[i].value || options[i].name != given[i].name)
      return false;
  }
  return true;
}
