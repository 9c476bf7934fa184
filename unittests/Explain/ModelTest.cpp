//===- ModelTest.cpp - times by what a launch uses ------------------------===//

#include "Model.h"

#include "tritium/Explain/Explain.h"

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
  EXPECT_DOUBLE_EQ(whole, 0.9 * 1e6 / 4);
  EXPECT_DOUBLE_EQ(issueOf(launchOf(1, 1, 8)), whole);
  EXPECT_DOUBLE_EQ(issueOf(launchOf(1, 1, 2)), 2 * whole);
  EXPECT_DOUBLE_EQ(issueOf(launchOf(1, 1, 1)), 4 * whole);
  // CTAs side by side fill the others.
  EXPECT_DOUBLE_EQ(issueOf(launchOf(2, 2, 2)), 2 * whole);
  EXPECT_DOUBLE_EQ(issueOf(launchOf(2, 1, 2)), 4 * whole);
}

double latencyOf(const Work &work, const LaunchFacts &launch) {
  return predict(work, launch).clocks[size_t(Resource::Latency)];
}

TEST(Model, CTAsSideBySideWaitTogether) {
  Work loads;
  loads.bytesRead = 1 << 20;
  auto of = [&](double resident) {
    LaunchFacts launch = launchOf(4, resident, 8);
    launch.bytesInFlight = 1 << 16;
    launch.runsAhead = false;
    return latencyOf(loads, launch);
  };
  EXPECT_GT(of(4), 0);
  EXPECT_DOUBLE_EQ(of(1), 4 * of(4));
}

TEST(Model, OfLoadsThatRunAheadOnlyTheFirstOnesAreWaitedFor) {
  Work loads;
  loads.bytesRead = 1 << 20;
  LaunchFacts launch = launchOf(1, 1, 8);
  launch.bytesInFlight = 1 << 16;
  launch.bytesRead = launch.ctas * loads.bytesRead;
  double ahead = latencyOf(loads, launch);
  launch.runsAhead = false;
  EXPECT_DOUBLE_EQ(latencyOf(loads, launch), 16 * ahead);
}

TEST(Model, AWarpWaitsForWhatItComputes) {
  Work some = work();
  double alone = latencyOf(some, launchOf(1, 1, 8));
  some.barriers = some.exchanges = 80;
  EXPECT_DOUBLE_EQ(latencyOf(some, launchOf(1, 1, 8)) - alone, 10 * (110 + 8 * 8 + 36));
  // Another CTA does not wait for it.
  EXPECT_DOUBLE_EQ(latencyOf(work(), launchOf(2, 2, 8)), alone);
  EXPECT_DOUBLE_EQ(latencyOf(work(), launchOf(2, 1, 8)), 2 * alone);
}

TEST(Model, MemoryReadsAndWritesEachArrayOnce) {
  Work some;
  some.sectors = some.farSectors = 1 << 20;
  some.bytesRead = 24 << 20;
  some.bytesMoved = 32 << 20;
  auto of = [&](double read, double written) {
    LaunchFacts launch = launchOf(1, 1, 8);
    launch.readArrays = read;
    launch.writtenArrays = written;
    return predict(some, launch).clocks[size_t(Resource::Memory)];
  };
  double bytes = 132.0 * 32 * some.farSectors;
  EXPECT_DOUBLE_EQ(of(bytes, bytes), bytes / 132 / ratesOf(90).memoryBytes);
  EXPECT_DOUBLE_EQ(of(bytes / 4, bytes), bytes / 2 / 132 / ratesOf(90).memoryBytes);
  EXPECT_DOUBLE_EQ(of(0, bytes / 8), bytes / 8 / 132 / ratesOf(90).memoryBytes);
}

TEST(Model, WhatLanesReadTogetherIsNotTakenFromWhatIsWritten) {
  Work some;
  some.farSectors = 1 << 20;
  some.bytesMoved = 32 << 20;
  some.bytesRead = 16 << 20;
  LaunchFacts launch = launchOf(1, 1, 8);
  launch.readArrays = launch.writtenArrays = 132.0 * (16 << 20);
  double once = predict(some, launch).clocks[size_t(Resource::Memory)];
  // All lanes of a warp ask for one number more.
  some.bytesRead += 64 << 20;
  some.bytesMoved += 64 << 20;
  EXPECT_DOUBLE_EQ(predict(some, launch).clocks[size_t(Resource::Memory)], once);
}

TEST(Model, AWarpWaitsForItsPassesOverSharedMemory) {
  Work some = work();
  double before = latencyOf(some, launchOf(1, 1, 8));
  some.wavefronts = some.ownWavefronts = 500;
  EXPECT_DOUBLE_EQ(latencyOf(some, launchOf(1, 1, 8)) - before, 500);
  // Those of copies and fragments are not waited for.
  some.wavefronts += 300;
  EXPECT_DOUBLE_EQ(latencyOf(some, launchOf(1, 1, 8)) - before, 500);
}

TEST(Model, ARequestOfTheL2TakesTheTimeOfTwoSectors) {
  auto of = [](int64_t sectors, int64_t requests) {
    llvm::json::Object counted{{"global_sectors", sectors}, {"l2_requests", requests}};
    return workOf(counted, 1, {}, ratesOf(90)).l2Sectors;
  };
  EXPECT_DOUBLE_EQ(of(4, 1), 4);
  EXPECT_DOUBLE_EQ(of(4, 2), 4);
  EXPECT_DOUBLE_EQ(of(4, 4), 8);
}

