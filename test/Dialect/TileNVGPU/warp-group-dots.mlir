// RUN: tritium-opt %s -split-input-file -ttng-warp-group-dots | FileCheck %s
// RUN: tritium-opt %s -split-input-file -ttng-warp-group-dots=store-early=false | FileCheck %s --check-prefix=LATE

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#row = #ttg.slice<{dim = 1, parent = #mma}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#v = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // Three buffers, and copies that go to the one that the iteration before the last has read. What
  // is loaded from other memory in between leaves them as they are.
  // CHECK-LABEL: @carried
  // CHECK: %[[RING:.*]] = ttg.local_alloc {alignment = 1024 : i32} : <3x64x64xf16
  // CHECK: %[[SUM:.*]]:2 = scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: %[[A:.*]] = ttg.memdesc_index %[[RING]]
  // CHECK-NOT: ttg.local_load
  // CHECK: %[[D:.*]] = ttng.warp_group_dot %[[A]], %[[A]], %[[C]]
  // CHECK-NEXT: ttng.warp_group_dot_wait {pendings = 1 : i32}
  // CHECK: scf.yield %[[D]]
  // CHECK: ttng.warp_group_dot_wait %[[SUM]]#0 : {{.*}} {pendings = 0 : i32}
  tt.func private @carried(%n: i32, %p: tensor<64x64x!tt.ptr<f16>, #l>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %ring = ttg.local_alloc : !ttg.memdesc<3x64x64xf16, #s, mutable>
    %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %zero, %slot = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      ttg.async_wait {num = 0 : i32}
      %to = ttg.memdesc_index %ring[%slot] {ahead = 1 : i32} : !ttg.memdesc<3x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
      ttg.async_copy_global_to_local %p, %to : tensor<64x64x!tt.ptr<f16>, #l> -> !ttg.memdesc<64x64xf16, #s, mutable>
      ttg.async_commit_group
      %m = ttg.memdesc_index %ring[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
      %x = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #a>
      %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #b>
      %f = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
      %d = tt.dot %x, %y, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d, %slot : tensor<64x64xf32, #mma>, i32
    }
    tt.return %sum#0 : tensor<64x64xf32, #mma>
  }

  // With two buffers the copy goes to the one that the last iteration has read: no dot goes on.
  // CHECK-LABEL: @few
  // CHECK: scf.for
  // CHECK: %[[D:.*]] = ttng.warp_group_dot
  // CHECK-NEXT: %[[E:.*]] = ttng.warp_group_dot_wait %[[D]] : {{.*}} {pendings = 0 : i32}
  // CHECK: scf.yield %[[E]]
  // CHECK-NEXT: }
  // CHECK-NOT: ttng.warp_group_dot_wait
  tt.func private @few(%n: i32, %p: tensor<64x64x!tt.ptr<f16>, #l>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %ring = ttg.local_alloc : !ttg.memdesc<2x64x64xf16, #s, mutable>
    %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %zero, %slot = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      ttg.async_wait {num = 0 : i32}
      %to = ttg.memdesc_index %ring[%slot] {ahead = 1 : i32} : !ttg.memdesc<2x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
      ttg.async_copy_global_to_local %p, %to : tensor<64x64x!tt.ptr<f16>, #l> -> !ttg.memdesc<64x64xf16, #s, mutable>
      ttg.async_commit_group
      %m = ttg.memdesc_index %ring[%slot] {ahead = 0 : i32} : !ttg.memdesc<2x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
      %x = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #a>
      %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #b>
      %d = tt.dot %x, %y, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d, %slot : tensor<64x64xf32, #mma>, i32
    }
    tt.return %sum#0 : tensor<64x64xf32, #mma>
  }

  // What lies elsewhere is put into panels, once for all dots; what a dot has made stays in registers.
  // CHECK-LABEL: @operands
  // CHECK: %[[X:.*]] = ttg.local_alloc init(%arg0 : {{.*}}) {alignment = 1024 : i32}
  // CHECK: %[[Y:.*]] = ttg.local_alloc init(%arg1 : {{.*}}) {alignment = 1024 : i32}
  // CHECK: %[[D:.*]] = ttng.warp_group_dot %[[X]], %[[Y]], %arg2
  // CHECK: %[[E:.*]] = ttng.warp_group_dot_wait %[[D]]
  // CHECK: %[[P:.*]] = ttg.convert_layout
  // CHECK-NOT: ttg.local_alloc
  // CHECK: ttng.warp_group_dot %[[P]], %[[Y]], %[[E]]
  tt.func private @operands(%x: tensor<64x64xf16, #l>, %y: tensor<64x64xf16, #l>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %a = ttg.convert_layout %x : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
    %b = ttg.convert_layout %y : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
    %d = tt.dot %a, %b, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %h = arith.truncf %d : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
    %p = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #a>
    %e = tt.dot %p, %b, %d : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %e : tensor<64x64xf32, #mma>
  }

  // Memory that is written in between, or of which it is not known where it was allocated, is read
  // where the load stands, and put where dots read it at once, or else for the dot.
  // CHECK-LABEL: @changed
  // CHECK: ttg.local_store
  // CHECK: %[[A:.*]] = ttg.local_load
  // CHECK-NEXT: %[[X:.*]] = ttg.local_alloc init(%[[A]]
  // CHECK: %[[B:.*]] = ttg.local_load
  // CHECK-NEXT: %[[Y:.*]] = ttg.local_alloc init(%[[B]]
  // CHECK-NEXT: ttg.local_store
  // CHECK: ttng.warp_group_dot %[[X]], %[[Y]]
  // LATE-LABEL: @changed
  // LATE: ttg.local_load
  // LATE: ttg.local_load
  // LATE: ttg.local_store
  // LATE-COUNT-2: ttg.local_alloc init
  // LATE: ttng.warp_group_dot
  tt.func private @changed(%given: !ttg.memdesc<64x64xf16, #s, mutable>, %x: tensor<64x64xf16, #l>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %m = ttg.local_alloc : !ttg.memdesc<64x64xf16, #s, mutable>
    ttg.local_store %x, %m : tensor<64x64xf16, #l>, !ttg.memdesc<64x64xf16, #s, mutable>
    %a = ttg.local_load %given : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #a>
    %b = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #b>
    ttg.local_store %x, %m : tensor<64x64xf16, #l>, !ttg.memdesc<64x64xf16, #s, mutable>
    %d = tt.dot %a, %b, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // A buffer is read in place behind waits for others and what hands others back, but not behind what
  // hands it back itself.
  // CHECK-LABEL: @handed_back
  // CHECK-SAME: %[[I:[^:]*]]: i32
  // CHECK: %[[RING:.*]] = ttg.local_alloc
  // CHECK: %[[X:.*]] = ttg.memdesc_index %[[RING]][%[[I]]] {ahead = 0 : i32}
  // CHECK-NOT: ttg.local_load
  // CHECK: ttng.mbarrier_arrive
  // CHECK: ttng.warp_group_dot %[[X]], %[[X]]
  // CHECK: %[[Z:.*]] = ttg.local_alloc init
  // CHECK: ttng.mbarrier_arrive
  // CHECK: ttng.warp_group_dot %{{.*}}, %[[Z]]
  tt.func private @handed_back(%i: i32, %phase: i32, %c: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    %ring = ttg.local_alloc : !ttg.memdesc<2x64x64xf16, #s, mutable>
    %others = ttg.local_alloc : !ttg.memdesc<2x64x64xf16, #s, mutable>
    %barrier = ttg.local_alloc : !ttg.memdesc<1xi64, #v, mutable>
    %x = ttg.memdesc_index %ring[%i] {ahead = 0 : i32} : !ttg.memdesc<2x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
    %y = ttg.memdesc_index %others[%i] {ahead = 0 : i32} : !ttg.memdesc<2x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
    %a = ttg.local_load %x : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #a>
    %b = ttg.local_load %x : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #b>
    ttng.mbarrier_wait %barrier, %phase : !ttg.memdesc<1xi64, #v, mutable>
    ttng.mbarrier_arrive %barrier, 4 releases(%y : !ttg.memdesc<64x64xf16, #s, mutable>) : !ttg.memdesc<1xi64, #v, mutable>
    %d = tt.dot %a, %b, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %late = ttg.local_load %x : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #b>
    %early = ttg.local_load %x : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #a>
    %e0 = tt.dot %early, %b, %d : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    ttng.mbarrier_arrive %barrier, 4 releases(%x : !ttg.memdesc<64x64xf16, #s, mutable>) : !ttg.memdesc<1xi64, #v, mutable>
    %e = tt.dot %early, %late, %e0 : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d, %e : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }

  // A tile that loops do not change is put there once, in front of them.
  // CHECK-LABEL: @invariant
  // CHECK: %[[X:.*]] = ttg.local_alloc init(%arg1 : {{.*}}) {alignment = 1024 : i32}
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK-NOT: ttg.local_alloc
  // CHECK: %[[Y:.*]] = ttg.local_alloc init(%{{.*}} : {{.*}}) {alignment = 1024 : i32}
  // CHECK: ttng.warp_group_dot %[[X]], %[[Y]]
  tt.func private @invariant(%n: i32, %x: tensor<64x64xf16, #l>, %y: tensor<64x64xf16, #l>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%e = %c) -> (tensor<64x64xf32, #mma>) : i32 {
      %inner = scf.for %j = %c0 to %i step %c1 iter_args(%f = %e) -> (tensor<64x64xf32, #mma>) : i32 {
        %h = tt.splat %j : i32 -> tensor<64x64xi32, #l>
        %g = arith.sitofp %h : tensor<64x64xi32, #l> to tensor<64x64xf16, #l>
        %a = ttg.convert_layout %x : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
        %b = ttg.convert_layout %g : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
        %d = tt.dot %a, %b, %f : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
        scf.yield %d : tensor<64x64xf32, #mma>
      }
      scf.yield %inner : tensor<64x64xf32, #mma>
    }
    tt.return %sum : tensor<64x64xf32, #mma>
  }

  // The wait for a dot stands in front of what needs it, behind copies to other buffers, and leaves
  // the later dot in flight. Where a copy goes to what a dot reads, its wait is in front.
  // CHECK-LABEL: @beside
  // CHECK: %[[D:.*]] = ttng.warp_group_dot
  // CHECK: %[[E:.*]] = ttng.warp_group_dot
  // CHECK: ttg.async_copy_global_to_local
  // CHECK-NEXT: %[[F:.*]] = ttng.warp_group_dot_wait %[[D]] : {{.*}} {pendings = 1 : i32}
  // CHECK-NEXT: math.exp2 %[[F]]
  // CHECK-NEXT: ttg.memdesc_index
  // CHECK-NEXT: %[[G:.*]] = ttng.warp_group_dot_wait %[[E]] : {{.*}} {pendings = 0 : i32}
  // CHECK-NEXT: ttg.async_copy_global_to_local
  tt.func private @beside(%i: i32, %p: tensor<64x64x!tt.ptr<f16>, #l>, %c: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    %ring = ttg.local_alloc : !ttg.memdesc<3x64x64xf16, #s, mutable>
    %other = ttg.local_alloc : !ttg.memdesc<3x64x64xf16, #s, mutable>
    %m = ttg.memdesc_index %ring[%i] {ahead = 0 : i32} : !ttg.memdesc<3x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
    %o = ttg.memdesc_index %other[%i] {ahead = 0 : i32} : !ttg.memdesc<3x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
    %to = ttg.memdesc_index %ring[%i] {ahead = 1 : i32} : !ttg.memdesc<3x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
    %x = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #a>
    %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #b>
    %d = tt.dot %x, %y, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %z = ttg.local_load %o : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #b>
    %e = tt.dot %x, %z, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    ttg.async_copy_global_to_local %p, %to : tensor<64x64x!tt.ptr<f16>, #l> -> !ttg.memdesc<64x64xf16, #s, mutable>
    %f = math.exp2 %d : tensor<64x64xf32, #mma>
    %same = ttg.memdesc_index %other[%i] {ahead = 3 : i32} : !ttg.memdesc<3x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
    ttg.async_copy_global_to_local %p, %same : tensor<64x64x!tt.ptr<f16>, #l> -> !ttg.memdesc<64x64xf16, #s, mutable>
    ttg.async_commit_group
    ttg.async_wait {num = 0 : i32}
    tt.return %e, %f : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }

  // The wait for the dot that began last is the one for the dot before it, too, whose left operand
  // the next one is then converted from without going through a wait of its own.
  // CHECK-LABEL: @joined
  // CHECK: scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}, %[[LEFT:.*]] = %{{.*}})
  // CHECK: %[[S:.*]] = ttng.warp_group_dot
  // CHECK: %[[D:.*]] = ttng.warp_group_dot %[[LEFT]], %{{.*}}, %[[C]]
  // CHECK: %[[E:.*]] = ttng.warp_group_dot
  // CHECK: %[[SW:.*]] = ttng.warp_group_dot_wait %[[S]] : {{.*}} {pendings = 2 : i32}
  // CHECK: math.exp2 %[[SW]]
  // CHECK: %[[BOTH:.*]]:2 = ttng.warp_group_dot_wait %[[E]], %[[D]] : {{.*}} {pendings = 0 : i32}
  // CHECK: arith.mulf %{{.*}}, %[[BOTH]]#0
  // CHECK-NOT: ttng.warp_group_dot_wait
  // CHECK: scf.yield %[[BOTH]]#1
  tt.func private @joined(%n: i32, %q: !ttg.memdesc<64x64xf16, #s>, %zero: tensor<64x64xf32, #mma>, %p0: tensor<64x64xf16, #a>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = ttg.local_alloc : !ttg.memdesc<64x64xf16, #s, mutable>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %p = %p0) -> (tensor<64x64xf32, #mma>, tensor<64x64xf16, #a>) : i32 {
      %x = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #a>
      %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #b>
      %s = tt.dot %x, %y, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %d = tt.dot %p, %y, %sum : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %e = tt.dot %x, %y, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %w = math.exp2 %s : tensor<64x64xf32, #mma>
      %g = arith.mulf %w, %e : tensor<64x64xf32, #mma>
      %h = arith.truncf %g : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %left = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #a>
      scf.yield %d, %left : tensor<64x64xf32, #mma>, tensor<64x64xf16, #a>
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // A left operand that the loop carries is converted behind the wait for the dot that reads it,
  // and sums of rows are computed in front of it.
  // CHECK-LABEL: @carriedOperand
  // CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
  // CHECK: %[[D:.*]] = ttng.warp_group_dot %[[P]]
  // CHECK: %[[X:.*]] = math.exp2
  // CHECK: %[[S:.*]] = "tt.reduce"(%[[X]])
  // CHECK: %[[W:.*]]:3 = ttng.warp_group_dot_wait %[[D]], %[[X]], %[[S]] : {{.*}} {pendings = 0 : i32}
  // CHECK-NEXT: %[[H:.*]] = arith.truncf %[[W]]#1
  // CHECK-NEXT: %[[N:.*]] = ttg.convert_layout %[[H]]
  // CHECK: %[[C:.*]] = arith.mulf %[[W]]#0
  // CHECK: scf.yield %[[N]], %[[C]], %[[W]]#2
  tt.func private @carriedOperand(%n: i32, %p0: tensor<64x64xf16, #a>, %y: tensor<64x64xf16, #l>, %s0: tensor<64x64xf32, #mma>, %l0: tensor<64xf32, #row>, %k: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64xf32, #row>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0, %s = %s0, %l = %l0) -> (tensor<64x64xf16, #a>, tensor<64x64xf32, #mma>, tensor<64xf32, #row>) : i32 {
      %b = ttg.convert_layout %y : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
      %d = tt.dot %p, %b, %s : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %x = math.exp2 %k : tensor<64x64xf32, #mma>
      %h = arith.truncf %x : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %next = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #a>
      %sum = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%u: f32, %v: f32):
        %z = arith.addf %u, %v : f32
        tt.reduce.return %z : f32
      }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #row>
      %c = arith.mulf %d, %k : tensor<64x64xf32, #mma>
      scf.yield %next, %c, %sum : tensor<64x64xf16, #a>, tensor<64x64xf32, #mma>, tensor<64xf32, #row>
    }
    tt.return %r#1, %r#2 : tensor<64x64xf32, #mma>, tensor<64xf32, #row>
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#rows = #ttg.shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#columns = #ttg.shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// 16 bytes along k by 4 across. Lanes stand 16 apart along k, and where they would meet in a bank, as
// far across.
// CHECK-DAG: #[[$TURN:.*]] = #ttg.linear<{register = [1, 0, 2, 0, 4, 0, 8, 0, 0, 1, 0, 2, 0, 64], lane = [0, 4, 16, 16, 32, 32, 0, 8, 64, 64], warp = [0, 16, 0, 32], shape = [128, 128]}>
// CHECK-DAG: #[[$TURNA:.*]] = #ttg.linear<{register = [0, 1, 0, 2, 0, 4, 0, 8, 1, 0, 2, 0, 64, 0], lane = [4, 0, 16, 16, 32, 32, 8, 0, 64, 64], warp = [16, 0, 32, 0], shape = [128, 128]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // Bytes that are neighbours along k are read in place, and the dot goes on, unless its sums go to
  // registers in between.
  // CHECK-LABEL: @bytes
  // CHECK: scf.for
  // CHECK-NOT: ttg.local_load
  // CHECK: ttng.warp_group_dot %{{.*}}, %{{.*}}, %{{.*}} : !ttg.memdesc<128x128xf8E4M3FN
  // CHECK-NEXT: ttng.warp_group_dot_wait {pendings = 1 : i32}
  // CHECK: scf.for
  // CHECK: %[[D:.*]] = ttng.warp_group_dot {{.*}} {mostImprecise = 64 : i32}
  // CHECK-NEXT: ttng.warp_group_dot_wait %[[D]] : {{.*}} {pendings = 0 : i32}
  tt.func private @bytes(%n: i32) -> (tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    %ra = ttg.local_alloc : !ttg.memdesc<3x128x128xf8E4M3FN, #rows, mutable>
    %rb = ttg.local_alloc : !ttg.memdesc<3x128x128xf8E5M2, #columns, mutable>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%c = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
      %ma = ttg.memdesc_index %ra[%i] {ahead = 0 : i32} : !ttg.memdesc<3x128x128xf8E4M3FN, #rows, mutable> -> !ttg.memdesc<128x128xf8E4M3FN, #rows, mutable>
      %mb = ttg.memdesc_index %rb[%i] {ahead = 0 : i32} : !ttg.memdesc<3x128x128xf8E5M2, #columns, mutable> -> !ttg.memdesc<128x128xf8E5M2, #columns, mutable>
      %x = ttg.local_load %ma : !ttg.memdesc<128x128xf8E4M3FN, #rows, mutable> -> tensor<128x128xf8E4M3FN, #a>
      %y = ttg.local_load %mb : !ttg.memdesc<128x128xf8E5M2, #columns, mutable> -> tensor<128x128xf8E5M2, #b>
      %d = tt.dot %x, %y, %c : tensor<128x128xf8E4M3FN, #a> * tensor<128x128xf8E5M2, #b> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    %bound = scf.for %i = %c0 to %n step %c1 iter_args(%c = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
      %ma = ttg.memdesc_index %ra[%i] {ahead = 0 : i32} : !ttg.memdesc<3x128x128xf8E4M3FN, #rows, mutable> -> !ttg.memdesc<128x128xf8E4M3FN, #rows, mutable>
      %mb = ttg.memdesc_index %rb[%i] {ahead = 0 : i32} : !ttg.memdesc<3x128x128xf8E5M2, #columns, mutable> -> !ttg.memdesc<128x128xf8E5M2, #columns, mutable>
      %x = ttg.local_load %ma : !ttg.memdesc<128x128xf8E4M3FN, #rows, mutable> -> tensor<128x128xf8E4M3FN, #a>
      %y = ttg.local_load %mb : !ttg.memdesc<128x128xf8E5M2, #columns, mutable> -> tensor<128x128xf8E5M2, #b>
      %d = tt.dot %x, %y, %c {maxNumImpreciseAcc = 64 : i32} : tensor<128x128xf8E4M3FN, #a> * tensor<128x128xf8E5M2, #b> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.return %sum, %bound : tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>
  }

  // Those that are not, in memory or in registers, are turned.
  // CHECK-LABEL: @turned
  // CHECK: %[[X:.*]] = ttg.local_load %{{.*}} -> tensor<128x128xi8, #[[$TURNA]]>
  // CHECK-NEXT: %[[A:.*]] = ttg.local_alloc init(%[[X]] : {{.*}}) {alignment = 1024 : i32}
  // CHECK: %[[Y:.*]] = ttg.convert_layout %arg0 : {{.*}} -> tensor<128x128xi8, #[[$TURN]]>
  // CHECK-NEXT: %[[B:.*]] = ttg.local_alloc init(%[[Y]] : {{.*}}) {alignment = 1024 : i32}
  // CHECK: ttng.warp_group_dot %[[A]], %[[B]], %{{.*}} {isUnsigned}
  tt.func private @turned(%y: tensor<128x128xi8, #l>, %z: tensor<128x128xi8, #l>, %c: tensor<128x128xi32, #mma>) -> tensor<128x128xi32, #mma> {
    %m = ttg.local_alloc init(%z : tensor<128x128xi8, #l>) : !ttg.memdesc<128x128xi8, #columns>
    %a = ttg.local_load %m : !ttg.memdesc<128x128xi8, #columns> -> tensor<128x128xi8, #a>
    %b = ttg.convert_layout %y : tensor<128x128xi8, #l> -> tensor<128x128xi8, #b>
    %d = tt.dot %a, %b, %c {isUnsigned} : tensor<128x128xi8, #a> * tensor<128x128xi8, #b> -> tensor<128x128xi32, #mma>
    tt.return %d : tensor<128x128xi32, #mma>
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
#rows = #ttg.shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#columns = #ttg.shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#wide = #ttg.shared_linear<{offsets = [36, 72, 144, 256, 512, 1, 2, 4, 8, 16, 1024], shape = [32, 64]}>
// CHECK-DAG: #[[$ROUNDED:.*]] = #ttg.linear<{register = [0, 1, 0, 2, 16, 0, 32, 0], lane = [0, 4, 0, 8, 0, 16, 1, 0, 2, 0], warp = [4, 0, 8, 0], shape = [64, 32]}>
// CHECK-DAG: #[[$TURNED:.*]] = #ttg.linear<{register = [1, 0, 2, 0, 0, 16, 0, 32], lane = [0, 1, 0, 2, 4, 4, 8, 4, 16, 8], warp = [0, 4, 0, 8], shape = [32, 64]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // Of f32, what TMA has rounded is read in place; what it has not is rounded on its way to other
  // memory, and what lies across k is turned.
  // CHECK-LABEL: @tf32
  // CHECK-DAG: %[[A:.*]] = ttg.local_alloc : <64x32xf32
  // CHECK-DAG: %[[B:.*]] = ttg.local_alloc : <32x64xf32
  // CHECK: %[[X:.*]] = ttg.local_load %[[A]] {{.*}} -> tensor<64x32xf32, #[[$ROUNDED]]>
  // CHECK: %[[Y:.*]] = ttng.round_to_tf32 %[[X]]
  // CHECK: %[[P:.*]] = ttg.local_alloc init(%[[Y]]
  // CHECK: %[[Z:.*]] = ttg.local_load %[[B]] {{.*}} -> tensor<32x64xf32, #[[$TURNED]]>
  // CHECK-NOT: ttng.round_to_tf32
  // CHECK: %[[Q:.*]] = ttg.local_alloc init(%[[Z]]
  // CHECK: ttng.warp_group_dot %[[P]], %[[Q]]
  // CHECK: ttng.warp_group_dot_wait
  // CHECK: %[[R:.*]] = ttng.round_to_tf32
  // CHECK: ttng.warp_group_dot %[[R]]
  tt.func private @tf32(%p: !tt.ptr<f32>, %n: i64, %i: i32, %c: tensor<64x64xf32, #mma>, %d: tensor<64x32xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %c1 = arith.constant 1 : i64
    %bar = ttg.local_alloc : !ttg.memdesc<1xi64, #one, mutable>
    %ma = ttg.local_alloc : !ttg.memdesc<64x32xf32, #rows, mutable>
    %mb = ttg.local_alloc : !ttg.memdesc<32x64xf32, #wide, mutable>
    ttng.tma_load %p[%i, %i] shape [%n, %n] strides [%n, %c1], %ma, %bar : !tt.ptr<f32>, !ttg.memdesc<64x32xf32, #rows, mutable>, !ttg.memdesc<1xi64, #one, mutable>
    ttng.tma_load %p[%i, %i] shape [%n, %n] strides [%n, %c1], %mb, %bar {roundsToTF32} : !tt.ptr<f32>, !ttg.memdesc<32x64xf32, #wide, mutable>, !ttg.memdesc<1xi64, #one, mutable>
    %x = ttg.local_load %ma : !ttg.memdesc<64x32xf32, #rows, mutable> -> tensor<64x32xf32, #a>
    %y = ttg.local_load %mb : !ttg.memdesc<32x64xf32, #wide, mutable> -> tensor<32x64xf32, #b>
    %e = tt.dot %x, %y, %c {inputPrecision = 1 : i32} : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #mma>
    %z = ttg.convert_layout %d : tensor<64x32xf32, #mma> -> tensor<64x32xf32, #a>
    %f = tt.dot %z, %y, %e {inputPrecision = 1 : i32} : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #mma>
    tt.return %f : tensor<64x64xf32, #mma>
  }

  // CHECK-LABEL: @in_place
  // CHECK-DAG: %[[A:.*]] = ttg.local_alloc {alignment = 1024 : i32} : <64x32xf32
  // CHECK-DAG: %[[B:.*]] = ttg.local_alloc {alignment = 1024 : i32} : <32x64xf32
  // CHECK-NOT: ttg.local_load
  // CHECK: ttng.warp_group_dot %[[A]], %[[B]]
  tt.func private @in_place(%p: !tt.ptr<f32>, %n: i64, %i: i32, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %c1 = arith.constant 1 : i64
    %bar = ttg.local_alloc : !ttg.memdesc<1xi64, #one, mutable>
    %ma = ttg.local_alloc : !ttg.memdesc<64x32xf32, #rows, mutable>
    %mb = ttg.local_alloc : !ttg.memdesc<32x64xf32, #columns, mutable>
    ttng.tma_load %p[%i, %i] shape [%n, %n] strides [%n, %c1], %ma, %bar {roundsToTF32} : !tt.ptr<f32>, !ttg.memdesc<64x32xf32, #rows, mutable>, !ttg.memdesc<1xi64, #one, mutable>
    %t = ttg.memdesc_trans %mb {order = array<i32: 1, 0>} : !ttg.memdesc<32x64xf32, #columns, mutable> -> !ttg.memdesc<64x32xf32, #rows, mutable>
    ttng.tma_load %p[%i, %i] shape [%n, %n] strides [%n, %c1], %t, %bar {roundsToTF32} : !tt.ptr<f32>, !ttg.memdesc<64x32xf32, #rows, mutable>, !ttg.memdesc<1xi64, #one, mutable>
    %x = ttg.local_load %ma : !ttg.memdesc<64x32xf32, #rows, mutable> -> tensor<64x32xf32, #a>
    %y = ttg.local_load %mb : !ttg.memdesc<32x64xf32, #columns, mutable> -> tensor<32x64xf32, #b>
    %e = tt.dot %x, %y, %c {inputPrecision = 1 : i32} : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #mma>
    tt.return %e : tensor<64x64xf32, #mma>
  }
}

// -----

// 80 columns are five panels of 16, in rows of 32 bytes; 48 along k of a are three. What lies in such is read
// in place, transposed too; a tile that a thread holds 32 rows of side by side goes there in 16.
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#p = #ttg.shared_linear<{offsets = [16, 32, 72, 128, 256, 512, 1, 2, 4, 8], shape = [64, 16]}>
#q = #ttg.shared_linear<{offsets = [1, 2, 4, 8, 16, 32, 72, 128], shape = [16, 16]}>
#t = #ttg.shared_linear<{offsets = [16, 32, 72, 128, 1, 2, 4, 8], shape = [16, 16]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // CHECK: #[[$PANELS:.*]] = #ttg.shared_linear<{offsets = [16, 32, 72, 128, 1, 2, 4, 8], shape = [16, 16]}>
  // CHECK-LABEL: @odd
  // CHECK-SAME: %[[Y:[a-z0-9]*]]: tensor<48x80xf16
  // CHECK: %[[A:.*]] = ttg.local_alloc {alignment = 256 : i32} : <64x48xf16
  // CHECK: %[[B:.*]] = ttg.local_alloc {alignment = 256 : i32} : <80x48xf16
  // CHECK: %[[T:.*]] = ttg.memdesc_trans %[[B]]
  // CHECK-NEXT: ttng.warp_group_dot %[[A]], %[[T]],
  // CHECK: %[[IN:.*]] = ttg.convert_layout %[[Y]] : {{.*}} -> tensor<48x80xf16, #linear>
  // CHECK: %[[C:.*]] = ttg.local_alloc init(%[[IN]] : tensor<48x80xf16, #linear>) {alignment = 256 : i32} : <48x80xf16, #[[$PANELS]]>
  // CHECK-NEXT: ttng.warp_group_dot %[[A]], %[[C]],
  tt.func private @odd(%y: tensor<48x80xf16, #l>, %zero: tensor<64x80xf32, #mma>) -> tensor<64x80xf32, #mma> {
    %m = ttg.local_alloc : !ttg.memdesc<64x48xf16, #p, mutable>
    %n = ttg.local_alloc : !ttg.memdesc<80x48xf16, #t, mutable>
    %nt = ttg.memdesc_trans %n {order = array<i32: 1, 0>} : !ttg.memdesc<80x48xf16, #t, mutable> -> !ttg.memdesc<48x80xf16, #q, mutable>
    %x = ttg.local_load %m : !ttg.memdesc<64x48xf16, #p, mutable> -> tensor<64x48xf16, #a>
    %u = ttg.local_load %nt : !ttg.memdesc<48x80xf16, #q, mutable> -> tensor<48x80xf16, #b>
    %v = ttg.convert_layout %y : tensor<48x80xf16, #l> -> tensor<48x80xf16, #b>
    %d = tt.dot %x, %u, %zero : tensor<64x48xf16, #a> * tensor<48x80xf16, #b> -> tensor<64x80xf32, #mma>
    %e = tt.dot %x, %v, %d : tensor<64x48xf16, #a> * tensor<48x80xf16, #b> -> tensor<64x80xf32, #mma>
    tt.return %e : tensor<64x80xf32, #mma>
  }
}
