//===- SemaTestUtil.h - Sema on a function under construction ---*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_FRONTEND_SEMA_SEMATESTUTIL_H
#define TRITIUM_UNITTESTS_FRONTEND_SEMA_SEMATESTUTIL_H

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Sema.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

namespace tritium::sema {

/// No test here compiles kernel text.
class NoFunctions : public FunctionCaller {
public:
  bool areIdentities = false; ///< then a function gives its first argument
  Result callFunction(const std::shared_ptr<frontend::FunctionSource> &,
                      const Arguments &arguments) override {
    if (areIdentities && !arguments.positional.empty())
      return arguments.positional.front();
    ADD_FAILURE() << "a kernel function was called";
    return std::nullopt;
  }
};

class SemaTest : public ::testing::Test {
protected:
  SemaTest()
      : builder(&context), diagnostics(sources),
        sema(builder, sources, diagnostics, functions, Options{true, false, "ieee"}) {
    auto loc = builder.getUnknownLoc();
    module = mlir::ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
    func = builder.create<tt::FuncOp>(loc, "kernel", builder.getFunctionType({}, {}));
    builder.setInsertionPointToStart(&func.getBody().emplaceBlock());
  }

  /// A value of that type that is known at run time only.
  Value tensor(const char *dtype, llvm::ArrayRef<int64_t> shape = {}) {
    DType type = *DType::parse(dtype);
    unsigned index = func.getBody().getNumArguments();
    mlir::Type ir = sema.tensorType(type, shape);
    // Tiles are no arguments of kernels, so they come from an operation on one.
    func.insertArgument(index, sema.elementType(type), {}, sema.loc());
    mlir::Value scalar = func.getBody().getArgument(index);
    if (shape.empty())
      return Tensor{scalar, type};
    return Tensor{builder.create<tt::SplatOp>(sema.loc(), ir, scalar), type};
  }

  /// The type of a result as text: "fp32", "i32[4, 8]", or "" after an error.
  std::string type(const Result &result) {
    if (!result)
      return "";
    auto *t = result->getIf<Tensor>();
    if (!t)
      return describe(*result);
    return t->dtype.signature() + (t->isScalar() ? "" : describeShape(t->shape()));
  }

  /// The messages of all errors since the last call.
  std::string errors() {
    std::string text;
    for (; seen < diagnostics.all().size(); ++seen)
      if (diagnostics.all()[seen].severity == Severity::Error)
        text += diagnostics.all()[seen].message + "\n";
    return text;
  }

  /// Calls a library function by name.
  Result lib(const char *name, std::vector<Value> positional,
             std::vector<std::pair<std::string, Value>> keywords = {}) {
    return sema.callLibrary(name, {std::move(positional), std::move(keywords)});
  }

  /// What was built, verified.
  std::string ir() {
    auto point = builder.saveInsertionPoint();
    auto ret = builder.create<tt::ReturnOp>(sema.loc());
    std::string text;
    llvm::raw_string_ostream stream(text);
    EXPECT_TRUE(succeeded(mlir::verify(*module)));
    module->print(stream);
    ret.erase();
    builder.restoreInsertionPoint(point);
    return text;
  }

  void TearDown() override { ir(); }

private:
  struct Context : mlir::MLIRContext {
    Context() {
      loadDialect<tt::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, mlir::gpu::GPUDialect>();
    }
  };

protected:
  Context context;
  mlir::OpBuilder builder;
  SourceManager sources;
  DiagnosticEngine diagnostics;
  NoFunctions functions;
  Sema sema;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tt::FuncOp func;
  size_t seen = 0;
};

} // namespace tritium::sema

#endif // TRITIUM_UNITTESTS_FRONTEND_SEMA_SEMATESTUTIL_H
