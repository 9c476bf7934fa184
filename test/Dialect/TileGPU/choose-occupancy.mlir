// RUN: tritium-opt %s -split-input-file -convert-tt-to-ttg="num-warps=8 compute-capability=80" -ttg-coalesce -ttg-remove-layout-conversions -ttg-choose-occupancy | FileCheck %s
// RUN: tritium-opt %s -split-input-file -convert-tt-to-ttg="num-warps=8 compute-capability=86" -ttg-coalesce -ttg-remove-layout-conversions -ttg-choose-occupancy | FileCheck %s -check-prefix=FEWER
// RUN: tritium-opt %s -split-input-file -tritium-ttir -tritium-ttgir=num-warps=8 -convert-ttg-to-llvm | FileCheck %s -check-prefix=LLVM

// Sixteen registers of tiles and sixteen for addresses: eight programs of 256 threads.
// CHECK: tt.func @stream({{.*}}ttg.programs_at_once = 8 : i32
// A multiprocessor with 48 warps has six of eight.
// FEWER: tt.func @stream({{.*}}ttg.programs_at_once = 6 : i32
// LLVM: llvm.func @stream({{.*}}nvvm.minctasm = 8 : i32
tt.func @stream(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %nn = tt.splat %n : i32 -> tensor<4096xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<4096xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %v = tt.load %p, %m : tensor<4096x!tt.ptr<f32>>
  %w = math.exp %v : tensor<4096xf32>
  tt.store %p, %w, %m : tensor<4096x!tt.ptr<f32>>
  tt.return
}

// -----

// Two tiles of 32 registers at once: as the assembler thinks best.
// CHECK-NOT: programs_at_once
// CHECK: tt.func @large
tt.func @large(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 8192 : i32} : tensor<8192xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<8192x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<8192x!tt.ptr<f32>>, tensor<8192xi32>
  %v = tt.load %p : tensor<8192x!tt.ptr<f32>>
  %w = math.exp %v : tensor<8192xf32>
  %z = arith.addf %v, %w : tensor<8192xf32>
  tt.store %p, %z : tensor<8192x!tt.ptr<f32>>
  tt.return
}

// -----

// What a loop needs is not known from its tiles.
// CHECK-NOT: programs_at_once
// CHECK: tt.func @loop
tt.func @loop(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
    tt.store %p, %v : tensor<1024x!tt.ptr<f32>>
  }
  tt.return
}

// -----

// What the warps hand to each other for a reduction takes no program its place: eight, not six.
// CHECK: tt.func @row({{.*}}ttg.programs_at_once = 8 : i32
// FEWER: tt.func @row({{.*}}ttg.programs_at_once = 6 : i32
// LLVM: llvm.func @row({{.*}}nvvm.minctasm = 8 : i32
tt.func @row(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %xx = tt.splat %x : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>>
  %p = tt.addptr %xx, %r : tensor<4096x!tt.ptr<f16>>, tensor<4096xi32>
  %v = tt.load %p : tensor<4096x!tt.ptr<f16>>
  %w = arith.extf %v : tensor<4096xf16> to tensor<4096xf32>
  %s = "tt.reduce"(%w) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.maxnumf %a, %b : f32
    tt.reduce.return %t : f32
  }) : (tensor<4096xf32>) -> f32
  %e = math.exp %w : tensor<4096xf32>
  %y = arith.truncf %e : tensor<4096xf32> to tensor<4096xf16>
  tt.store %p, %y : tensor<4096x!tt.ptr<f16>>
  %s0 = arith.truncf %s : f32 to f16
  tt.store %x, %s0 : !tt.ptr<f16>
  tt.return
}

// -----

// Of programs that share a CTA twice four registers and sixteen for addresses: as many warps as a
// multiprocessor has, and whole CTAs. The loop over programs is none that keeps anything.
// CHECK-LABEL: tt.func @packed
// CHECK-SAME: ttg.programs_at_once = 64 : i32
// FEWER-LABEL: tt.func @packed
// FEWER-SAME: ttg.programs_at_once = 48 : i32
module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @packed(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) attributes {ttg.persistent, ttg.programs_per_cta = 8 : i32} {
  %n = tt.get_num_programs 0 : i32
  %first = ttg.cta_id : i32
  %step = ttg.num_ctas : i32
  scf.for %id = %first to %n step %step : i32 {
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    %xx = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %p = tt.addptr %xx, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %v = tt.load %p : tensor<128x!tt.ptr<f32>>
    %w = math.exp %v : tensor<128xf32>
    tt.store %p, %w : tensor<128x!tt.ptr<f32>>
  } {ttg.programs}
  tt.return
}
}
