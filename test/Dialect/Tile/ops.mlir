// Every operation of the dialect parses, prints, and parses again to the same.
// RUN: tritium-opt %s | tritium-opt | FileCheck %s

// CHECK-LABEL: tt.func @shapes
// CHECK-SAME: %[[X:.*]]: f32 {tt.divisibility = 16 : i32, tt.name = "x"}
tt.func @shapes(%x: f32 {tt.divisibility = 16 : i32, tt.name = "x"}) {
  // CHECK: %[[R:.*]] = tt.make_range {end = 781 : i32, start = 0 : i32} : tensor<781xi32>
  %r = tt.make_range {start = 0 : i32, end = 781 : i32} : tensor<781xi32>
  // CHECK: %[[S:.*]] = tt.splat %[[X]] : f32 -> tensor<4x3xf32>
  %s = tt.splat %x : f32 -> tensor<4x3xf32>
  // CHECK: %[[E:.*]] = tt.expand_dims %[[S]] {axis = 1 : i32} : tensor<4x3xf32> -> tensor<4x1x3xf32>
  %e = tt.expand_dims %s {axis = 1 : i32} : tensor<4x3xf32> -> tensor<4x1x3xf32>
  // CHECK: tt.broadcast %[[E]] : tensor<4x1x3xf32> -> tensor<4x7x3xf32>
  %b = tt.broadcast %e : tensor<4x1x3xf32> -> tensor<4x7x3xf32>
  // CHECK: tt.reshape %[[S]] : tensor<4x3xf32> -> tensor<2x6xf32>
  %h = tt.reshape %s : tensor<4x3xf32> -> tensor<2x6xf32>
  // CHECK: tt.reshape %[[S]] allow_reorder : tensor<4x3xf32> -> tensor<12xf32>
  %f = tt.reshape %s allow_reorder : tensor<4x3xf32> -> tensor<12xf32>
  // CHECK: tt.trans %[[S]] {order = array<i32: 1, 0>} : tensor<4x3xf32> -> tensor<3x4xf32>
  %t = tt.trans %s {order = array<i32: 1, 0>} : tensor<4x3xf32> -> tensor<3x4xf32>
  // CHECK: tt.gather %[[S]][%[[I:.*]]] along 0 : tensor<4x3xf32>[tensor<8x3xi64>] -> tensor<8x3xf32>
  %i = arith.constant dense<2> : tensor<8x3xi64>
  %g = tt.gather %s[%i] along 0 : tensor<4x3xf32>[tensor<8x3xi64>] -> tensor<8x3xf32>
  // CHECK: tt.return
  tt.return
}

// CHECK-LABEL: tt.func @memory
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[Q:.*]]: !tt.ptr<!tt.ptr<i8>, 3>, %[[M:.*]]: i1, %[[I:.*]]: i64
tt.func @memory(%p: !tt.ptr<f32>, %q: !tt.ptr<!tt.ptr<i8>, 3>, %m: i1, %i: i64) {
  // CHECK: %[[A:.*]] = tt.addptr %[[P]], %[[I]] : !tt.ptr<f32>, i64
  %a = tt.addptr %p, %i : !tt.ptr<f32>, i64
  // CHECK: %[[V:.*]] = tt.load %[[A]] : !tt.ptr<f32>
  %v = tt.load %a : !tt.ptr<f32>
  // CHECK: tt.load %[[A]], %[[M]] : !tt.ptr<f32>
  %v1 = tt.load %a, %m : !tt.ptr<f32>
  // CHECK: tt.load %[[A]], %[[M]], %[[V]] cache = cg evict = evict_first volatile : !tt.ptr<f32>
  %v2 = tt.load %a, %m, %v cache = cg evict = evict_first volatile : !tt.ptr<f32>
  // CHECK: tt.load %[[Q]] : !tt.ptr<!tt.ptr<i8>, 3>
  %pp = tt.load %q : !tt.ptr<!tt.ptr<i8>, 3>
  // CHECK: tt.store %[[A]], %[[V]] : !tt.ptr<f32>
  tt.store %a, %v : !tt.ptr<f32>
  // CHECK: tt.store %[[A]], %[[V]], %[[M]] cache = wt : !tt.ptr<f32>
  tt.store %a, %v, %m cache = wt : !tt.ptr<f32>
  // CHECK: tt.atomic_rmw fadd, acq_rel, gpu, %[[A]], %[[V]], %[[M]] : (!tt.ptr<f32>, f32, i1) -> f32
  %o = tt.atomic_rmw fadd, acq_rel, gpu, %a, %v, %m : (!tt.ptr<f32>, f32, i1) -> f32
  // CHECK: tt.atomic_cas relaxed, sys, %[[A]], %[[V]], %[[V]] : (!tt.ptr<f32>, f32, f32) -> f32
  %c = tt.atomic_cas relaxed, sys, %a, %v, %v : (!tt.ptr<f32>, f32, f32) -> f32
  // CHECK: %[[N:.*]] = tt.ptr_to_int %[[A]] : !tt.ptr<f32> -> i64
  %n = tt.ptr_to_int %a : !tt.ptr<f32> -> i64
  // CHECK: tt.int_to_ptr %[[N]] : i64 -> !tt.ptr<i8>
  %b = tt.int_to_ptr %n : i64 -> !tt.ptr<i8>
  // CHECK: tt.bitcast %[[V]] : f32 -> i32
  %bc = tt.bitcast %v : f32 -> i32
  tt.return
}

