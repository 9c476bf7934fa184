// RUN: tritium-opt %s -convert-tt-to-ttg=num-warps=4 -ttg-coalesce | FileCheck %s

// What keeps a lane's access narrow: four floats would be the most, if nothing spoke against them.
// CHECK-DAG: #[[$ONE:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[$TWO:.*]] = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[$FOUR:.*]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// Nothing does.
// CHECK-LABEL: @nothing
// CHECK: tt.load {{.*}}#[[$FOUR]]>
tt.func @nothing(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %p : tensor<512x!tt.ptr<f32>>
  tt.store %p, %v : tensor<512x!tt.ptr<f32>>
  tt.return
}

// The pointer is a multiple of 8 bytes.
// CHECK-LABEL: @half_aligned
// CHECK: tt.load {{.*}}#[[$TWO]]>
tt.func @half_aligned(%x: !tt.ptr<f32> {tt.divisibility = 8 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %p : tensor<512x!tt.ptr<f32>>
  tt.store %p, %v : tensor<512x!tt.ptr<f32>>
  tt.return
}

// One element behind an aligned address.
// CHECK-LABEL: @shifted
// CHECK: tt.load {{.*}}#[[$ONE]]>
tt.func @shifted(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %one = arith.constant dense<1> : tensor<512xi32>
  %o = arith.addi %r, %one : tensor<512xi32>
  %p = tt.addptr %xx, %o : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %p : tensor<512x!tt.ptr<f32>>
  tt.store %p, %v : tensor<512x!tt.ptr<f32>>
  tt.return
}

// Every second element.
// CHECK-LABEL: @strided
// CHECK: tt.load {{.*}}#[[$ONE]]>
tt.func @strided(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %two = arith.constant dense<2> : tensor<512xi32>
  %o = arith.muli %r, %two : tensor<512xi32>
  %p = tt.addptr %xx, %o : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %p : tensor<512x!tt.ptr<f32>>
  tt.store %p, %v : tensor<512x!tt.ptr<f32>>
  tt.return
}

// Neighbours in pairs.
// CHECK-LABEL: @runs
// CHECK: tt.load {{.*}}#[[$TWO]]>
tt.func @runs(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %two = arith.constant dense<2> : tensor<512xi32>
  %pair = arith.divsi %r, %two : tensor<512xi32>
  %in = arith.remsi %r, %two : tensor<512xi32>
  %pitch = arith.constant dense<32> : tensor<512xi32>
  %row = arith.muli %pair, %pitch : tensor<512xi32>
  %o = arith.addi %row, %in : tensor<512xi32>
  %p = tt.addptr %xx, %o : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %p : tensor<512x!tt.ptr<f32>>
  tt.store %p, %v : tensor<512x!tt.ptr<f32>>
  tt.return
}

// A mask of single elements.
// CHECK-LABEL: @scattered
// CHECK: tt.load {{.*}}#[[$ONE]]>
tt.func @scattered(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %nn = tt.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi ne, %r, %nn : tensor<512xi32>
  %v = tt.load %p, %m : tensor<512x!tt.ptr<f32>>
  tt.store %p, %v, %m : tensor<512x!tt.ptr<f32>>
  tt.return
}

// An atomic moves one element, whatever its neighbours.
// CHECK-LABEL: @atomic
// CHECK: tt.atomic_rmw {{.*}}#[[$ONE]]>
tt.func @atomic(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %xx = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %xx, %r : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %one = arith.constant dense<1.0> : tensor<512xf32>
  %m = arith.constant dense<true> : tensor<512xi1>
  %old = tt.atomic_rmw fadd, acq_rel, gpu, %p, %one, %m : (tensor<512x!tt.ptr<f32>>, tensor<512xf32>, tensor<512xi1>) -> tensor<512xf32>
  tt.return
}
