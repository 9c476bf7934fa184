// RUN: tritium-opt %s --tile-to-cpu="cpu=haswell may-alias=false" | FileCheck %s

// The counters are zero first. What is no number of a bin, also as it comes from memory, is counted
// behind the last one, in bytes of the buffer.
// CHECK-LABEL: func.func @count_entry
// CHECK: %[[ZERO:.*]] = llvm.getelementptr
// CHECK: "llvm.intr.memset"(%{{.*}}) <{isVolatile = false}>
// CHECK: scf.for
// CHECK: %[[BIN:.*]] = llvm.load %{{.*}} -> i32
// CHECK: %[[WITHIN:.*]] = arith.minui %[[BIN]], %c10_i32
// CHECK: %[[PLACE:.*]] = arith.extui %[[WITHIN]] : i32 to i64
// CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%[[PLACE]]] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK: %[[OLD:.*]] = llvm.load %[[AT]] : !llvm.ptr -> i32
// CHECK: %[[NEW:.*]] = arith.addi %[[OLD]], %c1_i32
// CHECK: llvm.store %[[NEW]], %[[AT]]
tt.func @count(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 100 : i32} : tensor<100xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<100x!tt.ptr<i32>>
  %px = tt.addptr %xs, %i : tensor<100x!tt.ptr<i32>>, tensor<100xi32>
  %v = tt.load %px : tensor<100x!tt.ptr<i32>>
  %h = tt.histogram %v : tensor<100xi32> -> tensor<10xi32>
  %b = tt.make_range {start = 0 : i32, end = 10 : i32} : tensor<10xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<10x!tt.ptr<i32>>
  %py = tt.addptr %ys, %b : tensor<10x!tt.ptr<i32>>, tensor<10xi32>
  tt.store %py, %h : tensor<10x!tt.ptr<i32>>
  tt.return
}
