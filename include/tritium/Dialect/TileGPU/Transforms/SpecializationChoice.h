//===- SpecializationChoice.h - where a warp for copies pays ----*- C++ -*-===//

#ifndef TRITIUM_DIALECT_TILEGPU_TRANSFORMS_SPECIALIZATIONCHOICE_H
#define TRITIUM_DIALECT_TILEGPU_TRANSFORMS_SPECIALIZATIONCHOICE_H

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tritium::ttg {

/// On a loop: its author wants, or does not want, a warp for its copies.
inline constexpr llvm::StringLiteral kWarpSpecialize = "tt.warp_specialize";

/// All copies of the loop's body are by TMA.
bool areAllBoxes(mlir::scf::ForOp loop);

/// The loop is as long in all programs.
bool isEven(mlir::scf::ForOp loop);

/// The kernel's pipelined loops whose copies are all by TMA.
llvm::SmallVector<mlir::scf::ForOp> loopsOfBoxes(tt::FuncOp kernel);

/// Where the group that computes would meet in every iteration although not all of it waits for
/// the same: of two dots, one goes on beside the other's softmax, each warp group at its own
/// pace. Or where the copies of the next tile can start earlier. A multiprocessor must have room
/// for as many programs as without: for one, if registers move, as the computing group has all
/// that there are then.
bool paysToSpecialize(mlir::scf::ForOp loop);

/// The loop for which a warp is asked, by its author or in mode "always"; null: for none.
mlir::scf::ForOp loopToSpecialize(tt::FuncOp kernel, llvm::StringRef mode);

/// The kernel gets a warp for its copies by ttg-specialize-warps in this mode, as it stands.
bool willSpecialize(tt::FuncOp kernel, llvm::StringRef mode);

} // namespace tritium::ttg

#endif // TRITIUM_DIALECT_TILEGPU_TRANSFORMS_SPECIALIZATIONCHOICE_H
