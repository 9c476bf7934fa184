// RUN: tritium-opt %s -tt-widen-offsets | FileCheck %s

// The offset is computed in i64, through shape operations, and the mask compares it.
// CHECK-LABEL: @tile
// CHECK-SAME: %[[P:.*]]: tensor<4x8x!tt.ptr<f32>>, %[[S:.*]]: i32, %[[I:.*]]: i32, %[[N:.*]]: tensor<4x8xi32>
// CHECK-DAG: %[[S64:.*]] = arith.extsi %[[S]] : i32 to i64
// CHECK-DAG: %[[I64:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK-NOT: arith.muli %{{.*}} : i32
// CHECK-DAG: %[[M64:.*]] = arith.muli %[[I64]], %[[S64]] : i64
// CHECK-DAG: tt.splat %[[M64]] : i64 -> tensor<8xi64>
// CHECK-DAG: arith.extsi %{{.*}} : tensor<8xi32> to tensor<8xi64>
// CHECK: arith.addi {{.*}} : tensor<8xi64>
// CHECK: %[[O:.*]] = tt.broadcast
// CHECK: arith.cmpi slt, %[[O]], %{{.*}} : tensor<4x8xi64>
// CHECK: tt.addptr %[[P]], %[[O]] : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi64>
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

// What is compared need not be the offset itself; what is stored is the number of 32 bits.
// CHECK-LABEL: @around
// CHECK-SAME: %[[P:.*]]: !tt.ptr<i32>, %[[I:.*]]: i32, %[[N:.*]]: i64
// CHECK-DAG: %[[SUM:.*]] = arith.addi %[[I]], %[[I]] : i32
// CHECK-DAG: %[[WIDE:.*]] = arith.addi %{{.*}}, %{{.*}} : i64
// CHECK-DAG: %[[NEXT:.*]] = arith.addi %[[WIDE]], %{{.*}} : i64
// CHECK-DAG: arith.cmpi slt, %[[NEXT]], %[[N]] : i64
// CHECK-DAG: arith.cmpi ult, %[[SUM]], %[[I]] : i32
// CHECK: tt.store %{{.*}}, %[[SUM]]
tt.func private @around(%p: !tt.ptr<i32>, %i: i32, %n: i64) -> (i1, i1) {
  %c1 = arith.constant 1 : i32
  %o = arith.addi %i, %i : i32
  %next = arith.addi %o, %c1 : i32
  %wide = arith.extsi %next : i32 to i64
  %m = arith.cmpi slt, %wide, %n : i64
  %u = arith.cmpi ult, %o, %i : i32
  %q = tt.addptr %p, %o : !tt.ptr<i32>, i32
  tt.store %q, %o : !tt.ptr<i32>
  tt.return %m, %u : i1, i1
}

// An index that makes no offset wraps: %i is one, and nothing is computed for it.
// CHECK-LABEL: @apart
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}} : i32
// CHECK: arith.cmpi slt, %[[SUM]], %{{.*}} : i32
tt.func private @apart(%p: !tt.ptr<i32>, %i: i32, %n: i32) -> (i1, !tt.ptr<i32>) {
  %o = arith.addi %i, %i : i32
  %m = arith.cmpi slt, %o, %n : i32
  %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
  tt.return %m, %q : i1, !tt.ptr<i32>
}

// A loop carries the offset in i64, and gives whoever wants it the number of 32 bits.
// CHECK-LABEL: @carried
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}}) -> (i64)
// CHECK-DAG: %[[CUT:.*]] = arith.trunci %[[O]] : i64 to i32
// CHECK-DAG: tt.addptr %{{.*}}, %[[O]] : !tt.ptr<i32>, i64
// CHECK: tt.store %{{.*}}, %[[CUT]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[O]], %{{.*}} : i64
// CHECK: scf.yield %[[NEXT]] : i64
// CHECK: arith.trunci %[[R]] : i64 to i32
tt.func private @carried(%p: !tt.ptr<i32>, %n: i32, %step: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%o = %n) -> (i32) : i32 {
    %q = tt.addptr %p, %o : !tt.ptr<i32>, i32
    tt.store %q, %o : !tt.ptr<i32>
    %next = arith.addi %o, %step : i32
    scf.yield %next : i32
  }
  tt.return %r : i32
}

