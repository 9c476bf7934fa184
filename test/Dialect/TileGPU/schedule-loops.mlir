// RUN: tritium-opt %s -convert-tt-to-ttg=num-warps=4 -ttg-coalesce -ttg-accelerate-matmul -ttg-remove-layout-conversions -canonicalize -ttg-schedule-loops=num-stages=3 | FileCheck %s
// RUN: tritium-opt %s -convert-tt-to-ttg=num-warps=4 -ttg-coalesce -ttg-schedule-loops="num-stages=3 may-alias=true" | FileCheck %s --check-prefix=ALIAS
// RUN: tritium-opt %s -convert-tt-to-ttg=num-warps=4 -ttg-coalesce -ttg-accelerate-matmul -ttg-remove-layout-conversions -canonicalize -ttg-schedule-loops="num-stages=3 most-stages=2" | FileCheck %s --check-prefix=TWO
// RUN: tritium-opt %s -convert-tt-to-ttg=num-warps=4 -ttg-coalesce -ttg-accelerate-matmul -ttg-remove-layout-conversions -canonicalize -ttg-schedule-loops="num-stages=3 most-stages=1" | FileCheck %s --check-prefix=ONE

// A bound on the stages of all loops.
// TWO-LABEL: @matmul
// TWO: } {ttg.stages = 2 : i32}
// ONE-LABEL: @matmul
// ONE-NOT: ttg.stages
// ONE: tt.return

// The load and what its address depends on are two stages ahead of the rest; nothing has changed.
// CHECK: #[[$SHARED:.*]] = #ttg.shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
// CHECK-LABEL: @matmul
// CHECK-NOT: tt.overtakes
// CHECK-NOT: ttg.local_alloc
// CHECK: scf.for
// CHECK-NEXT: %[[A:.*]] = tt.load %{{.*}} {ttg.async_copy = #[[$SHARED]], ttg.schedule = #ttg.schedule<stage = 0, order = 1>}
// CHECK-NEXT: %[[C:.*]] = ttg.convert_layout %[[A]] {ttg.schedule = #ttg.schedule<stage = 2, order = 2>}
// CHECK-NEXT: %[[D:.*]] = tt.dot %[[C]]{{.*}} {ttg.schedule = #ttg.schedule<stage = 2, order = 2>}
// CHECK-NEXT: %[[P:.*]] = tt.addptr {{.*}} {ttg.schedule = #ttg.schedule<stage = 0, order = 0>}
// CHECK-NEXT: scf.yield %[[P]], %[[D]]
// CHECK-NEXT: } {ttg.stages = 3 : i32}
tt.func @matmul(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pc: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant dense<32> : tensor<64x32xi32>
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %cols = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %r1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<1024> : tensor<64x1xi32>
  %r2 = arith.muli %r1, %stride : tensor<64x1xi32>
  %r3 = tt.broadcast %r2 : tensor<64x1xi32> -> tensor<64x32xi32>
  %k1 = tt.expand_dims %cols {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %k2 = tt.broadcast %k1 : tensor<1x32xi32> -> tensor<64x32xi32>
  %o = arith.addi %r3, %k2 : tensor<64x32xi32>
  %base = tt.splat %pa : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p0 = tt.addptr %base, %o : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %acc0 = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0, %acc = %acc0) -> (tensor<64x32x!tt.ptr<f16>>, tensor<64x64xf32>) : i32 {
    %a = tt.load %p : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %q = tt.addptr %p, %c32 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    scf.yield %q, %d : tensor<64x32x!tt.ptr<f16>>, tensor<64x64xf32>
  }
  %x = tt.splat %pc : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %x, %r#1 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// A loop that stores is left alone: a load might overtake the store.
// CHECK-LABEL: @stores
// CHECK-NOT: ttg.stages
// CHECK-NOT: ttg.schedule
// CHECK: tt.return
tt.func @stores(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %base = tt.splat %pa : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %z = arith.constant dense<0.0> : tensor<32x32xf16>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tt.load %base : tensor<32x32x!tt.ptr<f16>>
    %d = tt.dot %a, %a, %z : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf16>
    tt.store %base, %d : tensor<32x32x!tt.ptr<f16>>
  }
  tt.return
}

