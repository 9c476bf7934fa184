//===- DotUse.cpp - what operands of dots are made of ---------------------===//

#include "tritium/Dialect/Tile/IR/DotUse.h"

#include "tritium/Dialect/Tile/IR/Tile.h"

using namespace mlir;

namespace tritium::tt {

static bool reaches(Operation *op, llvm::SmallPtrSetImpl<Operation *> &seen) {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    return user->getBlock() == op->getBlock() && seen.insert(user).second &&
           (isa<DotOp>(user) || reaches(user, seen));
  });
}

bool reachesDot(Operation *op) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  return reaches(op, seen);
}

} // namespace tritium::tt
