// The passes from the front end to ttir, on the loop of a matrix product: the call is
// inlined, pointers are scalars in the loop, the product accumulates.
// RUN: tritium-opt %s --tritium-ttir | FileCheck %s

// CHECK-NOT: private
// CHECK-LABEL: tt.func @matmul
// CHECK: scf.for {{.*}} -> (tensor<16x16xf32>, i64)
// CHECK: tt.load
// CHECK: tt.dot %[[A:.*]], %[[A]], %[[ACC:.*]] :
// CHECK-NOT: arith.addf
// CHECK: arith.addi {{.*}} : i64
// CHECK: tt.store
tt.func @matmul(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32, %stride: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tt.call @offsets(%stride) : (i32) -> tensor<16x16xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %p0 = tt.addptr %ps, %x : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z, %q = %p0)
      -> (tensor<16x16xf32>, tensor<16x16x!tt.ptr<f32>>) : i32 {
    %a = tt.load %q : tensor<16x16x!tt.ptr<f32>>
    %d = tt.dot %a, %a, %z : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    %s = arith.addf %acc, %d : tensor<16x16xf32>
    %step = arith.constant 16 : i32
    %m = arith.muli %stride, %step : i32
    %ms = tt.splat %m : i32 -> tensor<16x16xi32>
    %t = tt.addptr %q, %ms : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
    scf.yield %s, %t : tensor<16x16xf32>, tensor<16x16x!tt.ptr<f32>>
  }
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %op = tt.addptr %os, %x : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  tt.store %op, %r#0 : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

tt.func private @offsets(%stride: i32) -> tensor<16x16xi32> {
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %cols = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %s = tt.splat %stride : i32 -> tensor<16x1xi32>
  %rs = arith.muli %rows, %s : tensor<16x1xi32>
  %a = tt.broadcast %rs : tensor<16x1xi32> -> tensor<16x16xi32>
  %b = tt.broadcast %cols : tensor<1x16xi32> -> tensor<16x16xi32>
  %x = arith.addi %a, %b : tensor<16x16xi32>
  tt.return %x : tensor<16x16xi32>
}
