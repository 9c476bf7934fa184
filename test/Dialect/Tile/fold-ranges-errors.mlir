// RUN: tritium-opt %S/Inputs/odd.mlir -tt-fold-ranges | FileCheck %s

// Nothing is known of a quotient that is not defined, nor of what a wrapped sum is made of.
// CHECK-LABEL: @ranges
// CHECK: %[[A:.*]] = arith.cmpi slt, %{{.*}}, %arg1 : i32
// CHECK: %[[B:.*]] = arith.cmpi slt, %[[A]], %true
// CHECK: %[[C:.*]] = arith.cmpi ult, %{{.*}}, %arg3 : i64
// CHECK: %[[BOTH:.*]] = arith.andi %[[B]], %[[C]]
// CHECK: tt.store %{{.*}}, %{{.*}}, %[[BOTH]]
// No i8 is below the least.
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT: tt.store %{{.*}}, %{{.*}}, %[[TRUE]]
