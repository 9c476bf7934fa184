//===- MultiplyAdd.h - one step of a product on registers -------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILETOCPU_MULTIPLYADD_H
#define TRITIUM_LIB_CONVERSION_TILETOCPU_MULTIPLYADD_H

#include "tritium/Conversion/TileToCPU/MicroKernel.h"

namespace tritium::cpu {

/// The groups of k of as many rows as the form takes at once, for all of the columns in a register.
/// They begin at the pointers, and have so many elements there; the others are zero.
mlir::Value emitGroups(mlir::OpBuilder &b, mlir::Location loc, DotForm form, int64_t lanes,
                       llvm::ArrayRef<mlir::Value> rows, int64_t valid);

/// `sum` and, in each lane, the products of the groups of `x` and `y`, in the form's way.
mlir::Value emitMultiplyAdd(mlir::OpBuilder &b, mlir::Location loc, const TargetInfo &target,
                            DotForm form, mlir::Value x, mlir::Value y, mlir::Value sum);

/// What emitMultiplyAdd multiplies groups by, in the manual's name; empty for other forms.
llvm::StringRef instructionOf(const TargetInfo &target, DotForm form);

} // namespace tritium::cpu

#endif // TRITIUM_LIB_CONVERSION_TILETOCPU_MULTIPLYADD_H
