// RUN: tritium-opt %s -tt-canonicalize | FileCheck %s

// The loop has one iteration; the maximum is -inf where %x is NaN.
// CHECK-LABEL: @once
// CHECK: %[[ISNAN:.*]] = arith.cmpf uno, %arg0, %arg0
// CHECK: arith.select %[[ISNAN]], %{{.*}}, %arg0
tt.func private @once(%x: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %first = arith.constant 0xFF800000 : f32
  %top = scf.for %i = %c0 to %c1 step %c1 iter_args(%top = %first) -> (f32) : i32 {
    %next = arith.maxnumf %top, %x : f32
    scf.yield %next : f32
  }
  tt.return %top : f32
}

// No number is none, of tiles, too; an infinity that is greater than all is left to LLVM.
// CHECK-LABEL: @constants
// CHECK-DAG: %[[INF:.*]] = arith.constant dense<0x7F800000>
// CHECK: %[[MAX:.*]] = arith.maxnumf %arg0, %[[INF]]
// CHECK: tt.return %arg0, %[[MAX]]
tt.func private @constants(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %nan = arith.constant dense<0x7FC00000> : tensor<4xf32>
  %inf = arith.constant dense<0x7F800000> : tensor<4xf32>
  %a = arith.minnumf %nan, %x : tensor<4xf32>
  %b = arith.maxnumf %x, %inf : tensor<4xf32>
  tt.return %a, %b : tensor<4xf32>, tensor<4xf32>
}
