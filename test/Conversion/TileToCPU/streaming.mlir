// RUN: tritium-opt %s --split-input-file -tt-widen-offsets --tile-to-cpu="cpu=haswell may-alias=false stream-stores=true" \
// RUN:   | FileCheck %s
// RUN: tritium-opt %s --split-input-file -tt-widen-offsets --tile-to-cpu="cpu=haswell may-alias=false" \
// RUN:   | FileCheck %s --check-prefix=ORDINARY
// RUN: tritium-opt %s --split-input-file -tt-widen-offsets --tile-to-cpu="cpu=haswell stream-stores=true" \
// RUN:   | FileCheck %s --check-prefix=ORDINARY
// ORDINARY-NOT: nontemporal
// ORDINARY-NOT: sfence

// The tile is stored one by one up to a line, then by streamed registers in order, lines,
// and one by one again, as far as the mask is true. The fence follows the loop over programs.
// CHECK-LABEL: func.func @copy_entry
// CHECK: scf.for
// CHECK: scf.for
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK: scf.for
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} {alignment = 64 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
// CHECK: llvm.getelementptr
// CHECK: llvm.store %{{.*}} {alignment = 64 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
// CHECK: else
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
// CHECK: scf.for
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NOT: llvm.intr.masked.store
// CHECK-NOT: nontemporal
// CHECK: llvm.call_intrinsic "llvm.x86.sse.sfence"
// CHECK-NEXT: return
tt.func @copy(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 1000 : i32} : tensor<1000xi32>
  %ns = tt.splat %n : i32 -> tensor<1000xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1000xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1000x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<1000x!tt.ptr<f32>>, tensor<1000xi32>
  %v = tt.load %xp, %m : tensor<1000x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1000x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<1000x!tt.ptr<f32>>, tensor<1000xi32>
  tt.store %yp, %v, %m : tensor<1000x!tt.ptr<f32>>
  tt.return
}

// -----

// What is also read is stored the ordinary way.
// CHECK-LABEL: func.func @in_place_entry
// CHECK-NOT: nontemporal
// CHECK-NOT: sfence
tt.func @in_place(%x: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<1024xf32>
  tt.store %xp, %w : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// -----

// Other programs may wait for the counter, and read what was stored before it.
// CHECK-LABEL: func.func @published_entry
// CHECK-NOT: nontemporal
tt.func @published(%y: !tt.ptr<f32>, %ready: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %v = arith.constant dense<1.0> : tensor<1024xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp, %v : tensor<1024x!tt.ptr<f32>>
  %one = arith.constant 1 : i32
  %old = tt.atomic_rmw add, release, gpu, %ready, %one : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

// A place that each round stores to again stays in the cache; places that move on do not.
// CHECK-LABEL: func.func @again_entry
// CHECK-COUNT-2: nontemporal
// CHECK-NOT: nontemporal
// CHECK: sfence
tt.func @again(%y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %v = arith.constant dense<1.0> : tensor<512xf32>
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %zs = tt.splat %z : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %zp = tt.addptr %zs, %i : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  scf.for %at = %c0 to %n step %c512 : i32 {
    %as = tt.splat %at : i32 -> tensor<512xi32>
    %offsets = arith.addi %as, %i : tensor<512xi32>
    %yp = tt.addptr %ys, %offsets : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
    tt.store %yp, %v : tensor<512x!tt.ptr<f32>>
    tt.store %zp, %v : tensor<512x!tt.ptr<f32>>
  }
  tt.return
}

// -----

// A scan is stored as it goes, in chunks that lie where they lie in the tile: past the cache where
// they are lines. What is left of the row is not.
// CHECK-LABEL: func.func @running_entry
// CHECK: scf.for %{{.*}} = %c0_i64{{.*}} to %c1024_i64{{.*}} step %c16_i64{{.*}} iter_args
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} {alignment = 64 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
// CHECK: llvm.store %{{.*}} {alignment = 64 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
// CHECK: else
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
// CHECK-NOT: nontemporal
// CHECK: sfence
tt.func @running(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 1028 : i32} : tensor<1028xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1028x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<1028x!tt.ptr<f32>>, tensor<1028xi32>
  %v = tt.load %xp : tensor<1028x!tt.ptr<f32>>
  %s = "tt.scan"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tt.scan.return %t : f32
  }) : (tensor<1028xf32>) -> tensor<1028xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1028x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<1028x!tt.ptr<f32>>, tensor<1028xi32>
  tt.store %yp, %s : tensor<1028x!tt.ptr<f32>>
  tt.return
}
