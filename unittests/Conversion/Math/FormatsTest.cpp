//===- FormatsTest.cpp - narrow floats, every code ------------------------===//
//
// The reference knows a format only as the list of its values: it decodes from the
// definition of the format and rounds by searching the two neighbours.
//
//===----------------------------------------------------------------------===//

#include "JitHarness.h"

#include "tritium/Conversion/Math/VectorMath.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

using namespace mlir;
using namespace tritium::cpu;

namespace {

struct Format {
  const char *name;
  int exponentBits, mantissaBits;
  bool hasInfinity;
  bool hasNegativeZero = true; ///< else NaN has its code, and the exponents begin one lower

  int width() const { return 1 + exponentBits + mantissaBits; }
  uint32_t signBit() const { return 1u << (width() - 1); }

  Type type(OpBuilder &b) const {
    std::string n = name;
    if (n == "f16")
      return b.getF16Type();
    if (n == "bf16")
      return b.getBF16Type();
    if (!hasNegativeZero)
      return mantissaBits == 2 ? Type(b.getFloat8E5M2FNUZType()) : Type(b.getFloat8E4M3FNUZType());
    return n == "f8e5m2" ? Type(b.getFloat8E5M2Type()) : Type(b.getFloat8E4M3FNType());
  }

  double decode(uint32_t code) const {
    int bias = (1 << (exponentBits - 1)) - hasNegativeZero;
    if (!hasNegativeZero && code == signBit())
      return NAN;
    uint32_t mantissa = code & ((1u << mantissaBits) - 1);
    uint32_t exponent = (code >> mantissaBits) & ((1u << exponentBits) - 1);
    double sign = code & signBit() ? -1 : 1;
    bool top = hasNegativeZero && exponent == (1u << exponentBits) - 1;
    if (top && hasInfinity)
      return mantissa ? NAN : sign * INFINITY;
    if (top && mantissa == (1u << mantissaBits) - 1)
      return NAN;
    if (exponent == 0)
      return sign * std::ldexp(mantissa, 1 - bias - mantissaBits);
    return sign * std::ldexp(mantissa + (1u << mantissaBits), int(exponent) - bias - mantissaBits);
  }
};

const Format kFormats[] = {{"f16", 5, 10, true},
                           {"bf16", 8, 7, true},
                           {"f8e5m2", 5, 2, true},
                           {"f8e4m3fn", 4, 3, false},
                           {"f8e4m3fnuz", 4, 3, false, false},
                           {"f8e5m2fnuz", 5, 2, false, false}};

class Rounding {
public:
  explicit Rounding(const Format &format) : format(format) {
    for (uint32_t code = 0; std::isfinite(format.decode(code)) && code < format.signBit(); ++code)
      values.push_back(format.decode(code));
  }

  uint32_t encode(double x) const {
    uint32_t code = encodeSigned(x);
    return code == format.signBit() && !format.hasNegativeZero ? 0 : code;
  }

  uint32_t encodeSigned(double x) const {
    uint32_t sign = std::signbit(x) ? format.signBit() : 0;
    double magnitude = std::fabs(x);
    uint32_t last = values.size() - 1;
    // Halfway past the largest value starts what would be the next binade's rounding.
    double limit = values[last] + (values[last] - values[last - 1]) / 2;
    if (magnitude >= limit)
      return sign | (format.hasInfinity ? last + 1 : last);
    auto above = std::upper_bound(values.begin(), values.end(), magnitude);
    uint32_t high = above - values.begin();
    if (high > last)
      return sign | last;
    uint32_t low = high - 1;
    double down = magnitude - values[low], up = values[high] - magnitude;
    if (down != up)
      return sign | (down < up ? low : high);
    return sign | (low % 2 == 0 ? low : high);
  }

