//===- TargetTest.cpp - names of targets ----------------------------------===//

#include "tritium/Kernel/Target.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tritium;
using testing::HasSubstr;

namespace {

Target parsed(const char *text) {
  std::string error;
  std::optional<Target> target = Target::parse(text, error);
  EXPECT_TRUE(target) << error;
  return target.value_or(Target());
}

std::string refusal(const char *text) {
  std::string error;
  EXPECT_FALSE(Target::parse(text, error)) << text;
  return error;
}

} // namespace

TEST(Target, NamesAreReadAsTheyArePrinted) {
  for (const char *name : {"cpu", "cpu:haswell", "interpret", "cuda:80", "cuda:100", "sim:75"})
    EXPECT_EQ(parsed(name).str(), name);
}

TEST(Target, Parts) {
  Target cpu = parsed("cpu:haswell");
  EXPECT_TRUE(cpu.is(kCPU) && !cpu.isGPU());
  EXPECT_EQ(cpu.cpuName(), "haswell");
  EXPECT_EQ(cpu.platform(), "cpu");
  EXPECT_EQ(parsed("cpu"), Target());
  Target gpu = parsed("sim:sm_90");
  EXPECT_TRUE(gpu.is(kSimulator) && gpu.isGPU());
  EXPECT_EQ(gpu.architecture(), 90u);
  EXPECT_EQ(gpu.platform(), "sim:90");
  EXPECT_NE(gpu, parsed("cuda:90"));
  EXPECT_EQ(gpu, parsed("sim:sm90"));
  EXPECT_EQ(cpu.withKind(kInterpreter).withKind(kCPU), cpu);
}

TEST(Target, NamesThatAreNone) {
  for (const char *name : {"cuda", "cuda:", "cuda:x", "cuda:90a", "cuda:-1", "cuda:0", "cuda:1000"})
    EXPECT_THAT(refusal(name), HasSubstr("write cuda:80 for a GPU of compute capability 8.0"));
  for (const char *name : {"", "haswell", "cpu:", "interpret:x", "vulkan", "tpu:5", ":", "sim80"})
    EXPECT_THAT(refusal(name), HasSubstr("there are: cpu[:NAME], interpret, cuda:NN, sim:NN"));
  for (const char *name : {"sm_90", "sm90"})
    EXPECT_THAT(refusal(name), HasSubstr("write cuda:90, or sim:90"));
}

TEST(Target, KindsOfOthers) {
  static constexpr TargetKind kind{"other", "other:NN", true, false, true};
  addTargetKind(kind);
  addTargetKind(kind);
  EXPECT_EQ(std::ranges::count(targetKinds(), &kind), 1);
  EXPECT_TRUE(parsed("other:7").is(kind));
  EXPECT_THAT(refusal("vulkan"), HasSubstr("sim:NN, other:NN"));
}
