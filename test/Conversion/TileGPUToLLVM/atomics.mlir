// RUN: tritium-opt %s -tritium-ttir -tritium-ttgir=num-warps=4 -convert-ttg-to-llvm | FileCheck %s
// RUN: tritium-opt %s -tritium-ttir -tritium-ttgir="num-warps=4 compute-capability=90" -convert-ttg-to-llvm | FileCheck %s -check-prefix=VECTORS

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

// A thread's elements have no order among themselves: one fence orders them behind what comes
// before, and one in front of the store. Before 9.0 each takes an instruction.
// CHECK-LABEL: llvm.func @add_neighbours
// CHECK: "fence.acq_rel.gpu;"
// CHECK-COUNT-4: "atom.relaxed.gpu.global.add.f32 $0, [$1], $2;"
// CHECK-NOT: atom.
// CHECK: "fence.acq_rel.gpu;"
// CHECK: llvm.store
//
// From 9.0 on neighbours are added together; nothing is acquired at the end of a program.
// VECTORS-LABEL: llvm.func @add_neighbours
// VECTORS: "fence.acq_rel.gpu;"
// VECTORS: "red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};"
// VECTORS-NOT: {{atom|red}}.
// VECTORS: "fence.acq_rel.gpu;"
// VECTORS: llvm.store
// VECTORS-LABEL: llvm.func @add_last
// VECTORS: "fence.acq_rel.gpu;"
// VECTORS: "red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};"
// VECTORS-NOT: fence
tt.func @add_neighbours(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %flag: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %ff = tt.splat %flag : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %f = tt.addptr %ff, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %one = arith.constant dense<1.0> : tensor<512xf32>
  %old = tt.atomic_rmw fadd, acq_rel, gpu, %p, %one : (tensor<512x!tt.ptr<f32>>, tensor<512xf32>) -> tensor<512xf32>
  tt.store %f, %one : tensor<512x!tt.ptr<f32>>
  tt.return
}

tt.func @add_last(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %from: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %ff = tt.splat %from : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %f = tt.addptr %ff, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %y = tt.load %f : tensor<512x!tt.ptr<f32>>
  %old = tt.atomic_rmw fadd, acq_rel, gpu, %p, %y : (tensor<512x!tt.ptr<f32>>, tensor<512xf32>) -> tensor<512xf32>
  tt.return
}