// CHECK-LABEL: tt.func @descriptors
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[M:.*]]: i64, %[[S:.*]]: i64, %[[R:.*]]: i64
tt.func @descriptors(%p: !tt.ptr<f32>, %m: i64, %s: i64, %i: i64) {
  // CHECK: %[[D:.*]] = tt.make_tensor_descriptor %[[P]], [%[[M]], %[[M]]], [%[[S]], %[[S]]] : !tt.tensordesc<4x8xf32>
  %d = tt.make_tensor_descriptor %p, [%m, %m], [%s, %s] : !tt.tensordesc<4x8xf32>
  // CHECK: %[[E:.*]] = tt.make_tensor_descriptor %[[P]], [%[[M]], %[[M]]], [%[[S]], %[[S]]] : !tt.tensordesc<1x8xf32, nan>
  %e = tt.make_tensor_descriptor %p, [%m, %m], [%s, %s] : !tt.tensordesc<1x8xf32, nan>
  // CHECK: %[[V:.*]] = tt.descriptor_load %[[D]][%[[R]], %[[R]]] : !tt.tensordesc<4x8xf32>
  %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<4x8xf32>
  // CHECK: tt.descriptor_load %[[D]][%[[R]], %[[R]]] in_bounds = [true, false] cache = cg evict = evict_last volatile : !tt.tensordesc<4x8xf32>
  %w = tt.descriptor_load %d[%i, %i] in_bounds = [true, false] cache = cg evict = evict_last volatile : !tt.tensordesc<4x8xf32>
  // CHECK: tt.descriptor_store %[[D]][%[[R]], %[[R]]], %[[V]] : !tt.tensordesc<4x8xf32>
  tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<4x8xf32>
  // CHECK: tt.descriptor_store %[[D]][%[[R]], %[[R]]], %[[V]] in_bounds = [false, true] cache = cs evict = evict_first : !tt.tensordesc<4x8xf32>
  tt.descriptor_store %d[%i, %i], %v in_bounds = [false, true] cache = cs evict = evict_first : !tt.tensordesc<4x8xf32>
  // CHECK: tt.descriptor_reduce max, %[[D]][%[[R]], %[[R]]], %[[V]] : !tt.tensordesc<4x8xf32>
  tt.descriptor_reduce max, %d[%i, %i], %v : !tt.tensordesc<4x8xf32>
  // CHECK: %[[ROWS:.*]] = tt.splat %[[R]] : i64 -> tensor<16xi64>
  %rows = tt.splat %i : i64 -> tensor<16xi64>
  // CHECK: %[[G:.*]] = tt.descriptor_gather %[[E]][%[[ROWS]], %[[R]]] : !tt.tensordesc<1x8xf32, nan> -> tensor<16x8xf32>
  %g = tt.descriptor_gather %e[%rows, %i] : !tt.tensordesc<1x8xf32, nan> -> tensor<16x8xf32>
  // CHECK: tt.descriptor_scatter %[[E]][%[[ROWS]], %[[R]]], %[[G]] : !tt.tensordesc<1x8xf32, nan>, tensor<16x8xf32>
  tt.descriptor_scatter %e[%rows, %i], %g : !tt.tensordesc<1x8xf32, nan>, tensor<16x8xf32>
  tt.return
}

