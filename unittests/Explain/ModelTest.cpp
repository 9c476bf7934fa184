//===- ModelTest.cpp - times by what a launch uses ------------------------===//

#include "Model.h"

#include <gtest/gtest.h>

using namespace tritium::explain;

namespace {

/// Of CTAs that issue a million instructions each on an H200, as many as `ctas` on each of its
/// multiprocessors, `resident` at a time.
LaunchFacts launchOf(double ctas, double resident, double warps) {
  LaunchFacts made;
  made.capability = 90;
  made.multiprocessors = 132;
  made.ctas = 132 * ctas;
  made.resident = resident;
  made.warps = warps;
  made.runsAhead = true;
  return made;
}

Work work() {
  Work made;
  made.instructions = 1e6;
  return made;
}

double issueOf(const LaunchFacts &launch) {
  return predict(work(), launch).clocks[size_t(Resource::Issue)];
}

TEST(Model, AWarpUsesOneOfFourParts) {
  double whole = issueOf(launchOf(1, 1, 4));
  EXPECT_DOUBLE_EQ(whole, 1e6 / 4);
  EXPECT_DOUBLE_EQ(issueOf(launchOf(1, 1, 8)), whole);
  EXPECT_DOUBLE_EQ(issueOf(launchOf(1, 1, 2)), 2 * whole);
  EXPECT_DOUBLE_EQ(issueOf(launchOf(1, 1, 1)), 4 * whole);
  // CTAs side by side fill the others.
  EXPECT_DOUBLE_EQ(issueOf(launchOf(2, 2, 2)), 2 * whole);
  EXPECT_DOUBLE_EQ(issueOf(launchOf(2, 1, 2)), 4 * whole);
}

TEST(Model, ACTAAloneWaitsForItsFirstBytes) {
  double latency = ratesOf(90).latency / ratesOf(90).megahertz;
  Prediction alone = predict(work(), launchOf(4, 1, 8)), pairs = predict(work(), launchOf(4, 2, 8));
  EXPECT_NEAR(alone.expected - pairs.expected, 3 * latency, 1e-9);
  // The first one's wait is in the launch.
  EXPECT_NEAR(predict(work(), launchOf(1, 1, 8)).expected,
              predict(work(), launchOf(1, 2, 8)).expected, 1e-9);
}

TEST(Model, WithoutLoadsAheadOnlyOtherCTAsRunMeanwhile) {
  Work loads = work();
  loads.bytesRead = 1 << 20;
  auto latencyOf = [&](double resident, bool runsAhead) {
    LaunchFacts launch = launchOf(4, resident, 8);
    launch.bytesInFlight = 1 << 16;
    launch.runsAhead = runsAhead;
    return predict(loads, launch).clocks[size_t(Resource::Latency)];
  };
  double issue = 1e6;
  EXPECT_NEAR(latencyOf(1, false) - latencyOf(1, true), issue, 1e-3);
  EXPECT_NEAR(latencyOf(4, false) - latencyOf(4, true), issue / 4, 1e-3);
}

} // namespace
