// RUN: tritium-opt %s -tt-widen-offsets -tritium-ttgir=num-warps=4 -convert-triton-gpu-to-llvm | FileCheck %s

// Every iteration writes a tile of its own: no barrier.
// CHECK-LABEL: @apart
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.return
tt.func @apart(%y: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %b = arith.muli %i, %c128 : i32
    %bb = tt.splat %b : i32 -> tensor<128xi32>
    %o = arith.addi %bb, %r : tensor<128xi32>
    %yy = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %p = tt.addptr %yy, %o : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    tt.store %p, %o : tensor<128x!tt.ptr<i32>>
  }
  tt.return
}

// Tiles that overlap by one element: the later iteration waits.
// CHECK-LABEL: @overlap
// CHECK: nvvm.barrier0
// CHECK: llvm.return
tt.func @overlap(%y: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c127 = arith.constant 127 : i32
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %b = arith.muli %i, %c127 : i32
    %bb = tt.splat %b : i32 -> tensor<128xi32>
    %o = arith.addi %bb, %r : tensor<128xi32>
    %yy = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %p = tt.addptr %yy, %o : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    tt.store %p, %o : tensor<128x!tt.ptr<i32>>
  }
  tt.return
}

// A step that is an argument may be less than the tile.
// CHECK-LABEL: @unknown
// CHECK: nvvm.barrier0
// CHECK: llvm.return
tt.func @unknown(%y: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32, %s: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %b = arith.muli %i, %s : i32
    %bb = tt.splat %b : i32 -> tensor<128xi32>
    %o = arith.addi %bb, %r : tensor<128xi32>
    %yy = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %p = tt.addptr %yy, %o : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    tt.store %p, %o : tensor<128x!tt.ptr<i32>>
  }
  tt.return
}

// One after the other: what is written at 0 to 127 and at 128 to 255 does not meet, what is
// read at 127 to 254 does.
// CHECK-LABEL: @straight
// CHECK: st.global
// CHECK-NOT: nvvm.barrier0
// CHECK: st.global
// CHECK: nvvm.barrier0
// CHECK: llvm.load
tt.func @straight(%y: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<i32>, %s: i32) {
  %c127 = arith.constant dense<127> : tensor<128xi32>
  %c128 = arith.constant dense<128> : tensor<128xi32>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %ss = tt.splat %s : i32 -> tensor<128xi32>
  %yy = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %p = tt.addptr %yy, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %m = arith.cmpi slt, %r, %ss : tensor<128xi32>
  tt.store %p, %ss, %m : tensor<128x!tt.ptr<i32>>
  %q = tt.addptr %p, %c128 : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %q, %ss, %m : tensor<128x!tt.ptr<i32>>
  %t = tt.addptr %p, %c127 : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %v = tt.load %t : tensor<128x!tt.ptr<i32>>
  %zz = tt.splat %z : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %w = tt.addptr %zz, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %w, %v : tensor<128x!tt.ptr<i32>>
  tt.return
}