  const Format &format;
  std::vector<double> values; ///< by code, the positive finite ones
};

constexpr int64_t kBlock = 1024;

template <typename From, typename To>
auto compileConversion(JitHarness &jit, int64_t lanes, Type (*from)(OpBuilder &),
                       llvm::function_ref<Value(VectorMath &, OpBuilder &, Value)> convert) {
  return reinterpret_cast<void (*)(const From *, To *)>(
      jit.compile(2, [&](OpBuilder &b, Location loc, ArrayRef<Value> args) {
        Type element = from(b);
        auto index = [&](int64_t v) -> Value { return b.create<arith::ConstantIndexOp>(loc, v); };
        auto loop =
            b.create<scf::ForOp>(loc, index(0), index(kBlock), index(std::max<int64_t>(lanes, 1)));
        b.setInsertionPointToStart(loop.getBody());
        Value i = loop.getInductionVar();
        Value x = loadAt(b, loc, lanes ? Type(VectorType::get(lanes, element)) : element, args[0],
                         i, element);
        VectorMath math(b, loc, jit.target());
        Value result = convert(math, b, x);
        storeAt(b, loc, result, args[1], i, getElementTypeOrSelf(result));
        b.setInsertionPointAfter(loop);
      }));
}

Type f32Of(OpBuilder &b) { return b.getF32Type(); }
Type f64Of(OpBuilder &b) { return b.getF64Type(); }
Type i8Of(OpBuilder &b) { return b.getI8Type(); }
Type i16Of(OpBuilder &b) { return b.getI16Type(); }

using Parameters = std::tuple<const char *, Format>;
class NarrowFloat : public testing::TestWithParam<Parameters> {};

template <typename Code> void checkDecode(JitHarness &jit, const Format &format, int64_t lanes) {
  auto decode = compileConversion<Code, float>(
      jit, lanes, sizeof(Code) == 1 ? i8Of : i16Of,
      [&](VectorMath &math, OpBuilder &b, Value x) { return math.decode(x, format.type(b)); });
  std::vector<Code> in(kBlock);
  std::vector<float> out(kBlock);
  for (uint32_t code = 0; code < 1u << format.width(); code += kBlock) {
    for (int64_t i = 0; i < kBlock; ++i)
      in[i] = Code(code + i);
    decode(in.data(), out.data());
    for (int64_t i = 0; i < kBlock; ++i) {
      double expected = format.decode(in[i]);
      ASSERT_TRUE((std::isnan(out[i]) && std::isnan(expected)) ||
                  (out[i] == expected && std::signbit(out[i]) == std::signbit(expected)))
          << format.name << " code " << uint32_t(in[i]) << " in " << lanes << " lanes: " << out[i]
          << ", expected " << expected;
    }
  }
}

/// Values at, between and a hair beside every two neighbours, beyond the ends, and random bits.
template <typename T> std::vector<T> roundingInputs(const Rounding &rounding) {
  std::vector<T> inputs = {0,
                           T(INFINITY),
                           T(NAN),
                           std::numeric_limits<T>::max(),
                           std::numeric_limits<T>::min(),
                           std::numeric_limits<T>::denorm_min()};
  const std::vector<double> &values = rounding.values;
  for (size_t i = 0; i < values.size(); ++i) {
    double next = i + 1 < values.size() ? values[i + 1] : 2 * values[i] - values[i - 1];
    T middle = T(values[i] + (next - values[i]) / 2);
    for (T x : {T(values[i]), middle})
      for (T y : {x, std::nextafter(x, T(0)), std::nextafter(x, T(INFINITY))})
        inputs.push_back(y);
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    uint64_t bits = random();
    T x;
    std::memcpy(&x, &bits, sizeof x);
    inputs.push_back(x);
    // Most random exponents are out of range: more of those that are in.
    inputs.push_back(T(std::ldexp(1 + double(bits >> 12) * 0x1p-52, int(bits % 60) - 35)));
  }
  size_t count = inputs.size();
  for (size_t i = 0; i < count; ++i)
    inputs.push_back(-inputs[i]);
  inputs.resize((inputs.size() + kBlock - 1) / kBlock * kBlock, T(1));
  return inputs;
}

template <typename T, typename Code>
void checkEncode(JitHarness &jit, const Format &format, int64_t lanes) {
  Rounding rounding(format);
  auto encode = compileConversion<T, Code>(
      jit, lanes, sizeof(T) == 8 ? f64Of : f32Of, [&](VectorMath &math, OpBuilder &b, Value x) {
        return sizeof(T) == 8 ? math.encodeF64(x, format.type(b)) : math.encode(x, format.type(b));
      });
  std::vector<T> in = roundingInputs<T>(rounding);
  std::vector<Code> out(kBlock);
  for (size_t first = 0; first < in.size(); first += kBlock) {
    encode(&in[first], out.data());
    for (int64_t i = 0; i < kBlock; ++i) {
      T x = in[first + i];
      if (std::isnan(x))
        ASSERT_TRUE(std::isnan(format.decode(out[i]))) << format.name << " of NaN";
      else
        ASSERT_EQ(uint32_t(out[i]), rounding.encode(x))
            << format.name << " of " << std::hexfloat << x << " in " << lanes << " lanes";
    }
  }
}

void checkRound(JitHarness &jit, const Format &format) {
  Rounding rounding(format);
  auto round =
      compileConversion<float, float>(jit, 16, f32Of, [&](VectorMath &math, OpBuilder &b, Value x) {
        return math.round(x, format.type(b));
      });
  std::vector<float> in = roundingInputs<float>(rounding), out(kBlock);
  in.resize(kBlock * 200);
  for (size_t first = 0; first < in.size(); first += kBlock) {
    round(&in[first], out.data());
    for (int64_t i = 0; i < kBlock; ++i) {
      float x = in[first + i];
      double expected = std::isnan(x) ? NAN : format.decode(rounding.encode(x));
      ASSERT_TRUE(out[i] == expected || (std::isnan(out[i]) && std::isnan(expected)))
          << format.name << " of " << std::hexfloat << x;
    }
  }
}

template <typename Code> void checkAll(JitHarness &jit, const Format &format) {
  for (int64_t lanes : {0, 4, 16, 64})
    checkDecode<Code>(jit, format, lanes);
  for (int64_t lanes : {0, 16, 64}) {
    checkEncode<float, Code>(jit, format, lanes);
    checkEncode<double, Code>(jit, format, lanes);
  }
  checkRound(jit, format);
}

TEST_P(NarrowFloat, EveryCodeAndEveryTie) {
  auto [cpu, format] = GetParam();
  JitHarness jit(cpu);
  if (!jit.canRun())
    GTEST_SKIP();
  if (format.width() == 8)
    checkAll<uint8_t>(jit, format);
  else
    checkAll<uint16_t>(jit, format);
}

INSTANTIATE_TEST_SUITE_P(Cpu, NarrowFloat,
                         testing::Combine(testing::Values("native", "skylake-avx512", "haswell",
                                                          "x86-64"),
                                          testing::ValuesIn(kFormats)),
                         [](const auto &info) {
                           std::string name = std::string(std::get<0>(info.param)) + "_" +
                                              std::get<1>(info.param).name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
