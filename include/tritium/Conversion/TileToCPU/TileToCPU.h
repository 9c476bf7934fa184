//===- TileToCPU.h - tt kernels to loops over CPU registers -----*- C++ -*-===//

#ifndef TRITIUM_CONVERSION_TILETOCPU_TILETOCPU_H
#define TRITIUM_CONVERSION_TILETOCPU_TILETOCPU_H

#include "tritium/Kernel/CompileOptions.h"
#include "tritium/Kernel/KernelMetadata.h"
#include "tritium/Support/Remark.h"
#include "tritium/Target/CPU/TargetInfo.h"

#include "mlir/IR/BuiltinOps.h"

namespace tritium {

/// Replaces the kernel of `module` (one public tt.func, calls inlined) by its entry, a
/// func.func of type TritiumCPUEntry made of scf, arith, math, vector and llvm
/// operations. Fills the name of the entry and the scratch size in `metadata`, whose
/// parameters are already there. Reports remarks of missed vectorisation, and in
/// `plan`, unless null, what it does as text (lib/Conversion/TileToCPU/Plan.h).
mlir::LogicalResult lowerToCPU(mlir::ModuleOp module, const cpu::TargetInfo &target,
                               const CompileOptions &options, KernelMetadata &metadata,
                               std::vector<Remark> &remarks, std::string *plan = nullptr);

/// Whether a product that feeds a sum is rounded with it.
bool fusesMultiplyAdds(const cpu::TargetInfo &target, const CompileOptions &options);

} // namespace tritium

#endif // TRITIUM_CONVERSION_TILETOCPU_TILETOCPU_H
