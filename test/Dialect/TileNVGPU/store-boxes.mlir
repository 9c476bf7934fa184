// RUN: tritium-opt %s -split-input-file -ttng-store-boxes | FileCheck %s
// RUN: tritium-opt %s -split-input-file -ttng-store-boxes -verify-diagnostics -o /dev/null

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#s = #ttg.shared_linear<{offsets = [64, 128, 256, 512, 1024, 2048, 1, 2, 4, 8, 16, 32], shape = [64, 64]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // What the tile changed hands through is gone, and nobody waits but the end of the kernel.
  // CHECK-LABEL: @rows
  // CHECK-SAME: %[[P:[a-z0-9]*]]: !tt.ptr<f16> {{.*}}, %[[PITCH:[a-z0-9]*]]: i64 {{.*}}, %[[N:[a-z0-9]*]]: i32)
  // CHECK-SAME: tt.copy_conditions
  // CHECK-NOT: init
  // CHECK: %[[X:.*]] = arith.constant dense<1.0
  // CHECK: %[[M:.*]] = ttg.local_alloc {alignment = 1024 : i32} : <64x64xf16, #shared, mutable>
  // CHECK: %[[END:.*]] = arith.extsi %[[N]]
  // CHECK-NOT: tma_store_wait
  // CHECK: ttg.local_store %[[X]], %[[M]]
  // CHECK-NEXT: ttng.tma_store %[[M]], %[[P]][%{{.*}}, %{{.*}}] shape[%[[END]], %{{.*}}] strides[%[[PITCH]], %{{.*}}]
  // CHECK-NEXT: ttng.tma_store_commit
  // CHECK-NEXT: tt.return
  tt.func @rows(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}, %n: i32) {
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
    %c64 = arith.constant 64 : i32
    %pid = tt.get_program_id 0 : i32
    %block = arith.muli %pid, %c64 overflow<nsw> : i32
    %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
    %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %i2 = arith.extsi %i1 : tensor<64x1xi32, #l> to tensor<64x1xi64, #l>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %pitches = tt.splat %pitch : i64 -> tensor<64x1xi64, #l>
    %rows = arith.muli %i2, %pitches : tensor<64x1xi64, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi64, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %ends = tt.splat %n : i32 -> tensor<64x1xi32, #l>
    %in = arith.cmpi slt, %i1, %ends : tensor<64x1xi32, #l>
    %mask = tt.broadcast %in : tensor<64x1xi1, #l> -> tensor<64x64xi1, #l>
    %m = ttg.local_alloc init(%x : tensor<64x64xf16, #mma>) : !ttg.memdesc<64x64xf16, #s>
    %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf16, #l>
    // expected-remark @+1 {{TMA stores this tile, from 8192 bytes of shared memory}}
    tt.store %q2, %y, %mask : tensor<64x64x!tt.ptr<f16>, #l>
    tt.return
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#s = #ttg.shared_linear<{offsets = [64, 128, 256, 512, 1024, 2048, 1, 2, 4, 8, 16, 32], shape = [64, 64]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // The buffer is there for all iterations, each of which waits for the store of the last one.
  // CHECK-LABEL: @in_a_loop
  // CHECK: %[[M:.*]] = ttg.local_alloc {alignment
  // CHECK: scf.for
  // CHECK: ttng.tma_store_wait {pendings = 0 : i32}
  // CHECK-NEXT: ttg.local_store %{{.*}}, %[[M]]
  // CHECK-NEXT: ttng.tma_store %[[M]]
  tt.func @in_a_loop(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}, %n: i32) {
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    scf.for %k = %c0 to %n step %c64 : i32 {
      %blocks = tt.splat %k : i32 -> tensor<64xi32, #column>
      %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
      %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
      %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
      %i2 = arith.extsi %i1 : tensor<64x1xi32, #l> to tensor<64x1xi64, #l>
      %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
      %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
      %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
      %pitches = tt.splat %pitch : i64 -> tensor<64x1xi64, #l>
      %rows = arith.muli %i2, %pitches : tensor<64x1xi64, #l>
      %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
      %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi64, #l>
      %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
      %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %ends = tt.splat %n : i32 -> tensor<64x1xi32, #l>
      %in = arith.cmpi slt, %i1, %ends : tensor<64x1xi32, #l>
      %mask = tt.broadcast %in : tensor<64x1xi1, #l> -> tensor<64x64xi1, #l>
      %m = ttg.local_alloc init(%x : tensor<64x64xf16, #mma>) : !ttg.memdesc<64x64xf16, #s>
      %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf16, #l>
      // expected-remark @+1 {{TMA stores this tile, from 8192 bytes of shared memory}}
      tt.store %q2, %y, %mask : tensor<64x64x!tt.ptr<f16>, #l>
    }
    tt.return
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#s = #ttg.shared_linear<{offsets = [64, 128, 256, 512, 1024, 2048, 1, 2, 4, 8, 16, 32], shape = [64, 64]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // Programs have no order: each warp stores its own rows, and waits until they have been read.
  // CHECK-LABEL: @programs
  // CHECK: %[[M:.*]] = ttg.local_alloc {alignment
  // CHECK: scf.for
  // CHECK: ttng.tma_store_wait {by_warp, pendings = 0 : i32, reads}
  // CHECK-NEXT: ttg.local_store %{{.*}}, %[[M]]
  // CHECK-NEXT: ttng.tma_store %[[M]]{{.*}} {by_warp}
  tt.func @programs(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}, %n: i32) {
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    scf.for %k = %c0 to %n step %c64 : i32 {
      %blocks = tt.splat %k : i32 -> tensor<64xi32, #column>
      %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
      %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
      %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
      %i2 = arith.extsi %i1 : tensor<64x1xi32, #l> to tensor<64x1xi64, #l>
      %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
      %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
      %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
      %pitches = tt.splat %pitch : i64 -> tensor<64x1xi64, #l>
      %rows = arith.muli %i2, %pitches : tensor<64x1xi64, #l>
      %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
      %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi64, #l>
      %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
      %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %ends = tt.splat %n : i32 -> tensor<64x1xi32, #l>
      %in = arith.cmpi slt, %i1, %ends : tensor<64x1xi32, #l>
      %mask = tt.broadcast %in : tensor<64x1xi1, #l> -> tensor<64x64xi1, #l>
      %m = ttg.local_alloc init(%x : tensor<64x64xf16, #mma>) : !ttg.memdesc<64x64xf16, #s>
      %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf16, #l>
      // expected-remark @+1 {{TMA stores this tile, from 8192 bytes of shared memory}}
      tt.store %q2, %y, %mask : tensor<64x64x!tt.ptr<f16>, #l>
    } {ttg.programs}
    tt.return
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#s = #ttg.shared_linear<{offsets = [256, 512, 1024, 2048, 4096, 8192, 1, 2, 4, 8, 16, 32, 64, 128], shape = [64, 256]}>
#line = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#plain = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // There are 17408 bytes left: two buffers of 64 columns, in turn.
  // CHECK-LABEL: @parts
  // CHECK: %[[A:.*]] = ttg.local_alloc {alignment
  // CHECK-NEXT: %[[B:.*]] = ttg.local_alloc {alignment
  // CHECK: scf.for
  // CHECK: ttng.tma_store_wait {pendings = 0 : i32}
  // CHECK-NEXT: ttg.local_store %{{.*}}, %[[A]] {offsets = array<i64: 0, 0>}
  // CHECK-NEXT: ttng.tma_store %[[A]]
  // CHECK-NEXT: ttng.tma_store_commit
  // CHECK-NEXT: ttg.local_store %{{.*}}, %[[B]] {offsets = array<i64: 0, 64>}
  // CHECK: ttng.tma_store %[[B]]
  // CHECK-NEXT: ttng.tma_store_commit
  // CHECK-NEXT: ttng.tma_store_wait {pendings = 1 : i32, reads}
  // CHECK-NEXT: ttg.local_store %{{.*}}, %[[A]] {offsets = array<i64: 0, 128>}
  // CHECK: ttng.tma_store %[[A]]
  // CHECK: ttng.tma_store_wait {pendings = 1 : i32, reads}
  // CHECK-NEXT: ttg.local_store %{{.*}}, %[[B]] {offsets = array<i64: 0, 192>}
  // CHECK: ttng.tma_store %[[B]]
  tt.func @parts(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}, %n: i32) {
    %ones = arith.constant dense<1.0> : tensor<1024xf16, #line>
    %x = arith.constant dense<1.0> : tensor<64x256xf16, #mma>
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %ring = ttg.local_alloc : !ttg.memdesc<105x1024xf16, #plain, mutable>
    scf.for %k = %c0 to %n step %c64 : i32 {
      %blocks = tt.splat %k : i32 -> tensor<64xi32, #column>
      %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
      %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
      %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
      %i2 = arith.extsi %i1 : tensor<64x1xi32, #l> to tensor<64x1xi64, #l>
      %j = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #row>
      %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<256xi32, #row> -> tensor<1x256xi32, #l>
      %j2 = tt.broadcast %j1 : tensor<1x256xi32, #l> -> tensor<64x256xi32, #l>
      %pitches = tt.splat %pitch : i64 -> tensor<64x1xi64, #l>
      %rows = arith.muli %i2, %pitches : tensor<64x1xi64, #l>
      %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
      %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi64, #l>
      %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x256x!tt.ptr<f16>, #l>
      %q2 = tt.addptr %q1, %j2 : tensor<64x256x!tt.ptr<f16>, #l>, tensor<64x256xi32, #l>
      %ends = tt.splat %n : i32 -> tensor<64x1xi32, #l>
      %in = arith.cmpi slt, %i1, %ends : tensor<64x1xi32, #l>
      %mask = tt.broadcast %in : tensor<64x1xi1, #l> -> tensor<64x256xi1, #l>
      %m = ttg.local_alloc init(%x : tensor<64x256xf16, #mma>) : !ttg.memdesc<64x256xf16, #s>
      %y = ttg.local_load %m : !ttg.memdesc<64x256xf16, #s> -> tensor<64x256xf16, #l>
      // expected-remark @+1 {{TMA stores this tile in 4 parts, from 16384 bytes of shared memory}}
      tt.store %q2, %y, %mask : tensor<64x256x!tt.ptr<f16>, #l>
      %slot = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<105x1024xf16, #plain, mutable> -> !ttg.memdesc<1024xf16, #plain, mutable>
      ttg.local_store %ones, %slot : tensor<1024xf16, #line>, !ttg.memdesc<1024xf16, #plain, mutable>
    }
    tt.return
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#s = #ttg.shared_linear<{offsets = [64, 128, 256, 512, 1024, 2048, 1, 2, 4, 8, 16, 32], shape = [64, 64]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // A second store that may meet the first waits for it.
  // CHECK-LABEL: @twice
  // CHECK: ttng.tma_store_commit
  // CHECK: ttng.tma_store_wait {pendings = 0 : i32}
  // CHECK-NEXT: ttg.local_store
  // CHECK-NEXT: ttng.tma_store
  tt.func @twice(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}, %n: i32) {
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
    %c64 = arith.constant 64 : i32
    %pid = tt.get_program_id 0 : i32
    %block = arith.muli %pid, %c64 overflow<nsw> : i32
    %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
    %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %i2 = arith.extsi %i1 : tensor<64x1xi32, #l> to tensor<64x1xi64, #l>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %pitches = tt.splat %pitch : i64 -> tensor<64x1xi64, #l>
    %rows = arith.muli %i2, %pitches : tensor<64x1xi64, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi64, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %ends = tt.splat %n : i32 -> tensor<64x1xi32, #l>
    %in = arith.cmpi slt, %i1, %ends : tensor<64x1xi32, #l>
    %mask = tt.broadcast %in : tensor<64x1xi1, #l> -> tensor<64x64xi1, #l>
    %m = ttg.local_alloc init(%x : tensor<64x64xf16, #mma>) : !ttg.memdesc<64x64xf16, #s>
    %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf16, #l>
    // expected-remark @+1 {{TMA stores this tile, from 8192 bytes of shared memory}}
    tt.store %q2, %y, %mask : tensor<64x64x!tt.ptr<f16>, #l>
    %m2 = ttg.local_alloc init(%x : tensor<64x64xf16, #mma>) : !ttg.memdesc<64x64xf16, #s>
    %y2 = ttg.local_load %m2 : !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf16, #l>
    // expected-remark @+1 {{TMA stores this tile, from 8192 bytes of shared memory}}
    tt.store %q2, %y2, %mask : tensor<64x64x!tt.ptr<f16>, #l>
    tt.return
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#s = #ttg.shared_linear<{offsets = [64, 128, 256, 512, 1024, 2048, 1, 2, 4, 8, 16, 32], shape = [64, 64]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: @pitch_may_be_odd
  // CHECK-NOT: ttng.tma_store
  // CHECK: tt.store
  // CHECK-NOT: ttng.tma_store
  tt.func @pitch_may_be_odd(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64, %n: i32) {
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
    %c64 = arith.constant 64 : i32
    %pid = tt.get_program_id 0 : i32
    %block = arith.muli %pid, %c64 overflow<nsw> : i32
    %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
    %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %i2 = arith.extsi %i1 : tensor<64x1xi32, #l> to tensor<64x1xi64, #l>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %pitches = tt.splat %pitch : i64 -> tensor<64x1xi64, #l>
    %rows = arith.muli %i2, %pitches : tensor<64x1xi64, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi64, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %ends = tt.splat %n : i32 -> tensor<64x1xi32, #l>
    %in = arith.cmpi slt, %i1, %ends : tensor<64x1xi32, #l>
    %mask = tt.broadcast %in : tensor<64x1xi1, #l> -> tensor<64x64xi1, #l>
    %m = ttg.local_alloc init(%x : tensor<64x64xf16, #mma>) : !ttg.memdesc<64x64xf16, #s>
    %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf16, #l>
    // expected-remark @+1 {{threads store this tile, not TMA: the array and its rows are not known to begin at multiples of 16 bytes}}
    tt.store %q2, %y, %mask : tensor<64x64x!tt.ptr<f16>, #l>
    tt.return
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#s = #ttg.shared_linear<{offsets = [64, 128, 256, 512, 1024, 2048, 1, 2, 4, 8, 16, 32], shape = [64, 64]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: @is_read_too
  // CHECK-NOT: ttng.tma_store
  // CHECK: tt.store
  // CHECK-NOT: ttng.tma_store
  tt.func @is_read_too(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}, %n: i32) {
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
    %c64 = arith.constant 64 : i32
    %pid = tt.get_program_id 0 : i32
    %block = arith.muli %pid, %c64 overflow<nsw> : i32
    %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
    %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %i2 = arith.extsi %i1 : tensor<64x1xi32, #l> to tensor<64x1xi64, #l>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %pitches = tt.splat %pitch : i64 -> tensor<64x1xi64, #l>
    %rows = arith.muli %i2, %pitches : tensor<64x1xi64, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi64, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %ends = tt.splat %n : i32 -> tensor<64x1xi32, #l>
    %in = arith.cmpi slt, %i1, %ends : tensor<64x1xi32, #l>
    %mask = tt.broadcast %in : tensor<64x1xi1, #l> -> tensor<64x64xi1, #l>
    %old = tt.load %q2 : tensor<64x64x!tt.ptr<f16>, #l>
    %m = ttg.local_alloc init(%x : tensor<64x64xf16, #mma>) : !ttg.memdesc<64x64xf16, #s>
    %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf16, #l>
    // expected-remark @+1 {{threads store this tile, not TMA: the kernel may access in another way what it writes}}
    tt.store %q2, %y, %mask : tensor<64x64x!tt.ptr<f16>, #l>
    tt.return
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#s = #ttg.shared_linear<{offsets = [64, 128, 256, 512, 1024, 2048, 1, 2, 4, 8, 16, 32], shape = [64, 64]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: @flag
  // CHECK-NOT: ttng.tma_store
  // CHECK: tt.store
  // CHECK-NOT: ttng.tma_store
  tt.func @flag(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}, %n: i32, %flag: !tt.ptr<i32>) {
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
    %c64 = arith.constant 64 : i32
    %pid = tt.get_program_id 0 : i32
    %block = arith.muli %pid, %c64 overflow<nsw> : i32
    %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
    %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %i2 = arith.extsi %i1 : tensor<64x1xi32, #l> to tensor<64x1xi64, #l>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %pitches = tt.splat %pitch : i64 -> tensor<64x1xi64, #l>
    %rows = arith.muli %i2, %pitches : tensor<64x1xi64, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi64, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %ends = tt.splat %n : i32 -> tensor<64x1xi32, #l>
    %in = arith.cmpi slt, %i1, %ends : tensor<64x1xi32, #l>
    %mask = tt.broadcast %in : tensor<64x1xi1, #l> -> tensor<64x64xi1, #l>
    %m = ttg.local_alloc init(%x : tensor<64x64xf16, #mma>) : !ttg.memdesc<64x64xf16, #s>
    %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf16, #l>
    // expected-remark @+1 {{threads store this tile, not TMA: an atomic or volatile access of the kernel may tell others that it is over}}
    tt.store %q2, %y, %mask : tensor<64x64x!tt.ptr<f16>, #l>
    %true = arith.constant true
    %r = tt.atomic_rmw add, release, gpu, %flag, %c64, %true : (!tt.ptr<i32>, i32, i1) -> i32
    tt.return
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#s = #ttg.shared_linear<{offsets = [64, 128, 256, 512, 1024, 2048, 1, 2, 4, 8, 16, 32], shape = [64, 64]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // It follows from no launch where the tile begins.
  // CHECK-LABEL: @anywhere
  // CHECK-NOT: ttng.tma_store
  // CHECK: tt.store
  // CHECK-NOT: ttng.tma_store
  tt.func @anywhere(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}, %n: i32, %f: !tt.ptr<i32>) {
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
    %at = tt.load %f : !tt.ptr<i32>
    %blocks = tt.splat %at : i32 -> tensor<64xi32, #column>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
    %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %i2 = arith.extsi %i1 : tensor<64x1xi32, #l> to tensor<64x1xi64, #l>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %pitches = tt.splat %pitch : i64 -> tensor<64x1xi64, #l>
    %rows = arith.muli %i2, %pitches : tensor<64x1xi64, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi64, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %ends = tt.splat %n : i32 -> tensor<64x1xi32, #l>
    %in = arith.cmpi slt, %i1, %ends : tensor<64x1xi32, #l>
    %mask = tt.broadcast %in : tensor<64x1xi1, #l> -> tensor<64x64xi1, #l>
    %m = ttg.local_alloc init(%x : tensor<64x64xf16, #mma>) : !ttg.memdesc<64x64xf16, #s>
    %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf16, #l>
    // expected-remark @+1 {{threads store this tile, not TMA: where it begins follows from more than arguments, the grid and indices of loops}}
    tt.store %q2, %y, %mask : tensor<64x64x!tt.ptr<f16>, #l>
    tt.return
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#s = #ttg.shared_linear<{offsets = [64, 128, 256, 512, 1024, 2048, 1, 2, 4, 8, 16, 32], shape = [64, 64]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // A thread of the group that stores waits, before the group is over.
  // CHECK-LABEL: @group
  // CHECK: ttg.warp_groups "others" warps 4 {
  // CHECK-NOT: tma_store_wait
  // CHECK: } "stores" warps 4 {
  // CHECK: scf.for
  // CHECK: ttng.tma_store %
  // CHECK-NEXT: ttng.tma_store_commit
  // CHECK-NEXT: }
  // CHECK-NEXT: ttng.tma_store_wait {pendings = 0 : i32, reads}
  // CHECK-NEXT: }
  // Right in the group, it would be waited for: threads store.
  // CHECK-LABEL: @group_ends
  // CHECK-NOT: ttng.tma_store
  tt.func @group(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}, %n: i32) {
    ttg.warp_groups "others" warps 4 {
      ttg.barrier
    } "stores" warps 4 {
      %x = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
      %c64 = arith.constant 64 : i32
      %pid = tt.get_program_id 0 : i32
      %c4 = arith.constant 4 : i32
      scf.for %t = %pid to %n step %c4 : i32 {
      %block = arith.muli %t, %c64 overflow<nsw> : i32
      %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
      %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
      %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
      %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
      %i2 = arith.extsi %i1 : tensor<64x1xi32, #l> to tensor<64x1xi64, #l>
      %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
      %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
      %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
      %pitches = tt.splat %pitch : i64 -> tensor<64x1xi64, #l>
      %rows = arith.muli %i2, %pitches : tensor<64x1xi64, #l>
      %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
      %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi64, #l>
      %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
      %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %ends = tt.splat %n : i32 -> tensor<64x1xi32, #l>
      %in = arith.cmpi slt, %i1, %ends : tensor<64x1xi32, #l>
      %mask = tt.broadcast %in : tensor<64x1xi1, #l> -> tensor<64x64xi1, #l>
      %m = ttg.local_alloc init(%x : tensor<64x64xf16, #mma>) : !ttg.memdesc<64x64xf16, #s>
      %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf16, #l>
      // expected-remark @+1 {{TMA stores this tile, from 8192 bytes of shared memory}}
      tt.store %q2, %y, %mask : tensor<64x64x!tt.ptr<f16>, #l>
      }
    }
    tt.return
  }
  tt.func @group_ends(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}, %n: i32) {
    ttg.warp_groups "others" warps 4 {
      ttg.barrier
    } "stores" warps 4 {
      %x = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
      %c64 = arith.constant 64 : i32
      %pid = tt.get_program_id 0 : i32
      %block = arith.muli %pid, %c64 overflow<nsw> : i32
      %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
      %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
      %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
      %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
      %i2 = arith.extsi %i1 : tensor<64x1xi32, #l> to tensor<64x1xi64, #l>
      %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
      %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
      %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
      %pitches = tt.splat %pitch : i64 -> tensor<64x1xi64, #l>
      %rows = arith.muli %i2, %pitches : tensor<64x1xi64, #l>
      %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
      %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi64, #l>
      %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
      %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %ends = tt.splat %n : i32 -> tensor<64x1xi32, #l>
      %in = arith.cmpi slt, %i1, %ends : tensor<64x1xi32, #l>
      %mask = tt.broadcast %in : tensor<64x1xi1, #l> -> tensor<64x64xi1, #l>
      %m = ttg.local_alloc init(%x : tensor<64x64xf16, #mma>) : !ttg.memdesc<64x64xf16, #s>
      %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf16, #l>
      // expected-remark @+1 {{threads store this tile, not TMA: its group of warps ends behind it, and would wait for it}}
      tt.store %q2, %y, %mask : tensor<64x64x!tt.ptr<f16>, #l>
    }
    tt.return
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#s = #ttg.shared_linear<{offsets = [64, 128, 256, 512, 1024, 2048, 1, 2, 4, 8, 16, 32], shape = [64, 64]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: @groups
  // CHECK-NOT: ttng.tma_store
  // CHECK: tt.store
  // CHECK-NOT: ttng.tma_store
  tt.func @groups(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}, %n: i32) {
    ttg.warp_groups "first" warps 4 {
      %x = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
      %c64 = arith.constant 64 : i32
      %pid = tt.get_program_id 0 : i32
      %c4 = arith.constant 4 : i32
      scf.for %t = %pid to %n step %c4 : i32 {
      %block = arith.muli %t, %c64 overflow<nsw> : i32
      %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
      %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
      %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
      %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
      %i2 = arith.extsi %i1 : tensor<64x1xi32, #l> to tensor<64x1xi64, #l>
      %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
      %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
      %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
      %pitches = tt.splat %pitch : i64 -> tensor<64x1xi64, #l>
      %rows = arith.muli %i2, %pitches : tensor<64x1xi64, #l>
      %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
      %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi64, #l>
      %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
      %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %ends = tt.splat %n : i32 -> tensor<64x1xi32, #l>
      %in = arith.cmpi slt, %i1, %ends : tensor<64x1xi32, #l>
      %mask = tt.broadcast %in : tensor<64x1xi1, #l> -> tensor<64x64xi1, #l>
      %m = ttg.local_alloc init(%x : tensor<64x64xf16, #mma>) : !ttg.memdesc<64x64xf16, #s>
      %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf16, #l>
      // expected-remark @+1 {{threads store this tile, not TMA: other groups of warps store to the same array}}
      tt.store %q2, %y, %mask : tensor<64x64x!tt.ptr<f16>, #l>
      }
    } "second" warps 4 {
      %x = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
      %c64 = arith.constant 64 : i32
      %pid = tt.get_program_id 0 : i32
      %c4 = arith.constant 4 : i32
      scf.for %t = %pid to %n step %c4 : i32 {
      %block = arith.muli %t, %c64 overflow<nsw> : i32
      %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
      %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
      %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
      %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
      %i2 = arith.extsi %i1 : tensor<64x1xi32, #l> to tensor<64x1xi64, #l>
      %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
      %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
      %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
      %pitches = tt.splat %pitch : i64 -> tensor<64x1xi64, #l>
      %rows = arith.muli %i2, %pitches : tensor<64x1xi64, #l>
      %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
      %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi64, #l>
      %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
      %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
      %ends = tt.splat %n : i32 -> tensor<64x1xi32, #l>
      %in = arith.cmpi slt, %i1, %ends : tensor<64x1xi32, #l>
      %mask = tt.broadcast %in : tensor<64x1xi1, #l> -> tensor<64x64xi1, #l>
      %m = ttg.local_alloc init(%x : tensor<64x64xf16, #mma>) : !ttg.memdesc<64x64xf16, #s>
      %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf16, #l>
      // expected-remark @+1 {{threads store this tile, not TMA: the kernel may access in another way what it writes}}
      tt.store %q2, %y, %mask : tensor<64x64x!tt.ptr<f16>, #l>
      }
    }
    tt.return
  }
}
