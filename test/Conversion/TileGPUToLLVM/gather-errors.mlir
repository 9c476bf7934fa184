// RUN: tritium-opt %s -split-input-file -verify-diagnostics -convert-ttg-to-llvm

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.target" = #ttg.target<compute = 80>} {
tt.func @gather() {
  %x = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
  // expected-error @+1 {{elements change their warps in this gather, or it is not said that they do not; run ttg-plan-exchanges first}}
  %y = tt.gather %x[%x] along 0 : tensor<128xi32, #b>[tensor<128xi32, #b>] -> tensor<128xi32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.target" = #ttg.target<compute = 80>} {
tt.func @bits() {
  %x = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
  %two = arith.constant dense<2> : tensor<128xi32, #b>
  %i = arith.xori %x, %two : tensor<128xi32, #b>
  // expected-error @+1 {{ttg.exchanged_bits says that places differ in the bits 1, but the indices say 2}}
  %y = tt.gather %x[%i] along 0 {ttg.exchanged_bits = 1 : i64} : tensor<128xi32, #b>[tensor<128xi32, #b>] -> tensor<128xi32, #b>
  tt.return
}
}

// -----

// Places that differ in bit 5 are those of another warp.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.target" = #ttg.target<compute = 80>} {
tt.func @warps() {
  %x = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
  // expected-error @+1 {{elements change their warps in this gather}}
  %y = tt.gather %x[%x] along 0 {ttg.exchanged_bits = 32 : i64} : tensor<128xi32, #b>[tensor<128xi32, #b>] -> tensor<128xi32, #b>
  tt.return
}
}
