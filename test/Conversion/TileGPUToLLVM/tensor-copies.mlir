// RUN: tritium-opt %s -split-input-file -tritium-ttgir-threads -convert-ttg-to-llvm | FileCheck %s

// Copies take the tensor from a parameter behind the kernel's own, of 128 bytes; a load and a store
// of the same tensor take the same one. Coordinates begin with the last dimension.
#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
// CHECK: llvm.mlir.global external @tritium_shared() {addr_space = 3 : i32, alignment = 1024 : i64}
// CHECK: llvm.func @one_map(%arg0: !llvm.ptr<1>, %arg1: i64, %arg2: i64, %arg3: i32, %arg4: i32, %[[MAP:arg5]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})
// CHECK: "@$0 prefetch.tensormap [$1];", "b,l" %{{.*}}, %[[MAP]]
// CHECK-NOT: prefetch.tensormap
tt.func @one_map(%p: !tt.ptr<f16>, %m: i64, %n: i64, %i: i32, %j: i32) {
  %one = arith.constant 1 : i64
  %bar = ttg.local_alloc : !ttg.memdesc<1xi64, #one, mutable>
  %x = ttg.local_alloc {alignment = 1024 : i32} : !ttg.memdesc<64x64xf16, #s, mutable>
  // CHECK: "@$0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$2], [$1, {$3, $4}], [$5];", "b,l,r,r,r,r" %{{.*}}, %[[MAP]], %{{.*}}, %[[J:.*]], %[[I:.*]], %{{.*}} :
  ttng.tma_load %p[%i, %j] shape [%m, %n] strides [%n, %one], %x, %bar : !tt.ptr<f16>, !ttg.memdesc<64x64xf16, #s, mutable>, !ttg.memdesc<1xi64, #one, mutable>
  // CHECK: "@$0 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [$1, {$3, $4}], [$2];", "b,l,r,r,r" %{{.*}}, %[[MAP]], %{{.*}}, %[[J]], %[[I]] :
  ttng.tma_store %x, %p[%i, %j] shape [%m, %n] strides [%n, %one] : !ttg.memdesc<64x64xf16, #s, mutable>, !tt.ptr<f16>
  // CHECK: "cp.async.bulk.commit_group;"
  ttng.tma_store_commit
  // CHECK: "cp.async.bulk.wait_group 1;"
  ttng.tma_store_wait {pendings = 1 : i32}
  // CHECK: "cp.async.bulk.wait_group.read 0;"
  ttng.tma_store_wait {pendings = 0 : i32, reads}
  // It has waited for all that is committed, and nothing else has started.
  // CHECK-NOT: cp.async.bulk
  // CHECK: llvm.return
  tt.return
}
}

// -----

// Panels of 64 columns, one behind the other, 4096 bytes each: a box each.
#p = #ttg.shared_linear<{offsets = [72, 144, 288, 512, 1024, 1, 2, 4, 8, 16, 32], shape = [32, 64]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: llvm.func @panels
// CHECK-NOT: cp.async.bulk.wait_group 0
tt.func @panels(%p: !tt.ptr<f16>, %m: i64, %i: i32, %j: i32) {
  %one = arith.constant 1 : i64
  %x = ttg.local_alloc {alignment = 1024 : i32} : !ttg.memdesc<32x256xf16, #p, mutable>
  // CHECK: %[[AT:.*]] = llvm.ptrtoint
  // CHECK: %[[AT1:.*]] = llvm.add %[[AT]], %{{.*}}
  // CHECK: cp.async.bulk.tensor.2d.global{{.*}} %{{.*}}, %{{.*}}, %[[AT1]], %[[J:[a-z0-9]+]], %[[I:[a-z0-9]+]] :
  // CHECK: %[[B2:.*]] = llvm.mlir.constant(4096 : i32)
  // CHECK: %[[AT2:.*]] = llvm.add %[[AT]], %[[B2]]
  // CHECK: %[[C2:.*]] = llvm.mlir.constant(64 : i32)
  // CHECK: %[[J2:.*]] = llvm.add %[[J]], %[[C2]]
  // CHECK: cp.async.bulk.tensor.2d.global{{.*}} %{{.*}}, %{{.*}}, %[[AT2]], %[[J2]], %[[I]] :
  // CHECK-COUNT-2: cp.async.bulk.tensor.2d.global
  // CHECK-NOT: cp.async.bulk.tensor
  ttng.tma_store %x, %p[%i, %j] shape [%m, %m] strides [%m, %one] : !ttg.memdesc<32x256xf16, #p, mutable>, !tt.ptr<f16>
  ttng.tma_store_commit
  // CHECK: wait_group 0
  ttng.tma_store_wait {pendings = 0 : i32}
  // It has waited.
  // CHECK-NOT: wait_group
  // CHECK: llvm.return
  tt.return
}
}

