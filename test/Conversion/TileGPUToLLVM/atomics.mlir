// RUN: tritium-opt %s -tritium-ttir -tritium-ttgir=num-warps=4 -convert-ttg-to-llvm | FileCheck %s

// Before 9.0 there is no addition of bf16: a loop around a compare-and-swap, in f32.
// CHECK-LABEL: llvm.func @add_bf16
// CHECK: %[[FIRST:.*]] = llvm.inline_asm has_side_effects {{.*}}"ld.relaxed.gpu.global.b16 $0, [$1];"
// CHECK: llvm.br ^[[LOOP:bb[0-9]+]](%[[FIRST]] : i16)
// CHECK: ^[[LOOP]](%[[EXPECTED:.*]]: i16):
// CHECK: %[[SUM:.*]] = llvm.fadd {{.*}} : f32
// CHECK: llvm.fptrunc %[[SUM]] : f32 to bf16
// CHECK: %[[FOUND:.*]] = llvm.inline_asm has_side_effects {{.*}}"atom.acq_rel.gpu.global.cas.b16 $0, [$1], $2, $3;"{{.*}} %[[EXPECTED]], %
// CHECK: %[[DONE:.*]] = llvm.icmp "eq" %[[FOUND]], %[[EXPECTED]]
// CHECK: llvm.cond_br %[[DONE]], ^{{.*}}, ^[[LOOP]](%[[FOUND]] : i16)
tt.func @add_bf16(%x: !tt.ptr<bf16>) {
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %xx = tt.splat %x : !tt.ptr<bf16> -> tensor<128x!tt.ptr<bf16>>
  %p = tt.addptr %xx, %r : tensor<128x!tt.ptr<bf16>>, tensor<128xi32>
  %one = arith.constant dense<1.0> : tensor<128xbf16>
  %old = tt.atomic_rmw fadd, acq_rel, gpu, %p, %one : (tensor<128x!tt.ptr<bf16>>, tensor<128xbf16>) -> tensor<128xbf16>
  tt.store %p, %old : tensor<128x!tt.ptr<bf16>>
  tt.return
}

// PTX swaps no bytes: the aligned word around one is swapped, with its other bytes as they are.
// CHECK-LABEL: llvm.func @max_byte
// CHECK: %[[NUMBER:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<1> to i64
// CHECK: llvm.and %[[NUMBER]], %{{.*}} : i64
// CHECK: %[[SHIFT:.*]] = llvm.trunc %{{.*}} : i64 to i32
// CHECK: %[[BYTE:.*]] = llvm.shl %{{.*}}, %[[SHIFT]] : i32
// CHECK: %[[KEPT:.*]] = llvm.xor %[[BYTE]], %{{.*}} : i32
// CHECK: %[[WORD:.*]] = llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
// CHECK: llvm.inline_asm has_side_effects {{.*}}"ld.relaxed.gpu.global.b32 $0, [$1];"{{.*}} %[[WORD]]
// CHECK: ^[[LOOP:.*]](%[[EXPECTED:.*]]: i32):
// CHECK: llvm.icmp "sgt" {{.*}} : i8
// CHECK: llvm.and %[[EXPECTED]], %[[KEPT]] : i32
// CHECK: "atom.relaxed.gpu.global.cas.b32 $0, [$1], $2, $3;"{{.*}} %[[WORD]], %[[EXPECTED]]
tt.func @max_byte(%p: !tt.ptr<i8>, %x: i8) {
  %old = tt.atomic_rmw max, relaxed, gpu, %p, %x : (!tt.ptr<i8>, i8) -> i8
  tt.store %p, %old : !tt.ptr<i8>
  tt.return
}
