//===- Exchange.cpp - shfl, vote, match, redux, activemask, elect ---------===//

#include "Arithmetic.h"

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

/// The mask of lanes that an instruction names; the lanes must agree on it. False: the
/// warp waits.
bool members(Warp &warp, const Op &op, uint32_t slot, uint32_t &named) {
  warp.demand(slot, warp.mask, op, "a mask of lanes");
  const u32 *masks = warp.lanes<u32>(slot);
  unsigned first = unsigned(std::countr_zero(warp.mask));
  named = masks[first];
  if (warp.mask & ~named)
    warp.machine.report(FaultKind::MissingLanes, &op, &warp, std::countr_zero(warp.mask & ~named),
                        "a lane executes the instruction, but its mask does not name it");
  return warp.gather(op, named);
}

enum ShuffleMode { Up, Down, Butterfly, Index };

// Op: a value, b lane operand, c clamp operand, d result, e predicate, list[0] member mask.
template <ShuffleMode Mode> void shuffle(Warp &warp, const Op &op) {
  uint32_t named;
  if (!members(warp, op, op.list[0], named))
    return;
  warp.demand(op.b, warp.mask, op, "the source lane of a shuffle");
  const u32 *a = warp.lanes<u32>(op.a), *b = warp.lanes<u32>(op.b), *c = warp.lanes<u32>(op.c);
  u32 made[32], valid = 0, sound = 0;
  uint32_t origin = none;
  for (int lane = 0; lane < 32; ++lane) {
    if (!(warp.mask >> lane & 1))
      continue;
    int by = b[lane] & 31, clamp = c[lane] & 31, segment = c[lane] >> 8 & 31;
    int most = (lane & segment) | (clamp & ~segment), least = lane & segment, from = lane;
    bool in = false;
    switch (Mode) {
    case Up:
      from = lane - by, in = from >= most;
      break;
    case Down:
      from = lane + by, in = from <= most;
      break;
    case Butterfly:
      from = lane ^ by, in = from <= most;
      break;
    case Index:
      from = least | (by & ~segment), in = from <= most;
      break;
    }
    if (!in)
      from = lane;
    if (!(warp.mask >> from & 1))
      warp.machine.report(FaultKind::MissingLanes, &op, &warp, lane,
                          "the shuffle reads lane " + std::to_string(from) +
                              ", which does not take part");
    made[lane] = a[from];
    valid |= u32(in) << lane;
    if (warp.definedIn(op.a) >> from & 1)
      sound |= 1u << lane;
    else
      origin = warp.frame->origin[op.a >> 7];
  }
  u32 *d = warp.lanes<u32>(op.d);
  for (unsigned lane = 0; lane < 32; ++lane)
    if (warp.mask >> lane & 1)
      d[lane] = made[lane];
  if (op.e != none) {
    u32 &p = warp.predicate(op.e);
    p = (p & ~warp.mask) | valid;
    warp.define(op.e, warp.mask);
  }
  if (sound != warp.mask)
    warp.undefine(op.d, warp.mask & ~sound, origin == none ? op.id : origin);
  warp.define(op.d, sound);
}

bool decodeShuffle(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  bool sync = m.take("sync");
  int mode = m.takeOne({"up", "down", "bfly", "idx"});
  Type type = m.type();
  if (bitsOf(type) != 32 || mode < 0)
    return decoder.fail("needs .up, .down, .bfly or .idx and .b32");
  if (!sync)
    return decoder.fail("the form without .sync exists only before sm_70");
  if (!decoder.done(m) || !decoder.wants(5))
    return false;
  constexpr Handler handlers[] = {shuffle<Up>, shuffle<Down>, shuffle<Butterfly>, shuffle<Index>};
  const Operand &target = decoder.operand(0);
  bool pair = target.kind == Operand::Pair;
  uint32_t d = decoder.destination(pair ? target.elements[0] : target, type);
  uint32_t e = pair ? decoder.predicateTarget(target.elements[1]) : none;
  uint32_t a = decoder.source(1, type), b = decoder.source(2, Type::B32);
  uint32_t c = decoder.source(3, Type::B32);
  uint32_t *list = decoder.list(1);
  list[0] = decoder.source(4, Type::B32);
  Op &op = decoder.emit(handlers[mode], Class::WarpExchange);
  op.a = a;
  op.b = b;
  op.c = c;
  op.d = d;
  op.e = e;
  op.list = list;
  return !decoder.failed();
}

