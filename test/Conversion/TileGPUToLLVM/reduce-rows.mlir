// RUN: tritium-opt %s -split-input-file -convert-ttg-to-llvm | FileCheck %s

// Four rows that a warp shares: lanes that differ in a bit take two rows each, then one, and only
// that goes through the other three bits. All lanes fetch each row from one that has it: the lane
// that has it is the one with the bits that chose it.
#b = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
#s = #ttg.slice<{dim = 1, parent = #b}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 1 : i32} {
// CHECK-LABEL: llvm.func @rows
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[BIT:.*]] = llvm.and %{{.*}}, %[[ONE]]
// CHECK: %[[IS_UPPER:.*]] = llvm.icmp "ne" %[[BIT]]
// CHECK: %[[KEPT:.*]] = llvm.select %[[IS_UPPER]], %[[C:.*]], %[[A:.*]] : i1, f32
// CHECK: %[[GIVEN:.*]] = llvm.select %[[IS_UPPER]], %[[A]], %[[C]] : i1, f32
// CHECK: %[[OTHER:.*]] = nvvm.shfl.sync  bfly %{{.*}}, %[[GIVEN]]
// CHECK: llvm.fadd %[[KEPT]], %[[OTHER]]
// CHECK-COUNT-5: nvvm.shfl.sync  bfly
// CHECK-NOT: bfly
// CHECK: %[[L0:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: nvvm.shfl.sync  idx %{{.*}}, %[[SUM:.*]], %[[L0]], %{{.*}} : f32 -> f32
// CHECK: %[[L2:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: nvvm.shfl.sync  idx %{{.*}}, %[[SUM]], %[[L2]], %{{.*}} : f32 -> f32
// CHECK: %[[L1:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: nvvm.shfl.sync  idx %{{.*}}, %[[SUM]], %[[L1]], %{{.*}} : f32 -> f32
// CHECK: %[[L3:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: nvvm.shfl.sync  idx %{{.*}}, %[[SUM]], %[[L3]], %{{.*}} : f32 -> f32
// CHECK-NOT: nvvm.shfl
tt.func @rows(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %pp = tt.splat %in : !tt.ptr<f32> -> tensor<4x32x!tt.ptr<f32>, #b>
  %x = tt.load %pp : tensor<4x32x!tt.ptr<f32>, #b>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>, #s>
  %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<4x32xf32, #b>) -> tensor<4xf32, #s>
  tt.store %p, %s : tensor<4x!tt.ptr<f32>, #s>
  tt.return
}
}

// -----

// Two rows in lanes of four, as tensor cores leave them: fetching them would cost what is saved.
#b = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#s = #ttg.slice<{dim = 1, parent = #b}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 1 : i32} {
// CHECK-LABEL: llvm.func @few
// CHECK-COUNT-4: nvvm.shfl.sync  bfly
// CHECK-NOT: nvvm.shfl
tt.func @few(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %pp = tt.splat %in : !tt.ptr<f32> -> tensor<16x4x!tt.ptr<f32>, #b>
  %x = tt.load %pp : tensor<16x4x!tt.ptr<f32>, #b>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #s>
  %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<16x4xf32, #b>) -> tensor<16xf32, #s>
  tt.store %p, %s : tensor<16x!tt.ptr<f32>, #s>
  tt.return
}
}
