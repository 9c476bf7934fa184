// RUN: tritium-opt %s -tt-descriptors-to-pointers -canonicalize -cse | FileCheck %s

// Indices that nothing changes are added to the ranges. They may be negative, so both ends of
// both dimensions are checked.
// CHECK-LABEL: @load(
// CHECK-SAME: %[[P:[a-z0-9]*]]: !tt.ptr<f32>, %[[M:[a-z0-9]*]]: i64, %[[N:[a-z0-9]*]]: i64, %[[S:[a-z0-9]*]]: i64, %[[I:[a-z0-9]*]]: i64, %[[J:[a-z0-9]*]]: i64
// CHECK: %[[ROWS:[a-z0-9]*]] = tt.make_range {end = 16 : i32
// CHECK: %[[IS:[a-z0-9]*]] = tt.splat %[[I]] : i64 -> tensor<16xi64>
// CHECK: %[[I1:[a-z0-9]*]] = arith.addi %[[IS]]
// CHECK: tt.splat %[[P]]
// CHECK: %[[SS:[a-z0-9]*]] = tt.splat %[[S]]
// CHECK: arith.muli %[[I1]], %[[SS]]
// CHECK: %[[LOW:[a-z0-9]*]] = arith.subi %c0_i64, %[[I]] : i64
// CHECK: %[[LOW0:[a-z0-9]*]] = arith.maxsi %[[LOW]], %c0_i64
// CHECK: arith.minsi %[[LOW0]], %c16_i64
// CHECK: arith.cmpi sge, %[[ROWS]]
// CHECK: %[[LEFT:[a-z0-9]*]] = arith.subi %[[M]], %[[I]] : i64
// CHECK: %[[LEFT0:[a-z0-9]*]] = arith.maxsi %[[LEFT]], %c0_i64
// CHECK: arith.minsi %[[LEFT0]], %c16_i64
// CHECK: arith.cmpi slt, %[[ROWS]]
// CHECK: %[[COLUMNS:[a-z0-9]*]] = tt.make_range {end = 32 : i32
// CHECK: tt.splat %[[J]] : i64 -> tensor<32xi64>
// CHECK: %[[Q:[a-z0-9]*]] = tt.addptr
// CHECK: arith.subi %c0_i64, %[[J]] : i64
// CHECK: arith.cmpi sge, %[[COLUMNS]]
// CHECK: arith.subi %[[N]], %[[J]] : i64
// CHECK: arith.cmpi slt, %[[COLUMNS]]
// CHECK: %[[MASK:[a-z0-9]*]] = arith.andi {{.*}} : tensor<16x32xi1>
// CHECK: tt.load %[[Q]], %[[MASK]], %cst cache = cg : tensor<16x32x!tt.ptr<f32>>
tt.func private @load(%p: !tt.ptr<f32>, %m: i64, %n: i64, %s: i64, %i: i64, %j: i64) -> tensor<16x32xf32> {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] : !tt.tensordesc<16x32xf32>
  %x = tt.descriptor_load %d[%i, %j] cache = cg : !tt.tensordesc<16x32xf32>
  tt.return %x : tensor<16x32xf32>
}

// What the loop changes is one scalar that is added to a tile of pointers from outside; an index
// that is not negative has one end only, and a column that is in bounds none.
// CHECK-LABEL: @moves
// CHECK: scf.for %[[K:[a-z0-9]*]] =
// CHECK-NOT: arith.cmpi
// CHECK: %[[KS:.*]] = arith.muli %[[K]]
// CHECK: arith.cmpi slt
// CHECK-NOT: arith.cmpi
// CHECK: tt.splat %[[KS]] : i64 -> tensor<4x8xi64>
// CHECK: %[[Q:.*]] = tt.addptr {{.*}} : tensor<4x8x!tt.ptr<f16>>, tensor<4x8xi64>
// CHECK: tt.load %[[Q]], %{{.*}}, %[[NAN:.*]] : tensor<4x8x!tt.ptr<f16>>
tt.func private @moves(%p: !tt.ptr<f16>, %m: i64, %n: i64, %s: i64, %j: i64) -> tensor<4x8xf16> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %none = arith.constant dense<0.0> : tensor<4x8xf16>
  %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] : !tt.tensordesc<4x8xf16, nan>
  %r = scf.for %k = %zero to %m step %one iter_args(%acc = %none) -> tensor<4x8xf16> : i64 {
    %x = tt.descriptor_load %d[%k, %j] in_bounds = [false, true] : !tt.tensordesc<4x8xf16, nan>
    %sum = arith.addf %acc, %x : tensor<4x8xf16>
    scf.yield %sum : tensor<4x8xf16>
  }
  tt.return %r : tensor<4x8xf16>
}

