//===- TileValues.h - what is asked of one tile value -----------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILETOCPU_TILEVALUES_H
#define TRITIUM_LIB_CONVERSION_TILETOCPU_TILEVALUES_H

#include "tritium/Analysis/CombineCalls.h"
#include "tritium/Analysis/Strides.h"

namespace tritium::cpu {

/// What a pointer, or the pointers of a tile, point to.
mlir::Type pointeeOf(mlir::Value ptr);
/// The type a value is computed in: f32 for narrow floats, i64 for pointers.
mlir::Type evalType(mlir::Type element);
/// The type a value has in memory outside: iN for narrow floats and pointers, i8 for i1.
mlir::Type storageType(mlir::Type element);

/// Tile values that `op` evaluates directly: operands that are tiles, and for an
/// operation with regions the tiles that they capture.
void forEachTileOperand(mlir::Operation *op, llvm::function_ref<void(mlir::Value)> fn);

/// The tile is computed where it is needed, not by a step of its own.
bool isVirtual(mlir::Value value);

/// Each element of the result of the virtual operation is computed from those of the operands at
/// the same place.
bool keepsPlaces(mlir::Operation *op);

/// An evaluation by a polynomial, which takes many instructions.
bool isPolynomial(mlir::Operation *op);

/// Every element is zero; negative zero does not count, for it changes a sum of zeros.
bool isPositiveZero(mlir::Value value);

/// A load whose element (i, j) of a matrix is one of a value.
struct LoadedMatrix {
  tt::LoadOp load; ///< null if there is none
  bool isTurned;   ///< the element (j, i) of the value
};
/// The load that `value` is, or is the transpose of.
LoadedMatrix loadedMatrix(mlir::Value value);

/// The dimension along which the loads of `value` are contiguous; the last one with
/// more than one element where that is unknown.
int64_t preferredDim(mlir::Value value, Strides &likely);

/// Neighbours along `dim` of a tile of pointers are neighbours in memory, as far as `strides`
/// tells.
bool isContiguous(mlir::Value pointers, int64_t dim, Strides &strides);

} // namespace tritium::cpu

#endif // TRITIUM_LIB_CONVERSION_TILETOCPU_TILEVALUES_H
