// RUN: tritium-opt %s -ttng-load-boxes | FileCheck %s

// Rows of (start + arange) % m. Where nothing depends on those that begin anew, m cuts the box; else
// a launch sees to it that a tile has none, and the box begins at start % m.

#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#rows = #ttg.slice<{dim = 1, parent = #mma}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#first = #ttg.schedule<stage = 0, order = 0>
#copy = #ttg.schedule<stage = 0, order = 1>
#last = #ttg.schedule<stage = 1, order = 2>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // No row of the product that the mask leaves out is used.
  // CHECK-LABEL: @cut
  // CHECK-SAME: %[[P:[a-z0-9]*]]: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %{{.*}}: !tt.ptr<f32>, %[[M:[a-z0-9]*]]: i32
  // CHECK: %[[E:.*]] = arith.extsi %[[M]] {{.*}}: i32 to i64
  // CHECK: ttng.load_box %[[P]][%{{.*}}, %{{.*}}] shape[%[[E]], %{{.*}}]
  tt.func @cut(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32>, %m: i32, %n: i32) {
    %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %w = arith.constant dense<1.0> : tensor<64x64xf16, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %pitches = arith.constant dense<256> : tensor<64x1xi32, #l>
    %pid = tt.get_program_id 0 : i32
    %o0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %h = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %block = arith.muli %pid, %c64 overflow<nsw> : i32
    %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
    %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
    %m0 = tt.splat %m : i32 -> tensor<64xi32, #column>
    %i1 = arith.remsi %i0, %m0 : tensor<64xi32, #column>
    %i2 = tt.expand_dims %i1 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %rows = arith.muli %i2, %pitches overflow<nsw> : tensor<64x1xi32, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi32, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
      %k1 = tt.splat %k {ttg.schedule = #first} : i32 -> tensor<64x64xi32, #l>
      %q3 = tt.addptr %q2, %k1 {ttg.schedule = #first} : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %x = tt.load %q3 {ttg.async_copy = #s, ttg.schedule = #copy} : tensor<64x64x!tt.ptr<f16>, #l>
      %y = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
      %d = tt.dot %y, %w, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {ttg.stages = 2 : i32, ttg.buffers = 3 : i32}
    %there = tt.splat %block : i32 -> tensor<64xi32, #rows>
    %h0 = arith.addi %there, %h overflow<nsw> : tensor<64xi32, #rows>
    %ends = tt.splat %m : i32 -> tensor<64xi32, #rows>
    %in = arith.cmpi slt, %h0, %ends : tensor<64xi32, #rows>
    %in1 = tt.expand_dims %in {axis = 1 : i32} : tensor<64xi1, #rows> -> tensor<64x1xi1, #mma>
    %mask = tt.broadcast %in1 : tensor<64x1xi1, #mma> -> tensor<64x64xi1, #mma>
    tt.store %o0, %r, %mask : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }

  // Nor is it when more is made of it, row by row.
  // CHECK-LABEL: @negated
  // CHECK-SAME: %[[P:[a-z0-9]*]]: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %{{.*}}: !tt.ptr<f32>, %[[M:[a-z0-9]*]]: i32
  // CHECK: %[[E:.*]] = arith.extsi %[[M]] {{.*}}: i32 to i64
  // CHECK: ttng.load_box %[[P]][%{{.*}}, %{{.*}}] shape[%[[E]], %{{.*}}]
  tt.func @negated(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32>, %m: i32, %n: i32) {
    %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %w = arith.constant dense<1.0> : tensor<64x64xf16, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %pitches = arith.constant dense<256> : tensor<64x1xi32, #l>
    %pid = tt.get_program_id 0 : i32
    %o0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %h = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %block = arith.muli %pid, %c64 overflow<nsw> : i32
    %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
    %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
    %m0 = tt.splat %m : i32 -> tensor<64xi32, #column>
    %i1 = arith.remsi %i0, %m0 : tensor<64xi32, #column>
    %i2 = tt.expand_dims %i1 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %rows = arith.muli %i2, %pitches overflow<nsw> : tensor<64x1xi32, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi32, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
      %k1 = tt.splat %k {ttg.schedule = #first} : i32 -> tensor<64x64xi32, #l>
      %q3 = tt.addptr %q2, %k1 {ttg.schedule = #first} : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %x = tt.load %q3 {ttg.async_copy = #s, ttg.schedule = #copy} : tensor<64x64x!tt.ptr<f16>, #l>
      %y = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
      %d = tt.dot %y, %w, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {ttg.stages = 2 : i32, ttg.buffers = 3 : i32}
    %there = tt.splat %block : i32 -> tensor<64xi32, #rows>
    %h0 = arith.addi %there, %h overflow<nsw> : tensor<64xi32, #rows>
    %ends = tt.splat %m : i32 -> tensor<64xi32, #rows>
    %in = arith.cmpi slt, %h0, %ends : tensor<64xi32, #rows>
    %in1 = tt.expand_dims %in {axis = 1 : i32} : tensor<64xi1, #rows> -> tensor<64x1xi1, #mma>
    %mask = tt.broadcast %in1 : tensor<64x1xi1, #mma> -> tensor<64x64xi1, #mma>
    %e = arith.negf %r : tensor<64x64xf32, #mma>
    %e1 = arith.addf %e, %sum : tensor<64x64xf32, #mma>
    tt.store %o0, %e1, %mask : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }

  // The same in a loop over tiles, each with a sum of its own.
  // CHECK-LABEL: @tiles
  // CHECK-SAME: %[[P:[a-z0-9]*]]: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %{{.*}}: !tt.ptr<f32>, %[[M:[a-z0-9]*]]: i32
  // CHECK: %[[E:.*]] = arith.extsi %[[M]] {{.*}}: i32 to i64
  // CHECK: ttng.load_box %[[P]][%{{.*}}, %{{.*}}] shape[%[[E]], %{{.*}}]
  tt.func @tiles(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32>, %m: i32, %n: i32) {
    %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %w = arith.constant dense<1.0> : tensor<64x64xf16, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %pitches = arith.constant dense<256> : tensor<64x1xi32, #l>
    %pid = tt.get_program_id 0 : i32
    %o0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %h = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %all = scf.for %t = %c0 to %n step %c1 iter_args(%total = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
      %block = arith.muli %t, %c64 overflow<nsw> : i32
      %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
      %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
      %m0 = tt.splat %m : i32 -> tensor<64xi32, #column>
      %i1 = arith.remsi %i0, %m0 : tensor<64xi32, #column>
      %i2 = tt.expand_dims %i1 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
      %rows = arith.muli %i2, %pitches overflow<nsw> : tensor<64x1xi32, #l>
      %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
      %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi32, #l>
      %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
      %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
        %k1 = tt.splat %k {ttg.schedule = #first} : i32 -> tensor<64x64xi32, #l>
        %q3 = tt.addptr %q2, %k1 {ttg.schedule = #first} : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
        %x = tt.load %q3 {ttg.async_copy = #s, ttg.schedule = #copy} : tensor<64x64x!tt.ptr<f16>, #l>
        %y = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
        %d = tt.dot %y, %w, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
        scf.yield %d : tensor<64x64xf32, #mma>
      } {ttg.stages = 2 : i32, ttg.buffers = 3 : i32}
      %there = tt.splat %block : i32 -> tensor<64xi32, #rows>
      %h0 = arith.addi %there, %h overflow<nsw> : tensor<64xi32, #rows>
      %ends = tt.splat %m : i32 -> tensor<64xi32, #rows>
      %in = arith.cmpi slt, %h0, %ends : tensor<64xi32, #rows>
      %in1 = tt.expand_dims %in {axis = 1 : i32} : tensor<64xi1, #rows> -> tensor<64x1xi1, #mma>
      %mask = tt.broadcast %in1 : tensor<64x1xi1, #mma> -> tensor<64x64xi1, #mma>
      tt.store %o0, %r, %mask : tensor<64x64x!tt.ptr<f32>, #mma>
      scf.yield %total : tensor<64x64xf32, #mma>
    }
    tt.return
  }

  // All rows are stored.
  // CHECK-LABEL: @unmasked
  // CHECK: %[[START:.*]] = arith.remsi %{{.*}}, %{{.*}} : i32
  // CHECK: arith.extsi %[[START]] {{.*}}: i32 to i64
  // CHECK: %[[E:.*]] = arith.constant {{.*}} 2147483647 : i64
  // CHECK: ttng.load_box %{{.*}} shape[%[[E]], %{{.*}}]
  tt.func @unmasked(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32>, %m: i32, %n: i32) {
    %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %w = arith.constant dense<1.0> : tensor<64x64xf16, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %pitches = arith.constant dense<256> : tensor<64x1xi32, #l>
    %pid = tt.get_program_id 0 : i32
    %o0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %h = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %block = arith.muli %pid, %c64 overflow<nsw> : i32
    %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
    %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
    %m0 = tt.splat %m : i32 -> tensor<64xi32, #column>
    %i1 = arith.remsi %i0, %m0 : tensor<64xi32, #column>
    %i2 = tt.expand_dims %i1 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %rows = arith.muli %i2, %pitches overflow<nsw> : tensor<64x1xi32, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi32, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
      %k1 = tt.splat %k {ttg.schedule = #first} : i32 -> tensor<64x64xi32, #l>
      %q3 = tt.addptr %q2, %k1 {ttg.schedule = #first} : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %x = tt.load %q3 {ttg.async_copy = #s, ttg.schedule = #copy} : tensor<64x64x!tt.ptr<f16>, #l>
      %y = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
      %d = tt.dot %y, %w, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {ttg.stages = 2 : i32, ttg.buffers = 3 : i32}
    %there = tt.splat %block : i32 -> tensor<64xi32, #rows>
    %h0 = arith.addi %there, %h overflow<nsw> : tensor<64xi32, #rows>
    %ends = tt.splat %m : i32 -> tensor<64xi32, #rows>
    %in = arith.cmpi slt, %h0, %ends : tensor<64xi32, #rows>
    %in1 = tt.expand_dims %in {axis = 1 : i32} : tensor<64xi1, #rows> -> tensor<64x1xi1, #mma>
    %mask = tt.broadcast %in1 : tensor<64x1xi1, #mma> -> tensor<64x64xi1, #mma>
    tt.store %o0, %r : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }

  // More rows are stored than there are.
  // CHECK-LABEL: @other_bound
  // CHECK: %[[START:.*]] = arith.remsi %{{.*}}, %{{.*}} : i32
  // CHECK: arith.extsi %[[START]] {{.*}}: i32 to i64
  // CHECK: %[[E:.*]] = arith.constant {{.*}} 2147483647 : i64
  // CHECK: ttng.load_box %{{.*}} shape[%[[E]], %{{.*}}]
  tt.func @other_bound(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32>, %m: i32, %n: i32) {
    %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %w = arith.constant dense<1.0> : tensor<64x64xf16, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %pitches = arith.constant dense<256> : tensor<64x1xi32, #l>
    %pid = tt.get_program_id 0 : i32
    %o0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %h = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %block = arith.muli %pid, %c64 overflow<nsw> : i32
    %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
    %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
    %m0 = tt.splat %m : i32 -> tensor<64xi32, #column>
    %i1 = arith.remsi %i0, %m0 : tensor<64xi32, #column>
    %i2 = tt.expand_dims %i1 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %rows = arith.muli %i2, %pitches overflow<nsw> : tensor<64x1xi32, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi32, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
      %k1 = tt.splat %k {ttg.schedule = #first} : i32 -> tensor<64x64xi32, #l>
      %q3 = tt.addptr %q2, %k1 {ttg.schedule = #first} : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %x = tt.load %q3 {ttg.async_copy = #s, ttg.schedule = #copy} : tensor<64x64x!tt.ptr<f16>, #l>
      %y = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
      %d = tt.dot %y, %w, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {ttg.stages = 2 : i32, ttg.buffers = 3 : i32}
    %there = tt.splat %block : i32 -> tensor<64xi32, #rows>
    %h0 = arith.addi %there, %h overflow<nsw> : tensor<64xi32, #rows>
    %ends = tt.splat %n : i32 -> tensor<64xi32, #rows>
    %in = arith.cmpi slt, %h0, %ends : tensor<64xi32, #rows>
    %in1 = tt.expand_dims %in {axis = 1 : i32} : tensor<64xi1, #rows> -> tensor<64x1xi1, #mma>
    %mask = tt.broadcast %in1 : tensor<64x1xi1, #mma> -> tensor<64x64xi1, #mma>
    tt.store %o0, %r, %mask : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }

  // Every row of the product comes from all rows of a right operand.
  // CHECK-LABEL: @right
  // CHECK: %[[START:.*]] = arith.remsi %{{.*}}, %{{.*}} : i32
  // CHECK: arith.extsi %[[START]] {{.*}}: i32 to i64
  // CHECK: %[[E:.*]] = arith.constant {{.*}} 2147483647 : i64
  // CHECK: ttng.load_box %{{.*}} shape[%[[E]], %{{.*}}]
  tt.func @right(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32>, %m: i32, %n: i32) {
    %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %w = arith.constant dense<1.0> : tensor<64x64xf16, #a>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %pitches = arith.constant dense<256> : tensor<64x1xi32, #l>
    %pid = tt.get_program_id 0 : i32
    %o0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %h = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %block = arith.muli %pid, %c64 overflow<nsw> : i32
    %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
    %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
    %m0 = tt.splat %m : i32 -> tensor<64xi32, #column>
    %i1 = arith.remsi %i0, %m0 : tensor<64xi32, #column>
    %i2 = tt.expand_dims %i1 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %rows = arith.muli %i2, %pitches overflow<nsw> : tensor<64x1xi32, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi32, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
      %k1 = tt.splat %k {ttg.schedule = #first} : i32 -> tensor<64x64xi32, #l>
      %q3 = tt.addptr %q2, %k1 {ttg.schedule = #first} : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %x = tt.load %q3 {ttg.async_copy = #s, ttg.schedule = #copy} : tensor<64x64x!tt.ptr<f16>, #l>
      %y = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
      %d = tt.dot %w, %y, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {ttg.stages = 2 : i32, ttg.buffers = 3 : i32}
    %there = tt.splat %block : i32 -> tensor<64xi32, #rows>
    %h0 = arith.addi %there, %h overflow<nsw> : tensor<64xi32, #rows>
    %ends = tt.splat %m : i32 -> tensor<64xi32, #rows>
    %in = arith.cmpi slt, %h0, %ends : tensor<64xi32, #rows>
    %in1 = tt.expand_dims %in {axis = 1 : i32} : tensor<64xi1, #rows> -> tensor<64x1xi1, #mma>
    %mask = tt.broadcast %in1 : tensor<64x1xi1, #mma> -> tensor<64x64xi1, #mma>
    tt.store %o0, %r, %mask : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }

  // Sums of other tiles' rows go on: the mask is that of another tile.
  // CHECK-LABEL: @summed
  // CHECK: %[[START:.*]] = arith.remsi %{{.*}}, %{{.*}} : i32
  // CHECK: arith.extsi %[[START]] {{.*}}: i32 to i64
  // CHECK: %[[E:.*]] = arith.constant {{.*}} 2147483647 : i64
  // CHECK: ttng.load_box %{{.*}} shape[%[[E]], %{{.*}}]
  tt.func @summed(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32>, %m: i32, %n: i32) {
    %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %w = arith.constant dense<1.0> : tensor<64x64xf16, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %pitches = arith.constant dense<256> : tensor<64x1xi32, #l>
    %pid = tt.get_program_id 0 : i32
    %o0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %h = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %all = scf.for %t = %c0 to %n step %c1 iter_args(%total = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
      %block = arith.muli %t, %c64 overflow<nsw> : i32
      %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
      %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
      %m0 = tt.splat %m : i32 -> tensor<64xi32, #column>
      %i1 = arith.remsi %i0, %m0 : tensor<64xi32, #column>
      %i2 = tt.expand_dims %i1 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
      %rows = arith.muli %i2, %pitches overflow<nsw> : tensor<64x1xi32, #l>
      %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
      %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi32, #l>
      %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
      %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %total) -> (tensor<64x64xf32, #mma>) : i32 {
        %k1 = tt.splat %k {ttg.schedule = #first} : i32 -> tensor<64x64xi32, #l>
        %q3 = tt.addptr %q2, %k1 {ttg.schedule = #first} : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
        %x = tt.load %q3 {ttg.async_copy = #s, ttg.schedule = #copy} : tensor<64x64x!tt.ptr<f16>, #l>
        %y = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
        %d = tt.dot %y, %w, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
        scf.yield %d : tensor<64x64xf32, #mma>
      } {ttg.stages = 2 : i32, ttg.buffers = 3 : i32}
      %there = tt.splat %block : i32 -> tensor<64xi32, #rows>
      %h0 = arith.addi %there, %h overflow<nsw> : tensor<64xi32, #rows>
      %ends = tt.splat %m : i32 -> tensor<64xi32, #rows>
      %in = arith.cmpi slt, %h0, %ends : tensor<64xi32, #rows>
      %in1 = tt.expand_dims %in {axis = 1 : i32} : tensor<64xi1, #rows> -> tensor<64x1xi1, #mma>
      %mask = tt.broadcast %in1 : tensor<64x1xi1, #mma> -> tensor<64x64xi1, #mma>
      tt.store %o0, %r, %mask : tensor<64x64x!tt.ptr<f32>, #mma>
      scf.yield %r : tensor<64x64xf32, #mma>
    }
    tt.return
  }

  // Where something is stored depends on the product; masks are not followed.
  // CHECK-LABEL: @masking
  // CHECK: %[[START:.*]] = arith.remsi %{{.*}}, %{{.*}} : i32
  // CHECK: arith.extsi %[[START]] {{.*}}: i32 to i64
  // CHECK: %[[E:.*]] = arith.constant {{.*}} 2147483647 : i64
  // CHECK: ttng.load_box %{{.*}} shape[%[[E]], %{{.*}}]
  tt.func @masking(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32>, %m: i32, %n: i32) {
    %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %w = arith.constant dense<1.0> : tensor<64x64xf16, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %pitches = arith.constant dense<256> : tensor<64x1xi32, #l>
    %pid = tt.get_program_id 0 : i32
    %o0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %h = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %block = arith.muli %pid, %c64 overflow<nsw> : i32
    %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
    %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
    %m0 = tt.splat %m : i32 -> tensor<64xi32, #column>
    %i1 = arith.remsi %i0, %m0 : tensor<64xi32, #column>
    %i2 = tt.expand_dims %i1 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %rows = arith.muli %i2, %pitches overflow<nsw> : tensor<64x1xi32, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi32, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
      %k1 = tt.splat %k {ttg.schedule = #first} : i32 -> tensor<64x64xi32, #l>
      %q3 = tt.addptr %q2, %k1 {ttg.schedule = #first} : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %x = tt.load %q3 {ttg.async_copy = #s, ttg.schedule = #copy} : tensor<64x64x!tt.ptr<f16>, #l>
      %y = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
      %d = tt.dot %y, %w, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {ttg.stages = 2 : i32, ttg.buffers = 3 : i32}
    %there = tt.splat %block : i32 -> tensor<64xi32, #rows>
    %h0 = arith.addi %there, %h overflow<nsw> : tensor<64xi32, #rows>
    %ends = tt.splat %m : i32 -> tensor<64xi32, #rows>
    %in = arith.cmpi slt, %h0, %ends : tensor<64xi32, #rows>
    %in1 = tt.expand_dims %in {axis = 1 : i32} : tensor<64xi1, #rows> -> tensor<64x1xi1, #mma>
    %mask = tt.broadcast %in1 : tensor<64x1xi1, #mma> -> tensor<64x64xi1, #mma>
    %e = arith.cmpf ogt, %r, %sum : tensor<64x64xf32, #mma>
    %f = arith.andi %e, %mask : tensor<64x64xi1, #mma>
    tt.store %o0, %sum, %f : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }

  // What only this copy needs is told apart.
  // CHECK-LABEL: @placed
  // CHECK-SAME: tt.copy_conditions = {"k.py:3:5" = [{{.*}}array<i64: 8193, 2, 16384, 64, 16392, 0, 16384, -1, 16390, 0, 16384, 1, 16388, 0>, array<i64: 8193, 2>
  // CHECK-NOT: tt.conditions
  // CHECK: %[[START:.*]] = arith.remsi %{{.*}}, %{{.*}} : i32
  // CHECK: arith.extsi %[[START]] {{.*}}: i32 to i64
  // CHECK: %[[E:.*]] = arith.constant {{.*}} 2147483647 : i64
  // CHECK: ttng.load_box %{{.*}} shape[%[[E]], %{{.*}}]
  tt.func @placed(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32>, %m: i32, %n: i32) {
    %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %w = arith.constant dense<1.0> : tensor<64x64xf16, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %pitches = arith.constant dense<256> : tensor<64x1xi32, #l>
    %pid = tt.get_program_id 0 : i32
    %o0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %h = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %block = arith.muli %pid, %c64 overflow<nsw> : i32
    %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
    %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
    %m0 = tt.splat %m : i32 -> tensor<64xi32, #column>
    %i1 = arith.remsi %i0, %m0 : tensor<64xi32, #column>
    %i2 = tt.expand_dims %i1 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %rows = arith.muli %i2, %pitches overflow<nsw> : tensor<64x1xi32, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi32, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
      %k1 = tt.splat %k {ttg.schedule = #first} : i32 -> tensor<64x64xi32, #l>
      %q3 = tt.addptr %q2, %k1 {ttg.schedule = #first} : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %x = tt.load %q3 {ttg.async_copy = #s, ttg.schedule = #copy} : tensor<64x64x!tt.ptr<f16>, #l> loc("dir/k.py":3:5)
      %y = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
      %d = tt.dot %y, %w, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {ttg.stages = 2 : i32, ttg.buffers = 3 : i32}
    %there = tt.splat %block : i32 -> tensor<64xi32, #rows>
    %h0 = arith.addi %there, %h overflow<nsw> : tensor<64xi32, #rows>
    %ends = tt.splat %m : i32 -> tensor<64xi32, #rows>
    %in = arith.cmpi slt, %h0, %ends : tensor<64xi32, #rows>
    %in1 = tt.expand_dims %in {axis = 1 : i32} : tensor<64xi1, #rows> -> tensor<64x1xi1, #mma>
    %mask = tt.broadcast %in1 : tensor<64x1xi1, #mma> -> tensor<64x64xi1, #mma>
    tt.store %o0, %r : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }

  // Launches that this code is for break it.
  // CHECK-LABEL: @refused
  // CHECK-NOT: tt.copy_conditions
  // CHECK-NOT: ttng.load_box
  // CHECK: tt.load
  tt.func @refused(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32>, %m: i32, %n: i32) attributes {tt.refused_copies = ["k.py:4:5", "k.py:3:5"]} {
    %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %w = arith.constant dense<1.0> : tensor<64x64xf16, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %pitches = arith.constant dense<256> : tensor<64x1xi32, #l>
    %pid = tt.get_program_id 0 : i32
    %o0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %h = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %block = arith.muli %pid, %c64 overflow<nsw> : i32
    %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
    %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
    %m0 = tt.splat %m : i32 -> tensor<64xi32, #column>
    %i1 = arith.remsi %i0, %m0 : tensor<64xi32, #column>
    %i2 = tt.expand_dims %i1 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %rows = arith.muli %i2, %pitches overflow<nsw> : tensor<64x1xi32, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi32, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
      %k1 = tt.splat %k {ttg.schedule = #first} : i32 -> tensor<64x64xi32, #l>
      %q3 = tt.addptr %q2, %k1 {ttg.schedule = #first} : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %x = tt.load %q3 {ttg.async_copy = #s, ttg.schedule = #copy} : tensor<64x64x!tt.ptr<f16>, #l> loc("dir/k.py":3:5)
      %y = ttg.convert_layout %x {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
      %d = tt.dot %y, %w, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {ttg.stages = 2 : i32, ttg.buffers = 3 : i32}
    %there = tt.splat %block : i32 -> tensor<64xi32, #rows>
    %h0 = arith.addi %there, %h overflow<nsw> : tensor<64xi32, #rows>
    %ends = tt.splat %m : i32 -> tensor<64xi32, #rows>
    %in = arith.cmpi slt, %h0, %ends : tensor<64xi32, #rows>
    %in1 = tt.expand_dims %in {axis = 1 : i32} : tensor<64xi1, #rows> -> tensor<64x1xi1, #mma>
    %mask = tt.broadcast %in1 : tensor<64x1xi1, #mma> -> tensor<64x64xi1, #mma>
    tt.store %o0, %r : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }
}
