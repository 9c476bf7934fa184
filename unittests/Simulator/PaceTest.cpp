//===- PaceTest.cpp - clocks of a multiprocessor --------------------------===//

#include "SimTest.h"

using namespace tritium::sim;
using namespace tritium::sim::test;

namespace {

std::string repeated(const std::string &text, int count) {
  std::string made;
  while (count-- > 0)
    made += text;
  return made;
}

/// Of a kernel of one buffer, by CTAs of so many threads.
Counters countersOf(const std::string &body, uint32_t threads = 32, uint32_t grid = 1) {
  std::vector<uint32_t> data(1 << 16);
  SimRun run(kernel(body));
  run.launch.rates = &ratesOf(90);
  run.launch.mostCTAs = 8;
  run.launch.checkRaces = run.launch.checkUndefined = false;
  return run.buffer(data).threads(threads, grid).clean().counters;
}
double clocksOf(const std::string &body, uint32_t threads = 32) {
  return countersOf(body, threads).path[0];
}

/// Units have their clocks in pieces of so many.
constexpr double piece = 32;
const std::string chain = "add.f32 %f1, %f1, %f0;\n", other = "add.f32 %f2, %f1, %f0;\n";

TEST(Pace, NobodyAsked) {
  std::vector<uint32_t> data(64);
  Counters counters = SimRun(kernel(chain)).buffer(data).clean().counters;
  EXPECT_EQ(counters.path[0], 0);
  EXPECT_EQ(counters.json().find("path_clocks"), std::string::npos);
}

TEST(Pace, WhatWaitsForTheOneBeforeIsSlower) {
  double none = clocksOf("");
  double waiting = clocksOf(repeated(chain, 100)) - none;
  double free = clocksOf(repeated(other, 100)) - none;
  EXPECT_NEAR(waiting, 100 * (issued + latency::arithmetic), piece);
  EXPECT_NEAR(free, 100 * issued, piece);
}

TEST(Pace, WarpsOfOnePartShareIt) {
  // Warps of four parts; and two of each.
  double one = clocksOf(repeated(chain, 1000), 32), four = clocksOf(repeated(chain, 1000), 128);
  EXPECT_NEAR(four / one, 1, 0.02);
  EXPECT_NEAR(clocksOf(repeated(other, 1000), 256) / clocksOf(repeated(other, 1000), 128), 2, 0.3);
}

TEST(Pace, LoadsWaitForTheL2OrForMemory) {
  // Each address is what was loaded before, 0.
  std::string load = "ld.global.cg.u64 %d1, [%d0];\nadd.s64 %d0, %d0, %d1;\n";
  Counters counters = countersOf(repeated(load, 10));
  EXPECT_NEAR(counters.path[0], 138 + 10 * (latency::l2 + 8), 60);
  EXPECT_NEAR(counters.path[1] - counters.path[0], 10 * (latency::memory - latency::l2), piece);
  EXPECT_NEAR(counters.path[2], counters.path[1], piece);
  // What is waited for is the loads'.
  EXPECT_NEAR(counters.total.waits[1], 10 * latency::memory, 150);
}

TEST(Pace, LoadsRunBesideEachOther) {
  std::string loads;
  for (int i = 1; i <= 8; ++i)
    loads += "ld.global.u32 %r" + std::to_string(i) + ", [%d0+" + std::to_string(128 * i) + "];\n";
  loads += "add.u32 %r9, %r1, %r8;\nst.global.u32 [%d0], %r9;";
  EXPECT_LT(clocksOf(loads), 138 + 1.5 * latency::l2);
}

TEST(Pace, ABarrierWaitsForTheLastWarp) {
  // The first warp has more to do.
  std::string body = "setp.ge.u32 %p0, %r0, 32;\n@%p0 bra meet;\n" + repeated(chain, 200) +
                     "meet:\nbar.sync 0;\n" + repeated(chain, 200);
  double alone = clocksOf(repeated(chain, 400), 32);
  EXPECT_GT(clocksOf(body, 64), alone);
  EXPECT_LT(clocksOf(body, 64), alone + 60);
}

TEST(Pace, CTAsStartWhereOthersHaveLeft) {
  // A multiprocessor holds two of 1024 threads, and has two or four.
  std::string body = repeated(chain, 300);
  Counters two = countersOf(body, 1024, 2 * 132), four = countersOf(body, 1024, 4 * 132);
  EXPECT_EQ(two.pathCTAs, 2u);
  EXPECT_EQ(four.pathCTAs, 4u);
  // Eight warps of a CTA are in each part.
  double issues = 2 * 8 * 300 * issued;
  EXPECT_NEAR(four.path[0] - two.path[0], issues, 0.05 * issues);
}

/// Of as many sectors as a warp has lanes.
std::string stores(int count) {
  return "mul.wide.u32 %d1, %r0, 32;\nadd.u64 %d1, %d0, %d1;\n" +
         repeated("st.global.u32 [%d1], %r0;\n", count);
}
double clocksOfStores(int count) { return count * 32 * 32 / ratesOf(90).memoryBytes; }

TEST(Pace, APlaceIsFreeOnceMemoryHasWhatIsStored) {
  double less = countersOf(stores(1), 32, 132).path[0];
  double more = countersOf(stores(65), 32, 132).path[0];
  EXPECT_NEAR(more - less, clocksOfStores(64), 2 * piece);
}

TEST(Pace, AMultiprocessorThatHasMoreToDoHasMoreOfMemory) {
  // One of 132 has two CTAs.
  double two = countersOf(stores(64), 32, 133).path[0];
  EXPECT_LT(two, 138 + clocksOfStores(64) + 500);
}

TEST(Pace, WarpsOfACTAHaveSharedMemoryInTurn) {
  // Each waits for what it has loaded before it loads again, so that nine would have all of the
  // banks' clocks. Of twelve none is left with what the others have not taken, and then alone.
  std::string step = "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r5];\nadd.u32 %r5, %r5, %r1;\n";
  std::string body = ".shared .align 16 .b8 data[8192];\nmov.u32 %r5, data;\n"
                     "mad.lo.u32 %r5, %r0, 16, %r5;\n" +
                     repeated(step, 200) + "st.global.u32 [%d0], %r5;\n";
  double one = clocksOf(body, 32), banks = 12 * 200 * 4;
  EXPECT_GT(one, 0.6 * banks);
  EXPECT_LT(clocksOf(body, 12 * 32), 1.15 * banks);
}

TEST(Pace, ChoicesAndMinimaAreMadeWhereIntegersAre) {
  double none = clocksOf("");
  for (std::string step :
       {"selp.b32 %r2, %r1, %r0, %p0;\n", "max.f32 %f2, %f1, %f0;\n", "setp.lt.u32 %p0, %r1, 5;\n"})
    EXPECT_NEAR(clocksOf(repeated(step, 200)) - none, 200 * 2 * issued, 2 * piece) << step;
}

TEST(Pace, TheFirstCacheIsTheSameWithoutClocks) {
  // Two warps read 20 KB each twice, from where one's have the places of the other's: they are
  // still there if each reads all of it in one turn.
  std::string pass =
      "add.u64 %d1, %d0, %d2;\n" + repeated("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];\n"
                                            "add.u64 %d1, %d1, 512;\n",
                                            40);
  std::string body = "and.b32 %r5, %r0, 31;\nshl.b32 %r5, %r5, 4;\nand.b32 %r6, %r0, 32;\n"
                     "mad.lo.u32 %r5, %r6, 1024, %r5;\ncvt.u64.u32 %d2, %r5;\n" +
                     pass + pass;
  auto cached = [&](bool isTimed) {
    std::vector<uint32_t> data(1 << 14);
    SimRun run(kernel(body));
    run.launch.isCounted = true;
    run.launch.rates = isTimed ? &ratesOf(90) : nullptr;
    run.launch.checkRaces = run.launch.checkUndefined = false;
    return run.buffer(data).threads(64, 1).clean().counters.total.cachedSectors;
  };
  EXPECT_EQ(cached(true), cached(false));
}

TEST(Pace, CTAsDriftApart) {
  // While the first stores, the second computes.
  std::string body = repeated(other, 1500) + stores(7);
  double one = countersOf(body, 128, 132).path[0], two = countersOf(body, 128, 2 * 132).path[0];
  EXPECT_LT(two, 2 * one - 0.7 * 1500 * issued);
}

} // namespace
