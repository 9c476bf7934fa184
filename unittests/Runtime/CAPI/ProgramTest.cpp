//===- ProgramTest.cpp - Triton-C from C++ --------------------------------===//

#include "KernelFolder.h"

#include <thread>

using tritium::Grid;
using tritium::Options;
using tritium::Stream;

namespace {

constexpr const char *kernels = R"(
__global__ void accumulate(TYPE *out, int n, float step) {
  int i[SIZE] = get_program_id(0) * SIZE + 0 ... SIZE;
  bool inside[SIZE] = i < n;
  TYPE *p[SIZE] = out + i;
  *?(inside)p = *?(inside)p + step;
}

char __constant__* TABLE = calloc(16);
__global__ void look(int *out, int i) {
  int __constant__* p = (int __constant__*)TABLE;
  *out = *(p + i);
}
)";

class ProgramTest : public KernelFolder {
protected:
  static void SetUpTestSuite() { makeFolder("kernels.tc", kernels); }

  tritium::Kernel kernel(const char *name, tritium::LoadOptions options = {}) {
    return tritium::load(folder + "/kernels.tc", std::move(options)).kernel(name);
  }
  static auto blocks(int n) {
    return [n](const Options &opt) { return Grid(tritium::cdiv(n, opt["SIZE"])); };
  }
  std::vector<float> out = std::vector<float>(100);
};

TEST_F(ProgramTest, LaunchesWithAGridOfTheOptions) {
  auto k = kernel("accumulate", {.defines = {{"TYPE", "float"}, {"SIZE", "16"}}});
  EXPECT_STREQ(k.name(), "accumulate");
  k.launch(blocks(100), Stream{}, out, 100, 2);
  EXPECT_EQ(out, std::vector<float>(100, 2));
  k.launch({7}, Stream{}, std::span(out).first(50), 50, 1.5);
  EXPECT_EQ(out[49], 3.5f);
  EXPECT_EQ(out[50], 2.0f);
}

TEST_F(ProgramTest, NamesOfTheKernels) {
  tritium::LoadOptions options = {.defines = {{"TYPE", "float"}, {"SIZE", "16"}}};
  EXPECT_EQ(tritium::load(folder + "/kernels.tc", options).kernelNames(),
            (std::vector<std::string>{"accumulate", "look"}));
  // Without its macros the file cannot be read.
  EXPECT_THROW(tritium::load(folder + "/kernels.tc").kernelNames(), tritium::Error);
  EXPECT_THROW(tritium::load("/nowhere.tc").kernelNames(), tritium::Error);
}

TEST_F(ProgramTest, BindingsAreMacros) {
  auto module = tritium::load(folder + "/kernels.tc", {.defines = {{"SIZE", "[16, 32]"}}});
  std::vector<double> wide(100);
  auto k = module.kernel("accumulate", {{"TYPE", tritium::DType("fp64")}});
  k.launch([](const Options &opt) { return Grid(tritium::cdiv(100, opt.D<int>("SIZE"))); },
           Stream{}, wide, 100, 2);
  EXPECT_EQ(wide, std::vector<double>(100, 2));
  auto one = module.kernel("accumulate", {{"TYPE", "float"}, {"SIZE", 64}});
  EXPECT_EQ(tritium_program_choice_count(one.getProgram()), 1u);
}

// 14.11: in-place kernels are tuned without a trace; the C interface tells what was chosen.
TEST_F(ProgramTest, TunesLists) {
  auto k = kernel("accumulate",
                  {.defines = {{"TYPE", "float"}, {"SIZE", "[16, 32, 64]"}}, .numWarps = {2, 4}});
  tritium_program *program = k.getProgram();
  ASSERT_EQ(tritium_program_choice_count(program), 6u);
  EXPECT_STREQ(tritium_program_choice_label(program, 1), "SIZE=16, num_warps=4");
  EXPECT_STREQ(tritium_program_choice_value(program, 5, "SIZE"), "64");
  EXPECT_EQ(tritium_program_choice_value(program, 5, "TN"), nullptr);

  tritium_argument arguments[3] = {tritium::detail::toArgument(out),
                                   tritium::detail::toArgument(100),
                                   tritium::detail::toArgument(3)};
  auto grid = [](void *, const tritium_chosen *chosen, uint32_t dims[3]) {
    int64_t size = 0;
    EXPECT_EQ(tritium_chosen_integer(chosen, "SIZE", &size), 0);
    EXPECT_NE(tritium_chosen_integer(chosen, "TYPE", &size), 0);
    dims[0] = static_cast<uint32_t>((100 + size - 1) / size);
    return 0;
  };
  tritium_launched launched = {};
  tritium_error error = {};
  for (int run = 1; run <= 2; ++run) {
    ASSERT_EQ(tritium_program_launch(program, arguments, 3, nullptr, 0, grid, nullptr, nullptr,
                                     &launched, &error),
              0)
        << error.rendered;
    EXPECT_EQ(out, std::vector<float>(100, float(3 * run)));
    ASSERT_EQ(launched.tuned != nullptr, run == 1);
    if (launched.tuned) {
      EXPECT_STREQ(tritium_tuned_source(launched.tuned), "measured");
      EXPECT_EQ(tritium_tuned_best(launched.tuned), launched.choice);
      tritium_timing timing = tritium_tuned_timing(launched.tuned, launched.choice);
      EXPECT_TRUE(timing.is_known && !timing.reason && timing.times[0] > 0);
      tritium_tuned_release(launched.tuned);
    }
    tritium_compiled_release(launched.compiled);
  }
}

