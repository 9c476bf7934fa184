// RUN: tritium-opt %s -convert-tt-to-ttg=num-warps=4 -ttg-coalesce | FileCheck %s
// RUN: tritium-opt %s -convert-tt-to-ttg="num-warps=4 compute-capability=90 architecture-specific" -ttg-coalesce | FileCheck %s --check-prefix=GROUPS

// Aligned neighbours under a mask of aligned runs: 16 bytes a lane.
// CHECK: #[[$WIDE:.*]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[$HALF:.*]] = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[$BYTES:.*]] = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: @aligned
// CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, #[[$WIDE]]>
tt.func @aligned(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %nn = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>>
  %yy = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %q = tt.addptr %yy, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %q, %v, %m : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Nothing is known of the pointer: one element a lane, so lanes stay neighbours.
// CHECK-LABEL: @unaligned
// CHECK: tt.load {{.*}} : tensor<512x!tt.ptr<f32>, #[[$NARROW:.*]]>
tt.func @unaligned(%x: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %p : tensor<512x!tt.ptr<f32>>
  tt.store %p, %v : tensor<512x!tt.ptr<f32>>
  tt.return
}

// A bound of unknown alignment costs no width.
// CHECK-LABEL: @bound
// CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, #[[$WIDE]]>
tt.func @bound(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %nn = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>>
  tt.store %p, %v, %m : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Versions of a kernel do not share layouts: the narrow one has neighbours in
// neighbouring lanes.
// CHECK-LABEL: @versions
// CHECK: tt.load {{.*}} : tensor<512x!tt.ptr<f32>, #[[$WIDE]]>
// CHECK: } else {
// CHECK: tt.load {{.*}} : tensor<512x!tt.ptr<f32>, #[[$NARROW]]>
tt.func @versions(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32>, %c: i1) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  scf.if %c {
    %xx = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
    %p = tt.addptr %xx, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>>
    tt.store %p, %v : tensor<512x!tt.ptr<f32>>
  } else {
    %yy = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
    %p = tt.addptr %yy, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
    %v = tt.load %p : tensor<512x!tt.ptr<f32>>
    tt.store %p, %v : tensor<512x!tt.ptr<f32>>
  } {ttg.versions}
  tt.return
}

// Bytes that only a dot uses, through a cast and a transposition, are loaded 16 a lane: the f32
// store of the same shape takes four elements a lane, and so does a load that it uses.
// CHECK-LABEL: @for_dots
// CHECK: tt.load {{.*}} : tensor<64x64x!tt.ptr<i8>, #[[$BYTES]]>
// CHECK: tt.load {{.*}} : tensor<64x64x!tt.ptr<f32>, #[[$FOUR:.*]]>
// CHECK: tt.store {{.*}} : tensor<64x64x!tt.ptr<f32>, #[[$FOUR]]>
tt.func @for_dots(%a: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r0 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %rows = arith.muli %r0, %pitch : tensor<64x1xi32>
  %i = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %j = tt.broadcast %r1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %i, %j : tensor<64x64xi32>
  %aa = tt.splat %a : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>>
  %pa = tt.addptr %aa, %at : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
  %x = tt.load %pa : tensor<64x64x!tt.ptr<i8>>
  %h = arith.sitofp %x : tensor<64x64xi8> to tensor<64x64xf16>
  %t = tt.trans %h {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
  %cc = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %pc = tt.addptr %cc, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %z = tt.load %pc : tensor<64x64x!tt.ptr<f32>>
  %d = tt.dot %h, %t, %z : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  tt.store %pc, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// The halves of a tile that is split are stored two elements a lane where the whole is loaded
// four a lane.
// CHECK-LABEL: @halves
// CHECK: tt.load {{.*}} : tensor<2048x!tt.ptr<f32>, #[[$WIDE]]>
// CHECK: tt.store {{.*}} : tensor<1024x!tt.ptr<f32>, #[[$HALF]]>
tt.func @halves(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %v = tt.load %p : tensor<2048x!tt.ptr<f32>>
  %pairs = tt.reshape %v : tensor<2048xf32> -> tensor<1024x2xf32>
  %a = "tt.reduce"(%pairs) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %m: f32):
    %o = arith.addf %l, %m : f32
    tt.reduce.return %o : f32
  }) : (tensor<1024x2xf32>) -> tensor<1024xf32>
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %q = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %q, %a : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// In the version for rows of unknown alignment, the aligned tile beside one is narrow, too: lanes
// that are four elements apart would touch each line of it four times.
// CHECK-LABEL: @beside_unaligned
// CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, #[[$NARROW]]>
// CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, #[[$NARROW]]>
// CHECK: tt.store {{.*}} : tensor<1024x!tt.ptr<f32>, #[[$NARROW]]>
tt.func @beside_unaligned(%x: !tt.ptr<f32>, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %c: i1) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  scf.if %c {
    %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
    %yy = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %q = tt.addptr %yy, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %w = tt.load %q : tensor<1024x!tt.ptr<f32>>
    %z = arith.addf %v, %w : tensor<1024xf32>
    tt.store %p, %z : tensor<1024x!tt.ptr<f32>>
  } {ttg.versions}
  tt.return
}

// Addresses that are no neighbours touch a line each, whatever the width, so what is beside them
// stays wide.
// CHECK-LABEL: @beside_scattered
// CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<i32>, #[[$WIDE]]>
// CHECK: tt.load {{.*}} : tensor<1024x!tt.ptr<f32>, #[[$WIDE]]>
// CHECK: tt.store {{.*}} : tensor<1024x!tt.ptr<f32>, #[[$WIDE]]>
tt.func @beside_scattered(%i: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %c: i1) {
  scf.if %c {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %ii = tt.splat %i : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %ip = tt.addptr %ii, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %at = tt.load %ip : tensor<1024x!tt.ptr<i32>>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xx, %at : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
  %yy = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %q = tt.addptr %yy, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %q, %v : tensor<1024x!tt.ptr<f32>>
  } {ttg.versions}
  tt.return
}

