// RUN: tritium-opt %s -ttg-optimize-dot-operands | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [2, 2]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
// CHECK-DAG: #[[$S:.*]] = #ttg.shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
// CHECK-DAG: #[[$T:.*]] = #ttg.shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // Fragments are read from the transposed buffer, and widened.
  // CHECK-LABEL: @transposed
  // CHECK: %[[T:.*]] = ttg.memdesc_trans %{{.*}} {order = array<i32: 1, 0>} : <64x32xf8E5M2, #[[$S]], mutable> -> <32x64xf8E5M2, #[[$T]], mutable>
  // CHECK: %[[X:.*]] = ttg.local_load %[[T]] : {{.*}} -> tensor<32x64xf8E5M2, #ttg.dot_op<{opIdx = 1
  // CHECK: %[[B:.*]] = arith.extf %[[X]] : {{.*}} to tensor<32x64xf16, #ttg.dot_op<{opIdx = 1
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.dot %{{.*}}, %[[B]]
  tt.func private @transposed(%m: !ttg.memdesc<64x32xf8E5M2, #shared, mutable>, %a: tensor<64x32xf16, #a>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %x = ttg.local_load %m : !ttg.memdesc<64x32xf8E5M2, #shared, mutable> -> tensor<64x32xf8E5M2, #blocked>
    %y = arith.extf %x : tensor<64x32xf8E5M2, #blocked> to tensor<64x32xf16, #blocked>
    %z = tt.trans %y {order = array<i32: 1, 0>} : tensor<64x32xf16, #blocked> -> tensor<32x64xf16, #turned>
    %b = ttg.convert_layout %z : tensor<32x64xf16, #turned> -> tensor<32x64xf16, #b>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // What is used otherwise, too, stays as it is.
  // CHECK-LABEL: @shared
  // CHECK: ttg.convert_layout
  tt.func private @shared(%m: !ttg.memdesc<32x64xf16, #shared, mutable>, %a: tensor<64x32xf16, #a>, %c: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<32x64xf16, #blocked>) {
    %x = ttg.local_load %m : !ttg.memdesc<32x64xf16, #shared, mutable> -> tensor<32x64xf16, #blocked>
    %b = ttg.convert_layout %x : tensor<32x64xf16, #blocked> -> tensor<32x64xf16, #b>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d, %x : tensor<64x64xf32, #mma>, tensor<32x64xf16, #blocked>
  }
}
