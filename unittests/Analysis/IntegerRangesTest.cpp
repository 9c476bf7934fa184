//===- IntegerRangesTest.cpp - each rule, and where its premise fails -----===//

#include "tritium/Analysis/IntegerRanges.h"

#include "LastValue.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tritium;
using namespace tritium::testing;

namespace {
constexpr int64_t kMin = INT32_MIN, kMax = INT32_MAX;
const IntegerRange kAny{kMin, kMax};

constexpr const char *kParameters =
    "%a: i32, %b: i32, %c: i1, %d: i8, %w: i64, %pos: i32 {tt.positive}";

IntegerRange find(const std::string &body) {
  LastValue last(kParameters, body);
  return last.value ? IntegerRanges().get(last.value) : IntegerRange{0, 0};
}

void expect(const std::string &body, IntegerRange range) {
  IntegerRange found = find(body);
  EXPECT_EQ(found.low, range.low) << body;
  EXPECT_EQ(found.high, range.high) << body;
}

/// Of `op` on a number from 0 to `most` and a constant.
void expectOf(const std::string &op, int64_t most, int64_t constant, IntegerRange range) {
  auto number = [](const std::string &name, int64_t value) {
    return name + " = arith.constant " + std::to_string(value) + " : i32\n";
  };
  expect(number("%most", most) + number("%all", kMax) + number("%k", constant) +
             "%y = arith.andi %a, %all : i32\n%x = arith.minsi %y, %most : i32\n%r = arith." + op +
             " %x, %k : i32",
         range);
}
} // namespace

TEST(IntegerRanges, Leaves) {
  expect("%r = arith.constant -7 : i32", {-7, -7});
  expect("%r = arith.constant dense<[3, -2]> : tensor<2xi32>", {-2, 3});
  expect("%r = tt.make_range {start = -8 : i32, end = 24 : i32} : tensor<32xi32>", {-8, 23});
  expect("%r = tt.get_program_id 0 : i32", {0, kMax - 1});
  expect("%r = tt.get_program_id 1 : i32", {0, 65534});
  expect("%r = tt.get_num_programs 2 : i32", {1, 65535});
  expect("%r = arith.subi %a, %b : i32", kAny);
}

TEST(IntegerRanges, ArithmeticThatMayWrapGivesAnything) {
  expectOf("addi", 100, 7, {7, 107});
  expectOf("addi", kMax, 1, kAny);
  expectOf("subi", 100, 7, {-7, 93});
  expectOf("subi", kMax, -1, kAny);
  expectOf("muli", 100, -7, {-700, 0});
  expectOf("muli", kMax, 2, kAny);
  expectOf("shli", 100, 3, {0, 800});
  expectOf("shli", 100, 26, kAny);
  expectOf("shli", 100, 32, kAny);
}

TEST(IntegerRanges, WhatDoesNotWrapStaysWithinItsWidth) {
  std::string flags = "%k = arith.constant 128 : i32\n%p = tt.get_program_id 0 : i32\n%r = "
                      "arith.muli %p, %k overflow<nsw> : i32";
  expect(flags, {0, kMax});
  flags.replace(flags.find("nsw"), 3, "nuw");
  expect(flags, kAny);
}

TEST(IntegerRanges, QuotientsAndRemainders) {
  expectOf("divsi", 100, 7, {0, 14});
  expectOf("divsi", 100, -7, kAny);
  expectOf("divui", 100, 7, {0, 14});
  expectOf("remsi", 100, 7, {0, 6});
  expectOf("remsi", 5, 7, {0, 5});
  expectOf("remui", 100, 7, {0, 6});
  // With the sign of the dividend, whatever the divisor is.
  expect(
      "%k = arith.constant 255 : i32\n%x = arith.andi %a, %k : i32\n%r = arith.remsi %x, %b : i32",
      {0, 255});
  expect("%k = arith.constant 7 : i32\n%r = arith.remsi %a, %k : i32", {-6, 6});
  // As unsigned numbers, negative ones are large.
  expect("%k = arith.constant 7 : i32\n%r = arith.divui %a, %k : i32", kAny);
  expect("%k = arith.constant 7 : i32\n%r = arith.remui %a, %k : i32", kAny);
}

