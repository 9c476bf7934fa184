// RUN: tritium-opt %s -split-input-file -ttg-plan-exchanges | FileCheck %s

// The result of an atomic that one thread runs goes to the others only if they want it.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func private @atomic
// CHECK: %[[OLD:.*]] = tt.atomic_rmw {{.*}}ttg.result_of_one
// CHECK: %[[AT:.*]] = ttg.local_alloc init(%[[OLD]] : i32)
// CHECK: %[[ALL:.*]] = ttg.local_load %[[AT]]
// CHECK: tt.splat %[[ALL]]
// CHECK: tt.atomic_rmw
// CHECK-NOT: ttg.
// CHECK: tt.store
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @atomic(%p: !tt.ptr<i32>, %q: tensor<128x!tt.ptr<i32>, #b>, %true: i1) {
  %one = arith.constant 1 : i32
  %old = tt.atomic_rmw add, acq_rel, gpu, %p, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %v = tt.splat %old : i32 -> tensor<128xi32, #b>
  %unused = tt.atomic_rmw add, acq_rel, gpu, %p, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32
  tt.store %q, %v : tensor<128x!tt.ptr<i32>, #b>
  tt.return
}
}

// -----

// Within a warp a reduction needs no memory; the same conversion by registers is a renaming.
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#c = #ttg.linear<{register = [0, 1, 0, 2], lane = [0, 4, 0, 8, 0, 16, 1, 0, 2, 0], warp = [4, 0, 8, 0], shape = [16, 32]}>
// CHECK-LABEL: tt.func private @warps
// CHECK-NOT: local_alloc
// CHECK: by registers
// CHECK-NOT: local_alloc
// CHECK: tt.return
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @warps(%x: tensor<16x32xf32, #b>) -> (tensor<16x32xf32, #c>, tensor<16xf32, #ttg.slice<{dim = 1, parent = #b}>>) {
  %y = ttg.convert_layout %x : tensor<16x32xf32, #b> -> tensor<16x32xf32, #c>
  %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %d: f32):
    %t = arith.maxnumf %a, %d : f32
    tt.reduce.return %t : f32
  }) : (tensor<16x32xf32, #b>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #b}>>
  tt.return %y, %s : tensor<16x32xf32, #c>, tensor<16xf32, #ttg.slice<{dim = 1, parent = #b}>>
}
}
