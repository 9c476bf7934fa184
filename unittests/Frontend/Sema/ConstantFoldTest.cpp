//===- ConstantFoldTest.cpp - Python's arithmetic at compile time ---------===//

#include "tritium/Frontend/Sema/ConstantFold.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tritium;
using namespace tritium::sema;
using frontend::BinaryOp;
using frontend::CompareOp;
using frontend::UnaryOp;
using Int = Constant::Int;

namespace {
Constant c(int64_t value) { return {Int(value)}; }
Constant c(double value) { return {value}; }
Constant c(bool value) { return {value}; }
Constant c(const char *value) { return {std::string(value)}; }

/// The result as Python prints it, or the error.
template <typename L, typename R> std::string fold(BinaryOp op, L lhs, R rhs) {
  std::string error;
  auto result = foldBinary(op, c(lhs), c(rhs), error);
  EXPECT_EQ(result.has_value(), error.empty());
  return result ? result->repr() : "error: " + error;
}
template <typename L, typename R> std::string compare(CompareOp op, L lhs, R rhs) {
  std::string error;
  auto result = foldCompare(op, c(lhs), c(rhs), error);
  return result ? result->repr() : "error: " + error;
}
} // namespace

// Each expectation is what CPython 3.11 prints.
TEST(ConstantFold, IntegersFloor) {
  EXPECT_EQ(fold(BinaryOp::FloorDiv, int64_t(-7), int64_t(2)), "-4");
  EXPECT_EQ(fold(BinaryOp::FloorDiv, int64_t(7), int64_t(-2)), "-4");
  EXPECT_EQ(fold(BinaryOp::FloorDiv, int64_t(-8), int64_t(2)), "-4");
  EXPECT_EQ(fold(BinaryOp::FloorDiv, int64_t(-8), int64_t(-1)), "8");
  EXPECT_EQ(fold(BinaryOp::Mod, int64_t(-7), int64_t(3)), "2");
  EXPECT_EQ(fold(BinaryOp::Mod, int64_t(7), int64_t(-3)), "-2");
  EXPECT_EQ(fold(BinaryOp::Mod, int64_t(7), int64_t(-1)), "0");
  EXPECT_EQ(fold(BinaryOp::TrueDiv, int64_t(7), int64_t(2)), "3.5");
  EXPECT_EQ(fold(BinaryOp::Mod, int64_t(1), int64_t(0)),
            "error: division by zero in a compile-time expression");
}

TEST(ConstantFold, Powers) {
  EXPECT_EQ(fold(BinaryOp::Pow, int64_t(2), int64_t(100)), "1267650600228229401496703205376");
  EXPECT_EQ(fold(BinaryOp::Pow, int64_t(2), int64_t(-1)), "0.5");
  EXPECT_EQ(fold(BinaryOp::Pow, int64_t(0), int64_t(0)), "1");
  EXPECT_EQ(fold(BinaryOp::Pow, int64_t(-1), int64_t(1000000007)), "-1");
  EXPECT_EQ(fold(BinaryOp::Pow, int64_t(3), int64_t(200)).substr(0, 23), "error: integer overflow");
}

TEST(ConstantFold, Shifts) {
  EXPECT_EQ(fold(BinaryOp::Shl, int64_t(1), int64_t(64)), "18446744073709551616");
  EXPECT_EQ(fold(BinaryOp::Shl, int64_t(-3), int64_t(2)), "-12");
  EXPECT_EQ(fold(BinaryOp::Shr, int64_t(-5), int64_t(1)), "-3");
  EXPECT_EQ(fold(BinaryOp::Shr, int64_t(-5), int64_t(1000)), "-1");
  EXPECT_EQ(fold(BinaryOp::Shl, int64_t(0), int64_t(1000)), "0");
  EXPECT_EQ(fold(BinaryOp::Shl, int64_t(1), int64_t(127)).substr(0, 5), "error");
  EXPECT_EQ(fold(BinaryOp::Shl, int64_t(1), int64_t(-1)).substr(0, 5), "error");
}

