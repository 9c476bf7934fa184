//===- AxisInfoTest.cpp - what is found in typical index expressions ------===//

#include "tritium/Analysis/AxisInfo.h"
#include "tritium/Pipeline/Passes.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tritium;

namespace {
struct Expected {
  SmallVector<int64_t> contiguity, divisibility, constancy;
};

/// Analyses a kernel and compares the operand of its last operation but the return.
void expectInfo(const std::string &parameters, const std::string &body, Expected expected) {
  DialectRegistry registry;
  registerTileDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = parseSourceString<ModuleOp>(
      "tt.func @k(" + parameters + ") {\n" + body + "\n tt.return\n}", ParserConfig(&context));
  ASSERT_TRUE(module) << body;
  auto func = *module->getOps<tt::FuncOp>().begin();
  Operation *last = func.getBody().front().getTerminator()->getPrevNode();
  AxisInfoAnalysis analysis(func);
  const AxisInfo &info = analysis.get(last->getResult(0));
  EXPECT_EQ(info.contiguity, expected.contiguity) << body;
  EXPECT_EQ(info.divisibility, expected.divisibility) << body;
  EXPECT_EQ(info.constancy, expected.constancy) << body;
}

const char *kOffsets = R"(
  %c = arith.constant 128 : i32
  %pid = tt.get_program_id 0 : i32
  %s = arith.muli %pid, %c : i32
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %t = tt.splat %s : i32 -> tensor<128xi32>
  %o = arith.addi %t, %r : tensor<128xi32>
)";
} // namespace

TEST(AxisInfo, BlockOffsets) { expectInfo("", kOffsets, {{128}, {128}, {1}}); }

TEST(AxisInfo, PointersOfABlock) {
  std::string body = std::string(kOffsets) + R"(
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %o : tensor<128x!tt.ptr<f32>>, tensor<128xi32>)";
  expectInfo("%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}", body, {{128}, {16}, {1}});
  expectInfo("%x: !tt.ptr<f32>", body, {{128}, {1}, {1}});
}

TEST(AxisInfo, MaskOfABlock) {
  std::string body = std::string(kOffsets) + R"(
  %ns = tt.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<128xi32>)";
  expectInfo("%n: i32 {tt.divisibility = 16 : i32}", body, {{1}, {1}, {16}});
  expectInfo("%n: i32", body, {{1}, {1}, {1}});
}

// An extent that is no power of two is one run; parts of it combine with masks.
TEST(AxisInfo, OddExtent) {
  expectInfo("%n: i32 {tt.divisibility = 4 : i32}", R"(
  %r = tt.make_range {start = 0 : i32, end = 781 : i32} : tensor<781xi32>
  %ns = tt.splat %n : i32 -> tensor<781xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<781xi32>)",
             {{1}, {1}, {4}});
  expectInfo("%n: i32", R"(
  %r = tt.make_range {start = 0 : i32, end = 781 : i32} : tensor<781xi32>
  %ns = tt.splat %n : i32 -> tensor<781xi32>
  %m = arith.addi %r, %ns : tensor<781xi32>)",
             {{781}, {1}, {1}});
}

// Of i32, a row may begin so close to the end of the integers that its columns wrap.
TEST(AxisInfo, RowsAndColumns) {
  std::string ranges = R"(
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %k = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %r3 = arith.extsi %r2 : tensor<64x1xi32> to tensor<64x1xi64>
  %k3 = arith.extsi %k2 : tensor<1x32xi32> to tensor<1x32xi64>)";
  auto offsets = [](std::string text, const std::string &type, const std::string &number) {
    for (auto [mark, by] : {std::pair("T", type), std::pair("N", number)})
      for (size_t at; (at = text.find(mark)) != std::string::npos;)
        text.replace(at, 1, by);
    return text;
  };
  std::string sum = R"(
  %ss = tt.splat %s : T -> tensor<64x1xT>
  %rs = arith.muli %rN, %ss : tensor<64x1xT>
  %rb = tt.broadcast %rs : tensor<64x1xT> -> tensor<64x32xT>
  %kb = tt.broadcast %kN : tensor<1x32xT> -> tensor<64x32xT>
  %o = arith.addi %rb, %kb : tensor<64x32xT>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p = tt.addptr %xs, %o : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xT>)";
  std::string parameters = "%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %s: T {tt.divisibility "
                           "= 16 : i32}";
  expectInfo(offsets(parameters, "i64", ""), ranges + offsets(sum, "i64", "3"),
             {{1, 32}, {2, 16}, {1, 1}});
  expectInfo(offsets(parameters, "i32", ""), ranges + offsets(sum, "i32", "2"),
             {{1, 16}, {2, 16}, {1, 1}});
}

TEST(AxisInfo, Hints) {
  expectInfo("%x: i32", R"(
  %xs = tt.splat %x : i32 -> tensor<128xi32>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %m = arith.muli %xs, %r {tt.contiguity = array<i32: 16>, tt.divisibility = array<i32: 8>}
       : tensor<128xi32>)",
             {{16}, {8}, {1}});
}

TEST(AxisInfo, Assumption) {
  expectInfo("%x: i32", R"(
  %c16 = arith.constant 16 : i32
  %c0 = arith.constant 0 : i32
  %rem = arith.remsi %x, %c16 : i32
  %ok = arith.cmpi eq, %rem, %c0 : i32
  %c2 = arith.constant 2 : i32
  tt.assume %ok
  %r = arith.muli %x, %c2 : i32)",
             {{1}, {32}, {1}});
}

