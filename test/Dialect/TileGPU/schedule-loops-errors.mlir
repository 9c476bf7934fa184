// RUN: tritium-opt %s -convert-tt-to-ttg=num-warps=4 -ttg-coalesce -ttg-schedule-loops=num-stages=3 -split-input-file -verify-diagnostics
// RUN: tritium-opt %s -convert-tt-to-ttg=num-warps=4 -ttg-coalesce -ttg-schedule-loops="num-stages=3 most-stages=2" 2>&1 -split-input-file | FileCheck %s --check-prefix=MOST

// MOST: pipeline (missed): the loop has fewer stages: 3 stages of 4096 bytes and what else the program keeps in shared memory are more than its 166912 bytes; use smaller tiles, or num_stages=2

// What keeps the loads of a loop where they are.

tt.func @same_array(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %step: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %start = arith.muli %i, %step : i32
    %px = tt.addptr %x, %start : !tt.ptr<f32>, i32
    %xs = tt.splat %px : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %xc = tt.addptr %xs, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %v = tt.load %xc : tensor<1024x!tt.ptr<f32>>
    // expected-remark @below {{loads are not pipelined, because this may write what a later iteration loads}}
    tt.store %xc, %v : tensor<1024x!tt.ptr<f32>>
  } {tt.num_stages = 3 : i32}
  tt.return
}

// -----

// Blocks are apart, but the same iteration stores first.
tt.func @same_iteration(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %end = arith.extsi %n : i32 to i64
  %c1024 = arith.constant 1024 : i64
  %one = arith.constant dense<1.0> : tensor<1024xf32>
  %c = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  scf.for %i = %c0 to %end step %c1 : i64 {
    %start = arith.muli %i, %c1024 : i64
    %px = tt.addptr %x, %start : !tt.ptr<f32>, i64
    %xs = tt.splat %px : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %xc = tt.addptr %xs, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    // expected-remark @below {{loads are not pipelined, because this may write what a later iteration loads}}
    tt.store %xc, %one : tensor<1024x!tt.ptr<f32>>
    %v = tt.load %xc : tensor<1024x!tt.ptr<f32>>
  } {tt.num_stages = 3 : i32}
  tt.return
}

// -----

tt.func @atomic(%y: !tt.ptr<f32>, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1024 = arith.constant 1024 : i32
  %one = arith.constant 1.0 : f32
  %true = arith.constant true
  %c = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %start = arith.muli %i, %c1024 : i32
    %px = tt.addptr %x, %start : !tt.ptr<f32>, i32
    %xs = tt.splat %px : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %xc = tt.addptr %xs, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %v = tt.load %xc : tensor<1024x!tt.ptr<f32>>
    // expected-remark @below {{the loop is not pipelined: this atomic may order what the loop loads after what other programs write}}
    %old = tt.atomic_rmw fadd, acq_rel, gpu, %y, %one, %true : (!tt.ptr<f32>, f32, i1) -> f32
  } {tt.num_stages = 3 : i32}
  tt.return
}

// -----

tt.func @volatile(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xc = tt.addptr %xs, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-remark @below {{the loop is not pipelined: this load is volatile}}
    %v = tt.load %xc {isVolatile = true} : tensor<1024x!tt.ptr<f32>>
  } {tt.num_stages = 3 : i32}
  tt.return
}

// -----

// A bound below ends no copy early: one element of two bytes at a time.
tt.func @scattered(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %low: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %bound = tt.splat %low : i32 -> tensor<1024xi32>
  %m = arith.cmpi sge, %c, %bound : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %xc = tt.addptr %xs, %c : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-remark @below {{the load is not pipelined: a lane moves less than the 4 bytes of an asynchronous copy}}
    %v = tt.load %xc, %m : tensor<1024x!tt.ptr<f16>>
  } {tt.num_stages = 3 : i32}
  tt.return
}

// -----

tt.func @dependent(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %at: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %pi = tt.addptr %at, %i : !tt.ptr<i32>, i32
    %start = tt.load %pi : !tt.ptr<i32>
    tt.store %at, %n : !tt.ptr<i32>
    %px = tt.addptr %x, %start {tt.divisibility = 16 : i32} : !tt.ptr<f32>, i32
    %xs = tt.splat %px : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %xc = tt.addptr %xs, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    // expected-remark @below {{the load is not pipelined: its address or mask depends on what the same iteration computes with dots, or loads where something may have been stored}}
    %v = tt.load %xc : tensor<1024x!tt.ptr<f32>>
  } {tt.num_stages = 3 : i32}
  tt.return
}

// -----

// 58 buffers of 4096 bytes do not fit.
tt.func @large(%y: !tt.ptr<f32>, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1024 = arith.constant 1024 : i32
  %c = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  // expected-remark @below {{the loop has fewer stages: 58 stages of 4096 bytes are more than the 158720 of shared memory}}
  // expected-remark @below {{1 loads of the loop run 37 iterations ahead}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %start = arith.muli %i, %c1024 : i32
    %px = tt.addptr %x, %start : !tt.ptr<f32>, i32
    %xs = tt.splat %px : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %xc = tt.addptr %xs, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %v = tt.load %xc : tensor<1024x!tt.ptr<f32>>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      tt.reduce.return %r : f32
    }) : (tensor<1024xf32>) -> f32
    tt.store %y, %s : !tt.ptr<f32>
  } {tt.num_stages = 58 : i32}
  tt.return
}

// -----

// Nobody knows what the assembly writes: no copy may start in front of the barrier.
tt.func @barrier_behind_assembly(%y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1024 = arith.constant 1024 : i32
  %c = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %asm = tt.inline_asm "st.global.u32 [$1], 1; mov.u32 $0, 0;", "=r,l" %x : (!tt.ptr<f32>) -> i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-remark @below {{the loop is not pipelined: this barrier may order what the loop loads after what assembly, atomics or other programs write; move it out of the loop}}
    gpu.barrier
    %start = arith.muli %i, %c1024 : i32
    %px = tt.addptr %x, %start : !tt.ptr<f32>, i32
    %xs = tt.splat %px : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %xc = tt.addptr %xs, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %v = tt.load %xc : tensor<1024x!tt.ptr<f32>>
    %py = tt.addptr %y, %start : !tt.ptr<f32>, i32
    %ys = tt.splat %py : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %yc = tt.addptr %ys, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    tt.store %yc, %v : tensor<1024x!tt.ptr<f32>>
  } {tt.num_stages = 3 : i32}
  tt.return
}

// -----

// It may wait for what another program writes and the loop loads.
tt.func @barrier_behind_a_volatile_load(%y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1024 = arith.constant 1024 : i32
  %c = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %flag = tt.load %y {isVolatile = true} : !tt.ptr<f32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-remark @below {{the loop is not pipelined: this barrier may order what the loop loads after what assembly, atomics or other programs write; move it out of the loop}}
    gpu.barrier
    %start = arith.muli %i, %c1024 : i32
    %px = tt.addptr %x, %start : !tt.ptr<f32>, i32
    %xs = tt.splat %px : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %xc = tt.addptr %xs, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %v = tt.load %xc : tensor<1024x!tt.ptr<f32>>
    %py = tt.addptr %y, %start : !tt.ptr<f32>, i32
    %ys = tt.splat %py : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %yc = tt.addptr %ys, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    tt.store %yc, %v : tensor<1024x!tt.ptr<f32>>
  } {tt.num_stages = 3 : i32}
  tt.return
}
