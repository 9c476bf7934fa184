// Runs passes over a textual stage of the compiler. `--help` lists them.

#include "tritium/Pipeline/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tritium::registerTileDialects(registry);
  registry.insert<mlir::func::FuncDialect, mlir::LLVM::LLVMDialect, mlir::vector::VectorDialect>();
  mlir::registerTransformsPasses();
  tritium::registerTritiumPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tritium optimizer driver\n", registry));
}
