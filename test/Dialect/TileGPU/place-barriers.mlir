// RUN: tritium-opt %s -split-input-file -ttg-allocate-shared-memory -ttg-place-barriers | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // Each kind of hazard, and what it says.
  // CHECK-LABEL: @hazards
  // CHECK: ttg.local_store
  // CHECK-NEXT: ttg.barrier {hazard = "read after write, shared memory [0, 512)"}
  // CHECK-NEXT: ttg.local_load
  // CHECK: ttg.barrier {hazard = "write after read, shared memory [0, 512)"}
  // CHECK-NEXT: ttg.local_store
  // CHECK-NEXT: ttg.barrier {hazard = "write after write, shared memory [0, 512)"}
  // CHECK-NEXT: ttg.local_store
  // CHECK-NOT: ttg.barrier
  // CHECK: tt.return
  tt.func private @hazards(%x: tensor<128xf32, #b>, %p: tensor<128x!tt.ptr<f32>, #b>) {
    %m = ttg.local_alloc : !ttg.memdesc<128xf32, #s, mutable>
    ttg.local_store %x, %m : tensor<128xf32, #b>, !ttg.memdesc<128xf32, #s, mutable>
    %y = ttg.local_load %m : !ttg.memdesc<128xf32, #s, mutable> -> tensor<128xf32, #b>
    tt.store %p, %y : tensor<128x!tt.ptr<f32>, #b>
    ttg.local_store %x, %m : tensor<128xf32, #b>, !ttg.memdesc<128xf32, #s, mutable>
    ttg.local_store %y, %m : tensor<128xf32, #b>, !ttg.memdesc<128xf32, #s, mutable>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // What an iteration reads, the next one overwrites: the barrier stands in the loop.
  // CHECK-LABEL: @around
  // CHECK: scf.for
  // CHECK: ttg.barrier {hazard = "write after read
  // CHECK-NEXT: ttg.local_store
  // CHECK-NEXT: ttg.barrier {hazard = "read after write
  // CHECK-NEXT: ttg.local_load
  // CHECK-NOT: ttg.barrier
  // CHECK: tt.return
  tt.func private @around(%x: tensor<128xf32, #b>, %p: tensor<128x!tt.ptr<f32>, #b>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m = ttg.local_alloc : !ttg.memdesc<128xf32, #s, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      ttg.local_store %x, %m : tensor<128xf32, #b>, !ttg.memdesc<128xf32, #s, mutable>
      %y = ttg.local_load %m : !ttg.memdesc<128xf32, #s, mutable> -> tensor<128xf32, #b>
      tt.store %p, %y : tensor<128x!tt.ptr<f32>, #b>
    }
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // Of two buffers taken in turn: one barrier an iteration, right behind the wait, although
  // addresses are computed between it and the first access.
  // CHECK-LABEL: @ring
  // CHECK: scf.for
  // CHECK-NEXT: ttg.async_wait {num = 0 : i32}
  // CHECK-NEXT: ttg.barrier
  // CHECK-NOT: ttg.barrier
  // CHECK: scf.yield
  // CHECK-NOT: ttg.barrier
  // CHECK: tt.return
  tt.func private @ring(%q: tensor<512x!tt.ptr<f32>, #b>, %p: tensor<512x!tt.ptr<f32>, #b>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = ttg.local_alloc : !ttg.memdesc<2x512xf32, #s, mutable>
    %first = ttg.memdesc_index %r[%c0] {ahead = 0 : i32} : !ttg.memdesc<2x512xf32, #s, mutable> -> !ttg.memdesc<512xf32, #s, mutable>
    ttg.async_copy_global_to_local %q, %first : tensor<512x!tt.ptr<f32>, #b> -> !ttg.memdesc<512xf32, #s, mutable>
    ttg.async_commit_group
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%slot = %c0) -> (i32) : i32 {
      ttg.async_wait {num = 0 : i32}
      %next = arith.subi %c1, %slot : i32
      %to = ttg.memdesc_index %r[%next] {ahead = 1 : i32} : !ttg.memdesc<2x512xf32, #s, mutable> -> !ttg.memdesc<512xf32, #s, mutable>
      ttg.async_copy_global_to_local %q, %to : tensor<512x!tt.ptr<f32>, #b> -> !ttg.memdesc<512xf32, #s, mutable>
      ttg.async_commit_group
      %from = ttg.memdesc_index %r[%slot] {ahead = 0 : i32} : !ttg.memdesc<2x512xf32, #s, mutable> -> !ttg.memdesc<512xf32, #s, mutable>
      %y = ttg.local_load %from : !ttg.memdesc<512xf32, #s, mutable> -> tensor<512xf32, #b>
      tt.store %p, %y : tensor<512x!tt.ptr<f32>, #b>
      scf.yield %next : i32
    }
    ttg.async_wait {num = 0 : i32}
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // Global memory, where another thread stores what is loaded.
  // CHECK-LABEL: @order
  // CHECK: tt.store
  // CHECK-NEXT: ttg.barrier {hazard = "program order of global memory"}
  // CHECK-NEXT: tt.load
  tt.func private @order(%x: !tt.ptr<f32>, %q: tensor<128x!tt.ptr<f32>, #b>) {
    %one = arith.constant dense<1.0> : tensor<128xf32, #b>
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %c127 = arith.constant dense<127> : tensor<128xi32, #b>
    %back = arith.subi %c127, %r : tensor<128xi32, #b>
    %xx = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %p = tt.addptr %xx, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %o = tt.addptr %xx, %back : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    tt.store %p, %one : tensor<128x!tt.ptr<f32>, #b>
    %y = tt.load %o : tensor<128x!tt.ptr<f32>, #b>
    tt.store %q, %y : tensor<128x!tt.ptr<f32>, #b>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // The loop takes the buffers in turn where a branch says which one it is, too: what an iteration
  // stores the next one reads.
  // CHECK-LABEL: @in_branches
  // CHECK: scf.for
  // CHECK: scf.if
  // CHECK: ttg.barrier {hazard = "read after write
  // CHECK-NEXT: ttg.local_load
  // CHECK: tt.return
  tt.func private @in_branches(%x: tensor<512xf32, #b>, %p: tensor<512x!tt.ptr<f32>, #b>, %c: i1, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = ttg.local_alloc : !ttg.memdesc<2x512xf32, #s, mutable>
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%slot = %c0) -> (i32) : i32 {
      %next = arith.subi %c1, %slot : i32
      scf.if %c {
        %from = ttg.memdesc_index %r[%slot] {ahead = 0 : i32} : !ttg.memdesc<2x512xf32, #s, mutable> -> !ttg.memdesc<512xf32, #s, mutable>
        %y = ttg.local_load %from : !ttg.memdesc<512xf32, #s, mutable> -> tensor<512xf32, #b>
        tt.store %p, %y : tensor<512x!tt.ptr<f32>, #b>
      }
      scf.if %c {
        %to = ttg.memdesc_index %r[%next] {ahead = 1 : i32} : !ttg.memdesc<2x512xf32, #s, mutable> -> !ttg.memdesc<512xf32, #s, mutable>
        ttg.local_store %x, %to : tensor<512xf32, #b>, !ttg.memdesc<512xf32, #s, mutable>
      }
      scf.yield %next : i32
    }
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // A barrier that the kernel has asked for is the one that its accesses need.
  // CHECK-LABEL: @asked
  // CHECK: tt.store
  // CHECK-NEXT: ttg.barrier{{$}}
  // CHECK-NEXT: tt.load
  // CHECK-NOT: ttg.barrier
  // CHECK: tt.return
  tt.func private @asked(%x: tensor<128xf32, #b>, %p: !tt.ptr<f32>, %i: tensor<128xi32, #b>, %j: tensor<128xi32, #b>, %q: !tt.ptr<f32>) {
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %pi = tt.addptr %ps, %i : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %pj = tt.addptr %ps, %j : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    tt.store %pi, %x : tensor<128x!tt.ptr<f32>, #b>
    ttg.barrier
    %y = tt.load %pj : tensor<128x!tt.ptr<f32>, #b>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %qi = tt.addptr %qs, %i : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    tt.store %qi, %y : tensor<128x!tt.ptr<f32>, #b>
    tt.return
  }

  // In one branch alone it counts there alone.
  // CHECK-LABEL: @in_a_branch
  // CHECK: scf.if
  // CHECK-NEXT: ttg.barrier{{$}}
  // CHECK: ttg.barrier {hazard = "program order of global memory"}
  // CHECK-NEXT: tt.load
  // CHECK: tt.return
  tt.func private @in_a_branch(%x: tensor<128xf32, #b>, %p: !tt.ptr<f32>, %i: tensor<128xi32, #b>, %j: tensor<128xi32, #b>, %c: i1) {
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %pi = tt.addptr %ps, %i : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %pj = tt.addptr %ps, %j : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    tt.store %pi, %x : tensor<128x!tt.ptr<f32>, #b>
    scf.if %c {
      ttg.barrier
    }
    %y = tt.load %pj : tensor<128x!tt.ptr<f32>, #b>
    tt.store %pi, %y : tensor<128x!tt.ptr<f32>, #b>
    tt.return
  }
}

// -----

// Groups of warps meet before they part, and behind.
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b1 = #ttg.blocked<{sizePerThread = [16], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: tt.func @groups
// CHECK-NOT: ttg.barrier
tt.func @groups(%p: !tt.ptr<f32>) {
  %x = arith.constant dense<1.0> : tensor<512xf32, #b>
  %m = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<512xf32, #s, mutable>
  ttg.local_store %x, %m : tensor<512xf32, #b>, !ttg.memdesc<512xf32, #s, mutable>
  ttg.warp_groups "change" warps 1 {
    %y = ttg.local_load %m : !ttg.memdesc<512xf32, #s, mutable> -> tensor<512xf32, #b1>
    %z = arith.addf %y, %y : tensor<512xf32, #b1>
    // CHECK: ttg.barrier
    // CHECK-NOT: ttg.barrier
    ttg.local_store %z, %m : tensor<512xf32, #b1>, !ttg.memdesc<512xf32, #s, mutable>
  }
  %z = ttg.local_load %m : !ttg.memdesc<512xf32, #s, mutable> -> tensor<512xf32, #b>
  %pp = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  tt.store %pp, %z : tensor<512x!tt.ptr<f32>, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // One of two branches is taken, and both wait for the copy.
  // CHECK-LABEL: @either
  // CHECK: } else {
  // CHECK-NEXT: ttg.async_wait {num = 0 : i32}
  // CHECK-NEXT: }
  // CHECK-NEXT: ttg.barrier {hazard = "read after write
  // CHECK-NEXT: ttg.local_load
  tt.func private @either(%x: i1, %p: tensor<128x!tt.ptr<f32>, #b>) -> tensor<128xf32, #b> {
    %m = ttg.local_alloc : !ttg.memdesc<128xf32, #s, mutable>
    ttg.async_copy_global_to_local %p, %m : tensor<128x!tt.ptr<f32>, #b> -> !ttg.memdesc<128xf32, #s, mutable>
    ttg.async_commit_group
    scf.if %x {
      ttg.async_commit_group
      ttg.async_wait {num = 1 : i32}
    } else {
      ttg.async_wait {num = 0 : i32}
    }
    %y = ttg.local_load %m : !ttg.memdesc<128xf32, #s, mutable> -> tensor<128xf32, #b>
    tt.return %y : tensor<128xf32, #b>
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {"ttg.target" = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
  // Each warp stores, and waits for, the rows that it holds: the warps do not meet.
  // CHECK-LABEL: @by_warp
  // CHECK: scf.for
  // CHECK-NOT: ttg.barrier
  // CHECK: tt.return
  tt.func @by_warp(%p: !tt.ptr<f16>, %n: i32, %m: i64) {
    %one = arith.constant 1 : i64
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
    %a = ttg.local_alloc {alignment = 1024 : i32} : !ttg.memdesc<64x64xf16, #s, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      ttng.tma_store_wait {by_warp, pendings = 0 : i32, reads}
      ttg.local_store %x, %a : tensor<64x64xf16, #mma>, !ttg.memdesc<64x64xf16, #s, mutable>
      ttng.fence_async_proxy
      ttng.tma_store %a, %p[%i, %c0] shape [%m, %m] strides [%m, %one] {by_warp} : !ttg.memdesc<64x64xf16, #s, mutable>, !tt.ptr<f16>
      ttng.tma_store_commit
    }
    ttng.tma_store_wait {pendings = 0 : i32, reads}
    tt.return
  }

  // They do before another warp's rows are written, and where the lanes of a warp have not met
  // behind the wait.
  // CHECK-LABEL: @others_rows
  // CHECK: ttng.tma_store_wait
  // CHECK-NEXT: ttg.barrier {hazard = "write after read
  // CHECK-NEXT: ttg.local_store
  // CHECK-NEXT: ttng.fence_async_proxy
  // CHECK-NEXT: ttg.barrier {hazard = "read after write
  // CHECK-NEXT: ttng.tma_store
  // CHECK: tt.return
  tt.func @others_rows(%p: !tt.ptr<f16>, %n: i32, %m: i64) {
    %one = arith.constant 1 : i64
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #b>
    %a = ttg.local_alloc {alignment = 1024 : i32} : !ttg.memdesc<64x64xf16, #s, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      ttng.tma_store_wait {by_warp, pendings = 0 : i32, reads}
      ttg.local_store %x, %a : tensor<64x64xf16, #b>, !ttg.memdesc<64x64xf16, #s, mutable>
      ttng.fence_async_proxy
      ttng.tma_store %a, %p[%i, %c0] shape [%m, %m] strides [%m, %one] {by_warp} : !ttg.memdesc<64x64xf16, #s, mutable>, !tt.ptr<f16>
      ttng.tma_store_commit
    }
    ttng.tma_store_wait {pendings = 0 : i32, reads}
    tt.return
  }

  // CHECK-LABEL: @not_met
  // CHECK: ttng.tma_store_wait
  // CHECK-NEXT: ttg.barrier {hazard = "write after read
  // CHECK-NEXT: ttg.local_store
  // CHECK-NOT: ttg.barrier
  // CHECK: tt.return
  tt.func @not_met(%p: !tt.ptr<f16>, %n: i32, %m: i64) {
    %one = arith.constant 1 : i64
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
    %a = ttg.local_alloc {alignment = 1024 : i32} : !ttg.memdesc<64x64xf16, #s, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      ttng.tma_store_wait {pendings = 0 : i32, reads}
      ttg.local_store %x, %a : tensor<64x64xf16, #mma>, !ttg.memdesc<64x64xf16, #s, mutable>
      ttng.fence_async_proxy
      ttng.tma_store %a, %p[%i, %c0] shape [%m, %m] strides [%m, %one] {by_warp} : !ttg.memdesc<64x64xf16, #s, mutable>, !tt.ptr<f16>
      ttng.tma_store_commit
    }
    ttng.tma_store_wait {pendings = 0 : i32, reads}
    tt.return
  }
}
