// RUN: tritium-opt %s -ttg-reorder-instructions | FileCheck %s

// What stays in front of a loop, though it is used behind it alone.

// A load might see what the loop stores; its address stays with it. The address of the store moves.
// CHECK-LABEL: @loads
// CHECK: tt.make_range
// CHECK-NEXT: tt.splat %arg0
// CHECK-NEXT: tt.addptr
// CHECK-NEXT: %[[X:.*]] = tt.load
// CHECK-NEXT: scf.for
// CHECK: }
// CHECK-NEXT: tt.splat %arg1
// CHECK-NEXT: %[[Q:.*]] = tt.addptr
// CHECK-NEXT: tt.store %[[Q]], %[[X]]
tt.func @loads(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : f32
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ins = tt.splat %in : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %ins, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %outs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %p : tensor<64x!tt.ptr<f32>>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %pi = tt.addptr %in, %i : !tt.ptr<f32>, i32
    tt.store %pi, %one : !tt.ptr<f32>
  }
  tt.store %q, %x : tensor<64x!tt.ptr<f32>>
  tt.return
}

// Values are no addresses, scalars take one register, and a quotient is not cheap.
// CHECK-LABEL: @values
// CHECK: arith.constant dense<2.0
// CHECK: arith.addi %arg1, %arg1 : i32
// CHECK: arith.divsi
// CHECK: scf.for
tt.func @values(%out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two = arith.constant dense<2.0> : tensor<64xf32>
  %m = arith.addi %n, %n : i32
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %o = arith.divsi %r, %ns : tensor<64xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %pi = tt.addptr %out, %i : !tt.ptr<f32>, i32
    %v = tt.load %pi : !tt.ptr<f32>
    tt.store %pi, %v : !tt.ptr<f32>
  }
  %base = tt.addptr %out, %m : !tt.ptr<f32>, i32
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %bases, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %two : tensor<64x!tt.ptr<f32>>
  tt.return
}

// What the second loop uses goes behind the first one only.
// CHECK-LABEL: @between
// CHECK: scf.for
// CHECK: }
// CHECK-NEXT: tt.splat
// CHECK-NEXT: scf.for
tt.func @between(%out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : f32
  %ones = arith.constant dense<1.0> : tensor<64xf32>
  %q = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  scf.for %i = %c0 to %n step %c1 : i32 {
    tt.store %out, %one : !tt.ptr<f32>
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    tt.store %q, %ones : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}
