// RUN: tritium-opt %s -split-input-file -convert-ttg-to-llvm | FileCheck %s

// Eight warps, each with the threads, the shared memory and the barrier of a program: those of
// a CTA have programs that follow one another.
// CHECK-LABEL: llvm.func @turn(
// CHECK-SAME: nvvm.minctasm = 5 : i32, nvvm.reqntid = array<i32: 256>
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[LANE:.*]] = llvm.and %[[TID]], %{{.*}} : i32
// CHECK: %[[SHARED:.*]] = llvm.mlir.addressof @tritium_shared
// CHECK: %[[WARP:.*]] = llvm.lshr %[[TID]], %{{.*}} : i32
// CHECK: %[[PLACE:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[WARP]],
// CHECK: %[[PITCH:.*]] = llvm.mlir.constant(288 : i32)
// CHECK: %[[AT:.*]] = llvm.mul %[[PLACE]], %[[PITCH]]
// CHECK: %[[OWN:.*]] = llvm.getelementptr %[[SHARED]][%[[AT]]]
// CHECK: %[[CTA:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i32)
// CHECK: %[[BEFORE:.*]] = llvm.mul %[[CTA]], %[[EIGHT]]
// CHECK: llvm.add %[[BEFORE]], %[[PLACE]]
// CHECK: %[[CTAS:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK: llvm.mul %[[CTAS]], %{{.*}}
// CHECK-NOT: nvvm.barrier
// CHECK: nvvm.bar.warp.sync
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.return
#l = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @turn(%x: !tt.ptr<i32>) attributes {ttg.persistent, ttg.programs_at_once = 40 : i32, ttg.programs_per_cta = 8 : i32} {
  %n = tt.get_num_programs 0 : i32
  %first = ttg.cta_id : i32
  %step = ttg.num_ctas : i32
  scf.for %p = %first to %n step %step : i32 {
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #l>
    %m = ttg.local_alloc init(%r : tensor<64xi32, #l>) {alignment = 32 : i32, offset = 32 : i32} : !ttg.memdesc<64xi32, #s>
    ttg.barrier
    %v = ttg.local_load %m : !ttg.memdesc<64xi32, #s> -> tensor<64xi32, #l>
    %xx = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #l>
    %q = tt.addptr %xx, %v : tensor<64x!tt.ptr<i32>, #l>, tensor<64xi32, #l>
    tt.store %q, %r : tensor<64x!tt.ptr<i32>, #l>
    ttg.barrier
  } {ttg.programs}
  tt.return
}
}