// vote: a predicate, b member mask.
enum VoteMode { All, Any, Uniform, Ballot };
template <VoteMode Mode> void vote(Warp &warp, const Op &op) {
  uint32_t named;
  if (!members(warp, op, op.b, named))
    return;
  warp.demand(op.a, warp.mask, op, "a vote");
  u32 p = warp.predicate(op.a) & warp.mask;
  if (Mode == Ballot) {
    eachLane<u32>(warp, op.d, [=](unsigned) { return p; });
  } else {
    bool yes = Mode == All ? p == warp.mask : Mode == Any ? p != 0 : p == 0 || p == warp.mask;
    u32 &d = warp.predicate(op.d);
    d = (d & ~warp.mask) | (yes ? warp.mask : 0);
  }
  warp.define(op.d, warp.mask);
}
bool decodeVote(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  bool sync = m.take("sync");
  int mode = m.takeOne({"all", "any", "uni", "ballot"});
  Type type = m.type();
  if (!sync || mode < 0 || type != (mode == Ballot ? Type::B32 : Type::Pred))
    return decoder.fail("this form is not known");
  if (!decoder.done(m) || !decoder.wants(3))
    return false;
  constexpr Handler handlers[] = {vote<All>, vote<Any>, vote<Uniform>, vote<Ballot>};
  uint32_t a = decoder.predicate(decoder.operand(1)), b = decoder.source(2, Type::B32);
  uint32_t d = decoder.destination(0, type);
  Op &op = decoder.emit(handlers[mode], Class::WarpExchange);
  op.a = a;
  op.b = b;
  op.d = d;
  return !decoder.failed();
}

// match: a value, b member mask, d lanes with the same value, e predicate of .all.
template <typename T, bool All> void match(Warp &warp, const Op &op) {
  uint32_t named;
  if (!members(warp, op, op.b, named))
    return;
  warp.demand(op.a, warp.mask, op, "the value of a match");
  const T *a = warp.lanes<T>(op.a);
  u32 same[32] = {};
  for (unsigned i = 0; i < 32; ++i)
    for (unsigned j = 0; j < 32; ++j)
      if ((warp.mask >> i & 1) && (warp.mask >> j & 1) && a[i] == a[j])
        same[i] |= 1u << j;
  bool all = same[std::countr_zero(warp.mask)] == warp.mask;
  u32 mask = warp.mask;
  eachLane<u32>(warp, op.d, [&](unsigned i) { return All ? (all ? mask : 0) : same[i]; });
  warp.define(op.d, mask);
  if (op.e != none) {
    u32 &e = warp.predicate(op.e);
    e = (e & ~mask) | (all ? mask : 0);
    warp.define(op.e, mask);
  }
}
bool decodeMatch(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  bool sync = m.take("sync");
  int mode = m.takeOne({"any", "all"});
  Type type = m.type();
  bool wide = bitsOf(type) == 64;
  if (!sync || mode < 0 || (!wide && bitsOf(type) != 32))
    return decoder.fail("this form is not known");
  if (!decoder.done(m) || !decoder.wants(3))
    return false;
  const Operand &target = decoder.operand(0);
  bool pair = target.kind == Operand::Pair;
  uint32_t a = decoder.source(1, type), b = decoder.source(2, Type::B32);
  uint32_t d = decoder.destination(pair ? target.elements[0] : target, Type::B32);
  uint32_t e = pair ? decoder.predicateTarget(target.elements[1]) : none;
  Op &op = decoder.emit(wide ? (mode ? match<u64, true> : match<u64, false>)
                             : (mode ? match<u32, true> : match<u32, false>),
                        Class::WarpExchange);
  op.a = a;
  op.b = b;
  op.d = d;
  op.e = e;
  return !decoder.failed();
}

