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

// list: [packed shape..., registers of d, a, b, c]. Elements of A, B as numbers, by lane
// and position: every 32-bit register holds 32 / bits of them along k.
void multiply(Warp &warp, const Op &op) {
  if (!warp.gather(op, allLanes))
    return;
  if (warp.mask != allLanes) {
    warp.machine.report(FaultKind::MissingLanes, &op, &warp, std::countr_zero(~warp.mask),
                        "mma.sync needs all 32 lanes of the warp");
    return;
  }
  const uint32_t *head = op.list;
  Type ta = Type(head[0]), tb = Type(head[1]), tc = Type(head[2]), td = Type(head[3]);
  unsigned k = head[4];
  bool saturate = head[5];
  unsigned nd = head[6], na = head[7], nb = head[8], nc = head[9];
  const uint32_t *rd = head + 10, *ra = rd + nd, *rb = ra + na, *rc = rb + nb;
  static thread_local double A[16][64], B[64][8], C[16][8];
  bool wide = ta == Type::F64, integer = tc == Type::S32;
  unsigned m = na == 1 ? 8 : 16;
  u32 lostRow = 0, lostColumn = 0, lost[32] = {}, origin = none;
  auto soundness = [&](uint32_t slot, unsigned lane) {
    bool sound = warp.definedIn(slot) >> lane & 1;
    if (!sound) {
      u32 from = warp.frame->origin[slot >> 7];
      origin = from == none ? op.id : from;
    }
    return sound;
  };
  ++warp.machine.tallies[op.id].matrixOperations;
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned g = lane / 4, t = lane % 4;
    if (wide) {
      for (unsigned i = 0; i < na; ++i) {
        unsigned row = m == 8 ? g : g + 8 * (i & 1), column = t + 4 * (m == 8 ? i : i >> 1);
        A[row][column] = asDouble(warp.lanes<u64>(ra[i])[lane]);
        if (!soundness(ra[i], lane))
          lostRow |= 1u << row;
      }
      for (unsigned i = 0; i < nb; ++i) {
        B[t + 4 * i][g] = asDouble(warp.lanes<u64>(rb[i])[lane]);
        if (!soundness(rb[i], lane))
          lostColumn |= 1u << g;
      }
    } else {
      // A register of A: rows g and g + 8 alternate, then the next stretch of k.
      unsigned bitsA = bitsOf(ta), perA = 32 / bitsA;
      for (unsigned i = 0; i < na; ++i)
        for (unsigned e = 0; e < perA; ++e) {
          unsigned row = g + 8 * (i & 1), column = t * perA + e + 4 * perA * (i >> 1);
          u32 bits = warp.lanes<u32>(ra[i])[lane] >> (e * bitsA);
          A[row][column] = element(ta, bitsA == 32 ? bits : bits & ((1u << bitsA) - 1));
          if (!soundness(ra[i], lane))
            lostRow |= 1u << row;
        }
      unsigned bitsB = bitsOf(tb), perB = 32 / bitsB;
      for (unsigned i = 0; i < nb; ++i)
        for (unsigned e = 0; e < perB; ++e) {
          u32 bits = warp.lanes<u32>(rb[i])[lane] >> (e * bitsB);
          B[t * perB + e + 4 * perB * i][g] =
              element(tb, bitsB == 32 ? bits : bits & ((1u << bitsB) - 1));
          if (!soundness(rb[i], lane))
            lostColumn |= 1u << g;
        }
    }
    // C and D: (g, 2t), (g, 2t + 1), (g + 8, ...).
    unsigned perC = tc == Type::F16 ? 2 : 1;
    for (unsigned i = 0; i < nc * perC; ++i) {
      unsigned row = g + 8 * (i >> 1), column = 2 * t + (i & 1);
      uint32_t slot = rc[i / perC];
      if (wide)
        C[row][column] = asDouble(warp.lanes<u64>(slot)[lane]);
      else if (tc == Type::F32)
        C[row][column] = asFloat(warp.lanes<u32>(slot)[lane]);
      else if (tc == Type::S32)
        C[row][column] = int32_t(warp.lanes<u32>(slot)[lane]);
      else
        C[row][column] = decode(halfFormat, warp.lanes<u32>(slot)[lane] >> 16 * (i & 1) & 0xffff);
      if (!soundness(slot, lane))
        lost[row] |= 1u << column;
    }
  }
  double D[16][8];
  for (unsigned row = 0; row < m; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      double sum = wide ? C[row][column] : 0;
      for (unsigned i = 0; i < k; ++i)
        sum = wide ? std::fma(A[row][i], B[i][column], sum) : sum + A[row][i] * B[i][column];
      D[row][column] = wide ? sum : integer ? sum + C[row][column] : addToOdd(sum, C[row][column]);
    }
  unsigned perD = td == Type::F16 ? 2 : 1;
  for (unsigned i = 0; i < nd; ++i) {
    u32 sound = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned g = lane / 4, t = lane % 4;
      bool known = true;
      u32 word = 0;
      for (unsigned e = 0; e < perD; ++e) {
        unsigned index = i * perD + e, row = g + 8 * (index >> 1), column = 2 * t + (index & 1);
        double r = D[row][column];
        known &= !(lostRow >> row & 1) && !(lostColumn >> column & 1) && !(lost[row] >> column & 1);
        if (wide) {
          warp.lanes<u64>(rd[i])[lane] = asBits(r);
        } else if (td == Type::F32) {
          word = encode(singleFormat, r);
        } else if (td == Type::S32) {
          if (saturate)
            r = r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : r;
          word = u32(int64_t(r));
        } else {
          word |= encode(halfFormat, r) << 16 * e;
        }
      }
      if (!wide)
        warp.lanes<u32>(rd[i])[lane] = word;
      sound |= u32(known) << lane;
    }
    warp.define(rd[i], sound);
    if (sound != allLanes)
      warp.undefine(rd[i], ~sound, origin);
  }
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
