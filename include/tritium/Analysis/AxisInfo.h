//===- AxisInfo.h - contiguity, divisibility, constancy ---------*- C++ -*-===//
//
// For an integer or pointer value, per dimension d:
//   contiguity[d]   every aligned run of this many elements along d counts up by one
//                   (pointers: by one element);
//   divisibility[d] the first element of each such run is a multiple of this
//                   (pointers: address in bytes), a power of two;
//   constancy[d]    every aligned run of this many elements along d is one value.
// A scalar has one dimension. Everything is a lower bound; 1 says nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_ANALYSIS_AXISINFO_H
#define TRITIUM_ANALYSIS_AXISINFO_H

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/DenseMap.h"

namespace tritium {

/// On an operation with one scalar result, or an argument: a launch sees to it that this is at
/// least 1 in all programs.
inline constexpr llvm::StringLiteral kPositive = "tt.positive";

struct AxisInfo {
  llvm::SmallVector<int64_t> contiguity, divisibility, constancy;
  std::optional<int64_t> constant; ///< one known value for all elements

  int64_t rank() const { return contiguity.size(); }
  bool operator==(const AxisInfo &) const = default;
};

/// A forward analysis of one function, through loops, branches, masks and hints.
class AxisInfoAnalysis {
public:
  explicit AxisInfoAnalysis(tt::FuncOp func);
  /// As if the arguments of these numbers, of which nothing is known, were multiples of `divisor`.
  AxisInfoAnalysis(tt::FuncOp func, llvm::ArrayRef<unsigned> multiples, unsigned divisor);
  /// What is known of `value`; nothing known gives all ones.
  const AxisInfo &get(mlir::Value value) const;

private:
  llvm::DenseMap<mlir::Value, AxisInfo> infos;
};

} // namespace tritium

#endif // TRITIUM_ANALYSIS_AXISINFO_H
