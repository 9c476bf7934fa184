// RUN: tritium-opt %s -split-input-file -tritium-ttir -tritium-ttgir=num-warps=8 -convert-ttg-to-llvm | FileCheck %s

// A row of n elements in a tile of 2048: registers 4 to 7 lie in the upper half. Both loads
// stand ahead of the first branch, and nothing else does. A warp with nothing inside adds four times what it has
// computed once, and stores nothing of them.
// CHECK-LABEL: llvm.func @row(
// CHECK-COUNT-2: "{{.*}}ld.global.v4.b32
// CHECK: %[[LIVE:.*]] = llvm.call_intrinsic "llvm.nvvm.vote.any.sync"
// CHECK-NOT: llvm.fadd
// CHECK: llvm.cond_br %[[LIVE]], ^[[INSIDE:bb[0-9]+]], ^[[OUTSIDE:bb[0-9]+]]
// CHECK: ^[[INSIDE]]:
// CHECK-COUNT-7: llvm.fadd
// CHECK-NOT: llvm.fadd
// CHECK: llvm.br ^[[JOIN:bb[0-9]+]]({{(%[0-9]+, ){4}%[0-9]+}} :
// CHECK: ^[[OUTSIDE]]:
// CHECK: %[[NONE:.*]] = llvm.mlir.poison
// CHECK-COUNT-3: llvm.fadd
// CHECK-NOT: llvm.fadd
// CHECK: llvm.br ^[[JOIN]](%[[NONE]], %[[NONE]], %[[NONE]], %[[NONE]], %
// CHECK: ^[[JOIN]](
// CHECK-COUNT-8: llvm.fadd
// CHECK: nvvm.shfl.sync
// CHECK-NOT: st.global
// CHECK: llvm.cond_br %[[LIVE]], ^[[STORE:bb[0-9]+]], ^[[REST:bb[0-9]+]]
// CHECK: ^[[STORE]]:
// CHECK-COUNT-4: llvm.nvvm.ex2
// CHECK: st.global.v4.b32
// CHECK: ^[[REST]]:
// CHECK-NEXT: llvm.br ^[[ALL:bb[0-9]+]]
// CHECK: ^[[ALL]]:
// CHECK-COUNT-4: llvm.nvvm.ex2
// CHECK: st.global.v4.b32
// CHECK-NOT: st.global
tt.func @row(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %nn = tt.splat %n : i32 -> tensor<2048xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<2048xi32>
  %other = arith.constant dense<2.0> : tensor<2048xf32>
  %v = tt.load %p, %m, %other : tensor<2048x!tt.ptr<f32>>
  %w = arith.addf %v, %other : tensor<2048xf32>
  %s = "tt.reduce"(%w) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.reduce.return %t : f32
  }) : (tensor<2048xf32>) -> f32
  %ss = tt.splat %s : f32 -> tensor<2048xf32>
  %y = arith.mulf %w, %ss : tensor<2048xf32>
  %z = math.exp %y : tensor<2048xf32>
  tt.store %p, %z, %m : tensor<2048x!tt.ptr<f32>>
  tt.return
}

// -----

// Only the last program meets this bound.
// CHECK-LABEL: llvm.func @last_program(
// CHECK-NOT: llvm.nvvm.vote
tt.func @last_program(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %id = tt.get_program_id 0 : i32
  %size = arith.constant 2048 : i32
  %start = arith.muli %id, %size : i32
  %b = arith.subi %n, %start : i32
  %nn = tt.splat %b : i32 -> tensor<2048xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<2048xi32>
  %other = arith.constant dense<2.0> : tensor<2048xf32>
  %v = tt.load %p, %m, %other : tensor<2048x!tt.ptr<f32>>
  %w = arith.addf %v, %other : tensor<2048xf32>
  %s = "tt.reduce"(%w) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<2048xf32>) -> f32
  %ss = tt.splat %s : f32 -> tensor<2048xf32>
  %y = arith.mulf %w, %ss : tensor<2048xf32>
  %z = math.exp %y : tensor<2048xf32>
  tt.store %p, %z, %m : tensor<2048x!tt.ptr<f32>>
  tt.return
}

// -----

