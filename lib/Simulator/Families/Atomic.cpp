//===- Atomic.cpp - atom, red ---------------------------------------------===//

#include "Atomic.h"
#include "../Machine/Access.h"
#include "Arithmetic.h"
#include "Formats.h"

#include "llvm/ADT/ArrayRef.h"

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

using What = AtomicKind;
using enum AtomicKinds::Kind;

// Op: a address, b operand, c second operand of cas, d result; e: What; offset stays the
// address's; bytes of an element; count: elements of a vector; list[0]: Type, list[1]: whether 1 is
// added; from list[firstOfVector] on: the operands of a vector, in place of b.
constexpr unsigned firstOfVector = 2;

template <typename T> T integerAtomic(What what, T old, T b, T c) {
  switch (what) {
  case And:
    return old & b;
  case Or:
    return old | b;
  case Xor:
    return old ^ b;
  case Exch:
    return b;
  case Add:
    return T(u64(old) + u64(b));
  case Inc:
    return old >= b ? T(0) : T(old + 1);
  case Dec:
    return old == 0 || old > b ? b : T(old - 1);
  case Min:
    return b < old ? b : old;
  case Max:
    return old < b ? b : old;
  case Cas:
    return old == b ? c : old;
  }
  return old;
}

u64 halfAtomic(const Format &format, What what, u64 old, u64 b) {
  if (what == Min || what == Max) {
    // A NaN gives way to a number.
    double x = decode(format, old & 0xffff), y = decode(format, b & 0xffff);
    bool takes = x != x || (what == Min ? y < x : x < y);
    return (takes ? b : old) & 0xffff;
  }
  return encode(format, addToOdd(decode(format, old & 0xffff), decode(format, b & 0xffff)));
}

} // namespace

u64 tritium::sim::applyAtomic(Type type, What what, u64 old, u64 b, u64 c) {
  switch (type) {
  case Type::S32:
    return u32(integerAtomic<int32_t>(what, int32_t(old), int32_t(b), int32_t(c)));
  case Type::S64:
    return u64(integerAtomic<int64_t>(what, int64_t(old), int64_t(b), int64_t(c)));
  case Type::B16:
    return integerAtomic<uint16_t>(what, uint16_t(old), uint16_t(b), uint16_t(c));
  case Type::U32:
  case Type::B32:
    return integerAtomic<u32>(what, u32(old), u32(b), u32(c));
  case Type::U64:
  case Type::B64:
    return integerAtomic<u64>(what, old, b, c);
  case Type::F32: {
    float r = asFloat(u32(old)) + asFloat(u32(b));
    return r != r ? 0x7fffffff : asBits(r);
  }
  case Type::F64:
    return asBits(asDouble(old) + asDouble(b));
  case Type::F16:
    return halfAtomic(halfFormat, what, old, b);
  case Type::BF16:
    return halfAtomic(brainFormat, what, old, b);
  case Type::F16x2:
    return halfAtomic(halfFormat, what, old, b) | halfAtomic(halfFormat, what, old >> 16, b >> 16)
                                                      << 16;
  case Type::BF16x2:
    return halfAtomic(brainFormat, what, old, b) | halfAtomic(brainFormat, what, old >> 16, b >> 16)
                                                       << 16;
  default:
    return old;
  }
}

