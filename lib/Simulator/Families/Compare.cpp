//===- Compare.cpp - setp, set, selp, slct --------------------------------===//

#include "Arithmetic.h"
#include "Formats.h"

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

enum Comparison { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };

template <Comparison C, typename T> bool compare(T a, T b) {
  bool unordered = a != a || b != b;
  switch (C) {
  case Eq:
    return a == b;
  case Ne:
    return a != b && !unordered;
  case Lt:
    return a < b;
  case Le:
    return a <= b;
  case Gt:
    return a > b;
  case Ge:
    return a >= b;
  case Equ:
    return a == b || unordered;
  case Neu:
    return a != b;
  case Ltu:
    return !(a >= b);
  case Leu:
    return !(a > b);
  case Gtu:
    return !(a <= b);
  case Geu:
    return !(a < b);
  case Num:
    return !unordered;
  case Nan:
    return unordered;
  }
  return false;
}

/// What a slot holds, as a number.
template <typename T> T numberOf(Slot<T> bits, T *) { return T(bits); }
float numberOf(u32 bits, float *) { return asFloat(bits); }
double numberOf(u64 bits, double *) { return asDouble(bits); }

/// One bit a lane.
template <Comparison C, typename T> u32 compareLanes(Warp &warp, const Op &op) {
  const Slot<T> *a = warp.lanes<Slot<T>>(op.a), *b = warp.lanes<Slot<T>>(op.b);
  bool ftz = op.target;
  u32 result = 0;
  for (unsigned i = 0; i < 32; ++i) {
    T x = numberOf(a[i], (T *)nullptr), y = numberOf(b[i], (T *)nullptr);
    if constexpr (std::is_same_v<T, float>)
      if (ftz) {
        x = std::fabs(x) < 0x1p-126f ? 0 : x;
        y = std::fabs(y) < 0x1p-126f ? 0 : y;
      }
    result |= u32(compare<C>(x, y)) << i;
  }
  return result;
}
template <Comparison C, const Format &F> u32 compareHalves(Warp &warp, const Op &op, int shift) {
  const u32 *a = warp.lanes<u32>(op.a), *b = warp.lanes<u32>(op.b);
  u32 result = 0;
  for (unsigned i = 0; i < 32; ++i)
    result |= u32(compare<C>(decode(F, a[i] >> shift & 0xffff), decode(F, b[i] >> shift & 0xffff)))
              << i;
  return result;
}

using Comparer = u32 (*)(Warp &, const Op &);
template <Comparison C> Comparer comparer(Type type, bool high) {
  switch (type) {
  case Type::F32:
    return compareLanes<C, float>;
  case Type::F64:
    return compareLanes<C, double>;
  case Type::F16:
  case Type::F16x2:
    return high ? [](Warp &w, const Op &op) { return compareHalves<C, halfFormat>(w, op, 16); }
                : [](Warp &w, const Op &op) { return compareHalves<C, halfFormat>(w, op, 0); };
  case Type::BF16:
  case Type::BF16x2:
    return high ? [](Warp &w, const Op &op) { return compareHalves<C, brainFormat>(w, op, 16); }
                : [](Warp &w, const Op &op) { return compareHalves<C, brainFormat>(w, op, 0); };
  default:
    break;
  }
  Comparer made = nullptr;
  withInteger(type, [&](auto t) { made = compareLanes<C, decltype(t)>; });
  return made;
}

Comparer pickComparer(int c, Type type, bool high = false) {
  switch (c) {
  case Eq:
    return comparer<Eq>(type, high);
  case Ne:
    return comparer<Ne>(type, high);
  case Lt:
    return comparer<Lt>(type, high);
  case Le:
    return comparer<Le>(type, high);
  case Gt:
    return comparer<Gt>(type, high);
  case Ge:
    return comparer<Ge>(type, high);
  case Equ:
    return comparer<Equ>(type, high);
  case Neu:
    return comparer<Neu>(type, high);
  case Ltu:
    return comparer<Ltu>(type, high);
  case Leu:
    return comparer<Leu>(type, high);
  case Gtu:
    return comparer<Gtu>(type, high);
  case Geu:
    return comparer<Geu>(type, high);
  case Num:
    return comparer<Num>(type, high);
  case Nan:
    return comparer<Nan>(type, high);
  default:
    return nullptr;
  }
}

