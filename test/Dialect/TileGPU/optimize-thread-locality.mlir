// RUN: tritium-opt %s -ttg-optimize-thread-locality | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: tritium-opt %s -ttg-optimize-thread-locality=fp-fusion=false | FileCheck %s --check-prefixes=CHECK,APART

// CHECK-DAG: #[[$LINEAR:.*]] = #ttg.linear<{register = [0, 0, 1, 0, 0, 2, 1, 0, 0], lane = [0, 1, 0, 0, 2, 0, 0, 4, 0, 0, 8, 0, 0, 16, 0], warp = [0, 32, 0, 0, 64, 0], shape = [2, 128, 4]}>
#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#single = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#own = #ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>

// The loop adds what each thread has added up, and one reduction among threads stands behind it.
// CHECK-LABEL: tt.func private @sum(
// CHECK-SAME: %[[INIT:[a-z0-9]+]]: f32
// CHECK: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : tensor<128xf32
// CHECK: %[[TILE:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]])
// CHECK: %[[X:.*]] = tt.load
// CHECK: %[[OWN:.*]] = tt.reshape %[[X]] : tensor<1024xf32, {{.*}}> -> tensor<2x128x4xf32, #[[$LINEAR]]>
// CHECK: %[[RUNS:.*]] = "tt.reduce"(%[[OWN]]) <{axis = 2 : i32}>
// CHECK: %[[Y:.*]] = "tt.reduce"(%[[RUNS]]) <{axis = 0 : i32}>
// CHECK-NOT: tt.reduce"
// CHECK: arith.addf %[[ACC]], %[[Y]] : tensor<128xf32
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

// A maximum of rows begins with the first value in all places.
// CHECK-LABEL: tt.func private @rows(
// CHECK: %[[C:.*]] = tt.expand_dims %{{.*}} {axis = 1 : i32}
// CHECK: %[[INITS:.*]] = tt.broadcast %[[C]] : {{.*}} -> tensor<4x32xf32
// CHECK: scf.for
// CHECK: tt.reshape {{.*}} -> tensor<4x32x4xf32
// CHECK: "tt.reduce"{{.*}} <{axis = 2 : i32}>
// CHECK: arith.maxnumf {{.*}} : tensor<4x32xf32
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

// Of a layout in which registers lie between lanes and warps, too, no one axis says what threads
// hold: the loop adds tiles.
// CHECK-LABEL: tt.func private @between(
// CHECK: arith.constant dense<-0.000000e+00> : tensor<512xf32
// CHECK: scf.for
// CHECK-NOT: "tt.reduce"
// CHECK: arith.addf {{.*}} : tensor<512xf32
// CHECK: }
// CHECK: "tt.reduce"
#between = #ttg.linear<{register = [1, 64], lane = [2, 4, 8, 16, 32], warp = [128, 256], shape = [512]}>
tt.func private @between(%x: tensor<512xf32, #between>, %init: f32, %n: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 : i32 {
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<512xf32, #between>) -> f32
    %t = arith.addf %acc, %r : f32
    scf.yield %t : f32
  }
  tt.return %s : f32
}

// Nor of one in which a register's elements are apart in two bits.
// CHECK-LABEL: tt.func private @mixed(
// CHECK: scf.for
// CHECK-NOT: "tt.reduce"
// CHECK: arith.addf {{.*}} : tensor<256xf32
// CHECK: }
#mixed = #ttg.linear<{register = [129], lane = [2, 4, 8, 16, 32], warp = [1, 64], shape = [256]}>
tt.func private @mixed(%x: tensor<256xf32, #mixed>, %init: f32, %n: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> f32 : i32 {
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<256xf32, #mixed>) -> f32
    %t = arith.addf %acc, %r : f32
    scf.yield %t : f32
  }
  tt.return %s : f32
}

