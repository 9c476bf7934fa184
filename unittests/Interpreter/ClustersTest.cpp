//===- ClustersTest.cpp - CTAs of a program that take turns ---------------===//

#include "../Support/NoMoreThreads.h"
#include "Mutants.h"

#include <gtest/gtest.h>

using namespace tritium::testing;

namespace {
/// Two CTAs have 32 places each of a row of x, and each stores its sum to both.
std::string exchange(const std::string &between, const std::string &before = R"(
  ttng.cluster_arrive relaxed
  ttng.cluster_wait)") {
  return R"(
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#m = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.num-ctas" = 2 : i32} {
tt.func @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c16 = arith.constant 16 : i32
  %rank = ttng.cluster_rank : i32
  %first = arith.muli %rank, %c16 : i32
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #a>
  %f = tt.splat %first : i32 -> tensor<16xi32, #a>
  %i = arith.addi %r, %f : tensor<16xi32, #a>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #a>
  %xp = tt.addptr %xs, %i : tensor<16x!tt.ptr<f32>, #a>, tensor<16xi32, #a>
  %v = tt.load %xp : tensor<16x!tt.ptr<f32>, #a>
  %own = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16xf32, #a>) -> f32
)" + before +
         between + R"(
  %sum = "tt.reduce"(%all) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<2xf32, #a>) -> f32
  %o = tt.addptr %y, %rank : !tt.ptr<f32>, i32
  tt.store %o, %sum : !tt.ptr<f32>
  tt.return
}
}
)";
}

const std::string stored = R"(
  %mem = ttg.local_alloc : !ttg.memdesc<2xf32, #m, mutable>
  ttng.cluster_store %own, %mem : f32 -> !ttg.memdesc<2xf32, #m, mutable>
  ttng.cluster_arrive
  ttng.cluster_wait
  %all = ttg.local_load %mem : !ttg.memdesc<2xf32, #m, mutable> -> tensor<2xf32, #a>
)";

void expectError(const std::string &text, const std::string &part) {
  Outcome outcome = runMutant(text);
  EXPECT_NE(outcome.error.find(part), std::string::npos) << text << "\n" << outcome.error;
}

/// Both have the sum of all.
void expectSums(const std::string &text) {
  Outcome outcome = runMutant(text);
  ASSERT_EQ(outcome.error, "");
  float low = 0, high = 0;
  for (size_t i = 0; i < 16; ++i)
    low += outcome.x[i], high += outcome.x[16 + i];
  EXPECT_NE(low + high, 0);
  EXPECT_EQ(outcome.y[0], low + high);
  EXPECT_EQ(outcome.y[1], low + high);
}

TEST(Clusters, StoreToEachOther) { expectSums(exchange(stored)); }

TEST(Clusters, Gather) {
  expectSums(exchange("%all = ttng.cluster_gather %own : f32 -> tensor<2xf32, #a>", ""));
}

TEST(Clusters, WhatIsOnItsWay) {
  expectError(exchange(R"(
  %mem = ttg.local_alloc : !ttg.memdesc<2xf32, #m, mutable>
  ttng.cluster_store %own, %mem : f32 -> !ttg.memdesc<2xf32, #m, mutable>
  ttg.barrier
  %all = ttg.local_load %mem : !ttg.memdesc<2xf32, #m, mutable> -> tensor<2xf32, #a>
)"),
              "while a copy to it, the cluster_store at");
  expectError(exchange(R"(
  %mem = ttg.local_alloc : !ttg.memdesc<2xf32, #m, mutable>
  ttng.cluster_store %own, %mem : f32 -> !ttg.memdesc<2xf32, #m, mutable>
  ttng.cluster_arrive relaxed
  ttng.cluster_wait
  %all = ttg.local_load %mem : !ttg.memdesc<2xf32, #m, mutable> -> tensor<2xf32, #a>
)"),
              "an arrival at the cluster's barrier behind it");
}

TEST(Clusters, OneFails) {
  expectError(exchange(R"(
  %two = arith.constant 2 : i32
  %far = arith.constant 100000 : i32
  %at = arith.muli %rank, %far : i32
  %beyond = tt.addptr %y, %at : !tt.ptr<f32>, i32
  tt.store %beyond, %own : !tt.ptr<f32>
)" + stored),
              "is outside every argument");
}

TEST(Clusters, WithoutThreads) {
  NoMoreThreads none;
  expectError(exchange(stored),
              "kernel 'k': the system has no threads for the 2 CTAs of a program");
}
} // namespace
