// RUN: tritium-opt %s --split-input-file -tt-widen-offsets --tile-to-cpu=cpu=haswell | FileCheck %s

// What a product in a loop reads is computed before the loop; sums that start from zero
// are not filled in.
// CHECK-LABEL: func.func @scores_entry
// CHECK: scf.for
// CHECK: arith.mulf
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i64
// CHECK-NOT: arith.mulf
// CHECK-NOT: llvm.store %cst
// CHECK: call @dot_8x8x8_f32_8_8_8_zero
// CHECK-NOT: arith.mulf
// CHECK: func.func private @dot_8x8x8_f32_8_8_8_zero
tt.func @scores(%q: !tt.ptr<f32>, %k: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32, %scale: f32) {
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %cols = tt.expand_dims %i {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %eight = arith.constant dense<8> : tensor<8x1xi32>
  %rows8 = arith.muli %rows, %eight : tensor<8x1xi32>
  %r = tt.broadcast %rows8 : tensor<8x1xi32> -> tensor<8x8xi32>
  %c = tt.broadcast %cols : tensor<1x8xi32> -> tensor<8x8xi32>
  %offsets = arith.addi %r, %c : tensor<8x8xi32>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>>
  %qp = tt.addptr %qs, %offsets : tensor<8x8x!tt.ptr<f32>>, tensor<8x8xi32>
  %qv = tt.load %qp : tensor<8x8x!tt.ptr<f32>>
  %factor = tt.splat %scale : f32 -> tensor<8x8xf32>
  %scaled = arith.mulf %qv, %factor : tensor<8x8xf32>
  scf.for %at = %c0 to %n step %c8 : i32 {
    %moved = tt.splat %at : i32 -> tensor<8x8xi32>
    %here = arith.addi %offsets, %moved : tensor<8x8xi32>
    %ks = tt.splat %k : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>>
    %kp = tt.addptr %ks, %here : tensor<8x8x!tt.ptr<f32>>, tensor<8x8xi32>
    %kv = tt.load %kp : tensor<8x8x!tt.ptr<f32>>
    %s = tt.dot %scaled, %kv, %zero : tensor<8x8xf32> * tensor<8x8xf32> -> tensor<8x8xf32>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>>
    %op = tt.addptr %os, %here : tensor<8x8x!tt.ptr<f32>>, tensor<8x8xi32>
    tt.store %op, %s : tensor<8x8x!tt.ptr<f32>>
  }
  tt.return
}

// -----

// A tile that lies wholly inside is read where it is; another is packed. While the
// product computes it asks for the tiles of the next round.
// CHECK-LABEL: func.func @product_entry
// CHECK: scf.for
// CHECK: %[[A:.*]]:2 = scf.if %{{.*}} -> (!llvm.ptr, i64)
// CHECK: llvm.x86.avx.maskload.ps.256
// CHECK: call @dot_32x16x16_f32_any_16_16_next_32x64(%[[A]]#0,
// CHECK-SAME: %[[A]]#1)
// CHECK: func.func private @dot_32x16x16_f32_any_16_16_next_32x64
// CHECK: llvm.intr.prefetch
tt.func @product(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %out: !tt.ptr<f32>, %K: i32) {
  %zero = arith.constant dense<0.0> : tensor<32x16xf32>
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %j = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %cols = tt.expand_dims %j {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %depth = tt.expand_dims %j {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ks = tt.splat %K : i32 -> tensor<32x1xi32>
  %rowsK = arith.muli %rows, %ks : tensor<32x1xi32>
  %ra = tt.broadcast %rowsK : tensor<32x1xi32> -> tensor<32x16xi32>
  %ca = tt.broadcast %cols : tensor<1x16xi32> -> tensor<32x16xi32>
  %offsetsA = arith.addi %ra, %ca : tensor<32x16xi32>
  %sixteen = arith.constant dense<16> : tensor<16x1xi32>
  %depth16 = arith.muli %depth, %sixteen : tensor<16x1xi32>
  %rb = tt.broadcast %depth16 : tensor<16x1xi32> -> tensor<16x16xi32>
  %cb = tt.broadcast %cols : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsetsB = arith.addi %rb, %cb : tensor<16x16xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<32x16x!tt.ptr<f32>>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %sum = scf.for %k = %c0 to %K step %c16 iter_args(%acc = %zero) -> (tensor<32x16xf32>) : i32 {
    %ak = tt.splat %k : i32 -> tensor<32x16xi32>
    %ao = arith.addi %offsetsA, %ak : tensor<32x16xi32>
    %ap = tt.addptr %as, %ao : tensor<32x16x!tt.ptr<f32>>, tensor<32x16xi32>
    %left = arith.subi %K, %k : i32
    %lefts = tt.splat %left : i32 -> tensor<1x16xi32>
    %inside = arith.cmpi slt, %cols, %lefts : tensor<1x16xi32>
    %mask = tt.broadcast %inside : tensor<1x16xi1> -> tensor<32x16xi1>
    %av = tt.load %ap, %mask : tensor<32x16x!tt.ptr<f32>>
    %k16 = arith.muli %k, %c16 : i32
    %bk = tt.splat %k16 : i32 -> tensor<16x16xi32>
    %bo = arith.addi %offsetsB, %bk : tensor<16x16xi32>
    %bp = tt.addptr %bs, %bo : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
    %bv = tt.load %bp : tensor<16x16x!tt.ptr<f32>>
    %next = tt.dot %av, %bv, %acc : tensor<32x16xf32> * tensor<16x16xf32> -> tensor<32x16xf32>
    scf.yield %next : tensor<32x16xf32>
  }
  %so = arith.muli %rows, %ks : tensor<32x1xi32>
  %sr = tt.broadcast %so : tensor<32x1xi32> -> tensor<32x16xi32>
  %offsetsC = arith.addi %sr, %ca : tensor<32x16xi32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<32x16x!tt.ptr<f32>>
  %op = tt.addptr %os, %offsetsC : tensor<32x16x!tt.ptr<f32>>, tensor<32x16xi32>
  tt.store %op, %sum : tensor<32x16x!tt.ptr<f32>>
  tt.return
}
