// RUN: tritium-opt %s -tt-sink-carried-loads -canonicalize -cse | FileCheck %s

// The last load is masked off by a condition that says no more than that an iteration follows.
// CHECK-LABEL: @prefetched
// CHECK-SAME: %[[P0:.*]]: tensor<4x!tt.ptr<f32>>
// CHECK-NOT: tt.load
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[O:.*]] = %{{.*}}) -> (tensor<4xf32>, i64, i64)
// CHECK-NEXT: %[[S:.*]] = tt.splat %[[O]]
// CHECK-NEXT: %[[P:.*]] = tt.addptr %[[P0]], %[[S]]
// CHECK-NEXT: %[[V:.*]] = tt.load %[[P]] : tensor<4x!tt.ptr<f32>>
// CHECK-NEXT: arith.addf %[[ACC]], %[[V]]
// CHECK-NOT: tt.load
tt.func private @prefetched(%p0: tensor<4x!tt.ptr<f32>>, %n: i32, %step: i64) -> tensor<4xf32> {
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

// The step is a constant.
// CHECK-LABEL: @constant_step
// CHECK-NOT: tt.load
// CHECK: scf.for
// CHECK: tt.load
// CHECK: arith.addi %{{.*}}, %c32_i64 : i64
// CHECK-NOT: tt.load
tt.func private @constant_step(%p0: tensor<4x!tt.ptr<f32>>, %n: i32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %o0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %step = arith.constant dense<32> : tensor<4xi32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %a0 = tt.load %p0 : tensor<4x!tt.ptr<f32>>
  %r:3 = scf.for %i = %c0 to %n step %c4 iter_args(%acc = %z, %a = %a0, %o = %o0)
      -> (tensor<4xf32>, tensor<4xf32>, i64) : i32 {
    %sum = arith.addf %acc, %a : tensor<4xf32>
    %s = tt.splat %o : i64 -> tensor<4xi64>
    %p = tt.addptr %p0, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi64>
    %p1 = tt.addptr %p, %step : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    %a1 = tt.load %p1 : tensor<4x!tt.ptr<f32>>
    %o1 = arith.addi %o, %c32 : i64
    scf.yield %sum, %a1, %o1 : tensor<4xf32>, tensor<4xf32>, i64
  }
  tt.return %r#0 : tensor<4xf32>
}

// Any other condition is carried.
// CHECK-LABEL: @condition
// CHECK-NOT: tt.load
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK-NOT: tt.load
// CHECK: scf.for {{.*}} %[[M:[^ ]*]] = %[[TRUE]],
// CHECK: %[[MS:.*]] = tt.splat %[[M]] : i1 -> tensor<4xi1>
// CHECK: tt.load %{{.*}}, %[[MS]], %{{.*}}
// CHECK-NOT: tt.load
tt.func private @condition(%p0: tensor<4x!tt.ptr<f32>>, %n: i32, %step: i64, %last: i32)
    -> tensor<4xf32> {
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
    %more = arith.cmpi slt, %i, %last : i32
    %m = tt.splat %more : i1 -> tensor<4xi1>
    %a1 = tt.load %p1, %m, %z : tensor<4x!tt.ptr<f32>>
    scf.yield %sum, %a1, %o1 : tensor<4xf32>, tensor<4xf32>, i64
  }
  tt.return %r#0 : tensor<4xf32>
}

