// RUN: tritium-opt %s -split-input-file -convert-ttg-to-llvm | FileCheck %s

#s = #ttg.shared<{vec = 16, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#t = #ttg.shared<{vec = 16, perPhase = 2, maxPhase = 4, order = [0, 1]}>
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
// A step is 32 bytes along k. Bytes are always along k, so that nothing says which way they lie;
// integers have no signs to choose, either. The second step is 32 bytes further on in both operands.
// The first one adds to nothing where that is zero.
// CHECK-LABEL: llvm.func @types
// CHECK: wgmma.fence
// CHECK: setp.ne.b32 p, 0, 0; {{.*}}wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 {{.*}}, da, db, p; }", "=r,
// CHECK: setp.ne.b32 p, 1, 0; {{.*}}wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8
// CHECK-NOT: wgmma.mma_async
// CHECK: wgmma.commit_group
// CHECK: setp.ne.b32 p, 1, 0; {{.*}}wgmma.mma_async.sync.aligned.m64n64k32.s32.u8.u8
// CHECK: wgmma.commit_group
// CHECK: setp.ne.b32 p, 0, 0; {{.*}}wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e5m2 {{.*}}, da, db, p, 1, 1; }", "=f,
// CHECK: setp.ne.b32 p, 1, 0; {{.*}}wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e5m2
// CHECK: wgmma.commit_group
// CHECK-NOT: wgmma.wait_group
// CHECK: llvm.return
tt.func @types() {
  %c = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %f = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %a = ttg.local_alloc {offset = 0 : i32, alignment = 1024 : i32} : !ttg.memdesc<64x64xi8, #s, mutable>
  %b = ttg.local_alloc {offset = 4096 : i32, alignment = 1024 : i32} : !ttg.memdesc<64x64xi8, #t, mutable>
  %x = ttg.local_alloc {offset = 8192 : i32, alignment = 1024 : i32} : !ttg.memdesc<64x64xf8E4M3FN, #s, mutable>
  %y = ttg.local_alloc {offset = 12288 : i32, alignment = 1024 : i32} : !ttg.memdesc<64x64xf8E5M2, #t, mutable>
  %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xi8, #s, mutable> * !ttg.memdesc<64x64xi8, #t, mutable> -> tensor<64x64xi32, #mma>
  %e = ttng.warp_group_dot %a, %b, %d {isUnsigned} : !ttg.memdesc<64x64xi8, #s, mutable> * !ttg.memdesc<64x64xi8, #t, mutable> -> tensor<64x64xi32, #mma>
  %g = ttng.warp_group_dot %x, %y, %f : !ttg.memdesc<64x64xf8E4M3FN, #s, mutable> * !ttg.memdesc<64x64xf8E5M2, #t, mutable> -> tensor<64x64xf32, #mma>
  tt.return
}
}

// -----

#s = #ttg.shared<{vec = 16, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#t = #ttg.shared<{vec = 16, perPhase = 2, maxPhase = 4, order = [0, 1]}>
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
// Sums of 32 products each begin without an addend, and are added when they are there.
// CHECK-LABEL: llvm.func @bounded
// CHECK: wgmma.fence
// CHECK: setp.ne.b32 p, 0, 0; {{.*}}wgmma.mma_async
// CHECK-NEXT: llvm.extractvalue
// CHECK: wgmma.commit_group
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-COUNT-32: llvm.fadd
// CHECK: wgmma.fence
// CHECK: setp.ne.b32 p, 0, 0; {{.*}}wgmma.mma_async
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-COUNT-32: llvm.fadd
// CHECK-NOT: wgmma
tt.func @bounded() {
  %f = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %x = ttg.local_alloc {offset = 8192 : i32, alignment = 1024 : i32} : !ttg.memdesc<64x64xf8E4M3FN, #s, mutable>
  %y = ttg.local_alloc {offset = 12288 : i32, alignment = 1024 : i32} : !ttg.memdesc<64x64xf8E5M2, #t, mutable>
  %g = ttng.warp_group_dot %x, %y, %f {mostImprecise = 1 : i32} : !ttg.memdesc<64x64xf8E4M3FN, #s, mutable> * !ttg.memdesc<64x64xf8E5M2, #t, mutable> -> tensor<64x64xf32, #mma>
  tt.return
}
}

// -----

#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
// Two sums of f16 are in a register, and taken apart when they are there.
// CHECK-LABEL: llvm.func @halves
// CHECK: wgmma.fence.sync.aligned;", "=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,0,
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16 {{.*}}, da, db, p, 1, 1, 0, 1; }", "=r,
// CHECK: wgmma.commit_group
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-NOT: wgmma
tt.func @halves() {
  %f = arith.constant dense<0.0> : tensor<64x64xf16, #mma>
  %x = ttg.local_alloc {offset = 0 : i32, alignment = 1024 : i32} : !ttg.memdesc<64x64xf16, #s, mutable>
  %g = ttng.warp_group_dot %x, %x, %f : !ttg.memdesc<64x64xf16, #s, mutable> * !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #mma>
  tt.return
}
}
