// RUN: tritium-opt %S/Inputs/odd.mlir -tt-unroll-loops | FileCheck %s

// A loop that does not advance stays. Trip counts are counted without wrapping, in the loop's own
// type.
// CHECK-LABEL: @steps
// CHECK: scf.for %{{.*}} = %c0_i32 to %c3_i32 step %c0_i32
// CHECK: scf.for %{{.*}} = %c3_i32 to %c0_i32 step %c-1_i32
// CHECK: arith.constant -2147483648 : i32
// CHECK-NEXT: tt.store
// CHECK-NEXT: arith.constant -1 : i32
// CHECK-NEXT: tt.store
// CHECK-NEXT: arith.constant 2147483646 : i32
// CHECK-NEXT: tt.store
// CHECK-COUNT-4: arith.index_cast
// CHECK: arith.constant 2 : i64
// CHECK-NEXT: %[[I:.*]] = arith.constant 9223372036854775806 : i64
// CHECK-NEXT: arith.trunci %[[I]]
// CHECK-NEXT: tt.store
// CHECK-NEXT: tt.return
