// RUN: tritium-opt %s --split-input-file --tile-to-cpu="cpu=haswell may-alias=false" | FileCheck %s

// A function with a loop is called for one lane after the other: eight of a whole register, four of
// what the tile has of the last one. A loop that may be long can be left.
// CHECK-LABEL: func.func @factorial_entry
// CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xi32>
// CHECK: scf.for %[[LANE:.*]] = %c0_i64{{.*}} to %c8_i64{{.*}} step %c1_i64{{.*}} iter_args(%[[ALL:.*]] = %{{.*}}) -> (vector<8xi32>)
// CHECK: %[[X:.*]] = vector.extractelement %[[V]][%[[LANE]] : i64] : vector<8xi32>
// CHECK: %[[F:.*]] = scf.for
// CHECK: func.call @tritium.poll
// CHECK: %[[NEXT:.*]] = vector.insertelement %[[F]], %[[ALL]][%[[LANE]] : i64] : vector<8xi32>
// CHECK: scf.yield %[[NEXT]] : vector<8xi32>
// CHECK: scf.for %{{.*}} = %c0_i64{{.*}} to %c4_i64{{.*}} step %c1_i64{{.*}} iter_args
tt.func @factorial(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 44 : i32} : tensor<44xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<44x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %i : tensor<44x!tt.ptr<i32>>, tensor<44xi32>
  %v = tt.load %xp : tensor<44x!tt.ptr<i32>>
  %f = "tt.map_elementwise"(%v) <{pack = 1 : i32}> ({
  ^bb0(%n: i32):
    %one = arith.constant 1 : i32
    %r = scf.for %k = %one to %n step %one iter_args(%s = %one) -> (i32) : i32 {
      %t = arith.muli %s, %k : i32
      scf.yield %t : i32
    }
    tt.map_elementwise.return %r : i32
  }) : (tensor<44xi32>) -> tensor<44xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<44x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %i : tensor<44x!tt.ptr<i32>>, tensor<44xi32>
  tt.store %yp, %f : tensor<44x!tt.ptr<i32>>
  tt.return
}

// -----

// Both results are of one call.
// CHECK-LABEL: func.func @both_entry
// CHECK: scf.if %{{.*}} -> (!llvm.ptr)
// CHECK: scf.if %{{.*}} -> (i32, i32)
// CHECK-NOT: scf.if
// CHECK: {{^ +}}return
tt.func @both(%y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %f:2 = "tt.map_elementwise"(%i) <{pack = 1 : i32}> ({
  ^bb0(%n: i32):
    %three = arith.constant 3 : i32
    %isLess = arith.cmpi slt, %n, %three : i32
    %a, %b = scf.if %isLess -> (i32, i32) {
      %d = arith.divsi %three, %n : i32
      scf.yield %n, %d : i32, i32
    } else {
      %m = arith.remsi %n, %three : i32
      scf.yield %m, %n : i32, i32
    }
    tt.map_elementwise.return %a, %b : i32, i32
  }) : (tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>)
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %i : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %s = arith.addi %f#0, %f#1 : tensor<8xi32>
  tt.store %yp, %s : tensor<8x!tt.ptr<i32>>
  tt.return
}

// -----

// The clock is the host's; launches do not overlap, and there are no multiprocessors.
// CHECK-LABEL: func.func @machine_entry
// CHECK: %[[TIME:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i64)>
// CHECK: func.call @clock_gettime(%c1_i32{{.*}}, %[[TIME]]) : (i32, !llvm.ptr) -> i32
// CHECK: arith.muli %{{.*}}, %c1000000000_i64
// CHECK: llvm.store %{{.*}} : i64, !llvm.ptr
// CHECK: llvm.store %c0_i32{{.*}} : i32, !llvm.ptr
tt.func @machine(%y: !tt.ptr<i64>, %z: !tt.ptr<i32>) {
  tt.grid_dependency wait
  gpu.barrier
  %now = tt.read_register globaltimer : i64
  %at = tt.read_register smid : i32
  tt.store %y, %now : !tt.ptr<i64>
  tt.store %z, %at : !tt.ptr<i32>
  tt.grid_dependency launch_dependents
  tt.return
}

// -----

// What combines elements and loops is called for one lane after the other: eight of a whole
// register, four of what the tile has of the last one. What goes from lane to lane are scalars.
// CHECK-LABEL: func.func @greatest_multiple_entry
// CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xi32>
// CHECK: %[[FIRST:.*]] = vector.extractelement %[[V]][%c0_i64{{.*}} : i64]
// CHECK: scf.for %[[LANE:.*]] = %c1_i64{{.*}} to %c8_i64{{.*}} step %c1_i64{{.*}} iter_args(%[[SUM:.*]] = %[[FIRST]]) -> (i32)
// CHECK: %[[X:.*]] = vector.extractelement %[[V]][%[[LANE]] : i64] : vector<8xi32>
// CHECK: %[[M:.*]] = scf.while (%{{.*}} = %[[SUM]])
// CHECK: func.call @tritium.poll
// CHECK: scf.yield %[[M]] : i32
// CHECK: scf.for %{{.*}} = %c0_i64{{.*}} to %c4_i64{{.*}} step %c1_i64{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (i32)
// CHECK: scf.while
// CHECK: llvm.store %{{.*}} : i32, !llvm.ptr
tt.func @greatest_multiple(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 44 : i32} : tensor<44xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<44x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %i : tensor<44x!tt.ptr<i32>>, tensor<44xi32>
  %v = tt.load %xp : tensor<44x!tt.ptr<i32>>
  %f = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %zero = arith.constant 0 : i32
    %r = scf.while (%m = %a) : (i32) -> i32 {
      %rest = arith.remsi %m, %b : i32
      %goesOn = arith.cmpi ne, %rest, %zero : i32
      scf.condition(%goesOn) %m : i32
    } do {
    ^bb0(%m: i32):
      %next = arith.addi %m, %a : i32
      scf.yield %next : i32
    }
    tt.reduce.return %r : i32
  }) : (tensor<44xi32>) -> i32
  tt.store %y, %f : !tt.ptr<i32>
  tt.return
}
