//===- StreamingTest.cpp --------------------------------------------------===//

#include "Streaming.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace tritium;
using namespace tritium::runtime;

namespace {

ParameterInfo pointer(uint64_t streamedBytes) {
  ParameterInfo parameter;
  parameter.type = {DTypeKind::Float32, 1};
  parameter.streamedBytes = streamedBytes;
  return parameter;
}

BoundArgument memory(uint64_t bytes) {
  BoundArgument argument;
  argument.begin = 4096;
  argument.end = 4096 + bytes;
  return argument;
}

BoundArgument unknownMemory() {
  BoundArgument argument;
  argument.end = UINT64_MAX;
  return argument;
}

bool isWorthwhile(const std::vector<ParameterInfo> &parameters,
                  const std::vector<BoundArgument> &arguments, uint32_t programs) {
  const uint32_t grid[3] = {programs, 1, 1};
  return StreamingChoice(parameters, 1000).isWorthwhile(arguments, grid);
}

TEST(Streaming, CountsWhatTheLaunchStores) {
  EXPECT_TRUE(isWorthwhile({pointer(100)}, {memory(5000)}, 10));
  EXPECT_FALSE(isWorthwhile({pointer(100)}, {memory(5000)}, 9));   // a part of a large array
  EXPECT_FALSE(isWorthwhile({pointer(100)}, {memory(999)}, 1000)); // the last tile reaches past it
  const uint32_t grid[3] = {2, 5, 1};
  EXPECT_TRUE(StreamingChoice({pointer(100)}, 1000).isWorthwhile({memory(5000)}, grid));
}

TEST(Streaming, BeginsAtTheCacheOrBelowWhatAMachineClaims) {
  EXPECT_GT(streamingThreshold(), 0u);
  EXPECT_LE(streamingThreshold(), 48u << 20);
}

TEST(Streaming, OutputsAddUp) {
  EXPECT_TRUE(isWorthwhile({pointer(100), pointer(100)}, {memory(5000), memory(5000)}, 5));
  // What is not streamed does not count.
  EXPECT_FALSE(isWorthwhile({pointer(100), pointer(0)}, {memory(5000), memory(5000)}, 5));
  EXPECT_FALSE(isWorthwhile({pointer(0)}, {memory(5000)}, 1000));
  EXPECT_FALSE(StreamingChoice().isWorthwhile({memory(5000)}, (const uint32_t[3]){1, 1, 1}));
}

TEST(Streaming, UnknownAmounts) {
  EXPECT_TRUE(isWorthwhile({pointer(kUnknownBytes)}, {memory(1000)}, 1));
  EXPECT_FALSE(isWorthwhile({pointer(kUnknownBytes)}, {memory(999)}, 1));
  EXPECT_TRUE(isWorthwhile({pointer(100)}, {unknownMemory()}, 10));
  EXPECT_FALSE(isWorthwhile({pointer(100)}, {unknownMemory()}, 9));
  EXPECT_FALSE(isWorthwhile({pointer(kUnknownBytes)}, {unknownMemory()}, 1000));
}

TEST(Streaming, Threshold) {
  unsetenv("TRITIUM_STREAMING_BYTES");
  uint64_t cache = streamingThreshold();
  EXPECT_GE(cache, 64u << 10); // a cache of this machine
  setenv("TRITIUM_STREAMING_BYTES", "12345", 1);
  EXPECT_EQ(streamingThreshold(), 12345u);
  for (const char *text : {"", "many", "12k", "-1", "99999999999999999999"}) {
    setenv("TRITIUM_STREAMING_BYTES", text, 1);
    EXPECT_EQ(streamingThreshold(), cache) << text;
  }
  unsetenv("TRITIUM_STREAMING_BYTES");
}

} // namespace
