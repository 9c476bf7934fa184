//===- WorkTest.cpp - how much the front end makes of a kernel ------------===//
//
// What later passes have to do grows with the operations that the front end leaves; how long it
// takes itself, bench/cpu.py measures.
//
//===----------------------------------------------------------------------===//

#include "FusedProduct.h"
#include "Kernel.h"

#include "tritium/Frontend/TritonC/IRGen.h"

#include "mlir/IR/MLIRContext.h"

using namespace tritium;
using namespace tritium::testing;

namespace {

/// The operations that a kernel becomes.
int operationsOf(const frontend::FunctionSource &source) {
  CompileError error;
  auto signature = readSignature(source, error);
  EXPECT_TRUE(signature) << error.rendered;
  if (!signature)
    return -1;
  std::vector<ArgumentSpec> arguments;
  for (const KernelParameter &parameter : signature->parameters)
    arguments.push_back({false, {}, *parameter.type, 16});
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  auto module = frontend::tritonc::generate(context, source, arguments, sources, diagnostics, {});
  EXPECT_TRUE(module) << diagnostics.render();
  int count = 0;
  if (module)
    module->walk([&](mlir::Operation *) { ++count; });
  return count;
}

TEST(FrontEndWork, OperationsOfTheFusedProduct) {
  int count = operationsOf(fusedProduct());
  RecordProperty("operations", count);
  EXPECT_GT(count, 50);
  EXPECT_LE(count, 120);
}

/// Extents are no operations: a tile of any size is one value.
TEST(FrontEndWork, DoesNotGrowWithTheTile) {
  frontend::FunctionSource small = fusedProduct(), large = small;
  for (auto &[name, value] : large.defines)
    if (name == "TM" || name == "TN")
      value = "1024";
  EXPECT_EQ(operationsOf(small), operationsOf(large));
}

} // namespace
