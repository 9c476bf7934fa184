//===- WarpGroupFaultTest.cpp - what may go wrong around wgmma ------------===//
//
// Each kernel that is right is run once as it is, and once with one thing changed, which has
// to be reported, in any order in which warps take turns.
//
//===----------------------------------------------------------------------===//

#include "WarpGroupTest.h"

using namespace tritium::sim;
using namespace tritium::sim::test;

namespace {

constexpr unsigned sharedBytes = 16384;

std::string product(const std::string &d, const std::string &a = "%da",
                    const std::string &b = "%db", const std::string &adds = "%adds",
                    const std::string &shape = "m64n8k16") {
  return "wgmma.mma_async.sync.aligned." + shape + ".f32.f16.f16 " + d + ", " + a + ", " + b +
         ", " + adds + ", 1, 1, " + (a[0] == '{' ? "0;\n" : "0, 0;\n");
}

const std::string firstFour = "{%c0, %c1, %c2, %c3}", lastFour = "{%c4, %c5, %c6, %c7}",
                  all = registerList("c", 8), inRegisters = "{%a0, %a1, %a2, %a3}",
                  fence = "wgmma.fence.sync.aligned;\n",
                  commit = "wgmma.commit_group.sync.aligned;\n",
                  wait0 = "wgmma.wait_group.sync.aligned 0;\n",
                  wait1 = "wgmma.wait_group.sync.aligned 1;\n",
                  nextK = "add.u64 %d4, %da, 2;\nadd.u64 %d5, %db, 2;\n";

/// Two groups, one of a chain; %d6 is where a thread stores what it computes meanwhile.
const std::string twoGroups = nextK + fence + product(firstFour) +
                              product(firstFour, "%d4", "%d5") + commit +
                              product(lastFour, inRegisters) + commit + wait1 +
                              "mov.b32 %r10, %c0;\n" + wait0 + "mov.b32 %c0, %r10;\n";

GroupRun arguments() {
  GroupRun run;
  run.image.resize(sharedBytes);
  for (size_t i = 0; i < run.image.size(); i += 2)
    run.image[i + 1] = uint8_t(0x38 + i / 2 % 5 * 4); // 0.5, 1, 2, 4, 8
  run.sums.resize(512 * 8);
  run.a.assign(512 * 4, 0x3c003c00);
  run.descriptorA = MatrixLayout{false, 128, 0, 0, 1024}.descriptor();
  run.descriptorB = MatrixLayout{false, 128, 8192, 0, 1024}.descriptor();
  return run;
}

void expectClean(const std::string &body, uint32_t threads = 128) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    GroupRun run = arguments();
    run.seed = seed;
    run.threads = threads;
    Result result = run.run(groupKernel(sharedBytes, 8, body));
    EXPECT_TRUE(result.clean()) << body << result.renderFaults();
  }
}

/// The fault is among those reported; its text has `says` in it.
void expectFault(const std::string &body, FaultKind kind, const std::string &says,
                 const std::function<void(GroupRun &)> &change = {}) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    GroupRun run = arguments();
    run.seed = seed;
    if (change)
      change(run);
    Result result = run.run(groupKernel(sharedBytes, 8, body));
    bool isFound = false;
    for (const Fault &fault : result.faults)
      isFound |= fault.kind == kind && fault.render().find(says) != std::string::npos;
    EXPECT_TRUE(isFound) << "seed " << seed << ", wanted " << nameOf(kind) << ": " << says << "\n"
                         << body << result.renderFaults();
  }
}

TEST(WarpGroupClean, TwoGroups) {
  expectClean(twoGroups);
  // The sums of the first group are there when one may still be under way.
  GroupRun run = arguments();
  std::fill(run.image.begin(), run.image.end(), 0);
  for (size_t i = 1; i < run.image.size(); i += 2)
    run.image[i] = 0x3c;
  ASSERT_TRUE(run.run(groupKernel(sharedBytes, 8, twoGroups)).clean());
  for (unsigned i = 0; i < 128; ++i) {
    EXPECT_EQ(run.sums[8 * i], 0x42000000u); // 32
    EXPECT_EQ(run.sums[8 * i + 7], 0x41800000u);
  }
}

