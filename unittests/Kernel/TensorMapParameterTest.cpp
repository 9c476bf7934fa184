//===- TensorMapParameterTest.cpp - tensors that a launch describes -------===//

#include "tritium/Kernel/TensorMapParameter.h"

#include "gtest/gtest.h"

using namespace tritium;

namespace {
constexpr uint32_t kGrid[3] = {1, 1, 1};

std::vector<ScalarStep> argument(int64_t number, uint8_t bits = 32) {
  return {{ScalarStep::Argument, bits, number}};
}
std::vector<ScalarStep> constant(int64_t value) { return {{ScalarStep::Constant, 64, value}}; }

/// f16, of parameters pointer, columns, pitch; 32 rows.
TensorMapParameter halves() {
  TensorMapParameter map;
  map.elementBytes = 2;
  map.box = {64, 8};
  map.shape = {argument(1), constant(32)};
  map.strides = {argument(2)};
  return map;
}

std::string reasonOf(const TensorMapParameter &map, std::vector<uint64_t> slots) {
  std::string why;
  EXPECT_FALSE(valuesOf(map, slots, kGrid, &why));
  EXPECT_FALSE(valuesOf(map, slots, kGrid));
  return why;
}
} // namespace

TEST(TensorMapParameter, Values) {
  std::vector<uint64_t> slots = {0x1000, 60, 72};
  auto values = valuesOf(halves(), slots, kGrid);
  ASSERT_TRUE(values);
  EXPECT_EQ(values->address, 0x1000u);
  EXPECT_EQ(values->shape[0], 60u);
  EXPECT_EQ(values->shape[1], 32u);
  EXPECT_EQ(values->strides[0], 144u);
  EXPECT_EQ(values->shape[2], 0u);
  slots[2] = 80;
  EXPECT_FALSE(*values == *valuesOf(halves(), slots, kGrid));
}

TEST(TensorMapParameter, Start) {
  TensorMapParameter map = halves();
  map.start = argument(1);
  std::vector<uint64_t> slots = {0x1000, 24, 72};
  EXPECT_EQ(valuesOf(map, slots, kGrid)->address, 0x1030u);
  slots[1] = 12; // 24 bytes
  EXPECT_EQ(reasonOf(map, slots), "its address must be a multiple of 16, and is 4120");
}

TEST(TensorMapParameter, WhatTheHardwareCannotTake) {
  EXPECT_EQ(reasonOf(halves(), {0x1008, 60, 72}),
            "its address must be a multiple of 16, and is 4104");
  EXPECT_EQ(reasonOf(halves(), {0, 60, 72}), "its address must be a multiple of 16, and is 0");
  EXPECT_EQ(reasonOf(halves(), {0x1000, 0, 72}),
            "its extents must be from 1 to 4294967296, and one is 0");
  std::string strides = "its strides must be multiples of 8 elements (16 bytes), positive and less "
                        "than 2^40 bytes, and one is ";
  EXPECT_EQ(reasonOf(halves(), {0x1000, 60, 60}), strides + "60");
  EXPECT_EQ(reasonOf(halves(), {0x1000, 60, 0}), strides + "0");
  EXPECT_EQ(reasonOf(halves(), {0x1000, 60, uint32_t(-8)}), strides + "-8");
  TensorMapParameter wide = halves();
  wide.strides = {argument(2, 64)};
  EXPECT_EQ(reasonOf(wide, {0x1000, 60, uint64_t(1) << 39}), strides + "549755813888");
  wide.strides[0].push_back({ScalarStep::Constant, 32, 1 << 30});
  wide.strides[0].push_back({ScalarStep::Product, 32});
  EXPECT_EQ(reasonOf(wide, {0x1000, 60, 8}), strides + "a number that does not fit its type");
}