// A remainder of negative numbers jumps behind zero, so it counts up only where the sign is
// known. Nothing tells that of a group's size.
TEST(AxisInfo, RemainderOfUnknownSign) {
  std::string before = R"(
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %c128 = arith.constant 128 : i32
  %pid = tt.get_program_id 0 : i32
  %left = arith.subi %n, %pid : i32
  %size = arith.minsi %left, %c8 : i32
  %q = arith.divsi %pid, %size : i32
)";
  std::string wrapping = R"(
  %s = arith.muli %q, %c128 : i32
  %t = tt.splat %s : i32 -> tensor<128xi32>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %o = arith.addi %t, %r : tensor<128xi32>
  %e = arith.constant dense<256> : tensor<128xi32>
  %m = arith.remsi %o, %e : tensor<128xi32>)";
  std::string after = wrapping;
  for (std::string operation : {"muli %q, %c128", "addi %t, %r"})
    after.insert(after.find(operation) + operation.size(), " overflow<nsw>");
  expectInfo("%n: i32", before + after, {{1}, {1}, {1}});
  expectInfo("%n: i32", before + R"(
  %positive = arith.cmpi sge, %q, %c0 : i32
  tt.assume %positive
)" + after,
             {{128}, {128}, {1}});
  // Launches look.
  size_t end = before.find("i32", before.find("minsi")) + 3;
  expectInfo("%n: i32",
             before.substr(0, end - 5) + " {tt.positive} : i32" + before.substr(end) + after,
             {{128}, {128}, {1}});
  // A product that wraps is negative whatever its factors are.
  expectInfo("%n: i32",
             before.substr(0, end - 5) + " {tt.positive} : i32" + before.substr(end) + wrapping,
             {{1}, {1}, {1}});
}

// 20 numbers up to 2^31 - 1 and on from -2^31: extended, they are no longer neighbours.
TEST(AxisInfo, ExtensionOfWhatMayWrap) {
  std::string body = R"(
  %r = tt.make_range {start = 0 : i32, end = 20 : i32} : tensor<20xi32>
  %t = tt.splat %a : i32 -> tensor<20xi32>
  %o = arith.addi %t, %r FLAGS : tensor<20xi32>
  %e = arith.extsi %o : tensor<20xi32> to tensor<20xi64>)";
  auto with = [&](std::string flags) {
    std::string text = body;
    return text.replace(text.find("FLAGS"), 5, flags);
  };
  expectInfo("%a: i32", with(""), {{1}, {1}, {1}});
  expectInfo("%a: i32 {tt.divisibility = 16 : i32}", with(""), {{16}, {16}, {1}});
  // A sum that does not wrap, of a positive number, is not the least number.
  expectInfo("%a: i32 {tt.positive}", with("overflow<nsw>"), {{20}, {1}, {1}});
  expectInfo("%a: i32 {tt.positive}", with(""), {{1}, {1}, {1}});
}

// The numbers 0 to 127, -128 to 127, and so on: runs of 8 bits start at multiples of 128.
TEST(AxisInfo, ExtensionOfBytes) {
  std::string body = R"(
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %b = arith.trunci %r : tensor<512xi32> to tensor<512xi8>
  %e = arith.extsi %b : tensor<512xi8> to tensor<512xi32>)";
  expectInfo("", body, {{128}, {128}, {1}});
  std::string compared = body + R"(
  %c = arith.constant dense<0> : tensor<512xi8>
  %m = arith.cmpi slt, %b, %c : tensor<512xi8>)";
  expectInfo("", compared, {{1}, {1}, {128}});
}

// As the offset of a pointer an i32 is extended as well.
TEST(AxisInfo, NarrowOffsetThatMayWrap) {
  std::string body = R"(
  %r = tt.make_range {start = 0 : i32, end = 24 : i32} : tensor<24xi32>
  %t = tt.splat %a : i32 -> tensor<24xi32>
  %o = arith.addi %t, %r : tensor<24xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<24x!tt.ptr<f32>>
  %p = tt.addptr %xs, %o : tensor<24x!tt.ptr<f32>>, tensor<24xi32>)";
  expectInfo("%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %a: i32 {tt.divisibility = 8 : i32}",
             body, {{8}, {16}, {1}});
}

// Neighbours choose differently, so that no run of either side stays one.
TEST(AxisInfo, ChoiceOfEachElement) {
  std::string body = R"(
  %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %far = arith.constant dense<64> : tensor<32xi32>
  %b = arith.addi %r, %far : tensor<32xi32>
  %one = arith.constant dense<1> : tensor<32xi32>
  %odd = arith.andi %r, %one : tensor<32xi32>
  %m = arith.cmpi eq, %odd, %one : tensor<32xi32>
  %s = arith.select %m, %r, %b : tensor<32xi1>, tensor<32xi32>)";
  expectInfo("", body, {{1}, {1}, {1}});
}

// 0 1 2 3 0 1 2 3 8 9 ...: not a remainder, of twelve or of anything.
TEST(AxisInfo, MaskWithAGap) {
  std::string body = R"(
  %r = tt.make_range {start = 0 : i32, end = 24 : i32} : tensor<24xi32>
  %mask = arith.constant dense<11> : tensor<24xi32>
  %m = arith.andi %r, %mask : tensor<24xi32>)";
  expectInfo("", body, {{1}, {1}, {1}});
}

// The offset that a loop carries keeps what its start and its step have in common.
TEST(AxisInfo, Loop) {
  expectInfo("%n: i32", R"(
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %z to %n step %one iter_args(%o = %c0) -> i64 : i32 {
    %t = arith.addi %o, %c32 : i64
    scf.yield %t : i64
  })",
             {{1}, {32}, {1}});
}
