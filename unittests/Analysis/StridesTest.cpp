//===- StridesTest.cpp - each rule, and where its premise fails -----------===//

#include "tritium/Analysis/Strides.h"

#include "LastValue.h"

using namespace tritium;
using namespace tritium::testing;

namespace {
constexpr std::nullopt_t kNone = std::nullopt;
using Stride = std::optional<int64_t>;

struct Found {
  Stride modular, exact;
  bool isLinear;
};

Found find(const std::string &body, int64_t dim = 0,
           Strides::Hypothesis hypothesis = Strides::Nothing) {
  LastValue last("%n: i32, %m: i64, %b: i8, %p: !tt.ptr<f32>", body);
  if (!last.value)
    return {};
  IntegerRanges ranges;
  Strides strides(ranges, hypothesis);
  return {strides.modular(last.value, dim), strides.exact(last.value, dim),
          strides.isLinear(last.value, dim)};
}

void expect(const std::string &body, Stride modular, Stride exact, bool isLinear, int64_t dim = 0) {
  Found found = find(body, dim);
  EXPECT_EQ(found.modular, modular) << body;
  EXPECT_EQ(found.exact, exact) << body;
  EXPECT_EQ(found.isLinear, isLinear) << body;
}

std::string splat(const std::string &name, const std::string &scalar, const std::string &type) {
  return "  " + name + " = tt.splat " + scalar + " : " + type + " -> tensor<256x" + type + ">\n";
}
std::string constant(const std::string &name, const std::string &value,
                     const std::string &type = "i32") {
  return "  " + name + " = arith.constant dense<" + value + "> : tensor<256x" + type + ">\n";
}
std::string binary(const std::string &name, const std::string &op, const std::string &x,
                   const std::string &y, const std::string &type = "i32") {
  return "  " + name + " = arith." + op + " " + x + ", " + y + " : tensor<256x" + type + ">\n";
}
std::string convert(const std::string &name, const std::string &op, const std::string &x,
                    const std::string &from, const std::string &to) {
  return "  " + name + " = arith." + op + " " + x + " : tensor<256x" + from + "> to tensor<256x" +
         to + ">\n";
}

const std::string kRange =
    "  %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>\n";
const std::string kN = splat("%ns", "%n", "i32");
} // namespace

TEST(Strides, Range) { expect(kRange, 1, 1, true); }

TEST(Strides, ScalarsDoNotChange) { expect("  %v = arith.addi %n, %n : i32", 0, 0, true); }

// n + 255 may be beyond 2^31 - 1.
TEST(Strides, SumsMayWrap) {
  expect(kRange + kN + binary("%v", "addi", "%r", "%ns"), 1, kNone, true);
}

TEST(Strides, SumsBelowTheEdge) {
  std::string sum = binary("%v", "addi", "%r", "%c");
  expect(kRange + constant("%c", "2147483392") + sum, 1, 1, true);
  expect(kRange + constant("%c", "2147483393") + sum, 1, kNone, true);
}

TEST(Strides, DifferencesAndProducts) {
  expect(kRange + constant("%c", "7") + binary("%v", "subi", "%c", "%r"), -1, -1, true);
  expect(kRange + constant("%c", "-12") + binary("%v", "muli", "%c", "%r"), -12, -12, true);
  expect(kRange + constant("%c", "16777216") + binary("%v", "muli", "%r", "%c"), 16777216, kNone,
         true);
  expect(kRange + binary("%v", "muli", "%r", "%r"), kNone, kNone, false);
  expect(kRange + kN + binary("%v", "muli", "%r", "%ns"), kNone, kNone, true);
}

TEST(Strides, Shifts) {
  expect(kRange + constant("%c", "3") + binary("%v", "shli", "%r", "%c"), 8, 8, true);
  expect(kRange + constant("%c", "32") + binary("%v", "shli", "%r", "%c"), kNone, kNone, true);
  expect(kRange + constant("%c", "3") + binary("%v", "shrsi", "%r", "%c"), kNone, kNone, false);
}

TEST(Strides, MarkedNotToWrap) {
  std::string sum = "  %v = arith.addi %r, %ns overflow<nsw> : tensor<256xi32>\n";
  expect(kRange + kN + sum, 1, 1, true);
  expect(kRange + kN + sum + convert("%w", "extsi", "%v", "i32", "i64"), 1, 1, true);
  expect(kRange + kN + "  %v = arith.addi %r, %ns overflow<nuw> : tensor<256xi32>\n", 1, kNone,
         true);
}

TEST(Strides, SignedExtension) {
  std::string extend = convert("%w", "extsi", "%v", "i32", "i64");
  expect(kRange + kN + binary("%v", "addi", "%r", "%ns") + extend, kNone, kNone, false);
  expect(kRange + constant("%c", "5") + binary("%v", "addi", "%r", "%c") + extend, 1, 1, true);
}

