//===- Registration.cpp - passes and pipelines for tools ------------------===//

#include "Metadata.h"

#include "tritium/Conversion/TileGPUToLLVM/TileGPUToLLVM.h"
#include "tritium/Conversion/TileToCPU/TileToCPU.h"
#include "tritium/Conversion/TileToCPU/ToLLVM.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Dialect/TileNVGPU/Transforms/Passes.h"
#include "tritium/Pipeline/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace tritium {

namespace {
/// The lowering of compileKernel as a pass. Remarks of the lowering become remarks.
struct TileToCPUPass : PassWrapper<TileToCPUPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TileToCPUPass)

  TileToCPUPass() = default;
  TileToCPUPass(const TileToCPUPass &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "tile-to-cpu"; }
  StringRef getDescription() const final { return "tt kernels to loops over CPU registers"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                    scf::SCFDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    std::string message;
    cpu::TargetInfo target;
    tt::FuncOp kernel = onlyKernel(getOperation(), message);
    if (!kernel || !cpu::resolveTarget(cpu, target, message)) {
      getOperation().emitError(message);
      return signalPassFailure();
    }
    CompileOptions options;
    options.mayAlias = mayAlias;
    options.streamStores = streamStores;
    KernelMetadata metadata = describeKernel(kernel);
    describePointers(kernel, metadata);
    std::vector<Remark> remarks;
    std::string plan;
    if (failed(lowerToCPU(getOperation(), target, options, metadata, remarks,
                          printPlan ? &plan : nullptr)))
      return signalPassFailure();
    llvm::outs() << plan;
    for (const Remark &remark : remarks) {
      auto file = StringAttr::get(&getContext(), remark.file);
      emitRemark(FileLineColLoc::get(file, remark.line, remark.column), remark.message);
    }
  }

  Option<bool> printPlan{*this, "print-plan", llvm::cl::desc("Print what the kernel becomes"),
                         llvm::cl::init(false)};
  Option<std::string> cpu{*this, "cpu", llvm::cl::desc("LLVM's name of the CPU"),
                          llvm::cl::init("native")};
  Option<bool> mayAlias{*this, "may-alias", llvm::cl::init(true),
                        llvm::cl::desc("Pointer arguments may reach the same memory")};
  Option<bool> streamStores{*this, "stream-stores", llvm::cl::init(false),
                            llvm::cl::desc("Outputs are stored past the caches")};
};

struct CPUToLLVMPass : PassWrapper<CPUToLLVMPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CPUToLLVMPass)
  StringRef getArgument() const final { return "cpu-to-llvm"; }
  StringRef getDescription() const final { return "what tile-to-cpu leaves to the LLVM dialect"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<cf::ControlFlowDialect, LLVM::LLVMDialect>();
  }
  void runOnOperation() override {
    if (failed(cpu::convertToLLVMDialect(getOperation())))
      signalPassFailure();
  }
};

/// The lowering of compileKernel for GPUs as a pass.
struct TileGPUToLLVMPass : PassWrapper<TileGPUToLLVMPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TileGPUToLLVMPass)

  StringRef getArgument() const final { return "convert-ttg-to-llvm"; }
  StringRef getDescription() const final { return "ttg kernels to the LLVM and NVVM dialects"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  }
  void runOnOperation() override {
    GPULoweringOptions options;
    GPULaunchInfo info;
    if (failed(lowerTileGPUToLLVM(getOperation(), options, info)))
      return signalPassFailure();
    Builder builder(&getContext());
    getOperation()->setAttr("ttg.shared", builder.getI64IntegerAttr(info.sharedBytes));
  }
};
} // namespace

void registerTritiumPasses() {
  tt::registerTilePasses();
  ttg::registerTileGPUPasses();
  ttng::registerTileNVGPUPasses();
  PassRegistration<TileToCPUPass>();
  PassRegistration<CPUToLLVMPass>();
  PassRegistration<TileGPUToLLVMPass>();
  PassPipelineRegistration<>("tritium-ttir", "From what the front end builds to ttir",
                             buildTileIRPipeline);
  PassPipelineRegistration<>("tritium-pointers", "From ttir with descriptors to ttir of pointers",
                             buildPointerPipeline);
  PassPipelineRegistration<GPUPipelineOptions>("tritium-ttgir", "From ttir of pointers to ttgir",
                                               buildTileGPUPipeline);
  PassPipelineRegistration<GPUPipelineOptions>(
      "tritium-ttgir-threads", "The end of tritium-ttgir: exchanges, shared memory, barriers",
      buildTileGPUThreadsPipeline);
  PassPipelineRegistration<>("tritium-cpu",
                             "From ttir of pointers to the LLVM dialect, for this CPU",
                             [](OpPassManager &pm) {
                               pm.addPass(std::make_unique<TileToCPUPass>());
                               pm.addPass(std::make_unique<CPUToLLVMPass>());
                             });
}

} // namespace tritium
