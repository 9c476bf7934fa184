// RUN: tritium-opt %s -tt-split-k=parts=4 -canonicalize -cse 2>/dev/null | FileCheck %s
// RUN: tritium-opt %s -tt-split-k=parts=20 -canonicalize -cse 2>/dev/null | FileCheck %s -check-prefix=MANY
// RUN: tritium-opt %s -tt-split-k=parts=4 -split-input-file -verify-diagnostics -o /dev/null

// A part has its share of the rounds, the offset that the rounds before it have made, and no more
// of what the sum begins with than the first one. The last part to end has the sums of all.
// CHECK-LABEL: @total
// CHECK-SAME: %[[X:.*]]: !tt.ptr<f32>, %[[Y:.*]]: !tt.ptr<f32>, %[[N:.*]]: i32, %[[B:.*]]: f32, %[[SUMS:.*]]: !tt.ptr<i8> {{.*}}, %[[ARRIVALS:.*]]: !tt.ptr<i32>
// CHECK-SAME: tt.partial_bytes = 128 : i64, tt.split_k = 4 : i32
// CHECK: %[[NUMBER:.*]] = arith.divsi %{{.*}}, %c4_i32
// CHECK: %[[PART:.*]] = arith.divsi %{{.*}}, %[[NUMBER]]
// CHECK: %[[FROM:.*]] = arith.trunci
// CHECK: %[[TO:.*]] = arith.trunci
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[PART]], %c0_i32
// CHECK: %[[INIT:.*]] = arith.select %[[FIRST]], %[[B]], %cst
// CHECK: %[[WIDE:.*]] = arith.extsi %[[FROM]] : i32 to i64
// CHECK: %[[MOVED:.*]] = arith.muli %[[WIDE]], %c24_i64
// CHECK: %[[LOOP:.*]]:2 = scf.for %[[I:.*]] = %[[FROM]] to %[[TO]] step %c1_i32 iter_args(%{{.*}} = %[[INIT]], %{{.*}} = %[[MOVED]])
// CHECK:   %[[ROUND:.*]] = arith.muli %[[I]], %c2_i32 overflow<nsw>
// CHECK:   %[[INDEX:.*]] = arith.addi %[[ROUND]], %c4_i32 overflow<nsw>
// CHECK:   arith.sitofp %[[INDEX]]
// CHECK: tt.store %{{.*}}, %[[LOOP]]#0 {tt.partial_sum}
// CHECK: %[[OLD:.*]] = tt.atomic_rmw add, acq_rel, gpu, %{{.*}}, %c1_i32
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[OLD]], %c3_i32
// CHECK: scf.if %[[LAST]] {
// CHECK:   tt.store %{{.*}}, %c0_i32
// CHECK:   %[[S0:.*]] = tt.load
// CHECK:   %[[S1:.*]] = tt.load
// CHECK:   %[[S2:.*]] = tt.load
// CHECK:   %[[S3:.*]] = tt.load
// CHECK:   %[[S01:.*]] = arith.addf %[[S0]], %[[S1]]
// CHECK:   %[[S012:.*]] = arith.addf %[[S01]], %[[S2]]
// CHECK:   %[[WHOLE:.*]] = arith.addf %[[S012]], %[[S3]]
// CHECK:   tt.store %{{.*}}, %[[WHOLE]]
// Of many parts, eight at a time are on their way.
// MANY-LABEL: @total
// MANY: scf.if
// MANY-COUNT-4: tt.load
// MANY: %[[WHOLE:.*]] = scf.for %{{.*}} = %c4_i32 to %c20_i32 step %c8_i32
// MANY-COUNT-8: tt.load
// MANY-COUNT-8: arith.addf
// MANY: tt.store %{{.*}}, %[[WHOLE]]
tt.func @total(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32, %begin: f32) {
  %c4 = arith.constant 4 : i32
  %c2 = arith.constant 2 : i32
  %o0 = arith.constant 0 : i64
  %o24 = arith.constant 24 : i64
  // expected-remark@+1 {{the loop is split in 4 parts, each of which is a program of its own; the last of them to end adds their sums up and does what comes behind the loop}}
  %sum:2 = scf.for %i = %c4 to %n step %c2 iter_args(%s = %begin, %o = %o0) -> (f32, i64) : i32 {
    %p = tt.addptr %x, %o : !tt.ptr<f32>, i64
    %v = tt.load %p : !tt.ptr<f32>
    %f = arith.sitofp %i : i32 to f32
    %m = arith.mulf %v, %f : f32
    %t = arith.addf %s, %m : f32
    %o1 = arith.addi %o, %o24 : i64
    scf.yield %t, %o1 : f32, i64
  }
  tt.store %y, %sum#0 : !tt.ptr<f32>
  tt.return
}

// -----

// What the third dimension has is the program's own, for the parts of it.
// CHECK-LABEL: @third
// CHECK: %[[ALL:.*]] = tt.get_num_programs 2
// CHECK: %[[PLACE:.*]] = tt.get_program_id 2
// CHECK: %[[NUMBER:.*]] = arith.divsi %[[ALL]], %c4_i32
// CHECK: %[[ID:.*]] = arith.remsi %[[PLACE]], %[[NUMBER]]
// CHECK: scf.if
// CHECK: arith.muli %[[ID]], %[[NUMBER]]
tt.func @third(%x: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark@+1 {{is split in 4 parts}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %t = arith.addi %s, %i : i32
    scf.yield %t : i32
  }
  %id = tt.get_program_id 2 : i32
  %number = tt.get_num_programs 2 : i32
  %both = arith.muli %id, %number : i32
  %p = tt.addptr %x, %both : !tt.ptr<i32>, i32
  tt.store %p, %sum : !tt.ptr<i32>
  tt.return
}
