// RUN: tritium-opt %s -tt-unroll-loops -canonicalize | FileCheck %s

// CHECK-LABEL: @short
// CHECK-NOT: scf.for
// CHECK-COUNT-3: tt.store
// CHECK-NOT: tt.store
tt.func @short(%p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c5 = arith.constant 5 : i32
  scf.for %i = %c0 to %c5 step %c2 : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
    tt.store %q, %i : !tt.ptr<i32>
  }
  tt.return
}

// What is carried goes from one iteration to the next; a loop of none leaves what it began with.
// CHECK-LABEL: @carried
// CHECK-SAME: %[[X:.*]]: i32
// CHECK: %[[A:.*]] = arith.muli %[[X]], %[[X]]
// CHECK: %[[B:.*]] = arith.muli %[[A]], %[[A]]
// CHECK: tt.return %[[B]], %[[X]]
tt.func private @carried(%x: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%s = %x) -> i32 : i32 {
    %t = arith.muli %s, %s : i32
    scf.yield %t : i32
  }
  %n = scf.for %i = %c2 to %c0 step %c1 iter_args(%s = %x) -> i32 : i32 {
    %t = arith.muli %s, %s : i32
    scf.yield %t : i32
  }
  tt.return %r, %n : i32, i32
}

// Loops of unknown length, long ones, and those that asked for stages stay.
// CHECK-LABEL: @stay
// CHECK-COUNT-3: scf.for
tt.func @stay(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c17 = arith.constant 17 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  scf.for %i = %c0 to %c17 step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.num_stages = 3 : i32}
  tt.return
}
