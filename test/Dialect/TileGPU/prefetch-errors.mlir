// RUN: tritium-opt %s -ttg-prefetch | FileCheck %s

// Pipelined loops whose operands are not loaded a step of k ahead, beside one whose are.

#sa = #ttg.shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [2, 2]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // Nothing speaks against this one.
  // CHECK-LABEL: @plain(
  // CHECK: ttg.local_load {{.*}}{offsets = array<i64: 0, 0>}
  // CHECK: scf.for
  // CHECK: tt.return
  tt.func private @plain(%ra: !ttg.memdesc<3x64x32xf16, #sa, mutable>, %rb: !ttg.memdesc<3x32x64xf16, #sa, mutable>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %slot = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      ttg.async_wait {num = 1 : i32}
      %ma = ttg.memdesc_index %ra[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x64x32xf16, #sa, mutable> -> !ttg.memdesc<64x32xf16, #sa, mutable>
      %a = ttg.local_load %ma : !ttg.memdesc<64x32xf16, #sa, mutable> -> tensor<64x32xf16, #a>
      %mb = ttg.memdesc_index %rb[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x32x64xf16, #sa, mutable> -> !ttg.memdesc<32x64xf16, #sa, mutable>
      %b = ttg.local_load %mb : !ttg.memdesc<32x64xf16, #sa, mutable> -> tensor<32x64xf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %next = arith.addi %slot, %c1 : i32
      scf.yield %d, %next : tensor<64x64xf32, #mma>, i32
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // No loop of the pipeliner.
  // CHECK-LABEL: @no_wait(
  // CHECK-NOT: offsets
  // CHECK: tt.return
  tt.func private @no_wait(%ra: !ttg.memdesc<3x64x32xf16, #sa, mutable>, %rb: !ttg.memdesc<3x32x64xf16, #sa, mutable>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %slot = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      %ma = ttg.memdesc_index %ra[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x64x32xf16, #sa, mutable> -> !ttg.memdesc<64x32xf16, #sa, mutable>
      %a = ttg.local_load %ma : !ttg.memdesc<64x32xf16, #sa, mutable> -> tensor<64x32xf16, #a>
      %mb = ttg.memdesc_index %rb[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x32x64xf16, #sa, mutable> -> !ttg.memdesc<32x64xf16, #sa, mutable>
      %b = ttg.local_load %mb : !ttg.memdesc<32x64xf16, #sa, mutable> -> tensor<32x64xf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %next = arith.addi %slot, %c1 : i32
      scf.yield %d, %next : tensor<64x64xf32, #mma>, i32
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // Two places where buffers become full.
  // CHECK-LABEL: @two_waits(
  // CHECK-NOT: offsets
  // CHECK: tt.return
  tt.func private @two_waits(%ra: !ttg.memdesc<3x64x32xf16, #sa, mutable>, %rb: !ttg.memdesc<3x32x64xf16, #sa, mutable>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %slot = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      ttg.async_wait {num = 1 : i32}
      ttg.async_wait {num = 1 : i32}
      %ma = ttg.memdesc_index %ra[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x64x32xf16, #sa, mutable> -> !ttg.memdesc<64x32xf16, #sa, mutable>
      %a = ttg.local_load %ma : !ttg.memdesc<64x32xf16, #sa, mutable> -> tensor<64x32xf16, #a>
      %mb = ttg.memdesc_index %rb[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x32x64xf16, #sa, mutable> -> !ttg.memdesc<32x64xf16, #sa, mutable>
      %b = ttg.local_load %mb : !ttg.memdesc<32x64xf16, #sa, mutable> -> tensor<32x64xf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %next = arith.addi %slot, %c1 : i32
      scf.yield %d, %next : tensor<64x64xf32, #mma>, i32
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // The operands of a second product would have to wait.
  // CHECK-LABEL: @two_dots(
  // CHECK-NOT: offsets
  // CHECK: tt.return
  tt.func private @two_dots(%ra: !ttg.memdesc<3x64x32xf16, #sa, mutable>, %rb: !ttg.memdesc<3x32x64xf16, #sa, mutable>, %c: tensor<64x64xf32, #mma>, %n: i32, %a2: tensor<64x32xf16, #a>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %slot = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      ttg.async_wait {num = 1 : i32}
      %ma = ttg.memdesc_index %ra[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x64x32xf16, #sa, mutable> -> !ttg.memdesc<64x32xf16, #sa, mutable>
      %a = ttg.local_load %ma : !ttg.memdesc<64x32xf16, #sa, mutable> -> tensor<64x32xf16, #a>
      %mb = ttg.memdesc_index %rb[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x32x64xf16, #sa, mutable> -> !ttg.memdesc<32x64xf16, #sa, mutable>
      %b = ttg.local_load %mb : !ttg.memdesc<32x64xf16, #sa, mutable> -> tensor<32x64xf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %e = tt.dot %a2, %b, %d : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %next = arith.addi %slot, %c1 : i32
      scf.yield %e, %next : tensor<64x64xf32, #mma>, i32
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // The first operand comes from outside.
  // CHECK-LABEL: @outside(
  // CHECK-NOT: offsets
  // CHECK: tt.return
  tt.func private @outside(%ra: !ttg.memdesc<3x64x32xf16, #sa, mutable>, %rb: !ttg.memdesc<3x32x64xf16, #sa, mutable>, %c: tensor<64x64xf32, #mma>, %n: i32, %a2: tensor<64x32xf16, #a>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %slot = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      ttg.async_wait {num = 1 : i32}
      %ma = ttg.memdesc_index %ra[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x64x32xf16, #sa, mutable> -> !ttg.memdesc<64x32xf16, #sa, mutable>
      %a = ttg.local_load %ma : !ttg.memdesc<64x32xf16, #sa, mutable> -> tensor<64x32xf16, #a>
      %mb = ttg.memdesc_index %rb[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x32x64xf16, #sa, mutable> -> !ttg.memdesc<32x64xf16, #sa, mutable>
      %b = ttg.local_load %mb : !ttg.memdesc<32x64xf16, #sa, mutable> -> tensor<32x64xf16, #b>
      %d = tt.dot %a2, %b, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %next = arith.addi %slot, %c1 : i32
      scf.yield %d, %next : tensor<64x64xf32, #mma>, i32
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // It is used once more.
  // CHECK-LABEL: @used_twice(
  // CHECK-NOT: offsets
  // CHECK: tt.return
  tt.func private @used_twice(%ra: !ttg.memdesc<3x64x32xf16, #sa, mutable>, %rb: !ttg.memdesc<3x32x64xf16, #sa, mutable>, %c: tensor<64x64xf32, #mma>, %n: i32, %p: tensor<64x32x!tt.ptr<f16>, #a>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %slot = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      ttg.async_wait {num = 1 : i32}
      %ma = ttg.memdesc_index %ra[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x64x32xf16, #sa, mutable> -> !ttg.memdesc<64x32xf16, #sa, mutable>
      %a = ttg.local_load %ma : !ttg.memdesc<64x32xf16, #sa, mutable> -> tensor<64x32xf16, #a>
      %mb = ttg.memdesc_index %rb[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x32x64xf16, #sa, mutable> -> !ttg.memdesc<32x64xf16, #sa, mutable>
      %b = ttg.local_load %mb : !ttg.memdesc<32x64xf16, #sa, mutable> -> tensor<32x64xf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %x = arith.negf %a : tensor<64x32xf16, #a>
      tt.store %p, %x : tensor<64x32x!tt.ptr<f16>, #a>
      %next = arith.addi %slot, %c1 : i32
      scf.yield %d, %next : tensor<64x64xf32, #mma>, i32
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // The operands lie in buffers of different numbers.
  // CHECK-LABEL: @other_slots(
  // CHECK-NOT: offsets
  // CHECK: tt.return
  tt.func private @other_slots(%ra: !ttg.memdesc<3x64x32xf16, #sa, mutable>, %rb: !ttg.memdesc<3x32x64xf16, #sa, mutable>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %slot = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      ttg.async_wait {num = 1 : i32}
      %ma = ttg.memdesc_index %ra[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x64x32xf16, #sa, mutable> -> !ttg.memdesc<64x32xf16, #sa, mutable>
      %a = ttg.local_load %ma : !ttg.memdesc<64x32xf16, #sa, mutable> -> tensor<64x32xf16, #a>
      %mb = ttg.memdesc_index %rb[%i] {ahead = 0 : i32} : !ttg.memdesc<3x32x64xf16, #sa, mutable> -> !ttg.memdesc<32x64xf16, #sa, mutable>
      %b = ttg.local_load %mb : !ttg.memdesc<32x64xf16, #sa, mutable> -> tensor<32x64xf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %next = arith.addi %slot, %c1 : i32
      scf.yield %d, %next : tensor<64x64xf32, #mma>, i32
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // It lies in a buffer that is filled later.
  // CHECK-LABEL: @later_slot(
  // CHECK-NOT: offsets
  // CHECK: tt.return
  tt.func private @later_slot(%ra: !ttg.memdesc<3x64x32xf16, #sa, mutable>, %rb: !ttg.memdesc<3x32x64xf16, #sa, mutable>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %slot = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      ttg.async_wait {num = 1 : i32}
      %ma = ttg.memdesc_index %ra[%slot] {ahead = 1 : i32} : !ttg.memdesc<3x64x32xf16, #sa, mutable> -> !ttg.memdesc<64x32xf16, #sa, mutable>
      %a = ttg.local_load %ma : !ttg.memdesc<64x32xf16, #sa, mutable> -> tensor<64x32xf16, #a>
      %mb = ttg.memdesc_index %rb[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x32x64xf16, #sa, mutable> -> !ttg.memdesc<32x64xf16, #sa, mutable>
      %b = ttg.local_load %mb : !ttg.memdesc<32x64xf16, #sa, mutable> -> tensor<32x64xf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %next = arith.addi %slot, %c1 : i32
      scf.yield %d, %next : tensor<64x64xf32, #mma>, i32
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // The buffer is always the same.
  // CHECK-LABEL: @constant_slot(
  // CHECK-NOT: offsets
  // CHECK: tt.return
  tt.func private @constant_slot(%ra: !ttg.memdesc<3x64x32xf16, #sa, mutable>, %rb: !ttg.memdesc<3x32x64xf16, #sa, mutable>, %c: tensor<64x64xf32, #mma>, %n: i32) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %slot = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      ttg.async_wait {num = 1 : i32}
      %ma = ttg.memdesc_index %ra[%c0] {ahead = 0 : i32} : !ttg.memdesc<3x64x32xf16, #sa, mutable> -> !ttg.memdesc<64x32xf16, #sa, mutable>
      %a = ttg.local_load %ma : !ttg.memdesc<64x32xf16, #sa, mutable> -> tensor<64x32xf16, #a>
      %mb = ttg.memdesc_index %rb[%c0] {ahead = 0 : i32} : !ttg.memdesc<3x32x64xf16, #sa, mutable> -> !ttg.memdesc<32x64xf16, #sa, mutable>
      %b = ttg.local_load %mb : !ttg.memdesc<32x64xf16, #sa, mutable> -> tensor<32x64xf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %next = arith.addi %slot, %c1 : i32
      scf.yield %d, %next : tensor<64x64xf32, #mma>, i32
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // The next buffer is known only when memory has been read.
  // CHECK-LABEL: @loaded_slot(
  // CHECK-NOT: offsets
  // CHECK: tt.return
  tt.func private @loaded_slot(%ra: !ttg.memdesc<3x64x32xf16, #sa, mutable>, %rb: !ttg.memdesc<3x32x64xf16, #sa, mutable>, %c: tensor<64x64xf32, #mma>, %n: i32, %p: !tt.ptr<i32>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %slot = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      ttg.async_wait {num = 1 : i32}
      %ma = ttg.memdesc_index %ra[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x64x32xf16, #sa, mutable> -> !ttg.memdesc<64x32xf16, #sa, mutable>
      %a = ttg.local_load %ma : !ttg.memdesc<64x32xf16, #sa, mutable> -> tensor<64x32xf16, #a>
      %mb = ttg.memdesc_index %rb[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x32x64xf16, #sa, mutable> -> !ttg.memdesc<32x64xf16, #sa, mutable>
      %b = ttg.local_load %mb : !ttg.memdesc<32x64xf16, #sa, mutable> -> tensor<32x64xf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      %next = tt.load %p : !tt.ptr<i32>
      scf.yield %d, %next : tensor<64x64xf32, #mma>, i32
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }
}
