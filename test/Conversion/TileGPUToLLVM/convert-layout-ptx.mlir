// RUN: tritium-opt %s -tritium-ttgir-threads -convert-ttg-to-llvm -o %t.mlir
// RUN: tritium compile --from %t.mlir --target cuda:80 | FileCheck %s
// RUN: tritium compile --from %t.mlir --target cuda:90 | FileCheck %s

// Two words of halves a lane, of which one changes hands.
#a = #ttg.linear<{register = [1, 2], lane = [4, 8, 16, 32, 64], warp = [], shape = [128]}>
#b = #ttg.linear<{register = [1, 64], lane = [4, 8, 16, 32, 2], warp = [], shape = [128]}>
// CHECK: .visible .entry halves(
// CHECK-NOT: .shared
// CHECK: ld.global.v2.u32
// CHECK-COUNT-1: shfl.sync.bfly.b32
// CHECK-NOT: shfl.sync
// CHECK-NOT: bar.sync
// CHECK-COUNT-2: st.global.u32
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @halves(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #a>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #a>
    %pr = tt.addptr %ps, %r : tensor<128x!tt.ptr<f16>, #a>, tensor<128xi32, #a>
    %x = tt.load %pr : tensor<128x!tt.ptr<f16>, #a>
    %y = ttg.convert_layout %x : tensor<128xf16, #a> -> tensor<128xf16, #b>
    %s = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %qs = tt.splat %q : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #b>
    %qr = tt.addptr %qs, %s : tensor<128x!tt.ptr<f16>, #b>, tensor<128xi32, #b>
    tt.store %qr, %y : tensor<128x!tt.ptr<f16>, #b>
    tt.return
  }
}
