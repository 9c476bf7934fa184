// RUN: tritium-opt %s -ttng-store-boxes | FileCheck %s

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#s = #ttg.shared_linear<{offsets = [64, 128, 256, 512, 1024, 2048, 1, 2, 4, 8, 16, 32], shape = [64, 64]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // The launches that this code is for break what the copy needs.
  // CHECK-LABEL: @refused
  // CHECK-NOT: ttng.tma_store
  // CHECK: tt.store
  tt.func @refused(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}, %n: i32) attributes {tt.refused_copies = ["k.py:7:5"]} {
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #mma>
    %c64 = arith.constant 64 : i32
    %pid = tt.get_program_id 0 : i32
    %block = arith.muli %pid, %c64 overflow<nsw> : i32
    %blocks = tt.splat %block : i32 -> tensor<64xi32, #column>
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %i0 = arith.addi %blocks, %i overflow<nsw> : tensor<64xi32, #column>
    %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
    %i2 = arith.extsi %i1 : tensor<64x1xi32, #l> to tensor<64x1xi64, #l>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
    %pitches = tt.splat %pitch : i64 -> tensor<64x1xi64, #l>
    %rows = arith.muli %i2, %pitches : tensor<64x1xi64, #l>
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>, #l>
    %q0 = tt.addptr %q, %rows : tensor<64x1x!tt.ptr<f16>, #l>, tensor<64x1xi64, #l>
    %q1 = tt.broadcast %q0 : tensor<64x1x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #l>
    %q2 = tt.addptr %q1, %j2 : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %ends = tt.splat %n : i32 -> tensor<64x1xi32, #l>
    %in = arith.cmpi slt, %i1, %ends : tensor<64x1xi32, #l>
    %mask = tt.broadcast %in : tensor<64x1xi1, #l> -> tensor<64x64xi1, #l>
    %m = ttg.local_alloc init(%x : tensor<64x64xf16, #mma>) : !ttg.memdesc<64x64xf16, #s>
    %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf16, #l>
    tt.store %q2, %y, %mask : tensor<64x64x!tt.ptr<f16>, #l> loc("k.py":7:5)
    tt.return
  }
}
