// RUN: tritium-opt %s -split-input-file -ttg-specialize-warps=mode=always | FileCheck %s
// RUN: tritium-opt %s -split-input-file -ttg-specialize-warps | FileCheck %s --check-prefix=AUTO
// RUN: tritium-opt %s -split-input-file -ttg-specialize-warps=mode=never | FileCheck %s --check-prefix=NEVER
// RUN: tritium-opt %s -split-input-file -ttg-specialize-warps=mode=always -verify-diagnostics -o /dev/null

// NEVER-NOT: ttg.warp_groups

// In a loop over tiles and a branch, which both groups go through with the number of the next buffer
// and the phase of its barriers. The start of the box is the loader's own.
#mma = #ttg.mma<{version = 3, warpsPerCTA = [8, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#t = #ttg.shared_linear<{offsets = [72, 144, 288, 512, 1024, 2048, 1, 2, 4, 8, 16, 32, 4096, 8192], shape = [64, 256]}>
#first = #ttg.schedule<stage = 0, order = 0>
#last = #ttg.schedule<stage = 2, order = 2>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 8 : i32} {
// CHECK-LABEL: tt.func @tiles
// CHECK: %[[C128:.*]] = arith.constant 128 : i32
// CHECK: %[[X:.*]] = ttg.local_alloc {alignment = 1024 : i32} : <3x128x64xf16, #{{.*}}, mutable>
// CHECK: %[[Y:.*]] = ttg.local_alloc {alignment = 1024 : i32} : <3x64x256xf16, #{{.*}}, mutable>
// CHECK: %[[FULL:.*]] = ttg.local_alloc : <3x1xi64
// CHECK-COUNT-3: ttng.mbarrier_init %{{.*}}, 1 :
// CHECK: %[[EMPTY:.*]] = ttg.local_alloc : <3x1xi64
// CHECK-COUNT-3: ttng.mbarrier_init %{{.*}}, 8 :
// CHECK: ttg.warp_groups "compute" warps 8 registers 240 {
// CHECK:   scf.for %[[T:.*]] = {{.*}} iter_args(%[[SLOT:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) -> (i32, i32)
// CHECK:     %[[IF:.*]]:2 = scf.if {{.*}} -> (i32, i32) {
// CHECK:       %[[R:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[S1:.*]] = %[[SLOT]], %[[P1:.*]] = %[[PHASE]])
// CHECK:         %[[F:.*]] = ttg.memdesc_index %[[FULL]][%[[S1]]]
// CHECK:         ttng.mbarrier_wait %[[F]], %[[P1]]
// CHECK:         %[[BX:.*]] = ttg.memdesc_index %[[X]][%[[S1]]]
// CHECK:         ttg.local_load %[[BX]]
// CHECK:         %[[BY:.*]] = ttg.memdesc_index %[[Y]][%[[S1]]]
// CHECK:         ttg.local_load %[[BY]]
// CHECK:         tt.dot
// CHECK:         %[[E:.*]] = ttg.memdesc_index %[[EMPTY]][%[[S1]]]
// CHECK:         ttng.mbarrier_arrive %[[E]], 8 releases(%[[BX]], %[[BY]]
// CHECK:         %[[NEXT:.*]] = arith.addi %[[S1]], %c1
// CHECK:         %[[WRAPS:.*]] = arith.cmpi eq, %[[NEXT]], %c3
// CHECK:         arith.select %[[WRAPS]], %c0{{.*}}, %[[NEXT]]
// CHECK:         arith.xori %[[P1]]
// CHECK:       }
// CHECK:       tt.store
// CHECK:       scf.yield %[[R]]#1, %[[R]]#2
// CHECK:     } else {
// CHECK:       scf.yield %[[SLOT]], %[[PHASE]]
// CHECK:     scf.yield %[[IF]]#0, %[[IF]]#1
// CHECK: } "load" warps 1 registers 24 {
// CHECK:   scf.for %[[T:.*]] = {{.*}} iter_args(%[[SLOT:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) -> (i32, i32)
// CHECK:     %[[AT:.*]] = arith.muli %[[T]], %[[C128]]
// CHECK:     scf.if {{.*}} -> (i32, i32) {
// CHECK:       scf.for %[[K:.*]] = {{.*}} iter_args(%[[S2:.*]] = %[[SLOT]], %[[P2:.*]] = %[[PHASE]])
// CHECK:         %[[OTHER:.*]] = arith.xori %[[P2]]
// CHECK:         %[[E:.*]] = ttg.memdesc_index %[[EMPTY]][%[[S2]]]
// CHECK:         ttng.mbarrier_wait %[[E]], %[[OTHER]]
// CHECK:         %[[F:.*]] = ttg.memdesc_index %[[FULL]][%[[S2]]]
// CHECK:         ttng.mbarrier_expect %[[F]], 49152
// CHECK:         ttng.tma_load %{{.*}}[%[[AT]], %[[K]]]
// CHECK:         ttng.tma_load %{{.*}}[%[[K]], %{{.*}}]
// CHECK: }
// CHECK-COUNT-6: ttng.mbarrier_inval
// CHECK-NEXT: tt.return
// AUTO-LABEL: tt.func @tiles
// AUTO: ttg.warp_groups
tt.func @tiles(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f16> {tt.divisibility = 16 : i32},
               %f: !tt.ptr<f32>, %n: i32, %m: i64) {
  %o = tt.splat %f : !tt.ptr<f32> -> tensor<128x256x!tt.ptr<f32>, #mma>
  %sum = arith.constant dense<0.0> : tensor<128x256xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %one = arith.constant 1 : i64
  scf.for %t = %c0 to %n step %c64 : i32 {
    %at = arith.muli %t, %c128 : i32
    %there = arith.cmpi slt, %at, %n : i32
    scf.if %there {
      // expected-remark @below {{a warp of its own starts the loop's copies}}
      %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum) -> (tensor<128x256xf32, #mma>) : i32 {
        %x = ttng.load_box %p[%at, %k] shape[%m, %m] strides[%m, %one] {ttg.async_copy = #s, ttg.schedule = #first} : !tt.ptr<f16> -> tensor<128x64xf16, #l>
        %y = ttng.load_box %q[%k, %at] shape[%m, %m] strides[%m, %one] {ttg.async_copy = #t, ttg.schedule = #first} : !tt.ptr<f16> -> tensor<64x256xf16, #l>
        %xa = ttg.convert_layout %x {ttg.schedule = #last} : tensor<128x64xf16, #l> -> tensor<128x64xf16, #a>
        %yb = ttg.convert_layout %y {ttg.schedule = #last} : tensor<64x256xf16, #l> -> tensor<64x256xf16, #b>
        %d = tt.dot %xa, %yb, %c {ttg.schedule = #last} : tensor<128x64xf16, #a> * tensor<64x256xf16, #b> -> tensor<128x256xf32, #mma>
        scf.yield %d : tensor<128x256xf32, #mma>
      } {ttg.stages = 3 : i32}
      tt.store %o, %r : tensor<128x256x!tt.ptr<f32>, #mma>
    }
  }
  tt.return
}
}

// -----

// The first part of two dots' copies does not wait for the second one.
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#first = #ttg.schedule<stage = 0, order = 0>
#last = #ttg.schedule<stage = 1, order = 2>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
// No sum of the loop is used in it, so that no dot goes on beside the other one's result.
// AUTO-LABEL: tt.func @parts
// AUTO-NOT: ttg.warp_groups
// CHECK-LABEL: tt.func @parts
// CHECK: ttg.local_alloc {alignment = 1024 : i32} : <2x64x64xf16
// CHECK: ttg.local_alloc {alignment = 1024 : i32} : <2x64x64xf16
// CHECK-COUNT-4: ttg.local_alloc : <2x1xi64
// CHECK: ttg.warp_groups "compute" warps 4 {
// CHECK: scf.for
// CHECK: ttng.mbarrier_wait
// CHECK: ttg.local_load
// CHECK: tt.dot
// CHECK: ttng.mbarrier_wait
// CHECK: ttg.local_load
// CHECK: tt.dot
// CHECK: ttng.mbarrier_arrive
// CHECK: ttng.mbarrier_arrive
// CHECK: } "load" warps 1 {
// CHECK: ttng.mbarrier_wait
// CHECK: ttng.mbarrier_expect {{.*}}, 8192
// CHECK: ttng.tma_load
// CHECK: ttng.mbarrier_wait
// CHECK: ttng.mbarrier_expect {{.*}}, 8192
// CHECK: ttng.tma_load
tt.func @parts(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %f: !tt.ptr<f32>, %n: i32, %m: i64) {
  %o = tt.splat %f : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
  %x = arith.constant dense<1.0> : tensor<64x64xf16, #a>
  %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  // expected-remark @below {{a warp of its own starts the loop's copies}}
  %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
    %y = ttng.load_box %p[%k, %c0] shape[%m, %m] strides[%m, %one] {ttg.async_copy = #s, ttg.schedule = #first} : !tt.ptr<f16> -> tensor<64x64xf16, #l>
    %z = ttng.load_box %q[%k, %c0] shape[%m, %m] strides[%m, %one] {ttg.async_copy = #s, ttg.schedule = #first} : !tt.ptr<f16> -> tensor<64x64xf16, #l>
    %yb = ttg.convert_layout %y {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
    %zb = ttg.convert_layout %z {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
    %s = tt.dot %x, %yb, %sum {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %h = arith.truncf %s {ttg.schedule = #last} : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
    %w = ttg.convert_layout %h {ttg.schedule = #last} : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #a>
    %d = tt.dot %w, %zb, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  } {ttg.stages = 2 : i32}
  tt.store %o, %r : tensor<64x64x!tt.ptr<f32>, #mma>
  tt.return
}
}

// -----

// The author asks for it where threads copy one of the tiles, and where an atomic stands in front.
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#first = #ttg.schedule<stage = 0, order = 0>
#last = #ttg.schedule<stage = 1, order = 2>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: tt.func @threads
// CHECK-NOT: ttg.warp_groups
// CHECK-NOT: tt.warp_specialize
tt.func @threads(%q: !tt.ptr<f16>, %n: i32) {
  %p = tt.splat %q : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #l>
  %x = arith.constant dense<1.0> : tensor<64x64xf16, #a>
  %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  // expected-remark @below {{the warps that compute start the loop's copies themselves: no loop of the kernel has copies by TMA alone}}
  %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
    %y = tt.load %p {ttg.async_copy = #s, ttg.schedule = #first} : tensor<64x64x!tt.ptr<f16>, #l>
    %yb = ttg.convert_layout %y {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
    %d = tt.dot %x, %yb, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  } {ttg.stages = 2 : i32, tt.warp_specialize}
  tt.return
}

// CHECK-LABEL: tt.func @ordered
// CHECK-NOT: ttg.warp_groups
tt.func @ordered(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %f: !tt.ptr<i32>, %n: i32, %m: i64) {
  %x = arith.constant dense<1.0> : tensor<64x64xf16, #a>
  %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %old = tt.atomic_rmw add, acq_rel, gpu, %f, %c0 : (!tt.ptr<i32>, i32) -> i32
  // expected-remark @below {{the warps that compute start the loop's copies themselves: 'tt.atomic_rmw' may order what it copies after what others write}}
  %r = scf.for %k = %c0 to %n step %c64 iter_args(%c = %sum) -> (tensor<64x64xf32, #mma>) : i32 {
    %y = ttng.load_box %p[%k, %c0] shape[%m, %m] strides[%m, %one] {ttg.async_copy = #s, ttg.schedule = #first} : !tt.ptr<f16> -> tensor<64x64xf16, #l>
    %yb = ttg.convert_layout %y {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
    %d = tt.dot %x, %yb, %c {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  } {ttg.stages = 2 : i32, tt.warp_specialize}
  tt.return
}
}

// -----

// What stands in front of the loop, for all its iterations, has a buffer of its own, whose phase goes
// on with the programs; the loader waits for it before it copies for the loop. A box that depends on
// what only the computing group can do is left to that.
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#first = #ttg.schedule<stage = 0, order = 0>
#last = #ttg.schedule<stage = 2, order = 2>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: tt.func @in_front
// CHECK: ttg.local_alloc {alignment = 1024 : i32} : <3x64x64xf16
// CHECK: %[[Q:.*]] = ttg.local_alloc {alignment = 1024 : i32} : <1x64x64xf16
// CHECK: %[[FULL:.*]] = ttg.local_alloc : <1x1xi64
// CHECK: ttng.mbarrier_init %{{.*}}, 1 :
// CHECK: %[[EMPTY:.*]] = ttg.local_alloc : <1x1xi64
// CHECK: ttng.mbarrier_init %{{.*}}, 4 :
// CHECK: "compute"
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[SLOT:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) ->
// CHECK: %[[NEXT:.*]] = arith.xori %[[PHASE]]
// CHECK: ttng.load_box
// CHECK: %[[F:.*]] = ttg.memdesc_index %[[FULL]][%[[SLOT]]]
// CHECK: ttng.mbarrier_wait %[[F]], %[[PHASE]]
// CHECK: %[[B:.*]] = ttg.memdesc_index %[[Q]][%[[SLOT]]]
// CHECK: ttg.local_load %[[B]]
// CHECK: %[[R:.*]]:5 = scf.for
// CHECK: tt.store
// CHECK: %[[E:.*]] = ttg.memdesc_index %[[EMPTY]][%[[SLOT]]]
// CHECK: ttng.mbarrier_arrive %[[E]], 4 releases(%[[B]]
// CHECK: scf.yield %[[R]]#1, %[[R]]#2, %[[R]]#3, %[[R]]#4
// CHECK: "load"
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[SLOT:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) ->
// CHECK: %[[OTHER:.*]] = arith.xori %[[PHASE]]
// CHECK: ttng.mbarrier_wait %{{.*}}, %[[OTHER]]
// CHECK: ttng.mbarrier_expect %{{.*}}, 8192
// CHECK: ttng.tma_load
// CHECK: scf.for
// CHECK-NOT: load_box
// CHECK: ttng.mbarrier_invalidate
tt.func @in_front(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %f: !tt.ptr<f32>, %n: i32, %m: i64) {
  %o = tt.splat %f : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
  %sum = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  scf.for %t = %c0 to %n step %c64 : i32 {
    %x = ttng.load_box %p[%t, %c0] shape[%m, %m] strides[%m, %one] {ttg.async_copy = #s} : <f16> -> tensor<64x64xf16, #l>
    %xa = ttg.convert_layout %x : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
    %at = tt.load %f : !tt.ptr<f32>
    %ati = arith.fptosi %at : f32 to i32
    %z = ttng.load_box %p[%ati, %c0] shape[%m, %m] strides[%m, %one] {ttg.async_copy = #s} : <f16> -> tensor<64x64xf16, #l>
    %za = ttg.convert_layout %z : tensor<64x64xf16, #l> -> tensor<64x64xf16, #mma>
    %ze = arith.extf %za : tensor<64x64xf16, #mma> to tensor<64x64xf32, #mma>
    // expected-remark @+1 {{a warp of its own starts the loop's copies}}
    %r = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %ze) -> (tensor<64x64xf32, #mma>) : i32 {
      %y = ttng.load_box %p[%k, %c0] shape[%m, %m] strides[%m, %one] {ttg.async_copy = #s, ttg.schedule = #first} : <f16> -> tensor<64x64xf16, #l>
      %yb = ttg.convert_layout %y {ttg.schedule = #last} : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
      %d = tt.dot %xa, %yb, %acc {ttg.schedule = #last} : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {ttg.stages = 3 : i32}
    tt.store %o, %r : tensor<64x64x!tt.ptr<f32>, #mma>
  }
  tt.return
}
}
