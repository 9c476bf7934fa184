//===- NVGPUTest.cpp - warp groups, barriers in memory, boxes, dots -------===//

#include "../Support/NoMoreThreads.h"
#include "Mutants.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace tritium::testing;

namespace {
const char *kHead = R"(
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#m = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#t = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 2, order = [1, 0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [4, 1]}>
module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %one = arith.constant 1 : i64
  %n = arith.constant 30 : i64
  %n28 = arith.constant 28 : i64
)";

/// Tiles of 32 floats, one a thread, of x and y.
const char *kTiles = R"(
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #a>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #a>
  %xp = tt.addptr %xs, %i : tensor<32x!tt.ptr<f32>, #a>, tensor<32xi32, #a>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #a>
  %yp = tt.addptr %ys, %i : tensor<32x!tt.ptr<f32>, #a>, tensor<32xi32, #a>
)";

Outcome runBody(const std::string &body) { return runMutant(kHead + body + "\n tt.return\n}}"); }

void expectError(const std::string &body, const std::string &part) {
  Outcome outcome = runBody(body);
  EXPECT_NE(outcome.error.find(part), std::string::npos) << body << "\n" << outcome.error;
}

/// y is x up to element `count`.
void expectCopied(const std::string &body, size_t count = 32) {
  Outcome outcome = runBody(body);
  EXPECT_EQ(outcome.error, "") << body;
  std::vector<float> expected(outcome.x.begin(), outcome.x.begin() + count);
  expected.resize(32);
  outcome.y.resize(32);
  EXPECT_EQ(outcome.y, expected) << body;
}

/// One group writes memory, the other reads it.
std::string twoGroups(const std::string &afterStore, const std::string &beforeLoad,
                      const std::string &before = "") {
  return before + R"(
  %mem = ttg.local_alloc : !ttg.memdesc<32xf32, #m, mutable>
  ttg.warp_groups "write" warps 1 {)" +
         kTiles + R"(
    %v = tt.load %xp : tensor<32x!tt.ptr<f32>, #a>
    ttg.local_store %v, %mem : tensor<32xf32, #a>, !ttg.memdesc<32xf32, #m, mutable>
)" + afterStore +
         R"(
  } "read" warps 1 {)" +
         kTiles + beforeLoad + R"(
    %v = ttg.local_load %mem : !ttg.memdesc<32xf32, #m, mutable> -> tensor<32xf32, #a>
    tt.store %yp, %v : tensor<32x!tt.ptr<f32>, #a>
  })";
}

const char *kBar = R"(
  %bar = ttg.local_alloc : !ttg.memdesc<1xi64, #m, mutable>
  ttng.mbarrier_init %bar, 1 : !ttg.memdesc<1xi64, #m, mutable>
)";
const char *kArriveBar = "ttng.mbarrier_arrive %bar, 1 : !ttg.memdesc<1xi64, #m, mutable>\n";
const char *kWaitBar = "ttng.mbarrier_wait %bar, %c0 : !ttg.memdesc<1xi64, #m, mutable>\n";
/// For phase 0, too; but the verifier does not know.
const char *kWaitSomePhase = R"(
  %phase = tt.get_program_id 0 : i32
  ttng.mbarrier_wait %bar, %phase : !ttg.memdesc<1xi64, #m, mutable>
)";
} // namespace

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

TEST(WarpGroups, NamedBarrier) {
  expectCopied(twoGroups("ttg.named_barrier_arrive 1 warps 2", "ttg.named_barrier_sync 1 warps 2"));
  expectCopied(twoGroups("ttg.named_barrier_sync 1 warps 2", "ttg.named_barrier_sync 1 warps 2"));
}

TEST(WarpGroups, NothingBetween) {
  expectError(twoGroups("", ""),
              "local_load of element [0] by warp group 'read' is in no order with the local_store "
              "by warp group 'write' at ");
  expectError(twoGroups("", ""), "; warp group 'write' must arrive after it at a barrier that warp "
                                 "group 'read' waits for, at ");
  // A group's own barrier is not for others.
  expectError(twoGroups("ttg.barrier", "ttg.barrier"), "is in no order");
  // The one that waits is the wrong one.
  expectError(twoGroups("ttg.named_barrier_sync 1 warps 2", "ttg.named_barrier_arrive 1 warps 2"),
              "is in no order");
}

