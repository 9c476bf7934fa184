// RUN: tritium-opt %s -tritium-ttgir-threads -o %t.ttgir
// RUN: tritium-interpret %t.ttgir --grid 2,2 --bytes 16000 --set m=100 --set n=72 --set pitch=80 > %t.boxes
// RUN: tritium-interpret %S/Inputs/add-places.ttir --grid 2,2 --bytes 16000 --set m=100 --set n=72 --set pitch=80 | diff %t.boxes -
// RUN: tritium compile --from %t.ttgir --target cuda:90 | FileCheck %s

// A tile comes by TMA, each element gets a number of its place added, and goes back by TMA. The
// interpreter computes what it does of pointers, and ptxas takes the code.
// test/python/test_tensor_copies.py runs it on the simulator.
#bar = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: .entry add_places(
// CHECK: .param .align 64 .b8 add_places_param_5[128],
// CHECK-NEXT: .param .align 64 .b8 add_places_param_6[128]
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK: bar.sync
// CHECK: mbarrier.arrive.expect_tx
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global
// CHECK: mbarrier.try_wait.parity
// CHECK: fence.proxy.async.shared::cta;
// CHECK: bar.sync
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta
// CHECK: cp.async.bulk.wait_group 0;
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
tt.func @add_places(%x: !tt.ptr<f16> {tt.name = "x"}, %y: !tt.ptr<f16> {tt.name = "y"}, %m: i32 {tt.name = "m"}, %n: i32 {tt.name = "n"}, %pitch: i32 {tt.name = "pitch"}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %c16 = arith.constant dense<16> : tensor<64x1xi32, #rows>
  %rows = arith.extsi %m : i32 to i64
  %columns = arith.extsi %n : i32 to i64
  %stride = arith.extsi %pitch : i32 to i64
  %pid0 = tt.get_program_id 0 : i32
  %pid1 = tt.get_program_id 1 : i32
  %i = arith.muli %pid0, %c64 : i32
  %j = arith.muli %pid1, %c64 : i32
  %bar = ttg.local_alloc : !ttg.memdesc<1xi64, #bar, mutable>
  %tile = ttg.local_alloc {alignment = 1024 : i32} : !ttg.memdesc<64x64xf16, #s, mutable>
  ttng.mbarrier_init %bar, 1 : !ttg.memdesc<1xi64, #bar, mutable>
  ttg.barrier
  ttng.mbarrier_expect %bar, 8192 : !ttg.memdesc<1xi64, #bar, mutable>
  ttng.tma_load %x[%i, %j] shape [%rows, %columns] strides [%stride, %one], %tile, %bar : !tt.ptr<f16>, !ttg.memdesc<64x64xf16, #s, mutable>, !ttg.memdesc<1xi64, #bar, mutable>
  ttng.mbarrier_wait %bar, %c0 : !ttg.memdesc<1xi64, #bar, mutable>
  %r0 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>>
  %r1 = tt.expand_dims %r0 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<64x1xi32, #rows>
  %r2 = arith.muli %r1, %c16 : tensor<64x1xi32, #rows>
  %q0 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>>
  %q1 = tt.expand_dims %q0 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x64xi32, #rows>
  %r = tt.broadcast %r2 : tensor<64x1xi32, #rows> -> tensor<64x64xi32, #rows>
  %q = tt.broadcast %q1 : tensor<1x64xi32, #rows> -> tensor<64x64xi32, #rows>
  %place = arith.addi %r, %q : tensor<64x64xi32, #rows>
  %number = arith.sitofp %place : tensor<64x64xi32, #rows> to tensor<64x64xf16, #rows>
  %v = ttg.local_load %tile : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #rows>
  %w = arith.addf %v, %number : tensor<64x64xf16, #rows>
  ttg.barrier
  ttg.local_store %w, %tile : tensor<64x64xf16, #rows>, !ttg.memdesc<64x64xf16, #s, mutable>
  ttng.fence_async_proxy
  ttg.barrier
  ttng.tma_store %tile, %y[%i, %j] shape [%rows, %columns] strides [%stride, %one] : !ttg.memdesc<64x64xf16, #s, mutable>, !tt.ptr<f16>
  ttng.tma_store_commit
  ttng.tma_store_wait {pendings = 0 : i32}
  tt.return
}
}
