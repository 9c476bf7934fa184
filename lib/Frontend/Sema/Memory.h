//===- Memory.h - operands of loads, stores and atomics ---------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_SEMA_MEMORY_H
#define TRITIUM_LIB_FRONTEND_SEMA_MEMORY_H

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Sema.h"

namespace tritium::sema {

/// A scalar or tile that is a pointer to something.
std::optional<Tensor> pointerArgument(Sema &sema, const Value &value, std::string_view what);
/// Sets `mask` unless the value is None. False after an error.
bool maskArgument(Sema &sema, const Value &value, const Tensor &pointer, std::string_view what,
                  std::optional<Tensor> &mask);
/// Broadcasts the operands to the pointer's shape. False after an error.
bool shapeAccess(Sema &sema, const Tensor &pointer, std::optional<Tensor> &value,
                 std::string_view valueName, std::optional<Tensor> &mask, std::string_view what);

} // namespace tritium::sema

#endif // TRITIUM_LIB_FRONTEND_SEMA_MEMORY_H
