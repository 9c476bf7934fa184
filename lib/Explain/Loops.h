//===- Loops.h - what rounds of a CPU's loops take --------------*- C++ -*-===//

#ifndef TRITIUM_LIB_EXPLAIN_LOOPS_H
#define TRITIUM_LIB_EXPLAIN_LOOPS_H

#include "tritium/Target/CPU/MachineCode.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

namespace tritium::explain {

/// Nothing with `error` if the assembly of `target` (a CPU's name) cannot be read.
std::optional<cpu::MachineCode> readAssembly(const std::string &text, const std::string &target,
                                             std::string &error);

/// The list `loops`; `fileNumber` tells which of `files` one is.
llvm::json::Array loopsOf(const cpu::MachineCode &code, const std::string &cpu,
                          llvm::function_ref<int64_t(const std::string &)> fileNumber);

} // namespace tritium::explain

#endif // TRITIUM_LIB_EXPLAIN_LOOPS_H
