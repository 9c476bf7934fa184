// RUN: tritium-opt %s -convert-ttg-to-llvm | FileCheck %s
// RUN: tritium-opt %s -o %t.ttgir
// RUN: tritium compile --from %t.ttgir --target cuda:90 | FileCheck %s --check-prefix=PTX

// Each of the first threads stores a scalar to one CTA, at the rank's place; a program's id is its
// cluster's, and any launch has clusters.
#one = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 4 : i32} {
// CHECK-LABEL: llvm.func @exchange
// CHECK: nvvm.read.ptx.sreg.clusterid.x
// PTX: .entry exchange(
// PTX: .reqntid 128, 1, 1
// PTX-NEXT: .explicitcluster
// PTX-NEXT: .reqnctapercluster 4, 1, 1
// PTX: %clusterid.x
tt.func @exchange(%p: !tt.ptr<f32>) {
  %m = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<4xf32, #one, mutable>
  // CHECK: nvvm.cluster.arrive.relaxed {aligned}
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  // PTX: barrier.cluster.arrive.relaxed.aligned;
  ttng.cluster_arrive relaxed
  ttng.cluster_wait
  // CHECK: nvvm.read.ptx.sreg.nclusterid.x
  %id = tt.get_program_id 0 : i32
  %n = tt.get_num_programs 0 : i32
  %sum = arith.addi %id, %n : i32
  %x = arith.sitofp %sum : i32 to f32
  // CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
  // CHECK: llvm.mul %[[RANK]]
  // CHECK: %[[FIRST:.*]] = llvm.icmp "ult" %{{.*}}, %{{.*}} : i32
  // CHECK: "{\0A\09.reg .b32 there;\0A\09@$0 mapa.shared::cluster.u32 there, $1, $2;\0A\09@$0 st.shared::cluster.b32 [there], $3;\0A\09}", "b,r,r,r" %[[FIRST]]
  // PTX: %nclusterid.x
  // PTX: mapa.shared::cluster.u32 there
  // PTX-NEXT: st.shared::cluster.b32 [there]
  ttng.cluster_store %x, %m : f32 -> !ttg.memdesc<4xf32, #one, mutable>
  // CHECK: nvvm.cluster.arrive {aligned}
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  // PTX: barrier.cluster.arrive.aligned;
  // PTX: barrier.cluster.wait.aligned;
  ttng.cluster_arrive
  ttng.cluster_wait
  %all = ttg.local_load %m : !ttg.memdesc<4xf32, #one, mutable> -> tensor<4xf32, #b>
  %most = "tt.reduce"(%all) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %d = arith.maximumf %a, %c : f32
    tt.reduce.return %d : f32
  }) : (tensor<4xf32, #b>) -> f32
  tt.store %p, %most : !tt.ptr<f32>
  tt.return
}
}
