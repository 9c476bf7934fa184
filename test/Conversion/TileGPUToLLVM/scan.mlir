// RUN: tritium-opt %s -tritium-ttir -tritium-ttgir="num-warps=4 pack-programs=false" -convert-ttg-to-llvm | FileCheck %s

// 128 elements on four warps: five steps among lanes, what stands in front of a lane, what all lanes
// combine to; one exchange with one barrier, and no more shuffles.
// CHECK-LABEL: llvm.func @sums(
// CHECK-COUNT-7: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl.sync
// CHECK-NOT: nvvm.barrier0
// CHECK: st.shared.b32
// CHECK: nvvm.barrier0
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT: nvvm.shfl.sync
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.return
tt.func @sums(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %p : tensor<128x!tt.ptr<f32>>
  %s = "tt.scan"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.scan.return %t : f32
  }) : (tensor<128xf32>) -> tensor<128xf32>
  %yy = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %q = tt.addptr %yy, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %q, %s : tensor<128x!tt.ptr<f32>>
  tt.return
}
