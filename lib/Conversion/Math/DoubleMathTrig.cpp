//===- DoubleMathTrig.cpp - sin, cos in f64 -----------------------------===//
//
// x = q * pi/2 + r with |r| <= pi/4, r as the sum of two; then sin or cos of r by a
// polynomial (utils/fit_double_polynomials.py).
//
//   |x| < 2^30: r = x - q * pi/2 with pi/2 in three parts.
//   beyond:     x * 2/pi mod 4 by integer multiplication with the 192 bits of 2/pi that
//               matter (Payne and Hanek), behind a branch.
//
//===----------------------------------------------------------------------===//

#include "DoubleEmitter.h"
#include "tritium/Conversion/Math/DoubleMath.h"

#include <array>

using namespace mlir;
using namespace tritium::cpu;

namespace {

constexpr double kSmallBound = 0x1p30;
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
constexpr double kHalfPi[] = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};

constexpr double kSin[] = {-0x1.5555555555555p-3, 0x1.111111111111p-7,    -0x1.a01a01a01992fp-13,
                           0x1.71de3a545f74cp-19, -0x1.ae645410cfd02p-26, 0x1.61217d7e35ea5p-33,
                           -0x1.ab16e9f29ef24p-41};
constexpr double kCos[] = {0x1.5555555555555p-5,   -0x1.6c16c16c16c16p-10, 0x1.a01a01a019d06p-16,
                           -0x1.27e4fb7712557p-22, 0x1.1eed8deab8143p-29,  -0x1.9394b8aac7d18p-37,
                           0x1.ab778a759144cp-45};

struct Reduced {
  Value high, low; ///< r = high + low
  Value quadrant;  ///< i64, q modulo 4 in the low bits
};

/// The first difference is exact: it is a multiple of 2^-53 and below 1. What the second
/// rounds off goes to the low part if r is not small. If it is, the second difference
/// cancels, so it rounds by less than the computation of the rest would.
Reduced reduceSmall(DoubleEmitter &e, Value x) {
  VectorEmitter::Rounded n = e.roundProduct(x, kTwoOverPi);
  Value first = e.mulAdd(n.value, e.number(-kHalfPi[0]), x);
  Value high = e.mulAdd(n.value, e.number(-kHalfPi[1]), first);
  Value rest = e.mulAdd(n.value, e.number(-kHalfPi[1]), e.sub(first, high));
  Value isLarge = e.cmp(VectorEmitter::FP::OGT, e.abs(high), e.number(0x1p-15));
  Value low = e.select(isLarge, rest, e.number(0));
  low = e.mulAdd(n.value, e.number(-kHalfPi[2]), low);
  return {high, low, n.integer};
}

/// The high 64 bits of a product; x has at most 53 bits.
Value highProduct(DoubleEmitter &e, Value x, Value y) {
  Value mask = e.integer(0xffffffff);
  Value x0 = e.iand(x, mask), x1 = e.shr(x, 32), y0 = e.iand(y, mask), y1 = e.shr(y, 32);
  Value cross = e.imul(x0, y1);
  Value middle = e.iadd(e.iadd(e.shr(e.imul(x0, y0), 32), e.iand(cross, mask)), e.imul(x1, y0));
  return e.iadd(e.iadd(e.imul(x1, y1), e.shr(cross, 32)), e.shr(middle, 32));
}

/// Of 64 zeros with 2/pi behind them: the 192 bits from bit `position` on.
std::array<Value, 3> twoOverPiFrom(DoubleEmitter &e, Value position) {
  using IP = VectorEmitter::IP;
  constexpr uint64_t table[] = {0,
                                0xa2f9836e4e441529,
                                0xfc2757d1f534ddc0,
                                0xdb6295993c439041,
                                0xfe5163abdebbc561,
                                0xb7246e3a424dd2e0,
                                0x06492eea09d1921c,
                                0xfe1deb1cb129a73e,
                                0xe88235f52ebb4484,
                                0xe99c7026b45f7e41,
                                0x3991d639835339f4,
                                0x9c845f8bbdf9283b,
                                0x1ff897ffde05980f,
                                0xef2f118b5a0a6d1f,
                                0x6d367ecf27cb09b7,
                                0x4f463f669e5fea2d,
                                0x7527bac7ebe5f17b,
                                0x3d0739f78a5292ea,
                                0x6bfb5fb11f8d5d08,
                                0x56033046fc7b6bab};
  Value word = e.shr(position, 6), shift = e.iand(position, e.integer(63));
  // The four words from `word` on: each round halves what remains of the choice.
  SmallVector<Value> words;
  for (uint64_t entry : table)
    words.push_back(e.integer(entry));
  for (unsigned step : {16, 8, 4, 2, 1}) {
    Value moves = e.cmp(IP::ne, e.iand(word, e.integer(step)), e.integer(0));
    size_t wanted = std::min<size_t>(words.size(), step + 3);
    for (size_t i = 0; i < wanted; ++i)
      if (i + step < words.size())
        words[i] = e.select(moves, words[i + step], words[i]);
    words.resize(wanted);
  }
  std::array<Value, 3> window;
  for (int i = 0; i < 3; ++i)
    window[i] = e.b.create<LLVM::FshlOp>(e.loc, words[i].getType(), words[i], words[i + 1], shift);
  return window;
}

