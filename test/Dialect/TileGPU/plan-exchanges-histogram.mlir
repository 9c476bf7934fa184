// RUN: tritium-opt %s -split-input-file -ttg-plan-exchanges | FileCheck %s
// RUN: tritium-opt %s -split-input-file -ttg-plan-exchanges -ttg-allocate-shared-memory -ttg-place-barriers | FileCheck %s --check-prefix=PLACED

// The operand is counted in the layout that it has, the result read in the one that it is asked for
// in. Threads meet between zeros and counts, and between these and who reads them.
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[$B:.*]] = #ttg.blocked<{sizePerThread = [4]
// CHECK-DAG: #[[$C:.*]] = #ttg.blocked<{sizePerThread = [1]
// CHECK-DAG: #[[$S:.*]] = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// CHECK-LABEL: tt.func private @count
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0> : tensor<100xi32, #[[$C]]>
// CHECK: %[[M:.*]] = ttg.local_alloc : <100xi32, #[[$S]], mutable>
// CHECK: ttg.local_store %[[ZEROS]], %[[M]]
// CHECK: ttg.local_count %{{.*}}, %[[M]] : tensor<512xi32, #[[$B]]>
// CHECK: %[[H:.*]] = ttg.local_load %[[M]] : {{.*}} -> tensor<100xi32, #[[$C]]>
// CHECK: tt.return %[[H]]
// PLACED-LABEL: tt.func private @count
// PLACED: ttg.local_store
// PLACED-NEXT: ttg.barrier {hazard = "read after write, shared memory [0, 400)"}
// PLACED-NEXT: ttg.local_count
// PLACED-NEXT: ttg.barrier {hazard = "read after write, shared memory [0, 400)"}
// PLACED-NEXT: ttg.local_load
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @count(%x: tensor<512xi32, #b>) -> tensor<100xi32, #c> {
  %h = tt.histogram %x : tensor<512xi32, #b> -> tensor<100xi32, #c>
  tt.return %h : tensor<100xi32, #c>
}
}

// -----

// In a loop the next zeros wait for who still reads: three barriers a round.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// PLACED-LABEL: tt.func private @rounds
// PLACED: scf.for
// PLACED: ttg.barrier {hazard = "write after read
// PLACED-NEXT: ttg.local_store
// PLACED-NEXT: ttg.barrier {hazard = "read after write
// PLACED-NEXT: ttg.local_count
// PLACED-NEXT: ttg.barrier {hazard = "read after write
// PLACED-NEXT: ttg.local_load
// PLACED-NOT: ttg.barrier
// PLACED: tt.return
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @rounds(%x: tensor<128xi32, #b>, %p: tensor<64x!tt.ptr<i32>, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %all = tt.splat %i : i32 -> tensor<128xi32, #b>
    %y = arith.muli %x, %all : tensor<128xi32, #b>
    %h = tt.histogram %y : tensor<128xi32, #b> -> tensor<64xi32, #b>
    tt.store %p, %h : tensor<64x!tt.ptr<i32>, #b>
  }
  tt.return
}
}

// -----

// What has been counted is overwritten behind a barrier, also where nobody has read it.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// PLACED-LABEL: tt.func private @overwritten
// PLACED: ttg.local_count
// PLACED-NEXT: ttg.barrier {hazard = "write after write
// PLACED-NEXT: ttg.local_store
// PLACED-NEXT: ttg.barrier
// PLACED-NEXT: ttg.local_load
// PLACED-LABEL: tt.func private @read_before
// PLACED: ttg.local_load
// PLACED-NEXT: ttg.barrier {hazard = "write after read
// PLACED-NEXT: ttg.local_count
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @overwritten(%x: tensor<128xi32, #b>, %y: tensor<128xi32, #b>) -> tensor<128xi32, #b> {
  %m = ttg.local_alloc : !ttg.memdesc<128xi32, #s, mutable>
  ttg.local_count %x, %m : tensor<128xi32, #b>, !ttg.memdesc<128xi32, #s, mutable>
  ttg.local_store %y, %m : tensor<128xi32, #b>, !ttg.memdesc<128xi32, #s, mutable>
  ttg.barrier
  %h = ttg.local_load %m : !ttg.memdesc<128xi32, #s, mutable> -> tensor<128xi32, #b>
  tt.return %h : tensor<128xi32, #b>
}
tt.func private @read_before(%x: tensor<128xi32, #b>) -> tensor<128xi32, #b> {
  %m = ttg.local_alloc : !ttg.memdesc<128xi32, #s, mutable>
  %h = ttg.local_load %m : !ttg.memdesc<128xi32, #s, mutable> -> tensor<128xi32, #b>
  ttg.local_count %x, %m : tensor<128xi32, #b>, !ttg.memdesc<128xi32, #s, mutable>
  tt.return %h : tensor<128xi32, #b>
}
}
