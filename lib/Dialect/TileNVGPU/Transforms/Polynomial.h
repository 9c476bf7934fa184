//===- Polynomial.h - scalars as sums of products ---------------*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_POLYNOMIAL_H
#define TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_POLYNOMIAL_H

#include "mlir/IR/Builders.h"

#include <optional>

namespace tritium::ttng {

/// A sum of products of scalars of the IR, each with a factor, as if integers had no ends.
class Polynomial {
public:
  struct Term {
    llvm::SmallVector<mlir::Value, 2> scalars; ///< none: the factor alone
    int64_t factor;
  };

  Polynomial() = default;
  explicit Polynomial(int64_t number) { add({}, number); }
  explicit Polynomial(mlir::Value scalar) { add({scalar}, 1); }
  explicit Polynomial(const Term &term) { add(term.scalars, term.factor); }

  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const;
  Polynomial operator*(const Polynomial &other) const;
  bool operator==(const Polynomial &other) const { return (*this - other).isZero(); }

  bool isZero() const { return isKnown && terms.empty(); }
  /// The number, if it is one.
  std::optional<int64_t> number() const;
  /// All factors are multiples of it.
  bool isMultipleOf(int64_t number) const;
  /// Of a divisor of one term: what it times the result is, of those terms that are multiples of
  /// it.
  Polynomial quotient(const Polynomial &divisor) const;
  /// Those terms that `isWanted`.
  Polynomial filtered(llvm::function_ref<bool(const Term &)> isWanted) const;
  const llvm::SmallVector<Term, 4> &getTerms() const { return terms; }
  /// False where a factor has not fit 64 bits: nothing can be said of it.
  bool hasTerms() const { return isKnown; }

  /// As an i64.
  mlir::Value build(mlir::OpBuilder &b, mlir::Location loc) const;

private:
  void add(llvm::ArrayRef<mlir::Value> scalars, int64_t factor);

  llvm::SmallVector<Term, 4> terms; ///< of different scalars, with factors that are not 0
  bool isKnown = true;
};

} // namespace tritium::ttng

#endif // TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_POLYNOMIAL_H
