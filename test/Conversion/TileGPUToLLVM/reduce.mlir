// RUN: tritium-opt %s -tritium-ttir -tritium-ttgir="num-warps=4 pack-programs=false" -convert-ttg-to-llvm | FileCheck %s

// A sum of 128 elements by four warps: five shuffles, one exchange with one barrier, two
// shuffles.
// CHECK: llvm.mlir.global external @tritium_shared() {addr_space = 3 : i32, alignment = 16 : i64}
// CHECK-LABEL: llvm.func @sum(
// CHECK-SAME: !llvm.ptr<1>
// CHECK-SAME: nvvm.kernel, {{.*}}nvvm.reqntid = array<i32: 128>
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync
// CHECK-NOT: nvvm.barrier0
// CHECK: st.shared.b32
// CHECK: nvvm.barrier0
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK-COUNT-2: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.return
tt.func @sum(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %p : tensor<128x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.reduce.return %t : f32
  }) : (tensor<128xf32>) -> f32
  tt.store %y, %s : !tt.ptr<f32>
  tt.return
}
