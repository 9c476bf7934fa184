//===- Convert.cpp - cvt --------------------------------------------------===//

#include "Arithmetic.h"
#include "Formats.h"

#include <algorithm>

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

/// A number on its way: every source value fits one of the two exactly.
struct Conversion {
  Type from, to;
  unsigned fromBits, toBits; ///< of the registers
  Round round = Round::Nearest;
  bool integral = false; ///< rni and the like
  bool ftz = false, sat = false, satfinite = false, relu = false;
};

const Format &formatOf(Type type) {
  switch (type) {
  case Type::F16:
  case Type::F16x2:
    return halfFormat;
  case Type::BF16:
  case Type::BF16x2:
    return brainFormat;
  case Type::TF32:
    return tensorFormat;
  case Type::E4M3:
  case Type::E4M3x2:
    return e4m3Format;
  case Type::E5M2:
  case Type::E5M2x2:
    return e5m2Format;
  default:
    return singleFormat;
  }
}

double toDouble(Type type, u64 bits) {
  if (type == Type::F64)
    return asDouble(bits);
  if (type == Type::F32)
    return asFloat(u32(bits));
  return decode(formatOf(type), u32(bits));
}

double roundToInteger(double x, Round round) {
  switch (round) {
  case Round::Nearest:
    return std::nearbyint(x);
  case Round::NearestAway:
    return std::round(x);
  case Round::Zero:
    return std::trunc(x);
  case Round::Down:
    return std::floor(x);
  case Round::Up:
    return std::ceil(x);
  }
  return x;
}

u64 lowBits(u64 value, unsigned bits) {
  return bits >= 64 ? value : value & ((u64(1) << bits) - 1);
}

/// x is integral; out of range goes to the nearest, NaN to 0 or, where 64 bits are
/// involved, to the smallest signed or the middle unsigned number.
u64 floatToInteger(double x, Type from, Type to) {
  unsigned bits = bitsOf(to);
  if (x != x)
    return from == Type::F64 || bits == 64 ? u64(1) << (bits - 1) : 0;
  if (isSigned(to)) {
    double limit = std::ldexp(1.0, int(bits) - 1);
    if (x >= limit)
      return (u64(1) << (bits - 1)) - 1;
    if (x < -limit)
      return u64(1) << (bits - 1);
    return u64(int64_t(x));
  }
  if (x <= 0)
    return 0;
  if (x >= std::ldexp(1.0, int(bits)))
    return lowBits(~u64(0), bits);
  return u64(x);
}

u64 floatToFloat(double x, const Conversion &c) {
  if (c.integral)
    x = roundToInteger(x, c.round);
  if (c.sat)
    x = x != x || x <= 0 ? 0 : x > 1 ? 1 : x;
  if (c.relu && x <= 0)
    x = 0;
  if (c.to == Type::F64)
    return x != x ? 0x7ff8000000000000 : asBits(x);
  if (c.ftz && c.to == Type::F32) {
    u32 bits = encode(singleFormat, x, c.round);
    return (bits & 0x7f800000) ? bits : bits & 0x80000000;
  }
  u32 bits = encode(formatOf(c.to), x, c.round, c.satfinite);
  return c.to == Type::TF32 ? bits << 13 : bits;
}

/// A 64-bit integer as a double that later rounds as the integer would.
double integerToOdd(u64 magnitude) {
  unsigned length = 64 - std::countl_zero(magnitude | 1);
  if (length > 53) {
    unsigned drop = length - 53;
    bool sticky = magnitude & ((u64(1) << drop) - 1);
    magnitude = (magnitude >> drop | sticky) << drop;
  }
  return double(magnitude);
}

u64 integerToFloat(u64 bits, const Conversion &c) {
  bool negative = isSigned(c.from) && int64_t(bits) < 0;
  u64 magnitude = negative ? 0 - bits : bits;
  if (c.to == Type::F64) {
    // Round by hand: drop what does not fit 53 bits.
    unsigned length = 64 - std::countl_zero(magnitude | 1);
    if (length > 53) {
      unsigned drop = length - 53;
      u64 rest = magnitude & ((u64(1) << drop) - 1), half = u64(1) << (drop - 1);
      u64 kept = magnitude >> drop;
      bool up = false;
      switch (c.round) {
      case Round::Nearest:
        up = rest > half || (rest == half && (kept & 1));
        break;
      case Round::Down:
        up = rest && negative;
        break;
      case Round::Up:
        up = rest && !negative;
        break;
      default:
        break;
      }
      double r = std::ldexp(double(kept + up), int(drop));
      return asBits(negative ? -r : r);
    }
    return asBits(negative ? -double(magnitude) : double(magnitude));
  }
  double x = integerToOdd(magnitude);
  x = negative ? -x : x;
  if (c.sat)
    x = x <= 0 ? 0 : x > 1 ? 1 : x;
  return encode(formatOf(c.to), x, c.round);
}

