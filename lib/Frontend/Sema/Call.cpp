//===- Call.cpp - calls of anything that can be called --------------------===//

#include "BuiltinSupport.h"

using namespace tritium;
using namespace tritium::sema;

static Result callHost(Sema &sema, const frontend::External::HostFunction &function,
                       const Arguments &arguments) {
  std::string name = "'" + function.name + "'";
  if (!arguments.keywords.empty())
    return sema.error(name + " is called at compile time and takes positional arguments only");
  std::vector<Constant> constants;
  for (const Value &argument : arguments.positional) {
    auto constant = asConstant(argument);
    if (!constant)
      return sema.error(name + " is called at compile time, but " + describe(argument) +
                        " is known only at run time");
    constants.push_back(std::move(*constant));
  }
  std::string message;
  auto result = function.call(constants, message);
  if (!result)
    return sema.error(name + " failed: " + message);
  return fromConstant(*result);
}

Result Sema::call(const Value &callee, const Arguments &arguments) {
  if (auto *function = callee.getIf<Function>())
    return functionCaller.callFunction(function->source, arguments);
  if (auto *library = callee.getIf<Library>())
    return callLibrary(library->name, arguments);
  if (auto *method = callee.getIf<BoundMethod>()) {
    Arguments withSelf = arguments;
    withSelf.positional.insert(withSelf.positional.begin(), *method->self);
    return callLibrary(method->callee.name, withSelf);
  }
  if (auto *host = callee.getIf<frontend::External::HostFunction>())
    return callHost(*this, *host, arguments);
  if (auto dtype = asDType(callee))
    return error(describe(callee) + " is not a function; convert with x.to(tl." +
                 describeType(*dtype) + ")");
  return error(describe(callee) + " cannot be called");
}

Result Sema::callLibrary(std::string_view name, const Arguments &arguments) {
  const Builtin *builtin = findBuiltin(name);
  if (!builtin)
    return error(
        "'" + displayName(name) + "' cannot be called here" +
        (isIteratorClass(Library{std::string(name)}) ? "; it is written after 'for ... in'" : ""));
  if (builtin->function)
    return functionCaller.callFunction(builtin->function, arguments);
  auto bound = bindArguments(*this, *builtin, arguments);
  return bound ? builtin->build(*this, *bound) : std::nullopt;
}
