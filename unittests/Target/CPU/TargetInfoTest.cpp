//===- TargetInfoTest.cpp - CPU names -------------------------------------===//

#include "tritium/Target/CPU/TargetInfo.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Host.h"
#include "gtest/gtest.h"

using namespace tritium::cpu;

namespace {

TEST(TargetInfo, NativeIsResolvedToAName) {
  TargetInfo info;
  std::string error;
  ASSERT_TRUE(resolveTarget("native", info, error)) << error;
  EXPECT_NE(info.cpu, "native");
  EXPECT_NE(info.cpu, "");
  EXPECT_GE(info.vectorBits, 128u);
}

// The feature string holds only what the CPU's name does not tell; together they must tell
// exactly what the host has.
TEST(TargetInfo, NativeHasTheFeaturesOfTheHost) {
  TargetInfo info;
  std::string error;
  ASSERT_TRUE(resolveTarget("native", info, error)) << error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(info.triple, error);
  ASSERT_TRUE(target);
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(info.triple, info.cpu, info.features));
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    EXPECT_EQ(subtarget->checkFeatures("+" + feature.first().str()), feature.second)
        << feature.first().str();
  }
}

TEST(TargetInfo, FeaturesFollowTheName) {
  TargetInfo info;
  std::string error;
  if (!resolveTarget("haswell", info, error))
    GTEST_SKIP() << error;
  EXPECT_TRUE(info.hasAVX2 && info.hasFMA && info.hasF16C);
  EXPECT_FALSE(info.hasAVX512);
  EXPECT_EQ(info.lanesF32(), 8u);
  EXPECT_EQ(info.vectorRegisters, 16u);

  ASSERT_TRUE(resolveTarget("skylake-avx512", info, error)) << error;
  EXPECT_TRUE(info.hasAVX512);
  EXPECT_EQ(info.lanesF32(), 16u);
  EXPECT_NE(info.features.find("-prefer-256-bit"), std::string::npos);

  ASSERT_TRUE(resolveTarget("x86-64", info, error)) << error;
  EXPECT_FALSE(info.hasFMA || info.hasF16C || info.hasAVX2);
  EXPECT_EQ(info.lanesF32(), 4u);

  EXPECT_FALSE(info.hasLargeFirstCache);
  for (auto [cpu, isLarge] : {std::pair("skylake-avx512", false),
                              {"cascadelake", false},
                              {"icelake-server", true},
                              {"sapphirerapids", true},
                              {"znver4", false}}) {
    ASSERT_TRUE(resolveTarget(cpu, info, error)) << error;
    EXPECT_EQ(info.hasLargeFirstCache, isLarge) << cpu;
  }

  // AVX-512 without BW, DQ and VL does not count.
  ASSERT_TRUE(resolveTarget("knl", info, error)) << error;
  EXPECT_FALSE(info.hasAVX512);
}

TEST(TargetInfo, CpusOfAArch64AreKnownElsewhere) {
  TargetInfo info;
  std::string error;
  for (const char *cpu : {"aarch64", "neoverse-v1"}) {
    ASSERT_TRUE(resolveTarget(cpu, info, error)) << error;
    EXPECT_EQ(info.triple, "aarch64-unknown-linux-gnu");
    EXPECT_TRUE(info.hasFMA && info.hasF16C);
    EXPECT_FALSE(info.isX86 || info.hasAVX2);
    EXPECT_EQ(info.lanesF32(), 4u);
    EXPECT_EQ(info.vectorRegisters, 32u);
  }
  EXPECT_EQ(info.cpu, "neoverse-v1");
}

TEST(TargetInfo, ProductsOfAArch64) {
  struct Case {
    const char *cpu;
    bool dots, brains, blocks; ///< dotprod, bf16, i8mm
  };
  for (const Case &each :
       {Case{"aarch64", false, false, false}, Case{"cortex-a57", false, false, false},
        Case{"neoverse-n1", true, false, false}, Case{"apple-m1", true, false, false},
        Case{"neoverse-v1", true, true, true}, Case{"apple-m2", true, true, true}}) {
    TargetInfo info;
    std::string error;
    ASSERT_TRUE(resolveTarget(each.cpu, info, error)) << error;
    EXPECT_EQ(info.hasDotProduct, each.dots) << each.cpu;
    EXPECT_TRUE(info.hasBF16Dot == each.brains && info.hasBF16Blocks == each.brains) << each.cpu;
    EXPECT_EQ(info.hasByteBlocks, each.blocks) << each.cpu;
  }
}

TEST(TargetInfo, WhatTheHostLacks) {
  TargetInfo info;
  std::string error;
  ASSERT_TRUE(resolveTarget("native", info, error)) << error;
  EXPECT_EQ(lackedByHost("native"), "");
  if (!info.isX86)
    GTEST_SKIP();
  EXPECT_EQ(lackedByHost("x86-64"), "");
  EXPECT_EQ(lackedByHost("aarch64"), "aarch64");
  // No CPU has both.
  EXPECT_NE(lackedByHost("bdver4") + lackedByHost("graniterapids"), "");
  // Of a name that is unknown the compiler says so.
  EXPECT_EQ(lackedByHost("haswel"), "");
}

TEST(TargetInfo, UnknownNameListsNearOnes) {
  TargetInfo info;
  std::string error;
  EXPECT_FALSE(resolveTarget("haswel", info, error));
  EXPECT_NE(error.find("unknown CPU 'haswel'"), std::string::npos) << error;
  if (info.isX86) {
    EXPECT_NE(error.find("haswell"), std::string::npos) << error;
  }
  EXPECT_FALSE(resolveTarget("", info, error));
}

TEST(TargetInfo, CpuWithout64BitModeIsRefused) {
  TargetInfo info;
  std::string error;
  EXPECT_FALSE(resolveTarget("pentium4", info, error));
  EXPECT_NE(error.find("pentium4"), std::string::npos);
}

} // namespace
