// RUN: tritium-opt %s -tritium-ttir -tritium-ttgir="num-warps=1 pack-programs=false" -convert-ttg-to-llvm | FileCheck %s

// The least of a warp's integers of 32 bits is one instruction, behind those of a lane.
// CHECK-LABEL: llvm.func @least
// CHECK-NOT: shfl
// CHECK: nvvm.redux.sync  min
// CHECK-NOT: shfl
// CHECK-NOT: redux
// CHECK: llvm.return
tt.func @least(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %xx = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %xx, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<i32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %t = arith.minsi %a, %b : i32
    tt.reduce.return %t : i32
  }) : (tensor<64xi32>) -> i32
  tt.store %y, %s : !tt.ptr<i32>
  tt.return
}

// Sixteen lanes have no such instruction.
// CHECK-LABEL: llvm.func @half
// CHECK-NOT: redux
// CHECK-COUNT-4: nvvm.shfl.sync  bfly
// CHECK-NOT: redux
// CHECK: llvm.return
tt.func @half(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %xx = tt.splat %x : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %p = tt.addptr %xx, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %v = tt.load %p : tensor<16x!tt.ptr<i32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %t = arith.minui %a, %b : i32
    tt.reduce.return %t : i32
  }) : (tensor<16xi32>) -> i32
  tt.store %y, %s : !tt.ptr<i32>
  tt.return
}

// There is none for products.
// CHECK-LABEL: llvm.func @product
// CHECK-NOT: redux
// CHECK-COUNT-5: nvvm.shfl.sync  bfly
// CHECK-NOT: redux
// CHECK: llvm.return
tt.func @product(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %xx = tt.splat %x : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %p = tt.addptr %xx, %r : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %v = tt.load %p : tensor<32x!tt.ptr<i32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %t = arith.muli %a, %b : i32
    tt.reduce.return %t : i32
  }) : (tensor<32xi32>) -> i32
  tt.store %y, %s : !tt.ptr<i32>
  tt.return
}
