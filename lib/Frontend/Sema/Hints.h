//===- Hints.h - facts that a kernel vouches for ----------------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_SEMA_HINTS_H
#define TRITIUM_LIB_FRONTEND_SEMA_HINTS_H

#include "tritium/Frontend/Sema/Sema.h"

namespace tritium::sema {

/// `scalar`, an integer or the address of a pointer in bytes, as a multiple of `divisor`.
Tensor stateMultiple(Sema &sema, const Tensor &scalar, int32_t divisor);

} // namespace tritium::sema

#endif // TRITIUM_LIB_FRONTEND_SEMA_HINTS_H
