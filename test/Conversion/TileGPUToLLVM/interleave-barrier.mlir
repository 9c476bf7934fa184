// RUN: tritium-opt %s -tritium-ttgir-threads -convert-ttg-to-llvm | FileCheck %s

// A conversion through shared memory stands between read and product, which might reuse what
// is read: the read and the copy stay before it.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [2, 2]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#shared = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>
// CHECK-LABEL: llvm.func @apart(
// CHECK-NOT: nvvm.barrier0
// CHECK: cp.async.cg
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.ldmatrix
// CHECK: nvvm.barrier0
// CHECK-NOT: cp.async
// CHECK: mma.sync
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @apart(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %i: i32, %c: !tt.ptr<f32>) {
    %x = arith.constant dense<1.0> : tensor<32x32xf16, #blocked>
    %zero = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
    %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %r1 = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x32xi32, #blocked>
    %r2 = tt.broadcast %r1 : tensor<1x32xi32, #blocked> -> tensor<32x32xi32, #blocked>
    %base = tt.splat %q : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>, #blocked>
    %p = tt.addptr %base, %r2 : tensor<32x32x!tt.ptr<f16>, #blocked>, tensor<32x32xi32, #blocked>
    %ring = ttg.local_alloc : !ttg.memdesc<2x32x32xf16, #shared, mutable>
    %from = ttg.memdesc_index %ring[%i] {ahead = 0 : i32} : !ttg.memdesc<2x32x32xf16, #shared, mutable> -> !ttg.memdesc<32x32xf16, #shared, mutable>
    %to = ttg.memdesc_index %ring[%i] {ahead = 1 : i32} : !ttg.memdesc<2x32x32xf16, #shared, mutable> -> !ttg.memdesc<32x32xf16, #shared, mutable>
    ttg.async_copy_global_to_local %p, %to : tensor<32x32x!tt.ptr<f16>, #blocked> -> !ttg.memdesc<32x32xf16, #shared, mutable>
    ttg.async_commit_group
    %a = ttg.local_load %from : !ttg.memdesc<32x32xf16, #shared, mutable> -> tensor<32x32xf16, #a>
    %b = ttg.convert_layout %x : tensor<32x32xf16, #blocked> -> tensor<32x32xf16, #b>
    %d = tt.dot %a, %b, %zero : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #mma>
    tt.return
  }
}
