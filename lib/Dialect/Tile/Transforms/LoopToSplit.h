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

/// How many rounds the loop has, an i64 in front of it.
mlir::Value roundsOf(mlir::OpBuilder &b, const LoopToSplit &split);
/// A part's rounds, of the type of the loop's index, and whether it is the first part. None is
/// negative, nor is from > to.
struct RoundsOfPart {
  mlir::Value from, to, isFirst;
};
/// Has the loop go through these, by whose numbers it counts. Numbers that it moves are what
/// `rounds` make of them behind it, and its sums begin with nothing but in the first part.
void takeRounds(mlir::OpBuilder &b, LoopToSplit &split, mlir::Value rounds,
                const RoundsOfPart &part);

} // namespace tritium::tt

#endif // TRITIUM_LIB_DIALECT_TILE_TRANSFORMS_LOOPTOSPLIT_H
