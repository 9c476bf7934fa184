// RUN: tritium-opt %s -split-input-file -verify-diagnostics -ttg-rotate-dots | FileCheck %s

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#row = #ttg.slice<{dim = 1, parent = #mma}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // The first iteration has no second dot, which the next one begins with its own first dot, right
  // behind the wait for the copies, with the buffer that was read before. The last one follows the
  // loop. What depends on the sum comes last in an iteration.
  // CHECK-LABEL: @rotated
  // CHECK-SAME: %[[N:.*]]: i32, %[[Q:.*]]: tensor<64x64xf16, #{{.*}}>, %[[P:.*]]: tensor<64x64x!tt.ptr<f16>
  // CHECK: %[[RING:.*]] = ttg.local_alloc : <3x64x64xf16
  // CHECK: ttg.memdesc_index %[[RING]][%c0_i32] {ahead = -1 : i32}
  // CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %c0_i32, %[[N]]
  // CHECK: %[[FIRST:.*]]:5 = scf.if %[[EXISTS]]
  // CHECK: ttg.memdesc_index {{.*}} {ahead = 0 : i32}
  // CHECK: ttg.memdesc_index {{.*}} {ahead = -1 : i32}
  // CHECK: %[[S0:.*]] = tt.dot %[[Q]]
  // CHECK-NOT: tt.dot
  // CHECK: } else {
  // CHECK: ttg.async_wait {num = 0 : i32}
  // CHECK: %[[DISTANCE:.*]] = arith.subi %[[N]], %c0_i32
  // CHECK: %[[MORE:.*]] = arith.cmpi ugt, %[[DISTANCE]], %c1_i32
  // CHECK: %[[BOTH:.*]] = arith.andi %[[EXISTS]], %[[MORE]]
  // CHECK: %[[NEXT:.*]] = arith.addi %c0_i32, %c1_i32
  // CHECK: %[[LOWER:.*]] = arith.select %[[BOTH]], %[[NEXT]], %[[N]]
  // CHECK: %[[R:.*]]:5 = scf.for %{{.*}} = %[[LOWER]] to %[[N]] step %c1_i32 iter_args(%[[C:.*]] = %[[FIRST]]#0, %[[M:.*]] = %[[FIRST]]#1, %[[SLOT:.*]] = %[[FIRST]]#2, %[[LEFT:.*]] = %[[FIRST]]#3, %[[BEFORE:.*]] = %[[FIRST]]#4)
  // CHECK-NEXT: ttg.async_wait {num = 0 : i32}
  // CHECK-NEXT: %[[KM:.*]] = ttg.memdesc_index %[[RING]][%[[SLOT]]] {ahead = 0 : i32}
  // CHECK-NEXT: %[[K:.*]] = ttg.local_load %[[KM]]
  // CHECK-NEXT: %[[S:.*]] = tt.dot %[[Q]], %[[K]], %{{.*}}
  // CHECK-NEXT: %[[VM:.*]] = ttg.memdesc_index %{{.*}}[%[[BEFORE]]] {ahead = -1 : i32}
  // CHECK-NEXT: %[[V:.*]] = ttg.local_load %[[VM]]
  // CHECK-NEXT: %[[D:.*]] = tt.dot %[[LEFT]], %[[V]], %[[C]]
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: "tt.reduce"(%[[S]])
  // CHECK: %[[LEFT1:.*]] = ttg.convert_layout
  // CHECK: %[[C1:.*]] = arith.mulf %[[D]]
  // CHECK-NEXT: scf.yield %[[C1]], %{{.*}}, %{{.*}}, %[[LEFT1]], %[[SLOT]]
  // CHECK: ttg.async_wait {num = 0 : i32}
  // CHECK: %[[LAST:.*]] = scf.if %[[EXISTS]]
  // CHECK: %[[LM:.*]] = ttg.memdesc_index %{{.*}}[%[[R]]#4] :
  // CHECK: %[[LV:.*]] = ttg.local_load %[[LM]]
  // CHECK: %[[E:.*]] = tt.dot %[[R]]#3, %[[LV]], %[[R]]#0
  // CHECK: scf.yield %[[E]]
  // CHECK: } else {
  // CHECK: scf.yield %[[R]]#0
  // CHECK: tt.return %[[LAST]], %[[R]]#1
  tt.func private @rotated(%n: i32, %q: tensor<64x64xf16, #a>, %p: tensor<64x64x!tt.ptr<f16>, #l>, %sum0: tensor<64x64xf32, #mma>, %m0: tensor<64xf32, #row>) -> (tensor<64x64xf32, #mma>, tensor<64xf32, #row>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %k = ttg.local_alloc : !ttg.memdesc<3x64x64xf16, #s, mutable>
    %v = ttg.local_alloc : !ttg.memdesc<3x64x64xf16, #s, mutable>
    %to0 = ttg.memdesc_index %k[%c0] {ahead = 0 : i32} : !ttg.memdesc<3x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
    ttg.async_copy_global_to_local %p, %to0 : tensor<64x64x!tt.ptr<f16>, #l> -> !ttg.memdesc<64x64xf16, #s, mutable>
    ttg.async_commit_group
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %sum0, %m = %m0, %slot = %c0) -> (tensor<64x64xf32, #mma>, tensor<64xf32, #row>, i32) : i32 {
      ttg.async_wait {num = 0 : i32}
      %to = ttg.memdesc_index %k[%slot] {ahead = 1 : i32} : !ttg.memdesc<3x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
      ttg.async_copy_global_to_local %p, %to : tensor<64x64x!tt.ptr<f16>, #l> -> !ttg.memdesc<64x64xf16, #s, mutable>
      %tov = ttg.memdesc_index %v[%slot] {ahead = 1 : i32} : !ttg.memdesc<3x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
      ttg.async_copy_global_to_local %p, %tov : tensor<64x64x!tt.ptr<f16>, #l> -> !ttg.memdesc<64x64xf16, #s, mutable>
      ttg.async_commit_group
      %km = ttg.memdesc_index %k[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
      %kt = ttg.local_load %km : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #b>
      %s = tt.dot %q, %kt, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %most = "tt.reduce"(%s) <{axis = 1 : i32}> ({
      ^bb0(%x: f32, %y: f32):
        %z = arith.maxnumf %x, %y : f32
        tt.reduce.return %z : f32
      }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #row>
      %m1 = arith.maxnumf %m, %most : tensor<64xf32, #row>
      %column = tt.expand_dims %m1 {axis = 1 : i32} : tensor<64xf32, #row> -> tensor<64x1xf32, #mma>
      %f = tt.broadcast %column : tensor<64x1xf32, #mma> -> tensor<64x64xf32, #mma>
      %c = arith.mulf %sum, %f : tensor<64x64xf32, #mma>
      %h = arith.truncf %s : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %left = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #a>
      %vm = ttg.memdesc_index %v[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
      %vt = ttg.local_load %vm : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #b>
      // expected-remark @below {{this dot goes on while the next iteration computes from the other one}}
      %d = tt.dot %left, %vt, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d, %m1, %slot : tensor<64x64xf32, #mma>, tensor<64xf32, #row>, i32
    }
    ttg.async_wait {num = 0 : i32}
    tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64xf32, #row>
  }

  // What the loop does with the sum in front of its first dot comes behind the second one, too,
  // which has the sum.
  // CHECK-LABEL: @decayed
  // CHECK: scf.if
  // CHECK: %[[S0:.*]] = tt.dot
  // CHECK: %[[C0:.*]] = arith.mulf %{{.*}}, %[[DECAY:.*]] :
  // CHECK: scf.yield %[[C0]]
  // CHECK: } else {
  // CHECK: scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}, %[[SLOT:.*]] = %{{.*}}, %[[LEFT:.*]] = %{{.*}}, %[[BEFORE:.*]] = %{{.*}})
  // CHECK: %[[S:.*]] = tt.dot %{{.*}}, %{{.*}}, %cst
  // CHECK: %[[D:.*]] = tt.dot %[[LEFT]], %{{.*}}, %[[C]]
  // CHECK: %[[C1:.*]] = arith.mulf %[[D]], %[[DECAY]]
  // CHECK: scf.yield %[[C1]]
  tt.func private @decayed(%n: i32, %q: tensor<64x64xf16, #a>, %k: tensor<64x64xf16, #b>, %decay: tensor<64x64xf32, #mma>, %p: tensor<64x64x!tt.ptr<f16>, #l>, %sum0: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %v = ttg.local_alloc : !ttg.memdesc<3x64x64xf16, #s, mutable>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %sum0, %slot = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      ttg.async_wait {num = 0 : i32}
      %tov = ttg.memdesc_index %v[%slot] {ahead = 1 : i32} : !ttg.memdesc<3x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
      ttg.async_copy_global_to_local %p, %tov : tensor<64x64x!tt.ptr<f16>, #l> -> !ttg.memdesc<64x64xf16, #s, mutable>
      ttg.async_commit_group
      %c = arith.mulf %sum, %decay : tensor<64x64xf32, #mma>
      %s = tt.dot %q, %k, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %h = arith.truncf %s : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %left = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #a>
      %vm = ttg.memdesc_index %v[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
      %vt = ttg.local_load %vm : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #b>
      // expected-remark @below {{this dot goes on while the next iteration computes from the other one}}
      %d = tt.dot %left, %vt, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d, %slot : tensor<64x64xf32, #mma>, i32
    }
    ttg.async_wait {num = 0 : i32}
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // With two buffers the next iteration's copy goes to the one that the dot would still read.
  // CHECK-LABEL: @few
  // CHECK-NOT: scf.if
  // CHECK: tt.return
  tt.func private @few(%n: i32, %q: tensor<64x64xf16, #a>, %k: tensor<64x64xf16, #b>, %p: tensor<64x64x!tt.ptr<f16>, #l>, %sum0: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %v = ttg.local_alloc : !ttg.memdesc<2x64x64xf16, #s, mutable>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %sum0, %slot = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      ttg.async_wait {num = 0 : i32}
      %tov = ttg.memdesc_index %v[%slot] {ahead = 1 : i32} : !ttg.memdesc<2x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
      ttg.async_copy_global_to_local %p, %tov : tensor<64x64x!tt.ptr<f16>, #l> -> !ttg.memdesc<64x64xf16, #s, mutable>
      ttg.async_commit_group
      %s = tt.dot %q, %k, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %h = arith.truncf %s : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %left = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #a>
      %vm = ttg.memdesc_index %v[%slot] {ahead = 0 : i32} : !ttg.memdesc<2x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
      %vt = ttg.local_load %vm : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #b>
      // expected-remark @below {{its right operand does not lie in a buffer of shared memory that the next iteration leaves alone}}
      %d = tt.dot %left, %vt, %sum : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d, %slot : tensor<64x64xf32, #mma>, i32
    }
    ttg.async_wait {num = 0 : i32}
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // A store behind the dot changes what a later dot would read.
  // CHECK-LABEL: @changed
  // CHECK-NOT: scf.if
  // CHECK: tt.return
  tt.func private @changed(%n: i32, %q: tensor<64x64xf16, #a>, %k: tensor<64x64xf16, #b>, %x: tensor<64x64xf16, #l>, %sum0: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %v = ttg.local_alloc : !ttg.memdesc<3x64x64xf16, #s, mutable>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %sum0, %slot = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
      %s = tt.dot %q, %k, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %h = arith.truncf %s : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %left = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #a>
      %vm = ttg.memdesc_index %v[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
      %vt = ttg.local_load %vm : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #b>
      // expected-remark @below {{its right operand does not lie in a buffer of shared memory that the next iteration leaves alone}}
      %d = tt.dot %left, %vt, %sum : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %again = ttg.memdesc_index %v[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
      ttg.local_store %x, %again : tensor<64x64xf16, #l>, !ttg.memdesc<64x64xf16, #s, mutable>
      scf.yield %d, %slot : tensor<64x64xf32, #mma>, i32
    }
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // Three tiles of 64x256 are 320 registers a thread.
  // CHECK-LABEL: @wide
  // CHECK-NOT: scf.if
  // CHECK: tt.return
  tt.func private @wide(%n: i32, %q: tensor<64x64xf16, #a>, %k: tensor<64x256xf16, #b>, %sum0: tensor<64x256xf32, #mma>) -> tensor<64x256xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x256xf32, #mma>
    %v = ttg.local_alloc : !ttg.memdesc<3x256x256xf16, #s, mutable>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %sum0, %slot = %c0) -> (tensor<64x256xf32, #mma>, i32) : i32 {
      %s = tt.dot %q, %k, %zero : tensor<64x64xf16, #a> * tensor<64x256xf16, #b> -> tensor<64x256xf32, #mma>
      %h = arith.truncf %s : tensor<64x256xf32, #mma> to tensor<64x256xf16, #mma>
      %left = ttg.convert_layout %h : tensor<64x256xf16, #mma> -> tensor<64x256xf16, #a>
      %vm = ttg.memdesc_index %v[%slot] {ahead = 0 : i32} : !ttg.memdesc<3x256x256xf16, #s, mutable> -> !ttg.memdesc<256x256xf16, #s, mutable>
      %vt = ttg.local_load %vm : !ttg.memdesc<256x256xf16, #s, mutable> -> tensor<256x256xf16, #b>
      // expected-remark @below {{both results and the tile between them are 320 registers a thread, and at most 178 leave enough for the rest; use smaller tiles or more warps}}
      %d = tt.dot %left, %vt, %sum : tensor<64x256xf16, #a> * tensor<256x256xf16, #b> -> tensor<64x256xf32, #mma>
      scf.yield %d, %slot : tensor<64x256xf32, #mma>, i32
    }
    tt.return %r#0 : tensor<64x256xf32, #mma>
  }

  // The first dot needs the sum; and the second one takes nothing from the first.
  // CHECK-LABEL: @other
  // CHECK-NOT: scf.if
  // CHECK: tt.return
  tt.func private @other(%n: i32, %q: tensor<64x64xf16, #a>, %k: tensor<64x64xf16, #b>, %sum0: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %sum0) -> (tensor<64x64xf32, #mma>) : i32 {
      %s = tt.dot %q, %k, %sum : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %h = arith.truncf %s : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %left = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #a>
      %d = tt.dot %left, %k, %sum : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    %t:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %sum0, %x = %sum0) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
      %s = tt.dot %q, %k, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %d = tt.dot %q, %k, %sum : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d, %s : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    }
    tt.return %r, %t#0 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
}
