//===- IRGenCalls.cpp - calls ---------------------------------------------===//

#include "Generator.h"

#include "tritium/Support/EmitRemark.h"

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::python;
using namespace tritium::sema;

/// Evaluates the arguments in the order in which they are written; spreads * and **.
bool Generator::arguments(const ast::Call &call, Arguments &out) {
  for (const ast::CallArgument &argument : call.arguments) {
    auto value = expression(*argument.value);
    if (!value)
      return false;
    sema.setRange(argument.range);
    switch (argument.kind) {
    case ast::CallArgument::Positional:
      out.positional.push_back(std::move(*value));
      break;
    case ast::CallArgument::Keyword:
      out.keywords.emplace_back(argument.keyword, std::move(*value));
      break;
    case ast::CallArgument::Star: {
      auto spread = sema.iterate(*value);
      if (!spread)
        return false;
      out.positional.insert(out.positional.end(), spread->begin(), spread->end());
      break;
    }
    case ast::CallArgument::DoubleStar: {
      auto *dict = value->getIf<Dict>();
      if (!dict) {
        sema.error("'**' spreads a dictionary, such as the keyword arguments that the function got "
                   "by '**', found " +
                   describe(*value));
        return false;
      }
      for (const auto &[key, entry] : dict->entries) {
        auto *text = std::get_if<std::string>(&key.value);
        if (!text) {
          sema.error("the keys of what '**' spreads are names, found " + key.repr());
          return false;
        }
        const std::string &name = *text;
        for (const auto &[other, ignored] : out.keywords) {
          if (other == name) {
            sema.error("argument '" + name + "' is given twice");
            return false;
          }
        }
        out.keywords.emplace_back(name, entry);
      }
      break;
    }
    }
  }
  return true;
}

Result Generator::call(const ast::Call &expr) {
  auto callee = expression(*expr.callee);
  if (!callee)
    return std::nullopt;
  Arguments evaluated;
  if (!arguments(expr, evaluated))
    return std::nullopt;
  sema.setRange(expr.range);
  return sema.call(*callee, evaluated);
}

Result Generator::callFunction(const std::shared_ptr<FunctionSource> &function,
                               const Arguments &arguments) {
  if (function->noinline_ && !parsed.contains(function.get())) // once a kernel
    remarkMissed(sema.loc(), "inline",
                 "'" + function->name +
                     "' is compiled into its caller, as every function is: noinline=True changes "
                     "nothing; a kernel that grows too large by it can be split in two launches");
  return callBody(function, arguments, /*isInitializer=*/false);
}

Result Generator::callInitializer(const std::shared_ptr<FunctionSource> &function,
                                  const Value &self, const Arguments &arguments) {
  Arguments all = arguments;
  all.positional.insert(all.positional.begin(), self);
  return callBody(function, all, /*isInitializer=*/true);
}