// So does a branch, and a loop that ends by a condition.
// CHECK-LABEL: @chosen
// CHECK: scf.if %{{.*}} -> (i64)
// CHECK: scf.while {{.*}} : (i64) -> i64
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : i64
tt.func private @chosen(%p: !tt.ptr<i32>, %c: i1, %n: i32, %step: i32) -> !tt.ptr<i32> {
  %a = scf.if %c -> (i32) {
    %double = arith.addi %n, %n : i32
    scf.yield %double : i32
  } else {
    scf.yield %n : i32
  }
  %b = scf.while (%x = %a) : (i32) -> i32 {
    %more = arith.cmpi slt, %x, %step : i32
    scf.condition(%more) %x : i32
  } do {
  ^bb0(%y: i32):
    %next = arith.addi %y, %step : i32
    scf.yield %next : i32
  }
  %q = tt.addptr %p, %b : !tt.ptr<i32>, i32
  tt.return %q : !tt.ptr<i32>
}

// A hint on an offset stays with it.
// CHECK-LABEL: @hinted
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}} : i64
// CHECK: %[[SAME:.*]] = tt.bitcast %[[SUM]] {tt.divisibility = 16 : i32} : i64 -> i64
// CHECK: tt.addptr %{{.*}}, %[[SAME]] : !tt.ptr<i32>, i64
tt.func private @hinted(%p: !tt.ptr<i32>, %i: i32) -> !tt.ptr<i32> {
  %o = arith.addi %i, %i : i32
  %h = tt.bitcast %o {tt.divisibility = 16 : i32} : i32 -> i32
  %q = tt.addptr %p, %h : !tt.ptr<i32>, i32
  tt.return %q : !tt.ptr<i32>
}

// Indices of blocks, and the strides of the array that they are in, are offsets; what is written
// is not.
// CHECK-LABEL: @blocks
// CHECK-SAME: !tt.ptr<i64>, %[[I:.*]]: i32, %[[N:.*]]: i32
// CHECK-DAG: %[[I64:.*]] = arith.extsi %[[I]]
// CHECK-DAG: %[[N64:.*]] = arith.extsi %[[N]]
// CHECK-DAG: %[[STRIDE:.*]] = arith.muli %[[N64]], %[[N64]] : i64
// CHECK: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}], [%[[STRIDE]]]
// CHECK: scf.for {{.*}} iter_args(%[[K:.*]] = %[[I64]]) -> (i64)
// CHECK: %[[WRITTEN:.*]] = arith.extsi %{{.*}} : tensor<4xi32> to tensor<4xi64>
// CHECK: tt.descriptor_store %{{.*}}[%[[K]]], %[[WRITTEN]]
tt.func private @blocks(%p: !tt.ptr<i64>, %i: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %square = arith.muli %n, %n : i32
  %n64 = arith.extsi %n : i32 to i64
  %s64 = arith.extsi %square : i32 to i64
  %d = tt.make_tensor_descriptor %p, [%n64], [%s64] : !tt.tensordesc<4xi64>
  %r = scf.for %k = %zero to %n step %one iter_args(%j = %i) -> i32 : i32 {
    %x = tt.splat %j : i32 -> tensor<4xi32>
    %double = arith.addi %x, %x : tensor<4xi32>
    %v = arith.extsi %double : tensor<4xi32> to tensor<4xi64>
    %j64 = arith.extsi %j : i32 to i64
    tt.descriptor_store %d[%j64], %v : !tt.tensordesc<4xi64>
    %next = arith.addi %j, %n : i32
    scf.yield %next : i32
  }
  tt.return
}
