// RUN: tritium-opt %s -convert-tt-to-ttg="num-warps=4 compute-capability=80" -ttg-accelerate-matmul | FileCheck %s
// RUN: tritium-opt %s -convert-tt-to-ttg="num-warps=4 compute-capability=75" -ttg-accelerate-matmul | FileCheck %s -check-prefix=OLD

// Dots that look like those of a tensor core, but that none does.
// CHECK: #[[$MMA:.*]] = #ttg.mma
// OLD: #[[$MMA:.*]] = #ttg.mma

// The smallest that one does, from sm_80 on.
// CHECK-LABEL: @smallest
// CHECK: tt.dot {{.*}} -> tensor<16x8xf32, #[[$MMA]]>
// OLD-LABEL: @smallest
// OLD-NOT: #[[$MMA]]
// OLD: tt.return
// CHECK: tt.return
tt.func @smallest(%pa: !tt.ptr<bf16>, %pb: !tt.ptr<bf16>, %pc: !tt.ptr<f32>) {
  %xa = tt.splat %pa : !tt.ptr<bf16> -> tensor<16x16x!tt.ptr<bf16>>
  %xb = tt.splat %pb : !tt.ptr<bf16> -> tensor<16x8x!tt.ptr<bf16>>
  %xc = tt.splat %pc : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %a = tt.load %xa : tensor<16x16x!tt.ptr<bf16>>
  %b = tt.load %xb : tensor<16x8x!tt.ptr<bf16>>
  %c = tt.load %xc : tensor<16x8x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %c : tensor<16x16xbf16> * tensor<16x8xbf16> -> tensor<16x8xf32>
  tt.store %xc, %d : tensor<16x8x!tt.ptr<f32>>
  tt.return
}

