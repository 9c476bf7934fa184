//===- MadeArguments.cpp - arguments that commands make -------------------===//

#include "MadeArguments.h"
#include "SignatureText.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

using namespace tritium;
using namespace tritium::tool;

namespace {

//===-- Elements ----------------------------------------------------------===//

/// The bytes of an element of `type`, which has no pointer.
size_t bytesOf(tritium_dtype type) {
  if (type.pointer_depth)
    return 8;
  switch (type.kind) {
  case TRITIUM_INT16:
  case TRITIUM_UINT16:
  case TRITIUM_FLOAT16:
  case TRITIUM_BFLOAT16:
    return 2;
  case TRITIUM_INT32:
  case TRITIUM_UINT32:
  case TRITIUM_FLOAT32:
    return 4;
  case TRITIUM_INT64:
  case TRITIUM_UINT64:
  case TRITIUM_FLOAT64:
    return 8;
  default:
    return 1;
  }
}

bool isFloat(tritium_dtype type) {
  return !type.pointer_depth && type.kind >= TRITIUM_FLOAT8E5 && type.kind <= TRITIUM_FLOAT64;
}

void storeElement(unsigned char *at, tritium_dtype type, double value) {
  auto put = [&](auto converted) { std::memcpy(at, &converted, sizeof converted); };
  switch (type.pointer_depth ? TRITIUM_UINT64 : type.kind) {
  case TRITIUM_FLOAT16:
    return put(static_cast<_Float16>(value));
  case TRITIUM_BFLOAT16:
    return put(static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16));
  case TRITIUM_FLOAT32:
    return put(static_cast<float>(value));
  case TRITIUM_FLOAT64:
    return put(value);
  case TRITIUM_FLOAT8E5:
  case TRITIUM_FLOAT8E4NV:
  case TRITIUM_FLOAT8E4B8:
  case TRITIUM_FLOAT8E4B15:
  case TRITIUM_FLOAT8E5B16:
    return put(static_cast<unsigned char>(0));
  default:
    // Little-endian: the low bytes are the narrower integer.
    int64_t integer = static_cast<int64_t>(value);
    std::memcpy(at, &integer, bytesOf(type));
  }
}

double loadElement(const unsigned char *at, tritium_dtype type) {
  auto get = [&](auto value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (type.kind) {
  case TRITIUM_FLOAT16:
    return static_cast<double>(get(_Float16()));
  case TRITIUM_BFLOAT16:
    return std::bit_cast<float>(static_cast<uint32_t>(get(uint16_t())) << 16);
  case TRITIUM_FLOAT32:
    return get(float());
  case TRITIUM_FLOAT64:
    return get(double());
  case TRITIUM_INT16:
    return get(int16_t());
  case TRITIUM_INT32:
    return get(int32_t());
  case TRITIUM_INT64:
    return static_cast<double>(get(int64_t()));
  case TRITIUM_UINT16:
    return get(uint16_t());
  case TRITIUM_UINT32:
    return get(uint32_t());
  case TRITIUM_UINT64:
    return static_cast<double>(get(uint64_t()));
  case TRITIUM_INT8:
    return get(int8_t());
  default:
    return get(uint8_t());
  }
}

//===-- Arguments ---------------------------------------------------------===//

void makeArray(MadeArgument &made, const std::string &text, const Numbers &numbers) {
  tritium_dtype element = made.declared.type;
  --element.pointer_depth;
  std::string count = text, fill = isFloat(element) ? "random" : "zeros";
  if (size_t colon = text.rfind(':'); colon != std::string::npos) {
    count = text.substr(0, colon);
    fill = text.substr(colon + 1);
  }
  int64_t elements = evaluate(count, [&](const std::string &name) -> std::optional<int64_t> {
    auto known = numbers.find(name);
    return known == numbers.end() ? std::nullopt : std::optional(known->second);
  });
  if (elements < 0 || elements > (int64_t(1) << 40))
    throw UsageError("--arg " + made.declared.name + ": an array of " + std::to_string(elements) +
                     " elements");
  size_t bytes = bytesOf(element);
  made.elements = static_cast<size_t>(elements);
  // Room to begin at a multiple of that.
  constexpr size_t alignment = 256;
  made.memory.resize(made.elements * bytes + alignment);
  unsigned char *begin = made.memory.data();
  begin += (alignment - reinterpret_cast<uintptr_t>(begin) % alignment) % alignment;
  auto store = [&](auto valueAt) {
    for (size_t i = 0; i < made.elements; ++i)
      storeElement(begin + i * bytes, element, valueAt(i));
  };
  std::minstd_rand random(1);
  bool ofFloats = isFloat(element);
  if (fill == "random")
    store([&](size_t) {
      double unit = static_cast<double>(random()) / static_cast<double>(random.max());
      return ofFloats ? 2 * unit - 1 : std::floor(unit * 100);
    });
  else if (fill == "ones")
    store([](size_t) { return 1.0; });
  else if (fill == "iota")
    store([](size_t i) { return static_cast<double>(i); });
  else if (fill != "zeros") // which the memory has
    throw UsageError("--arg " + made.declared.name + ": no such content '" + fill +
                     "'; there are: zeros, ones, iota, random");
  made.argument.kind = TRITIUM_ARG_POINTER;
  made.argument.type = element;
  made.argument.bits = made.argument.begin = reinterpret_cast<uint64_t>(begin);
  made.argument.bytes = made.elements * bytes;
}

void makeNumber(MadeArgument &made, const std::string &text, Numbers &numbers) {
  Value value = parseValue(text);
  switch (value.get().kind) {
  case TRITIUM_FLOAT:
    made.argument = detail::toArgument(value.get().as.number);
    break;
  case TRITIUM_BOOL:
    made.argument = detail::toArgument(value.get().as.boolean != 0);
    break;
  case TRITIUM_INT:
    made.argument = detail::toArgument(static_cast<int64_t>(value.get().as.integer.low));
    numbers[made.declared.name] = static_cast<int64_t>(value.get().as.integer.low);
    break;
  default:
    throw UsageError("--arg " + made.declared.name + " wants a number, but got '" + text + "'");
  }
}

} // namespace

