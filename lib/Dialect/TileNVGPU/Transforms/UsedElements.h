//===- UsedElements.h - which elements of a tile matter ---------*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_USEDELEMENTS_H
#define TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_USEDELEMENTS_H

#include "AffineTiles.h"

namespace tritium::ttng {

/// Nothing that the kernel does depends on elements of `tile` where `condition`, which counts up by
/// 1 along one dimension, is not less than 0: rows of a left operand, say, that only rows of the
/// product come from which the mask of each store leaves out.
bool isUsedOnlyWhere(mlir::Value tile, const AffineTile &condition, AffineReader &reader);

} // namespace tritium::ttng

#endif // TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_USEDELEMENTS_H
