//===- Signature.cpp - the parameters of a kernel -------------------------===//

#include "Generator.h"

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Support/SingleThreadedContext.h"

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::python;
using namespace tritium::sema;

std::optional<KernelSignature> Generator::signature(const FunctionSource &source) {
  Frame own{&source, nullptr, ++frames};
  own.isKernel = true;
  frame = &own;
  const ParsedFunction *body = parse(std::shared_ptr<FunctionSource>(
      std::shared_ptr<void>(), const_cast<FunctionSource *>(&source)));
  if (!body)
    return std::nullopt;
  KernelSignature result;
  result.name = body->tree->name;
  // A default that is not constant may build operations; they go nowhere.
  mlir::OwningOpRef<mlir::ModuleOp> scratch =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(builder.getContext()));
  for (const ast::Parameter &parameter : body->tree->parameters) {
    KernelParameter out;
    bool isKeywords = parameter.kind == ast::Parameter::VarKeywords;
    if (parameter.kind == ast::Parameter::VarArgs)
      return error(parameter.range, "a kernel cannot have a '*' parameter; name every parameter");
    out.name = (isKeywords ? "**" : "") + parameter.name;
    out.isConstexpr = isKeywords || isConstexprAnnotation(parameter.annotation.get());
    if (parameter.annotation) {
      SourceRange range = parameter.annotation->range;
      out.annotation = sources.text(body->file)
                           .substr(range.begin.offset, range.end.offset - range.begin.offset);
    }
    if (parameter.defaultValue) {
      builder.setInsertionPointToEnd(scratch->getBody());
      auto value = expression(*parameter.defaultValue);
      if (!value)
        return std::nullopt;
      // A function is the host's to give.
      out.defaultValue = asConstant(*value);
      if (!out.defaultValue && !value->is<Function>() && !value->is<Library>())
        return error(parameter.defaultValue->range, "the default of '" + parameter.name +
                                                        "' is not a constant: found " +
                                                        describe(*value));
    }
    result.parameters.push_back(std::move(out));
  }
  return result;
}

std::optional<KernelSignature> python::readSignature(const FunctionSource &source,
                                                     SourceManager &sources,
                                                     DiagnosticEngine &diagnostics) {
  SingleThreadedContext context;
  Generator generator(context, sources, diagnostics, {});
  std::optional<KernelSignature> signature = generator.signature(source);
  if (!signature)
    generator.nameKernel(source);
  return signature;
}
