//===- ControlFlowTest.cpp - loops, branches, calls -----------------------===//

#include "Run.h"

#include <gtest/gtest.h>

using namespace tritium::testing;

namespace {
/// Runs a kernel over scalars %a, %b, %c (i32) that stores the i32 %r.
int32_t compute(const std::string &body, int32_t a = 0, int32_t b = 0, int32_t c = 0,
                const std::string &functions = "") {
  std::vector<int32_t> out{-99};
  std::string error =
      run("%out: !tt.ptr<i32>, %a: i32, %b: i32, %c: i32",
          body + "\n  tt.store %out, %r : !tt.ptr<i32>",
          {pointer(out), uint32_t(a), uint32_t(b), uint32_t(c)}, {range(out)}, 1, functions);
  EXPECT_EQ(error, "");
  return out[0];
}

const char *kSumTo = R"(
  %z = arith.constant 0 : i32
  %r = scf.for %i = %a to %b step %c iter_args(%s = %z) -> i32 : i32 {
    %t = arith.addi %s, %i : i32
    scf.yield %t : i32
  })";
} // namespace

TEST(Loop, Bounds) {
  EXPECT_EQ(compute(kSumTo, 0, 5, 1), 10);
  EXPECT_EQ(compute(kSumTo, 0, 5, 3), 3);
  EXPECT_EQ(compute(kSumTo, 5, 5, 1), 0);
  EXPECT_EQ(compute(kSumTo, 7, 5, 1), 0);
  EXPECT_EQ(compute(kSumTo, -3, 0, 1), -6);
  EXPECT_EQ(compute(kSumTo, INT32_MAX - 1, INT32_MAX, 2), INT32_MAX - 1);
}

TEST(Loop, StepMustBePositive) {
  std::vector<int32_t> out{0};
  std::string error = run("%out: !tt.ptr<i32>, %a: i32, %b: i32, %c: i32", kSumTo,
                          {pointer(out), 0, 5, 0}, {range(out)});
  EXPECT_NE(error.find("the step of a loop is 0, it must be positive"), std::string::npos) << error;
}

// Fibonacci: each iteration reads both carried values before it writes them.
TEST(Loop, CarriedValuesSwap) {
  EXPECT_EQ(compute(R"(
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r, %q = scf.for %i = %z to %a step %one iter_args(%x = %z, %y = %one) -> (i32, i32) : i32 {
    %t = arith.addi %x, %y : i32
    scf.yield %y, %t : i32, i32
  })",
                    10),
            55);
}

TEST(Loop, Nested) {
  EXPECT_EQ(compute(R"(
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %z to %a step %one iter_args(%x = %z) -> i32 : i32 {
    %in = scf.for %j = %z to %i step %one iter_args(%y = %x) -> i32 : i32 {
      %t = arith.addi %y, %one : i32
      scf.yield %t : i32
    }
    scf.yield %in : i32
  })",
                    5),
            10);
}

TEST(Loop, While) {
  // Halves a until it is below b; counts.
  EXPECT_EQ(compute(R"(
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %q, %r = scf.while (%x = %a, %n = %z) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi sge, %x, %b : i32
    scf.condition(%go) %x, %n : i32, i32
  } do {
  ^bb0(%x: i32, %n: i32):
    %h = arith.shrsi %x, %one : i32
    %m = arith.addi %n, %one : i32
    scf.yield %h, %m : i32, i32
  })",
                    100, 10),
            4);
}

TEST(Branch, IfElse) {
  const char *text = R"(
  %less = arith.cmpi slt, %a, %b : i32
  %r = scf.if %less -> i32 { scf.yield %a : i32 } else { scf.yield %c : i32 })";
  EXPECT_EQ(compute(text, 1, 2, 3), 1);
  EXPECT_EQ(compute(text, 2, 1, 3), 3);
}

TEST(Call, SeveralResultsAndCalls) {
  const char *functions = R"(tt.func private @divmod(%x: i32, %y: i32) -> (i32, i32) {
  %q = arith.divsi %x, %y : i32
  %r = arith.remsi %x, %y : i32
  tt.return %q, %r : i32, i32
})";
  EXPECT_EQ(compute(R"(
  %p:2 = tt.call @divmod(%a, %b) : (i32, i32) -> (i32, i32)
  %q:2 = tt.call @divmod(%p#1, %c) : (i32, i32) -> (i32, i32)
  %t = arith.muli %p#0, %b : i32
  %r = arith.addi %t, %q#1 : i32)",
                    17, 7, 2, functions),
            15);
}

TEST(Call, RecursionIsRefused) {
  std::string error = run("", "tt.call @f() : () -> ()", {}, {}, 1,
                          "tt.func private @f() {\n tt.call @f() : () -> ()\n tt.return\n}");
  EXPECT_NE(error.find("recursive calls (of 'f')"), std::string::npos) << error;
}

TEST(Module, BadText) {
  uint32_t grid[3] = {1, 1, 1};
  EXPECT_NE(tritium::interpret("tt.func @k(", {}, grid, {}), "");
  EXPECT_NE(tritium::interpret("", {}, grid, {}).find("one kernel"), std::string::npos);
  EXPECT_NE(tritium::interpret("tt.func @k(%a: i32) { tt.return }", {}, grid, {})
                .find("takes 1 arguments, found 0"),
            std::string::npos);
}