/// Where the comparers of an operation stand: Op::list holds their addresses in two words.
Comparer comparerOf(const Op &op, unsigned which) {
  uintptr_t bits = op.list[2 * which] | uint64_t(op.list[2 * which + 1]) << 32;
  return reinterpret_cast<Comparer>(bits);
}

u32 combined(Warp &warp, const Op &op, u32 p) {
  if (op.c == none)
    return p;
  u32 c = warp.predicate(op.c);
  return op.count == 0 ? p & c : op.count == 1 ? p | c : p ^ c;
}

void runSetp(Warp &warp, const Op &op) {
  u32 p = comparerOf(op, 0)(warp, op), m = warp.mask;
  u32 q = op.bytes == 2 ? comparerOf(op, 1)(warp, op) : ~p; // f16x2: the upper half
  u32 &d = warp.predicate(op.d);
  u32 c = op.c == none ? 0 : warp.predicate(op.c);
  u32 first = combined(warp, op, p);
  u32 second = op.c == none ? q : op.count == 0 ? q & c : op.count == 1 ? q | c : q ^ c;
  d = (d & ~m) | (first & m);
  if (op.e != none) {
    u32 &e = warp.predicate(op.e);
    e = (e & ~m) | (second & m);
  }
}

/// set: all ones (or 1.0) where true. offset: the value; bytes 2: a value in each half.
void runSet(Warp &warp, const Op &op) {
  u32 p = combined(warp, op, comparerOf(op, 0)(warp, op));
  u32 yes = u32(op.offset);
  if (op.bytes != 2) {
    eachLane<u32>(warp, op.d, [=](unsigned i) { return p >> i & 1 ? yes : 0; });
    return;
  }
  u32 q = combined(warp, op, comparerOf(op, 1)(warp, op));
  eachLane<u32>(warp, op.d,
                [=](unsigned i) { return (p >> i & 1 ? yes : 0) | (q >> i & 1 ? yes << 16 : 0); });
}

/// What set writes where the comparison holds: 1.0 or all ones.
uint32_t trueValue(Type to, bool isPair) {
  switch (to) {
  case Type::F32:
    return 0x3f800000;
  case Type::F16:
  case Type::F16x2:
    return 0x3c00;
  case Type::BF16:
  case Type::BF16x2:
    return 0x3f80;
  case Type::U16:
  case Type::S16:
  case Type::B16:
    return 0xffff;
  default:
    return isPair ? 0xffff : ~0u;
  }
}