// Fewer than 16 rows.
// CHECK-LABEL: @rows
// CHECK-NOT: #[[$MMA]]
// CHECK: tt.return
tt.func @rows(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {
  %xa = tt.splat %pa : !tt.ptr<f16> -> tensor<8x16x!tt.ptr<f16>>
  %xb = tt.splat %pb : !tt.ptr<f16> -> tensor<16x8x!tt.ptr<f16>>
  %xc = tt.splat %pc : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>>
  %a = tt.load %xa : tensor<8x16x!tt.ptr<f16>>
  %b = tt.load %xb : tensor<16x8x!tt.ptr<f16>>
  %c = tt.load %xc : tensor<8x8x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %c : tensor<8x16xf16> * tensor<16x8xf16> -> tensor<8x8xf32>
  tt.store %xc, %d : tensor<8x8x!tt.ptr<f32>>
  tt.return
}

// Fewer than 8 columns.
// CHECK-LABEL: @columns
// CHECK-NOT: #[[$MMA]]
// CHECK: tt.return
tt.func @columns(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {
  %xa = tt.splat %pa : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %xb = tt.splat %pb : !tt.ptr<f16> -> tensor<16x4x!tt.ptr<f16>>
  %xc = tt.splat %pc : !tt.ptr<f32> -> tensor<16x4x!tt.ptr<f32>>
  %a = tt.load %xa : tensor<16x16x!tt.ptr<f16>>
  %b = tt.load %xb : tensor<16x4x!tt.ptr<f16>>
  %c = tt.load %xc : tensor<16x4x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %c : tensor<16x16xf16> * tensor<16x4xf16> -> tensor<16x4xf32>
  tt.store %xc, %d : tensor<16x4x!tt.ptr<f32>>
  tt.return
}

// Not a multiple of the 16 that a step of k takes.
// CHECK-LABEL: @depth
// CHECK-NOT: #[[$MMA]]
// CHECK: tt.return
tt.func @depth(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {
  %xa = tt.splat %pa : !tt.ptr<f16> -> tensor<16x24x!tt.ptr<f16>>
  %xb = tt.splat %pb : !tt.ptr<f16> -> tensor<24x8x!tt.ptr<f16>>
  %xc = tt.splat %pc : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %a = tt.load %xa : tensor<16x24x!tt.ptr<f16>>
  %b = tt.load %xb : tensor<24x8x!tt.ptr<f16>>
  %c = tt.load %xc : tensor<16x8x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %c : tensor<16x24xf16> * tensor<24x8xf16> -> tensor<16x8xf32>
  tt.store %xc, %d : tensor<16x8x!tt.ptr<f32>>
  tt.return
}

// Bytes take 32.
// CHECK-LABEL: @bytes
// CHECK-NOT: #[[$MMA]]
// CHECK: tt.return
tt.func @bytes(%pa: !tt.ptr<i8>, %pb: !tt.ptr<i8>, %pc: !tt.ptr<i32>) {
  %xa = tt.splat %pa : !tt.ptr<i8> -> tensor<16x16x!tt.ptr<i8>>
  %xb = tt.splat %pb : !tt.ptr<i8> -> tensor<16x8x!tt.ptr<i8>>
  %xc = tt.splat %pc : !tt.ptr<i32> -> tensor<16x8x!tt.ptr<i32>>
  %a = tt.load %xa : tensor<16x16x!tt.ptr<i8>>
  %b = tt.load %xb : tensor<16x8x!tt.ptr<i8>>
  %c = tt.load %xc : tensor<16x8x!tt.ptr<i32>>
  %d = tt.dot %a, %b, %c : tensor<16x16xi8> * tensor<16x8xi8> -> tensor<16x8xi32>
  tt.store %xc, %d : tensor<16x8x!tt.ptr<i32>>
  tt.return
}

// Sums of bfloat16 are of fp32 only.
// CHECK-LABEL: @sum
// CHECK-NOT: #[[$MMA]]
// CHECK: tt.return
tt.func @sum(%pa: !tt.ptr<bf16>, %pb: !tt.ptr<bf16>, %pc: !tt.ptr<bf16>) {
  %xa = tt.splat %pa : !tt.ptr<bf16> -> tensor<16x16x!tt.ptr<bf16>>
  %xb = tt.splat %pb : !tt.ptr<bf16> -> tensor<16x8x!tt.ptr<bf16>>
  %xc = tt.splat %pc : !tt.ptr<bf16> -> tensor<16x8x!tt.ptr<bf16>>
  %a = tt.load %xa : tensor<16x16x!tt.ptr<bf16>>
  %b = tt.load %xb : tensor<16x8x!tt.ptr<bf16>>
  %c = tt.load %xc : tensor<16x8x!tt.ptr<bf16>>
  %d = tt.dot %a, %b, %c : tensor<16x16xbf16> * tensor<16x8xbf16> -> tensor<16x8xbf16>
  tt.store %xc, %d : tensor<16x8x!tt.ptr<bf16>>
  tt.return
}

// fp32 that must be exact; in tf32 one does it, from sm_80 on.
// CHECK-LABEL: @exact
// CHECK-NOT: #[[$MMA]]
// CHECK: tt.return
tt.func @exact(%pa: !tt.ptr<f32>, %pb: !tt.ptr<f32>, %pc: !tt.ptr<f32>) {
  %xa = tt.splat %pa : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %xb = tt.splat %pb : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>>
  %xc = tt.splat %pc : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %a = tt.load %xa : tensor<16x8x!tt.ptr<f32>>
  %b = tt.load %xb : tensor<8x8x!tt.ptr<f32>>
  %c = tt.load %xc : tensor<16x8x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %c : tensor<16x8xf32> * tensor<8x8xf32> -> tensor<16x8xf32>
  tt.store %xc, %d : tensor<16x8x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @rounded
// CHECK: tt.dot {{.*}} -> tensor<16x8xf32, #[[$MMA]]>
// OLD-LABEL: @rounded
// OLD-NOT: #[[$MMA]]
// OLD: tt.return
// CHECK: tt.return
tt.func @rounded(%pa: !tt.ptr<f32>, %pb: !tt.ptr<f32>, %pc: !tt.ptr<f32>) {
  %xa = tt.splat %pa : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %xb = tt.splat %pb : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>>
  %xc = tt.splat %pc : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %a = tt.load %xa : tensor<16x8x!tt.ptr<f32>>
  %b = tt.load %xb : tensor<8x8x!tt.ptr<f32>>
  %c = tt.load %xc : tensor<16x8x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %c {inputPrecision = 1 : i32} : tensor<16x8xf32> * tensor<8x8xf32> -> tensor<16x8xf32>
  tt.store %xc, %d : tensor<16x8x!tt.ptr<f32>>
  tt.return
}

// Halves do on both.
// CHECK-LABEL: @halves
// CHECK: tt.dot {{.*}} -> tensor<16x8xf32, #[[$MMA]]>
// OLD-LABEL: @halves
// OLD: tt.dot {{.*}} -> tensor<16x8xf32, #[[$MMA]]>
// CHECK: tt.return
tt.func @halves(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {
  %xa = tt.splat %pa : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %xb = tt.splat %pb : !tt.ptr<f16> -> tensor<16x8x!tt.ptr<f16>>
  %xc = tt.splat %pc : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %a = tt.load %xa : tensor<16x16x!tt.ptr<f16>>
  %b = tt.load %xb : tensor<16x8x!tt.ptr<f16>>
  %c = tt.load %xc : tensor<16x8x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %c : tensor<16x16xf16> * tensor<16x8xf16> -> tensor<16x8xf32>
  tt.store %xc, %d : tensor<16x8x!tt.ptr<f32>>
  tt.return
}
