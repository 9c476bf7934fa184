//===- CombineCalls.h - functions that combine elements ---------*- C++ -*-===//

#ifndef TRITIUM_ANALYSIS_COMBINECALLS_H
#define TRITIUM_ANALYSIS_COMBINECALLS_H

#include "tritium/Dialect/Tile/IR/Tile.h"

namespace tritium {

/// What combines elements branches or loops. So it is called for one pair after the other, and only
/// with elements of the tile: on anything else, a loop might not end.
bool isCombinedByCalls(tt::Combining op);

} // namespace tritium

#endif // TRITIUM_ANALYSIS_COMBINECALLS_H
