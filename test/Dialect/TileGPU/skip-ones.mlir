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

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#row = #ttg.slice<{dim = 1, parent = #mma}>
#s = #ttg.shared_linear<{offsets = [72, 144, 288, 512, 1024, 2048, 1, 2, 4, 8, 16, 32], shape = [64, 64]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // A dot has begun behind the wait; factors that come from another layout are as many as sums;
  // sixteen columns are four products of a row.
  // CHECK-LABEL: @close
  // CHECK-NOT: skip_ones
  // CHECK: tt.func private @enough
  tt.func private @close(%m: !ttg.memdesc<64x64xf16, #s>, %sums: tensor<64x64xf32, #mma>, %few: tensor<64x16xf32, #mma>, %max: tensor<64xf32, #row>, %more: tensor<64xf32, #row>, %tile: tensor<64x64xf32, #l>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x16xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %next = arith.maxnumf %max, %more : tensor<64xf32, #row>
    %less = arith.subf %max, %next : tensor<64xf32, #row>
    %share = math.exp2 %less : tensor<64xf32, #row>
    %column = tt.expand_dims %share {axis = 1 : i32} : tensor<64xf32, #row> -> tensor<64x1xf32, #mma>
    %factors = tt.broadcast %column : tensor<64x1xf32, #mma> -> tensor<64x64xf32, #mma>
    %sixteen = tt.broadcast %column : tensor<64x1xf32, #mma> -> tensor<64x16xf32, #mma>
    %greater = arith.maxnumf %tile, %tile : tensor<64x64xf32, #l>
    %below = arith.subf %tile, %greater : tensor<64x64xf32, #l>
    %shares = math.exp2 %below : tensor<64x64xf32, #l>
    %moved = ttg.convert_layout %shares : tensor<64x64xf32, #l> -> tensor<64x64xf32, #mma>
    %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %sums, %a = %sums, %b = %sums, %f = %few) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x16xf32, #mma>) : i32 {
      %done:3 = ttng.warp_group_dot_wait %acc, %b, %f : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x16xf32, #mma> {pendings = 0 : i32}
      %all = arith.mulf %done#1, %moved : tensor<64x64xf32, #mma>
      %less_of_few = arith.mulf %done#2, %sixteen : tensor<64x16xf32, #mma>
      %d = ttng.warp_group_dot %m, %m, %a : !ttg.memdesc<64x64xf16, #s> * !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf32, #mma>
      %scaled = arith.mulf %done#0, %factors : tensor<64x64xf32, #mma>
      %e = ttng.warp_group_dot_wait %d : tensor<64x64xf32, #mma> {pendings = 0 : i32}
      scf.yield %scaled, %e, %all, %less_of_few : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x16xf32, #mma>
    }
    tt.return %r#0, %r#1, %r#2, %r#3 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x16xf32, #mma>
  }

  // Eight products of each row.
  // CHECK: arith.mulf {{.*}} {ttg.skip_ones}
  tt.func private @enough(%sums: tensor<64x32xf32, #mma>, %max: tensor<64xf32, #row>, %more: tensor<64xf32, #row>, %n: i32) -> tensor<64x32xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %next = arith.maxnumf %max, %more : tensor<64xf32, #row>
    %less = arith.subf %max, %next : tensor<64xf32, #row>
    %share = math.exp2 %less : tensor<64xf32, #row>
    %column = tt.expand_dims %share {axis = 1 : i32} : tensor<64xf32, #row> -> tensor<64x1xf32, #mma>
    %factors = tt.broadcast %column : tensor<64x1xf32, #mma> -> tensor<64x32xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %sums) -> (tensor<64x32xf32, #mma>) : i32 {
      %done = ttng.warp_group_dot_wait %acc : tensor<64x32xf32, #mma> {pendings = 0 : i32}
      %scaled = arith.mulf %done, %factors : tensor<64x32xf32, #mma>
      scf.yield %scaled : tensor<64x32xf32, #mma>
    }
    tt.return %r : tensor<64x32xf32, #mma>
  }
}
