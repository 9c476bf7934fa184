//===- PointerBasesTest.cpp - where pointers come from --------------------===//

#include "tritium/Analysis/PointerBases.h"
#include "tritium/Analysis/PointerUse.h"

#include "LastValue.h"

using namespace mlir;
using namespace tritium;
using namespace tritium::testing;

namespace {
/// The numbers of the arguments that the last value may come from; -1: elsewhere.
std::set<int> bases(const std::string &body) {
  LastValue last("%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: i1, %i: i64, %n: i32, "
                 "%m: !tt.ptr<!tt.ptr<f32>>",
                 body);
  if (!last.value)
    return {};
  PointerBases found = basesOf(last.value);
  std::set<int> numbers;
  for (Value argument : found.arguments)
    numbers.insert(cast<BlockArgument>(argument).getArgNumber());
  if (found.elsewhere)
    numbers.insert(-1);
  return numbers;
}
using Set = std::set<int>;
} // namespace

TEST(PointerBases, Arithmetic) {
  EXPECT_EQ(bases(R"(
  %p = tt.addptr %a, %n : !tt.ptr<f32>, i32
  %t = tt.splat %p : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %q = tt.bitcast %t : tensor<4x!tt.ptr<f32>> -> tensor<4x!tt.ptr<i32>>)"),
            Set{0});
}

TEST(PointerBases, Choices) {
  EXPECT_EQ(bases("  %p = arith.select %c, %a, %b : !tt.ptr<f32>"), (Set{0, 1}));
  EXPECT_EQ(bases(R"(
  %p = scf.if %c -> !tt.ptr<f32> {
    scf.yield %b : !tt.ptr<f32>
  } else {
    %q = tt.addptr %b, %n : !tt.ptr<f32>, i32
    scf.yield %q : !tt.ptr<f32>
  })"),
            Set{1});
}

TEST(PointerBases, Descriptors) {
  EXPECT_EQ(bases(R"(
  %d = tt.make_tensor_descriptor %a, [%i], [%i] : !tt.tensordesc<4xf32>
  %e = tt.make_tensor_descriptor %b, [%i], [%i] : !tt.tensordesc<4xf32>
  %p = arith.select %c, %d, %e : !tt.tensordesc<4xf32>)"),
            (Set{0, 1}));
}

TEST(PointerBases, Loops) {
  // The pointers change places.
  EXPECT_EQ(bases(R"(
  %one = arith.constant 1 : i32
  %p:2 = scf.for %k = %one to %n step %one iter_args(%x = %a, %y = %b)
      -> (!tt.ptr<f32>, !tt.ptr<f32>) : i32 {
    scf.yield %y, %x : !tt.ptr<f32>, !tt.ptr<f32>
  })"),
            (Set{0, 1}));
  EXPECT_EQ(bases(R"(
  %p = scf.while (%x = %a) : (!tt.ptr<f32>) -> !tt.ptr<f32> {
    scf.condition(%c) %x : !tt.ptr<f32>
  } do {
  ^bb0(%y: !tt.ptr<f32>):
    %q = tt.addptr %y, %n : !tt.ptr<f32>, i32
    scf.yield %q : !tt.ptr<f32>
  })"),
            Set{0});
  EXPECT_EQ(bases(R"(
  %p = scf.while (%x = %a) : (!tt.ptr<f32>) -> !tt.ptr<f32> {
    scf.condition(%c) %x : !tt.ptr<f32>
  } do {
  ^bb0(%y: !tt.ptr<f32>):
    scf.yield %b : !tt.ptr<f32>
  })"),
            (Set{0, 1}));
}

TEST(PointerBases, ElementsOfTiles) {
  const std::string tile = R"(
  %r = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %s = tt.splat %a : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %t = tt.addptr %s, %r : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %g = tt.gather %t[%r] along 0
      : tensor<4x!tt.ptr<f32>>[tensor<4xi32>] -> tensor<4x!tt.ptr<f32>>
  %x = tt.ptr_to_int %g : tensor<4x!tt.ptr<f32>> -> tensor<4xi64>
)";
  auto reducedBy = [&](const std::string &combined) {
    return bases(tile + R"(
  %y = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%k: i64, %l: i64):
    %m1 = arith.addi %k, %l : i64
    tt.reduce.return )" +
                 combined + R"( : i64
  }) : (tensor<4xi64>) -> i64
  %p = tt.int_to_ptr %y : i64 -> !tt.ptr<f32>)");
  };
  EXPECT_EQ(reducedBy("%l"), Set{0});
  EXPECT_EQ(reducedBy("%m1"), Set{-1});
}

TEST(PointerBases, Placeholders) {
  const std::string choice = "  %q = arith.select %c, %a, %p : !tt.ptr<f32>";
  EXPECT_EQ(bases("  %z = arith.constant 0 : i64\n"
                  "  %p = tt.int_to_ptr %z {tt.placeholder} : i64 -> !tt.ptr<f32>\n" +
                  choice),
            Set{0});
  // An address may be added to null.
  EXPECT_EQ(bases("  %z = arith.constant 0 : i64\n"
                  "  %p = tt.int_to_ptr %z : i64 -> !tt.ptr<f32>\n" +
                  choice),
            (Set{-1, 0}));
}

TEST(PointerBases, Elsewhere) {
  EXPECT_EQ(bases("  %p = tt.load %m : !tt.ptr<!tt.ptr<f32>>"), Set{-1});
  EXPECT_EQ(bases("  %p = tt.int_to_ptr %i : i64 -> !tt.ptr<f32>\n"
                  "  %q = arith.select %c, %a, %p : !tt.ptr<f32>"),
            (Set{-1, 0}));
}

namespace {
/// What a kernel does through its two pointers: r, w for each, and i, iw for others.
std::string useOf(const std::string &body) {
  LastValue last("%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %n: i64", body);
  if (!last.value)
    return "";
  PointerUse use = findPointerUse(last.value.getDefiningOp()->getParentOfType<tt::FuncOp>());
  std::string text;
  for (unsigned i = 0; i < 2; ++i)
    text += std::string(use.read[i] ? "r" : "") + (use.written[i] ? "w" : "") + " ";
  return text + (use.indirect ? "i" : "") + (use.indirectlyWritten ? "w" : "");
}
} // namespace

TEST(PointerUse, AssemblyReadsAndWithEffectsWrites) {
  EXPECT_EQ(useOf("%x = tt.inline_asm \"ld.global.f32 $0, [$1];\", \"=f,l\" pure %a "
                  ": (!tt.ptr<f32>) -> f32"),
            "r  ");
  EXPECT_EQ(useOf("%x = tt.inline_asm \"ld.global.f32 $0, [$1];\", \"=f,l\" %b "
                  ": (!tt.ptr<f32>) -> f32"),
            " rw ");
  EXPECT_EQ(useOf("%x = tt.inline_asm \"neg.s64 $0, $1;\", \"=l,l\" %n : (i64) -> i64"), "  ");
  const std::string address = "%i = tt.ptr_to_int %a : !tt.ptr<f32> -> i64\n";
  EXPECT_EQ(useOf(address + "%x = tt.inline_asm \"ld.global.f32 $0, [$1];\", \"=f,l\" pure %i "
                            ": (i64) -> f32"),
            "  i");
  EXPECT_EQ(useOf(address + "%x = tt.inline_asm \"ld.global.f32 $0, [$1];\", \"=f,l\" %i "
                            ": (i64) -> f32"),
            "  iw");
}
