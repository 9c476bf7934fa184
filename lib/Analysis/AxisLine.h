//===- AxisLine.h - axis infos along one dimension --------------*- C++ -*-===//
//
// Notation, along one dimension: x counts up over aligned runs of c(x) elements, the
// first element of each run is a multiple of q(x), and x is constant over aligned runs
// of k(x). A run of g elements lies within one of c if g divides c, which is why runs
// are combined by gcd. A run over the whole extent is written as 0 while rules compute:
// every length fits into it, and gcd(0, g) is g. Elements at multiples of n are
// multiples of q(x) if c(x) divides n, else of gcd(q, n, c): see divisorAt.
//
// Values are taken modulo 2^width, in which all rules below hold. Where a value is read as a
// number (it is extended, compared, divided, or is the offset of a pointer), a run must not
// cross the end of the integers. It does not if bounds show that (IntegerRanges), nor if it is
// aligned: 2^n elements from a multiple of 2^n on do not, for n below the width. Rules that
// need a sign ask for bounds, too.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_ANALYSIS_AXISLINE_H
#define TRITIUM_LIB_ANALYSIS_AXISLINE_H

#include "tritium/Analysis/AxisInfo.h"

namespace tritium::axis {

/// The largest divisor that is kept; 0 has it.
constexpr int64_t kMaxDivisor = int64_t(1) << 30;

/// The largest power of two up to kMaxDivisor that divides `value`.
int64_t powerOfTwoDivisor(int64_t value);
int64_t capped(int64_t q);

/// Dimensions of a value's info: those of a tile, one for a scalar.
int64_t rankOf(mlir::Type type);
int64_t extentOf(mlir::Type type, int64_t d);
/// Of a pointer; 1 for all else.
int64_t pointeeBytes(mlir::Type type);
/// 0 for what is no integer.
unsigned integerBits(mlir::Type type);

/// A value along one dimension; 0 stands for a run over the whole extent.
struct Line {
  int64_t c, q, k, extent;
};

Line lineOf(const AxisInfo &x, int64_t d, int64_t extent);
/// A run as an info has it.
int64_t lengthOf(int64_t run, int64_t extent);
int64_t longer(int64_t a, int64_t b);

/// What divides the elements at multiples of `n`. `unit`: how far one element is from
/// the next in a run, 1, or the bytes of a pointee.
int64_t divisorAt(const Line &x, int64_t n, int64_t unit = 1);
/// What divides every element.
int64_t divisor(const AxisInfo &x, mlir::Type type, int64_t unit = 1);

/// `x` as numbers and not modulo 2^width: with runs that do not cross the end.
Line asNumbers(Line x, unsigned bits, bool cannotCross);

/// Aligned runs of x that stay between two neighbouring multiples of y: both start at
/// multiples of the length, a power of two, and y is constant meanwhile. Premise: the length
/// divides 2^(bits - 1), so that no run crosses an end of the integers.
int64_t runWithin(const Line &x, const Line &y, unsigned bits);

} // namespace tritium::axis

#endif // TRITIUM_LIB_ANALYSIS_AXISLINE_H