// The end of all groups is a barrier of all.
TEST(WarpGroups, BehindTheGroups) {
  expectCopied(R"(
  %mem = ttg.local_alloc : !ttg.memdesc<32xf32, #m, mutable>
  ttg.warp_groups "write" warps 1 {)" +
               std::string(kTiles) + R"(
    %v = tt.load %xp : tensor<32x!tt.ptr<f32>, #a>
    ttg.local_store %v, %mem : tensor<32xf32, #a>, !ttg.memdesc<32xf32, #m, mutable>
  } "nothing" warps 2 {
  })" + kTiles +
               R"(
  %v = ttg.local_load %mem : !ttg.memdesc<32xf32, #m, mutable> -> tensor<32xf32, #a>
  tt.store %yp, %v : tensor<32x!tt.ptr<f32>, #a>)");
}

TEST(WarpGroups, Deadlock) {
  std::string body = R"(
  ttg.warp_groups "left" warps 1 {
    ttg.named_barrier_sync 1 warps 2
    ttg.named_barrier_sync 2 warps 2
  } "right" warps 1 {
    ttg.named_barrier_sync 2 warps 2
    ttg.named_barrier_sync 1 warps 2
  })";
  expectError(body, "no warp group can go on; warp group 'left' waits at barrier 1, where 1 of 2 "
                    "warps have come, at ");
  expectError(body, "; warp group 'right' waits at barrier 2, where 1 of 2 warps have come, at ");
}

TEST(WarpGroups, ComesTwice) {
  expectError(R"(
  ttg.warp_groups "left" warps 1 {
    ttg.named_barrier_arrive 1 warps 2
    ttg.named_barrier_arrive 1 warps 2
  } "right" warps 1 {
    ttg.named_barrier_sync 1 warps 2
  })",
              "warp group 'left' comes again to barrier 1 before the others have come");
}

TEST(WarpGroups, WithoutThreads) {
  NoMoreThreads none;
  expectError(R"(
  ttg.warp_groups "left" warps 1 {
  } "right" warps 1 {
  })",
              "the system has no threads for 2 warp groups");
}

//===----------------------------------------------------------------------===//
// Barriers in memory
//===----------------------------------------------------------------------===//

TEST(MBarrier, ArriveAndWait) {
  expectCopied(twoGroups(kArriveBar, kWaitBar, kBar));
  expectError(twoGroups("", kWaitSomePhase, kBar),
              "no warp group can go on; warp group 'read' waits for phase 0 of a barrier, of which "
              "1 of 1 arrivals are to come");
  expectError(twoGroups(kArriveBar, "", kBar), "is in no order");
  // The phase before the first one is over at once.
  expectError(twoGroups(kArriveBar,
                        "ttng.mbarrier_wait %bar, %c1 : !ttg.memdesc<1xi64, #m, mutable>", kBar),
              "is in no order");
}