// The masks are one expression of a scalar: `r < n - i` of this iteration and the next.
// CHECK-LABEL: @bounds
// CHECK-SAME: %{{[^:]*}}: tensor<4x!tt.ptr<f32>>, %[[N:[^:]*]]: i32
// CHECK-NOT: tt.load
// CHECK: scf.for {{.*}} %[[LEFT:[^ ]*]] = %[[N]],
// CHECK: %[[LS:.*]] = tt.splat %[[LEFT]] : i32 -> tensor<4xi32>
// CHECK: %[[M:.*]] = arith.cmpi slt, %{{.*}}, %[[LS]] : tensor<4xi32>
// CHECK: tt.load %{{.*}}, %[[M]] : tensor<4x!tt.ptr<f32>>
// CHECK-NOT: tt.load
tt.func private @bounds(%p0: tensor<4x!tt.ptr<f32>>, %n: i32, %step: i64) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %o0 = arith.constant 0 : i64
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %range = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %n0 = tt.splat %n : i32 -> tensor<4xi32>
  %m0 = arith.cmpi slt, %range, %n0 : tensor<4xi32>
  %a0 = tt.load %p0, %m0 : tensor<4x!tt.ptr<f32>>
  %r:3 = scf.for %i = %c0 to %n step %c4 iter_args(%acc = %z, %a = %a0, %o = %o0)
      -> (tensor<4xf32>, tensor<4xf32>, i64) : i32 {
    %sum = arith.addf %acc, %a : tensor<4xf32>
    %o1 = arith.addi %o, %step : i64
    %s = tt.splat %o1 : i64 -> tensor<4xi64>
    %p1 = tt.addptr %p0, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi64>
    %next = arith.addi %i, %c4 : i32
    %left = arith.subi %n, %next : i32
    %lefts = tt.splat %left : i32 -> tensor<4xi32>
    %m = arith.cmpi slt, %range, %lefts : tensor<4xi32>
    %a1 = tt.load %p1, %m : tensor<4x!tt.ptr<f32>>
    scf.yield %sum, %a1, %o1 : tensor<4xf32>, tensor<4xf32>, i64
  }
  tt.return %r#0 : tensor<4xf32>
}

// A store between the load and its use might change what it reads; a store before it may not.
// CHECK-LABEL: @store_behind
// CHECK: tt.load
// CHECK: scf.for
// CHECK: tt.load
// CHECK: tt.store
// CHECK: scf.for
// CHECK: tt.load
// CHECK: tt.store
// CHECK-NOT: tt.load
tt.func private @store_behind(%p0: tensor<4x!tt.ptr<f32>>, %q: tensor<4x!tt.ptr<f32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %a0 = tt.load %p0 : tensor<4x!tt.ptr<f32>>
  %r = scf.for %i = %c0 to %n step %c4 iter_args(%a = %a0) -> (tensor<4xf32>) : i32 {
    %s = tt.splat %i : i32 -> tensor<4xi32>
    %p1 = tt.addptr %p0, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    %a1 = tt.load %p1 : tensor<4x!tt.ptr<f32>>
    tt.store %q, %a : tensor<4x!tt.ptr<f32>>
    scf.yield %a1 : tensor<4xf32>
  }
  %b0 = tt.load %p0 : tensor<4x!tt.ptr<f32>>
  %t = scf.for %i = %c0 to %n step %c4 iter_args(%a = %b0) -> (tensor<4xf32>) : i32 {
    tt.store %q, %a : tensor<4x!tt.ptr<f32>>
    %s = tt.splat %i : i32 -> tensor<4xi32>
    %p1 = tt.addptr %p0, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    %a1 = tt.load %p1 : tensor<4x!tt.ptr<f32>>
    scf.yield %a1 : tensor<4xf32>
  }
  tt.return
}

// What is left in the tile after the loop is used, so it stays.
// CHECK-LABEL: @used_after
// CHECK: tt.load
// CHECK: scf.for
// CHECK: tt.load
tt.func private @used_after(%p0: tensor<4x!tt.ptr<f32>>, %n: i32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %a0 = tt.load %p0 : tensor<4x!tt.ptr<f32>>
  %r = scf.for %i = %c0 to %n step %c4 iter_args(%a = %a0) -> (tensor<4xf32>) : i32 {
    %s = tt.splat %i : i32 -> tensor<4xi32>
    %p1 = tt.addptr %p0, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    %a1 = tt.load %p1 : tensor<4x!tt.ptr<f32>>
    scf.yield %a1 : tensor<4xf32>
  }
  tt.return %r : tensor<4xf32>
}
