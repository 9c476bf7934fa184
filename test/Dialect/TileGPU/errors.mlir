// RUN: tritium-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{(blocked_c1) the four lists must have one length, found 1, 2, 1 and 1}}
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [4, 8], warpsPerCTA = [4], order = [0]}>
tt.func private @f(tensor<64xf32, #b>)

// -----

// expected-error @+1 {{(blocked_c2) sizes must be powers of two and threadsPerWarp must have 32 lanes, found [3], [32], [4]}}
#b = #ttg.blocked<{sizePerThread = [3], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func private @f(tensor<64xf32, #b>)

// -----

// expected-error @+1 {{(blocked_c3) order must be a permutation of 0 .. 1, found [1, 1]}}
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 1]}>
tt.func private @f(tensor<64x64xf32, #b>)

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// expected-error @+1 {{(slice_c1) parent must be a layout of registers of rank >= 2 that has dimension 2}}
#s = #ttg.slice<{dim = 2, parent = #b}>
tt.func private @f(tensor<64xf32, #s>)

// -----

// expected-error @+1 {{(mma_c1) version must be 2 or 3, found 4}}
#m = #ttg.mma<{version = 4, warpsPerCTA = [2, 2]}>
tt.func private @f(tensor<64x64xf32, #m>)

// -----

// expected-error @+1 {{(mma_c2) warpsPerCTA of version 3 must be two numbers, the first at least 4, found [2, 2]}}
#m = #ttg.mma<{version = 3, warpsPerCTA = [2, 2]}>
tt.func private @f(tensor<64x64xf32, #m>)

// -----

// expected-error @+1 {{(mma_c2) warpsPerCTA must be two or three powers of two, found [4]}}
#m = #ttg.mma<{version = 2, warpsPerCTA = [4]}>
tt.func private @f(tensor<64x64xf32, #m>)

// -----

#m = #ttg.mma<{version = 2, warpsPerCTA = [2, 2]}>
// expected-error @+1 {{(dot_op_c1) opIdx must be 0 or 1 and parent a mma or blocked layout of rank 2 or 3, found 2}}
#a = #ttg.dot_op<{opIdx = 2, parent = #m, kWidth = 2}>
tt.func private @f(tensor<64x64xf16, #a>)

// -----

#m = #ttg.mma<{version = 2, warpsPerCTA = [2, 2]}>
// expected-error @+1 {{(dot_op_c2) kWidth must be one of [1, 2, 4], found 3}}
#a = #ttg.dot_op<{opIdx = 1, parent = #m, kWidth = 3}>
tt.func private @f(tensor<64x64xf16, #a>)

// -----

// expected-error @+1 {{(shared_c1) vec, perPhase and maxPhase must be powers of two, found 3, 1 and 8}}
#s = #ttg.shared<{vec = 3, perPhase = 1, maxPhase = 8, order = [1, 0]}>
tt.func private @f(!ttg.memdesc<64x64xf16, #s, mutable>)

// -----

// expected-error @+1 {{(linear_c2) there must be 5 lane bits, found 1}}
#l = #ttg.linear<{register = [1], lane = [2], warp = [], shape = [4]}>
tt.func private @f(tensor<4xf32, #l>)

// -----

#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// expected-error @+1 {{(memdesc_c1) extents must be powers of two}}
tt.func private @f(!ttg.memdesc<48x64xf16, #s, mutable>)

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func private @f(%x: tensor<64xf32, #b>) {
  // expected-error @+1 {{(convert_layout_c1) shape and element type must stay}}
  %y = ttg.convert_layout %x : tensor<64xf32, #b> -> tensor<64xf16, #b>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func private @f(%x: tensor<64xf32, #b>) {
  // expected-error @+1 {{(convert_layout_c1) both sides need a layout of registers of their rank}}
  %y = ttg.convert_layout %x : tensor<64xf32, #b> -> tensor<64xf32>
  tt.return
}

// -----

#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
tt.func private @f(%m: !ttg.memdesc<64x64xf16, #s, mutable>, %i: i32) {
  // expected-error @+1 {{(memdesc_index_c1) the result must be one buffer of}}
  %y = ttg.memdesc_index %m[%i] : !ttg.memdesc<64x64xf16, #s, mutable> -> !ttg.memdesc<64x64xf16, #s, mutable>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
tt.func private @f(%m: !ttg.memdesc<64x64xf16, #s, mutable>) {
  // expected-error @+1 {{(local_load_c1) shape and element type must agree}}
  %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x64xf32, #b>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
tt.func private @f(%m: !ttg.memdesc<64x64xf16, #s, mutable>, %x: tensor<64x32xf16, #b>) {
  // expected-error @+1 {{(local_store_c1) shape and element type must agree}}
  ttg.local_store %x, %m : tensor<64x32xf16, #b>, !ttg.memdesc<64x64xf16, #s, mutable>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
tt.func private @f(%m: !ttg.memdesc<64x32xf16, #s, mutable>, %x: tensor<64x64xf16, #b>) {
  // expected-error @+1 {{(local_store_c3) a part must lie inside at multiples of its extents}}
  ttg.local_store %x, %m {offsets = array<i64: 0, 16>} : tensor<64x64xf16, #b>, !ttg.memdesc<64x32xf16, #s, mutable>
  tt.return
}

// -----

// Rows of one part are in other warps than those of the other.
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
tt.func private @f(%m: !ttg.memdesc<8x64xf16, #s, mutable>, %x: tensor<64x64xf16, #b>) {
  // expected-error @+1 {{threads must hold elements of each such part alike}}
  ttg.local_store %x, %m {offsets = array<i64: 8, 0>} : tensor<64x64xf16, #b>, !ttg.memdesc<8x64xf16, #s, mutable>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
tt.func private @f(%m: !ttg.memdesc<64x64xf16, #s, mutable>, %p: tensor<64x64x!tt.ptr<f32>, #b>) {
  // expected-error @+1 {{(async_copy_c2) the pointee must be 'f16'}}
  ttg.async_copy_global_to_local %p, %m : tensor<64x64x!tt.ptr<f32>, #b> -> !ttg.memdesc<64x64xf16, #s, mutable>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
tt.func private @f(%m: !ttg.memdesc<64x64xf16, #s, mutable>) {
  // expected-error @+1 {{(local_load_c2) a part must lie inside at multiples of its extents}}
  %y = ttg.local_load %m {offsets = array<i64: 0, 16>} : !ttg.memdesc<64x64xf16, #s, mutable> -> tensor<64x32xf16, #b>
  tt.return
}

// -----

#s = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
tt.func private @f(%m: !ttg.memdesc<64x32xf16, #s, mutable>) {
  // expected-error @+1 {{(memdesc_trans_c1) the result must be the transposed buffer}}
  %y = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #s, mutable> -> !ttg.memdesc<32x64xf16, #s, mutable>
  tt.return
}

// -----

// expected-error @+1 {{(schedule_c1) stage and order must not be negative, found -1 and 2}}
tt.func private @f() attributes {x = #ttg.schedule<stage = -1, order = 2>}

// -----

// Panels of two dimensions count by the one along which neighbours lie; of more by their order, too.
#p = #ttg.shared_linear<{offsets = [2, 1], shape = [2, 2, 1]}>
#q = #ttg.shared_linear<{offsets = [1, 2], shape = [1, 2, 2]}>
tt.func private @f(%m: !ttg.memdesc<6x6x3xf32, #p, mutable>) {
  // expected-error @+1 {{(memdesc_trans_c2) a tile of more than two dimensions must be one panel}}
  %y = ttg.memdesc_trans %m {order = array<i32: 2, 1, 0>} : !ttg.memdesc<6x6x3xf32, #p, mutable> -> !ttg.memdesc<3x6x6xf32, #q, mutable>
  tt.return
}

// -----

// expected-error @+1 {{(memdesc_c1) a tile of several panels has panels of two elements at least}}
tt.func private @f(!ttg.memdesc<3x5xf32, #ttg.shared_linear<{offsets = [], shape = [1, 1]}>>)

// -----

// Lanes that lie in several panels have no element of each.
#b = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#p = #ttg.shared_linear<{offsets = [1, 2, 4, 8, 16, 32, 64], shape = [128]}>
tt.func private @f(%m: !ttg.memdesc<256xf32, #p, mutable>, %q: tensor<256x!tt.ptr<f32>, #b>) {
  // expected-error @+1 {{(async_copy_c4) the destination must be whole panels}}
  ttg.async_copy_global_to_local %q, %m : tensor<256x!tt.ptr<f32>, #b> -> !ttg.memdesc<256xf32, #p, mutable>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#p = #ttg.shared_linear<{offsets = [1, 2, 4, 8, 16, 32], shape = [64]}>
tt.func private @f(%m: !ttg.memdesc<256xf32, #p, mutable>, %x: tensor<256xf32, #b>) {
  // expected-error @+1 {{(local_store_c1) the tile must have an element for each of the memory's panels}}
  ttg.local_store %x, %m : tensor<256xf32, #b>, !ttg.memdesc<256xf32, #p, mutable>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%x: tensor<128xf32, #b>) {
  // expected-error @+1 {{(local_alloc_c1) memory with a value is not mutable, and without one it is}}
  %m = ttg.local_alloc : !ttg.memdesc<128xf32, #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%x: tensor<128xf32, #b>) {
  // expected-error @+1 {{(local_alloc_c2) shape and element type must agree}}
  %m = ttg.local_alloc init(%x : tensor<128xf32, #b>) : !ttg.memdesc<64xf32, #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>>
  tt.return
}

// -----

tt.func private @f() {
  // expected-error @+1 {{(local_alloc_c3) the offset must be a multiple of 16 and not negative, found 8}}
  %m = ttg.local_alloc {offset = 8 : i32} : !ttg.memdesc<128xf32, #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, mutable>
  tt.return
}

// -----

tt.func private @f() {
  // expected-error @+1 {{(local_alloc_c3) the offset must be a multiple of 1024 and not negative, found 512}}
  %m = ttg.local_alloc {alignment = 1024 : i32, offset = 512 : i32} : !ttg.memdesc<128xf32, #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, mutable>
  tt.return
}

// -----

tt.func private @f() {
  // expected-error @+1 {{(local_alloc_c4) the alignment must be a power of two from 16 to 1024, found 2048}}
  %m = ttg.local_alloc {alignment = 2048 : i32} : !ttg.memdesc<128xf32, #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, mutable>
  tt.return
}

// -----

#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%m: !ttg.memdesc<128xf32, #s>, %x: tensor<128xf32, #b>) {
  // expected-error @+1 {{(local_store_c2) the memory must be mutable}}
  ttg.local_store %x, %m : tensor<128xf32, #b>, !ttg.memdesc<128xf32, #s>
  tt.return
}

// -----

#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @f(%m: !ttg.memdesc<128xf32, #s>) {
  // expected-error @+1 {{(memdesc_reshape_c1) both must have as many elements one after another}}
  %n = ttg.memdesc_reshape %m : !ttg.memdesc<128xf32, #s> -> !ttg.memdesc<64xf32, #s>
  tt.return
}

// -----

// expected-error @+1 {{(memdesc_c3) the layout must be one of memory}}
tt.func private @f(!ttg.memdesc<128xf32, #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>)

// -----

// expected-error @+1 {{(shared_linear_c1) extents of the panel must be powers of two}}
tt.func private @f(!ttg.memdesc<96xf32, #ttg.shared_linear<{offsets = [1, 2], shape = [3]}>>)

// -----

// expected-error @+1 {{(shared_linear_c2) there must be 2 offsets, independent of each other and less than 4, found [1, 1]}}
tt.func private @f(!ttg.memdesc<4xf32, #ttg.shared_linear<{offsets = [1, 1], shape = [4]}>>)

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%x: tensor<128xf32, #b>) {
  // expected-error @+1 {{(warp_reduce_c1) operands must have one shape and layout}}
  %y = "ttg.warp_reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    tt.reduce.return %a : f32
  }) : (tensor<128xf32, #b>) -> tensor<4xf16, #b>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%x: tensor<128xf32, #b>) {
  // expected-error @+1 {{(warp_reduce_c2) the region must take}}
  %y = "ttg.warp_reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32):
    tt.reduce.return %a : f32
  }) : (tensor<128xf32, #b>) -> tensor<4xf32, #b>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func private @f(%x: tensor<128xf32, #b>) {
  // expected-error @+1 {{(warp_scan_c1) operands must have one shape and layout, and results their types}}
  %y, %t = "ttg.warp_scan"(%x) <{axis = 0 : i32, part = 32 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    tt.scan.return %a : f32
  }) : (tensor<128xf32, #b>) -> (tensor<128xf16, #b>, tensor<4xf32, #b>)
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func private @f(%x: tensor<100xf32, #b>) {
  // expected-error @+1 {{(warp_scan_c2) parts of 24 elements along axis 0 of ('tensor<100xf32,}}
  %y, %t = "ttg.warp_scan"(%x) <{axis = 0 : i32, part = 24 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    tt.scan.return %a : f32
  }) : (tensor<100xf32, #b>) -> (tensor<100xf32, #b>, tensor<5xf32, #b>)
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func private @f(%x: tensor<100xf32, #b>) {
  // expected-error @+1 {{(warp_scan_c2) parts of 32 elements}}
  %y, %t = "ttg.warp_scan"(%x) <{axis = 0 : i32, part = 32 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    tt.scan.return %a : f32
  }) : (tensor<100xf32, #b>) -> (tensor<100xf32, #b>, tensor<3xf32, #b>)
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func private @f(%x: tensor<128xf32, #b>) {
  // expected-error @+1 {{(warp_scan_c3) the region must take}}
  %y, %t = "ttg.warp_scan"(%x) <{axis = 0 : i32, part = 32 : i32}> ({
  ^bb0(%a: f32):
    tt.scan.return %a : f32
  }) : (tensor<128xf32, #b>) -> (tensor<128xf32, #b>, tensor<4xf32, #b>)
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func private @f(%x: tensor<128xf32, #b>, %p: tensor<4xf32, #b>) {
  // expected-error @+1 {{(join_scans_c1) operands must have one shape and layout, and results their types}}
  %z = "ttg.join_scans"(%x, %p) <{axis = 0 : i32, part = 32 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    tt.scan.return %a : f32
  }) : (tensor<128xf32, #b>, tensor<4xf32, #b>) -> tensor<64xf32, #b>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func private @f(%x: tensor<128xf32, #b>, %p: tensor<4xf16, #b>) {
  // expected-error @+1 {{(join_scans_c2) parts of 32 elements}}
  %z = "ttg.join_scans"(%x, %p) <{axis = 0 : i32, part = 32 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    tt.scan.return %a : f32
  }) : (tensor<128xf32, #b>, tensor<4xf16, #b>) -> tensor<128xf32, #b>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func private @f(%x: tensor<128xf32, #b>, %p: tensor<4xf32, #b>) {
  // expected-error @+1 {{(join_scans_c3) the region must take}}
  %z = "ttg.join_scans"(%x, %p) <{axis = 0 : i32, part = 32 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    tt.scan.return %a, %c : f32, f32
  }) : (tensor<128xf32, #b>, tensor<4xf32, #b>) -> tensor<128xf32, #b>
  tt.return
}

// -----

// expected-error @+1 {{(target_c1) compute must be at least 75, for 7.5, found 70}}
module attributes {ttg.target = #ttg.target<compute = 70>} {}

// -----

tt.func private @prefetch(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<32xi1>) {
  // expected-error @+1 {{(prefetch_l2_c1) pointers and mask must be tiles of one shape, found 'tensor<64x!tt.ptr<f32>>' and 'tensor<32xi1>'}}
  ttg.prefetch_l2 %p, %m one_of 1 along 0 : tensor<64x!tt.ptr<f32>>, tensor<32xi1>
  tt.return
}

// -----

tt.func private @prefetch(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<64xi1>) {
  // expected-error @+1 {{(prefetch_l2_c2) the axis must be below 1 and the number of neighbours a power of two, found 1 and 3}}
  ttg.prefetch_l2 %p, %m one_of 3 along 1 : tensor<64x!tt.ptr<f32>>, tensor<64xi1>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @local_gather_c1(%m: !ttg.memdesc<64xf32, #s>, %i: tensor<128xi16, #b>) {
  // expected-error @+1 {{(local_gather_c1) rank, extents and elements must be those of a tt.gather, and indices have 32 or 64 bits}}
  %y = ttg.local_gather %m[%i] along 0 : !ttg.memdesc<64xf32, #s>[tensor<128xi16, #b>] -> tensor<128xf32, #b>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @local_gather_c2(%m: !ttg.memdesc<64xf32, #s>, %i: tensor<512xi32, #b>) {
  // expected-error @+1 {{(local_gather_c2) index and result must have one layout}}
  %y = ttg.local_gather %m[%i] along 0 : !ttg.memdesc<64xf32, #s>[tensor<512xi32, #b>] -> tensor<512xf32, #c>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @local_gather_c2_none(%m: !ttg.memdesc<64xf32, #s>, %i: tensor<128xi32>) {
  // expected-error @+1 {{(local_gather_c2) index and result need a layout, found 'tensor<128xi32>'}}
  %y = ttg.local_gather %m[%i] along 0 : !ttg.memdesc<64xf32, #s>[tensor<128xi32>] -> tensor<128xf32, #b>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
tt.func private @local_gather_c3(%m: !ttg.memdesc<16x8xf32, #s>, %i: tensor<16x8xi32, #b>) {
  // expected-error @+1 {{(local_gather_c3) elements must lie one after another, the last dimension fastest}}
  %y = ttg.local_gather %m[%i] along 0 : !ttg.memdesc<16x8xf32, #s>[tensor<16x8xi32, #b>] -> tensor<16x8xf32, #b>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @local_count_c1(%m: !ttg.memdesc<64xi32, #s, mutable>, %x: tensor<128xi64, #b>) {
  // expected-error @+1 {{(local_count_c1) indices must be i32 and have a layout, found 'tensor<128xi64}}
  ttg.local_count %x, %m : tensor<128xi64, #b>, !ttg.memdesc<64xi32, #s, mutable>
  tt.return
}

// -----

#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @local_count_c1_none(%m: !ttg.memdesc<64xi32, #s, mutable>, %x: tensor<128xi32>) {
  // expected-error @+1 {{(local_count_c1) indices must be i32 and have a layout, found 'tensor<128xi32>'}}
  ttg.local_count %x, %m : tensor<128xi32>, !ttg.memdesc<64xi32, #s, mutable>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @local_count_c2(%m: !ttg.memdesc<64xi32, #s>, %x: tensor<128xi32, #b>) {
  // expected-error @+1 {{(local_count_c2) the memory must be mutable}}
  ttg.local_count %x, %m : tensor<128xi32, #b>, !ttg.memdesc<64xi32, #s>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @local_count_c3_element(%m: !ttg.memdesc<64xi16, #s, mutable>, %x: tensor<128xi32, #b>) {
  // expected-error @+1 {{(local_count_c3) the memory must be one dimension of i32, one after another}}
  ttg.local_count %x, %m : tensor<128xi32, #b>, !ttg.memdesc<64xi16, #s, mutable>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func private @local_count_c3_rank(%m: !ttg.memdesc<8x8xi32, #s, mutable>, %x: tensor<128xi32, #b>) {
  // expected-error @+1 {{(local_count_c3) the memory must be one dimension of i32, one after another}}
  ttg.local_count %x, %m : tensor<128xi32, #b>, !ttg.memdesc<8x8xi32, #s, mutable>
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.shared_linear<{offsets = [2, 1, 4], shape = [8]}>
tt.func private @local_count_c3_order(%m: !ttg.memdesc<8xi32, #s, mutable>, %x: tensor<128xi32, #b>) {
  // expected-error @+1 {{(local_count_c3) the memory must be one dimension of i32, one after another}}
  ttg.local_count %x, %m : tensor<128xi32, #b>, !ttg.memdesc<8xi32, #s, mutable>
  tt.return
}
