// RUN: tritium-opt %s -tt-fuse-multiply-adds -split-input-file | FileCheck %s

// CHECK-LABEL: @sums
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>, %[[C:.*]]: tensor<8xf32>)
tt.func private @sums(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NOT: arith.mulf
  %p = arith.mulf %a, %b : tensor<8xf32>
  // CHECK: %[[SUM:.*]] = math.fma %[[A]], %[[B]], %[[C]]
  %x = arith.addf %c, %p : tensor<8xf32>
  // CHECK: %[[MINUS:.*]] = arith.negf %[[C]]
  // CHECK: %[[LESS:.*]] = math.fma %[[A]], %[[B]], %[[MINUS]]
  %y = arith.subf %p, %c : tensor<8xf32>
  // CHECK: %[[MINUS:.*]] = arith.negf %[[A]]
  // CHECK: %[[FROM:.*]] = math.fma %[[MINUS]], %[[B]], %[[C]]
  %z = arith.subf %c, %p : tensor<8xf32>
  // CHECK: return %[[SUM]], %[[LESS]], %[[FROM]]
  tt.return %x, %y, %z : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// A product that others read is rounded for sums, too.
// CHECK-LABEL: @others
// CHECK-SAME: (%[[A:.*]]: f64, %[[B:.*]]: f64)
tt.func private @others(%a: f64, %b: f64) -> (f64, f64, f64) {
  // CHECK: %[[READ:.*]] = arith.mulf %[[B]], %[[B]]
  %p = arith.mulf %a, %a : f64
  %q = arith.mulf %b, %b : f64
  // CHECK: %[[SUM:.*]] = math.fma %[[A]], %[[A]], %[[READ]]
  %s = arith.addf %p, %q : f64
  // CHECK: %[[APART:.*]] = arith.subf %[[READ]], %[[A]]
  %d = arith.subf %q, %a : f64
  // CHECK: return %[[SUM]], %[[APART]], %[[READ]]
  tt.return %s, %d, %q : f64, f64, f64
}

// -----

// Of two products the second is fused.
// CHECK-LABEL: @second
// CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32)
tt.func private @second(%a: f32, %b: f32) -> f32 {
  // CHECK: %[[FIRST:.*]] = arith.mulf %[[A]], %[[A]]
  %p = arith.mulf %a, %a : f32
  %q = arith.mulf %b, %b : f32
  // CHECK: math.fma %[[B]], %[[B]], %[[FIRST]]
  %s = arith.addf %p, %q : f32
  tt.return %s : f32
}

// -----

// A product less itself is zero, and half precision rounds each by itself.
// CHECK-LABEL: @apart
// CHECK-NOT: math.fma
tt.func private @apart(%a: f32, %h: tensor<8xf16>) -> (f32, f32, tensor<8xf16>) {
  %p = arith.mulf %a, %a : f32
  %z = arith.subf %p, %p : f32
  %d = arith.addf %p, %p : f32
  %q = arith.mulf %h, %h : tensor<8xf16>
  %s = arith.addf %q, %h : tensor<8xf16>
  tt.return %z, %d, %s : f32, f32, tensor<8xf16>
}

// -----

// Wherever the product stands.
// CHECK-LABEL: @loop
// CHECK-SAME: (%[[A:.*]]: f32
// CHECK-NOT: arith.mulf
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[A]])
// CHECK: math.fma %[[A]], %[[A]], %[[ACC]]
tt.func private @loop(%a: f32, %n: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %p = arith.mulf %a, %a : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %a) -> f32 : i32 {
    %s = arith.addf %acc, %p : f32
    scf.yield %s : f32
  }
  tt.return %r : f32
}

// -----

// Scans of recurrences combine so.
// CHECK-LABEL: @scan
// CHECK: "tt.scan"
// CHECK: %[[FACTOR:.*]] = arith.mulf
// CHECK: math.fma
tt.func private @scan(%a: tensor<8xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %r:2 = "tt.scan"(%a, %x) <{axis = 0 : i32}> ({
  ^bb0(%a0: f32, %x0: f32, %a1: f32, %x1: f32):
    %f = arith.mulf %a0, %a1 : f32
    %m = arith.mulf %x0, %a1 : f32
    %s = arith.addf %m, %x1 : f32
    tt.scan.return %f, %s : f32, f32
  }) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  tt.return %r#1 : tensor<8xf32>
}
