// RUN: tritium-opt %s -split-input-file -ttg-prefetch-next-programs | FileCheck %s
// RUN: sed 's/compute = 90/compute = 75/' %s | tritium-opt -split-input-file -ttg-prefetch-next-programs | FileCheck %s -check-prefix=OLD

// Eight programs on each of 132 multiprocessors: the 1056th from here takes this one's place. The
// weights are the same for all; what a condition of the program's own guards, another may not load.
// OLD-NOT: prefetch_l2
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
