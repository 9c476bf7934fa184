// RUN: tritium-opt %s -tt-widen-offsets -tt-narrow-offsets -canonicalize | FileCheck %s

// Rows of a tile times a constant pitch stay within 32 bits, where no sum wraps.
// CHECK-LABEL: @tile
// CHECK: %[[R:.*]] = arith.muli %{{.*}}, %{{.*}} overflow<nsw> : tensor<64x1xi32>
// CHECK: %[[O:.*]] = arith.addi %{{.*}}, %{{.*}} overflow<nsw> : tensor<64x16xi32>
// CHECK: tt.addptr %{{.*}}, %[[O]] : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi32>
tt.func private @tile(%p: tensor<64x16x!tt.ptr<f32>>) -> tensor<64x16x!tt.ptr<f32>> {
  %c = arith.constant dense<128> : tensor<64x1xi32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %k = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ke = tt.expand_dims %k {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %m = arith.muli %re, %c : tensor<64x1xi32>
  %mb = tt.broadcast %m : tensor<64x1xi32> -> tensor<64x16xi32>
  %kb = tt.broadcast %ke : tensor<1x16xi32> -> tensor<64x16xi32>
  %o = arith.addi %mb, %kb : tensor<64x16xi32>
  %q = tt.addptr %p, %o : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi32>
  tt.return %q : tensor<64x16x!tt.ptr<f32>>
}

// A pitch that is an argument can be anything, and so can a program id along x times a size.
// CHECK-LABEL: @argument
// CHECK: tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i64
tt.func private @argument(%p: !tt.ptr<f32>, %pitch: i32) -> !tt.ptr<f32> {
  %c3 = arith.constant 3 : i32
  %o = arith.muli %pitch, %c3 : i32
  %q = tt.addptr %p, %o : !tt.ptr<f32>, i32
  tt.return %q : !tt.ptr<f32>
}

// CHECK-LABEL: @program
// CHECK: tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i64
// CHECK: tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32
tt.func private @program(%p: !tt.ptr<f32>) -> (!tt.ptr<f32>, !tt.ptr<f32>) {
  %c128 = arith.constant 128 : i32
  %x = tt.get_program_id 0 : i32
  %y = tt.get_program_id 1 : i32
  %ox = arith.muli %x, %c128 : i32
  %oy = arith.muli %y, %c128 : i32
  %qx = tt.addptr %p, %ox : !tt.ptr<f32>, i32
  %qy = tt.addptr %p, %oy : !tt.ptr<f32>, i32
  tt.return %qx, %qy : !tt.ptr<f32>, !tt.ptr<f32>
}

// One step beyond: 65534 times 32770 is more than 2^31 - 1.
// CHECK-LABEL: @bound
// CHECK: tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32
// CHECK: tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i64
tt.func private @bound(%p: !tt.ptr<f32>) -> (!tt.ptr<f32>, !tt.ptr<f32>) {
  %c0 = arith.constant 32769 : i32
  %c1 = arith.constant 32770 : i32
  %y = tt.get_program_id 1 : i32
  %o0 = arith.muli %y, %c0 : i32
  %o1 = arith.muli %y, %c1 : i32
  %q0 = tt.addptr %p, %o0 : !tt.ptr<f32>, i32
  %q1 = tt.addptr %p, %o1 : !tt.ptr<f32>, i32
  tt.return %q0, %q1 : !tt.ptr<f32>, !tt.ptr<f32>
}

// Constants that are tiles, and negative offsets.
// CHECK-LABEL: @negative
// CHECK: %[[O:.*]] = arith.subi %{{.*}}, %{{.*}} overflow<nsw> : tensor<64xi32>
// CHECK: tt.addptr %{{.*}}, %[[O]] : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
tt.func private @negative(%p: tensor<64x!tt.ptr<f32>>) -> tensor<64x!tt.ptr<f32>> {
  %c = arith.constant dense<7> : tensor<64xi64>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %w = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
  %o = arith.subi %c, %w : tensor<64xi64>
  %q = tt.addptr %p, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  tt.return %q : tensor<64x!tt.ptr<f32>>
}

// Comparisons: what fits goes back to i32, and what a launch has promised to fit.
// CHECK-LABEL: @comparisons
// CHECK-SAME: %[[N:.*]]: i32, %[[B:.*]]: i64
// CHECK-DAG: arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<64xi32>
// CHECK-DAG: arith.cmpi sle, %{{.*}}, %{{.*}} : tensor<64xi32>
// CHECK-DAG: arith.addi %{{.*}}, %{{.*}} overflow<nsw> : tensor<64xi32>
// CHECK-DAG: arith.cmpi sgt, %{{.*}}, %{{.*}} : tensor<64xi64>
// CHECK-NOT: tt.narrow
// CHECK: tt.return
tt.func private @comparisons(%n: i32, %b: i64) -> (tensor<64xi1>, tensor<64xi1>, tensor<64xi1>) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %w = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
  %n64 = arith.extsi %n : i32 to i64
  %t = tt.splat %n64 : i64 -> tensor<64xi64>
  %fits = arith.cmpi slt, %w, %t : tensor<64xi64>
  %o = arith.addi %w, %t : tensor<64xi64>
  %promised = arith.cmpi sle, %o, %t {tt.narrow} : tensor<64xi64>
  %bt = tt.splat %b : i64 -> tensor<64xi64>
  %wide = arith.cmpi sgt, %o, %bt : tensor<64xi64>
  tt.return %fits, %promised, %wide : tensor<64xi1>, tensor<64xi1>, tensor<64xi1>
}

// A gather by an index, of whatever width: the offsets become narrow, and the index stays.
// CHECK-LABEL: @gathered
// CHECK: %[[O:.*]] = arith.muli %{{.*}}, %{{.*}} overflow<nsw> : tensor<64xi32>
// CHECK: %[[G:.*]] = tt.gather %[[O]][%arg1] along 0 : tensor<64xi32>[tensor<64xi64>] -> tensor<64xi32>
// CHECK: tt.addptr %{{.*}}, %[[G]] : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
tt.func private @gathered(%p: tensor<64x!tt.ptr<f32>>, %i: tensor<64xi64>) -> tensor<64x!tt.ptr<f32>> {
  %c = arith.constant dense<128> : tensor<64xi64>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %wide = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
  %o = arith.muli %wide, %c : tensor<64xi64>
  %g = tt.gather %o[%i] along 0 : tensor<64xi64>[tensor<64xi64>] -> tensor<64xi64>
  %q = tt.addptr %p, %g : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  tt.return %q : tensor<64x!tt.ptr<f32>>
}
