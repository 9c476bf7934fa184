#include "tritium/Support/Threads.h"

#include "NoMoreThreads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

using namespace tritium;
using namespace tritium::testing;

namespace {

/// How often each number came.
std::vector<int> callsOf(size_t count) {
  std::vector<std::atomic<int>> calls(count);
  onAllCores(count, [&](size_t i) { ++calls[i]; });
  return {calls.begin(), calls.end()};
}

TEST(OnAllCores, CallsOnceWithEachNumber) {
  EXPECT_EQ(callsOf(0), std::vector<int>());
  EXPECT_EQ(callsOf(1), std::vector<int>(1, 1));
  EXPECT_EQ(callsOf(1000), std::vector<int>(1000, 1));
}

TEST(OnAllCores, PollsOnTheCallersThread) {
  std::atomic<bool> isPolled{false};
  std::thread::id caller = std::this_thread::get_id(), polling, working;
  onAllCores(
      1,
      [&](size_t) {
        working = std::this_thread::get_id();
        while (!isPolled)
          std::this_thread::yield();
      },
      [&] {
        polling = std::this_thread::get_id();
        isPolled = true;
      });
  EXPECT_EQ(polling, caller);
  EXPECT_NE(working, caller);
}

TEST(OnAllCores, WorksWhereThereAreNoThreads) {
  NoMoreThreads none;
  EXPECT_EQ(callsOf(10), std::vector<int>(10, 1));
}

} // namespace
