// RUN: tritium-opt %s -split-input-file -verify-diagnostics -convert-tt-to-ttg
// RUN: not tritium-opt %S/Inputs/add.mlir -convert-tt-to-ttg=num-warps=3 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not tritium-opt %S/Inputs/add.mlir -convert-tt-to-ttg=num-warps=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tritium-opt %S/Inputs/add.mlir -convert-tt-to-ttg=num-warps=64 2>&1 | FileCheck %s --check-prefix=MANY

// THREE: error: num-warps must be a power of two from 1 to 32, found 3
// NONE: error: num-warps must be a power of two from 1 to 32, found 0
// MANY: error: num-warps must be a power of two from 1 to 32, found 64

// expected-error @+1 {{a function of a GPU program can neither take nor return a tile, found 'tensor<32xf32>'; inline it}}
tt.func private @takes(%x: tensor<32xf32>) {
  tt.return
}

// -----

// expected-error @+1 {{a function of a GPU program can neither take nor return a tile, found 'tensor<4xi32>'; inline it}}
tt.func private @returns() -> tensor<4xi32>

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func @twice() {
  // expected-error @+1 {{has a layout already}}
  %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #b>
  tt.return
}
