// RUN: tritium-opt %s -ttg-reorder-instructions | FileCheck %s

// Rows that a load and a store share are computed twice in front of this pass; those of the
// store alone go behind the loop, with all that only they need.
// CHECK-LABEL: @behind
tt.func @behind(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: %[[RANGE:.*]] = tt.make_range
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %base = tt.splat %in : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %ptr = tt.addptr %base, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %target = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %place = tt.addptr %target, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %bound = tt.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %range, %bound : tensor<64xi32>
  // A value, not an address: it stays.
  // CHECK: arith.constant dense<0.000000e+00>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  // CHECK-NEXT: scf.for
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64xf32>) : i32 {
    %x = tt.load %ptr : tensor<64x!tt.ptr<f32>>
    %next = arith.addf %acc, %x : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  // CHECK: }
  // CHECK-NEXT: %[[BOUND:.*]] = tt.splat %{{.*}} : i32
  // CHECK-NEXT: %[[MASK:.*]] = arith.cmpi slt, %[[RANGE]], %[[BOUND]]
  // CHECK-NEXT: %[[TARGET:.*]] = tt.splat %{{.*}} : !tt.ptr<f32>
  // CHECK-NEXT: %[[PLACE:.*]] = tt.addptr %[[TARGET]], %[[RANGE]]
  // CHECK-NEXT: tt.store %[[PLACE]], %{{.*}}, %[[MASK]]
  tt.store %place, %sum, %mask : tensor<64x!tt.ptr<f32>>
  tt.return
}

// What the loop, or a branch in it, uses stays in front of it.
// CHECK-LABEL: @inside
tt.func @inside(%out: !tt.ptr<f32>, %n: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<64xf32>
  // CHECK: tt.make_range
  // CHECK: tt.addptr
  // CHECK: scf.for
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %target = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %place = tt.addptr %target, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.if %c {
      tt.store %place, %one : tensor<64x!tt.ptr<f32>>
    }
  }
  tt.store %place, %one : tensor<64x!tt.ptr<f32>>
  tt.return
}
