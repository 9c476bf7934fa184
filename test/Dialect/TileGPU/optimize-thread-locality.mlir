// RUN: tritium-opt %s -ttg-optimize-thread-locality | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#own = #ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>

// The loop adds tiles, and one reduction stands behind it.
// CHECK-LABEL: tt.func private @sum(
// CHECK-SAME: %[[INIT:[a-z0-9]+]]: f32
// CHECK: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00>
// CHECK: %[[TILE:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]])
// CHECK: %[[X:.*]] = tt.load
// CHECK-NOT: tt.reduce
// CHECK: arith.addf %[[ACC]], %[[X]] : tensor<1024xf32
// CHECK: }
// CHECK: %[[SUM:.*]] = "tt.reduce"(%[[TILE]])
// CHECK: %[[TOTAL:.*]] = arith.addf %[[INIT]], %[[SUM]] : f32
// CHECK: tt.store %{{.*}}, %[[TOTAL]]
tt.func private @sum(%p: tensor<1024x!tt.ptr<f32>, #line>, %q: !tt.ptr<f32>, %n: i32, %init: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 : i32 {
    %x = tt.load %p : tensor<1024x!tt.ptr<f32>, #line>
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<1024xf32, #line>) -> f32
    %t = arith.addf %acc, %r : f32
    scf.yield %t : f32
  }
  tt.store %q, %s : !tt.ptr<f32>
  tt.return
}

// A maximum of rows; NaN gives way to every number.
// CHECK-LABEL: tt.func private @rows(
// CHECK: arith.constant dense<0x7FC00000>
// CHECK: scf.for
// CHECK-NOT: tt.reduce
// CHECK: arith.maxnumf {{.*}} : tensor<4x128xf32
// CHECK: }
// CHECK: "tt.reduce"
tt.func private @rows(%x: tensor<4x128xf32, #rows>, %init: tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, %n: i32) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>> : i32 {
    %y = math.exp %x : tensor<4x128xf32, #rows>
    %r = "tt.reduce"(%y) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.maxnumf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<4x128xf32, #rows>) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %t = arith.maxnumf %r, %acc : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    scf.yield %t : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  }
  tt.return %s : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
}

// A sum of maxima is no sum, and an accumulator that the loop looks at is wanted each time.
// CHECK-LABEL: tt.func private @others(
// CHECK: scf.for
// CHECK: "tt.reduce"
// CHECK: "tt.reduce"
// CHECK: scf.yield
// CHECK: tt.return
tt.func private @others(%x: tensor<1024xf32, #line>, %q: !tt.ptr<f32>, %n: i32, %init: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init, %seen = %init) -> (f32, f32) : i32 {
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.maxnumf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<1024xf32, #line>) -> f32
    %w = arith.addf %acc, %r : f32
    tt.store %q, %seen : !tt.ptr<f32>
    %u = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<1024xf32, #line>) -> f32
    %v = arith.addf %seen, %u : f32
    scf.yield %w, %v : f32, f32
  }
  tt.return %s#0, %s#1 : f32, f32
}

// Every thread has a row of its own: nothing crosses threads.
// CHECK-LABEL: tt.func private @alone(
// CHECK: scf.for
// CHECK: "tt.reduce"
// CHECK: scf.yield
tt.func private @alone(%x: tensor<128x32xf32, #own>, %init: tensor<128xf32, #ttg.slice<{dim = 1, parent = #own}>>, %n: i32) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #own}>> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #own}>> : i32 {
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<128x32xf32, #own>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #own}>>
    %t = arith.addf %acc, %r : tensor<128xf32, #ttg.slice<{dim = 1, parent = #own}>>
    scf.yield %t : tensor<128xf32, #ttg.slice<{dim = 1, parent = #own}>>
  }
  tt.return %s : tensor<128xf32, #ttg.slice<{dim = 1, parent = #own}>>
}
