// RUN: tritium-opt %s -split-input-file -convert-ttg-to-llvm -verify-diagnostics -o /dev/null

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 89>, "ttg.num-warps" = 4 : i32} {
tt.func @old() {
  %bar = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<1xi64, #one, mutable>
  // expected-error @+1 {{'ttng.mbarrier_init' begins with compute capability 9.0, and the module is for 8.9; go on from tile IR (.ttir)}}
  ttng.mbarrier_init %bar, 1 : !ttg.memdesc<1xi64, #one, mutable>
  tt.return
}
}

// -----

module attributes {ttg.target = #ttg.target<compute = 80>, "ttg.num-warps" = 4 : i32} {
tt.func @old_cluster() {
  // expected-error @+1 {{'ttng.cluster_arrive' begins with compute capability 9.0}}
  ttng.cluster_arrive
  ttng.cluster_wait
  tt.return
}
}

// -----

module attributes {ttg.target = #ttg.target<compute = 80>, "ttg.num-warps" = 4 : i32} {
tt.func @old_wait() {
  // expected-error @+1 {{'ttng.tma_store_wait' begins with compute capability 9.0}}
  ttng.tma_store_wait {pendings = 0 : i32}
  tt.return
}
}

// -----

#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 80>, "ttg.num-warps" = 4 : i32} {
tt.func @old_store(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  %one = arith.constant 1 : i64
  %x = ttg.local_alloc {offset = 0 : i32, alignment = 1024 : i32} : !ttg.memdesc<64x64xf16, #s, mutable>
  // expected-error @+1 {{'ttng.tma_store' begins with compute capability 9.0}}
  ttng.tma_store %x, %p[%i, %i] shape [%n, %n] strides [%n, %one] : !ttg.memdesc<64x64xf16, #s, mutable>, !tt.ptr<f16>
  tt.return
}
}

// -----

// The swizzle counts from address 0.
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
tt.func @place(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  %one = arith.constant 1 : i64
  // expected-note @+1 {{allocated here}}
  %x = ttg.local_alloc {offset = 1024 : i32, alignment = 512 : i32} : !ttg.memdesc<64x64xf16, #s, mutable>
  // expected-error @+1 {{needs memory at multiples of 1024 bytes; give its allocation {alignment = 1024 : i32}, and buffers that are multiples of it}}
  ttng.tma_store %x, %p[%i, %i] shape [%n, %n] strides [%n, %one] : !ttg.memdesc<64x64xf16, #s, mutable>, !tt.ptr<f16>
  tt.return
}
}

// -----

#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
tt.func @buffers(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  %one = arith.constant 1 : i64
  // expected-note @+1 {{allocated here}}
  %x = ttg.local_alloc {offset = 0 : i32, alignment = 1024 : i32} : !ttg.memdesc<2x4x64xf16, #s, mutable>
  %y = ttg.memdesc_index %x[%i] : !ttg.memdesc<2x4x64xf16, #s, mutable> -> !ttg.memdesc<4x64xf16, #s, mutable>
  // expected-error @+1 {{needs memory at multiples of 1024 bytes}}
  ttng.tma_store %y, %p[%i, %i] shape [%n, %n] strides [%n, %one] : !ttg.memdesc<4x64xf16, #s, mutable>, !tt.ptr<f16>
  tt.return
}
}

// -----

#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
tt.func @loaded_base(%p: !tt.ptr<!tt.ptr<f16>>, %n: i64, %i: i32) {
  %one = arith.constant 1 : i64
  // expected-note @+1 {{it is made by 'tt.load'}}
  %q = tt.load %p : !tt.ptr<!tt.ptr<f16>>
  %x = ttg.local_alloc {offset = 0 : i32, alignment = 1024 : i32} : !ttg.memdesc<64x64xf16, #s, mutable>
  // expected-error @+1 {{the base of 'ttng.tma_store' must be known when the kernel is launched: an argument, a constant, or arithmetic of them}}
  ttng.tma_store %x, %q[%i, %i] shape [%n, %n] strides [%n, %one] : !ttg.memdesc<64x64xf16, #s, mutable>, !tt.ptr<f16>
  tt.return
}
}

