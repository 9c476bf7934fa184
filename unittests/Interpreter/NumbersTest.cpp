//===- NumbersTest.cpp - narrow floats against LLVM's APFloat -------------===//

#include "Numbers.h"

#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>

#include <random>

using namespace tritium::interpreter;

namespace {
struct NamedFormat {
  const char *name;
  const Format &format;
  const llvm::fltSemantics &semantics;
  unsigned bits;
};

const NamedFormat kFormats[] = {
    {"f8E5M2", kF8E5M2, llvm::APFloat::Float8E5M2(), 8},
    {"f8E4M3FN", kF8E4M3FN, llvm::APFloat::Float8E4M3FN(), 8},
    {"f8E4M3FNUZ", kF8E4M3FNUZ, llvm::APFloat::Float8E4M3FNUZ(), 8},
    {"f8E5M2FNUZ", kF8E5M2FNUZ, llvm::APFloat::Float8E5M2FNUZ(), 8},
    {"f16", kF16, llvm::APFloat::IEEEhalf(), 16},
    {"bf16", kBF16, llvm::APFloat::BFloat(), 16},
};

/// Rounds by APFloat, with this project's rule for overflow without infinities.
float reference(const NamedFormat &f, double x) {
  if (!f.format.hasInfinity && std::fabs(x) > f.format.largest)
    return static_cast<float>(std::copysign(f.format.largest, x));
  llvm::APFloat value(x);
  bool lost;
  value.convert(f.semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
  return value.convertToFloat();
}
} // namespace

// Every bit pattern means what APFloat says, and encodes back to itself.
TEST(Numbers, EveryPattern) {
  for (const NamedFormat &f : kFormats)
    for (uint32_t bits = 0; bits < 1u << f.bits; ++bits) {
      llvm::APFloat expected(f.semantics, llvm::APInt(f.bits, bits));
      float value = decode(f.format, bits);
      if (expected.isNaN()) {
        EXPECT_TRUE(std::isnan(value)) << f.name << " " << bits;
        EXPECT_TRUE(std::isnan(decode(f.format, encode(f.format, value))));
        continue;
      }
      ASSERT_EQ(std::bit_cast<uint32_t>(value), std::bit_cast<uint32_t>(expected.convertToFloat()))
          << f.name << " " << bits;
      ASSERT_EQ(encode(f.format, value), bits) << f.name;
      ASSERT_EQ(roundTo(f.format, value), value) << f.name << " " << bits;
    }
}

// Rounding: random doubles of every magnitude, and the ties between neighbours.
TEST(Numbers, Rounding) {
  std::mt19937_64 random(7);
  for (const NamedFormat &f : kFormats) {
    auto check = [&](double x) {
      float expected = reference(f, x), found = roundTo(f.format, x);
      if (std::isnan(x))
        EXPECT_TRUE(std::isnan(found));
      else
        ASSERT_EQ(std::bit_cast<uint32_t>(found), std::bit_cast<uint32_t>(expected))
            << f.name << " " << x;
    };
    for (int i = 0; i < 300000; ++i) {
      check(std::bit_cast<double>(random()));
      check(std::ldexp(double(int64_t(random())), -40 - int(random() % 60)));
      check(std::bit_cast<float>(uint32_t(random())));
    }
    for (uint32_t bits = 0; bits + 1 < 1u << (f.bits - 1); ++bits) {
      double a = decode(f.format, bits), b = decode(f.format, bits + 1);
      if (!std::isfinite(a) || !std::isfinite(b))
        continue;
      double tie = (a + b) / 2;
      check(tie);
      check(-tie);
      check(std::nextafter(tie, a));
      check(std::nextafter(tie, b));
    }
    for (double x : {0.0, -0.0, HUGE_VAL, -HUGE_VAL, f.format.largest * 1.01, 1e300, 5e-324})
      check(x);
  }
}