TEST(IntegerRanges, Shifts) {
  expectOf("shrsi", 100, 3, {0, 12});
  expectOf("shrui", 100, 3, {0, 12});
  expect("%k = arith.constant 3 : i32\n%r = arith.shrsi %a, %k : i32", {kMin / 8, kMax / 8});
  expect("%k = arith.constant 3 : i32\n%r = arith.shrui %a, %k : i32", kAny);
  expectOf("shrsi", 100, 32, kAny);
}

TEST(IntegerRanges, Masks) {
  expect("%k = arith.constant 15 : i32\n%r = arith.andi %a, %k : i32", {0, 15});
  expect("%k = arith.constant -16 : i32\n%r = arith.andi %a, %k : i32", kAny);
  expectOf("minsi", 100, 7, {0, 7});
  expectOf("maxsi", 100, 7, {7, 100});
  expectOf("minui", 100, 7, {0, 7});
  expectOf("maxui", 100, 7, {7, 100});
  expect("%k = arith.constant 7 : i32\n%r = arith.minui %a, %k : i32", kAny);
  expect(
      "%k = arith.constant 7 : i32\n%l = arith.constant -2 : i32\n%r = arith.select %c, %k, %l : "
      "i32",
      {-2, 7});
}

TEST(IntegerRanges, Conversions) {
  expect("%r = arith.extsi %d : i8 to i32", {-128, 127});
  expect("%r = arith.extui %d : i8 to i32", {0, 255});
  expect("%k = arith.constant 15 : i32\n%x = arith.andi %a, %k : i32\n%r = arith.trunci %x : i32 "
         "to i8",
         {0, 15});
  expect("%k = arith.constant 255 : i32\n%x = arith.andi %a, %k : i32\n%r = arith.trunci %x : i32 "
         "to i8",
         {-128, 127});
  expect("%r = arith.trunci %w : i64 to i32", kAny);
}

TEST(IntegerRanges, Assumptions) {
  auto assuming = [](const std::string &predicate, const std::string &where) {
    std::string text = "%k = arith.constant 5 : i32\n%h = arith.cmpi " + predicate +
                       ", %a, %k : i32\n" + where + "\n%z = arith.constant 0 : i32\n";
    return text + "%r = arith.ori %a, %z : i32";
  };
  // Of %a itself, which an operation that is not followed ends with: asked for below.
  auto of = [&](const std::string &predicate, const std::string &where) {
    LastValue last(kParameters, assuming(predicate, where));
    return IntegerRanges().get(last.value.getDefiningOp()->getOperand(0));
  };
  EXPECT_EQ(of("sge", "tt.assume %h"), (IntegerRange{5, kMax}));
  EXPECT_EQ(of("sgt", "tt.assume %h"), (IntegerRange{6, kMax}));
  EXPECT_EQ(of("sle", "tt.assume %h"), (IntegerRange{kMin, 5}));
  EXPECT_EQ(of("slt", "tt.assume %h"), (IntegerRange{kMin, 4}));
  EXPECT_EQ(of("eq", "tt.assume %h"), (IntegerRange{5, 5}));
  EXPECT_EQ(of("ult", "tt.assume %h"), kAny);
  // A comparison alone, or what is assumed on one way only, says nothing.
  EXPECT_EQ(of("sge", ""), kAny);
  EXPECT_EQ(of("sge", "scf.if %c {\n tt.assume %h\n}"), kAny);
}

