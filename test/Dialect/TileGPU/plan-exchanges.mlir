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

// -----

// A scan across warps: each scans its parts, whose totals all threads read and scan in registers.
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK: #[[$TOTALS:.*]] = #ttg.linear<{register = [4], lane = [0, 0, 0, 0, 0], warp = [1, 2], shape = [8]}>
// CHECK: #[[$OWN:.*]] = #ttg.linear<{register = [1, 2, 4], lane = [0, 0, 0, 0, 0], warp = [0, 0], shape = [8]}>
// CHECK-LABEL: tt.func private @scan
// CHECK: %[[Y:.*]], %[[T:.*]] = "ttg.warp_scan"(%arg0) <{axis = 0 : i32, part = 128 : i32, reverse}>
// CHECK: (tensor<1024xf32, #{{.*}}>) -> (tensor<1024xf32, #{{.*}}>, tensor<8xf32, #[[$TOTALS]]>)
// CHECK: %[[M:.*]] = ttg.local_alloc init(%[[T]]
// CHECK: %[[Q:.*]] = ttg.local_load %[[M]]
// CHECK: %[[P:.*]] = "tt.scan"(%[[Q]]) <{axis = 0 : i32, reverse}>
// CHECK: (tensor<8xf32, #[[$OWN]]>) -> tensor<8xf32, #[[$OWN]]>
// CHECK: "ttg.join_scans"(%[[Y]], %[[P]]) <{axis = 0 : i32, part = 128 : i32, reverse}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @scan(%x: tensor<1024xf32, #b>) -> tensor<1024xf32, #b> {
  %s = "tt.scan"(%x) <{axis = 0 : i32, reverse}> ({
  ^bb0(%a: f32, %d: f32):
    %t = arith.addf %a, %d : f32
    tt.scan.return %t : f32
  }) : (tensor<1024xf32, #b>) -> tensor<1024xf32, #b>
  tt.return %s : tensor<1024xf32, #b>
}
}

// -----

// Within a warp, also where registers lie between its lanes, it needs no memory.
#c = #ttg.linear<{register = [0, 1, 0, 8], lane = [0, 2, 0, 4, 0, 16, 1, 0, 2, 0], warp = [4, 0, 8, 0], shape = [16, 32]}>
// CHECK-LABEL: tt.func private @within
// CHECK-NOT: ttg.
// CHECK: tt.return
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @within(%x: tensor<16x32xi32, #c>) -> tensor<16x32xi32, #c> {
  %s = "tt.scan"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %d: i32):
    tt.scan.return %d : i32
  }) : (tensor<16x32xi32, #c>) -> tensor<16x32xi32, #c>
  tt.return %s : tensor<16x32xi32, #c>
}
}

// -----

// Warps below lanes: another layout is scanned.
#w = #ttg.linear<{register = [], lane = [4, 8, 16, 32, 64], warp = [1, 2], shape = [128]}>
// CHECK-LABEL: tt.func private @convert
// CHECK: ttg.local_alloc init(%arg0
// CHECK: %[[X:.*]] = ttg.local_load
// CHECK: "ttg.warp_scan"(%[[X]]) <{axis = 0 : i32, part = 32 : i32}>
// CHECK: %[[Z:.*]] = "ttg.join_scans"
// CHECK: ttg.local_alloc init(%[[Z]]
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @convert(%x: tensor<128xi32, #w>) -> tensor<128xi32, #w> {
  %s = "tt.scan"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %d: i32):
    %t = arith.addi %a, %d : i32
    tt.scan.return %t : i32
  }) : (tensor<128xi32, #w>) -> tensor<128xi32, #w>
  tt.return %s : tensor<128xi32, #w>
}
}

// -----

// What CTAs gather they store to each other, after all have begun; the next time they have met.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func private @gathered
// CHECK-NEXT: ttng.cluster_arrive relaxed
// CHECK-NEXT: %[[M:.*]] = ttg.local_alloc : <4xf32
// CHECK-NEXT: ttng.cluster_wait
// CHECK-NEXT: ttng.cluster_store %{{.*}}, %[[M]]
// CHECK-NEXT: ttng.cluster_arrive
// CHECK-NEXT: ttng.cluster_wait
// CHECK-NEXT: ttg.local_load %[[M]]
// CHECK-NEXT: %[[N:.*]] = ttg.local_alloc : <4xf32
// CHECK-NEXT: ttng.cluster_store %{{.*}}, %[[N]]
// CHECK-NEXT: ttng.cluster_arrive
// CHECK-NEXT: ttng.cluster_wait
// CHECK-NEXT: ttg.local_load %[[N]]
// CHECK-NOT: ttng
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 4 : i32} {
tt.func private @gathered(%x: f32, %y: f32) -> (tensor<4xf32, #b>, tensor<4xf32, #b>) {
  %a = ttng.cluster_gather %x : f32 -> tensor<4xf32, #b>
  %c = ttng.cluster_gather %y : f32 -> tensor<4xf32, #b>
  tt.return %a, %c : tensor<4xf32, #b>, tensor<4xf32, #b>
}
}
