// RUN: tritium-opt %s -ttg-reduce-data-duplication | FileCheck %s

// Operands of dots that are not put into shared memory: their conversion stays.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [2, 2]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // Nothing speaks against this one.
  // CHECK-LABEL: @plain
  // CHECK: ttg.local_alloc
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func private @plain(%x: tensor<32x64xf16, #blocked>, %a: tensor<64x32xf16, #a>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %b = ttg.convert_layout %x : tensor<32x64xf16, #blocked> -> tensor<32x64xf16, #b>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // Something else uses the fragments.
  // CHECK-LABEL: @used_twice
  // CHECK-NOT: ttg.local_alloc
  // CHECK: tt.return
  tt.func private @used_twice(%x: tensor<32x64xf16, #blocked>, %a: tensor<64x32xf16, #a>, %c: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<32x64xf16, #b>) {
    %b = ttg.convert_layout %x : tensor<32x64xf16, #blocked> -> tensor<32x64xf16, #b>
    %e = arith.negf %b : tensor<32x64xf16, #b>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d, %e : tensor<64x64xf32, #mma>, tensor<32x64xf16, #b>
  }

  // Nor is what uses them a dot.
  // CHECK-LABEL: @not_of_a_dot
  // CHECK-NOT: ttg.local_alloc
  // CHECK: tt.return
  tt.func private @not_of_a_dot(%x: tensor<32x64xf16, #blocked>) -> tensor<32x64xf16, #b> {
    %b = ttg.convert_layout %x : tensor<32x64xf16, #blocked> -> tensor<32x64xf16, #b>
    %d = arith.negf %b : tensor<32x64xf16, #b>
    tt.return %d : tensor<32x64xf16, #b>
  }

  // Shared memory holds no tile of 48 rows as such.
  // CHECK-LABEL: @extent
  // CHECK-NOT: ttg.local_alloc
  // CHECK: tt.return
  tt.func private @extent(%x: tensor<48x64xf16, #blocked>, %a: tensor<64x48xf16, #a>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %b = ttg.convert_layout %x : tensor<48x64xf16, #blocked> -> tensor<48x64xf16, #b>
    %d = tt.dot %a, %b, %c : tensor<64x48xf16, #a> * tensor<48x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // The sum is no operand that lanes hold several times.
  // CHECK-LABEL: @result
  // CHECK-NOT: ttg.local_alloc
  // CHECK: tt.return
  tt.func private @result(%x: tensor<64x64xf32, #blocked>, %a: tensor<64x32xf16, #a>, %b: tensor<32x64xf16, #b>) -> tensor<64x64xf32, #mma> {
    %s = ttg.convert_layout %x : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #mma>
    %d = tt.dot %a, %b, %s : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }
}