// -----

#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
tt.func @base_of_program(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  %one = arith.constant 1 : i64
  // expected-note @+1 {{it is made by 'tt.get_program_id'}}
  %id = tt.get_program_id 0 : i32
  %q = tt.addptr %p, %id : !tt.ptr<f16>, i32
  %x = ttg.local_alloc {offset = 0 : i32, alignment = 1024 : i32} : !ttg.memdesc<64x64xf16, #s, mutable>
  // expected-error @+1 {{the base of 'ttng.tma_store' must be known}}
  ttng.tma_store %x, %q[%i, %i] shape [%n, %n] strides [%n, %one] : !ttg.memdesc<64x64xf16, #s, mutable>, !tt.ptr<f16>
  tt.return
}
}

// -----

#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
tt.func @loaded_shape(%p: !tt.ptr<f16>, %ns: !tt.ptr<i64>, %s: i64, %i: i32) {
  %one = arith.constant 1 : i64
  // expected-note @+1 {{it is made by 'tt.load'}}
  %n = tt.load %ns : !tt.ptr<i64>
  %x = ttg.local_alloc {offset = 0 : i32, alignment = 1024 : i32} : !ttg.memdesc<64x64xf16, #s, mutable>
  // expected-error @+1 {{the shape of 'ttng.tma_store' must be known}}
  ttng.tma_store %x, %p[%i, %i] shape [%n, %s] strides [%s, %one] : !ttg.memdesc<64x64xf16, #s, mutable>, !tt.ptr<f16>
  tt.return
}
}

// -----

#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
tt.func @loaded_stride(%p: !tt.ptr<f16>, %ns: !tt.ptr<i64>, %s: i64, %i: i32) {
  %one = arith.constant 1 : i64
  // expected-note @+1 {{it is made by 'tt.load'}}
  %n = tt.load %ns : !tt.ptr<i64>
  %x = ttg.local_alloc {offset = 0 : i32, alignment = 1024 : i32} : !ttg.memdesc<64x64xf16, #s, mutable>
  // expected-error @+1 {{a stride of 'ttng.tma_store' must be known}}
  ttng.tma_store %x, %p[%i, %i] shape [%s, %s] strides [%n, %one] : !ttg.memdesc<64x64xf16, #s, mutable>, !tt.ptr<f16>
  tt.return
}
}

// -----

// Bytes must be neighbours along k; those of the right operand are neighbours across it.
#s = #ttg.shared<{vec = 16, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
tt.func @across() {
  %c = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %x = ttg.local_alloc {offset = 0 : i32, alignment = 1024 : i32} : !ttg.memdesc<64x64xi8, #s, mutable>
  // expected-error @+1 {{dot of warp groups}}
  %d = ttng.warp_group_dot %x, %x, %c : !ttg.memdesc<64x64xi8, #s, mutable> * !ttg.memdesc<64x64xi8, #s, mutable> -> tensor<64x64xi32, #mma>
  tt.return
}
}

// -----

module attributes {ttg.target = #ttg.target<compute = 80>, "ttg.num-warps" = 4 : i32} {
tt.func @old_prefetch(%p: !tt.ptr<f32>, %n: i32) {
  // expected-error @+1 {{'ttng.prefetch_run' begins with compute capability 9.0}}
  ttng.prefetch_run %p, %n : !tt.ptr<f32>
  tt.return
}
}

// -----

#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 75>, "ttg.num-warps" = 4 : i32} {
tt.func @old_round(%p: !tt.ptr<f32>, %f: f32) {
  %all = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #l>
  %x = tt.splat %f : f32 -> tensor<128xf32, #l>
  // expected-error @+1 {{rounding to tf32, which begins with compute capability 8.0}}
  %y = ttng.round_to_tf32 %x : tensor<128xf32, #l>
  // expected-remark @below {{moves 4 bytes a lane}}
  tt.store %all, %y : tensor<128x!tt.ptr<f32>, #l>
  tt.return
}
}