TEST(WarpGroupClean, WhatNeedsNoFence) {
  // A wait for more groups than there are; an empty group; A in two products under way.
  expectClean("wgmma.wait_group.sync.aligned 3;\n" + commit + fence +
              product(firstFour, inRegisters) + product(lastFour, inRegisters) + commit +
              "wgmma.wait_group.sync.aligned 2;\n" + wait0);
  // Sums that nothing wrote, if they are not added; other registers meanwhile.
  expectClean("setp.ne.u32 %p3, %s, %s;\n.reg .b32 %e<4>;\n" + fence +
              product("{%e0, %e1, %e2, %e3}", "%da", "%db", "%p3") + commit +
              "add.u32 %r10, %t, 1;\n" + wait0 + "mov.b32 %c0, %e0;\n");
  // A fence lets products of another shape follow.
  expectClean(fence + product(firstFour) + fence +
              product(all, "%da", "%db", "%adds", "m64n16k16") + commit + wait0);
}

TEST(WarpGroupClean, WarpsOnTheirOwn) {
  // Of eight warps the last four.
  std::string last = "setp.lt.u32 %p3, %w, 4;\n@%p3 bra OVER;\n" + fence + product(firstFour) +
                     commit + wait0 + "OVER:\n";
  expectClean(last, 256);
  expectClean(twoGroups, 512);
  // A warp writes its own rows of A and waits for no other.
  std::string rows = "shl.b32 %r10, %t, 2;\nadd.u32 %r10, %s, %r10;\n"
                     "mad.lo.u32 %r10, %w, 1920, %r10;\nst.shared.b32 [%r10], %t;\n"
                     "fence.proxy.async.shared::cta;\nbar.warp.sync -1;\n";
  expectClean(rows + fence + product(firstFour) + commit + wait0);
  // The wait of one warp says that all have issued the product, and what they did before.
  expectClean("setp.ge.u32 %p3, %w, 4;\n@%p3 bra OTHER;\nsetp.eq.u32 %p4, %t, 100;\n"
              "@%p4 st.shared.b32 [%s+6208], 0;\nbar.warp.sync -1;\n" +
                  fence + product(firstFour) + commit + wait0 +
                  "setp.ne.u32 %p4, %w, 0;\n@%p4 bra OVER;\nbar.arrive 1, 64;\nbra OVER;\n"
                  "OTHER:\nsetp.ne.u32 %p4, %w, 4;\n@%p4 exit;\nbar.sync 1, 64;\n"
                  "setp.eq.u32 %p4, %t, 130;\n@%p4 st.shared.b32 [%s+6208], 1;\n"
                  "@%p4 st.shared.b32 [%s+8192], 0;\nOVER:\n",
              256);
  // Of the own warp, too: its first lane writes where the fifth one has.
  expectClean("and.b32 %r10, %t, 31;\nmad.lo.u32 %r11, %w, 4, %s;\nsetp.eq.u32 %p4, %r10, 4;\n"
              "@%p4 st.shared.b32 [%r11+12288], 0;\n" +
              fence + product(firstFour) + commit + wait0 +
              "setp.eq.u32 %p4, %r10, 0;\n@%p4 st.shared.b32 [%r11+12288], 1;\n");
  // After the wait of all warps, others may write.
  expectClean(fence + product(firstFour) + commit + wait0 +
              "bar.sync 0;\nst.shared.b32 [%s], 0;\n"
              "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
              "wgmma.fence.sync.aligned;\n" +
              product(firstFour) + commit + wait0);
}

