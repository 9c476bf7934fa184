//===- WaitingProgramsTest.cpp --------------------------------------------===//

#include "WaitingPrograms.h"
#include "ThreadPool.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <functional>

using namespace tritium::runtime;

namespace {

/// Runs `body(all, program)` for each program on so many threads.
class WaitingProgramsTest : public testing::TestWithParam<unsigned> {
protected:
  Interruptible work;
  std::optional<WaitingPrograms::Stuck> stuck;

  void SetUp() override { setThreadCount(GetParam()); }
  void TearDown() override {
    setThreadCount(0);
    unsetenv("TRITIUM_WAIT_SECONDS");
  }
  void run(int64_t programs, std::function<void(WaitingPrograms &, int64_t)> body) {
    auto runner = [&](WaitingPrograms &all) {
      for (int64_t program; all.next(program);)
        body(all, program);
    };
    WaitingPrograms all(programs, GetParam(), runner, work);
    all.run();
    stuck = all.stuckAt();
  }
  /// Waits as a kernel does; false if the program is to end.
  static bool waitUntil(WaitingPrograms &all, int64_t program, std::function<bool()> holds) {
    for (uint32_t rounds = 1; !holds(); ++rounds)
      if (rounds % 64 == 0 && all.wait({"k.py", 7, {uint32_t(program), 0, 0}}, rounds))
        return false;
    return true;
  }
};

TEST_P(WaitingProgramsTest, RunsEachProgramOnce) {
  std::vector<std::atomic<int>> seen(1000);
  run(1000, [&](WaitingPrograms &, int64_t program) { ++seen[program]; });
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](auto &count) { return count == 1; }));
  EXPECT_FALSE(work.isStopped());
}

TEST_P(WaitingProgramsTest, EarlierProgramsMayWaitForLaterOnes) {
  constexpr int64_t n = 300;
  std::vector<std::atomic<int>> done(n + 1);
  done[n] = 1;
  run(n, [&](WaitingPrograms &all, int64_t program) {
    if (waitUntil(all, program, [&] { return done[program + 1] != 0; }))
      done[program] = 1;
  });
  EXPECT_TRUE(std::all_of(done.begin(), done.end(), [](auto &flag) { return flag == 1; }));
  EXPECT_FALSE(stuck);
}

TEST_P(WaitingProgramsTest, AllMayMeet) {
  std::atomic<int> arrived{0}, left{0};
  run(100, [&](WaitingPrograms &all, int64_t program) {
    ++arrived;
    if (waitUntil(all, program, [&] { return arrived == 100; }))
      ++left;
  });
  EXPECT_EQ(left, 100);
}

/// No more run at once than were asked for.
TEST_P(WaitingProgramsTest, AtMostSoManyRunAtOnce) {
  std::atomic<unsigned> running{0}, most{0};
  std::atomic<int> arrived{0};
  run(20, [&](WaitingPrograms &all, int64_t program) {
    ++arrived;
    waitUntil(all, program, [&] {
      unsigned now = ++running;
      if (now > most)
        most = now;
      std::this_thread::yield();
      --running;
      return arrived == 20;
    });
  });
  EXPECT_LE(most, GetParam());
}

TEST_P(WaitingProgramsTest, AWaitForEverEnds) {
  setenv("TRITIUM_WAIT_SECONDS", "0.2", 1);
  std::atomic<int> ended{0};
  run(10, [&](WaitingPrograms &all, int64_t program) {
    EXPECT_FALSE(waitUntil(all, program, [] { return false; }));
    ++ended;
  });
  EXPECT_EQ(ended, 10);
  ASSERT_TRUE(stuck);
  EXPECT_EQ(stuck->line, 7);
  EXPECT_NE(stuck->reason.find("all 10 that have begun"), std::string::npos) << stuck->reason;
}

TEST_P(WaitingProgramsTest, OneThatComputesIsNoReasonToGiveUp) {
  setenv("TRITIUM_WAIT_SECONDS", "0.1", 1);
  std::atomic<bool> flag{false};
  run(4, [&](WaitingPrograms &all, int64_t program) {
    if (program == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(600));
      flag = true;
    } else {
      EXPECT_TRUE(waitUntil(all, program, [&] { return flag.load(); }));
    }
  });
  EXPECT_FALSE(stuck);
}

TEST_P(WaitingProgramsTest, InterruptsEndAllOfThem) {
  std::atomic<int> ended{0};
  std::atomic<bool> isRunning{false};
  std::thread other([&] {
    while (!isRunning)
      std::this_thread::yield();
    cancelAll();
  });
  run(50, [&](WaitingPrograms &all, int64_t program) {
    if (program >= 20)
      isRunning = true;
    EXPECT_FALSE(waitUntil(all, program, [] { return false; }));
    ++ended;
  });
  other.join();
  EXPECT_GT(ended, 20);
  EXPECT_TRUE(work.isStopped());
  EXPECT_FALSE(stuck);
}

INSTANTIATE_TEST_SUITE_P(Threads, WaitingProgramsTest, testing::Values(1u, 2u, 5u));

} // namespace
