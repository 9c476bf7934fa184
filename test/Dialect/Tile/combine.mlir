// RUN: tritium-opt %s -tt-combine | FileCheck %s

// A product that is added accumulates.
// CHECK-LABEL: @accumulate
// CHECK-SAME: %[[A:.*]]: tensor<4x8xf16>, %[[B:.*]]: tensor<8x4xf16>, %[[X:.*]]: tensor<4x4xf32>
// CHECK: %[[D:.*]] = tt.dot %[[A]], %[[B]], %[[X]]
// CHECK: tt.return %[[D]]
tt.func private @accumulate(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %z = arith.constant dense<0.0> : tensor<4x4xf32>
  %d = tt.dot %a, %b, %z : tensor<4x8xf16> * tensor<8x4xf16> -> tensor<4x4xf32>
  %s = arith.addf %x, %d : tensor<4x4xf32>
  tt.return %s : tensor<4x4xf32>
}

// Not if the product is used elsewhere, or starts at something else.
// CHECK-LABEL: @keep_dot
// CHECK: arith.addf
// CHECK: arith.addf
tt.func private @keep_dot(%a: tensor<4x4xf32>, %x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %z = arith.constant dense<0.0> : tensor<4x4xf32>
  %d = tt.dot %a, %a, %z : tensor<4x4xf32> * tensor<4x4xf32> -> tensor<4x4xf32>
  %s = arith.addf %x, %d : tensor<4x4xf32>
  %e = tt.dot %a, %a, %x : tensor<4x4xf32> * tensor<4x4xf32> -> tensor<4x4xf32>
  %t = arith.addf %x, %e : tensor<4x4xf32>
  tt.return %s, %d, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: @select_into_load
// CHECK-SAME: %[[P:.*]]: tensor<4x!tt.ptr<f32>>, %[[M:.*]]: tensor<4xi1>, %[[X:.*]]: tensor<4xf32>
// CHECK: %[[V:.*]] = tt.load %[[P]], %[[M]], %[[X]]
// CHECK-NEXT: tt.return %[[V]]
tt.func private @select_into_load(%p: tensor<4x!tt.ptr<f32>>, %m: tensor<4xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %v = tt.load %p, %m : tensor<4x!tt.ptr<f32>>
  %s = arith.select %m, %v, %x : tensor<4xi1>, tensor<4xf32>
  tt.return %s : tensor<4xf32>
}

// The other value is computed after the load, which must not move: stays.
// CHECK-LABEL: @select_after_load
// CHECK: tt.load
// CHECK: arith.select
tt.func private @select_after_load(%p: tensor<4x!tt.ptr<f32>>, %m: tensor<4xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %v = tt.load %p, %m : tensor<4x!tt.ptr<f32>>
  %y = arith.addf %x, %x : tensor<4xf32>
  %s = arith.select %m, %v, %y : tensor<4xi1>, tensor<4xf32>
  tt.return %s : tensor<4xf32>
}

// Arithmetic on uniform tiles is scalar.
// CHECK-LABEL: @uniform
// CHECK-SAME: %[[X:.*]]: f32, %[[P:.*]]: !tt.ptr<f32>, %[[I:.*]]: i32
// CHECK-DAG: %[[C:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-DAG: %[[M:.*]] = arith.mulf %[[X]], %[[C]] : f32
// CHECK-DAG: %[[MS:.*]] = tt.splat %[[M]] : f32 -> tensor<4xf32>
// CHECK-DAG: %[[Q:.*]] = tt.addptr %[[P]], %[[I]] : !tt.ptr<f32>, i32
// CHECK-DAG: %[[QS:.*]] = tt.splat %[[Q]] : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
// CHECK: tt.return %[[MS]], %[[QS]]
tt.func private @uniform(%x: f32, %p: !tt.ptr<f32>, %i: i32) -> (tensor<4xf32>, tensor<4x!tt.ptr<f32>>) {
  %xs = tt.splat %x : f32 -> tensor<4xf32>
  %c = arith.constant dense<2.0> : tensor<4xf32>
  %m = arith.mulf %xs, %c : tensor<4xf32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %is = tt.splat %i : i32 -> tensor<4xi32>
  %q = tt.addptr %ps, %is : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  tt.return %m, %q : tensor<4xf32>, tensor<4x!tt.ptr<f32>>
}

// A hint describes the tile, so the operation stays with it.
// CHECK-LABEL: @hint
// CHECK: arith.muli {{.*}} {tt.divisibility = array<i32: 8>} : tensor<4xi32>
tt.func private @hint(%i: i32) -> tensor<4xi32> {
  %is = tt.splat %i : i32 -> tensor<4xi32>
  %m = arith.muli %is, %is {tt.divisibility = array<i32: 8>} : tensor<4xi32>
  tt.return %m : tensor<4xi32>
}
