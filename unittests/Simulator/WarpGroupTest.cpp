//===- WarpGroupTest.cpp - the numbers of wgmma ---------------------------===//
//
// Every family of shapes and every layout against loops over the matrices. On whole numbers
// the bits are equal; on fractions a result is off by no more than one rounding.
//
//===----------------------------------------------------------------------===//

#include "WarpGroupTest.h"

#include <cmath>

using namespace tritium::sim;
using namespace tritium::sim::test;

namespace {

/// An element type of A and B, as the reference has it.
struct Element {
  const char *name;
  unsigned bytes;
  int exponentBits, mantissaBits; ///< of a float; 0 of an integer
};
constexpr Element half{"f16", 2, 5, 10}, brain{"bf16", 2, 8, 7}, tensor{"tf32", 4, 8, 23},
    e4m3{"e4m3", 1, 4, 3}, e5m2{"e5m2", 1, 5, 2}, s8{"s8", 1, 0, 0}, u8{"u8", 1, 0, 0};

/// Finite values only.
double valueOf(const Element &type, uint32_t bits) {
  if (!type.exponentBits)
    return type.name[0] == 's' ? double(int8_t(bits)) : double(bits);
  if (type.name[0] == 't') // the hardware does not look at the others
    bits &= 0xffffe000;
  int exponent = int(bits >> type.mantissaBits) & ((1 << type.exponentBits) - 1);
  double mantissa = bits & ((1u << type.mantissaBits) - 1);
  int bias = (1 << (type.exponentBits - 1)) - 1;
  double value = exponent ? std::ldexp(mantissa + std::ldexp(1, type.mantissaBits),
                                       exponent - bias - type.mantissaBits)
                          : std::ldexp(mantissa, 1 - bias - type.mantissaBits);
  return bits >> (type.exponentBits + type.mantissaBits) & 1 ? -value : value;
}

/// The bits of a small whole number.
uint32_t wholeBits(const Element &type, int value) {
  if (!type.exponentBits)
    return uint8_t(type.name[0] == 's' ? value : std::abs(value));
  uint32_t sign = value < 0 ? 1u << (type.exponentBits + type.mantissaBits) : 0;
  if (!value)
    return sign;
  int exponent = std::ilogb(value), bias = (1 << (type.exponentBits - 1)) - 1;
  double fraction = std::ldexp(std::abs(value), -exponent) - 1;
  return sign | uint32_t(exponent + bias) << type.mantissaBits |
         uint32_t(std::ldexp(fraction, type.mantissaBits));
}

struct Case {
  Element a = half, b = half;
  const char *sums = "f32"; ///< f32, f16, s32
  unsigned n = 64;
  MatrixLayout layoutA{false, 128, 0, 16, 1024}, layoutB{false, 128, 16384, 16, 1024};
  bool inRegisters = false, saturates = false, adds = true;
  int scaleA = 1, scaleB = 1;

  unsigned k() const { return 32 / a.bytes; }
  bool isInteger() const { return !a.exponentBits; }
  unsigned registers() const { return sums[1] == '1' ? n / 4 : n / 2; }
  std::string instruction() const {
    std::string text = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) + "k" +
                       std::to_string(k()) + (saturates ? ".satfinite." : ".") + sums + "." +
                       a.name + "." + b.name + " " + registerList("c", registers()) + ", " +
                       (inRegisters ? "{%a0, %a1, %a2, %a3}" : "%da") + ", %db, %adds";
    if (isInteger())
      return text + ";\n";
    text += ", " + std::to_string(scaleA) + ", " + std::to_string(scaleB);
    if (a.bytes == 2)
      text += (inRegisters            ? ""
               : layoutA.isTransposed ? ", 1"
                                      : ", 0") +
              std::string(layoutB.isTransposed ? ", 1" : ", 0");
    return text + ";\n";
  }
};

constexpr unsigned sharedBytes = 65536;

/// The operands of a case, their bits drawn by `draw`; and the sums before.
struct Matrices {
  Case what;
  std::vector<uint32_t> a, b; ///< bits: [64][k], [n][k]
  std::vector<uint32_t> c;    ///< [64][n]
  GroupRun run;

