// RUN: tritium-opt %s -split-input-file -verify-diagnostics -tritium-ttgir=num-warps=4 -convert-ttg-to-llvm

// What cannot be lowered is said at its line.
tt.func @root(%x: !tt.ptr<f64>) {
  %v = tt.load %x : !tt.ptr<f64>
  // expected-error @+1 {{the GPU back end cannot lower 'math.cbrt' on this type}}
  %l = math.cbrt %v : f64
  tt.store %x, %l : !tt.ptr<f64>
  tt.return
}

// -----

tt.func @atomic(%x: !tt.ptr<i1>, %v: i1) {
  // expected-error @+1 {{the GPU back end cannot lower this atomic operation on 1-bit elements}}
  %o = tt.atomic_rmw add, relaxed, gpu, %x, %v : (!tt.ptr<i1>, i1) -> i1
  tt.return
}

// -----

tt.func @large(%x: !tt.ptr<i32>) {
  // expected-error @+1 {{a tile of 1048576 elements is too large for a GPU program of 4 warps: every thread would hold 8192 elements; use a tile of at most 524288 elements, or num_warps=8}}
  %r = tt.make_range {start = 0 : i32, end = 1048576 : i32} : tensor<1048576xi32>
  %xx = tt.splat %x : !tt.ptr<i32> -> tensor<1048576x!tt.ptr<i32>>
  %p = tt.addptr %xx, %r : tensor<1048576x!tt.ptr<i32>>, tensor<1048576xi32>
  tt.store %p, %r : tensor<1048576x!tt.ptr<i32>>
  tt.return
}
