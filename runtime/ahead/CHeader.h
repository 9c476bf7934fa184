//===- CHeader.h - the C header of code compiled ahead ----------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_AHEAD_CHEADER_H
#define TRITIUM_RUNTIME_AHEAD_CHEADER_H

#include "LaunchRules.h"
#include "tritium/Kernel/CompileOptions.h"

namespace tritium::runtime {

/// A header in C99 (and C++) that stands alone. For a kernel `k`:
///
///   k_symbol ...          macros: the entry's symbol, sizes, warps
///   k_check(ARGUMENTS, grid_x, grid_y, grid_z)
///                         0, or the number of the first of launchRules() that does not hold
///   k_rule(number)        its text
///   k_launch(ARGUMENTS, grid_x, grid_y, grid_z)
///                         checks and runs; for a GPU behind <cuda.h>, on a function and a stream
///
/// A pointer whose memory must not overlap others comes with its number of bytes.
std::string cHeader(const KernelMetadata &metadata, const CompileOptions &options);

/// What every such header begins with: bounds of scalars, calls of a kernel into its host.
extern const char *const cHeaderRanges, *const cHeaderHostCalls;

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_AHEAD_CHEADER_H
