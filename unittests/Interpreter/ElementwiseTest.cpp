//===- ElementwiseTest.cpp - arithmetic, comparisons, conversions ---------===//

#include "Run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace tritium::testing;

namespace {
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::string tile(size_t n, const std::string &element) {
  return "tensor<" + std::to_string(n) + "x" + element + ">";
}

template <typename T>
void expectInteger(const std::string &op, const std::string &element, std::vector<T> x,
                   std::vector<T> y, std::vector<T> expected) {
  std::string error;
  auto r = apply<T, T>(op + " %x, %y : " + tile(x.size(), element), element, element, x, y, error);
  EXPECT_EQ(error, "");
  EXPECT_EQ(r, expected) << op << " " << element;
}

/// Compares bits, so that zeros have signs; any NaN equals any other.
void expectFloat(const std::string &op, std::vector<float> x, std::vector<float> y,
                 std::vector<float> expected) {
  std::string error, operands = y.empty() ? " %x : " : " %x, %y : ";
  auto r = apply<float, float>(op + operands + tile(x.size(), "f32"), "f32", "f32", x, y, error);
  ASSERT_EQ(error, "");
  for (size_t i = 0; i < r.size(); ++i)
    if (std::isnan(expected[i]))
      EXPECT_TRUE(std::isnan(r[i])) << op << " " << i;
    else
      EXPECT_EQ(slot(r[i]), slot(expected[i])) << op << " " << i << ": " << r[i];
}

std::vector<uint8_t> compare(const std::string &op, const std::string &element,
                             const std::vector<float> &x, const std::vector<float> &y) {
  std::string error;
  auto r = apply<float, uint8_t>(op + " %x, %y : " + tile(x.size(), element), element, "i1", x, y,
                                 error);
  EXPECT_EQ(error, "");
  return r;
}
} // namespace

TEST(Integer, Wraps) {
  expectInteger<int8_t>("arith.addi", "i8", {127, -128, 1}, {1, -1, 2}, {-128, 127, 3});
  expectInteger<int8_t>("arith.muli", "i8", {100, -128}, {3, -1}, {44, -128});
  expectInteger<int32_t>("arith.subi", "i32", {INT32_MIN, 5}, {1, 7}, {INT32_MAX, -2});
  expectInteger<int64_t>("arith.muli", "i64", {int64_t(1) << 62}, {4}, {0});
}

TEST(Integer, Division) {
  expectInteger<int32_t>("arith.divsi", "i32", {7, -7, 7, -7, 9, INT32_MIN}, {2, 2, -2, -2, 0, -1},
                         {3, -3, -3, 3, 0, INT32_MIN});
  expectInteger<int32_t>("arith.remsi", "i32", {7, -7, 7, -7, 9, INT32_MIN}, {2, 2, -2, -2, 0, -1},
                         {1, -1, 1, -1, 9, 0});
  expectInteger<int32_t>("arith.floordivsi", "i32", {7, -7, 7, -7}, {2, 2, -2, -2}, {3, -4, -4, 3});
  expectInteger<int32_t>("arith.ceildivsi", "i32", {7, -7, 7, -7}, {2, 2, -2, -2}, {4, -3, -3, 4});
  expectInteger<uint8_t>("arith.divui", "i8", {255, 200, 3}, {16, 0, 4}, {15, 0, 0});
  expectInteger<uint8_t>("arith.remui", "i8", {255, 200, 3}, {16, 0, 4}, {15, 200, 3});
  expectInteger<uint8_t>("arith.ceildivui", "i8", {255, 32}, {16, 16}, {16, 2});
  expectInteger<int64_t>("arith.divsi", "i64", {INT64_MIN}, {-1}, {INT64_MIN});
}

TEST(Integer, Shifts) {
  expectInteger<uint16_t>("arith.shli", "i16", {1, 1, 0xffff}, {15, 16, 4}, {0x8000, 0, 0xfff0});
  expectInteger<uint16_t>("arith.shrui", "i16", {0x8000, 0x8000, 0xffff}, {15, 16, 4},
                          {1, 0, 0x0fff});
  expectInteger<int16_t>("arith.shrsi", "i16", {-32768, -32768, 32767, -9}, {15, 99, 99, -1},
                         {-1, -1, 0, -1});
}

TEST(Integer, MinimaMaximaHighProduct) {
  expectInteger<int32_t>("arith.maxsi", "i32", {-1, 4}, {1, 3}, {1, 4});
  expectInteger<int32_t>("arith.maxui", "i32", {-1, 4}, {1, 3}, {-1, 4});
  expectInteger<int32_t>("arith.minui", "i32", {-1, 4}, {1, 3}, {1, 3});
  expectInteger<uint32_t>("tt.mulhiui", "i32", {0xffffffff, 3}, {0xffffffff, 4}, {0xfffffffe, 0});
  expectInteger<uint64_t>("tt.mulhiui", "i64", {~0ull}, {~0ull}, {~0ull - 1});
}

