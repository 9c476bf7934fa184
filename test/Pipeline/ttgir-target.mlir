// RUN: tritium compile --from %s --target cuda:90 --emit ptx | FileCheck %s
// RUN: not tritium compile --from %s --target cuda:80 --emit ptx 2>&1 | FileCheck %s --check-prefix=OLDER

// Tile IR with layouts says what GPU it counts with; a newer one runs it, an older one may not.
// CHECK: .target sm_90
// OLDER: kernel 'copy': its tile IR with layouts is for compute capability 8.9 (ttg.target), and this GPU has 8.0; go on from tile IR (.ttir), or compile for a newer GPU
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 89>, "ttg.num-warps" = 4 : i32} {
  tt.func @copy(%x: !tt.ptr<f32>) {
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %xx = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %p = tt.addptr %xx, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %v = tt.load %p : tensor<128x!tt.ptr<f32>, #b>
    tt.store %p, %v : tensor<128x!tt.ptr<f32>, #b>
    tt.return
  }
}
