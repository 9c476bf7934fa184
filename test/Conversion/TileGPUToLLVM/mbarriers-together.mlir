// RUN: tritium-opt %s -tritium-ttgir-threads -convert-ttg-to-llvm | FileCheck %s

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
