#include "ChildProcess.h"
#include "HostOutput.h"
#include "Interrupt.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <unistd.h>

using namespace tritium::runtime;

namespace {

TEST(ChildProcess, SaysWhatItHasDoneToItsOwnMemory) {
  int number = 1;
  std::string why;
  std::optional<std::string> said = inChildProcess(
      [&] {
        ++number;
        return std::string(1 << 20, 'x') + std::to_string(number);
      },
      why);
  ASSERT_TRUE(said) << why;
  EXPECT_EQ(said->substr(1 << 20), "2");
  EXPECT_EQ(number, 1);
}

TEST(ChildProcess, PrintsByTheCallersPrinter) {
  std::string printed, why;
  setPrinter([](void *user, const char *text,
                size_t size) { static_cast<std::string *>(user)->append(text, size); },
             &printed);
  std::optional<std::string> said = inChildProcess(
      [] {
        printText("one\n");
        printText("two\n");
        return std::string("said");
      },
      why);
  setPrinter(nullptr, nullptr);
  EXPECT_EQ(said, "said") << why;
  EXPECT_EQ(printed, "one\ntwo\n");
}

TEST(ChildProcess, MayHaveNothingToSay) {
  std::string why;
  EXPECT_EQ(inChildProcess([] { return std::string(); }, why), "");
}

TEST(ChildProcess, SaysWhyItEndedEarly) {
  std::string why;
  EXPECT_FALSE(inChildProcess(
      []() -> std::string {
        std::signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
        return "";
      },
      why));
  EXPECT_EQ(why, "a child process ended by Segmentation fault");
  EXPECT_FALSE(inChildProcess([]() -> std::string { throw std::bad_alloc(); }, why));
  EXPECT_EQ(why, "a child process ended early");
}

/// As a host's handler does, which waits for all children.
TEST(ChildProcess, IsHeardWhereItsStatusIsIgnored) {
  auto *previous = std::signal(SIGCHLD, SIG_IGN);
  std::string why;
  EXPECT_EQ(inChildProcess([] { return std::string("said"); }, why), "said") << why;
  std::signal(SIGCHLD, previous);
}

TEST(ChildProcess, EndsWithTheCallersWork) {
  Interruptible work;
  std::atomic<bool> isOver{false};
  std::thread other([&] {
    while (!isOver) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      cancelAll();
    }
  });
  std::string why;
  EXPECT_FALSE(inChildProcess(
      []() -> std::string {
        while (true)
          pause();
      },
      why));
  EXPECT_EQ(why, "interrupted");
  isOver = true;
  other.join();
}

/// It would wait for ever for the host's interpreter, whose thread is not there.
TEST(ChildProcess, AsksTheHostNothing) {
  static std::atomic<int> asked;
  asked = 0;
  setInterruptCheck([](void *) { return ++asked, 0; }, nullptr);
  std::string why;
  std::optional<std::string> said = inChildProcess(
      [] {
        int before = asked;
        Interruptible work;
        for (int i = 0; i < 300; ++i) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          work.poll();
        }
        return std::to_string(asked - before);
      },
      why);
  setInterruptCheck(nullptr, nullptr);
  EXPECT_EQ(said, "0") << why;
}

} // namespace
