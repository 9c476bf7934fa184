//===- Matrix.cpp - mma.sync, ldmatrix, stmatrix --------------------------===//
//
// Fragments as PTX lays them out, with g = lane / 4 and t = lane % 4. Products are exact
// and added in double (s32: wrapping integers), then rounded once; the hardware cuts bits
// of its running sum instead, so sums that do not fit differ in the last places.
//
//===----------------------------------------------------------------------===//

#include "../Machine/Access.h"
#include "Arithmetic.h"
#include "Formats.h"

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

double element(Type type, u32 bits) {
  switch (type) {
  case Type::F16:
    return decode(halfFormat, bits);
  case Type::BF16:
    return decode(brainFormat, bits);
  case Type::TF32:
    return asFloat(bits & 0xffffe000);
  case Type::E4M3:
    return decode(e4m3Format, bits);
  case Type::E5M2:
    return decode(e5m2Format, bits);
  case Type::S8:
    return int8_t(bits);
  case Type::U8:
    return uint8_t(bits);
  case Type::S4:
    return int(bits << 28) >> 28;
  case Type::U4:
    return bits & 15;
  default:
    return 0;
  }
}

/// What the list of an mma.sync says: [types of A, B, C, D, k, saturate, the numbers of registers
/// of D, A, B, C, and these registers].
struct Product {
  Type ta, tb, tc, td;
  unsigned k;
  bool saturate;
  unsigned nd, na, nb, nc;
  const uint32_t *rd, *ra, *rb, *rc;

  explicit Product(const uint32_t *list)
      : ta(Type(list[0])), tb(Type(list[1])), tc(Type(list[2])), td(Type(list[3])), k(list[4]),
        saturate(list[5]), nd(list[6]), na(list[7]), nb(list[8]), nc(list[9]), rd(list + 10),
        ra(rd + nd), rb(ra + na), rc(rb + nb) {}
  bool isWide() const { return ta == Type::F64; }
  unsigned rows() const { return na == 1 ? 8 : 16; }
};

/// The matrices as numbers.
struct Matrices {
  double a[16][64], b[64][8], c[16][8];
};

/// Which elements depend on a register that nothing wrote, and where the last of these comes from.
struct Lost {
  const Warp &warp;
  uint32_t id; ///< of the instruction
  u32 rows = 0, columns = 0, elements[16] = {}, origin = none;

  /// Marks `bit` in `mask` if the lane has not written the register.
  void note(u32 &mask, unsigned bit, uint32_t slot, unsigned lane) {
    if (warp.definedIn(slot) >> lane & 1)
      return;
    u32 from = warp.frame->origin[slot >> 7];
    origin = from == none ? id : from;
    mask |= 1u << bit;
  }
  bool isKnown(unsigned row, unsigned column) const {
    return !(rows >> row & 1) && !(columns >> column & 1) && !(elements[row] >> column & 1);
  }
};

/// A and B of f64: a register holds one element.
void readWideFactors(Warp &warp, const Product &p, unsigned lane, Matrices &m, Lost &lost) {
  unsigned g = lane / 4, t = lane % 4;
  bool isSmall = p.rows() == 8;
  for (unsigned i = 0; i < p.na; ++i) {
    unsigned row = isSmall ? g : g + 8 * (i & 1), column = t + 4 * (isSmall ? i : i >> 1);
    m.a[row][column] = asDouble(warp.lanes<u64>(p.ra[i])[lane]);
    lost.note(lost.rows, row, p.ra[i], lane);
  }
  for (unsigned i = 0; i < p.nb; ++i) {
    m.b[t + 4 * i][g] = asDouble(warp.lanes<u64>(p.rb[i])[lane]);
    lost.note(lost.columns, g, p.rb[i], lane);
  }
}

/// A and B of other types: every register of 32 bits holds 32 / bits elements along k.
void readFactors(Warp &warp, const Product &p, unsigned lane, Matrices &m, Lost &lost) {
  unsigned g = lane / 4, t = lane % 4;
  // A register of A: rows g and g + 8 alternate, then the next stretch of k.
  unsigned bitsA = bitsOf(p.ta), perA = 32 / bitsA;
  for (unsigned i = 0; i < p.na; ++i)
    for (unsigned e = 0; e < perA; ++e) {
      unsigned row = g + 8 * (i & 1), column = t * perA + e + 4 * perA * (i >> 1);
      u32 bits = warp.lanes<u32>(p.ra[i])[lane] >> (e * bitsA);
      m.a[row][column] = element(p.ta, bitsA == 32 ? bits : bits & ((1u << bitsA) - 1));
      lost.note(lost.rows, row, p.ra[i], lane);
    }
  unsigned bitsB = bitsOf(p.tb), perB = 32 / bitsB;
  for (unsigned i = 0; i < p.nb; ++i)
    for (unsigned e = 0; e < perB; ++e) {
      u32 bits = warp.lanes<u32>(p.rb[i])[lane] >> (e * bitsB);
      m.b[t * perB + e + 4 * perB * i][g] =
          element(p.tb, bitsB == 32 ? bits : bits & ((1u << bitsB) - 1));
      lost.note(lost.columns, g, p.rb[i], lane);
    }
}

