//===- ControlFlowTest.cpp - loops and branches that carry tiles ----------===//

#include "Differential.h"

#include <gtest/gtest.h>

using namespace tritium;

namespace {

// Two tiles that swap, and one that needs both old ones, in each iteration.
const char *kSwap = R"(
tt.func @swap(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %k = arith.constant dense<50> : tensor<50xi32>
  %r = tt.make_range {start = 0 : i32, end = 50 : i32} : tensor<50xi32>
  %r2 = arith.addi %r, %k : tensor<50xi32>
  %r3 = arith.addi %r2, %k : tensor<50xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<50x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<50x!tt.ptr<f32>>
  %p1 = tt.addptr %xs, %r : tensor<50x!tt.ptr<f32>>, tensor<50xi32>
  %p2 = tt.addptr %xs, %r2 : tensor<50x!tt.ptr<f32>>, tensor<50xi32>
  %a0 = tt.load %p1 : tensor<50x!tt.ptr<f32>>
  %b0 = tt.load %p2 : tensor<50x!tt.ptr<f32>>
  %z = arith.constant dense<0.0> : tensor<50xf32>
  %l:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %a0, %b = %b0, %s = %z)
      -> (tensor<50xf32>, tensor<50xf32>, tensor<50xf32>) : i32 {
    %d = arith.subf %a, %b : tensor<50xf32>
    %t = arith.addf %s, %d : tensor<50xf32>
    %fi = arith.sitofp %i : i32 to f32
    %f = tt.splat %fi : f32 -> tensor<50xf32>
    %b2 = arith.addf %b, %f : tensor<50xf32>
    scf.yield %b2, %a, %t : tensor<50xf32>, tensor<50xf32>, tensor<50xf32>
  }
  %o1 = tt.addptr %os, %r : tensor<50x!tt.ptr<f32>>, tensor<50xi32>
  %o2 = tt.addptr %os, %r2 : tensor<50x!tt.ptr<f32>>, tensor<50xi32>
  %o3 = tt.addptr %os, %r3 : tensor<50x!tt.ptr<f32>>, tensor<50xi32>
  tt.store %o1, %l#0 : tensor<50x!tt.ptr<f32>>
  tt.store %o2, %l#1 : tensor<50x!tt.ptr<f32>>
  tt.store %o3, %l#2 : tensor<50x!tt.ptr<f32>>
  tt.return
})";

TEST(CPUControlFlow, YieldedTilesAreAssignedAtOnce) {
  for (int n : {0, 1, 2, 7})
    runBoth(kSwap,
            {TestArgument::floats(100), TestArgument::floats(150, 0, 2), TestArgument::scalar(n)});
}

// A branch that gives a tile and a scalar, and stores on one side.
const char *kBranch = R"(
tt.func @branch(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %pid = tt.get_program_id 0 : i32
  %c2 = arith.constant 2 : i32
  %c30 = arith.constant 30 : i32
  %one = arith.constant dense<1.0> : tensor<30xf32>
  %f0 = arith.constant 0.5 : f32
  %f1 = arith.constant 2.5 : f32
  %r = tt.make_range {start = 0 : i32, end = 30 : i32} : tensor<30xi32>
  %base = arith.muli %pid, %c30 : i32
  %bs = tt.splat %base : i32 -> tensor<30xi32>
  %off = arith.addi %bs, %r : tensor<30xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<30x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %off : tensor<30x!tt.ptr<f32>>, tensor<30xi32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<30x!tt.ptr<f32>>
  %op = tt.addptr %os, %off : tensor<30x!tt.ptr<f32>>, tensor<30xi32>
  %v = tt.load %xp : tensor<30x!tt.ptr<f32>>
  %c = arith.cmpi slt, %pid, %c2 : i32
  %t, %s = scf.if %c -> (tensor<30xf32>, f32) {
    %w = arith.addf %v, %one : tensor<30xf32>
    tt.store %xp, %one : tensor<30x!tt.ptr<f32>>
    scf.yield %w, %f0 : tensor<30xf32>, f32
  } else {
    scf.yield %v, %f1 : tensor<30xf32>, f32
  }
  %ss = tt.splat %s : f32 -> tensor<30xf32>
  %m = arith.mulf %t, %ss : tensor<30xf32>
  tt.store %op, %m : tensor<30x!tt.ptr<f32>>
  tt.return
})";

TEST(CPUControlFlow, BranchWithTileResult) {
  runBoth(kBranch, {TestArgument::floats(120), TestArgument::floats(120, 0, 2)}, {4, 1, 1});
}

// Collatz-like: a while loop over a scalar and a tile.
const char *kWhile = R"(
tt.func @whilst(%o: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {start = 0 : i32, end = 21 : i32} : tensor<21xi32>
  %l:2 = scf.while (%i = %n, %t = %r) : (i32, tensor<21xi32>) -> (i32, tensor<21xi32>) {
    %c = arith.cmpi sgt, %i, %c0 : i32
    %d = arith.addi %t, %t : tensor<21xi32>
    scf.condition(%c) %i, %d : i32, tensor<21xi32>
  } do {
  ^bb0(%i: i32, %t: tensor<21xi32>):
    %j = arith.subi %i, %c1 : i32
    %u = arith.addi %t, %r : tensor<21xi32>
    scf.yield %j, %u : i32, tensor<21xi32>
  }
  %os = tt.splat %o : !tt.ptr<i32> -> tensor<21x!tt.ptr<i32>>
  %op = tt.addptr %os, %r : tensor<21x!tt.ptr<i32>>, tensor<21xi32>
  tt.store %op, %l#1 : tensor<21x!tt.ptr<i32>>
  tt.return
})";

TEST(CPUControlFlow, WhileWithTile) {
  for (int n : {0, 1, 5})
    runBoth(kWhile, {TestArgument::ints(21, 4, 0, 100), TestArgument::scalar(n)});
}

// Atomics on one address from many lanes and programs, and their old values.
const char *kAtomic = R"(
tt.func @atomic(%x: !tt.ptr<i32>, %o: !tt.ptr<i32>) {
  %r = tt.make_range {start = 0 : i32, end = 37 : i32} : tensor<37xi32>
  %five = arith.constant dense<5> : tensor<37xi32>
  %idx = arith.remsi %r, %five : tensor<37xi32>
  %m = arith.cmpi ne, %idx, %r : tensor<37xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<37x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %idx : tensor<37x!tt.ptr<i32>>, tensor<37xi32>
  %old = tt.atomic_rmw add, acq_rel, gpu, %xp, %r, %m : (tensor<37x!tt.ptr<i32>>, tensor<37xi32>, tensor<37xi1>) -> tensor<37xi32>
  %os = tt.splat %o : !tt.ptr<i32> -> tensor<37x!tt.ptr<i32>>
  %op = tt.addptr %os, %r : tensor<37x!tt.ptr<i32>>, tensor<37xi32>
  tt.store %op, %old : tensor<37x!tt.ptr<i32>>
  tt.return
})";

TEST(CPUControlFlow, AtomicsWithResults) {
  runBoth(kAtomic, {TestArgument::ints(5, 4, 0, 100), TestArgument::ints(37, 4, 0, 1)}, {3, 1, 1});
}

} // namespace
