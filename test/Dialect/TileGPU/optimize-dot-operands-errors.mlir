// RUN: tritium-opt %s -ttg-optimize-dot-operands | FileCheck %s

// Operands that cannot be read where they lie: their conversion stays.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [2, 2]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
// CHECK-DAG: #[[$BLOCKED:.*]] = #ttg.blocked
module attributes {"ttg.num-warps" = 4 : i32} {
  // Nothing speaks against this one.
  // CHECK-LABEL: @plain
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.return
  tt.func private @plain(%m: !ttg.memdesc<32x64xf16, #shared, mutable>, %a: tensor<64x32xf16, #a>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %x = ttg.local_load %m : !ttg.memdesc<32x64xf16, #shared, mutable> -> tensor<32x64xf16, #blocked>
    %b = ttg.convert_layout %x : tensor<32x64xf16, #blocked> -> tensor<32x64xf16, #b>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // Computed of two tiles.
  // CHECK-LABEL: @two_operands
  // CHECK: ttg.local_load {{.*}} -> tensor<32x64xf16, #[[$BLOCKED]]>
  // CHECK: ttg.convert_layout
  // CHECK: tt.return
  tt.func private @two_operands(%m: !ttg.memdesc<32x64xf16, #shared, mutable>, %a: tensor<64x32xf16, #a>, %c: tensor<64x64xf32, #mma>, %z: tensor<32x64xf16, #blocked>) -> tensor<64x64xf32, #mma> {
    %x = ttg.local_load %m : !ttg.memdesc<32x64xf16, #shared, mutable> -> tensor<32x64xf16, #blocked>
    %y = arith.addf %x, %z : tensor<32x64xf16, #blocked>
    %b = ttg.convert_layout %y : tensor<32x64xf16, #blocked> -> tensor<32x64xf16, #b>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // A step on the way has another use.
  // CHECK-LABEL: @used_twice
  // CHECK: ttg.local_load {{.*}} -> tensor<32x64xf16, #[[$BLOCKED]]>
  // CHECK: ttg.convert_layout
  // CHECK: tt.return
  tt.func private @used_twice(%m: !ttg.memdesc<32x64xf16, #shared, mutable>, %a: tensor<64x32xf16, #a>, %c: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<32x64xf16, #blocked>) {
    %x = ttg.local_load %m : !ttg.memdesc<32x64xf16, #shared, mutable> -> tensor<32x64xf16, #blocked>
    %y = arith.negf %x : tensor<32x64xf16, #blocked>
    %b = ttg.convert_layout %y : tensor<32x64xf16, #blocked> -> tensor<32x64xf16, #b>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d, %y : tensor<64x64xf32, #mma>, tensor<32x64xf16, #blocked>
  }

  // A part of the buffer.
  // CHECK-LABEL: @part
  // CHECK: ttg.local_load {{.*}} -> tensor<32x64xf16, #[[$BLOCKED]]>
  // CHECK: ttg.convert_layout
  // CHECK: tt.return
  tt.func private @part(%m: !ttg.memdesc<64x64xf16, #shared, mutable>, %a: tensor<64x32xf16, #a>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %x = ttg.local_load %m {offsets = array<i64: 0, 0>} : !ttg.memdesc<64x64xf16, #shared, mutable> -> tensor<32x64xf16, #blocked>
    %b = ttg.convert_layout %x : tensor<32x64xf16, #blocked> -> tensor<32x64xf16, #b>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // Not from shared memory.
  // CHECK-LABEL: @registers
  // CHECK-NOT: ttg.local_load
  // CHECK: ttg.convert_layout
  // CHECK: tt.return
  tt.func private @registers(%m: !ttg.memdesc<32x64xf16, #shared, mutable>, %a: tensor<64x32xf16, #a>, %c: tensor<64x64xf32, #mma>, %x: tensor<32x64xf16, #blocked>) -> tensor<64x64xf32, #mma> {
    %b = ttg.convert_layout %x : tensor<32x64xf16, #blocked> -> tensor<32x64xf16, #b>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // The third operand is no fragment that is read.
  // CHECK-LABEL: @sum
  // CHECK: ttg.local_load {{.*}} -> tensor<64x64xf32, #[[$BLOCKED]]>
  // CHECK: ttg.convert_layout
  // CHECK: tt.return
  tt.func private @sum(%m: !ttg.memdesc<32x64xf16, #shared, mutable>, %a: tensor<64x32xf16, #a>, %c: tensor<64x64xf32, #mma>, %n: !ttg.memdesc<64x64xf32, #shared, mutable>, %b: tensor<32x64xf16, #b>) -> tensor<64x64xf32, #mma> {
    %x = ttg.local_load %n : !ttg.memdesc<64x64xf32, #shared, mutable> -> tensor<64x64xf32, #blocked>
    %s = ttg.convert_layout %x : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #mma>
    %d = tt.dot %a, %b, %s : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }
}
