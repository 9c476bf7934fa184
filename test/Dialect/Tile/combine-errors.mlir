// RUN: tritium-opt %S/Inputs/odd.mlir -tt-combine | FileCheck %s

// What is not defined is not folded, and what loops do stays in its order.
// CHECK-LABEL: @steps
// CHECK-COUNT-6: scf.for
// CHECK-LABEL: @ranges
// CHECK: arith.divsi %c-2147483648_i32, %c0_i32
// CHECK: arith.remui %arg1, %c0_i32
// CHECK-LABEL: @pointers
// CHECK: scf.while
