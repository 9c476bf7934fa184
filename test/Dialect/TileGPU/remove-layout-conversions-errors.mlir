// RUN: tritium-opt %s -ttg-remove-layout-conversions | FileCheck %s

// Conversions that must stay, because both ends have a layout of their own.

#wide = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#narrow = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[$WIDE:.*]] = #ttg.blocked<{sizePerThread = [4]
// CHECK-DAG: #[[$NARROW:.*]] = #ttg.blocked<{sizePerThread = [1]
module attributes {"ttg.num-warps" = 4 : i32} {
  // Loaded wide and stored narrow: what lies between is computed as it was loaded, and is
  // converted once.
  // CHECK-LABEL: @two_homes
  // CHECK: %[[X:.*]] = tt.load {{.*}} : tensor<512x!tt.ptr<f32>, #[[$WIDE]]>
  // CHECK: %[[Y:.*]] = arith.addf %[[X]], %[[X]] : tensor<512xf32, #[[$WIDE]]>
  // CHECK: %[[Z:.*]] = ttg.convert_layout %[[Y]] : tensor<512xf32, #[[$WIDE]]> -> tensor<512xf32, #[[$NARROW]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store {{.*}}, %[[Z]] : tensor<512x!tt.ptr<f32>, #[[$NARROW]]>
  tt.func @two_homes(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
    %pw = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #wide>
    %qn = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #narrow>
    %x = tt.load %pw : tensor<512x!tt.ptr<f32>, #wide>
    %xn = ttg.convert_layout %x : tensor<512xf32, #wide> -> tensor<512xf32, #narrow>
    %y = arith.addf %xn, %xn : tensor<512xf32, #narrow>
    tt.store %qn, %y : tensor<512x!tt.ptr<f32>, #narrow>
    tt.return
  }

  // What is loaded before a loop is converted before it, not in each iteration.
  // CHECK-LABEL: @outside
  // CHECK: %[[X:.*]] = tt.load {{.*}} : tensor<512x!tt.ptr<f32>, #[[$WIDE]]>
  // CHECK: %[[Z:.*]] = ttg.convert_layout %[[X]]
  // CHECK: scf.for
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store {{.*}}, %[[Z]] : tensor<512x!tt.ptr<f32>, #[[$NARROW]]>
  tt.func @outside(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %pw = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #wide>
    %qn = tt.splat %q : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #narrow>
    %x = tt.load %pw : tensor<512x!tt.ptr<f32>, #wide>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %xn = ttg.convert_layout %x : tensor<512xf32, #wide> -> tensor<512xf32, #narrow>
      tt.store %qn, %xn : tensor<512x!tt.ptr<f32>, #narrow>
    }
    tt.return
  }
}
