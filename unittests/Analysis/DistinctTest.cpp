//===- DistinctTest.cpp - each premise, and where it fails ----------------===//

#include "tritium/Analysis/Distinct.h"

#include "LastValue.h"

using namespace tritium;
using namespace tritium::testing;

namespace {
bool isDistinct(const std::string &body) {
  LastValue last("%n: i32, %m: i64, %i: !tt.ptr<i32>, %p: !tt.ptr<f32>, %h: !tt.ptr<i8>", body);
  if (!last.value)
    return false;
  IntegerRanges ranges;
  Strides strides(ranges);
  return distinctAddresses(last.value, strides);
}

/// p + rows * `row` + columns * `column`, of 16 rows and 32 columns of i64.
bool isMatrixDistinct(const std::string &row, const std::string &column,
                      const std::string &pointee = "f32") {
  std::string pointer = "!tt.ptr<" + pointee + ">";
  return isDistinct(R"(
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %k = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %rw = arith.extsi %r : tensor<16xi32> to tensor<16xi64>
  %kw = arith.extsi %k : tensor<32xi32> to tensor<32xi64>
  %rs = arith.constant dense<)" +
                    row + R"(> : tensor<16xi64>
  %ks = arith.constant dense<)" +
                    column + R"(> : tensor<32xi64>
  %rm = arith.muli %rw, %rs : tensor<16xi64>
  %km = arith.muli %kw, %ks : tensor<32xi64>
  %re = tt.expand_dims %rm {axis = 1 : i32} : tensor<16xi64> -> tensor<16x1xi64>
  %ke = tt.expand_dims %km {axis = 0 : i32} : tensor<32xi64> -> tensor<1x32xi64>
  %rb = tt.broadcast %re : tensor<16x1xi64> -> tensor<16x32xi64>
  %kb = tt.broadcast %ke : tensor<1x32xi64> -> tensor<16x32xi64>
  %o = arith.addi %rb, %kb : tensor<16x32xi64>
  %b = tt.int_to_ptr %m : i64 -> )" +
                    pointer + R"(
  %ps = tt.splat %b : )" +
                    pointer + " -> tensor<16x32x" + pointer + R"(>
  %q = tt.addptr %ps, %o : tensor<16x32x)" +
                    pointer + ">, tensor<16x32xi64>\n");
}

std::string rangeOf(int extent) {
  std::string n = std::to_string(extent);
  return "  %r = tt.make_range {start = 0 : i32, end = " + n + " : i32} : tensor<" + n + "xi32>\n";
}
std::string pointers(int extent, const std::string &offset, const std::string &type = "i32") {
  std::string shape = "tensor<" + std::to_string(extent) + "x";
  return "  %ps = tt.splat %p : !tt.ptr<f32> -> " + shape + "!tt.ptr<f32>>\n" +
         "  %q = tt.addptr %ps, " + offset + " : " + shape + "!tt.ptr<f32>>, " + shape + type +
         ">\n";
}
} // namespace

TEST(Distinct, Scalar) { EXPECT_TRUE(isDistinct("  %q = tt.addptr %p, %n : !tt.ptr<f32>, i32")); }

TEST(Distinct, Row) { EXPECT_TRUE(isDistinct(rangeOf(512) + pointers(512, "%r"))); }

TEST(Distinct, OneAddress) {
  EXPECT_FALSE(isDistinct("  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<2x!tt.ptr<f32>>"));
  EXPECT_TRUE(isDistinct("  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1x!tt.ptr<f32>>"));
}

TEST(Distinct, Matrix) {
  EXPECT_TRUE(isMatrixDistinct("32", "1"));
  EXPECT_TRUE(isMatrixDistinct("1", "16"));
  EXPECT_TRUE(isMatrixDistinct("-32", "1"));
  EXPECT_TRUE(isMatrixDistinct("-1", "-16"));
}

