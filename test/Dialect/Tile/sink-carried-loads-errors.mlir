// RUN: tritium-opt %s -tt-sink-carried-loads -canonicalize -cse | FileCheck %s

// Loads that must stay ahead of the iteration that uses them, beside one that need not.

// Nothing speaks against this one.
// CHECK-LABEL: @plain(
// CHECK-NOT: tt.load
// CHECK: scf.for
// CHECK: tt.load
// CHECK: arith.addf
// CHECK: tt.return
tt.func private @plain(%p0: tensor<4x!tt.ptr<f32>>, %q: tensor<4x!tt.ptr<f32>>, %n: i32, %step: i64) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %o0 = arith.constant 0 : i64
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %a0 = tt.load %p0 : tensor<4x!tt.ptr<f32>>
  %r:3 = scf.for %i = %c0 to %n step %c4 iter_args(%acc = %z, %a = %a0, %o = %o0)
      -> (tensor<4xf32>, tensor<4xf32>, i64) : i32 {
    %sum = arith.addf %acc, %a : tensor<4xf32>
    %o1 = arith.addi %o, %step : i64
    %s = tt.splat %o1 : i64 -> tensor<4xi64>
    %p1 = tt.addptr %p0, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi64>
    %left = arith.subi %n, %i : i32
    %more = arith.cmpi sgt, %left, %c4 : i32
    %m = tt.splat %more : i1 -> tensor<4xi1>
    %a1 = tt.load %p1, %m, %z : tensor<4x!tt.ptr<f32>>
    scf.yield %sum, %a1, %o1 : tensor<4xf32>, tensor<4xf32>, i64
  }
  tt.return %r#0 : tensor<4xf32>
}

// A store between the first load and the loop might change what it reads.
// CHECK-LABEL: @stored_before(
// CHECK: tt.load
// CHECK: scf.for
// CHECK-NOT: tt.load
// CHECK: arith.addf
// CHECK: tt.load
// CHECK: tt.return
tt.func private @stored_before(%p0: tensor<4x!tt.ptr<f32>>, %q: tensor<4x!tt.ptr<f32>>, %n: i32, %step: i64) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %o0 = arith.constant 0 : i64
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %a0 = tt.load %p0 : tensor<4x!tt.ptr<f32>>
  tt.store %q, %z : tensor<4x!tt.ptr<f32>>
  %r:3 = scf.for %i = %c0 to %n step %c4 iter_args(%acc = %z, %a = %a0, %o = %o0)
      -> (tensor<4xf32>, tensor<4xf32>, i64) : i32 {
    %sum = arith.addf %acc, %a : tensor<4xf32>
    %o1 = arith.addi %o, %step : i64
    %s = tt.splat %o1 : i64 -> tensor<4xi64>
    %p1 = tt.addptr %p0, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi64>
    %left = arith.subi %n, %i : i32
    %more = arith.cmpi sgt, %left, %c4 : i32
    %m = tt.splat %more : i1 -> tensor<4xi1>
    %a1 = tt.load %p1, %m, %z : tensor<4x!tt.ptr<f32>>
    scf.yield %sum, %a1, %o1 : tensor<4xf32>, tensor<4xf32>, i64
  }
  tt.return %r#0 : tensor<4xf32>
}

// So might one between the load and the next iteration.
// CHECK-LABEL: @stored_behind(
// CHECK: tt.load
// CHECK: scf.for
// CHECK-NOT: tt.load
// CHECK: arith.addf
// CHECK: tt.load
// CHECK: tt.return
tt.func private @stored_behind(%p0: tensor<4x!tt.ptr<f32>>, %q: tensor<4x!tt.ptr<f32>>, %n: i32, %step: i64) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %o0 = arith.constant 0 : i64
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %a0 = tt.load %p0 : tensor<4x!tt.ptr<f32>>
  %r:3 = scf.for %i = %c0 to %n step %c4 iter_args(%acc = %z, %a = %a0, %o = %o0)
      -> (tensor<4xf32>, tensor<4xf32>, i64) : i32 {
    %sum = arith.addf %acc, %a : tensor<4xf32>
    %o1 = arith.addi %o, %step : i64
    %s = tt.splat %o1 : i64 -> tensor<4xi64>
    %p1 = tt.addptr %p0, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi64>
    %left = arith.subi %n, %i : i32
    %more = arith.cmpi sgt, %left, %c4 : i32
    %m = tt.splat %more : i1 -> tensor<4xi1>
    %a1 = tt.load %p1, %m, %z : tensor<4x!tt.ptr<f32>>
    tt.store %q, %sum : tensor<4x!tt.ptr<f32>>
    scf.yield %sum, %a1, %o1 : tensor<4xf32>, tensor<4xf32>, i64
  }
  tt.return %r#0 : tensor<4xf32>
}

