// RUN: tritium-opt %s -split-input-file -ttg-prefetch-next-programs | FileCheck %s
// RUN: sed 's/compute = 90/compute = 80/' %s | tritium-opt -split-input-file -ttg-prefetch-next-programs | FileCheck %s -check-prefix=AMPERE
// RUN: sed 's/compute = 90/compute = 75/' %s | tritium-opt -split-input-file -ttg-prefetch-next-programs | FileCheck %s -check-prefix=OLD

// Eight programs on each of 132 multiprocessors: the 1056th from here takes this one's place. The
// weights are the same for all; what a condition of the program's own guards, another may not load.
// OLD-NOT: prefetch_
// AMPERE-NOT: prefetch_run
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func @row
// CHECK: tt.load
// CHECK: %[[FAR:.*]] = arith.constant 1056 : i32
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %[[FAR]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[NEXT]]
// CHECK: %[[START:.*]] = arith.muli %[[NEXT]]
// CHECK: %[[ROW:.*]] = tt.addptr %{{.*}}, %[[START]]
// CHECK: %[[ROWS:.*]] = tt.splat %[[ROW]]
// CHECK: %[[AT:.*]] = tt.addptr %[[ROWS]]
// CHECK: %[[MASK:.*]] = tt.splat %[[EXISTS]]
// CHECK: ttg.prefetch_l2 %[[AT]], %[[MASK]] one_of 4 along 0
// CHECK: tt.load
// CHECK-NOT: prefetch_l2
// CHECK: tt.return
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
tt.func @row(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %w: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {ttg.programs_at_once = 8 : i32} {
  %id = tt.get_program_id 0 : i32
  %pitch = arith.constant 512 : i32
  %start = arith.muli %id, %pitch : i32
  %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
  %xx = tt.splat %row : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
  %v = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
  %ww = tt.splat %w : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %q = tt.addptr %ww, %r : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
  %k = tt.load %q : tensor<512x!tt.ptr<f32>, #b>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<512xf32, #b>) -> f32
  %early = arith.cmpi slt, %id, %n : i32
  scf.if %early {
    %u = tt.load %p : tensor<512x!tt.ptr<f32>, #b>
    %ss = tt.splat %s : f32 -> tensor<512xf32, #b>
    %y = arith.mulf %u, %ss : tensor<512xf32, #b>
    %z = arith.mulf %y, %k : tensor<512xf32, #b>
    tt.store %p, %z : tensor<512x!tt.ptr<f32>, #b>
  }
  tt.return
}
}

// -----

