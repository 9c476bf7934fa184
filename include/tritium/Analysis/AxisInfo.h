//===- AxisInfo.h - contiguity, divisibility, constancy ---------*- C++ -*-===//
//
// For an integer or pointer value, per dimension d:
//   contiguity[d]   every aligned run of this many elements along d counts up by one
//                   modulo 2^width (pointers: by one element);
//   divisibility[d] the first element of each such run is a multiple of this
//                   (pointers: address in bytes), a power of two;
//   constancy[d]    every aligned run of this many elements along d is one value.
// A scalar has one dimension. Everything is a lower bound; 1 says nothing. Whoever compares,
// extends or divides what counts up modulo 2^width asks IntegerRanges whether it wraps.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_ANALYSIS_AXISINFO_H
#define TRITIUM_ANALYSIS_AXISINFO_H

#include "tritium/Analysis/IntegerRanges.h"

namespace tritium {

struct AxisInfo {
  llvm::SmallVector<int64_t> contiguity, divisibility, constancy;
  std::optional<int64_t> constant; ///< one known value for all elements

  int64_t rank() const { return contiguity.size(); }
  bool operator==(const AxisInfo &) const = default;
};

/// A forward analysis of one function, through loops, branches, masks and hints.
class AxisInfoAnalysis {
public:
  explicit AxisInfoAnalysis(tt::FuncOp func, const Hypotheses &hypotheses = Hypotheses());
  /// What is known of `value`; nothing known gives all ones.
  const AxisInfo &get(mlir::Value value) const;
  /// The bounds of integers under the same hypotheses.
  IntegerRanges &ranges() const { return *bounds; }

private:
  llvm::DenseMap<mlir::Value, AxisInfo> infos;
  std::unique_ptr<IntegerRanges> bounds; ///< remembers what it was asked
};

} // namespace tritium

#endif // TRITIUM_ANALYSIS_AXISINFO_H
