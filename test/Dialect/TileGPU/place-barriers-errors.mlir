// RUN: tritium-opt %s -split-input-file -verify-diagnostics -ttg-place-barriers
// RUN: tritium-opt %s -split-input-file -verify-diagnostics -convert-ttg-to-llvm

// What no barrier settles, and places that do not fit. The lowering looks, too.

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @no_wait(%q: !tt.ptr<f32>) {
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
    %qq = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %m = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<512xf32, #s, mutable>
    // expected-note @+1 {{after 'ttg.async_copy_global_to_local' here}}
    ttg.async_copy_global_to_local %qq, %m : tensor<512x!tt.ptr<f32>, #b> -> !ttg.memdesc<512xf32, #s, mutable>
    ttg.async_commit_group
    ttg.async_wait {num = 1 : i32}
    ttg.barrier
    // expected-error @+1 {{'ttg.local_load' may run before other threads are done: access before a copy has arrived, shared memory [0, 2048); put ttg.async_wait for its group, and ttg.barrier, before it}}
    %y = ttg.local_load %m : !ttg.memdesc<512xf32, #s, mutable> -> tensor<512xf32, #b>
    tt.store %qq, %y : tensor<512x!tt.ptr<f32>, #b>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @overlapping(%q: !tt.ptr<f32>) {
    %qq = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %x = tt.load %qq : tensor<512x!tt.ptr<f32>, #b>
    // expected-note @+1 {{which has [0, 2048)}}
    %m = ttg.local_alloc init(%x : tensor<512xf32, #b>) {offset = 0 : i32} : !ttg.memdesc<512xf32, #s>
    // expected-error @+1 {{shared memory [1024, 3072) is in use by another allocation at the same time; leave the offsets to ttg-allocate-shared-memory}}
    %n = ttg.local_alloc init(%x : tensor<512xf32, #b>) {offset = 1024 : i32} : !ttg.memdesc<512xf32, #s>
    ttg.barrier
    %y = ttg.local_load %m : !ttg.memdesc<512xf32, #s> -> tensor<512xf32, #b>
    %z = ttg.local_load %n : !ttg.memdesc<512xf32, #s> -> tensor<512xf32, #b>
    tt.store %qq, %y : tensor<512x!tt.ptr<f32>, #b>
    tt.store %qq, %z : tensor<512x!tt.ptr<f32>, #b>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @nowhere(%q: !tt.ptr<f32>) {
    %qq = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %x = tt.load %qq : tensor<512x!tt.ptr<f32>, #b>
    // expected-error @+1 {{the allocation has no place in shared memory; run ttg-allocate-shared-memory first}}
    %m = ttg.local_alloc init(%x : tensor<512xf32, #b>) : !ttg.memdesc<512xf32, #s>
    %y = ttg.local_load %m : !ttg.memdesc<512xf32, #s> -> tensor<512xf32, #b>
    tt.store %qq, %y : tensor<512x!tt.ptr<f32>, #b>
    tt.return
  }
}
