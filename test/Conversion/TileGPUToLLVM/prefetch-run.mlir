// RUN: tritium-opt %s -convert-ttg-to-llvm | FileCheck %s

// The first thread asks for what lies between multiples of 16 bytes within the elements, if anything
// does.
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: llvm.func @run
// CHECK: %[[IS_FIRST:.*]] = llvm.icmp "eq" %{{.*}}, %{{.*}} : i32
// CHECK: llvm.cond_br %[[IS_FIRST]], ^[[ASK:.*]], ^[[BEHIND:[a-z0-9]*]]
// CHECK: ^[[ASK]]:
// CHECK: %[[START:.*]] = llvm.ptrtoint %arg0 : !llvm.ptr<1> to i64
// CHECK: %[[COUNT:.*]] = llvm.sext %arg1 : i32 to i64
// CHECK: %[[EACH:.*]] = llvm.mlir.constant(2 : i64) : i64
// CHECK: %[[ALL:.*]] = llvm.mul %[[COUNT]], %[[EACH]] : i64
// CHECK: %[[END:.*]] = llvm.add %[[START]], %[[ALL]] : i64
// CHECK: llvm.mlir.constant(15 : i64) : i64
// CHECK: %[[UP:.*]] = llvm.add %[[START]], %{{.*}} : i64
// CHECK: %[[FROM:.*]] = llvm.and %[[UP]], %{{.*}} : i64
// CHECK: %[[TO:.*]] = llvm.and %[[END]], %{{.*}} : i64
// CHECK: %[[LONG:.*]] = llvm.sub %[[TO]], %[[FROM]] : i64
// CHECK: %[[BYTES:.*]] = llvm.trunc %[[LONG]] : i64 to i32
// CHECK: %[[SOME:.*]] = llvm.icmp "sgt" %[[BYTES]], %{{.*}} : i32
// CHECK: "@$2 cp.async.bulk.prefetch.L2.global [$0], $1;", "l,r,b" %[[FROM]], %[[BYTES]], %[[SOME]]
tt.func @run(%p: !tt.ptr<f16>, %n: i32) {
  ttng.prefetch_run %p, %n : !tt.ptr<f16>
  tt.return
}
}
