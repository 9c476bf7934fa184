//===- CompiledKernel.h - what the compiler hands over ----------*- C++ -*-===//

#ifndef TRITIUM_KERNEL_COMPILEDKERNEL_H
#define TRITIUM_KERNEL_COMPILEDKERNEL_H

#include "tritium/Kernel/KernelClocks.h"
#include "tritium/Kernel/KernelMetadata.h"
#include "tritium/Support/Remark.h"

#include <map>
#include <string>
#include <vector>

namespace tritium {

struct CompiledKernel {
  KernelMetadata metadata;
  std::map<std::string, std::string> stages; ///< "ttir" -> text, "obj" -> ELF bytes, ...
  std::vector<Remark> remarks;
  std::string printed; ///< what static_print wrote
  /// Why the code is slow in a way that other tiles or another number of warps may avoid, as far
  /// as the assembler says; else empty.
  std::string handicap;
  KernelClocks clocks; ///< what code for a GPU counts
};

} // namespace tritium

#endif // TRITIUM_KERNEL_COMPILEDKERNEL_H
