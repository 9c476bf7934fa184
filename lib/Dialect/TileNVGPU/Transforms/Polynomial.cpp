//===- Polynomial.cpp - scalars as sums of products -----------------------===//

#include "Polynomial.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tritium::ttng {

namespace {
using Scalars = SmallVector<Value, 2>;

bool areSame(ArrayRef<Value> a, ArrayRef<Value> b) {
  return a.size() == b.size() && std::is_permutation(a.begin(), a.end(), b.begin());
}

/// `all` without `part`, if it has them.
std::optional<Scalars> without(ArrayRef<Value> all, ArrayRef<Value> part) {
  Scalars rest(all);
  for (Value scalar : part) {
    auto *found = llvm::find(rest, scalar);
    if (found == rest.end())
      return std::nullopt;
    rest.erase(found);
  }
  return rest;
}
} // namespace

void Polynomial::add(ArrayRef<Value> scalars, int64_t factor) {
  auto *known = llvm::find_if(terms, [&](const Term &x) { return areSame(x.scalars, scalars); });
  if (known == terms.end()) {
    if (factor)
      terms.push_back({Scalars(scalars), factor});
    return;
  }
  isKnown &= !llvm::AddOverflow(known->factor, factor, known->factor);
  if (known->factor == 0)
    terms.erase(known);
}

Polynomial Polynomial::operator+(const Polynomial &other) const {
  Polynomial sum = *this;
  sum.isKnown &= other.isKnown;
  for (const Term &term : other.terms)
    sum.add(term.scalars, term.factor);
  return sum;
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  Polynomial product;
  product.isKnown = isKnown && other.isKnown;
  for (const Term &a : terms)
    for (const Term &b : other.terms) {
      Scalars scalars = a.scalars;
      llvm::append_range(scalars, b.scalars);
      int64_t factor = 0;
      product.isKnown &= !llvm::MulOverflow(a.factor, b.factor, factor);
      product.add(scalars, factor);
    }
  return product;
}

Polynomial Polynomial::operator-(const Polynomial &other) const {
  return *this + other * Polynomial(-1);
}

std::optional<int64_t> Polynomial::number() const {
  if (isZero())
    return 0;
  if (!isKnown || terms.size() != 1 || !terms[0].scalars.empty())
    return std::nullopt;
  return terms[0].factor;
}

bool Polynomial::isMultipleOf(int64_t number) const {
  return isKnown &&
         llvm::all_of(terms, [&](const Term &term) { return term.factor % number == 0; });
}

Polynomial Polynomial::quotient(const Polynomial &divisor) const {
  Polynomial result;
  result.isKnown = isKnown && divisor.isKnown;
  if (divisor.terms.size() != 1)
    return result;
  const Term &by = divisor.terms[0];
  for (const Term &term : terms)
    if (auto rest = without(term.scalars, by.scalars); rest && term.factor % by.factor == 0)
      result.add(*rest, term.factor / by.factor);
  return result;
}

Polynomial Polynomial::filtered(llvm::function_ref<bool(const Term &)> isWanted) const {
  Polynomial result;
  result.isKnown = isKnown;
  for (const Term &term : terms)
    if (isWanted(term))
      result.add(term.scalars, term.factor);
  return result;
}

Value Polynomial::build(OpBuilder &b, Location loc) const {
  auto constant = [&](int64_t number) -> Value {
    return b.create<arith::ConstantIntOp>(loc, number, 64);
  };
  Value sum;
  for (const Term &term : terms) {
    Value product;
    for (Value scalar : term.scalars) {
      if (!scalar.getType().isInteger(64))
        scalar = b.create<arith::ExtSIOp>(loc, b.getI64Type(), scalar);
      product = product ? b.create<arith::MulIOp>(loc, product, scalar) : scalar;
    }
    if (!product)
      product = constant(term.factor);
    else if (term.factor != 1)
      product = b.create<arith::MulIOp>(loc, product, constant(term.factor));
    sum = sum ? b.create<arith::AddIOp>(loc, sum, product) : product;
  }
  return sum ? sum : constant(0);
}

} // namespace tritium::ttng
