// RUN: tritium-opt %s -split-input-file -ttg-take-programs | FileCheck %s
// RUN: tritium-opt %s -split-input-file -ttg-take-programs -ttg-allocate-shared-memory -ttg-place-barriers -convert-ttg-to-llvm | FileCheck %s --check-prefix=LLVM

// One warp takes numbers and hands them on; what the loop carries is carried on.
// CHECK-LABEL: tt.func @scale
// CHECK-SAME: ttg.program_counter
// CHECK: %[[NUMBERS:.*]] = ttg.local_alloc : <2x1xi32, #shared, mutable>
// CHECK: %[[FULL:.*]] = ttg.local_alloc : <2x1xi64
// CHECK-COUNT-2: ttng.mbarrier_init %{{.*}}, 1 :
// CHECK: %[[EMPTY:.*]] = ttg.local_alloc : <2x1xi64
// CHECK-COUNT-2: ttng.mbarrier_init %{{.*}}, 4 :
// CHECK: ttg.warp_groups "compute" warps 4
// CHECK: %[[LOOP:.*]]:4 = scf.while (%[[P:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}, %[[SLOT:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}})
// CHECK: %[[MORE:.*]] = arith.cmpi ult, %[[P]], %[[COUNT:.*]] : i32
// CHECK: scf.condition(%[[MORE]]) %[[P]], %[[SUM]], %[[SLOT]], %[[PHASE]]
// CHECK: ^bb0(%[[P:.*]]: i32, %[[SUM:.*]]: i32, %[[SLOT:.*]]: i32, %[[PHASE:.*]]: i32):
// CHECK: ttg.program_id %[[P]] along 0
// CHECK: %[[MORESUM:.*]] = arith.addi %[[SUM]]
// CHECK: %[[BAR:.*]] = ttg.memdesc_index %[[FULL]][%[[SLOT]]]
// CHECK: ttng.mbarrier_wait %[[BAR]], %[[PHASE]]
// CHECK: %[[BUFFER:.*]] = ttg.memdesc_index %[[NUMBERS]][%[[SLOT]]]
// CHECK: %[[NEXT:.*]] = ttg.local_load %[[BUFFER]] : <1xi32, #shared, mutable> -> i32
// CHECK: %[[BAR:.*]] = ttg.memdesc_index %[[EMPTY]][%[[SLOT]]]
// CHECK: ttng.mbarrier_arrive %[[BAR]], 4 releases(%[[BUFFER]]
// CHECK: scf.yield %[[NEXT]], %[[MORESUM]]
// CHECK: tt.splat %[[LOOP]]#1
// CHECK: "load" warps 1
// CHECK: scf.while
// CHECK: ^bb0(%[[P:.*]]: i32, %[[SLOT:.*]]: i32, %[[PHASE:.*]]: i32):
// CHECK: %[[NEXT:.*]] = ttg.next_program %[[P]] of %[[COUNT]]
// CHECK: %[[BEFORE:.*]] = arith.xori %[[PHASE]]
// CHECK: %[[BAR:.*]] = ttg.memdesc_index %[[EMPTY]][%[[SLOT]]]
// CHECK: ttng.mbarrier_wait %[[BAR]], %[[BEFORE]]
// CHECK: %[[TILE:.*]] = tt.splat %[[NEXT]]
// CHECK: %[[BUFFER:.*]] = ttg.memdesc_index %[[NUMBERS]][%[[SLOT]]]
// CHECK: ttg.local_store %[[TILE]], %[[BUFFER]]
// CHECK: %[[BAR:.*]] = ttg.memdesc_index %[[FULL]][%[[SLOT]]]
// CHECK: ttng.mbarrier_arrive %[[BAR]], 1
// CHECK: scf.yield %[[NEXT]]
// CHECK-COUNT-4: ttng.mbarrier_invalidate

