// RUN: tritium-opt %s -tt-descriptors-to-pointers -split-input-file -verify-diagnostics | FileCheck %s

// Descriptors that come from where the pass does not look, and masks that must stay, beside their
// nearest neighbours that go.

tt.func private @parameter(%d: !tt.tensordesc<4xf32>, %i: i64) -> tensor<4xf32> {
  // expected-error @+1 {{uses a tensor descriptor that no tt.make_tensor_descriptor of this function makes; calls must have been inlined}}
  %v = tt.descriptor_load %d[%i] : !tt.tensordesc<4xf32>
  tt.return %v : tensor<4xf32>
}

// -----

tt.func private @make() -> !tt.tensordesc<4xf32>
tt.func private @called(%i: i64, %n: i32) {
  %d = tt.call @make() : () -> !tt.tensordesc<4xf32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-error @+1 {{uses a tensor descriptor that no tt.make_tensor_descriptor of this function makes; calls must have been inlined}}
  %r = scf.for %k = %zero to %n step %one iter_args(%x = %d) -> !tt.tensordesc<4xf32> : i32 {
    scf.yield %x : !tt.tensordesc<4xf32>
  }
  tt.return
}

// -----

// The end of the block is that of the array, then one element beyond it.
// CHECK-LABEL: @ends
// CHECK: tt.load %{{[a-z0-9]*}} : tensor<8x!tt.ptr<i32>>
// CHECK: arith.cmpi slt
// CHECK: tt.load %{{[a-z0-9]*}}, %{{.*}} : tensor<8x!tt.ptr<i32>>
tt.func private @ends(%p: !tt.ptr<i32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %one = arith.constant 1 : i64
  %c24 = arith.constant 24 : i64
  %c16 = arith.constant 16 : i64
  %c17 = arith.constant 17 : i64
  %d = tt.make_tensor_descriptor %p, [%c24], [%one] : !tt.tensordesc<8xi32>
  %x = tt.descriptor_load %d[%c16] : !tt.tensordesc<8xi32>
  %y = tt.descriptor_load %d[%c17] : !tt.tensordesc<8xi32>
  tt.return %x, %y : tensor<8xi32>, tensor<8xi32>
}

// -----

// The start of the block is that of the array, then one element in front of it.
// CHECK-LABEL: @starts
// CHECK-NOT: arith.cmpi sge
// CHECK: tt.load
// CHECK: arith.cmpi sge
// CHECK: tt.load
tt.func private @starts(%p: !tt.ptr<i32>, %n: i64) -> (tensor<8xi32>, tensor<8xi32>) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %less = arith.constant -1 : i64
  %d = tt.make_tensor_descriptor %p, [%n], [%one] : !tt.tensordesc<8xi32>
  %x = tt.descriptor_load %d[%zero] : !tt.tensordesc<8xi32>
  %y = tt.descriptor_load %d[%less] : !tt.tensordesc<8xi32>
  tt.return %x, %y : tensor<8xi32>, tensor<8xi32>
}

// -----

// A block of an outer loop is not one scalar away from those of its other iterations: the index is
// added to the range.
// CHECK-LABEL: @outer
// CHECK: scf.for %[[I:[a-z0-9]*]] =
// CHECK: tt.splat %[[I]] : i64 -> tensor<4xi64>
// CHECK: tt.load
// CHECK: scf.for %[[K:[a-z0-9]*]] =
// CHECK-NOT: tensor<4xi64>
// CHECK: tt.splat %[[K]] : i64 -> tensor<4xi64>
// CHECK-NEXT: tt.addptr
// CHECK: tt.store
tt.func private @outer(%p: !tt.ptr<f32>, %n: i64) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %d = tt.make_tensor_descriptor %p, [%n], [%one] : !tt.tensordesc<4xf32>
  scf.for %i = %zero to %n step %one : i64 {
    %v = tt.descriptor_load %d[%i] : !tt.tensordesc<4xf32>
    scf.for %k = %zero to %n step %one : i64 {
      tt.descriptor_store %d[%k], %v : !tt.tensordesc<4xf32>
    }
  }
  tt.return
}
