// RUN: tritium-opt %s -split-input-file -verify-diagnostics -convert-ttg-to-llvm

// Decisions that are missing or wrong in tile IR that was written or changed by hand.

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @no_barrier(%q: !tt.ptr<f32>) {
    %qq = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %x = tt.load %qq : tensor<512x!tt.ptr<f32>, #b>
    // expected-note @+1 {{after 'ttg.local_alloc' here}}
    %m = ttg.local_alloc init(%x : tensor<512xf32, #b>) {offset = 0 : i32} : !ttg.memdesc<512xf32, #s>
    // expected-error @+1 {{'ttg.local_load' may run before other threads are done: read after write, shared memory [0, 2048); put ttg.barrier before it}}
    %y = ttg.local_load %m : !ttg.memdesc<512xf32, #s> -> tensor<512xf32, #b>
    tt.store %qq, %y : tensor<512x!tt.ptr<f32>, #b>
    tt.return
  }
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @no_mechanism(%q: !tt.ptr<f32>, %p: !tt.ptr<f32>) {
    %qq = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    // expected-remark @+1 {{coalesce}}
    %x = tt.load %qq : tensor<512x!tt.ptr<f32>, #b>
    // expected-error @+1 {{it is not said how this conversion moves elements, or it cannot be in this way; leave that to ttg-plan-exchanges}}
    %y = ttg.convert_layout %x : tensor<512xf32, #b> -> tensor<512xf32, #a>
    %pp = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #a>
    // expected-remark @+1 {{coalesce}}
    tt.store %pp, %y : tensor<512x!tt.ptr<f32>, #a>
    tt.return
  }
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @cannot(%q: !tt.ptr<f32>, %p: !tt.ptr<f32>) {
    %qq = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    // expected-remark @+1 {{coalesce}}
    %x = tt.load %qq : tensor<512x!tt.ptr<f32>, #b>
    // expected-error @+1 {{it is not said how this conversion moves elements, or it cannot be in this way}}
    %y = ttg.convert_layout %x by registers : tensor<512xf32, #b> -> tensor<512xf32, #a>
    %pp = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #a>
    // expected-remark @+1 {{coalesce}}
    tt.store %pp, %y : tensor<512x!tt.ptr<f32>, #a>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @across_warps(%q: !tt.ptr<f32>, %p: !tt.ptr<f32>) {
    %qq = tt.splat %q : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    // expected-remark @+1 {{coalesce}}
    %x = tt.load %qq : tensor<128x!tt.ptr<f32>, #b>
    // expected-error @+1 {{a reduction across warps goes through shared memory; run ttg-plan-exchanges first}}
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %c: f32):
      %t = arith.addf %a, %c : f32
      tt.reduce.return %t : f32
    }) : (tensor<128xf32, #b>) -> f32
    tt.store %p, %s : !tt.ptr<f32>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @no_dot(%q: !tt.ptr<f32>) {
    %qq = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %x = tt.load %qq : tensor<512x!tt.ptr<f32>, #b>
    %m = ttg.local_alloc init(%x : tensor<512xf32, #b>) {offset = 0 : i32} : !ttg.memdesc<512xf32, #s>
    // expected-error @+1 {{'ttg.barrier' cannot overlap a dot (ttg.overlap): what stands between it and the dot has to wait for it; leave that to ttg-overlap-dots}}
    ttg.barrier {ttg.overlap = #ttg.overlap<products>}
    %y = ttg.local_load %m : !ttg.memdesc<512xf32, #s> -> tensor<512xf32, #b>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @only_one_has_it(%q: !tt.ptr<i32>, %p: !tt.ptr<i32>) {
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %old = tt.atomic_rmw add, acq_rel, gpu, %q, %c1, %true {ttg.result_of_one} : (!tt.ptr<i32>, i32, i1) -> i32
    // expected-error @+1 {{only the thread that has run the atomic has its result (ttg.result_of_one), which ttg.local_alloc or ttg.local_store hands to the others}}
    tt.store %p, %old : !tt.ptr<i32>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @through_a_branch(%q: !tt.ptr<f32>, %c: i1) {
    %m = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<512xf32, #s, mutable>
    %n = scf.if %c -> (!ttg.memdesc<512xf32, #s, mutable>) {
      // expected-error @+1 {{'scf.yield' takes memory of which it is not known where it was allocated}}
      scf.yield %m : !ttg.memdesc<512xf32, #s, mutable>
    } else {
      scf.yield %m : !ttg.memdesc<512xf32, #s, mutable>
    }
    %y = ttg.local_load %n : !ttg.memdesc<512xf32, #s, mutable> -> tensor<512xf32, #b>
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @others_want_it(%q: !tt.ptr<i32>, %p: !tt.ptr<i32>) {
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    // expected-error @+1 {{one thread runs this atomic for others, which have to get its result through shared memory; run ttg-plan-exchanges first}}
    %old = tt.atomic_rmw add, acq_rel, gpu, %q, %c1, %true : (!tt.ptr<i32>, i32, i1) -> i32
    tt.store %p, %old : !tt.ptr<i32>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 86>, "ttg.num-warps" = 4 : i32} {
  tt.func @too_far(%q: !tt.ptr<f32>) {
    %qq = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %x = tt.load %qq : tensor<512x!tt.ptr<f32>, #b>
    // expected-error @+1 {{the allocation ends at byte 101392 of shared memory, of which compute capability 8.6 has 101376; use smaller tiles or fewer stages}}
    %m = ttg.local_alloc init(%x : tensor<512xf32, #b>) {offset = 99344 : i32} : !ttg.memdesc<512xf32, #s>
    ttg.barrier {hazard = "read after write, shared memory [99344, 101392)"}
    %y = ttg.local_load %m : !ttg.memdesc<512xf32, #s> -> tensor<512xf32, #b>
    tt.store %qq, %y : tensor<512x!tt.ptr<f32>, #b>
    tt.return
  }
}

// -----

module attributes {ttg.target = #ttg.target<compute = 75>, "ttg.num-warps" = 4 : i32} {
  tt.func @no_copies() {
    // expected-error @+1 {{asynchronous copies begin with compute capability 8.0, and the module is for 7.5; go on from tile IR (.ttir)}}
    ttg.async_wait {num = 0 : i32}
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @gather(%q: !tt.ptr<f32>) {
    %qq = tt.splat %q : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %x = tt.load %qq : tensor<128x!tt.ptr<f32>, #b>
    // expected-note @+1 {{after 'ttg.local_alloc' here}}
    %m = ttg.local_alloc init(%x : tensor<128xf32, #b>) {offset = 0 : i32} : !ttg.memdesc<128xf32, #s>
    %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    // expected-error @+1 {{'ttg.local_gather' may run before other threads are done: read after write, shared memory [0, 512); put ttg.barrier before it}}
    %y = ttg.local_gather %m[%i] along 0 : !ttg.memdesc<128xf32, #s>[tensor<128xi32, #b>] -> tensor<128xf32, #b>
    tt.store %qq, %y : tensor<128x!tt.ptr<f32>, #b>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @count(%q: !tt.ptr<i32>) {
    %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %zeros = arith.constant dense<0> : tensor<128xi32, #b>
    %m = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<128xi32, #s, mutable>
    // expected-note @+1 {{after 'ttg.local_store' here}}
    ttg.local_store %zeros, %m : tensor<128xi32, #b>, !ttg.memdesc<128xi32, #s, mutable>
    // expected-error @+1 {{'ttg.local_count' may run before other threads are done: read after write, shared memory [0, 512); put ttg.barrier before it}}
    ttg.local_count %i, %m : tensor<128xi32, #b>, !ttg.memdesc<128xi32, #s, mutable>
    tt.return
  }
}
