//===- LaterStages.cpp - going on from LLVM IR and from PTX ---------------===//

#include "tritium/Pipeline/LaterStages.h"
#include "GPU.h"

#include "tritium/Target/CPU/Codegen.h"
#include "tritium/Target/NVPTX/Codegen.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tritium {

namespace {

bool refuse(CompileError &error, std::string message) {
  error.kind = "CompilationError";
  error.rendered = error.message = std::move(message);
  return false;
}

bool goOnForCPU(const std::string &text, const CompileOptions &options, CompiledKernel &kernel,
                CompileError &error) {
  cpu::TargetInfo target;
  std::string message;
  cpu::EmittedCode code;
  bool wantAssembly = llvm::is_contained(options.keepStages, "asm");
  if (!cpu::resolveTarget(options.cpu, target, message) ||
      !cpu::emitObject(text, target, wantAssembly, code, message))
    return refuse(error, message);
  kernel.metadata.cpu = target.cpu;
  kernel.stages["obj"] = std::move(code.object);
  if (wantAssembly)
    kernel.stages["asm"] = std::move(code.assembly);
  return true;
}

bool goOnForGPU(Session &session, const std::string &stage, const std::string &text,
                const CompileOptions &options, CompiledKernel &kernel, CompileError &error) {
  nvptx::TargetInfo target;
  GPUOptions gpu;
  std::string message;
  if (!readGPUOptions(options, gpu, error))
    return false;
  if (!nvptx::resolveTarget(options.target, target, message))
    return refuse(error, message);
  kernel.metadata.cpu = target.codeName();
  if (stage == "llir") {
    nvptx::EmitOptions emit;
    emit.kernel = kernel.metadata.entry;
    emit.ptxVersion = gpu.ptxVersion;
    emit.fpFusion = gpu.fpFusion;
    nvptx::EmittedCode code;
    if (!nvptx::emitPTX(text, target, emit, code, message))
      return refuse(error, message);
    kernel.stages["ptx"] = std::move(code.ptx);
  }
  return isSimulatedTarget(options.target) ||
         assembleForGPU(session, target, gpu, UnknownLoc::get(&session.context()), kernel, error);
}

} // namespace

std::unique_ptr<CompiledKernel> compileLaterStage(const std::string &stage, const std::string &text,
                                                  KernelMetadata metadata,
                                                  const CompileOptions &options,
                                                  CompileError &error) {
  Session session(metadata.name, error);
  session.enter("Codegen");
  bool isForGPU = isGPUTarget(metadata.target);
  if (isForGPU != isGPUTarget(options.target)) {
    refuse(error, "kernel '" + metadata.name + "': its text is for " +
                      (isForGPU ? "a GPU" : "a CPU") + ", but the target is " + options.target);
    return nullptr;
  }
  auto kernel = std::make_unique<CompiledKernel>();
  kernel->metadata = std::move(metadata);
  kernel->metadata.target = options.target;
  kernel->metadata.registers = kernel->metadata.spillBytes = 0;
  kernel->stages[stage] = text;
  bool isDone = isForGPU ? goOnForGPU(session, stage, text, options, *kernel, error)
                         : goOnForCPU(text, options, *kernel, error);
  if (!isDone)
    return nullptr;
  session.takeRemarks(kernel->remarks);
  return kernel;
}

} // namespace tritium
