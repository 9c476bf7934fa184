//===- ToLLVM.h - structured CPU code to the LLVM dialect -------*- C++ -*-===//

#ifndef TRITIUM_CONVERSION_TILETOCPU_TOLLVM_H
#define TRITIUM_CONVERSION_TILETOCPU_TOLLVM_H

namespace mlir {
class ModuleOp;
}
namespace llvm {
struct LogicalResult;
}

namespace tritium::cpu {

/// Converts a module of scf, cf, arith, math, vector (1-D), index, ub, func and LLVM ops
/// wholly to the LLVM dialect; `index` becomes i64. Floating-point vector.reduction may
/// reassociate. An op that has no conversion is reported at its location.
llvm::LogicalResult convertToLLVMDialect(mlir::ModuleOp module);

} // namespace tritium::cpu

#endif // TRITIUM_CONVERSION_TILETOCPU_TOLLVM_H
