// RUN: tritium-opt %s | tritium-opt | FileCheck %s

// Every layout and operation prints as it is read.
// CHECK-DAG: #[[$B:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$M:.*]] = #ttg.mma<{version = 2, warpsPerCTA = [2, 2]}>
// CHECK-DAG: #[[$S:.*]] = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// CHECK-DAG: #[[$T:.*]] = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
// CHECK-DAG: #[[$L:.*]] = #ttg.linear<{register = [1, 2], lane = [4, 8, 16, 32, 64], warp = [0, 0], shape = [128]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [2, 2]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#row = #ttg.slice<{dim = 1, parent = #blocked}>
#shared = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#transposed = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#linear = #ttg.linear<{register = [1, 2], lane = [4, 8, 16, 32, 64], warp = [0, 0], shape = [128]}>
#lines = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#plain = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>

// CHECK: module attributes {"ttg.num-warps" = 4 : i32}
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: @layouts
// CHECK: ttg.convert_layout %{{.*}} : tensor<64x64xf16, #[[$B]]> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$M]], kWidth = 2}>>
// CHECK: tensor<64xi32, #ttg.slice<{dim = 1, parent = #[[$B]]}>>
// CHECK: tensor<128xi32, #[[$L]]>
tt.func private @layouts(%x: tensor<64x64xf16, #blocked>) -> (tensor<64x64xf16, #a>, tensor<64xi32, #row>, tensor<128xi32, #linear>) {
  %y = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
  %l = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #linear>
  tt.return %y, %r, %l : tensor<64x64xf16, #a>, tensor<64xi32, #row>, tensor<128xi32, #linear>
}

// CHECK-LABEL: @shared
// CHECK: %[[RING:.*]] = ttg.local_alloc : <3x64x64xf16, #[[$S]], mutable>
// CHECK: %[[BUFFER:.*]] = ttg.memdesc_index %[[RING]][%{{.*}}] : <3x64x64xf16, #[[$S]], mutable> -> <64x64xf16, #[[$S]], mutable>
// CHECK: ttg.async_copy_global_to_local %{{.*}}, %[[BUFFER]] mask %{{.*}} : tensor<64x64xi1, #[[$B]]>
// CHECK: ttg.async_commit_group
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK: %[[X:.*]] = ttg.local_load %[[BUFFER]] : <64x64xf16, #[[$S]], mutable> -> tensor<64x64xf16, #[[$B]]>
// CHECK: ttg.local_store %[[X]], %[[BUFFER]]
// CHECK: %[[NEXT:.*]] = ttg.memdesc_index %[[RING]][%{{.*}}] {ahead = 1 : i32} : <3x64x64xf16, #[[$S]], mutable> -> <64x64xf16, #[[$S]], mutable>
// CHECK: %[[T:.*]] = ttg.memdesc_trans %[[NEXT]] {order = array<i32: 1, 0>} : <64x64xf16, #[[$S]], mutable> -> <64x64xf16, #[[$T]], mutable>
// CHECK: ttg.local_load %[[T]] {offsets = array<i64: 0, 32>} : <64x64xf16, #[[$T]], mutable> -> tensor<64x32xf16, #[[$B]]>
tt.func private @shared(%p: tensor<64x64x!tt.ptr<f16>, #blocked>, %m: tensor<64x64xi1, #blocked>, %i: i32) {
  %ring = ttg.local_alloc : !ttg.memdesc<3x64x64xf16, #shared, mutable>
  %buffer = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x64x64xf16, #shared, mutable> -> !ttg.memdesc<64x64xf16, #shared, mutable>
  ttg.async_copy_global_to_local %p, %buffer mask %m : tensor<64x64xi1, #blocked> : tensor<64x64x!tt.ptr<f16>, #blocked> -> !ttg.memdesc<64x64xf16, #shared, mutable>
  ttg.async_commit_group
  ttg.async_wait {num = 1 : i32}
  %x = ttg.local_load %buffer : !ttg.memdesc<64x64xf16, #shared, mutable> -> tensor<64x64xf16, #blocked>
  ttg.local_store %x, %buffer : tensor<64x64xf16, #blocked>, !ttg.memdesc<64x64xf16, #shared, mutable>
  %next = ttg.memdesc_index %ring[%i] {ahead = 1 : i32} : !ttg.memdesc<3x64x64xf16, #shared, mutable> -> !ttg.memdesc<64x64xf16, #shared, mutable>
  %t = ttg.memdesc_trans %next {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, mutable> -> !ttg.memdesc<64x64xf16, #transposed, mutable>
  %part = ttg.local_load %t {offsets = array<i64: 0, 32>} : !ttg.memdesc<64x64xf16, #transposed, mutable> -> tensor<64x32xf16, #blocked>
  tt.return
}

// CHECK-LABEL: @counted
// CHECK: ttg.local_count %{{.*}}, %{{.*}} : tensor<100xi32, #{{.*}}>, <10xi32, #{{.*}}, mutable>
tt.func private @counted(%x: tensor<100xi32, #lines>) {
  %m = ttg.local_alloc : !ttg.memdesc<10xi32, #plain, mutable>
  ttg.local_count %x, %m : tensor<100xi32, #lines>, !ttg.memdesc<10xi32, #plain, mutable>
  tt.return
}

// A kernel that loops over the programs of the grid.
// CHECK-LABEL: @programs
// CHECK: %[[FIRST:.*]] = ttg.cta_id : i32
// CHECK: %[[STEP:.*]] = ttg.num_ctas : i32
// CHECK: ttg.program_id %[[FIRST]] along 1 : i32
tt.func private @programs() {
  %first = ttg.cta_id : i32
  %step = ttg.num_ctas : i32
  %y = ttg.program_id %first along 1 : i32
  tt.return
}

// The schedule of a loop.
// CHECK-LABEL: @scheduled
// CHECK: tt.load {{.*}} {ttg.async_copy = #[[$S]], ttg.schedule = #ttg.schedule<stage = 0, order = 1>}
// CHECK: } {ttg.stages = 2 : i32}
tt.func private @scheduled(%p: tensor<64x64x!tt.ptr<f16>, #blocked>, %n: i32) {
  scf.for %i = %n to %n step %n : i32 {
    %x = tt.load %p {ttg.async_copy = #shared, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<64x64x!tt.ptr<f16>, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}
}
