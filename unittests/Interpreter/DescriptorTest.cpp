//===- DescriptorTest.cpp - blocks of arrays, and what replaces them ------===//
//
// What the interpreter does with operations on descriptors is compared with values, and with what
// tt-descriptors-to-pointers makes of them.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

using namespace tritium::testing;

namespace {
/// A kernel as tt-descriptors-to-pointers leaves it.
std::string withPointers(const std::string &kernel) {
  mlir::MLIRContext context;
  context.loadDialect<tritium::tt::TileDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kernel, &context);
  mlir::PassManager pm(&context);
  pm.addPass(tritium::tt::createDescriptorsToPointers());
  if (!module || mlir::failed(pm.run(*module)))
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return text;
}

std::string kernelOf(const std::string &parameters, const std::string &body) {
  return "tt.func @k(" + parameters + ") {\n" + body + "\n tt.return\n}\n";
}

/// The message of a run, of the kernel as it is or as the pass leaves it.
std::string runKernel(const std::string &kernel, bool asPointers, const std::vector<uint64_t> &args,
                      const std::vector<tritium::BufferRange> &buffers) {
  std::string text = asPointers ? withPointers(kernel) : kernel;
  EXPECT_EQ(text.find("tensordesc") == std::string::npos, asPointers) << text;
  tritium::InterpreterOptions options;
  options.buffers = buffers;
  uint32_t grid[3] = {1, 1, 1};
  return tritium::interpret(text, args, grid, options);
}

uint64_t bits(int64_t value) { return static_cast<uint64_t>(value); }

/// The block of 4 at `start` of the three elements 1, 2, 3, with a stride of 1.
std::vector<float> blockAt(int64_t start, bool asPointers, const std::string &type = "4xf32") {
  std::vector<float> x{1, 2, 3}, y(4, -1);
  std::string desc = "!tt.tensordesc<" + type + ">";
  std::string error =
      runKernel(kernelOf("%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %i: i64", R"(
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %three = arith.constant 3 : i64
  %four = arith.constant 4 : i64
  %d = tt.make_tensor_descriptor %x, [%three], [%one] : )" + desc + R"(
  %e = tt.make_tensor_descriptor %y, [%four], [%one] : !tt.tensordesc<4xf32>
  %v = tt.descriptor_load %d[%i] : )" + desc + R"(
  tt.descriptor_store %e[%zero], %v : !tt.tensordesc<4xf32>)"),
                asPointers, {pointer(x), pointer(y), bits(start)}, {range(x), range(y)});
  EXPECT_EQ(error, "");
  return y;
}

/// Runs of a kernel as it is, and of what the pass makes of it.
class Descriptor : public testing::TestWithParam<bool> {
protected:
  bool asPointers() const { return GetParam(); }
};
} // namespace

