//===- NVIDIA.cpp - compilations for NVIDIA's GPUs, real and simulated ----===//

#include "GPU.h"
#include "TargetCompiler.h"

#include "tritium/Target/NVPTX/Ptxas.h"

using namespace mlir;

namespace tritium {

namespace {

/// Real GPUs take cubins; the simulator takes PTX, which no ptxas changes.
class NVIDIACompiler : public TargetCompiler {
public:
  using TargetCompiler::TargetCompiler;

  std::string fingerprint(const Target &target) const override {
    if (kind.isModel)
      return target.str();
    std::optional<nvptx::Ptxas> ptxas = nvptx::findPtxas();
    return target.str() + "; ptxas " + (ptxas ? ptxas->version : "none");
  }

  const char *dotPrecision() const override { return "tf32"; }
  bool takesAssembly() const override { return true; }

  void prepare(Session &session, const CompileOptions &options) const override {
    if (!kind.isModel)
      startAssembler(session, options);
  }

  bool fromTileIR(Session &session, ModuleOp module, const CompileOptions &options,
                  CompiledKernel &kernel, CompileError &error) const override {
    return compileForGPU(session, module, options, kernel, error);
  }

  bool fromTileGPU(Session &session, ModuleOp module, const CompileOptions &options,
                   CompiledKernel &kernel, CompileError &error) const override {
    return compileTileGPU(session, module, options, kernel, error);
  }

  bool fromLLVMDialect(Session &session, ModuleOp module, const CompileOptions &options,
                       CompiledKernel &kernel, CompileError &error) const override {
    GPUOptions gpu;
    if (!readGPUOptions(options, gpu, error))
      return false;
    std::string message;
    std::optional<KernelMetadata> described = describeLLVMKernel(module, gpu, message);
    if (!described)
      return refuse(error, message);
    kernel.metadata = std::move(*described);
    kernel.metadata.target = options.target;
    return emitForGPU(session, module, options, gpu, kernel, error);
  }

  bool fromText(Session &session, const std::string &stage, const std::string &text,
                const CompileOptions &options, CompiledKernel &kernel,
                CompileError &error) const override {
    return goOnForGPU(session, stage, text, options, kernel, error);
  }
};

} // namespace

const TargetCompiler &cudaCompiler() {
  static const NVIDIACompiler compiler(kCUDA);
  return compiler;
}

const TargetCompiler &simulatorCompiler() {
  static const NVIDIACompiler compiler(kSimulator);
  return compiler;
}

} // namespace tritium
