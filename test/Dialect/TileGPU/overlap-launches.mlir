// RUN: tritium-opt %s -ttg-overlap-launches -split-input-file | FileCheck %s
// RUN: tritium-opt %s -ttg-overlap-launches=apart -split-input-file | FileCheck %s --check-prefix=APART

#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// What needs no memory is done before.
// CHECK-LABEL: @plain
// CHECK:         tt.addptr
// CHECK-NEXT:    tt.grid_dependency wait
// CHECK-NEXT:    tt.load
// CHECK-NOT:     tt.grid_dependency
tt.func @plain(%x: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #row>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #row>
  %p = tt.addptr %s, %i : tensor<128x!tt.ptr<f32>, #row>, tensor<128xi32, #row>
  %v = tt.load %p : tensor<128x!tt.ptr<f32>, #row>
  tt.store %p, %v : tensor<128x!tt.ptr<f32>, #row>
  tt.return
}

// In front of a branch or a loop that has an access.
// CHECK-LABEL: @inside
// CHECK:         tt.grid_dependency wait
// CHECK-NEXT:    scf.if
tt.func @inside(%x: !tt.ptr<f32>, %c: i1, %v: f32) {
  scf.if %c {
    tt.store %x, %v : !tt.ptr<f32>
  }
  tt.return
}

// A loop that has none.
// CHECK-LABEL: @behind
// CHECK:         scf.for
// CHECK:         tt.grid_dependency wait
// CHECK-NEXT:    tt.store
tt.func @behind(%x: !tt.ptr<f32>, %v: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (f32) : i32 {
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  tt.store %x, %r : !tt.ptr<f32>
  tt.return
}

// All kernels wait, so that those behind them wait for those in front of them, too.
// CHECK-LABEL: @nothing
// CHECK:         tt.grid_dependency wait
// CHECK-NEXT:    tt.return
tt.func @nothing() {
  tt.return
}

// CHECK-LABEL: @waits
// CHECK-NEXT:    tt.grid_dependency wait
// CHECK-NEXT:    tt.store
tt.func @waits(%x: !tt.ptr<f32>, %v: f32) {
  tt.grid_dependency wait
  tt.store %x, %v : !tt.ptr<f32>
  tt.return
}

// Nothing else is done, whatever the author wrote.
// CHECK-LABEL: @late
// CHECK-NEXT:    tt.grid_dependency wait
// CHECK-NEXT:    tt.store
// CHECK-NEXT:    tt.return
// APART-LABEL: @late
// APART-NEXT:    tt.store
// APART-NEXT:    tt.return
tt.func @late(%x: !tt.ptr<f32>, %v: f32) {
  tt.grid_dependency launch_dependents
  tt.store %x, %v : !tt.ptr<f32>
  tt.grid_dependency wait
  tt.return
}

// An assertion writes where the host reads.
// CHECK-LABEL: @asserts
// CHECK-NEXT:    tt.grid_dependency wait
tt.func @asserts(%c: i1) {
  tt.assert %c, "c" : i1
  tt.return
}

// Assembly may read memory, also where its author says that its results depend on operands alone.
// CHECK-LABEL: @assembly
// CHECK-NEXT:    tt.grid_dependency wait
// CHECK-NEXT:    tt.inline_asm
tt.func @assembly(%x: i64, %y: !tt.ptr<i32>) {
  %v = tt.inline_asm "ld.global.b32 $0, [$1];", "=r,l" pure %x : (i64) -> i32
  tt.store %y, %v : !tt.ptr<i32>
  tt.return
}

// Functions that kernels call are not launched.
// CHECK-LABEL: @part
// CHECK-NOT:     tt.grid_dependency
tt.func private @part(%x: !tt.ptr<f32>, %v: f32) {
  tt.store %x, %v : !tt.ptr<f32>
  tt.return
}
}

// -----

#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#bar = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = #ttg.target<compute = 90, specific = true>} {
// Barriers are made before; what they count comes behind.
// CHECK-LABEL: @barriers
// CHECK:         ttng.mbarrier_init
// CHECK-NEXT:    ttg.barrier
// CHECK-NEXT:    tt.grid_dependency wait
// CHECK-NEXT:    ttng.mbarrier_expect
tt.func @barriers() {
  %b = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<1xi64, #bar, mutable>
  ttng.mbarrier_init %b, 1 : !ttg.memdesc<1xi64, #bar, mutable>
  ttg.barrier
  ttng.mbarrier_expect %b, 16 : !ttg.memdesc<1xi64, #bar, mutable>
  tt.return
}
}
