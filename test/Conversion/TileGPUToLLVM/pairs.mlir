// RUN: tritium-opt %s -tritium-ttir -tritium-ttgir=num-warps=4 -convert-ttg-to-llvm | FileCheck %s
// RUN: tritium-opt %s -tritium-ttir -tritium-ttgir="num-warps=4 compute-capability=75" -convert-ttg-to-llvm | FileCheck %s -check-prefix=OLD
// RUN: tritium-opt %s -tritium-ttir -tritium-ttgir="num-warps=4 compute-capability=89" -convert-ttg-to-llvm | FileCheck %s -check-prefix=BYTES

// Two numbers are rounded to 16 bits by one instruction, the later one first; before 8.0 each by
// its own.
// CHECK-LABEL: llvm.func @narrow
// CHECK: %[[A:.*]] = llvm.bitcast %{{.*}} : i32 to f32
// CHECK-NEXT: %[[B:.*]] = llvm.bitcast %{{.*}} : i32 to f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%[[B]], %[[A]]) : (f32, f32) -> vector<2xbf16>
// CHECK-NOT: llvm.fptrunc
// CHECK: llvm.return
// OLD-LABEL: llvm.func @narrow
// OLD-NOT: ff2bf16x2
// OLD-COUNT-4: llvm.fptrunc
tt.func @narrow(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %p : tensor<512x!tt.ptr<f32>>
  %n = arith.truncf %v : tensor<512xf32> to tensor<512xbf16>
  %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<512x!tt.ptr<bf16>>
  %q = tt.addptr %ys, %r : tensor<512x!tt.ptr<bf16>>, tensor<512xi32>
  tt.store %q, %n : tensor<512x!tt.ptr<bf16>>
  tt.return
}

// So are numbers of 8 bits, from 8.9 on: to them from f32, where what is too large for e5m2 becomes
// infinity afterwards, and from e4m3 to f16; e5m2 is the upper half of an f16.
// BYTES-LABEL: llvm.func @bytes
// BYTES: llvm.inline_asm asm_dialect = att "cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h"
// BYTES: llvm.inline_asm asm_dialect = att "cvt.rn.satfinite.e5m2x2.f32 $0, $1, $2;", "=h,f,f"
// BYTES: llvm.fcmp "oge"
// BYTES-LABEL: llvm.func @back
// BYTES-NOT: cvt.rn.f16x2
// BYTES: llvm.inline_asm asm_dialect = att "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f"
// BYTES-NOT: llvm.fcmp
// CHECK-NOT: cvt.rn.f16x2
// OLD-NOT: cvt.rn.f16x2
tt.func @bytes(%x: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E5M2> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f8E4M3FN> -> tensor<512x!tt.ptr<f8E4M3FN>>
  %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<f8E4M3FN>>, tensor<512xi32>
  %v = tt.load %p : tensor<512x!tt.ptr<f8E4M3FN>>
  %w = arith.extf %v : tensor<512xf8E4M3FN> to tensor<512xf32>
  %n = arith.truncf %w : tensor<512xf32> to tensor<512xf8E5M2>
  %ys = tt.splat %y : !tt.ptr<f8E5M2> -> tensor<512x!tt.ptr<f8E5M2>>
  %q = tt.addptr %ys, %r : tensor<512x!tt.ptr<f8E5M2>>, tensor<512xi32>
  tt.store %q, %n : tensor<512x!tt.ptr<f8E5M2>>
  tt.return
}
tt.func @back(%x: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E5M2> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %ys = tt.splat %y : !tt.ptr<f8E5M2> -> tensor<512x!tt.ptr<f8E5M2>>
  %q = tt.addptr %ys, %r : tensor<512x!tt.ptr<f8E5M2>>, tensor<512xi32>
  %v = tt.load %q : tensor<512x!tt.ptr<f8E5M2>>
  %w = arith.extf %v : tensor<512xf8E5M2> to tensor<512xf32>
  %n = arith.truncf %w : tensor<512xf32> to tensor<512xf8E4M3FN>
  %xs = tt.splat %x : !tt.ptr<f8E4M3FN> -> tensor<512x!tt.ptr<f8E4M3FN>>
  %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<f8E4M3FN>>, tensor<512xi32>
  tt.store %p, %n : tensor<512x!tt.ptr<f8E4M3FN>>
  tt.return
}
