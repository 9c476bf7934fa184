// RUN: tritium-opt %s -split-input-file -ttng-turn-ahead | FileCheck %s

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#rows = #ttg.shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#columns = #ttg.shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#turn = #ttg.linear<{register = [1, 0, 2, 0, 4, 0, 8, 0, 0, 1, 0, 2, 0, 64], lane = [0, 4, 16, 16, 32, 32, 0, 8, 64, 64], warp = [0, 16, 0, 32], shape = [128, 128]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // What lies across k is turned for the first iteration in front of the loop, if there is one, and then
  // for the next one beside the dot, where it is waited for too.
  // CHECK-LABEL: @loaded
  // CHECK: %[[T:.*]] = ttg.local_alloc {alignment = 1024 : i32} : <2x128x128xi8
  // CHECK: %[[ANY:.*]] = arith.cmpi slt
  // CHECK: scf.if %[[ANY]] {
  // CHECK: %[[F:.*]] = ttg.memdesc_index %arg2[%{{.*}}] :
  // CHECK: ttng.mbarrier_wait %[[F]], %{{.*}}
  // CHECK: %[[X:.*]] = ttg.local_load
  // CHECK: %[[T0:.*]] = ttg.memdesc_index %[[T]][%{{.*}}] :
  // CHECK: ttg.local_store %[[X]], %[[T0]]
  // CHECK: scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}, %[[SLOT:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}, %[[OWN:.*]] = %{{.*}})
  // CHECK-NOT: ttg.local_load
  // CHECK: %[[B:.*]] = ttg.memdesc_index %[[T]][%[[OWN]]] {ahead = 0 : i32}
  // CHECK: %[[D:.*]] = ttng.warp_group_dot %{{.*}}, %[[B]], %[[C]]
  // CHECK: scf.if
  // CHECK: %[[NEXT:.*]] = arith.select
  // CHECK: %[[OTHER:.*]] = arith.xori %[[OWN]]
  // CHECK: %[[G:.*]] = ttg.memdesc_index %arg2[%[[NEXT]]] :
  // CHECK: ttng.mbarrier_wait %[[G]], %{{.*}}
  // CHECK: %[[R:.*]] = ttg.memdesc_index %{{.*}}[%[[NEXT]]] :
  // CHECK: %[[Y:.*]] = ttg.local_load %[[R]]
  // CHECK: %[[T1:.*]] = ttg.memdesc_index %[[T]][%[[OTHER]]] {ahead = 1 : i32}
  // CHECK: ttg.local_store %[[Y]], %[[T1]]
  // CHECK: ttng.warp_group_dot_wait %[[D]] : {{.*}} {pendings = 0 : i32}
  // CHECK: ttng.mbarrier_arrive
  tt.func private @loaded(%ra: !ttg.memdesc<7x128x128xi8, #rows, mutable>, %n: i32, %full: !ttg.memdesc<7x1xi64, #one, mutable>, %empty: !ttg.memdesc<7x1xi64, #one, mutable>) -> tensor<128x128xi32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
    %rb = ttg.local_alloc : !ttg.memdesc<7x128x128xi8, #rows, mutable>
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %zero, %slot = %c0, %phase = %c0) -> (tensor<128x128xi32, #mma>, i32, i32) : i32 {
      %f = ttg.memdesc_index %full[%slot] : !ttg.memdesc<7x1xi64, #one, mutable> -> !ttg.memdesc<1xi64, #one, mutable>
      ttng.mbarrier_wait %f, %phase : !ttg.memdesc<1xi64, #one, mutable>
      %a = ttg.memdesc_index %ra[%slot] : !ttg.memdesc<7x128x128xi8, #rows, mutable> -> !ttg.memdesc<128x128xi8, #rows, mutable>
      %b = ttg.memdesc_index %rb[%slot] : !ttg.memdesc<7x128x128xi8, #rows, mutable> -> !ttg.memdesc<128x128xi8, #rows, mutable>
      %x = ttg.local_load %b : !ttg.memdesc<128x128xi8, #rows, mutable> -> tensor<128x128xi8, #turn>
      %t = ttg.local_alloc init(%x : tensor<128x128xi8, #turn>) {alignment = 1024 : i32} : !ttg.memdesc<128x128xi8, #columns>
      %d = ttng.warp_group_dot %a, %t, %c : !ttg.memdesc<128x128xi8, #rows, mutable> * !ttg.memdesc<128x128xi8, #columns> -> tensor<128x128xi32, #mma>
      %w = ttng.warp_group_dot_wait %d : tensor<128x128xi32, #mma> {pendings = 0 : i32}
      %e = ttg.memdesc_index %empty[%slot] : !ttg.memdesc<7x1xi64, #one, mutable> -> !ttg.memdesc<1xi64, #one, mutable>
      ttng.mbarrier_arrive %e, 4 releases(%a, %b : !ttg.memdesc<128x128xi8, #rows, mutable>, !ttg.memdesc<128x128xi8, #rows, mutable>) : !ttg.memdesc<1xi64, #one, mutable>
      %next = arith.addi %slot, %c1 : i32
      %wraps = arith.cmpi eq, %next, %c7 : i32
      %s = arith.select %wraps, %c0, %next : i32
      %q = arith.xori %phase, %c1 : i32
      %p = arith.select %wraps, %q, %phase : i32
      scf.yield %w, %s, %p : tensor<128x128xi32, #mma>, i32, i32
    }
    tt.return %r#0 : tensor<128x128xi32, #mma>
  }

  // Where two programs fit, one turns while the other multiplies.
  // CHECK-LABEL: @two
  // CHECK-NOT: scf.if
  // CHECK: ttg.local_alloc init
  // CHECK: ttng.warp_group_dot
  tt.func private @two(%ra: !ttg.memdesc<3x128x128xi8, #rows, mutable>, %n: i32, %full: !ttg.memdesc<3x1xi64, #one, mutable>, %empty: !ttg.memdesc<3x1xi64, #one, mutable>) -> tensor<128x128xi32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
    %rb = ttg.local_alloc : !ttg.memdesc<3x128x128xi8, #rows, mutable>
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %zero, %slot = %c0, %phase = %c0) -> (tensor<128x128xi32, #mma>, i32, i32) : i32 {
      %f = ttg.memdesc_index %full[%slot] : !ttg.memdesc<3x1xi64, #one, mutable> -> !ttg.memdesc<1xi64, #one, mutable>
      ttng.mbarrier_wait %f, %phase : !ttg.memdesc<1xi64, #one, mutable>
      %a = ttg.memdesc_index %ra[%slot] : !ttg.memdesc<3x128x128xi8, #rows, mutable> -> !ttg.memdesc<128x128xi8, #rows, mutable>
      %b = ttg.memdesc_index %rb[%slot] : !ttg.memdesc<3x128x128xi8, #rows, mutable> -> !ttg.memdesc<128x128xi8, #rows, mutable>
      %x = ttg.local_load %b : !ttg.memdesc<128x128xi8, #rows, mutable> -> tensor<128x128xi8, #turn>
      %t = ttg.local_alloc init(%x : tensor<128x128xi8, #turn>) {alignment = 1024 : i32} : !ttg.memdesc<128x128xi8, #columns>
      %d = ttng.warp_group_dot %a, %t, %c : !ttg.memdesc<128x128xi8, #rows, mutable> * !ttg.memdesc<128x128xi8, #columns> -> tensor<128x128xi32, #mma>
      %w = ttng.warp_group_dot_wait %d : tensor<128x128xi32, #mma> {pendings = 0 : i32}
      %e = ttg.memdesc_index %empty[%slot] : !ttg.memdesc<3x1xi64, #one, mutable> -> !ttg.memdesc<1xi64, #one, mutable>
      ttng.mbarrier_arrive %e, 4 releases(%a, %b : !ttg.memdesc<128x128xi8, #rows, mutable>, !ttg.memdesc<128x128xi8, #rows, mutable>) : !ttg.memdesc<1xi64, #one, mutable>
      %next = arith.addi %slot, %c1 : i32
      %wraps = arith.cmpi eq, %next, %c3 : i32
      %s = arith.select %wraps, %c0, %next : i32
      %q = arith.xori %phase, %c1 : i32
      %p = arith.select %wraps, %q, %phase : i32
      scf.yield %w, %s, %p : tensor<128x128xi32, #mma>, i32, i32
    }
    tt.return %r#0 : tensor<128x128xi32, #mma>
  }

  // A copy for the next iteration starts behind the dot: nothing could wait for it beside that.
  // CHECK-LABEL: @late
  // CHECK-NOT: scf.if
  // CHECK: scf.for
  // CHECK: ttg.local_alloc init
  // CHECK: ttng.warp_group_dot
  tt.func private @late(%ra: !ttg.memdesc<2x128x128xi8, #rows, mutable>, %n: i32, %k: i64, %q: !tt.ptr<i8>, %full: !ttg.memdesc<2x1xi64, #one, mutable>) -> tensor<128x128xi32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant 1 : i64
    %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
    %more = ttg.local_alloc : !ttg.memdesc<6x128x128xi8, #rows, mutable>
    %rb = ttg.local_alloc {alignment = 1024 : i32} : !ttg.memdesc<2x128x128xi8, #rows, mutable>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %zero, %slot = %c0) -> (tensor<128x128xi32, #mma>, i32) : i32 {
      %f = ttg.memdesc_index %full[%slot] {ahead = 0 : i32} : !ttg.memdesc<2x1xi64, #one, mutable> -> !ttg.memdesc<1xi64, #one, mutable>
      ttng.mbarrier_wait %f, %c0 : !ttg.memdesc<1xi64, #one, mutable>
      %a = ttg.memdesc_index %ra[%slot] {ahead = 0 : i32} : !ttg.memdesc<2x128x128xi8, #rows, mutable> -> !ttg.memdesc<128x128xi8, #rows, mutable>
      %b = ttg.memdesc_index %rb[%slot] {ahead = 0 : i32} : !ttg.memdesc<2x128x128xi8, #rows, mutable> -> !ttg.memdesc<128x128xi8, #rows, mutable>
      %x = ttg.local_load %b : !ttg.memdesc<128x128xi8, #rows, mutable> -> tensor<128x128xi8, #turn>
      %t = ttg.local_alloc init(%x : tensor<128x128xi8, #turn>) {alignment = 1024 : i32} : !ttg.memdesc<128x128xi8, #columns>
      %d = ttng.warp_group_dot %a, %t, %c : !ttg.memdesc<128x128xi8, #rows, mutable> * !ttg.memdesc<128x128xi8, #columns> -> tensor<128x128xi32, #mma>
      %w = ttng.warp_group_dot_wait %d : tensor<128x128xi32, #mma> {pendings = 0 : i32}
      %s = arith.xori %slot, %c1 : i32
      %g = ttg.memdesc_index %full[%s] {ahead = 1 : i32} : !ttg.memdesc<2x1xi64, #one, mutable> -> !ttg.memdesc<1xi64, #one, mutable>
      %u = ttg.memdesc_index %rb[%s] {ahead = 1 : i32} : !ttg.memdesc<2x128x128xi8, #rows, mutable> -> !ttg.memdesc<128x128xi8, #rows, mutable>
      ttng.tma_load %q[%i, %i] shape [%k, %k] strides [%k, %one], %u, %g : !tt.ptr<i8>, !ttg.memdesc<128x128xi8, #rows, mutable>, !ttg.memdesc<1xi64, #one, mutable>
      scf.yield %w, %s : tensor<128x128xi32, #mma>, i32
    }
    tt.return %r#0 : tensor<128x128xi32, #mma>
  }
}

// -----

// Which buffers both operands are in is counted in memory, once an iteration.
// CHECK-LABEL: @counts
// CHECK: scf.for
// CHECK: tt.store
// CHECK-NOT: tt.store
// CHECK: tt.return
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#rows = #ttg.shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#columns = #ttg.shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#turn = #ttg.linear<{register = [1, 0, 2, 0, 4, 0, 8, 0, 0, 1, 0, 2, 0, 64], lane = [0, 4, 16, 16, 32, 32, 0, 8, 64, 64], warp = [0, 16, 0, 32], shape = [128, 128]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  tt.func private @counts(%ra: !ttg.memdesc<7x128x128xi8, #rows, mutable>, %n: i32, %full: !ttg.memdesc<7x1xi64, #one, mutable>, %cnt: !tt.ptr<i32>) -> tensor<128x128xi32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
    %rb = ttg.local_alloc : !ttg.memdesc<7x128x128xi8, #rows, mutable>
    %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %zero, %slot = %c0, %phase = %c0, %sa = %c0) -> (tensor<128x128xi32, #mma>, i32, i32, i32) : i32 {
      %f = ttg.memdesc_index %full[%slot] : !ttg.memdesc<7x1xi64, #one, mutable> -> !ttg.memdesc<1xi64, #one, mutable>
      ttng.mbarrier_wait %f, %phase : !ttg.memdesc<1xi64, #one, mutable>
      %a = ttg.memdesc_index %ra[%sa] : !ttg.memdesc<7x128x128xi8, #rows, mutable> -> !ttg.memdesc<128x128xi8, #rows, mutable>
      %b = ttg.memdesc_index %rb[%sa] : !ttg.memdesc<7x128x128xi8, #rows, mutable> -> !ttg.memdesc<128x128xi8, #rows, mutable>
      %xa = ttg.local_load %a : !ttg.memdesc<128x128xi8, #rows, mutable> -> tensor<128x128xi8, #turn>
      %ta = ttg.local_alloc init(%xa : tensor<128x128xi8, #turn>) {alignment = 1024 : i32} : !ttg.memdesc<128x128xi8, #rows>
      %x = ttg.local_load %b : !ttg.memdesc<128x128xi8, #rows, mutable> -> tensor<128x128xi8, #turn>
      %t = ttg.local_alloc init(%x : tensor<128x128xi8, #turn>) {alignment = 1024 : i32} : !ttg.memdesc<128x128xi8, #columns>
      %d = ttng.warp_group_dot %ta, %t, %c : !ttg.memdesc<128x128xi8, #rows> * !ttg.memdesc<128x128xi8, #columns> -> tensor<128x128xi32, #mma>
      %w = ttng.warp_group_dot_wait %d : tensor<128x128xi32, #mma> {pendings = 0 : i32}
      %next = arith.addi %slot, %c1 : i32
      %wraps = arith.cmpi eq, %next, %c7 : i32
      %s = arith.select %wraps, %c0, %next : i32
      %q = arith.xori %phase, %c1 : i32
      %p = arith.select %wraps, %q, %phase : i32
      %yes = arith.cmpi slt, %sa, %c7 : i32
      %sn = scf.if %yes -> i32 {
        %old = tt.load %cnt : !tt.ptr<i32>
        %new = arith.addi %old, %c1 : i32
        tt.store %cnt, %new : !tt.ptr<i32>
        scf.yield %new : i32
      } else {
        scf.yield %c0 : i32
      }
      scf.yield %w, %s, %p, %sn : tensor<128x128xi32, #mma>, i32, i32, i32
    }
    tt.return %r#0 : tensor<128x128xi32, #mma>
  }
}

