//===- WaitLoopsTest.cpp - which loops may wait for other programs --------===//

#include "tritium/Analysis/WaitLoops.h"
#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Pipeline/Passes.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tritium;

namespace {
/// Of the outermost loop in the body of a kernel.
bool waits(const std::string &body) {
  DialectRegistry registry;
  registerTileDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = parseSourceString<ModuleOp>("tt.func @k(%p: !tt.ptr<i32>, %n: i32) {\n"
                                            "%zero = arith.constant 0 : i32\n"
                                            "%one = arith.constant 1 : i32\n" +
                                                body + "\n tt.return\n}",
                                            ParserConfig(&context));
  EXPECT_TRUE(module) << body;
  bool result = false;
  if (module)
    module->walk<WalkOrder::PreOrder>([&](scf::WhileOp loop) {
      result = waitsForMemory(loop);
      return WalkResult::interrupt();
    });
  return result;
}
} // namespace

TEST(WaitLoops, AConditionThatIsLoaded) {
  EXPECT_TRUE(waits(R"(
  scf.while : () -> () {
    %v = tt.load %p : !tt.ptr<i32>
    %c = arith.cmpi eq, %v, %zero : i32
    scf.condition(%c)
  } do {
    scf.yield
  })"));
}

TEST(WaitLoops, AConditionThatIsCarried) {
  EXPECT_TRUE(waits(R"(
  %r = scf.while (%v = %zero) : (i32) -> i32 {
    %c = arith.cmpi eq, %v, %zero : i32
    scf.condition(%c) %v : i32
  } do {
  ^bb0(%v: i32):
    %w = tt.load %p : !tt.ptr<i32>
    scf.yield %w : i32
  })"));
}

TEST(WaitLoops, ABranchThatIsTakenForWhatIsLoaded) {
  EXPECT_TRUE(waits(R"(
  %r = scf.while (%v = %zero) : (i32) -> i32 {
    %c = arith.cmpi eq, %v, %zero : i32
    scf.condition(%c) %v : i32
  } do {
  ^bb0(%v: i32):
    %w = tt.load %p : !tt.ptr<i32>
    %d = arith.cmpi eq, %w, %zero : i32
    %x = scf.if %d -> i32 {
      scf.yield %zero : i32
    } else {
      scf.yield %one : i32
    }
    scf.yield %x : i32
  })"));
}

/// Premise: the loop itself reads. What is loaded before it does not change.
TEST(WaitLoops, WhatIsLoadedBeforeDoesNotCount) {
  EXPECT_FALSE(waits(R"(
  %m = tt.load %p : !tt.ptr<i32>
  %r = scf.while (%v = %zero) : (i32) -> i32 {
    %c = arith.cmpi slt, %v, %m : i32
    scf.condition(%c) %v : i32
  } do {
  ^bb0(%v: i32):
    %w = arith.addi %v, %one : i32
    scf.yield %w : i32
  })"));
}

/// Premise: the condition depends on what is read.
TEST(WaitLoops, LoadsThatTheConditionDoesNotNeed) {
  EXPECT_FALSE(waits(R"(
  %r:2 = scf.while (%v = %zero, %s = %zero) : (i32, i32) -> (i32, i32) {
    %c = arith.cmpi slt, %v, %n : i32
    scf.condition(%c) %v, %s : i32, i32
  } do {
  ^bb0(%v: i32, %s: i32):
    %x = tt.load %p : !tt.ptr<i32>
    %t = arith.addi %s, %x : i32
    %w = arith.addi %v, %one : i32
    scf.yield %w, %t : i32, i32
  })"));
}
