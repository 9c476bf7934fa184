//===- IntegerRanges.h - what values integers can have ----------*- C++ -*-===//
//
// Bounds of a signed integer, of all elements of a tile together. Known are constants,
// aranges, the limits of grids, indices of loops, what `assume` says in the entry block, and
// what arithmetic makes of these. An operation that may wrap at its width can give anything;
// one that is marked nsw does not wrap. An argument can be anything.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_ANALYSIS_INTEGERRANGES_H
#define TRITIUM_ANALYSIS_INTEGERRANGES_H

#include "tritium/Analysis/Hypotheses.h"
#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Support/IntegerRange.h"

#include "llvm/ADT/DenseMap.h"

namespace tritium {

/// On an operation with one scalar result, or an argument: a launch sees to it that this is at
/// least 1 in all programs.
inline constexpr llvm::StringLiteral kPositive = "tt.positive";
/// On a comparison of i64: a launch sees to it that in all programs both sides fit i32, and so
/// do the sums, differences and products that they are made of.
inline constexpr llvm::StringLiteral kNarrow = "tt.narrow";

/// The operands whose numbers the result of `op` is made of; others of a movement of data say which
/// they are.
inline mlir::OperandRange numbersOf(mlir::Operation *op) {
  return op->getOperands().take_front(mlir::isa<tt::DataMovement>(op) ? 1 : op->getNumOperands());
}

/// Evaluates on demand and remembers; changes of the function are not seen.
class IntegerRanges {
public:
  IntegerRanges() = default;
  explicit IntegerRanges(Hypotheses hypotheses) : hypotheses(std::move(hypotheses)) {}

  /// The bounds of an integer or a tile of integers, as signed numbers of its width.
  IntegerRange get(mlir::Value value) { return get(value, 0); }

  /// No two neighbours that count up by one modulo 2^width can be the largest and the smallest
  /// signed number: what counts up modulo 2^width counts up.
  bool cannotCrossSignedEnd(mlir::Value value);
  /// The same of the largest unsigned number, -1, and zero.
  bool cannotCrossUnsignedEnd(mlir::Value value);

private:
  IntegerRange get(mlir::Value value, int depth);
  std::optional<IntegerRange> evaluate(mlir::Value value, int depth);
  std::optional<IntegerRange> ofArgument(mlir::BlockArgument argument, int depth);
  std::optional<IntegerRange> ofCarried(mlir::scf::ForOp loop, unsigned number, int depth);
  bool isUnwrapped(mlir::Operation *op) const;

  Hypotheses hypotheses;
  llvm::DenseMap<mlir::Value, IntegerRange> known;
};

} // namespace tritium

#endif // TRITIUM_ANALYSIS_INTEGERRANGES_H
