//===- Integer.cpp - integer arithmetic -----------------------------------===//

#include "Arithmetic.h"

#include <algorithm>

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

bool tritium::sim::emitSimple(Decoder &decoder, Handler run, Class kind, Type to,
                              std::initializer_list<Type> from) {
  if (decoder.failed() || !decoder.wants(from.size() + 1))
    return false;
  uint32_t slots[3] = {none, none, none}, i = 0;
  for (Type type : from) {
    slots[i] = type == Type::Pred ? decoder.predicate(decoder.operand(i + 1))
                                  : decoder.source(i + 1, type);
    ++i;
  }
  uint32_t d =
      to == Type::Pred ? decoder.predicateTarget(decoder.operand(0)) : decoder.destination(0, to);
  Op &op = decoder.emit(run, kind);
  op.d = d;
  op.a = slots[0];
  op.b = slots[1];
  op.c = slots[2];
  op.tracked = true;
  return !decoder.failed();
}

namespace {

template <typename T> using Unsigned = std::make_unsigned_t<T>;
template <typename T>
using Wide =
    std::conditional_t<sizeof(T) == 8,
                       std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
                       std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

template <typename T> struct Add {
  static T f(T a, T b) { return T(uint64_t(a) + uint64_t(b)); }
};
template <typename T> struct Sub {
  static T f(T a, T b) { return T(uint64_t(a) - uint64_t(b)); }
};
template <typename T> struct MulLow {
  static T f(T a, T b) { return T(uint64_t(a) * uint64_t(b)); }
};
template <typename T> struct MulHigh {
  static T f(T a, T b) { return T((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T))); }
};
template <typename T> struct MadLow {
  static T f(T a, T b, T c) { return T(uint64_t(a) * uint64_t(b) + uint64_t(c)); }
};
template <typename T> struct MadHigh {
  static T f(T a, T b, T c) { return T(uint64_t(MulHigh<T>::f(a, b)) + uint64_t(c)); }
};
// Division by zero gives all ones, as the hardware's sequence does; the remainder is a.
template <typename T> struct Div {
  static T f(T a, T b) {
    if (b == 0)
      return T(~T(0));
    if (std::is_signed_v<T> && b == T(-1))
      return T(0 - uint64_t(a));
    return T(a / b);
  }
};
template <typename T> struct Rem {
  static T f(T a, T b) {
    if (b == 0)
      return T(~T(0));
    if (std::is_signed_v<T> && b == T(-1))
      return 0;
    return T(a % b);
  }
};
template <typename T> struct Min {
  static T f(T a, T b) { return b < a ? b : a; }
};
template <typename T> struct Max {
  static T f(T a, T b) { return a < b ? b : a; }
};
template <typename T> struct Abs {
  static T f(T a) { return a < T(0) ? T(0 - uint64_t(a)) : a; }
};
template <typename T> struct Neg {
  static T f(T a) { return T(0 - uint64_t(a)); }
};
template <typename T> struct Sad {
  static T f(T a, T b, T c) {
    return T(uint64_t(c) + (a < b ? uint64_t(b) - uint64_t(a) : uint64_t(a) - uint64_t(b)));
  }
};
template <typename T> struct Mul24Low {
  static int64_t cut(T a) {
    return std::is_signed_v<T> ? int64_t(int32_t(uint32_t(a) << 8) >> 8) : int64_t(a & 0xffffff);
  }
  static T f(T a, T b) { return T(cut(a) * cut(b)); }
};
template <typename T> struct Mad24Low {
  static T f(T a, T b, T c) { return T(uint64_t(Mul24Low<T>::f(a, b)) + uint64_t(c)); }
};

template <template <typename> class F> Handler pickUnary(Type type) {
  Handler run = nullptr;
  withInteger(type, [&](auto t) { run = integerUnary<F, decltype(t)>; });
  return run;
}
template <template <typename> class F> Handler pickBinary(Type type) {
  Handler run = nullptr;
  withInteger(type, [&](auto t) { run = integerBinary<F, decltype(t)>; });
  return run;
}
template <template <typename> class F> Handler pickTernary(Type type) {
  Handler run = nullptr;
  withInteger(type, [&](auto t) { run = integerTernary<F, decltype(t)>; });
  return run;
}

