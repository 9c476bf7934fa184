//===- DoubleMathTest.cpp - functions over the range of f64 ---------------===//
//
// Each function runs over random doubles of every exponent and over those that are hard,
// and is compared with libm in 80 bits.
//
//===----------------------------------------------------------------------===//

#include "JitHarness.h"

#include "tritium/Conversion/Math/DoubleMath.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <random>

using namespace mlir;
using namespace tritium::cpu;

namespace {

constexpr int64_t kBlock = 20000;

struct Function {
  const char *name;
  Value (DoubleMath::*emit)(Value);
  long double (*reference)(long double);
};

const Function kFunctions[] = {
    {"exp", &DoubleMath::exp, std::exp},    {"exp2", &DoubleMath::exp2, std::exp2},
    {"log", &DoubleMath::log, std::log},    {"log2", &DoubleMath::log2, std::log2},
    {"sin", &DoubleMath::sin, std::sin},    {"cos", &DoubleMath::cos, std::cos},
    {"tanh", &DoubleMath::tanh, std::tanh}, {"erf", &DoubleMath::erf, std::erf},
};

/// out[i] = f(x[i], y[i]) for kBlock elements.
auto compileMap(JitHarness &jit, llvm::function_ref<Value(DoubleMath &, Value, Value)> emit) {
  return reinterpret_cast<void (*)(const double *, const double *, double *)>(
      jit.compile(3, [&](OpBuilder &b, Location loc, ArrayRef<Value> args) {
        Type f64 = b.getF64Type();
        auto index = [&](int64_t v) -> Value { return b.create<arith::ConstantIndexOp>(loc, v); };
        auto loop = b.create<scf::ForOp>(loc, index(0), index(kBlock), index(1));
        b.setInsertionPointToStart(loop.getBody());
        Value i = loop.getInductionVar();
        DoubleMath math(b, loc);
        Value x = loadAt(b, loc, f64, args[0], i, f64), y = loadAt(b, loc, f64, args[1], i, f64);
        storeAt(b, loc, emit(math, x, y), args[2], i, f64);
        b.setInsertionPointAfter(loop);
      }));
}

/// In units of the last place of the exact result; infinite if the kind is wrong.
double errorOf(double result, long double exact) {
  if (std::isnan(exact) || std::isnan(result))
    return std::isnan(exact) && std::isnan(result) ? 0 : INFINITY;
  double rounded = double(exact);
  if (std::isinf(rounded) || std::isinf(result) || exact == 0)
    return rounded == result && std::signbit(rounded) == std::signbit(result) ? 0 : INFINITY;
  int exponent;
  std::frexp(exact, &exponent);
  return double(std::fabs(result - exact) / std::ldexp(1.0L, std::max(exponent, -1021) - 53));
}

/// Of every exponent, and around the places where the functions change their form.
std::vector<double> inputs() {
  std::vector<double> in = {
      0., -0., INFINITY, -INFINITY, NAN, 1., -1., 0.5, 2., 5e-324, -5e-324, 0x1p-1022, 709.78,
      709.79, -745.13, -745.14, -1e300, 1e300, 1.7976931348623157e308, 1023.9999, 1024., -1074.,
      -1075., -1076., 0x1p30, 0x1.fffffffffffffp29, 1.4, 5.92, 6, 0.7071067811865475, 1.4142135,
      // Doubles next to multiples of pi/2: the first is the nearest of all.
      0x1.6ac5b262ca1ffp849, 0x1.921fb54442d18p0, 0x1.921fb54442d18p1, 0x1.2d97c7f3321d2p2,
      0x1.c6fa5c5665984p35, 0x1.1475cc9eedf01p59, 0x1.dd6e01b3c2a4ep62, 0x1.fffffffffffffp1023};
  std::mt19937_64 random(7);
  while (in.size() < kBlock / 2)
    in.push_back(std::bit_cast<double>(random()));
  std::uniform_real_distribution<double> near(-40, 40), far(-800, 800);
  while (in.size() < kBlock)
    in.push_back(in.size() % 3 == 0   ? near(random)
                 : in.size() % 3 == 1 ? far(random)
                                      : std::exp(near(random) / 4));
  return in;
}

TEST(DoubleMath, ErrorIsAtMostOneAndAHalfUnits) {
  JitHarness jit("haswell");
  if (!jit.canRun())
    GTEST_SKIP();
  std::vector<double> in = inputs(), out(kBlock);
  for (const Function &function : kFunctions) {
    compileMap(jit, [&](DoubleMath &math, Value x, Value) { return (math.*function.emit)(x); })(
        in.data(), in.data(), out.data());
    double worst = 0, at = 0;
    for (int64_t i = 0; i < kBlock; ++i)
      if (double error = errorOf(out[i], function.reference(in[i])); error > worst) {
        worst = error;
        at = in[i];
      }
    std::printf("%s: %.3f units at %a\n", function.name, worst, at);
    EXPECT_LE(worst, 1.5) << function.name << " at " << at;
  }
}

TEST(DoubleMath, RemainderIsExact) {
  JitHarness jit("haswell");
  if (!jit.canRun())
    GTEST_SKIP();
  std::vector<double> edges = inputs(), x = edges, y = x, out(kBlock);
  std::mt19937_64 random(8);
  std::shuffle(y.begin(), y.end(), random);
  for (size_t i = 0; i < 1600; ++i) {
    x[i] = edges[i / 40];
    y[i] = edges[i % 40];
  }
  auto map =
      compileMap(jit, [&](DoubleMath &math, Value a, Value b) { return math.remainder(a, b); });
  map(x.data(), y.data(), out.data());
  for (int64_t i = 0; i < kBlock; ++i) {
    double expected = std::fmod(x[i], y[i]);
    ASSERT_TRUE(std::isnan(expected)
                    ? std::isnan(out[i])
                    : std::bit_cast<uint64_t>(expected) == std::bit_cast<uint64_t>(out[i]))
        << x[i] << " % " << y[i] << " is " << out[i] << " instead of " << expected;
  }
}

} // namespace
