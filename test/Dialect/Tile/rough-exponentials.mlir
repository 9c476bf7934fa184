// RUN: tritium-opt %s -tt-rough-exponentials | FileCheck %s

// Weights that are kept in 16 bits.
// CHECK-LABEL: @weights
// CHECK: math.exp %{{.*}} {tt.rough}
// CHECK: arith.divf %{{.*}} {tt.normal, tt.weight}
tt.func private @weights(%x: tensor<128xf32>) -> tensor<128xbf16> {
  %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.maxnumf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<128xf32>) -> f32
  %mm = tt.splat %m : f32 -> tensor<128xf32>
  %d = arith.subf %x, %mm : tensor<128xf32>
  %e = math.exp %d : tensor<128xf32>
  %s = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<128xf32>) -> f32
  %ss = tt.splat %s : f32 -> tensor<128xf32>
  %w = arith.divf %e, %ss : tensor<128xf32>
  %n = arith.truncf %w : tensor<128xf32> to tensor<128xbf16>
  tt.return %n : tensor<128xbf16>
}

// Rows of a tile.
// CHECK-LABEL: @rows
// CHECK: math.exp %{{.*}} {tt.rough}
// CHECK: arith.divf %{{.*}} {tt.normal, tt.weight}
tt.func private @rows(%x: tensor<4x4xf32>) -> tensor<4x4xf16> {
  %m = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.maximumf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<4x4xf32>) -> tensor<4xf32>
  %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  %mm = tt.broadcast %m1 : tensor<4x1xf32> -> tensor<4x4xf32>
  %d = arith.subf %x, %mm : tensor<4x4xf32>
  %e = math.exp %d : tensor<4x4xf32>
  %s = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<4x4xf32>) -> tensor<4xf32>
  %s1 = tt.expand_dims %s {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  %ss = tt.broadcast %s1 : tensor<4x1xf32> -> tensor<4x4xf32>
  %w = arith.divf %e, %ss : tensor<4x4xf32>
  %n = arith.truncf %w : tensor<4x4xf32> to tensor<4x4xf16>
  tt.return %n : tensor<4x4xf16>
}

// The greatest of each column is taken from rows: exponents need not be negative, nor sums 1.
// CHECK-LABEL: @columns
// CHECK-NOT: tt.rough
// CHECK-NOT: tt.normal
tt.func private @columns(%x: tensor<4x4xf32>) -> tensor<4x4xf16> {
  %m = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.maximumf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<4x4xf32>) -> tensor<4xf32>
  %m1 = tt.expand_dims %m {axis = 0 : i32} : tensor<4xf32> -> tensor<1x4xf32>
  %mm = tt.broadcast %m1 : tensor<1x4xf32> -> tensor<4x4xf32>
  %d = arith.subf %x, %mm : tensor<4x4xf32>
  %e = math.exp %d : tensor<4x4xf32>
  %s = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<4x4xf32>) -> tensor<4xf32>
  %s1 = tt.expand_dims %s {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  %ss = tt.broadcast %s1 : tensor<4x1xf32> -> tensor<4x4xf32>
  %w = arith.divf %e, %ss : tensor<4x4xf32>
  %n = arith.truncf %w : tensor<4x4xf32> to tensor<4x4xf16>
  tt.return %n : tensor<4x4xf16>
}

// Weights, and their sum, that are kept in 32 bits, which the divisor does not mind; and exponentials
// that are not divided by the sum.
// CHECK-LABEL: @wide
// CHECK-NOT: tt.rough
// CHECK: arith.divf %{{.*}} {tt.normal, tt.weight}
// CHECK-LABEL: @kept_sum
// CHECK-NOT: tt.rough
// CHECK: arith.divf %{{.*}} {tt.normal, tt.weight}
// CHECK-LABEL: @difference
// CHECK-NOT: tt.rough
// CHECK: tt.return
tt.func private @wide(%x: tensor<128xf32>) -> tensor<128xf32> {
  %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.maxnumf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<128xf32>) -> f32
  %mm = tt.splat %m : f32 -> tensor<128xf32>
  %d = arith.subf %x, %mm : tensor<128xf32>
  %e = math.exp %d : tensor<128xf32>
  %s = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<128xf32>) -> f32
  %ss = tt.splat %s : f32 -> tensor<128xf32>
  %w = arith.divf %e, %ss : tensor<128xf32>
  tt.return %w : tensor<128xf32>
}

tt.func private @kept_sum(%x: tensor<128xf32>) -> (tensor<128xf16>, f32) {
  %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.maxnumf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<128xf32>) -> f32
  %mm = tt.splat %m : f32 -> tensor<128xf32>
  %d = arith.subf %x, %mm : tensor<128xf32>
  %e = math.exp %d : tensor<128xf32>
  %s = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<128xf32>) -> f32
  %ss = tt.splat %s : f32 -> tensor<128xf32>
  %w = arith.divf %e, %ss : tensor<128xf32>
  %n = arith.truncf %w : tensor<128xf32> to tensor<128xf16>
  tt.return %n, %s : tensor<128xf16>, f32
}

tt.func private @difference(%x: tensor<128xf32>) -> tensor<128xf16> {
  %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.maxnumf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<128xf32>) -> f32
  %mm = tt.splat %m : f32 -> tensor<128xf32>
  %d = arith.subf %x, %mm : tensor<128xf32>
  %e = math.exp %d : tensor<128xf32>
  %s = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<128xf32>) -> f32
  %ss = tt.splat %s : f32 -> tensor<128xf32>
  %w = arith.subf %e, %ss : tensor<128xf32>
  %n = arith.truncf %w : tensor<128xf32> to tensor<128xf16>
  tt.return %n : tensor<128xf16>
}

// What is divided is another tile: its elements may be anything.
// CHECK-LABEL: @others
// CHECK: arith.divf %{{.*}} {tt.normal} :
tt.func private @others(%x: tensor<128xf32>, %z: tensor<128xf32>) -> tensor<128xf32> {
  %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.maxnumf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<128xf32>) -> f32
  %ms = tt.splat %m : f32 -> tensor<128xf32>
  %d = arith.subf %x, %ms : tensor<128xf32>
  %e = math.exp %d : tensor<128xf32>
  %s = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<128xf32>) -> f32
  %ss = tt.splat %s : f32 -> tensor<128xf32>
  %w = arith.divf %z, %ss : tensor<128xf32>
  tt.return %w : tensor<128xf32>
}
