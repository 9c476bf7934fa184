//===- LaunchSteps.h - numbers that a launch can compute -------*- C++ -*-===//

#ifndef TRITIUM_ANALYSIS_LAUNCHSTEPS_H
#define TRITIUM_ANALYSIS_LAUNCHSTEPS_H

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Support/LaunchCondition.h"

namespace tritium {

/// The result has the numbers of the operand, in another shape or with a hint.
bool keepsNumbers(mlir::Operation *op);

/// The steps that compute a number, or the bounds of a tile of them.
class LaunchSteps {
public:
  /// `maxBits`: results of more bits are computed, and have to fit, in so many.
  explicit LaunchSteps(unsigned maxBits = 64) : maxBits(maxBits) {}

  /// False if it follows from more than arguments, the grid and indices of loops.
  bool add(mlir::Value value);
  /// What `kind` makes of the number and a constant, in `bits`.
  void apply(ScalarStep::Kind kind, int64_t constant, unsigned bits = 64);
  /// The larger of the number and 1: it is at least 1 if no step wraps.
  void raiseToOne() { apply(ScalarStep::Maximum, 1); }

  const std::vector<ScalarStep> &get() const { return steps; }
  /// The number is the same in all programs.
  bool isUniform() const;
  /// As an attribute has them: two numbers a step.
  llvm::SmallVector<int64_t> numbers() const { return numbersOf(steps); }
  static llvm::SmallVector<int64_t> numbersOf(llvm::ArrayRef<ScalarStep> steps);

private:
  bool push(ScalarStep::Kind kind, unsigned bits, int64_t value = 0);
  bool addInterval(int64_t low, int64_t high);
  bool addBinary(mlir::Operation *op, ScalarStep::Kind kind);
  bool addShare(tt::ProgramShareOp op, mlir::Value value);
  bool addArgument(mlir::BlockArgument argument);
  /// What a loop moves by the same amount in each of its rounds: init + amount * [0, rounds].
  bool addCarried(mlir::scf::ForOp loop, mlir::BlockArgument argument, unsigned bits);
  /// From 0 to max(0, (upper - lower + step - 1) / step), in 64 bits.
  bool addRounds(mlir::scf::ForOp loop);

  unsigned maxBits;
  std::vector<ScalarStep> steps;
};

} // namespace tritium

#endif // TRITIUM_ANALYSIS_LAUNCHSTEPS_H
