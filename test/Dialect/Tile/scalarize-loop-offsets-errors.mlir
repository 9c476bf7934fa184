// RUN: tritium-opt %s -tt-scalarize-loop-offsets | FileCheck %s

// Tiles that a loop must carry as they are, beside one that it need not.

// Nothing speaks against %a, which a scalar moves; %b does not move.
// CHECK-LABEL: @plain(
// CHECK: scf.for {{.*}} -> (i32, tensor<4xi32>)
tt.func private @plain(%x: tensor<4xi32>, %y: tensor<4xi32>, %n: i32, %step: i32) -> (tensor<4xi32>, tensor<4xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = tt.splat %step : i32 -> tensor<4xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xi32>, tensor<4xi32>) : i32 {
    %m = arith.subi %a, %s : tensor<4xi32>
    scf.yield %m, %b : tensor<4xi32>, tensor<4xi32>
  }
  tt.return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}

// What is left of the step is no move: the sign of the tile changes.
// CHECK-LABEL: @mirrored(
// CHECK: scf.for {{.*}} -> (tensor<4xi32>, tensor<4xi32>)
tt.func private @mirrored(%x: tensor<4xi32>, %y: tensor<4xi32>, %n: i32, %step: i32) -> (tensor<4xi32>, tensor<4xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = tt.splat %step : i32 -> tensor<4xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xi32>, tensor<4xi32>) : i32 {
    %m = arith.subi %s, %a : tensor<4xi32>
    scf.yield %m, %b : tensor<4xi32>, tensor<4xi32>
  }
  tt.return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}

// A product is no move.
// CHECK-LABEL: @scaled(
// CHECK: scf.for {{.*}} -> (tensor<4xi32>, tensor<4xi32>)
tt.func private @scaled(%x: tensor<4xi32>, %y: tensor<4xi32>, %n: i32, %step: i32) -> (tensor<4xi32>, tensor<4xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = tt.splat %step : i32 -> tensor<4xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xi32>, tensor<4xi32>) : i32 {
    %m = arith.muli %a, %s : tensor<4xi32>
    scf.yield %m, %b : tensor<4xi32>, tensor<4xi32>
  }
  tt.return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}

// The next tile does not follow from this one.
// CHECK-LABEL: @replaced(
// CHECK: scf.for {{.*}} -> (tensor<4xi32>, tensor<4xi32>)
tt.func private @replaced(%x: tensor<4xi32>, %y: tensor<4xi32>, %n: i32, %step: i32) -> (tensor<4xi32>, tensor<4xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = tt.splat %step : i32 -> tensor<4xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xi32>, tensor<4xi32>) : i32 {
    %m = arith.addi %x, %s : tensor<4xi32>
    scf.yield %m, %b : tensor<4xi32>, tensor<4xi32>
  }
  tt.return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}

// Each becomes the other.
// CHECK-LABEL: @exchanged(
// CHECK: scf.for {{.*}} -> (tensor<4xi32>, tensor<4xi32>)
tt.func private @exchanged(%x: tensor<4xi32>, %y: tensor<4xi32>, %n: i32, %step: i32) -> (tensor<4xi32>, tensor<4xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = tt.splat %step : i32 -> tensor<4xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xi32>, tensor<4xi32>) : i32 {
    %m = arith.addi %a, %s : tensor<4xi32>
    scf.yield %b, %m : tensor<4xi32>, tensor<4xi32>
  }
  tt.return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}

// It moves by another tile.
// CHECK-LABEL: @sum(
// CHECK: scf.for {{.*}} -> (tensor<4xi32>, tensor<4xi32>)
tt.func private @sum(%x: tensor<4xi32>, %y: tensor<4xi32>, %n: i32, %step: i32) -> (tensor<4xi32>, tensor<4xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = tt.splat %step : i32 -> tensor<4xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xi32>, tensor<4xi32>) : i32 {
    %m = arith.addi %a, %y : tensor<4xi32>
    scf.yield %m, %b : tensor<4xi32>, tensor<4xi32>
  }
  tt.return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}

// It moves by itself.
// CHECK-LABEL: @itself(
// CHECK: scf.for {{.*}} -> (tensor<4xi32>, tensor<4xi32>)
tt.func private @itself(%x: tensor<4xi32>, %y: tensor<4xi32>, %n: i32, %step: i32) -> (tensor<4xi32>, tensor<4xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = tt.splat %step : i32 -> tensor<4xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xi32>, tensor<4xi32>) : i32 {
    %m = arith.addi %a, %a : tensor<4xi32>
    scf.yield %m, %b : tensor<4xi32>, tensor<4xi32>
  }
  tt.return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}