INSTANTIATE_TEST_SUITE_P(AsIs, Descriptor, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(AsPointers, Descriptor, testing::Values(true));

TEST_P(Descriptor, ReadsPaddingOutside) {
  using Floats = std::vector<float>;
  EXPECT_EQ(blockAt(0, asPointers()), (Floats{1, 2, 3, 0}));
  EXPECT_EQ(blockAt(-2, asPointers()), (Floats{0, 0, 1, 2}));
  EXPECT_EQ(blockAt(2, asPointers()), (Floats{3, 0, 0, 0}));
  for (int64_t far : {int64_t(3), int64_t(-4), INT64_MAX, INT64_MAX - 2, INT64_MIN, INT64_MIN + 1})
    EXPECT_EQ(blockAt(far, asPointers()), Floats(4, 0)) << far;
  std::vector<float> padded = blockAt(1, asPointers(), "4xf32, nan");
  EXPECT_EQ(padded[1], 3);
  EXPECT_TRUE(std::isnan(padded[2]) && std::isnan(padded[3]));
}

// Along a dimension that is in bounds the access is made, and refused.
TEST_P(Descriptor, InBoundsIsNotChecked) {
  std::vector<float> x{1, 2, 3};
  std::string error = runKernel(kernelOf("%x: !tt.ptr<f32> {tt.name = \"x_ptr\"}", R"(
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %d = tt.make_tensor_descriptor %x, [%three], [%one] : !tt.tensordesc<4xf32>
  %v = tt.descriptor_load %d[%one] in_bounds = [true] : !tt.tensordesc<4xf32>)"),
                                asPointers(), {pointer(x)}, {range(x)});
  EXPECT_NE(error.find("by lane [2] is outside every argument"), std::string::npos) << error;
  EXPECT_NE(error.find("as element 3 of 3"), std::string::npos) << error;
}

TEST_P(Descriptor, NamedRows) {
  std::vector<int32_t> x(12), y(12, -1);
  std::iota(x.begin(), x.end(), 0);
  std::string error = runKernel(kernelOf("%x: !tt.ptr<i32>, %y: !tt.ptr<i32>", R"(
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %four = arith.constant 4 : i64
  %d = tt.make_tensor_descriptor %x, [%four, %three], [%three, %one] : !tt.tensordesc<1x2xi32>
  %e = tt.make_tensor_descriptor %y, [%four, %three], [%three, %one] : !tt.tensordesc<1x2xi32>
  %rows = arith.constant dense<[3, -1, 1, 4]> : tensor<4xi64>
  %v = tt.descriptor_gather %d[%rows, %one] : !tt.tensordesc<1x2xi32> -> tensor<4x2xi32>
  %to = arith.constant dense<[0, 1, 2, -5]> : tensor<4xi64>
  %minus = arith.constant -1 : i64
  tt.descriptor_scatter %e[%to, %minus], %v : !tt.tensordesc<1x2xi32>, tensor<4x2xi32>)"),
                                asPointers(), {pointer(x), pointer(y)}, {range(x), range(y)});
  EXPECT_EQ(error, "");
  // The second column of each row, into the first one.
  EXPECT_EQ(y, (std::vector<int32_t>{11, -1, -1, 0, -1, -1, 5, -1, -1, -1, -1, -1}));
}

// Zeros and NaNs have an order, too.
TEST_P(Descriptor, FloatsCompareByTheirBits) {
  constexpr float kInf = HUGE_VALF;
  const float nan = std::nanf("");
  std::vector<float> x{1, -0.0f, 0.0f, kInf, nan, -kInf}, y{-2, 0.0f, -0.0f, nan, 7, -nan}, z = x;
  std::string error =
      runKernel(kernelOf("%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>", R"(
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %six = arith.constant 6 : i64
  %d = tt.make_tensor_descriptor %x, [%six], [%one] : !tt.tensordesc<8xf32>
  %e = tt.make_tensor_descriptor %y, [%six], [%one] : !tt.tensordesc<8xf32>
  %f = tt.make_tensor_descriptor %z, [%six], [%one] : !tt.tensordesc<8xf32>
  %v = tt.descriptor_load %e[%zero] : !tt.tensordesc<8xf32>
  tt.descriptor_reduce max, %d[%zero], %v : !tt.tensordesc<8xf32>
  tt.descriptor_reduce min, %f[%zero], %v : !tt.tensordesc<8xf32>)"),
                asPointers(), {pointer(x), pointer(y), pointer(z)}, {range(x), range(y), range(z)});
  EXPECT_EQ(error, "");
  auto bitsOf = [](const std::vector<float> &floats) {
    std::vector<uint32_t> result;
    for (float f : floats)
      result.push_back(std::bit_cast<uint32_t>(f));
    return result;
  };
  EXPECT_EQ(bitsOf(x), bitsOf({1, 0.0f, 0.0f, nan, nan, -kInf}));
  EXPECT_EQ(bitsOf(z), bitsOf({-2, -0.0f, -0.0f, kInf, 7, -nan}));
}

// What control flow carries is the descriptor of each round.
TEST_P(Descriptor, IsCarried) {
  std::vector<int32_t> x{1, 2}, y{10, 20, 30}, out(4, 0);
  std::string error = runKernel(
      kernelOf("%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %out: !tt.ptr<i32>, %c: i1, %n: i64", R"(
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %four = arith.constant 4 : i64
  %none = arith.constant dense<0> : tensor<4xi32>
  %a = tt.make_tensor_descriptor %x, [%two], [%one] : !tt.tensordesc<4xi32>
  %b = tt.make_tensor_descriptor %y, [%three], [%one] : !tt.tensordesc<4xi32>
  %o = tt.make_tensor_descriptor %out, [%four], [%one] : !tt.tensordesc<4xi32>
  %first = arith.select %c, %a, %b : !tt.tensordesc<4xi32>
  %r:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %none, %p = %first, %q = %b)
      -> (tensor<4xi32>, !tt.tensordesc<4xi32>, !tt.tensordesc<4xi32>) : i64 {
    %v = tt.descriptor_load %p[%i] : !tt.tensordesc<4xi32>
    %sum = arith.addi %acc, %v : tensor<4xi32>
    scf.yield %sum, %q, %p : tensor<4xi32>, !tt.tensordesc<4xi32>, !tt.tensordesc<4xi32>
  }
  %last = scf.if %c -> !tt.tensordesc<4xi32> {
    scf.yield %r#1 : !tt.tensordesc<4xi32>
  } else {
    scf.yield %a : !tt.tensordesc<4xi32>
  }
  %w = tt.descriptor_load %last[%zero] : !tt.tensordesc<4xi32>
  %all = arith.addi %r#0, %w : tensor<4xi32>
  tt.descriptor_store %o[%zero], %all : !tt.tensordesc<4xi32>)"),
      asPointers(), {pointer(x), pointer(y), pointer(out), 1, 3}, {range(x), range(y), range(out)});
  EXPECT_EQ(error, "");
  // x at 0, y at 1, x at 2, then y.
  EXPECT_EQ(out, (std::vector<int32_t>{1 + 20 + 0 + 10, 2 + 30 + 20, 30, 0}));
}

