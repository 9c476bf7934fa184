// RUN: tritium-opt %s -tt-check-hints -canonicalize -cse | FileCheck %s

// The first element that is not a multiple, and its value, are what the assertion reports. Each
// element must be one, because none is known to follow another.
// CHECK-LABEL: @multiple
// CHECK-SAME: %[[X:.*]]: tensor<8xi32>
// CHECK-DAG: %[[Q:.*]] = arith.constant dense<16> : tensor<8xi64>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0> : tensor<8xi64>
// CHECK-DAG: %[[NONE:.*]] = arith.constant dense<8> : tensor<8xi32>
// CHECK-DAG: %[[W:.*]] = arith.extsi %[[X]] : tensor<8xi32> to tensor<8xi64>
// CHECK-DAG: %[[I:.*]] = tt.make_range {end = 8 : i32, start = 0 : i32}
// CHECK: %[[R:.*]] = arith.remsi %[[W]], %[[Q]]
// CHECK: %[[HOLDS:.*]] = arith.cmpi eq, %[[R]], %[[ZERO]]
// CHECK: %[[BAD:.*]] = arith.select %[[HOLDS]], %[[NONE]], %[[I]]
// CHECK: %[[AT:.*]] = "tt.reduce"(%[[BAD]])
// CHECK: arith.minui
// CHECK: %[[ATS:.*]] = tt.splat %[[AT]]
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[I]], %[[ATS]]
// CHECK: %[[ONE:.*]] = arith.select %[[IS]], %[[W]], %[[ZERO]]
// CHECK: %[[VALUE:.*]] = "tt.reduce"(%[[ONE]])
// CHECK: arith.addi
// CHECK: %[[NUMBER:.*]] = arith.extui %[[AT]] : i32 to i64
// CHECK: %[[ALL:.*]] = arith.cmpi eq, %[[AT]], %c8_i32
// CHECK: tt.assert %[[ALL]], "m: element" reports %[[NUMBER]], %[[VALUE]] {shape = array<i64: 8>} : i1
tt.func private @multiple(%x: tensor<8xi32>) {
  tt.check_hint divisibility [16] of %x, "m" {isSigned = true} : tensor<8xi32>
  tt.return
}

// Runs that are known to count up, here by a hint, begin at multiples: others are not asked for.
// CHECK-LABEL: @known_runs
// CHECK: %[[PLACE:.*]] = arith.remui %{{.*}}, %{{.*}} : tensor<8xi32>
// CHECK: %[[WITHIN:.*]] = arith.cmpi ne, %[[PLACE]], %{{.*}} : tensor<8xi32>
// CHECK: arith.ori %{{.*}}, %[[WITHIN]] : tensor<8xi1>
tt.func private @known_runs(%a: tensor<8xi32>, %b: tensor<8xi32>) {
  %x = arith.muli %a, %b {tt.contiguity = array<i32: 4>} : tensor<8xi32>
  tt.check_hint divisibility [16] of %x, "m" {isSigned = true} : tensor<8xi32>
  tt.return
}

// Elements less their places in runs of 4 are what the run begins with.
// CHECK-LABEL: @contiguous
// CHECK: %[[START:.*]] = arith.subi
// CHECK: %[[FIRST:.*]] = arith.select %{{.*}}, %[[START]], %{{.*}} : tensor<48xi1>, tensor<48xi64>
// CHECK: %[[RUNS:.*]] = tt.reshape %[[FIRST]] : tensor<48xi64> -> tensor<12x4x1xi64>
// CHECK: %[[SUMS:.*]] = "tt.reduce"(%[[RUNS]]) <{axis = 1 : i32}>
// CHECK: tt.broadcast %{{.*}} : tensor<12x1x1xi64> -> tensor<12x4x1xi64>
// CHECK: arith.cmpi eq, %[[START]], %{{.*}} : tensor<48xi64>
// CHECK: tt.assert %{{.*}}, "m: element" reports %{{.*}}, %{{.*}} {kind = 1 : i32, shape = array<i64: 6, 8>} : i1
tt.func private @contiguous(%x: tensor<6x8xi16>) {
  tt.check_hint contiguity [1, 4] of %x, "m" {isSigned = false} : tensor<6x8xi16>
  tt.return
}

// A pointer counts up by its elements, of 8 bytes here.
// CHECK-LABEL: @pointers
// CHECK-DAG: %[[BYTES:.*]] = arith.constant dense<8> : tensor<4xi64>
// CHECK: tt.ptr_to_int
// CHECK: arith.muli %{{.*}}, %[[BYTES]]
// CHECK: {kind = 3 : i32, shape = array<i64: 4>}
tt.func private @pointers(%x: tensor<4x!tt.ptr<f64>>) {
  tt.check_hint contiguity [4] of %x, "m" {isSigned = false} : tensor<4x!tt.ptr<f64>>
  tt.return
}

// Runs of 4 do not make up 6 elements: they are looked at one after the other, the last being short.
// CHECK-LABEL: @short_run
// CHECK: scf.for %[[STEPS:.*]] = %c0_i32 to %c6_i32 step %c4_i32
// CHECK: tt.splat %[[STEPS]]
tt.func private @short_run(%x: tensor<6xf16>) {
  tt.check_hint constancy [4] of %x, "m" {isSigned = false} : tensor<6xf16>
  tt.return
}

// CHECK-LABEL: @scalar
// CHECK-SAME: %[[N:.*]]: i64
// CHECK: %[[R:.*]] = arith.remsi %[[N]], %c8_i64
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[R]], %c0_i64
// CHECK-NEXT: tt.assert %[[OK]], "m: the value" reports %[[N]] : i1
tt.func private @scalar(%n: i64) {
  tt.check_hint divisibility [8] of %n, "m" {isSigned = true} : i64
  tt.return
}
