// RUN: tritium-opt %s -ttg-skip-ones -split-input-file | FileCheck %s

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#row = #ttg.slice<{dim = 1, parent = #mma}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // The factor stands second.
  // CHECK-LABEL: @rescaled
  // CHECK: arith.mulf %{{[0-9]+}}#0, %{{[0-9]+}} {ttg.skip_ones}
  tt.func private @rescaled(%sums: tensor<64x64xf32, #mma>, %first: tensor<64xf32, #row>, %more: tensor<64xf32, #row>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %sums, %max = %first) -> (tensor<64x64xf32, #mma>, tensor<64xf32, #row>) : i32 {
      %next = arith.maxnumf %max, %more : tensor<64xf32, #row>
      %less = arith.subf %max, %next : tensor<64xf32, #row>
      %share = math.exp2 %less : tensor<64xf32, #row>
      %column = tt.expand_dims %share {axis = 1 : i32} : tensor<64xf32, #row> -> tensor<64x1xf32, #mma>
      %factors = tt.broadcast %column : tensor<64x1xf32, #mma> -> tensor<64x64xf32, #mma>
      %done:2 = ttng.warp_group_dot_wait %acc, %next : tensor<64x64xf32, #mma>, tensor<64xf32, #row> {pendings = 0 : i32}
      %scaled = arith.mulf %factors, %done#0 : tensor<64x64xf32, #mma>
      scf.yield %scaled, %done#1 : tensor<64x64xf32, #mma>, tensor<64xf32, #row>
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#row = #ttg.slice<{dim = 1, parent = #mma}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // Other dots are under way; the maximum is another's; no dot has made it; no loop.
  // CHECK-LABEL: @others
  // CHECK-NOT: skip_ones
  tt.func private @others(%sums: tensor<64x64xf32, #mma>, %max: tensor<64xf32, #row>, %more: tensor<64xf32, #row>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %next = arith.maxnumf %max, %more : tensor<64xf32, #row>
    %less = arith.subf %max, %next : tensor<64xf32, #row>
    %share = math.exp2 %less : tensor<64xf32, #row>
    %column = tt.expand_dims %share {axis = 1 : i32} : tensor<64xf32, #row> -> tensor<64x1xf32, #mma>
    %factors = tt.broadcast %column : tensor<64x1xf32, #mma> -> tensor<64x64xf32, #mma>
    %other_less = arith.subf %more, %max : tensor<64xf32, #row>
    %other_share = math.exp2 %other_less : tensor<64xf32, #row>
    %other_column = tt.expand_dims %other_share {axis = 1 : i32} : tensor<64xf32, #row> -> tensor<64x1xf32, #mma>
    %other_factors = tt.broadcast %other_column : tensor<64x1xf32, #mma> -> tensor<64x64xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %sums) -> (tensor<64x64xf32, #mma>) : i32 {
      %begun = ttng.warp_group_dot_wait %acc : tensor<64x64xf32, #mma> {pendings = 1 : i32}
      %early = arith.mulf %begun, %factors : tensor<64x64xf32, #mma>
      %done = ttng.warp_group_dot_wait %early : tensor<64x64xf32, #mma> {pendings = 0 : i32}
      %one = arith.mulf %done, %other_factors : tensor<64x64xf32, #mma>
      %two = arith.mulf %one, %factors : tensor<64x64xf32, #mma>
      scf.yield %two : tensor<64x64xf32, #mma>
    }
    %done = ttng.warp_group_dot_wait %r : tensor<64x64xf32, #mma> {pendings = 0 : i32}
    %last = arith.mulf %done, %factors : tensor<64x64xf32, #mma>
    tt.return %last : tensor<64x64xf32, #mma>
  }
}
