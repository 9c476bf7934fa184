// RUN: tritium-opt %s -split-input-file -convert-ttg-to-llvm | FileCheck %s

// One addition of the constant 1 an element, that of the first of the threads that hold a copy, where
// the tile does not end before, and the memory has the element.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: llvm.func @whole
// CHECK: %[[END:.*]] = llvm.mlir.constant(10 : i32) : i32
// CHECK: %[[HAS:.*]] = llvm.icmp "ult" %[[X:.*]], %[[END]] : i32
// CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%[[X]]] : {{.*}} -> !llvm.ptr<3>, i32
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[AT]] : !llvm.ptr<3> to i32
// CHECK: llvm.inline_asm has_side_effects {{.*}}"@$1 red.shared.add.u32 [$0], 1;", "r,b,~{memory}" %[[ADDRESS]], %[[HAS]] :
// CHECK: "@$1 red.shared.add.u32 [$0], 1;"
// CHECK-NOT: red.shared
// CHECK: llvm.return
tt.func @whole(%p: !tt.ptr<i32>) {
  %all = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %x = tt.load %all : tensor<256x!tt.ptr<i32>, #b>
  %m = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<10xi32, #s, mutable>
  ttg.local_count %x, %m : tensor<256xi32, #b>, !ttg.memdesc<10xi32, #s, mutable>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: llvm.func @copies
// CHECK: %[[LANE:.*]] = llvm.icmp "eq"
// CHECK: %[[WARP:.*]] = llvm.icmp "eq"
// CHECK: %[[FIRST:.*]] = llvm.and %[[LANE]], %[[WARP]] : i1
// CHECK: %[[HAS:.*]] = llvm.icmp "ult"
// CHECK: %[[BOTH:.*]] = llvm.and %[[FIRST]], %[[HAS]] : i1
// CHECK: red.shared.add.u32 {{.*}} %{{.*}}, %[[BOTH]] :
// CHECK-NOT: red.shared
// CHECK: llvm.return
tt.func @copies(%p: !tt.ptr<i32>) {
  %all = tt.splat %p : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>, #b>
  %x = tt.load %all : tensor<16x!tt.ptr<i32>, #b>
  %m = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<10xi32, #s, mutable>
  ttg.local_count %x, %m : tensor<16xi32, #b>, !ttg.memdesc<10xi32, #s, mutable>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: llvm.func @padded
// CHECK: red.shared.add.u32
// CHECK: %[[HAS:.*]] = llvm.icmp "ult"
// CHECK: %[[END:.*]] = llvm.mlir.constant(100 : i32) : i32
// CHECK: %[[INSIDE:.*]] = llvm.icmp "slt" %{{.*}}, %[[END]] : i32
// CHECK: %[[IS:.*]] = llvm.and %{{.*}}, %[[INSIDE]] : i1
// CHECK: %[[BOTH:.*]] = llvm.and %[[IS]], %[[HAS]] : i1
// CHECK: red.shared.add.u32 {{.*}} %{{.*}}, %[[BOTH]] :
// CHECK-NOT: red.shared
// CHECK: llvm.return
tt.func @padded(%p: !tt.ptr<i32>) {
  %all = tt.splat %p : !tt.ptr<i32> -> tensor<100x!tt.ptr<i32>, #b>
  %x = tt.load %all : tensor<100x!tt.ptr<i32>, #b>
  %m = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<10xi32, #s, mutable>
  ttg.local_count %x, %m : tensor<100xi32, #b>, !ttg.memdesc<10xi32, #s, mutable>
  tt.return
}
}

// -----

// Zeros are no matrices.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: llvm.func @zeros
// CHECK-NOT: stmatrix
// CHECK-COUNT-2: llvm.store %{{.*}} : i32, !llvm.ptr<3>
// CHECK-NOT: stmatrix
// CHECK: llvm.return
tt.func @zeros() {
  %zeros = arith.constant dense<0> : tensor<256xi32, #b>
  %m = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<256xi32, #s, mutable>
  ttg.local_store %zeros, %m : tensor<256xi32, #b>, !ttg.memdesc<256xi32, #s, mutable>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: llvm.func @numbers
// CHECK: stmatrix
tt.func @numbers() {
  %numbers = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #b>
  %m = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<256xi32, #s, mutable>
  ttg.local_store %numbers, %m : tensor<256xi32, #b>, !ttg.memdesc<256xi32, #s, mutable>
  tt.return
}
}
