//===- Debug.h - the dbg dialect: where a program may stop ------*- C++ -*-===//

#ifndef TRITIUM_DIALECT_DEBUG_IR_DEBUG_H
#define TRITIUM_DIALECT_DEBUG_IR_DEBUG_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tritium/Dialect/Debug/IR/DebugDialect.h.inc"

#define GET_OP_CLASSES
#include "tritium/Dialect/Debug/IR/DebugOps.h.inc"

namespace tritium::dbg {

/// Whether `root` holds breakpoints, lines.
bool hasBreakpoints(mlir::Operation *root);
bool hasLines(mlir::Operation *root);
/// Takes all operations of the dialect out of it.
void eraseStops(mlir::Operation *root);

} // namespace tritium::dbg

#endif // TRITIUM_DIALECT_DEBUG_IR_DEBUG_H
