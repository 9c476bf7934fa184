// RUN: tritium-opt %s -tt-narrow-offsets | FileCheck %s

// Offsets that must stay in 64 bits, beside their nearest neighbours that need not.

// The ends of 32 bits, and one step beyond them.
// CHECK-LABEL: @ends
// CHECK: tt.addptr {{.*}} : !tt.ptr<f32>, i32
// CHECK: tt.addptr {{.*}} : !tt.ptr<f32>, i32
// CHECK: tt.addptr {{.*}} : !tt.ptr<f32>, i64
// CHECK: tt.addptr {{.*}} : !tt.ptr<f32>, i64
tt.func private @ends(%p: !tt.ptr<f32>) -> (!tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>) {
  %most = arith.constant 2147483647 : i64
  %least = arith.constant -2147483648 : i64
  %more = arith.constant 2147483648 : i64
  %less = arith.constant -2147483649 : i64
  %a = tt.addptr %p, %most : !tt.ptr<f32>, i64
  %b = tt.addptr %p, %least : !tt.ptr<f32>, i64
  %c = tt.addptr %p, %more : !tt.ptr<f32>, i64
  %d = tt.addptr %p, %less : !tt.ptr<f32>, i64
  tt.return %a, %b, %c, %d : !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>
}

// 63 * 34087042 is below 2^31, 63 * 34087043 is not.
// CHECK-LABEL: @products
// CHECK: tt.addptr {{.*}} : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
// CHECK: tt.addptr {{.*}} : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
tt.func private @products(%p: tensor<64x!tt.ptr<f32>>) -> (tensor<64x!tt.ptr<f32>>, tensor<64x!tt.ptr<f32>>) {
  %fits = arith.constant dense<34087042> : tensor<64xi64>
  %wraps = arith.constant dense<34087043> : tensor<64xi64>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %w = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
  %x = arith.muli %w, %fits : tensor<64xi64>
  %y = arith.muli %w, %wraps : tensor<64xi64>
  %a = tt.addptr %p, %x : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  %b = tt.addptr %p, %y : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  tt.return %a, %b : tensor<64x!tt.ptr<f32>>, tensor<64x!tt.ptr<f32>>
}

// The whole fits, but what it is made of does not: nothing that wraps may be marked as not.
// CHECK-LABEL: @in_the_midst
// CHECK: arith.muli {{.*}} : tensor<64xi64>
// CHECK: tt.addptr {{.*}} : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
tt.func private @in_the_midst(%p: tensor<64x!tt.ptr<f32>>) -> tensor<64x!tt.ptr<f32>> {
  %large = arith.constant dense<1073741824> : tensor<64xi64>
  %zero = arith.constant dense<0> : tensor<64xi64>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %w = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
  %x = arith.muli %w, %large : tensor<64xi64>
  %y = arith.muli %x, %zero : tensor<64xi64>
  %a = tt.addptr %p, %y : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  tt.return %a : tensor<64x!tt.ptr<f32>>
}

// Any 64-bit number, whatever is added to it.
// CHECK-LABEL: @unknown
// CHECK: tt.addptr {{.*}} : !tt.ptr<f32>, i64
// CHECK: tt.addptr {{.*}} : !tt.ptr<f32>, i64
tt.func private @unknown(%p: !tt.ptr<f32>, %w: i64) -> (!tt.ptr<f32>, !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %x = arith.addi %w, %c1 : i64
  %a = tt.addptr %p, %w : !tt.ptr<f32>, i64
  %b = tt.addptr %p, %x : !tt.ptr<f32>, i64
  tt.return %a, %b : !tt.ptr<f32>, !tt.ptr<f32>
}