// A store without the mask wants all of the tile: where nothing is inside, what has been
// computed once is copied.
// CHECK-LABEL: llvm.func @wanted(
// CHECK: %[[LIVE:.*]] = llvm.call_intrinsic "llvm.nvvm.vote.any.sync"
// CHECK: llvm.cond_br %[[LIVE]], ^[[INSIDE:bb[0-9]+]], ^[[OUTSIDE:bb[0-9]+]]
// CHECK: ^[[INSIDE]]:
// CHECK-COUNT-4: llvm.nvvm.ex2
// CHECK: llvm.br ^[[JOIN:bb[0-9]+]](
// CHECK: ^[[OUTSIDE]]:
// CHECK-NOT: llvm.mlir.poison
// CHECK: llvm.nvvm.ex2
// CHECK-NOT: llvm.nvvm.ex2
// CHECK: llvm.br ^[[JOIN]](%[[ONE:[0-9]+]], %[[ONE]], %[[ONE]], %[[ONE]] :
// CHECK: ^[[JOIN]](
// CHECK-COUNT-4: llvm.nvvm.ex2
// CHECK-NOT: llvm.cond_br
// CHECK: llvm.return
tt.func @wanted(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %nn = tt.splat %n : i32 -> tensor<2048xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<2048xi32>
  %other = arith.constant dense<2.0> : tensor<2048xf32>
  %v = tt.load %p, %m, %other : tensor<2048x!tt.ptr<f32>>
  %z = math.exp %v : tensor<2048xf32>
  tt.store %p, %z : tensor<2048x!tt.ptr<f32>>
  tt.return
}

// -----

// Of the sum with indices nothing is known where the mask rules it out, and all of it is
// wanted, so that all of its operands are.
// CHECK-LABEL: llvm.func @unknown(
// CHECK-COUNT-8: llvm.nvvm.ex2
// CHECK-NOT: llvm.cond_br
// CHECK: llvm.return
tt.func @unknown(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %nn = tt.splat %n : i32 -> tensor<2048xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<2048xi32>
  %other = arith.constant dense<2.0> : tensor<2048xf32>
  %v = tt.load %p, %m, %other : tensor<2048x!tt.ptr<f32>>
  %z = math.exp %v : tensor<2048xf32>
  %i = arith.sitofp %r : tensor<2048xi32> to tensor<2048xf32>
  %w = arith.addf %z, %i : tensor<2048xf32>
  tt.store %p, %w : tensor<2048x!tt.ptr<f32>>
  tt.return
}

// -----

// An operation or two an element are not worth a branch.
// CHECK-LABEL: llvm.func @cheap(
// CHECK-NOT: llvm.nvvm.vote
tt.func @cheap(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %nn = tt.splat %n : i32 -> tensor<2048xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<2048xi32>
  %other = arith.constant dense<2.0> : tensor<2048xf32>
  %v = tt.load %p, %m, %other : tensor<2048x!tt.ptr<f32>>
  %z = arith.addf %v, %v : tensor<2048xf32>
  tt.store %p, %z, %m : tensor<2048x!tt.ptr<f32>>
  tt.return
}

// -----

// All elements are divided by one value: one reciprocal. Dividends are scaled only if the
// divisor is too large or too small for that.
// CHECK-LABEL: llvm.func @divide(
// CHECK: llvm.nvvm.rcp.approx.ftz.f
// CHECK-NOT: llvm.nvvm.rcp
// CHECK: %[[SCALED:.*]] = llvm.call_intrinsic "llvm.nvvm.vote.any.sync"
// CHECK: llvm.cond_br %[[SCALED]], ^[[SCALE:bb[0-9]+]], ^[[DIVIDE:bb[0-9]+]](
// CHECK: ^[[SCALE]]:
// CHECK-COUNT-8: llvm.fmul
// CHECK-NOT: llvm.fmul
// CHECK: ^[[DIVIDE]](
// CHECK-COUNT-8: llvm.fmul
// CHECK-NOT: llvm.fmul
// CHECK: llvm.return
tt.func @divide(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %d: f32) {
  %r = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %v = tt.load %p : tensor<2048x!tt.ptr<f32>>
  %dd = tt.splat %d : f32 -> tensor<2048xf32>
  %q = arith.divf %v, %dd : tensor<2048xf32>
  tt.store %p, %q : tensor<2048x!tt.ptr<f32>>
  tt.return
}
