//===- Distinct.h - tiles of pointers that hold no address twice -*- C++ -*-===//

#ifndef TRITIUM_ANALYSIS_DISTINCT_H
#define TRITIUM_ANALYSIS_DISTINCT_H

#include "tritium/Analysis/Strides.h"

namespace tritium {

/// Whether what the pointers of a tile point to is proved to be apart, element by element: no
/// byte is reached through two of them. True of a scalar.
bool distinctAddresses(mlir::Value pointers, Strides &strides);

} // namespace tritium

#endif // TRITIUM_ANALYSIS_DISTINCT_H
