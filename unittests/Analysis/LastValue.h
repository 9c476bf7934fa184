//===- LastValue.h - the value that a kernel's text ends with ---*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_ANALYSIS_LASTVALUE_H
#define TRITIUM_UNITTESTS_ANALYSIS_LASTVALUE_H

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Pipeline/Passes.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace tritium::testing {

/// A kernel of one block; its last operation but the return gives `value`.
struct LastValue {
  LastValue(const std::string &parameters, const std::string &body) {
    mlir::DialectRegistry registry;
    registerTileDialects(registry);
    context.appendDialectRegistry(registry);
    module = mlir::parseSourceString<mlir::ModuleOp>("tt.func @k(" + parameters + ") {\n" + body +
                                                         "\n tt.return\n}",
                                                     mlir::ParserConfig(&context));
    EXPECT_TRUE(module) << body;
    if (!module)
      return;
    tt::FuncOp func = *module->getOps<tt::FuncOp>().begin();
    value = func.getBody().front().getTerminator()->getPrevNode()->getResult(0);
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Value value;
};

} // namespace tritium::testing

#endif // TRITIUM_UNITTESTS_ANALYSIS_LASTVALUE_H
