// RUN: tritium-opt %s -tt-widen-offsets -tritium-ttgir=num-warps=4 -convert-ttg-to-llvm | FileCheck %s

// Every iteration writes a tile of its own: no barrier.
// CHECK-LABEL: @apart
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.return
tt.func @apart(%y: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %b = arith.muli %i, %c128 : i32
    %bb = tt.splat %b : i32 -> tensor<128xi32>
    %o = arith.addi %bb, %r : tensor<128xi32>
    %yy = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %p = tt.addptr %yy, %o : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    tt.store %p, %o : tensor<128x!tt.ptr<i32>>
  }
  tt.return
}

// Tiles that overlap by one element: the later iteration waits.
// CHECK-LABEL: @overlap
// CHECK: nvvm.barrier0
// CHECK: llvm.return
tt.func @overlap(%y: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c127 = arith.constant 127 : i32
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %b = arith.muli %i, %c127 : i32
    %bb = tt.splat %b : i32 -> tensor<128xi32>
    %o = arith.addi %bb, %r : tensor<128xi32>
    %yy = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %p = tt.addptr %yy, %o : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    tt.store %p, %o : tensor<128x!tt.ptr<i32>>
  }
  tt.return
}

// A step that is an argument may be less than the tile.
// CHECK-LABEL: @unknown
// CHECK: nvvm.barrier0
// CHECK: llvm.return
tt.func @unknown(%y: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32, %s: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %b = arith.muli %i, %s : i32
    %bb = tt.splat %b : i32 -> tensor<128xi32>
    %o = arith.addi %bb, %r : tensor<128xi32>
    %yy = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %p = tt.addptr %yy, %o : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    tt.store %p, %o : tensor<128x!tt.ptr<i32>>
  }
  tt.return
}

// One after the other: what is written at 0 to 127 and at 128 to 255 does not meet, what is
// read at 127 to 254 does.
// CHECK-LABEL: @straight
// CHECK: st.global
// CHECK-NOT: nvvm.barrier0
// CHECK: st.global
// CHECK: nvvm.barrier0
// CHECK: llvm.load
tt.func @straight(%y: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<i32>, %s: i32) {
  %c127 = arith.constant dense<127> : tensor<128xi32>
  %c128 = arith.constant dense<128> : tensor<128xi32>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %ss = tt.splat %s : i32 -> tensor<128xi32>
  %yy = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %p = tt.addptr %yy, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %m = arith.cmpi slt, %r, %ss : tensor<128xi32>
  tt.store %p, %ss, %m : tensor<128x!tt.ptr<i32>>
  %q = tt.addptr %p, %c128 : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %q, %ss, %m : tensor<128x!tt.ptr<i32>>
  %t = tt.addptr %p, %c127 : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %v = tt.load %t : tensor<128x!tt.ptr<i32>>
  %zz = tt.splat %z : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %w = tt.addptr %zz, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %w, %v : tensor<128x!tt.ptr<i32>>
  tt.return
}

// The second adds what the first does not: how far apart they are is not known.
// CHECK-LABEL: @one_more
// CHECK: {{st.global|llvm.store}}
// CHECK: nvvm.barrier0
// CHECK: {{ld.global|llvm.load}}
tt.func @one_more(%y: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<i32>, %t: i32) {
  %c128 = arith.constant dense<128> : tensor<128xi32>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %yy = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %p = tt.addptr %yy, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %p, %r : tensor<128x!tt.ptr<i32>>
  %tt = tt.splat %t : i32 -> tensor<128xi32>
  %q = tt.addptr %p, %c128 : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %s = tt.addptr %q, %tt : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %v = tt.load %s : tensor<128x!tt.ptr<i32>>
  %zz = tt.splat %z : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %w = tt.addptr %zz, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %w, %v : tensor<128x!tt.ptr<i32>>
  tt.return
}

// Every iteration of the inner loop has a tile of its own, and the outer loop comes back to all.
// CHECK-LABEL: @comes_back
// CHECK: nvvm.barrier0
// CHECK: llvm.return
tt.func @comes_back(%y: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  scf.for %j = %c0 to %n step %c1 : i32 {
    scf.for %i = %c0 to %n step %c1 : i32 {
      %b = arith.muli %i, %c128 : i32
      %bb = tt.splat %b : i32 -> tensor<128xi32>
      %o = arith.addi %bb, %r : tensor<128xi32>
      %yy = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
      %p = tt.addptr %yy, %o : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
      tt.store %p, %o : tensor<128x!tt.ptr<i32>>
    }
  }
  tt.return
}

