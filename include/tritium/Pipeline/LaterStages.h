//===- LaterStages.h - going on from LLVM IR and from PTX -------*- C++ -*-===//

#ifndef TRITIUM_PIPELINE_LATERSTAGES_H
#define TRITIUM_PIPELINE_LATERSTAGES_H

#include "tritium/Pipeline/Compiler.h"

namespace tritium {

/// Goes on from the stage "llir" or "ptx", whose text does not say what its launches need:
/// `metadata` does. On failure fills `error`.
std::unique_ptr<CompiledKernel> compileLaterStage(const std::string &stage, const std::string &text,
                                                  KernelMetadata metadata,
                                                  const CompileOptions &options,
                                                  CompileError &error);

} // namespace tritium

#endif // TRITIUM_PIPELINE_LATERSTAGES_H