TEST(Strides, UnsignedExtension) {
  std::string extend = convert("%w", "extui", "%v", "i32", "i64");
  expect(kRange + constant("%c", "0") + binary("%v", "addi", "%r", "%c") + extend, 1, 1, true);
  // -1, 0, 1, ..: the first is 2^32 - 1.
  expect(kRange + constant("%c", "-1") + binary("%v", "addi", "%r", "%c") + extend, kNone, kNone,
         false);
  expect(constant("%v", "-1") + extend, 0, 0, true);
}

TEST(Strides, Truncation) {
  std::string narrow = convert("%t", "trunci", "%r", "i32", "i8");
  expect(kRange + narrow, 1, kNone, true);
  expect(kRange + narrow + convert("%w", "extsi", "%t", "i8", "i32"), kNone, kNone, false);
  expect(kRange + constant("%c", "300") + binary("%v", "muli", "%r", "%c") +
             convert("%t", "trunci", "%v", "i32", "i8"),
         44, kNone, true);
  std::string few = "  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>\n"
                    "  %t = arith.trunci %r : tensor<128xi32> to tensor<128xi8>\n"
                    "  %w = arith.extsi %t : tensor<128xi8> to tensor<128xi32>\n";
  expect(few, 1, 1, true);
}

TEST(Strides, Remainders) {
  auto remainder = [](const std::string &divisor) {
    return kRange + constant("%c", divisor) + binary("%v", "remsi", "%r", "%c");
  };
  expect(remainder("256"), 1, 1, true);
  expect(remainder("255"), kNone, kNone, false);
  expect(remainder("0"), kNone, kNone, false);
  expect(kRange + kN + binary("%v", "remsi", "%r", "%ns"), kNone, kNone, false);
  // 512 .. 767 lies between two multiples of 256, and 511 .. 766 does not.
  for (auto [start, stride] : {std::pair("512", Stride(1)), std::pair("511", Stride())})
    expect(kRange + constant("%s", start) + binary("%o", "addi", "%r", "%s") +
               constant("%c", "256") + binary("%v", "remui", "%o", "%c"),
           stride, stride, stride.has_value());
  // A remainder of negative numbers jumps at zero.
  expect(kRange + constant("%s", "-3") + binary("%o", "addi", "%r", "%s") + constant("%c", "256") +
             binary("%v", "remsi", "%o", "%c"),
         kNone, kNone, false);
}

TEST(Strides, Quotients) {
  expect(kRange + constant("%c", "256") + binary("%v", "divsi", "%r", "%c"), 0, 0, true);
  expect(kRange + constant("%c", "128") + binary("%v", "divsi", "%r", "%c"), kNone, kNone, false);
  expect(kN + constant("%c", "128") + binary("%v", "divsi", "%ns", "%c"), 0, 0, true);
}

TEST(Strides, WhatDoesNotChange) {
  expect(kN + binary("%v", "xori", "%ns", "%ns"), 0, 0, true);
  expect(kRange + kN + binary("%v", "xori", "%r", "%ns"), kNone, kNone, false);
}

TEST(Strides, Choices) {
  std::string tiles = kRange + kN + binary("%x", "addi", "%r", "%ns");
  std::string compare = "  %c = arith.cmpi slt, %y, %ns : tensor<256xi32>\n"
                        "  %v = arith.select %c, %r, %x : tensor<256xi1>, tensor<256xi32>\n";
  expect(tiles + constant("%y", "3") + compare, 1, kNone, true);
  expect(tiles + constant("%z", "0") + binary("%y", "addi", "%r", "%z") + compare, kNone, kNone,
         false);
}

TEST(Strides, ChoicesBetweenStrides) {
  expect(kRange + kN + constant("%t", "2") + binary("%x", "muli", "%r", "%t") +
             "  %c = arith.cmpi slt, %n, %n : i32\n"
             "  %v = arith.select %c, %r, %x : tensor<256xi32>\n",
         kNone, kNone, false);
}

TEST(Strides, Constants) {
  expect("  %v = arith.constant dense<7> : tensor<4xi32>", 0, 0, true);
  expect("  %v = arith.constant dense<[7, 7, 7, 8]> : tensor<4xi32>", kNone, kNone, false);
}

TEST(Strides, BitsOfAnotherKind) {
  expect(kRange + "  %v = tt.bitcast %r : tensor<256xi32> -> tensor<256xf32>", kNone, kNone, false);
  expect(kN + "  %v = tt.bitcast %ns : tensor<256xi32> -> tensor<256xf32>", 0, 0, true);
}

// A tile in memory may hold anything, also where all its addresses are one.
TEST(Strides, Loads) {
  std::string pointers = "  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>\n";
  expect(pointers + "  %v = tt.load %ps : tensor<256x!tt.ptr<f32>>", kNone, kNone, false);
}

