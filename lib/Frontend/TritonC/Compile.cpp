//===- Compile.cpp - generate and readSignature ---------------------------===//

#include "Generator.h"

#include "tritium/Frontend/TritonC/Parser.h"

namespace tritium::frontend::tritonc {

namespace {
/// A file as far as the parser takes it.
struct Parsed {
  PreprocessedUnit tokens;
  std::unique_ptr<Unit> unit;
  const Function *kernel = nullptr;
};
} // namespace

static SourceUnit sourceUnit(const FunctionSource &source) {
  return {source.file, source.text, source.defines, source.includePaths};
}

static std::optional<Parsed> parseSource(const FunctionSource &source, SourceManager &sources,
                                         DiagnosticEngine &diagnostics) {
  SourceUnit unit = sourceUnit(source);
  auto tokens = preprocess(unit, sources, diagnostics);
  if (!tokens)
    return std::nullopt;
  Parsed parsed;
  parsed.tokens = std::move(*tokens);
  parsed.unit = parse(parsed.tokens, unit, diagnostics);
  if (!parsed.unit)
    return std::nullopt;
  parsed.kernel = findKernel(*parsed.unit, source.name, unit, diagnostics);
  return parsed.kernel ? std::optional(std::move(parsed)) : std::nullopt;
}

mlir::OwningOpRef<mlir::ModuleOp> generate(mlir::MLIRContext &context, const FunctionSource &source,
                                           const std::vector<ArgumentSpec> &arguments,
                                           SourceManager &sources, DiagnosticEngine &diagnostics,
                                           const GenerateOptions &options) {
  auto parsed = parseSource(source, sources, diagnostics);
  if (!parsed)
    return nullptr;
  return Generator(context, sources, diagnostics, options)
      .kernel(*parsed->unit, *parsed->kernel, arguments);
}

std::optional<KernelSignature> readSignature(const FunctionSource &source, SourceManager &sources,
                                             DiagnosticEngine &diagnostics) {
  auto parsed = parseSource(source, sources, diagnostics);
  if (!parsed)
    return std::nullopt;
  KernelSignature signature;
  signature.name = parsed->kernel->name;
  for (const Variable &variable : parsed->kernel->parameters) {
    KernelParameter parameter;
    parameter.name = variable.name;
    parameter.annotation = spelling(variable.type);
    parameter.type = variable.type.element;
    parameter.aligned = variable.attributes.aligned.value_or(1);
    parameter.multipleOf = variable.attributes.multipleOf.value_or(1);
    parameter.isReadOnly = variable.attributes.isReadOnly;
    parameter.isWriteOnly = variable.attributes.isWriteOnly;
    parameter.isNoAlias = variable.attributes.isNoAlias;
    parameter.isRetune = variable.attributes.isRetune;
    signature.parameters.push_back(std::move(parameter));
  }
  bool hasGlobal = llvm::any_of(parsed->unit->functions, [](const auto &f) { return f->isGlobal; });
  for (const auto &function : parsed->unit->functions)
    if (hasGlobal ? function->isGlobal : function->result.isVoid())
      signature.kernels.push_back(function->name);
  for (const ConstantTable &table : parsed->unit->tables)
    signature.tables.push_back({table.name, table.element, table.bytes});
  for (const Tunable &tunable : parsed->unit->tunables)
    signature.tunables.push_back({tunable.name, tunable.values});
  signature.usedDefines = std::move(parsed->tokens.usedDefines);
  for (ReadFile &file : parsed->tokens.included)
    signature.includedFiles.emplace_back(std::move(file.path), std::move(file.text));
  return signature;
}

} // namespace tritium::frontend::tritonc