// Rows that begin before the one before them ends.
TEST(Distinct, OverlappingRows) {
  EXPECT_FALSE(isMatrixDistinct("31", "1"));
  EXPECT_FALSE(isMatrixDistinct("1", "1"));
  EXPECT_FALSE(isMatrixDistinct("0", "1"));
  EXPECT_FALSE(isMatrixDistinct("1", "15"));
  // 31 columns of stride 2 reach to 62: row 1 may begin at 63.
  EXPECT_TRUE(isMatrixDistinct("63", "2"));
  EXPECT_FALSE(isMatrixDistinct("62", "2"));
}

// 2^62 elements of 4 bytes are once around.
TEST(Distinct, AroundAllAddresses) {
  EXPECT_FALSE(isMatrixDistinct("4611686018427387904", "1"));
  EXPECT_FALSE(isMatrixDistinct("288230376151711744", "1"));
  EXPECT_TRUE(isMatrixDistinct("72057594037927936", "1"));
}

// Elements of four bytes that are so many bytes apart.
TEST(Distinct, WiderPointees) {
  for (int bytes : {1, 3, 4}) {
    std::string body = rangeOf(8) + "  %f = arith.constant dense<" + std::to_string(bytes) +
                       R"(> : tensor<8xi32>
  %o = arith.muli %r, %f : tensor<8xi32>
  %ps = tt.splat %h : !tt.ptr<i8> -> tensor<8x!tt.ptr<i8>>
  %q = tt.addptr %ps, %o : tensor<8x!tt.ptr<i8>>, tensor<8xi32>
)";
    EXPECT_TRUE(isDistinct(body));
    body += "  %c = tt.bitcast %q : tensor<8x!tt.ptr<i8>> -> tensor<8x!tt.ptr<f32>>\n";
    EXPECT_EQ(isDistinct(body), bytes == 4);
  }
}

TEST(Distinct, NarrowConversions) {
  std::string narrow = "  %t = arith.trunci %r : tensor<512xi32> to tensor<512xi8>\n"
                       "  %w = arith.extui %t : tensor<512xi8> to tensor<512xi32>\n";
  EXPECT_FALSE(isDistinct(rangeOf(512) + narrow + pointers(512, "%w")));
  std::string exact = "  %t = arith.trunci %r : tensor<128xi32> to tensor<128xi8>\n"
                      "  %w = arith.extsi %t : tensor<128xi8> to tensor<128xi32>\n";
  EXPECT_TRUE(isDistinct(rangeOf(128) + exact + pointers(128, "%w")));
}

TEST(Distinct, Remainders) {
  auto remainder = [](const std::string &divisor) {
    return rangeOf(512) + "  %c = arith.constant dense<" + divisor +
           "> : tensor<512xi32>\n  %w = arith.remsi %r, %c : tensor<512xi32>\n" +
           pointers(512, "%w");
  };
  EXPECT_TRUE(isDistinct(remainder("512")));
  EXPECT_FALSE(isDistinct(remainder("511")));
}

// An i32 offset that wraps comes 2^32 elements before: still another address, but not by a
// stride. In i64 a sum with anything is one.
TEST(Distinct, Sums) {
  std::string sum = rangeOf(8) + R"(
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %s = arith.addi %r, %ns : tensor<8xi32>
)";
  EXPECT_FALSE(isDistinct(sum + pointers(8, "%s")));
  EXPECT_TRUE(isDistinct(rangeOf(8) + R"(
  %w = arith.extsi %r : tensor<8xi32> to tensor<8xi64>
  %ms = tt.splat %m : i64 -> tensor<8xi64>
  %s = arith.addi %w, %ms : tensor<8xi64>
)" + pointers(8, "%s", "i64")));
}

TEST(Distinct, LoadedIndices) {
  EXPECT_FALSE(isDistinct(rangeOf(8) + R"(
  %is = tt.splat %i : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %ip = tt.addptr %is, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %l = tt.load %ip : tensor<8x!tt.ptr<i32>>
)" + pointers(8, "%l")));
}