TEST(IntegerRanges, PositiveAtLaunch) {
  expect("%z = arith.constant 0 : i32\n%r = arith.maxsi %pos, %z : i32", {1, kMax});
  expect("%r = arith.subi %a, %b {tt.positive} : i32", {1, kMax});
  LastValue last(kParameters, "%r = arith.subi %a, %b : i32");
  Hypotheses hypotheses;
  hypotheses.positive.insert(last.value);
  EXPECT_EQ(IntegerRanges(hypotheses).get(last.value), (IntegerRange{1, kMax}));
}

namespace {
/// What a loop carries, from 0 by `move`, `bounds` times.
std::string carried(const std::string &bounds, const std::string &move) {
  return "%l = arith.constant 0 : i32\n%u = arith.constant 10 : i32\n%s = arith.constant 3 : i32\n"
         "%k = arith.constant 100 : i32\n%r = scf.for %i = " +
         bounds + " iter_args(%x = %l) -> (i32) : i32 {\n" + move + "\nscf.yield %next : i32\n}";
}
} // namespace

TEST(IntegerRanges, Loops) {
  // Rounds at 0, 3, 6 and 9.
  expect(carried("%l to %u step %s", "%next = arith.addi %x, %k : i32"), {0, 400});
  expect(carried("%l to %u step %s", "%next = arith.subi %x, %k : i32"), {-400, 0});
  // An amount that differs from round to round has bounds.
  expect(carried("%l to %u step %s", "%next = arith.addi %x, %i : i32"), {0, 36});
  // Not so if it may wrap, if the step may not be positive, or if it is no move.
  expect(carried("%l to %a step %s", "%next = arith.addi %x, %k : i32"), kAny);
  expect(carried("%l to %u step %a", "%next = arith.addi %x, %k : i32"), kAny);
  expect(carried("%l to %u step %s", "%next = arith.muli %x, %k : i32"), kAny);
  expect(carried("%l to %u step %s", "%next = arith.addi %x, %x : i32"), kAny);
  expect(carried("%l to %u step %s", "%next = arith.subi %k, %x : i32"), kAny);
}

TEST(IntegerRanges, LastIndex) {
  auto index = [](const std::string &bounds) {
    LastValue last(kParameters, carried(bounds, "%next = arith.addi %x, %k : i32"));
    auto loop = last.value.getDefiningOp<mlir::scf::ForOp>();
    return IntegerRanges().get(loop.getInductionVar());
  };
  // From a known number by steps of 10: the last below 2147483647 is 2147483640.
  EXPECT_EQ(index("%l to %a step %u"), (IntegerRange{0, kMax - 7}));
  EXPECT_EQ(index("%l to %u step %s"), (IntegerRange{0, 9}));
  EXPECT_EQ(index("%k to %u step %s"), (IntegerRange{100, 100}));
  // Where it begins, or by how much it goes on, is not known.
  EXPECT_EQ(index("%pos to %a step %s"), (IntegerRange{1, kMax - 1}));
  EXPECT_EQ(index("%l to %a step %pos"), (IntegerRange{0, kMax - 1}));
}

TEST(IntegerRanges, EndsOfTheNumbers) {
  auto crosses = [](const std::string &body) {
    LastValue last(kParameters, body);
    IntegerRanges ranges;
    return std::pair(!ranges.cannotCrossSignedEnd(last.value),
                     !ranges.cannotCrossUnsignedEnd(last.value));
  };
  using Ends = std::pair<bool, bool>; // signed, unsigned
  EXPECT_EQ(crosses("%r = arith.subi %a, %b : i32"), Ends(true, true));
  EXPECT_EQ(crosses("%r = arith.extsi %d : i8 to i32"), Ends(false, true));
  EXPECT_EQ(crosses("%r = arith.extui %d : i8 to i32"), Ends(false, false));
  EXPECT_EQ(crosses("%r = arith.constant -2 : i32"), Ends(false, false));
  EXPECT_EQ(crosses("%r = arith.constant -1 : i32"), Ends(false, true));
}
