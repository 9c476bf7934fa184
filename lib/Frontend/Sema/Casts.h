//===- Casts.h - conversions that builtins share ----------------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_SEMA_CASTS_H
#define TRITIUM_LIB_FRONTEND_SEMA_CASTS_H

#include "tritium/Frontend/Sema/Sema.h"

namespace tritium::sema {

/// The value as elements of `dtype`, as an assignment to memory converts it: constants
/// convert at once and exactly where they fit, anything else as cast() does.
std::optional<Tensor> coerce(Sema &sema, const Value &value, DType dtype);

/// Numbers of float8e4b15 as float16, which has them all, and back: of values that came from there.
Tensor halfFromE4B15(Sema &sema, const Tensor &value);
Tensor e4b15FromHalf(Sema &sema, const Tensor &half);

/// Narrows a float, rounding towards zero.
std::optional<Tensor> truncateTowardsZero(Sema &sema, const Tensor &value, DType dtype);

} // namespace tritium::sema

#endif // TRITIUM_LIB_FRONTEND_SEMA_CASTS_H
