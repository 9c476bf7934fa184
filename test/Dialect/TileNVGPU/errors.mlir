// RUN: tritium-opt %s -split-input-file -verify-diagnostics

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @f(%b: !ttg.memdesc<2xi64, #one, mutable>) {
  // expected-error @+1 {{(mbarrier_c1) a barrier is mutable memory of one i64}}
  ttng.mbarrier_init %b, 1 : !ttg.memdesc<2xi64, #one, mutable>
  tt.return
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @f(%b: !ttg.memdesc<1xi32, #one, mutable>) {
  // expected-error @+1 {{(mbarrier_c1) a barrier is mutable memory of one i64}}
  ttng.mbarrier_invalidate %b : !ttg.memdesc<1xi32, #one, mutable>
  tt.return
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @f(%b: !ttg.memdesc<1xi64, #one>, %p: i32) {
  // expected-error @+1 {{(mbarrier_c1) a barrier is mutable memory of one i64}}
  ttng.mbarrier_wait %b, %p : !ttg.memdesc<1xi64, #one>
  tt.return
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @f(%b: !ttg.memdesc<1xi64, #one, mutable>) {
  // expected-error @+1 {{(mbarrier_init_c2) the count must be 1 to 1048575, found 0}}
  ttng.mbarrier_init %b, 0 : !ttg.memdesc<1xi64, #one, mutable>
  tt.return
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @f(%b: !ttg.memdesc<1xi64, #one, mutable>) {
  // expected-error @+1 {{(mbarrier_expect_c2) the number of bytes must be 1 to 1048575, found 0}}
  ttng.mbarrier_expect %b, 0 : !ttg.memdesc<1xi64, #one, mutable>
  tt.return
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @f(%b: !ttg.memdesc<1xi64, #one, mutable>) {
  // expected-error @+1 {{(mbarrier_arrive_c2) the count must be 1 to 1048575, found -1}}
  ttng.mbarrier_arrive %b, -1 : !ttg.memdesc<1xi64, #one, mutable>
  tt.return
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func private @f(%p: !tt.ptr<f16>, %n: i64, %i: i32, %x: !ttg.memdesc<64x64xf16, #s, mutable>, %b: !ttg.memdesc<1xi64, #one, mutable>) {
  // expected-error @+1 {{(tma_c1) shape, strides and offsets must have one number for each of 1 to 5 dimensions, the last of which are the tile's, found 1, 2 and 2}}
  ttng.tma_load %p[%i, %i] shape [%n] strides [%n, %n], %x, %b : !tt.ptr<f16>, !ttg.memdesc<64x64xf16, #s, mutable>, !ttg.memdesc<1xi64, #one, mutable>
  tt.return
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @f(%p: !tt.ptr<f32>, %n: i64, %i: i32, %x: !ttg.memdesc<64xf16, #one, mutable>) {
  // expected-error @+1 {{(tma_c2) the pointee must be the tile's element}}
  ttng.tma_store %x, %p[%i] shape [%n] strides [%n] : !ttg.memdesc<64xf16, #one, mutable>, !tt.ptr<f32>
  tt.return
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @f(%p: !tt.ptr<f16>, %n: i64, %i: i32, %x: !ttg.memdesc<512xf16, #one, mutable>) {
  // expected-error @+1 {{(tma_c3) extents of a box must be at most 256, and its rows multiples of 16 bytes}}
  ttng.tma_store %x, %p[%i] shape [%n] strides [%n] : !ttg.memdesc<512xf16, #one, mutable>, !tt.ptr<f16>
  tt.return
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @f(%p: !tt.ptr<f16>, %n: i64, %i: i32, %x: !ttg.memdesc<4xf16, #one, mutable>) {
  // expected-error @+1 {{(tma_c3) extents of a box must be at most 256, and its rows multiples of 16 bytes}}
  ttng.tma_store %x, %p[%i] shape [%n] strides [%n] : !ttg.memdesc<4xf16, #one, mutable>, !tt.ptr<f16>
  tt.return
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @f(%p: !tt.ptr<f16>, %n: i64, %i: i32, %x: !ttg.memdesc<64xf16, #one>, %b: !ttg.memdesc<1xi64, #one, mutable>) {
  // expected-error @+1 {{(tma_c4) the destination must be mutable}}
  ttng.tma_load %p[%i] shape [%n] strides [%n], %x, %b : !tt.ptr<f16>, !ttg.memdesc<64xf16, #one>, !ttg.memdesc<1xi64, #one, mutable>
  tt.return
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @f(%p: !tt.ptr<f16>, %n: i64, %i: i32, %x: !ttg.memdesc<64xf16, #one, mutable>, %b: !ttg.memdesc<1xi32, #one, mutable>) {
  // expected-error @+1 {{(tma_c4) a barrier is mutable memory of one i64}}
  ttng.tma_load %p[%i] shape [%n] strides [%n], %x, %b : !tt.ptr<f16>, !ttg.memdesc<64xf16, #one, mutable>, !ttg.memdesc<1xi32, #one, mutable>
  tt.return
}

// -----

#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [4, 1]}>
tt.func private @f(%a: !ttg.memdesc<64x32xf16, #s>, %b: !ttg.memdesc<64x64xf16, #s>, %c: tensor<64x64xf32, #mma>) {
  // expected-error @+1 {{(warp_group_dot_c1) operands must be MxK, KxN and MxN}}
  %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x32xf16, #s> * !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf32, #mma>
  tt.return
}

// -----

#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [4, 1]}>
tt.func private @f(%a: !ttg.memdesc<64x64xf16, #s>, %b: !ttg.memdesc<64x64xbf16, #s>, %c: tensor<64x64xf32, #mma>) {
  // expected-error @+1 {{(warp_group_dot_c2) elements must be floats of one width up to 32 bits that give f32, f16 and f8 that give f16, or i8 that give i32, found 'f16', 'bf16' and 'f32'}}
  %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #s> * !ttg.memdesc<64x64xbf16, #s> -> tensor<64x64xf32, #mma>
  tt.return
}

// -----

#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [4, 1]}>
tt.func private @f(%a: !ttg.memdesc<32x64xf16, #s>, %b: !ttg.memdesc<64x64xf16, #s>, %c: tensor<32x64xf32, #mma>) {
  // expected-error @+1 {{(warp_group_dot_c3) M must be a multiple of 64, N of 8 and K of 16, found 32, 64 and 64}}
  %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<32x64xf16, #s> * !ttg.memdesc<64x64xf16, #s> -> tensor<32x64xf32, #mma>
  tt.return
}

// -----

#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [2, 1]}>
module attributes {"ttg.num-warps" = 2 : i32} {
tt.func private @f(%a: !ttg.memdesc<64x64xf16, #s>, %c: tensor<64x64xf32, #mma>) {
  // expected-error @+1 {{(warp_group_dot_c4) a multiple of 4 warps must run it, found 2}}
  %d = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #s> * !ttg.memdesc<64x64xf16, #s> -> tensor<64x64xf32, #mma>
  tt.return
}
}

// -----

tt.func @f() {
  ttg.warp_groups "a" warps 4 {
    // expected-error @+1 {{(cluster_c1) it must stand outside of warp groups}}
    ttng.cluster_arrive
  }
  tt.return
}

// -----

tt.func @f() {
  ttg.warp_groups "a" warps 4 {
    // expected-error @+1 {{(cluster_c1) it must stand outside of warp groups}}
    ttng.cluster_wait
  }
  tt.return
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @waits_for_itself(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b = ttg.local_alloc : !ttg.memdesc<1xi64, #one, mutable>
  ttng.mbarrier_init %b, 1 : !ttg.memdesc<1xi64, #one, mutable>
  ttg.barrier
  ttg.warp_groups "first" warps 1 {
    // expected-error @+1 {{(mbarrier_wait_c2) somebody must arrive before the wait is over, and only who waits does, later}}
    ttng.mbarrier_wait %b, %c0 : !ttg.memdesc<1xi64, #one, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-note @+1 {{here}}
      ttng.mbarrier_arrive %b, 1 : !ttg.memdesc<1xi64, #one, mutable>
    }
  } "second" warps 1 {
  }
  tt.return
}
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @nobody_comes() {
  %c0 = arith.constant 0 : i32
  %b = ttg.local_alloc : !ttg.memdesc<1xi64, #one, mutable>
  ttng.mbarrier_init %b, 1 : !ttg.memdesc<1xi64, #one, mutable>
  ttg.barrier
  // expected-error @+1 {{(mbarrier_wait_c2) somebody must arrive before the wait is over, and nobody does}}
  ttng.mbarrier_wait %b, %c0 : !ttg.memdesc<1xi64, #one, mutable>
  tt.return
}
}

// -----

// Whether anybody comes to this wait is not known.
#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @perhaps(%c: i1) {
  %c0 = arith.constant 0 : i32
  %b = ttg.local_alloc : !ttg.memdesc<1xi64, #one, mutable>
  ttng.mbarrier_init %b, 1 : !ttg.memdesc<1xi64, #one, mutable>
  ttg.barrier
  scf.if %c {
    ttng.mbarrier_wait %b, %c0 : !ttg.memdesc<1xi64, #one, mutable>
  }
  tt.return
}
}

// -----

// One of the two is there first.
#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @fine() {
  %c0 = arith.constant 0 : i32
  %b = ttg.local_alloc : !ttg.memdesc<1xi64, #one, mutable>
  ttng.mbarrier_init %b, 1 : !ttg.memdesc<1xi64, #one, mutable>
  ttg.barrier
  ttg.warp_groups "first" warps 1 {
    ttng.mbarrier_wait %b, %c0 : !ttg.memdesc<1xi64, #one, mutable>
  } "second" warps 1 {
    ttng.mbarrier_arrive %b, 1 : !ttg.memdesc<1xi64, #one, mutable>
  }
  tt.return
}
}

// -----

// Rows of 256 bytes whose chunks are exchanged over all of the row.
#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 16, order = [1, 0]}>
tt.func private @f(%p: !tt.ptr<f16>, %n: i64, %i: i32, %x: !ttg.memdesc<64x128xf16, #s, mutable>, %b: !ttg.memdesc<1xi64, #one, mutable>) {
  %c1 = arith.constant 1 : i64
  // expected-error @+1 {{(tma_c5) the tile must lie in rows, or in panels of rows of 128, 64 or 32 bytes whose chunks of 16 bytes are exchanged as TMA does}}
  ttng.tma_load %p[%i, %i] shape [%n, %n] strides [%n, %c1], %x, %b : !tt.ptr<f16>, !ttg.memdesc<64x128xf16, #s, mutable>, !ttg.memdesc<1xi64, #one, mutable>
  tt.return
}

// -----

// Columns one behind the other.
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
tt.func private @f(%p: !tt.ptr<f16>, %n: i64, %i: i32, %x: !ttg.memdesc<64x64xf16, #s, mutable>) {
  %c1 = arith.constant 1 : i64
  // expected-error @+1 {{(tma_c5) the tile must lie in rows}}
  ttng.tma_store %x, %p[%i, %i] shape [%n, %n] strides [%n, %c1] : !ttg.memdesc<64x64xf16, #s, mutable>, !tt.ptr<f16>
  tt.return
}

// -----

// What a panel has beyond the tile would be copied, too.
#p = #ttg.shared_linear<{offsets = [72, 144, 288, 1, 2, 4, 8, 16, 32], shape = [8, 64]}>
tt.func private @f(%p: !tt.ptr<f16>, %n: i64, %i: i32, %x: !ttg.memdesc<8x96xf16, #p, mutable>) {
  %c1 = arith.constant 1 : i64
  // expected-error @+1 {{(tma_c5) the tile must lie in rows}}
  ttng.tma_store %x, %p[%i, %i] shape [%n, %n] strides [%n, %c1] : !ttg.memdesc<8x96xf16, #p, mutable>, !tt.ptr<f16>
  tt.return
}

// -----

#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
tt.func private @f(%p: !tt.ptr<f16>, %n: i64, %i: i32, %x: !ttg.memdesc<64x64xf16, #s, mutable>) {
  // expected-error @+1 {{(tma_c6) neighbours in a row must be neighbours in memory: the last stride must be the constant 1}}
  ttng.tma_store %x, %p[%i, %i] shape [%n, %n] strides [%n, %n] : !ttg.memdesc<64x64xf16, #s, mutable>, !tt.ptr<f16>
  tt.return
}

// -----

#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [4, 1]}>
tt.func private @f(%a: !ttg.memdesc<64x64xi8, #s>, %c: tensor<64x64xf32, #mma>) {
  // expected-error @+1 {{(warp_group_dot_c2) elements must be floats of one width up to 32 bits that give f32, f16 and f8 that give f16, or i8 that give i32, found 'i8', 'i8' and 'f32'}}
  %d = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xi8, #s> * !ttg.memdesc<64x64xi8, #s> -> tensor<64x64xf32, #mma>
  tt.return
}

// -----

#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [4, 1]}>
tt.func private @f(%a: !ttg.memdesc<64x64xi8, #s>, %c: tensor<64x64xi32, #mma>) {
  // expected-error @+1 {{(warp_group_dot_c5) mostImprecise is of f8 and isUnsigned of i8, found 'i8'}}
  %d = ttng.warp_group_dot %a, %a, %c {mostImprecise = 32 : i32} : !ttg.memdesc<64x64xi8, #s> * !ttg.memdesc<64x64xi8, #s> -> tensor<64x64xi32, #mma>
  tt.return
}

// -----

#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [4, 1]}>
tt.func private @f(%a: !ttg.memdesc<64x64xf8E5M2, #s>, %c: tensor<64x64xf32, #mma>) {
  // expected-error @+1 {{(warp_group_dot_c5) mostImprecise is of f8 and isUnsigned of i8, found 'f8E5M2'}}
  %d = ttng.warp_group_dot %a, %a, %c {isUnsigned} : !ttg.memdesc<64x64xf8E5M2, #s> * !ttg.memdesc<64x64xf8E5M2, #s> -> tensor<64x64xf32, #mma>
  tt.return
}

// -----

#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @f(%p: !tt.ptr<f16>, %n: i64, %i: i32, %x: !ttg.memdesc<64x64xf16, #s, mutable>, %b: !ttg.memdesc<1xi64, #one, mutable>) {
  %c1 = arith.constant 1 : i64
  // expected-error @+1 {{(tma_c8) elements that are rounded to tf32 must be f32, found 'f16'}}
  ttng.tma_load %p[%i, %i] shape [%n, %n] strides [%n, %c1], %x, %b {roundsToTF32} : !tt.ptr<f16>, !ttg.memdesc<64x64xf16, #s, mutable>, !ttg.memdesc<1xi64, #one, mutable>
  tt.return
}

// -----

tt.func private @f(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  %c1 = arith.constant 1 : i64
  // expected-error @+1 {{(tma_c8) elements that are rounded to tf32 must be f32, found 'f16'}}
  %x = ttng.load_box %p[%i, %i] shape [%n, %n] strides [%n, %c1] {roundsToTF32} : !tt.ptr<f16> -> tensor<64x64xf16>
  tt.return
}

// -----

tt.func private @f(%x: tensor<64xf64>) {
  // expected-error @+1 {{(round_to_tf32_c1) elements that are rounded to tf32 must be f32, found 'f64'}}
  %y = ttng.round_to_tf32 %x : tensor<64xf64>
  tt.return
}

// -----

#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @f(%p: !tt.ptr<f16>, %n: i64, %i: i32, %x: !ttg.memdesc<16x64xf16, #s, mutable>) {
  %c1 = arith.constant 1 : i64
  // expected-error @+1 {{(tma_c9) each of 4 warps must have a multiple of 8 rows of a tile of two dimensions, found '!ttg.memdesc<16x64xf16}}
  ttng.tma_store %x, %p[%i, %i] shape [%n, %n] strides [%n, %c1] {by_warp} : !ttg.memdesc<16x64xf16, #s, mutable>, !tt.ptr<f16>
  tt.return
}
}

// -----

module attributes {"ttg.num-ctas" = 4 : i32} {
tt.func @f(%x: f32) {
  // expected-error @+1 {{(cluster_gather_c2) the result must have the element type of the source and one slice for each of the 4 CTAs of a program (ttg.num-ctas), found 'tensor<2xf32>' of 'f32'}}
  %y = ttng.cluster_gather %x : f32 -> tensor<2xf32>
  tt.return
}
}

// -----

#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-ctas" = 4 : i32} {
tt.func @f(%x: f32) {
  %m = ttg.local_alloc : !ttg.memdesc<4xf16, #one, mutable>
  // expected-error @+1 {{(cluster_store_c2) the memory must be mutable, row-major, and have the element type of the source and one slice for each of the 4 CTAs}}
  ttng.cluster_store %x, %m : f32 -> !ttg.memdesc<4xf16, #one, mutable>
  tt.return
}
}
