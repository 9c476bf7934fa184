//===- ReduceTest.cpp - shapes, reductions, dot ---------------------------===//

#include "Run.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace tritium::testing;

namespace {
/// Loads a tile of `shape` from the flat memory of %x, applies `body`, which defines %r
/// of `count` elements and the 1-D type that is stored flat to %y.
template <typename T>
std::vector<T> reshaped(const std::string &element, int64_t in, int64_t out, std::string body,
                        std::vector<T> x) {
  std::string ptr = "!tt.ptr<" + element + ">";
  auto flat = [&](const std::string &name, int64_t n) {
    std::string shape = "tensor<" + std::to_string(n) + "x";
    return "  %i" + name + " = tt.make_range {start = 0 : i32, end = " + std::to_string(n) +
           " : i32} : " + shape + "i32>\n  %s" + name + " = tt.splat %" + name + " : " + ptr +
           " -> " + shape + ptr + ">\n  %p" + name + " = tt.addptr %s" + name + ", %i" + name +
           " : " + shape + ptr + ">, " + shape + "i32>\n";
  };
  std::vector<T> y(out);
  std::string error =
      run("%x: " + ptr + ", %y: " + ptr,
          flat("x", in) + flat("y", out) + "  %v = tt.load %px : tensor<" + std::to_string(in) +
              "x" + ptr + ">\n" + body + "\n  tt.store %py, %r : tensor<" + std::to_string(out) +
              "x" + ptr + ">",
          {pointer(x), pointer(y)}, {range(x), range(y)});
  EXPECT_EQ(error, "");
  return y;
}

std::vector<int32_t> iota(int n) {
  std::vector<int32_t> values(n);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

std::string sumAlong(int axis, const std::string &in, const std::string &out) {
  return "  %m = tt.reshape %v : tensor<24xi32> -> " + in +
         "\n  %q = \"tt.reduce\"(%m) <{axis = " + std::to_string(axis) +
         " : i32}> ({\n  ^bb0(%a: i32, %b: i32):\n" +
         "    %c = arith.addi %a, %b : i32\n    tt.reduce.return %c : i32\n  }) : (" + in +
         ") -> " + out + "\n";
}
} // namespace

TEST(Histogram, CountsWithoutSign) {
  EXPECT_EQ(reshaped<int32_t>("i32", 7, 3,
                              "  %r = tt.histogram %v : tensor<7xi32> -> tensor<3xi32>",
                              {2, 0, -1, 2, 3, INT32_MIN, 2}),
            (std::vector<int32_t>{1, 0, 3}));
}

TEST(Shape, Trans) {
  EXPECT_EQ(reshaped<int32_t>("i32", 6, 6, R"(
  %m = tt.reshape %v : tensor<6xi32> -> tensor<2x3xi32>
  %t = tt.trans %m {order = array<i32: 1, 0>} : tensor<2x3xi32> -> tensor<3x2xi32>
  %r = tt.reshape %t : tensor<3x2xi32> -> tensor<6xi32>)",
                              iota(6)),
            (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(reshaped<int32_t>("i32", 6, 6, R"(
  %m = tt.reshape %v : tensor<6xi32> -> tensor<1x2x3xi32>
  %t = tt.trans %m {order = array<i32: 2, 0, 1>} : tensor<1x2x3xi32> -> tensor<3x1x2xi32>
  %r = tt.reshape %t : tensor<3x1x2xi32> -> tensor<6xi32>)",
                              iota(6)),
            (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
}

// Indices are 1 2 0 / 1 2 0 along each axis of three rows.
TEST(Shape, Gather) {
  auto along = [](const std::string &axis, const std::string &to) {
    return R"(
  %m = tt.reshape %v : tensor<9xi32> -> tensor<3x3xi32>
  %k = tt.make_range {start = 1 : i32, end = 7 : i32} : tensor<6xi32>
  %three = arith.constant dense<3> : tensor<6xi32>
  %f = arith.remsi %k, %three : tensor<6xi32>
  %i = tt.reshape %f : tensor<6xi32> -> )" +
           to + "\n  %g = tt.gather %m[%i] along " + axis + " : tensor<3x3xi32>[" + to + "] -> " +
           to + "\n  %r = tt.reshape %g : " + to + " -> tensor<6xi32>";
  };
  EXPECT_EQ(reshaped<int32_t>("i32", 9, 6, along("0", "tensor<2x3xi32>"), iota(9)),
            (std::vector<int32_t>{3, 7, 2, 3, 7, 2}));
  EXPECT_EQ(reshaped<int32_t>("i32", 9, 6, along("1", "tensor<3x2xi32>"), iota(9)),
            (std::vector<int32_t>{1, 2, 3, 4, 8, 6}));
}

TEST(Shape, BroadcastBothWays) {
  EXPECT_EQ(reshaped<int32_t>("i32", 2, 6, R"(
  %e = tt.expand_dims %v {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %b = tt.broadcast %e : tensor<2x1xi32> -> tensor<2x3xi32>
  %r = tt.reshape %b : tensor<2x3xi32> -> tensor<6xi32>)",
                              {7, 8}),
            (std::vector<int32_t>{7, 7, 7, 8, 8, 8}));
  EXPECT_EQ(reshaped<int32_t>("i32", 2, 6, R"(
  %e = tt.expand_dims %v {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %b = tt.broadcast %e : tensor<1x2xi32> -> tensor<3x2xi32>
  %r = tt.reshape %b : tensor<3x2xi32> -> tensor<6xi32>)",
                              {7, 8}),
            (std::vector<int32_t>{7, 8, 7, 8, 7, 8}));
}

TEST(Reduce, EveryAxis) {
  std::string in = "tensor<2x3x4xi32>";
  EXPECT_EQ(reshaped("i32", 24, 12,
                     sumAlong(0, in, "tensor<3x4xi32>") +
                         "  %r = tt.reshape %q : tensor<3x4xi32> -> tensor<12xi32>",
                     iota(24)),
            (std::vector<int32_t>{12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34}));
  EXPECT_EQ(reshaped("i32", 24, 8,
                     sumAlong(1, in, "tensor<2x4xi32>") +
                         "  %r = tt.reshape %q : tensor<2x4xi32> -> tensor<8xi32>",
                     iota(24)),
            (std::vector<int32_t>{12, 15, 18, 21, 48, 51, 54, 57}));
  EXPECT_EQ(reshaped("i32", 24, 6,
                     sumAlong(2, in, "tensor<2x3xi32>") +
                         "  %r = tt.reshape %q : tensor<2x3xi32> -> tensor<6xi32>",
                     iota(24)),
            (std::vector<int32_t>{6, 22, 38, 54, 70, 86}));
  EXPECT_EQ(
      reshaped("i32", 24, 1,
               sumAlong(0, "tensor<24xi32>", "i32") + "  %r = tt.splat %q : i32 -> tensor<1xi32>",
               iota(24)),
      (std::vector<int32_t>{276}));
}

// Two operands, a branch in the region, a value from outside of it, and the left to
// right order: the first of equal maxima wins.
TEST(Reduce, ArgMaxWithBranch) {
  auto text = [](const std::string &combine) {
    return R"(
  %i = tt.make_range {start = 0 : i32, end = 6 : i32} : tensor<6xi32>
  %m = tt.reshape %v : tensor<6xi32> -> tensor<2x3xi32>
  %n = tt.reshape %i : tensor<6xi32> -> tensor<2x3xi32>
  %hundred = arith.constant 100 : i32
  %q:2 = "tt.reduce"(%m, %n) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %ai: i32, %b: i32, %bi: i32):
    %less = arith.cmpi slt, %a, %b : i32)" +
           combine + R"(
    tt.reduce.return %c#0, %c#1 : i32, i32
  }) : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  %z = arith.constant dense<100> : tensor<2xi32>
  %h = arith.muli %q#1, %z : tensor<2xi32>
  %r = arith.addi %h, %q#0 : tensor<2xi32>)";
  };
  std::vector<int32_t> x{4, 9, 9, 5, 1, 5};
  EXPECT_EQ(reshaped("i32", 6, 2, text(R"(
    %c:2 = scf.if %less -> (i32, i32) { scf.yield %b, %bi : i32, i32 }
           else { scf.yield %a, %ai : i32, i32 })"),
                     x),
            (std::vector<int32_t>{109, 305}));
}

