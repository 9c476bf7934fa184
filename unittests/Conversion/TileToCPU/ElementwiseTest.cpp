//===- ElementwiseTest.cpp - element-wise kernels, masks, addresses -------===//

#include "Differential.h"

#include <gtest/gtest.h>

using namespace tritium;

namespace {

std::string replaceAll(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

const char *kAdd = R"(
tt.func @add(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %block = arith.constant BLOCK : i32
  %pid = tt.get_program_id 0 : i32
  %start = arith.muli %pid, %block : i32
  %range = tt.make_range {start = 0 : i32, end = BLOCK : i32} : tensor<BLOCKxi32>
  %s = tt.splat %start : i32 -> tensor<BLOCKxi32>
  %offsets = arith.addi %s, %range : tensor<BLOCKxi32>
  %ns = tt.splat %n : i32 -> tensor<BLOCKxi32>
  %mask = arith.cmpi slt, %offsets, %ns : tensor<BLOCKxi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<BLOCKx!tt.ptr<f32>>
  %xp = tt.addptr %xs, %offsets : tensor<BLOCKx!tt.ptr<f32>>, tensor<BLOCKxi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<BLOCKx!tt.ptr<f32>>
  %yp = tt.addptr %ys, %offsets : tensor<BLOCKx!tt.ptr<f32>>, tensor<BLOCKxi32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<BLOCKx!tt.ptr<f32>>
  %op = tt.addptr %os, %offsets : tensor<BLOCKx!tt.ptr<f32>>, tensor<BLOCKxi32>
  %a = tt.load %xp, %mask : tensor<BLOCKx!tt.ptr<f32>>
  %b = tt.load %yp, %mask : tensor<BLOCKx!tt.ptr<f32>>
  %c = arith.addf %a, %b : tensor<BLOCKxf32>
  tt.store %op, %c, %mask : tensor<BLOCKx!tt.ptr<f32>>
  tt.return
})";

TEST(CPUElementwise, VectorAddOverExtentsAndSizes) {
  for (const char *block : {"1", "2", "3", "16", "64", "100", "781", "1024"})
    for (int n : {1, 63, 64, 1000, 1024}) {
      SCOPED_TRACE(std::string(block) + " of " + std::to_string(n));
      unsigned programs = (n + std::stoi(block) - 1) / std::stoi(block);
      runBoth(replaceAll(kAdd, "BLOCK", block),
              {TestArgument::floats(n, 0, 1), TestArgument::floats(n, 0, 2),
               TestArgument::floats(n, 0, 3), TestArgument::scalar(n)},
              {programs, 1, 1});
    }
}

// An in-place shift: all loads of the tile come before its store.
const char *kShift = R"(
tt.func @shift(%x: !tt.ptr<f32>) {
  %one = arith.constant dense<1> : tensor<200xi32>
  %range = tt.make_range {start = 0 : i32, end = 200 : i32} : tensor<200xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<200x!tt.ptr<f32>>
  %from = tt.addptr %xs, %range : tensor<200x!tt.ptr<f32>>, tensor<200xi32>
  %next = arith.addi %range, %one : tensor<200xi32>
  %to = tt.addptr %xs, %next : tensor<200x!tt.ptr<f32>>, tensor<200xi32>
  %v = tt.load %from : tensor<200x!tt.ptr<f32>>
  tt.store %to, %v : tensor<200x!tt.ptr<f32>>
  %w = tt.load %from : tensor<200x!tt.ptr<f32>>
  %s = arith.addf %v, %w : tensor<200xf32>
  tt.store %from, %s : tensor<200x!tt.ptr<f32>>
  tt.return
})";

TEST(CPUElementwise, MemoryOrderWithinATile) { runBoth(kShift, {TestArgument::floats(201)}); }

// Elements that share an address all read it before one of them writes.
const char *kShared = R"(
tt.func @shared(%x: !tt.ptr<f32>) {
  %range = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %five = arith.constant dense<5> : tensor<512xi32>
  %one = arith.constant dense<1.0> : tensor<512xf32>
  %index = arith.remsi %range, %five : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %xs, %index : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %p : tensor<512x!tt.ptr<f32>>
  %w = arith.addf %v, %one : tensor<512xf32>
  tt.store %p, %w : tensor<512x!tt.ptr<f32>>
  tt.return
})";

TEST(CPUElementwise, SharedAddressesAreReadFirst) { runBoth(kShared, {TestArgument::floats(5)}); }