/// Two 16-bit integers in one word.
template <template <typename> class F, typename T> void pairBinary(Warp &warp, const Op &op) {
  binary<[](u32 a, u32 b) {
    return put<T>(F<T>::f(T(a), T(b))) | put<T>(F<T>::f(T(a >> 16), T(b >> 16))) << 16;
  },
         u32, u32, u32>(warp, op);
}

template <template <typename> class F> bool plainBinary(Decoder &decoder, Type type, Modifiers m) {
  Handler run = pickBinary<F>(type);
  if (type == Type::U16x2)
    run = pairBinary<F, uint16_t>;
  if (type == Type::S16x2)
    run = pairBinary<F, int16_t>;
  if (!run)
    return decoder.fail("needs an integer type of 16, 32 or 64 bits");
  return decoder.done(m) && emitSimple(decoder, run, Class::Integer, type, {type, type});
}

template <typename T, bool Subtract> void saturating(Warp &warp, const Op &op) {
  binary<[](u32 a, u32 b) {
    int64_t r = Subtract ? int64_t(int32_t(a)) - int32_t(b) : int64_t(int32_t(a)) + int32_t(b);
    return u32(int32_t(std::clamp<int64_t>(r, INT32_MIN, INT32_MAX)));
  },
         u32, u32, u32>(warp, op);
}

/// The flag's slot is a constant's, which counts as always defined; no program names this
/// number and no slot of another is written.
constexpr uint64_t carrySlot = uint64_t(0xcc) << 32;

// add.cc, addc, subc, mad.cc, madc: c is the slot of the carry flag, a word a lane.
template <typename T> struct Carried {
  template <bool In, bool Out, bool Subtract> static void run(Warp &warp, const Op &op) {
    const T *a = warp.lanes<T>(op.a), *b = warp.lanes<T>(op.b);
    uint32_t *flag = warp.lanes<uint32_t>(op.c);
    T *d = warp.lanes<T>(op.d);
    for (unsigned i = 0; i < 32; ++i) {
      if (!(warp.mask >> i & 1))
        continue;
      unsigned __int128 x = a[i], y = Subtract ? T(~b[i]) : b[i];
      unsigned __int128 sum = x + y + (In ? flag[i] : Subtract ? 1 : 0);
      d[i] = T(sum);
      if (Out)
        flag[i] = uint32_t(sum >> (8 * sizeof(T))) & 1;
    }
  }
};
template <typename T> Handler pickCarried(bool in, bool out, bool subtract) {
  using C = Carried<T>;
  if (subtract)
    return in ? (out ? C::template run<true, true, true> : C::template run<true, false, true>)
              : C::template run<false, true, true>;
  return in ? (out ? C::template run<true, true, false> : C::template run<true, false, false>)
            : C::template run<false, true, false>;
}

bool carried(Decoder &decoder, Modifiers m, Type type, bool in, bool out, bool subtract) {
  bool wide = bitsOf(type) == 64;
  if (!isInteger(type) || (bitsOf(type) != 32 && !wide))
    return decoder.fail("needs an integer type of 32 or 64 bits");
  if (!decoder.done(m) || !emitSimple(decoder,
                                      wide ? pickCarried<uint64_t>(in, out, subtract)
                                           : pickCarried<uint32_t>(in, out, subtract),
                                      Class::Integer, type, {type, type}))
    return false;
  if (decoder.code.carry == none)
    decoder.code.carry = decoder.constant(carrySlot, false);
  decoder.code.ops.back().c = decoder.code.carry;
  return true;
}

bool decodeAdd(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  bool subtract = decoder.instruction().opcode == "sub";
  if (isFloat(type))
    return decodeFloat(decoder, subtract ? FloatOp::Sub : FloatOp::Add, m, type);
  if (m.take("cc"))
    return carried(decoder, m, type, false, true, subtract);
  if (m.take("sat")) {
    if (type != Type::S32)
      return decoder.fail(".sat needs .s32");
    return decoder.done(m) &&
           emitSimple(decoder, subtract ? saturating<int, true> : saturating<int, false>,
                      Class::Integer, type, {type, type});
  }
  return subtract ? plainBinary<Sub>(decoder, type, m) : plainBinary<Add>(decoder, type, m);
}

