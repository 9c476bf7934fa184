//===- WorkClaimTest.cpp --------------------------------------------------===//

#include "WorkClaim.h"

#include "gtest/gtest.h"

#include <atomic>
#include <optional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tritium::runtime;

namespace {

TEST(WorkClaim, OneThreadAtATime) {
  int owner = 0;
  std::atomic<int> inside{0}, most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        WorkClaim claim(&owner, "work");
        int now = ++inside;
        if (now > most)
          most = now;
        --inside;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(most, 1);
}

TEST(WorkClaim, OtherWorkGoesOn) {
  int owner = 0, other = 0, claims = 0;
  WorkClaim claim(&owner, "work");
  ++claims;
  WorkClaim same(&owner, "other work");
  ++claims;
  WorkClaim elsewhere(&other, "work");
  ++claims;
  EXPECT_EQ(claims, 3); // none of them has waited for ever
}

TEST(WorkClaim, AChildClaimsAnew) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the thread sanitizer allows no threads after a fork";
#endif
  int owner = 0;
  std::atomic<bool> isClaimed{false}, isDone{false};
  std::thread thread([&] {
    WorkClaim claim(&owner, "work");
    isClaimed = true;
    while (!isDone)
      std::this_thread::yield();
  });
  while (!isClaimed)
    std::this_thread::yield();
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    WorkClaim claim(&owner, "work");
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  isDone = true;
  thread.join();
  EXPECT_EQ(status, 0);
}

} // namespace
