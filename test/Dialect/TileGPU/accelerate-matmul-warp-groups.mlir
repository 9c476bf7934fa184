// RUN: tritium-opt %s -convert-tt-to-ttg="num-warps=4 compute-capability=90 architecture-specific" -ttg-coalesce -ttg-accelerate-matmul -canonicalize | FileCheck %s
// RUN: tritium-opt %s -convert-tt-to-ttg="num-warps=8 compute-capability=90 architecture-specific" -ttg-coalesce -ttg-accelerate-matmul -canonicalize | FileCheck %s --check-prefix=EIGHT

// CHECK-DAG: #[[$WGMMA:.*]] = #ttg.mma<{version = 3, warpsPerCTA = [4, 1]}>
// CHECK-DAG: #[[$MMA:.*]] = #ttg.mma<{version = 2,

// Bytes are multiplied by warp groups; where they lie across k, by those only if there are enough.
// CHECK-LABEL: @bytes
// CHECK: tt.dot {{.*}} -> tensor<64x64xi32, #[[$WGMMA]]>
// CHECK: tt.dot {{.*}} -> tensor<64x64xi32, #[[$MMA]]>
// CHECK: tt.dot {{.*}} -> tensor<64x128xi32, #[[$WGMMA]]>
tt.func @bytes(%p: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %pc: !tt.ptr<i32>) {
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %many = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %k = tt.expand_dims %columns {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %n = tt.expand_dims %rows {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %n2 = tt.expand_dims %many {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %c32 = arith.constant dense<32> : tensor<64x1xi32>
  %c64 = arith.constant dense<64> : tensor<32x1xi32>
  %c128 = arith.constant dense<128> : tensor<32x1xi32>
  %r32 = arith.muli %r, %c32 : tensor<64x1xi32>
  %k64 = arith.muli %k, %c64 : tensor<32x1xi32>
  %k128 = arith.muli %k, %c128 : tensor<32x1xi32>
  %rb = tt.broadcast %r32 : tensor<64x1xi32> -> tensor<64x32xi32>
  %cb = tt.broadcast %c : tensor<1x32xi32> -> tensor<64x32xi32>
  %kb = tt.broadcast %k64 : tensor<32x1xi32> -> tensor<32x64xi32>
  %nb = tt.broadcast %n : tensor<1x64xi32> -> tensor<32x64xi32>
  %kb2 = tt.broadcast %k128 : tensor<32x1xi32> -> tensor<32x128xi32>
  %nb2 = tt.broadcast %n2 : tensor<1x128xi32> -> tensor<32x128xi32>
  %along = arith.addi %rb, %cb : tensor<64x32xi32>
  %across = arith.addi %kb, %nb : tensor<32x64xi32>
  %across2 = arith.addi %kb2, %nb2 : tensor<32x128xi32>
  %ps = tt.splat %p : !tt.ptr<i8> -> tensor<64x32x!tt.ptr<i8>>
  %pt = tt.splat %p : !tt.ptr<i8> -> tensor<32x64x!tt.ptr<i8>>
  %pu = tt.splat %p : !tt.ptr<i8> -> tensor<32x128x!tt.ptr<i8>>
  %pa = tt.addptr %ps, %along : tensor<64x32x!tt.ptr<i8>>, tensor<64x32xi32>
  %pb = tt.addptr %pt, %across : tensor<32x64x!tt.ptr<i8>>, tensor<32x64xi32>
  %pd = tt.addptr %pu, %across2 : tensor<32x128x!tt.ptr<i8>>, tensor<32x128xi32>
  %x = tt.load %pa : tensor<64x32x!tt.ptr<i8>>
  %y = tt.load %pb : tensor<32x64x!tt.ptr<i8>>
  %z = tt.load %pd : tensor<32x128x!tt.ptr<i8>>
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xi8> -> tensor<32x64xi8>
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %zero2 = arith.constant dense<0> : tensor<64x128xi32>
  %u = tt.dot %x, %t, %zero : tensor<64x32xi8> * tensor<32x64xi8> -> tensor<64x64xi32>
  %v = tt.dot %x, %y, %u : tensor<64x32xi8> * tensor<32x64xi8> -> tensor<64x64xi32>
  %w = tt.dot %x, %z, %zero2 : tensor<64x32xi8> * tensor<32x128xi8> -> tensor<64x128xi32>
  %q = tt.splat %pc : !tt.ptr<i32> -> tensor<64x64x!tt.ptr<i32>>
  %q2 = tt.splat %pc : !tt.ptr<i32> -> tensor<64x128x!tt.ptr<i32>>
  tt.store %q, %v : tensor<64x64x!tt.ptr<i32>>
  tt.store %q2, %w : tensor<64x128x!tt.ptr<i32>>
  tt.return
}

// Sums of f16: halves have them, 8-bit floats are added in f32 and rounded once.
// CHECK-LABEL: @half_sums
// CHECK: tt.dot {{.*}} -> tensor<64x64xf16, #[[$WGMMA]]>
// CHECK: arith.extf {{.*}} to tensor<64x64xf32
// CHECK: tt.dot {{.*}} {maxNumImpreciseAcc = 32 : i32} : {{.*}} -> tensor<64x64xf32, #[[$WGMMA]]>
// CHECK: arith.truncf {{.*}} to tensor<64x64xf16
tt.func @half_sums(%x0: !tt.ptr<f16>, %y0: !tt.ptr<f8E5M2>, %z0: !tt.ptr<f8E4M3FN>) {
  %px = tt.splat %x0 : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %x = tt.load %px : tensor<64x64x!tt.ptr<f16>>
  %py = tt.splat %y0 : !tt.ptr<f8E5M2> -> tensor<64x64x!tt.ptr<f8E5M2>>
  %y = tt.load %py : tensor<64x64x!tt.ptr<f8E5M2>>
  %pz = tt.splat %z0 : !tt.ptr<f8E4M3FN> -> tensor<64x64x!tt.ptr<f8E4M3FN>>
  %z = tt.load %pz : tensor<64x64x!tt.ptr<f8E4M3FN>>
  %u = tt.dot %x, %x, %x : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf16>
  %v = tt.dot %y, %z, %u {maxNumImpreciseAcc = 32 : i32} : tensor<64x64xf8E5M2> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf16>
  tt.store %px, %v : tensor<64x64x!tt.ptr<f16>>
  tt.return
}

// f32 in tf32, but not in parts.
// CHECK-LABEL: @rounded
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[$WGMMA]]>
// CHECK: tt.dot {{.*}} {inputPrecision = 2 : i32} {{.*}} -> tensor<64x64xf32, #[[$MMA]]>
tt.func @rounded(%x0: !tt.ptr<f32>) {
  %px = tt.splat %x0 : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %x = tt.load %px : tensor<64x64x!tt.ptr<f32>>
  %u = tt.dot %x, %x, %x {inputPrecision = 1 : i32} : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
  %v = tt.dot %x, %x, %u {inputPrecision = 2 : i32} : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
  tt.store %px, %v : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Extents that are no powers of two: 80 columns of 128 rows, two groups of which have 64 each; of 192
// rows each has all, and half of 128 columns, as it cannot have of 96. Bytes are multiplied by mma.sync.
// CHECK-LABEL: @odd
// CHECK: tt.dot {{.*}} -> tensor<128x80xf32, #[[$WGMMA]]>
// CHECK: tt.dot {{.*}} -> tensor<192x128xf32, #[[$WGMMA]]>
// CHECK: tt.dot {{.*}} -> tensor<192x96xf32, #[[$WGMMA]]>
// CHECK: tt.dot {{.*}} -> tensor<64x96xi32, #[[$MMA]]>
// EIGHT-DAG: #[[$ROWS:.*]] = #ttg.mma<{version = 3, warpsPerCTA = [8, 1]}>
// EIGHT-DAG: #[[$COLUMNS:.*]] = #ttg.mma<{version = 3, warpsPerCTA = [4, 2]}>
// EIGHT-DAG: #[[$SYNC:.*]] = #ttg.mma<{version = 2, warpsPerCTA = [4, 2]}>
// EIGHT-LABEL: @odd
// EIGHT: tt.dot {{.*}} -> tensor<128x80xf32, #[[$ROWS]]>
// EIGHT: tt.dot {{.*}} -> tensor<192x128xf32, #[[$COLUMNS]]>
// EIGHT: tt.dot {{.*}} -> tensor<192x96xf32, #[[$SYNC]]>
tt.func @odd(%pf: !tt.ptr<f16>, %pi: !tt.ptr<i8>, %ps: !tt.ptr<f32>, %pj: !tt.ptr<i32>) {
  %a_p = tt.splat %pf : !tt.ptr<f16> -> tensor<128x48x!tt.ptr<f16>>
  %a = tt.load %a_p : tensor<128x48x!tt.ptr<f16>>
  %b_p = tt.splat %pf : !tt.ptr<f16> -> tensor<48x80x!tt.ptr<f16>>
  %b = tt.load %b_p : tensor<48x80x!tt.ptr<f16>>
  %c_p = tt.splat %pf : !tt.ptr<f16> -> tensor<192x48x!tt.ptr<f16>>
  %c = tt.load %c_p : tensor<192x48x!tt.ptr<f16>>
  %d_p = tt.splat %pf : !tt.ptr<f16> -> tensor<48x128x!tt.ptr<f16>>
  %d = tt.load %d_p : tensor<48x128x!tt.ptr<f16>>
  %e_p = tt.splat %pf : !tt.ptr<f16> -> tensor<48x96x!tt.ptr<f16>>
  %e = tt.load %e_p : tensor<48x96x!tt.ptr<f16>>
  %f_p = tt.splat %pi : !tt.ptr<i8> -> tensor<64x32x!tt.ptr<i8>>
  %f = tt.load %f_p : tensor<64x32x!tt.ptr<i8>>
  %g_p = tt.splat %pi : !tt.ptr<i8> -> tensor<32x96x!tt.ptr<i8>>
  %g = tt.load %g_p : tensor<32x96x!tt.ptr<i8>>
  %z0 = arith.constant dense<0.0> : tensor<128x80xf32>
  %z1 = arith.constant dense<0.0> : tensor<192x128xf32>
  %z2 = arith.constant dense<0.0> : tensor<192x96xf32>
  %z3 = arith.constant dense<0> : tensor<64x96xi32>
  %u = tt.dot %a, %b, %z0 : tensor<128x48xf16> * tensor<48x80xf16> -> tensor<128x80xf32>
  %v = tt.dot %c, %d, %z1 : tensor<192x48xf16> * tensor<48x128xf16> -> tensor<192x128xf32>
  %w = tt.dot %c, %e, %z2 : tensor<192x48xf16> * tensor<48x96xf16> -> tensor<192x96xf32>
  %x = tt.dot %f, %g, %z3 : tensor<64x32xi8> * tensor<32x96xi8> -> tensor<64x96xi32>
  %u_p = tt.splat %ps : !tt.ptr<f32> -> tensor<128x80x!tt.ptr<f32>>
  tt.store %u_p, %u : tensor<128x80x!tt.ptr<f32>>
  %v_p = tt.splat %ps : !tt.ptr<f32> -> tensor<192x128x!tt.ptr<f32>>
  tt.store %v_p, %v : tensor<192x128x!tt.ptr<f32>>
  %w_p = tt.splat %ps : !tt.ptr<f32> -> tensor<192x96x!tt.ptr<f32>>
  tt.store %w_p, %w : tensor<192x96x!tt.ptr<f32>>
  %x_p = tt.splat %pj : !tt.ptr<i32> -> tensor<64x96x!tt.ptr<i32>>
  tt.store %x_p, %x : tensor<64x96x!tt.ptr<i32>>
  tt.return
}
