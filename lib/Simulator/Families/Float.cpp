//===- Float.cpp - f32 and f64 arithmetic ---------------------------------===//
//
// IEEE results in all four rounding modes (compiled with -frounding-math). A NaN that an
// f32 instruction makes is 0x7fffffff, as in the hardware.
//
//===----------------------------------------------------------------------===//

#include "Approximate.h"
#include "Arithmetic.h"

#include <cfenv>
#include <cmath>

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

#pragma STDC FENV_ACCESS ON

namespace {

struct Rounding {
  explicit Rounding(int mode) : old(FE_TONEAREST), changed(mode != FE_TONEAREST) {
    if (changed)
      std::fesetround(mode);
  }
  ~Rounding() {
    if (changed)
      std::fesetround(old);
  }
  int old;
  bool changed;
};

float flush(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }
double flush(double x) { return x; }
u32 finish(float x) { return x != x ? 0x7fffffffu : asBits(x); }
u64 finish(double x) { return asBits(x); }
float value(u32 bits) { return asFloat(bits); }
double value(u64 bits) { return asDouble(bits); }
float saturate(float x) { return x != x ? 0 : x < 0 ? 0 : x > 1 ? 1 : x == 0 ? 0 : x; }
double saturate(double x) { return x; }

template <typename T> using Bits = std::conditional_t<sizeof(T) == 4, u32, u64>;

template <typename T> T larger(T a, T b) {
  if (a != a)
    return b;
  if (b != b)
    return a;
  return a == b ? (std::signbit(a) ? b : a) : a < b ? b : a;
}
template <typename T> T smaller(T a, T b) {
  if (a != a)
    return b;
  if (b != b)
    return a;
  return a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
}

enum Flag { Flush = 1, Saturate = 2, PropagateNaN = 4, XorSign = 8, Relu = 16 };

template <typename T, FloatOp What> T compute(T a, T b, T c) {
  switch (What) {
  case FloatOp::Add:
    return a + b;
  case FloatOp::Sub:
    return a - b;
  case FloatOp::Mul:
    return a * b;
  case FloatOp::Fma:
    return std::fma(a, b, c);
  case FloatOp::Div:
    return a / b;
  case FloatOp::Min:
    return smaller(a, b);
  case FloatOp::Max:
    return larger(a, b);
  case FloatOp::Abs:
    return std::fabs(a);
  case FloatOp::Neg:
    return -a;
  }
  return a;
}

template <typename T, FloatOp What, bool Ftz> void arithmetic(Warp &warp, const Op &op) {
  using B = Bits<T>;
  const B *a = warp.lanes<B>(op.a), *b = op.b == none ? a : warp.lanes<B>(op.b);
  const B *c = op.c == none ? a : warp.lanes<B>(op.c);
  int mode = int(op.target);
  bool sat = op.offset & Saturate;
  Rounding rounding(mode);
  auto in = [](B bits) {
    T x = value(bits);
    return Ftz ? flush(x) : x;
  };
  if (!sat) {
    eachLane<B>(warp, op.d, [=](unsigned i) {
      T r = compute<T, What>(in(a[i]), in(b[i]), in(c[i]));
      return finish(Ftz ? flush(r) : r);
    });
  } else {
    eachLane<B>(warp, op.d, [=](unsigned i) {
      T r = compute<T, What>(in(a[i]), in(b[i]), in(c[i]));
      return finish(saturate(Ftz ? flush(r) : r));
    });
  }
}

template <typename T, bool Max> void extremum(Warp &warp, const Op &op) {
  using B = Bits<T>;
  const B *a = warp.lanes<B>(op.a), *b = warp.lanes<B>(op.b);
  const B *c = op.c == none ? nullptr : warp.lanes<B>(op.c);
  uint64_t flags = op.offset;
  eachLane<B>(warp, op.d, [=](unsigned i) {
    T x = value(a[i]), y = value(b[i]);
    if (flags & Flush)
      x = flush(x), y = flush(y);
    auto pick = [&](T x, T y) {
      if ((flags & PropagateNaN) && (x != x || y != y))
        return T(NAN);
      if (flags & XorSign) {
        bool negative = std::signbit(x) != std::signbit(y);
        T m = Max ? larger(std::fabs(x), std::fabs(y)) : smaller(std::fabs(x), std::fabs(y));
        return negative ? -m : m;
      }
      return Max ? larger(x, y) : smaller(x, y);
    };
    T r = pick(x, y);
    if (c) {
      T z = value(c[i]);
      r = pick(r, flags & Flush ? flush(z) : z);
    }
    return finish(r);
  });
}

template <bool Negate> void sign32(Warp &warp, const Op &op) {
  const u32 *a = warp.lanes<u32>(op.a);
  bool ftz = op.offset & Flush;
  eachLane<u32>(warp, op.d, [=](unsigned i) {
    u32 x = a[i];
    if ((x & 0x7fffffffu) > 0x7f800000u)
      return 0x7fffffffu; // as an addition makes NaN
    if (ftz)
      x = asBits(flush(asFloat(x)));
    return Negate ? x ^ 0x80000000u : x & 0x7fffffffu;
  });
}
template <bool Negate> void sign64(Warp &warp, const Op &op) {
  unary<[](u64 x) { return Negate ? x ^ (u64(1) << 63) : x & ~(u64(1) << 63); }, u64, u64>(warp,
                                                                                           op);
}

template <typename T, bool Ftz> Handler pick(FloatOp what) {
  switch (what) {
  case FloatOp::Add:
    return arithmetic<T, FloatOp::Add, Ftz>;
  case FloatOp::Sub:
    return arithmetic<T, FloatOp::Sub, Ftz>;
  case FloatOp::Mul:
    return arithmetic<T, FloatOp::Mul, Ftz>;
  case FloatOp::Fma:
    return arithmetic<T, FloatOp::Fma, Ftz>;
  case FloatOp::Div:
    return arithmetic<T, FloatOp::Div, Ftz>;
  default:
    return nullptr;
  }
}

int roundingOf(Modifiers &m) {
  constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  int mode = m.takeOne({"rn", "rz", "rm", "rp"});
  return mode < 0 ? -1 : modes[mode];
}

// Functions of one operand. F works in double on flushed inputs.
template <double (*F)(double), bool Ftz> void special(Warp &warp, const Op &op) {
  const u32 *a = warp.lanes<u32>(op.a);
  eachLane<u32>(warp, op.d, [=](unsigned i) {
    float x = asFloat(a[i]);
    float r = float(F(Ftz ? flush(x) : x));
    return finish(Ftz ? flush(r) : r);
  });
}
double reciprocal(double x) { return 1 / x; }
double reciprocalRoot(double x) { return 1 / std::sqrt(x); }
double root(double x) { return std::sqrt(x); }
double log2Of(double x) {
  if (x != x || x < 0)
    return NAN;
  if (x == 0)
    return -INFINITY;
  return std::isinf(x) ? x : approximateLog2(x);
}

template <typename T, bool Root> void exact(Warp &warp, const Op &op) {
  using B = Bits<T>;
  const B *a = warp.lanes<B>(op.a);
  bool ftz = op.offset & Flush;
  Rounding rounding(int(op.target));
  eachLane<B>(warp, op.d, [=](unsigned i) {
    T x = value(a[i]);
    if (ftz)
      x = flush(x);
    T r = Root ? std::sqrt(x) : T(1) / x;
    return finish(ftz ? flush(r) : r);
  });
}
/// rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: the upper word of a result; the lower is 0.
template <bool Root> void approximate64(Warp &warp, const Op &op) {
  unary<[](u64 bits) {
    double x = asDouble(bits);
    if (std::fabs(x) < 0x1p-1022)
      x = std::copysign(0.0, x);
    double r = Root ? 1 / std::sqrt(x) : 1 / x;
    if (std::fabs(r) < 0x1p-1022)
      r = std::copysign(0.0, r);
    if (r != r)
      return u64(0x7fffffff00000000);
    return asBits(r) & ~u64(0xffffffff);
  },
        u64, u64>(warp, op);
}

bool decodeSpecial(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  std::string_view name = decoder.instruction().opcode;
  Type type = m.type();
  if (type == Type::F16 || type == Type::F16x2 || type == Type::BF16 || type == Type::BF16x2)
    return decodeHalfSpecial(decoder, m, type);
  bool approximate = m.take("approx"), ftz = m.take("ftz");
  int mode = roundingOf(m);
  Handler run = nullptr;
  bool isRoot = name == "sqrt", isReciprocal = name == "rcp";
  if (type == Type::F64) {
    if (approximate && ftz && (isReciprocal || name == "rsqrt"))
      run = isReciprocal ? approximate64<false> : approximate64<true>;
    else if (approximate && name == "rsqrt")
      run = [](Warp &warp, const Op &op) {
        unary<[](u64 x) { return asBits(1 / std::sqrt(asDouble(x))); }, u64, u64>(warp, op);
      };
    else if (mode >= 0 && (isRoot || isReciprocal))
      run = isRoot ? exact<double, true> : exact<double, false>;
  } else if (type == Type::F32) {
    if (mode >= 0 && !approximate && (isRoot || isReciprocal))
      run = isRoot ? exact<float, true> : exact<float, false>;
    else if (!approximate)
      run = nullptr;
    else if (isReciprocal)
      run = ftz ? special<reciprocal, true> : special<reciprocal, false>;
    else if (isRoot)
      run = ftz ? special<root, true> : special<root, false>;
    else if (name == "rsqrt")
      run = ftz ? special<reciprocalRoot, true> : special<reciprocalRoot, false>;
    else if (name == "ex2")
      run = ftz ? special<approximateExp2, true> : special<approximateExp2, false>;
    else if (name == "lg2")
      run = ftz ? special<log2Of, true> : special<log2Of, false>;
    else if (name == "sin")
      run = ftz ? special<approximateSin, true> : special<approximateSin, false>;
    else if (name == "cos")
      run = ftz ? special<approximateCos, true> : special<approximateCos, false>;
    else if (name == "tanh")
      run = special<approximateTanh, false>;
  }
  if (!run)
    return decoder.fail("this form is not known");
  if (!decoder.done(m) || !emitSimple(decoder, run, Class::Special, type, {type}))
    return false;
  Op &op = decoder.code.ops.back();
  op.target = uint32_t(mode < 0 ? FE_TONEAREST : mode);
  op.offset = ftz ? Flush : 0;
  return true;
}

// copysign d, a, b: the sign of a, the rest of b.
template <typename B> void copySign(Warp &warp, const Op &op) {
  binary<[](B a, B b) {
    constexpr B sign = B(1) << (8 * sizeof(B) - 1);
    return B((a & sign) | (b & ~sign));
  },
         B, B, B>(warp, op);
}
bool decodeCopySign(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  if (type != Type::F32 && type != Type::F64)
    return decoder.fail("needs .f32 or .f64");
  return decoder.done(m) && emitSimple(decoder, type == Type::F32 ? copySign<u32> : copySign<u64>,
                                       Class::Float, type, {type, type});
}

template <typename T> void testProperty(Warp &warp, const Op &op) {
  const Bits<T> *a = warp.lanes<Bits<T>>(op.a);
  u32 &d = warp.predicate(op.d);
  for (unsigned i = 0; i < 32; ++i) {
    if (!(warp.mask >> i & 1))
      continue;
    T x = value(a[i]);
    bool yes = false;
    switch (op.target) {
    case 0:
      yes = std::isfinite(x);
      break;
    case 1:
      yes = std::isinf(x);
      break;
    case 2:
      yes = !std::isnan(x);
      break;
    case 3:
      yes = std::isnan(x);
      break;
    case 4:
      yes = std::isnormal(x);
      break;
    case 5:
      yes = x != 0 && std::isfinite(x) && !std::isnormal(x);
      break;
    }
    d = (d & ~(1u << i)) | u32(yes) << i;
  }
}
bool decodeTest(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  int what = m.takeOne({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  Type type = m.type();
  if (what < 0 || (type != Type::F32 && type != Type::F64))
    return decoder.fail("this form is not known");
  if (!decoder.done(m) ||
      !emitSimple(decoder, type == Type::F32 ? testProperty<float> : testProperty<double>,
                  Class::Float, Type::Pred, {type}))
    return false;
  decoder.code.ops.back().target = uint32_t(what);
  return true;
}

bool decodeFma(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  return decodeFloat(decoder, FloatOp::Fma, m, type);
}

} // namespace

bool tritium::sim::decodeFloat(Decoder &decoder, FloatOp what, Modifiers given, Type type) {
  Modifiers m(given.left);
  if (type == Type::F16 || type == Type::F16x2 || type == Type::BF16 || type == Type::BF16x2)
    return decodeHalf(decoder, what, m, type);
  if (type != Type::F32 && type != Type::F64)
    return decoder.fail("this form is not known");
  bool single = type == Type::F32;
  uint32_t flags = 0;
  if (m.take("ftz"))
    flags |= Flush;
  if (m.take("sat"))
    flags |= Saturate;
  bool approximate = m.take("approx") || m.take("full");
  int mode = roundingOf(m);
  bool ftz = flags & Flush;
  Class kind = single ? Class::Float : Class::Double;
  Handler run = nullptr;
  bool unaryOp = what == FloatOp::Abs || what == FloatOp::Neg;
  if (what == FloatOp::Min || what == FloatOp::Max) {
    if (m.take("NaN"))
      flags |= PropagateNaN;
    if (m.take("xorsign")) {
      flags |= XorSign;
      if (!m.take("abs"))
        return decoder.fail(".xorsign needs .abs");
    }
    bool max = what == FloatOp::Max;
    run = single ? (max ? extremum<float, true> : extremum<float, false>)
                 : (max ? extremum<double, true> : extremum<double, false>);
  } else if (unaryOp) {
    bool negate = what == FloatOp::Neg;
    run =
        single ? (negate ? sign32<true> : sign32<false>) : (negate ? sign64<true> : sign64<false>);
  } else if (what == FloatOp::Div && mode < 0 && !approximate) {
    return decoder.fail("needs .rn, .rz, .rm, .rp, .approx or .full");
  } else if (what == FloatOp::Fma && mode < 0) {
    return decoder.fail("needs .rn, .rz, .rm or .rp");
  } else {
    run = single ? (ftz ? pick<float, true>(what) : pick<float, false>(what))
                 : pick<double, false>(what);
  }
  if (!decoder.done(m))
    return false;
  bool ok;
  if (unaryOp)
    ok = emitSimple(decoder, run, kind, type, {type});
  else if (what == FloatOp::Fma ||
           (decoder.operands() == 4 && (what == FloatOp::Min || what == FloatOp::Max)))
    ok = emitSimple(decoder, run, kind, type, {type, type, type});
  else
    ok = emitSimple(decoder, run, kind, type, {type, type});
  if (!ok)
    return false;
  Op &op = decoder.code.ops.back();
  op.target = uint32_t(mode < 0 ? FE_TONEAREST : mode);
  op.offset = flags;
  return true;
}

const Family tritium::sim::floatFamily = {
    {"fma", decodeFma},           {"rcp", decodeSpecial}, {"sqrt", decodeSpecial},
    {"rsqrt", decodeSpecial},     {"ex2", decodeSpecial}, {"lg2", decodeSpecial},
    {"sin", decodeSpecial},       {"cos", decodeSpecial}, {"tanh", decodeSpecial},
    {"copysign", decodeCopySign}, {"testp", decodeTest},
};
