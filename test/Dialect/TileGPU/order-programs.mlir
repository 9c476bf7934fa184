// RUN: tritium-opt %s -split-input-file -ttg-order-programs -verify-diagnostics | FileCheck %s
// RUN: tritium-opt %S/Inputs/last-first.mlir -convert-ttg-to-llvm | FileCheck %s --check-prefix=LLVM
// RUN: tritium-opt %S/Inputs/longest-of.mlir -convert-ttg-to-llvm | FileCheck %s --check-prefix=GROUP
// RUN: sed 's/512 : i32/511 : i32/' %S/Inputs/longest-of.mlir | not tritium-opt -convert-ttg-to-llvm 2>&1 | FileCheck %s --check-prefix=POWER
// RUN: sed 's/array<i32: 0>/array<i32: 1>/' %S/Inputs/longest-of.mlir | not tritium-opt -convert-ttg-to-llvm 2>&1 | FileCheck %s --check-prefix=POWER
// RUN: sed 's/array<i32: 0, 2>/array<i32: 3>/' %S/Inputs/last-first.mlir | not tritium-opt -convert-ttg-to-llvm 2>&1 | FileCheck %s --check-prefix=AXIS

// AXIS: error: ttg.last_first must be dimensions of the grid, 0 to 2, as array<i32: 0>, found array<i32: 3>

// POWER: error: ttg.longest_of must be a power of two, as 512 : i32, of a kernel whose ttg.last_first has the grid's first dimension and not the second, found

// Rows in front of the last ones, of which there are 512 programs, are in order, one program after
// the other; of the last ones each round has a program of each.
// GROUP-LABEL: llvm.func @ids
// GROUP: %[[COLUMNS:.*]] = nvvm.read.ptx.sreg.nctaid.x
// GROUP: %[[ROWS:.*]] = nvvm.read.ptx.sreg.nctaid.y
// GROUP: %[[X:.*]] = nvvm.read.ptx.sreg.ctaid.x
// GROUP: %[[ROW:.*]] = nvvm.read.ptx.sreg.ctaid.y
// GROUP: %[[ZEROS:.*]] = "llvm.intr.ctlz"(%[[COLUMNS]])
// GROUP: %[[LOG:.*]] = llvm.sub %{{.*}}, %{{.*}} : i32
// GROUP: %[[MOST:.*]] = llvm.shl %{{.*}}, %{{.*}} : i32
// GROUP: %[[TOGETHER:.*]] = llvm.intr.umin(%[[ROWS]], %[[MOST]])
// GROUP: %[[FIRST:.*]] = llvm.sub %[[ROWS]], %[[TOGETHER]]
// GROUP: %[[ALONE:.*]] = llvm.icmp "ult" %[[ROW]], %[[FIRST]]
// GROUP: %[[START:.*]] = llvm.select %[[ALONE]], %[[ROW]], %[[FIRST]]
// GROUP: %[[COUNT:.*]] = llvm.select %[[ALONE]], %{{.*}}, %[[TOGETHER]]
// GROUP: %[[PAST:.*]] = llvm.sub %[[ROW]], %[[START]]
// GROUP: %[[BEFORE:.*]] = llvm.mul %[[COLUMNS]], %[[PAST]]
// GROUP: %[[NUMBER:.*]] = llvm.add %[[X]], %[[BEFORE]]
// GROUP: %[[ROUND:.*]] = llvm.udiv %[[NUMBER]], %[[COUNT]]
// GROUP: %[[LAST:.*]] = llvm.sub %[[COLUMNS]], %{{.*}}
// GROUP: llvm.sub %[[LAST]], %[[ROUND]]
// GROUP: nvvm.read.ptx.sreg.ctaid.z

// Only the ids of these dimensions count down.
// LLVM-LABEL: llvm.func @ids
// LLVM-DAG: %[[X:.*]] = nvvm.read.ptx.sreg.ctaid.x
// LLVM-DAG: %[[NX:.*]] = nvvm.read.ptx.sreg.nctaid.x
// LLVM-DAG: %[[LX:.*]] = llvm.sub %[[NX]], %{{.*}} : i32
// LLVM-DAG: llvm.sub %[[LX]], %[[X]] : i32
// LLVM-DAG: %[[Y:.*]] = nvvm.read.ptx.sreg.ctaid.y
// LLVM-NOT: nctaid.y
// LLVM-DAG: nvvm.read.ptx.sreg.nctaid.z
// LLVM: llvm.return

