// RUN: tritium-opt %s -split-input-file -tritium-ttir -tritium-ttgir=num-warps=1 -convert-ttg-to-llvm | FileCheck %s

// Each register takes its own way; there is nothing that other threads would wait for.
// CHECK-LABEL: llvm.func @map(
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.icmp "ult"
// CHECK: llvm.cond_br
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.icmp "ult"
// CHECK: llvm.cond_br
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.return
tt.func @map(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %pp = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %pp, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %v = tt.load %q : tensor<64x!tt.ptr<i32>>
  %m = "tt.map_elementwise"(%v) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    %one = arith.constant 1 : i32
    %f = scf.for %i = %one to %a step %one iter_args(%s = %one) -> (i32) : i32 {
      %t = arith.muli %s, %i : i32
      scf.yield %t : i32
    }
    tt.map_elementwise.return %f : i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.store %q, %m : tensor<64x!tt.ptr<i32>>
  tt.return
}

// -----

// On padding, a loop might not end: it is entered for elements of the tile only.
// CHECK-LABEL: llvm.func @padding(
// CHECK: %[[N:.*]] = llvm.mlir.constant(40 : i32) : i32
// CHECK: %[[INSIDE:.*]] = llvm.icmp "slt" %{{.*}}, %[[N]] : i32
// CHECK: llvm.cond_br %[[INSIDE]]
tt.func @padding(%x: i32) {
  %r = tt.make_range {start = 0 : i32, end = 40 : i32} : tensor<40xi32>
  %m = "tt.map_elementwise"(%r) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    %one = arith.constant 1 : i32
    %f = scf.for %i = %one to %a step %one iter_args(%s = %one) -> (i32) : i32 {
      %t = arith.muli %s, %i : i32
      scf.yield %t : i32
    }
    tt.map_elementwise.return %f : i32
  }) : (tensor<40xi32>) -> tensor<40xi32>
  tt.print "m" {hex = false, isSigned = array<i1: true>} : %m : tensor<40xi32>
  tt.return
}

// -----

// Four bytes go in a register, the first in its lowest bits; a comment says where the text is from.
// CHECK-LABEL: llvm.func @assembly(
// CHECK: llvm.inline_asm asm_dialect = att "// written at {{.*}}elements.mlir{{.*}}:{{[0-9]+}}:{{[0-9]+}}\0A\09
// CHECK-SAME: lop3.b32 $0, $1, $2, 0, 0x3c;", "=r,r,r" %{{.*}}, %{{.*}} : (i32, i32) -> i32
// CHECK: llvm.inline_asm has_side_effects {{.*}}"=l,=h,d" %{{.*}} : (f64) -> !llvm.struct<(i64, i16)>
// CHECK: llvm.inline_asm has_side_effects {{.*}}"mov.u64 $0, %globaltimer;", "=l"
// CHECK: llvm.inline_asm has_side_effects {{.*}}"mov.u32 $0, %smid;", "=r"
tt.func @assembly(%p: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %d: f64, %o: !tt.ptr<i64>) {
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %pp = tt.splat %p : !tt.ptr<i8> -> tensor<128x!tt.ptr<i8>>
  %q = tt.addptr %pp, %r : tensor<128x!tt.ptr<i8>>, tensor<128xi32>
  %v = tt.load %q : tensor<128x!tt.ptr<i8>>
  %w = tt.inline_asm "lop3.b32 $0, $1, $2, 0, 0x3c;", "=r,r,r" pure %v, %v {pack = 4 : i32} : (tensor<128xi8>, tensor<128xi8>) -> tensor<128xi8>
  tt.store %q, %w : tensor<128x!tt.ptr<i8>>
  %i:2 = tt.inline_asm "mov.b64 $0, $2; mov.u16 $1, 7;", "=l,=h,d" %d : (f64) -> (i64, i8)
  tt.store %o, %i#0 : !tt.ptr<i64>
  %now = tt.read_register globaltimer : i64
  %at = tt.read_register smid : i32
  tt.return
}
