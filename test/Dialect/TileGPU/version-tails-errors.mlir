// RUN: tritium-opt %s -ttg-version-tails=num-warps=4 | FileCheck %s

// Kernels that get no second version, beside one that does.

// Nothing speaks against this one.
// CHECK-LABEL: tt.func @plain(
// CHECK: scf.if
// CHECK: tt.return
tt.func @plain(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i32) {
  %pid = tt.get_program_id 0 : i32
  %start = arith.muli %pid, %pitch : i32
  %row = tt.addptr %p, %start : !tt.ptr<f16>, i32
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %base = tt.splat %row : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %base, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %x = tt.load %q : tensor<1024x!tt.ptr<f16>>
  tt.store %q, %x : tensor<1024x!tt.ptr<f16>>
  tt.return
}

// The code of a product is large.
// CHECK-LABEL: tt.func @product(
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func @product(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i32) {
  %pid = tt.get_program_id 0 : i32
  %start = arith.muli %pid, %pitch : i32
  %row = tt.addptr %p, %start : !tt.ptr<f16>, i32
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %base = tt.splat %row : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %base, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %x = tt.load %q : tensor<1024x!tt.ptr<f16>>
  %a = tt.reshape %x : tensor<1024xf16> -> tensor<32x32xf16>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %a, %a, %zero : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  tt.store %q, %x : tensor<1024x!tt.ptr<f16>>
  tt.return
}

// An assumption holds in the outermost block only.
// CHECK-LABEL: tt.func @assumed(
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func @assumed(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i32) {
  %pid = tt.get_program_id 0 : i32
  %c0 = arith.constant 0 : i32
  %positive = arith.cmpi sgt, %pitch, %c0 : i32
  tt.assume %positive
  %start = arith.muli %pid, %pitch : i32
  %row = tt.addptr %p, %start : !tt.ptr<f16>, i32
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %base = tt.splat %row : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %base, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %x = tt.load %q : tensor<1024x!tt.ptr<f16>>
  tt.store %q, %x : tensor<1024x!tt.ptr<f16>>
  tt.return
}

// A function that is no kernel.
// CHECK-LABEL: tt.func private @helper(
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func private @helper(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i32) {
  %pid = tt.get_program_id 0 : i32
  %start = arith.muli %pid, %pitch : i32
  %row = tt.addptr %p, %start : !tt.ptr<f16>, i32
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %base = tt.splat %row : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %base, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %x = tt.load %q : tensor<1024x!tt.ptr<f16>>
  tt.store %q, %x : tensor<1024x!tt.ptr<f16>>
  tt.return
}

// What is promised of the pitch is all that is known of it.
// CHECK-LABEL: tt.func @promised(
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func @promised(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i32 {tt.divisibility = 2 : i32}) {
  %pid = tt.get_program_id 0 : i32
  %start = arith.muli %pid, %pitch : i32
  %row = tt.addptr %p, %start : !tt.ptr<f16>, i32
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %base = tt.splat %row : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %base, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %x = tt.load %q : tensor<1024x!tt.ptr<f16>>
  tt.store %q, %x : tensor<1024x!tt.ptr<f16>>
  tt.return
}

// The pitch is no argument.
// CHECK-LABEL: tt.func @computed(
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func @computed(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %sizes: !tt.ptr<i32>) {
  %pid = tt.get_program_id 0 : i32
  %pitch = tt.load %sizes : !tt.ptr<i32>
  %start = arith.muli %pid, %pitch : i32
  %row = tt.addptr %p, %start : !tt.ptr<f16>, i32
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %base = tt.splat %row : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %base, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %x = tt.load %q : tensor<1024x!tt.ptr<f16>>
  tt.store %q, %x : tensor<1024x!tt.ptr<f16>>
  tt.return
}

// Nobody asks about an argument of 16 bits.
// CHECK-LABEL: tt.func @narrow(
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func @narrow(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %short: i16) {
  %pid = tt.get_program_id 0 : i32
  %pitch = arith.extsi %short : i16 to i32
  %start = arith.muli %pid, %pitch : i32
  %row = tt.addptr %p, %start : !tt.ptr<f16>, i32
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %base = tt.splat %row : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %q = tt.addptr %base, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %x = tt.load %q : tensor<1024x!tt.ptr<f16>>
  tt.store %q, %x : tensor<1024x!tt.ptr<f16>>
  tt.return
}
