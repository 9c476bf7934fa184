// RUN: tritium-opt %s | tritium-opt | FileCheck %s

// Every operation prints as it is read.

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [4, 1]}>
#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: @barriers
tt.func @barriers(%parity: i32) {
  %bar = ttg.local_alloc : !ttg.memdesc<1xi64, #one, mutable>
  // CHECK: ttng.mbarrier_init %[[B:.*]], 2 : <1xi64, #{{.*}}, mutable>
  ttng.mbarrier_init %bar, 2 : !ttg.memdesc<1xi64, #one, mutable>
  // CHECK-NEXT: ttng.mbarrier_expect %[[B]], 4096 : <1xi64
  ttng.mbarrier_expect %bar, 4096 : !ttg.memdesc<1xi64, #one, mutable>
  // CHECK-NEXT: ttng.mbarrier_arrive %[[B]], 1 : <1xi64
  ttng.mbarrier_arrive %bar, 1 : !ttg.memdesc<1xi64, #one, mutable>
  // CHECK-NEXT: ttng.mbarrier_wait %[[B]], %{{.*}} : <1xi64
  ttng.mbarrier_wait %bar, %parity : !ttg.memdesc<1xi64, #one, mutable>
  // CHECK-NEXT: ttng.mbarrier_invalidate %[[B]] : <1xi64
  ttng.mbarrier_invalidate %bar : !ttg.memdesc<1xi64, #one, mutable>
  tt.return
}

// CHECK-LABEL: @rounding
tt.func @rounding(%p: !tt.ptr<f32>, %m: i64, %i: i32) {
  %one = arith.constant 1 : i64
  // CHECK: %[[X:.*]] = ttng.load_box %{{.*}} strides[%{{.*}}, %{{.*}}] {roundsToTF32} : <f32> -> tensor<64x64xf32>
  %x = ttng.load_box %p[%i, %i] shape [%m, %m] strides [%m, %one] {roundsToTF32} : !tt.ptr<f32> -> tensor<64x64xf32>
  // CHECK: ttng.round_to_tf32 %[[X]] : tensor<64x64xf32>
  %y = ttng.round_to_tf32 %x : tensor<64x64xf32>
  tt.return
}

// CHECK-LABEL: @boxes
tt.func @boxes(%p: !tt.ptr<f16>, %m: i64, %n: i64, %s: i64, %i: i32, %j: i32) {
  %one = arith.constant 1 : i64
  %bar = ttg.local_alloc : !ttg.memdesc<1xi64, #one, mutable>
  %x = ttg.local_alloc : !ttg.memdesc<64x64xf16, #s, mutable>
  // CHECK: ttng.tma_load %{{.*}}[%{{.*}}, %{{.*}}] shape[%{{.*}}, %{{.*}}] strides[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}} : <f16>, <64x64xf16, #{{.*}}, mutable>, <1xi64, #{{.*}}, mutable>
  ttng.tma_load %p[%i, %j] shape [%m, %n] strides [%s, %one], %x, %bar : !tt.ptr<f16>, !ttg.memdesc<64x64xf16, #s, mutable>, !ttg.memdesc<1xi64, #one, mutable>
  // CHECK-NEXT: ttng.fence_async_proxy
  ttng.fence_async_proxy
  // CHECK-NEXT: ttng.tma_store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] shape[%{{.*}}, %{{.*}}] strides[%{{.*}}, %{{.*}}] : <64x64xf16, #{{.*}}, mutable>, <f16>
  ttng.tma_store %x, %p[%i, %j] shape [%m, %n] strides [%s, %one] : !ttg.memdesc<64x64xf16, #s, mutable>, !tt.ptr<f16>
  // CHECK-NEXT: ttng.tma_store_commit
  ttng.tma_store_commit
  // CHECK-NEXT: ttng.tma_store_wait {pendings = 0 : i32}
  ttng.tma_store_wait {pendings = 0 : i32}
  tt.return
}

// CHECK-LABEL: @dots
tt.func private @dots(%a: !ttg.memdesc<64x64xf16, #s>, %b: !ttg.memdesc<64x64xf16, #s>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  // CHECK: %[[D:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %{{.*}} : !ttg.memdesc<64x64xf16, #{{.*}}> * <64x64xf16, #{{.*}}> -> tensor<64x64xf32, #{{.*}}>
  %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #s> * !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf32, #mma>
  // CHECK-NEXT: ttng.warp_group_dot_wait %[[D]] : tensor<64x64xf32, #{{.*}}> {pendings = 1 : i32}
  %e = ttng.warp_group_dot_wait %d : tensor<64x64xf32, #mma> {pendings = 1 : i32}
  // CHECK-NEXT: ttng.warp_group_dot_wait {pendings = 0 : i32}
  ttng.warp_group_dot_wait {pendings = 0 : i32}
  tt.return %e : tensor<64x64xf32, #mma>
}

// CHECK-LABEL: @cluster
tt.func @cluster(%p: !tt.ptr<i32>) {
  // CHECK: ttng.cluster_arrive relaxed
  ttng.cluster_arrive relaxed
  // CHECK-NEXT: ttng.cluster_wait
  ttng.cluster_wait
  // CHECK-NEXT: ttng.cluster_arrive
  ttng.cluster_arrive
  ttng.cluster_wait
  // CHECK: ttng.cluster_rank : i32
  %r = ttng.cluster_rank : i32
  // CHECK: ttng.cluster_gather %{{.*}} : i32 -> tensor<1xi32, #{{.*}}>
  %all = ttng.cluster_gather %r : i32 -> tensor<1xi32, #blocked>
  %m = ttg.local_alloc : !ttg.memdesc<1xi32, #one, mutable>
  // CHECK: ttng.cluster_store %{{.*}}, %{{.*}} : i32 -> <1xi32, #{{.*}}, mutable>
  ttng.cluster_store %r, %m : i32 -> !ttg.memdesc<1xi32, #one, mutable>
  tt.store %p, %r : !tt.ptr<i32>
  tt.return
}
}

// CHECK-LABEL: @prefetch
tt.func private @prefetch(%p: !tt.ptr<f16>, %n: i32) {
  // CHECK: ttng.prefetch_run %arg0, %arg1 : <f16>
  ttng.prefetch_run %p, %n : !tt.ptr<f16>
  tt.return
}