// redux: a value, b member mask.
enum Reduction { Add, MinOf, MaxOf, AndOf, OrOf, XorOf };
template <Reduction R, typename T> void reduce(Warp &warp, const Op &op) {
  uint32_t named;
  if (!members(warp, op, op.b, named))
    return;
  warp.demand(op.a, warp.mask, op, "the value of a reduction");
  const u32 *a = warp.lanes<u32>(op.a);
  T r = T(a[std::countr_zero(warp.mask)]);
  for (unsigned i = unsigned(std::countr_zero(warp.mask)) + 1; i < 32; ++i)
    if (warp.mask >> i & 1) {
      T x = T(a[i]);
      switch (R) {
      case Add:
        r = T(u32(r) + u32(x));
        break;
      case MinOf:
        r = x < r ? x : r;
        break;
      case MaxOf:
        r = r < x ? x : r;
        break;
      case AndOf:
        r &= x;
        break;
      case OrOf:
        r |= x;
        break;
      case XorOf:
        r ^= x;
        break;
      }
    }
  eachLane<u32>(warp, op.d, [=](unsigned) { return u32(r); });
  warp.define(op.d, warp.mask);
}
bool decodeReduce(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  bool sync = m.take("sync");
  int what = m.takeOne({"add", "min", "max", "and", "or", "xor"});
  Type type = m.type();
  if (!sync || what < 0 || !isInteger(type) || bitsOf(type) != 32)
    return decoder.fail("this form is not known");
  if (!decoder.done(m) || !decoder.wants(3))
    return false;
  constexpr Handler unsignedForms[] = {reduce<Add, u32>,   reduce<MinOf, u32>, reduce<MaxOf, u32>,
                                       reduce<AndOf, u32>, reduce<OrOf, u32>,  reduce<XorOf, u32>};
  Handler run = unsignedForms[what];
  if (type == Type::S32 && (what == MinOf || what == MaxOf))
    run = what == MinOf ? reduce<MinOf, int32_t> : reduce<MaxOf, int32_t>;
  uint32_t a = decoder.source(1, type), b = decoder.source(2, Type::B32);
  uint32_t d = decoder.destination(0, type);
  Op &op = decoder.emit(run, Class::WarpExchange);
  op.a = a;
  op.b = b;
  op.d = d;
  return !decoder.failed();
}

void activeMask(Warp &warp, const Op &op) {
  u32 mask = warp.mask;
  eachLane<u32>(warp, op.d, [=](unsigned) { return mask; });
}
bool decodeActive(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  if (bitsOf(m.type()) != 32)
    return decoder.fail("needs .b32");
  return decoder.done(m) && emitSimple(decoder, activeMask, Class::WarpExchange, Type::B32, {});
}

/// elect.sync d|p, mask: the lowest lane of the mask.
void elect(Warp &warp, const Op &op) {
  uint32_t named;
  if (!members(warp, op, op.b, named))
    return;
  u32 leader = u32(std::countr_zero(warp.mask));
  if (op.d != none) {
    eachLane<u32>(warp, op.d, [=](unsigned) { return leader; });
    warp.define(op.d, warp.mask);
  }
  u32 &p = warp.predicate(op.e);
  p = (p & ~warp.mask) | 1u << leader;
  warp.define(op.e, warp.mask);
}
bool decodeElect(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  if (!m.take("sync") || !decoder.done(m) || !decoder.wants(2) ||
      decoder.operand(0).kind != Operand::Pair)
    return decoder.fail("this form is not known");
  uint32_t b = decoder.source(1, Type::B32);
  uint32_t d = decoder.destination(decoder.operand(0).elements[0], Type::B32);
  uint32_t e = decoder.predicateTarget(decoder.operand(0).elements[1]);
  Op &op = decoder.emit(elect, Class::WarpExchange);
  op.b = b;
  op.d = d;
  op.e = e;
  return !decoder.failed();
}

} // namespace

const Family tritium::sim::exchangeFamily = {{"shfl", decodeShuffle},      {"vote", decodeVote},
                                             {"match", decodeMatch},       {"redux", decodeReduce},
                                             {"activemask", decodeActive}, {"elect", decodeElect}};
