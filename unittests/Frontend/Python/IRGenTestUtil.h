//===- IRGenTestUtil.h - kernels to IR in tests -----------------*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_FRONTEND_PYTHON_IRGENTESTUTIL_H
#define TRITIUM_UNITTESTS_FRONTEND_PYTHON_IRGENTESTUTIL_H

#include "tritium/Frontend/Python/IRGen.h"
#include "tritium/Frontend/Python/Parser.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <map>

namespace tritium::frontend {

/// `tl` and `triton`, the functions of one text, and constants.
class TestScope : public Scope, public std::enable_shared_from_this<TestScope> {
public:
  std::map<std::string, Constant, std::less<>> constants;
  std::map<std::string, std::shared_ptr<FunctionSource>, std::less<>> functions;

  std::optional<External> lookup(std::string_view name) override {
    if (name == "tl")
      return External{External::Module{"triton.language", nullptr}};
    if (name == "triton")
      return External{External::Module{"triton", nullptr}};
    if (auto found = constants.find(name); found != constants.end())
      return External{found->second};
    if (auto found = functions.find(name); found != functions.end())
      return External{found->second};
    if (name == "unusable")
      return External{External::Unusable{"it is a list"}};
    return std::nullopt;
  }

  /// Adds the functions of a module's text.
  void read(const std::string &text) {
    SourceManager sources;
    DiagnosticEngine diagnostics(sources);
    uint32_t file = sources.addFile("k.py", text);
    auto module = python::parseModule(sources, file, diagnostics);
    ASSERT_TRUE(module) << diagnostics.render();
    for (const ast::ModuleItem &item : module->items) {
      ASSERT_EQ(item.kind, ast::ModuleItem::Function);
      auto function = std::make_shared<FunctionSource>();
      function->name = item.name;
      function->file = "k.py";
      function->firstLine = sources.lineColumn(item.range.begin).line;
      function->text =
          text.substr(item.range.begin.offset, item.range.end.offset - item.range.begin.offset);
      function->scope = shared_from_this();
      functions[item.name] = function;
    }
  }
  ~TestScope() override = default;
  /// Functions own their scope; this breaks the circle.
  void clear() { functions.clear(); }
};

/// A run-time argument, as in a signature: "*fp32", "i32".
inline ArgumentSpec arg(std::string_view type, int64_t divisibility = 1) {
  ArgumentSpec spec;
  spec.type = *DType::parse(type);
  spec.divisibility = divisibility;
  return spec;
}

inline ArgumentSpec constant(decltype(Constant::value) value) {
  ArgumentSpec spec;
  spec.isConstexpr = true;
  spec.value = {std::move(value)};
  return spec;
}
inline ArgumentSpec constant(int value) {
  return constant(decltype(Constant::value)(Constant::Int{value}));
}

struct Generated {
  std::string ir;     ///< empty after an error
  std::string errors; ///< rendered
  std::string printed;
  bool has(std::string_view text) const { return ir.find(text) != std::string::npos; }
};

/// Compiles the function `kernel` of a text.
inline Generated generate(const std::string &text, const std::vector<ArgumentSpec> &arguments,
                          std::map<std::string, Constant, std::less<>> constants = {},
                          bool debug = false) {
  auto scope = std::make_shared<TestScope>();
  scope->constants = std::move(constants);
  scope->read(text);
  Generated result;
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = python::generate(
      context, *scope->functions.at("kernel"), arguments, sources, diagnostics,
      {debug, "ieee", /*sanitizeOverflow=*/true, debug ? HintUse::Checked : HintUse::Assumed},
      result.printed);
  result.errors = diagnostics.render();
  EXPECT_EQ(!module, diagnostics.hasErrors());
  if (module) {
    llvm::raw_string_ostream out(result.ir);
    module->print(out);
  }
  scope->clear();
  return result;
}

} // namespace tritium::frontend

#endif // TRITIUM_UNITTESTS_FRONTEND_PYTHON_IRGENTESTUTIL_H