bool decodeCompare(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  bool isSet = decoder.instruction().opcode == "set";
  int c = m.takeOne({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu",
                     "num", "nan", "lo", "ls", "hi", "hs"});
  if (c > Nan) {
    constexpr int unsignedForms[] = {Lt, Le, Gt, Ge};
    c = unsignedForms[c - Nan - 1];
  }
  int combine = m.takeOne({"and", "or", "xor"});
  bool ftz = m.take("ftz");
  Type to = isSet ? m.type() : Type::Pred, type = m.type();
  if (isSet && type == Type::None)
    std::swap(to, type);
  if (type == Type::S16x2 || type == Type::U16x2)
    return decoder.fail("comparison of packed integers is not known");
  // ne of integers is what neu is of floats; of floats, a NaN makes it false.
  Comparer low = pickComparer(c, type), high = nullptr;
  if (!low)
    return decoder.fail("needs a comparison and a type that it can compare");
  bool pair = type == Type::F16x2 || type == Type::BF16x2;
  if (pair)
    high = pickComparer(c, type, true);
  if (!decoder.wants(combine < 0 ? 3 : 4, combine < 0 ? 3 : 4))
    return false;
  uint32_t a = decoder.source(1, type), b = decoder.source(2, type);
  uint32_t other = combine < 0 ? none : decoder.predicate(decoder.operand(3));
  uint32_t d, e = none;
  if (isSet) {
    d = decoder.destination(0, to);
  } else if (const Operand &target = decoder.operand(0); target.kind == Operand::Pair) {
    d = decoder.predicateTarget(target.elements[0]);
    e = decoder.predicateTarget(target.elements[1]);
  } else {
    d = decoder.predicateTarget(target);
  }
  if (!decoder.done(m))
    return false;
  uint32_t *list = decoder.list(4);
  auto keep = [&](unsigned which, Comparer comparer) {
    uint64_t bits = reinterpret_cast<uintptr_t>(comparer);
    list[2 * which] = uint32_t(bits);
    list[2 * which + 1] = uint32_t(bits >> 32);
  };
  keep(0, low);
  keep(1, high ? high : low);
  Op &op = decoder.emit(isSet ? runSet : runSetp, Class::Compare);
  op.a = a;
  op.b = b;
  op.c = other;
  op.d = d;
  op.e = e;
  op.count = uint8_t(combine < 0 ? 0 : combine);
  op.target = ftz;
  op.bytes = pair ? 2 : 1;
  op.list = list;
  op.tracked = true;
  if (isSet)
    op.offset = trueValue(to, pair);
  return true;
}

/// selp: as defined as what is chosen.
template <typename T> void select(Warp &warp, const Op &op) {
  const T *a = warp.lanes<T>(op.a), *b = warp.lanes<T>(op.b);
  u32 p = warp.predicate(op.c), m = warp.mask;
  u32 sound = m & warp.definedIn(op.c) & ((p & warp.definedIn(op.a)) | (~p & warp.definedIn(op.b)));
  if (sound != m) {
    // Which of the three is to blame.
    u32 lost = m & ~sound;
    uint32_t culprit = lost & ~warp.definedIn(op.c)       ? op.c
                       : lost & p & ~warp.definedIn(op.a) ? op.a
                                                          : op.b;
    uint32_t from = warp.frame->origin[culprit >> 7];
    warp.undefine(op.d, lost, from == none ? op.id : from);
  }
  eachLane<T>(warp, op.d, [=](unsigned i) { return p >> i & 1 ? a[i] : b[i]; });
  warp.define(op.d, sound);
}

bool decodeSelect(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  if (bitsOf(type) < 8 || bitsOf(type) > 64)
    return decoder.fail("needs a type of 16, 32 or 64 bits");
  bool wide = bitsOf(type) == 64;
  if (!decoder.done(m) || !emitSimple(decoder, wide ? select<u64> : select<u32>, Class::Compare,
                                      type, {type, type, Type::Pred}))
    return false;
  decoder.code.ops.back().tracked = false;
  return true;
}

/// slct d, a, b, c: a where c >= 0.
template <typename T, bool Floating> void choose(Warp &warp, const Op &op) {
  ternary<[](T a, T b, u32 c) {
    bool first = Floating ? asFloat(c) >= 0 : int32_t(c) >= 0;
    return first ? a : b;
  },
          T, T, T, u32>(warp, op);
}
bool decodeChoose(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  m.take("ftz");
  Type type = m.type(), by = m.type();
  bool wide = bitsOf(type) == 64, floating = by == Type::F32;
  if (bitsOf(type) < 8 || (by != Type::S32 && !floating))
    return decoder.fail("needs a type and .s32 or .f32");
  Handler run = wide ? (floating ? choose<u64, true> : choose<u64, false>)
                     : (floating ? choose<u32, true> : choose<u32, false>);
  return decoder.done(m) && emitSimple(decoder, run, Class::Compare, type, {type, type, by});
}

} // namespace

const Family tritium::sim::compareFamily = {{"setp", decodeCompare},
                                            {"set", decodeCompare},
                                            {"selp", decodeSelect},
                                            {"slct", decodeChoose}};
