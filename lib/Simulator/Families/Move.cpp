//===- Move.cpp - mov, packing, address spaces ----------------------------===//

#include "Arithmetic.h"

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

template <typename T> void copy(Warp &warp, const Op &op) {
  unary<[](T a) { return a; }, T, T>(warp, op);
}
struct Quad {
  u64 low, high;
};
void copyPredicate(Warp &warp, const Op &op) {
  u32 &d = warp.predicate(op.d);
  d = (d & ~warp.mask) | (warp.predicate(op.a) & warp.mask);
}

u64 laneBits(Warp &warp, uint32_t slot, unsigned bits, unsigned lane) {
  return bits > 32 ? warp.lanes<u64>(slot)[lane] : warp.lanes<u32>(slot)[lane];
}
void setLane(Warp &warp, uint32_t slot, unsigned bits, unsigned lane, u64 value) {
  if (bits > 32)
    warp.lanes<u64>(slot)[lane] = value;
  else
    warp.lanes<u32>(slot)[lane] = u32(bits < 32 ? value & ((1u << bits) - 1) : value);
}

// mov.b32 d, {a, b}: list holds the parts, count of them, bytes each (1, 2, 4, 8).
void pack(Warp &warp, const Op &op) {
  unsigned part = op.bytes * 8u;
  u32 sound = warp.mask, from = none;
  for (unsigned k = 0; k < op.count; ++k) {
    sound &= warp.definedIn(op.list[k]);
    if (warp.mask & ~warp.definedIn(op.list[k])) {
      u32 origin = warp.frame->origin[op.list[k] >> 7];
      from = origin == none ? op.id : origin;
    }
  }
  unsigned whole = part * op.count;
  for (unsigned i = 0; i < 32; ++i) {
    if (!(warp.mask >> i & 1))
      continue;
    if (whole == 128) {
      u64 words[2] = {0, 0};
      for (unsigned k = 0; k < op.count; ++k)
        words[k * part / 64] |= laneBits(warp, op.list[k], part, i) << (k * part % 64);
      warp.lanes<Quad>(op.d)[i] = {words[0], words[1]};
      continue;
    }
    u64 value = 0;
    for (unsigned k = 0; k < op.count; ++k)
      value |= laneBits(warp, op.list[k], part, i) << (k * part);
    setLane(warp, op.d, whole, i, value);
  }
  if (sound != warp.mask && whole == 32) {
    LaneBytes bytes = {};
    for (unsigned i = 0; i < 32; ++i)
      for (unsigned k = 0; k < op.count; ++k)
        bytes[i] |= (warp.bytesDefinedIn(op.list[k], i) & ((1u << op.bytes) - 1)) << k * op.bytes;
    warp.defineBytes(op.d, bytes, from);
    return;
  }
  if (sound != warp.mask)
    warp.undefine(op.d, warp.mask & ~sound, from);
  warp.define(op.d, sound);
}
void unpack(Warp &warp, const Op &op) {
  unsigned part = op.bytes * 8u, whole = part * op.count;
  u32 sound = warp.mask & warp.definedIn(op.a);
  for (unsigned i = 0; i < 32; ++i) {
    if (!(warp.mask >> i & 1))
      continue;
    u64 words[2];
    if (whole == 128) {
      Quad quad = warp.lanes<Quad>(op.a)[i];
      words[0] = quad.low;
      words[1] = quad.high;
    } else {
      words[0] = laneBits(warp, op.a, whole, i);
    }
    for (unsigned k = 0; k < op.count; ++k)
      setLane(warp, op.list[k], part, i, words[k * part / 64] >> (k * part % 64));
  }
  u32 origin = warp.frame->origin[op.a >> 7];
  for (unsigned k = 0; k < op.count; ++k) {
    if (sound != warp.mask && whole == 32) {
      LaneBytes bytes = {};
      unsigned all = (1u << op.bytes) - 1;
      for (unsigned i = 0; i < 32; ++i) {
        unsigned part = warp.bytesDefinedIn(op.a, i) >> k * op.bytes & all;
        bytes[i] = part == all ? 15 : part;
      }
      warp.defineBytes(op.list[k], bytes, origin == none ? op.id : origin);
      continue;
    }
    if (sound != warp.mask)
      warp.undefine(op.list[k], warp.mask & ~sound, origin == none ? op.id : origin);
    warp.define(op.list[k], sound);
  }
}

void readClock(Warp &warp, const Op &op) {
  u64 now = warp.machine.clock;
  if (op.bytes == 8)
    eachLane<u64>(warp, op.d, [=](unsigned) { return now; });
  else
    eachLane<u32>(warp, op.d, [=](unsigned) { return u32(op.offset ? now >> 32 : now); });
}