// A sum that shrinks by what the maximum grows is one of each thread's, too, that begins with the
// first value at the first place of the row.
// CHECK-LABEL: tt.func private @online(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x128xf32
// CHECK-SAME: %[[INIT:[a-z0-9]+]]: tensor<4xf32
// CHECK: %[[PLACE:.*]] = tt.make_range {end = 32 : i32, start = 0 : i32}
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[PLACE]]
// CHECK: %[[ROW:.*]] = tt.expand_dims %[[FIRST]] {axis = 0 : i32}
// CHECK: %[[IS:.*]] = tt.broadcast %[[ROW]]
// CHECK: %[[REST:.*]] = arith.constant dense<-0.000000e+00> : tensor<4x32xf32
// CHECK: %[[COLUMN:.*]] = tt.expand_dims %[[INIT]] {axis = 1 : i32}
// CHECK: %[[INITS:.*]] = tt.broadcast %[[COLUMN]]
// CHECK: %[[START:.*]] = arith.select %[[IS]], %[[INITS]], %[[REST]]
// CHECK: %[[TILE:.*]]:2 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[START]],
// CHECK: %[[FACTOR:.*]] = math.exp2
// CHECK: %[[OWN:.*]] = "tt.reduce"{{.*}} <{axis = 2 : i32}>
// CHECK: %[[F1:.*]] = tt.expand_dims %[[FACTOR]] {axis = 1 : i32}
// CHECK: %[[F:.*]] = tt.broadcast %[[F1]] : tensor<4x1xf32, {{.*}}> -> tensor<4x32xf32
// FUSED: math.fma %[[ACC]], %[[F]], %[[OWN]] : tensor<4x32xf32
// APART: %[[LESS:.*]] = arith.mulf %[[ACC]], %[[F]] : tensor<4x32xf32
// APART: arith.addf %[[LESS]], %[[OWN]] : tensor<4x32xf32
// CHECK: }
// CHECK: %[[SUM:.*]] = "tt.reduce"(%[[TILE]]#0) <{axis = 1 : i32}>
// CHECK: tt.return %[[SUM]]
tt.func private @online(%x: tensor<4x128xf32, #rows>, %init: tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, %c: i1, %n: i32) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %least = arith.constant dense<0xFF800000> : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  %half = arith.constant dense<0.5> : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init, %m = %least) -> (tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>) : i32 {
    %top = scf.if %c -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>> {
      %a = arith.maxnumf %m, %half : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
      scf.yield %a : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    } else {
      %a = arith.maximumf %init, %m : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
      scf.yield %a : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    }
    %below = arith.subf %m, %top : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %scaled = arith.mulf %below, %half : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %factor = math.exp2 %scaled : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %y = math.exp %x : tensor<4x128xf32, #rows>
    %r = "tt.reduce"(%y) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<4x128xf32, #rows>) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %less = arith.mulf %acc, %factor : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %t = arith.addf %less, %r : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    scf.yield %t, %top : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  }
  tt.return %s#0 : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
}

// The same, fused before.
// CHECK-LABEL: tt.func private @fused(
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<4x32xf32
// CHECK: %[[OWN:.*]] = "tt.reduce"{{.*}} <{axis = 2 : i32}>
// CHECK: %[[F:.*]] = tt.broadcast {{.*}} -> tensor<4x32xf32
// CHECK: math.fma %[[ACC]], %[[F]], %[[OWN]] : tensor<4x32xf32
// CHECK: }
// CHECK: "tt.reduce"({{.*}}#0) <{axis = 1 : i32}>
tt.func private @fused(%x: tensor<4x128xf32, #rows>, %init: tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, %n: i32) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %least = arith.constant dense<0xFF800000> : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init, %m = %least) -> (tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>) : i32 {
    %top = arith.maxnumf %m, %init : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %below = arith.subf %m, %top : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %factor = math.exp2 %below : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %y = math.exp %x : tensor<4x128xf32, #rows>
    %r = "tt.reduce"(%y) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<4x128xf32, #rows>) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %t = math.fma %factor, %acc, %r : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    scf.yield %t, %top : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  }
  tt.return %s#0 : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
}

// Not where the accumulator is what is added to a product, or a maximum is.
// CHECK-LABEL: tt.func private @added(
// CHECK-COUNT-2: scf.for {{.*}} -> (tensor<4xf32
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func private @added(%x: tensor<4x128xf32, #rows>, %init: tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, %n: i32) -> (tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %least = arith.constant dense<0xFF800000> : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  %top = arith.maxnumf %least, %init : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  %below = arith.subf %least, %top : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  %factor = math.exp2 %below : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  %k = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>> : i32 {
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<4x128xf32, #rows>) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %t = math.fma %factor, %r, %acc : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    scf.yield %t : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  }
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>> : i32 {
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.maxnumf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<4x128xf32, #rows>) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %t = math.fma %acc, %factor, %r : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    scf.yield %t : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  }
  tt.return %k, %l : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
}

// A product that is added up is rounded with the sum.
// CHECK-LABEL: tt.func private @products(
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<4x32xf32
// FUSED: math.fma %{{.*}}, %{{.*}}, %[[ACC]] : tensor<4x32xf32
// APART: %[[P:.*]] = arith.mulf
// APART: arith.addf %[[ACC]], %[[P]] : tensor<4x32xf32
tt.func private @products(%x: tensor<4x32xf32, #single>, %n: i32) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #single}>> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<4xf32, #ttg.slice<{dim = 1, parent = #single}>>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #single}>> : i32 {
    %y = arith.mulf %x, %x : tensor<4x32xf32, #single>
    %r = "tt.reduce"(%y) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<4x32xf32, #single>) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #single}>>
    %t = arith.addf %acc, %r : tensor<4xf32, #ttg.slice<{dim = 1, parent = #single}>>
    scf.yield %t : tensor<4xf32, #ttg.slice<{dim = 1, parent = #single}>>
  }
  tt.return %s : tensor<4xf32, #ttg.slice<{dim = 1, parent = #single}>>
}

