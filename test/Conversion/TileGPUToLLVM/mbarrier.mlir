// RUN: tritium-opt %s -split-input-file -tritium-ttgir-threads -convert-ttg-to-llvm | FileCheck %s
// RUN: tritium-opt %s -tritium-ttgir-threads -o %t.ttgir
// RUN: tritium compile --from %t.ttgir --target cuda:90 | FileCheck %s --check-prefix=PTX

// One thread makes a barrier and arrives for all, who have met before; all wait. A barrier that
// stands there already is not repeated.
#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: llvm.func @barriers
// PTX-LABEL: .entry barriers(
tt.func @barriers(%p: !tt.ptr<i32>, %parity: i32) {
  %c0 = arith.constant 0 : i32
  %bar = ttg.local_alloc : !ttg.memdesc<1xi64, #one, mutable>
  // CHECK: %[[ZERO:.*]] = llvm.icmp "eq" %{{.*}}, %{{.*}} : i32
  // CHECK: "@$0 mbarrier.init.shared::cta.b64 [$1], $2;\0A\09@$0 fence.mbarrier_init.release.cluster;", "b,r,r" %[[ZERO]],
  // PTX: setp.eq.s32 [[P:%p[0-9]+]], %r{{[0-9]+}}, 0;
  // PTX: @[[P]] mbarrier.init.shared::cta.b64 [%r{{[0-9]+}}], %r{{[0-9]+}};
  // PTX-NEXT: @[[P]] fence.mbarrier_init.release.cluster;
  ttng.mbarrier_init %bar, 2 : !ttg.memdesc<1xi64, #one, mutable>
  // CHECK: nvvm.barrier0
  // PTX: bar.sync
  ttg.barrier
  // CHECK-NOT: nvvm.barrier0
  // CHECK: "@$0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], $2;", "b,r,r"
  // PTX-NOT: bar.sync
  // PTX: mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r{{[0-9]+}}], %r{{[0-9]+}};
  ttng.mbarrier_expect %bar, 4096 : !ttg.memdesc<1xi64, #one, mutable>
  tt.store %p, %c0 : !tt.ptr<i32>
  // What threads have stored is done before the first one arrives.
  // CHECK: st.global
  // CHECK: nvvm.barrier0
  // CHECK: "@$0 mbarrier.arrive.shared::cta.b64 _, [$1], $2;", "b,r,r"
  // PTX: st.global
  // PTX: bar.sync
  // PTX: mbarrier.arrive.shared::cta.b64 _, [%r{{[0-9]+}}], %r{{[0-9]+}};
  ttng.mbarrier_arrive %bar, 1 : !ttg.memdesc<1xi64, #one, mutable>
  // CHECK: llvm.and
  // CHECK: "{\0A\09.reg .pred over;\0Aagain:\0A\09mbarrier.try_wait.parity.shared::cta.b64 over, [$0], $1;\0A\09@!over bra again;\0A\09}", "r,r"
  // PTX: and.b32 [[PARITY:%r[0-9]+]], %r{{[0-9]+}}, 1;
  // PTX: again:
  // PTX-NEXT: mbarrier.try_wait.parity.shared::cta.b64 over, [%r{{[0-9]+}}], [[PARITY]];
  // PTX-NEXT: @!over bra again;
  ttng.mbarrier_wait %bar, %parity : !ttg.memdesc<1xi64, #one, mutable>
  // A second wait has a label of its own.
  // PTX: again:
  ttng.mbarrier_wait %bar, %c0 : !ttg.memdesc<1xi64, #one, mutable>
  // CHECK: "@$0 mbarrier.inval.shared::cta.b64 [$1];", "b,r"
  // PTX: mbarrier.inval.shared::cta.b64 [%r{{[0-9]+}}];
  ttng.mbarrier_invalidate %bar : !ttg.memdesc<1xi64, #one, mutable>
  tt.return
}
}
