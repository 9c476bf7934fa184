//===- Passes.h - transformations of the tt dialect -------------*- C++ -*-===//

#ifndef TRITIUM_DIALECT_TILE_TRANSFORMS_PASSES_H
#define TRITIUM_DIALECT_TILE_TRANSFORMS_PASSES_H

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "mlir/Pass/Pass.h"

namespace tritium::tt {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

/// On a kernel whose programs are shared out, i32: the parts of each. A launch's grid has as many
/// programs along the third dimension for one, and the last two arguments are memory of the launch:
/// for the sums of each part of each program, and for a number a program, i32, which is 0 before
/// and after a launch.
inline constexpr llvm::StringLiteral kSplitK = "tt.split_k";
/// On a kernel whose programs may have parts (tt.program_share). Its last two arguments are such
/// memory, too: for the sums of each part, and for as many numbers.
inline constexpr llvm::StringLiteral kStreamK = "tt.stream_k";
/// On stores and loads of such sums: they are held as the loop leaves them, and lines of memory are
/// short. On what counts parts: nothing waits for it.
inline constexpr llvm::StringLiteral kPartialSum = "tt.partial_sum";
/// Those arguments.
constexpr unsigned kSharedByParts = 2;
/// On kernels of both kinds, i64: bytes of the sums of a part.
inline constexpr llvm::StringLiteral kPartialBytes = "tt.partial_bytes";

/// Rewrites the carried tiles of one loop; see ScalarizeLoopOffsets.cpp. True if any.
bool scalarizeLoopOffsets(mlir::scf::ForOp loop);

/// Whether anything within `op` goes through a tensor descriptor; see DescriptorsToPointers.cpp.
bool hasDescriptors(mlir::Operation *op);

/// Computes offsets of pointers in i64; see WidenOffsets.cpp.
class OffsetWidener {
public:
  /// `value`, of i32 or i64, as i64 without the wrap of i32 sums and products.
  mlir::Value widen(mlir::Value value);
  /// `wide` is what `value` is before it is cut to its width.
  void define(mlir::Value value, mlir::Value wide_) { wide[value] = wide_; }
  /// What has been widened, or defined, and as what.
  const llvm::DenseMap<mlir::Value, mlir::Value> &known() const { return wide; }

private:
  mlir::Value widen(mlir::Value value, int depth);
  llvm::DenseMap<mlir::Value, mlir::Value> wide;
};

/// Widens the offset of every addptr of a function, and comparisons of what it is made of.
void widenOffsets(FuncOp func);

} // namespace tritium::tt

#endif // TRITIUM_DIALECT_TILE_TRANSFORMS_PASSES_H
