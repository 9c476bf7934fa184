//===- SeveralCTAsTest.cpp - clusters of several CTAs ---------------------===//
//
// Each CTA has 64 threads. CTA r of a cluster of C gets what its neighbour r + 1 has.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

using namespace tritium::sim;
using namespace tritium::sim::test;

namespace {

const std::string fault = "\n.loc 1 77 0\n", fine = "\n.loc 1 5 0\n";
const std::string meet = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
const std::string begin = "barrier.cluster.arrive.relaxed.aligned;\n"
                          "barrier.cluster.wait.aligned;\n";
/// %r10: the neighbour; %r11: the own number of a thread, of all of the grid, plus 1000.
const std::string names =
    "mov.u32 %r20, %cluster_ctarank;\nmov.u32 %r21, %cluster_nctarank;\nadd.u32 %r10, %r20, 1;\n"
    "rem.u32 %r10, %r10, %r21;\nmov.u32 %r12, %ctaid.x;\nmad.lo.u32 %r11, %r12, 64, %r0;\n"
    "mad.wide.u32 %d9, %r11, 4, %d0;\nadd.u32 %r11, %r11, 1000;\nmov.u32 %r2, s;\n"
    "mad.lo.u32 %r3, %r0, 4, %r2;\nmapa.shared::cluster.u32 %r13, %r3, %r10;\n";
const std::string store = "st.shared::cluster.u32 [%r13], %r11;\n";
const std::string give = "ld.shared.u32 %r6, [%r3];\nst.global.u32 [%d9], %r6;\n";
const std::string fill = "st.shared.u32 [%r3], %r11;\n";
const std::string fetch = "ld.shared::cluster.u32 %r6, [%r13];\nst.global.u32 [%d9], %r6;\n";

Result runClusters(const std::string &body, uint32_t ctas, uint32_t ofCluster, uint64_t seed,
                   std::vector<uint32_t> &data) {
  data.assign(64 * ctas, 0);
  std::string text = kernel(names + body, ".file 1 \"kernel.py\"\n.shared .align 16 .b8 s[256];\n");
  text.insert(text.find(")\n{") + 1,
              ".explicitcluster\n.reqnctapercluster " + std::to_string(ofCluster) + "\n");
  SimRun run(text);
  run.buffer(data).threads(64, ctas);
  run.launch.seed = seed;
  run.launch.stepLimit = 1'000'000;
  return run.run();
}

/// What thread i of the grid has after its CTA got its neighbour's, `from` CTAs further.
uint32_t ofNeighbour(uint32_t i, uint32_t ofCluster, uint32_t from) {
  uint32_t cta = i / 64, first = cta / ofCluster * ofCluster;
  return 1000 + (first + (cta - first + from) % ofCluster) * 64 + i % 64;
}

TEST(SeveralCTAs, Store) {
  for (uint32_t ofCluster : {2, 4, 8})
    for (uint64_t seed : {0, 1, 2, 3}) {
      std::vector<uint32_t> data;
      Result result = runClusters(begin + store + meet + give, 8, ofCluster, seed, data);
      ASSERT_TRUE(result.clean()) << result.renderFaults();
      for (uint32_t i = 0; i < data.size(); ++i)
        ASSERT_EQ(data[i], ofNeighbour(i, ofCluster, ofCluster - 1)) << ofCluster << " " << seed;
    }
}

TEST(SeveralCTAs, Load) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    std::vector<uint32_t> data;
    Result result = runClusters(fill + meet + fetch + meet, 8, 4, seed, data);
    ASSERT_TRUE(result.clean()) << result.renderFaults();
    for (uint32_t i = 0; i < data.size(); ++i)
      ASSERT_EQ(data[i], ofNeighbour(i, 4, 1));
  }
}

TEST(SeveralCTAs, RanksAndNumbers) {
  std::vector<uint32_t> data;
  Result result =
      runClusters("mov.u32 %r14, %clusterid.x;\nmov.u32 %r15, %nclusterid.x;\n"
                  "mad.lo.u32 %r14, %r15, 100, %r14;\nmad.lo.u32 %r14, %r20, 10, %r14;\n"
                  "getctarank.shared::cluster.u32 %r15, %r13;\n"
                  "mad.lo.u32 %r14, %r15, 1000, %r14;\nst.global.u32 [%d9], %r14;\n",
                  8, 4, 0, data);
  ASSERT_TRUE(result.clean()) << result.renderFaults();
  for (uint32_t cta = 0; cta < 8; ++cta)
    EXPECT_EQ(data[64 * cta], 200 + cta / 4 + 10 * (cta % 4) + 1000 * ((cta + 1) % 4));
}

struct Planted {
  const char *name;
  FaultKind kind;
  std::string body;
};
void PrintTo(const Planted &c, std::ostream *out) { *out << c.name; }
class SeveralCTAsFaults : public testing::TestWithParam<Planted> {};

TEST_P(SeveralCTAsFaults, Found) {
  std::vector<uint32_t> data;
  Result result = runClusters(GetParam().body, 4, 4, 0, data);
  auto at = [](const Place &place) { return place.source == "kernel.py:77"; };
  bool found = false;
  for (const Fault &fault : result.faults)
    found |= fault.kind == GetParam().kind && (at(fault.at) || (fault.hasOther && at(fault.other)));
  EXPECT_TRUE(found) << result.renderFaults();
}

std::vector<Planted> planted() {
  const std::string f = fault, g = fine;
  return {
      {"StoreBeforeAllHaveBegun", FaultKind::OutOfBounds, f + store + g + meet + give},
      {"LoadWithoutABarrier", FaultKind::SharedRace,
       begin + f + store + g + "bar.sync 0;\n" + give},
      {"RelaxedHandsNothingOn", FaultKind::SharedRace, begin + f + store + g + begin + give},
      {"StoredAgainTooEarly", FaultKind::SharedRace,
       begin + store + meet + give + f + store + g + meet + give},
      {"EndsBeforeOthersLoad", FaultKind::SharedRace, fill + meet + f + fetch + g},
      {"RankOutsideOfTheCluster", FaultKind::OutOfBounds,
       f + "mapa.shared::cluster.u32 %r13, %r3, %r21;" + g + meet},
      {"AddressOfAnotherCTAInOwnMemory", FaultKind::OutOfBounds,
       begin + f + "st.shared.u32 [%r13], %r11;" + g + meet},
      {"BeyondTheirMemory", FaultKind::OutOfBounds,
       begin + f + "st.shared::cluster.u32 [%r13+4096], %r11;" + g + meet},
      {"OneCTADoesNotCome", FaultKind::Deadlock,
       "setp.eq.u32 %p3, %r20, 0;\n@%p3 bra L;" + f + meet + g +
           "exit;\nL:\nsetp.lt.u32 %p3, %r0, 32;\n@!%p3 exit;\nbar.sync 1, 64;\n"},
  };
}

INSTANTIATE_TEST_SUITE_P(Planted, SeveralCTAsFaults, testing::ValuesIn(planted()),
                         [](const auto &info) { return info.param.name; });

TEST(SeveralCTAs, GridsAreOfWholeClusters) {
  std::vector<uint32_t> data;
  for (auto [ctas, ofCluster, why] :
       {std::tuple(6u, 4u, "no multiple"), std::tuple(16u, 16u, "clusters of 1 to 8")}) {
    Result result = runClusters(meet, ctas, ofCluster, 0, data);
    ASSERT_FALSE(result.faults.empty());
    EXPECT_NE(result.faults[0].message.find(why), std::string::npos) << result.renderFaults();
  }
}

} // namespace
