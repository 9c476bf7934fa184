// Launches overlap from compute capability 9.0 on.
// RUN: not tritium-opt %s -convert-tt-to-ttg="num-warps=1 compute-capability=80" -convert-ttg-to-llvm 2>&1 | FileCheck %s
// CHECK: error: overlapping launches begin with compute capability 9.0, and this GPU has 8.0
tt.func @kernel() {
  tt.grid_dependency wait
  tt.return
}
