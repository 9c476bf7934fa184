// RUN: tritium-opt %s -split-input-file -ttg-plan-exchanges | FileCheck %s

// Of 512 places, registers tell bits 0 and 1 apart, lanes 2 to 6, warps 7 and 8. Only what goes to other
// warps goes through memory, once for both gathers of one tile.
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func private @bits
// CHECK-NOT: local_alloc
// CHECK: tt.gather {{.*}} {ttg.exchanged_bits = 2 : i64}
// CHECK-NOT: local_alloc
// CHECK: tt.gather {{.*}} {ttg.exchanged_bits = 127 : i64}
// CHECK: %[[M:.*]] = ttg.local_alloc
// CHECK: ttg.local_gather %[[M]][
// CHECK-NOT: local_alloc
// CHECK: ttg.local_gather %[[M]][
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @bits(%x: tensor<512xf32, #b>) -> (tensor<512xf32, #b>, tensor<512xf32, #b>, tensor<512xf32, #b>, tensor<512xf32, #b>) {
  %place = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
  %c2 = arith.constant dense<2> : tensor<512xi32, #b>
  %c127 = arith.constant dense<127> : tensor<512xi32, #b>
  %c128 = arith.constant dense<128> : tensor<512xi32, #b>
  %c511 = arith.constant dense<511> : tensor<512xi32, #b>
  %i2 = arith.xori %place, %c2 : tensor<512xi32, #b>
  %i127 = arith.xori %place, %c127 : tensor<512xi32, #b>
  %i128 = arith.xori %place, %c128 : tensor<512xi32, #b>
  %i511 = arith.xori %place, %c511 : tensor<512xi32, #b>
  %a = tt.gather %x[%i2] along 0 : tensor<512xf32, #b>[tensor<512xi32, #b>] -> tensor<512xf32, #b>
  %b = tt.gather %x[%i127] along 0 : tensor<512xf32, #b>[tensor<512xi32, #b>] -> tensor<512xf32, #b>
  %c = tt.gather %x[%i128] along 0 : tensor<512xf32, #b>[tensor<512xi32, #b>] -> tensor<512xf32, #b>
  %d = tt.gather %x[%i511] along 0 : tensor<512xf32, #b>[tensor<512xi32, #b>] -> tensor<512xf32, #b>
  tt.return %a, %b, %c, %d : tensor<512xf32, #b>, tensor<512xf32, #b>, tensor<512xf32, #b>, tensor<512xf32, #b>
}
}

// -----

// The places are those along the axis, whatever dimensions have come since.
#b = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.slice<{dim = 0, parent = #b}>
// CHECK-LABEL: tt.func private @rows
// CHECK-NOT: local_alloc
// CHECK: tt.gather {{.*}} along 1 {ttg.exchanged_bits = 3 : i64}
// CHECK: local_alloc
// CHECK: ttg.local_gather {{.*}} along 0
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @rows(%x: tensor<32x32xf32, #b>) -> (tensor<32x32xf32, #b>, tensor<32x32xf32, #b>) {
  %place = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #s>
  %c3 = arith.constant dense<3> : tensor<32xi32, #s>
  %i = arith.xori %place, %c3 : tensor<32xi32, #s>
  %row = tt.expand_dims %i {axis = 0 : i32} : tensor<32xi32, #s> -> tensor<1x32xi32, #b>
  %all = tt.broadcast %row : tensor<1x32xi32, #b> -> tensor<32x32xi32, #b>
  %a = tt.gather %x[%all] along 1 : tensor<32x32xf32, #b>[tensor<32x32xi32, #b>] -> tensor<32x32xf32, #b>
  %b = tt.gather %x[%all] along 0 : tensor<32x32xf32, #b>[tensor<32x32xi32, #b>] -> tensor<32x32xf32, #b>
  tt.return %a, %b : tensor<32x32xf32, #b>, tensor<32x32xf32, #b>
}
}

// -----

// Premises that do not hold: the places do not begin at 0, a bit is beyond them, the axis repeats a
// smaller layout, and source and result have other layouts.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
// CHECK-LABEL: tt.func private @premises
// CHECK-NOT: exchanged_bits
// CHECK: tt.return
module attributes {"ttg.num-warps" = 1 : i32} {
tt.func private @premises(%x: tensor<64xf32, #b>, %y: tensor<96xf32, #b>, %z: tensor<64xf32, #c>) -> (tensor<64xf32, #b>, tensor<64xf32, #b>, tensor<96xf32, #b>, tensor<64xf32, #b>) {
  %one = arith.constant dense<1> : tensor<64xi32, #b>
  %c64 = arith.constant dense<64> : tensor<64xi32, #b>
  %ones = arith.constant dense<1> : tensor<96xi32, #b>
  %place = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
  %later = tt.make_range {start = 64 : i32, end = 128 : i32} : tensor<64xi32, #b>
  %places = tt.make_range {start = 0 : i32, end = 96 : i32} : tensor<96xi32, #b>
  %i = arith.xori %later, %one : tensor<64xi32, #b>
  %j = arith.xori %place, %c64 : tensor<64xi32, #b>
  %k = arith.xori %places, %ones : tensor<96xi32, #b>
  %l = arith.xori %place, %one : tensor<64xi32, #b>
  %a = tt.gather %x[%i] along 0 : tensor<64xf32, #b>[tensor<64xi32, #b>] -> tensor<64xf32, #b>
  %b = tt.gather %x[%j] along 0 : tensor<64xf32, #b>[tensor<64xi32, #b>] -> tensor<64xf32, #b>
  %c = tt.gather %y[%k] along 0 : tensor<96xf32, #b>[tensor<96xi32, #b>] -> tensor<96xf32, #b>
  %d = tt.gather %z[%l] along 0 : tensor<64xf32, #c>[tensor<64xi32, #b>] -> tensor<64xf32, #b>
  tt.return %a, %b, %c, %d : tensor<64xf32, #b>, tensor<64xf32, #b>, tensor<96xf32, #b>, tensor<64xf32, #b>
}
}
