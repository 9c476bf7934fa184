// RUN: tritium-opt %s -tritium-ttir -tritium-ttgir=num-warps=4 -convert-ttg-to-llvm | FileCheck %s

// In the loop: operands of the first step of k right behind the barrier, those of the second
// among the products of the first, and the copies for a later iteration after products have
// begun, before the last of them.
// CHECK-LABEL: llvm.func @matmul(
// CHECK: nvvm.cp.async.wait.group
// CHECK-NEXT: nvvm.barrier0
// CHECK-NOT: cp.async.cg
// CHECK: nvvm.ldmatrix
// CHECK-NOT: cp.async.cg
// CHECK: mma.sync
// CHECK: nvvm.ldmatrix
// CHECK: mma.sync
// CHECK: cp.async.cg
// CHECK: nvvm.cp.async.commit.group
// CHECK: mma.sync
// CHECK: nvvm.cp.async.wait.group 0
tt.func @matmul(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pc: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant dense<32> : tensor<64x32xi32>
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %cols = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %r1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<1024> : tensor<64x1xi32>
  %r2 = arith.muli %r1, %stride : tensor<64x1xi32>
  %r3 = tt.broadcast %r2 : tensor<64x1xi32> -> tensor<64x32xi32>
  %k1 = tt.expand_dims %cols {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %k2 = tt.broadcast %k1 : tensor<1x32xi32> -> tensor<64x32xi32>
  %o = arith.addi %r3, %k2 : tensor<64x32xi32>
  %base = tt.splat %pa : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p0 = tt.addptr %base, %o : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %acc0 = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0, %acc = %acc0) -> (tensor<64x32x!tt.ptr<f16>>, tensor<64x64xf32>) : i32 {
    %a = tt.load %p : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %q = tt.addptr %p, %c32 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    scf.yield %q, %d : tensor<64x32x!tt.ptr<f16>>, tensor<64x64xf32>
  }
  %x = tt.splat %pc : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %x, %r#1 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
