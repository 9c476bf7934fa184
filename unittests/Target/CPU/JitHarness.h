//===- JitHarness.h - runs emitted CPU code in the test ---------*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_TARGET_CPU_JITHARNESS_H
#define TRITIUM_UNITTESTS_TARGET_CPU_JITHARNESS_H

#include "tritium/Target/CPU/Codegen.h"

#include "mlir/IR/Builders.h"

#include <memory>

namespace llvm::orc {
class LLJIT;
}

namespace tritium::cpu {

/// Takes structured IR for one CPU down to a callable function.
class JitHarness {
public:
  using Body = llvm::function_ref<void(mlir::OpBuilder &, mlir::Location,
                                       llvm::ArrayRef<mlir::Value> arguments)>;

  explicit JitHarness(const std::string &cpu);
  ~JitHarness();

  const TargetInfo &target() const { return info; }

  /// Whether this machine can run the code.
  bool canRun() const;

  /// Compiles `void f(ptr, ...)` with `pointers` arguments; aborts the test program on
  /// failure. The code lives as long as the harness.
  void *compile(unsigned pointers, Body body);

  /// The same as text in assembly, for any CPU. Its LLVM IR is code().llir.
  const std::string &assemble(unsigned pointers, Body body);

  /// What the last compilation left.
  const EmittedCode &code() const { return emitted; }

private:
  void emit(unsigned pointers, Body body, bool texts);

  TargetInfo info;
  EmittedCode emitted;
  std::vector<std::unique_ptr<llvm::orc::LLJIT>> jits;
};

/// Loads and stores as the CPU lowering emits them.
mlir::Value loadAt(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type, mlir::Value base,
                   mlir::Value index, mlir::Type element);
void storeAt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Value base,
             mlir::Value index, mlir::Type element);

} // namespace tritium::cpu

#endif // TRITIUM_UNITTESTS_TARGET_CPU_JITHARNESS_H