// Other programs may have written by then.
// CHECK-LABEL: @synchronised(
// CHECK: tt.load
// CHECK: scf.for
// CHECK-NOT: tt.load
// CHECK: arith.addf
// CHECK: tt.load
// CHECK: tt.return
tt.func private @synchronised(%p0: tensor<4x!tt.ptr<f32>>, %q: tensor<4x!tt.ptr<f32>>, %n: i32, %step: i64, %flag: !tt.ptr<i32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %o0 = arith.constant 0 : i64
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %a0 = tt.load %p0 : tensor<4x!tt.ptr<f32>>
  %r:3 = scf.for %i = %c0 to %n step %c4 iter_args(%acc = %z, %a = %a0, %o = %o0)
      -> (tensor<4xf32>, tensor<4xf32>, i64) : i32 {
    %sum = arith.addf %acc, %a : tensor<4xf32>
    %o1 = arith.addi %o, %step : i64
    %s = tt.splat %o1 : i64 -> tensor<4xi64>
    %p1 = tt.addptr %p0, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi64>
    %left = arith.subi %n, %i : i32
    %more = arith.cmpi sgt, %left, %c4 : i32
    %m = tt.splat %more : i1 -> tensor<4xi1>
    %a1 = tt.load %p1, %m, %z : tensor<4x!tt.ptr<f32>>
    %true = arith.constant true
    %one = arith.constant 1 : i32
    %old = tt.atomic_rmw add, acq_rel, gpu, %flag, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32
    scf.yield %sum, %a1, %o1 : tensor<4xf32>, tensor<4xf32>, i64
  }
  tt.return %r#0 : tensor<4xf32>
}

// What is volatile is read when it is written there.
// CHECK-LABEL: @volatile(
// CHECK: tt.load
// CHECK: scf.for
// CHECK-NOT: tt.load
// CHECK: arith.addf
// CHECK: tt.load
// CHECK: tt.return
tt.func private @volatile(%p0: tensor<4x!tt.ptr<f32>>, %q: tensor<4x!tt.ptr<f32>>, %n: i32, %step: i64) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %o0 = arith.constant 0 : i64
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %a0 = tt.load %p0 {isVolatile = true} : tensor<4x!tt.ptr<f32>>
  %r:3 = scf.for %i = %c0 to %n step %c4 iter_args(%acc = %z, %a = %a0, %o = %o0)
      -> (tensor<4xf32>, tensor<4xf32>, i64) : i32 {
    %sum = arith.addf %acc, %a : tensor<4xf32>
    %o1 = arith.addi %o, %step : i64
    %s = tt.splat %o1 : i64 -> tensor<4xi64>
    %p1 = tt.addptr %p0, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi64>
    %left = arith.subi %n, %i : i32
    %more = arith.cmpi sgt, %left, %c4 : i32
    %m = tt.splat %more : i1 -> tensor<4xi1>
    %a1 = tt.load %p1, %m, %z {isVolatile = true} : tensor<4x!tt.ptr<f32>>
    scf.yield %sum, %a1, %o1 : tensor<4xf32>, tensor<4xf32>, i64
  }
  tt.return %r#0 : tensor<4xf32>
}

// The first tile is used elsewhere, too.
// CHECK-LABEL: @used_twice(
// CHECK: tt.load
// CHECK: scf.for
// CHECK-NOT: tt.load
// CHECK: arith.addf
// CHECK: tt.load
// CHECK: tt.return
tt.func private @used_twice(%p0: tensor<4x!tt.ptr<f32>>, %q: tensor<4x!tt.ptr<f32>>, %n: i32, %step: i64) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %o0 = arith.constant 0 : i64
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %a0 = tt.load %p0 : tensor<4x!tt.ptr<f32>>
  %r:3 = scf.for %i = %c0 to %n step %c4 iter_args(%acc = %z, %a = %a0, %o = %o0)
      -> (tensor<4xf32>, tensor<4xf32>, i64) : i32 {
    %sum = arith.addf %acc, %a : tensor<4xf32>
    %o1 = arith.addi %o, %step : i64
    %s = tt.splat %o1 : i64 -> tensor<4xi64>
    %p1 = tt.addptr %p0, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi64>
    %left = arith.subi %n, %i : i32
    %more = arith.cmpi sgt, %left, %c4 : i32
    %m = tt.splat %more : i1 -> tensor<4xi1>
    %a1 = tt.load %p1, %m, %z : tensor<4x!tt.ptr<f32>>
    scf.yield %sum, %a1, %o1 : tensor<4xf32>, tensor<4xf32>, i64
  }
  tt.store %q, %a0 : tensor<4x!tt.ptr<f32>>
  tt.return %r#0 : tensor<4xf32>
}

