// RUN: tritium-opt %s -convert-tt-to-ttg=num-warps=4 -ttg-coalesce -ttg-accelerate-matmul -ttg-remove-layout-conversions -canonicalize -ttg-schedule-loops=num-stages=3 -ttg-expand-pipeline -ttg-optimize-dot-operands -ttg-prefetch -canonicalize | FileCheck %s

// Operands of the second step of k are loaded before the first is multiplied, those of the next
// iteration's first step before the second is. One wait an iteration.
// CHECK-LABEL: @matmul
// CHECK: %[[RINGA:.*]] = ttg.local_alloc : <3x64x32xf16
// CHECK: %[[RINGB:.*]] = ttg.local_alloc : <3x64x32xf16
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK: %[[A0:.*]] = ttg.local_load {{.*}}{offsets = array<i64: 0, 0>} {{.*}} -> tensor<64x16xf16
// CHECK: %[[B0:.*]] = ttg.local_load {{.*}}{offsets = array<i64: 0, 0>} {{.*}} -> tensor<16x64xf16
// CHECK: scf.for {{.*}} %[[A:[a-z0-9]*]] = %[[A0]], %[[B:[a-z0-9]*]] = %[[B0]])
// CHECK-NOT: ttg.async_wait
// CHECK: ttg.async_commit_group
// CHECK: %[[A1:.*]] = ttg.local_load {{.*}}{offsets = array<i64: 0, 16>}
// CHECK: %[[B1:.*]] = ttg.local_load {{.*}}{offsets = array<i64: 16, 0>}
// CHECK: %[[FIRST:.*]] = tt.dot %[[A]], %[[B]],
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK: ttg.memdesc_index %[[RINGA]][%{{.*}}] {ahead = 1 : i32}
// CHECK: %[[A2:.*]] = ttg.local_load {{.*}}{offsets = array<i64: 0, 0>}
// CHECK: ttg.memdesc_index %[[RINGB]][%{{.*}}] {ahead = 1 : i32}
// CHECK: %[[B2:.*]] = ttg.local_load {{.*}}{offsets = array<i64: 0, 0>}
// CHECK: %[[SECOND:.*]] = tt.dot %[[A1]], %[[B1]], %[[FIRST]]
// CHECK: scf.yield {{.*}}%[[SECOND]], {{.*}}, %[[A2]], %[[B2]]
tt.func @matmul(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pc: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant dense<32> : tensor<64x32xi32>
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %cols = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %r1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<1024> : tensor<64x1xi32>
  %r2 = arith.muli %r1, %stride : tensor<64x1xi32>
  %r3 = tt.broadcast %r2 : tensor<64x1xi32> -> tensor<64x32xi32>
  %k1 = tt.expand_dims %cols {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %k2 = tt.broadcast %k1 : tensor<1x32xi32> -> tensor<64x32xi32>
  %o = arith.addi %r3, %k2 : tensor<64x32xi32>
  %basea = tt.splat %pa : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %baseb = tt.splat %pb : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p0 = tt.addptr %basea, %o : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %q0 = tt.addptr %baseb, %o : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %acc0 = arith.constant dense<0.0> : tensor<64x64xf32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0, %q = %q0, %acc = %acc0) -> (tensor<64x32x!tt.ptr<f16>>, tensor<64x32x!tt.ptr<f16>>, tensor<64x64xf32>) : i32 {
    %a = tt.load %p : tensor<64x32x!tt.ptr<f16>>
    %b = tt.load %q : tensor<64x32x!tt.ptr<f16>>
    %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<64x32xf16> -> tensor<32x64xf16>
    %d = tt.dot %a, %t, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %p1 = tt.addptr %p, %c32 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    %q1 = tt.addptr %q, %c32 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    scf.yield %p1, %q1, %d : tensor<64x32x!tt.ptr<f16>>, tensor<64x32x!tt.ptr<f16>>, tensor<64x64xf32>
  }
  %x = tt.splat %pc : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %x, %r#2 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// In registers already: the first operand comes from outside of the loop.
// CHECK-LABEL: @carried
// CHECK-NOT: ttg.local_load {{.*}}offsets
// CHECK: tt.return
tt.func @carried(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pb: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pc: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant dense<32> : tensor<64x32xi32>
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %cols = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %r1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<1024> : tensor<64x1xi32>
  %r2 = arith.muli %r1, %stride : tensor<64x1xi32>
  %r3 = tt.broadcast %r2 : tensor<64x1xi32> -> tensor<64x32xi32>
  %k1 = tt.expand_dims %cols {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %k2 = tt.broadcast %k1 : tensor<1x32xi32> -> tensor<64x32xi32>
  %o = arith.addi %r3, %k2 : tensor<64x32xi32>
  %basea = tt.splat %pa : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %baseb = tt.splat %pb : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p0 = tt.addptr %basea, %o : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %q0 = tt.addptr %baseb, %o : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %a = tt.load %p0 : tensor<64x32x!tt.ptr<f16>>
  %acc0 = arith.constant dense<0.0> : tensor<64x64xf32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0, %q = %q0, %acc = %acc0) -> (tensor<64x32x!tt.ptr<f16>>, tensor<64x32x!tt.ptr<f16>>, tensor<64x64xf32>) : i32 {
    %b = tt.load %q : tensor<64x32x!tt.ptr<f16>>
    %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<64x32xf16> -> tensor<32x64xf16>
    %d = tt.dot %a, %t, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %p1 = tt.addptr %p, %c32 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    %q1 = tt.addptr %q, %c32 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    scf.yield %p1, %q1, %d : tensor<64x32x!tt.ptr<f16>>, tensor<64x32x!tt.ptr<f16>>, tensor<64x64xf32>
  }
  %x = tt.splat %pc : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %x, %r#2 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