namespace {

/// Bytes that a compare-and-swap leaves alone although it changes their word are neither read nor
/// written: they lie beside a number of 8 or 16 bits, and other threads may use them. One that
/// changes nothing reads.
void noteAtomic(Warp &warp, const Op &op, unsigned lane, const Located &located,
                const std::optional<EdgeWord> &edge, u64 old, u64 made) {
  uint64_t all = (uint64_t(1) << op.bytes) - 1, unchanged = 0;
  if (What(op.e) == What::Cas && (edge || located.range) && !warp.machine.launch.checkSameValue)
    unchanged = unchangedBytes(reinterpret_cast<const uint8_t *>(&old),
                               reinterpret_cast<const uint8_t *>(&made), op.bytes);
  AccessMode mode = unchanged == all ? AccessMode::Read : AccessMode::Write;
  if (unchanged == all)
    unchanged = 0;
  if (edge)
    return edge->note(warp, op, lane, mode, unchanged);
  if (!unchanged)
    return noteAccess(warp, op, lane, located, op.bytes, mode);
  Located byte = located;
  for (unsigned i = 0; i < op.bytes; ++i, ++byte.offset)
    if (!(unchanged >> i & 1))
      noteAccess(warp, op, lane, byte, 1, mode);
}

/// Which sectors a request changes, and how often one after the other: numbers of a sector at the
/// same time, one number as often as lanes change it.
void countSectors(Warp &warp, const Op &op, const uint64_t (&addresses)[32], bool areFloats) {
  Tally &tally = warp.machine.tallies[op.id];
  uint32_t mask = warp.mask;
  // Which CTAs are simulated may follow a stride: the parts do not.
  Tally::Places &places = tally.atomicPlaces[warp.cta.linear * 0x9E3779B9u >> 31];
  std::array<unsigned, 32> times{};
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    unsigned first = lane, same = 1; // first: of the lanes in this sector
    for (unsigned other = 0; other < lane; ++other) {
      if (!(mask >> other & 1))
        continue;
      if (addresses[other] / 32 == addresses[lane] / 32)
        first = std::min(first, other);
      same += addresses[other] == addresses[lane];
    }
    times[first] = std::max(times[first], same);
    unsigned hash = static_cast<unsigned>((addresses[lane] / 32 * 0x9E3779B97F4A7C15u) >> 57);
    places[hash / 64] |= uint64_t(1) << hash % 64;
  }
  for (unsigned each : times) {
    tally.atomicChanges += each > 0;
    tally.atomicPasses += each;
    // Each waits for the sum of the one before; of different numbers floats are as fast as
    // integers.
    tally.floatAtomicPasses += areFloats && each > 1 ? each : 0;
  }
}

void run(Warp &warp, const Op &op) {
  warp.demand(op.a, warp.mask, op, "an address");
  warp.demand(op.b, warp.mask, op, "the operand of an atomic");
  if (op.c != none)
    warp.demand(op.c, warp.mask, op, "the operand of an atomic");
  uint64_t addresses[32];
  laneAddresses(warp, op, addresses);
  Tally &tally = warp.machine.tallies[op.id];
  tally.atomics += unsigned(std::popcount(warp.mask));
  bool wide = op.bytes == 8;
  Type type = Type(op.list[0]);
  What what = What(op.e);
  bool counted = false;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(warp.mask >> lane & 1))
      continue;
    Located located;
    auto edge = EdgeWord::at(warp, op, addresses[lane], op.bytes);
    uint8_t *at =
        edge ? nullptr : warp.resolve(op, op.space, addresses[lane], lane, op.bytes, true, located);
    if (!at && !edge)
      continue;
    if (!counted && (edge || located.range)) {
      countGlobal(warp, op, addresses, op.bytes, true);
      countSectors(warp, op, addresses, isFloat(type));
    } else if (!counted)
      countSharedAtomic(warp, op, addresses, op.bytes, op.list[1] != 0);
    counted = true;
    if (located.definedness && !*located.definedness && warp.machine.launch.checkUndefined) {
      warp.machine.report(FaultKind::Undefined, &op, &warp, int(lane),
                          "an atomic works on shared memory that nothing has written");
      std::memset(located.definedness, 1, op.bytes);
    }
    if (op.releases)
      release(warp, op, addresses[lane]);
    u64 old = edge ? edge->read() : 0;
    if (!edge)
      std::memcpy(&old, at, op.bytes);
    u64 b = wide ? warp.lanes<u64>(op.b)[lane] : warp.lanes<u32>(op.b)[lane];
    u64 c = op.c == none ? 0 : wide ? warp.lanes<u64>(op.c)[lane] : warp.lanes<u32>(op.c)[lane];
    u64 made = applyAtomic(type, what, old, b, c);
    noteAtomic(warp, op, lane, located, edge, old, made);
    acquire(warp, op, addresses[lane]);
    if (!op.releases)
      release(warp, op, addresses[lane]);
    if (!edge)
      std::memcpy(at, &made, op.bytes);
    else if (!edge->write(u32(made))) // says what is outside of the buffer
      warp.resolve(op, op.space, addresses[lane], lane, op.bytes, true, located);
    if (op.d != none) {
      if (wide)
        warp.lanes<u64>(op.d)[lane] = old;
      else
        warp.lanes<u32>(op.d)[lane] = u32(old);
    }
  }
  if (op.d != none)
    warp.define(op.d, warp.mask);
}

