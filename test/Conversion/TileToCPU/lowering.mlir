// The lowering to the CPU leaves nothing of tt; unknown CPUs are named.
// RUN: tritium-opt %s --tile-to-cpu=cpu=haswell | FileCheck %s
// RUN: tritium-opt %s --tritium-cpu | FileCheck %s --check-prefix=LLVM
// RUN: not tritium-opt %s --tile-to-cpu=cpu=abacus 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK-NOT: tt.
// CHECK: func.func @{{.*}}(%{{.*}}: !llvm.ptr
// CHECK-NOT: tt.
// LLVM-NOT: func.func
// LLVM: llvm.func @
// UNKNOWN: error: {{.*}}abacus
tt.func @copy(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 100 : i32} : tensor<100xi32>
  %ns = tt.splat %n : i32 -> tensor<100xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<100xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<100x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<100x!tt.ptr<f32>>, tensor<100xi32>
  %v = tt.load %xp, %m : tensor<100x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<100x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<100x!tt.ptr<f32>>, tensor<100xi32>
  tt.store %yp, %v, %m : tensor<100x!tt.ptr<f32>>
  tt.return
}
