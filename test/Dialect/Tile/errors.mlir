// One case for each numbered constraint of the dialect, and for what the parsers refuse.
// RUN: tritium-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{(func_c1) a kernel returns nothing}}
tt.func @func_c1(%x: i32) -> i32 {
  tt.return %x : i32
}

// -----

// expected-error @+1 {{(func_c2) argument 0 of a kernel must be a scalar, found 'tensor<4xf32>'}}
tt.func @func_c2(%x: tensor<4xf32>) {
  tt.return
}

// -----

tt.func private @return_c1(%x: i32) -> f32 {
  // expected-error @+1 {{(return_c1) returns ('i32'), but @return_c1 has results ('f32')}}
  tt.return %x : i32
}

// -----

tt.func @call_c1() {
  // expected-error @+1 {{(call_c1) no function @missing}}
  tt.call @missing() : () -> ()
  tt.return
}

// -----

tt.func private @callee(%x: i32) {
  tt.return
}
tt.func @call_c2(%x: f32) {
  // expected-error @+1 {{(call_c2) operands and results must be those of @callee: '(i32) -> ()'}}
  tt.call @callee(%x) : (f32) -> ()
  tt.return
}

// -----

// expected-error @+1 {{(ptr_c1) a pointer points to an integer, a float or a pointer, not to 'tensor<4xf32>'}}
tt.func @ptr_c1(%x: !tt.ptr<tensor<4xf32>>) {
  tt.return
}

// -----

tt.func @make_range_c1() {
  // expected-error @+1 {{(make_range_c1) the result must be a 1-D tile of i32, found 'tensor<4xi64>'}}
  %r = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi64>
  tt.return
}

// -----

tt.func @make_range_c2() {
  // expected-error @+1 {{(make_range_c2) end must be greater than start, found [4, 4)}}
  %r = tt.make_range {start = 4 : i32, end = 4 : i32} : tensor<4xi32>
  tt.return
}

// -----

tt.func @make_range_c3() {
  // expected-error @+1 {{(make_range_c3) the extent must be 5, found 4}}
  %r = tt.make_range {start = 0 : i32, end = 5 : i32} : tensor<4xi32>
  tt.return
}

// -----

tt.func @splat_c1(%x: f32) {
  // expected-error @+1 {{(splat_c1) the result must hold 'f32', found 'tensor<4xi32>'}}
  %r = tt.splat %x : f32 -> tensor<4xi32>
  tt.return
}

// -----

