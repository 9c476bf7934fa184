// RUN: tritium-opt %s -split-input-file -verify-diagnostics -convert-ttg-to-llvm

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

#s = #ttg.shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [0]}>
tt.func @shared() {
  // expected-error @+1 {{needs a layout of registers}}
  %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #s>
  tt.return
}

// -----

// expected-error @+1 {{ttg.num-warps must be a power of two from 1 to 32, found 5 : i32}}
module attributes {"ttg.num-warps" = 5 : i32} {}

// -----

// expected-error @+1 {{ttg.num-warps must be a power of two from 1 to 32, found "4"}}
module attributes {"ttg.num-warps" = "4"} {}