// -----

// The barrier is one for all iterations: its next phase may begin behind what this one does last.
// CHECK-LABEL: @one_barrier
// CHECK: scf.for
// CHECK: ttng.mbarrier_wait
// CHECK-NOT: ttng.mbarrier_wait
// CHECK: tt.return
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#rows = #ttg.shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#columns = #ttg.shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#turn = #ttg.linear<{register = [1, 0, 2, 0, 4, 0, 8, 0, 0, 1, 0, 2, 0, 64], lane = [0, 4, 16, 16, 32, 32, 0, 8, 64, 64], warp = [0, 16, 0, 32], shape = [128, 128]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  tt.func private @one_barrier(%ra: !ttg.memdesc<7x128x128xi8, #rows, mutable>, %n: i32, %full: !ttg.memdesc<1x1xi64, #one, mutable>, %cnt: !tt.ptr<i32>) -> tensor<128x128xi32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
    %rb = ttg.local_alloc : !ttg.memdesc<7x128x128xi8, #rows, mutable>
    %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %zero, %slot = %c0, %phase = %c0, %sa = %c0) -> (tensor<128x128xi32, #mma>, i32, i32, i32) : i32 {
      %f = ttg.memdesc_index %full[%c0] : !ttg.memdesc<1x1xi64, #one, mutable> -> !ttg.memdesc<1xi64, #one, mutable>
      ttng.mbarrier_wait %f, %phase : !ttg.memdesc<1xi64, #one, mutable>
      %a = ttg.memdesc_index %ra[%sa] : !ttg.memdesc<7x128x128xi8, #rows, mutable> -> !ttg.memdesc<128x128xi8, #rows, mutable>
      %b = ttg.memdesc_index %rb[%slot] : !ttg.memdesc<7x128x128xi8, #rows, mutable> -> !ttg.memdesc<128x128xi8, #rows, mutable>
      %xa = ttg.local_load %a : !ttg.memdesc<128x128xi8, #rows, mutable> -> tensor<128x128xi8, #turn>
      %ta = ttg.local_alloc init(%xa : tensor<128x128xi8, #turn>) {alignment = 1024 : i32} : !ttg.memdesc<128x128xi8, #rows>
      %x = ttg.local_load %b : !ttg.memdesc<128x128xi8, #rows, mutable> -> tensor<128x128xi8, #turn>
      %t = ttg.local_alloc init(%x : tensor<128x128xi8, #turn>) {alignment = 1024 : i32} : !ttg.memdesc<128x128xi8, #columns>
      %d = ttng.warp_group_dot %ta, %t, %c : !ttg.memdesc<128x128xi8, #rows> * !ttg.memdesc<128x128xi8, #columns> -> tensor<128x128xi32, #mma>
      %w = ttng.warp_group_dot_wait %d : tensor<128x128xi32, #mma> {pendings = 0 : i32}
      %next = arith.addi %slot, %c1 : i32
      %wraps = arith.cmpi eq, %next, %c7 : i32
      %s = arith.select %wraps, %c0, %next : i32
      %q = arith.xori %phase, %c1 : i32
      %p = arith.select %wraps, %q, %phase : i32
      %yes = arith.cmpi slt, %sa, %c7 : i32
      %sn = scf.if %yes -> i32 {
        %old = tt.load %cnt : !tt.ptr<i32>
        %new = arith.addi %old, %c1 : i32
        tt.store %cnt, %new : !tt.ptr<i32>
        scf.yield %new : i32
      } else {
        scf.yield %c0 : i32
      }
      scf.yield %w, %s, %p, %sn : tensor<128x128xi32, #mma>, i32, i32, i32
    }
    tt.return %r#0 : tensor<128x128xi32, #mma>
  }
}
