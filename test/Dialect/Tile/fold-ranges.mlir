// RUN: tritium-opt %s -tt-fold-ranges | FileCheck %s

// All of the tile is below the bound, and the last of another is not.
// CHECK-LABEL: @static
// CHECK-DAG: %[[TRUE:.*]] = arith.constant dense<true> : tensor<128xi1>
// CHECK: tt.load %{{.*}}, %[[TRUE]]
// CHECK: %[[M:.*]] = arith.cmpi slt
// CHECK: tt.load %{{.*}}, %[[M]]
tt.func private @static(%p: tensor<128x!tt.ptr<f32>>) -> (tensor<128xf32>, tensor<128xf32>) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %n = arith.constant dense<1000> : tensor<128xi32>
  %c = arith.constant dense<896> : tensor<128xi32>
  %m = arith.cmpi slt, %i, %n : tensor<128xi32>
  %x = tt.load %p, %m : tensor<128x!tt.ptr<f32>>
  %j = arith.addi %i, %c : tensor<128xi32>
  %k = arith.cmpi slt, %j, %n : tensor<128xi32>
  %y = tt.load %p, %k : tensor<128x!tt.ptr<f32>>
  tt.return %x, %y : tensor<128xf32>, tensor<128xf32>
}

// What arguments bound is not decided, nor what may wrap: a program id along x times 128, or
// arithmetic of 8 bits.
// CHECK-LABEL: @undecided
// CHECK: arith.cmpi slt
// CHECK: arith.cmpi sge
// CHECK: arith.cmpi slt
tt.func private @undecided(%n: i32, %b: i8) -> (i1, i1, i1) {
  %c0 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %c128 = arith.constant 128 : i32
  %a = arith.cmpi slt, %c7, %n : i32
  %p = tt.get_program_id 0 : i32
  %o = arith.muli %p, %c128 : i32
  %w = arith.cmpi sge, %o, %c0 : i32
  %s = arith.addi %b, %b : i8
  %t = arith.extsi %s : i8 to i32
  %u = arith.cmpi slt, %t, %c7 : i32
  tt.return %a, %w, %u : i1, i1, i1
}

// Grids have at most 65535 programs along y and z, which times 128 is within 32 bits.
// CHECK-LABEL: @programs
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK: tt.return %[[TRUE]]
tt.func private @programs() -> i1 {
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %p = tt.get_program_id 1 : i32
  %o = arith.muli %p, %c128 : i32
  %w = arith.cmpi sge, %o, %c0 : i32
  tt.return %w : i1
}

// The index of a loop is between its bounds. As an unsigned number one that may be negative
// is anything.
// CHECK-LABEL: @loop
// CHECK: scf.for
// CHECK: arith.constant false
// CHECK: arith.cmpi ult
tt.func private @loop(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %x) -> i32 : i32 {
    %m = arith.cmpi sgt, %i, %c8 : i32
    %a = arith.select %m, %s, %i : i32
    %e = arith.remsi %x, %c8 : i32
    %u = arith.cmpi ult, %e, %c8 : i32
    %b = arith.select %u, %a, %s : i32
    scf.yield %b : i32
  }
  tt.return %r : i32
}

// A bin counts none or up to all elements, and perhaps all.
// CHECK-LABEL: @histogram
// CHECK: %[[A:.*]] = arith.constant dense<true> : tensor<8xi1>
// CHECK: %[[B:.*]] = arith.constant dense<true> : tensor<8xi1>
// CHECK: %[[C:.*]] = arith.cmpi slt
// CHECK: tt.return %[[A]], %[[B]], %[[C]]
tt.func private @histogram(%x: tensor<100xi32>) -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>) {
  %h = tt.histogram %x : tensor<100xi32> -> tensor<8xi32>
  %c0 = arith.constant dense<0> : tensor<8xi32>
  %c100 = arith.constant dense<100> : tensor<8xi32>
  %a = arith.cmpi sge, %h, %c0 : tensor<8xi32>
  %b = arith.cmpi sle, %h, %c100 : tensor<8xi32>
  %c = arith.cmpi slt, %h, %c100 : tensor<8xi32>
  tt.return %a, %b, %c : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>
}
