//===- Logic.cpp - bits: logic, shifts, fields, permutations --------------===//

#include "Arithmetic.h"

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

template <typename T> struct And {
  static T f(T a, T b) { return a & b; }
};
template <typename T> struct Or {
  static T f(T a, T b) { return a | b; }
};
template <typename T> struct Xor {
  static T f(T a, T b) { return a ^ b; }
};

// A predicate is one mask for all lanes.
template <template <typename> class F> void predicateBinary(Warp &warp, const Op &op) {
  uint32_t &d = warp.predicate(op.d);
  d = (d & ~warp.mask) | (F<uint32_t>::f(warp.predicate(op.a), warp.predicate(op.b)) & warp.mask);
}
void predicateNot(Warp &warp, const Op &op) {
  uint32_t &d = warp.predicate(op.d);
  d = (d & ~warp.mask) | (~warp.predicate(op.a) & warp.mask);
}

template <template <typename> class F> bool logic(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  Handler run = nullptr;
  if (type == Type::Pred)
    run = predicateBinary<F>;
  else
    withInteger(type, [&](auto t) { run = integerBinary<F, decltype(t)>; });
  if (!run)
    return decoder.fail("needs .pred, .b16, .b32 or .b64");
  return decoder.done(m) && emitSimple(decoder, run, Class::Integer, type, {type, type});
}

template <typename T> struct Not {
  static T f(T a) { return T(~a); }
};
template <typename T> struct LogicalNot {
  static T f(T a) { return a ? 0 : 1; }
};

bool decodeNot(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  bool logical = decoder.instruction().opcode == "cnot";
  Handler run = nullptr;
  if (type == Type::Pred && !logical)
    run = predicateNot;
  else
    withInteger(type, [&](auto t) {
      run = logical ? integerUnary<LogicalNot, decltype(t)> : integerUnary<Not, decltype(t)>;
    });
  if (!run)
    return decoder.fail("needs .pred, .b16, .b32 or .b64");
  return decoder.done(m) && emitSimple(decoder, run, Class::Integer, type, {type});
}

// Amounts of 32 bits; those of the width and more shift everything out.
template <typename T> void shiftLeft(Warp &warp, const Op &op) {
  binary<[](Slot<T> a, u32 b) { return b >= 8 * sizeof(T) ? Slot<T>(0) : put<T>(T(T(a) << b)); },
         Slot<T>, Slot<T>, u32>(warp, op);
}
template <typename T> void shiftRight(Warp &warp, const Op &op) {
  binary<[](Slot<T> a, u32 b) {
    constexpr unsigned bits = 8 * sizeof(T);
    if (b >= bits)
      return put<T>(T(a) < 0 ? T(-1) : T(0));
    return put<T>(T(T(a) >> b));
  },
         Slot<T>, Slot<T>, u32>(warp, op);
}

bool decodeShift(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  bool left = decoder.instruction().opcode == "shl";
  Handler run = nullptr;
  withInteger(type, [&](auto t) { run = left ? shiftLeft<decltype(t)> : shiftRight<decltype(t)>; });
  if (!run)
    return decoder.fail("needs a type of 16, 32 or 64 bits");
  return decoder.done(m) && emitSimple(decoder, run, Class::Integer, type, {type, Type::U32});
}

template <bool Left, bool Wrap> void funnel(Warp &warp, const Op &op) {
  ternary<[](u32 low, u32 high, u32 c) {
    u32 n = Wrap ? c & 31 : c > 32 ? 32 : c;
    u64 both = u64(high) << 32 | low;
    return Left ? u32((both << n) >> 32) : u32(both >> n);
  },
          u32, u32, u32, u32>(warp, op);
}

bool decodeFunnel(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  bool left = m.takeOne({"l", "r"}) == 0;
  bool wrap = m.takeOne({"wrap", "clamp"}) == 0;
  if (m.type() != Type::B32)
    return decoder.fail("needs .b32");
  Handler run = left ? (wrap ? funnel<true, true> : funnel<true, false>)
                     : (wrap ? funnel<false, true> : funnel<false, false>);
  return decoder.done(m) &&
         emitSimple(decoder, run, Class::Integer, Type::B32, {Type::B32, Type::B32, Type::B32});
}

