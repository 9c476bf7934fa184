//===- Strides.h - how far neighbours of a tile are apart -------*- C++ -*-===//
//
// The elements v[0], v[1], .. of a tile of integers or pointers along one dimension, at any
// fixed place along the others. Pointers are counted in bytes, and are 64 bits wide.
//
//   modular   v[i+1] = v[i] + s modulo 2^width, for all i: what additions and products give,
//             whether they wrap or not. Enough for addresses, and for what is truncated.
//   exact     v[i+1] = v[i] + s as signed integers: nothing wraps between neighbours. Needed
//             wherever the value is extended or compared.
//   linear    v[i+1] = v[i] + x modulo 2^width for one x that only the run knows.
//
// Values i8 200 + [0, 100), say, have the modular stride 1, but no exact one.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_ANALYSIS_STRIDES_H
#define TRITIUM_ANALYSIS_STRIDES_H

#include "tritium/Analysis/IntegerRanges.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace tritium {

/// Evaluates on demand and remembers; changes of the function are not seen.
class Strides {
public:
  /// What the answers take for granted.
  enum Hypothesis {
    Nothing, ///< they are proved
    /// No arithmetic wraps, and a tile lies between two neighbouring multiples of what it is
    /// divided by. Answers are guesses of what a program means: good for choosing the dimension
    /// that vectors run along, for nothing that the result depends on.
    Straight,
  };

  explicit Strides(IntegerRanges &ranges, Hypothesis hypothesis = Nothing)
      : ranges(ranges), hypothesis(hypothesis) {}
  /// Each of these remainders is its dividend less one number, without a wrap between neighbours
  /// (TileConditions::staysStraight).
  Strides(IntegerRanges &ranges, llvm::ArrayRef<mlir::Operation *> straight)
      : ranges(ranges), straight(straight.begin(), straight.end()) {}

  /// 0 for a scalar, and where there is one element only.
  std::optional<int64_t> modular(mlir::Value value, int64_t dim) { return modular(value, dim, 0); }
  std::optional<int64_t> exact(mlir::Value value, int64_t dim) { return exact(value, dim, 0); }
  bool isLinear(mlir::Value value, int64_t dim) { return isLinear(value, dim, 0); }
  /// Where `value` has no modular stride: the part of its expression that loses it. For remarks.
  mlir::Value culprit(mlir::Value value, int64_t dim);

private:
  using Stride = std::optional<int64_t>;
  using Key = std::pair<mlir::Value, int64_t>;

  Stride modular(mlir::Value value, int64_t dim, int depth);
  Stride exact(mlir::Value value, int64_t dim, int depth);
  bool isLinear(mlir::Value value, int64_t dim, int depth);
  Stride evaluate(mlir::Operation *op, int64_t dim, int depth);
  Stride evaluateWithoutWrap(mlir::Operation *op, int64_t dim, int depth);
  bool evaluateLinear(mlir::Operation *op, int64_t dim, int depth);
  Stride offsetStride(mlir::Value offset, int64_t dim, int depth);
  Stride scaled(mlir::Value value, mlir::Value factor, int64_t dim, int depth);
  bool hasOneQuotient(mlir::Operation *division);
  bool isNonNegative(mlir::Value value);
  bool isWithinHalf(mlir::Value value);

  IntegerRanges &ranges;
  Hypothesis hypothesis = Nothing;
  llvm::SmallPtrSet<mlir::Operation *, 2> straight;
  llvm::DenseMap<Key, Stride> modulars, exacts;
  llvm::DenseMap<Key, bool> linears;
};

} // namespace tritium

#endif // TRITIUM_ANALYSIS_STRIDES_H
