// RUN: tritium-opt %s -tt-widen-offsets | FileCheck %s

// The offset is computed in i64, through shape operations; the mask stays in i32.
// CHECK-LABEL: @tile
// CHECK-SAME: %[[P:.*]]: tensor<4x8x!tt.ptr<f32>>, %[[S:.*]]: i32, %[[I:.*]]: i32, %[[N:.*]]: tensor<4x8xi32>
// CHECK-DAG: %[[S64:.*]] = arith.extsi %[[S]] : i32 to i64
// CHECK-DAG: %[[I64:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK-DAG: arith.muli %[[I]], %[[S]] : i32
// CHECK-DAG: %[[M64:.*]] = arith.muli %[[I64]], %[[S64]] : i64
// CHECK-DAG: tt.splat %[[M64]] : i64 -> tensor<8xi64>
// CHECK-DAG: arith.extsi %{{.*}} : tensor<8xi32> to tensor<8xi64>
// CHECK: arith.addi {{.*}} : tensor<8xi64>
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<4x8xi32>
// CHECK: tt.addptr %[[P]], %{{.*}} : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi64>
tt.func private @tile(%p: tensor<4x8x!tt.ptr<f32>>, %s: i32, %i: i32, %n: tensor<4x8xi32>) -> tensor<4x8xf32> {
  %m = arith.muli %i, %s : i32
  %ms = tt.splat %m : i32 -> tensor<8xi32>
  %r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %o = arith.addi %ms, %r : tensor<8xi32>
  %e = tt.expand_dims %o {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %b = tt.broadcast %e : tensor<1x8xi32> -> tensor<4x8xi32>
  %mask = arith.cmpi slt, %b, %n : tensor<4x8xi32>
  %q = tt.addptr %p, %b : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>
  %v = tt.load %q, %mask : tensor<4x8x!tt.ptr<f32>>
  tt.return %v : tensor<4x8xf32>
}

// A conversion in between is where the arithmetic stops being i32.
// CHECK-LABEL: @converted
// CHECK: arith.addi %{{.*}}, %{{.*}} : i64
// CHECK: %[[SUM:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK-NEXT: tt.addptr %{{.*}}, %[[SUM]] : !tt.ptr<f32>, i64
tt.func private @converted(%p: !tt.ptr<f32>, %i: i32, %j: i64) -> !tt.ptr<f32> {
  %a = arith.addi %i, %i : i32
  %w = arith.extsi %a : i32 to i64
  %s = arith.muli %w, %j : i64
  %q = tt.addptr %p, %s : !tt.ptr<f32>, i64
  tt.return %q : !tt.ptr<f32>
}

// Nothing to widen: an offset without i32 arithmetic, and arithmetic of 16 bits, which
// wraps.
// CHECK-LABEL: @unchanged
// CHECK: tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32
// CHECK: arith.addi %{{.*}}, %{{.*}} : i16
// CHECK: tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i16
tt.func private @unchanged(%p: !tt.ptr<f32>, %i: i32, %j: i16) -> !tt.ptr<f32> {
  %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
  %a = arith.addi %j, %j : i16
  %r = tt.addptr %q, %a : !tt.ptr<f32>, i16
  tt.return %r : !tt.ptr<f32>
}
