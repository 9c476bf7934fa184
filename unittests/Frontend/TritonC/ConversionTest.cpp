//===- ConversionTest.cpp - C's conversions (conformance 5) ---------------===//
//
// The expected values are what C++ computes for the same types, whose arithmetic
// conversions are C's.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include <algorithm>
#include <cmath>

using namespace tritium::testing;

namespace {
template <typename T> constexpr const char *kName = nullptr;
template <> constexpr const char *kName<bool> = "bool";
template <> constexpr const char *kName<int8_t> = "char";
template <> constexpr const char *kName<int16_t> = "short";
template <> constexpr const char *kName<int32_t> = "int";
template <> constexpr const char *kName<int64_t> = "long";
template <> constexpr const char *kName<uint32_t> = "uint32";
template <> constexpr const char *kName<Half> = "half";
template <> constexpr const char *kName<float> = "float";
template <> constexpr const char *kName<double> = "double";

/// A bool is a byte in memory.
template <typename T> using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

template <typename T> std::vector<T> samples(bool isNonNegative) {
  if constexpr (std::is_same_v<T, bool>)
    return {false, true, true, false};
  std::vector<T> values;
  for (double x : {-7.0, 0.0, 1.0, 100.0, -1.0, 3.75, 2.0, -100.5})
    values.push_back(static_cast<T>(isNonNegative && x < 0 ? -x : x));
  return values;
}

template <typename T> std::vector<Stored<T>> stored(const std::vector<T> &values) {
  return {values.begin(), values.end()};
}

/// A negative float has no unsigned value.
template <typename S, typename D>
constexpr bool kNonNegative =
    std::is_unsigned_v<D> && !std::is_same_v<D, bool> && !std::is_integral_v<S>;

template <typename S, typename D> void testPair() {
  SCOPED_TRACE(std::string(kName<S>) + " and " + kName<D>);
  using Common = decltype(S() + D());
  constexpr bool isNonNegative = kNonNegative<S, D> || kNonNegative<D, S>;
  std::vector<S> x = samples<S>(isNonNegative);
  std::vector<D> y = samples<D>(isNonNegative);
  size_t n = std::min(x.size(), y.size());
  x.resize(n);
  y.resize(n);
  std::reverse(y.begin(), y.end());
  std::vector<Stored<S>> px = stored(x);
  std::vector<Stored<D>> py = stored(y), assigned(n), directly(n);
  std::vector<Common> sums(n), chosen(n);
  Kernel(R"(
    __global__ void k(S *px, D *py, D *assigned, D *directly, C *sums, C *chosen) {
      int r[N] = 0 ... N;
      S x[N] = *(px + r);
      D y[N] = x;
      *(assigned + r) = y;
      *(directly + r) = *(px + r);
      *(sums + r) = *(px + r) + *(py + r);
      *(chosen + r) = r % 2 == 0 ? *(px + r) : *(py + r);
    })",
         {{"S", kName<S>}, {"D", kName<D>}, {"C", kName<Common>}, {"N", std::to_string(n)}})
      .array(px)
      .array(py)
      .array(assigned)
      .array(directly)
      .array(sums)
      .array(chosen)
      .run();
  for (size_t i = 0; i < n; ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(assigned[i], static_cast<Stored<D>>(static_cast<D>(x[i])));
    EXPECT_EQ(directly[i], assigned[i]);
    EXPECT_EQ(sums[i], static_cast<Common>(S(x[i]) + D(y[i])));
    EXPECT_EQ(chosen[i], i % 2 == 0 ? static_cast<Common>(x[i]) : static_cast<Common>(y[i]));
  }
}

template <typename S> void testWithAll() {
  testPair<S, bool>();
  testPair<S, int8_t>();
  testPair<S, int16_t>();
  testPair<S, int32_t>();
  testPair<S, int64_t>();
  testPair<S, uint32_t>();
  testPair<S, Half>();
  testPair<S, float>();
  testPair<S, double>();
}
} // namespace

TEST(Conformance05Conversions, FromBool) { testWithAll<bool>(); }
TEST(Conformance05Conversions, FromChar) { testWithAll<int8_t>(); }
TEST(Conformance05Conversions, FromShort) { testWithAll<int16_t>(); }
TEST(Conformance05Conversions, FromInt) { testWithAll<int32_t>(); }
TEST(Conformance05Conversions, FromLong) { testWithAll<int64_t>(); }
TEST(Conformance05Conversions, FromUnsigned) { testWithAll<uint32_t>(); }
TEST(Conformance05Conversions, FromHalf) { testWithAll<Half>(); }
TEST(Conformance05Conversions, FromFloat) { testWithAll<float>(); }
TEST(Conformance05Conversions, FromDouble) { testWithAll<double>(); }