template <typename T> void countBits(Warp &warp, const Op &op) {
  unary<[](T a) { return u32(std::popcount(a)); }, u32, T>(warp, op);
}
template <typename T> void leadingZeros(Warp &warp, const Op &op) {
  unary<[](T a) { return u32(std::countl_zero(a)); }, u32, T>(warp, op);
}
/// The place of the highest bit that differs from the sign; ~0 if there is none.
template <typename T, bool Distance> void findBit(Warp &warp, const Op &op) {
  unary<[](Slot<T> a) {
    T value = T(a);
    auto magnitude = std::make_unsigned_t<T>(value < 0 ? ~value : value);
    if (!magnitude)
      return ~0u;
    u32 zeros = u32(std::countl_zero(magnitude));
    return Distance ? zeros : u32(8 * sizeof(T) - 1) - zeros;
  },
        u32, Slot<T>>(warp, op);
}

bool decodeCount(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  bool wide = bitsOf(type) == 64;
  if (!isInteger(type) || (!wide && bitsOf(type) != 32))
    return decoder.fail("needs a type of 32 or 64 bits");
  std::string_view name = decoder.instruction().opcode;
  Handler run;
  if (name == "popc")
    run = wide ? countBits<u64> : countBits<u32>;
  else if (name == "clz")
    run = wide ? leadingZeros<u64> : leadingZeros<u32>;
  else if (m.take("shiftamt"))
    run = isSigned(type) ? (wide ? findBit<int64_t, true> : findBit<int32_t, true>)
                         : (wide ? findBit<u64, true> : findBit<u32, true>);
  else
    run = isSigned(type) ? (wide ? findBit<int64_t, false> : findBit<int32_t, false>)
                         : (wide ? findBit<u64, false> : findBit<u32, false>);
  return decoder.done(m) && emitSimple(decoder, run, Class::Integer, Type::U32, {type});
}

template <typename T> struct Reverse {
  static T f(T a) {
    T r = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i)
      r |= T(T(a >> i & 1) << (8 * sizeof(T) - 1 - i));
    return r;
  }
};
bool decodeReverse(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  if (type != Type::B32 && type != Type::B64)
    return decoder.fail("needs .b32 or .b64");
  return decoder.done(m) &&
         emitSimple(decoder,
                    type == Type::B32 ? integerUnary<Reverse, u32> : integerUnary<Reverse, u64>,
                    Class::Integer, type, {type});
}

/// bfe: len bits from pos on, with the sign of the field's highest bit.
template <typename T> void extract(Warp &warp, const Op &op) {
  ternary<[](Slot<T> a, u32 b, u32 c) {
    constexpr unsigned bits = 8 * sizeof(T);
    unsigned pos = b & 255, len = c & 255;
    using U = std::make_unsigned_t<T>;
    U value = U(a);
    bool sign = false;
    if (std::is_signed_v<T> && len)
      sign = value >> std::min(pos + len - 1, bits - 1) & 1;
    U field = pos >= bits ? U(0) : U(value >> pos);
    unsigned have = pos >= bits ? 0 : std::min(len, bits - pos);
    U keep = have >= bits ? U(~U(0)) : U((U(1) << have) - 1);
    field &= keep;
    if (sign)
      field |= U(~keep);
    return Slot<T>(field);
  },
          Slot<T>, Slot<T>, u32, u32>(warp, op);
}
bool decodeExtract(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  Handler run = type == Type::U32   ? extract<uint32_t>
                : type == Type::S32 ? extract<int32_t>
                : type == Type::U64 ? extract<uint64_t>
                : type == Type::S64 ? extract<int64_t>
                                    : nullptr;
  if (!run)
    return decoder.fail("needs an integer type of 32 or 64 bits");
  return decoder.done(m) &&
         emitSimple(decoder, run, Class::Integer, type, {type, Type::U32, Type::U32});
}