u64 integerToInteger(u64 value, const Conversion &c) {
  if (c.sat) {
    unsigned bits = bitsOf(c.to);
    bool negative = isSigned(c.from) && int64_t(value) < 0;
    if (isSigned(c.to)) {
      int64_t most = int64_t((u64(1) << (bits - 1)) - 1);
      if (!negative && value > u64(most))
        return u64(most);
      if (negative && int64_t(value) < -most - 1)
        return u64(-most - 1);
    } else if (negative) {
      return 0;
    } else if (bits < 64 && value > lowBits(~u64(0), bits)) {
      return lowBits(~u64(0), bits);
    }
  }
  return value;
}

/// NaN between the wide types keeps its sign and payload, as on a GPU; otherwise it is the
/// type's own.
u64 notANumber(u64 bits, const Conversion &c) {
  if (c.from == Type::F32 && c.to == Type::TF32)
    return bits & 0xffffe000;
  if (c.from == Type::F32 && c.to == Type::F64)
    return (bits & 0x80000000) << 32 | 0x7ff8000000000000 | (bits & 0x3fffff) << 29;
  if (c.from == Type::F64 && c.to == Type::F32)
    return (bits >> 32 & 0x80000000) | 0x7fc00000 | (bits >> 29 & 0x3fffff);
  return floatToFloat(std::numeric_limits<double>::quiet_NaN(), c);
}

u64 convert(u64 bits, const Conversion &c) {
  if (isFloat(c.from)) {
    double x = toDouble(c.from, lowBits(bits, bitsOf(c.from)));
    if (c.ftz && c.from == Type::F32 && std::fabs(x) < 0x1p-126)
      x = std::copysign(0.0, x);
    if (isFloat(c.to))
      return x != x && !c.sat && !c.relu ? notANumber(bits, c) : floatToFloat(x, c);
    return floatToInteger(roundToInteger(x, c.round), c.from, c.to);
  }
  unsigned from = bitsOf(c.from);
  bits = lowBits(bits, from);
  if (isSigned(c.from) && from < 64)
    bits = u64(int64_t(bits << (64 - from)) >> (64 - from));
  return isFloat(c.to) ? integerToFloat(bits, c) : integerToInteger(bits, c);
}

/// To the width of the register: signed results are extended by their sign.
u64 widen(u64 value, const Conversion &c) {
  unsigned bits = bitsOf(c.to);
  value = lowBits(value, bits);
  if (isSigned(c.to) && bits < 64)
    value = u64(int64_t(value << (64 - bits)) >> (64 - bits));
  return lowBits(value, c.toBits);
}

Conversion conversionOf(const Op &op) {
  Conversion c;
  c.from = Type(op.offset & 255);
  c.to = Type(op.offset >> 8 & 255);
  c.round = Round(op.offset >> 16 & 7);
  c.integral = op.offset >> 19 & 1;
  c.ftz = op.offset >> 20 & 1;
  c.sat = op.offset >> 21 & 1;
  c.satfinite = op.offset >> 22 & 1;
  c.relu = op.offset >> 23 & 1;
  c.toBits = unsigned(op.offset >> 24 & 255);
  c.fromBits = unsigned(op.offset >> 32 & 255);
  return c;
}

template <typename D, typename A> void run(Warp &warp, const Op &op) {
  Conversion c = conversionOf(op);
  const A *a = warp.lanes<A>(op.a);
  eachLane<D>(warp, op.d, [=](unsigned i) { return D(widen(convert(a[i], c), c)); });
}
// The common ones without a detour.
void signedToSingle(Warp &warp, const Op &op) {
  unary<[](u32 a) { return asBits(float(int32_t(a))); }, u32, u32>(warp, op);
}
void zeroExtend64(Warp &warp, const Op &op) {
  unary<[](u32 a) { return u64(a); }, u64, u32>(warp, op);
}
void signExtend64(Warp &warp, const Op &op) {
  unary<[](u32 a) { return u64(int64_t(int32_t(a))); }, u64, u32>(warp, op);
}
void truncate64(Warp &warp, const Op &op) {
  unary<[](u64 a) { return u32(a); }, u32, u64>(warp, op);
}