TEST(Conformance05Conversions, SignsOfDivisionShiftAndComparison) {
  std::vector<int32_t> x = {-7, -1, 8, 7}, out(4 * 8);
  Kernel(R"(
    __global__ void k(int *px, int *out) {
      int r[4] = 0 ... 4;
      int x[4] = *(px + r);
      unsigned u[4] = x;
      *(out + r) = x / 2;
      *(out + 4 + r) = x % 2;
      *(out + 8 + r) = x >> 1;
      *(out + 12 + r) = u >> 1;
      *(out + 16 + r) = x < 1;
      *(out + 20 + r) = u < 1;
      *(out + 24 + r) = x < 1u;        // the int becomes unsigned
      *(out + 28 + r) = (u / 2) == (x / 2);
    })")
      .array(x)
      .array(out)
      .run();
  for (size_t i = 0; i < 4; ++i) {
    uint32_t u = static_cast<uint32_t>(x[i]);
    EXPECT_EQ(out[i], x[i] / 2);
    EXPECT_EQ(out[4 + i], x[i] % 2);
    EXPECT_EQ(out[8 + i], x[i] >> 1);
    EXPECT_EQ(out[12 + i], static_cast<int32_t>(u >> 1));
    EXPECT_EQ(out[16 + i], x[i] < 1);
    EXPECT_EQ(out[20 + i], u < 1);
    EXPECT_EQ(out[24 + i], u < 1u);
    EXPECT_EQ(out[28 + i], u / 2 == static_cast<uint32_t>(x[i] / 2));
  }
}

TEST(Conformance05Conversions, KnownValuesConvertAsRunTimeOnes) {
  std::vector<int64_t> out(8);
  Kernel(R"(
    __global__ void k(long *out) {
      *out = (char)200;
      *(out + 1) = -1 < 1u;
      *(out + 2) = (bool)0.5;
      *(out + 3) = 7 / 2 * 2.0;
      *(out + 4) = -7 % 3;
      *(out + 5) = (unsigned)-1;
      *(out + 6) = 1 << 31 >> 31;
      *(out + 7) = sizeof(half[16, 2]) + sizeof(bool) + sizeof(long *);
    })")
      .array(out)
      .run();
  EXPECT_EQ(out, (std::vector<int64_t>{-56, 0, 1, 6, -1, 4294967295, -1, 73}));
}

TEST(Conformance05Conversions, HalfAndBfloat16MeetInFloat) {
  std::vector<Half> x = {Half(1.5f), Half(-2.f)};
  std::vector<uint16_t> y = {0x3F80, 0x4040}; // 1 and 3
  std::vector<float> out(2);
  Kernel(R"(
    __global__ void k(half *x, bfloat16 *y, float *out) {
      int r[2] = 0 ... 2;
      *(out + r) = *(x + r) * *(y + r);
    })")
      .array(x)
      .array(y)
      .array(out)
      .run();
  EXPECT_EQ(out, (std::vector<float>{1.5f, -6.f}));
}

TEST(Conformance05Conversions, PointersMoveCompareAndSubtract) {
  std::vector<float> data(16);
  std::vector<int64_t> out(8);
  Kernel(R"(
    __global__ void k(float *p, long *out) {
      float *q = p + 10;
      *out = q - p;
      *(out + 1) = p - q;
      *(out + 2) = p < q;
      *(out + 3) = p == q - 10;
      *(out + 4) = p != 0;
      float *n = 0;
      *(out + 5) = !n;
      *(out + 6) = (long)(p + 1) - (long)p;
      float *t[4] = p + (0 ... 4) * 2;
      *(out + 7) = (t - p)[+];
      *((int *)p) = 0x3F800000;
      *(p + 1u) = 2;
    })")
      .array(data)
      .array(out)
      .run();
  EXPECT_EQ(out, (std::vector<int64_t>{10, -10, 1, 1, 1, 1, 4, 12}));
  EXPECT_EQ(data[0], 1.f);
  EXPECT_EQ(data[1], 2.f);
}

TEST(Conformance05Conversions, ScalarsOfEveryTypeAreArguments) {
  std::vector<double> out(8);
  Kernel(R"(
    __global__ void k(bool a, char b, short c, long d, half e, float f, double g, unsigned h,
                      double *out) {
      *out = a; *(out + 1) = b; *(out + 2) = c; *(out + 3) = d;
      *(out + 4) = e; *(out + 5) = f; *(out + 6) = g; *(out + 7) = h;
    })")
      .scalar(1)
      .scalar(-5)
      .scalar(-300)
      .scalar(int64_t(1) << 40)
      .real(0.5)
      .real(1.25)
      .real(1e300)
      .scalar(4000000000)
      .array(out)
      .run();
  EXPECT_EQ(out, (std::vector<double>{1, -5, -300, 1099511627776., 0.5, 1.25, 1e300, 4000000000.}));
}

TEST(Conformance05Conversions, BitcastKeepsBits) {
  std::vector<float> x = {1.f, -2.5f, 3.f, 0.f};
  std::vector<uint32_t> out(5);
  std::vector<float> back(5);
  Kernel(R"(
    __global__ void k(float *x, uint32 *out, float *back) {
      int r[4] = 0 ... 4;
      uint32 bits[4] = bitcast<uint32[4]>(*(x + r));
      *(out + r) = bits;
      *(out + 4) = bitcast<unsigned[2, 2]>(*(x + r))[+, max];
      *(back + r) = bitcast<float[4]>(bits & 0xFFFF0000);
      *(back + 4) = bitcast<float>(0x7F800000);
    })")
      .array(x)
      .array(out)
      .array(back)
      .run();
  EXPECT_EQ(out, (std::vector<uint32_t>{0x3F800000, 0xC0200000, 0x40400000, 0, 0x00600000}));
  EXPECT_EQ(back, (std::vector<float>{1.f, -2.5f, 3.f, 0.f, INFINITY}));
}
