// RUN: tritium-opt %s -verify-diagnostics -ttg-coalesce
// RUN: tritium-opt %s -verify-diagnostics -ttg-accelerate-matmul
// RUN: tritium-opt %s -verify-diagnostics -ttg-remove-layout-conversions
// RUN: tritium-opt %s -verify-diagnostics -ttg-optimize-thread-locality
// RUN: tritium-opt %s -verify-diagnostics -ttg-optimize-dot-operands
// RUN: tritium-opt %s -verify-diagnostics -ttg-reduce-data-duplication

// What is skipped was found for one layout: passes that change layouts come before.
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func private @skipped(%m: tensor<1024xi1, #b>, %v: tensor<1024xf32, #b>, %p: tensor<1024x!tt.ptr<f32>, #b>) {
    // expected-error @+1 {{layouts cannot change behind ttg-skip-masked-registers, which has found what is skipped for this one; run it last}}
    ttg.skip_masked %m along 0 from [512] : tensor<1024xi1, #b> {
      %z = arith.addf %v, %v : tensor<1024xf32, #b>
      tt.store %p, %z, %m : tensor<1024x!tt.ptr<f32>, #b>
    }
    tt.return
  }
}
