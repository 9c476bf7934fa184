//===- FirstAccess.h - where a kernel first touches memory ------*- C++ -*-===//

#ifndef TRITIUM_ANALYSIS_FIRSTACCESS_H
#define TRITIUM_ANALYSIS_FIRSTACCESS_H

#include "tritium/Dialect/Tile/IR/Tile.h"

namespace tritium::ttg {

/// The first operation of `kernel`'s body that may touch more than registers and a CTA's own
/// shared memory, itself or in its regions; at the latest the one that ends the first block.
mlir::Operation *firstAccess(tt::FuncOp kernel);

/// Whether `kernel` touches nothing before the launches in front of it are over, so that it may
/// begin before that.
bool waitsForLaunches(tt::FuncOp kernel);

} // namespace tritium::ttg

#endif // TRITIUM_ANALYSIS_FIRSTACCESS_H
