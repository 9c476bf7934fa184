// RUN: tritium-opt %s -split-input-file -tritium-ttir -tritium-ttgir=num-warps=8 -convert-ttg-to-llvm | FileCheck %s

// 4096 halves, eight warps: six programs share a multiprocessor, 648 run on 108 of them. The
// row of the program that is 648 further on is brought to L2 if there is such a program, two
// vectors a lane as for the load. The weights are the same for all.
// CHECK-LABEL: llvm.func @row(
// CHECK: %[[ID:.*]] = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK-COUNT-2: "{{.*}}ld.global.v4.b32
// CHECK: %[[AHEAD:.*]] = llvm.mlir.constant(648 : i32)
// CHECK: %[[NEXT:.*]] = llvm.add %[[ID]], %[[AHEAD]]
// CHECK: %[[ALL:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK: %[[EXISTS:.*]] = llvm.icmp "ult" %[[NEXT]], %[[ALL]]
// CHECK: llvm.sext %[[NEXT]] : i32 to i64
// CHECK: llvm.and %{{.*}}, %[[EXISTS]]
// CHECK-COUNT-2: "@$1 prefetch.global.L2 [$0];"
// CHECK-NOT: prefetch
// CHECK: llvm.return
tt.func @row(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %w: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %id = tt.get_program_id 0 : i32
  %start = arith.muli %id, %pitch : i32
  %r = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %row = tt.addptr %x, %start : !tt.ptr<f16>, i32
  %xx = tt.splat %row : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>>
  %p = tt.addptr %xx, %r : tensor<4096x!tt.ptr<f16>>, tensor<4096xi32>
  %nn = tt.splat %n : i32 -> tensor<4096xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<4096xi32>
  %v = tt.load %p, %m : tensor<4096x!tt.ptr<f16>>
  %ww = tt.splat %w : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>>
  %q = tt.addptr %ww, %r : tensor<4096x!tt.ptr<f16>>, tensor<4096xi32>
  %k = tt.load %q, %m : tensor<4096x!tt.ptr<f16>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f16, %b: f16):
    %t = arith.maxnumf %a, %b : f16
    tt.reduce.return %t : f16
  }) : (tensor<4096xf16>) -> f16
  %ss = tt.splat %s : f16 -> tensor<4096xf16>
  %y = arith.mulf %k, %ss : tensor<4096xf16>
  tt.store %p, %y, %m : tensor<4096x!tt.ptr<f16>>
  tt.return
}

// -----

// Without a reduction nothing waits for the whole of a tile.
// CHECK-LABEL: llvm.func @copy(
// CHECK-NOT: prefetch
tt.func @copy(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i32 {tt.divisibility = 16 : i32}) {
  %id = tt.get_program_id 0 : i32
  %start = arith.muli %id, %pitch : i32
  %r = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %row = tt.addptr %x, %start : !tt.ptr<f16>, i32
  %xx = tt.splat %row : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>>
  %p = tt.addptr %xx, %r : tensor<4096x!tt.ptr<f16>>, tensor<4096xi32>
  %v = tt.load %p : tensor<4096x!tt.ptr<f16>>
  %y = arith.addf %v, %v : tensor<4096xf16>
  tt.store %p, %y : tensor<4096x!tt.ptr<f16>>
  tt.return
}

// -----

// The other program may not come to this load, or load elsewhere: its address may be none.
// CHECK-LABEL: llvm.func @sometimes(
// CHECK-NOT: prefetch
tt.func @sometimes(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16>, %at: !tt.ptr<i32>, %n: i32) {
  %id = tt.get_program_id 0 : i32
  %c = arith.cmpi slt, %id, %n : i32
  %r = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %atp = tt.addptr %at, %id : !tt.ptr<i32>, i32
  %from = tt.load %atp : !tt.ptr<i32>
  %size = arith.constant 4096 : i32
  %fromStart = arith.muli %from, %size : i32
  %fromRow = tt.addptr %x, %fromStart : !tt.ptr<f16>, i32
  %ff = tt.splat %fromRow : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>>
  %q = tt.addptr %ff, %r : tensor<4096x!tt.ptr<f16>>, tensor<4096xi32>
  %u = tt.load %q : tensor<4096x!tt.ptr<f16>>
  %t = "tt.reduce"(%u) <{axis = 0 : i32}> ({
  ^bb0(%a: f16, %b: f16):
    %m = arith.maxnumf %a, %b : f16
    tt.reduce.return %m : f16
  }) : (tensor<4096xf16>) -> f16
  tt.store %y, %t : !tt.ptr<f16>
  scf.if %c {
    %start = arith.muli %id, %size : i32
    %row = tt.addptr %x, %start : !tt.ptr<f16>, i32
    %xx = tt.splat %row : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>>
    %p = tt.addptr %xx, %r : tensor<4096x!tt.ptr<f16>>, tensor<4096xi32>
    %v = tt.load %p : tensor<4096x!tt.ptr<f16>>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f16, %b: f16):
      %m = arith.maxnumf %a, %b : f16
      tt.reduce.return %m : f16
    }) : (tensor<4096xf16>) -> f16
    %yp = tt.addptr %y, %id : !tt.ptr<f16>, i32
    tt.store %yp, %s : !tt.ptr<f16>
  }
  tt.return
}