tt.func @broadcast_c1(%x: f32) {
  %s = tt.splat %x : f32 -> tensor<1xf32>
  // expected-error @+1 {{(broadcast_c1) rank and element type must stay}}
  %r = tt.broadcast %s : tensor<1xf32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @broadcast_c2(%x: f32) {
  %s = tt.splat %x : f32 -> tensor<2x1xf32>
  // expected-error @+1 {{(broadcast_c2) dimension 0 has extent 2, which does not broadcast to 4}}
  %r = tt.broadcast %s : tensor<2x1xf32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @expand_dims_c1(%x: f32) {
  %s = tt.splat %x : f32 -> tensor<4xf32>
  // expected-error @+1 {{(expand_dims_c1) axis must be in [0, 1], found 2}}
  %r = tt.expand_dims %s {axis = 2 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  tt.return
}

// -----

tt.func @expand_dims_c2(%x: f32) {
  %s = tt.splat %x : f32 -> tensor<4xf32>
  // expected-error @+1 {{(expand_dims_c2) the result must be 'tensor<1x4xf32>', found 'tensor<4x1xf32>'}}
  %r = tt.expand_dims %s {axis = 0 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  tt.return
}

// -----

tt.func @reshape_c1(%x: f32) {
  %s = tt.splat %x : f32 -> tensor<4xf32>
  // expected-error @+1 {{(reshape_c1) element type and number of elements must stay}}
  %r = tt.reshape %s : tensor<4xf32> -> tensor<2x3xf32>
  tt.return
}

// -----

tt.func @trans_c1(%x: f32) {
  %s = tt.splat %x : f32 -> tensor<4x2xf32>
  // expected-error @+1 {{(trans_c1) order must be a permutation of 0 .. 1}}
  %r = tt.trans %s {order = array<i32: 0, 0>} : tensor<4x2xf32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @trans_c2(%x: f32) {
  %s = tt.splat %x : f32 -> tensor<4x2xf32>
  // expected-error @+1 {{(trans_c2) the result must be 'tensor<2x4xf32>', found 'tensor<4x2xf32>'}}
  %r = tt.trans %s {order = array<i32: 1, 0>} : tensor<4x2xf32> -> tensor<4x2xf32>
  tt.return
}

// -----

tt.func private @gather_c1(%x: tensor<4x2xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{(gather_c1) source and index must have one rank, and axis be one of its dimensions, found 'tensor<4x2xf32>', 'tensor<4xi32>' and axis 0}}
  %r = tt.gather %x[%i] along 0 : tensor<4x2xf32>[tensor<4xi32>] -> tensor<4xf32>
  tt.return
}

// -----

tt.func private @gather_c1_axis(%x: tensor<4x2xf32>, %i: tensor<4x2xi32>) {
  // expected-error @+1 {{(gather_c1) source and index must have one rank, and axis be one of its dimensions, found 'tensor<4x2xf32>', 'tensor<4x2xi32>' and axis 2}}
  %r = tt.gather %x[%i] along 2 : tensor<4x2xf32>[tensor<4x2xi32>] -> tensor<4x2xf32>
  tt.return
}

// -----

tt.func private @gather_c2(%x: tensor<4x2xf32>, %i: tensor<4x3xi32>) {
  // expected-error @+1 {{(gather_c2) extents must agree along all dimensions but 0, found 'tensor<4x2xf32>' and 'tensor<4x3xi32>'}}
  %r = tt.gather %x[%i] along 0 : tensor<4x2xf32>[tensor<4x3xi32>] -> tensor<4x3xf32>
  tt.return
}

// -----

tt.func private @gather_c3(%x: tensor<4xf32>, %i: tensor<4xi16>) {
  // expected-error @+1 {{(gather_c3) indices must have 32 or 64 bits, found 'tensor<4xi16>'}}
  %r = tt.gather %x[%i] along 0 : tensor<4xf32>[tensor<4xi16>] -> tensor<4xf32>
  tt.return
}

// -----

tt.func private @gather_c4(%x: tensor<4xf32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{(gather_c4) the result must be 'tensor<8xf32>', found 'tensor<4xf32>'}}
  %r = tt.gather %x[%i] along 0 : tensor<4xf32>[tensor<8xi32>] -> tensor<4xf32>
  tt.return
}

// -----

tt.func @addptr_c1(%p: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  // expected-error @+1 {{(addptr_c1) pointer and offset must have one shape}}
  %a = tt.addptr %p, %r : !tt.ptr<f32>, tensor<4xi32>
  tt.return
}

// -----

tt.func @int_to_ptr_c1(%x: i32) {
  // expected-error @+1 {{(int_to_ptr_c1) the operand must be i64 in the shape of the result}}
  %p = tt.int_to_ptr %x : i32 -> !tt.ptr<f32>
  tt.return
}

// -----

tt.func @ptr_to_int_c1(%p: !tt.ptr<f32>) {
  // expected-error @+1 {{(ptr_to_int_c1) the result must be i64 in the shape of the operand}}
  %x = tt.ptr_to_int %p : !tt.ptr<f32> -> i32
  tt.return
}

// -----

tt.func @bitcast_c1(%x: f32) {
  // expected-error @+1 {{(bitcast_c1) shapes must agree}}
  %r = tt.bitcast %x : f32 -> tensor<1xi32>
  tt.return
}

// -----

tt.func @bitcast_c2(%x: f32) {
  // expected-error @+1 {{(bitcast_c2) element widths must agree, found 'f32' -> 'i16'}}
  %r = tt.bitcast %x : f32 -> i16
  tt.return
}

// -----

tt.func @load_c1(%p: !tt.ptr<f32>) {
  // expected-error @+1 {{(load_c1)}}
  %r = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> i32
  tt.return
}

// -----

tt.func @load_c2(%p: !tt.ptr<f32>) {
  %m = arith.constant dense<true> : tensor<4xi1>
  // expected-error @+1 {{(load_c2) the mask must be 'i1', found 'tensor<4xi1>'}}
  %r = "tt.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!tt.ptr<f32>, tensor<4xi1>) -> f32
  tt.return
}

// -----

tt.func @load_c3(%p: !tt.ptr<f32>, %o: f32) {
  // expected-error @+1 {{(load_c3)}}
  %r = "tt.load"(%p, %o) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @store_c1(%p: !tt.ptr<f32>, %x: i32) {
  // expected-error @+1 {{(store_c1) the value must be 'f32', found 'i32'}}
  "tt.store"(%p, %x) : (!tt.ptr<f32>, i32) -> ()
  tt.return
}

// -----

tt.func @store_c2(%p: !tt.ptr<f32>, %x: f32) {
  %m = arith.constant dense<true> : tensor<4xi1>
  // expected-error @+1 {{(store_c2) the mask must be 'i1', found 'tensor<4xi1>'}}
  "tt.store"(%p, %x, %m) : (!tt.ptr<f32>, f32, tensor<4xi1>) -> ()
  tt.return
}

// -----

tt.func @atomic_rmw_c1(%p: !tt.ptr<f32>, %x: i32) {
  // expected-error @+1 {{(atomic_rmw_c1) the value must be 'f32', found 'i32'}}
  %r = tt.atomic_rmw exch, relaxed, gpu, %p, %x : (!tt.ptr<f32>, i32) -> f32
  tt.return
}

// -----

tt.func @atomic_rmw_c2(%p: !tt.ptr<f32>, %x: f32) {
  %m = arith.constant dense<true> : tensor<4xi1>
  // expected-error @+1 {{(atomic_rmw_c2) the mask must be 'i1'}}
  %r = tt.atomic_rmw fadd, relaxed, gpu, %p, %x, %m : (!tt.ptr<f32>, f32, tensor<4xi1>) -> f32
  tt.return
}

// -----

tt.func @atomic_rmw_c3(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @+1 {{(atomic_rmw_c3) 'add' does not apply to 'f32'}}
  %r = tt.atomic_rmw add, relaxed, gpu, %p, %x : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func private @tensordesc_c1()
    // expected-error @+1 {{(tensordesc_c1) a block has 1 to 5 dimensions with positive extents}}
    -> !tt.tensordesc<1x1x1x1x1x1xf32>

// -----

tt.func private @tensordesc_c1()
    // expected-error @+1 {{(tensordesc_c1) a block has 1 to 5 dimensions with positive extents}}
    -> !tt.tensordesc<4x0xf32>

// -----

tt.func private @tensordesc_c2()
    // expected-error @+1 {{(tensordesc_c2) elements are integers of a byte or more, floats or pointers, not 'i1'}}
    -> !tt.tensordesc<4xi1>

// -----

tt.func private @tensordesc_c3()
    // expected-error @+1 {{(tensordesc_c3) 'i32' has no NaN}}
    -> !tt.tensordesc<4xi32, nan>

// -----

tt.func @make_tensor_descriptor_c1(%p: !tt.ptr<f32>, %n: i64) {
  // expected-error @+1 {{(make_tensor_descriptor_c1) needs one extent and one stride for each dimension of '!tt.tensordesc<4x8xf32>', found 1}}
  %d = tt.make_tensor_descriptor %p, [%n], [%n] : !tt.tensordesc<4x8xf32>
  tt.return
}

// -----

tt.func @make_tensor_descriptor_base(%p: !tt.ptr<f16>, %n: i64) { // expected-note {{prior use here}}
  // expected-error @+1 {{use of value '%p' expects different type than prior uses: '!tt.ptr<f32>' vs '!tt.ptr<f16>'}}
  %d = tt.make_tensor_descriptor %p, [%n], [%n] : !tt.tensordesc<4xf32>
  tt.return
}

// -----

tt.func @no_descriptor(%p: !tt.ptr<f16>, %n: i64) {
  // expected-error @+1 {{'desc' must be tensor descriptor, but got '!tt.ptr<f16>'}}
  %v = tt.descriptor_load %p[%n] : !tt.ptr<f16>
  tt.return
}

// -----

tt.func private @descriptor_load_c1(%d: !tt.tensordesc<4x8xf32>, %i: i64) {
  // expected-error @+1 {{(descriptor_load_c1) needs one index for each dimension of '!tt.tensordesc<4x8xf32>', found 1}}
  %v = tt.descriptor_load %d[%i] : !tt.tensordesc<4x8xf32>
  tt.return
}

// -----

tt.func private @descriptor_load_c2(%d: !tt.tensordesc<4x8xf32>, %i: i64) {
  // expected-error @+1 {{(descriptor_load_c2) 'in_bounds' needs one element for each dimension of '!tt.tensordesc<4x8xf32>', found 1}}
  %v = tt.descriptor_load %d[%i, %i] in_bounds = [true] : !tt.tensordesc<4x8xf32>
  tt.return
}

// -----

tt.func private @descriptor_store_c1(%d: !tt.tensordesc<4x8xf32>, %i: i64, %v: tensor<4x8xf32>) {
  // expected-error @+1 {{(descriptor_store_c1) needs one index for each dimension of '!tt.tensordesc<4x8xf32>', found 3}}
  tt.descriptor_store %d[%i, %i, %i], %v : !tt.tensordesc<4x8xf32>
  tt.return
}

// -----

tt.func private @descriptor_store_c2(%d: !tt.tensordesc<4x8xf32>, %i: i64, %v: tensor<4x8xf32>) {
  // expected-error @+1 {{(descriptor_store_c2) 'in_bounds' needs one element for each dimension of '!tt.tensordesc<4x8xf32>', found 3}}
  tt.descriptor_store %d[%i, %i], %v in_bounds = [true, true, true] : !tt.tensordesc<4x8xf32>
  tt.return
}

// -----

tt.func private @descriptor_reduce_c1(%d: !tt.tensordesc<4xf32>, %i: i64, %v: tensor<4xf32>) {
  // expected-error @+1 {{(descriptor_reduce_c1) needs one index for each dimension of '!tt.tensordesc<4xf32>', found 2}}
  tt.descriptor_reduce fadd, %d[%i, %i], %v : !tt.tensordesc<4xf32>
  tt.return
}

// -----

tt.func private @descriptor_reduce_c2(%d: !tt.tensordesc<4xf8E5M2>, %i: i64, %v: tensor<4xf8E5M2>) {
  // expected-error @+1 {{(descriptor_reduce_c2) 'max' does not apply to 'f8E5M2'}}
  tt.descriptor_reduce max, %d[%i], %v : !tt.tensordesc<4xf8E5M2>
  tt.return
}

// -----

tt.func private @descriptor_reduce_c2(%d: !tt.tensordesc<4xi32>, %i: i64, %v: tensor<4xi32>) {
  // expected-error @+1 {{(descriptor_reduce_c2) 'exch' does not apply to 'i32'}}
  tt.descriptor_reduce exch, %d[%i], %v : !tt.tensordesc<4xi32>
  tt.return
}

// -----

tt.func private @descriptor_gather_c1(%d: !tt.tensordesc<2x8xf32>, %rows: tensor<4xi64>, %i: i64) {
  // expected-error @+1 {{(descriptor_gather_c1) the block must be one row, 1xC, found '!tt.tensordesc<2x8xf32>'}}
  %v = tt.descriptor_gather %d[%rows, %i] : !tt.tensordesc<2x8xf32> -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func private @descriptor_gather_c2(%d: !tt.tensordesc<1x8xf32>, %rows: tensor<4xi64>, %i: i64) {
  // expected-error @+1 {{(descriptor_gather_c2) the tile must be rows of '!tt.tensordesc<1x8xf32>', found 'tensor<4x16xf32>'}}
  %v = tt.descriptor_gather %d[%rows, %i] : !tt.tensordesc<1x8xf32> -> tensor<4x16xf32>
  tt.return
}

// -----

tt.func private @descriptor_scatter_c1(%d: !tt.tensordesc<8xf32>, %rows: tensor<4xi64>, %i: i64, %v: tensor<4x8xf32>) {
  // expected-error @+1 {{(descriptor_scatter_c1) the block must be one row, 1xC, found '!tt.tensordesc<8xf32>'}}
  tt.descriptor_scatter %d[%rows, %i], %v : !tt.tensordesc<8xf32>, tensor<4x8xf32>
  tt.return
}

// -----

tt.func private @descriptor_scatter_c2(%d: !tt.tensordesc<1x8xf32>, %rows: tensor<4xi64>, %i: i64, %v: tensor<4x8xf16>) {
  // expected-error @+1 {{(descriptor_scatter_c2) the tile must be rows of '!tt.tensordesc<1x8xf32>', found 'tensor<4x8xf16>'}}
  tt.descriptor_scatter %d[%rows, %i], %v : !tt.tensordesc<1x8xf32>, tensor<4x8xf16>
  tt.return
}

// -----

tt.func @atomic_cas_c1(%p: !tt.ptr<f32>, %x: f32, %y: i32) {
  // expected-error @+1 {{(atomic_cas_c1) the compared value must be 'f32', found 'i32'}}
  %r = tt.atomic_cas relaxed, gpu, %p, %y, %x : (!tt.ptr<f32>, i32, f32) -> f32
  tt.return
}

// -----

tt.func @atomic_cas_c2(%p: !tt.ptr<i1>, %x: i1) {
  // expected-error @+1 {{(atomic_cas_c2) the element must have 8, 16, 32 or 64 bits, found 1}}
  %r = tt.atomic_cas relaxed, gpu, %p, %x, %x : (!tt.ptr<i1>, i1, i1) -> i1
  tt.return
}

// -----

tt.func @dot_c1(%x: f32) {
  %s = tt.splat %x : f32 -> tensor<4xf32>
  // expected-error @+1 {{(dot_c1) all operands must have rank 2, or all rank 3}}
  %d = tt.dot %s, %s, %s : tensor<4xf32> * tensor<4xf32> -> tensor<4xf32>
  tt.return
}

// -----

tt.func @dot_c2(%x: f32) {
  %a = tt.splat %x : f32 -> tensor<4x8xf32>
  %c = tt.splat %x : f32 -> tensor<4x4xf32>
  // expected-error @+1 {{(dot_c2) batch, M, N and K must agree}}
  %d = tt.dot %a, %c, %c : tensor<4x8xf32> * tensor<4x4xf32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @dot_c3(%x: f32, %y: f16) {
  %a = tt.splat %x : f32 -> tensor<4x4xf32>
  %b = tt.splat %y : f16 -> tensor<4x4xf16>
  // expected-error @+1 {{(dot_c3) operands must have one element type, found 'f32' and 'f16'}}
  %d = tt.dot %a, %b, %a : tensor<4x4xf32> * tensor<4x4xf16> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @dot_c4(%x: i32) {
  %a = tt.splat %x : i32 -> tensor<4x4xi32>
  // expected-error @+1 {{(dot_c4) 'i32' operands do not accumulate in 'i32'}}
  %d = tt.dot %a, %a, %a : tensor<4x4xi32> * tensor<4x4xi32> -> tensor<4x4xi32>
  tt.return
}

// -----

tt.func @reduce_c1(%x: f32) {
  %s = tt.splat %x : f32 -> tensor<4xf32>
  // expected-error @+1 {{(reduce_c1) axis must be in [0, 1), found 1}}
  %r = "tt.reduce"(%s) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<4xf32>) -> f32
  tt.return
}

// -----

tt.func @reduce_c2(%x: f32) {
  %s = tt.splat %x : f32 -> tensor<4x2xf32>
  // expected-error @+1 {{(reduce_c2) the result must be 'tensor<4xf32>', found 'tensor<2xf32>'}}
  %r = "tt.reduce"(%s) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<4x2xf32>) -> tensor<2xf32>
  tt.return
}

// -----

tt.func @reduce_c3(%x: f32) {
  %s = tt.splat %x : f32 -> tensor<4xf32>
  // expected-error @+1 {{(reduce_c3) the region must take}}
  %r = "tt.reduce"(%s) <{axis = 0 : i32}> ({
  ^bb0(%a: f32):
    tt.reduce.return %a : f32
  }) : (tensor<4xf32>) -> f32
  tt.return
}

// -----

tt.func @scan_c1(%x: f32) {
  %s = tt.splat %x : f32 -> tensor<4xf32>
  // expected-error @+1 {{(scan_c1) axis must be in [0, 1), found -1}}
  %r = "tt.scan"(%s) <{axis = -1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.scan.return %a : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func private @scan_c1(%x: tensor<4xf32>, %y: tensor<8xf32>) {
  // expected-error @+1 {{(scan_c1) operands must have one shape, found 'tensor<4xf32>' and 'tensor<8xf32>'}}
  %r:2 = "tt.scan"(%x, %y) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tt.scan.return %a, %b : f32, f32
  }) : (tensor<4xf32>, tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>)
  tt.return
}

// -----

tt.func @scan_c1() {
  // expected-error @+1 {{(scan_c1) needs an operand}}
  "tt.scan"() <{axis = 0 : i32}> ({
  ^bb0:
    tt.scan.return
  }) : () -> ()
  tt.return
}

// -----

tt.func private @scan_c2(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{(scan_c2) the results must be ('tensor<4x2xf32>'), found ('tensor<4xf32>')}}
  %r = "tt.scan"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.scan.return %a : f32
  }) : (tensor<4x2xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func private @scan_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{(scan_c3) the region must take ('f32', 'f32') and return ('f32')}}
  %r = "tt.scan"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.scan.return %a, %b : f32, f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @hint_positive(%x: i32) {
  // expected-error @+1 {{'tt.divisibility' must be positive}}
  %y = arith.addi %x, %x {tt.divisibility = 0 : i32} : i32
  tt.return
}

// -----

tt.func @hint_list(%x: i32) {
  // expected-error @+1 {{'tt.contiguity' must be a positive integer or an array<i32> of them}}
  %y = arith.addi %x, %x {tt.contiguity = "many"} : i32
  tt.return
}

// -----

tt.func @unknown_cache(%p: !tt.ptr<f32>) {
  // expected-error @+1 {{unknown cache 'never'}}
  %v = tt.load %p cache = never : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @dynamic_extent(%x: f32) {
  // expected-error @+1 {{result #0 must be tile}}
  %s = tt.splat %x : f32 -> tensor<?xf32>
  tt.return
}

// -----

tt.func @assert_c1(%ok: i1, %v: i64) {
  // expected-error @+1 {{(assert_c1) a report is a value, or, with a shape, an element's number and a value; found 1 operands and a shape of rank 1}}
  tt.assert %ok, "m" reports %v {shape = array<i64: 4>} : i1
  tt.return
}

// -----

tt.func @assert_c1_without_shape(%ok: i1, %v: i64) {
  // expected-error @+1 {{found 2 operands and a shape of rank 0}}
  tt.assert %ok, "m" reports %v, %v : i1
  tt.return
}

// -----

tt.func @assert_c2(%ok: i1, %v: i64) {
  %all = tt.splat %ok : i1 -> tensor<4xi1>
  // expected-error @+1 {{(assert_c2) with a report the condition is a scalar, found 'tensor<4xi1>'}}
  tt.assert %all, "m" reports %v : tensor<4xi1>
  tt.return
}

// -----

tt.func @check_hint_c1(%x: i32) {
  // expected-error @+1 {{(check_hint_c1) needs 1 positive values for 'i32', found [4, 4]}}
  tt.check_hint divisibility [4, 4] of %x, "m" {isSigned = true} : i32
  tt.return
}

// -----

tt.func @check_hint_c1_positive(%x: i32) {
  // expected-error @+1 {{(check_hint_c1) needs 1 positive values for 'i32', found [0]}}
  tt.check_hint divisibility [0] of %x, "m" {isSigned = true} : i32
  tt.return
}

// -----

tt.func @check_hint_c2(%x: f32) {
  // expected-error @+1 {{(check_hint_c2) is about integers and pointers, found 'f32'}}
  tt.check_hint divisibility [4] of %x, "m" {isSigned = true} : f32
  tt.return
}

// -----

tt.func private @histogram_c1_rank(%x: tensor<4x2xi32>) {
  // expected-error @+1 {{(histogram_c1) operand and result must be 1-D tiles of i32, found 'tensor<4x2xi32>' -> 'tensor<8xi32>'}}
  %h = tt.histogram %x : tensor<4x2xi32> -> tensor<8xi32>
  tt.return
}

// -----

tt.func private @histogram_c1_element(%x: tensor<4xi64>) {
  // expected-error @+1 {{(histogram_c1) operand and result must be 1-D tiles of i32, found 'tensor<4xi64>' -> 'tensor<8xi32>'}}
  %h = tt.histogram %x : tensor<4xi64> -> tensor<8xi32>
  tt.return
}

// -----

tt.func private @histogram_c1_result(%x: tensor<4xi32>) {
  // expected-error @+1 {{(histogram_c1) operand and result must be 1-D tiles of i32, found 'tensor<4xi32>' -> 'tensor<8xi16>'}}
  %h = tt.histogram %x : tensor<4xi32> -> tensor<8xi16>
  tt.return
}
