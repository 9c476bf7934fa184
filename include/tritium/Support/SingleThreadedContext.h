//===- SingleThreadedContext.h - contexts of one thread at a time -*- C++ -*-===//
//
// MLIRContext::Threading::DISABLED takes the pool of threads away, but leaves the tables of types,
// attributes and maps with locks, and with caches that belong to threads (LLVM 19).
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SUPPORT_SINGLETHREADEDCONTEXT_H
#define TRITIUM_SUPPORT_SINGLETHREADEDCONTEXT_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

namespace tritium {

/// A context that threads use one after another, without locks.
class SingleThreadedContext : public mlir::MLIRContext {
public:
  explicit SingleThreadedContext(const mlir::DialectRegistry &registry = mlir::DialectRegistry())
      : MLIRContext(registry, Threading::DISABLED) {
    disableMultithreading();
  }
};

} // namespace tritium

#endif // TRITIUM_SUPPORT_SINGLETHREADEDCONTEXT_H