/// bfi d, a, b, c, len: the field a into b. offset holds the slot of len.
template <typename T> void insert(Warp &warp, const Op &op) {
  const T *a = warp.lanes<T>(op.a), *b = warp.lanes<T>(op.b);
  const u32 *pos = warp.lanes<u32>(op.c), *len = warp.lanes<u32>(uint32_t(op.offset));
  eachLane<T>(warp, op.d, [=](unsigned i) {
    constexpr unsigned bits = 8 * sizeof(T);
    unsigned p = pos[i] & 255, n = len[i] & 255;
    if (p >= bits)
      return b[i];
    T keep = n >= bits ? T(~T(0)) : T((T(1) << n) - 1);
    keep = T(keep << p);
    return T((b[i] & ~keep) | (T(a[i] << p) & keep));
  });
}
bool decodeInsert(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  if ((type != Type::B32 && type != Type::B64) || !decoder.wants(5))
    return decoder.failed() ? false : decoder.fail("needs .b32 or .b64");
  uint32_t a = decoder.source(1, type), b = decoder.source(2, type);
  uint32_t c = decoder.source(3, Type::U32), length = decoder.source(4, Type::U32);
  uint32_t d = decoder.destination(0, type);
  Op &op = decoder.emit(type == Type::B32 ? insert<u32> : insert<u64>, Class::Integer);
  op.a = a;
  op.b = b;
  op.c = c;
  op.offset = length;
  op.d = d;
  op.tracked = true;
  const ptx::Operand &from = decoder.operand(3), &count = decoder.operand(4);
  auto isWhole = [](const ptx::Operand &operand) {
    return operand.kind == ptx::Operand::Integer && operand.value % 8 == 0 && operand.value <= 32;
  };
  if (type == Type::B32 && isWhole(from) && isWhole(count)) {
    op.movesBytes = true;
    unsigned first = from.value / 8, end = first + count.value / 8;
    for (unsigned i = 0; i < 4; ++i)
      op.bytesFrom[i] = i >= first && i < end ? i - first : 4 + i;
  }
  return decoder.done(m);
}

template <bool Clamp> void bitMask(Warp &warp, const Op &op) {
  binary<[](u32 a, u32 b) {
    u32 from = Clamp ? a : a & 31, count = Clamp ? b : b & 31;
    if (from >= 32)
      return 0u;
    u32 mask = count >= 32 ? ~0u : (1u << count) - 1;
    return mask << from;
  },
         u32, u32, u32>(warp, op);
}
bool decodeMask(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  bool clamp = m.takeOne({"clamp", "wrap"}) == 0;
  if (m.type() != Type::B32)
    return decoder.fail("needs .b32");
  return decoder.done(m) && emitSimple(decoder, clamp ? bitMask<true> : bitMask<false>,
                                       Class::Integer, Type::B32, {Type::B32, Type::B32});
}

