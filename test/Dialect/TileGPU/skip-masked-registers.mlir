// RUN: tritium-opt %s -ttg-skip-masked-registers | FileCheck %s
// RUN: tritium-opt %s -ttg-skip-masked-registers | tritium-opt -convert-ttg-to-llvm -o /dev/null

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32} {

// The sum, and what leads to it, leave out the upper half in two parts; so do the store and what it
// stores, which reads the tile of before. An address that is computed between comes ahead.
// CHECK-LABEL: @row(
// CHECK: %[[M:.*]] = arith.cmpi slt
// CHECK: %[[V:.*]] = tt.load %{{.*}}, %[[M]]
// CHECK-NEXT: %[[TO:.*]] = tt.addptr
// CHECK-NEXT: %[[S:.*]]:2 = ttg.skip_masked %[[M]] along 0 from [512, 768] : tensor<1024xi1, #{{.*}}> -> tensor<1024xf32, #{{.*}}>, f32 {
// CHECK-NEXT: %[[E:.*]] = math.exp %[[V]]
// CHECK-NEXT: %[[SUM:.*]] = "tt.reduce"(%[[E]])
// CHECK: ttg.yield %[[E]], %[[SUM]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[ALL:.*]] = tt.splat %[[S]]#1
// CHECK-NEXT: ttg.skip_masked %[[M]] along 0 from [512, 768] : tensor<1024xi1, #{{[a-z]*}}> {
// CHECK-NEXT: %[[Q:.*]] = arith.divf %[[S]]#0, %[[ALL]]
// CHECK-NEXT: tt.store %[[TO]], %[[Q]], %[[M]]
// CHECK-NEXT: }
// CHECK-NEXT: tt.return
tt.func @row(%x: !tt.ptr<f32>, %n: i32, %out: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #b>
  %oo = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  %e = math.exp %v : tensor<1024xf32, #b>
  %s = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<1024xf32, #b>) -> f32
  %q = tt.addptr %oo, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %ss = tt.splat %s : f32 -> tensor<1024xf32, #b>
  %y = arith.divf %e, %ss : tensor<1024xf32, #b>
  tt.store %q, %y, %m : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}

// A store without the mask reads all of the tile: it is known what lies outside. `other` is added to
// there as elsewhere.
// CHECK-LABEL: @read_everywhere(
// CHECK: %[[S:.*]] = ttg.skip_masked
// CHECK-NEXT: arith.addf
// CHECK-NEXT: %[[E:.*]] = math.exp
// CHECK-NEXT: ttg.yield %[[E]]
// CHECK: tt.store %{{.*}}, %[[S]] :
tt.func @read_everywhere(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #b>
  %other = arith.constant dense<2.0> : tensor<1024xf32, #b>
  %v = tt.load %p, %m, %other : tensor<1024x!tt.ptr<f32>, #b>
  %w = arith.addf %v, %other : tensor<1024xf32, #b>
  %e = math.exp %w : tensor<1024xf32, #b>
  tt.store %p, %e : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}

// Where the mask lets nothing in, the choice by it is 0, whatever the indices are. The sum with them
// is stored under the mask only.
// CHECK-LABEL: @chosen(
// CHECK: %[[I:.*]] = arith.sitofp
// CHECK: %[[S:.*]]:2 = ttg.skip_masked
// CHECK: arith.addf %{{.*}}, %[[I]]
// CHECK-NEXT: arith.select
// CHECK: "tt.reduce"
// CHECK: ttg.skip_masked
// CHECK-NEXT: arith.mulf %[[S]]#0
// CHECK-NEXT: math.exp
// CHECK-NEXT: tt.store
tt.func @chosen(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #b>
  %zero = arith.constant dense<0.0> : tensor<1024xf32, #b>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  %i = arith.sitofp %r : tensor<1024xi32, #b> to tensor<1024xf32, #b>
  %w = arith.addf %v, %i : tensor<1024xf32, #b>
  %k = arith.select %m, %w, %zero : tensor<1024xi1, #b>, tensor<1024xf32, #b>
  %s = "tt.reduce"(%k) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<1024xf32, #b>) -> f32
  %ss = tt.splat %s : f32 -> tensor<1024xf32, #b>
  %y = arith.mulf %w, %ss : tensor<1024xf32, #b>
  %e = math.exp %y : tensor<1024xf32, #b>
  tt.store %p, %e, %m : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}

// Rows of a tile of several, under a conjunction whose other term is any.
// CHECK-LABEL: @rows(
// CHECK: %[[M:.*]] = arith.andi
// CHECK: ttg.skip_masked %[[M]] along 1 from [256, 384] : tensor<2x512xi1
// CHECK-NEXT: math.exp
// CHECK-NEXT: "tt.reduce"
tt.func @rows(%x: !tt.ptr<f32>, %n: i32, %flag: i1, %out: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #ttg.slice<{dim = 0, parent = #rows}>>
  %nn = tt.splat %n : i32 -> tensor<512xi32, #ttg.slice<{dim = 0, parent = #rows}>>
  %k1 = arith.cmpi slt, %r, %nn : tensor<512xi32, #ttg.slice<{dim = 0, parent = #rows}>>
  %c1 = tt.expand_dims %k1 {axis = 0 : i32} : tensor<512xi1, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x512xi1, #rows>
  %inside = tt.broadcast %c1 : tensor<1x512xi1, #rows> -> tensor<2x512xi1, #rows>
  %k = tt.splat %flag : i1 -> tensor<2x512xi1, #rows>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<2x512x!tt.ptr<f32>, #rows>
  %m = arith.andi %inside, %k : tensor<2x512xi1, #rows>
  %v = tt.load %p, %m : tensor<2x512x!tt.ptr<f32>, #rows>
  %e = math.exp %v : tensor<2x512xf32, #rows>
  %s = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<2x512xf32, #rows>) -> tensor<2xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  %q = tt.splat %out : !tt.ptr<f32> -> tensor<2x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #rows}>>
  tt.store %q, %s : tensor<2x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #rows}>>
  tt.return
}
}
