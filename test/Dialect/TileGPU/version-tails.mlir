// RUN: tritium-opt %s -ttg-version-tails=num-warps=4 | FileCheck %s

// The pitch decides about vectors: 8 halves are 16 bytes. The bound decides whether any of
// them is cut, and %unused about nothing.
// CHECK-LABEL: tt.func @row(
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %[[PITCH:[a-z0-9]+]]: i32, %[[N:[a-z0-9]+]]: i32, %[[UNUSED:[a-z0-9]+]]: i32)
// CHECK-NOT: arith.andi %[[UNUSED]]
// CHECK: arith.andi %[[PITCH]], %c7_i32
// CHECK: arith.andi %[[N]], %c7_i32
// CHECK: scf.if
// CHECK: arith.andi %[[PITCH]], %c-8_i32
// CHECK: %[[M:.*]] = arith.andi %[[N]], %c-8_i32
// CHECK: tt.splat %[[M]]
// CHECK: } else {
// CHECK: arith.andi %[[PITCH]], %c7_i32
// CHECK-NOT: arith.andi %[[N]]
// CHECK: scf.if
// CHECK: arith.andi %[[PITCH]], %c-8_i32
// CHECK: tt.splat %[[N]]
// CHECK: } else {
// CHECK-NOT: %c-8_i32
// CHECK: tt.splat %[[N]]
// CHECK-COUNT-2: ttg.versions
// CHECK: tt.return
tt.func @row(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i32, %n: i32, %unused: i32) {
  %pid = tt.get_program_id 0 : i32
  %start = arith.muli %pid, %pitch : i32
  %more = arith.addi %unused, %pid : i32
  %row = tt.addptr %p, %start : !tt.ptr<f16>, i32
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %base = tt.splat %row : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %base, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %bound = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %bound : tensor<1024xi32>
  %x = tt.load %q, %m : tensor<1024x!tt.ptr<f16>>
  tt.store %q, %x, %m : tensor<1024x!tt.ptr<f16>>
  tt.return
}

// The pointer itself is of unknown alignment: nothing to gain.
// CHECK-LABEL: tt.func @unaligned(
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func @unaligned(%p: !tt.ptr<f16>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %base, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %bound = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %bound : tensor<1024xi32>
  %x = tt.load %q, %m : tensor<1024x!tt.ptr<f16>>
  tt.store %q, %x, %m : tensor<1024x!tt.ptr<f16>>
  tt.return
}

// One element a lane.
// CHECK-LABEL: tt.func @small(
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func @small(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %q = tt.addptr %base, %r : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %bound = tt.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %r, %bound : tensor<128xi32>
  %x = tt.load %q, %m : tensor<128x!tt.ptr<f16>>
  tt.store %q, %x, %m : tensor<128x!tt.ptr<f16>>
  tt.return
}

// A mask of single elements keeps accesses narrow, whatever the pitch.
// CHECK-LABEL: tt.func @scattered(
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func @scattered(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i32, %n: i32) {
  %pid = tt.get_program_id 0 : i32
  %start = arith.muli %pid, %pitch : i32
  %row = tt.addptr %p, %start : !tt.ptr<f16>, i32
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %base = tt.splat %row : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %base, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %bound = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi ne, %r, %bound : tensor<1024xi32>
  %x = tt.load %q, %m : tensor<1024x!tt.ptr<f16>>
  tt.store %q, %x, %m : tensor<1024x!tt.ptr<f16>>
  tt.return
}

// Nothing but the bound: vectors that it cuts are taken apart, so no version.
// CHECK-LABEL: tt.func @bound(
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func @bound(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %base, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %bound = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %bound : tensor<1024xi32>
  %x = tt.load %q, %m : tensor<1024x!tt.ptr<f16>>
  tt.store %q, %x, %m : tensor<1024x!tt.ptr<f16>>
  tt.return
}