module attributes {"ttg.num-warps" = 4 : i32} {
// Rows up to the program's own, and a loop over the same number in each program.
// CHECK-LABEL: tt.func @causal
// CHECK-SAME: attributes {ttg.last_first = array<i32: 0>, ttg.longest_of = 256 : i32}
// expected-remark @below {{the last programs come first, since they have the longest loops}}
tt.func @causal(%p: !tt.ptr<f32>, %n: i32) {
  %id = tt.get_program_id 0 : i32
  %other = tt.get_program_id 1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %next = arith.addi %id, %c1 : i32
  %begin = arith.muli %id, %c64 : i32
  %rows = arith.muli %next, %c64 : i32
  %end = arith.minsi %rows, %n : i32
  %x = tt.load %p : !tt.ptr<f32>
  %s = scf.for %i = %c0 to %begin step %c64 iter_args(%a = %x) -> (f32) : i32 {
    %b = arith.addf %a, %x : f32
    scf.yield %b : f32
  }
  %t = scf.for %i = %begin to %end step %c64 iter_args(%a = %s) -> (f32) : i32 {
    %b = arith.addf %a, %x : f32
    scf.yield %b : f32
  }
  tt.store %p, %t : !tt.ptr<f32>
  tt.return
}

// Rows up to the program's own and those behind them, joined: the begin is the least of none and a
// number that is taken for positive.
// CHECK-LABEL: tt.func @joined
// CHECK-SAME: attributes {ttg.last_first = array<i32: 0>
// expected-remark @below {{the last programs come first}}
tt.func @joined(%p: !tt.ptr<f32>) {
  %id = tt.get_program_id 0 : i32
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %border = arith.muli %id, %c64 : i32
  %end = arith.addi %border, %c64 : i32
  %from = arith.minsi %border, %c0 : i32
  %to = arith.maxsi %border, %end : i32
  scf.for %i = %from to %to step %c64 : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    tt.store %p, %x : !tt.ptr<f32>
  }
  tt.return
}

// Along both dimensions, one by a quotient.
// CHECK-LABEL: tt.func @two
// CHECK-SAME: attributes {ttg.last_first = array<i32: 1, 2>}
// expected-remark @below {{the last programs come first}}
tt.func @two(%p: !tt.ptr<f32>, %n: i32) {
  %y = tt.get_program_id 1 : i32
  %z = tt.get_program_id 2 : i32
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %q = arith.divsi %y, %c8 : i32
  %end = arith.addi %q, %z : i32
  scf.for %i = %c0 to %end step %c8 : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    tt.store %p, %x : !tt.ptr<f32>
  }
  tt.return
}

// The last ones are the shortest, or nobody knows.
// CHECK-LABEL: tt.func @shorter
// CHECK-NOT: ttg.last_first
tt.func @shorter(%p: !tt.ptr<f32>, %n: i32) {
  %id = tt.get_program_id 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %id to %n step %c1 : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    tt.store %p, %x : !tt.ptr<f32>
  }
  tt.return
}

// CHECK-LABEL: tt.func @counted_down
// CHECK-NOT: ttg.last_first
tt.func @counted_down(%p: !tt.ptr<f32>) {
  %id = tt.get_program_id 0 : i32
  %n = tt.get_num_programs 0 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %end = arith.subi %n, %id : i32
  scf.for %i = %c0 to %end step %c1 : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    tt.store %p, %x : !tt.ptr<f32>
  }
  tt.return
}

// CHECK-LABEL: tt.func @remainder
// CHECK-NOT: ttg.last_first
tt.func @remainder(%p: !tt.ptr<f32>, %n: i32) {
  %id = tt.get_program_id 0 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %end = arith.remsi %id, %n : i32
  scf.for %i = %c0 to %end step %c1 : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    tt.store %p, %x : !tt.ptr<f32>
  }
  tt.return
}

// A program may wait for those in front of it.
// CHECK-LABEL: tt.func @waits
// CHECK-NOT: ttg.last_first
tt.func @waits(%p: !tt.ptr<f32>, %f: !tt.ptr<i32>) {
  %id = tt.get_program_id 0 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %id step %c1 : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    tt.store %p, %x : !tt.ptr<f32>
  }
  // expected-remark @below {{the longest programs come last: this may depend on other programs, or on which CTA it is}}
  %flag = tt.load %f {isVolatile = true} : !tt.ptr<i32>
  tt.store %f, %flag : !tt.ptr<i32>
  tt.return
}
}
