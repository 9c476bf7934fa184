// RUN: tritium-opt %s -split-input-file -verify-diagnostics -convert-ttg-to-llvm

// Registers that somebody wants skipped, and that may hold something else than what is known.
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @bound_sge(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi sge, %r, %nn : tensor<1024xi32, #b>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  // expected-error @+1 {{registers can be skipped if the mask is true up to a bound along dimension 0 and false behind it, as index < bound; of this one that is not known}}
  ttg.skip_masked %m along 0 from [512] : tensor<1024xi1, #b> {
    %y = math.exp %v : tensor<1024xf32, #b>
    tt.store %p, %y, %m : tensor<1024x!tt.ptr<f32>, #b>
  }
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @bound_ne(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi ne, %r, %nn : tensor<1024xi32, #b>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  // expected-error @+1 {{registers can be skipped if the mask is true up to a bound along dimension 0 and false behind it, as index < bound; of this one that is not known}}
  ttg.skip_masked %m along 0 from [512] : tensor<1024xi1, #b> {
    %y = math.exp %v : tensor<1024xf32, #b>
    tt.store %p, %y, %m : tensor<1024x!tt.ptr<f32>, #b>
  }
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @in_a_vector(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #b>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  // expected-error @+1 {{a part must have registers of each thread, and begin at a multiple of the 4 that are neighbours, found one from 514 on}}
  ttg.skip_masked %m along 0 from [514] : tensor<1024xi1, #b> {
    %y = math.exp %v : tensor<1024xf32, #b>
    tt.store %p, %y, %m : tensor<1024x!tt.ptr<f32>, #b>
  }
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @empty(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #b>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  // expected-error @+1 {{a part must have registers of each thread, and begin at a multiple of the 4 that are neighbours, found one from 1020 on}}
  ttg.skip_masked %m along 0 from [512, 1020] : tensor<1024xi1, #b> {
    %y = math.exp %v : tensor<1024xf32, #b>
    tt.store %p, %y, %m : tensor<1024x!tt.ptr<f32>, #b>
  }
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @padding(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 800 : i32} : tensor<800xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<800x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<800x!tt.ptr<f32>, #b>, tensor<800xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<800xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<800xi32, #b>
  %v = tt.load %p, %m : tensor<800x!tt.ptr<f32>, #b>
  // expected-error @+1 {{no registers can be skipped of a tile whose registers do not lie in order, or are padding in part}}
  ttg.skip_masked %m along 0 from [640] : tensor<800xi1, #b> {
    %y = math.exp %v : tensor<800xf32, #b>
    tt.store %p, %y, %m : tensor<800x!tt.ptr<f32>, #b>
  }
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @indices(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #b>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  %i = arith.sitofp %r : tensor<1024xi32, #b> to tensor<1024xf32, #b>
  // expected-note @+1 {{they are skipped here}}
  %e = ttg.skip_masked %m along 0 from [512] : tensor<1024xi1, #b> -> tensor<1024xf32, #b> {
    // expected-error @+1 {{'arith.addf' is for all of a tile, of which skipped registers are not known; leave it to ttg-skip-masked-registers what is skipped}}
    %y = arith.addf %v, %i : tensor<1024xf32, #b>
    ttg.yield %y : tensor<1024xf32, #b>
  }
  tt.store %p, %e : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @not_masked(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #b>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>, #b>
  // expected-note @+1 {{they are skipped here}}
  %e = ttg.skip_masked %m along 0 from [512] : tensor<1024xi1, #b> -> tensor<1024xf32, #b> {
    // expected-error @+1 {{'math.exp' is for all of a tile, of which skipped registers are not known; leave it to ttg-skip-masked-registers what is skipped}}
    %y = math.exp %v : tensor<1024xf32, #b>
    ttg.yield %y : tensor<1024xf32, #b>
  }
  tt.store %p, %e : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @reduced(%x: !tt.ptr<f32>, %n: i32, %out: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #b>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  %i = arith.sitofp %r : tensor<1024xi32, #b> to tensor<1024xf32, #b>
  // expected-note @+1 {{they are skipped here}}
  %e = ttg.skip_masked %m along 0 from [512] : tensor<1024xi1, #b> -> f32 {
    %y = arith.addf %v, %i : tensor<1024xf32, #b>
    // expected-error @+1 {{'tt.reduce' is for all of a tile, of which skipped registers are not known; leave it to ttg-skip-masked-registers what is skipped}}
    %s = "tt.reduce"(%y) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<1024xf32, #b>) -> f32
    ttg.yield %s : f32
  }
  tt.store %out, %e : !tt.ptr<f32>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @other_parts(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32, #b>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  %i = arith.sitofp %r : tensor<1024xi32, #b> to tensor<1024xf32, #b>
  // expected-note @+1 {{they are skipped here}}
  %e = ttg.skip_masked %m along 0 from [512] : tensor<1024xi1, #b> -> tensor<1024xf32, #b> {
    // expected-error @+1 {{'arith.addf' is for all of a tile, of which skipped registers are not known; leave it to ttg-skip-masked-registers what is skipped}}
    %y = arith.addf %v, %i : tensor<1024xf32, #b>
    ttg.yield %y : tensor<1024xf32, #b>
  }
  ttg.skip_masked %m along 0 from [768] : tensor<1024xi1, #b> {
    tt.store %p, %e, %m : tensor<1024x!tt.ptr<f32>, #b>
  }
  tt.return
}
}
