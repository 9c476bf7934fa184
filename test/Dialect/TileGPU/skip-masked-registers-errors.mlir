// RUN: tritium-opt %s -ttg-skip-masked-registers | FileCheck %s
// RUN: not tritium-opt %S/Inputs/add.mlir -ttg-skip-masked-registers 2>&1 | FileCheck %s --check-prefix=LAYOUT

// LAYOUT: error: the tile {{.*}} has no layout; run convert-tt-to-ttg first

// Registers are skipped in the first kernel; in each other one premise is broken.
// CHECK-LABEL: @control(
// CHECK: ttg.skip_masked
// CHECK-NOT: ttg.skip_masked
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @control(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #b>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  %e = math.exp %v : tensor<1024xf32, #b>
  tt.store %p, %e, %m : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}

// Only the last program meets the bound.
// CHECK-LABEL: @last_program(
tt.func @last_program(%x: !tt.ptr<f32>, %n: i32) {
  %id = tt.get_program_id 0 : i32
  %left = arith.subi %n, %id : i32
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %left : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #b>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  %e = math.exp %v : tensor<1024xf32, #b>
  tt.store %p, %e, %m : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}

// A lower bound: the upper half is inside.
// CHECK-LABEL: @rises(
tt.func @rises(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi sge, %r, %nn : tensor<1024xi32, #b>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  %e = math.exp %v : tensor<1024xf32, #b>
  tt.store %p, %e, %m : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}

// A mask of single elements.
// CHECK-LABEL: @scattered(
tt.func @scattered(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi ne, %r, %nn : tensor<1024xi32, #b>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  %e = math.exp %v : tensor<1024xf32, #b>
  tt.store %p, %e, %m : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}

// Without a mask all is inside.
// CHECK-LABEL: @no_mask(
tt.func @no_mask(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #b>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>, #b>
  %e = math.exp %v : tensor<1024xf32, #b>
  tt.store %p, %e, %m : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}

// All of a sum with indices is wanted.
// CHECK-LABEL: @unknown(
tt.func @unknown(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #b>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  %e = math.exp %v : tensor<1024xf32, #b>
  %i = arith.sitofp %r : tensor<1024xi32, #b> to tensor<1024xf32, #b>
  %w = arith.addf %e, %i : tensor<1024xf32, #b>
  tt.store %p, %w : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}

// `other` differs from element to element, and all is wanted.
// CHECK-LABEL: @other(
tt.func @other(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #b>
  %i = arith.sitofp %r : tensor<1024xi32, #b> to tensor<1024xf32, #b>
  %v = tt.load %p, %m, %i : tensor<1024x!tt.ptr<f32>, #b>
  %e = math.exp %v : tensor<1024xf32, #b>
  tt.store %p, %e : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}

// A volatile load is not known to give what it says.
// CHECK-LABEL: @volatile(
tt.func @volatile(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #b>
  %v = tt.load %p, %m {isVolatile = true} : tensor<1024x!tt.ptr<f32>, #b>
  %e = math.exp %v : tensor<1024xf32, #b>
  tt.store %p, %e, %m : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}

// One instruction for each of 16 registers is not worth two branches.
// CHECK-LABEL: @cheap(
tt.func @cheap(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #b>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  %e = arith.negf %v : tensor<1024xf32, #b>
  tt.store %p, %e, %m : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}

// A lane has four elements, all of them neighbours.
// CHECK-LABEL: @small(
tt.func @small(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<128xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<128xi32, #b>
  %v = tt.load %p, %m : tensor<128x!tt.ptr<f32>, #b>
  %e = math.exp %v : tensor<128xf32, #b>
  tt.store %p, %e, %m : tensor<128x!tt.ptr<f32>, #b>
  tt.return
}

// More than 48 registers of a thread are loaded.
// CHECK-LABEL: @large(
tt.func @large(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<2048x!tt.ptr<f32>, #b>, tensor<2048xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<2048xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<2048xi32, #b>
  %v = tt.load %p, %m : tensor<2048x!tt.ptr<f32>, #b>
  %e = math.exp %v : tensor<2048xf32, #b>
  tt.store %p, %e, %m : tensor<2048x!tt.ptr<f32>, #b>
  tt.return
}

// What is loaded is data of another tile: a store under the mask alone skips nothing.
// CHECK-LABEL: @only_stored(
tt.func @only_stored(%x: !tt.ptr<f32>, %n: i32, %y: f32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #b>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  %p0 = tt.splat %y : f32 -> tensor<1024xf32, #b>
  tt.store %p, %p0, %m : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}
}
