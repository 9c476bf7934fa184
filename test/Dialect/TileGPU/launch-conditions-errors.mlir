// RUN: tritium-opt %s -ttg-launch-conditions | FileCheck %s

// Divisors that no launch can look at, beside one that it can: only with a positive divisor do
// the offsets count up over 128 elements.

// Nothing speaks against this one.
// CHECK-LABEL: tt.func @plain(
// CHECK-SAME: tt.conditions
// CHECK: tt.return
tt.func @plain(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c128 = arith.constant 128 : i32
  %pid = tt.get_program_id 0 : i32
  %pid_n = arith.divsi %pid, %n : i32
  %start = arith.muli %pid_n, %c128 : i32
  %t = tt.splat %start : i32 -> tensor<128xi32>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %o = arith.addi %t, %r : tensor<128xi32>
  %e = arith.constant dense<256> : tensor<128xi32>
  %m = arith.remsi %o, %e : tensor<128xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %q = tt.addptr %base, %m : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %x = tt.load %q : tensor<128x!tt.ptr<f16>>
  tt.store %q, %x : tensor<128x!tt.ptr<f16>>
  tt.return
}

// From memory.
// CHECK-LABEL: tt.func @loaded(
// CHECK-NOT: tt.conditions
// CHECK-NOT: tt.positive
// CHECK: tt.return
tt.func @loaded(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %sizes: !tt.ptr<i32>) {
  %c128 = arith.constant 128 : i32
  %pid = tt.get_program_id 0 : i32
  %n = tt.load %sizes : !tt.ptr<i32>
  %pid_n = arith.divsi %pid, %n : i32
  %start = arith.muli %pid_n, %c128 : i32
  %t = tt.splat %start : i32 -> tensor<128xi32>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %o = arith.addi %t, %r : tensor<128xi32>
  %e = arith.constant dense<256> : tensor<128xi32>
  %m = arith.remsi %o, %e : tensor<128xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %q = tt.addptr %base, %m : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %x = tt.load %q : tensor<128x!tt.ptr<f16>>
  tt.store %q, %x : tensor<128x!tt.ptr<f16>>
  tt.return
}

// Its steps have no unsigned quotients.
// CHECK-LABEL: tt.func @unsigned(
// CHECK-NOT: tt.conditions
// CHECK-NOT: tt.positive
// CHECK: tt.return
tt.func @unsigned(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c128 = arith.constant 128 : i32
  %pid = tt.get_program_id 0 : i32
  %c3 = arith.constant 3 : i32
  %k = arith.divui %n, %c3 : i32
  %pid_n = arith.divsi %pid, %k : i32
  %start = arith.muli %pid_n, %c128 : i32
  %t = tt.splat %start : i32 -> tensor<128xi32>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %o = arith.addi %t, %r : tensor<128xi32>
  %e = arith.constant dense<256> : tensor<128xi32>
  %m = arith.remsi %o, %e : tensor<128xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %q = tt.addptr %base, %m : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %x = tt.load %q : tensor<128x!tt.ptr<f16>>
  tt.store %q, %x : tensor<128x!tt.ptr<f16>>
  tt.return
}

// 127 steps are too many.
// CHECK-LABEL: tt.func @long(
// CHECK-NOT: tt.conditions
// CHECK-NOT: tt.positive
// CHECK: tt.return
tt.func @long(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c128 = arith.constant 128 : i32
  %pid = tt.get_program_id 0 : i32
  %n1 = arith.addi %n, %n : i32
  %n2 = arith.addi %n1, %n1 : i32
  %n3 = arith.addi %n2, %n2 : i32
  %n4 = arith.addi %n3, %n3 : i32
  %n5 = arith.addi %n4, %n4 : i32
  %n6 = arith.addi %n5, %n5 : i32
  %n7 = arith.addi %n6, %n6 : i32
  %pid_n = arith.divsi %pid, %n7 : i32
  %start = arith.muli %pid_n, %c128 : i32
  %t = tt.splat %start : i32 -> tensor<128xi32>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %o = arith.addi %t, %r : tensor<128xi32>
  %e = arith.constant dense<256> : tensor<128xi32>
  %m = arith.remsi %o, %e : tensor<128xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %q = tt.addptr %base, %m : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %x = tt.load %q : tensor<128x!tt.ptr<f16>>
  tt.store %q, %x : tensor<128x!tt.ptr<f16>>
  tt.return
}

// A function that is no kernel is not launched.
// CHECK-LABEL: tt.func private @helper(
// CHECK-NOT: tt.conditions
// CHECK-NOT: tt.positive
// CHECK: tt.return
tt.func private @helper(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c128 = arith.constant 128 : i32
  %pid = tt.get_program_id 0 : i32
  %pid_n = arith.divsi %pid, %n : i32
  %start = arith.muli %pid_n, %c128 : i32
  %t = tt.splat %start : i32 -> tensor<128xi32>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %o = arith.addi %t, %r : tensor<128xi32>
  %e = arith.constant dense<256> : tensor<128xi32>
  %m = arith.remsi %o, %e : tensor<128xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %q = tt.addptr %base, %m : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %x = tt.load %q : tensor<128x!tt.ptr<f16>>
  tt.store %q, %x : tensor<128x!tt.ptr<f16>>
  tt.return
}

// A value that a loop carries; the loop's index would do.
// CHECK-LABEL: tt.func @carried(
// CHECK-NOT: tt.conditions
// CHECK-NOT: tt.positive
// CHECK: tt.return
tt.func @carried(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c128 = arith.constant 128 : i32
  %pid = tt.get_program_id 0 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%k = %n) -> i32 : i32 {
    %pid_n = arith.divsi %pid, %k : i32
    %start = arith.muli %pid_n, %c128 : i32
    %t = tt.splat %start : i32 -> tensor<128xi32>
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %o = arith.addi %t, %r : tensor<128xi32>
    %e = arith.constant dense<256> : tensor<128xi32>
    %m = arith.remsi %o, %e : tensor<128xi32>
    %base = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
    %q = tt.addptr %base, %m : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
    %x = tt.load %q : tensor<128x!tt.ptr<f16>>
    tt.store %q, %x : tensor<128x!tt.ptr<f16>>
    %next = arith.muli %k, %k : i32
    scf.yield %next : i32
  }
  tt.return
}

// A constant is no question; that the product does not wrap is one.
// CHECK-LABEL: tt.func @constant(
// CHECK-NOT: tt.positive
// CHECK: tt.return
tt.func @constant(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %c128 = arith.constant 128 : i32
  %pid = tt.get_program_id 0 : i32
  %c5 = arith.constant 5 : i32
  %pid_n = arith.divsi %pid, %c5 : i32
  %start = arith.muli %pid_n, %c128 : i32
  %t = tt.splat %start : i32 -> tensor<128xi32>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %o = arith.addi %t, %r : tensor<128xi32>
  %e = arith.constant dense<256> : tensor<128xi32>
  %m = arith.remsi %o, %e : tensor<128xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %q = tt.addptr %base, %m : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %x = tt.load %q : tensor<128x!tt.ptr<f16>>
  tt.store %q, %x : tensor<128x!tt.ptr<f16>>
  tt.return
}