// Few programs: 512 threads with 32 registers of a row and as many of the weights are one on each
// multiprocessor. One thread asks for the row, up to the bound of the mask. On sm_80 there is no such
// instruction.
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [16], order = [0]}>
// CHECK-LABEL: tt.func @long
// CHECK: tt.load
// CHECK: %[[FAR:.*]] = arith.constant 132 : i32
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %[[FAR]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[NEXT]]
// CHECK: %[[START:.*]] = arith.muli %[[NEXT]], %{{.*}}
// CHECK: %[[ROW:.*]] = tt.addptr %arg0, %[[START]] : !tt.ptr<f32>, i32
// CHECK: %[[FIRST:.*]] = arith.constant 8 : i32
// CHECK: %[[AT:.*]] = tt.addptr %[[ROW]], %[[FIRST]] : !tt.ptr<f32>, i32
// CHECK: %[[MOST:.*]] = arith.constant 16384 : i32
// CHECK: %[[FROM:.*]] = arith.constant 8 : i32
// CHECK: %[[END:.*]] = arith.constant 16392 : i32
// CHECK: %[[HELD:.*]] = arith.minsi %arg2, %[[END]]
// CHECK: %[[BEHIND:.*]] = arith.maxsi %[[HELD]], %[[FROM]]
// CHECK: %[[COUNT:.*]] = arith.subi %[[BEHIND]], %[[FROM]]
// CHECK: %[[NONE:.*]] = arith.constant 0 : i32
// CHECK: %[[ASKED:.*]] = arith.select %[[EXISTS]], %[[COUNT]], %[[NONE]]
// CHECK: ttng.prefetch_run %[[AT]], %[[ASKED]] : <f32>
// CHECK-NOT: prefetch_
// CHECK-LABEL: tt.func @all
// CHECK: %[[ASKED:.*]] = arith.select %{{.*}}, %c16384{{.*}}, %c0{{.*}} : i32
// CHECK: ttng.prefetch_run %{{.*}}, %[[ASKED]] : <f32>
// CHECK-LABEL: tt.func @narrow
// CHECK-NOT: prefetch_
// CHECK-LABEL: tt.func @longer
// CHECK-NOT: prefetch_
// CHECK-LABEL: tt.func @others
// CHECK-NOT: prefetch_
// CHECK: tt.return
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 16 : i32} {
tt.func @long(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %w: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %id = tt.get_program_id 0 : i32
  %pitch = arith.constant 16384 : i32
  %start = arith.muli %id, %pitch : i32
  %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %r = tt.make_range {start = 8 : i32, end = 16392 : i32} : tensor<16384xi32, #b>
  %xx = tt.splat %row : !tt.ptr<f32> -> tensor<16384x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<16384x!tt.ptr<f32>, #b>, tensor<16384xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<16384xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<16384xi32, #b>
  %v = tt.load %p, %m : tensor<16384x!tt.ptr<f32>, #b>
  %ww = tt.splat %w : !tt.ptr<f32> -> tensor<16384x!tt.ptr<f32>, #b>
  %q = tt.addptr %ww, %r : tensor<16384x!tt.ptr<f32>, #b>, tensor<16384xi32, #b>
  %k = tt.load %q : tensor<16384x!tt.ptr<f32>, #b>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<16384xf32, #b>) -> f32
  %ss = tt.splat %s : f32 -> tensor<16384xf32, #b>
  %y = arith.mulf %v, %ss : tensor<16384xf32, #b>
  %z = arith.mulf %y, %k : tensor<16384xf32, #b>
  tt.store %p, %z, %m : tensor<16384x!tt.ptr<f32>, #b>
  tt.return
}

// Without a mask.
tt.func @all(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %w: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %id = tt.get_program_id 0 : i32
  %pitch = arith.constant 16384 : i32
  %start = arith.muli %id, %pitch : i32
  %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %r = tt.make_range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32, #b>
  %xx = tt.splat %row : !tt.ptr<f32> -> tensor<16384x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<16384x!tt.ptr<f32>, #b>, tensor<16384xi32, #b>
  %v = tt.load %p : tensor<16384x!tt.ptr<f32>, #b>
  %ww = tt.splat %w : !tt.ptr<f32> -> tensor<16384x!tt.ptr<f32>, #b>
  %q = tt.addptr %ww, %r : tensor<16384x!tt.ptr<f32>, #b>, tensor<16384xi32, #b>
  %k = tt.load %q : tensor<16384x!tt.ptr<f32>, #b>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<16384xf32, #b>) -> f32
  %ss = tt.splat %s : f32 -> tensor<16384xf32, #b>
  %y = arith.mulf %v, %ss : tensor<16384xf32, #b>
  %z = arith.mulf %y, %k : tensor<16384xf32, #b>
  tt.store %p, %z : tensor<16384x!tt.ptr<f32>, #b>
  tt.return
}

// Nothing is known of the alignment.
tt.func @narrow(%x: !tt.ptr<f32>, %w: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %id = tt.get_program_id 0 : i32
  %pitch = arith.constant 16384 : i32
  %start = arith.muli %id, %pitch : i32
  %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %r = tt.make_range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32, #b>
  %xx = tt.splat %row : !tt.ptr<f32> -> tensor<16384x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<16384x!tt.ptr<f32>, #b>, tensor<16384xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<16384xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<16384xi32, #b>
  %v = tt.load %p, %m : tensor<16384x!tt.ptr<f32>, #b>
  %ww = tt.splat %w : !tt.ptr<f32> -> tensor<16384x!tt.ptr<f32>, #b>
  %q = tt.addptr %ww, %r : tensor<16384x!tt.ptr<f32>, #b>, tensor<16384xi32, #b>
  %k = tt.load %q : tensor<16384x!tt.ptr<f32>, #b>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<16384xf32, #b>) -> f32
  %ss = tt.splat %s : f32 -> tensor<16384xf32, #b>
  %y = arith.mulf %v, %ss : tensor<16384xf32, #b>
  %z = arith.mulf %y, %k : tensor<16384xf32, #b>
  tt.store %p, %z, %m : tensor<16384x!tt.ptr<f32>, #b>
  tt.return
}

// 34 MB for all programs that run at once.
tt.func @longer(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %w: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %id = tt.get_program_id 0 : i32
  %pitch = arith.constant 65536 : i32
  %start = arith.muli %id, %pitch : i32
  %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %r = tt.make_range {start = 0 : i32, end = 65536 : i32} : tensor<65536xi32, #b>
  %xx = tt.splat %row : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<65536x!tt.ptr<f32>, #b>, tensor<65536xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<65536xi32, #b>
  %m = arith.cmpi slt, %r, %nn : tensor<65536xi32, #b>
  %v = tt.load %p, %m : tensor<65536x!tt.ptr<f32>, #b>
  %ww = tt.splat %w : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>, #b>
  %q = tt.addptr %ww, %r : tensor<65536x!tt.ptr<f32>, #b>, tensor<65536xi32, #b>
  %k = tt.load %q : tensor<65536x!tt.ptr<f32>, #b>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<65536xf32, #b>) -> f32
  %ss = tt.splat %s : f32 -> tensor<65536xf32, #b>
  %y = arith.mulf %v, %ss : tensor<65536xf32, #b>
  %z = arith.mulf %y, %k : tensor<65536xf32, #b>
  tt.store %p, %z, %m : tensor<65536x!tt.ptr<f32>, #b>
  tt.return
}

// The mask is no bound from above.
tt.func @others(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %w: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %id = tt.get_program_id 0 : i32
  %pitch = arith.constant 16384 : i32
  %start = arith.muli %id, %pitch : i32
  %row = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %r = tt.make_range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32, #b>
  %xx = tt.splat %row : !tt.ptr<f32> -> tensor<16384x!tt.ptr<f32>, #b>
  %p = tt.addptr %xx, %r : tensor<16384x!tt.ptr<f32>, #b>, tensor<16384xi32, #b>
  %nn = tt.splat %n : i32 -> tensor<16384xi32, #b>
  %m = arith.cmpi sge, %r, %nn : tensor<16384xi32, #b>
  %v = tt.load %p, %m : tensor<16384x!tt.ptr<f32>, #b>
  %ww = tt.splat %w : !tt.ptr<f32> -> tensor<16384x!tt.ptr<f32>, #b>
  %q = tt.addptr %ww, %r : tensor<16384x!tt.ptr<f32>, #b>, tensor<16384xi32, #b>
  %k = tt.load %q : tensor<16384x!tt.ptr<f32>, #b>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %a, %c : f32
    tt.reduce.return %t : f32
  }) : (tensor<16384xf32, #b>) -> f32
  %ss = tt.splat %s : f32 -> tensor<16384xf32, #b>
  %y = arith.mulf %v, %ss : tensor<16384xf32, #b>
  %z = arith.mulf %y, %k : tensor<16384xf32, #b>
  tt.store %p, %z, %m : tensor<16384x!tt.ptr<f32>, #b>
  tt.return
}
}