TEST(WarpGroupFaults, RegistersAndFences) {
  auto missing = [](const std::string &body, const std::string &says) {
    expectFault(body, FaultKind::MissingFence, says);
  };
  missing(replaced(twoGroups, fence, ""), "the first wgmma of a warp needs a wgmma.fence");
  for (const char *use : {"mov.b32 %c0, 0;\n", "mov.b32 %r10, %c0;\n", "@%p0 mov.b32 %r10, %c0;\n"})
    missing(replaced(twoGroups, fence, fence + "setp.eq.u32 %p0, %s, %s;\n" + use),
            "register %c0 was used by another instruction");
  missing(replaced(twoGroups, commit, "mov.b32 %a3, %t;\n" + commit),
          "register %a3 was used by another instruction");
  // After the wait, too.
  missing(twoGroups + product(firstFour) + commit + wait0, "register %c0 was used");
  missing(fence + product(firstFour) + product(all, "%da", "%db", "%adds", "m64n16k16") + commit +
              wait0,
          "register %c0 belongs to the accumulators of a wgmma of another shape");
}

TEST(WarpGroupFaults, RegistersUnderWay) {
  auto busy = [](const std::string &body, const std::string &says) {
    expectFault(body, FaultKind::ProductUnderWay, says);
  };
  for (const std::string &use : {"mov.b32 %c1, 0;\n", "mov.b32 %r10, %c1;\n"}) {
    std::string says = "register %c1 is used, but belongs to the accumulators";
    busy(replaced(twoGroups, commit, use + commit), says);
    busy(replaced(twoGroups, commit, commit + use), says);
  }
  for (const std::string &use : {"mov.b32 %a1, 0;\n", "add.u32 %r10, %a1, 1;\n"})
    busy(replaced(twoGroups, wait1, wait1 + use),
         "register %a1 is used, but belongs to the factor A");
  busy(replaced(twoGroups, "mov.b32 %r10, %c0", "mov.b32 %r10, %c4"), "register %c4 is used");
  busy(replaced(twoGroups, wait0, wait1), "register %c4 is used");
  busy(replaced(twoGroups, wait1, ""), "register %c0 is used");
  busy(replaced(twoGroups, commit + wait1, wait1), "register %c0 is used");
  busy(fence + product(firstFour) + product(lastFour, firstFour) + commit + wait0,
       "register %c0 is in the factor A, but belongs to the accumulators");
  busy(fence + product(lastFour, firstFour) + product(firstFour) + commit + wait0,
       "register %c0 becomes an accumulator while it is in the factor A");
}

TEST(WarpGroupFaults, EndsWithProductsUnderWay) {
  std::string stores = "st.global.b32 [%at], %r0;\nret;\n";
  expectFault(fence + product(firstFour) + commit + stores, FaultKind::ProductUnderWay,
              "the thread ends while this wgmma is under way: no wgmma.wait_group");
  expectFault(fence + product(firstFour) + wait0 + stores, FaultKind::ProductUnderWay,
              "no wgmma.commit_group has put it into a group");
}

TEST(WarpGroupFaults, FunctionReturnsWithProductsUnderWay) {
  GroupRun run = arguments();
  std::string function = ".func f()\n{\n.reg .b32 %e<4>;\n" + fence +
                         product("{%e0, %e1, %e2, %e3}", std::to_string(run.descriptorA),
                                 std::to_string(run.descriptorB), "0") +
                         commit + "ret;\n}\n";
  std::string text =
      replaced(groupKernel(sharedBytes, 8, "call f, ();\n"), ".visible", function + ".visible");
  Result result = run.run(text);
  EXPECT_NE(result.renderFaults().find("the function returns while this wgmma is under way"),
            std::string::npos)
      << result.renderFaults();
  EXPECT_TRUE(run.run(replaced(text, commit, commit + wait0)).clean());
}

