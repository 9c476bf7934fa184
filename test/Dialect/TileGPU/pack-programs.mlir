// RUN: tritium-opt %s -split-input-file -ttg-pack-programs -verify-diagnostics | FileCheck %s

// A row of 1 KB has one warp, whatever number was asked for.
// CHECK: module attributes {"ttg.num-warps" = 1 : i32} {
// CHECK-NEXT: tt.func @short({{.*}}) attributes {ttg.programs_per_cta = 8 : i32}
// expected-remark @+1 {{the row of a program is short: one warp does it, and a CTA has 8 programs at a time}}
tt.func @short(%px: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %x = tt.splat %px : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %v = tt.load %x : tensor<256x!tt.ptr<f32>>
  %m = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<256xf32>) -> f32
  tt.store %out, %m : !tt.ptr<f32>
  tt.return
}

// -----

// Of rows of 64 bytes a warp takes eight, of 256 bytes two.
// CHECK-LABEL: tt.func @shorter(
// CHECK-SAME: ttg.programs_per_cta = 8 : i32, ttg.programs_per_warp = 8 : i32
// expected-remark @+1 {{the row of a program is short}}
tt.func @shorter(%px: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %x = tt.splat %px : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %v = tt.load %x : tensor<16x!tt.ptr<f32>>
  %m = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16xf32>) -> f32
  tt.store %out, %m : !tt.ptr<f32>
  tt.return
}

// -----

// CHECK-LABEL: tt.func @half(
// CHECK-SAME: ttg.programs_per_warp = 2 : i32
// expected-remark @+1 {{the row of a program is short}}
tt.func @half(%px: !tt.ptr<f16>, %out: !tt.ptr<f16>) {
  %x = tt.splat %px : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %v = tt.load %x : tensor<128x!tt.ptr<f16>>
  %m = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f16, %b: f16):
    %c = arith.maximumf %a, %b : f16
    tt.reduce.return %c : f16
  }) : (tensor<128xf16>) -> f16
  tt.store %out, %m : !tt.ptr<f16>
  tt.return
}

// -----

// A row of 2 KB.
// CHECK-NOT: num-warps
// CHECK-NOT: programs_per_cta
// CHECK: tt.func @longer
tt.func @longer(%px: !tt.ptr<f32>, %pout: !tt.ptr<f32>) {
  %x = tt.splat %px : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %out = tt.splat %pout : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %v = tt.load %x : tensor<512x!tt.ptr<f32>>
  %m = "tt.scan"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<512xf32>) -> tensor<512xf32>
  tt.store %out, %m : tensor<512x!tt.ptr<f32>>
  tt.return
}

// -----

// One tile of more elements is enough.
// CHECK-NOT: programs_per_cta
// CHECK: tt.func @large
tt.func @large(%px: !tt.ptr<f32>, %pout: !tt.ptr<i8>) {
  %x = tt.splat %px : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %out = tt.splat %pout : !tt.ptr<i8> -> tensor<1024x!tt.ptr<i8>>
  %rest = arith.constant dense<0> : tensor<1024xi8>
  %v = tt.load %x : tensor<256x!tt.ptr<f32>>
  %m = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<256xf32>) -> f32
  tt.store %out, %rest : tensor<1024x!tt.ptr<i8>>
  tt.return
}

// -----

// Nothing is reduced: the author chooses how much a program moves.
// CHECK-NOT: programs_per_cta
// CHECK: tt.func @copy
tt.func @copy(%px: !tt.ptr<f32>, %py: !tt.ptr<f32>) {
  %x = tt.splat %px : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %y = tt.splat %py : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %v = tt.load %x : tensor<128x!tt.ptr<f32>>
  tt.store %y, %v : tensor<128x!tt.ptr<f32>>
  tt.return
}

// -----

// Programs with loops are long, or not equally long.
// CHECK-NOT: programs_per_cta
// CHECK: tt.func @loop
tt.func @loop(%px: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %x = tt.splat %px : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %x : tensor<128x!tt.ptr<f32>>
    %m = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<128xf32>) -> f32
    tt.store %out, %m : !tt.ptr<f32>
  }
  tt.return
}

// -----

// CHECK-NOT: programs_per_cta
// CHECK: tt.func @dependent
tt.func @dependent(%px: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %x = tt.splat %px : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %v = tt.load %x : tensor<128x!tt.ptr<f32>>
  %m = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<128xf32>) -> f32
  %true = arith.constant true
  // expected-remark @+1 {{a CTA has one short program, not several: this may depend on other programs, or on which CTA it is}}
  %old = tt.atomic_rmw fadd, acq_rel, gpu, %out, %m, %true : (!tt.ptr<f32>, f32, i1) -> f32
  tt.store %out, %old : !tt.ptr<f32>
  tt.return
}

// -----

// A histogram waits for all warps of a program, as a reduction does.
// CHECK: module attributes {"ttg.num-warps" = 1 : i32} {
// CHECK-NEXT: tt.func @counted({{.*}}) attributes {ttg.programs_per_cta = 8 : i32}
// expected-remark @+1 {{the row of a program is short}}
tt.func @counted(%px: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %x = tt.splat %px : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %v = tt.load %x : tensor<256x!tt.ptr<i32>>
  %h = tt.histogram %v : tensor<256xi32> -> tensor<16xi32>
  %o = tt.splat %out : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  tt.store %o, %h : tensor<16x!tt.ptr<i32>>
  tt.return
}
