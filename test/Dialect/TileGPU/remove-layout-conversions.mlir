// RUN: tritium-opt %s -split-input-file -ttg-remove-layout-conversions | FileCheck %s

// What a loop carries has the layout of the load that it is added to, so that nothing is converted
// in it; the store behind wants another one, and gets it once.
#p = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#w = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[$P:.*]] = #ttg.blocked<{sizePerThread = [1],
// CHECK-DAG: #[[$W:.*]] = #ttg.blocked<{sizePerThread = [4],
// CHECK-LABEL: tt.func @carried
// CHECK: scf.for {{.*}} -> (tensor<1024xf32, #[[$W]]>)
// CHECK-NOT: convert_layout
// CHECK: scf.yield
// CHECK: ttg.convert_layout {{.*}} : tensor<1024xf32, #[[$W]]> -> tensor<1024xf32, #[[$P]]>
// CHECK-NOT: convert_layout
// CHECK: tt.return
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @carried(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32, #p>
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #p>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #p>
  %at = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #p>, tensor<1024xi32, #p>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<1024xf32, #p>) : i32 {
    %wide = ttg.convert_layout %at : tensor<1024x!tt.ptr<f32>, #p> -> tensor<1024x!tt.ptr<f32>, #w>
    %v = tt.load %wide : tensor<1024x!tt.ptr<f32>, #w>
    %back = ttg.convert_layout %v : tensor<1024xf32, #w> -> tensor<1024xf32, #p>
    %next = arith.addf %acc, %back : tensor<1024xf32, #p>
    scf.yield %next : tensor<1024xf32, #p>
  }
  %oo = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #p>
  %three = arith.constant dense<3> : tensor<1024xi32, #p>
  %far = arith.muli %r, %three : tensor<1024xi32, #p>
  %to = tt.addptr %oo, %far : tensor<1024x!tt.ptr<f32>, #p>, tensor<1024xi32, #p>
  tt.store %to, %sum : tensor<1024x!tt.ptr<f32>, #p>
  tt.return
}
}

// -----

// Results that go together are computed once, in the layout that one of them is asked in, and so is
// what has effects.
#p = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#w = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[$W2:.*]] = #ttg.blocked<{sizePerThread = [4],
// CHECK-LABEL: tt.func @together
// CHECK-COUNT-1: tt.inline_asm {{.*}} -> (tensor<1024xi32, #[[$W2]]>, tensor<1024xi32, #[[$W2]]>)
// CHECK-NOT: tt.inline_asm
// CHECK: "tt.map_elementwise"
// CHECK: }) : (tensor<1024xi32, #[[$W2]]>) -> (tensor<1024xi32, #[[$W2]]>, tensor<1024xi32, #[[$W2]]>)
// CHECK-NOT: map_elementwise
// CHECK: tt.store
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @together(%out: !tt.ptr<i32>) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #p>
  %x:2 = tt.inline_asm "mov.b32 $0, $2; mov.b32 $1, $2;", "=&r,=r,r" %r : (tensor<1024xi32, #p>) -> (tensor<1024xi32, #p>, tensor<1024xi32, #p>)
  %y:2 = "tt.map_elementwise"(%x#1) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    tt.map_elementwise.return %a, %b, %b, %a : i32, i32, i32, i32
  }) : (tensor<1024xi32, #p>) -> (tensor<1024xi32, #p>, tensor<1024xi32, #p>)
  %oo = tt.splat %out : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #p>
  %at = tt.addptr %oo, %r : tensor<1024x!tt.ptr<i32>, #p>, tensor<1024xi32, #p>
  %wide = ttg.convert_layout %at : tensor<1024x!tt.ptr<i32>, #p> -> tensor<1024x!tt.ptr<i32>, #w>
  %value = ttg.convert_layout %y#1 : tensor<1024xi32, #p> -> tensor<1024xi32, #w>
  tt.store %wide, %value : tensor<1024x!tt.ptr<i32>, #w>
  tt.return
}
}

// -----

