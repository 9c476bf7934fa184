//===- GlobalOrder.h - accesses of global memory in program order -*- C++ -*-===//

#ifndef TRITIUM_ANALYSIS_GLOBALORDER_H
#define TRITIUM_ANALYSIS_GLOBALORDER_H

namespace mlir {
class Operation;
}

namespace tritium::ttg {

/// Whether `second` must wait for `first` of other threads: both access global memory
/// through pointers that come from one argument (or from who knows where), one of them
/// writes, and not every thread accesses only what is its own. `earlier`: `first` ran in an
/// earlier iteration, where its pointer had another value. Without `mayAlias` accesses through
/// different arguments are taken not to meet.
bool mustWaitFor(mlir::Operation *second, mlir::Operation *first, bool earlier, bool mayAlias);

} // namespace tritium::ttg

#endif // TRITIUM_ANALYSIS_GLOBALORDER_H