TEST(Integer, Comparisons) {
  std::string error;
  auto compareInts = [&](const std::string &predicate) {
    return apply<int32_t, uint8_t>("arith.cmpi " + predicate + ", %x, %y : tensor<3xi32>", "i32",
                                   "i1", {-1, 2, 2}, {1, 2, -3}, error);
  };
  using R = std::vector<uint8_t>;
  EXPECT_EQ(compareInts("slt"), (R{1, 0, 0}));
  EXPECT_EQ(compareInts("ult"), (R{0, 0, 1}));
  EXPECT_EQ(compareInts("sge"), (R{0, 1, 1}));
  EXPECT_EQ(compareInts("uge"), (R{1, 1, 0}));
  EXPECT_EQ(compareInts("eq"), (R{0, 1, 0}));
  EXPECT_EQ(compareInts("ne"), (R{1, 0, 1}));
}

TEST(Float, ExtremaAndNaN) {
  std::vector<float> x{kNaN, 1, kNaN, 0.0f, -0.0f, 2}, y{1, kNaN, kNaN, -0.0f, 0.0f, 3};
  expectFloat("arith.maximumf", x, y, {kNaN, kNaN, kNaN, 0.0f, 0.0f, 3});
  expectFloat("arith.minimumf", x, y, {kNaN, kNaN, kNaN, -0.0f, -0.0f, 2});
  expectFloat("arith.maxnumf", x, y, {1, 1, kNaN, 0.0f, 0.0f, 3});
  expectFloat("arith.minnumf", x, y, {1, 1, kNaN, -0.0f, -0.0f, 2});
}

TEST(Float, Comparisons) {
  std::vector<float> x{1, 2, 2, kNaN}, y{2, 2, 1, 1};
  using R = std::vector<uint8_t>;
  EXPECT_EQ(compare("arith.cmpf olt,", "f32", x, y), (R{1, 0, 0, 0}));
  EXPECT_EQ(compare("arith.cmpf ult,", "f32", x, y), (R{1, 0, 0, 1}));
  EXPECT_EQ(compare("arith.cmpf oge,", "f32", x, y), (R{0, 1, 1, 0}));
  EXPECT_EQ(compare("arith.cmpf une,", "f32", x, y), (R{1, 0, 1, 1}));
  EXPECT_EQ(compare("arith.cmpf one,", "f32", x, y), (R{1, 0, 1, 0}));
  EXPECT_EQ(compare("arith.cmpf oeq,", "f32", x, y), (R{0, 1, 0, 0}));
  EXPECT_EQ(compare("arith.cmpf ord,", "f32", x, y), (R{1, 1, 1, 0}));
  EXPECT_EQ(compare("arith.cmpf uno,", "f32", x, y), (R{0, 0, 0, 1}));
}

TEST(Float, Arithmetic) {
  expectFloat("arith.divf", {1, -1, 0, 1}, {0, 0, 0, 3}, {kInf, -kInf, kNaN, 1.0f / 3.0f});
  expectFloat("arith.remf", {5.5f, -5.5f}, {2, 2}, {1.5f, -1.5f});
  expectFloat("arith.negf", {0.0f, 1}, {}, {-0.0f, -1});
  expectFloat("math.roundeven", {0.5f, 1.5f, -2.5f}, {}, {0, 2, -2});
  expectFloat("math.round", {0.5f, 1.5f, -2.5f}, {}, {1, 2, -3});
  expectFloat("math.floor", {-0.5f, 1.5f}, {}, {-1, 1});
  expectFloat("math.exp", {0, kInf, -kInf, 1}, {}, {1, kInf, 0, 2.7182818f});
  expectFloat("math.rsqrt", {4, 0, -1}, {}, {0.5f, kInf, kNaN});
  expectFloat("math.log2", {8, 0, -1}, {}, {3, -kInf, kNaN});
  expectFloat("math.erf", {0, kInf}, {}, {0, 1});
}

// The product rounds before the sum: contraction would give 2^-24.
TEST(Float, NoContraction) {
  std::string error;
  float x = 1.0f + 0x1p-12f, y = x; // x * y = 1 + 2^-11 + 2^-24, a tie
  auto r = apply<float, float>("%one = arith.constant dense<-1.00048828125> : tensor<1xf32>\n"
                               "  %m = arith.mulf %x, %y : tensor<1xf32>\n"
                               "  %r = arith.addf %m, %one : tensor<1xf32>",
                               "f32", "f32", {x}, {y}, error);
  EXPECT_EQ(error, "");
  EXPECT_EQ(r[0], 0.0f);
  auto fused = apply<float, float>("%one = arith.constant dense<-1.00048828125> : tensor<1xf32>\n"
                                   "  %r = math.fma %x, %y, %one : tensor<1xf32>",
                                   "f32", "f32", {x}, {y}, error);
  EXPECT_EQ(fused[0], 0x1p-24f);
}

