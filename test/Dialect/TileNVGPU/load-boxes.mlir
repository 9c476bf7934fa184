// RUN: tritium-opt %s -split-input-file -ttng-load-boxes | FileCheck %s
// RUN: tritium-opt %s -split-input-file -ttng-load-boxes="may-alias=true" | FileCheck %s --check-prefix=ALIAS
// RUN: tritium-opt %s -split-input-file -ttng-load-boxes -verify-diagnostics -o /dev/null

#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#first = #ttg.schedule<stage = 0, order = 0>
#copy = #ttg.schedule<stage = 0, order = 1>
#last = #ttg.schedule<stage = 1, order = 2>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // Rows of a program's batch and block, columns of the loop's, one of which the mask bounds. The
  // third stage comes from the third buffer; the copy starts behind the dot.
  // CHECK-LABEL: @squares
  // CHECK-SAME: %[[P:[a-z0-9]*]]: !tt.ptr<f16>, %[[PITCH:[a-z0-9]*]]: i64, %[[BATCH:[a-z0-9]*]]: i64, %[[N:[a-z0-9]*]]: i32)
  // CHECK-SAME: tt.copy_conditions
  // CHECK: scf.for %[[K:.*]] = {{.*}} iter_args
  // CHECK-NOT: tt.load
  // CHECK: ttng.load_box %[[P]][%{{.*}}, %{{.*}}, %{{.*}}] shape[%{{.*}}, %{{.*}}, %{{.*}}] strides[%{{.*}}, %{{.*}}, %{{.*}}] {ttg.async_copy = #shared, ttg.schedule = #ttg.schedule<stage = 0, order = 3>}
  // CHECK: tt.dot {{.*}} #ttg.schedule<stage = 2, order = 2>
  // CHECK: } {ttg.stages = 3 : i32}
  // ALIAS-LABEL: @squares
  // ALIAS: ttng.load_box
  tt.func @squares(%p: !tt.ptr<f16>, %pitch: i64, %batch: i64, %n: i32) {
    %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %zeros = arith.constant dense<0.0> : tensor<64x64xf16, #l>
    %pid = tt.get_program_id 0 : i32
    %y = tt.get_program_id 1 : i32
    %y1 = arith.extsi %y : i32 to i64
    %far = arith.muli %y1, %batch : i64
    %base = tt.addptr %p, %far : !tt.ptr<f16>, i64
    %block = arith.muli %pid, %c64 overflow<nsw> : i32
    %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %i2 = arith.extsi %i1 : tensor<64x1xi32, #l> to tensor<64x1xi64, #l>
    %pitches = tt.splat %pitch : i64 -> tensor<64x1xi64, #l>
    %rows = arith.muli %i2, %pitches : tensor<64x1xi64, #l>
    %q = tt.splat %base : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi64, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %ends = tt.splat %n : i32 -> tensor<64xi32, #row>
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
      %k1 = tt.splat %k {ttg.schedule = #first} : i32 -> tensor<64xi32, #row>
      %at = arith.addi %k1, %j overflow<nsw> {ttg.schedule = #first} : tensor<64xi32, #row>
      %in = arith.cmpi slt, %at, %ends {ttg.schedule = #first} : tensor<64xi32, #row>
      %in1 = tt.expand_dims %in {axis = 0 : i32, ttg.schedule = #first} : tensor<64xi1, #row> -> tensor<1x64xi1, #l>
      %mask = tt.broadcast %in1 {ttg.schedule = #first} : tensor<1x64xi1, #l> -> tensor<64x64xi1, #l>
      %at1 = tt.expand_dims %at {axis = 0 : i32, ttg.schedule = #first} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
      %at2 = tt.broadcast %at1 {ttg.schedule = #first} : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
      %q2 = tt.addptr %q1, %at2 {ttg.schedule = #first} : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %x = tt.load %q2, %mask, %zeros {ttg.async_copy = #s, ttg.schedule = #copy} : tensor<64x64x!tt.ptr<f16>, #l>
      %xa = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
      %xb = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
      %d = tt.dot %xa, %xb, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {ttg.stages = 2 : i32, ttg.buffers = 3 : i32}
    tt.return
  }
}

// -----

#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#first = #ttg.schedule<stage = 0, order = 0>
#copy = #ttg.schedule<stage = 0, order = 1>
#last = #ttg.schedule<stage = 1, order = 2>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // A store to another argument: launches see to it that it is elsewhere. If it may not be, no box.
  // CHECK-LABEL: @stores
  // CHECK-SAME: tt.overtakes
  // CHECK: ttng.load_box
  // ALIAS-LABEL: @stores
  // ALIAS-NOT: ttng.load_box
  // ALIAS: ttg.buffers = 3
  tt.func @stores(%p: !tt.ptr<f16>, %o: !tt.ptr<f32>, %n: i32) {
    %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %one = arith.constant 1.0 : f32
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %pitches = arith.constant dense<256> : tensor<64x1xi32, #l>
    tt.store %o, %one : !tt.ptr<f32>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %i1 = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %rows = arith.muli %i1, %pitches overflow<nsw> : tensor<64x1xi32, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi32, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
      %k1 = tt.splat %k {ttg.schedule = #first} : i32 -> tensor<64x64xi32, #l>
      %q3 = tt.addptr %q2, %k1 {ttg.schedule = #first} : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %x = tt.load %q3 {ttg.async_copy = #s, ttg.schedule = #copy} : tensor<64x64x!tt.ptr<f16>, #l>
      %xa = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
      %xb = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
      %d = tt.dot %xa, %xb, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {ttg.stages = 2 : i32, ttg.buffers = 3 : i32}
    tt.return
  }

  // The same pointer may be written.
  // CHECK-LABEL: @in_place
  // CHECK-NOT: ttng.load_box
  // CHECK: ttg.buffers = 3
  tt.func @in_place(%p: !tt.ptr<f16>, %n: i32) {
    %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %one = arith.constant 1.0 : f16
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %pitches = arith.constant dense<256> : tensor<64x1xi32, #l>
    tt.store %p, %one : !tt.ptr<f16>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %i1 = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %rows = arith.muli %i1, %pitches overflow<nsw> : tensor<64x1xi32, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi32, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
      %k1 = tt.splat %k {ttg.schedule = #first} : i32 -> tensor<64x64xi32, #l>
      %q3 = tt.addptr %q2, %k1 {ttg.schedule = #first} : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      // expected-remark @+1 {{threads copy this tile, not TMA: the kernel may write what it loads}}
      %x = tt.load %q3 {ttg.async_copy = #s, ttg.schedule = #copy} : tensor<64x64x!tt.ptr<f16>, #l>
      %xa = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
      %xb = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
      %d = tt.dot %xa, %xb, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {ttg.stages = 2 : i32, ttg.buffers = 3 : i32}
    tt.return
  }
}

// -----

#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#v = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#t = #ttg.shared<{vec = 4, perPhase = 1, maxPhase = 1, order = [0]}>
#first = #ttg.schedule<stage = 0, order = 0>
#copy = #ttg.schedule<stage = 0, order = 1>
#last = #ttg.schedule<stage = 1, order = 2>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // Vectors beside the tile are boxes, too; one whose neighbours are not neighbours in memory, and one
  // that is shorter than what TMA writes at, are not.
  // CHECK-LABEL: @vectors
  // CHECK-SAME: %[[P:[a-z0-9]*]]: !tt.ptr<f16> {{{.*}}}, %[[F:[a-z0-9]*]]: !tt.ptr<f32>
  // CHECK: scf.for
  // CHECK: ttng.load_box %[[P]][
  // CHECK: ttng.load_box %[[F]][%{{[a-z0-9]*}}] shape[%{{.*}}] strides[%{{.*}}] {{.*}} -> tensor<64xf32
  // CHECK-NOT: ttng.load_box
  // CHECK: tt.load {{.*}} tensor<64x!tt.ptr<f32>
  // CHECK: tt.load {{.*}} tensor<16x!tt.ptr<f32>
  tt.func @vectors(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %f: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %ones = arith.constant dense<0.0> : tensor<64xf32, #v>
    %few = arith.constant dense<0.0> : tensor<16xf32, #v>
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %pitches = arith.constant dense<256> : tensor<64x1xi32, #l>
    %twos = arith.constant dense<2> : tensor<64xi32, #v>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %w = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #v>
    %u = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #v>
    %w2 = arith.muli %w, %twos overflow<nsw> : tensor<64xi32, #v>
    %i1 = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %rows = arith.muli %i1, %pitches overflow<nsw> : tensor<64x1xi32, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi32, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %fs = tt.splat %f : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #v>
    %fu = tt.splat %f : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #v>
    %r:4 = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum, %o = %ones, %z = %ones, %y = %few) -> (tensor<64x64xf32, #mma>, tensor<64xf32, #v>, tensor<64xf32, #v>, tensor<16xf32, #v>) : i32 {
      %k1 = tt.splat %k {ttg.schedule = #first} : i32 -> tensor<64xi32, #row>
      %at = arith.addi %k1, %j overflow<nsw> {ttg.schedule = #first} : tensor<64xi32, #row>
      %at1 = tt.expand_dims %at {axis = 0 : i32, ttg.schedule = #first} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
      %at2 = tt.broadcast %at1 {ttg.schedule = #first} : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
      %q2 = tt.addptr %q1, %at2 {ttg.schedule = #first} : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %kv = tt.splat %k {ttg.schedule = #first} : i32 -> tensor<64xi32, #v>
      %ku = tt.splat %k {ttg.schedule = #first} : i32 -> tensor<16xi32, #v>
      %vat = arith.addi %kv, %w overflow<nsw> {ttg.schedule = #first} : tensor<64xi32, #v>
      %wat = arith.addi %kv, %w2 overflow<nsw> {ttg.schedule = #first} : tensor<64xi32, #v>
      %uat = arith.addi %ku, %u overflow<nsw> {ttg.schedule = #first} : tensor<16xi32, #v>
      %vp = tt.addptr %fs, %vat {ttg.schedule = #first} : tensor<64x!tt.ptr<f32>, #v>, tensor<64xi32, #v>
      %wp = tt.addptr %fs, %wat {ttg.schedule = #first} : tensor<64x!tt.ptr<f32>, #v>, tensor<64xi32, #v>
      %up = tt.addptr %fu, %uat {ttg.schedule = #first} : tensor<16x!tt.ptr<f32>, #v>, tensor<16xi32, #v>
      %x = tt.load %q2 {ttg.async_copy = #s, ttg.schedule = #copy} : tensor<64x64x!tt.ptr<f16>, #l>
      %vx = tt.load %vp {ttg.async_copy = #t, ttg.schedule = #copy} : tensor<64x!tt.ptr<f32>, #v>
      // expected-remark @+1 {{neighbours of a row are not known to be neighbours in memory}}
      %wx = tt.load %wp {ttg.async_copy = #t, ttg.schedule = #copy} : tensor<64x!tt.ptr<f32>, #v>
      // expected-remark @+1 {{its layout in shared memory is none that TMA has}}
      %ux = tt.load %up {ttg.async_copy = #t, ttg.schedule = #copy} : tensor<16x!tt.ptr<f32>, #v>
      %xa = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
      %xb = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
      %d = tt.dot %xa, %xb, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %o1 = arith.addf %o, %vx {ttg.schedule = #last} : tensor<64xf32, #v>
      %z1 = arith.addf %z, %wx {ttg.schedule = #last} : tensor<64xf32, #v>
      %y1 = arith.addf %y, %ux {ttg.schedule = #last} : tensor<16xf32, #v>
      scf.yield %d, %o1, %z1, %y1 : tensor<64x64xf32, #mma>, tensor<64xf32, #v>, tensor<64xf32, #v>, tensor<16xf32, #v>
    } {ttg.stages = 2 : i32, ttg.buffers = 3 : i32}
    tt.return
  }
}

// -----

#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#first = #ttg.schedule<stage = 0, order = 0>
#copy = #ttg.schedule<stage = 0, order = 3>
#last = #ttg.schedule<stage = 2, order = 2>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // Copies that were to start behind the dot start in front of it where threads and TMA share them,
  // an iteration less ahead, with a buffer more.
  // CHECK-LABEL: @mixed
  // CHECK: scf.for
  // CHECK: ttng.load_box {{.*}}ttg.schedule = #ttg.schedule<stage = 0, order = 1>
  // CHECK: tt.load {{.*}}ttg.schedule = #ttg.schedule<stage = 0, order = 1>
  // CHECK: tt.dot {{.*}} #ttg.schedule<stage = 1, order = 2>
  // CHECK: } {ttg.buffers = 3 : i32, ttg.stages = 2 : i32}
  // ALIAS-LABEL: @mixed
  tt.func @mixed(%p: !tt.ptr<f16>, %pitch: i64, %batch: i64, %n: i32, %places: !tt.ptr<i32>) {
    %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %zeros = arith.constant dense<0.0> : tensor<64x64xf16, #l>
    %pid = tt.get_program_id 0 : i32
    %y = tt.get_program_id 1 : i32
    %y1 = arith.extsi %y : i32 to i64
    %far = arith.muli %y1, %batch : i64
    %base = tt.addptr %p, %far : !tt.ptr<f16>, i64
    %block = arith.muli %pid, %c64 overflow<nsw> : i32
    %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %i2 = arith.extsi %i1 : tensor<64x1xi32, #l> to tensor<64x1xi64, #l>
    %pitches = tt.splat %pitch : i64 -> tensor<64x1xi64, #l>
    %rows = arith.muli %i2, %pitches : tensor<64x1xi64, #l>
    %q = tt.splat %base : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi64, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %ps = tt.splat %places : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #column>
    %pi = tt.addptr %ps, %i : tensor<64x!tt.ptr<i32>, #column>, tensor<64xi32, #column>
    %place = tt.load %pi : tensor<64x!tt.ptr<i32>, #column>
    %place1 = tt.expand_dims %place {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %g0 = tt.addptr %q, %place1 : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi32, #l>
    %g1 = tt.broadcast %g0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %ends = tt.splat %n : i32 -> tensor<64xi32, #row>
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
      %k1 = tt.splat %k {ttg.schedule = #first} : i32 -> tensor<64xi32, #row>
      %at = arith.addi %k1, %j overflow<nsw> {ttg.schedule = #first} : tensor<64xi32, #row>
      %in = arith.cmpi slt, %at, %ends {ttg.schedule = #first} : tensor<64xi32, #row>
      %in1 = tt.expand_dims %in {axis = 0 : i32, ttg.schedule = #first} : tensor<64xi1, #row> -> tensor<1x64xi1, #l>
      %mask = tt.broadcast %in1 {ttg.schedule = #first} : tensor<1x64xi1, #l> -> tensor<64x64xi1, #l>
      %at1 = tt.expand_dims %at {axis = 0 : i32, ttg.schedule = #first} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
      %at2 = tt.broadcast %at1 {ttg.schedule = #first} : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
      %q2 = tt.addptr %q1, %at2 {ttg.schedule = #first} : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %x = tt.load %q2, %mask, %zeros {ttg.async_copy = #s, ttg.schedule = #copy} : tensor<64x64x!tt.ptr<f16>, #l>
      %g2 = tt.addptr %g1, %at2 {ttg.schedule = #first} : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      // expected-remark @+1 {{threads copy this tile, not TMA: its addresses do not count up by rows and columns of one array}}
      %g = tt.load %g2, %mask, %zeros {ttg.async_copy = #s, ttg.schedule = #copy} : tensor<64x64x!tt.ptr<f16>, #l>
      %xa = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
      %xb = ttg.convert_layout %g {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
      %d = tt.dot %xa, %xb, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {ttg.stages = 3 : i32}
    tt.return
  }
}
