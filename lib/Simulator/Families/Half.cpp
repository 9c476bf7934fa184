//===- Half.cpp - f16 and bf16, alone and in pairs ------------------------===//
//
// Each operation is computed in double so that one rounding to the format gives the IEEE
// result: products are exact, sums are rounded to odd first.
//
//===----------------------------------------------------------------------===//

#include "Approximate.h"
#include "Arithmetic.h"
#include "Formats.h"

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

enum Flag { Flush = 1, Saturate = 2, PropagateNaN = 4, XorSign = 8, Relu = 16 };

double flushed(const Format &format, double x) {
  double smallest = format.exponentBits == 5 ? 0x1p-14 : 0x1p-126;
  return std::fabs(x) < smallest ? std::copysign(0.0, x) : x;
}

double larger(double a, double b, bool max) {
  if (a != a)
    return b;
  if (b != b)
    return a;
  if (a == b)
    return std::signbit(a) == max ? b : a;
  return (a < b) == max ? b : a;
}

template <const Format &F, FloatOp What> u32 one(u32 x, u32 y, u32 z, uint64_t flags) {
  if (What == FloatOp::Neg)
    return (x ^ 0x8000) & 0xffff;
  if (What == FloatOp::Abs)
    return x & 0x7fff;
  double a = decode(F, x & 0xffff), b = decode(F, y & 0xffff), c = decode(F, z & 0xffff), r = 0;
  if (flags & Flush) {
    a = flushed(F, a);
    b = flushed(F, b);
    c = flushed(F, c);
  }
  switch (What) {
  case FloatOp::Add:
    r = addToOdd(a, b);
    break;
  case FloatOp::Sub:
    r = addToOdd(a, -b);
    break;
  case FloatOp::Mul:
    r = a * b;
    break;
  case FloatOp::Fma:
    r = addToOdd(a * b, c);
    break;
  case FloatOp::Min:
  case FloatOp::Max: {
    bool max = What == FloatOp::Max;
    if ((flags & PropagateNaN) && (a != a || b != b))
      r = NAN;
    else if (flags & XorSign)
      r = (std::signbit(a) != std::signbit(b) ? -1 : 1) * larger(std::fabs(a), std::fabs(b), max);
    else
      r = larger(a, b, max);
    break;
  }
  default:
    break;
  }
  if (flags & Saturate)
    r = r != r || r <= 0 ? 0 : r > 1 ? 1 : r;
  if ((flags & Relu) && r == r)
    r = r > 0 ? r : 0;
  u32 bits = encode(F, r);
  return flags & Flush ? encode(F, flushed(F, decode(F, bits))) : bits;
}

template <const Format &F, FloatOp What, bool Pair> void run(Warp &warp, const Op &op) {
  const u32 *a = warp.lanes<u32>(op.a), *b = op.b == none ? a : warp.lanes<u32>(op.b);
  const u32 *c = op.c == none ? a : warp.lanes<u32>(op.c);
  uint64_t flags = op.offset;
  eachLane<u32>(warp, op.d, [=](unsigned i) {
    u32 low = one<F, What>(a[i], b[i], c[i], flags);
    if (!Pair)
      return low;
    return low | one<F, What>(a[i] >> 16, b[i] >> 16, c[i] >> 16, flags) << 16;
  });
}

template <const Format &F, bool Pair> Handler pick(FloatOp what) {
  switch (what) {
  case FloatOp::Add:
    return run<F, FloatOp::Add, Pair>;
  case FloatOp::Sub:
    return run<F, FloatOp::Sub, Pair>;
  case FloatOp::Mul:
    return run<F, FloatOp::Mul, Pair>;
  case FloatOp::Fma:
    return run<F, FloatOp::Fma, Pair>;
  case FloatOp::Min:
    return run<F, FloatOp::Min, Pair>;
  case FloatOp::Max:
    return run<F, FloatOp::Max, Pair>;
  case FloatOp::Abs:
    return run<F, FloatOp::Abs, Pair>;
  case FloatOp::Neg:
    return run<F, FloatOp::Neg, Pair>;
  default:
    return nullptr;
  }
}

template <const Format &F, double (*Function)(double), bool Pair>
void special(Warp &warp, const Op &op) {
  unary<[](u32 a) {
    u32 low = encode(F, Function(decode(F, a & 0xffff)));
    return Pair ? low | encode(F, Function(decode(F, a >> 16))) << 16 : low;
  },
        u32, u32>(warp, op);
}
template <double (*Function)(double)> Handler pickSpecial(Type type) {
  switch (type) {
  case Type::F16:
    return special<halfFormat, Function, false>;
  case Type::F16x2:
    return special<halfFormat, Function, true>;
  case Type::BF16:
    return special<brainFormat, Function, false>;
  default:
    return special<brainFormat, Function, true>;
  }
}

} // namespace

bool tritium::sim::decodeHalf(Decoder &decoder, FloatOp what, Modifiers m, Type type) {
  uint64_t flags = 0;
  if (m.take("ftz"))
    flags |= Flush;
  if (m.take("sat"))
    flags |= Saturate;
  if (m.take("NaN"))
    flags |= PropagateNaN;
  if (m.take("xorsign") && m.take("abs"))
    flags |= XorSign;
  if (m.take("relu"))
    flags |= Relu;
  m.take("rn");
  Handler handler;
  switch (type) {
  case Type::F16:
    handler = pick<halfFormat, false>(what);
    break;
  case Type::F16x2:
    handler = pick<halfFormat, true>(what);
    break;
  case Type::BF16:
    handler = pick<brainFormat, false>(what);
    break;
  default:
    handler = pick<brainFormat, true>(what);
    break;
  }
  if (!handler)
    return decoder.fail("this form is not known");
  if (!decoder.done(m))
    return false;
  bool ok;
  if (what == FloatOp::Abs || what == FloatOp::Neg)
    ok = emitSimple(decoder, handler, Class::Half, type, {type});
  else if (what == FloatOp::Fma)
    ok = emitSimple(decoder, handler, Class::Half, type, {type, type, type});
  else
    ok = emitSimple(decoder, handler, Class::Half, type, {type, type});
  if (ok)
    decoder.code.ops.back().offset = flags;
  return ok;
}

bool tritium::sim::decodeHalfSpecial(Decoder &decoder, Modifiers m, Type type) {
  std::string_view name = decoder.instruction().opcode;
  m.take("ftz");
  if (!m.take("approx"))
    return decoder.fail("needs .approx");
  Handler handler = name == "ex2"    ? pickSpecial<approximateExp2>(type)
                    : name == "tanh" ? pickSpecial<approximateTanh>(type)
                                     : nullptr;
  if (!handler)
    return decoder.fail("this form is not known");
  return decoder.done(m) && emitSimple(decoder, handler, Class::Special, type, {type});
}

const Family tritium::sim::halfFamily = {};
