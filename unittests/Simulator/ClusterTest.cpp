//===- ClusterTest.cpp - clusters of one CTA, register counts, copies and phases ----===//

#include "SimTest.h"

#include <numeric>

using namespace tritium::sim;
using namespace tritium::sim::test;

namespace {

const char *const fault = "\n.loc 1 77 0\n";
const char *const fine = "\n.loc 1 5 0\n";

struct Case {
  const char *name;
  FaultKind kind;
  std::string body;
  uint32_t threads = 64;
  std::string directives = "";
};
void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

Result runWith(const Case &c, uint64_t seed, std::vector<uint32_t> &data) {
  data.resize(1024);
  std::iota(data.begin(), data.end(), 0);
  std::string text =
      kernel("setp.eq.u32 %p0, %r0, 0;\nmov.u32 %r2, s;\nmad.lo.u32 %r3, %r0, 4, %r2;\n"
             "xor.b32 %r4, %r0, 33;\nmad.lo.u32 %r5, %r4, 4, %r2;\nshr.u32 %r30, %r0, 5;\n"
             "mad.wide.u32 %d9, %r0, 4, %d0;\n" +
                 c.body,
             ".file 1 \"kernel.py\"\n.shared .align 128 .b8 s[8192];\n"
             ".shared .align 8 .b64 bars[8];\n");
  text.replace(text.find(".target sm_90"), 13, ".target sm_90a");
  size_t at = text.find(")\n{");
  text.insert(at + 1, c.directives);
  SimRun run(text);
  run.buffer(data).threads(c.threads);
  run.launch.seed = seed;
  run.launch.stepLimit = 1'000'000;
  return run.run();
}

const std::string waits = "W:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [bars], 0;\n"
                          "@!%p1 bra W;\n";
std::string init(int count) {
  return "@%p0 mbarrier.init.shared::cta.b64 [bars], " + std::to_string(count) + ";\n";
}
const std::string fills = "add.u32 %r1, %r0, 1000;\nst.shared.u32 [%r3], %r1;\n";
/// data[thread] = 1000 + thread, by way of the word of another thread.
const std::string results =
    "ld.shared.u32 %r6, [%r5];\nmad.wide.u32 %d8, %r4, 4, %d0;\nst.global.u32 [%d8], %r6;\n";
const std::string thousand = "add.u32 %r1, %r0, 1000;\nst.global.u32 [%d9], %r1;\n";
const std::string copies = "cp.async.ca.shared.global [%r3], [%d9], 4;\n";
/// Of copied words.
const std::string copied = "ld.shared.u32 %r6, [%r5];\nadd.u32 %r6, %r6, 1000;\nbar.sync 0;\n"
                           "mad.wide.u32 %d8, %r4, 4, %d0;\nst.global.u32 [%d8], %r6;\n";
/// Two warp groups; one gives registers to the other.
std::string exchange(const std::string &first, const std::string &second) {
  return "setp.lt.u32 %p3, %r0, 128;\n@%p3 bra L;\n" + first + "bra END;\nL:\n" + second +
         "END:\n" + thousand;
}

class Clusters : public testing::TestWithParam<Case> {};

TEST_P(Clusters, Clean) {
  for (uint64_t seed : {0, 1, 2, 3, 4, 5}) {
    std::vector<uint32_t> data;
    Result result = runWith(GetParam(), seed, data);
    ASSERT_TRUE(result.clean()) << seed << ": " << result.renderFaults();
    for (uint32_t i = 0; i < GetParam().threads; ++i)
      EXPECT_EQ(data[i], i + 1000) << seed;
  }
}

std::vector<Case> cleanCases() {
  FaultKind any = FaultKind::Trap;
  std::string cluster = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
  std::string relaxed = "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n";
  std::string arrive = "mbarrier.arrive.shared::cta.b64 _, [bars];\n";
  return {
      {"Barrier", any, fills + cluster + results + cluster},
      {"BarrierSplit", any,
       fills +
           "barrier.cluster.arrive.release;\nadd.u32 %r7, %r0, 1;\n"
           "barrier.cluster.wait.acquire;\n" +
           results},
      {"BarrierThatSomeLeave", any,
       fills + "bar.sync 0;\n" + results + "setp.lt.u32 %p3, %r0, 32;\n@%p3 exit;\n" + cluster},
      {"InitialisedAndRelaxed", any,
       init(64) + "@%p0 fence.mbarrier_init.release.cluster;\n" + relaxed + fills + arrive + waits +
           results},
      {"Ranks", any,
       "mov.u32 %r7, %cluster_ctarank;\nmov.u32 %r8, %cluster_nctarank;\n"
       "mov.u32 %r9, %cluster_nctaid.x;\nmov.u32 %r10, %clusterid.x;\nadd.u32 %r7, %r7, %r10;\n"
       "add.u32 %r7, %r7, %r8;\nadd.u32 %r7, %r7, %r9;\nadd.u32 %r1, %r0, 998;\n"
       "add.u32 %r1, %r1, %r7;\nst.global.u32 [%d9], %r1;\n"},
      {"Mapped", any,
       init(64) + "bar.sync 0;\n" + fills +
           "mov.u32 %r7, bars;\n"
           "{\n.reg .b32 r;\nmapa.shared::cluster.u32 r, %r7, 0;\n"
           "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r];\n}\n" +
           waits + results},
      {"CopiesArrive", any,
       init(64) + "bar.sync 0;\n" + copies +
           "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bars];\n" + waits + copied},
      {"CopiesArriveBesides", any,
       init(64) + "bar.sync 0;\n" + copies + "cp.async.mbarrier.arrive.shared::cta.b64 [bars];\n" +
           arrive + waits + copied},
      {"CopiesOfOneThatEnds", any,
       init(32) +
           "bar.sync 0;\nsetp.lt.u32 %p3, %r0, 32;\n@%p3 bra L;\nadd.u64 %d8, %d9, -128;\n"
           "sub.u32 %r3, %r3, 128;\ncp.async.ca.shared.global [%r3], [%d8], 4;\n"
           "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bars];\n" +
           thousand + "exit;\nL:\n" + waits +
           "ld.shared.u32 %r6, [%r3];\nadd.u32 %r6, %r6, 1000;\n"
           "st.global.u32 [%d9], %r6;\n"},
      {"Registers", any,
       exchange("setmaxnreg.inc.sync.aligned.u32 216;\n", "setmaxnreg.dec.sync.aligned.u32 40;\n"),
       256, ".maxnreg 128\n"},
      {"RegistersOfTheBlock", any,
       exchange("setmaxnreg.dec.sync.aligned.u32 24;\n", "setmaxnreg.inc.sync.aligned.u32 256;\n"),
       256, ".reqntid 256\n.maxnreg 168\n"},
      {"RegistersOfTheLargestBlock", any,
       exchange("setmaxnreg.dec.sync.aligned.u32 24;\n", "setmaxnreg.inc.sync.aligned.u32 256;\n"),
       256, ".maxntid 256\n"},
  };
}

INSTANTIATE_TEST_SUITE_P(Programs, Clusters, testing::ValuesIn(cleanCases()),
                         [](const auto &info) { return info.param.name; });

class ClusterFaults : public testing::TestWithParam<Case> {};

TEST_P(ClusterFaults, Found) {
  std::vector<uint32_t> data;
  Result result = runWith(GetParam(), 0, data);
  auto at = [](const Place &place) { return place.source == "kernel.py:77"; };
  bool found = false;
  for (const Fault &fault : result.faults)
    found |= fault.kind == GetParam().kind && (at(fault.at) || (fault.hasOther && at(fault.other)));
  EXPECT_TRUE(found) << result.renderFaults();
}

std::vector<Case> faultCases() {
  std::string f = fault, g = fine, arrive = "mbarrier.arrive.shared::cta.b64 _, [bars];\n";
  std::string cluster = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
  std::string relaxed = "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n";
  std::string noinc = "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bars];\n";
  return {
      {"RelaxedHandsNothingOn", FaultKind::SharedRace, fills + relaxed + f + results + g},
      {"InitialisedWithoutAFence", FaultKind::MBarrier, init(64) + relaxed + f + arrive + g},
      {"WaitWithoutArrival", FaultKind::PartialBarrier, f + "barrier.cluster.wait;" + g},
      {"ArrivalTwice", FaultKind::PartialBarrier,
       "barrier.cluster.arrive;" + f + "barrier.cluster.arrive;" + g},
      {"HalfAWarp", FaultKind::PartialBarrier,
       "setp.lt.u32 %p3, %r0, 16;\n@%p3 bra L;" + f + "barrier.cluster.arrive.aligned;" + g + "L:",
       32},
      {"OneWarpDoesNotCome", FaultKind::Deadlock,
       "setp.lt.u32 %p3, %r0, 32;\n@%p3 bra L;" + f + cluster + "exit;" + g +
           "L:\nbar.sync 1, 64;"},
      {"AnotherCta", FaultKind::OutOfBounds,
       "mov.u32 %r7, 1;" + f + "mapa.shared::cluster.u32 %r8, %r3, %r7;" + g},
      {"CopiesReadEarly", FaultKind::AsyncNotReady,
       init(32) + "bar.sync 0;\n" + copies + noinc + f + "ld.shared.u32 %r6, [%r3];" + g + waits,
       32},
      {"CopiesThatNobodyWaitsFor", FaultKind::AsyncLeftOver,
       init(32) + "bar.sync 0;" + f + copies + g + noinc, 32},
      {"CopyBehindTheArrival", FaultKind::AsyncLeftOver,
       init(32) + "bar.sync 0;\n" + noinc + f + copies + g + waits, 32},
      {"OneArrivalTooMany", FaultKind::MBarrier,
       init(32) + "bar.sync 0;\n" + copies + f + noinc + noinc + g + waits, 32},
      {"MoreRegistersThanThereAre", FaultKind::Deadlock,
       exchange(f + "setmaxnreg.inc.sync.aligned.u32 224;" + g,
                "setmaxnreg.dec.sync.aligned.u32 40;\n"),
       256, ".maxnreg 128\n"},
      {"ThreeWarpsOfFour", FaultKind::MissingLanes,
       "setp.lt.u32 %p3, %r0, 32;\n@%p3 exit;" + f + "setmaxnreg.dec.sync.aligned.u32 40;" + g, 128,
       ".maxnreg 128\n"},
      {"TwoWarps", FaultKind::MissingLanes, f + "setmaxnreg.dec.sync.aligned.u32 40;" + g, 64,
       ".maxnreg 128\n"},
      {"TwoPlaces", FaultKind::MissingLanes,
       "setp.lt.u32 %p3, %r0, 64;\n@%p3 bra L;" + f + "setmaxnreg.dec.sync.aligned.u32 40;" +
           "exit;\nL:\nsetmaxnreg.dec.sync.aligned.u32 40;" + g,
       128, ".maxnreg 128\n"},
      {"PartOfAWarp", FaultKind::MissingLanes,
       "setp.eq.u32 %p3, %r0, 5;\n@%p3 bra L;" + f + "setmaxnreg.dec.sync.aligned.u32 40;" + g +
           "L:",
       128, ".maxnreg 128\n"},
      {"CountNotDeclared", FaultKind::Registers, f + "setmaxnreg.dec.sync.aligned.u32 40;" + g,
       128},
      {"DecreaseToMore", FaultKind::Registers, f + "setmaxnreg.dec.sync.aligned.u32 136;" + g, 128,
       ".maxnreg 128\n"},
  };
}

INSTANTIATE_TEST_SUITE_P(Planted, ClusterFaults, testing::ValuesIn(faultCases()),
                         [](const auto &info) { return info.param.name; });

TEST(Clusters, RegistersNeedTheirTarget) {
  std::vector<uint32_t> data(64);
  SimRun run(kernel("setmaxnreg.dec.sync.aligned.u32 40;"));
  run.buffer(data).threads(128);
  Result result = run.run();
  ASSERT_FALSE(result.faults.empty());
  EXPECT_NE(result.faults[0].message.find("needs .target sm_90a"), std::string::npos);
}

} // namespace
