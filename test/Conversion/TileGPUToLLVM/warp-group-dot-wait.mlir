// RUN: tritium-opt %s -split-input-file -tritium-ttgir-threads -convert-ttg-to-llvm | FileCheck %s

// In front of a wait small tiles that no dot makes are stored by no lane, so that the assembler
// computes them before it; tiles of many registers, and the dot's own, only go through it.
// CHECK-LABEL: llvm.func @wait
// CHECK: llvm.inline_asm {{.*}} "wgmma.commit_group.sync.aligned;"
// CHECK: llvm.inline_asm {{.*}} "{ .reg .pred p; .reg .b32 lane; mov.u32 lane, %laneid; setp.gt.u32 p, lane, 31; @p st.shared.b32 [lane+0], $64; @p st.shared.b32 [lane+4], $65; } wgmma.wait_group.sync.aligned 0;"
// CHECK-NOT: %laneid; setp.gt
// CHECK: llvm.return
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#row = #ttg.slice<{dim = 1, parent = #mma}>
#s = #ttg.shared_linear<{offsets = [72, 144, 288, 512, 1024, 2048, 1, 2, 4, 8, 16, 32], shape = [64, 64]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  tt.func @wait(%p: !tt.ptr<f32>, %x: f32, %h: f16) {
    %a = tt.splat %h : f16 -> tensor<64x64xf16, #l>
    %c = tt.splat %x : f32 -> tensor<64x64xf32, #mma>
    %m = ttg.local_alloc init(%a : tensor<64x64xf16, #l>) {alignment = 1024 : i32} : !ttg.memdesc<64x64xf16, #s>
    %d = ttng.warp_group_dot %m, %m, %c : !ttg.memdesc<64x64xf16, #s> * !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf32, #mma>
    %e = math.exp2 %c : tensor<64x64xf32, #mma>
    %r = "tt.reduce"(%e) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %z = arith.addf %u, %v : f32
      tt.reduce.return %z : f32
    }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #row>
    %w:3 = ttng.warp_group_dot_wait %d, %e, %r : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64xf32, #row> {pendings = 0 : i32}
    %column = tt.expand_dims %w#2 {axis = 1 : i32} : tensor<64xf32, #row> -> tensor<64x1xf32, #mma>
    %f = tt.broadcast %column : tensor<64x1xf32, #mma> -> tensor<64x64xf32, #mma>
    %s1 = arith.addf %w#0, %w#1 : tensor<64x64xf32, #mma>
    %s2 = arith.addf %s1, %f : tensor<64x64xf32, #mma>
    %q = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    tt.store %q, %s2 : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }
}

// -----

// Of 16 warps words stand behind one branch.
// CHECK-LABEL: llvm.func @groups
// CHECK: "{ .reg .pred p; .reg .b32 lane; mov.u32 lane, %laneid; setp.gt.u32 p, lane, 31; @!p bra READ; st.shared.b32 [lane+0], $32; st.shared.b32 [lane+4], $33; st.shared.b32 [lane+8], $34; st.shared.b32 [lane+12], $35; READ: } wgmma.wait_group.sync.aligned 0;"
#mma = #ttg.mma<{version = 3, warpsPerCTA = [16, 1]}>
#row = #ttg.slice<{dim = 1, parent = #mma}>
#a = #ttg.shared_linear<{offsets = [72, 144, 288, 512, 1024, 2048, 4096, 8192, 1, 2, 4, 8, 16, 32], shape = [256, 64]}>
#s = #ttg.shared_linear<{offsets = [72, 144, 288, 512, 1024, 2048, 1, 2, 4, 8, 16, 32], shape = [64, 64]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [16, 1], order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 16 : i32} {
  tt.func @groups(%p: !tt.ptr<f32>, %x: f32, %h: f16) {
    %a = tt.splat %h : f16 -> tensor<256x64xf16, #l>
    %b = tt.splat %h : f16 -> tensor<64x64xf16, #l>
    %c = tt.splat %x : f32 -> tensor<256x64xf32, #mma>
    %m = ttg.local_alloc init(%a : tensor<256x64xf16, #l>) {alignment = 1024 : i32} : !ttg.memdesc<256x64xf16, #a>
    %n = ttg.local_alloc init(%b : tensor<64x64xf16, #l>) {alignment = 1024 : i32} : !ttg.memdesc<64x64xf16, #s>
    %d = ttng.warp_group_dot %m, %n, %c : !ttg.memdesc<256x64xf16, #a> * !ttg.memdesc<64x64xf16, #s> -> tensor<256x64xf32, #mma>
    %r:2 = "tt.reduce"(%c, %c) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %u2: f32, %v: f32, %v2: f32):
      %z = arith.addf %u, %v : f32
      %z2 = arith.mulf %u2, %v2 : f32
      tt.reduce.return %z, %z2 : f32, f32
    }) : (tensor<256x64xf32, #mma>, tensor<256x64xf32, #mma>) -> (tensor<256xf32, #row>, tensor<256xf32, #row>)
    %w:3 = ttng.warp_group_dot_wait %d, %r#0, %r#1 : tensor<256x64xf32, #mma>, tensor<256xf32, #row>, tensor<256xf32, #row> {pendings = 0 : i32}
    %sum = arith.addf %w#1, %w#2 : tensor<256xf32, #row>
    %column = tt.expand_dims %sum {axis = 1 : i32} : tensor<256xf32, #row> -> tensor<256x1xf32, #mma>
    %f = tt.broadcast %column : tensor<256x1xf32, #mma> -> tensor<256x64xf32, #mma>
    %s2 = arith.addf %w#0, %f : tensor<256x64xf32, #mma>
    %q = tt.splat %p : !tt.ptr<f32> -> tensor<256x64x!tt.ptr<f32>, #mma>
    tt.store %q, %s2 : tensor<256x64x!tt.ptr<f32>, #mma>
    tt.return
  }
}
