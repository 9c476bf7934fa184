// RUN: tritium-opt %s -ttg-find-places -split-input-file | FileCheck %s

#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 1, parent = #l}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // Of NaN alone every element has the maximum, so that the first place is found.
  // CHECK-LABEL: @argmax
  // CHECK: %[[BEST:.*]] = "tt.reduce"(%arg0) <{axis = 1 : i32}>
  // CHECK:   arith.maxnumf
  // CHECK: %[[COLUMN:.*]] = tt.expand_dims %[[BEST]]
  // CHECK: %[[ALL:.*]] = tt.broadcast %[[COLUMN]]
  // CHECK: %[[EQUAL:.*]] = arith.cmpf oeq, %arg0, %[[ALL]]
  // CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[BEST]], %[[BEST]]
  // CHECK: %[[NANCOLUMN:.*]] = tt.expand_dims %[[NAN]]
  // CHECK: %[[NANS:.*]] = tt.broadcast %[[NANCOLUMN]]
  // CHECK: %[[HAS:.*]] = arith.ori %[[EQUAL]], %[[NANS]]
  // CHECK: %[[AT:.*]] = arith.select %[[HAS]], %arg1, %{{.*}}
  // CHECK: %[[PLACE:.*]] = "tt.reduce"(%[[AT]]) <{axis = 1 : i32}>
  // CHECK:   arith.minsi
  // CHECK: tt.return %[[PLACE]]
  tt.func private @argmax(%x: tensor<4x128xf32, #l>, %i: tensor<4x128xi32, #l>) -> tensor<4xi32, #row> {
    %r:2 = "tt.reduce"(%x, %i) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %p: i32, %b: f32, %q: i32):
      %less = arith.cmpi slt, %p, %q : i32
      %ahead = arith.cmpf ugt, %a, %b : f32
      %number = arith.cmpf ord, %a, %a : f32
      %better = arith.andi %ahead, %number : i1
      %anan = arith.cmpf uno, %a, %a : f32
      %bnan = arith.cmpf uno, %b, %b : f32
      %nans = arith.andi %anan, %bnan : i1
      %same = arith.cmpf oeq, %a, %b : f32
      %equal = arith.ori %same, %nans : i1
      %tie = arith.andi %equal, %less : i1
      %first = arith.ori %better, %tie : i1
      %best = arith.select %first, %a, %b : f32
      %at = arith.select %first, %p, %q : i32
      tt.reduce.return %best, %at : f32, i32
    }) : (tensor<4x128xf32, #l>, tensor<4x128xi32, #l>) -> (tensor<4xf32, #row>, tensor<4xi32, #row>)
    tt.return %r#1 : tensor<4xi32, #row>
  }

  // The value that is meant may be 0 or -0.
  // CHECK-LABEL: @value_of_floats
  // CHECK: "tt.reduce"(%arg0, %arg1)
  tt.func private @value_of_floats(%x: tensor<4x128xf32, #l>, %i: tensor<4x128xi32, #l>) -> tensor<4xf32, #row> {
    %r:2 = "tt.reduce"(%x, %i) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %p: i32, %b: f32, %q: i32):
      %less = arith.cmpi slt, %p, %q : i32
      %ahead = arith.cmpf ult, %a, %b : f32
      %number = arith.cmpf ord, %a, %a : f32
      %better = arith.andi %ahead, %number : i1
      %anan = arith.cmpf uno, %a, %a : f32
      %bnan = arith.cmpf uno, %b, %b : f32
      %nans = arith.andi %anan, %bnan : i1
      %same = arith.cmpf oeq, %a, %b : f32
      %equal = arith.ori %same, %nans : i1
      %tie = arith.andi %equal, %less : i1
      %first = arith.ori %better, %tie : i1
      %best = arith.select %first, %a, %b : f32
      %at = arith.select %first, %p, %q : i32
      tt.reduce.return %best, %at : f32, i32
    }) : (tensor<4x128xf32, #l>, tensor<4x128xi32, #l>) -> (tensor<4xf32, #row>, tensor<4xi32, #row>)
    tt.return %r#0 : tensor<4xf32, #row>
  }
}

// -----

#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: @unsigned
  // CHECK: %[[BEST:.*]] = "tt.reduce"(%arg0)
  // CHECK:   arith.minui
  // CHECK: %[[ALL:.*]] = tt.splat %[[BEST]]
  // CHECK: %[[HAS:.*]] = arith.cmpi eq, %arg0, %[[ALL]]
  // CHECK: %[[AT:.*]] = arith.select %[[HAS]], %arg1
  // CHECK: %[[PLACE:.*]] = "tt.reduce"(%[[AT]])
  // CHECK: tt.return %[[BEST]], %[[PLACE]]
  tt.func private @unsigned(%x: tensor<512xi8, #l>, %i: tensor<512xi32, #l>) -> (i8, i32) {
    %r:2 = "tt.reduce"(%x, %i) <{axis = 0 : i32}> ({
    ^bb0(%a: i8, %p: i32, %b: i8, %q: i32):
      %less = arith.cmpi slt, %p, %q : i32
      %better = arith.cmpi ult, %a, %b : i8
      %equal = arith.cmpi eq, %a, %b : i8
      %tie = arith.andi %equal, %less : i1
      %first = arith.ori %better, %tie : i1
      %best = arith.select %first, %a, %b : i8
      %at = arith.select %first, %p, %q : i32
      tt.reduce.return %best, %at : i8, i32
    }) : (tensor<512xi8, #l>, tensor<512xi32, #l>) -> (i8, i32)
    tt.return %r#0, %r#1 : i8, i32
  }

  // The last of equal values is another question.
  // CHECK-LABEL: @last
  // CHECK: "tt.reduce"(%arg0, %arg1)
  tt.func private @last(%x: tensor<512xi32, #l>, %i: tensor<512xi32, #l>) -> i32 {
    %r:2 = "tt.reduce"(%x, %i) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %p: i32, %b: i32, %q: i32):
      %less = arith.cmpi sgt, %p, %q : i32
      %better = arith.cmpi sgt, %a, %b : i32
      %equal = arith.cmpi eq, %a, %b : i32
      %tie = arith.andi %equal, %less : i1
      %first = arith.ori %better, %tie : i1
      %best = arith.select %first, %a, %b : i32
      %at = arith.select %first, %p, %q : i32
      tt.reduce.return %best, %at : i32, i32
    }) : (tensor<512xi32, #l>, tensor<512xi32, #l>) -> (i32, i32)
    tt.return %r#1 : i32
  }
}