// An operand that warp groups read in shared memory, and of which only a row was loaded: each
// element is computed by one thread, 16 bytes along k by each, not by all warps that multiply it. A
// left operand is the same the other way round.
#p = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
// CHECK-DAG: #[[$RIGHT:.*]] = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-DAG: #[[$LEFT:.*]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [32, 1], warpsPerCTA = [2, 2], order = [1, 0]}>
// CHECK-LABEL: tt.func @from_a_row
// CHECK: %[[Y:.*]] = math.exp2 %{{.*}} : tensor<64x128xf16, #[[$RIGHT]]>
// CHECK: %[[B:.*]] = ttg.convert_layout %[[Y]]
// CHECK: %[[Z:.*]] = math.exp2 %{{.*}} : tensor<64x64xf16, #[[$LEFT]]>
// CHECK: %[[A:.*]] = ttg.convert_layout %[[Z]]
// CHECK: tt.dot %[[A]], %[[B]]
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
tt.func @from_a_row(%x: !tt.ptr<f16>, %out: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #p}>>
  %row = tt.expand_dims %r {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #p}>> -> tensor<1x128xi32, #p>
  %base = tt.splat %x : !tt.ptr<f16> -> tensor<1x128x!tt.ptr<f16>, #p>
  %at = tt.addptr %base, %row : tensor<1x128x!tt.ptr<f16>, #p>, tensor<1x128xi32, #p>
  %v = tt.load %at : tensor<1x128x!tt.ptr<f16>, #p>
  %w = tt.broadcast %v : tensor<1x128xf16, #p> -> tensor<64x128xf16, #p>
  %y = math.exp2 %w : tensor<64x128xf16, #p>
  %right = ttg.convert_layout %y : tensor<64x128xf16, #p> -> tensor<64x128xf16, #b>
  %c = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #p}>>
  %f = arith.sitofp %c : tensor<64xi32, #ttg.slice<{dim = 1, parent = #p}>> to tensor<64xf16, #ttg.slice<{dim = 1, parent = #p}>>
  %column = tt.expand_dims %f {axis = 1 : i32} : tensor<64xf16, #ttg.slice<{dim = 1, parent = #p}>> -> tensor<64x1xf16, #p>
  %u = tt.broadcast %column : tensor<64x1xf16, #p> -> tensor<64x64xf16, #p>
  %z = math.exp2 %u : tensor<64x64xf16, #p>
  %left = ttg.convert_layout %z : tensor<64x64xf16, #p> -> tensor<64x64xf16, #a>
  %d = tt.dot %left, %right, %zero : tensor<64x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<64x128xf32, #mma>
  %oo = tt.splat %out : !tt.ptr<f32> -> tensor<64x128x!tt.ptr<f32>, #mma>
  tt.store %oo, %d : tensor<64x128x!tt.ptr<f32>, #mma>
  tt.return
}
}

// -----

// A histogram is counted once, however many layouts its result is asked in, and its operand as it
// lies.
#p = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#w = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[$P3:.*]] = #ttg.blocked<{sizePerThread = [1],
// CHECK-DAG: #[[$W3:.*]] = #ttg.blocked<{sizePerThread = [4],
// CHECK-LABEL: tt.func @counted
// CHECK: %[[X:.*]] = tt.load {{.*}} : tensor<1024x!tt.ptr<i32>, #[[$W3]]>
// CHECK: %[[H:.*]] = tt.histogram %[[X]] : tensor<1024xi32, #[[$W3]]> -> tensor<512xi32, #[[L:.*]]>
// CHECK-NOT: tt.histogram
// CHECK: ttg.convert_layout %[[H]]
// CHECK-NOT: tt.histogram
// CHECK: tt.return
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @counted(%px: !tt.ptr<i32>, %pa: !tt.ptr<i32>, %pb: !tt.ptr<i32>) {
  %x = tt.splat %px : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #w>
  %a = tt.splat %pa : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #p>
  %b = tt.splat %pb : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #w>
  %v = tt.load %x : tensor<1024x!tt.ptr<i32>, #w>
  %n = ttg.convert_layout %v : tensor<1024xi32, #w> -> tensor<1024xi32, #p>
  %h = tt.histogram %n : tensor<1024xi32, #p> -> tensor<512xi32, #p>
  tt.store %a, %h : tensor<512x!tt.ptr<i32>, #p>
  %g = ttg.convert_layout %h : tensor<512xi32, #p> -> tensor<512xi32, #w>
  tt.store %b, %g : tensor<512x!tt.ptr<i32>, #w>
  tt.return
}
}
