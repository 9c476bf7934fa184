// RUN: tritium-opt %s --split-input-file --tile-to-cpu="cpu=haswell may-alias=false" | FileCheck %s

// Places that differ in known bits: lanes of a register trade places, and registers.
// CHECK-LABEL: func.func @exchange_entry
// CHECK-NOT: masked.gather
// CHECK: %[[AT:.*]] = arith.xori %{{.*}}, %c32_i64
// CHECK: llvm.getelementptr %{{.*}}[%[[AT]]]
// CHECK: %[[V:.*]] = llvm.load %{{.*}} -> vector<16xi32>
// CHECK: vector.shuffle %[[V]], %[[V]] [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]
// CHECK-NOT: masked.gather
// CHECK: return
tt.func @exchange(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %bits = arith.constant dense<35> : tensor<64xi32>
  %at = arith.xori %i, %bits : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %px = tt.addptr %xs, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %a = tt.load %px : tensor<64x!tt.ptr<i32>>
  %b = tt.gather %a[%at] along 0 : tensor<64xi32>[tensor<64xi32>] -> tensor<64xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %py = tt.addptr %ys, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %py, %b : tensor<64x!tt.ptr<i32>>
  tt.return
}

// -----

// 12 elements are no whole number of registers.
// CHECK-LABEL: func.func @rest_entry
// CHECK: masked.gather
// CHECK: return
tt.func @rest(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 12 : i32} : tensor<12xi32>
  %bits = arith.constant dense<3> : tensor<12xi32>
  %at = arith.xori %i, %bits : tensor<12xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<12x!tt.ptr<i32>>
  %px = tt.addptr %xs, %i : tensor<12x!tt.ptr<i32>>, tensor<12xi32>
  %a = tt.load %px : tensor<12x!tt.ptr<i32>>
  %b = tt.gather %a[%at] along 0 : tensor<12xi32>[tensor<12xi32>] -> tensor<12xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<12x!tt.ptr<i32>>
  %py = tt.addptr %ys, %i : tensor<12x!tt.ptr<i32>>, tensor<12xi32>
  tt.store %py, %b : tensor<12x!tt.ptr<i32>>
  tt.return
}