TEST(Strides, PointersCountBytes) {
  std::string pointers = kRange +
                         "  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>\n"
                         "  %q = tt.addptr %ps, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>\n";
  expect(pointers, 4, kNone, true);
  expect(pointers + "  %c = tt.bitcast %q : tensor<256x!tt.ptr<f32>> -> tensor<256x!tt.ptr<i8>>", 4,
         kNone, true);
}

TEST(Strides, NarrowOffsetsMustNotWrap) {
  std::string pointers = kRange + kN + binary("%o", "addi", "%r", "%ns") +
                         "  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>\n";
  expect(pointers + "  %q = tt.addptr %ps, %o : tensor<256x!tt.ptr<f32>>, tensor<256xi32>\n", kNone,
         kNone, false);
  expect(kRange + splat("%ms", "%m", "i64") + convert("%w", "extsi", "%r", "i32", "i64") +
             binary("%o", "addi", "%w", "%ms", "i64") +
             "  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>\n"
             "  %q = tt.addptr %ps, %o : tensor<256x!tt.ptr<f32>>, tensor<256xi64>\n",
         4, kNone, true);
}

// Rows times a stride of the run: in 64 bits they are linear; in 8 they wrap before they are
// extended; in 32 it takes half of the range.
TEST(Strides, LinearExtension) {
  std::string product = kRange + kN + binary("%v", "muli", "%r", "%ns");
  expect(product + convert("%w", "extsi", "%v", "i32", "i64"), kNone, kNone, false);
  expect(kRange + splat("%bs", "%b", "i8") + convert("%be", "extsi", "%bs", "i8", "i32") +
             binary("%v", "muli", "%r", "%be") + convert("%w", "extsi", "%v", "i32", "i64"),
         kNone, kNone, true);
  expect(product + convert("%w", "trunci", "%v", "i32", "i16"), kNone, kNone, true);
}

// One value, shifted by a different amount in each element: n, 2 n, 4 n, ... A tile that is linear,
// shifted by one amount, stays so.
TEST(Strides, LinearShift) {
  expect(kRange + kN + binary("%v", "shli", "%ns", "%r"), kNone, kNone, false);
  expect(kRange + kN + binary("%v", "shli", "%r", "%ns"), kNone, kNone, true);
}

TEST(Strides, Shapes) {
  std::string tile = kRange + "  %e = tt.expand_dims %r {axis = 1 : i32} : tensor<256xi32> -> "
                              "tensor<256x1xi32>\n"
                              "  %w = tt.broadcast %e : tensor<256x1xi32> -> tensor<256x8xi32>\n";
  expect(tile, 1, 1, true, 0);
  expect(tile, 0, 0, true, 1);
  std::string turned =
      tile +
      "  %t = tt.trans %w {order = array<i32: 1, 0>} : tensor<256x8xi32> -> tensor<8x256xi32>";
  expect(turned, 0, 0, true, 0);
  expect(turned, 1, 1, true, 1);
  expect(kRange + "  %v = tt.reshape %r : tensor<256xi32> -> tensor<1x256xi32>", 1, 1, true, 1);
  expect(kRange + "  %v = tt.reshape %r : tensor<256xi32> -> tensor<16x16xi32>", kNone, kNone,
         false, 1);
  expect(kRange + "  %v = tt.reshape %r {allow_reorder} : tensor<256xi32> -> tensor<1x256xi32>",
         kNone, kNone, false, 1);
  expect(tile + "  %v = tt.reshape %w : tensor<256x8xi32> -> tensor<8x256xi32>", kNone, kNone,
         false, 0);
  std::string column = kRange + "  %v = tt.expand_dims %r {axis = 0 : i32} : tensor<256xi32> -> "
                                "tensor<1x256xi32>";
  expect(column, 1, 1, true, 1);
  expect(column, 0, 0, true, 0);
}

// What a loop carries may be anything.
TEST(Strides, Loops) {
  expect(kRange + R"(
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %v = scf.for %i = %z to %n step %one iter_args(%x = %r) -> tensor<256xi32> : i32 {
    %y = arith.muli %x, %x : tensor<256xi32>
    scf.yield %y : tensor<256xi32>
  })",
         kNone, kNone, false);
}

// A guess follows remainders, truncations and extensions.
TEST(Strides, Guesses) {
  std::string body = kRange + kN + binary("%v", "remsi", "%r", "%ns") +
                     convert("%t", "trunci", "%v", "i32", "i8") +
                     convert("%w", "extui", "%t", "i8", "i64");
  EXPECT_EQ(find(body).modular, kNone);
  EXPECT_EQ(find(body, 0, Strides::Straight).modular, 1);
}
