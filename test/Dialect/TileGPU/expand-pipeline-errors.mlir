// RUN: tritium-opt %s -split-input-file -verify-diagnostics -ttg-expand-pipeline

// Schedules that cannot be followed.

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @stages_of_index(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{ttg.stages must be an i32 of at least 2, found 2 : index}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
  } {ttg.stages = 2 : index}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @one_stage(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{ttg.stages must be an i32 of at least 2, found 1 : i32; a loop that is not pipelined has none}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
  } {ttg.stages = 1 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @too_large(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{2147483647 stages of 2048 bytes are more than the 166912 of shared memory that this GPU has; at most 81 fit}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
  } {ttg.stages = 2147483647 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @no_copies(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{no load of the loop has ttg.async_copy, so that nothing runs ahead; remove ttg.stages}}
  scf.for %i = %c0 to %n step %c1 : i32 {
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @index(%p: tensor<512x!tt.ptr<f32>, #blocked>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{must count in an integer of at most 64 bits, found 'index'}}
  scf.for %i = %c0 to %n step %c1 {
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @unscheduled(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
    // expected-error @+1 {{the loop around this has ttg.stages, and arith.negf no ttg.schedule; every operation of the loop needs a stage and an order}}
    %w = arith.negf %v : tensor<512xf32, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @number(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
    // expected-error @+1 {{the loop around this has ttg.stages, and arith.negf no ttg.schedule}}
    %w = arith.negf %v {ttg.schedule = 1 : i32} : tensor<512xf32, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @out_of_range(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
    // expected-error @+1 {{stage 2 is out of range: the loop has 2 stages, 0 to 1}}
    %w = arith.negf %v {ttg.schedule = #ttg.schedule<stage = 2, order = 2>} : tensor<512xf32, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @between(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
    // expected-error @+1 {{found stage 1, but loads and their addresses run ahead in stage 0, and everything else is in the last stage, 2}}
    %w = arith.negf %v {ttg.schedule = #ttg.schedule<stage = 1, order = 2>} : tensor<512xf32, #blocked>
  } {ttg.stages = 3 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @late_copy(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{ttg.async_copy is for a load of a tile in stage 0, found tt.load in stage 1}}
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 1, order = 2>} : tensor<512x!tt.ptr<f32>, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @no_load(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
    // expected-error @+1 {{ttg.async_copy is for a load of a tile in stage 0, found tt.addptr in stage 0}}
    %q = tt.addptr %p, %o {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @load_ahead(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
    // expected-error @+1 {{tt.load accesses memory or has regions, and would run ahead of earlier iterations in stage 0; put it into stage 1}}
    %w = tt.load %p volatile {ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : tensor<512x!tt.ptr<f32>, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @store_ahead(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) attributes {tt.overtakes} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
    // expected-error @+1 {{tt.store accesses memory or has regions, and would run ahead of earlier iterations in stage 0; put it into stage 1}}
    tt.store %p, %v {ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : tensor<512x!tt.ptr<f32>, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @overtaken(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
    // expected-error @+1 {{copies for later iterations start before this store, and must not read what it writes; tt.overtakes on the function}}
    tt.store %p, %v {ttg.schedule = #ttg.schedule<stage = 1, order = 2>} : tensor<512x!tt.ptr<f32>, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @volatile(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{an asynchronous copy brings a tile that nothing else changes, found a volatile load; put it into stage 1 without ttg.async_copy}}
    %v = tt.load %p {isVolatile = true, ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @scalar(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{found a load of a scalar}}
    %v = tt.load %x {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : !tt.ptr<f32>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @registers(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{ttg.async_copy must be a layout of memory of rank 1, found #ttg.blocked}}
    %v = tt.load %p {ttg.async_copy = #blocked, ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : tensor<512x!tt.ptr<f32>, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @rank(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{ttg.async_copy must be a layout of memory of rank 1, found #ttg.shared}}
    %v = tt.load %p {ttg.async_copy = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : tensor<512x!tt.ptr<f32>, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @panel(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{ttg.async_copy must be a layout of whole panels, each of which is as many elements of threads, found #ttg.shared_linear}}
    %v = tt.load %p {ttg.async_copy = #ttg.shared_linear<{offsets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512], shape = [1024]}>, ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : tensor<512x!tt.ptr<f32>, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @address_late(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{the address or mask of an asynchronous copy in stage 0 depends on tt.addptr in stage 1; put it into stage 0, too}}
    %q = tt.addptr %p, %o {ttg.schedule = #ttg.schedule<stage = 1, order = 2>} : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    %v = tt.load %q {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>

// The pointers come from the iteration before, where nothing has made them yet.
tt.func private @address_of_iteration_before(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%q = %p) -> (tensor<512x!tt.ptr<f32>, #blocked>) : i32 {
    %v = tt.load %q {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
    // expected-error @+1 {{the address or mask of an asynchronous copy in stage 0 depends on tt.addptr in stage 1; put it into stage 0, too}}
    %next = tt.addptr %q, %o {ttg.schedule = #ttg.schedule<stage = 1, order = 2>} : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    scf.yield %next : tensor<512x!tt.ptr<f32>, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @chain(%p: tensor<512x!tt.ptr<f32>, #blocked>, %pi: tensor<512x!tt.ptr<i32>, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{the address or mask of an asynchronous copy depends on what this one brings in the same stage; put the other into stage 1 without ttg.async_copy}}
    %w = tt.load %pi {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<i32>, #blocked>
    %q = tt.addptr %p, %w {ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    %v = tt.load %q {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @needless(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
    // expected-error @+1 {{no asynchronous copy depends on tt.addptr, which need not run ahead; put it into stage 1}}
    %q = tt.addptr %p, %o {ttg.schedule = #ttg.schedule<stage = 0, order = 0>} : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @copy_before_address(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %q = tt.addptr %p, %o {ttg.schedule = #ttg.schedule<stage = 0, order = 2>} : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    // expected-error @+1 {{order 1 comes before the order 2 of tt.addptr in the same stage, which it depends on}}
    %v = tt.load %q {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @disorder(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) attributes {tt.overtakes} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
    %w = arith.negf %v {ttg.schedule = #ttg.schedule<stage = 1, order = 3>} : tensor<512xf32, #blocked>
    // expected-error @+1 {{order 2 comes before the order 3 of an operation in front of this; the last stage keeps the loop's order}}
    tt.store %p, %w {ttg.schedule = #ttg.schedule<stage = 1, order = 2>} : tensor<512x!tt.ptr<f32>, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @waits(%x: !tt.ptr<f32>, %p: tensor<512x!tt.ptr<f32>, #blocked>, %o: tensor<512xi32, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
    // expected-error @+1 {{counts its groups of asynchronous copies, and can have no ttg.async_wait of its own; remove ttg.stages}}
    ttg.async_wait {num = 0 : i32, ttg.schedule = #ttg.schedule<stage = 1, order = 2>}
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @nested(%p: tensor<512x!tt.ptr<f32>, #blocked>, %b: i1, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
    scf.if %b {
      // expected-error @+1 {{ttg.schedule is for operations right in the body of an scf.for with ttg.stages}}
      %w = arith.negf %v {ttg.schedule = #ttg.schedule<stage = 1, order = 2>} : tensor<512xf32, #blocked>
    } {ttg.schedule = #ttg.schedule<stage = 1, order = 2>}
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @outside(%p: tensor<512x!tt.ptr<f32>, #blocked>) {
  // expected-error @+1 {{ttg.async_copy is for operations right in the body of an scf.for with ttg.stages}}
  %v = tt.load %p {ttg.async_copy = #flat} : tensor<512x!tt.ptr<f32>, #blocked>
  tt.return
}

// -----

// expected-error @+1 {{ttg.stages is for an scf.for of a kernel, found tt.func}}
tt.func private @no_loop() attributes {ttg.stages = 2 : i32} {
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>

tt.func private @outer(%p: tensor<512x!tt.ptr<f32>, #blocked>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
    // expected-error @+1 {{a loop around this has ttg.stages, too; only one of the two can be pipelined}}
    scf.for %j = %c0 to %n step %c1 : i32 {
      %w = tt.load %p {ttg.async_copy = #flat, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : tensor<512x!tt.ptr<f32>, #blocked>
    } {ttg.stages = 2 : i32, ttg.schedule = #ttg.schedule<stage = 1, order = 2>}
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
tt.func private @box_in_columns(%p: !tt.ptr<f32>, %n: i32, %m: i64, %one: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{ttg.async_copy of a box must be a layout that TMA has, of a multiple of 128 bytes, found}}
    %v = ttng.load_box %p[%i, %c0] shape [%m, %m] strides [%m, %s] {ttg.async_copy = #columns, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : !tt.ptr<f32> -> tensor<32x16xf32, #blocked>
  } {ttg.stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func private @across_what_is_loaded(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %m: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = arith.constant 1 : i64
  scf.for %t = %c0 to %n step %c1 : i32 {
    %row = tt.load %q : !tt.ptr<i32>
    // expected-error @+1 {{ttg.across is for a loop right in an scf.for whose copies, all by TMA, depend on no more of it than its index}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      %v = ttng.load_box %p[%row, %i] shape [%m, %m] strides [%m, %s] {ttg.async_copy = #rows, ttg.schedule = #ttg.schedule<stage = 0, order = 1>} : !tt.ptr<f32> -> tensor<32x16xf32, #blocked>
    } {ttg.stages = 2 : i32, ttg.across}
  }
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
tt.func private @box_alone_in_columns(%p: !tt.ptr<f32>, %i: i32, %m: i64) -> tensor<32x16xf32, #blocked> {
  %s = arith.constant 1 : i64
  // expected-error @+1 {{ttg.async_copy of a box must be a layout that TMA has, of a multiple of 128 bytes, found}}
  %v = ttng.load_box %p[%i, %i] shape [%m, %m] strides [%m, %s] {ttg.async_copy = #columns} : !tt.ptr<f32> -> tensor<32x16xf32, #blocked>
  tt.return %v : tensor<32x16xf32, #blocked>
}

// -----

// An attribute that is no layout.
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
tt.func private @box_alone_nowhere(%p: !tt.ptr<f32>, %i: i32, %m: i64) -> tensor<32x16xf32, #blocked> {
  %s = arith.constant 1 : i64
  // expected-error @+1 {{the layout must be one of memory, found 3 : i32}}
  %v = ttng.load_box %p[%i, %i] shape [%m, %m] strides [%m, %s] {ttg.async_copy = 3 : i32} : !tt.ptr<f32> -> tensor<32x16xf32, #blocked>
  tt.return %v : tensor<32x16xf32, #blocked>
}
