// RUN: tritium-opt %S/Inputs/odd.mlir -tt-widen-offsets | FileCheck %s

// Only arithmetic of addresses is widened: sums that are stored or compared wrap as they did.
// CHECK-LABEL: @ranges
// CHECK: arith.divsi %c-2147483648_i32, %c-1_i32 : i32
// CHECK: arith.addi %{{.*}} : i32
// CHECK: arith.cmpi slt, %{{.*}}, %arg1 : i32
// CHECK-LABEL: @pointers
// CHECK: %[[N:.*]] = arith.extsi %arg1 : i32 to i64
// CHECK: arith.muli %{{.*}} : tensor<3xi64>