// Its arrays are apart, as the launch sees to: the copy of a later row starts before the store of
// this one. The address of the store is not needed ahead, what both addresses are made from is.
// CHECK-LABEL: @rows(
// CHECK-SAME: attributes {tt.overtakes}
// CHECK: scf.for
// CHECK-NEXT: arith.muli {{.*}} {ttg.schedule = #ttg.schedule<stage = 0, order = 0>}
// CHECK-COUNT-3: #ttg.schedule<stage = 0, order = 0>
// CHECK-NEXT: tt.load {{.*}} {ttg.async_copy = {{.*}}, ttg.schedule = #ttg.schedule<stage = 0, order = 1>}
// CHECK-COUNT-3: #ttg.schedule<stage = 2, order = 2>
// CHECK-NEXT: tt.store {{.*}} {ttg.schedule = #ttg.schedule<stage = 2, order = 2>}
// CHECK-NEXT: } {ttg.stages = 3 : i32}
// ALIAS-LABEL: @rows(
// ALIAS-NOT: tt.overtakes
// ALIAS-NOT: ttg.schedule
// ALIAS: tt.num_stages = 3
// ALIAS: tt.return
tt.func @rows(%y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %cols: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1024 = arith.constant 1024 : i32
  %inf = arith.constant dense<0xFF800000> : tensor<1024xf32>
  %c = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %bound = tt.splat %cols : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %c, %bound : tensor<1024xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %start = arith.muli %i, %c1024 : i32
    %px = tt.addptr %x, %start : !tt.ptr<f32>, i32
    %xs = tt.splat %px : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %xc = tt.addptr %xs, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %v = tt.load %xc, %m, %inf : tensor<1024x!tt.ptr<f32>>
    %py = tt.addptr %y, %start : !tt.ptr<f32>, i32
    %ys = tt.splat %py : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %yc = tt.addptr %ys, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    tt.store %yc, %v, %m : tensor<1024x!tt.ptr<f32>>
  } {tt.num_stages = 3 : i32}
  tt.return
}

// A schedule that is there stays.
// CHECK-LABEL: @scheduled(
// CHECK: tt.load {{.*}} {ttg.async_copy = {{.*}}, ttg.schedule = #ttg.schedule<stage = 0, order = 7>}
// CHECK-NEXT: tt.store {{.*}} {ttg.schedule = #ttg.schedule<stage = 1, order = 8>}
// CHECK-NEXT: } {ttg.stages = 2 : i32}
tt.func @scheduled(%y: !tt.ptr<f32>, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xc = tt.addptr %xs, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %xc {ttg.async_copy = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, ttg.schedule = #ttg.schedule<stage = 0, order = 7>} : tensor<1024x!tt.ptr<f32>>
    tt.store %ys, %v {ttg.schedule = #ttg.schedule<stage = 1, order = 8>} : tensor<1024x!tt.ptr<f32>>
  } {ttg.stages = 2 : i32}
  tt.return
}

// Nor is a loop taken that does not count in integers of 64 bits or fewer.
// CHECK-LABEL: @index(
// CHECK-NOT: ttg.schedule
// CHECK: } {tt.num_stages = 3 : i32}
tt.func private @index(%y: !tt.ptr<f32>, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xc = tt.addptr %xs, %c : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  scf.for %i = %c0 to %n step %c1 {
    %v = tt.load %xc : tensor<1024x!tt.ptr<f32>>
    tt.store %ys, %v : tensor<1024x!tt.ptr<f32>>
  } {tt.num_stages = 3 : i32}
  tt.return
}

// A barrier of a kernel with plain accesses alone orders nothing that a copy overtakes.
// CHECK-LABEL: @barrier(
// CHECK: ttg.barrier {ttg.schedule = #ttg.schedule<stage = 2, order = 2>}
// CHECK: tt.load {{.*}} {ttg.async_copy = {{.*}}, ttg.schedule = #ttg.schedule<stage = 0, order = 1>}
// CHECK: } {ttg.stages = 3 : i32}
tt.func @barrier(%y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1024 = arith.constant 1024 : i32
  %c = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
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

// Numbers of pages, of a program and of each row, are loaded ahead of what is loaded from the pages,
// though a dot's operand depends on them, too.
// CHECK-LABEL: @pages
// CHECK: scf.for
// CHECK: %[[PAGE:.*]] = tt.load %{{.*}} {ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : !tt.ptr<i32>
// CHECK: %[[ROWS:.*]] = tt.load %{{.*}} {ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : tensor<64x!tt.ptr<i32>
// CHECK: tt.load %{{.*}} {ttg.async_copy = {{.*}} : tensor<64x32x!tt.ptr<f16>
// CHECK: } {ttg.stages = 3 : i32}
tt.func @pages(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %table: !tt.ptr<i32>, %pc: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %cols = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %k1 = tt.expand_dims %cols {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %k2 = tt.broadcast %k1 : tensor<1x32xi32> -> tensor<64x32xi32>
  %r0 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %stride = arith.constant dense<32> : tensor<64x1xi32>
  %acc0 = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %acc0) -> (tensor<64x64xf32>) : i32 {
    %pi = tt.addptr %table, %i : !tt.ptr<i32>, i32
    %page = tt.load %pi : !tt.ptr<i32>
    %own = tt.addptr %table, %page : !tt.ptr<i32>, i32
    %owns = tt.splat %own : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %ownrows = tt.addptr %owns, %r0 : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %rows = tt.load %ownrows : tensor<64x!tt.ptr<i32>>
    %r1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %r2 = arith.muli %r1, %stride : tensor<64x1xi32>
    %base = tt.splat %pa : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %p0 = tt.addptr %base, %r2 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %p1 = tt.broadcast %p0 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
    %p = tt.addptr %p1, %k2 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    %a = tt.load %p : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %x = tt.splat %pc : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %x, %r : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
