// RUN: tritium-opt %s -convert-triton-to-tritongpu=num-warps=4 -tritongpu-accelerate-matmul=compute-capability=80 | FileCheck %s
// RUN: tritium-opt %s -convert-triton-to-tritongpu=num-warps=4 -tritongpu-accelerate-matmul=compute-capability=75 | FileCheck %s -check-prefix=OLD

// Before sm_80 there is none of these instructions.
// OLD-NOT: ttg.mma

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

// fp32 operands that must be exact are multiplied out; so are tiles that an instruction
// does not fit into.
// CHECK-LABEL: @exact
// CHECK-NOT: #[[$MMA]]
// CHECK: tt.return
tt.func @exact(%pa: !tt.ptr<f32>, %pc: !tt.ptr<f32>) {
  %xa = tt.splat %pa : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %a = tt.load %xa : tensor<32x32x!tt.ptr<f32>>
  %c = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %a, %a, %c : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  tt.store %xa, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}