/// prmt: byte i of the result is what nibble i of the selector chooses of {b, a}.
template <int Mode> void permute(Warp &warp, const Op &op) {
  ternary<[](u32 a, u32 b, u32 selector) {
    u64 both = u64(b) << 32 | a;
    u32 result = 0;
    unsigned s = selector & 3;
    for (unsigned i = 0; i < 4; ++i) {
      unsigned pick, sign = 0;
      switch (Mode) {
      case 1:
        pick = (s + i) & 7;
        break; // f4e
      case 2:
        pick = (s + 8 - i) & 7;
        break; // b4e
      case 3:
        pick = s;
        break; // rc8
      case 4:
        pick = std::max(s, i);
        break; // ecl
      case 5:
        pick = std::min(s, i);
        break; // ecr
      case 6:
        pick = (s & 1) * 2 + (i & 1);
        break; // rc16
      default:
        pick = selector >> 4 * i & 7;
        sign = selector >> (4 * i + 3) & 1;
      }
      u32 byte = u32(both >> 8 * pick) & 255;
      if (sign)
        byte = byte & 128 ? 255 : 0;
      result |= byte << 8 * i;
    }
    return result;
  },
          u32, u32, u32, u32>(warp, op);
}
bool decodePermute(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  if (m.type() != Type::B32)
    return decoder.fail("needs .b32");
  constexpr Handler modes[] = {permute<1>, permute<2>, permute<3>,
                               permute<4>, permute<5>, permute<6>};
  int mode = m.takeOne({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  if (!decoder.done(m) || !emitSimple(decoder, mode < 0 ? permute<0> : modes[mode], Class::Integer,
                                      Type::B32, {Type::B32, Type::B32, Type::B32}))
    return false;
  const ptx::Operand &selector = decoder.operand(3);
  if (mode < 0 && selector.kind == ptx::Operand::Integer) {
    Op &op = decoder.code.ops.back();
    op.movesBytes = true;
    for (unsigned i = 0; i < 4; ++i)
      op.bytesFrom[i] = selector.value >> 4 * i & 7;
  }
  return true;
}

/// lop3: offset is the truth table.
void logic3(Warp &warp, const Op &op) {
  const u32 *a = warp.lanes<u32>(op.a), *b = warp.lanes<u32>(op.b), *c = warp.lanes<u32>(op.c);
  uint32_t table = uint32_t(op.offset);
  eachLane<u32>(warp, op.d, [=](unsigned i) {
    u32 r = 0, x = a[i], y = b[i], z = c[i];
    for (unsigned row = 0; row < 8; ++row)
      if (table >> row & 1)
        r |= (row & 4 ? x : ~x) & (row & 2 ? y : ~y) & (row & 1 ? z : ~z);
    return r;
  });
}
bool decodeLogic3(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  uint64_t table;
  if (m.type() != Type::B32 || !decoder.wants(5) || !decoder.immediate(4, table))
    return decoder.failed() ? false : decoder.fail("needs .b32");
  uint32_t a = decoder.source(1, Type::B32), b = decoder.source(2, Type::B32);
  uint32_t c = decoder.source(3, Type::B32), d = decoder.destination(0, Type::B32);
  Op &op = decoder.emit(logic3, Class::Integer);
  op.a = a;
  op.b = b;
  op.c = c;
  op.d = d;
  op.offset = table & 255;
  op.tracked = true;
  return decoder.done(m);
}

template <bool Clamp, typename T> void signExtend(Warp &warp, const Op &op) {
  binary<[](u32 a, u32 b) {
    u32 n = Clamp ? b : b & 31;
    if (n == 0)
      return 0u;
    if (n >= 32)
      return a;
    return std::is_signed_v<T> ? u32(int32_t(a << (32 - n)) >> (32 - n))
                               : u32(a << (32 - n)) >> (32 - n);
  },
         u32, u32, u32>(warp, op);
}
bool decodeSignExtend(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  bool clamp = m.takeOne({"clamp", "wrap"}) == 0;
  Type type = m.type();
  if (type != Type::U32 && type != Type::S32)
    return decoder.fail("needs .u32 or .s32");
  Handler run = type == Type::S32 ? (clamp ? signExtend<true, int32_t> : signExtend<false, int32_t>)
                                  : (clamp ? signExtend<true, u32> : signExtend<false, u32>);
  return decoder.done(m) && emitSimple(decoder, run, Class::Integer, type, {type, Type::U32});
}

} // namespace

const Family tritium::sim::logicFamily = {
    {"and", logic<And>},     {"or", logic<Or>},      {"xor", logic<Xor>},
    {"not", decodeNot},      {"cnot", decodeNot},    {"shl", decodeShift},
    {"shr", decodeShift},    {"shf", decodeFunnel},  {"popc", decodeCount},
    {"clz", decodeCount},    {"bfind", decodeCount}, {"brev", decodeReverse},
    {"bfe", decodeExtract},  {"bfi", decodeInsert},  {"bmsk", decodeMask},
    {"prmt", decodePermute}, {"lop3", decodeLogic3}, {"szext", decodeSignExtend},
};