// Ranges prove that the block lies within the array.
// CHECK-LABEL: @inside
// CHECK: tt.load %{{[a-z0-9]*}} : tensor<8x!tt.ptr<i32>>
tt.func private @inside(%p: !tt.ptr<i32>) -> tensor<8xi32> {
  %one = arith.constant 1 : i64
  %c24 = arith.constant 24 : i64
  %c16 = arith.constant 16 : i64
  %d = tt.make_tensor_descriptor %p, [%c24], [%one] : !tt.tensordesc<8xi32>
  %x = tt.descriptor_load %d[%c16] : !tt.tensordesc<8xi32>
  tt.return %x : tensor<8xi32>
}

// CHECK-LABEL: @store_and_reduce
// CHECK-SAME: %{{.*}}: tensor<8xi32>, %[[F:.*]]: tensor<8xf32>
// CHECK: tt.store %{{.*}}, %{{.*}}, %[[MASK:.*]] evict = evict_first : tensor<8x!tt.ptr<i32>>
// CHECK: tt.atomic_rmw umax, relaxed, gpu, %{{.*}}, %{{.*}}, %[[MASK]]
// CHECK: %[[BITS:.*]] = tt.bitcast %[[F]] : tensor<8xf32> -> tensor<8xi32>
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[BITS]]
// CHECK: %[[POSITIVE:.*]] = arith.cmpi sge, %[[BITS]]
// CHECK: %[[UP:.*]] = arith.andi %{{.*}}, %[[POSITIVE]]
// CHECK: %[[DOWN:.*]] = arith.andi %{{.*}}, %[[NEGATIVE]]
// CHECK: tt.atomic_rmw min, relaxed, gpu, %{{.*}}, %[[BITS]], %[[UP]]
// CHECK: tt.atomic_rmw umax, relaxed, gpu, %{{.*}}, %[[BITS]], %[[DOWN]]
tt.func private @store_and_reduce(%p: !tt.ptr<i32>, %q: !tt.ptr<f32>, %n: i64, %i: i64, %v: tensor<8xi32>, %f: tensor<8xf32>) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n], [%one] : !tt.tensordesc<8xi32>
  %e = tt.make_tensor_descriptor %q, [%n], [%one] : !tt.tensordesc<8xf32>
  tt.descriptor_store %d[%i], %v evict = evict_first : !tt.tensordesc<8xi32>
  tt.descriptor_reduce umax, %d[%i], %v : !tt.tensordesc<8xi32>
  tt.descriptor_reduce min, %e[%i], %f : !tt.tensordesc<8xf32>
  tt.return
}

// Rows are compared one by one, in i64.
// CHECK-LABEL: @rows
// CHECK-SAME: %[[ROWS:[a-z0-9]*]]: tensor<16xi64>
// CHECK: arith.muli %[[ROWS]]
// CHECK: arith.cmpi sge, %[[ROWS]]
// CHECK: arith.cmpi slt, %[[ROWS]]
// CHECK: tt.load
// CHECK: tt.store
tt.func private @rows(%p: !tt.ptr<f32>, %rows: tensor<16xi64>, %m: i64, %n: i64, %j: i64) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%m, %n], [%n, %one] : !tt.tensordesc<1x8xf32>
  %v = tt.descriptor_gather %d[%rows, %j] : !tt.tensordesc<1x8xf32> -> tensor<16x8xf32>
  tt.descriptor_scatter %d[%rows, %j], %v : !tt.tensordesc<1x8xf32>, tensor<16x8xf32>
  tt.return
}

