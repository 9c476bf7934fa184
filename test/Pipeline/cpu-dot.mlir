// RUN: tritium-opt %s --tile-to-cpu=cpu=haswell | FileCheck %s

// What a product in a loop reads is computed before the loop; sums that start from zero
// are not filled in.
// CHECK-LABEL: func.func @scores_entry
// CHECK: scf.for
// CHECK: arith.mulf
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i32
// CHECK-NOT: arith.mulf
// CHECK-NOT: llvm.store %cst
// CHECK: call @dot_8x8x8_f32_8_8_8_zero
// CHECK-NOT: arith.mulf
// CHECK: func.func private @dot_8x8x8_f32_8_8_8_zero
tt.func @scores(%q: !tt.ptr<f32>, %k: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32, %scale: f32) {
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %cols = tt.expand_dims %i {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %eight = arith.constant dense<8> : tensor<8x1xi32>
  %rows8 = arith.muli %rows, %eight : tensor<8x1xi32>
  %r = tt.broadcast %rows8 : tensor<8x1xi32> -> tensor<8x8xi32>
  %c = tt.broadcast %cols : tensor<1x8xi32> -> tensor<8x8xi32>
  %offsets = arith.addi %r, %c : tensor<8x8xi32>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>>
  %qp = tt.addptr %qs, %offsets : tensor<8x8x!tt.ptr<f32>>, tensor<8x8xi32>
  %qv = tt.load %qp : tensor<8x8x!tt.ptr<f32>>
  %factor = tt.splat %scale : f32 -> tensor<8x8xf32>
  %scaled = arith.mulf %qv, %factor : tensor<8x8xf32>
  scf.for %at = %c0 to %n step %c8 : i32 {
    %moved = tt.splat %at : i32 -> tensor<8x8xi32>
    %here = arith.addi %offsets, %moved : tensor<8x8xi32>
    %ks = tt.splat %k : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>>
    %kp = tt.addptr %ks, %here : tensor<8x8x!tt.ptr<f32>>, tensor<8x8xi32>
    %kv = tt.load %kp : tensor<8x8x!tt.ptr<f32>>
    %s = tt.dot %scaled, %kv, %zero : tensor<8x8xf32> * tensor<8x8xf32> -> tensor<8x8xf32>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>>
    %op = tt.addptr %os, %here : tensor<8x8x!tt.ptr<f32>>, tensor<8x8xi32>
    tt.store %op, %s : tensor<8x8x!tt.ptr<f32>>
  }
  tt.return
}