/// C, as D: (g, 2t), (g, 2t + 1), (g + 8, ...).
void readSummand(Warp &warp, const Product &p, unsigned lane, Matrices &m, Lost &lost) {
  unsigned g = lane / 4, t = lane % 4, perC = p.tc == Type::F16 ? 2 : 1;
  for (unsigned i = 0; i < p.nc * perC; ++i) {
    unsigned row = g + 8 * (i >> 1), column = 2 * t + (i & 1);
    uint32_t slot = p.rc[i / perC];
    double &c = m.c[row][column];
    if (p.isWide())
      c = asDouble(warp.lanes<u64>(slot)[lane]);
    else if (p.tc == Type::F32)
      c = asFloat(warp.lanes<u32>(slot)[lane]);
    else if (p.tc == Type::S32)
      c = int32_t(warp.lanes<u32>(slot)[lane]);
    else
      c = decode(halfFormat, warp.lanes<u32>(slot)[lane] >> 16 * (i & 1) & 0xffff);
    lost.note(lost.elements[row], column, slot, lane);
  }
}

void writeSum(Warp &warp, const Product &p, const double (&d)[16][8], const Lost &lost) {
  unsigned perD = p.td == Type::F16 ? 2 : 1;
  for (unsigned i = 0; i < p.nd; ++i) {
    u32 sound = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned g = lane / 4, t = lane % 4;
      bool known = true;
      u32 word = 0;
      for (unsigned e = 0; e < perD; ++e) {
        unsigned index = i * perD + e, row = g + 8 * (index >> 1), column = 2 * t + (index & 1);
        double r = d[row][column];
        known &= lost.isKnown(row, column);
        if (p.isWide()) {
          warp.lanes<u64>(p.rd[i])[lane] = asBits(r);
        } else if (p.td == Type::F32) {
          word = encode(singleFormat, r);
        } else if (p.td == Type::S32) {
          if (p.saturate)
            r = r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : r;
          word = u32(int64_t(r));
        } else {
          word |= encode(halfFormat, r) << 16 * e;
        }
      }
      if (!p.isWide())
        warp.lanes<u32>(p.rd[i])[lane] = word;
      sound |= u32(known) << lane;
    }
    warp.define(p.rd[i], sound);
    if (sound != allLanes)
      warp.undefine(p.rd[i], ~sound, lost.origin);
  }
}

void multiply(Warp &warp, const Op &op) {
  if (!warp.gather(op, allLanes))
    return;
  if (warp.mask != allLanes) {
    warp.machine.report(FaultKind::MissingLanes, &op, &warp, std::countr_zero(~warp.mask),
                        "mma.sync needs all 32 lanes of the warp");
    return;
  }
  Product p(op.list);
  static thread_local Matrices gathered;
  Matrices &m = gathered;
  Lost lost{warp, op.id};
  ++warp.machine.tallies[op.id].matrixOperations;
  bool wide = p.isWide(), integer = p.tc == Type::S32;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (wide)
      readWideFactors(warp, p, lane, m, lost);
    else
      readFactors(warp, p, lane, m, lost);
    readSummand(warp, p, lane, m, lost);
  }
  double d[16][8];
  for (unsigned row = 0; row < p.rows(); ++row)
    for (unsigned column = 0; column < 8; ++column) {
      double c = m.c[row][column], sum = wide ? c : 0;
      for (unsigned i = 0; i < p.k; ++i)
        sum =
            wide ? std::fma(m.a[row][i], m.b[i][column], sum) : sum + m.a[row][i] * m.b[i][column];
      d[row][column] = wide ? sum : integer ? sum + c : addToOdd(sum, c);
    }
  writeSum(warp, p, d, lost);
}

