// RUN: tritium-opt %s -split-input-file -tritium-ttgir-threads -convert-ttg-to-llvm | FileCheck %s
// RUN: tritium-opt %s -tritium-ttgir-threads -o %t.ttgir
// RUN: tritium compile --from %t.ttgir --target cuda:90 --emit ptx | FileCheck %s --check-prefix=PTX
// With more registers than a launch has, groups would wait for them for ever.
// RUN: sed 's/registers 232/registers 240/' %t.ttgir > %t.much.ttgir
// RUN: not tritium compile --from %t.much.ttgir --target cuda:90 2>&1 | FileCheck %s --check-prefix=MUCH
// Eight warps from the fourth one on cannot move theirs.
// RUN: sed 's/"load" warps 1 registers 40/"other" warps 1 registers 40 { } "load" warps 1/' %t.ttgir > %t.odd.ttgir
// RUN: not tritium compile --from %t.odd.ttgir --target cuda:90 2>&1 | FileCheck %s --check-prefix=ODD

// MUCH: error: the groups want 66560 registers, and have 64512, 168 a thread; lower the numbers of registers
// ODD: error: registers are given to four warps at once, and group "other" has 1 from warp 8 on

// Threads of a group count from 0, and meet at a barrier of their own. Three warps only give back
// their registers. The launch has 384 threads.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 8 : i32} {
// CHECK-LABEL: llvm.func @groups
// CHECK: nvvm.barrier0
// CHECK: llvm.inline_asm {{.*}}"setmaxnreg.inc.sync.aligned.u32 232;"
// CHECK: %[[NUMBER:.*]] = llvm.mlir.constant(15 : i32)
// CHECK: %[[THREADS:.*]] = llvm.mlir.constant(256 : i32)
// CHECK: nvvm.barrier id = %[[NUMBER]] number_of_threads = %[[THREADS]]
// CHECK: llvm.inline_asm {{.*}}"setmaxnreg.dec.sync.aligned.u32 40;"
// CHECK: nvvm.barrier0
// PTX-LABEL: .entry groups(
// PTX: .reqntid 384, 1, 1
// PTX: bar.sync 0;
// PTX: setmaxnreg.inc.sync.aligned.u32 232;
// PTX: bar.sync %r{{[0-9]+}}, %r{{[0-9]+}};
// PTX: setmaxnreg.dec.sync.aligned.u32 40;
// PTX: bar.sync 0;
tt.func @groups(%p: !tt.ptr<i32> {tt.name = "p"}) {
  ttg.warp_groups "compute" warps 8 registers 232 {
    %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #b>
    %s = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
    %q = tt.addptr %s, %i : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
    ttg.barrier
    tt.store %q, %i : tensor<256x!tt.ptr<i32>, #b>
  } "load" warps 1 registers 40 {
    %i = tt.make_range {start = 256 : i32, end = 288 : i32} : tensor<32xi32, #c>
    %s = tt.splat %p : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #c>
    %q = tt.addptr %s, %i : tensor<32x!tt.ptr<i32>, #c>, tensor<32xi32, #c>
    tt.store %q, %i : tensor<32x!tt.ptr<i32>, #c>
  }
  tt.return
}
}
