// RUN: tritium-opt %s -split-input-file -verify-diagnostics
// RUN: not tritium-opt %S/Inputs/warp-groups-layouts.mlir --ttg-coalesce 2>&1 | FileCheck %s

// A tile in a group is for the group's warps.
// CHECK: error: the layout of {{.*}} is for 4 warps, but its warp group has 2

tt.func @f() {
  // expected-error @+1 {{(warp_groups_c1) each region needs a number of warps and of registers and a name of its own, found 0 regions, 0 and 0 numbers and 0 names}}
  ttg.warp_groups
  tt.return
}

// -----

tt.func @f() {
  // expected-error @+1 {{(warp_groups_c1) each region needs a number of warps and of registers and a name of its own, found 2 regions, 2 and 2 numbers and 1 names}}
  ttg.warp_groups "a" warps 1 {
  } "a" warps 1 {
  }
  tt.return
}

// -----

tt.func @f() {
  // expected-error @+1 {{(warp_groups_c2) a group has 1 to 32 warps, a power of two, found 3}}
  ttg.warp_groups "a" warps 3 {
  }
  tt.return
}

// -----

tt.func @f() {
  // expected-error @+1 {{(warp_groups_c3) registers of a thread must be 0 or a multiple of 8 from 24 to 256, found 30}}
  ttg.warp_groups "a" warps 4 registers 30 {
  }
  tt.return
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
tt.func private @f(%x: tensor<32xf32, #b>) {
  ttg.warp_groups "a" warps 1 {
    // expected-error @+1 {{(warp_groups_c4) a tile in registers cannot come from outside of the group, whose threads are others, found 'tensor<32xf32}}
    %y = arith.addf %x, %x : tensor<32xf32, #b>
  }
  tt.return
}

// -----

tt.func @f() {
  ttg.warp_groups "a" warps 1 {
    // expected-error @+1 {{(warp_groups_c5) groups can have no groups inside}}
    ttg.warp_groups "b" warps 1 {
    }
  }
  tt.return
}

// -----

tt.func @f() {
  ttg.warp_groups "a" warps 1 {
    // expected-note @+1 {{here it is 2}}
    ttg.named_barrier_arrive 1 warps 2
  } "b" warps 1 {
    // expected-error @+1 {{(warp_groups_c6) all uses of barrier 1 must say the same number of warps, found 3}}
    ttg.named_barrier_sync 1 warps 3
  }
  tt.return
}

// -----

tt.func @f() {
  ttg.warp_groups "a" warps 1 {
    // expected-error @+1 {{(warp_groups_c6) barrier 1 waits for 3 warps, but the groups that use it have 2}}
    ttg.named_barrier_arrive 1 warps 3
  } "b" warps 1 {
    ttg.named_barrier_sync 1 warps 3
  }
  tt.return
}

// -----

tt.func @f() {
  // expected-error @+1 {{(named_barrier_c1) it must stand in a warp group}}
  ttg.named_barrier_arrive 1 warps 8
  tt.return
}

// -----

tt.func @f() {
  ttg.warp_groups "a" warps 1 {
    // expected-error @+1 {{(named_barrier_c2) the number must be 1 to 15, found 0}}
    ttg.named_barrier_arrive 0 warps 2
  }
  tt.return
}

// -----

tt.func @f() {
  ttg.warp_groups "a" warps 4 {
    // expected-error @+1 {{(named_barrier_c3) more warps must come than the group's own 4, found 4}}
    ttg.named_barrier_sync 1 warps 4
  }
  tt.return
}