// The first load is of another array.
// CHECK-LABEL: @other_base(
// CHECK: tt.load
// CHECK: scf.for
// CHECK-NOT: tt.load
// CHECK: arith.addf
// CHECK: tt.load
// CHECK: tt.return
tt.func private @other_base(%p0: tensor<4x!tt.ptr<f32>>, %q: tensor<4x!tt.ptr<f32>>, %n: i32, %step: i64) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %o0 = arith.constant 0 : i64
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %a0 = tt.load %q : tensor<4x!tt.ptr<f32>>
  %r:3 = scf.for %i = %c0 to %n step %c4 iter_args(%acc = %z, %a = %a0, %o = %o0)
      -> (tensor<4xf32>, tensor<4xf32>, i64) : i32 {
    %sum = arith.addf %acc, %a : tensor<4xf32>
    %o1 = arith.addi %o, %step : i64
    %s = tt.splat %o1 : i64 -> tensor<4xi64>
    %p1 = tt.addptr %p0, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi64>
    %left = arith.subi %n, %i : i32
    %more = arith.cmpi sgt, %left, %c4 : i32
    %m = tt.splat %more : i1 -> tensor<4xi1>
    %a1 = tt.load %p1, %m, %z : tensor<4x!tt.ptr<f32>>
    scf.yield %sum, %a1, %o1 : tensor<4xf32>, tensor<4xf32>, i64
  }
  tt.return %r#0 : tensor<4xf32>
}

// The first load has a mask that the others have not.
// CHECK-LABEL: @masked(
// CHECK: tt.load
// CHECK: scf.for
// CHECK-NOT: tt.load
// CHECK: arith.addf
// CHECK: tt.load
// CHECK: tt.return
tt.func private @masked(%p0: tensor<4x!tt.ptr<f32>>, %q: tensor<4x!tt.ptr<f32>>, %n: i32, %step: i64, %all: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %o0 = arith.constant 0 : i64
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %m0 = tt.splat %all : i1 -> tensor<4xi1>
  %a0 = tt.load %p0, %m0, %z : tensor<4x!tt.ptr<f32>>
  %r:3 = scf.for %i = %c0 to %n step %c4 iter_args(%acc = %z, %a = %a0, %o = %o0)
      -> (tensor<4xf32>, tensor<4xf32>, i64) : i32 {
    %sum = arith.addf %acc, %a : tensor<4xf32>
    %o1 = arith.addi %o, %step : i64
    %s = tt.splat %o1 : i64 -> tensor<4xi64>
    %p1 = tt.addptr %p0, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi64>
    %left = arith.subi %n, %i : i32
    %more = arith.cmpi sgt, %left, %c4 : i32
    %m = tt.splat %more : i1 -> tensor<4xi1>
    %a1 = tt.load %p1 : tensor<4x!tt.ptr<f32>>
    scf.yield %sum, %a1, %o1 : tensor<4xf32>, tensor<4xf32>, i64
  }
  tt.return %r#0 : tensor<4xf32>
}

// What a masked element is differs between them.
// CHECK-LABEL: @other_value(
// CHECK: tt.load
// CHECK: scf.for
// CHECK-NOT: tt.load
// CHECK: arith.addf
// CHECK: tt.load
// CHECK: tt.return
tt.func private @other_value(%p0: tensor<4x!tt.ptr<f32>>, %q: tensor<4x!tt.ptr<f32>>, %n: i32, %step: i64, %all: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %o0 = arith.constant 0 : i64
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %m0 = tt.splat %all : i1 -> tensor<4xi1>
  %w = arith.constant dense<1.0> : tensor<4xf32>
  %a0 = tt.load %p0, %m0, %w : tensor<4x!tt.ptr<f32>>
  %r:3 = scf.for %i = %c0 to %n step %c4 iter_args(%acc = %z, %a = %a0, %o = %o0)
      -> (tensor<4xf32>, tensor<4xf32>, i64) : i32 {
    %sum = arith.addf %acc, %a : tensor<4xf32>
    %o1 = arith.addi %o, %step : i64
    %s = tt.splat %o1 : i64 -> tensor<4xi64>
    %p1 = tt.addptr %p0, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi64>
    %left = arith.subi %n, %i : i32
    %more = arith.cmpi sgt, %left, %c4 : i32
    %m = tt.splat %more : i1 -> tensor<4xi1>
    %a1 = tt.load %p1, %m, %z : tensor<4x!tt.ptr<f32>>
    scf.yield %sum, %a1, %o1 : tensor<4xf32>, tensor<4xf32>, i64
  }
  tt.return %r#0 : tensor<4xf32>
}