// A transposing copy with a remainder in the addresses.
const char *kTranspose = R"(
tt.func @transpose(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %m: i32, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 24 : i32} : tensor<24xi32>
  %c = tt.make_range {start = 0 : i32, end = 40 : i32} : tensor<40xi32>
  %ms = tt.splat %m : i32 -> tensor<24xi32>
  %ns = tt.splat %n : i32 -> tensor<40xi32>
  %rm = arith.remsi %r, %ms : tensor<24xi32>
  %cn = arith.remsi %c, %ns : tensor<40xi32>
  %re = tt.expand_dims %rm {axis = 1 : i32} : tensor<24xi32> -> tensor<24x1xi32>
  %ce = tt.expand_dims %cn {axis = 0 : i32} : tensor<40xi32> -> tensor<1x40xi32>
  %nse = tt.splat %n : i32 -> tensor<24x1xi32>
  %row = arith.muli %re, %nse : tensor<24x1xi32>
  %rb = tt.broadcast %row : tensor<24x1xi32> -> tensor<24x40xi32>
  %cb = tt.broadcast %ce : tensor<1x40xi32> -> tensor<24x40xi32>
  %off = arith.addi %rb, %cb : tensor<24x40xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<24x40x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %off : tensor<24x40x!tt.ptr<f32>>, tensor<24x40xi32>
  %v = tt.load %xp : tensor<24x40x!tt.ptr<f32>>
  %t = tt.trans %v {order = array<i32: 1, 0>} : tensor<24x40xf32> -> tensor<40x24xf32>
  %oc = tt.expand_dims %c {axis = 1 : i32} : tensor<40xi32> -> tensor<40x1xi32>
  %k = arith.constant dense<24> : tensor<40x1xi32>
  %or = arith.muli %oc, %k : tensor<40x1xi32>
  %orb = tt.broadcast %or : tensor<40x1xi32> -> tensor<40x24xi32>
  %rr = tt.expand_dims %r {axis = 0 : i32} : tensor<24xi32> -> tensor<1x24xi32>
  %rrb = tt.broadcast %rr : tensor<1x24xi32> -> tensor<40x24xi32>
  %ooff = arith.addi %orb, %rrb : tensor<40x24xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<40x24x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %ooff : tensor<40x24x!tt.ptr<f32>>, tensor<40x24xi32>
  tt.store %yp, %t : tensor<40x24x!tt.ptr<f32>>
  tt.return
})";

TEST(CPUElementwise, TransposeWithWrappedAddresses) {
  for (auto [m, n] : {std::pair(24, 40), std::pair(7, 33), std::pair(1, 1), std::pair(24, 5)}) {
    SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n));
    runBoth(kTranspose, {TestArgument::floats(24 * 40), TestArgument::floats(40 * 24, 0, 2),
                         TestArgument::scalar(m), TestArgument::scalar(n)});
  }
}

// Integer division, shifts and comparisons, with every awkward operand.
const char *kIntegers = R"(
tt.func @ints(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %o: !tt.ptr<i32>) {
  %r = tt.make_range {start = 0 : i32, end = 100 : i32} : tensor<100xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<100x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<100x!tt.ptr<i32>>, tensor<100xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<100x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<100x!tt.ptr<i32>>, tensor<100xi32>
  %os = tt.splat %o : !tt.ptr<i32> -> tensor<100x!tt.ptr<i32>>
  %op = tt.addptr %os, %r : tensor<100x!tt.ptr<i32>>, tensor<100xi32>
  %a = tt.load %xp : tensor<100x!tt.ptr<i32>>
  %b = tt.load %yp : tensor<100x!tt.ptr<i32>>
  %d = arith.OP %a, %b : tensor<100xi32>
  tt.store %op, %d : tensor<100x!tt.ptr<i32>>
  tt.return
})";

TEST(CPUElementwise, IntegerDivisionNeverTraps) {
  for (const char *op : {"divsi", "remsi", "divui", "remui"}) {
    SCOPED_TRACE(op);
    TestArgument x = TestArgument::ints(100, 4, INT32_MIN, INT32_MAX, 1);
    int32_t least = INT32_MIN;
    for (int i : {0, 4, 8, 12})
      memcpy(&x.bytes[4 * i], &least, 4);
    runBoth(replaceAll(kIntegers, "OP", op),
            {x, TestArgument::ints(100, 4, -1, 3, 2), TestArgument::ints(100, 4, 0, 1)});
  }
}

} // namespace
