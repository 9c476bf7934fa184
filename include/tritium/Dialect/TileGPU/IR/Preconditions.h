//===- Preconditions.h - what passes on layouts rely on ---------*- C++ -*-===//
//
// Verifiers see one operation at a time. What holds for a whole module between
// convert-tt-to-ttg and the lowering, passes check before they begin, so that IR
// that somebody wrote or changed by hand is refused at its line.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_DIALECT_TILEGPU_IR_PRECONDITIONS_H
#define TRITIUM_DIALECT_TILEGPU_IR_PRECONDITIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace tritium::ttg {

/// Every tile of every kernel has a layout of registers, for the warps that the module says, and
/// operations that move no element between threads have operands and results in layouts that fit.
/// Otherwise an error stands at the first that has not.
llvm::LogicalResult checkLayouts(mlir::ModuleOp module);

/// No tile has a layout, functions neither take nor return tiles, and a program can have
/// `warps` warps.
llvm::LogicalResult checkNoLayouts(mlir::ModuleOp module, int warps);

} // namespace tritium::ttg

#endif // TRITIUM_DIALECT_TILEGPU_IR_PRECONDITIONS_H
