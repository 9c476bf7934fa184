// RUN: tritium-opt %s -tt-stream-k -canonicalize -cse -split-input-file 2>/dev/null | FileCheck %s
// RUN: tritium-opt %s -tt-stream-k -split-input-file -verify-diagnostics -o /dev/null

// A program has the rounds of its share. Of one part, its sum is the program's; of several, it is
// stored, and whoever ends last has the sums of all.
// CHECK-LABEL: @total
// CHECK-SAME: %[[X:.*]]: !tt.ptr<f32>, %[[Y:.*]]: !tt.ptr<f32>, %[[N:.*]]: i32, %[[B:.*]]: f32, %[[SUMS:.*]]: !tt.ptr<i8> {{.*}}, %[[ARRIVALS:.*]]: !tt.ptr<i32>
// CHECK-SAME: tt.partial_bytes = 128 : i64, tt.stream_k
// CHECK: %from, %to, %place, %first, %parts = tt.program_share %{{.*}}
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %place, %first
// CHECK: %[[INIT:.*]] = arith.select %[[IS_FIRST]], %[[B]], %cst
// CHECK: %[[OWN:.*]] = scf.for %[[I:.*]] = %from to %to step %c1_i32 iter_args(%{{.*}} = %[[INIT]])
// CHECK:   %[[ROUND:.*]] = arith.muli %[[I]], %c2_i32 overflow<nsw>
// CHECK:   arith.addi %[[ROUND]], %c4_i32 overflow<nsw>
// CHECK: %[[IS_WHOLE:.*]] = arith.cmpi eq, %parts, %c1_i32
// CHECK: %[[GOES_ON:.*]] = scf.if %[[IS_WHOLE]] -> (i1) {
// CHECK:   scf.yield %true
// CHECK: } else {
// CHECK:   tt.store %{{.*}}, %[[OWN]] {tt.partial_sum}
// CHECK:   %[[BEFORE:.*]] = tt.atomic_rmw add, acq_rel, gpu, %{{.*}}, %c1_i32 {tt.partial_sum}
// CHECK:   %[[OTHERS:.*]] = arith.subi %parts, %c1_i32
// CHECK:   %[[IS_LAST:.*]] = arith.cmpi eq, %[[BEFORE]], %[[OTHERS]]
// CHECK:   scf.yield %[[IS_LAST]]
// CHECK: scf.if %[[GOES_ON]] {
// CHECK:   %[[SUM:.*]] = scf.if %[[IS_WHOLE]] -> (f32) {
// CHECK:     scf.yield %[[OWN]]
// CHECK:   } else {
// CHECK:     tt.store %{{.*}}, %c0_i32
// CHECK:     %[[FIRST:.*]] = tt.load %{{.*}} {tt.partial_sum}
// CHECK:     %[[ALL:.*]] = scf.for %{{.*}} = %c1_i32 to %parts step %c1_i32 iter_args(%[[SO_FAR:.*]] = %[[FIRST]])
// CHECK:       %[[NEXT:.*]] = tt.load %{{.*}} {tt.partial_sum}
// CHECK:       arith.addf %[[SO_FAR]], %[[NEXT]]
// CHECK:     scf.yield %[[ALL]]
// CHECK:   tt.store %[[Y]], %[[SUM]]
tt.func @total(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32, %begin: f32) {
  %c4 = arith.constant 4 : i32
  %c2 = arith.constant 2 : i32
  // expected-remark@+1 {{programs that are left over where each multiprocessor has as many have several parts, which share the loop's rounds out; the last of them to end adds their sums up and does what comes behind the loop}}
  %sum = scf.for %i = %c4 to %n step %c2 iter_args(%s = %begin) -> (f32) : i32 {
    %p = tt.addptr %x, %i : !tt.ptr<f32>, i32
    %v = tt.load %p : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  tt.store %y, %sum : !tt.ptr<f32>
  tt.return
}

// -----

// Two sums have a place each, from a line of memory on.
// CHECK-LABEL: @two
// CHECK-SAME: tt.partial_bytes = 256 : i64
// CHECK: scf.for
// CHECK: scf.if %{{.*}} -> (tensor<8xf32>, i64)
tt.func @two(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<i64>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %none = arith.constant 0 : i64
  %r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  // expected-remark@+1 {{share the loop's rounds out}}
  %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %c = %none) -> (tensor<8xf32>, i64) : i32 {
    %is = tt.splat %i : i32 -> tensor<8xi32>
    %at = arith.addi %is, %r : tensor<8xi32>
    %p = tt.addptr %xs, %at : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %v = tt.load %p : tensor<8x!tt.ptr<f32>>
    %t = arith.addf %s, %v : tensor<8xf32>
    %wide = arith.extsi %i : i32 to i64
    %d = arith.addi %c, %wide : i64
    scf.yield %t, %d : tensor<8xf32>, i64
  }
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %q = tt.addptr %ys, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %q, %sum#0 : tensor<8x!tt.ptr<f32>>
  tt.store %z, %sum#1 : !tt.ptr<i64>
  tt.return
}

// -----

// CHECK-LABEL: @long
// CHECK-NOT: tt.program_share
tt.func @long(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f32
  // expected-remark@+1 {{stream_k changes nothing: of kernel 'long', its loop counts in 64 bits instead of 32}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i64 {
    %p = tt.addptr %x, %i : !tt.ptr<f32>, i64
    %v = tt.load %p : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  tt.store %y, %sum : !tt.ptr<f32>
  tt.return
}