TEST(Reduce, OuterScalarInRegion) {
  EXPECT_EQ(reshaped<int32_t>("i32", 6, 2, R"(
  %m = tt.reshape %v : tensor<6xi32> -> tensor<2x3xi32>
  %k = arith.constant 1000 : i32
  %pid = tt.get_program_id 0 : i32
  %s = arith.addi %pid, %k : i32
  %r = "tt.reduce"(%m) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %t = arith.addi %a, %b : i32
    %u = arith.addi %t, %s : i32
    %w = arith.addi %u, %k : i32
    tt.reduce.return %w : i32
  }) : (tensor<2x3xi32>) -> tensor<2xi32>)",
                              {1, 2, 3, 4, 5, 6}),
            (std::vector<int32_t>{4006, 4015}));
}

// What the region returns may be its arguments in another order.
TEST(Reduce, SwappedResults) {
  EXPECT_EQ(reshaped<int32_t>("i32", 3, 2, R"(
  %z = arith.constant dense<[10, 20, 30]> : tensor<3xi32>
  %q:2 = "tt.reduce"(%v, %z) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    tt.reduce.return %b, %a : i32, i32
  }) : (tensor<3xi32>, tensor<3xi32>) -> (i32, i32)
  %i = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32>
  %first = arith.constant dense<[true, false]> : tensor<2xi1>
  %s0 = tt.splat %q#0 : i32 -> tensor<2xi32>
  %s1 = tt.splat %q#1 : i32 -> tensor<2xi32>
  %r = arith.select %first, %s0, %s1 : tensor<2xi1>, tensor<2xi32>)",
                              {1, 2, 3}),
            (std::vector<int32_t>{1, 10}));
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

