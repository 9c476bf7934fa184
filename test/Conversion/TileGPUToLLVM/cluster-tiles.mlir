// RUN: tritium-opt %s -convert-ttg-to-llvm | FileCheck %s

// Of a tile, who holds an element stores it to each CTA.
#rows = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32} {
// CHECK-LABEL: llvm.func @tiles
// CHECK-COUNT-2: st.shared::cluster.b16 [there], $3;\0A\09}", "b,r,r,h"
// CHECK-NOT: st.shared::cluster
tt.func @tiles(%x: f16) {
  %m = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<2x64xf16, #rows, mutable>
  %xs = tt.splat %x : f16 -> tensor<64xf16, #b>
  ttng.cluster_arrive relaxed
  ttng.cluster_wait
  ttng.cluster_store %xs, %m : tensor<64xf16, #b> -> !ttg.memdesc<2x64xf16, #rows, mutable>
  ttng.cluster_arrive
  ttng.cluster_wait
  tt.return
}
}
