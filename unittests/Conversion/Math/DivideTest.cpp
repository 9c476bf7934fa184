//===- DivideTest.cpp - many quotients by one divisor ---------------------===//

#include "JitHarness.h"

#include "tritium/Conversion/Math/VectorMath.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <random>
#include <vector>

using namespace mlir;
using namespace tritium::cpu;

namespace {

constexpr int64_t kBlock = 4096;

/// out[i] = in[i] / in[kBlock] for kBlock elements, 16 at a time.
void emitDivisions(OpBuilder &b, Location loc, ArrayRef<Value> args, const TargetInfo &target) {
  auto index = [&](int64_t v) -> Value { return b.create<arith::ConstantIndexOp>(loc, v); };
  Type f32 = b.getF32Type();
  Value divisor = loadAt(b, loc, f32, args[0], index(kBlock), f32);
  auto loop = b.create<scf::ForOp>(loc, index(0), index(kBlock), index(16));
  b.setInsertionPointToStart(loop.getBody());
  Value i = loop.getInductionVar();
  Value x = loadAt(b, loc, VectorType::get(16, f32), args[0], i, f32);
  storeAt(b, loc, VectorMath(b, loc, target).divideByOne(x, divisor), args[1], i, f32);
  b.setInsertionPointAfter(loop);
}

class Divide : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (!jit.canRun())
      GTEST_SKIP();
    divide = reinterpret_cast<void (*)(const float *, float *)>(
        jit.compile(2, [&](OpBuilder &b, Location loc, ArrayRef<Value> args) {
          emitDivisions(b, loc, args, jit.target());
        }));
  }
  JitHarness jit{GetParam()};
  void (*divide)(const float *, float *) = nullptr;
  std::vector<float> in = std::vector<float>(kBlock + 1), out = std::vector<float>(kBlock);
};

INSTANTIATE_TEST_SUITE_P(Cpu, Divide, testing::Values("native", "haswell", "x86-64"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Half of the numerators are chosen so that quotients lie next to the middle of two floats.
TEST_P(Divide, RoundsNormalQuotientsCorrectly) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> exponents(-102, 0), bits(0, 32);
  for (int round = 0; round < 2000; ++round) {
    float y = in[kBlock] =
        round < 8 ? 0x1.fffffep0f * std::ldexp(1.f, round) : std::exp2(bits(random));
    for (int64_t i = 0; i < kBlock; ++i) {
      float x = std::max(std::exp2(exponents(random)), 0x1p-102f);
      if (i % 2) {
        double middle = std::bit_cast<float>(std::bit_cast<uint32_t>(x / y) & ~1u);
        x = float((middle + std::ldexp(1.0, std::ilogb(middle) - 24)) * y);
      }
      in[i] = x < 0x1p-102f ? 0 : x;
    }
    divide(in.data(), out.data());
    for (int64_t i = 0; i < kBlock; ++i)
      ASSERT_EQ(out[i], in[i] / y) << in[i] << " / " << y;
  }
}

TEST_P(Divide, SmallerNumeratorsMissAtMostOneUnit) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    float y = in[kBlock] = 1 + 3.7f * round;
    for (int64_t i = 0; i < kBlock; ++i)
      in[i] = std::bit_cast<float>(uint32_t(random() % 0x0d000000));
    divide(in.data(), out.data());
    for (int64_t i = 0; i < kBlock; ++i) {
      int32_t units = std::bit_cast<int32_t>(out[i]) - std::bit_cast<int32_t>(in[i] / y);
      ASSERT_LE(std::abs(units), 1) << in[i] << " / " << y;
    }
  }
}

TEST_P(Divide, NaNStays) {
  in[kBlock] = NAN;
  in[0] = 0, in[1] = 1;
  divide(in.data(), out.data());
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
  in[kBlock] = 2;
  in[0] = NAN;
  divide(in.data(), out.data());
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_EQ(out[1], 0.5f);
}

} // namespace
