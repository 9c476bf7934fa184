// RUN: tritium-opt %s -split-input-file -ttg-allocate-shared-memory -ttng-place-fences -ttg-place-barriers | FileCheck %s

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#bar = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // One fence for two writes, in front of the barrier.
  // CHECK-LABEL: @stored
  // CHECK-COUNT-2: ttg.local_alloc init
  // CHECK-NEXT: ttng.fence_async_proxy
  // CHECK-NEXT: ttg.barrier {hazard = "read after write
  // CHECK-NEXT: ttng.warp_group_dot
  // CHECK-NOT: ttng.fence_async_proxy
  tt.func private @stored(%x: tensor<64x64xf16, #l>, %y: tensor<64x64xf16, #l>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %a = ttg.local_alloc init(%x : tensor<64x64xf16, #l>) : !ttg.memdesc<64x64xf16, #s>
    %b = ttg.local_alloc init(%y : tensor<64x64xf16, #l>) : !ttg.memdesc<64x64xf16, #s>
    %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #s> * !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf32, #mma>
    %e = ttng.warp_group_dot_wait %d : tensor<64x64xf32, #mma> {pendings = 0 : i32}
    tt.return %e : tensor<64x64xf32, #mma>
  }

  // Behind the wait for copies. What the dot reads may be overwritten behind the wait for it.
  // CHECK-LABEL: @copied
  // CHECK: ttg.async_wait
  // CHECK-NEXT: ttng.fence_async_proxy
  // CHECK-NEXT: ttg.barrier {hazard = "read after write
  // CHECK-NEXT: ttng.warp_group_dot
  // CHECK-NEXT: ttng.warp_group_dot_wait
  // CHECK-NEXT: ttg.barrier {hazard = "write after read
  // CHECK-NEXT: ttg.local_store
  tt.func private @copied(%p: tensor<64x64x!tt.ptr<f16>, #l>, %x: tensor<64x64xf16, #l>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %m = ttg.local_alloc : !ttg.memdesc<64x64xf16, #s, mutable>
    ttg.async_copy_global_to_local %p, %m : tensor<64x64x!tt.ptr<f16>, #l> -> !ttg.memdesc<64x64xf16, #s, mutable>
    ttg.async_commit_group
    ttg.async_wait {num = 0 : i32}
    %d = ttng.warp_group_dot %m, %m, %c : !ttg.memdesc<64x64xf16, #s, mutable> * !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf32, #mma>
    %e = ttng.warp_group_dot_wait %d : tensor<64x64xf32, #mma> {pendings = 0 : i32}
    ttg.local_store %x, %m : tensor<64x64xf16, #l>, !ttg.memdesc<64x64xf16, #s, mutable>
    tt.return %e : tensor<64x64xf32, #mma>
  }

  // A fence that stands is enough; what reads in the usual way needs none.
  // CHECK-LABEL: @fenced
  // CHECK: ttg.local_alloc init
  // CHECK-NEXT: ttng.fence_async_proxy
  // CHECK-NEXT: ttg.barrier
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: ttng.warp_group_dot
  // CHECK-NOT: ttng.fence_async_proxy
  tt.func private @fenced(%x: tensor<64x64xf16, #l>, %c: tensor<64x64xf32, #mma>) -> (tensor<64x64xf16, #l>, tensor<64x64xf32, #mma>) {
    %a = ttg.local_alloc init(%x : tensor<64x64xf16, #l>) : !ttg.memdesc<64x64xf16, #s>
    ttng.fence_async_proxy
    %y = ttg.local_load %a : !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf16, #l>
    %d = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #s> * !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf32, #mma>
    %e = ttng.warp_group_dot_wait %d : tensor<64x64xf32, #mma> {pendings = 0 : i32}
    tt.return %y, %e : tensor<64x64xf16, #l>, tensor<64x64xf32, #mma>
  }

  // What TMA overwrites in the next iteration, in the same memory, was written in the usual way.
  // CHECK-LABEL: @overwritten
  // CHECK: scf.for
  // CHECK: ttg.barrier {hazard = "write after
  // CHECK: ttng.tma_load
  // CHECK: ttg.local_alloc init
  // CHECK-NEXT: ttng.fence_async_proxy
  // CHECK-NEXT: ttg.barrier {hazard = "read after write
  // CHECK-NEXT: ttg.local_load
  tt.func private @overwritten(%p: !tt.ptr<f16>, %q: tensor<64x64x!tt.ptr<f16>, #l>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %rows = arith.constant 64 : i64
    %one = arith.constant 1 : i64
    scf.for %i = %c0 to %n step %c1 : i32 {
      %bar = ttg.local_alloc : !ttg.memdesc<1xi64, #bar, mutable>
      %mem = ttg.local_alloc {alignment = 1024 : i32} : !ttg.memdesc<64x64xf16, #s, mutable>
      ttng.mbarrier_init %bar, 1 : !ttg.memdesc<1xi64, #bar, mutable>
      ttng.mbarrier_expect %bar, 8192 : !ttg.memdesc<1xi64, #bar, mutable>
      ttng.tma_load %p[%c0, %c0] shape [%rows, %rows] strides [%rows, %one], %mem, %bar : !tt.ptr<f16>, !ttg.memdesc<64x64xf16, #s, mutable>, !ttg.memdesc<1xi64, #bar, mutable>
      ttng.mbarrier_wait %bar, %c0 : !ttg.memdesc<1xi64, #bar, mutable>
      %x = ttg.local_load %mem : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #l>
      ttng.mbarrier_invalidate %bar : !ttg.memdesc<1xi64, #bar, mutable>
      %a = ttg.local_alloc init(%x : tensor<64x64xf16, #l>) {alignment = 1024 : i32} : !ttg.memdesc<64x64xf16, #s>
      %y = ttg.local_load %a : !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf16, #l>
      tt.store %q, %y : tensor<64x64x!tt.ptr<f16>, #l>
    }
    tt.return
  }
}
