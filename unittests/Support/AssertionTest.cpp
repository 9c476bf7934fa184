//===- AssertionTest.cpp --------------------------------------------------===//

#include "tritium/Support/Assertion.h"

#include "gtest/gtest.h"

#include <bit>

using namespace tritium;

namespace {
std::string shown(int kind, uint64_t value, std::vector<int64_t> shape = {}, uint32_t element = 0) {
  return failureText({"m", "k.py", 3, kind, std::move(shape)}, {{4, 5, 6}, element, value});
}
} // namespace

TEST(Assertion, Values) {
  EXPECT_EQ(shown(AssertSite::NoValue, 0), "assertion failed in program (4, 5, 6): m");
  EXPECT_EQ(shown(AssertSite::Signed, -1), "m of program (4, 5, 6) is -1");
  EXPECT_EQ(shown(AssertSite::Unsigned, -1), "m of program (4, 5, 6) is 18446744073709551615");
  EXPECT_EQ(shown(AssertSite::Pointer, 4096), "m of program (4, 5, 6) is 0x1000");
  EXPECT_EQ(shown(AssertSite::Float, std::bit_cast<uint64_t>(-0.5)),
            "m of program (4, 5, 6) is -0.5");
}

TEST(Assertion, Elements) {
  EXPECT_EQ(shown(AssertSite::Signed, 7, {8}, 5), "m 5 of program (4, 5, 6) is 7");
  EXPECT_EQ(shown(AssertSite::Signed, 7, {2, 3, 4}, 23), "m (1, 2, 3) of program (4, 5, 6) is 7");
  EXPECT_EQ(shown(AssertSite::Signed, 7, {1}, 0), "m 0 of program (4, 5, 6) is 7");
}
