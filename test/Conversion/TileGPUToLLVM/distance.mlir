// RUN: tritium-opt %s -tritium-ttir -tritium-ttgir=num-warps=1 -convert-ttg-to-llvm | FileCheck %s

// Rows of 64 halves, 16 bytes a lane: a lane's elements are 4 rows apart, whatever the tile is
// moved by. One address moves, and the others are constants behind it.
// CHECK-LABEL: llvm.func @known
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
// CHECK: llvm.getelementptr %[[FIRST]][512] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
// CHECK: llvm.getelementptr %[[FIRST]][1024] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
tt.func @known(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %by: i64 {tt.divisibility = 16 : i32}) {
  %row = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %col = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r = tt.expand_dims %row {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %pitch = arith.constant dense<64> : tensor<16x1xi32>
  %start = arith.muli %r, %pitch : tensor<16x1xi32>
  %starts = tt.broadcast %start : tensor<16x1xi32> -> tensor<16x64xi32>
  %c = tt.expand_dims %col {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols = tt.broadcast %c : tensor<1x64xi32> -> tensor<16x64xi32>
  %offsets = arith.addi %starts, %cols : tensor<16x64xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>>
  %tile = tt.addptr %xs, %offsets : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
  %bys = tt.splat %by : i64 -> tensor<16x64xi64>
  %moved = tt.addptr %tile, %bys : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi64>
  %v = tt.load %moved : tensor<16x64x!tt.ptr<f16>>
  tt.store %tile, %v : tensor<16x64x!tt.ptr<f16>>
  tt.return
}

// A pitch that is an argument: every row's address moves.
// CHECK-LABEL: llvm.func @unknown
// CHECK-NOT: llvm.getelementptr %{{.*}}[512]
// CHECK: llvm.return
tt.func @unknown(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %by: i64 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %row = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %col = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r = tt.expand_dims %row {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %pitch = tt.splat %n : i32 -> tensor<16x1xi32>
  %start = arith.muli %r, %pitch : tensor<16x1xi32>
  %starts = tt.broadcast %start : tensor<16x1xi32> -> tensor<16x64xi32>
  %c = tt.expand_dims %col {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols = tt.broadcast %c : tensor<1x64xi32> -> tensor<16x64xi32>
  %offsets = arith.addi %starts, %cols : tensor<16x64xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>>
  %tile = tt.addptr %xs, %offsets : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
  %bys = tt.splat %by : i64 -> tensor<16x64xi64>
  %moved = tt.addptr %tile, %bys : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi64>
  %v = tt.load %moved : tensor<16x64x!tt.ptr<f16>>
  tt.store %tile, %v : tensor<16x64x!tt.ptr<f16>>
  tt.return
}
