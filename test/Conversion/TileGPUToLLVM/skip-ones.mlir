// RUN: tritium-opt %s -convert-ttg-to-llvm | FileCheck %s

// All lanes branch alike; the products are those of all registers.
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#row = #ttg.slice<{dim = 1, parent = #mma}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: llvm.func @scaled
  // CHECK-COUNT-2: llvm.fcmp "une"
  // CHECK: %[[ANY:.*]] = llvm.call_intrinsic "llvm.nvvm.vote.any.sync"
  // CHECK: llvm.cond_br %[[ANY]], ^[[TIMES:bb[0-9]+]], ^{{bb[0-9]+}}(
  // CHECK: ^[[TIMES]]:
  // CHECK-COUNT-16: llvm.fmul
  // CHECK-NOT: llvm.fmul
  tt.func @scaled(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %pp = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #row>
    %ps = tt.addptr %pp, %r : tensor<64x!tt.ptr<f32>, #row>, tensor<64xi32, #row>
    %f = tt.load %ps : tensor<64x!tt.ptr<f32>, #row>
    %column = tt.expand_dims %f {axis = 1 : i32} : tensor<64xf32, #row> -> tensor<64x1xf32, #mma>
    %factors = tt.broadcast %column : tensor<64x1xf32, #mma> -> tensor<64x32xf32, #mma>
    %qq = tt.splat %q : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>, #mma>
    %sums = tt.load %qq : tensor<64x32x!tt.ptr<f32>, #mma>
    ttg.barrier
    %scaled = arith.mulf %sums, %factors {ttg.skip_ones} : tensor<64x32xf32, #mma>
    %oo = tt.splat %o : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>, #mma>
    tt.store %oo, %scaled : tensor<64x32x!tt.ptr<f32>, #mma>
    tt.return
  }
}