// The counter's number comes behind the extents of the grid. Without one (-1) nothing is taken.
// LLVM: llvm.mlir.global internal @tritium_program_counters(dense<0> : tensor<256xi32>) {addr_space = 1 : i32{{.*}}} : !llvm.array<256 x i32>
// LLVM: llvm.func @scale(%{{.*}}: !llvm.ptr<1>, %[[X:[^:]*]]: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32, %[[COUNTER:[^:]*]]: i32)
// LLVM-DAG: %[[NONE:.*]] = llvm.mlir.constant(-1 : i32)
// LLVM: %[[HAS:.*]] = llvm.icmp "ne" %[[COUNTER]], %{{.*}}
// LLVM: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%[[COUNTER]]]
// LLVM: llvm.call_intrinsic "llvm.nvvm.atomic.load.inc.32.p1"(%[[AT]], %{{.*}})
// LLVM: nvvm.shfl.sync idx
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
tt.func @scale(%x: !tt.ptr<i32>) attributes {ttg.persistent, ttg.program_counter} {
  %c0 = arith.constant 0 : i32
  %n = tt.get_num_programs 0 : i32
  %first = ttg.cta_id : i32
  %step = ttg.num_ctas : i32
  ttg.warp_groups "compute" warps 4 {
    %sum = scf.for %p = %first to %n step %step iter_args(%s = %c0) -> (i32) : i32 {
      %id = ttg.program_id %p along 0 : i32
      %more = arith.addi %s, %id : i32
      scf.yield %more : i32
    } {ttg.programs}
    %t = tt.splat %sum : i32 -> tensor<128xi32, #l>
    %p = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #l>
    tt.store %p, %t : tensor<128x!tt.ptr<i32>, #l>
  } "load" warps 1 {
    scf.for %p = %first to %n step %step : i32 {
    } {ttg.programs}
  }
  tt.return
}
}

// -----

// No groups, two loops in one of them, and no warp that could take numbers alone: shares are fixed.
// CHECK-LABEL: tt.func @no_groups
// CHECK-NOT: ttg.program_counter
// CHECK: scf.for
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
tt.func @no_groups() attributes {ttg.persistent, ttg.program_counter} {
  %n = tt.get_num_programs 0 : i32
  %first = ttg.cta_id : i32
  %step = ttg.num_ctas : i32
  scf.for %p = %first to %n step %step : i32 {
  } {ttg.programs}
  tt.return
}
}

// -----

// CHECK-LABEL: tt.func @two_loops
// CHECK-NOT: ttg.program_counter
// CHECK-COUNT-3: scf.for
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
tt.func @two_loops() attributes {ttg.persistent, ttg.program_counter} {
  %n = tt.get_num_programs 0 : i32
  %first = ttg.cta_id : i32
  %step = ttg.num_ctas : i32
  ttg.warp_groups "compute" warps 4 {
    scf.for %p = %first to %n step %step : i32 {
    } {ttg.programs}
    scf.for %p = %first to %n step %step : i32 {
    } {ttg.programs}
  } "load" warps 1 {
    scf.for %p = %first to %n step %step : i32 {
    } {ttg.programs}
  }
  tt.return
}
}

// -----

// CHECK-LABEL: tt.func @four_warps
// CHECK-NOT: ttg.program_counter
// CHECK-COUNT-2: scf.for
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
tt.func @four_warps() attributes {ttg.persistent, ttg.program_counter} {
  %n = tt.get_num_programs 0 : i32
  %first = ttg.cta_id : i32
  %step = ttg.num_ctas : i32
  ttg.warp_groups "compute" warps 4 {
    scf.for %p = %first to %n step %step : i32 {
    } {ttg.programs}
  } "load" warps 4 {
    scf.for %p = %first to %n step %step : i32 {
    } {ttg.programs}
  }
  tt.return
}
}

// -----

// Numbers of other loops are none of the counter's.
// CHECK-LABEL: tt.func @other_numbers
// CHECK-NOT: ttg.program_counter
// CHECK-COUNT-2: scf.for
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
tt.func @other_numbers() attributes {ttg.persistent, ttg.program_counter} {
  %first = arith.constant 0 : i64
  %n = arith.constant 5 : i64
  %step = arith.constant 1 : i64
  ttg.warp_groups "compute" warps 4 {
    scf.for %p = %first to %n step %step : i64 {
    } {ttg.programs}
  } "load" warps 1 {
    scf.for %p = %first to %n step %step : i64 {
    } {ttg.programs}
  }
  tt.return
}
}
