//===- VectorMathTest.cpp - functions over the range of f32 ---------------===//
//
// Each function runs over every 101st float of the whole range (TRITIUM_TEST_STRIDE sets
// another stride, 1 is exhaustive) for three CPUs, and is compared with libm in f64. The
// error is counted in units of the last place of the exact result, subnormal ones too.
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"
#include "JitHarness.h"

#include "tritium/Conversion/Math/VectorMath.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>

using namespace mlir;
using namespace tritium::cpu;

namespace {

struct Function {
  const char *name;
  Value (VectorMath::*emit)(Value);
  double (*reference)(double);
};

const Function kFunctions[] = {
    {"exp", &VectorMath::exp, std::exp},    {"exp2", &VectorMath::exp2, std::exp2},
    {"log", &VectorMath::log, std::log},    {"log2", &VectorMath::log2, std::log2},
    {"sin", &VectorMath::sin, std::sin},    {"cos", &VectorMath::cos, std::cos},
    {"tanh", &VectorMath::tanh, std::tanh}, {"erf", &VectorMath::erf, std::erf},
};

constexpr int64_t kBlock = 4032; // a multiple of every number of lanes below

/// out[i] = f(in[i]) for kBlock elements, `lanes` at a time; 0 lanes: scalars.
template <typename T> auto mapOf(JitHarness &jit, int64_t lanes, Value (VectorMath::*emit)(Value)) {
  return [=, &jit](OpBuilder &b, Location loc, ArrayRef<Value> args) {
    Type element = std::is_same_v<T, float> ? Type(b.getF32Type()) : Type(b.getF64Type());
    auto index = [&](int64_t v) -> Value { return b.create<arith::ConstantIndexOp>(loc, v); };
    auto loop =
        b.create<scf::ForOp>(loc, index(0), index(kBlock), index(std::max<int64_t>(lanes, 1)));
    b.setInsertionPointToStart(loop.getBody());
    Value i = loop.getInductionVar();
    Type type = lanes ? Type(VectorType::get(lanes, element)) : element;
    VectorMath math(b, loc, jit.target());
    Value x = loadAt(b, loc, type, args[0], i, element);
    storeAt(b, loc, (math.*emit)(x), args[1], i, element);
    b.setInsertionPointAfter(loop);
  };
}

template <typename T>
auto compileMap(JitHarness &jit, int64_t lanes, Value (VectorMath::*emit)(Value)) {
  return reinterpret_cast<void (*)(const T *, T *)>(jit.compile(2, mapOf<T>(jit, lanes, emit)));
}

double unitInLastPlace(double exact) {
  int exponent;
  std::frexp(exact, &exponent);
  return std::ldexp(1.0, std::max(exponent, -125) - 24);
}

/// Error in units; infinite if the kind of the result is wrong.
double errorOf(float result, double exact) {
  if (std::isnan(exact) || std::isnan(result))
    return std::isnan(exact) && std::isnan(result) ? 0 : INFINITY;
  float rounded = float(exact);
  if (std::isinf(rounded) || std::isinf(result)) {
    // Where the exact value rounds to infinity by a hair, the largest float is as good.
    if (rounded == result)
      return 0;
    double limit = std::copysign(0x1p128, exact);
    return std::isinf(exact) || std::signbit(result) != std::signbit(rounded)
               ? INFINITY
               : std::fabs((std::isinf(result) ? limit : double(result)) - exact) / 0x1p104;
  }
  if (exact == 0)
    return result == 0 && std::signbit(result) == std::signbit(exact) ? 0 : INFINITY;
  return std::fabs(result - exact) / unitInLastPlace(exact);
}

uint32_t stride() {
  const char *text = std::getenv("TRITIUM_TEST_STRIDE");
  return text ? std::max(1, std::atoi(text)) : 101;
}

class VectorMathRange : public testing::TestWithParam<std::tuple<const char *, Function>> {};

TEST_P(VectorMathRange, ErrorIsAtMostOneAndAHalfUnits) {
  auto [cpu, function] = GetParam();
  JitHarness jit(cpu);
  if (!jit.canRun())
    GTEST_SKIP();
  auto map = compileMap<float>(jit, 16, function.emit);
  std::vector<float> in(kBlock), out(kBlock);
  double worst = 0;
  float worstAt = 0;
  uint64_t code = 0, step = stride();
  while (code < uint64_t(1) << 32) {
    for (float &x : in) {
      x = std::bit_cast<float>(uint32_t(std::min<uint64_t>(code, 0xffffffff)));
      code += step;
    }
    map(in.data(), out.data());
    for (int64_t i = 0; i < kBlock; ++i) {
      double error = errorOf(out[i], function.reference(in[i]));
      if (error > worst) {
        worst = error;
        worstAt = in[i];
      }
    }
  }
  std::printf("%s %s: %.3f units at %a\n", cpu, function.name, worst, worstAt);
  EXPECT_LE(worst, 1.5) << function.name << " at " << worstAt;
}

INSTANTIATE_TEST_SUITE_P(Cpu, VectorMathRange,
                         testing::Combine(testing::Values("native", "haswell", "x86-64"),
                                          testing::ValuesIn(kFunctions)),
                         [](const auto &info) {
                           std::string name = std::string(std::get<0>(info.param)) + "_" +
                                              std::get<1>(info.param).name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class VectorMathCpu : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Cpu, VectorMathCpu, testing::Values("native", "haswell", "x86-64"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

std::vector<float> specialInputs() {
  std::vector<float> in = {
      0.f,        -0.f,          INFINITY,       -INFINITY,  NAN,        -NAN,     1e-45f,
      -1e-45f,    1e-40f,        -1e-40f,        0x1p-126f,  1.f,        -1.f,     0.5f,
      2.f,        88.72f,        88.73f,         -87.4f,     -103.f,     -104.f,   -1e30f,
      1e30f,      3.4028235e38f, -3.4028235e38f, 128.f,      127.99999f, -149.f,   -149.5f,
      -150.f,     -151.f,        0x1p18f,        0x1p25f,    1e5f,       262145.f, 16367173e0f,
      1.5707964f, 3.1415927f,    0x1.6ac5b2p66f, 9.0f,       10.f,       4.f,      0.6f,
      0.92f,      -0.6f,         -0.92f,         0x1.8p-127f};
  in.push_back(std::bit_cast<float>(0x7f800001u)); // signalling NaN
  in.resize(kBlock, 1.25f);
  return in;
}

TEST_P(VectorMathCpu, SpecialInputsInEveryShape) {
  JitHarness jit(GetParam());
  if (!jit.canRun())
    GTEST_SKIP();
  std::vector<float> in = specialInputs(), out(kBlock);
  for (const Function &function : kFunctions)
    for (int64_t lanes : {0, 1, 2, 3, 4, 8, 32, 48, 64}) {
      compileMap<float>(jit, lanes, function.emit)(in.data(), out.data());
      for (int64_t i = 0; i < kBlock; ++i)
        ASSERT_LE(errorOf(out[i], function.reference(in[i])), 1.5)
            << function.name << " of " << in[i] << " in " << lanes << " lanes is " << out[i];
    }
}

TEST(VectorMath, DoublesAreThoseOfLibm) {
  JitHarness jit("native");
  std::vector<double> in(kBlock), out(kBlock);
  for (int64_t i = 0; i < kBlock; ++i)
    in[i] = (i - 1000) * 0.0123;
  in[0] = NAN, in[1] = INFINITY, in[2] = -INFINITY, in[3] = 1e300, in[4] = -0.0;
  for (const Function &function : kFunctions)
    for (int64_t lanes : {0, 8}) {
      compileMap<double>(jit, lanes, function.emit)(in.data(), out.data());
      for (int64_t i = 0; i < kBlock; ++i) {
        double expected = function.reference(in[i]);
        ASSERT_TRUE(out[i] == expected || (std::isnan(out[i]) && std::isnan(expected)))
            << function.name << " of " << in[i];
      }
    }
}

/// A register costs a few dozen instructions, whatever the shape: nothing is called, nothing is
/// done lane by lane.
TEST(VectorMathCode, CallsNothingAndCountsFewInstructions) {
  for (const char *cpu : {"x86-64", "haswell", "skylake-avx512"}) {
    JitHarness jit(cpu);
    for (const Function &function : kFunctions)
      for (int64_t lanes : {16, 64}) {
        SCOPED_TRACE(testing::Message() << cpu << " " << function.name << ", " << lanes);
        std::vector<std::string> lines =
            blockWithMost(jit.assemble(2, mapOf<float>(jit, lanes, function.emit)), "");
        int64_t registers = lanes / jit.target().lanesF32();
        EXPECT_EQ(countOf(lines, "call"), 0u);
        EXPECT_GT(int64_t(lines.size()), 10 * registers);
        EXPECT_LE(int64_t(lines.size()), 10 + 100 * registers);
      }
  }
}

} // namespace
