//===- OuterSlice.h - what an inner loop needs of the outer one -*- C++ -*-===//

#ifndef TRITIUM_ANALYSIS_OUTERSLICE_H
#define TRITIUM_ANALYSIS_OUTERSLICE_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace tritium {

/// The operations right in the body of the scf.for around `inner` that its bounds and `ahead`, some
/// of the operations right in its own body, depend on, in order: they can be computed for another
/// iteration. Nothing if one has regions or effects, or if something follows from more of the outer
/// iteration than its index.
std::optional<llvm::SmallVector<mlir::Operation *>>
outerSlice(mlir::scf::ForOp inner, llvm::ArrayRef<mlir::Operation *> ahead);

} // namespace tritium

#endif // TRITIUM_ANALYSIS_OUTERSLICE_H
