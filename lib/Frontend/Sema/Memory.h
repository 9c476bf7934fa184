//===- Memory.h - operands of loads, stores and atomics ---------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_SEMA_MEMORY_H
#define TRITIUM_LIB_FRONTEND_SEMA_MEMORY_H

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Sema.h"

namespace tritium::sema {

/// A scalar or tile that is a pointer to something.
std::optional<Tensor> pointerArgument(Sema &sema, const Value &value, std::string_view what);
/// What an element of that type is in memory: a bool is an int8.
DType memoryType(DType element);
/// The pointer through which memory is accessed.
Tensor memoryPointer(Sema &sema, const Tensor &pointer);
/// Sets `mask` unless the value is None. False after an error.
bool maskArgument(Sema &sema, const Value &value, const Tensor &pointer, std::string_view what,
                  std::optional<Tensor> &mask);
/// Broadcasts the operands to the pointer's shape. False after an error.
bool shapeAccess(Sema &sema, const Tensor &pointer, std::optional<Tensor> &value,
                 std::string_view valueName, std::optional<Tensor> &mask, std::string_view what);

/// The operation of tl.atomic_add and the like (`name` is "atomic_add") on elements of a type.
std::optional<tt::RMWOp> atomicOperation(Sema &sema, std::string_view name, DType element);

} // namespace tritium::sema

#endif // TRITIUM_LIB_FRONTEND_SEMA_MEMORY_H
