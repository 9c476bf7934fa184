// RUN: tritium-opt %s -tt-load-runs-once -cse -canonicalize | FileCheck %s

// Eight numbers of a column lie in a word, whose row is computed for each of them. Each word is
// loaded once.
// CHECK-LABEL: @words
// CHECK-DAG: %[[ROWS:.*]] = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
// CHECK-DAG: %[[WIDE:.*]] = arith.extsi %[[ROWS]]
// CHECK: scf.for
// CHECK: %[[X:.*]] = tt.load %{{.*}} : tensor<4x16x!tt.ptr<i32>>
// CHECK-NEXT: %[[E:.*]] = tt.expand_dims %[[X]] {axis = 1 : i32} : tensor<4x16xi32> -> tensor<4x1x16xi32>
// CHECK-NEXT: %[[B:.*]] = tt.broadcast %[[E]] : tensor<4x1x16xi32> -> tensor<4x8x16xi32>
// CHECK-NEXT: %[[R:.*]] = tt.reshape %[[B]] : tensor<4x8x16xi32> -> tensor<32x16xi32>
// CHECK-NEXT: arith.shrsi %[[R]]
tt.func private @words(%p: !tt.ptr<i32>, %stride: i64, %n: i32, %a: tensor<16x32xi32>, %shift: tensor<32x16xi32>) -> tensor<16x16xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %far = arith.constant 0 : i64
  %eight = arith.constant dense<8> : tensor<32xi32>
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %k = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %r = arith.divsi %k, %eight : tensor<32xi32>
  %w = arith.extsi %r : tensor<32xi32> to tensor<32xi64>
  %rows = tt.expand_dims %w {axis = 1 : i32} : tensor<32xi64> -> tensor<32x1xi64>
  %strides = tt.splat %stride : i64 -> tensor<32x1xi64>
  %offsets = arith.muli %rows, %strides : tensor<32x1xi64>
  %base = tt.splat %p : !tt.ptr<i32> -> tensor<32x1x!tt.ptr<i32>>
  %starts = tt.addptr %base, %offsets : tensor<32x1x!tt.ptr<i32>>, tensor<32x1xi64>
  %all = tt.broadcast %starts : tensor<32x1x!tt.ptr<i32>> -> tensor<32x16x!tt.ptr<i32>>
  %n0 = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %n1 = tt.expand_dims %n0 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %columns = tt.broadcast %n1 : tensor<1x16xi32> -> tensor<32x16xi32>
  %q = tt.addptr %all, %columns : tensor<32x16x!tt.ptr<i32>>, tensor<32x16xi32>
  %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %far) -> (tensor<16x16xi32>, i64) : i32 {
    %ahead = tt.splat %at : i64 -> tensor<32x16xi64>
    %there = tt.addptr %q, %ahead : tensor<32x16x!tt.ptr<i32>>, tensor<32x16xi64>
    %x = tt.load %there : tensor<32x16x!tt.ptr<i32>>
    %y = arith.shrsi %x, %shift : tensor<32x16xi32>
    %z = arith.trunci %y : tensor<32x16xi32> to tensor<32x16xi8>
    %b = arith.trunci %a : tensor<16x32xi32> to tensor<16x32xi8>
    %d = tt.dot %b, %z, %acc : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
    %next = arith.addi %at, %stride : i64
    scf.yield %d, %next : tensor<16x16xi32>, i64
  }
  tt.return %sum#0 : tensor<16x16xi32>
}

// One row of pointers, and a mask, of all rows; what the mask hides is the same in all.
// CHECK-LABEL: @row
// CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<1x16x!tt.ptr<f16>>
// CHECK-NEXT: tt.broadcast %{{.*}} : tensor<1x16xf16> -> tensor<32x16xf16>
// CHECK-NEXT: arith.mulf
// A mask, or numbers in its place, that differ from row to row keep the rows apart; so does one
// that is read where it stands, a volatile load, and what no dot needs.
// CHECK-COUNT-5: tt.load {{.*}} : tensor<32x16x!tt.ptr<f16>>
tt.func private @row(%p: !tt.ptr<f16>, %n: i32, %a: tensor<16x32xf16>, %f: tensor<32x16xf16>, %o: tensor<32x16x!tt.ptr<f16>>) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %none = arith.constant dense<0.0> : tensor<32x16xf16>
  %n0 = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %n1 = tt.expand_dims %n0 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %columns = tt.broadcast %n1 : tensor<1x16xi32> -> tensor<32x16xi32>
  %k0 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %k1 = tt.expand_dims %k0 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %rows = tt.broadcast %k1 : tensor<32x1xi32> -> tensor<32x16xi32>
  %end = tt.splat %n : i32 -> tensor<32x16xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %base = tt.splat %p : !tt.ptr<f16> -> tensor<32x16x!tt.ptr<f16>>
    %q = tt.addptr %base, %columns : tensor<32x16x!tt.ptr<f16>>, tensor<32x16xi32>
    %m = arith.cmpi slt, %columns, %end : tensor<32x16xi32>
    %x = tt.load %q, %m, %none : tensor<32x16x!tt.ptr<f16>>
    %y = arith.mulf %x, %f : tensor<32x16xf16>
    %r = arith.cmpi slt, %rows, %end : tensor<32x16xi32>
    %x1 = tt.load %q, %r, %none : tensor<32x16x!tt.ptr<f16>>
    %y1 = arith.mulf %x1, %y : tensor<32x16xf16>
    %x2 = tt.load %q, %m, %f : tensor<32x16x!tt.ptr<f16>>
    %y2 = arith.mulf %x2, %y1 : tensor<32x16xf16>
    %x3 = tt.load %q volatile : tensor<32x16x!tt.ptr<f16>>
    %y3 = arith.mulf %x3, %y2 : tensor<32x16xf16>
    %x4 = tt.load %q : tensor<32x16x!tt.ptr<f16>>
    %y4 = arith.mulf %x4, %f : tensor<32x16xf16>
    tt.store %o, %y4 : tensor<32x16x!tt.ptr<f16>>
    %x5 = tt.load %q : tensor<32x16x!tt.ptr<f16>>
    %d = tt.dot %a, %y3, %acc : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
    %e = tt.dot %a, %x5, %d : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
    scf.yield %e : tensor<16x16xf32>
  }
  tt.return %sum : tensor<16x16xf32>
}
