// RUN: tritium-opt %s -tt-scalarize-loop-offsets | FileCheck %s

// The tile of pointers stays outside; the loop carries how far it has moved.
// CHECK-LABEL: @pointers
// CHECK-SAME: %[[P0:.*]]: tensor<4x!tt.ptr<f32>>, %[[STEP:.*]]: i32, %[[N:.*]]: i32
// CHECK: %[[WIDE:.*]] = arith.extsi %[[STEP]] : i32 to i64
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[O:.*]] = %[[ZERO]]) -> (tensor<4xf32>, i64)
// CHECK-NEXT: %[[OS:.*]] = tt.splat %[[O]] : i64 -> tensor<4xi64>
// CHECK-NEXT: %[[P:.*]] = tt.addptr %[[P0]], %[[OS]] : tensor<4x!tt.ptr<f32>>, tensor<4xi64>
// CHECK: tt.load %[[P]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[O]], %[[WIDE]] : i64
// CHECK: scf.yield %{{.*}}, %[[NEXT]] : tensor<4xf32>, i64
// CHECK: }
// CHECK: %[[RS:.*]] = tt.splat %[[R]]#1 : i64 -> tensor<4xi64>
// CHECK: %[[LAST:.*]] = tt.addptr %[[P0]], %[[RS]]
// CHECK: tt.return %[[R]]#0, %[[LAST]]
tt.func private @pointers(%p0: tensor<4x!tt.ptr<f32>>, %step: i32, %n: i32)
    -> (tensor<4xf32>, tensor<4x!tt.ptr<f32>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %s = tt.splat %step : i32 -> tensor<4xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z, %p = %p0)
      -> (tensor<4xf32>, tensor<4x!tt.ptr<f32>>) : i32 {
    %v = tt.load %p : tensor<4x!tt.ptr<f32>>
    %a = arith.addf %acc, %v : tensor<4xf32>
    %q = tt.addptr %p, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    scf.yield %a, %q : tensor<4xf32>, tensor<4x!tt.ptr<f32>>
  }
  tt.return %r#0, %r#1 : tensor<4xf32>, tensor<4x!tt.ptr<f32>>
}

// Integers wrap in their own width; several moves, subtraction, a step that is computed
// in the loop.
// CHECK-LABEL: @integers
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[O:.*]] = %{{.*}}) -> (i32)
// CHECK: %[[D:.*]] = arith.muli %[[I]], %[[I]] : i32
// CHECK: %[[A:.*]] = arith.constant 3 : i32
// CHECK: %[[X:.*]] = arith.subi %[[O]], %[[A]] : i32
// CHECK: %[[Y:.*]] = arith.addi %[[X]], %[[D]] : i32
// CHECK: scf.yield %[[Y]] : i32
tt.func private @integers(%x: tensor<4xi32>, %n: i32) -> tensor<4xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %three = arith.constant dense<3> : tensor<4xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<4xi32> : i32 {
    %d = arith.muli %i, %i : i32
    %ds = tt.splat %d : i32 -> tensor<4xi32>
    %u = arith.addi %ds, %t : tensor<4xi32>
    %v = arith.subi %u, %three : tensor<4xi32>
    scf.yield %v : tensor<4xi32>
  }
  tt.return %r : tensor<4xi32>
}

// The inner loop's result is a uniform move in the outer loop.
// CHECK-LABEL: @nested
// CHECK: scf.for {{.*}} -> (i64)
// CHECK: scf.for {{.*}} -> (i64)
// CHECK-NOT: scf.for
tt.func private @nested(%p0: tensor<4x!tt.ptr<f32>>, %n: i32, %s: i32) -> tensor<4x!tt.ptr<f32>> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ss = tt.splat %s : i32 -> tensor<4xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0) -> tensor<4x!tt.ptr<f32>> : i32 {
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%t = %p) -> tensor<4x!tt.ptr<f32>> : i32 {
      %v = tt.load %t : tensor<4x!tt.ptr<f32>>
      tt.store %t, %v : tensor<4x!tt.ptr<f32>>
      %u = tt.addptr %t, %ss : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
      scf.yield %u : tensor<4x!tt.ptr<f32>>
    }
    scf.yield %q : tensor<4x!tt.ptr<f32>>
  }
  tt.return %r : tensor<4x!tt.ptr<f32>>
}

// Elements that move by different amounts stay a tile, as does what a branch moves.
// CHECK-LABEL: @not_uniform
// CHECK: scf.for {{.*}} -> (tensor<4x!tt.ptr<f32>>, tensor<4x!tt.ptr<f32>>)
tt.func private @not_uniform(%p0: tensor<4x!tt.ptr<f32>>, %n: i32, %c: i1)
    -> (tensor<4x!tt.ptr<f32>>, tensor<4x!tt.ptr<f32>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %s = arith.constant dense<1> : tensor<4xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0, %q = %p0)
      -> (tensor<4x!tt.ptr<f32>>, tensor<4x!tt.ptr<f32>>) : i32 {
    %x = tt.addptr %p, %d : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    %y = scf.if %c -> tensor<4x!tt.ptr<f32>> {
      %m = tt.addptr %q, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
      scf.yield %m : tensor<4x!tt.ptr<f32>>
    } else {
      scf.yield %q : tensor<4x!tt.ptr<f32>>
    }
    scf.yield %x, %y : tensor<4x!tt.ptr<f32>>, tensor<4x!tt.ptr<f32>>
  }
  tt.return %r#0, %r#1 : tensor<4x!tt.ptr<f32>>, tensor<4x!tt.ptr<f32>>
}

// The amount is carried, too: it is that of the new loop.
// CHECK-LABEL: @carried_amount
// CHECK: scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}}, %[[STEP:.*]] = %{{.*}}) -> (i32, i32)
// CHECK: %[[DOUBLE:.*]] = arith.addi %[[STEP]], %[[STEP]] : i32
// CHECK: %[[NEXT:.*]] = arith.addi %[[O]], %[[STEP]] : i32
// CHECK: scf.yield %[[NEXT]], %[[DOUBLE]] : i32, i32
tt.func private @carried_amount(%x: tensor<4xi32>, %s: i32, %n: i32) -> tensor<4xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %step = %s) -> (tensor<4xi32>, i32) : i32 {
    %t = tt.splat %step : i32 -> tensor<4xi32>
    %b = arith.addi %a, %t : tensor<4xi32>
    %double = arith.addi %step, %step : i32
    scf.yield %b, %double : tensor<4xi32>, i32
  }
  tt.return %r#0 : tensor<4xi32>
}
