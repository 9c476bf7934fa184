#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @f(%x: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
  ttg.warp_groups "a" warps 2 {
    %j = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
  }
  tt.return
}
}