  template <typename Draw, typename DrawSum>
  Matrices(const Case &of, Draw draw, DrawSum drawSum)
      : what(of), a(64 * of.k()), b(of.n * of.k()), c(64 * of.n) {
    std::generate(a.begin(), a.end(), [&] { return draw(what.a); });
    std::generate(b.begin(), b.end(), [&] { return draw(what.b); });
    std::generate(c.begin(), c.end(), drawSum);
    run.image.resize(sharedBytes, 0xee);
    run.sums.resize(128 * what.registers());
    run.a.resize(128 * 4);
    run.adds = what.adds;
    run.descriptorA = what.layoutA.descriptor();
    run.descriptorB = what.layoutB.descriptor();
    for (unsigned i = 0; i < what.k(); ++i) {
      for (unsigned row = 0; row < 64; ++row)
        placeA(row, i);
      for (unsigned column = 0; column < what.n; ++column)
        std::memcpy(&run.image[what.layoutB.address(column, i, what.b.bytes)],
                    &b[column * what.k() + i], what.b.bytes);
    }
    for (unsigned row = 0; row < 64; ++row)
      for (unsigned column = 0; column < what.n; ++column)
        std::memcpy(sumAt(row, column), &c[row * what.n + column], sumBytes());
  }

  unsigned sumBytes() const { return what.sums[1] == '1' ? 2 : 4; }
  /// Where the sums of a thread have the element: thread 32 w + 4 g + t holds rows 16 w + g and
  /// 8 more, columns 2 t and 2 t + 1, and these 8, 16, ... further on.
  uint8_t *sumAt(unsigned row, unsigned column) {
    unsigned thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
    unsigned element = column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
    return reinterpret_cast<uint8_t *>(run.sums.data()) + thread * what.registers() * 4 +
           element * sumBytes();
  }
  void placeA(unsigned row, unsigned i) {
    uint32_t bits = a[row * what.k() + i];
    unsigned per = 4 / what.a.bytes; // elements of a register
    unsigned thread = row / 16 * 32 + row % 8 * 4 + i / per % 4;
    unsigned word = row % 16 / 8 + i / per / 4 * 2;
    if (what.inRegisters)
      std::memcpy(reinterpret_cast<uint8_t *>(&run.a[thread * 4 + word]) + i % per * what.a.bytes,
                  &bits, what.a.bytes);
    else
      std::memcpy(&run.image[what.layoutA.address(row, i, what.a.bytes)], &bits, what.a.bytes);
  }
  /// The exact product of a row and a column.
  long double product(unsigned row, unsigned column) const {
    long double sum = 0;
    for (unsigned i = 0; i < what.k(); ++i)
      sum += (long double)(valueOf(what.a, a[row * what.k() + i])) *
             valueOf(what.b, b[column * what.k() + i]);
    return sum * what.scaleA * what.scaleB;
  }
  uint32_t result(unsigned row, unsigned column) {
    uint32_t bits = 0;
    std::memcpy(&bits, sumAt(row, column), sumBytes());
    return bits;
  }
  std::string text() const {
    return groupKernel(sharedBytes, what.registers(),
                       wgmmaPrologue + what.instruction() + wgmmaEpilogue);
  }
};

/// On whole numbers; warps take turns in order, and at random.
void checkWhole(const Case &what, uint64_t seeds = 2) {
  SCOPED_TRACE(what.instruction());
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    std::mt19937 random(uint32_t(seed) + what.n);
    const Element sum = what.sums[0] == 's'   ? Element{"s32", 4, 0, 0}
                        : what.sums[1] == '1' ? half
                                              : Element{"f32", 4, 8, 23};
    auto draw = [&](const Element &type) { return wholeBits(type, int(random() % 9) - 4); };
    auto drawSum = [&] {
      int value = int(random() % 65) - 32;
      return what.isInteger() ? uint32_t(value) : wholeBits(sum, value);
    };
    Matrices m(what, draw, drawSum);
    m.run.seed = seed;
    Result result = m.run.run(m.text());
    ASSERT_TRUE(result.clean()) << result.renderFaults();
    EXPECT_EQ(result.counters.total.matrixOperations, 4u);
    for (unsigned row = 0; row < 64; ++row)
      for (unsigned column = 0; column < what.n; ++column) {
        uint32_t before = m.c[row * what.n + column];
        double c = !what.adds ? 0 : what.isInteger() ? int32_t(before) : valueOf(sum, before);
        int want = int(m.product(row, column) + c);
        ASSERT_EQ(m.result(row, column), what.isInteger() ? uint32_t(want) : wholeBits(sum, want))
            << row << ", " << column;
      }
  }
}

