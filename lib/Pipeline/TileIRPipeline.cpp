//===- TileIRPipeline.cpp - the passes from the front end to ttir ---------===//

#include "tritium/Pipeline/Passes.h"

#include "tritium/Dialect/Debug/IR/Debug.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tritium {

void registerTileDialects(DialectRegistry &registry) {
  registry.insert<tt::TileDialect, ttg::TileGPUDialect, ttng::TileNVGPUDialect, arith::ArithDialect,
                  math::MathDialect, scf::SCFDialect, cf::ControlFlowDialect, gpu::GPUDialect,
                  ub::UBDialect, LLVM::LLVMDialect, NVVM::NVVMDialect, dbg::DebugDialect>();
}

namespace {
/// What is gained where addresses are pointers and offsets.
void addPointerPasses(OpPassManager &pm) {
  pm.addPass(tt::createScalarizeLoopOffsets());
  pm.addPass(tt::createCombine());
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(tt::createSinkCarriedLoads());
  pm.addPass(tt::createCanonicalize());
  pm.addPass(createCSEPass());
}
} // namespace

void buildTileIRPipeline(OpPassManager &pm) {
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addPass(createSymbolDCEPass());
  // Before a hint can go with the operation that it is on.
  pm.addPass(tt::createCheckHints());
  // Before constants are folded at the width of what will be wider.
  pm.addPass(tt::createWidenOffsets());
  pm.addPass(tt::createCanonicalize());
  pm.addPass(createCSEPass());
  addPointerPasses(pm);
}

void buildPointerPipeline(OpPassManager &pm) {
  // What does not change in a loop is outside of it by now, which decides the form of addresses.
  pm.addPass(tt::createDescriptorsToPointers());
  pm.addPass(tt::createCanonicalize());
  pm.addPass(createCSEPass());
  addPointerPasses(pm);
}

} // namespace tritium
