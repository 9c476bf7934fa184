//===- AffineTiles.h - tiles that count up along their dimensions -*- C++ -*-===//
//
// The element of a tile at r is origin + sum of steps[d] * r[d], all of them polynomials of
// scalars. That holds of the numbers as they are only where no operation wraps on the way: of
// results of fewer than 64 bits, and of all where bounds are compared, a launch sees to it. Offsets
// of pointers of 64 bits count modulo 2^64, as pointers do.
//
// Of elements that begin anew behind an end, (start + r) % n, it holds in front of that end: a tile
// names the conditions under which it is what it says.
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
  /// That holds of elements where each of these, in the same shape, is less than 0.
  std::vector<AffineTile> where;

  bool operator==(const AffineTile &) const = default;
  AffineTile operator-(const AffineTile &other) const;
  /// The one dimension that elements differ along.
  std::optional<size_t> onlyDim() const;
};

struct AffinePointers {
  mlir::Value base; ///< an argument of the function
  AffineTile offsets;
};

/// What becomes of tiles whose elements begin anew behind an end, (start + r) % n.
enum class Remainders {
  Refused,
  Whole, ///< a launch sees to it that none begins anew in the midst of a tile
  Cut    ///< they are start + r, in front of the end (AffineTile::where)
};

/// Reads tiles, and collects what a launch must see to so that they are as it says.
class AffineReader {
public:
  AffineReader(tt::FuncOp func, Remainders remainders) : func(func), remainders(remainders) {}

  std::optional<AffinePointers> pointers(mlir::Value tile);
  /// An element of `mask` is true where each of the tiles is less than 0.
  std::optional<std::vector<AffineTile>> conditions(mlir::Value mask);
  /// `mask` is false wherever `condition` is not less than 0.
  bool implies(mlir::Value mask, const AffineTile &condition);

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
  /// Adds what has been required to what copies by TMA at `access` need of launches.
  void addConditions(mlir::Location access);
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
  std::optional<AffineTile> ofWholeRemainder(mlir::arith::RemSIOp op, AffineTile counted,
                                             const Polynomial &bound, int64_t extent);
  std::optional<AffineTile> moved(mlir::Operation *op, const AffineTile &source);
  std::optional<AffineTile> ofComparison(mlir::arith::CmpIOp op);
  std::optional<AffineTile> withoutClamp(const AffineTile &counted, mlir::Value bound);
  Polynomial scalar(mlir::Value value, bool isExact);
  std::optional<Polynomial> carried(mlir::BlockArgument argument, bool isExact);
  bool mayTrust(mlir::Operation *op, bool isExact);
  void add(LaunchSteps steps, std::optional<int64_t> least);

  tt::FuncOp func;
  Remainders remainders;
  std::vector<Required> required;
  llvm::SmallDenseMap<mlir::Value, int64_t> divisors;
};

} // namespace tritium::ttng

#endif // TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_AFFINETILES_H