// A factor that may be infinite would make NaN of a thread's zero: any number's exponential, that of
// how far a number is above the lesser of two, and one that a negative constant turns around.
// CHECK-LABEL: tt.func private @factors(
// CHECK-COUNT-3: scf.for {{.*}} -> (tensor<4xf32
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func private @factors(%x: tensor<4x128xf32, #rows>, %init: tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, %n: i32) -> (tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %minus = arith.constant dense<-1.0> : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  %k = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>> : i32 {
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<4x128xf32, #rows>) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %factor = math.exp2 %init : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %less = arith.mulf %acc, %factor : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %t = arith.addf %less, %r : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    scf.yield %t : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  }
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>> : i32 {
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<4x128xf32, #rows>) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %lesser = arith.minnumf %init, %minus : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %above = arith.subf %init, %lesser : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %factor = math.exp2 %above : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %less = arith.mulf %acc, %factor : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %t = arith.addf %less, %r : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    scf.yield %t : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  }
  %m = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>> : i32 {
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<4x128xf32, #rows>) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %greater = arith.maxnumf %init, %minus : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %below = arith.subf %init, %greater : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %turned = arith.mulf %below, %minus : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %factor = math.exp2 %turned : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %less = arith.mulf %acc, %factor : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %t = arith.addf %less, %r : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    scf.yield %t : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  }
  tt.return %k, %l, %m : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
}

// A constant in the place of a maximum that is minus infinity is above all of it, but not in that of
// another number.
// CHECK-LABEL: tt.func private @safe(
// CHECK: scf.for {{.*}} -> (tensor<4x32xf32
tt.func private @safe(%x: tensor<4x128xf32, #rows>, %init: tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, %n: i32) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  %least = arith.constant dense<0xFF800000> : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>> : i32 {
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<4x128xf32, #rows>) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %new = arith.maxnumf %init, %zero : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %none = arith.cmpf oeq, %new, %least : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %safe = arith.select %none, %zero, %new : tensor<4xi1, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %below = arith.subf %init, %safe : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %factor = math.exp2 %below : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %less = arith.mulf %acc, %factor : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %t = arith.addf %less, %r : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    scf.yield %t : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  }
  tt.return %s : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
}

// CHECK-LABEL: tt.func private @unsafe(
// CHECK: scf.for {{.*}} -> (tensor<4xf32
tt.func private @unsafe(%x: tensor<4x128xf32, #rows>, %init: tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, %n: i32) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  %least = arith.constant dense<-1.0> : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>> : i32 {
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<4x128xf32, #rows>) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %new = arith.maxnumf %init, %zero : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %none = arith.cmpf oeq, %new, %least : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %safe = arith.select %none, %zero, %new : tensor<4xi1, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %below = arith.subf %init, %safe : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %factor = math.exp2 %below : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %less = arith.mulf %acc, %factor : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %t = arith.addf %less, %r : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    scf.yield %t : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  }
  tt.return %s : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
}

// CHECK-LABEL: tt.func private @not_safe(
// CHECK: scf.for {{.*}} -> (tensor<4xf32
tt.func private @not_safe(%x: tensor<4x128xf32, #rows>, %init: tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>, %n: i32) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  %least = arith.constant dense<0xFF800000> : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>> : i32 {
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<4x128xf32, #rows>) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %new = arith.maxnumf %init, %zero : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %none = arith.cmpf one, %new, %least : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %safe = arith.select %none, %zero, %new : tensor<4xi1, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %below = arith.subf %init, %safe : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %factor = math.exp2 %below : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %less = arith.mulf %acc, %factor : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    %t = arith.addf %less, %r : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    scf.yield %t : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  }
  tt.return %s : tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
}
