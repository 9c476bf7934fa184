// RUN: tritium-opt %s -split-input-file -ttg-overlap-dots | FileCheck %s

// What is loaded for a later dot happens among the products of this one.
#mma = #ttg.mma<{version = 2, warpsPerCTA = [2, 2]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#y = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>
// CHECK-LABEL: tt.func private @later
// CHECK: ttg.local_load %{{.*}} {ttg.overlap = #ttg.overlap<products>}
// CHECK: tt.dot {{.*}} {ttg.interleave = #ttg.interleave<dots = 2, from = 0, within = 8>}
// CHECK: tt.dot
// CHECK-NOT: interleave
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @later(%from: !ttg.memdesc<32x32xf16, #s, mutable>, %u: tensor<32x32xf16, #x>, %v: tensor<32x32xf16, #y>, %c: tensor<32x32xf32, #mma>) -> tensor<32x32xf32, #mma> {
  %w = ttg.local_load %from : !ttg.memdesc<32x32xf16, #s, mutable> -> tensor<32x32xf16, #x>
  %d = tt.dot %u, %v, %c : tensor<32x32xf16, #x> * tensor<32x32xf16, #y> -> tensor<32x32xf32, #mma>
  %e = tt.dot %w, %v, %d : tensor<32x32xf16, #x> * tensor<32x32xf16, #y> -> tensor<32x32xf32, #mma>
  tt.return %e : tensor<32x32xf32, #mma>
}
}

// -----

// A dot that is multiplied out loads its own by steps, and waits for none of another's.
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], order = [1, 0]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #b, kWidth = 1}>
#y = #ttg.dot_op<{opIdx = 1, parent = #b, kWidth = 1}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>
// CHECK-LABEL: tt.func private @multiplied_out
// CHECK: ttg.local_load %{{.*}} {ttg.overlap = #ttg.overlap<steps>}
// CHECK-NOT: overlap
// CHECK-NOT: interleave
// CHECK: tt.return
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @multiplied_out(%from: !ttg.memdesc<32x32xf16, #s, mutable>, %v: tensor<32x32xf16, #y>, %c: tensor<32x32xf32, #b>) -> tensor<32x32xf32, #b> {
  %w = ttg.local_load %from : !ttg.memdesc<32x32xf16, #s, mutable> -> tensor<32x32xf16, #x>
  %d = tt.dot %w, %v, %c : tensor<32x32xf16, #x> * tensor<32x32xf16, #y> -> tensor<32x32xf32, #b>
  tt.return %d : tensor<32x32xf32, #b>
}
}