TEST(MBarrier, Misuse) {
  expectError(std::string(kBar) + kArriveBar + R"(
  ttng.mbarrier_arrive %bar, 2 : !ttg.memdesc<1xi64, #m, mutable>)",
              "arrives 2 times at a barrier that waits for 1 of 1 arrivals in this phase");
  expectError(std::string("%bar = ttg.local_alloc : !ttg.memdesc<1xi64, #m, mutable>\n") +
                  kArriveBar,
              "there is no barrier; ttng.mbarrier_init must stand before");
  expectError(std::string(kBar) + "ttng.mbarrier_init %bar, 1 : !ttg.memdesc<1xi64, #m, mutable>",
              "there is a barrier already");
  expectError(std::string(kBar) + kWaitSomePhase,
              "mbarrier_wait by several threads is in no order with the mbarrier_init by thread 0");
  expectError(std::string(kBar) + "ttg.barrier\n" + kWaitSomePhase,
              "the program waits for phase 0 of a barrier");
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

namespace {
const char *kLoadBox =
    "ttng.tma_load %x[%c0] shape [%n] strides [%one], %mem, %bar : !tt.ptr<f32>, "
    "!ttg.memdesc<32xf32, #m, mutable>, !ttg.memdesc<1xi64, #m, mutable>\n";
const char *kExpect = "ttng.mbarrier_expect %bar, 128 : !ttg.memdesc<1xi64, #m, mutable>\n";
const char *kMem = "%mem = ttg.local_alloc : !ttg.memdesc<32xf32, #m, mutable>\n";
const char *kToY = R"(
  %v = ttg.local_load %mem : !ttg.memdesc<32xf32, #m, mutable> -> tensor<32xf32, #a>
  tt.store %yp, %v : tensor<32x!tt.ptr<f32>, #a>
)";
const char *kStoreMem =
    "%v = tt.load %xp : tensor<32x!tt.ptr<f32>, #a>\n"
    "ttg.local_store %v, %mem : tensor<32xf32, #a>, !ttg.memdesc<32xf32, #m, mutable>\n";
const char *kStoreBox = "ttng.tma_store %mem, %y[%c0] shape [%n28] strides [%one] : "
                        "!ttg.memdesc<32xf32, #m, mutable>, !tt.ptr<f32>\nttng.tma_store_commit\n";
const char *kFence = "ttng.fence_async_proxy\n", *kBarrier = "ttg.barrier\n",
           *kStoreWait = "ttng.tma_store_wait {pendings = 0 : i32}\n";

std::string join(std::initializer_list<std::string> parts) {
  return std::accumulate(parts.begin(), parts.end(), std::string());
}
} // namespace

// What lies outside of the 30 elements becomes 0; its bytes count.
TEST(TMA, Load) {
  expectCopied(join({kMem, kBar, kTiles, kBarrier, kExpect, kLoadBox, kWaitBar, kToY}), 30);
  expectCopied(join({kMem, kBar, kTiles, kBarrier, kLoadBox, kExpect, kWaitBar, kToY}), 30);
  expectError(join({kMem, kBar, kTiles, kBarrier, kExpect, kLoadBox, kToY}),
              "it is read while a copy to it, the tma_load");
  expectError(join({kMem, kBar, kTiles, kBarrier, kLoadBox, kArriveBar, kWaitBar, kToY}),
              "which expects 0 bytes and gets 128");
  expectError(join({kMem, kBar, kTiles, kBarrier, kExpect, kWaitBar, kToY}),
              "which expects 128 bytes and gets 0");
}

// What threads have read must lie behind a barrier before the box overwrites it.
TEST(TMA, LoadOverwrites) {
  auto body = [](const char *between) {
    return join({kMem, kBar, kTiles, kStoreMem, kBarrier, R"(
  %w = ttg.local_load %mem : !ttg.memdesc<32xf32, #m, mutable> -> tensor<32xf32, #a>
)",
                 between, kExpect, kLoadBox, kWaitBar,
                 "tt.store %yp, %w : tensor<32x!tt.ptr<f32>, #a>"});
  };
  expectCopied(body(kBarrier));
  expectError(body(""), "tma_load of element [1] by thread 0 is in no order with the local_load by "
                        "thread 1");
}

// Only who waits for its barrier has what a copy brought.
TEST(TMA, LoadForAnotherGroup) {
  auto body = [](const char *wait) {
    return join({kMem, kBar, "ttg.warp_groups \"load\" warps 1 {\n", kExpect, kLoadBox, kWaitBar,
                 "} \"use\" warps 1 {\n", kTiles, wait, kToY, "}"});
  };
  expectCopied(body(kWaitBar), 30);
  expectError(body(""), "local_load of element [0] by warp group 'use' is in no order with the "
                        "tma_load by its copy");
}

