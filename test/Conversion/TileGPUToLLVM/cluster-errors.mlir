// RUN: tritium-opt %s -split-input-file -convert-ttg-to-llvm -verify-diagnostics -o /dev/null

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32} {
tt.func @not_begun(%x: f32) {
  %m = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<2xf32, #one, mutable>
  // expected-error @+1 {{'ttng.cluster_store' may come before other CTAs have begun; put ttng.cluster_arrive and ttng.cluster_wait before it}}
  ttng.cluster_store %x, %m : f32 -> !ttg.memdesc<2xf32, #one, mutable>
  ttng.cluster_arrive
  ttng.cluster_wait
  tt.return
}
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32} {
tt.func @ended(%x: f32) {
  %m = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<2xf32, #one, mutable>
  ttng.cluster_arrive
  ttng.cluster_wait
  // expected-error @+1 {{'ttng.cluster_store' may come after other CTAs have ended}}
  ttng.cluster_store %x, %m : f32 -> !ttg.memdesc<2xf32, #one, mutable>
  ttng.cluster_arrive relaxed
  ttng.cluster_wait
  tt.return
}
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32} {
tt.func @early(%x: f32) {
  %m = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<2xf32, #one, mutable>
  ttng.cluster_arrive
  ttng.cluster_wait
  // expected-note @+1 {{stored here}}
  ttng.cluster_store %x, %m : f32 -> !ttg.memdesc<2xf32, #one, mutable>
  ttg.barrier
  // expected-error @+1 {{'ttg.local_load' may come before other CTAs have stored there}}
  %all = ttg.local_load %m : !ttg.memdesc<2xf32, #one, mutable> -> tensor<2xf32, #b>
  ttng.cluster_arrive
  ttng.cluster_wait
  tt.return
}
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32} {
tt.func @in_a_loop(%x: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<2xf32, #one, mutable>
  ttng.cluster_arrive
  ttng.cluster_wait
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{'ttng.cluster_store' stands in a loop}}
    ttng.cluster_store %x, %m : f32 -> !ttg.memdesc<2xf32, #one, mutable>
    ttng.cluster_arrive
    ttng.cluster_wait
  }
  tt.return
}
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32} {
tt.func @twice(%x: f32) {
  %m = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<2xf32, #one, mutable>
  ttng.cluster_arrive
  ttng.cluster_wait
  ttng.cluster_store %x, %m : f32 -> !ttg.memdesc<2xf32, #one, mutable>
  ttng.cluster_arrive
  ttng.cluster_wait
  // expected-error @+1 {{'ttng.cluster_store' accesses memory that other CTAs store to; only loads may}}
  ttng.cluster_store %x, %m : f32 -> !ttg.memdesc<2xf32, #one, mutable>
  ttng.cluster_arrive
  ttng.cluster_wait
  tt.return
}
}

// -----

module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32} {
tt.func @not_planned(%x: f32) {
  // expected-error @+1 {{'ttng.cluster_gather' has to become stores; run ttg-plan-exchanges first}}
  %all = ttng.cluster_gather %x : f32 -> tensor<2xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
  tt.return
}
}

// -----

// expected-error @+1 {{ttg.num-ctas must be a power of two from 1 to 8, found 3 : i32}}
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 3 : i32} {
tt.func @three() {
  tt.return
}
}
