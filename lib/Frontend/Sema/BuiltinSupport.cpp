//===- BuiltinSupport.cpp - registering and reading arguments -------------===//

#include "BuiltinSupport.h"

#include "tritium/Frontend/Sema/ConstantFold.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <charconv>

using namespace tritium;
using namespace tritium::sema;

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

/// A literal default: None, True, False, an int, '...', (), tl.<dtype>, tl.PropagateNan.NONE.
static Value parseDefault(llvm::StringRef text) {
  if (text == "None")
    return Value();
  if (text == "True" || text == "False")
    return makeBool(text == "True");
  if (text == "()")
    return Tuple{};
  if (text.consume_front("'")) {
    text.consume_back("'");
    return makeString(text == "\\n" ? "\n" : text.str());
  }
  if (text == "tl.PropagateNan.NONE")
    return makeString("");
  if (text.consume_front("tl."))
    return makeDType(*DType::parse(text));
  int64_t number = 0;
  text.getAsInteger(10, number);
  return makeInt(number);
}

static std::vector<Parameter> parseSignature(llvm::StringRef signature) {
  std::vector<Parameter> parameters;
  llvm::SmallVector<llvm::StringRef> parts;
  signature.split(parts, ", ", -1, false);
  bool keywordOnly = false;
  for (llvm::StringRef part : parts) {
    if (part == "*") {
      keywordOnly = true;
      continue;
    }
    Parameter parameter;
    parameter.isKeywords = part.consume_front("**");
    parameter.isVariadic = !parameter.isKeywords && part.consume_front("*");
    keywordOnly |= parameter.isKeywords;
    parameter.isKeywordOnly = keywordOnly;
    keywordOnly |= parameter.isVariadic;
    auto [name, defaultText] = part.split('=');
    parameter.name = name.str();
    if (!defaultText.empty())
      parameter.defaultValue = parseDefault(defaultText);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

void Registry::add(std::string name, std::string_view signature, BuildFn build) {
  Builtin builtin;
  builtin.name = name;
  builtin.signature = "(" + std::string(signature) + ")";
  builtin.parameters = parseSignature(signature);
  builtin.build = build;
  builtins.emplace(std::move(name), std::move(builtin));
}

void Registry::addMethod(std::string name, std::string_view signature, BuildFn build) {
  add(name, signature, build);
  builtins.find(name)->second.isMethod = true;
}

/// "def f(x, n: tl.constexpr = 10):\n ..." -> "(x, n=10)"
static std::string signatureOf(llvm::StringRef text) {
  auto [parameters, body] = text.drop_until([](char c) { return c == '('; }).split("):\n");
  std::string signature;
  llvm::SmallVector<llvm::StringRef> parts;
  parameters.drop_front().split(parts, ',', -1, false);
  for (llvm::StringRef part : parts) {
    auto [declared, defaultText] = part.split('=');
    signature += (signature.empty() ? "" : ", ") + declared.split(':').first.trim().str();
    if (!defaultText.empty())
      signature += "=" + defaultText.trim().str();
  }
  return "(" + signature + ")";
}

void Registry::add(std::shared_ptr<frontend::FunctionSource> function, bool isMethod) {
  Builtin builtin;
  builtin.name = function->name;
  builtin.signature = signatureOf(function->text);
  builtin.isMethod = isMethod;
  builtin.function = std::move(function);
  builtins.emplace(builtin.name, std::move(builtin));
}

void Registry::addLibdevice(std::string name, std::vector<std::string> overloads,
                            std::string rounding,
                            std::shared_ptr<frontend::FunctionSource> function) {
  std::string signature;
  for (size_t i = 0; i < overloads.front().size(); ++i)
    signature += (i ? ", arg" : "arg") + std::to_string(i);
  add(name, signature, nullptr);
  Builtin &builtin = builtins.find(name)->second;
  builtin.overloads = std::move(overloads);
  builtin.rounding = std::move(rounding);
  builtin.function = std::move(function);
}

const Builtin *Registry::find(std::string_view name) const {
  auto it = builtins.find(name);
  return it == builtins.end() ? nullptr : &it->second;
}

std::string sema::displayName(std::string_view canonicalName) {
  llvm::StringRef name(canonicalName.data(), canonicalName.size());
  if (name.consume_front("builtins."))
    return name.str();
  if (name == "next_power_of_2")
    return "triton." + name.str();
  return name.contains('.') ? name.str() : "tl." + name.str();
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

static std::nullopt_t bindError(Sema &sema, const Builtin &builtin, const std::string &problem) {
  std::string name = displayName(builtin.name);
  return sema.error(name + "() " + problem, "CompilationError",
                    {"its signature is " + name + builtin.signature});
}

static std::string closest(const std::vector<Parameter> &parameters, llvm::StringRef name) {
  std::string best;
  unsigned bestDistance = 3;
  for (const Parameter &parameter : parameters) {
    unsigned distance = name.edit_distance(parameter.name, true, bestDistance);
    if (distance < bestDistance && !parameter.isVariadic && !parameter.isKeywords) {
      bestDistance = distance;
      best = parameter.name;
    }
  }
  return best;
}

std::optional<BoundArguments> sema::bindArguments(Sema &sema, const Builtin &builtin,
                                                  const Arguments &arguments) {
  const auto &parameters = builtin.parameters;
  std::vector<std::optional<Value>> bound(parameters.size());
  size_t next = 0;
  if (!parameters.empty() && parameters.back().isKeywords)
    bound.back() = Value(Dict());
  for (size_t i = 0; i < parameters.size() && !parameters[i].isKeywordOnly; ++i) {
    if (parameters[i].isVariadic) {
      Tuple rest;
      for (; next < arguments.positional.size(); ++next)
        rest.elements.push_back(arguments.positional[next]);
      bound[i] = std::move(rest);
    } else if (next < arguments.positional.size()) {
      bound[i] = arguments.positional[next++];
    }
  }
  if (next < arguments.positional.size())
    return bindError(sema, builtin,
                     "takes " + std::to_string(next) + " positional argument" +
                         (next == 1 ? "" : "s") + " at most, but " +
                         std::to_string(arguments.positional.size()) + " were given");
  for (const auto &[name, value] : arguments.keywords) {
    size_t i = 0;
    while (i < parameters.size() &&
           (parameters[i].name != name || parameters[i].isVariadic || parameters[i].isKeywords))
      ++i;
    if (i == parameters.size() && i != 0 && parameters.back().isKeywords) {
      bound.back()->getIf<Dict>()->entries.emplace_back(Constant{name}, value);
      continue;
    }
    if (i == parameters.size()) {
      std::string suggestion = closest(parameters, name);
      return bindError(sema, builtin,
                       "has no parameter '" + name + "'" +
                           (suggestion.empty() ? "" : "; did you mean '" + suggestion + "'?"));
    }
    if (bound[i])
      return bindError(sema, builtin, "got two values for its parameter '" + name + "'");
    bound[i] = value;
  }
  BoundArguments result;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!bound[i] && !parameters[i].defaultValue)
      return bindError(sema, builtin, "is missing the argument '" + parameters[i].name + "'");
    result.push_back(bound[i] ? std::move(*bound[i]) : *parameters[i].defaultValue);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Reading arguments
//===----------------------------------------------------------------------===//

static std::string expected(std::string_view what, const char *kind, const Value &found) {
  return std::string(what) + " must be " + kind + " that is known at compile time, found " +
         describe(found) + (found.is<Tensor>() ? "; pass it as a tl.constexpr parameter" : "");
}

std::optional<int64_t> sema::constantInt(Sema &sema, const Value &value, std::string_view what) {
  auto integer = asInt(value);
  if (!integer)
    return sema.error(expected(what, "an integer", value));
  if (*integer < INT64_MIN || *integer > INT64_MAX)
    return sema.error(std::string(what) + " is out of range: " + Constant{*integer}.repr());
  return static_cast<int64_t>(*integer);
}

std::optional<bool> sema::constantBool(Sema &sema, const Value &value, std::string_view what) {
  auto *constant = value.getIf<Constant>();
  if (!constant || !(integerOf(*constant) || constant->isNone()))
    return sema.error(expected(what, "True or False", value));
  return isTrue(*constant);
}

std::optional<std::string> sema::constantString(Sema &sema, const Value &value,
                                                std::string_view what) {
  if (auto text = asString(value))
    return text;
  return sema.error(expected(what, "a string", value));
}

std::optional<DType> sema::dtypeArgument(Sema &sema, const Value &value, std::string_view what) {
  if (auto dtype = asDType(value))
    return dtype;
  if (auto *type = value.getIf<BlockType>(); type && !type->isPointer)
    return type->element;
  return sema.error(expected(what, "a type such as tl.float32", value));
}

std::optional<llvm::SmallVector<int64_t>> sema::constantInts(Sema &sema, const Value &value,
                                                             std::string_view what) {
  llvm::SmallVector<int64_t> result;
  auto *tuple = value.getIf<Tuple>();
  llvm::ArrayRef<Value> elements =
      tuple ? llvm::ArrayRef<Value>(tuple->elements) : llvm::ArrayRef<Value>(value);
  for (const Value &element : elements) {
    auto integer = constantInt(sema, element, what);
    if (!integer)
      return std::nullopt;
    result.push_back(*integer);
  }
  return result;
}

std::optional<int> sema::axisArgument(Sema &sema, const Value &value, int64_t rank,
                                      std::string_view what) {
  auto axis = constantInt(sema, value, what);
  if (!axis)
    return std::nullopt;
  if (*axis < -rank || *axis >= rank)
    return sema.error(std::string(what) + " must be in [" + std::to_string(-rank) + ", " +
                      std::to_string(rank) + ") for a tile of rank " + std::to_string(rank) +
                      ", found " + std::to_string(*axis));
  return static_cast<int>(*axis < 0 ? *axis + rank : *axis);
}

bool sema::broadcastAll(Sema &sema, llvm::MutableArrayRef<Tensor> tensors) {
  if (tensors.empty())
    return true;
  for (int pass = 0; pass < 2; ++pass) // the first tensor meets all others, then they meet it
    for (Tensor &other : tensors.drop_front()) {
      auto pair = sema.broadcast(tensors.front(), other);
      if (!pair)
        return false;
      tensors.front() = pair->lhs;
      other = pair->rhs;
    }
  return true;
}

Value sema::spread(const Value &variadic) {
  auto *tuple = variadic.getIf<Tuple>();
  if (tuple && tuple->elements.size() == 1 && tuple->elements[0].is<Tuple>())
    return tuple->elements[0];
  return variadic;
}
