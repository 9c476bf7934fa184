// RUN: tritium-opt %s -split-input-file -ttg-persist-programs | FileCheck %s
// RUN: tritium-opt %s -split-input-file -ttg-persist-programs=always | FileCheck %s --check-prefix=ALWAYS

// Copies by TMA follow from the program's id, in each of three dimensions; scalars that are the
// same for all programs stay in front. Buffers take more than half of shared memory.
// CHECK: #ttg.shared
// CHECK-LABEL: tt.func @product
// CHECK-SAME: tt.conditions = [array<i64: 8192, 1>, array<i64: 8195, 0, 8195, 1, 8198, 0, 8195, 2, 8198, 0>]
// CHECK-SAME: ttg.persistent
// CHECK: %[[X:.*]] = tt.get_num_programs 0 : i32
// CHECK: %[[Y:.*]] = tt.get_num_programs 1 : i32
// CHECK: %[[XY:.*]] = arith.muli %[[X]], %[[Y]]
// CHECK: %[[Z:.*]] = tt.get_num_programs 2 : i32
// CHECK: %[[ALL:.*]] = arith.muli %[[XY]], %[[Z]]
// CHECK: %[[FIRST:.*]] = ttg.cta_id : i32
// CHECK: %[[STEP:.*]] = ttg.num_ctas : i32
// CHECK: %[[N64:.*]] = arith.extsi
// CHECK: scf.for %[[P:.*]] = %[[FIRST]] to %[[ALL]] step %[[STEP]]
// CHECK-DAG: %[[ID:.*]] = ttg.program_id %[[P]] along 0 : i32
// CHECK-DAG: %[[ID2:.*]] = ttg.program_id %[[P]] along 2 : i32
// CHECK-NOT: tt.get_program_id
// CHECK: arith.muli %[[ID]]
// CHECK: arith.addi %{{.*}}, %[[ID2]]
// CHECK: scf.for
// CHECK: ttng.load_box
// CHECK: } {ttg.across, ttg.stages = 8 : i32}
// CHECK: tt.store
// CHECK: } {ttg.programs}
// CHECK-NEXT: tt.return

