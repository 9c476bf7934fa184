//===- Mma.h - what tensor cores multiply -----------------------*- C++ -*-===//
//
// Which dots mma.sync can do, and how its operands lie in registers. All shapes of mma.sync
// have the same fragments but for the elements of a register: lane 4 g + t holds `kWidth`
// neighbours along k from kWidth t, of the rows g and g + 8 of a, of column g of b, and the
// same 4 kWidth further on. Instructions that do less than 16 rows or both halves of k do
// their part of it.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_DIALECT_TILEGPU_IR_MMA_H
#define TRITIUM_DIALECT_TILEGPU_IR_MMA_H

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include <optional>

namespace tritium::ttg {

struct MmaFragments {
  int64_t k;       ///< elements along k of a step: 8 kWidth
  unsigned kWidth; ///< neighbours of an operand that a lane holds
};

/// The fragments of `dot` on tensor cores of its module's target. None if they do not
/// have its element types and precision, or its extents are less than an instruction's.
std::optional<MmaFragments> mmaFragmentsFor(tt::DotOp dot);

} // namespace tritium::ttg

#endif // TRITIUM_DIALECT_TILEGPU_IR_MMA_H
