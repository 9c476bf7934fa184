// RUN: tritium-opt %s -tritium-ttgir=num-warps=4 -convert-ttg-to-llvm | FileCheck %s

// Offsets of 32 bits that nothing has widened: after 128 iterations this one has wrapped, and the
// loop writes the same tiles again.
// CHECK-LABEL: @wraps
// CHECK: nvvm.barrier0
// CHECK: llvm.return
tt.func @wraps(%y: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %far = arith.constant 33554432 : i32
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %b = arith.muli %i, %far : i32
    %bb = tt.splat %b : i32 -> tensor<128xi32>
    %yy = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %yb = tt.addptr %yy, %bb : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    %p = tt.addptr %yb, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    tt.store %p, %r : tensor<128x!tt.ptr<i32>>
  }
  tt.return
}

// It is marked not to wrap.
// CHECK-LABEL: @marked
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.return
tt.func @marked(%y: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %far = arith.constant 33554432 : i32
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %b = arith.muli %i, %far overflow<nsw> : i32
    %bb = tt.splat %b : i32 -> tensor<128xi32>
    %yy = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %yb = tt.addptr %yy, %bb : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    %p = tt.addptr %yb, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    tt.store %p, %r : tensor<128x!tt.ptr<i32>>
  }
  tt.return
}
