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