TEST(WarpGroup, TypesOfOperands) {
  for (const char *sums : {"f32", "f16"})
    checkWhole({.a = half, .b = half, .sums = sums, .n = 24});
  checkWhole({.a = brain, .b = brain, .n = 40});
  checkWhole({.a = tensor, .b = tensor, .n = 16});
  for (const Element &a : {e4m3, e5m2})
    for (const Element &b : {e4m3, e5m2})
      for (const char *sums : {"f32", "f16"})
        checkWhole({.a = a, .b = b, .sums = sums, .n = 32});
  for (const Element &a : {s8, u8})
    for (const Element &b : {s8, u8})
      checkWhole({.a = a, .b = b, .sums = "s32", .n = 24, .saturates = a.name == b.name});
}

TEST(WarpGroup, FactorsInRegisters) {
  for (const Element &type : {half, brain, tensor, e4m3})
    checkWhole({.a = type, .b = type, .n = 48, .inRegisters = true});
  checkWhole({.a = s8, .b = u8, .sums = "s32", .n = 48, .inRegisters = true});
  checkWhole({.a = half, .b = half, .sums = "f16", .n = 48, .inRegisters = true});
}

TEST(WarpGroup, NumbersOfColumns) {
  for (unsigned n = 8; n <= 256; n += 8)
    checkWhole({.n = n});
}

TEST(WarpGroup, ScaleOfFactorsAndSums) {
  for (bool adds : {false, true})
    for (int scaleA : {1, -1})
      for (int scaleB : {1, -1})
        checkWhole({.n = 8, .adds = adds, .scaleA = scaleA, .scaleB = scaleB});
  checkWhole({.a = s8, .b = s8, .sums = "s32", .n = 8, .adds = false});
  checkWhole({.a = e5m2, .b = e5m2, .sums = "f16", .n = 8, .adds = false, .scaleB = -1});
}

/// Both majornesses of both factors, in all swizzles, with strides that leave gaps.
TEST(WarpGroup, Layouts) {
  std::vector<MatrixLayout> layouts{{false, 0, 0, 128, 256},
                                    {false, 0, 0, 1152, 144},
                                    {true, 0, 0, 1024, 128},
                                    {true, 0, 0, 144, 288}};
  for (unsigned row : {32, 64, 128}) {
    layouts.push_back({false, row, 0, 16, 8 * row});
    layouts.push_back({false, row, 0, 0, 16 * row});
    layouts.push_back({true, row, 0, 16 * row, 8 * row});
    layouts.push_back({true, row, 0, 8 * row, 32 * row});
  }
  for (const MatrixLayout &a : layouts)
    for (MatrixLayout b : layouts) {
      b.start = 32768;
      checkWhole({.n = 64, .layoutA = a, .layoutB = b}, 1);
    }
  for (const Element &type : {tensor, e5m2})
    for (MatrixLayout b : layouts)
      if (!b.isTransposed) {
        b.start = 32768;
        checkWhole({.a = type, .b = type, .n = 32, .layoutB = b});
      }
}

/// A start within a row or a pattern of the swizzle: the next k, the next lines.
TEST(WarpGroup, StartsWithinAPattern) {
  for (unsigned start : {32u, 64u, 96u, 384u, 1024u + 160u})
    checkWhole({.n = 40,
                .layoutA = {false, 128, start, 16, 1024},
                .layoutB = {false, 128, 32768 + 896 + start % 128, 16, 1024}});
  checkWhole(
      {.n = 40, .layoutA = {false, 64, 32, 16, 512}, .layoutB = {false, 64, 32768 + 192, 16, 512}});
  checkWhole({.n = 32,
              .layoutA = {true, 128, 2048, 8192, 1024},
              .layoutB = {true, 128, 32768 + 2048 + 64, 8192, 1024}});
}