// ALWAYS-LABEL: tt.func @product
// ALWAYS-SAME: tt.conditions = [array<i64: 8192, 1>], ttg.persistent
// ALWAYS: } {ttg.across, ttg.stages = 8 : i32}
// ALWAYS: } {ttg.programs}
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
tt.func @product(%p: !tt.ptr<f16>, %c: !tt.ptr<f32>, %n: i32) attributes {tt.conditions = [array<i64: 8192, 1>]} {
  %sum = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %one = arith.constant 1 : i64
  %n64 = arith.extsi %n : i32 to i64
  %x = tt.get_program_id 0 : i32
  %z = tt.get_program_id 2 : i32
  %rows = arith.muli %x, %c128 : i32
  %row = arith.addi %rows, %z : i32
  %r = scf.for %k = %c0 to %n step %c128 iter_args(%acc = %sum) -> (tensor<128x128xf32, #mma>) : i32 {
    %x0 = ttng.load_box %p[%row, %k] shape[%n64, %n64] strides[%n64, %one] {ttg.async_copy = #s, ttg.schedule = #ttg.schedule<stage = 0, order = 3>} : <f16> -> tensor<128x64xf16, #l>
    %xa = ttg.convert_layout %x0 {ttg.schedule = #ttg.schedule<stage = 7, order = 2>} : tensor<128x64xf16, #l> -> tensor<128x64xf16, #a>
    %t = arith.constant {ttg.schedule = #ttg.schedule<stage = 7, order = 2>} dense<1.0> : tensor<64x128xf16, #b>
    %d = tt.dot %xa, %t, %acc {ttg.schedule = #ttg.schedule<stage = 7, order = 2>} : tensor<128x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  } {ttg.stages = 8 : i32}
  %q = tt.splat %c : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>, #mma>
  tt.store %q, %r : tensor<128x128x!tt.ptr<f32>, #mma>
  tt.return
}

// Half of the buffers leave room for two programs.
// CHECK-LABEL: tt.func @two_fit
// CHECK-NOT: ttg.programs
// ALWAYS-LABEL: tt.func @two_fit
// ALWAYS: ttg.across
// ALWAYS: } {ttg.programs}
tt.func @two_fit(%p: !tt.ptr<f16>, %c: !tt.ptr<f32>, %n: i32) {
  %sum = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %n64 = arith.extsi %n : i32 to i64
  %c64 = arith.constant 64 : i32
  %r = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %sum) -> (tensor<128x128xf32, #mma>) : i32 {
    %x0 = ttng.load_box %p[%c0, %k] shape[%n64, %n64] strides[%n64, %one] {ttg.async_copy = #s, ttg.schedule = #ttg.schedule<stage = 0, order = 3>} : <f16> -> tensor<128x64xf16, #l>
    %xa = ttg.convert_layout %x0 {ttg.schedule = #ttg.schedule<stage = 6, order = 2>} : tensor<128x64xf16, #l> -> tensor<128x64xf16, #a>
    %t = arith.constant {ttg.schedule = #ttg.schedule<stage = 6, order = 2>} dense<1.0> : tensor<64x128xf16, #b>
    %d = tt.dot %xa, %t, %acc {ttg.schedule = #ttg.schedule<stage = 6, order = 2>} : tensor<128x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  } {ttg.stages = 7 : i32}
  %q = tt.splat %c : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>, #mma>
  tt.store %q, %r : tensor<128x128x!tt.ptr<f32>, #mma>
  tt.return
}

// A sum that takes more than half of the registers leaves none.
// CHECK-LABEL: tt.func @large_sum
// CHECK: } {ttg.programs}
// ALWAYS-LABEL: tt.func @large_sum
// ALWAYS: ttg.across
// ALWAYS: } {ttg.programs}
tt.func @large_sum(%p: !tt.ptr<f16>, %c: !tt.ptr<f32>, %n: i32) {
  %sum = arith.constant dense<0.0> : tensor<128x256xf32, #mma>
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %n64 = arith.extsi %n : i32 to i64
  %c64 = arith.constant 64 : i32
  %r = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %sum) -> (tensor<128x256xf32, #mma>) : i32 {
    %x0 = ttng.load_box %p[%c0, %k] shape[%n64, %n64] strides[%n64, %one] {ttg.async_copy = #s, ttg.schedule = #ttg.schedule<stage = 0, order = 3>} : <f16> -> tensor<128x64xf16, #l>
    %xa = ttg.convert_layout %x0 {ttg.schedule = #ttg.schedule<stage = 1, order = 2>} : tensor<128x64xf16, #l> -> tensor<128x64xf16, #a>
    %t = arith.constant {ttg.schedule = #ttg.schedule<stage = 1, order = 2>} dense<1.0> : tensor<64x256xf16, #b>
    %d = tt.dot %xa, %t, %acc {ttg.schedule = #ttg.schedule<stage = 1, order = 2>} : tensor<128x64xf16, #a> * tensor<64x256xf16, #b> -> tensor<128x256xf32, #mma>
    scf.yield %d : tensor<128x256xf32, #mma>
  } {ttg.stages = 2 : i32}
  %q = tt.splat %c : !tt.ptr<f32> -> tensor<128x256x!tt.ptr<f32>, #mma>
  tt.store %q, %r : tensor<128x256x!tt.ptr<f32>, #mma>
  tt.return
}

// Where the program begins to load hangs on what it has loaded: the next one's copies wait.
// CHECK-LABEL: tt.func @indirect
// CHECK-NOT: ttg.programs
// ALWAYS-LABEL: tt.func @indirect
// ALWAYS-NOT: ttg.across
// ALWAYS: } {ttg.programs}
tt.func @indirect(%p: !tt.ptr<f16>, %c: !tt.ptr<f32>, %n: i32, %at: !tt.ptr<i32>) {
  %sum = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %n64 = arith.extsi %n : i32 to i64
  %c64 = arith.constant 64 : i32
  %row = tt.load %at : !tt.ptr<i32>
  %r = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %sum) -> (tensor<128x128xf32, #mma>) : i32 {
    %x0 = ttng.load_box %p[%row, %k] shape[%n64, %n64] strides[%n64, %one] {ttg.async_copy = #s, ttg.schedule = #ttg.schedule<stage = 0, order = 3>} : <f16> -> tensor<128x64xf16, #l>
    %xa = ttg.convert_layout %x0 {ttg.schedule = #ttg.schedule<stage = 7, order = 2>} : tensor<128x64xf16, #l> -> tensor<128x64xf16, #a>
    %t = arith.constant {ttg.schedule = #ttg.schedule<stage = 7, order = 2>} dense<1.0> : tensor<64x128xf16, #b>
    %d = tt.dot %xa, %t, %acc {ttg.schedule = #ttg.schedule<stage = 7, order = 2>} : tensor<128x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  } {ttg.stages = 8 : i32}
  %q = tt.splat %c : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>, #mma>
  tt.store %q, %r : tensor<128x128x!tt.ptr<f32>, #mma>
  tt.return
}

// A result of an atomic is what other programs did; one that nobody has is nothing.
// ALWAYS-LABEL: tt.func @ticket
// ALWAYS-NOT: ttg.programs
// ALWAYS-LABEL: tt.func @count
// ALWAYS: } {ttg.programs}
tt.func @ticket(%p: !tt.ptr<i32>, %v: i32) {
  %t = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.store %p, %t : !tt.ptr<i32>
  tt.return
}
tt.func @count(%p: !tt.ptr<i32>, %v: i32) {
  %t = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.return
}
}

// -----

// Programs that may have parts: a loop over what a CTA has of them, whole ones and a part of one.
// The rounds are known in front of it; what a program is, and its share, follow from the item's
// number.
// CHECK-LABEL: tt.func @shared_out
// CHECK-SAME: ttg.persistent
// CHECK: %[[PROGRAMS:.*]] = arith.muli
// CHECK: %[[ROUNDS:.*]] = arith.divsi
// CHECK: %[[CTA:.*]] = ttg.cta_id
// CHECK: %[[CTAS:.*]] = ttg.num_ctas
// CHECK: %[[WHOLE:.*]] = arith.divsi %{{.*}}, %[[CTAS]]
// CHECK: %[[BEFORE:.*]] = arith.muli %[[WHOLE]], %[[CTAS]] overflow<nsw>
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[BEFORE]] overflow<nsw>
// CHECK: %[[PARTS:.*]] = arith.minsi %{{.*}}, %c8_i32
// CHECK: scf.for %[[I:.*]] = %c0_i32{{.*}} to %[[ITEMS:.*]] step %c1_i32
// CHECK:   %[[IS_WHOLE:.*]] = arith.cmpi slt, %[[I]], %[[WHOLE]]
// CHECK:   %[[PROGRAM:.*]] = arith.select %[[IS_WHOLE]]
// CHECK-NEXT: ttg.program_id %[[PROGRAM]] along 0
// CHECK-NOT: tt.program_share
// CHECK:   %[[FROM:.*]] = arith.select %[[IS_WHOLE]], %c0_i32
// CHECK:   %[[TO:.*]] = arith.select %[[IS_WHOLE]], %[[ROUNDS]]
// CHECK:   arith.select %[[IS_WHOLE]], %c1_i32{{.*}}, %[[PARTS]]
// CHECK:   scf.for %{{.*}} = %[[FROM]] to %[[TO]]
// CHECK: } {ttg.programs}
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
tt.func @shared_out(%x: !tt.ptr<f32>, %n: i32, %sums: !tt.ptr<i8>, %arrivals: !tt.ptr<i32>) attributes {tt.stream_k, tt.partial_bytes = 128 : i64} {
  %c32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %id = tt.get_program_id 0 : i32
  %p = tt.addptr %x, %id : !tt.ptr<f32>, i32
  %rounds = arith.divsi %n, %c32 : i32
  %from, %to, %place, %first, %parts = tt.program_share %rounds
  %sum = scf.for %i = %from to %to step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    %v = tt.load %q : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  %is = arith.cmpi eq, %parts, %c1 : i32
  %mine = scf.if %is -> (i1) {
    %true = arith.constant true
    scf.yield %true : i1
  } else {
    %before = tt.atomic_rmw add, acq_rel, gpu, %arrivals, %c1 {tt.partial_sum} : (!tt.ptr<i32>, i32) -> i32
    %last = arith.cmpi eq, %before, %c1 : i32
    scf.yield %last : i1
  }
  scf.if %mine {
    tt.store %p, %sum : !tt.ptr<f32>
  }
  tt.return
}

// What else looks at others keeps programs whole, as do rounds that differ: the reason is for who
// compiles the kernel without.
// CHECK-LABEL: tt.func @of_others
// CHECK-SAME: tt.stream_k = "it may depend on other programs, or on which CTA it is: 'tt.atomic_rmw'"
// CHECK: tt.program_share
tt.func @of_others(%x: !tt.ptr<i32>, %n: i32, %sums: !tt.ptr<i8>, %arrivals: !tt.ptr<i32>) attributes {tt.stream_k, tt.partial_bytes = 128 : i64} {
  %c1 = arith.constant 1 : i32
  %from, %to, %place, %first, %parts = tt.program_share %n
  %before = tt.atomic_rmw add, acq_rel, gpu, %arrivals, %c1 : (!tt.ptr<i32>, i32) -> i32
  %sum = arith.addi %before, %from : i32
  tt.store %x, %sum : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: tt.func @of_id
// CHECK-SAME: tt.stream_k = "its loop may be longer in some programs than in others"
tt.func @of_id(%x: !tt.ptr<i32>, %n: i32, %sums: !tt.ptr<i8>, %arrivals: !tt.ptr<i32>) attributes {tt.stream_k, tt.partial_bytes = 128 : i64} {
  %id = tt.get_program_id 0 : i32
  %from, %to, %place, %first, %parts = tt.program_share %id
  tt.store %x, %to : !tt.ptr<i32>
  tt.return
}
}
