// RUN: tritium-opt %s -ttng-warp-group-dots -split-input-file | FileCheck %s

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#row = #ttg.slice<{dim = 0, parent = #mma}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#line = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // In front of the first dot, with the place of its buffer; a load behind a wait for a barrier
  // stays.
  // CHECK-LABEL: @scaled
  // CHECK: %[[LINE:.*]] = ttg.memdesc_index
  // CHECK-NEXT: %[[LOAD:.*]] = ttg.local_load %[[LINE]]
  // CHECK-NEXT: ttng.warp_group_dot
  // CHECK: ttng.warp_group_dot
  // CHECK: ttng.mbarrier_wait
  // CHECK: ttg.local_load
  tt.func private @scaled(%x: !ttg.memdesc<64x64xf16, #s, mutable>, %lines: !ttg.memdesc<3x64xf32, #line, mutable>, %later: !ttg.memdesc<64xf32, #line, mutable>, %barrier: !ttg.memdesc<1xi64, #line, mutable>, %i: i32, %zero: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    %p = ttg.local_load %x : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #a>
    %q = ttg.local_load %x : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #b>
    %d = tt.dot %p, %q, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %e = tt.dot %p, %q, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %m = ttg.memdesc_index %lines[%i] {ahead = 0 : i32} : !ttg.memdesc<3x64xf32, #line, mutable> -> !ttg.memdesc<64xf32, #line, mutable>
    %f = ttg.local_load %m : !ttg.memdesc<64xf32, #line, mutable> -> tensor<64xf32, #row>
    %ff = tt.expand_dims %f {axis = 0 : i32} : tensor<64xf32, #row> -> tensor<1x64xf32, #mma>
    %fs = tt.broadcast %ff : tensor<1x64xf32, #mma> -> tensor<64x64xf32, #mma>
    %r = arith.subf %d, %fs : tensor<64x64xf32, #mma>
    %c0 = arith.constant 0 : i32
    ttng.mbarrier_wait %barrier, %c0 : !ttg.memdesc<1xi64, #line, mutable>
    %g = ttg.local_load %later : !ttg.memdesc<64xf32, #line, mutable> -> tensor<64xf32, #row>
    %gg = tt.expand_dims %g {axis = 0 : i32} : tensor<64xf32, #row> -> tensor<1x64xf32, #mma>
    %gs = tt.broadcast %gg : tensor<1x64xf32, #mma> -> tensor<64x64xf32, #mma>
    %t = arith.subf %e, %gs : tensor<64x64xf32, #mma>
    tt.return %r, %t : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#row = #ttg.slice<{dim = 0, parent = #mma}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#line = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // A tile of as many elements as the result; a line that is stored in between.
  // CHECK-LABEL: @others
  // CHECK: ttng.warp_group_dot
  // CHECK: ttg.local_load {{.*}} -> tensor<64x64xf16, #mma>
  // CHECK: ttg.local_store
  // CHECK: ttg.local_load {{.*}} -> tensor<64xf32
  tt.func private @others(%x: !ttg.memdesc<64x64xf16, #s, mutable>, %line: !ttg.memdesc<64xf32, #line, mutable>, %new: tensor<64xf32, #row>, %zero: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf16, #mma>) {
    %p = ttg.local_load %x : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #a>
    %q = ttg.local_load %x : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #b>
    %d = tt.dot %p, %q, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %all = ttg.local_load %x : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #mma>
    ttg.local_store %new, %line : tensor<64xf32, #row>, !ttg.memdesc<64xf32, #line, mutable>
    %f = ttg.local_load %line : !ttg.memdesc<64xf32, #line, mutable> -> tensor<64xf32, #row>
    %ff = tt.expand_dims %f {axis = 0 : i32} : tensor<64xf32, #row> -> tensor<1x64xf32, #mma>
    %fs = tt.broadcast %ff : tensor<1x64xf32, #mma> -> tensor<64x64xf32, #mma>
    %r = arith.subf %d, %fs : tensor<64x64xf32, #mma>
    tt.return %r, %all : tensor<64x64xf32, #mma>, tensor<64x64xf16, #mma>
  }

  // 256 columns of results leave no registers for more.
  // CHECK-LABEL: @full
  // CHECK: ttng.warp_group_dot
  // CHECK: ttng.warp_group_dot
  // CHECK: ttg.local_load {{.*}} -> tensor<256xf32
  tt.func private @full(%x: !ttg.memdesc<64x64xf16, #s, mutable>, %y: !ttg.memdesc<64x256xf16, #s, mutable>, %line: !ttg.memdesc<256xf32, #line, mutable>, %zero: tensor<64x256xf32, #mma>) -> (tensor<64x256xf32, #mma>, tensor<64x256xf32, #mma>) {
    %p = ttg.local_load %x : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf16, #a>
    %q = ttg.local_load %y : !ttg.memdesc<64x256xf16, #s, mutable> -> tensor<64x256xf16, #b>
    %d = tt.dot %p, %q, %zero : tensor<64x64xf16, #a> * tensor<64x256xf16, #b> -> tensor<64x256xf32, #mma>
    %e = tt.dot %p, %q, %zero : tensor<64x64xf16, #a> * tensor<64x256xf16, #b> -> tensor<64x256xf32, #mma>
    %f = ttg.local_load %line : !ttg.memdesc<256xf32, #line, mutable> -> tensor<256xf32, #row>
    %ff = tt.expand_dims %f {axis = 0 : i32} : tensor<256xf32, #row> -> tensor<1x256xf32, #mma>
    %fs = tt.broadcast %ff : tensor<1x256xf32, #mma> -> tensor<64x256xf32, #mma>
    %r = arith.subf %d, %fs : tensor<64x256xf32, #mma>
    tt.return %r, %e : tensor<64x256xf32, #mma>, tensor<64x256xf32, #mma>
  }
}
