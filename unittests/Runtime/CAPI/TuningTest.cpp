//===- TuningTest.cpp - the tuner through the C interface -----------------===//

#include "KernelFolder.h"

namespace {

constexpr const char *kernels = R"(
import triton
import triton.language as tl

@triton.jit
def add_one(x_ptr, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK != 8, "eight is no block")
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, i < n) + 1, i < n)
)";

class TuningTest : public KernelFolder {
protected:
  static void SetUpTestSuite() { makeFolder("kernels.py", kernels); }
  void TearDown() override {
    tritium_tuned_release(tuned);
    tritium_error_clear(&error);
    unsetenv("TRITIUM_TUNING");
  }

  /// Tunes over the blocks; fills `tuned` or `error`.
  bool tune(std::initializer_list<int> blocks, tritium_tuning tuning = {}, uint32_t rows = 1) {
    tritium_tuned_release(tuned);
    arguments.clear();
    arguments.reserve(blocks.size());
    std::vector<tritium_candidate> candidates;
    labels.assign(blocks.size(), "");
    for (int block : blocks) {
      uint32_t programs = static_cast<uint32_t>((100 + block - 1) / block);
      arguments.push_back({tritium::detail::toArgument(x), tritium::detail::toArgument(100),
                           tritium::detail::toArgument(block)});
      labels[candidates.size()] = "BLOCK=" + std::to_string(block);
      candidates.push_back({kernel.get(),
                            arguments.back().data(),
                            3,
                            nullptr,
                            0,
                            {programs, rows, 1},
                            labels[candidates.size()].c_str()});
    }
    tuning.candidates = candidates.data();
    tuning.count = candidates.size();
    tuning.key = "n=100";
    tuned = tritium_tune(&tuning, &error);
    return tuned != nullptr;
  }
  std::string source() const { return tritium_tuned_source(tuned); }

  tritium::Module module = tritium::load(folder + "/kernels.py");
  tritium::Kernel kernel = module.kernel("add_one");
  std::vector<float> x = std::vector<float>(100, 5);
  std::vector<std::array<tritium_argument, 3>> arguments;
  std::vector<std::string> labels;
  tritium_tuned *tuned = nullptr;
  tritium_error error = {};
};

TEST_F(TuningTest, MeasuresOnceAndLeavesNoTrace) {
  ASSERT_TRUE(tune({8, 16, 64})) << error.rendered;
  EXPECT_EQ(source(), "measured");
  EXPECT_EQ(x, std::vector<float>(100, 5));
  tritium_timing dropped = tritium_tuned_timing(tuned, 0);
  ASSERT_TRUE(dropped.is_known && dropped.reason);
  EXPECT_NE(std::string(dropped.reason).find("eight is no block"), std::string::npos);
  size_t best = tritium_tuned_best(tuned);
  EXPECT_GT(best, 0u);
  for (size_t i : {1, 2}) {
    tritium_timing timing = tritium_tuned_timing(tuned, i);
    EXPECT_TRUE(timing.is_known && !timing.reason && timing.times[0] > 0);
    EXPECT_GE(timing.times[0], tritium_tuned_timing(tuned, best).times[0]);
    EXPECT_LE(timing.times[0], timing.times[1]);
    EXPECT_LE(timing.times[1], timing.times[2]);
  }
  double compile = 0, measure = 0;
  tritium_tuned_seconds(tuned, &compile, &measure);
  EXPECT_GT(compile, 0);
  EXPECT_GT(measure, 0);
  EXPECT_FALSE(tritium_tuned_timing(tuned, 3).is_known);
  ASSERT_TRUE(tune({64, 16}));
  EXPECT_EQ(source(), "recorded");
  tritium_cache_clear("other");
  ASSERT_TRUE(tune({64, 16}));
  EXPECT_EQ(source(), "recorded");
  EXPECT_GT(tritium_cache_clear("add_one"), 0u);
  ASSERT_TRUE(tune({64, 16}));
  EXPECT_EQ(source(), "measured");
}