double MadeArgument::element(size_t index) const {
  const auto *begin = reinterpret_cast<const unsigned char *>(argument.bits);
  return loadElement(begin + index * bytesOf(argument.type), argument.type);
}

void tool::takeArgument(CommandLine &options, GivenArguments &given) {
  std::string text = options.value();
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError("--arg wants NAME=VALUE, but got '" + text + "'");
  given.emplace_back(text.substr(0, equals), text.substr(equals + 1));
}

std::vector<MadeArgument> tool::makeArguments(const std::string &kernel,
                                              const std::vector<Declaration> &parameters,
                                              const GivenArguments &arguments, Numbers &numbers) {
  std::vector<MadeArgument> all(parameters.size());
  std::map<std::string, std::string> given;
  for (const auto &[name, text] : arguments)
    given[name] = text; // the last one counts
  std::string list;
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].declared = parameters[i];
    list += (i ? ", " : "") + parameters[i].typeText + " " + parameters[i].name;
    if (!given.count(parameters[i].name))
      throw UsageError("nothing is said of parameter '" + parameters[i].name + "': add --arg " +
                       parameters[i].name + "=VALUE (for a pointer, the number of elements)");
  }
  for (const auto &[name, text] : given)
    if (std::none_of(parameters.begin(), parameters.end(),
                     [&, &name = name](const Declaration &known) { return name == known.name; }))
      throw UsageError("kernel '" + kernel + "' has no parameter '" + name + "'; it takes (" +
                       list + ")");
  for (MadeArgument &made : all)
    if (!made.declared.type.pointer_depth)
      makeNumber(made, given[made.declared.name], numbers);
  for (MadeArgument &made : all)
    if (made.declared.type.pointer_depth)
      makeArray(made, given[made.declared.name], numbers);
  return all;
}

void tool::evaluateGrid(const std::vector<std::string> &texts,
                        const std::function<std::optional<int64_t>(const std::string &)> &lookup,
                        uint32_t grid[3]) {
  if (texts.empty() || texts.size() > 3)
    throw UsageError("say --grid with one to three expressions, such as --grid \"cdiv(n, SIZE)\"");
  std::fill_n(grid, 3, 1);
  for (size_t axis = 0; axis < texts.size(); ++axis) {
    int64_t value = evaluate(texts[axis], lookup);
    if (value < 1 || value > INT32_MAX)
      throw UsageError("--grid: '" + texts[axis] + "' is " + std::to_string(value) +
                       "; a dimension is from 1 to 2147483647");
    grid[axis] = static_cast<uint32_t>(value);
  }
}