/// Two f32 into one word: a is the upper half. Elements of 8 bits make a 16-bit pair.
void packPair(Warp &warp, const Op &op) {
  Conversion c = conversionOf(op);
  const u32 *a = warp.lanes<u32>(op.a), *b = warp.lanes<u32>(op.b);
  unsigned shift = bitsOf(c.to) / 2;
  eachLane<u32>(warp, op.d, [=](unsigned i) {
    return u32(floatToFloat(asFloat(a[i]), c)) << shift | u32(floatToFloat(asFloat(b[i]), c));
  });
}
/// f16x2 to a pair of 8-bit floats and back.
void convertPair(Warp &warp, const Op &op) {
  Conversion c = conversionOf(op);
  const u32 *a = warp.lanes<u32>(op.a);
  unsigned in = bitsOf(c.from) / 2, out = bitsOf(c.to) / 2;
  eachLane<u32>(warp, op.d, [=](unsigned i) {
    const Format &format = formatOf(c.from);
    u32 low = u32(floatToFloat(decode(format, u32(lowBits(a[i], in))), c));
    u32 high = u32(floatToFloat(decode(format, u32(lowBits(a[i] >> in, in))), c));
    return high << out | low;
  });
}

bool isPair(Type type) {
  return type == Type::F16x2 || type == Type::BF16x2 || type == Type::E4M3x2 ||
         type == Type::E5M2x2;
}

bool decodeConvert(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Conversion c;
  if (m.take("pack"))
    return decoder.fail("this form is not known");
  constexpr Round rounds[] = {Round::Nearest, Round::Zero, Round::Down, Round::Up,
                              Round::NearestAway};
  int mode = m.takeOne({"rn", "rz", "rm", "rp", "rna"});
  int whole = m.takeOne({"rni", "rzi", "rmi", "rpi"});
  if (whole >= 0) {
    c.round = rounds[whole];
    c.integral = true;
  } else if (mode >= 0) {
    c.round = rounds[mode];
  }
  c.ftz = m.take("ftz");
  c.sat = m.take("sat");
  c.satfinite = m.take("satfinite");
  c.relu = m.take("relu");
  c.to = m.type();
  c.from = m.type();
  if (c.from == Type::None || c.from == Type::Pred || c.to == Type::Pred || bitsOf(c.from) > 64 ||
      bitsOf(c.to) > 64 || bitsOf(c.from) < 8 || bitsOf(c.to) < 8 || c.from == Type::F32x2 ||
      c.to == Type::F32x2 || c.from == Type::U16x2 || c.to == Type::U16x2 ||
      c.from == Type::S16x2 || c.to == Type::S16x2)
    return decoder.fail("needs the types of destination and source");
  if (isFloat(c.from) && !isFloat(c.to) && whole < 0)
    return decoder.fail("needs .rni, .rzi, .rmi or .rpi");
  auto pack = [&] {
    return u64(c.from) | u64(c.to) << 8 | u64(c.round) << 16 | u64(c.integral) << 19 |
           u64(c.ftz) << 20 | u64(c.sat) << 21 | u64(c.satfinite) << 22 | u64(c.relu) << 23 |
           u64(c.toBits) << 24 | u64(c.fromBits) << 32;
  };
  c.toBits = bitsOf(c.to);
  c.fromBits = bitsOf(c.from);
  if (isPair(c.to) || isPair(c.from)) {
    bool two = c.from == Type::F32;
    if (isPair(c.to) != (isPair(c.from) || two) || (!two && !isPair(c.to)))
      return decoder.fail("this form is not known");
    if (!decoder.done(m) ||
        !(two ? emitSimple(decoder, packPair, Class::Convert, c.to, {Type::F32, Type::F32})
              : emitSimple(decoder, convertPair, Class::Convert, c.to, {c.from})))
      return false;
    decoder.code.ops.back().offset = pack();
    return true;
  }
  if (!decoder.done(m) || !decoder.wants(2))
    return false;
  // Registers may be wider than the types.
  uint32_t a = decoder.wideSource(decoder.operand(1), c.from, c.fromBits);
  uint32_t d = decoder.wideDestination(decoder.operand(0), c.to, c.toBits);
  bool wideFrom = c.fromBits > 32, wideTo = c.toBits > 32;
  Handler handler = wideTo ? (wideFrom ? run<u64, u64> : run<u64, u32>)
                           : (wideFrom ? run<u32, u64> : run<u32, u32>);
  bool plain = !c.sat && c.round == Round::Nearest && c.fromBits == bitsOf(c.from) &&
               c.toBits == bitsOf(c.to);
  if (plain && c.from == Type::S32 && c.to == Type::F32)
    handler = signedToSingle;
  if (plain && c.from == Type::U32 && (c.to == Type::U64 || c.to == Type::S64))
    handler = zeroExtend64;
  if (plain && c.from == Type::S32 && (c.to == Type::U64 || c.to == Type::S64))
    handler = signExtend64;
  if (plain && isInteger(c.from) && isInteger(c.to) && wideFrom && c.toBits == 32)
    handler = truncate64;
  Op &op = decoder.emit(handler, Class::Convert);
  op.a = a;
  op.d = d;
  op.tracked = true;
  op.offset = pack();
  return !decoder.failed();
}

} // namespace

const Family tritium::sim::convertFamily = {{"cvt", decodeConvert}};
