// RUN: tritium-opt %s -split-input-file -verify-diagnostics -ttg-coalesce
// RUN: tritium-opt %s -split-input-file -verify-diagnostics -ttg-accelerate-matmul
// RUN: tritium-opt %s -split-input-file -verify-diagnostics -ttg-remove-layout-conversions
// RUN: tritium-opt %s -split-input-file -verify-diagnostics -ttg-optimize-thread-locality
// RUN: tritium-opt %s -split-input-file -verify-diagnostics -ttg-schedule-loops
// RUN: tritium-opt %s -split-input-file -verify-diagnostics -ttg-expand-pipeline
// RUN: tritium-opt %s -split-input-file -verify-diagnostics -ttg-optimize-dot-operands
// RUN: tritium-opt %s -split-input-file -verify-diagnostics -ttg-prefetch
// RUN: tritium-opt %s -split-input-file -verify-diagnostics -ttg-reduce-data-duplication

// Every pass that works on layouts says so where a tile has none, or one for other warps.

tt.func @no_layout(%x: !tt.ptr<f32>) {
  // expected-error @+1 {{the tile 'tensor<32xi32>' has no layout; run convert-tt-to-ttg first}}
  %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v = tt.load %p : tensor<32x!tt.ptr<f32>>
  tt.store %p, %v : tensor<32x!tt.ptr<f32>>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
module attributes {"ttg.num-warps" = 2 : i32} {
  tt.func @other_warps(%x: !tt.ptr<i32>) {
    // expected-error @+1 {{is for 8 warps, but a program has 2 (ttg.num-warps)}}
    %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #b>
    %xx = tt.splat %x : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #b>
    %p = tt.addptr %xx, %r : tensor<32x!tt.ptr<i32>, #b>, tensor<32xi32, #b>
    tt.store %p, %r : tensor<32x!tt.ptr<i32>, #b>
    tt.return
  }
}

// -----

// What the loop carries counts, too.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#m = #ttg.mma<{version = 2, warpsPerCTA = [2, 4]}>
tt.func @carried(%n: i32, %x: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{is for 8 warps, but a program has 4 (ttg.num-warps)}}
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #m>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<32x32xf32, #m>) : i32 {
    scf.yield %a : tensor<32x32xf32, #m>
  }
  tt.return
}

// -----

// No element of these changes its thread.
#r = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#c = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
tt.func @reduction() {
  %x = arith.constant dense<0.0> : tensor<32x32xf32, #r>
  // expected-error @+1 {{no element of tt.reduce changes its thread, so that the layout of 'tensor<32xf32,}}
  %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tt.reduce.return %sum : f32
  }) : (tensor<32x32xf32, #r>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #c}>>
  tt.return
}

// -----

#r = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#c = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
tt.func @expansion() {
  %x = arith.constant dense<0.0> : tensor<32xf32, #ttg.slice<{dim = 0, parent = #r}>>
  // expected-error @+1 {{no element of tt.expand_dims changes its thread}}
  %e = tt.expand_dims %x {axis = 0 : i32} : tensor<32xf32, #ttg.slice<{dim = 0, parent = #r}>> -> tensor<1x32xf32, #c>
  tt.return
}

// -----

#r = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
tt.func @transposition() {
  %x = arith.constant dense<0.0> : tensor<32x32xf32, #r>
  // expected-error @+1 {{no element of tt.trans changes its thread}}
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<32x32xf32, #r> -> tensor<32x32xf32, #r>
  tt.return
}

// -----

#r = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#c = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
tt.func @address(%x: !tt.ptr<f32>) {
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #r>
  %o = arith.constant dense<0> : tensor<32x32xi32, #c>
  // expected-error @+1 {{no element of tt.addptr changes its thread}}
  %q = tt.addptr %p, %o : tensor<32x32x!tt.ptr<f32>, #r>, tensor<32x32xi32, #c>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func @elements() {
  %x = arith.constant dense<0> : tensor<32xi32, #b>
  // expected-error @+1 {{no element of tt.inline_asm changes its thread}}
  %y = tt.inline_asm "mov.b32 $0, $1;", "=r,r" %x : (tensor<32xi32, #b>) -> tensor<32xi32, #c>
  tt.return
}

// -----

#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func @rank() {
  // expected-error @+1 {{is for tiles of rank 1}}
  %x = arith.constant dense<0.0> : tensor<32x32xf32, #one>
  tt.return
}

// -----

// expected-error @+1 {{ttg.target must be #ttg.target<compute = 80>, say, found "sm_80"}}
module attributes {ttg.target = "sm_80"} {}