TEST(TMA, Store) {
  expectCopied(join({kMem, kTiles, kStoreMem, kFence, kBarrier, kStoreBox, kStoreWait}), 28);
  // The end of the program waits, too.
  expectCopied(join({kMem, kTiles, kStoreMem, kFence, kBarrier, kStoreBox}), 28);
  expectError(join({kMem, kTiles, kStoreMem, kBarrier, kStoreBox}),
              "tma_store of element [0] reads through the asynchronous proxy what the local_store");
  expectError(join({kMem, kTiles, kFence, kStoreMem, kBarrier, kStoreBox}),
              "a ttng.fence_async_proxy must stand behind that, before the barrier");
  expectError(
      join({kMem, kTiles, kStoreMem, kFence, kStoreBox}),
      "tma_store of element [1] by thread 0 is in no order with the local_store by thread 1");
}

TEST(TMA, PlacesThatNoGPUHas) {
  auto with = [](std::string text, const std::string &from, const std::string &to) {
    return text.replace(text.find(from), from.size(), to);
  };
  std::string before = join({kMem, kTiles, kStoreMem, kFence, kBarrier});
  expectError(before + with(kStoreBox, "%n28", "%n"),
              "(tma_c7) rows of a stored box are cut off at multiples of 16 bytes, found 120");
  expectError(before + with(kStoreBox, "[%c0]", "[%c1]"),
              "(tma_c7) rows of a box begin at multiples of 16 bytes of the tensor's, found 4");
  expectError(before + "%m = arith.constant -4 : i32\n" + with(kStoreBox, "[%c0]", "[%m]"),
              "(tma_c7) a stored box must not begin in front of the tensor, found an index of -4");
  expectError(join({kMem, kBar, kTiles, kBarrier, kExpect, with(kLoadBox, "[%c0]", "[%c1]"),
                    kWaitBar, kToY}),
              "(tma_c7) rows of a box begin at multiples of 16 bytes of the tensor's, found 4");
}

