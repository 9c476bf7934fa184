//===- TileConditions.h - what scalars tell of all of a tile ----*- C++ -*-===//
//
// Facts that ranges do not prove may hold in a run, and a few scalar operations tell: whether
// a mask such as `offsets < n` is true everywhere, say, by the largest offset of the tile.
// The analysis writes no IR. It says what to compute, and whoever relies on the fact emits
// that in front of the code in which it is taken for granted.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_ANALYSIS_TILECONDITIONS_H
#define TRITIUM_ANALYSIS_TILECONDITIONS_H

#include "tritium/Analysis/Strides.h"

namespace tritium {

/// Straight code on numbers of 64 bits and truth values.
struct ScalarCode {
  struct Term {
    enum Kind {
      Constant,
      Scalar, ///< an integer of the kernel, sign-extended
      Flag,   ///< an i1 of the kernel
      Add,    ///< Add, Sub, Mul: modulo 2^64
      Sub,
      Mul,
      Remainder, ///< signed; the divisor is positive
      Select,    ///< operands: condition, where it is true, where it is not
      Compare,
      And,
    };
    Kind kind;
    std::array<unsigned, 3> operands = {}; ///< numbers of earlier terms
    int64_t constant = 0;
    mlir::Value value; ///< Scalar, Flag
    mlir::arith::CmpIPredicate predicate = {};
  };
  std::vector<Term> terms;
};

/// Appends the code of conditions to `code`; what it leaves unsaid adds nothing.
class TileConditions {
public:
  TileConditions(IntegerRanges &ranges, Strides &strides, ScalarCode &code)
      : ranges(ranges), strides(strides), code(code) {}

  /// The term that is true only where all elements of `mask` are; nothing if none is known.
  std::optional<unsigned> allTrue(mlir::Value mask);

  struct Straight {
    unsigned condition; ///< where this term is true, each element of the remainder is
    unsigned less;      ///< the dividend's less this one, and no two neighbours wrap
  };
  /// Of a remainder of a tile that counts up by one.
  std::optional<Straight> staysStraight(mlir::Operation *remainder);

  /// The term that is true where all of `conditions`, one at least, are.
  unsigned all(llvm::ArrayRef<unsigned> conditions);

private:
  /// Bounds of all elements of a tile.
  struct Extremes {
    unsigned min, max;
  };
  using MaybeExtremes = std::optional<Extremes>;
  using Term = ScalarCode::Term;

  bool allTrue(mlir::Value mask, int depth);
  MaybeExtremes extremes(mlir::Value value, int depth);
  MaybeExtremes unwrapped(mlir::Operation *op, int depth);
  MaybeExtremes product(mlir::Operation *op, int depth, MaybeRange &proved);
  MaybeExtremes sum(mlir::Operation *op, int depth, MaybeRange &proved);
  void limit(Extremes x, IntegerRange to);

  unsigned append(Term term);
  unsigned number(int64_t constant);
  unsigned scalar(mlir::Value value, Term::Kind kind = Term::Scalar);
  unsigned binary(Term::Kind kind, unsigned a, unsigned b);
  unsigned compare(mlir::arith::CmpIPredicate predicate, unsigned a, unsigned b);

  IntegerRanges &ranges;
  Strides &strides;
  ScalarCode &code;
  llvm::SmallVector<unsigned> conditions; ///< under which what is being found holds
};

} // namespace tritium

#endif // TRITIUM_ANALYSIS_TILECONDITIONS_H