TEST(WarpGroupFaults, SharedMemory) {
  std::string write = "st.shared.b32 [%s+8192], 0;\n", says = "a wgmma still under way reads";
  // By this warp, by another one, after a barrier.
  for (const std::string &by :
       {write, "setp.eq.u32 %p3, %t, 127;\n@%p3 " + write, "bar.sync 0;\n" + write})
    for (const std::string &at : {product(lastFour, inRegisters), commit + wait1})
      expectFault(replaced(twoGroups, at, by + at), FaultKind::ProductUnderWay, says);
  // Behind the wait of one warp, but not behind that of the others.
  std::string single = fence + product(firstFour) + commit + wait0;
  for (const char *own : {"0", "2"}) {
    std::string body =
        single + "setp.eq.u32 %p3, %w, " + own + ";\n@%p3 " + "st.shared.b32 [%s+8192], 0;\n";
    expectClean(replaced(body, "@%p3 ", "bar.sync 0;\nsetp.eq.u32 %p3, %t, 5;\n@%p3 "));
  }
  // What the generic proxy wrote.
  std::string whole = groupKernel(sharedBytes, 8, single);
  for (auto [left, kind, text] :
       {std::tuple("fence.proxy.async.shared::cta;\n", FaultKind::ProxyFence,
                   "no fence.proxy.async"),
        {"bar.sync 0;\n", FaultKind::SharedRace, "nothing orders the two"}}) {
    GroupRun run = arguments();
    Result result = run.run(replaced(whole, left, ""));
    ASSERT_FALSE(result.faults.empty());
    EXPECT_EQ(result.faults[0].kind, kind) << result.renderFaults();
    EXPECT_NE(result.faults[0].message.find(text), std::string::npos) << result.renderFaults();
  }
}

/// What is written meanwhile shows in the sums, unless the wait is over; what is read meanwhile
/// does not have them yet.
TEST(WarpGroupFaults, AsLateAsAllowed) {
  std::string b = "shl.b32 %r11, %t, 2;\nadd.u32 %r11, %s, %r11;\n", store;
  for (unsigned at = 8192; at < 9216; at += 512)
    store += "st.shared.b32 [%r11+" + std::to_string(at) + "], 0;\n";
  std::string change = b + store + "bar.sync 0;\n";
  auto sumOf = [&](const std::string &body) {
    GroupRun run = arguments();
    for (size_t i = 0; i < run.image.size(); i += 2)
      run.image[i + 1] = 0x3c;
    Result result =
        run.run(groupKernel(sharedBytes, 8, body), [](Launch &l) { l.checkRaces = false; });
    EXPECT_TRUE(result.completed) << result.renderFaults();
    return std::bit_cast<float>(run.sums[8 * 77]);
  };
  std::string issued = fence + product(firstFour) + commit;
  EXPECT_EQ(sumOf(issued + change + wait0), 0);
  EXPECT_EQ(sumOf(issued + wait0 + "bar.sync 0;\n" + change), 16);
  EXPECT_EQ(sumOf(issued + "mov.b32 %r10, %c0;\n" + wait0 + "mov.b32 %c0, %r10;\n"), 0);
  std::string inA = fence + product(firstFour, inRegisters) + commit;
  EXPECT_EQ(sumOf(inA + wait0), 16);
  EXPECT_EQ(sumOf(inA + "mov.b32 %a0, 0;\n" + wait0), 8);
}

/// Warps that take no part.
TEST(WarpGroupFaults, WritesByOtherWarps) {
  std::string group = "setp.ge.u32 %p3, %w, 4;\n@%p3 bra OTHER;\n" + fence + product(firstFour) +
                      commit + wait0 + "bar.arrive 1, 256;\nbra OVER;\n" +
                      "OTHER:\nbar.sync 1, 256;\nst.shared.b32 [%s+8192], 0;\nOVER:\n";
  std::string one = "st.shared.b32 [%s+8192], 0", only = "setp.eq.u32 %p4, %t, 200;\n@%p4 " + one;
  expectClean(replaced(group, one, only), 256);
  // Without the barrier; and with an arrival before the wait, which says nothing of it.
  for (const std::string &early :
       {replaced(group, "bar.sync 1, 256;\n", ""),
        replaced(group, wait0 + "bar.arrive 1, 256;\n", "bar.arrive 1, 256;\n" + wait0)})
    for (uint64_t seed : {0, 1, 2, 3}) {
      GroupRun run = arguments();
      run.threads = 256;
      run.seed = seed;
      Result result = run.run(groupKernel(sharedBytes, 8, replaced(early, one, only)));
      EXPECT_FALSE(result.faults.empty()) << early;
    }
}

