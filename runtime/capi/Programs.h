//===- Programs.h - Triton-C, for the C interface ---------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_CAPI_PROGRAMS_H
#define TRITIUM_RUNTIME_CAPI_PROGRAMS_H

#include "../Program.h"
#include "Internal.h"

namespace tritium::capi {

inline runtime::Program *unwrap(tritium_program *program) {
  return reinterpret_cast<runtime::Program *>(program);
}
inline const runtime::Program *unwrap(const tritium_program *program) {
  return reinterpret_cast<const runtime::Program *>(program);
}

/// A call as the host gives it. `grid` computes the grid for a choice.
runtime::Program::Call toCall(const tritium_argument *arguments, size_t count,
                              const tritium_option *options, size_t optionCount,
                              tritium_grid_function grid, void *user, void *stream);

} // namespace tritium::capi

#endif // TRITIUM_RUNTIME_CAPI_PROGRAMS_H
