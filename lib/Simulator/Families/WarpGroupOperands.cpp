//===- WarpGroupOperands.cpp - A and B of wgmma ---------------------------===//
//
// A descriptor names a matrix in shared memory by its start, two strides and a swizzle. In
// units of elements, T of them in 16 bytes, the canonical layouts are (line, k):
//
//                 k contiguous                  transposed
//   no swizzle    ((8,m),(T,2)) :               ((T,1,m),(8,j)) :
//                 ((T,stride),(1,leading))      ((1,T,stride),(T,leading))
//   S bytes,      ((8,m),(T,2)) :               ((T,w,m),(8,j)) :
//   w = S / 16    ((w T,stride),(1,T))          ((1,T,leading),(w T,stride))
//
// A swizzle then permutes the 16-byte pieces of a row of S bytes: bits 4 and up of the address
// are XORed with as many of its bits from 7 on. These are bits of the absolute address, so
// that a start within a row or a pattern reads what a copy with the same swizzle has written.
//
//===----------------------------------------------------------------------===//

#include "Formats.h"
#include "WarpGroup.h"

#include <algorithm>

using namespace tritium::sim;
using namespace tritium::sim::ptx;

SharedMatrix::SharedMatrix(uint64_t descriptor, bool isTransposed) : isTransposed(isTransposed) {
  auto field = [&](unsigned at) { return uint32_t(descriptor >> at & 0x3fff) << 4; };
  constexpr uint32_t swizzles[] = {0, 128, 64, 32};
  constexpr uint64_t known = 0xc00e3fff3fff3fff;
  start = field(0);
  leading = field(16);
  stride = field(32);
  swizzle = swizzles[descriptor >> 62];
  baseOffset = descriptor >> 49 & 7;
  hasUnknownBits = descriptor & ~known;
}

uint32_t SharedMatrix::linear(unsigned outer, unsigned inner) const {
  uint32_t row = swizzle ? swizzle : pieceBytes;
  uint32_t at = start + outer % 8 * row;
  if (!isTransposed)
    return at + outer / 8 * stride + inner * (swizzle ? pieceBytes : leading);
  if (!swizzle)
    return at + outer / 8 * leading + inner * stride;
  unsigned wide = swizzle / pieceBytes;
  return at + outer / 8 * stride + inner % wide * pieceBytes + inner / wide * leading;
}

uint32_t SharedMatrix::address(unsigned outer, unsigned inner) const {
  uint32_t at = linear(outer, inner);
  uint32_t bits = swizzle ? swizzle - pieceBytes : 0; // of the place within a row
  return at ^ (at >> 3 & bits);
}

/// Rows of the swizzle begin at multiples of it, so that no piece leaves the row that it is in, and
/// the last row ends within the memory.
bool SharedMatrix::fitsPlainly(unsigned lines, uint64_t sharedBytes) const {
  uint32_t row = swizzle ? swizzle : pieceBytes;
  unsigned outers = isTransposed ? 16 : lines, inners = isTransposed ? lines / 8 : 2;
  uint32_t last = linear(outers - 1, inners - 1);
  return ((start | stride | leading) & (row - 1)) == 0 && (last | (row - 1)) < sharedBytes;
}

bool SharedMatrix::check(unsigned lines, uint64_t sharedBytes, Problem &problem) const {
  if (hasUnknownBits) {
    problem = {FaultKind::Unsupported,
               "has bits set that mean nothing: an address or a stride does not fit its field", 0};
    return false;
  }
  if (baseOffset) {
    problem = {FaultKind::Unsupported,
               "has a base offset; only operands whose swizzle follows the bits of the address "
               "are run, with base offset 0",
               start};
    return false;
  }
  if (fitsPlainly(lines, sharedBytes))
    return true;
  bool fits = true;
  visit(0, lines, [&](uint32_t at, unsigned outer, unsigned inner) {
    if (!fits)
      return;
    if (at + pieceBytes > sharedBytes) {
      problem = {FaultKind::OutOfBounds,
                 "reaches outside the CTA's shared memory (" + std::to_string(sharedBytes) +
                     " bytes)",
                 at};
      fits = false;
    } else if (swizzle && linear(outer, inner) % swizzle !=
                              start % swizzle + inner % (swizzle / pieceBytes) * pieceBytes) {
      // The canonical layout has a row of the swizzle in one piece.
      problem = {FaultKind::Misaligned,
                 "cuts rows of its swizzle in two: the start within a row of " +
                     std::to_string(swizzle) +
                     " bytes leaves too little of it, or a stride is "
                     "no multiple of it",
                 at};
      fits = false;
    }
  });
  return fits;
}

/// As decode(halfFormat, .), without a branch.
static float halfValue(u32 bits) {
  float value = asFloat((bits & 0x7fff) << 13) * 0x1p112f;
  u32 special = 0x7f800000 | (bits & 0x3ff) << 13;
  u32 magnitude = (bits & 0x7c00) == 0x7c00 ? special : asBits(value);
  return asFloat(magnitude | (bits & 0x8000) << 16);
}

/// The values of an 8-bit float by its bits.
static const float *valuesOf(const Format &format) {
  auto make = [](const Format &of) {
    std::array<float, 256> made;
    for (u32 i = 0; i < 256; ++i)
      made[i] = float(decode(of, i));
    return made;
  };
  static const std::array<float, 256> e4m3 = make(e4m3Format), e5m2 = make(e5m2Format);
  return (&format == &e4m3Format ? e4m3 : e5m2).data();
}

