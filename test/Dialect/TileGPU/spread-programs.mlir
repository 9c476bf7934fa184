// RUN: tritium-opt %s -split-input-file -ttg-spread-programs -verify-diagnostics | FileCheck %s

// Eight CTAs have an eighth of a row each, from their rank's place on, and reduce what all of them
// have found. What is no part of the row the first one stores.
// CHECK: module attributes {"ttg.num-ctas" = 8 : i32, "ttg.num-warps" = 4 : i32} {
// CHECK-NEXT: tt.func @sums(%[[X:.*]]: !tt.ptr<f32>, %[[OUT:.*]]: !tt.ptr<f32>) {
// CHECK: %[[RANK:.*]] = ttng.cluster_rank : i32
// CHECK: %[[R:.*]] = tt.make_range {end = 8192 : i32, start = 0 : i32} : tensor<8192xi32>
// CHECK: %[[N:.*]] = arith.constant 8192 : i32
// CHECK: %[[FIRST:.*]] = arith.muli %[[RANK]], %[[N]]
// CHECK: %[[FIRSTS:.*]] = tt.splat %[[FIRST]]
// CHECK: %[[AT:.*]] = arith.addi %[[R]], %[[FIRSTS]]
// CHECK: %[[P:.*]] = tt.addptr %{{.*}}, %[[AT]]
// CHECK: %[[V:.*]] = tt.load %[[P]] : tensor<8192x!tt.ptr<f32>>
// CHECK: %[[OWN:.*]] = "tt.reduce"(%[[V]])
// CHECK: %[[ALL:.*]] = ttng.cluster_gather %[[OWN]] : f32 -> tensor<8xf32>
// CHECK: %[[SUM:.*]] = "tt.reduce"(%[[ALL]]) <{axis = 0 : i32}>
// CHECK: arith.addf
// CHECK: }) : (tensor<8xf32>) -> f32
// CHECK: %[[Z:.*]] = arith.constant 0 : i32
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[RANK]], %[[Z]]
// CHECK: tt.store %[[OUT]], %[[SUM]], %[[IS]]
// expected-remark @+1 {{rows of 65536 elements: a program is a cluster of 8 CTAs, each with 8192 of them and 4 warps}}
tt.func @sums(%px: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 65536 : i32} : tensor<65536xi32>
  %x = tt.splat %px : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>>
  %p = tt.addptr %x, %r : tensor<65536x!tt.ptr<f32>>, tensor<65536xi32>
  %v = tt.load %p : tensor<65536x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<65536xf32>) -> f32
  tt.store %out, %s : !tt.ptr<f32>
  tt.return
}

// -----

// A row for which a CTA has room stays there.
// CHECK: module {
// CHECK-NEXT: tt.func @short
tt.func @short(%px: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %x = tt.splat %px : !tt.ptr<f32> -> tensor<32768x!tt.ptr<f32>>
  %v = tt.load %x : tensor<32768x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<32768xf32>) -> f32
  tt.store %out, %s : !tt.ptr<f32>
  tt.return
}

// -----

// Of the tile of several rows the reduced dimension is sliced, constants with it.
// CHECK: module attributes {"ttg.num-ctas" = 8 : i32
// CHECK: arith.constant dense<2.000000e+00> : tensor<4x2048xf32>
// CHECK: %[[OWN:.*]] = "tt.reduce"(%{{.*}}) <{axis = 1 : i32}>
// CHECK: ttng.cluster_gather %[[OWN]] : tensor<4xf32> -> tensor<8x4xf32>
// CHECK: "tt.reduce"(%{{.*}}) <{axis = 0 : i32}>
// CHECK: (tensor<8x4xf32>) -> tensor<4xf32>
// expected-remark @+1 {{a program is a cluster of 8 CTAs}}
tt.func @rows(%px: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %q = tt.splat %out : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %two = arith.constant dense<2.0> : tensor<4x16384xf32>
  %p = tt.splat %px : !tt.ptr<f32> -> tensor<4x16384x!tt.ptr<f32>>
  %x = tt.load %p : tensor<4x16384x!tt.ptr<f32>>
  %y = tt.load %p : tensor<4x16384x!tt.ptr<f32>>
  %z = arith.mulf %y, %two : tensor<4x16384xf32>
  %v = arith.addf %x, %z : tensor<4x16384xf32>
  %s = "tt.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<4x16384xf32>) -> tensor<4xf32>
  tt.store %q, %s : tensor<4x!tt.ptr<f32>>
  tt.return
}

// -----

// A scan brings sums to other places of the row.
// CHECK: module {
tt.func @scanned(%px: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %q = tt.splat %out : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>>
  %x = tt.splat %px : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>>
  %v = tt.load %x : tensor<65536x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<65536xf32>) -> f32
  // expected-remark @+1 {{a program runs on one CTA, not on a cluster of 8: this brings elements to other places of the row}}
  %t = "tt.scan"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<65536xf32>) -> tensor<65536xf32>
  tt.store %q, %t : tensor<65536x!tt.ptr<f32>>
  tt.return
}

// -----

// What is loaded behind a store, from one argument, another CTA may have stored.
// CHECK: module {
tt.func @behind_a_store(%px: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 65536 : i32} : tensor<65536xi32>
  %one = arith.constant dense<1> : tensor<65536xi32>
  %zero = arith.constant dense<0.0> : tensor<65536xf32>
  %x = tt.splat %px : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>>
  %p = tt.addptr %x, %r : tensor<65536x!tt.ptr<f32>>, tensor<65536xi32>
  %q = tt.addptr %p, %one : tensor<65536x!tt.ptr<f32>>, tensor<65536xi32>
  tt.store %p, %zero : tensor<65536x!tt.ptr<f32>>
  // expected-remark @+1 {{this may access what the program has accessed before at another place of the row}}
  %v = tt.load %q : tensor<65536x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<65536xf32>) -> f32
  tt.store %out, %s : !tt.ptr<f32>
  tt.return
}

// -----

// In place, each CTA accesses its own slice alone; and what arguments have in common is stored
// behind a reduction that all have read for, so that nobody relies on their being apart.
// CHECK: module attributes {"ttg.num-ctas" = 8
// CHECK-NEXT: tt.func @in_place(%{{.*}}: !tt.ptr<f32>, %{{.*}}: !tt.ptr<f32>) {
// expected-remark @+1 {{a program is a cluster of 8 CTAs}}
tt.func @in_place(%px: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 65536 : i32} : tensor<65536xi32>
  %x = tt.splat %px : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>>
  %p = tt.addptr %x, %r : tensor<65536x!tt.ptr<f32>>, tensor<65536xi32>
  %v = tt.load %p : tensor<65536x!tt.ptr<f32>>
  %w = arith.negf %v : tensor<65536xf32>
  tt.store %p, %w : tensor<65536x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<65536xf32>) -> f32
  tt.store %out, %s : !tt.ptr<f32>
  tt.return
}