TEST(ConstantFold, Floats) {
  EXPECT_EQ(fold(BinaryOp::Mod, -7.5, 2.0), "0.5");
  EXPECT_EQ(fold(BinaryOp::Mod, 7.5, -2.0), "-0.5");
  EXPECT_EQ(fold(BinaryOp::Mod, -4.0, 2.0), "0.0");
  EXPECT_EQ(fold(BinaryOp::Mod, 4.0, -2.0), "-0.0");
  EXPECT_EQ(fold(BinaryOp::FloorDiv, 7.0, -2.0), "-4.0");
  EXPECT_EQ(fold(BinaryOp::Mul, int64_t(3), 0.5), "1.5");
  EXPECT_EQ(fold(BinaryOp::BitAnd, 1.0, int64_t(1)),
            "error: unsupported operands for &: 'float' and 'int'");
}

TEST(ConstantFold, BoolsAndSequences) {
  EXPECT_EQ(fold(BinaryOp::Add, true, true), "2");
  EXPECT_EQ(fold(BinaryOp::BitAnd, true, false), "False");
  EXPECT_EQ(fold(BinaryOp::BitXor, true, int64_t(3)), "2");
  EXPECT_EQ(fold(BinaryOp::Add, "ab", "c"), "'abc'");
  EXPECT_EQ(fold(BinaryOp::Mul, int64_t(2), "ab"), "'abab'");
  EXPECT_EQ(
      fold(BinaryOp::Mul, "ab", int64_t(1) << 40),
      "error: a string or tuple in a compile-time expression may have at most 65536 elements");
  EXPECT_EQ(fold(BinaryOp::Sub, "ab", "c"), "error: unsupported operands for -: 'str' and 'str'");
}

TEST(ConstantFold, Comparisons) {
  EXPECT_EQ(compare(CompareOp::Eq, int64_t(1), 1.0), "True");
  EXPECT_EQ(compare(CompareOp::Eq, true, int64_t(1)), "True");
  EXPECT_EQ(compare(CompareOp::Is, true, int64_t(1)), "False");
  EXPECT_EQ(compare(CompareOp::Eq, "a", int64_t(1)), "False");
  EXPECT_EQ(compare(CompareOp::Lt, "a", "b"), "True");
  EXPECT_EQ(compare(CompareOp::In, "b", "abc"), "True");
  EXPECT_EQ(compare(CompareOp::NotIn, "x", "abc"), "True");
  EXPECT_EQ(compare(CompareOp::Lt, "a", int64_t(1)),
            "error: unsupported operands for <: 'str' and 'int'");
  // 2^53 + 1 is no double: it must not be rounded before it is compared.
  EXPECT_EQ(compare(CompareOp::Gt, (int64_t(1) << 53) + 1, 0x1p53), "True");
  EXPECT_EQ(compare(CompareOp::Lt, 0x1p53, (int64_t(1) << 53) + 1), "True");
  for (CompareOp op : {CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge, CompareOp::Eq})
    EXPECT_EQ(compare(op, NAN, 1.0), "False");
  EXPECT_EQ(compare(CompareOp::Ne, NAN, NAN), "True");
}

TEST(ConstantFold, Unary) {
  std::string error;
  EXPECT_EQ(foldUnary(UnaryOp::Minus, c(true), error)->repr(), "-1");
  EXPECT_EQ(foldUnary(UnaryOp::Invert, c(int64_t(5)), error)->repr(), "-6");
  EXPECT_EQ(foldUnary(UnaryOp::Not, c(""), error)->repr(), "True");
  EXPECT_EQ(foldUnary(UnaryOp::Minus, c(0.0), error)->repr(), "-0.0");
  EXPECT_FALSE(foldUnary(UnaryOp::Invert, c(1.0), error));
}
