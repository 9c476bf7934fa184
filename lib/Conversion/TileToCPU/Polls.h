//===- Polls.h - leaving a kernel in the middle -----------------*- C++ -*-===//
//
// Structured loops have one way out. So a place where the kernel may be left is a call of a
// function without a body, until the loops have become branches:
//
//   call @tritium.poll(%attention, %host)
//     ->   if (*%attention != 0) [[unlikely]]
//            if (%host->attend(%host->user)) return
//   call @tritium.wait(%host, %file, %line, %x, %y, %z, %rounds)
//     ->   if (%rounds % 64 == 0)
//            if (%host && %host->wait && %host->wait(%host->user, ...)) return
//
// To the optimiser `attend` leaves the kernel's memory alone, so that a poll keeps nothing in a
// loop that may leave it; after `wait` all memory may be another.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_CONVERSION_TILETOCPU_POLLS_H
#define TRITIUM_LIB_CONVERSION_TILETOCPU_POLLS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace tritium::cpu {

/// `attention`: the address of the word; `host`: TritiumHostCalls, may be null.
void createPoll(mlir::OpBuilder &b, mlir::Location loc, mlir::ModuleOp module,
                mlir::Value attention, mlir::Value host);
/// `arguments`: those of TritiumHostCalls::wait after the first.
void createWait(mlir::OpBuilder &b, mlir::Location loc, mlir::ModuleOp module, mlir::Value host,
                mlir::ValueRange arguments);

/// Makes branches of them in functions (func.func) that return nothing and have no scf left.
void expandPolls(mlir::ModuleOp module);

} // namespace tritium::cpu

#endif // TRITIUM_LIB_CONVERSION_TILETOCPU_POLLS_H
