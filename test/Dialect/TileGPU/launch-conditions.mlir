// RUN: tritium-opt %s -tritongpu-launch-conditions | FileCheck %s

// Columns of a matrix product: only with a group's size above zero is %pid_n not negative, and
// only then do the offsets count up over 128 columns. %width makes no access wider. The
// condition: %rows - %pid / %width * 8, and at most 8 (9 is a minimum, 5 a difference, 7 a
// quotient, 6 a product, 2 the program id, 1 an argument; 8192 are 32 bits).
// CHECK-LABEL: tt.func @columns(
// CHECK-SAME: %{{.*}}: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %{{.*}}: i32, %[[WIDTH:[a-z0-9]+]]: i32, %{{.*}}: i32 {tt.divisibility = 16 : i32})
// CHECK-SAME: attributes {tt.conditions = [array<i64: 8193, 1, 8194, 0, 8193, 2, 8199, 0, 8192, 8, 8198, 0, 8197, 0, 8192, 8, 8201, 0>]}
// CHECK: arith.minsi {{.*}} {tt.positive} : i32
tt.func @columns(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i32, %width: i32,
                 %n: i32 {tt.divisibility = 16 : i32}) {
  %c8 = arith.constant 8 : i32
  %c128 = arith.constant 128 : i32
  %pid = tt.get_program_id 0 : i32
  %group = arith.divsi %pid, %width : i32
  %first = arith.muli %group, %c8 : i32
  %left = arith.subi %rows, %first : i32
  %size = arith.minsi %left, %c8 : i32
  %in = arith.remsi %pid, %width : i32
  %pid_n = arith.divsi %in, %size : i32
  %start = arith.muli %pid_n, %c128 : i32
  %t = tt.splat %start : i32 -> tensor<128xi32>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %o = arith.addi %t, %r : tensor<128xi32>
  %e = tt.splat %n : i32 -> tensor<128xi32>
  %m = arith.remsi %o, %e : tensor<128xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %q = tt.addptr %base, %m : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %x = tt.load %q : tensor<128x!tt.ptr<f16>>
  tt.store %q, %x : tensor<128x!tt.ptr<f16>>
  tt.return
}

// Of an argument, from which the index of a loop is divided.
// CHECK-LABEL: tt.func @argument(
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32 {tt.positive})
// CHECK-SAME: tt.conditions = [array<i64: 8193, 1>]
tt.func @argument(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c10 = arith.constant 10 : i32
  %c128 = arith.constant 128 : i32
  scf.for %i = %c0 to %c10 step %c1 : i32 {
    %q = arith.divsi %i, %n : i32
    %start = arith.muli %q, %c128 : i32
    %t = tt.splat %start : i32 -> tensor<128xi32>
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %o = arith.addi %t, %r : tensor<128xi32>
    %e = arith.constant dense<256> : tensor<128xi32>
    %m = arith.remsi %o, %e : tensor<128xi32>
    %base = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
    %a = tt.addptr %base, %m : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
    %x = tt.load %a : tensor<128x!tt.ptr<f16>>
    tt.store %a, %x : tensor<128x!tt.ptr<f16>>
  }
  tt.return
}

// A divisor from memory is nobody's to look at before the launch.
// CHECK-LABEL: tt.func @loaded(
// CHECK-NOT: tt.conditions
// CHECK-NOT: tt.positive
// CHECK: tt.return
tt.func @loaded(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %sizes: !tt.ptr<i32>) {
  %c128 = arith.constant 128 : i32
  %pid = tt.get_program_id 0 : i32
  %size = tt.load %sizes : !tt.ptr<i32>
  %pid_n = arith.divsi %pid, %size : i32
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

// Without a remainder the sign decides nothing.
// CHECK-LABEL: tt.func @useless(
// CHECK-NOT: tt.conditions
// CHECK-NOT: tt.positive
// CHECK: tt.return
tt.func @useless(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c128 = arith.constant 128 : i32
  %pid = tt.get_program_id 0 : i32
  %pid_n = arith.divsi %pid, %n : i32
  %start = arith.muli %pid_n, %c128 : i32
  %t = tt.splat %start : i32 -> tensor<128xi32>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %o = arith.addi %t, %r : tensor<128xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %q = tt.addptr %base, %o : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %x = tt.load %q : tensor<128x!tt.ptr<f16>>
  tt.store %q, %x : tensor<128x!tt.ptr<f16>>
  tt.return
}
