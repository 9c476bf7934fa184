//===- Shares.h - factors from zero to one ----------------------*- C++ -*-===//

#ifndef TRITIUM_ANALYSIS_SHARES_H
#define TRITIUM_ANALYSIS_SHARES_H

#include "mlir/IR/Value.h"

namespace tritium {

/// A number from zero to one, or none: the exponential of how far a number is below the greater of
/// it and another, be that multiplied by a positive constant. Exactly one where it is the greater,
/// and finite.
bool isShare(mlir::Value factor);

} // namespace tritium

#endif // TRITIUM_ANALYSIS_SHARES_H
