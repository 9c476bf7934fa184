//===- MaskRuns.h - masks that are bounds of an index -----------*- C++ -*-===//
//
// A mask like `offsets < n` is true up to somewhere and false behind it. Whether all of a
// run of neighbours is inside can then be told by its last element, whatever n is:
//
//   offsets  40 41 42 43 | 44 45 46 47      n = 46
//   mask      1  1  1  1 |  1  1  0  0
//   whole              1 |           0
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_ANALYSIS_MASKRUNS_H
#define TRITIUM_ANALYSIS_MASKRUNS_H

#include "tritium/Analysis/AxisInfo.h"

namespace tritium {

/// Over every aligned run of `width` elements along a dimension, a mask is the conjunction
/// of terms that are constant, that stay false once they are (`falls`), or that stay true
/// once they are (`rises`).
struct MaskRuns {
  int64_t width = 1;
  bool falls = false, rises = false;
  bool isConstant() const { return !falls && !rises; }
};

/// The longest such runs of `mask` along `dim`, of at most `width` elements, a power of two.
MaskRuns maskRuns(mlir::Value mask, int64_t dim, int64_t width, const AxisInfoAnalysis &axes);

} // namespace tritium

#endif // TRITIUM_ANALYSIS_MASKRUNS_H
