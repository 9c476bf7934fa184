// RUN: tritium-opt %s --convert-tt-to-ttg=num-warps=4 --ttg-coalesce --ttg-remove-layout-conversions --canonicalize --cse | FileCheck %s

// Of 64 factors of rows, which 128 threads would load one each, a thread loads those of its own rows:
// no factor changes its thread.
// CHECK-DAG: #[[$WIDE:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$RUNS:.*]] = #ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: tt.func @rows(
// CHECK: %[[F:.*]] = tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #[[$WIDE]]}>>
// CHECK-NOT: convert_layout
// CHECK: arith.mulf {{.*}} : tensor<64x16xf32, #[[$WIDE]]>
// CHECK-NOT: convert_layout
// CHECK: tt.return
tt.func @rows(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %f: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %fs = tt.splat %f : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %fp = tt.addptr %fs, %rows : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %factor = tt.load %fp : tensor<64x!tt.ptr<f32>>
  %r1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c16 = arith.constant dense<16> : tensor<64x1xi32>
  %r2 = arith.muli %r1, %c16 : tensor<64x1xi32>
  %r3 = tt.broadcast %r2 : tensor<64x1xi32> -> tensor<64x16xi32>
  %c1 = tt.expand_dims %columns {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %c2 = tt.broadcast %c1 : tensor<1x16xi32> -> tensor<64x16xi32>
  %o = arith.addi %r3, %c2 : tensor<64x16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x16x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %o : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi32>
  %v = tt.load %xp : tensor<64x16x!tt.ptr<f32>>
  %f1 = tt.expand_dims %factor {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  %f2 = tt.broadcast %f1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.mulf %v, %f2 : tensor<64x16xf32>
  tt.store %xp, %y : tensor<64x16x!tt.ptr<f32>>
  tt.return
}

// Of factors of columns each thread would load sixteen, one by one: they change threads.
// CHECK-LABEL: tt.func @columns(
// CHECK: %[[F:.*]] = tt.load %{{.*}} : tensor<128x!tt.ptr<f32>, #[[LINE:[a-z0-9]*]]>
// CHECK: ttg.convert_layout %[[F]] : tensor<128xf32, #[[LINE]]> -> tensor<128xf32, #ttg.slice<{dim = 0,
tt.func @columns(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %f: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %fs = tt.splat %f : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %fp = tt.addptr %fs, %columns : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %factor = tt.load %fp : tensor<128x!tt.ptr<f32>>
  %r1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r2 = tt.broadcast %r1 : tensor<64x1xi32> -> tensor<64x128xi32>
  %c1 = tt.expand_dims %columns {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %c64 = arith.constant dense<64> : tensor<1x128xi32>
  %c2 = arith.muli %c1, %c64 : tensor<1x128xi32>
  %c3 = tt.broadcast %c2 : tensor<1x128xi32> -> tensor<64x128xi32>
  %o = arith.addi %r2, %c3 : tensor<64x128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %o : tensor<64x128x!tt.ptr<f32>>, tensor<64x128xi32>
  %v = tt.load %xp : tensor<64x128x!tt.ptr<f32>>
  %f1 = tt.expand_dims %factor {axis = 0 : i32} : tensor<128xf32> -> tensor<1x128xf32>
  %f2 = tt.broadcast %f1 : tensor<1x128xf32> -> tensor<64x128xf32>
  %y = arith.mulf %v, %f2 : tensor<64x128xf32>
  tt.store %xp, %y : tensor<64x128x!tt.ptr<f32>>
  tt.return
}

// What is volatile, copied ahead, or a place of what is loaded has its own layout; and so have more
// elements than threads.
// CHECK-LABEL: tt.func @others(
// CHECK: tt.load %{{.*}} volatile : tensor<64x!tt.ptr<f32>, #[[LINE:[a-z0-9]*]]>
// CHECK: scf.for
// CHECK: tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #[[LINE]]>
// CHECK: tt.store
// CHECK: tt.load %{{.*}} : tensor<64x!tt.ptr<i32>, #[[LINE]]>
// CHECK: tt.load %{{.*}} : tensor<256x!tt.ptr<f32>, #blocked
tt.func @others(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %f: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %fs = tt.splat %f : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %fp = tt.addptr %fs, %rows : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %r1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c16 = arith.constant dense<16> : tensor<64x1xi32>
  %r2 = arith.muli %r1, %c16 : tensor<64x1xi32>
  %r3 = tt.broadcast %r2 : tensor<64x1xi32> -> tensor<64x16xi32>
  %k1 = tt.expand_dims %columns {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %k2 = tt.broadcast %k1 : tensor<1x16xi32> -> tensor<64x16xi32>
  %o = arith.addi %r3, %k2 : tensor<64x16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x16x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %o : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi32>
  %v = tt.load %xp : tensor<64x16x!tt.ptr<f32>>
  %factor = tt.load %fp volatile : tensor<64x!tt.ptr<f32>>
  %f1 = tt.expand_dims %factor {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  %f2 = tt.broadcast %f1 : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = arith.mulf %v, %f2 : tensor<64x16xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %y) -> tensor<64x16xf32> : i32 {
    %ip = tt.splat %i : i32 -> tensor<64xi32>
    %gp = tt.addptr %fp, %ip : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %g = tt.load %gp : tensor<64x!tt.ptr<f32>>
    %g1 = tt.expand_dims %g {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %g2 = tt.broadcast %g1 : tensor<64x1xf32> -> tensor<64x16xf32>
    %z = arith.mulf %acc, %g2 : tensor<64x16xf32>
    scf.yield %z : tensor<64x16xf32>
  } {tt.num_stages = 3 : i32}
  tt.store %xp, %s : tensor<64x16x!tt.ptr<f32>>
  %places = tt.bitcast %fp : tensor<64x!tt.ptr<f32>> -> tensor<64x!tt.ptr<i32>>
  %place = tt.load %places : tensor<64x!tt.ptr<i32>>
  %place1 = tt.expand_dims %place {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %place2 = tt.broadcast %place1 : tensor<64x1xi32> -> tensor<64x16xi32>
  %there = arith.addi %place2, %k2 : tensor<64x16xi32>
  %wp = tt.addptr %xs, %there : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi32>
  %w = tt.load %wp : tensor<64x16x!tt.ptr<f32>>
  tt.store %wp, %w : tensor<64x16x!tt.ptr<f32>>
  %many = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ms = tt.splat %f : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %mp = tt.addptr %ms, %many : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %m = tt.load %mp : tensor<256x!tt.ptr<f32>>
  tt.store %mp, %m : tensor<256x!tt.ptr<f32>>
  tt.return
}

// A scan of what is computed of vectors, beside a tile that is loaded, is where that lies: a lane
// has a run of what is scanned.
// CHECK-LABEL: tt.func @scan(
// CHECK: %[[V:.*]] = tt.load %{{.*}} : tensor<64x16x!tt.ptr<f32>, #[[$RUNS]]>
// CHECK-NOT: convert_layout
// CHECK: "tt.scan"(%{{.*}}, %[[V]])
// CHECK: (tensor<64x16xf32, #[[$RUNS]]>, tensor<64x16xf32, #[[$RUNS]]>)
// CHECK-NOT: convert_layout
// CHECK: tt.return
tt.func @scan(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %d: f32) {
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %r1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c16 = arith.constant dense<16> : tensor<64x1xi32>
  %r2 = arith.muli %r1, %c16 : tensor<64x1xi32>
  %r3 = tt.broadcast %r2 : tensor<64x1xi32> -> tensor<64x16xi32>
  %k1 = tt.expand_dims %columns {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %k2 = tt.broadcast %k1 : tensor<1x16xi32> -> tensor<64x16xi32>
  %o = arith.addi %r3, %k2 : tensor<64x16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x16x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %o : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi32>
  %v = tt.load %xp : tensor<64x16x!tt.ptr<f32>>
  %decay = tt.splat %d : f32 -> tensor<64x16xf32>
  %s:2 = "tt.scan"(%decay, %v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32, %e: f32):
    %ac = arith.mulf %a, %c : f32
    %bc = arith.mulf %b, %c : f32
    %be = arith.addf %bc, %e : f32
    tt.scan.return %ac, %be : f32, f32
  }) : (tensor<64x16xf32>, tensor<64x16xf32>) -> (tensor<64x16xf32>, tensor<64x16xf32>)
  tt.store %xp, %s#1 : tensor<64x16x!tt.ptr<f32>>
  tt.return
}
