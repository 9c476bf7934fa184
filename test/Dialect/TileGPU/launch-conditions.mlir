// RUN: tritium-opt %s -ttg-launch-conditions | FileCheck %s

// Columns of a matrix product: only with a group's size above zero is %pid_n not negative, and
// only if 128 of them do not wrap do the offsets count up over 128 columns. %width makes no access
// wider. The conditions: %rows - %pid / %width * 8, and at most 8 (9 is a minimum, 5 a difference,
// 7 a quotient, 6 a product, 2 the program id, 1 an argument; 8192 are 32 bits); and the larger
// (10) of the offsets and 1, where 11 is the interval of the range.
// CHECK-LABEL: tt.func @columns(
// CHECK-SAME: %{{.*}}: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %{{.*}}: i32, %[[WIDTH:[a-z0-9]+]]: i32, %{{.*}}: i32 {tt.divisibility = 16 : i32})
// CHECK-SAME: attributes {tt.conditions = [
// CHECK-SAME: array<i64: 8193, 1, 8194, 0, 8193, 2, 8199, 0, 8192, 8, 8198, 0, 8197, 0, 8192, 8, 8201, 0>,
// CHECK-SAME: array<i64: {{.*}} 8192, 128, 8198, 0, 16384, 0, 16384, 128, 16384, 1, 16395, 0, 8196, 0, 16384, 1, 16394, 0>]}
// CHECK: arith.minsi {{.*}} {tt.positive} : i32
// CHECK: arith.muli {{.*}} overflow<nsw> : i32
// CHECK: arith.addi {{.*}} overflow<nsw> : tensor<128xi32>
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

// A mask compares offsets in 32 bits if a launch finds that 128 times the program id and the range
// fit. The address is left as it is.
// CHECK-LABEL: tt.func @mask(
// CHECK-SAME: tt.conditions = [array<i64: 8194, 0, 8192, 128, 8198, 0, 8192, 0, 8192, 128, 8192, 1, 8203, 0, 8196, 0, 8192, 1, 8202, 0>]}
// CHECK: arith.cmpi slt, {{.*}} {tt.narrow} : tensor<128xi64>
// CHECK-NOT: tt.narrow
// CHECK: tt.return
tt.func @mask(%p: !tt.ptr<i8>, %n: i32, %index: !tt.ptr<i32>) {
  %c128 = arith.constant 128 : i64
  %pid = tt.get_program_id 0 : i32
  %pid64 = arith.extsi %pid : i32 to i64
  %start = arith.muli %pid64, %c128 : i64
  %t = tt.splat %start : i64 -> tensor<128xi64>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %r64 = arith.extsi %r : tensor<128xi32> to tensor<128xi64>
  %o = arith.addi %t, %r64 : tensor<128xi64>
  %n64 = arith.extsi %n : i32 to i64
  %e = tt.splat %n64 : i64 -> tensor<128xi64>
  %m = arith.cmpi slt, %o, %e : tensor<128xi64>
  %c0 = arith.constant dense<0> : tensor<128xi8>
  %base = tt.splat %p : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>>
  %q = tt.addptr %base, %o : tensor<128x!tt.ptr<i8>>, tensor<128xi64>
  tt.store %q, %c0, %m : tensor<128x!tt.ptr<i8>>

  // Of what is loaded a launch knows nothing.
  %i = tt.load %index : !tt.ptr<i32>
  %i64 = arith.extsi %i : i32 to i64
  %ti = tt.splat %i64 : i64 -> tensor<128xi64>
  %oi = arith.addi %ti, %r64 : tensor<128xi64>
  %mi = arith.cmpi slt, %oi, %e : tensor<128xi64>
  %qi = tt.addptr %base, %oi : tensor<128x!tt.ptr<i8>>, tensor<128xi64>
  tt.store %qi, %c0, %mi : tensor<128x!tt.ptr<i8>>
  tt.return
}

// An argument of 64 bits is read whole (16385), and then has to fit.
// CHECK-LABEL: tt.func @wide(
// CHECK-SAME: tt.conditions = [array<i64: 16385, 1, 8192, 0, 8196, 0, 8192, 0, 8192, 128, 8192, 1, 8203, 0, 8196, 0, 8192, 1, 8202, 0>]}
// CHECK: arith.cmpi slt, {{.*}} {tt.narrow} : tensor<128xi64>
tt.func @wide(%p: !tt.ptr<i8>, %s: i64) {
  %t = tt.splat %s : i64 -> tensor<128xi64>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %r64 = arith.extsi %r : tensor<128xi32> to tensor<128xi64>
  %o = arith.addi %t, %r64 : tensor<128xi64>
  %c16 = arith.constant dense<16> : tensor<128xi64>
  %m = arith.cmpi slt, %o, %c16 : tensor<128xi64>
  %c0 = arith.constant dense<0> : tensor<128xi8>
  %base = tt.splat %p : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>>
  %q = tt.addptr %base, %r : tensor<128x!tt.ptr<i8>>, tensor<128xi32>
  tt.store %q, %c0, %m : tensor<128x!tt.ptr<i8>>
  tt.return
}

// Offsets that are gathered do not wrap by a condition; what the index is made of has none.
// CHECK-LABEL: tt.func @gathered(
// CHECK: arith.muli %{{.*}} overflow<nsw> : i32
// CHECK: arith.muli %{{.*}} overflow<nsw> : tensor<16xi32>
// CHECK: %[[H:.*]] = arith.muli %{{[^o]*}} : tensor<16xi32>
// CHECK-NEXT: %[[I:.*]] = arith.muli %[[H]], %{{[^o]*}} : tensor<16xi32>
// CHECK: tt.gather %{{.*}}[%[[I]]]
tt.func @gathered(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %idx: !tt.ptr<i32>) {
  %pid = tt.get_program_id 0 : i32
  %c = arith.constant 16384 : i32
  %s = arith.muli %pid, %c : i32
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %k = arith.constant dense<1024> : tensor<16xi32>
  %rk = arith.muli %r, %k : tensor<16xi32>
  %ss = tt.splat %s : i32 -> tensor<16xi32>
  %rows = arith.addi %ss, %rk : tensor<16xi32>
  %h1 = arith.constant dense<-1640531527> : tensor<16xi32>
  %h2 = arith.constant dense<340573321> : tensor<16xi32>
  %i0 = arith.muli %r, %h1 : tensor<16xi32>
  %i1 = arith.muli %i0, %h2 : tensor<16xi32>
  %g = tt.gather %rows[%i1] along 0 : tensor<16xi32>[tensor<16xi32>] -> tensor<16xi32>
  %c16 = arith.constant dense<16> : tensor<16xi32>
  %q = arith.divsi %g, %c16 : tensor<16xi32>
  %qe = tt.expand_dims %q {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %qb = tt.broadcast %qe : tensor<16x1xi32> -> tensor<16x64xi32>
  %cc = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ce = tt.expand_dims %cc {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cb = tt.broadcast %ce : tensor<1x64xi32> -> tensor<16x64xi32>
  %o = arith.addi %qb, %cb : tensor<16x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %p = tt.addptr %xs, %o : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  %v = tt.load %p : tensor<16x64x!tt.ptr<f32>>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %p2 = tt.addptr %os, %o : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  tt.store %p2, %v : tensor<16x64x!tt.ptr<f32>>
  tt.return
}
