// What a pass may meet and has no use for: loops that do not advance or reach the ends of their
// type, quotients that are not defined, pointers out of memory, a function without a body.
tt.func private @declared(%x: !tt.ptr<f32>, %i: i64) -> i64
tt.func @steps(%x: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %cm = arith.constant -1 : i32
  %max = arith.constant 2147483647 : i32
  %min = arith.constant -2147483648 : i32
  %c3 = arith.constant 3 : i32
  scf.for %i = %c0 to %c3 step %c0 : i32 { tt.store %x, %i : !tt.ptr<i32> }
  scf.for %i = %c3 to %c0 step %cm : i32 { tt.store %x, %i : !tt.ptr<i32> }
  scf.for %i = %min to %max step %max : i32 { tt.store %x, %i : !tt.ptr<i32> }
  scf.for %i = %c3 to %c0 step %c3 : i32 { tt.store %x, %i : !tt.ptr<i32> }
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %k4 = arith.constant 4 : index
  scf.for %i = %k0 to %k4 step %k1 { %v = arith.index_cast %i : index to i32
    tt.store %x, %v : !tt.ptr<i32> }
  %l0 = arith.constant 9223372036854775806 : i64
  %l1 = arith.constant 9223372036854775807 : i64
  %l2 = arith.constant 2 : i64
  scf.for %i = %l0 to %l1 step %l2 : i64 { %v = arith.trunci %i : i64 to i32
    tt.store %x, %v : !tt.ptr<i32> }
  tt.return
}
tt.func @ranges(%x: !tt.ptr<i32>, %n: i32, %b: i1, %w: i64, %s: i8) {
  %c0 = arith.constant 0 : i32
  %min = arith.constant -2147483648 : i32
  %cm = arith.constant -1 : i32
  %d = arith.divsi %min, %cm : i32
  %e = arith.remsi %min, %cm : i32
  %f = arith.divsi %min, %c0 : i32
  %g = arith.remui %n, %c0 : i32
  %h = arith.shli %n, %min : i32
  %sum = arith.addi %d, %e : i32
  %sum2 = arith.addi %f, %g : i32
  %sum3 = arith.addi %sum, %sum2 : i32
  %sum4 = arith.addi %sum3, %h : i32
  %c = arith.cmpi slt, %sum4, %n : i32
  %t = arith.constant true
  %cc = arith.cmpi slt, %c, %t : i1
  %lmin = arith.constant -9223372036854775808 : i64
  %lm = arith.constant -1 : i64
  %ld = arith.divsi %lmin, %lm : i64
  %lc = arith.cmpi ult, %ld, %w : i64
  %both = arith.andi %cc, %lc : i1
  %p = tt.addptr %x, %ld : !tt.ptr<i32>, i64
  tt.store %p, %sum4, %both : !tt.ptr<i32>
  %s8 = arith.constant -128 : i8
  %sc = arith.cmpi sge, %s, %s8 : i8
  tt.store %p, %sum4, %sc : !tt.ptr<i32>
  tt.return
}
tt.func @pointers(%x: !tt.ptr<!tt.ptr<i32>>, %n: i32, %b: i1) {
  %r = tt.make_range {start = 0 : i32, end = 3 : i32} : tensor<3xi32>
  %xx = tt.splat %x : !tt.ptr<!tt.ptr<i32>> -> tensor<3x!tt.ptr<!tt.ptr<i32>>>
  %p = tt.addptr %xx, %r : tensor<3x!tt.ptr<!tt.ptr<i32>>>, tensor<3xi32>
  %q = tt.load %p : tensor<3x!tt.ptr<!tt.ptr<i32>>>
  %q2 = tt.addptr %q, %r : tensor<3x!tt.ptr<i32>>, tensor<3xi32>
  %nn = tt.splat %n : i32 -> tensor<3xi32>
  %m = arith.muli %nn, %r : tensor<3xi32>
  %q3 = tt.addptr %q2, %m : tensor<3x!tt.ptr<i32>>, tensor<3xi32>
  %sel = scf.if %b -> (tensor<3x!tt.ptr<i32>>) { scf.yield %q3 : tensor<3x!tt.ptr<i32>> } else { scf.yield %q : tensor<3x!tt.ptr<i32>> }
  tt.store %sel, %r : tensor<3x!tt.ptr<i32>>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %w = scf.while (%a = %q3, %k = %n) : (tensor<3x!tt.ptr<i32>>, i32) -> tensor<3x!tt.ptr<i32>> {
    %cond = arith.cmpi sgt, %k, %c0 : i32
    scf.condition(%cond) %a : tensor<3x!tt.ptr<i32>>
  } do { ^bb0(%a: tensor<3x!tt.ptr<i32>>):
    %a2 = tt.addptr %a, %r : tensor<3x!tt.ptr<i32>>, tensor<3xi32>
    %v = tt.load %a2 : tensor<3x!tt.ptr<i32>>
    tt.store %a2, %v : tensor<3x!tt.ptr<i32>>
    scf.yield %a2, %c1 : tensor<3x!tt.ptr<i32>>, i32
  }
  tt.store %w, %r : tensor<3x!tt.ptr<i32>>
  tt.return
}
