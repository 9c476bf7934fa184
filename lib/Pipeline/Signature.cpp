//===- Signature.cpp - a kernel's parameters from its text ----------------===//

#include "Diagnose.h"

#include "tritium/Frontend/Python/Parser.h"
#include "tritium/Pipeline/Compiler.h"

namespace tritium {

using namespace frontend;

namespace {
/// Evaluates the default of a parameter: literals, signs, tuples, and names that stand
/// for constants or element types.
class DefaultEvaluator {
public:
  explicit DefaultEvaluator(const FunctionSource &source) : scope(source.scope) {}

  std::optional<Constant> evaluate(const ast::Expr &expr) {
    if (auto *literal = llvm::dyn_cast<ast::Literal>(&expr))
      return literal->value;
    if (auto *unary = llvm::dyn_cast<ast::Unary>(&expr))
      return signedValue(*unary);
    if (auto *tuple = llvm::dyn_cast<ast::Tuple>(&expr)) {
      Constant::Tuple elements;
      for (const ast::ExprPtr &element : tuple->elements) {
        auto value = evaluate(*element);
        if (!value)
          return std::nullopt;
        elements.push_back(std::move(*value));
      }
      return Constant{std::move(elements)};
    }
    auto external = resolve(expr);
    if (!external)
      return std::nullopt;
    if (auto *constant = std::get_if<Constant>(&external->value))
      return *constant;
    if (auto *library = std::get_if<External::Library>(&external->value))
      if (auto dtype = DType::parse(library->name.substr(library->name.rfind('.') + 1)))
        return Constant{*dtype};
    return std::nullopt;
  }

private:
  std::optional<Constant> signedValue(const ast::Unary &unary) {
    auto value = evaluate(*unary.operand);
    if (!value || (unary.op != UnaryOp::Minus && unary.op != UnaryOp::Plus))
      return std::nullopt;
    bool negates = unary.op == UnaryOp::Minus;
    if (auto *integer = std::get_if<Constant::Int>(&value->value))
      return Constant{negates ? -*integer : *integer};
    if (auto *number = std::get_if<double>(&value->value))
      return Constant{negates ? -*number : *number};
    return std::nullopt;
  }

  /// What a dotted name stands for.
  std::optional<External> resolve(const ast::Expr &expr) {
    if (auto *name = llvm::dyn_cast<ast::Name>(&expr))
      return scope ? scope->lookup(name->id) : std::nullopt;
    auto *attribute = llvm::dyn_cast<ast::Attribute>(&expr);
    auto base = attribute ? resolve(*attribute->base) : std::nullopt;
    auto *module = base ? std::get_if<External::Module>(&base->value) : nullptr;
    if (!module)
      return std::nullopt;
    if (!module->library.empty())
      return External{External::Library{module->library + "." + attribute->name}};
    return module->scope ? module->scope->lookup(attribute->name) : std::nullopt;
  }

  std::shared_ptr<Scope> scope;
};

std::string textOf(const SourceManager &sources, const ast::ExprPtr &expr) {
  if (!expr)
    return "";
  SourceRange range = expr->range;
  return std::string(sources.text(range.begin.file)
                         .substr(range.begin.offset, range.end.offset - range.begin.offset));
}

/// `tl.constexpr`, `constexpr`, or either of them in quotes.
bool isConstexpr(const ast::ExprPtr &annotation) {
  if (!annotation)
    return false;
  if (auto *name = llvm::dyn_cast<ast::Name>(annotation.get()))
    return name->id == "constexpr";
  if (auto *attribute = llvm::dyn_cast<ast::Attribute>(annotation.get()))
    return attribute->name == "constexpr";
  auto *literal = llvm::dyn_cast<ast::Literal>(annotation.get());
  auto *text = literal ? std::get_if<std::string>(&literal->value.value) : nullptr;
  return text && (*text == "constexpr" || std::string_view(*text).ends_with(".constexpr"));
}
} // namespace

std::optional<KernelSignature> readSignature(const FunctionSource &source, CompileError &error) {
  SourceManager sources;
  uint32_t file = sources.addFile(source.file, source.text, source.firstLine, source.columnOffset);
  DiagnosticEngine diagnostics(sources);
  auto function = python::parseFunction(sources, file, diagnostics);
  if (!function) {
    fillError(sources, diagnostics, error);
    return std::nullopt;
  }
  KernelSignature signature;
  signature.name = function->name;
  DefaultEvaluator defaults(source);
  for (const ast::Parameter &parameter : function->parameters) {
    KernelParameter result;
    result.name = parameter.name;
    result.annotation = textOf(sources, parameter.annotation);
    result.isConstexpr = isConstexpr(parameter.annotation);
    if (parameter.defaultValue)
      result.defaultValue = defaults.evaluate(*parameter.defaultValue);
    signature.parameters.push_back(std::move(result));
  }
  return signature;
}

} // namespace tritium
