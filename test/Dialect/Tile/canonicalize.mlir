// Folds and canonical forms of the dialect's operations.
// RUN: tritium-opt %s -canonicalize | FileCheck %s

// A constant scalar makes a constant tile, through every shape operation.
// CHECK-LABEL: @uniform_constant
// CHECK: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<3x4xf32>
// CHECK-NEXT: tt.store %{{.*}}, %[[C]]
tt.func private @uniform_constant(%p: tensor<3x4x!tt.ptr<f32>>) {
  %c = arith.constant 2.0 : f32
  %s = tt.splat %c : f32 -> tensor<4xf32>
  %e = tt.expand_dims %s {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  %b = tt.broadcast %e : tensor<4x1xf32> -> tensor<4x3xf32>
  %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<4x3xf32> -> tensor<3x4xf32>
  tt.store %p, %t : tensor<3x4x!tt.ptr<f32>>
  tt.return
}

// So does a uniform tile.
// CHECK-LABEL: @uniform_splat
// CHECK-SAME: %[[X:.*]]: f32
// CHECK-NEXT: %[[S:.*]] = tt.splat %[[X]] : f32 -> tensor<12xf32>
// CHECK-NEXT: tt.return %[[S]]
tt.func private @uniform_splat(%x: f32) -> tensor<12xf32> {
  %s = tt.splat %x : f32 -> tensor<4xf32>
  %e = tt.expand_dims %s {axis = 0 : i32} : tensor<4xf32> -> tensor<1x4xf32>
  %b = tt.broadcast %e : tensor<1x4xf32> -> tensor<3x4xf32>
  %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<3x4xf32> -> tensor<4x3xf32>
  %r = tt.reshape %t : tensor<4x3xf32> -> tensor<12xf32>
  tt.return %r : tensor<12xf32>
}

// CHECK-LABEL: @nested_shapes
// CHECK-SAME: %[[X:.*]]: tensor<1x1x4xf32>, %[[Y:.*]]: tensor<2x3x4xf32>
// CHECK-NEXT: %[[B:.*]] = tt.broadcast %[[X]] : tensor<1x1x4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[T:.*]] = tt.trans %[[Y]] {order = array<i32: 1, 2, 0>} : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
// CHECK-NEXT: tt.return %[[B]], %[[T]], %[[Y]]
tt.func private @nested_shapes(%x: tensor<1x1x4xf32>, %y: tensor<2x3x4xf32>)
    -> (tensor<2x3x4xf32>, tensor<3x4x2xf32>, tensor<2x3x4xf32>) {
  %b = tt.broadcast %x : tensor<1x1x4xf32> -> tensor<2x1x4xf32>
  %c = tt.broadcast %b : tensor<2x1x4xf32> -> tensor<2x3x4xf32>
  %t = tt.trans %y {order = array<i32: 2, 0, 1>} : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %u = tt.trans %t {order = array<i32: 2, 0, 1>} : tensor<4x2x3xf32> -> tensor<3x4x2xf32>
  %r = tt.reshape %y : tensor<2x3x4xf32> -> tensor<24xf32>
  %s = tt.reshape %r : tensor<24xf32> -> tensor<2x3x4xf32>
  tt.return %c, %u, %s : tensor<2x3x4xf32>, tensor<3x4x2xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: @masks
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[X:.*]]: f32
// CHECK-NEXT: %[[V:.*]] = tt.load %[[P]] : !tt.ptr<f32>
// CHECK-NEXT: tt.store %[[P]], %[[V]] : !tt.ptr<f32>
// CHECK-NEXT: tt.store %[[P]], %[[X]] : !tt.ptr<f32>
// CHECK-NEXT: tt.return
tt.func @masks(%p: !tt.ptr<f32>, %x: f32) {
  %yes = arith.constant true
  %no = arith.constant false
  %v = tt.load %p, %yes, %x : !tt.ptr<f32>
  tt.store %p, %v, %yes : !tt.ptr<f32>
  %w = tt.load %p, %no, %x : !tt.ptr<f32>
  tt.store %p, %w : !tt.ptr<f32>
  tt.store %p, %v, %no : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: @identities
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: tt.return %[[P]], %[[X]], %[[X]]
tt.func private @identities(%p: !tt.ptr<f32>, %x: tensor<4xf32>)
    -> (!tt.ptr<f32>, tensor<4xf32>, tensor<4xf32>) {
  %z = arith.constant 0 : i32
  %q = tt.addptr %p, %z : !tt.ptr<f32>, i32
  %b = tt.broadcast %x : tensor<4xf32> -> tensor<4xf32>
  %c = tt.bitcast %x : tensor<4xf32> -> tensor<4xf32>
  tt.return %q, %b, %c : !tt.ptr<f32>, tensor<4xf32>, tensor<4xf32>
}

// A range of one element is a constant.
// CHECK-LABEL: @range_of_one
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<-3> : tensor<1xi32>
// CHECK-NEXT: tt.return %[[C]]
tt.func private @range_of_one() -> tensor<1xi32> {
  %r = tt.make_range {start = -3 : i32, end = -2 : i32} : tensor<1xi32>
  tt.return %r : tensor<1xi32>
}

// An identity that carries a hint stays.
// CHECK-LABEL: @hint
// CHECK: tt.bitcast %{{.*}} {tt.divisibility = array<i32: 8>} : i32 -> i32
tt.func private @hint(%x: i32) -> i32 {
  %y = tt.bitcast %x {tt.divisibility = array<i32: 8>} : i32 -> i32
  tt.return %y : i32
}

// A gather of equal elements is those, as many as there are indices.
// CHECK-LABEL: @gather_of_equal
// CHECK-SAME: (%{{.*}}: tensor<8xi32>, %[[X:.*]]: f32)
// CHECK-DAG: %[[S:.*]] = tt.splat %[[X]] : f32 -> tensor<8xf32>
// CHECK-DAG: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<8xf32>
// CHECK: tt.return %[[C]], %[[S]]
tt.func private @gather_of_equal(%i: tensor<8xi32>, %x: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = arith.constant dense<2.0> : tensor<16xf32>
  %s = tt.splat %x : f32 -> tensor<16xf32>
  %a = tt.gather %c[%i] along 0 : tensor<16xf32>[tensor<8xi32>] -> tensor<8xf32>
  %b = tt.gather %s[%i] along 0 : tensor<16xf32>[tensor<8xi32>] -> tensor<8xf32>
  tt.return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// A function of elements without branches is operations on tiles. What is the same for all elements
// stays one value, and a hint of a scalar goes.
// CHECK-LABEL: @map_without_branches
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<4x8xi32>)
// CHECK-DAG: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<4x8xf32>
// CHECK-DAG: %[[ID:.*]] = tt.get_program_id 1 : i32
// CHECK-DAG: %[[IDS:.*]] = tt.splat %[[ID]] : i32 -> tensor<4x8xi32>
// CHECK: %[[S:.*]] = arith.addi %[[Y]], %[[IDS]] : tensor<4x8xi32>
// CHECK: %[[Q:.*]] = arith.divf %[[X]], %[[C]] {tt.exact} : tensor<4x8xf32>
// CHECK: %[[L:.*]] = arith.cmpf olt, %[[Q]], %[[X]] : tensor<4x8xf32>
// CHECK: %[[R:.*]] = arith.select %[[L]], %[[Q]], %[[X]] : tensor<4x8xi1>, tensor<4x8xf32>
// CHECK: tt.return %[[R]], %[[S]], %[[Y]]
tt.func private @map_without_branches(%x: tensor<4x8xf32>, %y: tensor<4x8xi32>)
    -> (tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x8xi32>) {
  %r:3 = "tt.map_elementwise"(%x, %y) <{pack = 1 : i32}> ({
  ^bb0(%a: f32, %b: i32):
    %two = arith.constant 2.0 : f32
    %id = tt.get_program_id 1 : i32
    %s = arith.addi %b, %id {tt.divisibility = 8 : i32} : i32
    %q = arith.divf %a, %two {tt.exact} : f32
    %l = arith.cmpf olt, %q, %a : f32
    %m = arith.select %l, %q, %a : f32
    tt.map_elementwise.return %m, %s, %b : f32, i32, i32
  }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x8xi32>)
  tt.return %r#0, %r#1, %r#2 : tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x8xi32>
}

// With several elements a call, or with a loop, it stays.
// CHECK-LABEL: @map_stays
// CHECK: "tt.map_elementwise"({{.*}}) <{pack = 2 : i32}>
// CHECK: "tt.map_elementwise"({{.*}}) <{pack = 1 : i32}>
tt.func private @map_stays(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %p = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %a : i32
    tt.map_elementwise.return %c, %b : i32, i32
  }) : (tensor<4xi32>) -> tensor<4xi32>
  %l = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    %one = arith.constant 1 : i32
    %r = scf.for %i = %one to %a step %one iter_args(%s = %one) -> (i32) : i32 {
      %t = arith.muli %s, %i : i32
      scf.yield %t : i32
    }
    tt.map_elementwise.return %r : i32
  }) : (tensor<4xi32>) -> tensor<4xi32>
  tt.return %p, %l : tensor<4xi32>, tensor<4xi32>
}

// What is pure goes with its last use, and stands once; what is not stays.
// CHECK-LABEL: @assembly
// CHECK-NEXT: tt.inline_asm "mov.b32 $0, 1;", "=r" : () -> i32
// CHECK-NEXT: tt.return
tt.func private @assembly() {
  %a = tt.inline_asm "mov.b32 $0, 1;", "=r" : () -> i32
  %b = tt.inline_asm "mov.b32 $0, 1;", "=r" pure : () -> i32
  tt.return
}
