//===- AccessWidth.h - how much of an access moves at once ------*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_ACCESSWIDTH_H
#define TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_ACCESSWIDTH_H

#include "tritium/Analysis/AxisInfo.h"

namespace tritium::ttg {

constexpr int64_t kMaxVectorBytes = 16;

/// Of what a load or store accesses.
int64_t bytesOfElement(mlir::Operation *access);

/// What a vector may be: all inside its mask or all outside, or cut by the mask's bound.
enum class Cut { Never, AtBound };

/// Elements of a load or store of tiles that may move together, whatever the layout.
int64_t widthOf(mlir::Operation *access, const AxisInfoAnalysis &axes, Cut cut);

} // namespace tritium::ttg

#endif // TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_ACCESSWIDTH_H
