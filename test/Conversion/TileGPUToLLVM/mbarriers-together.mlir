// RUN: tritium-opt %s -split-input-file -tritium-ttgir-threads -convert-ttg-to-llvm | FileCheck %s

// One fence is for all barriers that are made together.
#two = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: llvm.func @together
// CHECK: "@$0 mbarrier.init.shared::cta.b64 [$1], $2;", "b,r,r"
// CHECK: "@$0 mbarrier.init.shared::cta.b64 [$1], $2;\0A\09@$0 fence.mbarrier_init.release.cluster;", "b,r,r"
// CHECK: nvvm.barrier0
// CHECK: "@$0 mbarrier.init.shared::cta.b64 [$1], $2;\0A\09@$0 fence.mbarrier_init.release.cluster;", "b,r,r"
tt.func @together() {
  %first = ttg.local_alloc : !ttg.memdesc<1xi64, #two, mutable>
  ttng.mbarrier_init %first, 1 : !ttg.memdesc<1xi64, #two, mutable>
  %second = ttg.local_alloc : !ttg.memdesc<1xi64, #two, mutable>
  %third = ttg.local_alloc : !ttg.memdesc<1xi64, #two, mutable>
  ttng.mbarrier_init %second, 4 : !ttg.memdesc<1xi64, #two, mutable>
  ttg.barrier
  ttng.mbarrier_expect %first, 128 : !ttg.memdesc<1xi64, #two, mutable>
  ttng.mbarrier_init %third, 4 : !ttg.memdesc<1xi64, #two, mutable>
  tt.return
}
}

// -----

// Where the kernel begins, the first thread need not wait for the others before it expects bytes: they
// have done nothing in shared memory. In a loop they have.
#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: llvm.func @at_the_beginning
// CHECK-NOT: nvvm.barrier0
// CHECK: mbarrier.init
// CHECK-NOT: nvvm.barrier0
// CHECK-COUNT-2: mbarrier.arrive.expect_tx
// The first thread arrives for all, who have loaded something.
// CHECK: nvvm.barrier0
// CHECK: mbarrier.arrive.shared
// CHECK: nvvm.barrier0
// CHECK: mbarrier.try_wait
// CHECK-NOT: mbarrier
// CHECK: nvvm.barrier0
// CHECK: mbarrier.arrive.expect_tx
tt.func @at_the_beginning(%p: !tt.ptr<i32>, %some: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %bar = ttg.local_alloc : !ttg.memdesc<1xi64, #one, mutable>
  ttng.mbarrier_init %bar, 2 : !ttg.memdesc<1xi64, #one, mutable>
  %n = tt.load %p : !tt.ptr<i32>
  ttng.mbarrier_expect %bar, 128 : !ttg.memdesc<1xi64, #one, mutable>
  scf.if %some {
    ttng.mbarrier_expect %bar, 128 : !ttg.memdesc<1xi64, #one, mutable>
  }
  ttng.mbarrier_arrive %bar, 1 : !ttg.memdesc<1xi64, #one, mutable>
  ttg.barrier
  scf.for %i = %c0 to %n step %c1 : i32 {
    ttng.mbarrier_wait %bar, %i : !ttg.memdesc<1xi64, #one, mutable>
    ttng.mbarrier_expect %bar, 256 : !ttg.memdesc<1xi64, #one, mutable>
  }
  tt.return
}
}
