// RUN: tritium-opt %s -tt-check-hints -canonicalize | FileCheck %s
// RUN: tritium-opt %S/Inputs/odd.mlir > %t.before
// RUN: tritium-opt %S/Inputs/odd.mlir -tt-check-hints > %t.after
// RUN: diff %t.before %t.after

// Hints that say nothing are no checks: of one element, of one in a row, of one value.
// CHECK-LABEL: @nothing
// CHECK-NOT: tt.assert
// CHECK-NOT: tt.check_hint
// CHECK: tt.return
tt.func private @nothing(%x: tensor<1x8xi8>, %n: i32) {
  tt.check_hint contiguity [16, 1] of %x, "m" {isSigned = true} : tensor<1x8xi8>
  tt.check_hint constancy [2, 1] of %x, "m" {isSigned = true} : tensor<1x8xi8>
  tt.check_hint divisibility [1, 1] of %x, "m" {isSigned = true} : tensor<1x8xi8>
  tt.check_hint contiguity [4] of %n, "m" {isSigned = true} : i32
  tt.return
}

// More than there is stands for all that there is. A boolean is a number of one bit.
// CHECK-LABEL: @more
// CHECK: tt.reshape %{{.*}} : tensor<8xi64> -> tensor<1x8x1xi64>
// CHECK: tt.assert
tt.func private @more(%x: tensor<8xi1>) {
  tt.check_hint constancy [2147483647] of %x, "m" {isSigned = false} : tensor<8xi1>
  tt.return
}

// A divisor that is beyond the values' type leaves zero as the one multiple.
// CHECK-LABEL: @large
// CHECK: arith.constant 1099511627776 : i64
// CHECK: tt.assert
tt.func private @large(%x: i8) {
  tt.check_hint divisibility [1099511627776] of %x, "m" {isSigned = true} : i8
  tt.return
}
