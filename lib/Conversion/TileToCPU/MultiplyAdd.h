//===- MultiplyAdd.h - one step of a product on registers -------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILETOCPU_MULTIPLYADD_H
#define TRITIUM_LIB_CONVERSION_TILETOCPU_MULTIPLYADD_H

#include "tritium/Conversion/TileToCPU/MicroKernel.h"

namespace tritium::cpu {

/// `sum` and, in each lane, the products of the groups of `x` and `y`, in the form's way.
mlir::Value emitMultiplyAdd(mlir::OpBuilder &b, mlir::Location loc, const TargetInfo &target,
                            DotForm form, mlir::Value x, mlir::Value y, mlir::Value sum);

} // namespace tritium::cpu

#endif // TRITIUM_LIB_CONVERSION_TILETOCPU_MULTIPLYADD_H
