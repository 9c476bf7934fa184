//===- BlockShape.h - into which blocks a product is cut --------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILETOCPU_BLOCKSHAPE_H
#define TRITIUM_LIB_CONVERSION_TILETOCPU_BLOCKSHAPE_H

#include "tritium/Target/CPU/TargetInfo.h"

namespace tritium::cpu {

/// A dimension cut into `pieces` pieces; the first `longer` of them are one unit longer
/// than `length`.
struct EvenCut {
  int64_t length, pieces, longer;
  EvenCut(int64_t extent, int64_t most) : pieces((extent + most - 1) / most) {
    length = extent / pieces;
    longer = extent % pieces;
  }
};

/// Rows, and columns in registers of sums.
struct BlockShape {
  int64_t rows, columns;
};

/// The shape of the least estimated time for m rows and so many registers of columns, among those
/// that fit the register file and have so many columns at least and at most. Steps along k take
/// `rowsAtOnce` rows.
BlockShape chooseShape(const TargetInfo &target, int64_t m, int64_t registers, int64_t steps,
                       int64_t rowsAtOnce, int64_t leastColumns, int64_t mostColumns);

/// The same where b is read where it lies, by `columnsAtOnce` registers: all rows, if they fit, so
/// that b is read once; of its columns the more, the longer the pieces.
BlockShape shapeOfFewRows(const TargetInfo &target, int64_t m, int64_t columnsAtOnce);

} // namespace tritium::cpu

#endif // TRITIUM_LIB_CONVERSION_TILETOCPU_BLOCKSHAPE_H