bool decodeAddc(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  bool out = m.take("cc");
  return carried(decoder, m, type, true, out, decoder.instruction().opcode == "subc");
}

/// mul.wide: the operands are half as wide as the result.
template <typename T, typename W, bool Accumulate> void wideProduct(Warp &warp, const Op &op) {
  const u32 *a = warp.lanes<u32>(op.a), *b = warp.lanes<u32>(op.b);
  const Slot<W> *c = Accumulate ? warp.lanes<Slot<W>>(op.c) : nullptr;
  eachLane<Slot<W>>(warp, op.d, [=](unsigned i) {
    Slot<W> product = put<W>(W(W(T(a[i])) * W(T(b[i]))));
    if constexpr (Accumulate)
      product += c[i];
    return product;
  });
}

template <bool Accumulate> bool product(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  if (isFloat(type))
    return decodeFloat(decoder, Accumulate ? FloatOp::Fma : FloatOp::Mul, m, type);
  int form = m.takeOne({"lo", "hi", "wide"});
  if (form < 0)
    return decoder.fail("needs .lo, .hi or .wide");
  bool out = m.take("cc"), in = decoder.instruction().opcode == "madc";
  if (out || in) {
    // The product, then an addition with carry.
    if (form == 2 || !decoder.wants(4))
      return decoder.fail("carries need .lo or .hi");
    Handler multiply = form == 0 ? pickBinary<MulLow>(type) : pickBinary<MulHigh>(type);
    if (!multiply || bitsOf(type) < 32)
      return decoder.fail("needs an integer type of 32 or 64 bits");
    uint32_t a = decoder.source(1, type), b = decoder.source(2, type);
    uint32_t c = decoder.source(3, type), d = decoder.destination(0, type);
    uint32_t between = decoder.scratch(bitsOf(type));
    if (!decoder.done(m))
      return false;
    Op &first = decoder.emit(multiply, Class::Integer);
    first.d = between;
    first.a = a;
    first.b = b;
    first.tracked = true;
    if (decoder.code.carry == none)
      decoder.code.carry = decoder.constant(carrySlot, false);
    Op &second = decoder.emit(bitsOf(type) == 64 ? pickCarried<uint64_t>(in, out, false)
                                                 : pickCarried<uint32_t>(in, out, false),
                              Class::Integer);
    second.d = d;
    second.a = between;
    second.b = c;
    second.c = decoder.code.carry;
    second.tracked = true;
    return true;
  }
  bool saturate = m.take("sat");
  if (saturate)
    return decoder.fail(".sat of a product is not known");
  if (form == 2) {
    Handler run = nullptr;
    Type wide = Type::None;
    switch (type) {
    case Type::U16:
      run = wideProduct<uint16_t, uint32_t, Accumulate>, wide = Type::U32;
      break;
    case Type::S16:
      run = wideProduct<int16_t, int32_t, Accumulate>, wide = Type::S32;
      break;
    case Type::U32:
      run = wideProduct<uint32_t, uint64_t, Accumulate>, wide = Type::U64;
      break;
    case Type::S32:
      run = wideProduct<int32_t, int64_t, Accumulate>, wide = Type::S64;
      break;
    default:
      return decoder.fail(".wide needs an integer type of 16 or 32 bits");
    }
    if (!decoder.done(m))
      return false;
    if (Accumulate)
      return emitSimple(decoder, run, Class::Integer, wide, {type, type, wide});
    return emitSimple(decoder, run, Class::Integer, wide, {type, type});
  }
  if constexpr (Accumulate) {
    Handler run = form == 0 ? pickTernary<MadLow>(type) : pickTernary<MadHigh>(type);
    if (!run)
      return decoder.fail("needs an integer type of 16, 32 or 64 bits");
    return decoder.done(m) && emitSimple(decoder, run, Class::Integer, type, {type, type, type});
  } else {
    return form == 0 ? plainBinary<MulLow>(decoder, type, m)
                     : plainBinary<MulHigh>(decoder, type, m);
  }
}

