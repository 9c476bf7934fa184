//===- Dot.h - what matrix products share -----------------------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_SEMA_DOT_H
#define TRITIUM_LIB_FRONTEND_SEMA_DOT_H

#include "tritium/Frontend/Sema/Sema.h"

namespace tritium::sema {

/// The accumulator of `what` in the result's shape and type: the given one, or zeros.
std::optional<Tensor> accumulator(Sema &sema, const Value &acc, DType dtype,
                                  llvm::ArrayRef<int64_t> shape, std::string_view what);

} // namespace tritium::sema

#endif // TRITIUM_LIB_FRONTEND_SEMA_DOT_H
