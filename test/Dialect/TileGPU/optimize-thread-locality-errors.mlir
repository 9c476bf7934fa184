// RUN: tritium-opt %s -ttg-optimize-thread-locality | FileCheck %s

// Reductions that stay in their loop, beside one that does not.

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// Nothing speaks against this one.
// CHECK-LABEL: @plain
// CHECK: scf.for {{.*}} -> (tensor<128xf32,
// CHECK: scf.yield
// CHECK: "tt.reduce"
// CHECK: tt.return
tt.func private @plain(%x: tensor<1024xf32, #line>, %n: i32, %init: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 : i32 {
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %u = arith.addf %a, %b : f32
      tt.reduce.return %u : f32
    }) : (tensor<1024xf32, #line>) -> f32
    %t = arith.addf %acc, %r : f32
    scf.yield %t : f32
  }
  tt.return %s : f32
}

// A sum of maxima is no sum.
// CHECK-LABEL: @maxima
// CHECK: scf.for
// CHECK: "tt.reduce"
// CHECK: scf.yield
// CHECK: tt.return
tt.func private @maxima(%x: tensor<1024xf32, #line>, %n: i32, %init: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 : i32 {
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %u = arith.maxnumf %a, %b : f32
      tt.reduce.return %u : f32
    }) : (tensor<1024xf32, #line>) -> f32
    %t = arith.addf %acc, %r : f32
    scf.yield %t : f32
  }
  tt.return %s : f32
}

// Sums that may be reordered, of one that may not.
// CHECK-LABEL: @faster
// CHECK: scf.for
// CHECK: "tt.reduce"
// CHECK: scf.yield
// CHECK: tt.return
tt.func private @faster(%x: tensor<1024xf32, #line>, %n: i32, %init: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 : i32 {
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %u = arith.addf %a, %b : f32
      tt.reduce.return %u : f32
    }) : (tensor<1024xf32, #line>) -> f32
    %t = arith.addf %acc, %r fastmath<reassoc> : f32
    scf.yield %t : f32
  }
  tt.return %s : f32
}

// A difference has no neutral element on the left.
// CHECK-LABEL: @not_neutral
// CHECK: scf.for
// CHECK: "tt.reduce"
// CHECK: scf.yield
// CHECK: tt.return
tt.func private @not_neutral(%x: tensor<1024xf32, #line>, %n: i32, %init: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 : i32 {
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %u = arith.subf %a, %b : f32
      tt.reduce.return %u : f32
    }) : (tensor<1024xf32, #line>) -> f32
    %t = arith.subf %acc, %r : f32
    scf.yield %t : f32
  }
  tt.return %s : f32
}

// A combination that uses one of its arguments twice.
// CHECK-LABEL: @same
// CHECK: scf.for
// CHECK: "tt.reduce"
// CHECK: scf.yield
// CHECK: tt.return
tt.func private @same(%x: tensor<1024xf32, #line>, %n: i32, %init: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 : i32 {
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %u = arith.addf %a, %a : f32
      tt.reduce.return %u : f32
    }) : (tensor<1024xf32, #line>) -> f32
    %t = arith.addf %acc, %r : f32
    scf.yield %t : f32
  }
  tt.return %s : f32
}

// The loop looks at the accumulator.
// CHECK-LABEL: @seen
// CHECK: scf.for
// CHECK: "tt.reduce"
// CHECK: scf.yield
// CHECK: tt.return
tt.func private @seen(%x: tensor<1024xf32, #line>, %n: i32, %init: f32, %q: !tt.ptr<f32>) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 : i32 {
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %u = arith.addf %a, %b : f32
      tt.reduce.return %u : f32
    }) : (tensor<1024xf32, #line>) -> f32
    %t = arith.addf %acc, %r : f32
    tt.store %q, %acc : !tt.ptr<f32>
    scf.yield %t : f32
  }
  tt.return %s : f32
}

// It looks at the sum.
// CHECK-LABEL: @total_seen
// CHECK: scf.for
// CHECK: "tt.reduce"
// CHECK: scf.yield
// CHECK: tt.return
tt.func private @total_seen(%x: tensor<1024xf32, #line>, %n: i32, %init: f32, %q: !tt.ptr<f32>) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 : i32 {
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %u = arith.addf %a, %b : f32
      tt.reduce.return %u : f32
    }) : (tensor<1024xf32, #line>) -> f32
    %t = arith.addf %acc, %r : f32
    tt.store %q, %t : !tt.ptr<f32>
    scf.yield %t : f32
  }
  tt.return %s : f32
}

// It looks at the reduction.
// CHECK-LABEL: @reduction_seen
// CHECK: scf.for
// CHECK: "tt.reduce"
// CHECK: scf.yield
// CHECK: tt.return
tt.func private @reduction_seen(%x: tensor<1024xf32, #line>, %n: i32, %init: f32, %q: !tt.ptr<f32>) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 : i32 {
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %u = arith.addf %a, %b : f32
      tt.reduce.return %u : f32
    }) : (tensor<1024xf32, #line>) -> f32
    tt.store %q, %r : !tt.ptr<f32>
    %t = arith.addf %acc, %r : f32
    scf.yield %t : f32
  }
  tt.return %s : f32
}

// 64 registers of a lane are more than a loop can spare.
// CHECK-LABEL: @registers
// CHECK: scf.for
// CHECK: "tt.reduce"
// CHECK: scf.yield
// CHECK: tt.return
tt.func private @registers(%x: tensor<8192xf32, #line>, %n: i32, %init: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 : i32 {
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %u = arith.addf %a, %b : f32
      tt.reduce.return %u : f32
    }) : (tensor<8192xf32, #line>) -> f32
    %t = arith.addf %acc, %r : f32
    scf.yield %t : f32
  }
  tt.return %s : f32
}
