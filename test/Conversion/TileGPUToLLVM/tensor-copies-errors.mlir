// RUN: tritium-opt %s -split-input-file -verify-diagnostics -convert-ttg-to-llvm

// Copies of boxes without a barrier, a fence or a wait that they need, or that would outlive their
// program.

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
tt.func @no_fence(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  %one = arith.constant 1 : i64
  %x = arith.constant dense<1.0> : tensor<16x32xf32, #b>
  %m = ttg.local_alloc {alignment = 128 : i32, offset = 0 : i32} : !ttg.memdesc<16x32xf32, #s, mutable>
  // expected-note @+1 {{after 'ttg.local_store' here}}
  ttg.local_store %x, %m : tensor<16x32xf32, #b>, !ttg.memdesc<16x32xf32, #s, mutable>
  ttg.barrier
  // expected-error @+1 {{'ttng.tma_store' may run before other threads are done: written without a fence, shared memory [0, 2048); put a fence of the proxy, and ttg.barrier, before it}}
  ttng.tma_store %m, %p[%i, %i] shape [%n, %n] strides [%n, %one] : !ttg.memdesc<16x32xf32, #s, mutable>, !tt.ptr<f32>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
tt.func @no_barrier_behind_the_fence(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  %one = arith.constant 1 : i64
  %x = arith.constant dense<1.0> : tensor<16x32xf32, #b>
  %m = ttg.local_alloc {alignment = 128 : i32, offset = 0 : i32} : !ttg.memdesc<16x32xf32, #s, mutable>
  // expected-note @+1 {{after 'ttg.local_store' here}}
  ttg.local_store %x, %m : tensor<16x32xf32, #b>, !ttg.memdesc<16x32xf32, #s, mutable>
  ttg.barrier
  ttng.fence_async_proxy
  // expected-error @+1 {{'ttng.tma_store' may run before other threads are done: read after write, shared memory [0, 2048); put ttg.barrier before it}}
  ttng.tma_store %m, %p[%i, %i] shape [%n, %n] strides [%n, %one] : !ttg.memdesc<16x32xf32, #s, mutable>, !tt.ptr<f32>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
tt.func @written_too_early(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  %one = arith.constant 1 : i64
  %x = arith.constant dense<1.0> : tensor<16x32xf32, #b>
  %m = ttg.local_alloc {alignment = 128 : i32, offset = 0 : i32} : !ttg.memdesc<16x32xf32, #s, mutable>
  // expected-note @+1 {{after 'ttng.tma_store' here}}
  ttng.tma_store %m, %p[%i, %i] shape [%n, %n] strides [%n, %one] : !ttg.memdesc<16x32xf32, #s, mutable>, !tt.ptr<f32>
  ttng.tma_store_commit
  ttng.tma_store_wait {pendings = 1 : i32}
  ttg.barrier
  // expected-error @+1 {{'ttg.local_store' may run before other threads are done: write before what reads there is over, shared memory [0, 2048); put the wait for it, and ttg.barrier, before it}}
  ttg.local_store %x, %m : tensor<16x32xf32, #b>, !ttg.memdesc<16x32xf32, #s, mutable>
  tt.return
}
}

// -----

// The thread that has started the store has waited; the others have not.
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
tt.func @no_barrier_behind_the_wait(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  %one = arith.constant 1 : i64
  %x = arith.constant dense<1.0> : tensor<16x32xf32, #b>
  %m = ttg.local_alloc {alignment = 128 : i32, offset = 0 : i32} : !ttg.memdesc<16x32xf32, #s, mutable>
  // expected-note @+1 {{after 'ttng.tma_store' here}}
  ttng.tma_store %m, %p[%i, %i] shape [%n, %n] strides [%n, %one] : !ttg.memdesc<16x32xf32, #s, mutable>, !tt.ptr<f32>
  ttng.tma_store_commit
  ttng.tma_store_wait {pendings = 0 : i32}
  // expected-error @+1 {{'ttg.local_store' may run before other threads are done: write after read, shared memory [0, 2048); put ttg.barrier before it}}
  ttg.local_store %x, %m : tensor<16x32xf32, #b>, !ttg.memdesc<16x32xf32, #s, mutable>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
tt.func @loaded_over(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  %one = arith.constant 1 : i64
  %m = ttg.local_alloc {alignment = 128 : i32, offset = 128 : i32} : !ttg.memdesc<16x32xf32, #s, mutable>
  %bar = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<1xi64, #one, mutable>
  ttng.mbarrier_init %bar, 1 : !ttg.memdesc<1xi64, #one, mutable>
  // expected-note @+1 {{after 'ttg.local_load' here}}
  %x = ttg.local_load %m : !ttg.memdesc<16x32xf32, #s, mutable> -> tensor<16x32xf32, #b>
  // expected-error @+1 {{'ttng.tma_load' may run before other threads are done: write after read, shared memory [128, 2176); put ttg.barrier before it}}
  ttng.tma_load %p[%i, %i] shape [%n, %n] strides [%n, %one], %m, %bar : !tt.ptr<f32>, !ttg.memdesc<16x32xf32, #s, mutable>, !ttg.memdesc<1xi64, #one, mutable>
  tt.return
}
}

// -----

#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
tt.func @ends_early(%p: !tt.ptr<f32>, %n: i64, %i: i32, %good: i1) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %m = ttg.local_alloc {alignment = 128 : i32, offset = 128 : i32} : !ttg.memdesc<16x32xf32, #s, mutable>
  %bar = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<1xi64, #one, mutable>
  ttng.mbarrier_init %bar, 1 : !ttg.memdesc<1xi64, #one, mutable>
  ttg.barrier
  ttng.mbarrier_expect %bar, 2048 : !ttg.memdesc<1xi64, #one, mutable>
  ttng.tma_load %p[%i, %i] shape [%n, %n] strides [%n, %one], %m, %bar : !tt.ptr<f32>, !ttg.memdesc<16x32xf32, #s, mutable>, !ttg.memdesc<1xi64, #one, mutable>
  // expected-error @+1 {{an assertion that fails ends its program while copies by 'ttng.tma_load' may be on their way to memory that the next program gets; leave one of the two out}}
  tt.assert %good, "good" : i1
  ttng.mbarrier_wait %bar, %c0 : !ttg.memdesc<1xi64, #one, mutable>
  tt.return
}
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
tt.func @waits_for_none(%parity: i32) {
  // expected-note @+2 {{after 'ttng.mbarrier_init' here}}
  %bar = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<1xi64, #one, mutable>
  ttng.mbarrier_init %bar, 1 : !ttg.memdesc<1xi64, #one, mutable>
  // expected-error @+1 {{'ttng.mbarrier_wait' may run before other threads are done: read after write, shared memory [0, 8); put ttg.barrier before it}}
  ttng.mbarrier_wait %bar, %parity : !ttg.memdesc<1xi64, #one, mutable>
  tt.return
}
}

