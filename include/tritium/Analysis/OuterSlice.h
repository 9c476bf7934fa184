//===- OuterSlice.h - what an inner loop needs of the outer one -*- C++ -*-===//

#ifndef TRITIUM_ANALYSIS_OUTERSLICE_H
#define TRITIUM_ANALYSIS_OUTERSLICE_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace tritium {

/// The operations right in the body of the scf.for around `inner` that its bounds and `ahead`, some
/// of the operations right in its own body, depend on, in order: they can be computed for another
/// iteration. Nothing if one has regions or effects, or if something follows from more of the outer
/// iteration than its index. What stands right in a kernel is asked about as in a loop over its
/// programs.
std::optional<llvm::SmallVector<mlir::Operation *>>
outerSlice(mlir::scf::ForOp inner, llvm::ArrayRef<mlir::Operation *> ahead);

/// Whether copies for the next iteration of the scf.for around `inner`, the only pipelined loop in
/// it, can start before the rest of its present iteration, if they do not read what that stores:
/// what they depend on can be computed for another iteration, and nothing orders memory. Iterations
/// that are programs (ttg::kPrograms, or those of the kernel that `inner` stands right in) have no
/// order, and atomics of one give it none.
bool mayStartNext(mlir::scf::ForOp inner);

} // namespace tritium

#endif // TRITIUM_ANALYSIS_OUTERSLICE_H