bool decodeMultiply(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  if (!m.take("sync"))
    return decoder.fail("needs .sync");
  m.take("aligned");
  if (!m.take("row") || !m.take("col"))
    return decoder.fail("needs .row.col");
  constexpr unsigned ks[] = {4, 16, 4, 8, 16, 32, 64};
  int shape =
      m.takeOne({"m8n8k4", "m8n8k16", "m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32", "m16n8k64"});
  bool saturate = m.take("satfinite");
  m.take("kind::f8f6f4");
  Type td = m.type(), ta = m.type(), tb = m.type(), tc = m.type();
  if (shape < 0 || shape > 6)
    return decoder.fail("this shape is not known");
  unsigned k = ks[shape], bits = bitsOf(ta);
  auto isByte = [](Type t) { return t == Type::S8 || t == Type::U8; };
  auto isNibble = [](Type t) { return t == Type::S4 || t == Type::U4; };
  auto isFp8 = [](Type t) { return t == Type::E4M3 || t == Type::E5M2; };
  bool fits = false;
  bool isSmall = shape < 2; // 8 rows
  if (ta == Type::F64)
    fits = tb == ta && tc == ta && td == ta && shape != 1;
  else if (isSmall)
    fits = shape == 1 && isByte(ta) && isByte(tb) && tc == Type::S32 && td == Type::S32;
  else if (ta == Type::F16 && tb == ta)
    fits = (k == 8 || k == 16) && (tc == Type::F16 || tc == Type::F32) &&
           (td == Type::F16 || td == Type::F32);
  else if (ta == Type::BF16 && tb == ta)
    fits = (k == 8 || k == 16) && tc == Type::F32 && td == Type::F32;
  else if (ta == Type::TF32 && tb == ta)
    fits = (k == 4 || k == 8) && tc == Type::F32 && td == Type::F32;
  else if (isByte(ta) && isByte(tb))
    fits = (k == 16 || k == 32) && tc == Type::S32 && td == Type::S32;
  else if (isNibble(ta) && isNibble(tb))
    fits = (k == 32 || k == 64) && tc == Type::S32 && td == Type::S32;
  else if (isFp8(ta) && isFp8(tb))
    fits = (k == 16 || k == 32) && (tc == Type::F32 || tc == Type::F16) && td == tc;
  if (!fits)
    return decoder.fail("this combination of shape and types is not known");
  if (!decoder.done(m) || !decoder.wants(4))
    return false;
  unsigned rows = isSmall ? 8 : 16;
  // Registers of 32 bits (f64: 64) of each fragment.
  unsigned word = ta == Type::F64 ? 64 : 32;
  unsigned counts[4] = {rows * 8 * bitsOf(td) / (32 * std::max(word, bitsOf(td))),
                        rows * k * bits / (32 * word), 8 * k * bitsOf(tb) / (32 * word),
                        rows * 8 * bitsOf(tc) / (32 * std::max(word, bitsOf(tc)))};
  Type registers[4] = {td == Type::F16 ? Type::B32 : td, ta == Type::F64 ? ta : Type::B32,
                       tb == Type::F64 ? tb : Type::B32, tc == Type::F16 ? Type::B32 : tc};
  uint32_t *list = decoder.list(10 + counts[0] + counts[1] + counts[2] + counts[3]);
  uint32_t *next = list + 10;
  list[0] = uint32_t(ta);
  list[1] = uint32_t(tb);
  list[2] = uint32_t(tc);
  list[3] = uint32_t(td);
  list[4] = k;
  list[5] = saturate;
  for (unsigned i = 0; i < 4; ++i) {
    list[6 + i] = counts[i];
    const Operand &operand = decoder.operand(i);
    size_t have = operand.kind == Operand::Vector ? operand.elements.size() : 1;
    if (have != counts[i])
      return decoder.fail("operand " + std::to_string(i + 1) + " needs " +
                          std::to_string(counts[i]) + " registers, but has " +
                          std::to_string(have));
    for (unsigned e = 0; e < counts[i]; ++e) {
      const Operand &part = operand.kind == Operand::Vector ? operand.elements[e] : operand;
      *next++ =
          i == 0 ? decoder.destination(part, registers[i]) : decoder.source(part, registers[i]);
    }
  }
  decoder.emit(multiply, Class::Matrix).list = list;
  return !decoder.failed();
}