// f16: 2048 + 1 is a tie; bf16: 256 + 1. Both round to even after every operation.
TEST(Float, NarrowRoundsEachOperation) {
  std::string error;
  using R = std::vector<uint16_t>;
  auto f16 = apply<uint16_t, uint16_t>("arith.addf %x, %y : tensor<3xf16>", "f16", "f16",
                                       {0x6800, 0x7bff, 0x0001}, {0x3c00, 0x7bff, 0x0001}, error);
  EXPECT_EQ(f16, (R{0x6800, 0x7c00, 0x0002}));
  auto bf16 = apply<uint16_t, uint16_t>("arith.addf %x, %y : tensor<2xbf16>", "bf16", "bf16",
                                        {0x4380, 0x7f7f}, {0x3f80, 0x7f7f}, error);
  EXPECT_EQ(bf16, (R{0x4380, 0x7f80}));
  EXPECT_EQ(error, "");
}

TEST(Convert, FloatToInteger) {
  std::string error;
  std::vector<float> x{1.9f, -1.9f, 300, -300, kNaN, kInf, -kInf};
  auto s8 = apply<float, int8_t>("arith.fptosi %x : tensor<7xf32> to tensor<7xi8>", "f32", "i8", x,
                                 x, error);
  EXPECT_EQ(s8, (std::vector<int8_t>{1, -1, 127, -128, 0, 127, -128}));
  auto u8 = apply<float, uint8_t>("arith.fptoui %x : tensor<7xf32> to tensor<7xi8>", "f32", "i8", x,
                                  x, error);
  EXPECT_EQ(u8, (std::vector<uint8_t>{1, 0, 255, 0, 0, 255, 0}));
  auto s64 = apply<float, int64_t>("arith.fptosi %x : tensor<7xf32> to tensor<7xi64>", "f32", "i64",
                                   {9.3e18f, -9.3e18f, 1, 0, 0, 0, 0}, {}, error);
  EXPECT_EQ(s64[0], INT64_MAX);
  EXPECT_EQ(s64[1], INT64_MIN);
  EXPECT_EQ(error, "");
}

TEST(Convert, IntegerToFloat) {
  std::string error;
  // 2^62 + 2^38 + 1 is just above a tie of f32: one rounding goes up.
  int64_t above = (int64_t(1) << 62) + (int64_t(1) << 38) + 1;
  auto f32 = apply<int64_t, float>("arith.sitofp %x : tensor<3xi64> to tensor<3xf32>", "i64", "f32",
                                   {above, -above, 3}, {}, error);
  EXPECT_EQ(f32, (std::vector<float>{0x1.000002p62f, -0x1.000002p62f, 3}));
  auto u = apply<uint64_t, float>("arith.uitofp %x : tensor<2xi64> to tensor<2xf32>", "i64", "f32",
                                  {~0ull, 5}, {}, error);
  EXPECT_EQ(u, (std::vector<float>{0x1p64f, 5}));
  auto b = apply<uint8_t, float>("arith.sitofp %x : tensor<2xi8> to tensor<2xf32>", "i8", "f32",
                                 {255, 5}, {}, error);
  EXPECT_EQ(b, (std::vector<float>{-1, 5}));
  EXPECT_EQ(error, "");
}

TEST(Convert, WidthsAndBits) {
  std::string error;
  auto wide = apply<int8_t, int32_t>("arith.extsi %x : tensor<2xi8> to tensor<2xi32>", "i8", "i32",
                                     {-1, 5}, {}, error);
  EXPECT_EQ(wide, (std::vector<int32_t>{-1, 5}));
  auto zero = apply<int8_t, int32_t>("arith.extui %x : tensor<2xi8> to tensor<2xi32>", "i8", "i32",
                                     {-1, 5}, {}, error);
  EXPECT_EQ(zero, (std::vector<int32_t>{255, 5}));
  auto bits = apply<float, int32_t>("tt.bitcast %x : tensor<1xf32> -> tensor<1xi32>", "f32", "i32",
                                    {1.0f}, {}, error);
  EXPECT_EQ(bits[0], 0x3f800000);
  auto half = apply<uint16_t, int16_t>("tt.bitcast %x : tensor<2xbf16> -> tensor<2xi16>", "bf16",
                                       "i16", {0x3f80, 0x7fc1}, {}, error);
  EXPECT_EQ(half, (std::vector<int16_t>{0x3f80, 0x7fc1}));
  auto f8 = apply<float, uint8_t>("arith.truncf %x : tensor<3xf32> to tensor<3xf8E4M3FN>", "f32",
                                  "f8E4M3FN", {1, 1000, kNaN}, {}, error);
  EXPECT_EQ(f8, (std::vector<uint8_t>{0x38, 0x7e, 0x7f}));
  EXPECT_EQ(error, "");
}
