//===- HostSymbolsTest.cpp ------------------------------------------------===//

#include "backends/cpu/HostSymbols.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string>

using namespace tritium::runtime;

namespace {

void *find(const std::string &name) {
  for (auto [known, address] : hostSymbols())
    if (name == known)
      return address;
  return nullptr;
}

TEST(HostSymbols, AreThereAndDistinct) {
  std::set<std::string> names;
  for (auto [name, address] : hostSymbols()) {
    EXPECT_NE(address, nullptr) << name;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  auto power = reinterpret_cast<float (*)(float, float)>(find("powf"));
  EXPECT_EQ(power(2, 10), 1024);
}

/// Every half, and the values between neighbours, against the compiler's conversions.
TEST(HostSymbols, HalfConversionsRoundToNearestEven) {
  auto fromDouble = reinterpret_cast<_Float16 (*)(double)>(find("__truncdfhf2"));
  auto fromFloat = reinterpret_cast<_Float16 (*)(float)>(find("__truncsfhf2"));
  auto toFloat = reinterpret_cast<float (*)(_Float16)>(find("__extendhfsf2"));
  auto bits = [](_Float16 half) { return std::bit_cast<uint16_t>(half); };
  for (uint32_t code = 0; code < 0x7c00; ++code) {
    double value = code < 0x400 ? std::ldexp(code, -24)
                                : std::ldexp(1024 + (code & 0x3ff), int(code >> 10) - 25);
    double next = code + 1 < 0x400
                      ? std::ldexp(code + 1, -24)
                      : std::ldexp(1024 + ((code + 1) & 0x3ff), int((code + 1) >> 10) - 25);
    ASSERT_EQ(toFloat(std::bit_cast<_Float16>(uint16_t(code))), value);
    ASSERT_EQ(bits(fromDouble(value)), code);
    ASSERT_EQ(bits(fromFloat(-value)), code | 0x8000);
    double middle = (value + next) / 2;
    uint32_t even = code & 1 ? code + 1 : code;
    ASSERT_EQ(bits(fromDouble(middle)), even) << code;
    ASSERT_EQ(bits(fromDouble(std::nextafter(middle, 0))), code);
    ASSERT_EQ(bits(fromDouble(std::nextafter(middle, 1e9))), code + 1);
  }
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(bits(fromDouble(infinity)), 0x7c00);
  EXPECT_EQ(bits(fromDouble(1e10)), 0x7c00);
  EXPECT_EQ(bits(fromDouble(1e-10)), 0);
  EXPECT_TRUE(std::isnan(toFloat(fromDouble(std::nan("")))));
  EXPECT_EQ(toFloat(std::bit_cast<_Float16>(uint16_t(0xfc00))), -infinity);
}

} // namespace
