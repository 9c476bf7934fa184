// RUN: tritium-opt %s -ttg-reduce-data-duplication | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [2, 2]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#rows = #ttg.mma<{version = 2, warpsPerCTA = [4, 1]}>
#rowsA = #ttg.dot_op<{opIdx = 0, parent = #rows, kWidth = 2}>
#rowsB = #ttg.dot_op<{opIdx = 1, parent = #rows, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // Both operands are stored before either is loaded, so that one barrier does.
  // CHECK-LABEL: @operands
  // CHECK: %[[MA:.*]] = ttg.local_alloc init(%{{.*}}) : <64x32xf16
  // CHECK: %[[MB:.*]] = ttg.local_alloc init(%{{.*}}) : <32x64xf16
  // CHECK: %[[A:.*]] = ttg.local_load %[[MA]]
  // CHECK: %[[B:.*]] = ttg.local_load %[[MB]]
  // CHECK: tt.dot %[[A]], %[[B]]
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func private @operands(%pa: tensor<64x32x!tt.ptr<f16>, #blocked>, %pb: tensor<32x64x!tt.ptr<f16>, #blocked>, %pc: tensor<64x64x!tt.ptr<f32>, #mma>) {
    %x = tt.load %pa : tensor<64x32x!tt.ptr<f16>, #blocked>
    %y = tt.load %pb : tensor<32x64x!tt.ptr<f16>, #blocked>
    %c = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %a = ttg.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
    %b = ttg.convert_layout %y : tensor<32x64xf16, #blocked> -> tensor<32x64xf16, #b>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.store %pc, %d : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }

  // What a loop around the dot takes from outside is converted once, to registers. So is what
  // lanes have already: the accumulators of one dot are the first operand of the next.
  // CHECK-LABEL: @stays
  // CHECK-NOT: ttg.local_alloc
  // CHECK: tt.return
  tt.func private @stays(%pb: tensor<64x64x!tt.ptr<f16>, #blocked>, %pc: tensor<64x64x!tt.ptr<f16>, #rows>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %y = tt.load %pb : tensor<64x64x!tt.ptr<f16>, #blocked>
    %b = ttg.convert_layout %y : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #rowsB>
    %c = arith.constant dense<0.0> : tensor<64x64xf16, #rows>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf16, #rows>) : i32 {
      %a = ttg.convert_layout %acc : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #rowsA>
      %d = tt.dot %a, %b, %c : tensor<64x64xf16, #rowsA> * tensor<64x64xf16, #rowsB> -> tensor<64x64xf16, #rows>
      scf.yield %d : tensor<64x64xf16, #rows>
    }
    tt.store %pc, %r : tensor<64x64x!tt.ptr<f16>, #rows>
    tt.return
  }
}