// CHECK-LABEL: tt.func @compute
tt.func @compute(%x: f32, %u: i32, %ok: i1, %w: i64) {
  // CHECK: tt.get_program_id 2 : i32
  %pid = tt.get_program_id 2 : i32
  // CHECK: tt.get_num_programs 0 : i32
  %n = tt.get_num_programs 0 : i32
  %s = tt.splat %x : f32 -> tensor<4x4xf32>
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}} {inputPrecision = 1 : i32} : tensor<4x4xf32> * tensor<4x4xf32> -> tensor<4x4xf32>
  %d = tt.dot %s, %s, %s {inputPrecision = 1 : i32} : tensor<4x4xf32> * tensor<4x4xf32> -> tensor<4x4xf32>
  // CHECK: "tt.reduce"(%{{.*}}) <{axis = 1 : i32}> ({
  // CHECK: tt.reduce.return %{{.*}} : f32
  %r = "tt.reduce"(%s) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.reduce.return %t : f32
  }) : (tensor<4x4xf32>) -> tensor<4xf32>
  // CHECK: "tt.scan"(%{{.*}}) <{axis = 0 : i32, reverse}> ({
  // CHECK: tt.scan.return %{{.*}} : f32
  %c = "tt.scan"(%s) <{axis = 0 : i32, reverse}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.scan.return %t : f32
  }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: tt.histogram %{{.*}} : tensor<12xi32> -> tensor<5xi32>
  %twelve = tt.make_range {start = 0 : i32, end = 12 : i32} : tensor<12xi32>
  %counts = tt.histogram %twelve : tensor<12xi32> -> tensor<5xi32>
  // CHECK: tt.mulhiui %{{.*}}, %{{.*}} : i32
  %h = tt.mulhiui %u, %u : i32
  // CHECK: tt.assume %{{.*}}
  tt.assume %ok
  // CHECK: tt.assert %{{.*}}, "message" : i1
  tt.assert %ok, "message" : i1
  // CHECK: tt.assert %{{.*}}, "of x: the value" reports %{{.*}} {kind = 1 : i32} : i1
  tt.assert %ok, "of x: the value" reports %w {kind = 1 : i32} : i1
  // CHECK: tt.assert %{{.*}}, "of x: element" reports %{{.*}}, %{{.*}} {shape = array<i64: 2, 4>} : i1
  tt.assert %ok, "of x: element" reports %w, %w {shape = array<i64: 2, 4>} : i1
  // CHECK: tt.check_hint constancy [1, 4] of %{{.*}}, "text" {isSigned = true} : tensor<4x4xf32>
  tt.check_hint constancy [1, 4] of %s, "text" {isSigned = true} : tensor<4x4xf32>
  // CHECK: tt.print "x: " {hex = false, isSigned = array<i1: true>} : %{{.*}} : f32
  tt.print "x: " {hex = false, isSigned = array<i1: true>} : %x : f32
  // CHECK: tt.print "nothing" {hex = true, isSigned = array<i1>}
  tt.print "nothing" {hex = true, isSigned = array<i1>}
  // CHECK: tt.call @helper(%{{.*}}) : (f32) -> f32
  %y = tt.call @helper(%x) : (f32) -> f32
  tt.return
}

// CHECK-LABEL: tt.func private @helper
tt.func private @helper(%x: f32) -> f32 {
  // CHECK: tt.return %{{.*}} : f32
  tt.return %x : f32
}

// CHECK-LABEL: tt.func @elements
// CHECK-SAME: %[[X:.*]]: i8
tt.func @elements(%x: i8) {
  // CHECK: %[[T:.*]] = tt.splat %[[X]]
  %t = tt.splat %x : i8 -> tensor<64xi8>
  // CHECK: "tt.map_elementwise"(%[[T]]) <{pack = 2 : i32}> ({
  // CHECK-NEXT: ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i8):
  // CHECK-NEXT: tt.map_elementwise.return %[[B]], %[[A]] : i8, i8
  // CHECK-NEXT: }) : (tensor<64xi8>) -> tensor<64xi8>
  %m = "tt.map_elementwise"(%t) <{pack = 2 : i32}> ({
  ^bb0(%a: i8, %b: i8):
    tt.map_elementwise.return %b, %a : i8, i8
  }) : (tensor<64xi8>) -> tensor<64xi8>
  // CHECK: tt.inline_asm "prmt.b32 $0, $2, $3, 0x5140; mov.b32 $1, $$0;", "=r,=&r,r,0" pure %[[T]], %[[T]] {pack = 4 : i32} : (tensor<64xi8>, tensor<64xi8>) -> (tensor<64xi8>, tensor<64xi8>)
  %p:2 = tt.inline_asm "prmt.b32 $0, $2, $3, 0x5140; mov.b32 $1, $$0;", "=r,=&r,r,0" pure %t, %t {pack = 4 : i32} : (tensor<64xi8>, tensor<64xi8>) -> (tensor<64xi8>, tensor<64xi8>)
  // CHECK: tt.inline_asm "mov.u32 ${0}, %tid.x;", "=r,~{memory}" : () -> i32
  %i = tt.inline_asm "mov.u32 ${0}, %tid.x;", "=r,~{memory}" : () -> i32
  // CHECK: tt.read_register globaltimer : i64
  %g = tt.read_register globaltimer : i64
  // CHECK: tt.read_register smid : i32
  %s = tt.read_register smid : i32
  // CHECK: tt.grid_dependency wait
  tt.grid_dependency wait
  // CHECK: tt.grid_dependency launch_dependents
  tt.grid_dependency launch_dependents
  tt.return
}