template <template <typename> class F, FloatOp Floating> bool mixed(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  if (isFloat(type))
    return decodeFloat(decoder, Floating, m, type);
  if (m.take("relu"))
    return decoder.fail(".relu on integers is not known");
  return plainBinary<F>(decoder, type, m);
}

bool decodeRem(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  return plainBinary<Rem>(decoder, type, m);
}

template <template <typename> class F, FloatOp Floating> bool mixedUnary(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  if (isFloat(type))
    return decodeFloat(decoder, Floating, m, type);
  Handler run = pickUnary<F>(type);
  if (!run || !isSigned(type))
    return decoder.fail("needs a signed integer or floating-point type");
  return decoder.done(m) && emitSimple(decoder, run, Class::Integer, type, {type});
}

template <template <typename> class F> bool threeOperands(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  m.take("lo"); // mad24.lo
  Handler run = pickTernary<F>(type);
  if (!run)
    return decoder.fail("needs an integer type");
  return decoder.done(m) && emitSimple(decoder, run, Class::Integer, type, {type, type, type});
}

bool decodeMul24(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  if (!m.take("lo") || bitsOf(type) != 32)
    return decoder.fail("only mul24.lo of 32 bits is known");
  return plainBinary<Mul24Low>(decoder, type, m);
}

// dp4a, dp2a: e holds which halves and signs.
template <typename A, typename B> void dot4(Warp &warp, const Op &op) {
  ternary<[](u32 a, u32 b, u32 c) {
    for (int i = 0; i < 32; i += 8)
      c += u32(int32_t(A(a >> i)) * int32_t(B(b >> i)));
    return c;
  },
          u32, u32, u32, u32>(warp, op);
}
template <typename A, typename B, int Shift> void dot2(Warp &warp, const Op &op) {
  ternary<[](u32 a, u32 b, u32 c) {
    for (int i = 0; i < 2; ++i)
      c += u32(int32_t(A(a >> 16 * i)) * int32_t(B(b >> (Shift + 8 * i))));
    return c;
  },
          u32, u32, u32, u32>(warp, op);
}

bool decodeDot(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  bool four = decoder.instruction().opcode == "dp4a";
  int half = four ? 0 : m.takeOne({"lo", "hi"});
  Type a = m.type(), b = m.type();
  bool sa = a == Type::S32, sb = b == Type::S32;
  if ((!sa && a != Type::U32) || (!sb && b != Type::U32) || half < 0)
    return decoder.fail("needs two types .u32 or .s32, and dp2a .lo or .hi");
  Handler run;
  if (four)
    run = sa ? (sb ? dot4<int8_t, int8_t> : dot4<int8_t, uint8_t>)
             : (sb ? dot4<uint8_t, int8_t> : dot4<uint8_t, uint8_t>);
  else if (half == 0)
    run = sa ? (sb ? dot2<int16_t, int8_t, 0> : dot2<int16_t, uint8_t, 0>)
             : (sb ? dot2<uint16_t, int8_t, 0> : dot2<uint16_t, uint8_t, 0>);
  else
    run = sa ? (sb ? dot2<int16_t, int8_t, 16> : dot2<int16_t, uint8_t, 16>)
             : (sb ? dot2<uint16_t, int8_t, 16> : dot2<uint16_t, uint8_t, 16>);
  return decoder.done(m) &&
         emitSimple(decoder, run, Class::Integer, Type::B32, {Type::B32, Type::B32, Type::B32});
}

} // namespace

const Family tritium::sim::integerFamily = {
    {"add", decodeAdd},
    {"sub", decodeAdd},
    {"addc", decodeAddc},
    {"subc", decodeAddc},
    {"mul", product<false>},
    {"mad", product<true>},
    {"madc", product<true>},
    {"mul24", decodeMul24},
    {"mad24", threeOperands<Mad24Low>},
    {"sad", threeOperands<Sad>},
    {"div", mixed<Div, FloatOp::Div>},
    {"rem", decodeRem},
    {"min", mixed<Min, FloatOp::Min>},
    {"max", mixed<Max, FloatOp::Max>},
    {"abs", mixedUnary<Abs, FloatOp::Abs>},
    {"neg", mixedUnary<Neg, FloatOp::Neg>},
    {"dp4a", decodeDot},
    {"dp2a", decodeDot},
};