TEST_F(ProgramTest, ConstantTables) {
  auto k = kernel("look", {.defines = {{"TYPE", "float"}, {"SIZE", "1"}}});
  int32_t result = 0, content[4] = {1, 2, 3, 4};
  EXPECT_NE(errorOf([&] { k.launch({1}, Stream{}, &result, 2); }).find("has not been filled"),
            std::string::npos);
  k.fill("TABLE", content);
  k.launch({1}, Stream{}, &result, 2);
  EXPECT_EQ(result, 3);
  EXPECT_STREQ(tritium_program_table(k.getProgram(), 0).name, "TABLE");
}

TEST_F(ProgramTest, ExplainsErrors) {
  auto has = [](const std::string &text, const char *part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  tritium::LoadOptions good{.defines = {{"TYPE", "float"}, {"SIZE", "16"}}};
  auto k = kernel("accumulate", good);
  has(errorOf([&] { tritium::load("/nowhere.tc").kernel("k"); }), "/nowhere.tc: no such file");
  has(errorOf([&] { kernel("accumulat", good); }), "accumulat");
  has(errorOf([&] { kernel("accumulate"); }), "TYPE");
  has(errorOf([&] { k.launch({1}, Stream{}, out, 100); }), "takes 3 arguments");
  has(errorOf([&] { k.launch({1}, Stream{}, out, 2.5, 1); }), "parameter 'n' is int, but got 2.5");
  std::vector<int> integers(100);
  has(errorOf([&] { k.launch({1}, Stream{}, integers, 100, 1); }), "an array of int32");
  has(errorOf([&] {
        k.launch([](const Options &opt) { return Grid(opt["TM"]); }, Stream{}, out, 100, 1);
      }),
      "asks for 'TM', which no option defines");
  has(errorOf([&] { tritium::load(folder + "/k.py", good); }), "for files in Triton-C");
  EXPECT_THROW(k.launch([](const Options &) -> Grid { throw 42; }, Stream{}, out, 100, 1), int);
  EXPECT_EQ(out, std::vector<float>(100));
}

TEST_F(ProgramTest, WarnsOfUnusedDefinitions) {
  auto k = kernel("accumulate",
                  {.defines = {{"TYPE", "float"}, {"SIZE", "16"}, {"SIZZE", "1"}, {"W", "1"}}});
  auto told = [&] {
    ::testing::internal::CaptureStderr();
    k.launch([](const Options &opt) { return Grid(opt.D<int>("W")); }, Stream{}, out, 100, 1);
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(told(), "warning: kernel 'accumulate' has no macro 'SIZZE', and the grid does not ask "
                    "for it; did you mean 'SIZE'?\n");
  EXPECT_EQ(told(), "");
  EXPECT_EQ(out[15], 2);
}

TEST_F(ProgramTest, ThreadsTuneOnce) {
  auto k = kernel("accumulate", {.defines = {{"TYPE", "float"}, {"SIZE", "[16, 32]"}}});
  std::vector<std::vector<float>> outs(4, std::vector<float>(64));
  std::vector<std::thread> threads;
  for (auto &mine : outs)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i)
        k.launch(blocks(64), Stream{}, mine, 64, 1);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &mine : outs)
    EXPECT_EQ(mine, std::vector<float>(64, 20));
}

TEST_F(ProgramTest, CompilesAhead) {
  auto k = kernel("accumulate", {.defines = {{"TYPE", "half"}, {"SIZE", "[16, 32]"}}});
  int64_t divisibility[] = {16, 16};
  tritium_error error = {};
  for (size_t choice : {0, 1}) {
    tritium_compiled *compiled = tritium_program_specialize(k.getProgram(), choice, divisibility, 2,
                                                            nullptr, 0, "haswell", &error);
    ASSERT_TRUE(compiled) << error.rendered;
    size_t size = 0;
    const char *text = tritium_compiled_stage(compiled, "ttir", &size, &error);
    EXPECT_NE(std::string(text, size).find(choice ? "32x" : "16x"), std::string::npos);
    tritium_compiled_release(compiled);
  }
  EXPECT_FALSE(
      tritium_program_specialize(k.getProgram(), 2, nullptr, 0, nullptr, 0, nullptr, &error));
  tritium_error_clear(&error);
}

} // namespace
