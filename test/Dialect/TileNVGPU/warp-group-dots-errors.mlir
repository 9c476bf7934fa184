// RUN: tritium-opt %s -split-input-file -ttng-warp-group-dots -verify-diagnostics -o /dev/null

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  tt.func private @columns(%x: tensor<64x16xf16, #a>, %y: tensor<16x24xf16, #b>, %z: tensor<64x24xf32, #mma>) -> tensor<64x24xf32, #mma> {
    // expected-error @+1 {{warp groups cannot do this dot, whose result has their layout: it takes multiples of 64x16x16 (M, N, K), and found 64x24x16}}
    %d = tt.dot %x, %y, %z : tensor<64x16xf16, #a> * tensor<16x24xf16, #b> -> tensor<64x24xf32, #mma>
    tt.return %d : tensor<64x24xf32, #mma>
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  tt.func private @bytes(%x: tensor<64x32xi8, #a>, %y: tensor<32x96xi8, #b>, %z: tensor<64x96xi32, #mma>) -> tensor<64x96xi32, #mma> {
    // expected-error @+1 {{of elements of 8 bits it takes powers of two, and found 64x96x32}}
    %d = tt.dot %x, %y, %z : tensor<64x32xi8, #a> * tensor<32x96xi8, #b> -> tensor<64x96xi32, #mma>
    tt.return %d : tensor<64x96xi32, #mma>
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 2]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 8 : i32} {
  tt.func private @shared(%x: tensor<64x16xf16, #a>, %y: tensor<16x96xf16, #b>, %z: tensor<64x96xf32, #mma>) -> tensor<64x96xf32, #mma> {
    // expected-error @+1 {{groups of four warps share rows in multiples of 64, and columns, if a power of two, in multiples of 16, all alike, and the result is 64x96 for 8 warps}}
    %d = tt.dot %x, %y, %z : tensor<64x16xf16, #a> * tensor<16x96xf16, #b> -> tensor<64x96xf32, #mma>
    tt.return %d : tensor<64x96xf32, #mma>
  }
}