// 48 x 80 of an operand of warp groups are panels of 16 x 16, each of which all threads hold alike. 128 rows are
// as they are without.
// GROUPS-DAG: #[[$PANELS:.*]] = #ttg.linear<{register = [0, 1, 0, 2, 0, 4], lane = [0, 8, 1, 0, 2, 0, 4, 0, 8, 0], warp = [0, 0, 0, 0], shape = [16, 16]}>
// GROUPS-DAG: #[[$ROWS:.*]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
// GROUPS-LABEL: @panels
// GROUPS: tt.load {{.*}} : tensor<128x48x!tt.ptr<f16>, #[[$ROWS]]>
// GROUPS: tt.load {{.*}} : tensor<48x80x!tt.ptr<f16>, #[[$PANELS]]>
// CHECK-LABEL: @panels
// CHECK-NOT: ttg.linear
// CHECK: tt.dot
tt.func @panels(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %ps: !tt.ptr<f32>) {
  %zero_p = tt.splat %ps : !tt.ptr<f32> -> tensor<128x80x!tt.ptr<f32>>
  %zero = tt.load %zero_p : tensor<128x80x!tt.ptr<f32>>
  %m = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %k = tt.make_range {start = 0 : i32, end = 48 : i32} : tensor<48xi32>
  %n = tt.make_range {start = 0 : i32, end = 80 : i32} : tensor<80xi32>
  %c48 = arith.constant dense<48> : tensor<128x1xi32>
  %c80 = arith.constant dense<80> : tensor<48x1xi32>
  %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %m2 = arith.muli %m1, %c48 : tensor<128x1xi32>
  %m3 = tt.broadcast %m2 : tensor<128x1xi32> -> tensor<128x48xi32>
  %k1 = tt.expand_dims %k {axis = 0 : i32} : tensor<48xi32> -> tensor<1x48xi32>
  %k2 = tt.broadcast %k1 : tensor<1x48xi32> -> tensor<128x48xi32>
  %ia = arith.addi %m3, %k2 : tensor<128x48xi32>
  %k3 = tt.expand_dims %k {axis = 1 : i32} : tensor<48xi32> -> tensor<48x1xi32>
  %k4 = arith.muli %k3, %c80 : tensor<48x1xi32>
  %k5 = tt.broadcast %k4 : tensor<48x1xi32> -> tensor<48x80xi32>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<80xi32> -> tensor<1x80xi32>
  %n2 = tt.broadcast %n1 : tensor<1x80xi32> -> tensor<48x80xi32>
  %ib = arith.addi %k5, %n2 : tensor<48x80xi32>
  %pa = tt.splat %p : !tt.ptr<f16> -> tensor<128x48x!tt.ptr<f16>>
  %pb = tt.splat %p : !tt.ptr<f16> -> tensor<48x80x!tt.ptr<f16>>
  %qa = tt.addptr %pa, %ia : tensor<128x48x!tt.ptr<f16>>, tensor<128x48xi32>
  %qb = tt.addptr %pb, %ib : tensor<48x80x!tt.ptr<f16>>, tensor<48x80xi32>
  %a = tt.load %qa : tensor<128x48x!tt.ptr<f16>>
  %b = tt.load %qb : tensor<48x80x!tt.ptr<f16>>
  %d = tt.dot %a, %b, %zero : tensor<128x48xf16> * tensor<48x80xf16> -> tensor<128x80xf32>
  %d_p = tt.splat %ps : !tt.ptr<f32> -> tensor<128x80x!tt.ptr<f32>>
  tt.store %d_p, %d : tensor<128x80x!tt.ptr<f32>>
  tt.return
}

// Factors of columns, 2 bytes a lane, could not be copied ahead: lanes load 4, half of them what
// others load, too. Behind the loop, or where no dot needs them, they are loaded as they lie.
// CHECK-LABEL: @factors
// CHECK: scf.for
// CHECK: tt.load %{{.*}} : tensor<128x!tt.ptr<f16>, #[[$HALF]]>
// CHECK: tt.dot
// CHECK: tt.load %{{.*}} : tensor<128x!tt.ptr<f16>, #blocked>
tt.func @factors(%f: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %a = arith.constant dense<1.0> : tensor<16x32xf16>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %ff = tt.splat %f : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %p = tt.addptr %ff, %r : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32>) : i32 {
    %v = tt.load %p : tensor<128x!tt.ptr<f16>>
    %row = tt.expand_dims %v {axis = 0 : i32} : tensor<128xf16> -> tensor<1x128xf16>
    %b = tt.broadcast %row : tensor<1x128xf16> -> tensor<32x128xf16>
    %d = tt.dot %a, %b, %acc : tensor<16x32xf16> * tensor<32x128xf16> -> tensor<16x128xf32>
    scf.yield %d : tensor<16x128xf32>
  }
  %w = tt.load %p : tensor<128x!tt.ptr<f16>>
  %yy = tt.splat %y : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %q = tt.addptr %yy, %r : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  tt.store %q, %w : tensor<128x!tt.ptr<f16>>
  %oo = tt.splat %f : !tt.ptr<f16> -> tensor<16x128x!tt.ptr<f16>>
  %h = arith.truncf %s : tensor<16x128xf32> to tensor<16x128xf16>
  tt.store %oo, %h : tensor<16x128x!tt.ptr<f16>>
  tt.return
}