/// A warp's wait speaks for itself alone if that is asked for: another one may not have read B yet,
/// and its lanes do not know of each other. The first fault then may end the launch.
TEST(WarpGroupFaults, SeparateProducts) {
  std::string after = fence + product(firstFour) + commit + wait0 + "bar.sync 0;\n",
              one = "setp.eq.u32 %p4, %t, 0;\n@%p4 st.shared.b32 [%s+8192], 0;\n",
              lanes = "and.b32 %r10, %t, 31;\nmad.lo.u32 %r11, %w, 4, %s;\n"
                      "setp.eq.u32 %p4, %r10, 4;\n@%p4 st.shared.b32 [%r11+12288], 0;\n" +
                      replaced(after, "bar.sync 0;\n", "") +
                      "setp.eq.u32 %p4, %r10, 0;\n@%p4 st.shared.b32 [%r11+12288], 1;\n";
  auto faults = [&](const std::string &body, bool separate, bool stops = false) {
    GroupRun run = arguments();
    run.separateProducts = separate;
    run.stopAtFault = stops;
    Result result = run.run(groupKernel(sharedBytes, 8, body));
    EXPECT_EQ(result.completed, !stops || result.clean());
    return result.faults.size();
  };
  std::string early = replaced(after, "bar.sync 0;\n", "") + one;
  EXPECT_EQ(faults(after + one, true), 0u);
  EXPECT_EQ(faults(early, false), 0u);
  EXPECT_GT(faults(early, true), 0u);
  EXPECT_EQ(faults(lanes, false), 0u);
  EXPECT_GT(faults(lanes, true), 0u);
  EXPECT_EQ(faults(after + one, true, true), 0u);
  EXPECT_GT(faults(early, true, true), 0u);
}

/// Which warps write what the group reads together: any of them may not have been waited for.
TEST(WarpGroupFaults, WritesThatOneWarpDoesNotKnow) {
  for (const char *warp : {"0", "1", "2", "3"})
    for (const char *lane : {"0", "7"}) {
      // One thread writes and fences, and its warp is synchronised; the others are not.
      std::string body = "and.b32 %r11, %t, 31;\nsetp.eq.u32 %p3, %w, " + std::string(warp) +
                         ";\nsetp.eq.and.u32 %p3, %r11, " + lane +
                         ", %p3;\n@%p3 st.shared.b32 [%s+8192], 5;\n"
                         "@%p3 fence.proxy.async.shared::cta;\nbar.warp.sync -1;\n" +
                         fence + product(firstFour) + commit + wait0;
      // Where that warp comes last, the others have the product under way.
      for (uint64_t seed : {0, 1, 2, 3}) {
        GroupRun run = arguments();
        run.seed = seed;
        Result result = run.run(groupKernel(sharedBytes, 8, body));
        ASSERT_FALSE(result.faults.empty()) << body;
        FaultKind kind = result.faults[0].kind;
        EXPECT_TRUE(kind == FaultKind::SharedRace || kind == FaultKind::ProductUnderWay)
            << result.renderFaults();
      }
      expectClean(replaced(body, "bar.warp.sync -1;", "bar.sync 0;"));
      // The fence behind the barrier is not known to them.
      std::string late =
          replaced(replaced(body, "@%p3 fence.proxy.async.shared::cta;\n", ""),
                   "bar.warp.sync -1;\n", "bar.sync 0;\n@%p3 fence.proxy.async.shared::cta;\n");
      expectFault(late, FaultKind::ProxyFence, "no fence.proxy.async");
    }
}

TEST(WarpGroupFaults, WarpsThatDisagree) {
  std::string single = fence + product(firstFour) + commit + wait0;
  std::string other = "setp.eq.u32 %p3, %w, 2;\nsetp.eq.u32 %p4, %t, 70;\nnot.pred %p5, %adds;\n";
  auto differ = [&](const std::string &change, const std::string &says) {
    expectFault(other + change + single, FaultKind::WarpGroupDiffers, says);
  };
  differ("@%p3 bra X;\n" + fence + product(lastFour) + "bra Y;\nX:\n" + fence + product(lastFour) +
             "Y:\n" + commit + wait0,
         "different wgmma.mma_async");
  differ("@%p3 add.u64 %db, %db, 2;\n", "the warps of a warp group have different matrix");
  differ("@%p4 add.u64 %da, %da, 2;\n", "the lanes of a warp have different matrix");
  differ("@%p3 mov.pred %adds, %p5;\n", "the warps of a warp group have different predicates");
  differ("@%p4 mov.pred %adds, %p5;\n", "the lanes of a warp have different predicates");
}

