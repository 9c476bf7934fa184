//===- Dump.h - stages of kernels as files ----------------------*- C++ -*-===//
//
// TRITON_KERNEL_DUMP=1 writes every kernel's stages to `<dump>/<hash>/<kernel>.<stage>`;
// TRITON_KERNEL_OVERRIDE=1 takes `<override>/<hash>/<kernel>.ttir`, if it is there,
// instead of what the front end made.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_DUMP_H
#define TRITIUM_RUNTIME_DUMP_H

#include "tritium/Kernel/CompiledKernel.h"

#include <optional>

namespace tritium::runtime {

bool dumpWanted();
bool overrideWanted();
/// Writes all stages and the metadata. What cannot be written is left out.
void dump(const std::string &hash, const CompiledKernel &kernel, const std::string &metadata);
/// What stands in for a kernel's tile IR.
struct Override {
  std::string ttir, file;
};
std::optional<Override> findOverride(const std::string &hash, const std::string &kernel);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_DUMP_H
