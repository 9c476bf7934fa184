//===- GPUSlots.h - arguments as code for GPUs takes them -------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_GPUSLOTS_H
#define TRITIUM_RUNTIME_GPUSLOTS_H

#include "BoundArgument.h"
#include "tritium/Kernel/CompileError.h"
#include "tritium/Kernel/CompileOptions.h"
#include "tritium/Kernel/KernelMetadata.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/JSON.h"

#include <array>

namespace tritium::runtime {

/// The slot of a kernel on a CPU has f32 bits for all narrower floats; a GPU's has their own.
uint64_t slotOnGPU(uint64_t slot, const DType &type);
/// Those of all arguments, one for each parameter.
llvm::SmallVector<uint64_t, 24> slotsOnGPU(llvm::ArrayRef<BoundArgument> arguments,
                                           const KernelMetadata &metadata);

/// Whether a launch may start while the one in front of it ends, with nothing that a user has to
/// know of: the kernel waits for that before it touches memory.
bool overlapsLaunches(const KernelMetadata &metadata, const CompileOptions &options);
/// CUDA 12.3, as drivers give their versions: graphs that are captured have such launches, too.
constexpr int kFirstDriverThatOverlaps = 12030;

/// What descriptions say of code for a GPU; `spillBytes` of a thread.
void describeGPUCode(const KernelMetadata &metadata, unsigned registers, unsigned spillBytes,
                     llvm::json::Object &description);

/// The programs that a launch for `grid` runs: those of its parts, where programs have several.
/// A dimension that is over all limits is as large as can be.
std::array<uint32_t, 3> gridOfParts(const KernelMetadata &metadata, const uint32_t grid[3]);

/// Memory that the parts of a launch's programs share, in bytes.
struct SharedByParts {
  uint64_t sums = 0, arrivals = 0;
};
/// False with `error` if no GPU has so much. `ctas` are those of the launch.
bool findSharedByParts(const KernelMetadata &metadata, const uint32_t grid[3], uint64_t ctas,
                       SharedByParts &shared, CompileError &error);

/// The CTAs that a launch for `grid` starts; of a kernel that loops over programs no more than
/// `most`, which run at once, unless each has several programs side by side. False with `error` for
/// more programs than it can count.
bool findCTAs(const KernelMetadata &metadata, const uint32_t grid[3], uint64_t most,
              uint32_t ctas[3], CompileError &error);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_GPUSLOTS_H
