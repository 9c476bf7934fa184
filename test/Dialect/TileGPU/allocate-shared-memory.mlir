// RUN: tritium-opt %s -split-input-file -ttg-allocate-shared-memory | FileCheck %s

// Two rings that a loop uses both times around are in use at one time, whatever their order in it;
// what is needed behind the loop takes the place of one of them.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// CHECK-LABEL: tt.func private @loop
// CHECK: ttg.local_alloc {offset = [[A:[0-9]+]] : i32}
// CHECK-NOT: offset = [[A]] :
// CHECK: ttg.local_alloc {offset = [[B:[0-9]+]] : i32}
// CHECK: scf.for
// CHECK: ttg.local_alloc init({{.*}}) {offset = {{0|4096}} : i32}
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @loop(%x: tensor<1024xf32, #b>, %n: i32) -> tensor<1024xf32, #b> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = ttg.local_alloc : !ttg.memdesc<1024xf32, #s, mutable>
  %k = ttg.local_alloc : !ttg.memdesc<1024xf32, #s, mutable>
  ttg.local_store %x, %m : tensor<1024xf32, #b>, !ttg.memdesc<1024xf32, #s, mutable>
  ttg.local_store %x, %k : tensor<1024xf32, #b>, !ttg.memdesc<1024xf32, #s, mutable>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<1024xf32, #b>) : i32 {
    %u = ttg.local_load %m : !ttg.memdesc<1024xf32, #s, mutable> -> tensor<1024xf32, #b>
    ttg.local_store %a, %k : tensor<1024xf32, #b>, !ttg.memdesc<1024xf32, #s, mutable>
    %v = ttg.local_load %k : !ttg.memdesc<1024xf32, #s, mutable> -> tensor<1024xf32, #b>
    %w = arith.addf %u, %v : tensor<1024xf32, #b>
    scf.yield %w : tensor<1024xf32, #b>
  }
  %o = ttg.local_alloc init(%r : tensor<1024xf32, #b>) : !ttg.memdesc<1024xf32, #s>
  %z = ttg.local_load %o : !ttg.memdesc<1024xf32, #s> -> tensor<1024xf32, #b>
  tt.return %z : tensor<1024xf32, #b>
}
}

// -----

