//===- LaterStages.cpp - going on from LLVM IR and from PTX ---------------===//

#include "tritium/Pipeline/LaterStages.h"
#include "TargetCompiler.h"

namespace tritium {

std::unique_ptr<CompiledKernel> compileLaterStage(const std::string &stage, const std::string &text,
                                                  KernelMetadata metadata,
                                                  const CompileOptions &options,
                                                  CompileError &error) {
  Session session(metadata.name, error);
  session.enter("Codegen");
  const TargetCompiler *target = targetCompiler(options.target, error);
  if (!target)
    return nullptr;
  bool isForGPU = metadata.target.isGPU();
  if (isForGPU != options.target.isGPU()) {
    refuse(error, "kernel '" + metadata.name + "': its text is for " +
                      (isForGPU ? "a GPU" : "a CPU") + ", but the target is " +
                      options.target.str());
    return nullptr;
  }
  auto kernel = std::make_unique<CompiledKernel>();
  kernel->metadata = std::move(metadata);
  kernel->metadata.target = options.target;
  kernel->metadata.registers = kernel->metadata.spillBytes = 0;
  kernel->stages[stage] = text;
  if (!target->fromText(session, stage, text, options, *kernel, error))
    return nullptr;
  session.takeRemarks(kernel->remarks);
  return kernel;
}

} // namespace tritium
