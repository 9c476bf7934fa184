// RUN: tritium-opt %s -tritium-ttir -tritium-ttgir=num-warps=4 -convert-ttg-to-llvm | FileCheck %s

// Eight halves are four words, under one predicate; `other` is moved in first.
// CHECK-LABEL: llvm.func @masked
// CHECK: llvm.inline_asm has_side_effects {{.*}} "mov.b32 $0, $6;\0Amov.b32 $1, $7;\0Amov.b32 $2, $8;\0Amov.b32 $3, $9;\0A@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=&r,=&r,=&r,=&r,l,b,r,r,r,r"
// CHECK: llvm.inline_asm has_side_effects {{.*}} "@$5 st.global.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,b"
tt.func @masked(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %nn = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32>
  %z = arith.constant dense<1.0> : tensor<1024xf16>
  %xx = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %v = tt.load %p, %m, %z : tensor<1024x!tt.ptr<f16>>
  %yy = tt.splat %y : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %yy, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  tt.store %q, %v, %m : tensor<1024x!tt.ptr<f16>>
  tt.return
}

// A bound of unknown alignment: a vector whose last element is inside moves as one; lanes
// with a vector across the bound take a branch. All compare what is left of the bound with constants;
// no index lies below 0, nor does the bound then.
// CHECK-LABEL: llvm.func @bound
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[HELD:.*]] = llvm.intr.smax(%arg1, %[[ZERO]])
// CHECK: %[[REST:.*]] = llvm.sub %[[HELD]], %{{.*}} : i32
// CHECK: llvm.icmp "sgt" %[[REST]], %{{.*}} : i32
// CHECK: %[[THREE:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: llvm.icmp "sgt" %[[REST]], %[[THREE]] : i32
// CHECK: %[[THERE:.*]] = llvm.inline_asm has_side_effects {{.*}} "mov.b32 $0, $1;", "=r,r" %[[REST]]
// CHECK: %[[LAST:.*]] = llvm.icmp "sgt" %[[THERE]], %[[THREE]] : i32
// CHECK: llvm.inline_asm has_side_effects {{.*}}@$3 ld.global.v2.b32 {$0, $1}, [$2];", "=&r,=&r,l,b" %{{.*}}, %[[LAST]]
// CHECK: llvm.cond_br %{{.*}}, ^[[RAGGED:bb[0-9]+]], ^{{.*}}
// CHECK: ^[[RAGGED]]
// CHECK-COUNT-4: ld.global.b16
// CHECK: @$3 st.global.v2.b32
// CHECK: llvm.cond_br
// CHECK-COUNT-4: st.global.b16
// CHECK: llvm.return
tt.func @bound(%x: !tt.ptr<f16> {tt.divisibility = 8 : i32}, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %nn = tt.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<512xi32>
  %xx = tt.splat %x : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>>
  %p = tt.addptr %xx, %r : tensor<512x!tt.ptr<f16>>, tensor<512xi32>
  %v = tt.load %p, %m : tensor<512x!tt.ptr<f16>>
  tt.store %p, %v, %m : tensor<512x!tt.ptr<f16>>
  tt.return
}

// Threads beyond a small tile hold copies, of which one is stored.
// CHECK-LABEL: llvm.func @copies
// CHECK: %[[WARP:.*]] = llvm.lshr
// CHECK: %[[BITS:.*]] = llvm.and %[[WARP]]
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[BITS]]
// CHECK: llvm.inline_asm has_side_effects {{.*}} "@$2 st.global.b32 [$0], $1;", "l,r,b" %{{.*}}, %{{.*}}, %[[FIRST]]
tt.func @copies(%y: !tt.ptr<i32>) {
  %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %yy = tt.splat %y : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %q = tt.addptr %yy, %r : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %q, %r : tensor<32x!tt.ptr<i32>>
  tt.return
}

// What a store has written is loaded by other threads: a barrier between. Elements that
// stay with their thread need none.
// CHECK-LABEL: llvm.func @order
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.store
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.load
// CHECK: llvm.store
// CHECK: nvvm.barrier0
// CHECK: llvm.load
// CHECK: llvm.return
tt.func @order(%y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %last = arith.constant dense<127> : tensor<128xi32>
  %back = arith.subi %last, %r : tensor<128xi32>
  %yy = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %zz = tt.splat %z : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %q = tt.addptr %yy, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %b = tt.addptr %yy, %back : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %o = tt.addptr %zz, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %q, %r : tensor<128x!tt.ptr<i32>>
  %v = tt.load %q : tensor<128x!tt.ptr<i32>>
  tt.store %o, %v : tensor<128x!tt.ptr<i32>>
  %w = tt.load %b : tensor<128x!tt.ptr<i32>>
  tt.store %o, %w : tensor<128x!tt.ptr<i32>>
  tt.return
}

// Eight elements of a thread come from one address, and under one mask: it is loaded once.
// CHECK-LABEL: llvm.func @runs
// CHECK-COUNT-1: ld.global
// CHECK-NOT: ld.global
// CHECK: st.global.v4.b32
// Where the mask may change within them, or the load is volatile, each is loaded.
// CHECK-LABEL: llvm.func @runs_under_a_mask
// CHECK-COUNT-8: ld.global.b16
// CHECK-LABEL: llvm.func @volatile_runs
// CHECK-COUNT-8: ld.volatile.global.b16
tt.func @runs(%x: !tt.ptr<f16>, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %eight = arith.constant dense<8> : tensor<1024xi32>
  %zero = arith.constant dense<0.0> : tensor<1024xf16>
  %i = arith.divsi %r, %eight : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %xx = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %p = tt.addptr %xx, %i : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %v = tt.load %p, %m, %zero : tensor<1024x!tt.ptr<f16>>
  %yy = tt.splat %y : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %yy, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  tt.store %q, %v, %m : tensor<1024x!tt.ptr<f16>>
  tt.return
}
tt.func @runs_under_a_mask(%x: !tt.ptr<f16>, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %eight = arith.constant dense<8> : tensor<1024xi32>
  %i = arith.divsi %r, %eight : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %xx = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %p = tt.addptr %xx, %i : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f16>>
  %yy = tt.splat %y : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %yy, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  tt.store %q, %v : tensor<1024x!tt.ptr<f16>>
  tt.return
}
tt.func @volatile_runs(%x: !tt.ptr<f16>, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %eight = arith.constant dense<8> : tensor<1024xi32>
  %i = arith.divsi %r, %eight : tensor<1024xi32>
  %xx = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %p = tt.addptr %xx, %i : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %v = tt.load %p volatile : tensor<1024x!tt.ptr<f16>>
  %yy = tt.splat %y : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %yy, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  tt.store %q, %v : tensor<1024x!tt.ptr<f16>>
  tt.return
}

// A register of each vector of 16 bytes, two a tile, is read where a branch leads to that is never
// taken: ptxas puts no load behind what is computed.
// CHECK-LABEL: llvm.func @begun
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK: llvm.inline_asm has_side_effects {{.*}}@!p bra READ; st.shared.v4.b32 [lane+0], {$0, $1, $2, $3}; trap; READ: } ", "r,r,r,r,~{memory}"
// CHECK-NOT: READ
// CHECK: llvm.return
tt.func @begun(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>>
  %yy = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %q = tt.addptr %yy, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %w = tt.load %q, %m : tensor<1024x!tt.ptr<f32>>
  %e = math.exp2 %v : tensor<1024xf32>
  %f = arith.mulf %e, %w : tensor<1024xf32>
  tt.store %q, %f, %m : tensor<1024x!tt.ptr<f32>>
  tt.return
}
