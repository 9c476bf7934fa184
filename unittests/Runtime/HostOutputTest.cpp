//===- HostOutputTest.cpp -------------------------------------------------===//

#include "HostOutput.h"

#include "gtest/gtest.h"

using namespace tritium;
using namespace tritium::runtime;

namespace {

class HostOutputTest : public testing::Test {
protected:
  std::string text;
  Interruptible work;
  HostOutput output{work};
  TritiumHostCalls calls = output.interpreterCalls();
  uint32_t pid[3] = {1, 2, 3};

  void SetUp() override {
    setPrinter([](void *user, const char *text,
                  size_t size) { static_cast<std::string *>(user)->append(text, size); },
               &text);
  }
  void TearDown() override { setPrinter(nullptr, nullptr); }
  template <typename T>
  std::string print(std::vector<T> data, std::vector<int64_t> shape, int kind, int bits,
                    int hex = 0) {
    text.clear();
    calls.print(calls.user, "x", hex, kind, bits, data.data(), shape.data(), int(shape.size()),
                pid);
    return text;
  }
};

TEST_F(HostOutputTest, PrintsScalarsAndTiles) {
  EXPECT_EQ(print<int32_t>({-5}, {}, 0, 32), "pid (1, 2, 3) idx () x: -5\n");
  EXPECT_EQ(print<uint8_t>({200}, {}, 1, 8), "pid (1, 2, 3) idx () x: 200\n");
  EXPECT_EQ(print<int8_t>({-3}, {}, 0, 8), "pid (1, 2, 3) idx () x: -3\n");
  EXPECT_EQ(print<uint8_t>({1}, {}, 0, 1), "pid (1, 2, 3) idx () x: 1\n");
  EXPECT_EQ(print<int32_t>({255}, {}, 0, 32, 1), "pid (1, 2, 3) idx () x: 0x000000ff\n");
  EXPECT_EQ(print<float>({1.5f, -2}, {2}, 2, 32),
            "pid (1, 2, 3) idx (0) x: 1.500000\npid (1, 2, 3) idx (1) x: -2.000000\n");
  EXPECT_EQ(print<double>({0.25}, {}, 2, 64), "pid (1, 2, 3) idx () x: 0.250000\n");
  EXPECT_EQ(print<int64_t>({1, 2, 3, 4}, {2, 2}, 0, 64),
            "pid (1, 2, 3) idx (0, 0) x: 1\npid (1, 2, 3) idx (0, 1) x: 2\n"
            "pid (1, 2, 3) idx (1, 0) x: 3\npid (1, 2, 3) idx (1, 1) x: 4\n");
}

TEST_F(HostOutputTest, PrintsAPrefixAlone) {
  calls.print(calls.user, "here", 0, 0, 0, nullptr, nullptr, 0, pid);
  EXPECT_EQ(text, "pid (1, 2, 3) idx () here\n");
}

TEST_F(HostOutputTest, KeepsTheFirstFailureInProgramOrder) {
  EXPECT_FALSE(output.failedAssert());
  uint32_t later[] = {5, 0, 1}, earlier[] = {9, 9, 0};
  calls.assertFailed(calls.user, "late", "k.py", 3, later, AssertSite::NoValue, nullptr, 0, 0, 0);
  calls.assertFailed(calls.user, "early", "k.py", 4, earlier, AssertSite::NoValue, nullptr, 0, 0,
                     0);
  calls.assertFailed(calls.user, "late", "k.py", 5, later, AssertSite::NoValue, nullptr, 0, 0, 0);
  ASSERT_TRUE(output.failedAssert());
  EXPECT_EQ(output.failedAssert()->site.message, "early");
  EXPECT_EQ(output.failedAssert()->site.line, 4);
}

bool reached;

void assertingEntry(const uint64_t *, void *, int64_t begin, int64_t, const uint32_t *,
                    const TritiumHostCalls *host) {
  uint32_t pid[] = {uint32_t(begin), 0, 0};
  const int64_t shape[] = {4, 8};
  host->assertFailed(host->user, "stop", "k.py", 7, pid, AssertSite::Unsigned, shape, 2, 9, 5);
  reached = true;
}

TEST_F(HostOutputTest, AFailedAssertionEndsTheCall) {
  uint32_t grid[] = {4, 1, 1};
  reached = false;
  output.run(assertingEntry, nullptr, nullptr, 2, 4, grid);
  EXPECT_FALSE(reached);
  ASSERT_TRUE(output.failedAssert());
  EXPECT_EQ(output.failedAssert()->failure.pid[0], 2u);
  EXPECT_EQ(failureText(output.failedAssert()->site, output.failedAssert()->failure),
            "stop (1, 1) of program (2, 0, 0) is 5");
}

} // namespace