TEST_F(TuningTest, AGridWithAZeroDecidesNothing) {
  ASSERT_TRUE(tune({64, 16}, {}, 0)) << error.rendered;
  EXPECT_EQ(source(), "first");
  EXPECT_TRUE(tritium_tuned_is_for_this_call_only(tuned));
  ASSERT_TRUE(tune({64, 16}));
  EXPECT_FALSE(tritium_tuned_is_for_this_call_only(tuned));
  EXPECT_NE(source(), "first");
}

TEST_F(TuningTest, OneCandidate) {
  ASSERT_TRUE(tune({32}));
  EXPECT_EQ(source(), "only");
  EXPECT_EQ(x[0], 5);
}

TEST_F(TuningTest, AsTheEnvironmentSays) {
  setenv("TRITIUM_TUNING", "first", 1);
  ASSERT_TRUE(tune({8, 32, 128}));
  EXPECT_EQ(source(), "first");
  EXPECT_EQ(tritium_tuned_best(tuned), 1u);
  setenv("TRITIUM_TUNING", "never", 1);
  ASSERT_FALSE(tune({32, 128}));
  EXPECT_STREQ(error.kind, "OptionError");
}

TEST_F(TuningTest, Hooks) {
  struct State {
    int before = 0, after = 0, stopAt = -1;
  } state;
  tritium_tuning tuning = {};
  tuning.ignore_record = 1;
  tuning.user = &state;
  tuning.before = [](void *user, size_t) {
    auto *state = static_cast<State *>(user);
    return ++state->before == state->stopAt ? 1 : 0;
  };
  tuning.after = [](void *user, size_t, const tritium_error *failure) {
    EXPECT_FALSE(failure);
    ++static_cast<State *>(user)->after;
    return 0;
  };
  tuning.measure = [](void *, size_t candidate, tritium_trial *trial, double times[3]) {
    tritium_error error = {};
    EXPECT_EQ(tritium_trial_run(trial, &error), 0);
    EXPECT_EQ(tritium_trial_run(trial, nullptr), 0);
    times[0] = times[1] = times[2] = 10.0 - static_cast<double>(candidate);
    return 0;
  };
  ASSERT_TRUE(tune({16, 32, 64}, tuning)) << error.rendered;
  EXPECT_EQ(tritium_tuned_best(tuned), 2u);
  EXPECT_EQ(state.before, 6);
  EXPECT_EQ(state.after, 6);
  tuning.measure = nullptr;
  state = {0, 0, 2};
  ASSERT_FALSE(tune({16, 32, 64}, tuning));
  EXPECT_STREQ(error.kind, "Stopped");
  EXPECT_EQ(state.after, 1);
  EXPECT_EQ(x, std::vector<float>(100, 5));
}

TEST_F(TuningTest, ErrorsOfAll) {
  ASSERT_FALSE(tune({8, 8}));
  EXPECT_STREQ(error.kind, "CompileTimeAssertionFailure");
  tritium_tuning none = {};
  EXPECT_FALSE(tritium_tune(&none, &error));
  EXPECT_STREQ(error.kind, "AutotunerError");
  // What is wrong with every launch is not a matter of tuning.
  x.clear();
  const std::vector<float> constant(100);
  tritium_argument arguments[3] = {tritium::detail::toArgument(constant),
                                   tritium::detail::toArgument(100),
                                   tritium::detail::toArgument(16)};
  tritium_candidate twice[2] = {{kernel.get(), arguments, 3, nullptr, 0, {1, 1, 1}, "a"},
                                {kernel.get(), arguments, 3, nullptr, 0, {1, 1, 1}, "b"}};
  tritium_tuning tuning = {};
  tuning.candidates = twice;
  tuning.count = 2;
  EXPECT_FALSE(tritium_tune(&tuning, &error));
  EXPECT_STREQ(error.kind, "ArgumentError");
}

} // namespace
