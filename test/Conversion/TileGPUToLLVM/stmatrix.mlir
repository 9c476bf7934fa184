// RUN: sed 's/compute = 80/compute = 90/' %s | tritium-opt -tritium-ttgir-threads -convert-ttg-to-llvm -o %t.90.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.90.mlir
// RUN: tritium compile --from %t.90.mlir --target cuda:90 | FileCheck %s --check-prefix=SM90
// RUN: tritium-opt %s -tritium-ttgir-threads -convert-ttg-to-llvm -o %t.80.mlir
// RUN: tritium compile --from %t.80.mlir --target cuda:80 | FileCheck %s --check-prefix=SM80

// A result of tensor cores goes to shared memory in matrices of 8x8 halves, four at a time, and
// comes back 16 bytes a lane. Without stmatrix, words are stored.
#mma = #ttg.mma<{version = 2, warpsPerCTA = [1, 4]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// IR: llvm.func @epilogue
// IR-COUNT-1: stmatrix.sync.aligned.m8n8.x4.shared.b16 [$0], {$1, $2, $3, $4};", "r,r,r,r,r"
// IR-NOT: stmatrix
// IR: nvvm.barrier0
// IR: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
// SM90-COUNT-1: stmatrix.sync.aligned.m8n8.x4.shared.b16
// SM90-NOT: st.shared
// SM90: bar.sync
// SM90-COUNT-1: ld.shared.v4.u32
// SM90: st.global.v4
// SM80-NOT: stmatrix
// SM80: st.shared
// SM80: bar.sync
// SM80-COUNT-1: ld.shared.v4.u32
// SM80: st.global.v4
module attributes {ttg.target = #ttg.target<compute = 80>, "ttg.num-warps" = 4 : i32} {
  tt.func @epilogue(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %v: f32) {
    %c = arith.constant dense<64> : tensor<16x1xi32, #rows>
    %s = tt.splat %v : f32 -> tensor<16x64xf32, #mma>
    %n = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x64xi32, #mma>
    %n2 = tt.broadcast %n1 : tensor<1x64xi32, #mma> -> tensor<16x64xi32, #mma>
    %nf = arith.sitofp %n2 : tensor<16x64xi32, #mma> to tensor<16x64xf32, #mma>
    %d = arith.addf %s, %nf : tensor<16x64xf32, #mma>
    %x = arith.truncf %d : tensor<16x64xf32, #mma> to tensor<16x64xf16, #mma>
    %y = ttg.convert_layout %x : tensor<16x64xf16, #mma> -> tensor<16x64xf16, #rows>
    %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %i1 = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<16x1xi32, #rows>
    %i2 = arith.muli %i1, %c : tensor<16x1xi32, #rows>
    %i3 = tt.broadcast %i2 : tensor<16x1xi32, #rows> -> tensor<16x64xi32, #rows>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x64xi32, #rows>
    %j2 = tt.broadcast %j1 : tensor<1x64xi32, #rows> -> tensor<16x64xi32, #rows>
    %o = arith.addi %i3, %j2 : tensor<16x64xi32, #rows>
    %base = tt.splat %p : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>, #rows>
    %q = tt.addptr %base, %o : tensor<16x64x!tt.ptr<f16>, #rows>, tensor<16x64xi32, #rows>
    tt.store %q, %y : tensor<16x64x!tt.ptr<f16>, #rows>
    tt.return
  }
}
