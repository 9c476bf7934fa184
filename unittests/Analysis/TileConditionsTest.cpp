//===- TileConditionsTest.cpp - what is checked holds, at every scalar ----===//

#include "tritium/Analysis/TileConditions.h"

#include "LastValue.h"

using namespace tritium;
using namespace tritium::testing;

namespace {
using mlir::arith::CmpIPredicate;

bool holds(CmpIPredicate predicate, int64_t x, int64_t y) {
  switch (predicate) {
  case CmpIPredicate::slt:
    return x < y;
  case CmpIPredicate::sle:
    return x <= y;
  case CmpIPredicate::sgt:
    return x > y;
  case CmpIPredicate::sge:
    return x >= y;
  default:
    ADD_FAILURE() << "a predicate that no condition has";
    return false;
  }
}

/// The terms of `code` where the arguments of the function are `a` and `b`.
std::vector<int64_t> run(const ScalarCode &code, int64_t a, int64_t b) {
  using Term = ScalarCode::Term;
  std::vector<int64_t> values;
  for (const Term &term : code.terms) {
    auto operand = [&](unsigned i) { return values[term.operands[i]]; };
    auto wrapped = [](uint64_t value) { return static_cast<int64_t>(value); };
    auto value = [&]() -> int64_t {
      switch (term.kind) {
      case Term::Constant:
        return term.constant;
      case Term::Scalar:
      case Term::Flag:
        return mlir::cast<mlir::BlockArgument>(term.value).getArgNumber() ? b : a;
      case Term::Add:
        return wrapped(uint64_t(operand(0)) + uint64_t(operand(1)));
      case Term::Sub:
        return wrapped(uint64_t(operand(0)) - uint64_t(operand(1)));
      case Term::Mul:
        return wrapped(uint64_t(operand(0)) * uint64_t(operand(1)));
      case Term::Remainder:
        return operand(0) % operand(1);
      case Term::Select:
        return operand(0) ? operand(1) : operand(2);
      case Term::Compare:
        return holds(term.predicate, operand(0), operand(1));
      case Term::And:
        return operand(0) && operand(1);
      }
      return 0;
    };
    values.push_back(value());
  }
  return values;
}

/// start + [0, 16) in 8 bits.
const std::string kOffsets = R"(
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %i8 = arith.trunci %i : tensor<16xi32> to tensor<16xi8>
  %as = tt.splat %a : i8 -> tensor<16xi8>
  %bs = tt.splat %b : i8 -> tensor<16xi8>
  %o = arith.addi %as, %i8 : tensor<16xi8>
)";

int8_t offset(int a, int lane, int factor) { return static_cast<int8_t>((a + lane) * factor); }

/// For all scalars of 8 bits: where the condition holds the mask does, everywhere; and where
/// nothing wraps the other way round. `factor`: of the offset that is compared.
void expectMask(const std::string &rest, CmpIPredicate predicate, int factor = 1) {
  LastValue last("%a: i8, %b: i8", kOffsets + rest);
  ASSERT_TRUE(last.value);
  IntegerRanges ranges;
  Strides strides(ranges);
  ScalarCode code;
  std::optional<unsigned> condition = TileConditions(ranges, strides, code).allTrue(last.value);
  ASSERT_TRUE(condition) << rest;
  for (int a = -128; a < 128; ++a)
    for (int b = -128; b < 128; ++b) {
      bool isTrue = true, wraps = false;
      for (int lane = 0; lane < 16; ++lane) {
        isTrue &= holds(predicate, offset(a, lane, factor), b);
        wraps |= a + lane > 127 || std::abs((a + lane) * factor + 0.5) > 128;
      }
      bool checked = run(code, a, b)[*condition];
      ASSERT_LE(checked, isTrue) << rest << a << ' ' << b;
      if (!wraps) {
        ASSERT_EQ(checked, isTrue) << rest << a << ' ' << b;
      }
    }
}
} // namespace

TEST(TileConditions, Bounds) {
  expectMask("  %m = arith.cmpi slt, %o, %bs : tensor<16xi8>\n", CmpIPredicate::slt);
  expectMask("  %m = arith.cmpi sle, %o, %bs : tensor<16xi8>\n", CmpIPredicate::sle);
  expectMask("  %m = arith.cmpi sge, %o, %bs : tensor<16xi8>\n", CmpIPredicate::sge);
  expectMask("  %m = arith.cmpi sgt, %bs, %o : tensor<16xi8>\n", CmpIPredicate::slt);
}

TEST(TileConditions, Products) {
  for (int factor : {3, -2})
    expectMask("  %c = arith.constant dense<" + std::to_string(factor) +
                   "> : tensor<16xi8>\n  %p = arith.muli %o, %c : tensor<16xi8>\n"
                   "  %m = arith.cmpi slt, %p, %bs : tensor<16xi8>\n",
               CmpIPredicate::slt, factor);
}

TEST(TileConditions, NothingOfOtherMasks) {
  for (const char *mask : {"arith.cmpi ult, %o, %bs", "arith.cmpi eq, %o, %bs"}) {
    LastValue last("%a: i8, %b: i8", kOffsets + "  %m = " + mask + " : tensor<16xi8>\n");
    ASSERT_TRUE(last.value);
    IntegerRanges ranges;
    Strides strides(ranges);
    ScalarCode code;
    EXPECT_FALSE(TileConditions(ranges, strides, code).allTrue(last.value));
    EXPECT_TRUE(code.terms.empty());
  }
}

/// Of `remainder`, by the argument b or by a constant, which is `by` then. x % 0 is x, as
/// everywhere in Tritium. The number of tiles that are known to be straight.
static int expectStraight(const std::string &remainder, std::optional<int> by) {
  LastValue last("%a: i8, %b: i8", kOffsets + remainder);
  EXPECT_TRUE(last.value);
  IntegerRanges ranges;
  Strides strides(ranges);
  ScalarCode code;
  auto straight = TileConditions(ranges, strides, code).staysStraight(last.value.getDefiningOp());
  EXPECT_TRUE(straight);
  int checked = 0;
  for (int a = -128; a < 128; ++a)
    for (int b = -128; b < 128; ++b) {
      std::vector<int64_t> terms = run(code, a, b);
      if (!terms[straight->condition])
        continue;
      ++checked;
      int n = by.value_or(b);
      for (int lane = 0; lane < 16; ++lane) {
        int x = offset(a, lane, 1);
        EXPECT_EQ(x - terms[straight->less], n ? x % n : x) << a << ' ' << n;
      }
    }
  return checked;
}

TEST(TileConditions, StraightRemainders) {
  EXPECT_GT(expectStraight("  %m = arith.remsi %o, %bs : tensor<16xi8>\n", {}), 1000);
}

TEST(TileConditions, StraightRemaindersByConstants) {
  for (int by : {-128, -3, 0, 1, 15, 16, 17, 50, 127}) {
    int checked = expectStraight("  %c = arith.constant dense<" + std::to_string(by) +
                                     "> : tensor<16xi8>\n"
                                     "  %m = arith.remsi %o, %c : tensor<16xi8>\n",
                                 by);
    EXPECT_EQ(checked > 0, by >= 16) << by;
  }
}