// Random blocks of random arrays, most of them over an edge: both leave the same memory behind.
TEST(Descriptors, RandomBlocks) {
  constexpr int kArraySize = 4096;
  std::string kernel = kernelOf(
      "%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %m: i64, %n: i64, %s: i64, %t: i64, %i: i64, %j: i64, "
      "%k: i64, %l: i64, %rounds: i64",
      R"(
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %t] : !tt.tensordesc<4x8xi32>
  %e = tt.make_tensor_descriptor %y, [%m, %n], [%s, %t] : !tt.tensordesc<4x8xi32>
  scf.for %r = %zero to %rounds step %one : i64 {
    %row = arith.addi %i, %r : i64
    %v = tt.descriptor_load %d[%row, %j] : !tt.tensordesc<4x8xi32>
    %to = arith.addi %l, %r : i64
    tt.descriptor_reduce add, %e[%k, %to], %v : !tt.tensordesc<4x8xi32>
  }
  %w = tt.descriptor_load %d[%k, %l] : !tt.tensordesc<4x8xi32>
  tt.descriptor_store %e[%i, %j], %w : !tt.tensordesc<4x8xi32>)");
  std::mt19937 random(1);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int trial = 0; trial < 60; ++trial) {
    int64_t m = pick(0, 12), n = pick(0, 20), t = pick(1, 2), s = 20 * t + pick(0, 9);
    std::vector<uint64_t> shared{bits(m), bits(n), bits(s), bits(t)};
    for (int64_t extent : {m, n, m, n})
      shared.push_back(
          bits(pick(0, 15) == 0 ? pick(INT64_MIN / 2, INT64_MAX / 2) : pick(-9, extent + 1)));
    shared.push_back(bits(pick(0, 3)));
    std::vector<int32_t> results[2];
    for (bool asPointers : {false, true}) {
      std::vector<int32_t> x(kArraySize), &y = results[asPointers];
      std::iota(x.begin(), x.end(), 1);
      y.assign(kArraySize, -1);
      std::vector<uint64_t> args{pointer(x), pointer(y)};
      args.insert(args.end(), shared.begin(), shared.end());
      ASSERT_EQ(runKernel(kernel, asPointers, args, {range(x), range(y)}), "") << trial;
    }
    ASSERT_EQ(results[0], results[1]) << trial;
  }
}