/// A vector in global memory is one request, and each element an atomic of its own.
void runVector(Warp &warp, const Op &op) {
  warp.demand(op.a, warp.mask, op, "an address");
  llvm::ArrayRef<uint32_t> operands(op.list + firstOfVector, op.count);
  for (uint32_t operand : operands)
    warp.demand(operand, warp.mask, op, "the operand of an atomic");
  uint64_t addresses[32];
  laneAddresses(warp, op, addresses);
  Tally &tally = warp.machine.tallies[op.id];
  tally.atomics += unsigned(std::popcount(warp.mask));
  uint32_t bytes = uint32_t(op.bytes) * op.count;
  bool counted = false;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(warp.mask >> lane & 1))
      continue;
    Located located;
    uint64_t address = addresses[lane];
    uint8_t *at = warp.resolve(op, op.space, address, lane, bytes, true, located);
    if (!at)
      continue;
    if (!counted) {
      countGlobal(warp, op, addresses, bytes, true);
      countSectors(warp, op, addresses, true);
    }
    counted = true;
    for (uint32_t operand : operands) {
      if (op.releases)
        release(warp, op, address);
      u64 old = 0;
      std::memcpy(&old, at, op.bytes);
      u64 made = applyAtomic(Type(op.list[0]), What(op.e), old, warp.lanes<u32>(operand)[lane], 0);
      noteAccess(warp, op, lane, located, op.bytes, AccessMode::Write);
      acquire(warp, op, address);
      if (!op.releases)
        release(warp, op, address);
      std::memcpy(at, &made, op.bytes);
      at += op.bytes;
      address += op.bytes;
      located.offset += op.bytes;
    }
  }
}

/// red of a vector: one operand for each element.
bool decodeVector(Decoder &decoder, Op &op, const Operand &operand, Type type) {
  if (operand.kind != Operand::Vector || operand.elements.size() != op.count)
    return decoder.fail("wants " + std::to_string(op.count) + " registers");
  uint32_t *list = decoder.list(firstOfVector + op.count);
  list[0] = uint32_t(type);
  list[1] = 0;
  for (unsigned k = 0; k < op.count; ++k)
    list[firstOfVector + k] = decoder.source(operand.elements[k], type);
  op.list = list;
  return !decoder.failed();
}

bool decodeAtomic(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  bool reduces = decoder.instruction().opcode == "red";
  int order = m.takeOne({"relaxed", "acquire", "release", "acq_rel"});
  m.takeOne({"cta", "cluster", "gpu", "sys"});
  int space = m.takeOne({"global", "shared", "shared::cta", "shared::cluster"});
  int what = m.takeOne({"and", "or", "xor", "exch", "add", "inc", "dec", "min", "max", "cas"});
  m.take("noftz");
  bool hint = m.take("L2::cache_hint");
  int vector = m.takeOne({"v2", "v4", "v8"});
  unsigned count = vector < 0 ? 1 : 2u << vector;
  Type type = m.type();
  unsigned bits = bitsOf(type);
  bool isVector = reduces && space == 0 && isFloat(type) && bits <= 32 && count * bits <= 128;
  if (count > 1 && !isVector)
    return decoder.fail("this form of a vector is not known");
  bool fits = what >= 0 && bits >= 16 && bits <= 64 && type != Type::F32x2;
  if (isFloat(type))
    fits &= what == Add;
  else
    fits &= bits >= 32 || (what == Cas && type == Type::B16);
  fits &= (what != Inc && what != Dec) || type == Type::U32;
  if (!fits || (what == Cas && reduces))
    return decoder.fail("this form is not known");
  size_t first = reduces ? 0 : 1;
  if (!decoder.done(m) || !decoder.wants(first + (what == Cas ? 3 : 2) + hint))
    return false;
  uint32_t b = count > 1 ? none : decoder.source(first + 1, type);
  uint32_t c = what == Cas ? decoder.source(first + 2, type) : none;
  bool drops = reduces || (decoder.operand(0).kind == Operand::Sink);
  uint32_t d = drops ? none : decoder.destination(0, type);
  uint32_t *list = decoder.list(2);
  list[0] = uint32_t(type);
  const Operand &added = decoder.operand(first + 1);
  list[1] = what == Add && bits == 32 && isInteger(type) && added.kind == Operand::Integer &&
            added.value == 1;
  Op &op = decoder.emit(count > 1 ? runVector : run, Class::Atomic);
  if (!decoder.address(decoder.operand(first), op))
    return false;
  op.b = b;
  op.c = c;
  op.d = d;
  op.e = uint32_t(what);
  op.list = list;
  op.bytes = uint8_t(bits / 8);
  op.space = space < 0 ? Space::Generic : space == 0 ? Space::Global : Space::Shared;
  op.strong = true;
  op.acquires = order == 1 || order == 3;
  op.releases = order >= 2;
  op.count = uint8_t(count);
  if (count > 1)
    return decodeVector(decoder, op, added, type);
  return !decoder.failed();
}

} // namespace

const Family tritium::sim::atomicFamily = {{"atom", decodeAtomic}, {"red", decodeAtomic}};
