// RUN: tritium-opt %s -tritium-ttir -tritium-ttgir=num-warps=4 -convert-ttg-to-llvm | FileCheck %s
// RUN: tritium-opt %s -tritium-ttir -tritium-ttgir="num-warps=4 compute-capability=75" -convert-ttg-to-llvm | FileCheck %s -check-prefix=OLD

// Two numbers are rounded to 16 bits by one instruction, the later one first; before 8.0 each by
// its own.
// CHECK-LABEL: llvm.func @narrow
// CHECK: %[[A:.*]] = llvm.bitcast %{{.*}} : i32 to f32
// CHECK-NEXT: %[[B:.*]] = llvm.bitcast %{{.*}} : i32 to f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%[[B]], %[[A]]) : (f32, f32) -> vector<2xbf16>
// CHECK-NOT: llvm.fptrunc
// CHECK: llvm.return
// OLD-LABEL: llvm.func @narrow
// OLD-NOT: ff2bf16x2
// OLD-COUNT-4: llvm.fptrunc
tt.func @narrow(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %p : tensor<512x!tt.ptr<f32>>
  %n = arith.truncf %v : tensor<512xf32> to tensor<512xbf16>
  %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<512x!tt.ptr<bf16>>
  %q = tt.addptr %ys, %r : tensor<512x!tt.ptr<bf16>>, tensor<512xi32>
  tt.store %q, %n : tensor<512x!tt.ptr<bf16>>
  tt.return
}
