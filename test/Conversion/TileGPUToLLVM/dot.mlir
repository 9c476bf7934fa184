// RUN: tritium-opt %s -tritium-ttir -tritium-ttgir=num-warps=1 -convert-ttg-to-llvm | FileCheck %s

// 16x16x16 by one warp: both operands through swizzled shared memory and one barrier, a as it
// lies, b transposed by ldmatrix, two instructions, accumulators in registers.
// CHECK-LABEL: llvm.func @dot
// CHECK: nvvm.barrier0
// CHECK-NOT: nvvm.barrier0
// CHECK: nvvm.ldmatrix %{{.*}} {layout = #nvvm.mma_layout<row>, num = 4 : i32}
// CHECK: nvvm.ldmatrix %{{.*}} {layout = #nvvm.mma_layout<col>, num = 4 : i32}
// CHECK-COUNT-2: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT: mma.sync
// CHECK: llvm.store {{.*}} vector<4xi32>
tt.func @dot(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pc: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %s = arith.constant dense<16> : tensor<16x1xi32>
  %r2 = arith.muli %r1, %s : tensor<16x1xi32>
  %r3 = tt.broadcast %r2 : tensor<16x1xi32> -> tensor<16x16xi32>
  %c1 = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %c2 = tt.broadcast %c1 : tensor<1x16xi32> -> tensor<16x16xi32>
  %o = arith.addi %r3, %c2 : tensor<16x16xi32>
  %sa = tt.splat %pa : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %sb = tt.splat %pb : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %sc = tt.splat %pc : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %xa = tt.addptr %sa, %o : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
  %xb = tt.addptr %sb, %o : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
  %xc = tt.addptr %sc, %o : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %a = tt.load %xa : tensor<16x16x!tt.ptr<f16>>
  %b = tt.load %xb : tensor<16x16x!tt.ptr<f16>>
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %b, %z : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  tt.store %xc, %d : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