TEST(Scan, EveryAxisFromEitherEnd) {
  auto scan = [](int axis, const char *reverse) {
    return "  %m = tt.reshape %v : tensor<6xi32> -> tensor<2x3xi32>\n"
           "  %q = \"tt.scan\"(%m) <{axis = " +
           std::to_string(axis) + " : i32" + reverse + R"(}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.scan.return %c : i32
  }) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %r = tt.reshape %q : tensor<2x3xi32> -> tensor<6xi32>)";
  };
  std::vector<int32_t> x{1, 2, 3, 40, 50, 60};
  EXPECT_EQ(reshaped("i32", 6, 6, scan(0, ""), x), (std::vector<int32_t>{1, 2, 3, 41, 52, 63}));
  EXPECT_EQ(reshaped("i32", 6, 6, scan(0, ", reverse"), x),
            (std::vector<int32_t>{41, 52, 63, 40, 50, 60}));
  EXPECT_EQ(reshaped("i32", 6, 6, scan(1, ""), x), (std::vector<int32_t>{1, 3, 6, 40, 90, 150}));
  EXPECT_EQ(reshaped("i32", 6, 6, scan(1, ", reverse"), x),
            (std::vector<int32_t>{6, 5, 3, 150, 110, 60}));
}

// Digits in the order in which they are appended; a branch in the region.
TEST(Scan, KeepsTheOrder) {
  auto scan = [](const char *reverse) {
    return std::string(R"(
  %tens = arith.constant dense<10> : tensor<4xi32>
  %q:2 = "tt.scan"(%v, %tens) <{axis = 0 : i32)") +
           reverse + R"(}> ({
  ^bb0(%a: i32, %p: i32, %b: i32, %s: i32):
    %zero = arith.constant 0 : i32
    %none = arith.cmpi eq, %b, %zero : i32
    %c:2 = scf.if %none -> (i32, i32) {
      scf.yield %a, %p : i32, i32
    } else {
      %t = arith.muli %a, %s : i32
      %u = arith.addi %t, %b : i32
      %w = arith.muli %p, %s : i32
      scf.yield %u, %w : i32, i32
    }
    tt.scan.return %c#0, %c#1 : i32, i32
  }) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  %r = arith.addi %q#0, %z : tensor<4xi32>)";
  };
  std::string z = "  %z = arith.constant dense<0> : tensor<4xi32>";
  EXPECT_EQ(reshaped<int32_t>("i32", 4, 4, z + scan(""), {1, 2, 0, 4}),
            (std::vector<int32_t>{1, 12, 12, 124}));
  EXPECT_EQ(reshaped<int32_t>("i32", 4, 4, z + scan(", reverse"), {1, 2, 0, 4}),
            (std::vector<int32_t>{421, 42, 4, 4}));
}

TEST(Dot, FloatAndBatch) {
  // [1 2; 3 4] * [1 2; 3 4] + 1, and the second batch doubled.
  EXPECT_EQ(reshaped<float>("f32", 8, 8, R"(
  %a = tt.reshape %v : tensor<8xf32> -> tensor<2x2x2xf32>
  %c = arith.constant dense<1.0> : tensor<2x2x2xf32>
  %d = tt.dot %a, %a, %c : tensor<2x2x2xf32> * tensor<2x2x2xf32> -> tensor<2x2x2xf32>
  %r = tt.reshape %d : tensor<2x2x2xf32> -> tensor<8xf32>)",
                            {1, 2, 3, 4, 2, 4, 6, 8}),
            (std::vector<float>{8, 11, 16, 23, 29, 41, 61, 89}));
}

TEST(Dot, RectangularI8) {
  // 1x3 times 3x2, signed.
  EXPECT_EQ(reshaped<int8_t>("i8", 3, 2, R"(
  %a = tt.reshape %v : tensor<3xi8> -> tensor<1x3xi8>
  %b = arith.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %c = arith.constant dense<0> : tensor<1x2xi32>
  %d = tt.dot %a, %b, %c : tensor<1x3xi8> * tensor<3x2xi8> -> tensor<1x2xi32>
  %t = arith.trunci %d : tensor<1x2xi32> to tensor<1x2xi8>
  %r = tt.reshape %t : tensor<1x2xi8> -> tensor<2xi8>)",
                             {-1, 2, -3}),
            (std::vector<int8_t>{-10, -12}));
}
