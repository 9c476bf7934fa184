//===- LoopToSplit.h - the loop that parts of a program share --*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILE_TRANSFORMS_LOOPTOSPLIT_H
#define TRITIUM_LIB_DIALECT_TILE_TRANSFORMS_LOOPTOSPLIT_H

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tritium::tt {

/// What each iteration does to a carried number.
struct Move {
  mlir::Value amount;
  bool isSubtracted;
};

/// One of the values that a loop carries: a sum, or a number that is moved.
struct Carried {
  mlir::Value init;
  std::optional<llvm::SmallVector<Move>> moves;
};

/// A loop that adds up, of which each part of its program can take some rounds.
struct LoopToSplit {
  mlir::scf::ForOp loop; ///< null: there is none to look at
  int64_t lower, step;
  llvm::SmallVector<Carried> carried;
};

/// Fills in the kernel's. Why it cannot be split; empty if it can.
std::string findLoopToSplit(FuncOp kernel, LoopToSplit &found);

} // namespace tritium::tt

#endif // TRITIUM_LIB_DIALECT_TILE_TRANSFORMS_LOOPTOSPLIT_H
