//===- Call.cpp - calls of anything that can be called --------------------===//

#include "Aggregates.h"
#include "Attributes.h"
#include "BuiltinSupport.h"

#include "llvm/ADT/STLExtras.h"

using namespace tritium;
using namespace tritium::sema;

static Result callHost(Sema &sema, const frontend::External::HostFunction &function,
                       const Arguments &arguments) {
  std::string name = "'" + function.name + "'";
  std::vector<Constant> constants;
  std::vector<std::string> keywords;
  auto add = [&](const Value &argument) {
    auto constant = asConstant(argument);
    if (!constant) {
      sema.error(name + " is called at compile time, but " + describe(argument) +
                 " is known only at run time");
      return false;
    }
    constants.push_back(std::move(*constant));
    return true;
  };
  for (const Value &argument : arguments.positional)
    if (!add(argument))
      return std::nullopt;
  for (const auto &[keyword, argument] : arguments.keywords) {
    if (!add(argument))
      return std::nullopt;
    keywords.push_back(keyword);
  }
  std::string message;
  auto result = function.call(constants, keywords, message);
  if (!result)
    return sema.error(name + " failed: " + message);
  return sema.known(*result);
}

bool sema::bindFields(Sema &sema, const Value &type, const Arguments &arguments, Tuple &result,
                      llvm::function_ref<Result(const std::string &)> defaultOf) {
  size_t count = result.names.size();
  if (arguments.positional.size() > count) {
    sema.error(describe(type) + " has " + std::to_string(count) + " fields, but " +
               std::to_string(arguments.positional.size()) + " values are given");
    return false;
  }
  std::vector<std::optional<Value>> given(arguments.positional.begin(), arguments.positional.end());
  given.resize(count);
  for (const auto &[name, value] : arguments.keywords) {
    size_t at = std::find(result.names.begin(), result.names.end(), name) - result.names.begin();
    if (at == count || given[at]) {
      sema.error(describe(type) + " has no field '" + name + "', or it is given twice");
      return false;
    }
    given[at] = value;
  }
  for (size_t i = 0; i < count; ++i) {
    if (!given[i])
      given[i] = defaultOf(result.names[i]);
    if (!given[i]) {
      sema.error("the field '" + result.names[i] + "' of " + describe(type) + " is missing");
      return false;
    }
    result.elements.push_back(std::move(*given[i]));
  }
  return true;
}

/// A named tuple of its class's fields.
static Result makeNamedTuple(Sema &sema, const Value &type, const Tuple &fields,
                             const Arguments &arguments) {
  Tuple result;
  for (const Value &field : fields.elements)
    result.names.push_back(asString(field).value_or(""));
  auto defaults = findAttribute(sema, type, "_field_defaults");
  auto defaultOf = [&](const std::string &field) -> Result {
    auto names = defaults ? sema.iterate(*defaults) : std::nullopt;
    if (!names || llvm::none_of(*names, [&](const Value &name) { return asString(name) == field; }))
      return std::nullopt;
    return sema.subscript(*defaults, makeString(field));
  };
  return bindFields(sema, type, arguments, result, defaultOf) ? Result(Value(std::move(result)))
                                                              : std::nullopt;
}

/// A class of Python, or an object that can be called.
static Result callObject(Sema &sema, const Value &object, const Arguments &arguments) {
  if (auto aggregate = aggregateClass(sema, object))
    return construct(sema, aggregate, arguments);
  if (auto fields = findAttribute(sema, object, "_fields"); fields && fields->is<Tuple>())
    return makeNamedTuple(sema, object, fields->get<Tuple>(), arguments);
  auto call = findAttribute(sema, object, "__call__");
  if (!call)
    return sema.error(describe(object) + " cannot be called");
  auto isKnown = [](const auto &argument) { return asConstant(argument).has_value(); };
  bool areKnown = llvm::all_of(arguments.positional, isKnown) &&
                  llvm::all_of(llvm::make_second_range(arguments.keywords), isKnown);
  if (!areKnown)
    return sema.error(describe(object) + " is Python's and is called at compile time, but an "
                                         "argument is known only at run time; keep such values in "
                                         "a tuple or a NamedTuple, or decorate the class with "
                                         "@triton.aggregate");
  return sema.call(*call, arguments);
}

Result Sema::initialize(const Function &init, const Value &self, const Arguments &arguments) {
  return functionCaller.callInitializer(init.source, self, arguments);
}

Result Sema::call(const Value &callee, const Arguments &arguments) {
  if (auto *function = callee.getIf<Function>())
    return functionCaller.callFunction(function->source, arguments);
  if (auto *library = callee.getIf<Library>())
    return callLibrary(library->name, arguments);
  if (auto *method = callee.getIf<BoundMethod>()) {
    Arguments withSelf = arguments;
    withSelf.positional.insert(withSelf.positional.begin(), *method->self);
    if (method->function)
      return functionCaller.callFunction(method->function, withSelf);
    return callLibrary(method->callee.name, withSelf);
  }
  if (auto *host = callee.getIf<frontend::External::HostFunction>())
    return callHost(*this, *host, arguments);
  if (auto *module = callee.getIf<frontend::External::Module>(); module && !module->object.empty())
    return callObject(*this, callee, arguments);
  if (asAggregate(callee))
    return callOperator(*this, callee, "__call__", arguments, "a call");
  if (asDType(callee)) {
    Arguments conversion = arguments;
    conversion.positional.insert(
        conversion.positional.begin() + std::min<size_t>(conversion.positional.size(), 1), callee);
    return callLibrary("cast", conversion);
  }
  return error(describe(callee) + " cannot be called");
}

Result Sema::callLibrary(std::string_view name, const Arguments &arguments) {
  const Builtin *builtin = findBuiltin(name);
  if (!builtin)
    return error(
        "'" + displayName(name) + "' cannot be called here" +
        (isIteratorClass(Library{std::string(name)}) ? "; it is written after 'for ... in'" : ""));
  if (builtin->function && builtin->overloads.empty())
    return functionCaller.callFunction(builtin->function, arguments);
  auto bound = bindArguments(*this, *builtin, arguments);
  if (bound && builtin->function) {
    auto converted = chooseOverload(*this, *builtin, *bound);
    return converted ? functionCaller.callFunction(builtin->function, *converted) : std::nullopt;
  }
  return bound ? builtin->build(*this, *bound) : std::nullopt;
}
