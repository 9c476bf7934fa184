//===- Interpreter.cpp - compilations that end at tile IR -----------------===//

#include "TargetCompiler.h"

namespace tritium {

namespace {

class InterpreterCompiler : public TargetCompiler {
public:
  using TargetCompiler::TargetCompiler;

  bool checksHints() const override { return true; }
  bool takesDescriptors() const override { return true; }
  bool stops() const override { return true; }

  bool fromTileIR(Session &, mlir::ModuleOp, const CompileOptions &, CompiledKernel &,
                  CompileError &) const override {
    return true;
  }
};

} // namespace

const TargetCompiler &interpreterCompiler() {
  static const InterpreterCompiler compiler(kInterpreter);
  return compiler;
}

} // namespace tritium