TEST(WarpGroup, IntegersWrapOrSaturate) {
  for (bool saturates : {false, true}) {
    Case what{.a = u8, .b = u8, .sums = "s32", .n = 8, .saturates = saturates};
    Matrices m(what, [](const Element &) { return 200u; }, [] { return 0x7fffff00u; });
    ASSERT_TRUE(m.run.run(m.text()).clean());
    EXPECT_EQ(m.result(5, 3), saturates ? 0x7fffffffu : 0x7fffff00u + 32 * 200 * 200);
    what.a = s8;
    Matrices low(
        what, [](const Element &type) { return type.name[0] == 's' ? 0x80u : 255u; },
        [] { return 0x80000010u; });
    ASSERT_TRUE(low.run.run(low.text()).clean());
    EXPECT_EQ(low.result(60, 7), saturates ? 0x80000000u : 0x80000010u - 32 * 128 * 255);
  }
}

/// All finite values of each type, and sums that are rounded once.
TEST(WarpGroup, Fractions) {
  for (const Element &type : {half, brain, tensor, e4m3, e5m2})
    for (const char *sums : {"f32", "f16"}) {
      bool isHalf = sums[1] == '1';
      if (isHalf && type.exponentBits == 8)
        continue;
      std::mt19937 random(7);
      // Any bits but infinities and NaNs; of f16 sums those whose products stay in range.
      auto draw = [&](const Element &of) {
        double most = isHalf ? 32 : 0x1p40, least = of.exponentBits == 8 ? 0x1p-40 : 0, value;
        uint32_t bits, special = of.exponentBits == 8   ? 0
                                 : of.exponentBits == 4 ? 0x7f
                                 : of.bytes == 1        ? 0x7c
                                                        : 0x7c00;
        do {
          bits = uint32_t(random()) >> (32 - 8 * of.bytes);
          value = std::fabs(valueOf(of, bits));
        } while (value > most || value < least || (special && (bits & special) == special));
        return bits;
      };
      auto drawSum = [&] { return wholeBits(isHalf ? half : Element{"f32", 4, 8, 23}, 3); };
      Matrices m({.a = type, .b = type, .sums = sums, .n = 256}, draw, drawSum);
      Result result = m.run.run(m.text());
      ASSERT_TRUE(result.clean()) << result.renderFaults();
      for (unsigned row = 0; row < 64; ++row)
        for (unsigned column = 0; column < 256; ++column) {
          long double want = m.product(row, column) + 3;
          double have = valueOf(isHalf ? half : Element{"f32", 4, 8, 23}, m.result(row, column));
          ASSERT_LE(std::fabs(double(have - want)),
                    std::fabs(double(want)) * (isHalf ? 0x1p-11 : 0x1.0001p-24) + 0x1p-25)
              << type.name << " " << row << ", " << column;
        }
    }
}

TEST(WarpGroup, InfinitiesAndNaN) {
  Case what{.n = 8, .adds = false};
  for (auto [bits, want] : {std::pair(0x7c00u, 0x7f800000u),
                            {0xfc00u, 0xff800000u},
                            {0x7e01u, 0x7fffffffu},
                            {0xfc01u, 0x7fffffffu}}) {
    Matrices m(what, [](const Element &) { return 0x3c00u; }, [] { return 0u; });
    m.run.image[what.layoutA.address(17, 5, 2)] = uint8_t(bits);
    m.run.image[what.layoutA.address(17, 5, 2) + 1] = uint8_t(bits >> 8);
    ASSERT_TRUE(m.run.run(m.text()).clean());
    EXPECT_EQ(m.result(17, 6), want);
    EXPECT_EQ(m.result(16, 6), 0x41800000u);
  }
}

} // namespace
