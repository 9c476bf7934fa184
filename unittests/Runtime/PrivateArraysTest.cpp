//===- PrivateArraysTest.cpp - copies of what launches may write ----------===//

#include "PrivateArrays.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace tritium;
using namespace tritium::runtime;

namespace {

/// A launch on parts of memory of this test's, an argument each.
class PrivateArraysTest : public testing::Test {
protected:
  void SetUp() override { std::iota(memory.begin(), memory.end(), 0); }

  /// The bytes [first, end) of an allocation that is [allocation.first, allocation.second).
  void add(size_t first, size_t end, std::pair<size_t, size_t> allocation, bool isReadOnly) {
    auto base = reinterpret_cast<uint64_t>(memory.data());
    BoundArgument argument;
    argument.slot = argument.begin = base + first;
    argument.end = base + end;
    argument.allocationBegin = base + allocation.first;
    argument.allocationEnd = base + allocation.second;
    argument.isReadOnly = isReadOnly;
    arguments.push_back(argument);
    ParameterInfo parameter;
    parameter.type = {DTypeKind::Int8, 1};
    metadata.parameters.push_back(parameter);
  }

  std::array<unsigned char, 256> memory;
  std::vector<BoundArgument> arguments;
  KernelMetadata metadata;
};

unsigned char *at(const BoundArgument &argument) {
  return reinterpret_cast<unsigned char *>(argument.slot);
}

TEST_F(PrivateArraysTest, WhatIsNotOnlyReadIsACopy) {
  add(0, 64, {0, 64}, /*isReadOnly=*/true);
  add(64, 128, {64, 128}, /*isReadOnly=*/false);
  EXPECT_EQ(PrivateArrays::bytesFor(arguments, metadata), 64u);
  PrivateArrays arrays(arguments, metadata);
  EXPECT_EQ(arrays.arguments()[0].slot, arguments[0].slot);
  unsigned char *copy = at(arrays.arguments()[1]);
  ASSERT_NE(copy, &memory[64]);
  EXPECT_EQ(copy[0], 64);
  EXPECT_EQ(copy[63], 127);
  copy[5] = 0;
  EXPECT_EQ(memory[69], 69);
}

TEST_F(PrivateArraysTest, ViewsOfOneAllocationMoveTogether) {
  add(100, 150, {90, 200}, /*isReadOnly=*/false);
  add(120, 180, {90, 200}, /*isReadOnly=*/true);
  EXPECT_EQ(PrivateArrays::bytesFor(arguments, metadata), 80u);
  PrivateArrays arrays(arguments, metadata);
  const BoundArgument &first = arrays.arguments()[0], &second = arrays.arguments()[1];
  EXPECT_EQ(second.slot - first.slot, 20u);
  EXPECT_TRUE(first.mayMeet(second));
  at(first)[20] = 7;
  EXPECT_EQ(*at(second), 7);
  EXPECT_EQ(memory[120], 120);
}

TEST_F(PrivateArraysTest, CopiesAreAlignedAsTheArraysAre) {
  add(3, 40, {3, 40}, /*isReadOnly=*/false);
  PrivateArrays arrays(arguments, metadata);
  EXPECT_EQ(arrays.arguments()[0].slot % 4096, arguments[0].slot % 4096);
  EXPECT_EQ(arrays.arguments()[0].end - arrays.arguments()[0].begin, 37u);
}

TEST_F(PrivateArraysTest, WhatIsNoArrayStays) {
  add(0, 64, {0, 64}, /*isReadOnly=*/false);
  BoundArgument number;
  number.slot = 5;
  arguments.push_back(number);
  metadata.parameters.emplace_back().type = {DTypeKind::Int32};
  arguments.emplace_back(); // a null pointer
  ParameterInfo &none = metadata.parameters.emplace_back();
  none.type = {DTypeKind::Int8, 1};
  PrivateArrays arrays(arguments, metadata);
  EXPECT_EQ(arrays.arguments()[1].slot, 5u);
  EXPECT_EQ(arrays.arguments()[2].slot, 0u);
}

} // namespace