// Loops and branches carry base, extents and strides.
// CHECK-LABEL: @carried
// CHECK-SAME: %[[P:[a-z0-9]*]]: !tt.ptr<f32>, %[[Q:[a-z0-9]*]]: !tt.ptr<f32>, %[[N:[a-z0-9]*]]: i64, %[[M:[a-z0-9]*]]: i64, %[[C:[a-z0-9]*]]: i1
// CHECK: %[[FIRST:[a-z0-9]*]] = arith.select %[[C]], %[[P]], %[[Q]] : !tt.ptr<f32>
// CHECK: %[[EXTENT:[a-z0-9]*]] = arith.select %[[C]], %[[N]], %[[M]] : i64
// CHECK: scf.for {{.*}} iter_args(%{{[a-z0-9]*}} = %{{[a-z0-9]*}}, %[[A:[a-z0-9]*]] = %[[FIRST]], %[[AN:[a-z0-9]*]] = %[[EXTENT]], %[[AS:[a-z0-9]*]] = %c1_i64, %[[B:[a-z0-9]*]] = %[[Q]], %[[BN:[a-z0-9]*]] = %[[M]], %[[BS:[a-z0-9]*]] = %c1_i64)
// CHECK: tt.splat %[[A]]
// CHECK: arith.maxsi %[[AN]]
// CHECK: scf.yield %{{[a-z0-9]*}}, %[[B]], %[[BN]], %[[BS]], %[[A]], %[[AN]], %[[AS]]
// CHECK: } {tt.num_stages = 2 : i32}
tt.func private @carried(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i64, %m: i64, %c: i1) -> tensor<8xf32> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %none = arith.constant dense<0.0> : tensor<8xf32>
  %a = tt.make_tensor_descriptor %p, [%n], [%one] : !tt.tensordesc<8xf32>
  %b = tt.make_tensor_descriptor %q, [%m], [%one] : !tt.tensordesc<8xf32>
  %first = scf.if %c -> !tt.tensordesc<8xf32> {
    scf.yield %a : !tt.tensordesc<8xf32>
  } else {
    scf.yield %b : !tt.tensordesc<8xf32>
  }
  %r:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %none, %x = %first, %y = %b) -> (tensor<8xf32>, !tt.tensordesc<8xf32>, !tt.tensordesc<8xf32>) : i64 {
    %v = tt.descriptor_load %x[%zero] : !tt.tensordesc<8xf32>
    %sum = arith.addf %acc, %v : tensor<8xf32>
    scf.yield %sum, %y, %x : tensor<8xf32>, !tt.tensordesc<8xf32>, !tt.tensordesc<8xf32>
  } {tt.num_stages = 2 : i32}
  tt.return %r#0 : tensor<8xf32>
}

// A select of descriptors, and a loop that ends by a condition.
// CHECK-LABEL: @selected
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f32>
// CHECK: scf.while
// CHECK: tt.load
// CHECK: scf.condition
// CHECK: ^bb0(%[[A:.*]]: tensor<8xf32>, %[[B:.*]]: !tt.ptr<f32>
tt.func private @selected(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i64, %m: i64, %c: i1) -> tensor<8xf32> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %none = arith.constant dense<0.0> : tensor<8xf32>
  %a = tt.make_tensor_descriptor %p, [%n], [%one] : !tt.tensordesc<8xf32>
  %b = tt.make_tensor_descriptor %q, [%m], [%one] : !tt.tensordesc<8xf32>
  %first = arith.select %c, %a, %b : !tt.tensordesc<8xf32>
  %r:2 = scf.while (%acc = %none, %x = %first) : (tensor<8xf32>, !tt.tensordesc<8xf32>) -> (tensor<8xf32>, !tt.tensordesc<8xf32>) {
    %v = tt.descriptor_load %x[%zero] : !tt.tensordesc<8xf32>
    %go = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%s: f32, %t: f32):
      %u = arith.addf %s, %t : f32
      tt.reduce.return %u : f32
    }) : (tensor<8xf32>) -> f32
    %limit = arith.constant 1.0 : f32
    %more = arith.cmpf olt, %go, %limit : f32
    scf.condition(%more) %v, %x : tensor<8xf32>, !tt.tensordesc<8xf32>
  } do {
  ^bb0(%v: tensor<8xf32>, %x: !tt.tensordesc<8xf32>):
    %y = arith.select %c, %x, %b : !tt.tensordesc<8xf32>
    scf.yield %v, %y : tensor<8xf32>, !tt.tensordesc<8xf32>
  }
  tt.return %r#0 : tensor<8xf32>
}

// Padding of pointers is null.
// CHECK-LABEL: @pointers
// CHECK: tt.int_to_ptr %{{.*}} : tensor<4xi64> -> tensor<4x!tt.ptr<f32>>
// CHECK: tt.load
tt.func private @pointers(%p: !tt.ptr<!tt.ptr<f32>>, %n: i64) -> tensor<4x!tt.ptr<f32>> {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n], [%one] : !tt.tensordesc<4x!tt.ptr<f32>>
  %v = tt.descriptor_load %d[%n] : !tt.tensordesc<4x!tt.ptr<f32>>
  tt.return %v : tensor<4x!tt.ptr<f32>>
}