TEST(WarpGroupFaults, LanesAndWarpsThatAreMissing) {
  std::string single = fence + product(firstFour) + commit + wait0;
  for (const std::string &guarded : {fence, product(firstFour), commit, wait0})
    expectFault("setp.ne.u32 %p3, %t, 70;\n" + replaced(single, guarded, "@%p3 " + guarded),
                FaultKind::MissingLanes, "not here: lanes 6");
  expectFault("setp.eq.u32 %p3, %w, 3;\n@%p3 bra X;\n" + single + "X:\n", FaultKind::Deadlock,
              "not issued yet by these warps of the warp group: 3");
  expectFault(single, FaultKind::WarpGroupDiffers, "the CTA has 96 threads",
              [](GroupRun &run) { run.threads = 96; });
  // The second four warps are three.
  expectFault(single, FaultKind::WarpGroupDiffers, "warps 4 and up are not four",
              [](GroupRun &run) { run.threads = 224; });
}

TEST(WarpGroupFaults, Descriptors) {
  std::string single = fence + product(firstFour) + commit + wait0;
  auto wrong = [&](FaultKind kind, const std::string &says, MatrixLayout a, uint64_t bits = 0) {
    expectFault(single, kind, says,
                [&](GroupRun &run) { run.descriptorA = a.descriptor() | bits; });
  };
  wrong(FaultKind::OutOfBounds, "descriptor of A reaches outside the CTA's shared memory (16384",
        {false, 128, 9216, 0, 1024});
  wrong(FaultKind::OutOfBounds, "reaches outside", {false, 0, 0, 0x3fff0, 256});
  wrong(FaultKind::Misaligned, "cuts rows of its swizzle", {false, 128, 112, 0, 1024});
  wrong(FaultKind::Misaligned, "cuts rows of its swizzle", {false, 32, 16, 0, 256});
  wrong(FaultKind::Misaligned, "cuts rows of its swizzle", {false, 64, 0, 0, 1040});
  wrong(FaultKind::Unsupported, "has a base offset", {false, 128, 0, 0, 1024}, uint64_t(1) << 50);
  wrong(FaultKind::Unsupported, "bits set that mean nothing", {false, 128, 0, 0, 1024}, 1 << 14);
  expectFault(single, FaultKind::OutOfBounds, "descriptor of B reaches outside",
              [](GroupRun &run) { run.descriptorB += 1024; });
}

TEST(WarpGroupFaults, UndefinedValues) {
  std::string single = fence + product(firstFour) + commit + wait0;
  auto undefined = [](const std::string &body, const std::string &says) {
    expectFault(body, FaultKind::Undefined, says);
  };
  undefined(".reg .b64 %x;\n" + replaced(single, "%da", "%x"), "a matrix descriptor (%x)");
  undefined(".reg .pred %x;\n" + replaced(single, "%adds", "%x"), "scale-d");
  undefined(".reg .b32 %x<4>;\n" + replaced(single, "%da, %db, %adds, 1, 1, 0",
                                            "{%a0, %x1, %a2, %a3}, %db, %adds, 1, 1"),
            "");
  undefined(".reg .b32 %x<4>;\n" + replaced(single, firstFour, "{%x0, %x1, %x2, %x3}") +
                "mov.b32 %c0, %x0;\n",
            "");
  // Shared memory of which nothing has written two bytes, one element of A or B.
  for (uint32_t at : {2u, 8192u + 30u}) {
    GroupRun run = arguments();
    std::string text = groupKernel(sharedBytes + 1024, 8, single);
    run.image.resize(sharedBytes + 1024);
    // The image is copied from its second KiB on, but for these bytes.
    MatrixLayout a{false, 128, 1024, 0, 1024}, b{false, 128, 9216, 0, 1024};
    run.descriptorA = a.descriptor();
    run.descriptorB = b.descriptor();
    std::string hole = "setp.eq.u32 %p3, %r1, " + std::to_string(1024 + at / 16 * 16) +
                       ";\n@%p3 bra HOLE;\nst.shared.v4.b32 [%r6], {%r2, %r3, %r4, %r5};\nHOLE:\n";
    Result result =
        run.run(replaced(text, "st.shared.v4.b32 [%r6], {%r2, %r3, %r4, %r5};\n", hole));
    ASSERT_FALSE(result.faults.empty());
    EXPECT_EQ(result.faults[0].kind, FaultKind::Undefined) << result.renderFaults();
    // A row of A spoils 4 threads, a column of B those of 2 columns in all rows.
    bool hasAll = run.run(text).clean();
    EXPECT_TRUE(hasAll);
  }
}

