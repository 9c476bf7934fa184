// The tool that runs tile IR: digests of what kernels leave in memory, errors on standard error.
// RUN: tritium-interpret %s --grid 2 --set n=100 --bytes 1024 > %t
// RUN: tritium-opt %s --canonicalize --tt-combine | tritium-interpret --grid 2 --set n=100 --bytes 1024 | diff %t -
// RUN: FileCheck %s < %t
// Another number, seed or grid gives other digests.
// RUN: tritium-interpret %s --grid 2 --set n=90 --bytes 1024 | not diff %t -
// RUN: tritium-interpret %s --grid 1 --set n=100 --bytes 1024 | not diff %t -
// RUN: tritium-interpret %s --grid 2 --set n=100 --bytes 1024 --seed 2 | not diff %t -
// Too little memory.
// RUN: not tritium-interpret %s --grid 2 --set n=100 --bytes 256 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: tritium-interpret %s --set n=3 --bytes 1024 --show 3 | FileCheck %s --check-prefix=SHOW

// CHECK: scale.x: {{[0-9a-f]+}}
// CHECK-NEXT: scale.y: {{[0-9a-f]+}}
// CHECK-NEXT: count.#0: {{[0-9a-f]+}}
// BOUNDS: kernel 'scale', program (1, 0, 0): load of 4 bytes {{.*}} by lane [0] is outside every argument; nearest: argument '{{[xy]}}'
// SHOW: scale.y: {{[0-9a-f]+ [-0-9.]+ [-0-9.]+ [-0-9.]+$}}
// SHOW: count.#0: {{[0-9a-f]+}} 65 {{[0-9]+ [0-9]+$}}

tt.func @scale(%x: !tt.ptr<f32> {tt.name = "x"}, %y: !tt.ptr<f16> {tt.name = "y"}, %n: i32 {tt.name = "n"}) {
  %c64 = arith.constant 64 : i32
  %pid = tt.get_program_id 0 : i32
  %base = arith.muli %pid, %c64 : i32
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %b = tt.splat %base : i32 -> tensor<64xi32>
  %i = arith.addi %b, %r : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xp, %m : tensor<64x!tt.ptr<f32>>
  %h = arith.truncf %v : tensor<64xf32> to tensor<64xf16>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %yp = tt.addptr %ys, %i : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  tt.store %yp, %h, %m : tensor<64x!tt.ptr<f16>>
  tt.return
}

tt.func @count(%x: !tt.ptr<i32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %s = arith.addi %n, %c1 : i32
  tt.store %x, %s : !tt.ptr<i32>
  tt.return
}
