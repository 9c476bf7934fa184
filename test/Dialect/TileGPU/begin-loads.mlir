// RUN: tritium-opt %s -ttg-begin-loads -split-input-file | FileCheck %s

#l = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // Both begin in front of the exponentials, whatever ptxas makes of them.
  // CHECK-LABEL: @both
  // CHECK: tt.load %arg0 : tensor
  // CHECK: tt.load %arg1 {ttg.begins_behind = 1 : i32}
  tt.func private @both(%p: tensor<2048x!tt.ptr<f16>, #l>, %q: tensor<2048x!tt.ptr<f16>, #l>) -> tensor<2048xf16, #l> {
    %a = tt.load %p : tensor<2048x!tt.ptr<f16>, #l>
    %b = tt.load %q : tensor<2048x!tt.ptr<f16>, #l>
    %e = math.exp2 %a : tensor<2048xf16, #l>
    %f = arith.mulf %e, %b : tensor<2048xf16, #l>
    tt.return %f : tensor<2048xf16, #l>
  }
}

// -----

#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // What nothing long is computed of, what waits for all of a tile, one vector, what is loaded
  // again and again, more than registers hold.
  // CHECK-LABEL: @brief
  // CHECK-NOT: begins_behind
  tt.func private @brief(%p: tensor<1024x!tt.ptr<f32>, #l>, %q: tensor<1024x!tt.ptr<f32>, #l>) -> tensor<1024xf32, #l> {
    %a = tt.load %p : tensor<1024x!tt.ptr<f32>, #l>
    %b = tt.load %q : tensor<1024x!tt.ptr<f32>, #l>
    %f = arith.mulf %a, %b : tensor<1024xf32, #l>
    tt.return %f : tensor<1024xf32, #l>
  }
  // CHECK-LABEL: @softmax
  // CHECK-NOT: begins_behind
  tt.func private @softmax(%p: tensor<1024x!tt.ptr<f32>, #l>) -> tensor<1024xf32, #l> {
    %a = tt.load %p : tensor<1024x!tt.ptr<f32>, #l>
    %m = "tt.reduce"(%a) <{axis = 0 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %r = arith.maximumf %x, %y : f32
      tt.reduce.return %r : f32
    }) : (tensor<1024xf32, #l>) -> f32
    %s = tt.splat %m : f32 -> tensor<1024xf32, #l>
    %d = arith.subf %a, %s : tensor<1024xf32, #l>
    %e = math.exp2 %d : tensor<1024xf32, #l>
    tt.return %e : tensor<1024xf32, #l>
  }
  // CHECK-LABEL: @vector
  // CHECK-NOT: begins_behind
  tt.func private @vector(%p: tensor<512x!tt.ptr<f32>, #l>) -> tensor<512xf32, #l> {
    %a = tt.load %p : tensor<512x!tt.ptr<f32>, #l>
    %e = math.exp2 %a : tensor<512xf32, #l>
    tt.return %e : tensor<512xf32, #l>
  }
  // In loops that add up what they load all loads of an iteration begin first.
  // CHECK-LABEL: @loop
  // CHECK: tt.load %{{.*}} : tensor<1024x
  // CHECK: tt.load %{{.*}} {ttg.begins_behind = 1 : i32}
  tt.func private @loop(%p: tensor<1024x!tt.ptr<f32>, #l>, %n: i32) -> tensor<1024xf32, #l> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<1024xf32, #l>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<1024xf32, #l>) : i32 {
      %a = tt.load %p : tensor<1024x!tt.ptr<f32>, #l>
      %b = tt.load %p : tensor<1024x!tt.ptr<f32>, #l>
      %e = arith.mulf %a, %b : tensor<1024xf32, #l>
      %t = arith.addf %s, %e : tensor<1024xf32, #l>
      scf.yield %t : tensor<1024xf32, #l>
    }
    tt.return %r : tensor<1024xf32, #l>
  }
  // A reduction waits for all of a tile anyway, and an iteration that adds nothing up has its own.
  // CHECK-LABEL: @loop_of_sums
  // CHECK-NOT: begins_behind
  tt.func private @loop_of_sums(%p: tensor<1024x!tt.ptr<f32>, #l>, %n: i32) -> (tensor<1024xf32, #l>, f32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<1024xf32, #l>
    %zero = arith.constant 0.0 : f32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %u = %zero) -> (tensor<1024xf32, #l>, f32) : i32 {
      %a = tt.load %p : tensor<1024x!tt.ptr<f32>, #l>
      %t = arith.addf %s, %a : tensor<1024xf32, #l>
      %v = "tt.reduce"(%a) <{axis = 0 : i32}> ({
      ^bb0(%x: f32, %y: f32):
        %w = arith.addf %x, %y : f32
        tt.reduce.return %w : f32
      }) : (tensor<1024xf32, #l>) -> f32
      scf.yield %t, %v : tensor<1024xf32, #l>, f32
    }
    scf.for %i = %c0 to %n step %c1 : i32 {
      %a = tt.load %p : tensor<1024x!tt.ptr<f32>, #l>
      %e = math.exp2 %a : tensor<1024xf32, #l>
      tt.store %p, %e : tensor<1024x!tt.ptr<f32>, #l>
    }
    tt.return %r#0, %r#1 : tensor<1024xf32, #l>, f32
  }
  // CHECK-LABEL: @large
  // CHECK-NOT: begins_behind
  tt.func private @large(%p: tensor<16384x!tt.ptr<f32>, #l>) -> tensor<16384xf32, #l> {
    %a = tt.load %p : tensor<16384x!tt.ptr<f32>, #l>
    %e = math.exp2 %a : tensor<16384xf32, #l>
    tt.return %e : tensor<16384xf32, #l>
  }
  // A store in between keeps what is loaded behind it there.
  // CHECK-LABEL: @stored
  // CHECK: tt.load %arg0 {ttg.begins_behind = 0 : i32}
  // CHECK: tt.store
  // CHECK: tt.load %arg0 : tensor
  tt.func private @stored(%p: tensor<1024x!tt.ptr<f32>, #l>, %v: tensor<1024xf32, #l>) -> tensor<1024xf32, #l> {
    %a = tt.load %p : tensor<1024x!tt.ptr<f32>, #l>
    tt.store %p, %v : tensor<1024x!tt.ptr<f32>, #l>
    %b = tt.load %p : tensor<1024x!tt.ptr<f32>, #l>
    %e = math.exp2 %a : tensor<1024xf32, #l>
    %f = arith.mulf %e, %b : tensor<1024xf32, #l>
    tt.return %f : tensor<1024xf32, #l>
  }
}

// -----

#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // A histogram waits for all of a tile, too.
  // CHECK-LABEL: @histogram
  // CHECK-NOT: begins_behind
  tt.func private @histogram(%p: tensor<1024x!tt.ptr<i32>, #l>) -> tensor<1024xi32, #l> {
    %a = tt.load %p : tensor<1024x!tt.ptr<i32>, #l>
    %h = tt.histogram %a : tensor<1024xi32, #l> -> tensor<1024xi32, #l>
    %s = arith.addi %a, %h : tensor<1024xi32, #l>
    %e = arith.divui %s, %h : tensor<1024xi32, #l>
    tt.return %e : tensor<1024xi32, #l>
  }
}
