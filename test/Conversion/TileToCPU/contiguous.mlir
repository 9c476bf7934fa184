// RUN: tritium-opt %s --split-input-file --tile-to-cpu="cpu=haswell may-alias=false" | FileCheck %s

// Addresses count up by the element's size, however they are computed: one load a vector.
// CHECK-LABEL: func.func @from_integers_entry
// CHECK-NOT: gather
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<16xi32>
// CHECK-NOT: scatter
// CHECK: llvm.store %{{.*}} : vector<8xi32>, !llvm.ptr
// CHECK: return
tt.func @from_integers(%x: i64, %y: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %two = arith.constant dense<2> : tensor<64xi32>
  %bytes = arith.shli %i, %two : tensor<64xi32>
  %wide = arith.extsi %bytes : tensor<64xi32> to tensor<64xi64>
  %xs = tt.splat %x : i64 -> tensor<64xi64>
  %at = arith.addi %xs, %wide : tensor<64xi64>
  %xp = tt.int_to_ptr %at : tensor<64xi64> -> tensor<64x!tt.ptr<i32>>
  %v = tt.load %xp : tensor<64x!tt.ptr<i32>>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %yp, %v : tensor<64x!tt.ptr<i32>>
  tt.return
}

// -----

// The same where the elements of 8 bits that are extended may wrap: they are gathered.
// CHECK-LABEL: func.func @may_wrap_entry
// CHECK: gather
tt.func @may_wrap(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %start: i8) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %narrow = arith.trunci %i : tensor<64xi32> to tensor<64xi8>
  %s = tt.splat %start : i8 -> tensor<64xi8>
  %o = arith.addi %narrow, %s : tensor<64xi8>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %o : tensor<64x!tt.ptr<i32>>, tensor<64xi8>
  %v = tt.load %xp : tensor<64x!tt.ptr<i32>>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %yp, %v : tensor<64x!tt.ptr<i32>>
  tt.return
}
