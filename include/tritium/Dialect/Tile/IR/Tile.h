//===- Tile.h - the tt dialect: types and operations ------------*- C++ -*-===//
//
// The tt dialect says what a kernel means: single-threaded programs over tiles.
// See TileDialect.td, and the .td file of each family for its operations.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_DIALECT_TILE_IR_TILE_H
#define TRITIUM_DIALECT_TILE_IR_TILE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tritium/Dialect/Tile/IR/TileDialect.h.inc"
#include "tritium/Dialect/Tile/IR/TileEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tritium/Dialect/Tile/IR/TileTypes.h.inc"

namespace tritium::tt {

/// The largest number of elements that a tile may have.
constexpr int64_t kMaxTileElements = 1048576;
/// The largest rank of an array that a tensor descriptor describes.
constexpr int64_t kMaxDescriptorRank = 5;

/// An integer of 1, 8, 16, 32 or 64 bits.
bool isTileInt(mlir::Type type);
/// f8, f16, bf16, f32 or f64.
bool isTileFloat(mlir::Type type);
/// An integer, float or pointer: what a tile may hold.
bool isScalar(mlir::Type type);
/// A tensor of rank >= 1 with static positive extents and scalar elements.
bool isTile(mlir::Type type);

/// The element type of a tile, or the type itself.
inline mlir::Type elementType(mlir::Type type) {
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
    return tensor.getElementType();
  return type;
}

/// The shape of a tile; empty for a scalar.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Type type) {
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
    return tensor.getShape();
  return {};
}

/// `element` in the shape of `like`: a tile if `like` is one, else a scalar.
inline mlir::Type withElement(mlir::Type like, mlir::Type element) {
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(like))
    return mlir::RankedTensorType::get(tensor.getShape(), element, tensor.getEncoding());
  return element;
}

/// A tile without its layout; a scalar as it is.
inline mlir::Type withoutEncoding(mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding())
    return type;
  return mlir::RankedTensorType::get(tensor.getShape(), tensor.getElementType());
}

/// The tile that an access through a descriptor of type `desc` moves, and the type of the array's
/// base; NoneType if `desc` is no descriptor.
mlir::Type blockMovedBy(mlir::Type desc);
mlir::Type baseOf(mlir::Type desc);
/// One i64 for each row of a tile; NoneType if `type` is no tile.
mlir::Type rowNumbersOf(mlir::Type type);

/// Bits of a scalar; a pointer has 64.
unsigned scalarBits(mlir::Type type);
/// Bytes of a scalar in memory; i1 has one.
unsigned scalarBytes(mlir::Type type);

/// Of a dimension of what DataMovement makes.
constexpr int64_t kRepeats = -1, kAnywhere = -2;

// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): mlir::Op makes it, not what derives.
template <typename Op> class Elementwise : public mlir::OpTrait::TraitBase<Op, Elementwise> {};
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): likewise.
template <typename Op> class InPlace : public mlir::OpTrait::TraitBase<Op, InPlace> {};

} // namespace tritium::tt

#include "tritium/Dialect/Tile/IR/TileInterfaces.h.inc"

#define GET_OP_CLASSES
#include "tritium/Dialect/Tile/IR/TileOps.h.inc"

namespace tritium::tt {

/// Each element of its results is computed from those of its operands at the same place, and from
/// nothing else.
bool isElementwise(mlir::Operation *op);
/// An element of the result needs the element of this operand at its own place: of element-wise
/// operations and those with code for elements all are such, of those that move elements all but
/// the source.
bool isReadInPlace(mlir::OpOperand &operand);
/// It may need any element of this operand, the source of a movement that dimensions do not tell.
bool isReadAnywhere(mlir::OpOperand &operand);

/// e with op(e, x) = op(x, e) = x for every x of the type; null if none is known.
mlir::TypedAttr neutralElement(mlir::Operation *op, mlir::Type type);

/// Builds the atomic maximum, or minimum, of floats; returns the old value. -0 is less than 0, and
/// a NaN lies beyond the infinity of its sign. `mask` may be null.
mlir::Value buildFloatAtomic(mlir::OpBuilder &builder, mlir::Location loc, bool isMax,
                             mlir::Value ptr, mlir::Value value, mlir::Value mask,
                             MemSemantic semantic, MemScope scope);

} // namespace tritium::tt

#endif // TRITIUM_DIALECT_TILE_IR_TILE_H
