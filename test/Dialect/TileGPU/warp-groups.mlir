// RUN: tritium-opt %s | tritium-opt | FileCheck %s
// The interpreter runs the groups at once.
// RUN: tritium-interpret %s --bytes 512 --show 2 | FileCheck %s --check-prefix=COPIED
// Without the arrival nobody can go on.
// RUN: sed '/named_barrier_arrive/d' %s > %t.mlir
// RUN: not tritium-interpret %t.mlir --bytes 512 2>&1 | FileCheck %s --check-prefix=NONE

// COPIED: copy.y: {{[0-9a-f]+}} 6 15{{$}}
// NONE: named_barrier_sync{{.*}}barrier 1 waits for 12 warps, but the groups that use it have 8

#load = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#use = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
#mem = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: @copy
tt.func @copy(%x: !tt.ptr<i32> {tt.name = "x"}, %y: !tt.ptr<i32> {tt.name = "y"}) {
  %m = ttg.local_alloc : !ttg.memdesc<128xi32, #mem, mutable>
  // CHECK: ttg.warp_groups "load" warps 4 registers 40 {
  ttg.warp_groups "load" warps 4 registers 40 {
    %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #load>
    %s = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #load>
    %p = tt.addptr %s, %i : tensor<128x!tt.ptr<i32>, #load>, tensor<128xi32, #load>
    %v = tt.load %p : tensor<128x!tt.ptr<i32>, #load>
    ttg.local_store %v, %m : tensor<128xi32, #load>, !ttg.memdesc<128xi32, #mem, mutable>
    // CHECK: ttg.named_barrier_arrive 1 warps 12
    // CHECK-NEXT: } "use" warps 8 {
    ttg.named_barrier_arrive 1 warps 12
  } "use" warps 8 {
    // CHECK: ttg.named_barrier_sync 1 warps 12 {note}
    ttg.named_barrier_sync 1 warps 12 {note}
    %v = ttg.local_load %m : !ttg.memdesc<128xi32, #mem, mutable> -> tensor<128xi32, #use>
    %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #use>
    %s = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #use>
    %p = tt.addptr %s, %i : tensor<128x!tt.ptr<i32>, #use>, tensor<128xi32, #use>
    tt.store %p, %v : tensor<128x!tt.ptr<i32>, #use>
    // CHECK: } {note = 1 : i32}
  } {note = 1 : i32}
  tt.return
}
}