/// Bits of an element, and their value.
template <Type T> struct Element;
template <> struct Element<Type::F16> {
  using Bits = uint16_t;
  static double value(Bits bits) { return halfValue(bits); }
};
template <> struct Element<Type::BF16> {
  using Bits = uint16_t;
  static double value(Bits bits) { return asFloat(u32(bits) << 16); }
};
template <> struct Element<Type::TF32> {
  using Bits = uint32_t;
  static double value(Bits bits) { return asFloat(bits & 0xffffe000); }
};
template <> struct Element<Type::E4M3> {
  using Bits = uint8_t;
  static double value(Bits bits) { return valuesOf(e4m3Format)[bits]; }
};
template <> struct Element<Type::E5M2> {
  using Bits = uint8_t;
  static double value(Bits bits) { return valuesOf(e5m2Format)[bits]; }
};
template <> struct Element<Type::S8> {
  using Bits = int8_t;
  static double value(Bits bits) { return bits; }
};
template <> struct Element<Type::U8> {
  using Bits = uint8_t;
  static double value(Bits bits) { return bits; }
};

/// Calls f with an Element of the type.
template <typename F> static void withElement(Type type, F &&f) {
  switch (type) {
  case Type::F16:
    return f(Element<Type::F16>());
  case Type::BF16:
    return f(Element<Type::BF16>());
  case Type::TF32:
    return f(Element<Type::TF32>());
  case Type::E4M3:
    return f(Element<Type::E4M3>());
  case Type::E5M2:
    return f(Element<Type::E5M2>());
  case Type::S8:
    return f(Element<Type::S8>());
  default:
    return f(Element<Type::U8>());
  }
}

/// The values of a piece, one after the other, so that the host's vectors can hold them.
template <typename E> struct Piece {
  static constexpr size_t bytes = sizeof(typename E::Bits),
                          count = SharedMatrix::pieceBytes / bytes;
  double values[count];

  explicit Piece(const uint8_t *from) {
    typename E::Bits bits[count];
    std::memcpy(bits, from, sizeof bits);
    for (size_t i = 0; i < count; ++i)
      values[i] = E::value(bits[i]);
  }
};

/// Element (line, k) goes to to[line * lineStep + k * depthStep]. Calls lose(line) for what nothing
/// has written.
template <typename E, typename Lose>
static void readShared(const Cta &cta, const SharedMatrix &matrix, unsigned lines, double *to,
                       unsigned lineStep, unsigned depthStep, Lose &&lose) {
  constexpr size_t bytes = Piece<E>::bytes, count = Piece<E>::count;
  size_t outerStep = matrix.isTransposed ? depthStep : lineStep;
  size_t innerStep = matrix.isTransposed ? lineStep : depthStep;
  matrix.visit(0, lines, [&](uint32_t at, unsigned outer, unsigned inner) {
    Piece<E> piece(cta.shared.data() + at);
    double *place = to + outer * outerStep + inner * count * innerStep;
    if (innerStep == 1)
      std::memcpy(place, piece.values, sizeof piece.values);
    else
      for (size_t i = 0; i < count; ++i)
        place[i * innerStep] = piece.values[i];
    const uint8_t *defined = cta.sharedDefined.data() + at;
    if (!std::memchr(defined, 0, SharedMatrix::pieceBytes)) [[likely]]
      return;
    for (size_t i = 0; i < count; ++i)
      if (std::memchr(defined + i * bytes, 0, bytes))
        lose(matrix.isTransposed ? inner * count + i : size_t(outer));
  });
}

/// A of one warp, whose register i of lane l has rows l / 4 and 8 more in turn, then the next
/// stretch of k.
template <typename E>
static void readRegisters(const Frame &frame, const ProductForm &form, unsigned warp, const Op &op,
                          Factors &factors) {
  constexpr unsigned count = 4 / sizeof(typename E::Bits);
  for (unsigned i = 0; i < form.na; ++i)
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned row = 16 * warp + lane / 4 + 8 * (i & 1);
      unsigned column = lane % 4 * count + 4 * count * (i >> 1);
      typename E::Bits bits[count];
      std::memcpy(bits, frame.registers + form.ra[i] + sizeof(u32) * lane, sizeof bits);
      for (unsigned e = 0; e < count; ++e)
        factors.a[row * form.k + column + e] = E::value(bits[e]);
      if (frame.defined[form.ra[i] >> 7] >> lane & 1)
        continue;
      factors.lostRows.set(row);
      u32 from = frame.origin[form.ra[i] >> 7];
      factors.origin = from == none ? op.id : from;
    }
}

void tritium::sim::readFactors(const Cta &cta, const GroupProduct &product, Factors &factors) {
  ProductForm form(*product.op);
  factors.lostRows.reset();
  factors.lostColumns.reset();
  factors.origin = product.op->id;
  withElement(form.ta, [&](auto element) {
    using E = decltype(element);
    if (!form.na)
      return readShared<E>(cta, SharedMatrix(product.a, form.flags & ProductForm::TransposesA),
                           groupRows, factors.a, form.k, 1,
                           [&](size_t row) { factors.lostRows.set(row); });
    for (unsigned warp = 0; warp < warpsOfGroup; ++warp)
      readRegisters<E>(*product.frames[warp], form, warp, *product.op, factors);
  });
  if (form.flags & ProductForm::Negates)
    for (unsigned i = 0; i < groupRows * form.k; ++i)
      factors.a[i] = -factors.a[i];
  withElement(form.tb, [&](auto element) {
    readShared<decltype(element)>(
        cta, SharedMatrix(product.b, form.flags & ProductForm::TransposesB), form.n, factors.b, 1,
        form.n, [&](size_t column) { factors.lostColumns.set(column); });
  });
}
