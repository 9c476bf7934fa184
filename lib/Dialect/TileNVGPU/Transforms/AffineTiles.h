//===- AffineTiles.h - tiles that count up along their dimensions -*- C++ -*-===//
//
// The element of a tile at r is origin + sum of steps[d] * r[d], all of them polynomials of
// scalars. That holds of the numbers as they are only where no operation wraps on the way: of
// results of fewer than 64 bits, and of all where bounds are compared, a launch sees to it. Offsets
// of pointers of 64 bits count modulo 2^64, as pointers do.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_AFFINETILES_H
#define TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_AFFINETILES_H

#include "Polynomial.h"

#include "tritium/Analysis/LaunchSteps.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include <vector>

namespace tritium::ttng {

struct AffineTile {
  Polynomial origin;
  llvm::SmallVector<Polynomial, 4> steps; ///< along each dimension; of an extent of 1: zero

  AffineTile operator-(const AffineTile &other) const;
};

struct AffinePointers {
  mlir::Value base; ///< an argument of the function
  AffineTile offsets;
};

/// Reads tiles, and collects what a launch must see to so that they are as it says.
class AffineReader {
public:
  /// `takesRemainders`: of tiles whose elements begin anew behind an end, too, if a launch sees to
  /// it that none does in the midst of the tile.
  explicit AffineReader(tt::FuncOp func, bool takesRemainders = true)
      : func(func), takesRemainders(takesRemainders) {}

  std::optional<AffinePointers> pointers(mlir::Value tile);
  /// An element of `mask` is true where each of the tiles is less than 0.
  std::optional<std::vector<AffineTile>> conditions(mlir::Value mask);

  /// The same number in all programs, known at a launch.
  bool isKnownAtLaunch(mlir::Value scalar);
  bool isKnownAtLaunch(const Polynomial::Term &term) {
    return llvm::all_of(term.scalars, [&](mlir::Value x) { return isKnownAtLaunch(x); });
  }

  /// A launch sees to it that `number` is at least `least`, which is 0 or nothing, and that no
  /// operation that it is made of wraps. False if it cannot.
  bool require(mlir::Value number, std::optional<int64_t> least);
  /// The same of an index of 32 bits, behind which lie as many more.
  bool requireIndex(mlir::Value number, std::optional<int64_t> least, int64_t more);
  /// Adds what has been required to those of the function.
  void addConditions();
  /// What is known to divide a scalar that this has made; 1 of others.
  int64_t divisorOf(mlir::Value scalar) const {
    auto known = divisors.find(scalar);
    return known == divisors.end() ? 1 : known->second;
  }

private:
  struct Required {
    LaunchCondition condition;
    bool isUnwrapped = false; ///< only that no step wraps

    /// `other` sees to it, too.
    bool isPartOf(const Required &other) const;
  };

  std::optional<AffineTile> integers(mlir::Value tile, bool isExact);
  std::optional<AffineTile> ofRemainder(mlir::arith::RemSIOp op);
  std::optional<AffineTile> moved(mlir::Operation *op, const AffineTile &source);
  std::optional<AffineTile> ofComparison(mlir::arith::CmpIOp op);
  std::optional<AffineTile> withoutClamp(const AffineTile &counted, mlir::Value bound);
  Polynomial scalar(mlir::Value value, bool isExact);
  std::optional<Polynomial> carried(mlir::BlockArgument argument, bool isExact);
  bool mayTrust(mlir::Operation *op, bool isExact);
  void add(LaunchSteps steps, std::optional<int64_t> least);

  tt::FuncOp func;
  bool takesRemainders;
  std::vector<Required> required;
  llvm::SmallDenseMap<mlir::Value, int64_t> divisors;
};

} // namespace tritium::ttng

#endif // TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_AFFINETILES_H
