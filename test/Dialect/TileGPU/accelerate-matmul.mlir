// RUN: tritium-opt %s -convert-tt-to-ttg="num-warps=4 compute-capability=80" -ttg-accelerate-matmul | FileCheck %s
// RUN: tritium-opt %s -convert-tt-to-ttg="num-warps=4 compute-capability=75" -ttg-accelerate-matmul | FileCheck %s -check-prefix=OLD
// RUN: tritium-opt %s -convert-tt-to-ttg="num-warps=4 compute-capability=89" -ttg-accelerate-matmul | FileCheck %s -check-prefix=ADA

// sm_75 has tensor cores for halves, not for f32 and f64.
// OLD: #[[$MMA:.*]] = #ttg.mma<{version = 2, warpsPerCTA = [2, 2]}>
// OLD-LABEL: @half
// OLD: tt.dot {{.*}}#[[$MMA]]>
// OLD-LABEL: @rounded
// OLD-NOT: #[[$MMA]]
// OLD-LABEL: @eight

// CHECK: #[[$SQUARE:.*]] = #ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [1, 0]}>
// CHECK: #[[$MMA:.*]] = #ttg.mma<{version = 2, warpsPerCTA = [2, 2]}>

// CHECK-LABEL: @half
// CHECK: tt.dot {{.*}} : tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]], kWidth = 2}>> * tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #[[$MMA]], kWidth = 2}>> -> tensor<64x64xf32, #[[$MMA]]>
tt.func @half(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {
  %xa = tt.splat %pa : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %xb = tt.splat %pb : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  %xc = tt.splat %pc : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %a = tt.load %xa : tensor<64x32x!tt.ptr<f16>>
  %b = tt.load %xb : tensor<32x64x!tt.ptr<f16>>
  %c = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tt.dot %a, %b, %c : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
  tt.store %xc, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// fp32 operands that must be exact are multiplied out, 2x4 elements a lane.
// CHECK-LABEL: @exact
// CHECK-NOT: #[[$MMA]]
// CHECK: tt.dot {{.*}} -> tensor<32x32xf32, #[[$SQUARE]]>
// CHECK: tt.return
tt.func @exact(%pa: !tt.ptr<f32>, %pc: !tt.ptr<f32>) {
  %xa = tt.splat %pa : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %a = tt.load %xa : tensor<32x32x!tt.ptr<f32>>
  %c = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %a, %a, %c : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  tt.store %xa, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// In tf32 they go to tensor cores.
// CHECK-LABEL: @rounded
// CHECK: tt.dot {{.*}} {inputPrecision = 1 : i32} : tensor<32x32xf32, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]], kWidth = 1}>>
tt.func @rounded(%pa: !tt.ptr<f32>) {
  %xa = tt.splat %pa : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %a = tt.load %xa : tensor<32x32x!tt.ptr<f32>>
  %c = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %a, %a, %c {inputPrecision = 1 : i32} : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  tt.store %xa, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// 8-bit floats go as they are from sm_89 on, as halves before.
// CHECK-LABEL: @eight
// CHECK: arith.extf
// CHECK: tt.dot {{.*}} : tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]], kWidth = 2}>>
// ADA-LABEL: @eight
// ADA-NOT: arith.extf
// ADA: tt.dot {{.*}} : tensor<32x32xf8E5M2, #ttg.dot_op<{opIdx = 0, {{.*}} kWidth = 4}>>
tt.func @eight(%pa: !tt.ptr<f8E5M2>, %pc: !tt.ptr<f32>) {
  %xa = tt.splat %pa : !tt.ptr<f8E5M2> -> tensor<32x32x!tt.ptr<f8E5M2>>
  %xc = tt.splat %pc : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %a = tt.load %xa : tensor<32x32x!tt.ptr<f8E5M2>>
  %c = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %a, %a, %c : tensor<32x32xf8E5M2> * tensor<32x32xf8E5M2> -> tensor<32x32xf32>
  tt.store %xc, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}
