// RUN: tritium-opt %s -ttg-expand-pipeline | FileCheck %s
// RUN: tritium-opt %s -ttg-expand-pipeline | FileCheck %s --check-prefix=NONE

// No loop keeps an attribute of its schedule.
// NONE-NOT: ttg.stages
// NONE-NOT: ttg.schedule
// NONE-NOT: ttg.async_copy =

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [2, 2]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#shared = #ttg.shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#rows128 = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>

// Two iterations ahead, one barrier an iteration (in the wait), a predicated prologue. A conversion
// of what the copy brings is a load in its layout; the pointers are carried twice.
// CHECK-LABEL: @matmul(
// CHECK: %[[RING:.*]] = ttg.local_alloc : <3x64x32xf16, #shared, mutable>
// CHECK: %[[RUNS0:.*]] = arith.cmpi slt
// CHECK: %[[P1:.*]] = tt.addptr
// CHECK: %[[MASK0:.*]] = tt.splat %[[RUNS0]]
// CHECK: %[[BUFFER0:.*]] = ttg.memdesc_index %[[RING]][%{{.*}}] {ahead = 0 : i32}
// CHECK: ttg.async_copy_global_to_local %{{.*}}, %[[BUFFER0]] mask %[[MASK0]]
// CHECK: ttg.async_commit_group
// CHECK: %[[P2:.*]] = tt.addptr %[[P1]]
// CHECK: ttg.memdesc_index %[[RING]][%{{.*}}] {ahead = 1 : i32}
// CHECK: ttg.async_copy_global_to_local %[[P1]],
// CHECK: ttg.async_commit_group
// CHECK: scf.for {{.*}} iter_args(%[[P:[a-z0-9]*]] = %{{[a-z0-9]*}}, %[[ACC:[a-z0-9]*]] = %{{[a-z0-9]*}}, %[[AHEAD:[a-z0-9]*]] = %[[P2]], {{.*}}, %[[SLOT:[a-z0-9]*]] = %{{[a-z0-9_]*}})
// CHECK-NEXT: ttg.async_wait {num = 1 : i32}
// CHECK: %[[P3:.*]] = tt.addptr %[[AHEAD]]
// CHECK: ttg.memdesc_index %[[RING]][%{{.*}}] {ahead = 2 : i32}
// CHECK: ttg.async_copy_global_to_local %[[AHEAD]],
// CHECK: ttg.async_commit_group
// CHECK-NOT: tt.load
// CHECK: %[[HERE:.*]] = ttg.memdesc_index %[[RING]][%[[SLOT]]] {ahead = 0 : i32}
// CHECK-NEXT: %[[A:.*]] = ttg.local_load %[[HERE]] {{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0
// CHECK-NEXT: %[[D:.*]] = tt.dot %[[A]], %{{.*}}, %[[ACC]]
// CHECK-NEXT: %[[Q:.*]] = tt.addptr %[[P]]
// CHECK: scf.yield %[[Q]], %[[D]], %[[P3]],
// CHECK: }
// CHECK-NEXT: ttg.async_wait {num = 0 : i32}
// CHECK-NEXT: tt.return
tt.func private @matmul(%p0: tensor<64x32x!tt.ptr<f16>, #blocked>, %c32: tensor<64x32xi32, #blocked>, %b: tensor<32x64xf16, #b>, %acc0: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0, %acc = %acc0) -> (tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x64xf32, #mma>) : i32 {
    %x = tt.load %p {ttg.async_copy = #shared, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<64x32x!tt.ptr<f16>, #blocked>
    %a = ttg.convert_layout %x {ttg.schedule = #ttg.schedule<stage = 2, order = 2>} : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
    %d = tt.dot %a, %b, %acc {ttg.schedule = #ttg.schedule<stage = 2, order = 2>} : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    %q = tt.addptr %p, %c32 {ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
    scf.yield %q, %d : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x64xf32, #mma>
  } {ttg.stages = 3 : i32}
  tt.return %r#1 : tensor<64x64xf32, #mma>
}

// The order is the schedule's: the copy starts behind the dot. Two stages wait for all groups.
// CHECK-LABEL: @behind(
// CHECK: %[[RING:.*]] = ttg.local_alloc : <2x64x32xf16, #shared, mutable>
// CHECK-COUNT-1: ttg.async_commit_group
// CHECK: scf.for
// CHECK-NEXT: ttg.async_wait {num = 0 : i32}
// CHECK-NOT: ttg.async_copy
// CHECK: ttg.local_load
// CHECK-NOT: ttg.async_copy
// CHECK: tt.dot
// CHECK: ttg.async_copy_global_to_local
// CHECK-NEXT: ttg.async_commit_group
// CHECK: scf.yield
tt.func private @behind(%p: tensor<64x32x!tt.ptr<f16>, #blocked>, %b: tensor<32x64xf16, #b>, %acc0: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %acc0) -> (tensor<64x64xf32, #mma>) : i32 {
    %x = tt.load %p {ttg.async_copy = #shared, ttg.schedule = #ttg.schedule<stage = 0, order = 5>} : tensor<64x32x!tt.ptr<f16>, #blocked>
    %a = ttg.convert_layout %x {ttg.schedule = #ttg.schedule<stage = 1, order = 3>} : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
    %d = tt.dot %a, %b, %acc {ttg.schedule = #ttg.schedule<stage = 1, order = 4>} : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  } {ttg.stages = 2 : i32}
  tt.return %r : tensor<64x64xf32, #mma>
}

// Lanes outside the mask are zeros when they arrive, and get what they should be when the row is
// read. What both stages need is computed in both: the start of this row, for the store, and that
// of the row to copy. Of the mask, the part that stays meets the rest last.
// CHECK-LABEL: @rows(
// CHECK: scf.for %[[I:[a-z0-9]*]] = {{.*}} iter_args(%[[NEXT:[a-z0-9]*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK-NEXT: ttg.async_wait {num = 1 : i32}
// CHECK: %[[RUNS:.*]] = arith.cmpi slt
// CHECK-NEXT: arith.muli %[[NEXT]],
// CHECK: %[[ALL:.*]] = tt.splat %[[RUNS]]
// CHECK-NEXT: %[[MASK:.*]] = arith.andi %[[ALL]], %arg3
// CHECK: ttg.async_copy_global_to_local {{.*}} mask %[[MASK]]
// CHECK-NEXT: ttg.async_commit_group
// CHECK-NEXT: %[[START:.*]] = arith.muli %[[I]],
// CHECK: %[[ROW:.*]] = ttg.local_load
// CHECK-NEXT: %[[V:.*]] = arith.select %arg3, %[[ROW]],
// CHECK-NEXT: tt.addptr %{{.*}}, %[[START]]
// CHECK: tt.store %{{.*}}, %[[V]]
// CHECK: scf.yield
tt.func private @rows(%y: !tt.ptr<f32>, %x: !tt.ptr<f32>, %c: tensor<512xi32, #row>, %m: tensor<512xi1, #row>, %n: i32) attributes {tt.overtakes} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c512 = arith.constant 512 : i32
  %inf = arith.constant dense<0xFF800000> : tensor<512xf32, #row>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %start = arith.muli %i, %c512 {ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : i32
    %px = tt.addptr %x, %start {ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : !tt.ptr<f32>, i32
    %xs = tt.splat %px {ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #row>
    %xc = tt.addptr %xs, %c {ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : tensor<512x!tt.ptr<f32>, #row>, tensor<512xi32, #row>
    %v = tt.load %xc, %m, %inf {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #row>
    %py = tt.addptr %y, %start {ttg.schedule = #ttg.schedule<stage = 2, order = 2>} : !tt.ptr<f32>, i32
    %ys = tt.splat %py {ttg.schedule = #ttg.schedule<stage = 2, order = 2>} : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #row>
    %yc = tt.addptr %ys, %c {ttg.schedule = #ttg.schedule<stage = 2, order = 2>} : tensor<512x!tt.ptr<f32>, #row>, tensor<512xi32, #row>
    tt.store %yc, %v, %m {ttg.schedule = #ttg.schedule<stage = 2, order = 2>} : tensor<512x!tt.ptr<f32>, #row>
  } {ttg.stages = 3 : i32}
  tt.return
}

// A loop without a schedule stays.
// CHECK-LABEL: @plain(
// CHECK-NOT: ttg.local_alloc
// CHECK: tt.load
// CHECK: tt.return
tt.func private @plain(%p: tensor<512x!tt.ptr<f32>, #row>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p : tensor<512x!tt.ptr<f32>, #row>
  } {tt.num_stages = 3 : i32}
  tt.return
}

// A box, by TMA: a barrier in memory for each buffer, whose phase changes when all have been used;
// copies if their iteration exists.
// CHECK-LABEL: @box(
// CHECK: %[[RING:.*]] = ttg.local_alloc {alignment = 1024 : i32} : <2x64x64xf16
// CHECK: %[[BARS:.*]] = ttg.local_alloc : <2x1xi64
// CHECK: ttng.mbarrier_init {{.*}}, 1
// CHECK: ttng.mbarrier_init {{.*}}, 1
// CHECK: scf.if
// CHECK: ttng.mbarrier_expect %{{.*}}, 8192
// CHECK-NEXT: ttng.tma_load %{{.*}}[%{{.*}}, %{{.*}}]
// CHECK-NOT: ttg.async_commit_group
// CHECK: scf.for {{.*}} iter_args({{.*}} %[[SLOT:[a-z0-9]*]] = %{{[a-z0-9_]*}}, %[[PHASE:[a-z0-9]*]] = %{{[a-z0-9_]*}})
// CHECK-NEXT: %[[BAR:.*]] = ttg.memdesc_index %[[BARS]][%[[SLOT]]] {ahead = 0 : i32}
// CHECK-NEXT: ttng.mbarrier_wait %[[BAR]], %[[PHASE]]
// CHECK: %[[TILE:.*]] = ttg.memdesc_index %[[RING]][%[[SLOT]]]
// CHECK-NEXT: ttg.local_load %[[TILE]]
// CHECK: tt.dot
// CHECK: scf.if
// CHECK-NEXT: ttg.barrier
// CHECK: %[[NEXT:.*]] = ttg.memdesc_index %[[BARS]][%{{.*}}] {ahead = 1 : i32}
// CHECK-NEXT: ttng.mbarrier_expect %[[NEXT]], 8192
// CHECK-NEXT: ttng.tma_load
// CHECK: %[[OTHER:.*]] = arith.xori %[[PHASE]]
// CHECK: %[[LATER:.*]] = arith.select %{{.*}}, %[[OTHER]], %[[PHASE]]
// CHECK: scf.yield {{.*}}, %[[LATER]]
// CHECK-NOT: ttg.async_wait
// CHECK: ttng.mbarrier_invalidate
// CHECK: ttng.mbarrier_invalidate
tt.func private @box(%p: !tt.ptr<f16>, %pitch: i64, %a: tensor<64x64xf16, #a>, %acc0: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %all = arith.constant 4096 : i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %acc0) -> (tensor<64x64xf32, #mma>) : i32 {
    %x = ttng.load_box %p[%i, %c0] shape [%all, %all] strides [%pitch, %one] {ttg.async_copy = #rows128, ttg.schedule = #ttg.schedule<stage = 0, order = 2>} : !tt.ptr<f16> -> tensor<64x64xf16, #blocked>
    %b = ttg.convert_layout %x {ttg.schedule = #ttg.schedule<stage = 1, order = 1>} : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #b>
    %d = tt.dot %a, %b, %acc {ttg.schedule = #ttg.schedule<stage = 1, order = 1>} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  } {ttg.stages = 2 : i32}
  tt.return %r : tensor<64x64xf32, #mma>
}

// A box that is copied by itself, here in an scf.if: memory and a barrier of its own, started and
// waited for where it stands.
// CHECK-LABEL: @box_alone(
// CHECK: scf.if
// CHECK: %[[ALONE:.*]] = ttg.local_alloc {alignment = 1024 : i32} : <64x64xf16, #shared
// CHECK: %[[BARRIERS:.*]] = ttg.local_alloc : <1x1xi64
// CHECK: ttng.mbarrier_init %{{.*}}, 1
// CHECK: %[[BARRIER:.*]] = ttg.memdesc_index %[[BARRIERS]]
// CHECK-NEXT: ttng.mbarrier_expect %[[BARRIER]], 8192
// CHECK-NEXT: ttng.tma_load %{{.*}}, %[[ALONE]], %[[BARRIER]]
// CHECK-NEXT: ttng.mbarrier_wait %[[BARRIER]]
// CHECK: ttng.mbarrier_invalidate
// CHECK: ttg.local_load %[[ALONE]]
// CHECK-NOT: ttng.load_box
tt.func private @box_alone(%p: !tt.ptr<f16>, %pitch: i64, %i: i32, %is: i1, %other: tensor<64x64xf16, #blocked>) -> tensor<64x64xf16, #blocked> {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %all = arith.constant 4096 : i64
  %r = scf.if %is -> tensor<64x64xf16, #blocked> {
    %x = ttng.load_box %p[%i, %c0] shape [%all, %all] strides [%pitch, %one] {ttg.async_copy = #rows128} : !tt.ptr<f16> -> tensor<64x64xf16, #blocked>
    scf.yield %x : tensor<64x64xf16, #blocked>
  } else {
    scf.yield %other : tensor<64x64xf16, #blocked>
  }
  tt.return %r : tensor<64x64xf16, #blocked>
}

// What tells where to load is loaded ahead, into registers, for iterations that exist; with a mask
// of its own, where both hold.
// CHECK-LABEL: @pages(
// CHECK: %[[RUNS0:.*]] = arith.cmpi slt
// CHECK: %[[PAGE0:.*]] = tt.load %{{.*}}, %[[RUNS0]] : !tt.ptr<i32>
// CHECK: %[[Q0:.*]] = tt.addptr %{{.*}}, %[[PAGE0]]
// CHECK: %[[ALL0:.*]] = tt.splat %[[RUNS0]]
// CHECK: %[[BOTH0:.*]] = arith.andi %[[ALL0]], %{{.*}}
// CHECK: tt.load %{{.*}}, %[[BOTH0]] : tensor<512x!tt.ptr<i32>
// CHECK: ttg.async_copy_global_to_local
// CHECK: scf.for
// CHECK: %[[RUNS:.*]] = arith.cmpi slt
// CHECK: tt.load %{{.*}}, %[[RUNS]] : !tt.ptr<i32>
// CHECK: ttg.async_copy_global_to_local
tt.func private @pages(%table: !tt.ptr<i32>, %p: !tt.ptr<f32>, %rows: tensor<512x!tt.ptr<i32>, #row>, %m: tensor<512xi1, #row>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %pi = tt.addptr %table, %i {ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : !tt.ptr<i32>, i32
    %page = tt.load %pi {ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : !tt.ptr<i32>
    %q = tt.addptr %p, %page {ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : !tt.ptr<f32>, i32
    %r = tt.load %rows, %m {ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : tensor<512x!tt.ptr<i32>, #row>
    %qs = tt.splat %q {ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #row>
    %qr = tt.addptr %qs, %r {ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : tensor<512x!tt.ptr<f32>, #row>, tensor<512xi32, #row>
    %v = tt.load %qr {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #row>
  } {ttg.stages = 2 : i32}
  tt.return
}
