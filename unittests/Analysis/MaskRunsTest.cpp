//===- MaskRunsTest.cpp - masks that are bounds of an index ---------------===//

#include "tritium/Analysis/MaskRuns.h"

#include "LastValue.h"

using namespace mlir;
using namespace tritium;
using namespace tritium::testing;

namespace {
struct Expected {
  int64_t width;
  bool falls, rises;
};

/// The runs of at most 16 of the mask that `body` ends with.
void expect(const std::string &body, Expected expected) {
  LastValue last("%a: i32, %n: i32, %even: i32 {tt.divisibility = 4 : i32}", R"(
  %r = tt.make_range {start = 0 : i32, end = 48 : i32} : tensor<48xi32>
  %as = tt.splat %a : i32 -> tensor<48xi32>
  %ns = tt.splat %n : i32 -> tensor<48xi32>
)" + body);
  ASSERT_TRUE(last.value);
  AxisInfoAnalysis axes(*last.module->getOps<tt::FuncOp>().begin());
  MaskRuns runs = maskRuns(last.value, 0, 16, axes);
  EXPECT_EQ(runs.width, expected.width) << body;
  EXPECT_EQ(runs.falls, expected.falls) << body;
  EXPECT_EQ(runs.rises, expected.rises) << body;
}

std::string compare(const std::string &predicate, const std::string &x, const std::string &y,
                    const std::string &type = "i32") {
  return "%m = arith.cmpi " + predicate + ", " + x + ", " + y + " : tensor<48x" + type + ">";
}
} // namespace

TEST(MaskRuns, Bounds) {
  expect(compare("slt", "%r", "%ns"), {16, true, false});
  expect(compare("sge", "%r", "%ns"), {16, false, true});
  expect(compare("sgt", "%ns", "%r"), {16, true, false});
  expect(compare("ult", "%r", "%ns"), {16, true, false});
  expect(compare("eq", "%r", "%ns"), {1, false, false});
  // A bound that changes along the run is none.
  expect(compare("slt", "%r", "%r"), {1, false, false});
}

// i + a wraps behind 2^31 - 1: below n, not below, and below again.
TEST(MaskRuns, IndexThatMayWrap) {
  std::string sum = "%o = arith.addi %r, %as : tensor<48xi32>\n";
  expect(sum + compare("slt", "%o", "%ns"), {1, false, false});
  // Four elements from a multiple of four on do not wrap.
  std::string aligned = "%es = tt.splat %even : i32 -> tensor<48xi32>\n"
                        "%o = arith.addi %r, %es : tensor<48xi32>\n";
  expect(aligned + compare("slt", "%o", "%ns"), {4, true, false});
  // Nor do 48 elements of more bits.
  std::string wide = "%w = arith.extsi %r : tensor<48xi32> to tensor<48xi64>\n"
                     "%v = arith.extsi %as : tensor<48xi32> to tensor<48xi64>\n"
                     "%n64 = arith.extsi %ns : tensor<48xi32> to tensor<48xi64>\n"
                     "%o = arith.addi %w, %v : tensor<48xi64>\n";
  expect(wide + compare("slt", "%o", "%n64", "i64"), {16, true, false});
  // As unsigned numbers they do, from -1 to 0.
  expect(wide + compare("ult", "%o", "%n64", "i64"), {1, false, false});
}

TEST(MaskRuns, Conjunctions) {
  std::string both = compare("slt", "%r", "%ns") +
                     "\n%l = arith.cmpi sgt, %r, %as : tensor<48xi32>\n"
                     "%b = arith.andi %m, %l : tensor<48xi1>";
  expect(both, {16, true, true});
  std::string either = both;
  either.replace(either.find("andi"), 4, "ori");
  expect(either, {1, false, false});
}
