// RUN: tritium-opt %s -split-input-file -verify-diagnostics -tritium-ttgir=num-warps=4 -convert-triton-gpu-to-llvm

// What cannot be lowered is said at its line.
tt.func @log(%x: !tt.ptr<f64>) {
  %v = tt.load %x : !tt.ptr<f64>
  // expected-error @+1 {{the GPU back end cannot lower 'math.log' on this type}}
  %l = math.log %v : f64
  tt.store %x, %l : !tt.ptr<f64>
  tt.return
}

// -----

tt.func @atomic(%x: !tt.ptr<i8>, %v: i8) {
  // expected-error @+1 {{the GPU back end cannot lower this atomic operation on 8-bit elements}}
  %o = tt.atomic_rmw add, relaxed, gpu, %x, %v : (!tt.ptr<i8>, i8) -> i8
  tt.return
}
