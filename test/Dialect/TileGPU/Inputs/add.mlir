tt.func @add(%x: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v = tt.load %p : tensor<32x!tt.ptr<f32>>
  %s = arith.addf %v, %v : tensor<32xf32>
  tt.store %p, %s : tensor<32x!tt.ptr<f32>>
  tt.return
}
