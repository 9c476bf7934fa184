// RUN: tritium-opt %s -tt-split-k=parts=4 -split-input-file -verify-diagnostics | FileCheck %s
// RUN: tritium-opt %s -tt-stream-k -split-input-file 2>/dev/null | FileCheck %s

// One broken premise a kernel: none has parts, by either pass.
// CHECK-NOT: tt.partial_sum

// CHECK-LABEL: @from_anywhere
tt.func @from_anywhere(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-remark@+1 {{split_k=4 changes nothing: of kernel 'from_anywhere', its loop does not begin at a constant that is at least 0, or has no constant step}}
  %sum = scf.for %i = %n to %c1 step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %v = tt.load %x : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  tt.store %x, %sum : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: @from_below
tt.func @from_below(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %below = arith.constant -1 : i32
  // expected-remark@+1 {{split_k=4 changes nothing: of kernel 'from_below', its loop does not begin at a constant that is at least 0, or has no constant step}}
  %sum = scf.for %i = %below to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %v = tt.load %x : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  tt.store %x, %sum : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: @by_any_step
tt.func @by_any_step(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-remark@+1 {{split_k=4 changes nothing: of kernel 'by_any_step', its loop does not begin at a constant that is at least 0, or has no constant step}}
  %sum = scf.for %i = %c0 to %c1 step %n iter_args(%s = %zero) -> (f32) : i32 {
    %v = tt.load %x : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  tt.store %x, %sum : !tt.ptr<f32>
  tt.return
}

// -----

// A sum that the loop reads is none.
// CHECK-LABEL: @prefix
tt.func @prefix(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-remark@+1 {{split_k=4 changes nothing: of kernel 'prefix', from one iteration to the next its loop carries what is neither a sum that nothing else in the loop reads nor a number that moves by the same amount}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %v = tt.load %x : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    %w = math.absf %t : f32
    %p = tt.addptr %x, %i : !tt.ptr<f32>, i32
    tt.store %p, %w : !tt.ptr<f32>
    scf.yield %t : f32
  }
  tt.store %x, %sum : !tt.ptr<f32>
  tt.return
}

// -----

// From what a sum is taken, it is none.
// CHECK-LABEL: @alternating
tt.func @alternating(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-remark@+1 {{split_k=4 changes nothing: of kernel 'alternating', from one iteration to the next its loop carries what is neither a sum that nothing else in the loop reads nor a number that moves by the same amount}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %v = tt.load %x : !tt.ptr<f32>
    %t = arith.subf %v, %s : f32
    scf.yield %t : f32
  }
  tt.store %x, %sum : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: @product
tt.func @product(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-remark@+1 {{split_k=4 changes nothing: of kernel 'product', from one iteration to the next its loop carries what is neither a sum that nothing else in the loop reads nor a number that moves by the same amount}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %v = tt.load %x : !tt.ptr<f32>
    %t = arith.mulf %s, %v : f32
    scf.yield %t : f32
  }
  tt.store %x, %sum : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: @adds_nothing
tt.func @adds_nothing(%x: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark@+1 {{split_k=4 changes nothing: of kernel 'adds_nothing', its loop adds nothing up}}
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%m = %n) -> (i32) : i32 {
    %t = arith.addi %m, %n : i32
    scf.yield %t : i32
  }
  tt.store %x, %last : !tt.ptr<i32>
  tt.return
}

// -----

// CHECK-LABEL: @no_loop
// expected-remark@+1 {{split_k=4 changes nothing: of kernel 'no_loop', it has no loop outside of all branches and other loops}}
tt.func @no_loop(%x: !tt.ptr<f32>, %y: f32) {
  tt.store %x, %y : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: @two_loops
// expected-remark@+1 {{split_k=4 changes nothing: of kernel 'two_loops', it has several loops, one after the other}}
tt.func @two_loops(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %one = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %v = tt.load %x : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  %two = scf.for %i = %c0 to %n step %c1 iter_args(%s = %one) -> (f32) : i32 {
    %v = tt.load %x : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  tt.store %x, %two : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: @writes_in_front
tt.func @writes_in_front(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tt.store %x, %zero : !tt.ptr<f32>
  // expected-remark@+1 {{split_k=4 changes nothing: of kernel 'writes_in_front', what stands in front of its loop, or in it, writes to memory, which each part would do}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %v = tt.load %x : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  tt.store %x, %sum : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: @writes_inside
tt.func @writes_inside(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-remark@+1 {{split_k=4 changes nothing: of kernel 'writes_inside', what stands in front of its loop, or in it, writes to memory, which each part would do}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %v = tt.load %x : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    %p = tt.addptr %x, %i : !tt.ptr<f32>, i32
    tt.store %p, %v : !tt.ptr<f32>
    scf.yield %t : f32
  }
  tt.store %x, %sum : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: @writes_in_a_branch
tt.func @writes_in_a_branch(%x: !tt.ptr<f32>, %n: i32, %b: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  scf.if %b {
    tt.store %x, %zero : !tt.ptr<f32>
  }
  // expected-remark@+1 {{split_k=4 changes nothing: of kernel 'writes_in_a_branch', what stands in front of its loop, or in it, writes to memory, which each part would do}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %v = tt.load %x : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  tt.store %x, %sum : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: @waits
tt.func @waits(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-remark@+1 {{split_k=4 changes nothing: of kernel 'waits', what stands in front of its loop, or in it, waits for other programs, whose parts may not have begun}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %v = tt.load %x cache = cv : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  tt.store %x, %sum : !tt.ptr<f32>
  tt.return
}

// -----

// Also behind the loop.
// CHECK-LABEL: @prints
tt.func @prints(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-remark@+1 {{split_k=4 changes nothing: of kernel 'prints', it prints or asserts, and says of which program}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %v = tt.load %x : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  tt.print "sum" {hex = false, isSigned = array<i1: true>} : %sum : f32
  tt.store %x, %sum : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: @asserts
tt.func @asserts(%x: !tt.ptr<f32>, %n: i32, %b: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tt.assert %b, "m" {shape = array<i64>} : i1
  // expected-remark@+1 {{split_k=4 changes nothing: of kernel 'asserts', it prints or asserts, and says of which program}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %v = tt.load %x : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  tt.store %x, %sum : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: @reads_its_number
tt.func @reads_its_number(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-remark@+1 {{split_k=4 changes nothing: of kernel 'reads_its_number', its assembly reads the number of its CTA}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %v = tt.load %x : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  %id = tt.inline_asm "mov.u32 $0, %ctaid.x;", "=r" : () -> i32
  tt.store %x, %sum : !tt.ptr<f32>
  tt.return
}
