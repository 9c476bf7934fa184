//===- TileGPUToLLVM.h - kernels with layouts to the NVVM dialect *- C++ -*-===//

#ifndef TRITIUM_CONVERSION_TILEGPUTOLLVM_TILEGPUTOLLVM_H
#define TRITIUM_CONVERSION_TILEGPUTOLLVM_TILEGPUTOLLVM_H

#include "tritium/Kernel/TensorMapParameter.h"
#include "tritium/Support/Assertion.h"

#include <set>

namespace mlir {
class ModuleOp;
}
namespace llvm {
struct LogicalResult;
}

namespace tritium {

struct GPULoweringOptions {
  /// Memory that is reached from two pointer arguments may be the same.
  bool mayAlias = false;
  /// Results of approximate functions under 2^-126 are zero.
  bool flushSubnormals = true;
  /// Products that a sum along a dimension adds up are rounded with it.
  bool fpFusion = true;
  /// The module may not be what the passes in front of this made: that nothing has to wait for
  /// other threads without a barrier is checked, too.
  bool isForeign = true;
  /// A failed assertion ends the kernel with an error of the device, which nobody can overlook.
  /// Else it ends its own program, and the host reads what failed after the launch.
  bool assertsTrap = false;
  /// That a thread may have, as the user says; 0: as many as there are.
  unsigned maxRegisters = 0;
};

/// What a launch of the kernel needs to know.
struct GPULaunchInfo {
  uint64_t sharedBytes = 0; ///< dynamic shared memory of a CTA
  int numWarps = 4;
  int numCTAs = 1;                            ///< of a program, a cluster
  std::vector<AssertSite> asserts;            ///< by their numbers
  std::vector<TensorMapParameter> tensorMaps; ///< parameters behind those of the kernel
  /// For each map where the copies stand that take it (placeText).
  std::vector<std::set<std::string>> placesOfMaps;
};

/// Replaces the kernel of `module` (one public tt.func whose tiles have layouts, calls
/// inlined) by an llvm.func of its name in the LLVM and NVVM dialects. Its parameters are
/// those of the kernel by value, pointers as !llvm.ptr<1>, then the tensor maps, then, of one that
/// loops over programs (ttg.persistent), the three extents of the grid in 32 bits. Dynamic shared
/// memory is the external global @tritium_shared in address space 3. What cannot be lowered is
/// reported at its location.
llvm::LogicalResult lowerTileGPUToLLVM(mlir::ModuleOp module, const GPULoweringOptions &options,
                                       GPULaunchInfo &info);

} // namespace tritium

#endif // TRITIUM_CONVERSION_TILEGPUTOLLVM_TILEGPUTOLLVM_H
