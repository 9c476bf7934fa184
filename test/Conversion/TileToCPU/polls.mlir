// RUN: tritium-opt %s --split-input-file --tile-to-cpu=cpu=haswell | FileCheck %s

// Rounds of a few instructions: 64 of them, then a look whether the kernel is to end. So with
// programs.
// CHECK-LABEL: func.func @brief_entry
// CHECK: %[[ROUNDS:.*]] = arith.constant 64 : i64
// CHECK: scf.for %[[START:.*]] = %{{.*}} to %[[LAST:.*]] step %{{.*}}
// CHECK: %[[NEXT:.*]] = arith.addi %[[START]], %{{.*}} : i64
// CHECK: %[[END:.*]] = arith.minsi %[[LAST]], %[[NEXT]] : i64
// CHECK: scf.for %{{.*}} = %[[START]] to %[[END]]
// CHECK: llvm.store {{.*}}!llvm.ptr
// CHECK-NEXT: }
// CHECK-NEXT: func.call @tritium.poll
// CHECK-NEXT: }
tt.func @brief(%x: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %xp, %zero : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

// What a loop carries goes through its stretches. A program with a loop is not brief.
// CHECK-LABEL: func.func @sum_entry
// CHECK: scf.for
// CHECK: %[[STRIDE:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK: %[[SUM:.*]] = scf.for %[[START:.*]] = %{{.*}} to %[[LAST:.*]] step %[[STRIDE]] iter_args(%[[OUTER:.*]] = %{{.*}}) -> (f32)
// CHECK: %[[NEXT:.*]] = arith.addi %[[START]], %[[STRIDE]] : i64
// CHECK: %[[END:.*]] = arith.minsi %[[LAST]], %[[NEXT]] : i64
// CHECK: %[[INNER:.*]] = scf.for %{{.*}} = %[[START]] to %[[END]] step %{{.*}} iter_args(%{{.*}} = %[[OUTER]]) -> (f32)
// CHECK: func.call @tritium.poll
// CHECK-NEXT: scf.yield %[[INNER]] : f32
// CHECK: llvm.store %[[SUM]]
// CHECK: func.call @tritium.poll
tt.func @sum(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (f32) : i32 {
    %p = tt.addptr %x, %i : !tt.ptr<f32>, i32
    %v = tt.load %p : !tt.ptr<f32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  tt.store %x, %s : !tt.ptr<f32>
  tt.return
}

// -----

// Bounds of 64 bits leave no room behind the last stretch.
// CHECK-LABEL: func.func @wide_entry
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: func.call @tritium.poll
// CHECK: func.call @tritium.poll
tt.func @wide(%x: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 : i64 {
    %p = tt.addptr %x, %i : !tt.ptr<f32>, i64
    tt.store %p, %zero : !tt.ptr<f32>
  }
  tt.return
}