TEST(WarpGroupErrors, Forms) {
  auto messageOf = [](const std::string &instruction, const std::string &target = "sm_90a") {
    GroupRun run = arguments();
    std::string text = replaced(groupKernel(sharedBytes, 8, instruction), "sm_90a", target);
    Result result = run.run(text);
    EXPECT_FALSE(result.completed);
    return result.faults.empty() ? std::string() : result.faults[0].message;
  };
  auto has = [&](const std::string &instruction, const char *says) {
    std::string message = messageOf(instruction);
    EXPECT_NE(message.find(says), std::string::npos) << instruction << message;
  };
  std::string whole = product(firstFour);
  EXPECT_NE(messageOf(whole, "sm_90").find("needs .target sm_90a, but this is for sm_90"),
            std::string::npos);
  has("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 " + firstFour +
          ", %da, %db, %r0, 0, %adds, 1, 1, 0, 0;\n",
      "products of sparse matrices are not known");
  has("wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc " + firstFour +
          ", %da, %db, %adds;\n",
      "this combination of types is not known");
  has(replaced(whole, "m64n8k16", "m64n12k16"), "N is a multiple of 8 up to 256");
  has(replaced(whole, "m64n8k16", "m64n264k16"), "N is a multiple of 8 up to 256");
  has("wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 " + all + ", %da, %db, %adds;\n",
      "N is 8, 16, 24, 32 or a multiple of 16");
  has(replaced(whole, "m64n8k16", "m64n8k32"), "the shape of these types is m64nNk16");
  has(replaced(whole, "m64n8k16", "m32n8k16"), "a shape such as .m64n128k16");
  has(replaced(whole, "f32.f16.f16", "f32.f16.bf16"), "this combination of types");
  has(replaced(whole, "f32.f16.f16", "f16.bf16.bf16"), "this combination of types");
  has(replaced(whole, "m64n8k16", "satfinite.m64n8k16"), ".satfinite is for integers");
  has(replaced(whole, firstFour, "{%c0, %c1}"), "D needs 4 registers");
  has(replaced(whole, "%da", "{%a0, %a1}"), "takes 7 operands, but has 8");
  has(product(firstFour, "{%a0, %a1}"), "A needs 4 registers");
  has(replaced(whole, firstFour, "{%c0, %c1, %c2, %c2}"), "a second time");
  has(product(firstFour, "{%a0, %a1, %a2, %c3}"), "a second time");
  has(replaced(whole, "1, 1,", "2, 1,"), "imm-scale-a and imm-scale-b are 1 or -1");
  has(replaced(whole, "0, 0;", "0, 2;"), "imm-trans-a and imm-trans-b are 0 or 1");
  has(replaced(replaced(whole, "k16.f32.f16.f16", "k8.f32.tf32.tf32"), "0, 0;", "0, 0;"),
      "takes 6 operands, but has 8");
  has("wgmma.fence;", "needs .sync.aligned");
  has("wgmma.wait_group.sync.aligned %r0;", "must be a number");
  has("wgmma.drop.sync.aligned;", "this form is not known");
}

} // namespace