// -----

// One to five dimensions, and an allocation for each alignment.
#r1 = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#r3 = #ttg.shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [2, 1, 0]}>
#r5 = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [4, 3, 2, 1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: llvm.func @ranks
tt.func @ranks(%p: !tt.ptr<f32>, %m: i64, %i: i32) {
  %one = arith.constant 1 : i64
  %x1 = ttg.local_alloc {alignment = 128 : i32} : !ttg.memdesc<200xf32, #r1, mutable>
  %x3 = ttg.local_alloc {alignment = 512 : i32} : !ttg.memdesc<4x8x16xf32, #r3, mutable>
  %x5 = ttg.local_alloc {alignment = 128 : i32} : !ttg.memdesc<2x3x2x5x4xf32, #r5, mutable>
  // CHECK: cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [$1, {$3}], [$2];
  ttng.tma_store %x1, %p[%i] shape [%m] strides [%one] : !ttg.memdesc<200xf32, #r1, mutable>, !tt.ptr<f32>
  // CHECK: cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [$1, {$3, $4, $5}], [$2];
  ttng.tma_store %x3, %p[%i, %i, %i] shape [%m, %m, %m] strides [%m, %m, %one] : !ttg.memdesc<4x8x16xf32, #r3, mutable>, !tt.ptr<f32>
  // CHECK: cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [$1, {$3, $4, $5, $6, $7}], [$2];
  ttng.tma_store %x5, %p[%i, %i, %i, %i, %i] shape [%m, %m, %m, %m, %m] strides [%m, %m, %m, %m, %one] : !ttg.memdesc<2x3x2x5x4xf32, #r5, mutable>, !tt.ptr<f32>
  tt.return
}
}

// -----

// A wait is for groups that are closed.
#r1 = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: llvm.func @not_closed
tt.func @not_closed(%p: !tt.ptr<f32>, %m: i64, %i: i32) {
  %one = arith.constant 1 : i64
  %x = ttg.local_alloc {alignment = 128 : i32} : !ttg.memdesc<64xf32, #r1, mutable>
  // CHECK: cp.async.bulk.tensor
  // CHECK: wait_group 0
  // CHECK: commit_group
  // CHECK: wait_group.read 0
  ttng.tma_store %x, %p[%i] shape [%m] strides [%one] : !ttg.memdesc<64xf32, #r1, mutable>, !tt.ptr<f32>
  ttng.tma_store_wait {pendings = 0 : i32}
  tt.return
}
}

// -----

// What is committed the program waits for at its end, without a commit of nothing.
#r1 = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: llvm.func @committed
tt.func @committed(%p: !tt.ptr<f32>, %m: i64, %i: i32) {
  %one = arith.constant 1 : i64
  %x = ttg.local_alloc {alignment = 128 : i32} : !ttg.memdesc<64xf32, #r1, mutable>
  // CHECK: cp.async.bulk.tensor
  // CHECK: commit_group
  // CHECK-NOT: commit_group
  // CHECK: wait_group.read 0
  ttng.tma_store %x, %p[%i] shape [%m] strides [%one] : !ttg.memdesc<64xf32, #r1, mutable>, !tt.ptr<f32>
  ttng.tma_store_commit
  ttng.tma_store_wait {pendings = 1 : i32}
  tt.return
}
}

// -----

// Nor does it wait for what a group of warps has waited for where it ends.
#r1 = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: llvm.func @in_group
tt.func @in_group(%p: !tt.ptr<f32>, %m: i64, %i: i32) {
  %one = arith.constant 1 : i64
  %x = ttg.local_alloc {alignment = 128 : i32} : !ttg.memdesc<64xf32, #r1, mutable>
  // CHECK: cp.async.bulk.tensor
  // CHECK: commit_group
  // CHECK: wait_group.read 0
  // CHECK-NOT: cp.async.bulk
  // CHECK: llvm.return
  ttg.warp_groups "compute" warps 4 {
    ttng.tma_store %x, %p[%i] shape [%m] strides [%one] : !ttg.memdesc<64xf32, #r1, mutable>, !tt.ptr<f32>
    ttng.tma_store_commit
    ttng.tma_store_wait {pendings = 0 : i32, reads}
  } "other" warps 1 {
  }
  tt.return
}
}
