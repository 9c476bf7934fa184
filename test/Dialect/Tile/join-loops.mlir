// RUN: tritium-opt %s -split-input-file -tt-join-loops -canonicalize -cse | FileCheck %s

// The second loop goes on where the first one ends; what differs between the dots is in a branch.
// The product with the sum and what narrows the weights stand behind it.
// CHECK-LABEL: @joined
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32, %[[M:[a-z0-9]+]]: i32
// CHECK: %[[BORDER:.*]] = arith.muli %[[N]], %c64
// CHECK: %[[FROM:.*]] = arith.minsi %[[BORDER]], %c0
// CHECK: %[[TO:.*]] = arith.maxsi %[[BORDER]], %[[M]]
// CHECK: scf.for %[[I:.*]] = %[[FROM]] to %[[TO]] step %c64
// CHECK: %[[K:.*]] = tt.load
// CHECK: %[[V:.*]] = tt.load
// CHECK: %[[S:.*]] = tt.dot %{{.*}}, %[[K]]
// CHECK: %[[IS:.*]] = arith.cmpi slt, %[[I]], %[[BORDER]]
// CHECK: %[[F:.*]] = arith.select %[[IS]]
// CHECK: %[[R:.*]] = scf.if %[[IS]]
// CHECK-NEXT: %[[E:.*]] = math.exp2 %[[S]]
// CHECK-NEXT: scf.yield %[[E]]
// CHECK: else
// CHECK: %[[H:.*]] = arith.mulf %[[S]]
// CHECK: math.exp2 %[[H]]
// CHECK: %[[P:.*]] = arith.truncf %[[R]]
// CHECK: %[[C:.*]] = arith.mulf %{{.*}}, %[[F]]
// CHECK: %[[D:.*]] = tt.dot %[[P]], %[[V]], %[[C]]
// CHECK: scf.yield %[[D]]
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func private @joined(%n: i32, %m: i32, %q: tensor<64x64xf16>, %k: tensor<64x64x!tt.ptr<f16>>, %v: tensor<64x64x!tt.ptr<f16>>, %f: tensor<64x64xf32>, %g: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %border = arith.muli %n, %c64 : i32
  %r = scf.for %i = %c0 to %border step %c64 iter_args(%x = %zero) -> tensor<64x64xf32> : i32 {
    %o = tt.splat %i : i32 -> tensor<64x64xi32>
    %kp = tt.addptr %k, %o : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %vp = tt.addptr %v, %o : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %kt = tt.load %kp : tensor<64x64x!tt.ptr<f16>>
    %vt = tt.load %vp : tensor<64x64x!tt.ptr<f16>>
    %s = tt.dot %q, %kt, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x64xf32>
    %c = arith.mulf %x, %f : tensor<64x64xf32>
    %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %vt, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %r2 = scf.for %i = %border to %m step %c64 iter_args(%x = %r) -> tensor<64x64xf32> : i32 {
    %o = tt.splat %i : i32 -> tensor<64x64xi32>
    %vp = tt.addptr %v, %o : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %vt = tt.load %vp : tensor<64x64x!tt.ptr<f16>>
    %kp = tt.addptr %k, %o : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %kt = tt.load %kp : tensor<64x64x!tt.ptr<f16>>
    %s = tt.dot %q, %kt, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %h = arith.mulf %s, %half : tensor<64x64xf32>
    %e = math.exp2 %h : tensor<64x64xf32>
    %c = arith.mulf %x, %g : tensor<64x64xf32>
    %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %vt, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return %r2 : tensor<64x64xf32>
}

// -----

// Where a mask is all that differs, the branch has nothing else.
// CHECK-LABEL: @masked
// CHECK: scf.for
// CHECK: %[[S:.*]] = tt.dot
// CHECK: %[[R:.*]] = scf.if
// CHECK-NEXT: scf.yield %[[S]]
// CHECK-NEXT: else
// CHECK-NEXT: %[[I:.*]] = tt.splat
// CHECK-NEXT: %[[C:.*]] = arith.cmpi
// CHECK-NEXT: %[[M:.*]] = arith.select %[[C]], %[[S]]
// CHECK-NEXT: scf.yield %[[M]]
// CHECK-NEXT: }
// CHECK: tt.reduce"(%[[R]])
// CHECK: math.exp2
// CHECK: tt.dot
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func private @masked(%n: i32, %m: i32, %q: tensor<64x64xf16>, %v: tensor<64x64xf16>, %columns: tensor<64x64xi32>) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0xFF800000> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %border = arith.muli %n, %c64 : i32
  %r = scf.for %i = %c0 to %border step %c64 iter_args(%x = %zero) -> tensor<64x64xf32> : i32 {
    %s = tt.dot %q, %v, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %t = "tt.reduce"(%s) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64x64xf32>) -> tensor<64xf32>
    %te = tt.expand_dims %t {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %tb = tt.broadcast %te : tensor<64x1xf32> -> tensor<64x64xf32>
    %w = arith.subf %s, %tb : tensor<64x64xf32>
    %e = math.exp2 %w : tensor<64x64xf32>
    %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %v, %x : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %r2 = scf.for %i = %border to %m step %c64 iter_args(%x = %r) -> tensor<64x64xf32> : i32 {
    %s = tt.dot %q, %v, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %is = tt.splat %i : i32 -> tensor<64x64xi32>
    %visible = arith.cmpi slt, %is, %columns : tensor<64x64xi32>
    %y = arith.select %visible, %s, %none : tensor<64x64xi1>, tensor<64x64xf32>
    %t = "tt.reduce"(%y) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64x64xf32>) -> tensor<64xf32>
    %te = tt.expand_dims %t {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %tb = tt.broadcast %te : tensor<64x1xf32> -> tensor<64x64xf32>
    %w = arith.subf %y, %tb : tensor<64x64xf32>
    %e = math.exp2 %w : tensor<64x64xf32>
    %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %v, %x : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return %r2 : tensor<64x64xf32>
}

// -----

// The second loop begins with the results in another order, as it goes on.
// CHECK-LABEL: @exchanged
// CHECK: %[[R:.*]]:2 = scf.for
// CHECK-NOT: scf.for
// CHECK: tt.return %[[R]]#1, %[[R]]#0
tt.func private @exchanged(%n: i32, %m: i32, %q: tensor<64x64xf16>, %v: tensor<64x64xf16>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %one = arith.constant dense<1.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %border = arith.muli %n, %c64 : i32
  %r:2 = scf.for %i = %c0 to %border step %c64 iter_args(%x = %zero, %t = %one) -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
    %s = tt.dot %q, %v, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %e = arith.addf %s, %t : tensor<64x64xf32>
    %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %v, %x : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d, %e : tensor<64x64xf32>, tensor<64x64xf32>
  }
  %r2:2 = scf.for %i = %border to %m step %c64 iter_args(%t = %r#1, %x = %r#0) -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
    %s = tt.dot %q, %v, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %e = arith.subf %s, %t : tensor<64x64xf32>
    %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %v, %x : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %e, %d : tensor<64x64xf32>, tensor<64x64xf32>
  }
  tt.return %r2#0, %r2#1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// %i may not come to the border: 32 divides it, 64 need not.
// CHECK-LABEL: @no_multiple
// CHECK-COUNT-2: scf.for
tt.func private @no_multiple(%n: i32, %m: i32, %q: tensor<64x64xf16>, %v: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %border = arith.muli %n, %c32 : i32
  %r = scf.for %i = %c0 to %border step %c64 iter_args(%x = %zero) -> tensor<64x64xf32> : i32 {
    %s = tt.dot %q, %v, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %v, %x : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %r2 = scf.for %i = %border to %m step %c64 iter_args(%x = %r) -> tensor<64x64xf32> : i32 {
    %s = tt.dot %q, %v, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %t = arith.addf %s, %s : tensor<64x64xf32>
    %p = arith.truncf %t : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %v, %x : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return %r2 : tensor<64x64xf32>
}

// -----

// What differs needs the sum in one of the loops; loads differ; the kernel stores; something else
// has the first sum; something between depends on it; the loops are to be pipelined differently.
// CHECK-LABEL: @of_sum
// CHECK-COUNT-2: scf.for
// CHECK-LABEL: @other_loads
// CHECK-COUNT-2: scf.for
// CHECK-LABEL: @stores
// CHECK-COUNT-2: scf.for
// CHECK-LABEL: @used
// CHECK-COUNT-2: scf.for
// CHECK-LABEL: @stages
// CHECK-COUNT-2: scf.for
tt.func private @of_sum(%n: i32, %m: i32, %q: tensor<64x64xf16>, %v: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %border = arith.muli %n, %c64 : i32
  %r = scf.for %i = %c0 to %border step %c64 iter_args(%x = %zero) -> tensor<64x64xf32> : i32 {
    %s = tt.dot %q, %v, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %v, %x : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %r2 = scf.for %i = %border to %m step %c64 iter_args(%x = %r) -> tensor<64x64xf32> : i32 {
    %s = tt.dot %q, %v, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %t = arith.addf %s, %x : tensor<64x64xf32>
    %p = arith.truncf %t : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %v, %x : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return %r2 : tensor<64x64xf32>
}

tt.func private @other_loads(%n: i32, %m: i32, %q: tensor<64x64xf16>, %k: tensor<64x64x!tt.ptr<f16>>, %mask: tensor<64x64xi1>) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %border = arith.muli %n, %c64 : i32
  %r = scf.for %i = %c0 to %border step %c64 iter_args(%x = %zero) -> tensor<64x64xf32> : i32 {
    %v = tt.load %k : tensor<64x64x!tt.ptr<f16>>
    %s = tt.dot %q, %v, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %q, %x : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %r2 = scf.for %i = %border to %m step %c64 iter_args(%x = %r) -> tensor<64x64xf32> : i32 {
    %v = tt.load %k, %mask : tensor<64x64x!tt.ptr<f16>>
    %s = tt.dot %q, %v, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %q, %x : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return %r2 : tensor<64x64xf32>
}

tt.func private @stores(%n: i32, %m: i32, %q: tensor<64x64xf16>, %v: tensor<64x64xf16>, %out: tensor<64x64x!tt.ptr<f32>>) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %border = arith.muli %n, %c64 : i32
  %r = scf.for %i = %c0 to %border step %c64 iter_args(%x = %zero) -> tensor<64x64xf32> : i32 {
    %s = tt.dot %q, %v, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    tt.store %out, %s : tensor<64x64x!tt.ptr<f32>>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %v, %x : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %r2 = scf.for %i = %border to %m step %c64 iter_args(%x = %r) -> tensor<64x64xf32> : i32 {
    %s = tt.dot %q, %v, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    tt.store %out, %s : tensor<64x64x!tt.ptr<f32>>
    %t = arith.addf %s, %s : tensor<64x64xf32>
    %p = arith.truncf %t : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %v, %x : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return %r2 : tensor<64x64xf32>
}

tt.func private @used(%n: i32, %m: i32, %q: tensor<64x64xf16>, %v: tensor<64x64xf16>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %border = arith.muli %n, %c64 : i32
  %r = scf.for %i = %c0 to %border step %c64 iter_args(%x = %zero) -> tensor<64x64xf32> : i32 {
    %s = tt.dot %q, %v, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %v, %x : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %r2 = scf.for %i = %border to %m step %c64 iter_args(%x = %r) -> tensor<64x64xf32> : i32 {
    %s = tt.dot %q, %v, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %t = arith.addf %s, %s : tensor<64x64xf32>
    %p = arith.truncf %t : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %v, %x : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return %r, %r2 : tensor<64x64xf32>, tensor<64x64xf32>
}

tt.func private @stages(%n: i32, %m: i32, %q: tensor<64x64xf16>, %v: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %border = arith.muli %n, %c64 : i32
  %r = scf.for %i = %c0 to %border step %c64 iter_args(%x = %zero) -> tensor<64x64xf32> : i32 {
    %s = tt.dot %q, %v, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %v, %x : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %r2 = scf.for %i = %border to %m step %c64 iter_args(%x = %r) -> tensor<64x64xf32> : i32 {
    %s = tt.dot %q, %v, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %t = arith.addf %s, %s : tensor<64x64xf32>
    %p = arith.truncf %t : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %v, %x : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  } {tt.num_stages = 2 : i32}
  tt.return %r2 : tensor<64x64xf32>
}

// -----

// The branch has the weights, the maxima and the sums; how much less earlier weights are, and the
// sum of all, is computed of those behind it.
// CHECK-LABEL: @taken_out
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[L:.*]] = %{{.*}}, %[[M:.*]] = %{{.*}})
// CHECK: %[[R:.*]]:3 = scf.if {{.*}} -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>)
// CHECK-NOT: arith.addf %{{.*}} : tensor<64xf32>
// CHECK: else
// CHECK-NOT: arith.addf %{{.*}} : tensor<64xf32>
// CHECK: }
// CHECK-DAG: %[[BELOW:.*]] = arith.subf %[[M]], %[[R]]#1
// CHECK-DAG: %[[F:.*]] = math.exp2 %[[BELOW]]
// CHECK-DAG: %[[LF:.*]] = arith.mulf %[[L]], %[[F]]
// CHECK-DAG: %[[NEXT:.*]] = arith.addf %[[LF]], %[[R]]#2
// CHECK: scf.yield %{{.*}}, %[[NEXT]], %[[R]]#1
tt.func private @taken_out(%n: i32, %to: i32, %q: tensor<64x64xf16>, %k: tensor<64x64x!tt.ptr<f16>>, %v: tensor<64x64xf16>, %l0: tensor<64xf32>, %m0: tensor<64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %border = arith.muli %n, %c64 : i32
  %r1:3 = scf.for %i = %c0 to %border step %c64 iter_args(%x = %zero, %l = %l0, %m = %m0) -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>) : i32 {
    %o = tt.splat %i : i32 -> tensor<64x64xi32>
    %kp = tt.addptr %k, %o : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %kt = tt.load %kp : tensor<64x64x!tt.ptr<f16>>
    %s = tt.dot %q, %kt, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %h = arith.addf %s, %half : tensor<64x64xf32>
    %r = "tt.reduce"(%h) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.maxnumf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<64x64xf32>) -> tensor<64xf32>
    %top = arith.maxnumf %m, %r : tensor<64xf32>
    %column = tt.expand_dims %top {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %tops = tt.broadcast %column : tensor<64x1xf32> -> tensor<64x64xf32>
    %less = arith.subf %h, %tops : tensor<64x64xf32>
    %e = math.exp2 %less : tensor<64x64xf32>
    %below = arith.subf %m, %top : tensor<64xf32>
    %f = math.exp2 %below : tensor<64xf32>
    %sum = "tt.reduce"(%e) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<64x64xf32>) -> tensor<64xf32>
    %lf = arith.mulf %l, %f : tensor<64xf32>
    %next = arith.addf %lf, %sum : tensor<64xf32>
    %fs = tt.expand_dims %f {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %factors = tt.broadcast %fs : tensor<64x1xf32> -> tensor<64x64xf32>
    %c = arith.mulf %x, %factors : tensor<64x64xf32>
    %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %v, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d, %next, %top : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  %r2:3 = scf.for %i = %border to %to step %c64 iter_args(%x = %r1#0, %l = %r1#1, %m = %r1#2) -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>) : i32 {
    %o = tt.splat %i : i32 -> tensor<64x64xi32>
    %kp = tt.addptr %k, %o : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %kt = tt.load %kp : tensor<64x64x!tt.ptr<f16>>
    %s = tt.dot %q, %kt, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %h = arith.mulf %s, %half : tensor<64x64xf32>
    %r = "tt.reduce"(%h) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.maxnumf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<64x64xf32>) -> tensor<64xf32>
    %top = arith.maxnumf %m, %r : tensor<64xf32>
    %column = tt.expand_dims %top {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %tops = tt.broadcast %column : tensor<64x1xf32> -> tensor<64x64xf32>
    %less = arith.subf %h, %tops : tensor<64x64xf32>
    %e = math.exp2 %less : tensor<64x64xf32>
    %below = arith.subf %m, %top : tensor<64xf32>
    %f = math.exp2 %below : tensor<64xf32>
    %sum = "tt.reduce"(%e) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<64x64xf32>) -> tensor<64xf32>
    %lf = arith.mulf %l, %f : tensor<64xf32>
    %next = arith.addf %lf, %sum : tensor<64xf32>
    %fs = tt.expand_dims %f {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %factors = tt.broadcast %fs : tensor<64x1xf32> -> tensor<64x64xf32>
    %c = arith.mulf %x, %factors : tensor<64x64xf32>
    %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %p, %v, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d, %next, %top : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  tt.return %r2#0, %r2#1, %r2#2 : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
}
