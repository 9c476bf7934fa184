//===- Exchange.h - gathers that exchange elements --------------*- C++ -*-===//
//
// A gather whose index is the element's own place but for some bits (place ^ bits, with constant
// bits) exchanges pairs of elements. Sorting networks are made of these, and back ends do not have
// to look at indices.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_DIALECT_TILE_IR_EXCHANGE_H
#define TRITIUM_DIALECT_TILE_IR_EXCHANGE_H

#include "tritium/Dialect/Tile/IR/Tile.h"

#include <optional>

namespace tritium::tt {

/// The bits in which the index of `op` differs from the place, if that is all it says.
std::optional<int64_t> exchangedBits(GatherOp op);

} // namespace tritium::tt

#endif // TRITIUM_DIALECT_TILE_IR_EXCHANGE_H