/// For 2^30 <= |x|; NaN for infinities and NaN.
Reduced reduceLarge(DoubleEmitter &e, Value x) {
  using IP = VectorEmitter::IP;
  Value bits = e.iand(e.bits(x), e.integer(0x7fffffffffffffff));
  Value exponent = e.shr(bits, 52);
  Value m = e.ior(e.iand(bits, e.integer(0xfffffffffffff)), e.integer(uint64_t(1) << 52));

  // x = m * 2^(exponent - 1075). Bits of 2/pi before bit exponent - 1077 contribute
  // multiples of 4; the table starts 64 bits early.
  Value position = e.isub(exponent, e.integer(1077 - 64));
  std::array<Value, 3> window = twoOverPiFrom(e, position);

  // x * 2/pi mod 4 as a 128-bit fixed-point number with 126 bits of fraction.
  Value product = e.imul(m, window[1]);
  Value low = e.iadd(product, highProduct(e, m, window[2]));
  Value carry = e.zext(e.cmp(IP::ult, low, product), e.b.getI64Type());
  Value high = e.iadd(e.iadd(e.imul(m, window[0]), highProduct(e, m, window[1])), carry);
  Value quadrant = e.shr(e.iadd(high, e.integer(uint64_t(1) << 61)), 62);
  high = e.isub(high, e.shl(quadrant, 62));

  // The magnitude of the fraction in two floats: 53 bits, and 64 bits that follow.
  Value zero = e.integer(0);
  Value isBelow = e.cmp(IP::slt, high, zero);
  Value borrow = e.zext(e.cmp(IP::eq, low, zero), e.b.getI64Type());
  high = e.select(isBelow, e.iadd(e.ixor(high, e.integer(~uint64_t(0))), borrow), high);
  low = e.select(isBelow, e.isub(zero, low), low);
  Type f64 = e.b.getF64Type();
  Value leading =
      e.mul(e.b.create<arith::UIToFPOp>(e.loc, f64, e.shr(high, 11)), e.number(0x1p-51));
  Value tail = e.ior(e.shl(high, 53), e.shr(low, 11));
  Value following = e.mul(e.b.create<arith::UIToFPOp>(e.loc, f64, tail), e.number(0x1p-115));
  Value sum = e.add(leading, following);
  Value lost = e.sub(following, e.sub(sum, leading));

  Reduced r;
  r.high = e.mul(sum, e.number(kHalfPi[0]));
  r.low = e.mulAdd(sum, e.number(kHalfPi[0]), e.negate(r.high));
  r.low = e.add(r.low, e.mulAdd(sum, e.number(kHalfPi[1]), e.mul(lost, e.number(kHalfPi[0]))));
  Value negative = e.isBelow(x, 0);
  Value flips = e.ixor(negative, isBelow);
  Value ordinary = e.cmp(IP::ult, bits, e.integer(0x7ff0000000000000));
  r.high = e.select(flips, e.negate(r.high), r.high);
  r.high = e.select(ordinary, r.high, e.number(NAN));
  r.low = e.select(flips, e.negate(r.low), r.low);
  r.quadrant = e.select(negative, e.isub(zero, quadrant), quadrant);
  return r;
}

Reduced reduce(DoubleEmitter &e, Value x) {
  Reduced small = reduceSmall(e, x);
  OpBuilder &b = e.b;
  // Of NaN, too, the small reduction has the right result.
  Value large = e.cmp(VectorEmitter::FP::OGE, e.abs(x), e.number(kSmallBound));
  SmallVector<Type> types{small.high.getType(), small.low.getType(), small.quadrant.getType()};
  auto branch = b.create<scf::IfOp>(e.loc, types, large, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Reduced r = reduceLarge(e, x);
  b.create<scf::YieldOp>(e.loc, ValueRange{r.high, r.low, r.quadrant});
  b.setInsertionPointToStart(branch.elseBlock());
  b.create<scf::YieldOp>(e.loc, ValueRange{small.high, small.low, small.quadrant});
  return {branch.getResult(0), branch.getResult(1), branch.getResult(2)};
}

/// The sine of (quadrant * pi/2 + r).
Value sineOfReduced(DoubleEmitter &e, Reduced r) {
  Value x = r.high;
  Value z = e.mul(x, x), half = e.mul(z, e.number(0.5));
  Value low = e.mulAdd(e.negate(half), r.low, r.low);
  Value sine = e.add(x, e.mulAdd(e.mul(x, z), e.polynomial(z, kSin), low));
  // 1 - z/2 loses what the next line but one restores.
  Value one = e.number(1);
  Value leading = e.sub(one, half);
  Value rest = e.sub(e.sub(one, leading), half);
  rest = e.mulAdd(e.mul(z, z), e.polynomial(z, kCos), rest);
  Value cosine = e.add(leading, e.sub(rest, e.mul(x, r.low)));

  Value odd = e.cmp(VectorEmitter::IP::ne, e.iand(r.quadrant, e.integer(1)), e.integer(0));
  Value sign = e.shl(e.iand(r.quadrant, e.integer(2)), 62);
  return e.asF64(e.ixor(e.bits(e.select(odd, cosine, sine)), sign));
}

} // namespace

Value DoubleMath::sin(Value x) {
  DoubleEmitter e(b, loc);
  Value result = sineOfReduced(e, reduce(e, x));
  // The reduction loses the sign of zero and the last bits of subnormals.
  return e.select(e.isBelow(e.abs(x), 0x1p-27), x, result);
}

Value DoubleMath::cos(Value x) {
  DoubleEmitter e(b, loc);
  Reduced r = reduce(e, x);
  r.quadrant = e.iadd(r.quadrant, e.integer(1));
  return sineOfReduced(e, r);
}
