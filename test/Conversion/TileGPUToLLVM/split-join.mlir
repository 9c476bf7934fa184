// RUN: tritium-opt %s -tritium-ttir -tritium-ttgir=num-warps=4 -o %t.ttgir.mlir
// RUN: FileCheck %s --check-prefix=LAYOUT < %t.ttgir.mlir
// RUN: tritium-opt %t.ttgir.mlir -convert-ttg-to-llvm | tritium-opt -o %t.mlir
// RUN: tritium compile --from %t.mlir --target cuda:80 | FileCheck %s
// RUN: tritium compile --from %t.mlir --target cuda:90 | FileCheck %s

// Neighbours are split, and their sums and differences interleaved: halves are held two
// elements a lane where the whole has four, so that all of it happens in registers.
// LAYOUT: #ttg.linear<{register = [0, 1, 1, 0,
// CHECK: .visible .entry rotate(
// CHECK-NOT: shfl
// CHECK-NOT: bar.sync
// CHECK: ld.global.v4
// CHECK-NOT: shfl
// CHECK-NOT: bar.sync
// CHECK-NOT: {{(ld|st)}}.shared
// CHECK: st.global.v4
// CHECK-NOT: {{(ld|st)}}.shared
// CHECK: ret;
tt.func @rotate(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %zero = arith.constant dense<0> : tensor<1024x2xi32>
  %none = arith.constant dense<0> : tensor<2xi32>
  %r = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<2048x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<2048x!tt.ptr<i32>>, tensor<2048xi32>
  %v = tt.load %p : tensor<2048x!tt.ptr<i32>>
  %pairs = tt.reshape %v : tensor<2048xi32> -> tensor<1024x2xi32>
  %two = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32>
  %is = arith.cmpi eq, %two, %none : tensor<2xi32>
  %is1 = tt.expand_dims %is {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
  %first = tt.broadcast %is1 : tensor<1x2xi1> -> tensor<1024x2xi1>
  %a2 = arith.select %first, %pairs, %zero : tensor<1024x2xi1>, tensor<1024x2xi32>
  %a = "tt.reduce"(%a2) <{axis = 1 : i32}> ({
  ^bb0(%l: i32, %m: i32):
    %o = arith.ori %l, %m : i32
    tt.reduce.return %o : i32
  }) : (tensor<1024x2xi32>) -> tensor<1024xi32>
  %b2 = arith.select %first, %zero, %pairs : tensor<1024x2xi1>, tensor<1024x2xi32>
  %b = "tt.reduce"(%b2) <{axis = 1 : i32}> ({
  ^bb0(%l: i32, %m: i32):
    %o = arith.ori %l, %m : i32
    tt.reduce.return %o : i32
  }) : (tensor<1024x2xi32>) -> tensor<1024xi32>
  %sum = arith.addi %a, %b : tensor<1024xi32>
  %difference = arith.subi %a, %b : tensor<1024xi32>
  %s1 = tt.expand_dims %sum {axis = 1 : i32} : tensor<1024xi32> -> tensor<1024x1xi32>
  %s2 = tt.broadcast %s1 : tensor<1024x1xi32> -> tensor<1024x2xi32>
  %d1 = tt.expand_dims %difference {axis = 1 : i32} : tensor<1024xi32> -> tensor<1024x1xi32>
  %d2 = tt.broadcast %d1 : tensor<1024x1xi32> -> tensor<1024x2xi32>
  %joined = arith.select %first, %s2, %d2 : tensor<1024x2xi1>, tensor<1024x2xi32>
  %flat = tt.reshape %joined : tensor<1024x2xi32> -> tensor<2048xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<2048x!tt.ptr<i32>>
  %q = tt.addptr %ys, %r : tensor<2048x!tt.ptr<i32>>, tensor<2048xi32>
  tt.store %q, %flat : tensor<2048x!tt.ptr<i32>>
  tt.return
}