// A pointer from memory may be one to %y.
// CHECK-LABEL: @from_memory
// CHECK: {{st.global|llvm.store}}
// CHECK: nvvm.barrier0
// CHECK: {{ld.global|llvm.load}}
tt.func @from_memory(%m: !tt.ptr<!tt.ptr<i32>>, %y: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<i32>) {
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %a = tt.load %m : !tt.ptr<!tt.ptr<i32>>
  %aa = tt.splat %a : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %p = tt.addptr %aa, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %p, %r : tensor<128x!tt.ptr<i32>>
  %yy = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %q = tt.addptr %yy, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %v = tt.load %q : tensor<128x!tt.ptr<i32>>
  %zz = tt.splat %z : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %w = tt.addptr %zz, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %w, %v : tensor<128x!tt.ptr<i32>>
  tt.return
}

// Elements 0 and 64 have one address: what one thread has written another reads.
// CHECK-LABEL: @twice
// CHECK: {{st.global|llvm.store}}
// CHECK: nvvm.barrier0
// CHECK: ld.volatile.global
tt.func @twice(%y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %c63 = arith.constant dense<63> : tensor<128xi32>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %o = arith.andi %r, %c63 : tensor<128xi32>
  %yy = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %p = tt.addptr %yy, %o : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %p, %r : tensor<128x!tt.ptr<i32>>
  %v = tt.load %p {isVolatile = true} : tensor<128x!tt.ptr<i32>>
  %zz = tt.splat %z : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %w = tt.addptr %zz, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %w, %v : tensor<128x!tt.ptr<i32>>
  tt.return
}

// Four warps have 32 elements; all read, the first writes.
// CHECK-LABEL: @copies
// CHECK: ld.volatile.global
// CHECK: nvvm.barrier0
// CHECK: {{st.global|llvm.store}}
tt.func @copies(%y: !tt.ptr<i32>) {
  %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %yy = tt.splat %y : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %p = tt.addptr %yy, %r : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %v = tt.load %p {isVolatile = true} : tensor<32x!tt.ptr<i32>>
  %s = arith.addi %v, %r : tensor<32xi32>
  tt.store %p, %s : tensor<32x!tt.ptr<i32>>
  tt.return
}

// What cancels is no scalar of the first; %y is one of the second alone.
// CHECK-LABEL: @cancelled
// CHECK: {{st.global|llvm.store}}
// CHECK: nvvm.barrier0
// CHECK: {{ld.global|llvm.load}}
tt.func @cancelled(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<i32>, %x: i64, %y: i64) {
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant dense<128> : tensor<128xi32>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %minus = arith.subi %c0, %x : i64
  %px = tt.addptr %p, %x : !tt.ptr<i32>, i64
  %pm = tt.addptr %px, %minus : !tt.ptr<i32>, i64
  %pp = tt.splat %pm : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %a = tt.addptr %pp, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %a, %r : tensor<128x!tt.ptr<i32>>
  %py = tt.addptr %p, %y : !tt.ptr<i32>, i64
  %qq = tt.splat %py : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %q = tt.addptr %qq, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %b = tt.addptr %q, %c128 : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %v = tt.load %b : tensor<128x!tt.ptr<i32>>
  %zz = tt.splat %z : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %w = tt.addptr %zz, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %w, %v : tensor<128x!tt.ptr<i32>>
  tt.return
}

// Both add %x, the second twice.
// CHECK-LABEL: @other_factor
// CHECK: {{st.global|llvm.store}}
// CHECK: nvvm.barrier0
// CHECK: {{ld.global|llvm.load}}
tt.func @other_factor(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<i32>, %x: i64) {
  %c128 = arith.constant dense<128> : tensor<128xi32>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %px = tt.addptr %p, %x : !tt.ptr<i32>, i64
  %pp = tt.splat %px : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %a = tt.addptr %pp, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %a, %r : tensor<128x!tt.ptr<i32>>
  %pxx = tt.addptr %px, %x : !tt.ptr<i32>, i64
  %qq = tt.splat %pxx : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %q = tt.addptr %qq, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %b = tt.addptr %q, %c128 : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %v = tt.load %b : tensor<128x!tt.ptr<i32>>
  %zz = tt.splat %z : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %w = tt.addptr %zz, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %w, %v : tensor<128x!tt.ptr<i32>>
  tt.return
}
