//===- CombineCalls.cpp - functions that combine elements -----------------===//

#include "tritium/Analysis/CombineCalls.h"

bool tritium::isCombinedByCalls(tt::Combining op) {
  return llvm::any_of(op.getCombineOp().front(),
                      [](mlir::Operation &inner) { return inner.getNumRegions() != 0; });
}
