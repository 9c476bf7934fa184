// RUN: tritium-opt %s -ttg-schedule-loops=num-stages=3 | FileCheck %s
// RUN: tritium-opt %s -ttg-schedule-loops=num-stages=3 -ttg-expand-pipeline -ttng-warp-group-dots -canonicalize -cse -ttg-allocate-shared-memory -ttng-place-fences -ttg-place-barriers | FileCheck %s --check-prefix=EXPANDED

#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#row = #ttg.slice<{dim = 0, parent = #l}>
#column = #ttg.slice<{dim = 1, parent = #l}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {

// The dot goes on while the next iteration begins. Behind it, and the wait for the last one, the
// buffer of that is free: three buffers are enough for copies two iterations ahead.
// CHECK-LABEL: @one_dot
// CHECK: scf.for
// CHECK: tt.load {{.*}}ttg.schedule = #ttg.schedule<stage = 0, order = 3>
// CHECK: tt.load {{.*}}ttg.schedule = #ttg.schedule<stage = 0, order = 3>
// CHECK: tt.dot {{.*}}ttg.schedule = #ttg.schedule<stage = 2, order = 2>
// CHECK: tt.addptr {{.*}}ttg.schedule = #ttg.schedule<stage = 0, order = 0>
// CHECK: } {ttg.stages = 3 : i32}
// EXPANDED-LABEL: @one_dot
// EXPANDED: ttg.local_alloc {{.*}} : <3x64x64xf16,
// EXPANDED: scf.for
// EXPANDED: ttg.async_wait {num = 1 : i32}
// EXPANDED: ttg.barrier {hazard = "read after write,
// EXPANDED: ttng.warp_group_dot
// EXPANDED-NEXT: ttng.warp_group_dot_wait {pendings = 1 : i32}
// EXPANDED: ttg.barrier {hazard = "write after read,
// EXPANDED: ttg.async_copy_global_to_local
// EXPANDED: ttg.async_copy_global_to_local
// EXPANDED-NOT: ttg.barrier
// EXPANDED: scf.yield
tt.func @one_dot(%px: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %py: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %step = arith.constant dense<64> : tensor<64x64xi32, #l>
  %pitch = arith.constant dense<1024> : tensor<64x1xi32, #l>
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
  %r1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
  %r2 = arith.muli %r1, %pitch : tensor<64x1xi32, #l>
  %r3 = tt.broadcast %r2 : tensor<64x1xi32, #l> -> tensor<64x64xi32, #l>
  %k1 = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
  %k2 = tt.broadcast %k1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
  %o = arith.addi %r3, %k2 : tensor<64x64xi32, #l>
  %xs = tt.splat %px : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #l>
  %x = tt.addptr %xs, %o : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
  %ys = tt.splat %py : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #l>
  %y = tt.addptr %ys, %o : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y, %c = %zero) -> (tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xf32, #mma>) : i32 {
    %u = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %v = tt.load %q : tensor<64x64x!tt.ptr<f16>, #l>
    %u1 = ttg.convert_layout %u : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
    %v1 = ttg.convert_layout %v : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
    %d = tt.dot %u1, %v1, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %p1 = tt.addptr %p, %step : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %q1 = tt.addptr %q, %step : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    scf.yield %p1, %q1, %d : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xf32, #mma>
  }
  tt.store %outs, %r#2 : tensor<64x64x!tt.ptr<f32>, #mma>
  tt.return
}

// Two dots are waited for where they stand, so that nothing reads the last iteration's buffers any
// more: the copies start in front of them.
// CHECK-LABEL: @two_dots
// CHECK: tt.load {{.*}}ttg.schedule = #ttg.schedule<stage = 0, order = 1>
// CHECK: tt.dot {{.*}}ttg.schedule = #ttg.schedule<stage = 2, order = 2>
// CHECK: } {ttg.stages = 3 : i32}
// EXPANDED-LABEL: @two_dots
// EXPANDED: scf.for
// EXPANDED: ttg.barrier {hazard = "write after read,
// EXPANDED: ttg.async_copy_global_to_local
// EXPANDED-NOT: ttg.barrier
// EXPANDED: ttng.warp_group_dot_wait {{.*}}{pendings = 0 : i32}
// EXPANDED-NOT: ttg.barrier
// EXPANDED: scf.yield
tt.func @two_dots(%px: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %py: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %step = arith.constant dense<64> : tensor<64x64xi32, #l>
  %pitch = arith.constant dense<1024> : tensor<64x1xi32, #l>
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
  %r1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #column> -> tensor<64x1xi32, #l>
  %r2 = arith.muli %r1, %pitch : tensor<64x1xi32, #l>
  %r3 = tt.broadcast %r2 : tensor<64x1xi32, #l> -> tensor<64x64xi32, #l>
  %k1 = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #l>
  %k2 = tt.broadcast %k1 : tensor<1x64xi32, #l> -> tensor<64x64xi32, #l>
  %o = arith.addi %r3, %k2 : tensor<64x64xi32, #l>
  %xs = tt.splat %px : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #l>
  %x = tt.addptr %xs, %o : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
  %ys = tt.splat %py : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #l>
  %y = tt.addptr %ys, %o : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y, %c = %zero, %e = %zero) -> (tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
    %u = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
    %v = tt.load %q : tensor<64x64x!tt.ptr<f16>, #l>
    %u1 = ttg.convert_layout %u : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
    %v1 = ttg.convert_layout %v : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
    %w1 = ttg.convert_layout %u : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
    %d = tt.dot %u1, %v1, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %f = tt.dot %u1, %w1, %e : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %p1 = tt.addptr %p, %step : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    %q1 = tt.addptr %q, %step : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
    scf.yield %p1, %q1, %d, %f : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  %s = arith.addf %r#2, %r#3 : tensor<64x64xf32, #mma>
  tt.store %outs, %s : tensor<64x64x!tt.ptr<f32>, #mma>
  tt.return
}
}