TEST(TMA, StoreSourceIsOverwritten) {
  std::string before = join({kMem, kTiles, kStoreMem, kFence, kBarrier, kStoreBox}),
              again = "%z = arith.addf %v, %v : tensor<32xf32, #a>\n"
                      "ttg.local_store %z, %mem : tensor<32xf32, #a>, "
                      "!ttg.memdesc<32xf32, #m, mutable>\n";
  expectCopied(join({before, kStoreWait, kBarrier, again}), 28);
  expectCopied(join({before, "ttng.tma_store_wait {pendings = 0 : i32, reads}\n", kBarrier, again}),
               28);
  expectError(join({before, "ttng.tma_store_wait {pendings = 1 : i32, reads}\n", kBarrier, again}),
              "it is written while the tma_store at ");
  expectError(join({before, kBarrier, again}), "it is written while the tma_store at ");
  expectError(join({before, kStoreWait, again}), "is in no order with the tma_store by thread 0");
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

TEST(Cluster, OfOneCTA) {
  expectCopied(join({kMem, kTiles, kStoreMem, "ttng.cluster_arrive\nttng.cluster_wait\n", R"(
  %w = ttg.local_load %mem : !ttg.memdesc<32xf32, #m, mutable> -> tensor<32xf32, #a>
  tt.store %yp, %w : tensor<32x!tt.ptr<f32>, #a>
)"}));
  expectError("ttng.cluster_wait", "the program waits for its cluster before it has arrived");
}

//===----------------------------------------------------------------------===//
// A matrix product of two groups: one loads, the other multiplies
//===----------------------------------------------------------------------===//

namespace {
const char *kProduct = R"(
#b1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#bar = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#t = #ttg.shared<{vec = 8, perPhase = 1, maxPhase = 2, order = [1, 0]}>
#plain = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.mma<{version = 2, warpsPerCTA = [4, 1]}>
module attributes {"ttg.num-warps" = 1 : i32} {
tt.func @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c5 = arith.constant 5 : i32
  %one = arith.constant 1 : i64
  %n8 = arith.constant 8 : i64
  %n64 = arith.constant 64 : i64
  %n40 = arith.constant 40 : i64
  %full = ttg.local_alloc : !ttg.memdesc<2x1xi64, #bar, mutable>
  %empty = ttg.local_alloc : !ttg.memdesc<2x1xi64, #bar, mutable>
  %as = ttg.local_alloc : !ttg.memdesc<2x64x8xf32, #plain, mutable>
  %bs = ttg.local_alloc : !ttg.memdesc<2x8x8xf32, #plain, mutable>
  %out = ttg.local_alloc : !ttg.memdesc<64x8xf32, #plain, mutable>
  %f0 = ttg.memdesc_index %full[%c0] : !ttg.memdesc<2x1xi64, #bar, mutable> -> !ttg.memdesc<1xi64, #bar, mutable>
  %f1 = ttg.memdesc_index %full[%c1] : !ttg.memdesc<2x1xi64, #bar, mutable> -> !ttg.memdesc<1xi64, #bar, mutable>
  %e0 = ttg.memdesc_index %empty[%c0] : !ttg.memdesc<2x1xi64, #bar, mutable> -> !ttg.memdesc<1xi64, #bar, mutable>
  %e1 = ttg.memdesc_index %empty[%c1] : !ttg.memdesc<2x1xi64, #bar, mutable> -> !ttg.memdesc<1xi64, #bar, mutable>
  ttng.mbarrier_init %f0, 1 : !ttg.memdesc<1xi64, #bar, mutable>
  ttng.mbarrier_init %f1, 1 : !ttg.memdesc<1xi64, #bar, mutable>
  ttng.mbarrier_init %e0, 1 : !ttg.memdesc<1xi64, #bar, mutable>
  ttng.mbarrier_init %e1, 1 : !ttg.memdesc<1xi64, #bar, mutable>
  ttg.warp_groups "load" warps 1 registers 40 {
    scf.for %i = %c0 to %c5 step %c1 : i32 {
      %s = arith.remsi %i, %c2 : i32
      %q = arith.divsi %i, %c2 : i32
      %phase = arith.remsi %q, %c2 : i32
      %before = arith.xori %phase, %c1 : i32
      %k = arith.muli %i, %c8 : i32
      %f = ttg.memdesc_index %full[%s] : !ttg.memdesc<2x1xi64, #bar, mutable> -> !ttg.memdesc<1xi64, #bar, mutable>
      %e = ttg.memdesc_index %empty[%s] : !ttg.memdesc<2x1xi64, #bar, mutable> -> !ttg.memdesc<1xi64, #bar, mutable>
      %a = ttg.memdesc_index %as[%s] : !ttg.memdesc<2x64x8xf32, #plain, mutable> -> !ttg.memdesc<64x8xf32, #plain, mutable>
      %b = ttg.memdesc_index %bs[%s] : !ttg.memdesc<2x8x8xf32, #plain, mutable> -> !ttg.memdesc<8x8xf32, #plain, mutable>
      ttng.mbarrier_wait %e, %before : !ttg.memdesc<1xi64, #bar, mutable>
      ttng.mbarrier_expect %f, 2304 : !ttg.memdesc<1xi64, #bar, mutable>
      ttng.tma_load %x[%c0, %k] shape [%n64, %n40] strides [%n40, %one], %a, %f : !tt.ptr<f32>, !ttg.memdesc<64x8xf32, #plain, mutable>, !ttg.memdesc<1xi64, #bar, mutable>
      ttng.tma_load %x[%k, %c0] shape [%n40, %n8] strides [%n8, %one], %b, %f : !tt.ptr<f32>, !ttg.memdesc<8x8xf32, #plain, mutable>, !ttg.memdesc<1xi64, #bar, mutable>
    }
  } "multiply" warps 4 registers 232 {
    %zero = arith.constant dense<0.0> : tensor<64x8xf32, #mma>
    %sum = scf.for %i = %c0 to %c5 step %c1 iter_args(%acc = %zero) -> (tensor<64x8xf32, #mma>) : i32 {
      %s = arith.remsi %i, %c2 : i32
      %q = arith.divsi %i, %c2 : i32
      %phase = arith.remsi %q, %c2 : i32
      %last = arith.addi %i, %c1 : i32
      %p = arith.remsi %last, %c2 : i32
      %f = ttg.memdesc_index %full[%s] : !ttg.memdesc<2x1xi64, #bar, mutable> -> !ttg.memdesc<1xi64, #bar, mutable>
      %e = ttg.memdesc_index %empty[%p] : !ttg.memdesc<2x1xi64, #bar, mutable> -> !ttg.memdesc<1xi64, #bar, mutable>
      %a = ttg.memdesc_index %as[%s] : !ttg.memdesc<2x64x8xf32, #plain, mutable> -> !ttg.memdesc<64x8xf32, #plain, mutable>
      %b = ttg.memdesc_index %bs[%s] : !ttg.memdesc<2x8x8xf32, #plain, mutable> -> !ttg.memdesc<8x8xf32, #plain, mutable>
      ttng.mbarrier_wait %f, %phase : !ttg.memdesc<1xi64, #bar, mutable>
      %d = ttng.warp_group_dot %a, %b, %acc : !ttg.memdesc<64x8xf32, #plain, mutable> * !ttg.memdesc<8x8xf32, #plain, mutable> -> tensor<64x8xf32, #mma>
      %w = ttng.warp_group_dot_wait %d : tensor<64x8xf32, #mma> {pendings = PENDINGS : i32}
      %isFirst = arith.cmpi eq, %i, %c0 : i32
      scf.if %isFirst {
      } else {
        ttng.mbarrier_arrive %e, 1 : !ttg.memdesc<1xi64, #bar, mutable>
      }
      scf.yield %w : tensor<64x8xf32, #mma>
    }
    %r = ttng.warp_group_dot_wait %sum : tensor<64x8xf32, #mma> {pendings = 0 : i32}
    ttg.local_store %r, %out : tensor<64x8xf32, #mma>, !ttg.memdesc<64x8xf32, #plain, mutable>
    ttng.fence_async_proxy
    ttg.barrier
    ttng.tma_store %out, %y[%c0, %c0] shape [%n64, %n8] strides [%n8, %one] : !ttg.memdesc<64x8xf32, #plain, mutable>, !tt.ptr<f32>
    ttng.tma_store_commit
    ttng.tma_store_wait {pendings = 0 : i32}
  }
  tt.return
}})";

std::string product(int pendings) {
  std::string text = kProduct;
  text.replace(text.find("PENDINGS"), 8, std::to_string(pendings));
  text.insert(text.find("  %one ="), "  %c8 = arith.constant 8 : i32\n");
  return text;
}
} // namespace

// One dot goes on while the next one starts; the buffer of the one before is given back.
TEST(WarpGroupDot, Product) {
  Outcome outcome = runMutant(product(1));
  ASSERT_EQ(outcome.error, "");
  for (int m = 0; m < 64; ++m)
    for (int n = 0; n < 8; ++n) {
      float sum = 0;
      for (int k = 0; k < 40; ++k)
        sum += outcome.x[m * 40 + k] * outcome.x[k * 8 + n];
      ASSERT_EQ(outcome.y[m * 8 + n], sum) << m << ", " << n;
    }
}

// Without one of the waits, arrivals or fences it is reported, or the result is another. The wait
// for stores at the end may go: the program's end waits.
TEST(WarpGroupDot, ProductWithoutOne) {
  expectAllNeeded(product(1),
                  {"mbarrier_init", "mbarrier_wait", "mbarrier_expect", "mbarrier_arrive",
                   "tma_load", "fence_async_proxy", "ttg.barrier", "tma_store %"},
                  13);
}

// With two dots on their way the buffer is given back too early.
TEST(WarpGroupDot, ReleasedTooEarly) {
  std::string error = runMutant(product(2)).error;
  EXPECT_NE(error.find("may still read it; a wait for that must stand before"), std::string::npos)
      << error;
}

TEST(WarpGroupDot, UsedTooEarly) {
  std::string text = product(1);
  text.replace(text.find("%sum : tensor<64x8xf32, #mma> {pendings = 0"), 43,
               "%sum : tensor<64x8xf32, #mma> {pendings = 1");
  std::string error = runMutant(text).error;
  EXPECT_NE(error.find("an operand of ttg.local_store is the result of a ttng.warp_group_dot that "
                       "may not be over"),
            std::string::npos)
      << error;
}
