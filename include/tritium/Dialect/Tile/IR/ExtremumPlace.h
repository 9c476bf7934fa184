//===- ExtremumPlace.h - reductions of values with places -------*- C++ -*-===//
//
// argmax, argmin, and max and min with indices reduce pairs of a value and its place. What combines
// two of them is built, and known again, here.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_DIALECT_TILE_IR_EXTREMUMPLACE_H
#define TRITIUM_DIALECT_TILE_IR_EXTREMUMPLACE_H

#include "tritium/Dialect/Tile/IR/Tile.h"

namespace tritium::tt {

enum class Extremum { Max, Min, UnsignedMax, UnsignedMin };

/// Whether (x, i) comes before (y, j), an i1: the better value, of two equal ones the smaller
/// place. Any number is better than NaN. `x` and `y` are floats, for which an unsigned extremum is
/// the same as a signed one, or integers; `i` and `j` are integers, compared as signed ones.
mlir::Value comesFirst(mlir::OpBuilder &b, mlir::Location loc, Extremum extremum, mlir::Value x,
                       mlir::Value i, mlir::Value y, mlir::Value j);

/// What combines two values of which the better is kept, and any number rather than NaN.
mlir::Value betterOf(mlir::OpBuilder &b, mlir::Location loc, Extremum extremum, mlir::Value x,
                     mlir::Value y);

/// The extremum, if `op` keeps of two pairs of a value and a place the one that comesFirst.
std::optional<Extremum> extremumWithPlace(ReduceOp op);

} // namespace tritium::tt

#endif // TRITIUM_DIALECT_TILE_IR_EXTREMUMPLACE_H
