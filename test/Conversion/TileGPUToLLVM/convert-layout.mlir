// RUN: tritium-opt %s -split-input-file -tritium-ttgir-threads -convert-ttg-to-llvm | FileCheck %s

// Each lane holds two neighbours and wants one of two halves of the tile: one exchange between
// pairs of lanes 16 apart, each of which sends one of its two registers.
#pairs = #ttg.linear<{register = [1], lane = [2, 4, 8, 16, 32], warp = [64, 128], shape = [256]}>
#halves = #ttg.linear<{register = [32], lane = [2, 4, 8, 16, 1], warp = [64, 128], shape = [256]}>
// CHECK-LABEL: llvm.func @exchange
// CHECK-NOT: nvvm.barrier0
// CHECK: %[[UPPER:.*]] = llvm.icmp "ne"
// CHECK: %[[OFFERED:.*]] = llvm.select %[[UPPER]]
// CHECK: %[[SIXTEEN:.*]] = llvm.mlir.constant(16 : i32)
// CHECK: %[[BROUGHT:.*]] = nvvm.shfl.sync  bfly %{{.*}}, %[[OFFERED]], %[[SIXTEEN]]
// CHECK: llvm.select
// CHECK-NOT: nvvm.shfl
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.return
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @exchange(%p: !tt.ptr<i32>) {
    %x = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #pairs>
    %y = ttg.convert_layout %x : tensor<256xi32, #pairs> -> tensor<256xi32, #halves>
    %base = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #halves>
    tt.store %base, %y : tensor<256x!tt.ptr<i32>, #halves>
    tt.return
  }
}

// -----

// Lanes change places, in registers of two halves: one word, no select.
#a = #ttg.linear<{register = [1], lane = [2, 4, 8, 16, 32], warp = [64, 128], shape = [256]}>
#b = #ttg.linear<{register = [1], lane = [4, 2, 8, 16, 32], warp = [64, 128], shape = [256]}>
// CHECK-LABEL: llvm.func @words
// CHECK-NOT: llvm.select
// CHECK: llvm.bitcast %{{.*}} : vector<2xi16> to i32
// CHECK: nvvm.shfl.sync  idx %{{.*}} : i32 -> i32
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @words(%p: !tt.ptr<f16>, %v: f16) {
    %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #a>
    %x = arith.sitofp %r : tensor<256xi32, #a> to tensor<256xf16, #a>
    %y = ttg.convert_layout %x : tensor<256xf16, #a> -> tensor<256xf16, #b>
    %base = tt.splat %p : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>, #b>
    tt.store %base, %y : tensor<256x!tt.ptr<f16>, #b>
    tt.return
  }
}

// -----

// 64 bits are two words.
#a = #ttg.linear<{register = [], lane = [1, 2, 4, 8, 16], warp = [], shape = [32]}>
#b = #ttg.linear<{register = [], lane = [16, 2, 4, 8, 1], warp = [], shape = [32]}>
// CHECK-LABEL: llvm.func @long
// CHECK-COUNT-2: nvvm.shfl.sync  idx
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @long(%p: !tt.ptr<i64>) {
    %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #a>
    %x = arith.extsi %r : tensor<32xi32, #a> to tensor<32xi64, #a>
    %y = ttg.convert_layout %x : tensor<32xi64, #a> -> tensor<32xi64, #b>
    %base = tt.splat %p : !tt.ptr<i64> -> tensor<32x!tt.ptr<i64>, #b>
    tt.store %base, %y : tensor<32x!tt.ptr<i64>, #b>
    tt.return
  }
}

// -----

// Each warp holds a copy of everything, so what the other layout gives to another warp is in
// the warp already.
#copies = #ttg.linear<{register = [32], lane = [1, 2, 4, 8, 16], warp = [0], shape = [64]}>
#spread = #ttg.linear<{register = [], lane = [2, 1, 4, 8, 16], warp = [32], shape = [64]}>
// CHECK-LABEL: llvm.func @copies
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.select
// CHECK: nvvm.shfl.sync  idx
// CHECK-NOT: nvvm.shfl
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.return
module attributes {"ttg.num-warps" = 2 : i32} {
  tt.func @copies(%p: !tt.ptr<i32>) {
    %x = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #copies>
    %y = ttg.convert_layout %x : tensor<64xi32, #copies> -> tensor<64xi32, #spread>
    %base = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #spread>
    tt.store %base, %y : tensor<64x!tt.ptr<i32>, #spread>
    tt.return
  }
}

// -----

// 32 registers of a lane that all go to other lanes would take ten selects each: shared memory
// is less work.
#rows = #ttg.linear<{register = [1, 2, 4, 8, 16], lane = [32, 64, 128, 256, 512], warp = [], shape = [1024]}>
#columns = #ttg.linear<{register = [32, 64, 128, 256, 512], lane = [1, 2, 4, 8, 16], warp = [], shape = [1024]}>
// CHECK-LABEL: llvm.func @much
// CHECK-NOT: nvvm.shfl
// CHECK: nvvm.barrier0
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @much(%p: !tt.ptr<i32>) {
    %x = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #rows>
    %y = ttg.convert_layout %x : tensor<1024xi32, #rows> -> tensor<1024xi32, #columns>
    %base = tt.splat %p : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #columns>
    tt.store %base, %y : tensor<1024x!tt.ptr<i32>, #columns>
    tt.return
  }
}
