// RUN: tritium-opt %s -split-input-file -ttg-hoist-dots | FileCheck %s

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#l = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // The last dot needs none of the others. What is multiplied by the second one is loaded and
  // computed in front of what waits for the first.
  // CHECK-LABEL: @gradients
  // CHECK: scf.for
  // CHECK-NEXT: %[[S:.*]] = tt.dot %arg1, %arg2
  // CHECK-NEXT: %[[U:.*]] = tt.dot %arg1, %arg2
  // CHECK-NEXT: %[[X:.*]] = tt.load
  // CHECK-NEXT: %[[Y:.*]] = arith.sitofp %[[X]]
  // CHECK-NEXT: %[[E:.*]] = math.exp2 %[[S]]
  // CHECK: %[[V:.*]] = ttg.convert_layout %[[Y]]
  // CHECK-NEXT: tt.dot %{{.*}}, %[[V]]
  // CHECK-NEXT: tt.dot %arg1, %arg2, %[[E]]
  // CHECK-NEXT: arith.addf %{{.*}}, %[[U]]
  tt.func private @gradients(%n: i32, %p: tensor<64x64xf16, #a>, %q: tensor<64x64xf16, #b>, %x: tensor<64x64x!tt.ptr<i8>, #l>, %zero: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %s = tt.dot %p, %q, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %e = math.exp2 %s : tensor<64x64xf32, #mma>
      %h = arith.truncf %e : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %w = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #a>
      %v = tt.load %x : tensor<64x64x!tt.ptr<i8>, #l>
      %f = arith.sitofp %v : tensor<64x64xi8, #l> to tensor<64x64xf16, #l>
      %g = ttg.convert_layout %f : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
      %t = tt.dot %w, %g, %sum : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %d = tt.dot %p, %q, %e : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %u = tt.dot %p, %q, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %z = arith.addf %t, %u : tensor<64x64xf32, #mma>
      scf.yield %z : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // What is loaded for it may have been stored in between, and a volatile load stays where it is.
  // CHECK-LABEL: @ordered
  // CHECK: tt.dot
  // CHECK-NEXT: tt.store
  // CHECK-NEXT: tt.load
  // CHECK: tt.dot
  // CHECK-NEXT: tt.load {{.*}} volatile
  // CHECK: tt.dot
  tt.func private @ordered(%n: i32, %p: tensor<64x64xf16, #a>, %q: tensor<64x64xf16, #b>, %x: tensor<64x64x!tt.ptr<f16>, #l>, %y: tensor<64x64xf16, #l>, %zero: tensor<64x64xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %s = tt.dot %p, %q, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      tt.store %x, %y : tensor<64x64x!tt.ptr<f16>, #l>
      %v = tt.load %x : tensor<64x64x!tt.ptr<f16>, #l>
      %w = ttg.convert_layout %v : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
      %d = tt.dot %p, %w, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %v1 = tt.load %x volatile : tensor<64x64x!tt.ptr<f16>, #l>
      %w1 = ttg.convert_layout %v1 : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
      %d1 = tt.dot %p, %w1, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    }
    tt.return
  }

  // Three results of 128 words each are too many to be made at once.
  // CHECK-LABEL: @large
  // CHECK: tt.dot
  // CHECK-NEXT: math.exp2
  // CHECK: tt.dot
  tt.func private @large(%n: i32, %p: tensor<64x64xf16, #a>, %q: tensor<64x256xf16, #b>, %zero: tensor<64x256xf32, #mma>) -> tensor<64x256xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x256xf32, #mma>) : i32 {
      %s = tt.dot %p, %q, %zero : tensor<64x64xf16, #a> * tensor<64x256xf16, #b> -> tensor<64x256xf32, #mma>
      %e = math.exp2 %s : tensor<64x256xf32, #mma>
      %d = tt.dot %p, %q, %sum : tensor<64x64xf16, #a> * tensor<64x256xf16, #b> -> tensor<64x256xf32, #mma>
      %t = arith.addf %d, %e : tensor<64x256xf32, #mma>
      scf.yield %t : tensor<64x256xf32, #mma>
    }
    tt.return %r : tensor<64x256xf32, #mma>
  }
}

// -----

#mma = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90, specific = true>, "ttg.num-warps" = 4 : i32} {
  // Factors that the product is multiplied by are loaded beside it, in front of what is computed of
  // them.
  // CHECK-LABEL: @factors
  // CHECK: tt.store
  // CHECK-NEXT: %[[X:.*]] = tt.load
  // CHECK-NEXT: %[[A:.*]] = ttg.convert_layout %[[X]]
  // CHECK-NEXT: %[[D:.*]] = tt.dot %[[A]]
  // CHECK-NEXT: %[[Y:.*]] = tt.load
  // CHECK-NEXT: %[[Z:.*]] = tt.load
  // CHECK-NEXT: %[[E:.*]] = math.exp2 %[[Y]]
  // CHECK-NEXT: arith.mulf %[[D]], %[[E]]
  // CHECK-NEXT: arith.mulf %{{.*}}, %[[Z]]
  tt.func private @factors(%n: i32, %q: tensor<64x64xf16, #b>, %x: tensor<64x64x!tt.ptr<f16>, #l>, %y: tensor<64x64x!tt.ptr<f32>, #mma>, %o: tensor<64x64x!tt.ptr<f16>, #l>, %v: tensor<64x64xf16, #l>, %zero: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      tt.store %o, %v : tensor<64x64x!tt.ptr<f16>, #l>
      %first = tt.load %y : tensor<64x64x!tt.ptr<f32>, #mma>
      %e = math.exp2 %first : tensor<64x64xf32, #mma>
      %a0 = tt.load %x : tensor<64x64x!tt.ptr<f16>, #l>
      %second = tt.load %y : tensor<64x64x!tt.ptr<f32>, #mma>
      %a = ttg.convert_layout %a0 : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
      %d = tt.dot %a, %q, %zero : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
      %f = arith.mulf %d, %e : tensor<64x64xf32, #mma>
      %g = arith.mulf %f, %second : tensor<64x64xf32, #mma>
      scf.yield %g : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }
}