// Small ones get places of their own, also where one is in use no more.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// CHECK-LABEL: tt.func private @small
// CHECK: ttg.local_alloc init({{.*}}) {offset = [[A:[0-9]+]] : i32}
// CHECK: ttg.local_load
// CHECK-NOT: offset = [[A]] :
// CHECK: ttg.local_alloc init({{.*}}) {offset = {{[0-9]+}} : i32}
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @small(%x: tensor<128xf32, #b>) -> tensor<128xf32, #b> {
  %m = ttg.local_alloc init(%x : tensor<128xf32, #b>) : !ttg.memdesc<128xf32, #s>
  %y = ttg.local_load %m : !ttg.memdesc<128xf32, #s> -> tensor<128xf32, #b>
  %n = ttg.local_alloc init(%y : tensor<128xf32, #b>) : !ttg.memdesc<128xf32, #s>
  %z = ttg.local_load %n : !ttg.memdesc<128xf32, #s> -> tensor<128xf32, #b>
  tt.return %z : tensor<128xf32, #b>
}
}

// -----

// What needs it begins at a multiple of its alignment. What a box is copied to is in use as long as
// its barrier is, and what a store reads until a wait for all stores: the last one takes its place.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#r = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// CHECK-LABEL: tt.func private @boxes
// CHECK: ttg.local_alloc {offset = 0 : i32}
// CHECK: ttg.local_alloc {alignment = 1024 : i32, offset = 1024 : i32} : <64x32xf32
// CHECK: ttg.local_alloc init({{.*}}) {offset = 9216 : i32}
// CHECK: ttg.local_alloc {alignment = 128 : i32, offset = 128 : i32} : <64x32xf32
// CHECK: ttg.local_alloc init({{.*}}) {offset = 8320 : i32}
// CHECK: ttng.tma_store_wait
// CHECK: ttg.local_alloc init({{.*}}) {offset = 16 : i32}
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @boxes(%p: !tt.ptr<f32>, %x: tensor<2048xf32, #b>, %n: i64, %i: i32) -> tensor<2048xf32, #b> {
  %one = arith.constant 1 : i64
  %bar = ttg.local_alloc : !ttg.memdesc<1xi64, #s, mutable>
  ttng.mbarrier_init %bar, 1 : !ttg.memdesc<1xi64, #s, mutable>
  %l = ttg.local_alloc {alignment = 1024 : i32} : !ttg.memdesc<64x32xf32, #r, mutable>
  ttng.tma_load %p[%i, %i] shape [%n, %n] strides [%n, %one], %l, %bar : !tt.ptr<f32>, !ttg.memdesc<64x32xf32, #r, mutable>, !ttg.memdesc<1xi64, #s, mutable>
  %m = ttg.local_alloc init(%x : tensor<2048xf32, #b>) : !ttg.memdesc<2048xf32, #s>
  %u = ttg.local_load %m : !ttg.memdesc<2048xf32, #s> -> tensor<2048xf32, #b>
  ttng.mbarrier_wait %bar, %i : !ttg.memdesc<1xi64, #s, mutable>
  %t = ttg.local_alloc {alignment = 128 : i32} : !ttg.memdesc<64x32xf32, #r, mutable>
  ttng.tma_store %t, %p[%i, %i] shape [%n, %n] strides [%n, %one] : !ttg.memdesc<64x32xf32, #r, mutable>, !tt.ptr<f32>
  ttng.tma_store_commit
  %k = ttg.local_alloc init(%u : tensor<2048xf32, #b>) : !ttg.memdesc<2048xf32, #s>
  %v = ttg.local_load %k : !ttg.memdesc<2048xf32, #s> -> tensor<2048xf32, #b>
  ttng.tma_store_wait {pendings = 0 : i32}
  %o = ttg.local_alloc init(%v : tensor<2048xf32, #b>) : !ttg.memdesc<2048xf32, #s>
  %w = ttg.local_load %o : !ttg.memdesc<2048xf32, #s> -> tensor<2048xf32, #b>
  tt.return %w : tensor<2048xf32, #b>
}
}

// -----

// What a dot reads is in use until the wait for it, be it one that leaves a later dot in flight, in a
// loop, and what copies write until the wait for them: the last allocation takes the place of all.
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#p = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// CHECK-LABEL: tt.func private @dots
// CHECK: ttg.local_alloc init({{.*}}) {offset = 0 : i32}
// CHECK: ttg.local_alloc {offset = 8192 : i32}
// CHECK: ttg.async_wait
// CHECK: ttng.warp_group_dot
// CHECK: ttg.local_alloc init({{.*}}) {offset = 0 : i32}
// CHECK: ttg.async_wait
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
tt.func private @dots(%n: i32, %p: tensor<64x64x!tt.ptr<f16>, #l>, %x: tensor<64x64xf16, #l>, %y: tensor<64x128xf16, #l>, %c: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64x128xf16, #l>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = ttg.local_alloc init(%x : tensor<64x64xf16, #l>) : !ttg.memdesc<64x64xf16, #p>
  %k = ttg.local_alloc : !ttg.memdesc<64x64xf16, #p, mutable>
  ttg.async_copy_global_to_local %p, %k : tensor<64x64x!tt.ptr<f16>, #l> -> !ttg.memdesc<64x64xf16, #p, mutable>
  ttg.async_commit_group
  ttg.async_wait {num = 0 : i32}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c) -> (tensor<64x64xf32, #mma>) : i32 {
    %d = ttng.warp_group_dot %m, %k, %sum : !ttg.memdesc<64x64xf16, #p> * !ttg.memdesc<64x64xf16, #p, mutable> -> tensor<64x64xf32, #mma>
    %e = ttng.warp_group_dot %m, %m, %c : !ttg.memdesc<64x64xf16, #p> * !ttg.memdesc<64x64xf16, #p> -> tensor<64x64xf32, #mma>
    %dd = ttng.warp_group_dot_wait %d : tensor<64x64xf32, #mma> {pendings = 1 : i32}
    %ee = ttng.warp_group_dot_wait %e : tensor<64x64xf32, #mma> {pendings = 0 : i32}
    %f = arith.addf %dd, %ee : tensor<64x64xf32, #mma>
    scf.yield %f : tensor<64x64xf32, #mma>
  }
  %o = ttg.local_alloc init(%y : tensor<64x128xf16, #l>) : !ttg.memdesc<64x128xf16, #p>
  %z = ttg.local_load %o : !ttg.memdesc<64x128xf16, #p> -> tensor<64x128xf16, #l>
  ttg.async_wait {num = 0 : i32}
  tt.return %r, %z : tensor<64x64xf32, #mma>, tensor<64x128xf16, #l>
}
}
