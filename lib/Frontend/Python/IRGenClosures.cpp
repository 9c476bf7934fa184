//===- IRGenClosures.cpp - functions within functions, lambdas ------------===//
//
// A nested function sees the names of the functions around it as they are when it is called, so it
// can be called only while those are being generated. Its defaults are evaluated where it stands.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::python;
using namespace tritium::sema;

Result Generator::closure(const std::shared_ptr<ast::Function> &function, SourceRange at) {
  auto source = std::make_shared<FunctionSource>(*frame->source);
  source->name = function->name;
  source->text.clear();
  source->firstLine = 0;
  ParsedFunction &entry = parsed[source.get()];
  entry.source = source;
  entry.file = at.begin.file;
  entry.tree = function;
  entry.frame = frame->id;
  entry.madeIn = frame->comprehension;
  for (const ast::Parameter &parameter : function->parameters) {
    if (!parameter.defaultValue)
      continue;
    auto value = expression(*parameter.defaultValue);
    if (!value)
      return std::nullopt;
    parsed[source.get()].defaults[parameter.name] = std::move(*value);
  }
  return Value(Function{source});
}

bool Generator::enterClosure(const ParsedFunction &function, Frame &callee) {
  if (!function.frame)
    return true;
  callee.madeIn = function.madeIn;
  for (callee.definedIn = frame; callee.definedIn && callee.definedIn->id != function.frame;)
    callee.definedIn = callee.definedIn->caller;
  if (callee.definedIn)
    return true;
  sema.error("'" + function.tree->name +
             "' was defined in a function that has returned; its names are gone");
  return false;
}
