// RUN: tritium-opt %s -split-input-file -convert-tt-to-ttg="num-warps=2 compute-capability=89" | FileCheck %s

// Tiles of one shape have one layout, a loop carries it, a reduction leaves a slice of it; operands
// of a dot are converted to the layout that its result says, where they come from.
// CHECK: #[[$B:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 1], order = [1, 0]}>
// CHECK: module attributes {"ttg.num-warps" = 2 : i32, ttg.target = #ttg.target<compute = 89>}
// CHECK-LABEL: tt.func @dots
// CHECK: %[[A:.*]] = tt.load %{{.*}} : tensor<32x32x!tt.ptr<f16>, #[[$B]]>
// CHECK: ttg.convert_layout %[[A]] : {{.*}} -> tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$B]], kWidth = 1}>>
// CHECK: ttg.convert_layout %[[A]] : {{.*}} -> tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #[[$B]], kWidth = 1}>>
// CHECK: scf.for {{.*}} -> (tensor<32x32xf32, #[[$B]]>)
// CHECK-NOT: convert_layout
// CHECK: tt.dot
// CHECK: "tt.reduce"
// CHECK: -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #[[$B]]}>>
tt.func @dots(%x: !tt.ptr<f16>, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %p = tt.splat %x : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
  %a = tt.load %p : tensor<32x32x!tt.ptr<f16>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %d = tt.dot %a, %a, %acc : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  %s = "tt.reduce"(%r) <{axis = 1 : i32}> ({
  ^bb0(%u: f32, %v: f32):
    %t = arith.addf %u, %v : f32
    tt.reduce.return %t : f32
  }) : (tensor<32x32xf32>) -> tensor<32xf32>
  %q = tt.splat %out : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  tt.store %q, %s : tensor<32x!tt.ptr<f32>>
  tt.return
}

// -----

// What the kernel asks for stays where it stands, and threads come to it together.
// CHECK-LABEL: tt.func @barriers
// CHECK: tt.store
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: scf.if
// CHECK-NEXT: ttg.barrier
// CHECK-NEXT: tt.store
// CHECK-NOT: gpu.barrier
tt.func @barriers(%x: !tt.ptr<i32>, %c: i1) {
  %one = arith.constant 1 : i32
  tt.store %x, %one : !tt.ptr<i32>
  gpu.barrier
  scf.if %c {
    gpu.barrier
    tt.store %x, %one : !tt.ptr<i32>
  }
  tt.return
}
