// RUN: tritium-opt %s -split-input-file -verify-diagnostics

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%m: tensor<1024xi1, #b>, %v: tensor<1024xf32, #b>, %p: tensor<1024x!tt.ptr<f32>, #b>, %k: tensor<1024xi1, #b>) {
  // expected-error @+1 {{(skip_masked_c1) the mask must have a layout, the axis be one of its dimensions, and parts begin at ascending places inside of the extent, found 'tensor<1024xi1, #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>', axis 1 and [512]}}
  ttg.skip_masked %m along 1 from [512] : tensor<1024xi1, #b> {
  }
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%m: tensor<1024xi1, #b>, %v: tensor<1024xf32, #b>, %p: tensor<1024x!tt.ptr<f32>, #b>, %k: tensor<1024xi1, #b>) {
  // expected-error @+1 {{(skip_masked_c1) the mask must have a layout, the axis be one of its dimensions, and parts begin at ascending places inside of the extent, found 'tensor<1024xi1, #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>', axis 0 and []}}
  ttg.skip_masked %m along 0 from [] : tensor<1024xi1, #b> {
  }
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%m: tensor<1024xi1, #b>, %v: tensor<1024xf32, #b>, %p: tensor<1024x!tt.ptr<f32>, #b>, %k: tensor<1024xi1, #b>) {
  // expected-error @+1 {{(skip_masked_c1) the mask must have a layout, the axis be one of its dimensions, and parts begin at ascending places inside of the extent, found 'tensor<1024xi1, #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>', axis 0 and [-4]}}
  ttg.skip_masked %m along 0 from [-4] : tensor<1024xi1, #b> {
  }
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%m: tensor<1024xi1, #b>, %v: tensor<1024xf32, #b>, %p: tensor<1024x!tt.ptr<f32>, #b>, %k: tensor<1024xi1, #b>) {
  // expected-error @+1 {{(skip_masked_c1) the mask must have a layout, the axis be one of its dimensions, and parts begin at ascending places inside of the extent, found 'tensor<1024xi1, #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>', axis 0 and [512, 512]}}
  ttg.skip_masked %m along 0 from [512, 512] : tensor<1024xi1, #b> {
  }
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%m: tensor<1024xi1, #b>, %v: tensor<1024xf32, #b>, %p: tensor<1024x!tt.ptr<f32>, #b>, %k: tensor<1024xi1, #b>) {
  // expected-error @+1 {{(skip_masked_c1) the mask must have a layout, the axis be one of its dimensions, and parts begin at ascending places inside of the extent, found 'tensor<1024xi1, #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>', axis 0 and [1024]}}
  ttg.skip_masked %m along 0 from [1024] : tensor<1024xi1, #b> {
  }
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%m: tensor<1024xi1, #b>, %v: tensor<1024xf32, #b>, %p: tensor<1024x!tt.ptr<f32>, #b>, %k: tensor<1024xi1, #b>) {
  ttg.skip_masked %m along 0 from [512] : tensor<1024xi1, #b> {
  // expected-error @+1 {{(skip_masked_c2) cannot stand here: registers that a mask rules out are skipped by element-wise operations}}
    %w = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  }
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%m: tensor<1024xi1, #b>, %v: tensor<1024xf32, #b>, %p: tensor<1024x!tt.ptr<f32>, #b>, %k: tensor<1024xi1, #b>) {
  ttg.skip_masked %m along 0 from [512] : tensor<1024xi1, #b> {
  // expected-error @+1 {{(skip_masked_c2) cannot stand here: registers that a mask rules out are skipped by element-wise operations}}
    tt.store %p, %v : tensor<1024x!tt.ptr<f32>, #b>
  }
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%m: tensor<1024xi1, #b>, %v: tensor<1024xf32, #b>, %p: tensor<1024x!tt.ptr<f32>, #b>, %k: tensor<1024xi1, #b>) {
  ttg.skip_masked %m along 0 from [512] : tensor<1024xi1, #b> {
  // expected-error @+1 {{(skip_masked_c2) cannot stand here: registers that a mask rules out are skipped by element-wise operations}}
    tt.store %p, %v, %k : tensor<1024x!tt.ptr<f32>, #b>
  }
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%m: tensor<1024xi1, #b>, %v: tensor<1024xf32, #b>, %p: tensor<1024x!tt.ptr<f32>, #b>, %k: tensor<1024xi1, #b>) {
  ttg.skip_masked %m along 0 from [512] : tensor<1024xi1, #b> {
  // expected-error @+1 {{(skip_masked_c2) cannot stand here: registers that a mask rules out are skipped by element-wise operations}}
    tt.store %p, %v, %m : tensor<1024x!tt.ptr<f32>, #b>
    %w = math.exp %v : tensor<1024xf32, #b>
  }
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%m: tensor<1024xi1, #b>, %v: tensor<1024xf32, #b>, %p: tensor<1024x!tt.ptr<f32>, #b>, %k: tensor<1024xi1, #b>) {
  ttg.skip_masked %m along 0 from [512] : tensor<1024xi1, #b> {
  // expected-error @+1 {{(skip_masked_c2) cannot stand here: registers that a mask rules out are skipped by element-wise operations}}
    %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #b>
  }
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%m: tensor<1024xi1, #b>, %v: tensor<1024xf32, #b>, %p: tensor<1024x!tt.ptr<f32>, #b>, %k: tensor<1024xi1, #b>) {
  ttg.skip_masked %m along 0 from [512] : tensor<1024xi1, #b> {
  // expected-error @+1 {{(skip_masked_c2) cannot stand here: registers that a mask rules out are skipped by element-wise operations}}
    %z = arith.constant 0.0 : f32
  }
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%m: tensor<1024xi1, #b>, %v: tensor<1024xf32, #b>, %p: tensor<1024x!tt.ptr<f32>, #b>, %k: tensor<1024xi1, #b>) {
  ttg.skip_masked %m along 0 from [512] : tensor<1024xi1, #b> {
    // expected-error @+1 {{(skip_masked_c3) must yield what the body computes, each once, of the types of the results, found ('tensor<1024xf32}}
    ttg.yield %v : tensor<1024xf32, #b>
  }
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%m: tensor<1024xi1, #b>, %v: tensor<1024xf32, #b>, %p: tensor<1024x!tt.ptr<f32>, #b>, %k: tensor<1024xi1, #b>) {
  %e = ttg.skip_masked %m along 0 from [512] : tensor<1024xi1, #b> -> tensor<1024xf32, #b> {
    // expected-error @+1 {{(skip_masked_c3) must yield what the body computes}}
    ttg.yield %v : tensor<1024xf32, #b>
  }
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%m: tensor<1024xi1, #b>, %v: tensor<1024xf32, #b>) {
  %e:2 = ttg.skip_masked %m along 0 from [512] : tensor<1024xi1, #b> -> tensor<1024xf32, #b>, tensor<1024xf32, #b> {
    %y = arith.addf %v, %v : tensor<1024xf32, #b>
    // expected-error @+1 {{(skip_masked_c3) must yield what the body computes, each once}}
    ttg.yield %y, %y : tensor<1024xf32, #b>, tensor<1024xf32, #b>
  }
  tt.return
}
