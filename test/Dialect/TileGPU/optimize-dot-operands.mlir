// RUN: tritium-opt %s -split-input-file -ttg-optimize-dot-operands | FileCheck %s

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

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // Warp groups read one buffer as often as they need it, this way and that.
  // CHECK-LABEL: @both_ways
  // CHECK-DAG: %[[X:.*]] = ttg.local_load %arg0 : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1
  // CHECK-DAG: %[[T:.*]] = ttg.memdesc_trans %arg0
  // CHECK-DAG: %[[Y:.*]] = ttg.local_load %[[T]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1
  // CHECK-NOT: ttg.convert_layout
  // CHECK: %[[D:.*]] = tt.dot %arg1, %[[Y]], %arg2
  // CHECK: tt.dot %arg1, %[[X]], %[[D]]
  tt.func private @both_ways(%m: !ttg.memdesc<64x64xf16, #shared, mutable>, %a: tensor<64x64xf16, #a>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %x = ttg.local_load %m : !ttg.memdesc<64x64xf16, #shared, mutable> -> tensor<64x64xf16, #blocked>
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #turned>
    %y = ttg.convert_layout %t : tensor<64x64xf16, #turned> -> tensor<64x64xf16, #b>
    %d = tt.dot %a, %y, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %z = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #b>
    %e = tt.dot %a, %z, %d : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %e : tensor<64x64xf32, #mma>
  }

  // What is computed from it is computed once, not in the registers of all warps.
  // CHECK-LABEL: @computed
  // CHECK: arith.sitofp {{.*}} : tensor<64x64xi8, #[[L:.*]]> to tensor<64x64xf16, #[[L]]>
  // CHECK: ttg.convert_layout
  tt.func private @computed(%m: !ttg.memdesc<64x64xi8, #shared, mutable>, %a: tensor<64x64xf16, #a>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %x = ttg.local_load %m : !ttg.memdesc<64x64xi8, #shared, mutable> -> tensor<64x64xi8, #blocked>
    %y = arith.sitofp %x : tensor<64x64xi8, #blocked> to tensor<64x64xf16, #blocked>
    %b = ttg.convert_layout %y : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #b>
    %d = tt.dot %a, %b, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }
}