// ldmatrix, stmatrix: count matrices of 8 rows of 16 bytes; lane 8 i + r has the address of
// row r of matrix i. target keeps the width of addresses; bytes 1: transposed.
template <bool Store> void moveMatrix(Warp &warp, const Op &op) {
  if (!warp.gather(op, allLanes))
    return;
  if (warp.mask != allLanes) {
    warp.machine.report(FaultKind::MissingLanes, &op, &warp, std::countr_zero(~warp.mask),
                        "the instruction needs all 32 lanes of the warp");
    return;
  }
  u32 rows = op.count == 4 ? allLanes : (1u << 8 * op.count) - 1;
  warp.demand(op.a, rows, op, "an address");
  uint64_t addresses[32];
  laneAddresses(warp, op, addresses);
  Tally &tally = warp.machine.tallies[op.id];
  ++tally.sharedRequests;
  (Store ? tally.sharedBytesWritten : tally.sharedBytesRead) += 128 * op.count;
  tally.idealWavefronts += op.count;
  bool transposed = op.bytes;
  for (unsigned i = 0; i < op.count; ++i) {
    tally.wavefronts += countWavefronts(addresses, 0xffu << 8 * i, 16);
    uint16_t matrix[8][8] = {};
    uint32_t rowSound[8];
    uint8_t *memory[8];
    Located located[8];
    for (unsigned r = 0; r < 8; ++r) {
      unsigned lane = 8 * i + r;
      memory[r] = warp.resolve(op, Space::Shared, addresses[lane] & windowMask, lane, 16, Store,
                               located[r]);
      rowSound[r] = 0xff;
      if (!Store && memory[r]) {
        noteAccess(warp, op, lane, located[r], 16, AccessMode::Read);
        std::memcpy(matrix[r], memory[r], 16);
        for (unsigned c = 0; c < 8; ++c)
          if (!located[r].definedness[2 * c] || !located[r].definedness[2 * c + 1])
            rowSound[r] &= ~(1u << c);
      }
    }
    u32 *data = warp.lanes<u32>(op.list[i]), sound = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned row = lane / 4, column = 2 * (lane % 4);
      bool known = warp.definedIn(op.list[i]) >> lane & 1;
      if (!Store) {
        known = true;
        data[lane] = 0;
      }
      for (unsigned e = 0; e < 2; ++e) {
        unsigned r = transposed ? column + e : row, c = transposed ? row : column + e;
        if (Store) {
          matrix[r][c] = uint16_t(data[lane] >> 16 * e);
          if (!known)
            rowSound[r] &= ~(1u << c);
        } else {
          data[lane] |= u32(matrix[r][c]) << 16 * e;
          known &= rowSound[r] >> c & 1;
        }
      }
      sound |= u32(known) << lane;
    }
    if (!Store) {
      warp.define(op.list[i], sound);
      if (sound != allLanes)
        warp.undefine(op.list[i], ~sound, op.id);
      continue;
    }
    for (unsigned r = 0; r < 8; ++r)
      if (memory[r]) {
        noteAccess(warp, op, 8 * i + r, located[r], 16, AccessMode::Write,
                   unchangedBytes(memory[r], reinterpret_cast<const uint8_t *>(matrix[r]), 16));
        std::memcpy(memory[r], matrix[r], 16);
        for (unsigned c = 0; c < 16; ++c)
          located[r].definedness[c] = rowSound[r] >> c / 2 & 1;
      }
  }
}

bool decodeMove(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  bool store = decoder.instruction().opcode == "stmatrix";
  bool sync = m.take("sync");
  m.take("aligned");
  int size = m.takeOne({"x1", "x2", "x4"});
  bool transposed = m.take("trans");
  bool shape = m.take("m8n8");
  if (!m.take("shared"))
    m.take("shared::cta");
  if (!sync || size < 0 || !shape || m.type() != Type::B16)
    return decoder.fail("needs .sync.aligned.m8n8, .x1, .x2 or .x4, and .b16");
  if (!decoder.done(m) || !decoder.wants(2))
    return false;
  unsigned count = 1u << size;
  const Operand &data = decoder.operand(store ? 1 : 0);
  if ((data.kind == Operand::Vector ? data.elements.size() : 1) != count)
    return decoder.fail("needs " + std::to_string(count) + " registers");
  uint32_t *list = decoder.list(count);
  for (unsigned i = 0; i < count; ++i) {
    const Operand &part = data.kind == Operand::Vector ? data.elements[i] : data;
    list[i] = store ? decoder.source(part, Type::B32) : decoder.destination(part, Type::B32);
  }
  Op &op = decoder.emit(store ? moveMatrix<true> : moveMatrix<false>, Class::MatrixMemory);
  if (!decoder.address(decoder.operand(store ? 0 : 1), op))
    return false;
  op.list = list;
  op.count = uint8_t(count);
  op.bytes = transposed;
  op.space = Space::Shared;
  return !decoder.failed();
}

} // namespace

const Family tritium::sim::matrixFamily = {
    {"mma", decodeMultiply}, {"ldmatrix", decodeMove}, {"stmatrix", decodeMove}};
