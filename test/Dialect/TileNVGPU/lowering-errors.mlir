// RUN: not tritium-opt %s --convert-ttg-to-llvm -o /dev/null 2>&1 | FileCheck %s
// The interpreter runs what the GPU back end does not know.
// RUN: tritium-interpret %s --bytes 256

// CHECK: lowering-errors.mlir:11:3: error: the GPU back end cannot lower {{.*}}ttng.mbarrier_init

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @k(%x: !tt.ptr<i32>) {
  %bar = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<1xi64, #one, mutable>
  ttng.mbarrier_init %bar, 1 : !ttg.memdesc<1xi64, #one, mutable>
  tt.return
}
}