bool decodeVector(Decoder &decoder, Type type, const Operand &vector, bool packs) {
  unsigned count = unsigned(vector.elements.size()), bits = bitsOf(type);
  if (!count || (count != 2 && count != 4) || bits % (8 * count) || bits / count > 64)
    return decoder.fail("the parts do not make up the type");
  unsigned part = bits / count;
  Type partType = part == 8    ? Type::B8
                  : part == 16 ? Type::B16
                  : part == 32 ? Type::B32
                               : Type::B64;
  uint32_t *list = decoder.list(count);
  for (unsigned i = 0; i < count; ++i)
    list[i] = packs ? decoder.source(vector.elements[i], partType)
                    : decoder.destination(vector.elements[i], partType);
  uint32_t other = packs ? decoder.destination(0, type) : decoder.source(1, type);
  Op &op = decoder.emit(packs ? pack : unpack, Class::Move);
  (packs ? op.d : op.a) = other;
  op.list = list;
  op.count = uint8_t(count);
  op.bytes = uint8_t(part / 8);
  return !decoder.failed();
}

bool decodeMove(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  Type type = m.type();
  if (type == Type::None)
    return decoder.fail("needs a type");
  if (!decoder.done(m) || !decoder.wants(2))
    return false;
  const Operand &from = decoder.operand(1), &to = decoder.operand(0);
  if (from.kind == Operand::Vector)
    return decodeVector(decoder, type, from, true);
  if (to.kind == Operand::Vector)
    return decodeVector(decoder, type, to, false);
  if (from.kind == Operand::Special &&
      (from.name.substr(0, 6) == "%clock" || from.name.substr(0, 11) == "%globaltime")) {
    uint32_t d = decoder.destination(0, type);
    Op &op = decoder.emit(readClock, Class::Other);
    op.d = d;
    op.bytes = uint8_t(bitsOf(type) / 8);
    op.offset = from.name.substr(from.name.size() - 3) == "_hi";
    op.tracked = true;
    return !decoder.failed();
  }
  Handler run = type == Type::Pred    ? copyPredicate
                : bitsOf(type) == 128 ? copy<Quad>
                : bitsOf(type) == 64  ? copy<u64>
                                      : copy<u32>;
  return emitSimple(decoder, run, Class::Move, type, {type});
}

/// cvta: offset is added (or taken away) where the space has a window.
template <bool ToSpace> void convertAddress(Warp &warp, const Op &op) {
  u64 window = op.offset;
  const u64 *a = warp.lanes<u64>(op.a);
  eachLane<u64>(warp, op.d, [=](unsigned i) { return ToSpace ? a[i] - window : a[i] + window; });
}

u64 windowOf(Modifiers &m, bool &known) {
  known = true;
  if (m.take("shared") || m.take("shared::cta") || m.take("shared::cluster"))
    return sharedWindow;
  if (m.take("local"))
    return localWindow;
  if (m.take("param") || m.take("param::entry"))
    return parameterWindow;
  known = m.take("global") || m.take("const");
  return 0;
}

bool decodeConvertAddress(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  bool to = m.take("to"), known;
  u64 window = windowOf(m, known);
  Type type = m.type();
  if (!known || bitsOf(type) != 64)
    return decoder.fail("needs an address space and .u64");
  if (!decoder.done(m) || !emitSimple(decoder, to ? convertAddress<true> : convertAddress<false>,
                                      Class::Integer, type, {type}))
    return false;
  decoder.code.ops.back().offset = window;
  return true;
}

void isSpace(Warp &warp, const Op &op) {
  const u64 *a = warp.lanes<u64>(op.a);
  u32 result = 0;
  for (unsigned i = 0; i < 32; ++i)
    result |= u32((a[i] & ~windowMask) == op.offset) << i;
  u32 &d = warp.predicate(op.d);
  d = (d & ~warp.mask) | (result & warp.mask);
}
bool decodeIsSpace(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  bool known;
  u64 window = windowOf(m, known);
  if (!known)
    return decoder.fail("needs an address space");
  if (!decoder.done(m) || !emitSimple(decoder, isSpace, Class::Compare, Type::Pred, {Type::B64}))
    return false;
  decoder.code.ops.back().offset = window;
  return true;
}

} // namespace

const Family tritium::sim::moveFamily = {
    {"mov", decodeMove}, {"cvta", decodeConvertAddress}, {"isspacep", decodeIsSpace}};
