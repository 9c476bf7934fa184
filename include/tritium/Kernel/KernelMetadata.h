//===- KernelMetadata.h - what a launch needs to know -----------*- C++ -*-===//

#ifndef TRITIUM_KERNEL_KERNELMETADATA_H
#define TRITIUM_KERNEL_KERNELMETADATA_H

#include "tritium/Kernel/Target.h"
#include "tritium/Kernel/TensorMapParameter.h"
#include "tritium/Support/Assertion.h"
#include "tritium/Support/Constant.h"
#include "tritium/Support/LaunchCondition.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tritium {

inline constexpr uint64_t kUnknownBytes = UINT64_MAX;

/// One run-time parameter of a compiled kernel.
struct ParameterInfo {
  std::string name;
  DType type;
  bool isWritten = false; ///< pointer: the kernel may write through it
  bool isRead = false;    ///< pointer: the kernel may read through it
  /// CPU, pointer: how much one program stores that CompileOptions::streamStores may stream;
  /// kUnknownBytes in a loop.
  uint64_t streamedBytes = 0;
  /// The code relies on the value or address being a multiple of this.
  int64_t divisibility = 1;
};

/// What only the copies by TMA at one place of the kernel's text need of a launch.
struct CopyNeeds {
  std::string place; ///< FILE:LINE:COLUMN of the load or store that they are made of
  std::vector<uint64_t> conditions, tensorMaps; ///< numbers of those of the kernel

  bool operator==(const CopyNeeds &) const = default;
};

/// CTAs of a launch whose programs may have parts (stream-K).
constexpr uint32_t kMostSharingCTAs = 1 << 14;

struct KernelMetadata {
  std::string name;  ///< the kernel's name
  std::string entry; ///< symbol of the entry function in "obj"
  Target target;
  std::string cpu; ///< what the code is for: LLVM's name of the CPU, or "sm_90a"
  std::vector<ParameterInfo> parameters; ///< run-time parameters only, in order
  uint64_t scratchBytes = 0; ///< per-thread scratch memory that the entry needs, 64-byte aligned
  /// A pointer loaded from memory is dereferenced: argument ranges do not bound accesses.
  bool hasIndirectPointers = false;
  bool hasIndirectWrites = false; ///< such a pointer may be written through
  bool mayWait = false; ///< a loop ends only when memory changes: programs wait for others
  // GPUs:
  unsigned numWarps = 0, numCtas = 1; ///< of a CTA; of a cluster
  uint64_t sharedBytes = 0;           ///< dynamic shared memory of a CTA
  /// A thread's, as ptxas says; 0 registers: the driver will assemble the code.
  unsigned registers = 0, spillBytes = 0;
  std::vector<AssertSite> asserts; ///< which report by their numbers
  /// For launches that break one there is code with CompileOptions::isUnconditional.
  std::vector<LaunchCondition> conditions;
  /// One more parameter of the entry each, behind `parameters`. For launches that have no such maps
  /// there is code with CompileOptions::isUnconditional.
  std::vector<TensorMapParameter> tensorMaps;
  /// Launches that break no more than what is listed here take code without those copies
  /// (CompileOptions::refusedCopies).
  std::vector<CopyNeeds> copies;
  /// CTAs loop over the programs: a launch starts as many as run at once in one dimension. Behind
  /// the tensor maps the entry has three more parameters, the extents of the grid as uint32.
  bool isPersistent = false;
  /// Programs that a CTA of such a kernel has side by side, and one after the other, if they are
  /// short. If it has several, a launch starts as many CTAs as have them all, if these can be
  /// counted.
  unsigned programsPerCTA = 1;
  /// Behind its first program each of those CTAs takes what follows from a counter. One more
  /// parameter, a uint32: which of the module's counters this launch has (LaunchABI.h), or
  /// kNoProgramCounter: then a launch that starts a CTA for each program leaves it to the hardware
  /// which multiprocessor takes the next one.
  bool takesPrograms = false;
  /// Each program is so many, its parts, along the third dimension of the grid. The entry has two
  /// more parameters behind `parameters`, pointers: to `partialBytes` for each part of each
  /// program, and to a uint32 for each program that is 0 before and after the launch.
  unsigned splitK = 1;
  /// Programs that are left over where each CTA of a kernel that loops over programs has as many
  /// have several parts each (stream-K, SharedPrograms.h). A launch always starts as many CTAs as
  /// run at once, kMostSharingCTAs at most. The same two parameters: to `partialBytes` for each
  /// part, and to as many uint32.
  bool streamK = false;
  uint64_t partialBytes = 0; ///< of the sums of a part
  bool hasParts() const { return splitK > 1 || streamK; }
  /// The kernel touches no memory before the launches in front of it are over: the GPU may start it
  /// while the last one ends, unless the option launch_pdl is False.
  bool waitsForLaunches = false;
  /// Loads run ahead of stores to other arguments, not only a few instructions: memory of which
  /// the extent is not known counts as overlapping.
  bool overtakes = false;
};

} // namespace tritium

#endif // TRITIUM_KERNEL_KERNELMETADATA_H
