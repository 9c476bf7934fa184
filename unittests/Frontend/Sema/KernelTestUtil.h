//===- KernelTestUtil.h - kernel text, compiled and interpreted -*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_FRONTEND_SEMA_KERNELTESTUTIL_H
#define TRITIUM_UNITTESTS_FRONTEND_SEMA_KERNELTESTUTIL_H

#include "tritium/Frontend/Python/IRGen.h"
#include "tritium/Frontend/Python/ModuleScope.h"
#include "tritium/Interpreter/Interpreter.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

namespace tritium::testing {

struct Compiled {
  std::string ttir;  ///< empty after an error
  std::string error; ///< rendered
  std::string printed;
};

/// Compiles the function `kernel` of a file that starts with the usual imports. `types`
/// are the signatures of its run-time parameters.
inline Compiled compile(const std::string &text, const std::vector<std::string> &types) {
  std::string header = "import triton\nimport triton.language as tl\nimport math\n";
  Compiled result;
  auto scope = frontend::ModuleScope::parse(header + text, "kernel.py", result.error);
  if (!scope)
    return result;
  auto source = scope->function("kernel");
  if (!source) {
    result.error = "there is no jit function 'kernel'";
    return result;
  }
  std::vector<ArgumentSpec> arguments;
  for (const std::string &type : types)
    arguments.push_back({false, {}, *DType::parse(type), 1});
  mlir::MLIRContext context;
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  auto module = frontend::python::generate(
      context, *source, arguments, sources, diagnostics,
      {true, "ieee", /*sanitizeOverflow=*/false, HintUse::Checked}, result.printed);
  if (!module) {
    result.error = diagnostics.render();
    return result;
  }
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
  llvm::raw_string_ostream stream(result.ttir);
  module->print(stream);
  return result;
}

/// Arrays and scalars for one launch.
class Launch {
public:
  template <typename T> Launch &array(std::vector<T> &values) {
    slots.push_back(reinterpret_cast<uint64_t>(values.data()));
    options.buffers.push_back({slots.back(), values.size() * sizeof(T), true});
    return *this;
  }
  Launch &integer(int64_t value) {
    slots.push_back(static_cast<uint64_t>(value));
    return *this;
  }
  Launch &real(float value) {
    slots.push_back(std::bit_cast<uint32_t>(value));
    return *this;
  }
  /// Compiles and runs one program; an error of either is a failure.
  void run(const std::string &text, const std::vector<std::string> &types) {
    Compiled compiled = compile(text, types);
    ASSERT_EQ(compiled.error, "");
    uint32_t grid[3] = {1, 1, 1};
    EXPECT_EQ(interpret(compiled.ttir, slots, grid, options), "") << compiled.ttir;
  }

private:
  std::vector<uint64_t> slots;
  InterpreterOptions options;
};

} // namespace tritium::testing

#endif // TRITIUM_UNITTESTS_FRONTEND_SEMA_KERNELTESTUTIL_H