// -----

// Of two barriers of an array nothing is known but that one thread makes both.
#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
tt.func @ends_too_early(%parity: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %bars = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<2x1xi64, #one, mutable>
  %b0 = ttg.memdesc_index %bars[%c0] : !ttg.memdesc<2x1xi64, #one, mutable> -> !ttg.memdesc<1xi64, #one, mutable>
  %b1 = ttg.memdesc_index %bars[%c1] : !ttg.memdesc<2x1xi64, #one, mutable> -> !ttg.memdesc<1xi64, #one, mutable>
  ttng.mbarrier_init %b0, 1 : !ttg.memdesc<1xi64, #one, mutable>
  ttng.mbarrier_init %b1, 1 : !ttg.memdesc<1xi64, #one, mutable>
  ttg.barrier
  ttng.mbarrier_arrive %b0, 1 : !ttg.memdesc<1xi64, #one, mutable>
  // expected-note @+1 {{after 'ttng.mbarrier_wait' here}}
  ttng.mbarrier_wait %b0, %c0 : !ttg.memdesc<1xi64, #one, mutable>
  // expected-error @+1 {{'ttng.mbarrier_invalidate' may run before other threads are done: write after read, shared memory [0, 16); put ttg.barrier before it}}
  ttng.mbarrier_invalidate %b0 : !ttg.memdesc<1xi64, #one, mutable>
  tt.return
}
}
