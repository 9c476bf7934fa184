//===- VectorMathTrig.cpp - sin, cos --------------------------------------===//
//
// x = q * pi/2 + r with |r| <= pi/4, r as the sum of two floats; then sin or cos of r by a
// polynomial (utils/fit_polynomials.py). The reduction is the difficulty:
//
//   |x| <= 2^18: r = x - q * pi/2 with pi/2 in three parts.
//   beyond:      x * 2/pi mod 4 by integer multiplication with the bits of 2/pi that
//                matter (Payne and Hanek), in a loop that is entered only if some lane
//                needs it.
//
//===----------------------------------------------------------------------===//

#include "VectorEmitter.h"
#include "tritium/Conversion/Math/VectorMath.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tritium::cpu;

namespace {

constexpr double kSmallBound = 0x1p18;
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;

constexpr float kSin[] = {-0x1.55554p-3, 0x1.11054p-7, -0x1.989cb2p-13};
constexpr float kCos[] = {0x1.555546p-5, -0x1.6c09cep-10, 0x1.9941eep-16};

struct Reduced {
  Value high, low; ///< r = high + low
  Value quadrant;  ///< i32, q modulo 4 in the low bits
};

Reduced splitF64(VectorEmitter &e, Value r, Value quadrant) {
  Value high = e.toF32(r);
  return {high, e.toF32(e.sub(r, e.toF64(high))), quadrant};
}

/// The first difference is exact: it has at most 24 bits. What the second rounds off goes
/// to the low part if r is not small. If it is, the second difference cancels, so it rounds
/// by less than the computation of the rest would.
Reduced reduceFMA(VectorEmitter &e, Value x) {
  constexpr double p1 = 0x1.921fb6p0, p2 = -0x1.777a5cp-25, p3 = -0x1.ee59dap-50;
  VectorEmitter::Rounded n = e.roundProduct(x, kTwoOverPi);
  Value first = e.mulAdd(n.value, e.f32(-p1, x), x);
  Value high = e.mulAdd(n.value, e.f32(-p2, x), first);
  Value rest = e.mulAdd(n.value, e.f32(-p2, x), e.sub(first, high));
  Value isLarge = e.cmp(VectorEmitter::FP::OGT, e.abs(high), e.f32(0x1p-5, x));
  Value low = e.select(isLarge, rest, e.f32(0, x));
  low = e.mulAdd(n.value, e.f32(-p3, x), low);
  return {high, low, n.integer};
}

/// In f64 with pi/2 in parts of 33 bits: their products with q are exact.
Reduced reduceF64(VectorEmitter &e, Value x) {
  constexpr double p1 = 0x1.921fb544p0, p2 = 0x1.0b4611a6p-34, p3 = 0x1.3198a2e037073p-69;
  Value wide = e.toF64(x);
  Value magic = e.f64(0x1.8p52, x);
  Value sum = e.add(e.mul(wide, e.f64(kTwoOverPi, x)), magic);
  Value n = e.sub(sum, magic);
  Value r = wide;
  for (double part : {p1, p2, p3})
    r = e.sub(r, e.mul(n, e.f64(part, x)));
  return splitF64(e, r, e.trunc(e.bits(sum), e.b.getI32Type()));
}

/// For 2^18 <= |x|; NaN for infinities and NaN.
Reduced reduceLarge(VectorEmitter &e, Value x) {
  using IP = VectorEmitter::IP;
  // 2/pi in 32-bit words, after a word of zeros.
  constexpr uint32_t words[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
  Type i32 = e.b.getI32Type(), i64 = e.b.getI64Type();
  Value bits = e.iand(e.bits(x), e.i32(0x7fffffff, x));
  Value exponent = e.shr(bits, 23);
  Value mantissa = e.ior(e.iand(bits, e.i32(0x7fffff, x)), e.i32(0x800000, x));

  // x = mantissa * 2^(exponent - 150). Bits of 2/pi before bit exponent - 152 contribute
  // multiples of 4; the table starts 32 bits early.
  Value position = e.isub(exponent, e.i32(152 - 32, x));
  Value word = e.shr(position, 5);
  Value shift = e.iand(position, e.i32(31, x));
  constexpr int starts = 5; // word is in [0, 5)
  auto wordAt = [&](int offset) {
    Value result = e.i32(int32_t(words[offset + starts - 1]), x);
    for (int start = starts - 2; start >= 0; --start)
      result = e.select(e.cmp(IP::eq, word, e.i32(start, x)),
                        e.i32(int32_t(words[offset + start]), x), result);
    return result;
  };
  Value raw[] = {wordAt(0), wordAt(1), wordAt(2), wordAt(3)};
  Value window[3];
  for (int i = 0; i < 3; ++i)
    window[i] =
        e.zext(e.b.create<LLVM::FshlOp>(e.loc, raw[i].getType(), raw[i], raw[i + 1], shift), i64);

  // x * 2/pi mod 4 as a 64-bit fixed-point number with 62 bits of fraction.
  Value m = e.zext(mantissa, i64);
  Value product = e.iadd(e.iadd(e.shl(e.imul(m, window[0]), 32), e.imul(m, window[1])),
                         e.shr(e.imul(m, window[2]), 32));
  Value quadrant = e.shr(e.iadd(product, e.i64(int64_t(1) << 61, x)), 62);
  Value fraction = e.isub(product, e.shl(quadrant, 62));
  Value r = e.mul(e.b.create<arith::SIToFPOp>(e.loc, e.typeLike(e.b.getF64Type(), x), fraction),
                  e.f64(0x1.921fb54442d18p-62, x));
  Reduced result = splitF64(e, r, e.trunc(quadrant, i32));

  Value negative = e.cmp(VectorEmitter::FP::OLT, x, e.f32(0, x));
  auto negated = [&](Value v) {
    return e.select(negative, e.b.create<arith::NegFOp>(e.loc, v), v);
  };
  Value ordinary = e.cmp(IP::slt, bits, e.i32(0x7f800000, x));
  result.high = e.select(ordinary, negated(result.high), e.f32(NAN, x));
  result.low = negated(result.low);
  result.quadrant = e.select(negative, e.isub(e.i32(0, x), result.quadrant), result.quadrant);
  return result;
}

/// reduceLarge over the lanes of a vector by a loop over short pieces, through memory: the
/// 64-bit arithmetic of a whole vector would be many times the code of the common case.
Reduced reduceLargeInLoop(VectorEmitter &e, Value x) {
  int64_t lanes = VectorEmitter::lanes(x);
  int64_t piece = std::min<int64_t>(lanes, e.target.lanesF32() / 2);
  if (lanes == 0 || lanes % piece != 0)
    return reduceLarge(e, x);
  OpBuilder &b = e.b;
  Type f32 = b.getF32Type();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value buffer;
  {
    OpBuilder::InsertionGuard guard(b);
    // The block is inside an scf.if, so the function is an ancestor.
    auto function = b.getInsertionBlock()->getParentOp()->getParentOfType<FunctionOpInterface>();
    b.setInsertionPointToStart(&function.getFunctionBody().front());
    Value size = b.create<LLVM::ConstantOp>(e.loc, b.getI64Type(), 3 * lanes);
    buffer = b.create<LLVM::AllocaOp>(e.loc, pointer, f32, size, /*alignment=*/64);
  }
  auto at = [&](int64_t array, Value index) -> Value {
    Value offset = b.create<arith::IndexCastOp>(e.loc, b.getI64Type(), index);
    Value base = b.create<LLVM::GEPOp>(e.loc, pointer, f32, buffer,
                                       ArrayRef<LLVM::GEPArg>{int32_t(array * lanes)});
    return b.create<LLVM::GEPOp>(e.loc, pointer, f32, base, ValueRange{offset});
  };
  auto index = [&](int64_t value) -> Value {
    return b.create<arith::ConstantIndexOp>(e.loc, value);
  };
  Value zero = index(0);
  b.create<LLVM::StoreOp>(e.loc, x, at(0, zero), 4);
  auto loop = b.create<scf::ForOp>(e.loc, zero, index(lanes), index(piece));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value i = loop.getInductionVar();
    Value part = b.create<LLVM::LoadOp>(e.loc, VectorType::get(piece, f32), at(0, i), 4);
    Reduced r = reduceLarge(e, part);
    b.create<LLVM::StoreOp>(e.loc, r.high, at(0, i), 4);
    b.create<LLVM::StoreOp>(e.loc, r.low, at(1, i), 4);
    b.create<LLVM::StoreOp>(e.loc, r.quadrant, at(2, i), 4);
  }
  auto load = [&](Type type, int64_t array) -> Value {
    return b.create<LLVM::LoadOp>(e.loc, type, at(array, zero), 4);
  };
  return {load(x.getType(), 0), load(x.getType(), 1), load(e.typeLike(b.getI32Type(), x), 2)};
}

Reduced reduce(VectorEmitter &e, Value x) {
  Reduced small = e.target.hasFMA ? reduceFMA(e, x) : reduceF64(e, x);
  Value large = e.cmp(VectorEmitter::FP::OGT, e.abs(x), e.f32(kSmallBound, x));
  Value anyLarge = large;
  if (VectorEmitter::lanes(x))
    anyLarge = e.b.create<vector::ReductionOp>(e.loc, vector::CombiningKind::OR, large);
  OpBuilder &b = e.b;
  SmallVector<Type> types{small.high.getType(), small.low.getType(), small.quadrant.getType()};
  auto branch = b.create<scf::IfOp>(e.loc, types, anyLarge, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Reduced r = reduceLargeInLoop(e, x);
  b.create<scf::YieldOp>(e.loc, ValueRange{e.select(large, r.high, small.high),
                                           e.select(large, r.low, small.low),
                                           e.select(large, r.quadrant, small.quadrant)});
  b.setInsertionPointToStart(branch.elseBlock());
  b.create<scf::YieldOp>(e.loc, ValueRange{small.high, small.low, small.quadrant});
  return {branch.getResult(0), branch.getResult(1), branch.getResult(2)};
}

/// The sine of (quadrant * pi/2 + r).
Value sineOfReduced(VectorEmitter &e, Reduced r) {
  Value x = r.high;
  Value z = e.mul(x, x);
  Value sine = e.add(x, e.mulAdd(e.mul(x, z), e.polynomial(z, kSin), r.low));
  // 1 - z/2 loses what the next line but one restores.
  Value one = e.f32(1, x), half = e.mul(z, e.f32(0.5, x));
  Value leading = e.sub(one, half);
  Value rest = e.sub(e.sub(one, leading), half);
  rest = e.mulAdd(e.mul(z, z), e.polynomial(z, kCos), rest);
  rest = e.sub(rest, e.mul(x, r.low));
  Value cosine = e.add(leading, rest);

  Value zero = e.i32(0, x);
  Value odd = e.cmp(VectorEmitter::IP::ne, e.iand(r.quadrant, e.i32(1, x)), zero);
  Value sign = e.shl(e.iand(r.quadrant, e.i32(2, x)), 30);
  return e.asF32(e.ixor(e.bits(e.select(odd, cosine, sine)), sign));
}

} // namespace

Value VectorMath::sin(Value x) {
  if (getElementTypeOrSelf(x).isF64())
    return callLibm("sin", x);
  VectorEmitter e(b, loc, target);
  Value result = sineOfReduced(e, reduce(e, x));
  // The reduction loses the sign of zero and the last bits of subnormals.
  Value tiny = e.cmp(VectorEmitter::FP::OLT, e.abs(x), e.f32(0x1p-12, x));
  return e.select(tiny, x, result);
}

Value VectorMath::cos(Value x) {
  if (getElementTypeOrSelf(x).isF64())
    return callLibm("cos", x);
  VectorEmitter e(b, loc, target);
  Reduced r = reduce(e, x);
  r.quadrant = e.iadd(r.quadrant, e.i32(1, x));
  return sineOfReduced(e, r);
}
