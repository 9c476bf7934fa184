//===- Math.h - elementwise operations that builtins share ------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_SEMA_MATH_H
#define TRITIUM_LIB_FRONTEND_SEMA_MATH_H

#include "tritium/Frontend/Sema/Sema.h"

namespace tritium::sema {

/// The greater or smaller of two values of one type. Without `propagateNan` the operand
/// that is not NaN wins.
mlir::Value buildMinMax(Sema &sema, bool isMax, bool propagateNan, DType dtype, mlir::Value x,
                        mlir::Value y);
/// A `propagate_nan` argument: true for tl.PropagateNan.ALL.
std::optional<bool> propagatesNan(Sema &sema, const Value &value);

} // namespace tritium::sema

#endif // TRITIUM_LIB_FRONTEND_SEMA_MATH_H