TEST(Model, NothingIsComputedBeforeTheFirstAnswer) {
  Work some = work();
  double before = predict(some, launchOf(8, 8, 8)).expected;
  some.bytesRead = 1;
  EXPECT_NEAR(predict(some, launchOf(8, 8, 8)).expected - before, 0.34, 1e-3);
}

TEST(Model, TheCTAThatStartsLastDoesAllThatOneDoes) {
  Work some;
  some.barriers = 80;
  // 32 starts, and then what 10 barriers take.
  EXPECT_DOUBLE_EQ(predict(some, launchOf(32, 32, 8)).best,
                   2.9 + (32 * 138 + 10 * (110 + 8 * 8)) / 1755.0);
}

TEST(Model, WhatIsSimulatedSaysWhatIsWaitedFor) {
  Work some = work();
  some.barriers = 800;
  some.nearWaits = some.farWaits = 1000;
  LaunchFacts launch = launchOf(4, 1, 8);
  launch.pathCTAs = 2;
  launch.near = {2, 0.001};
  launch.far = {4, 0.001};
  launch.isSimulated = true;
  // Of two CTAs of four; memory has all of it.
  EXPECT_DOUBLE_EQ(latencyOf(some, launch), 1.05 * 2 * (4 * 1000 + 1000));
  launch.readArrays = 1;
  launch.bytesRead = 2;
  EXPECT_DOUBLE_EQ(latencyOf(some, launch), 1.05 * 2 * (3 * 1000 + 1000));
  // A line has its part.
  Work line = some;
  line.scale(0.25);
  EXPECT_DOUBLE_EQ(latencyOf(line, launch), latencyOf(some, launch) / 4);
}

TEST(Model, CTAsThatReadTheSameWaitForMemoryTogether) {
  Work some;
  some.nearWaits = some.farWaits = some.commonWaits = 1000;
  LaunchFacts launch = launchOf(1, 1, 8);
  launch.isSimulated = true;
  launch.pathCTAs = 1;
  launch.near = {1, 0};
  launch.common = {2, 0};
  launch.far = {4, 0};
  launch.readArrays = 1;
  launch.bytesRead = 10;
  launch.firstOfCTA = 1;
  // A tenth comes from memory, whose latency all have for a part of what they read first.
  EXPECT_DOUBLE_EQ(latencyOf(some, launch), 1.05 * 1000 * (1 + 0.65 * 1 + 0.1 * 2));
  // Each reads most of it again.
  launch.firstOfCTA = 0.2;
  EXPECT_DOUBLE_EQ(latencyOf(some, launch), 1.05 * 1000 * (1 + 0.13 * 1 + 0.1 * 2));
  // All of it comes from memory: nobody waits for others.
  launch.bytesRead = 1;
  EXPECT_DOUBLE_EQ(latencyOf(some, launch), 1.05 * 1000 * 4);
}

TEST(Model, WhatIsSimulatedBoundsWhereNoResourceIsBusyForLong) {
  Work some = work();
  some.farWaits = 1000;
  LaunchFacts launch = launchOf(1, 1, 8);
  launch.isSimulated = true;
  launch.pathCTAs = 1;
  double issue = issueOf(launch);
  // A quarter more than what issues.
  launch.far = {1.25 * issue / 1.05 / 1000, 0};
  Prediction near = predict(some, launch);
  EXPECT_EQ(near.order[0], Resource::Issue);
  EXPECT_DOUBLE_EQ(near.expected, 2.9 + 1.25 * issue / 1755);
  launch.far.ofWait *= 2;
  Prediction far = predict(some, launch);
  EXPECT_EQ(far.order[0], Resource::Latency);
  EXPECT_DOUBLE_EQ(far.best, 2.9 + 2.5 * issue / 1755);
  EXPECT_DOUBLE_EQ(far.worst, far.best);
  // A kernel takes no less than what it asks of a resource.
  launch.far.ofWait = 0;
  EXPECT_DOUBLE_EQ(predict(some, launch).expected, 2.9 + issue / 1755);
}

TEST(Model, SpilledRegistersComeOnTopOfWhatIsSimulated) {
  Work some = work();
  some.farWaits = 1000;
  LaunchFacts launch = launchOf(1, 1, 8);
  launch.isSimulated = true;
  launch.pathCTAs = 1;
  launch.far = {1, 0};
  double without = latencyOf(some, launch);
  launch.spilledBytes = 1 << 20;
  EXPECT_DOUBLE_EQ(latencyOf(some, launch),
                   without + predict(some, launch).clocks[size_t(Resource::Spills)]);
}

TEST(Model, AGPUIsOneOfItsCapability) {
  EXPECT_STREQ(ratesOf(90).gpu, "H200");
  EXPECT_STREQ(ratesOf(90, "H100").gpu, "H100");
  EXPECT_EQ(ratesOf(87).capability, 86u);
  EXPECT_EQ(ratesOf(120).capability, 90u);
  EXPECT_TRUE(isKnownGPU(90, "H100"));
  EXPECT_TRUE(isKnownGPU(80, "H100"));
  EXPECT_FALSE(isKnownGPU(100, "H100"));
  EXPECT_FALSE(isKnownGPU(80, ""));
  EXPECT_EQ(knownGPUs(90), "H100, H200");
  EXPECT_EQ(capabilityOf(80, "H200"), 90u);
  EXPECT_EQ(capabilityOf(80, ""), 80u);
}

} // namespace
