//===- SkipMasked.h - what a mask may rule out ------------------*- C++ -*-===//

#ifndef TRITIUM_DIALECT_TILEGPU_IR_SKIPMASKED_H
#define TRITIUM_DIALECT_TILEGPU_IR_SKIPMASKED_H

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

namespace tritium::ttg {

/// `mask` holds nowhere where `of` does not. A null mask holds everywhere.
bool implies(mlir::Value mask, mlir::Value of);

/// An operation that may stand in the body of a `ttg.skip_masked`: element by element, on tiles of
/// the mask's shape and layout. Pointers stand ahead of it, for the accesses outside.
bool isElementwiseUnder(mlir::Operation *op, mlir::Value mask);

/// A reduction along `axis`, by warps or of all.
bool reducesAlong(mlir::Operation *op, unsigned axis);

} // namespace tritium::ttg

#endif // TRITIUM_DIALECT_TILEGPU_IR_SKIPMASKED_H
