//===- HostTest.cpp - kernels from C++ ------------------------------------===//

#include "KernelFolder.h"

#include <atomic>
#include <numeric>
#include <thread>

using tritium::Stream;

namespace {

constexpr const char *kernels = R"(
import triton
import triton.language as tl

OFFSET = tl.constexpr(100)

@triton.jit
def helper(x):
    return x + OFFSET

@triton.jit
def scale(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr, SHIFT: tl.constexpr = False):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, i < n) * factor
    if SHIFT:
        x = helper(x)
    tl.store(out_ptr + i, x, i < n)

@triton.jit
def pair(both):
    tl.device_assert(both[0] > 0)

@triton.jit
def reload(src_ptr, dst_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    first = tl.load(src_ptr + i)
    tl.store(dst_ptr + i, first + 1)
    second = tl.load(src_ptr + i)
    tl.store(dst_ptr + i, first * 100 + second)

@triton.jit
def reach(src_ptr, dst_ptr, source, target, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(dst_ptr + target + i, tl.load(src_ptr + source + i))

@triton.jit
def maybe(x_ptr, out_ptr, flag):
    if x_ptr is None:
        tl.store(out_ptr, -1)
    else:
        tl.store(out_ptr, tl.load(x_ptr) + flag)

@triton.jit
def checked(x_ptr):
    tl.device_assert(tl.load(x_ptr) > 0, "must be positive")
    tl.store(x_ptr, 0)

@triton.jit
def endless(flag_ptr, n):
    for i in range(n):
        tl.store(flag_ptr, i + 1)

@triton.jit
def meet(count_ptr, n):
    tl.atomic_add(count_ptr, 1)
    while tl.atomic_add(count_ptr, 0) < n:
        pass

@triton.jit
def broken(x_ptr):
    tl.store(x_ptr, nowhere)
)";

class HostTest : public KernelFolder {
protected:
  static void SetUpTestSuite() { makeFolder("kernels.py", kernels); }

  tritium::Module module = tritium::load(folder + "/kernels.py");
  std::vector<float> x = std::vector<float>(50), out = std::vector<float>(50);
  void SetUp() override { std::iota(x.begin(), x.end(), 0.0f); }
};

TEST_F(HostTest, ListsKernels) {
  EXPECT_EQ(module.kernelNames(),
            (std::vector<std::string>{"helper", "scale", "pair", "reload", "reach", "maybe",
                                      "checked", "endless", "meet", "broken"}));
}

TEST_F(HostTest, Launches) {
  auto scale = module.kernel("scale", {{"BLOCK", 16}});
  scale.launch({4}, Stream{}, x, out, 50, 2.5f);
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(out[i], i * 2.5f);
  const std::vector<float> &constant = x;
  auto shifted = module.kernel("scale", {{"BLOCK", 64}, {"SHIFT", true}, {"num_warps", 2}});
  shifted.launch(1, Stream{}, constant, std::span(out).first(10), 10, 1.0);
  EXPECT_EQ(out[3], 103);
  EXPECT_EQ(out[10], 25);
}

TEST_F(HostTest, TakesEveryKindOfArgument) {
  auto maybe = module.kernel("maybe");
  int32_t in[1] = {41}, result = 0;
  maybe.launch({1}, Stream{}, in, &result, true);
  EXPECT_EQ(result, 42);
  maybe.launch({1}, Stream{}, nullptr, &result, false);
  EXPECT_EQ(result, -1);
  std::vector<double> wide = {0.5};
  maybe.launch({1}, Stream{}, wide, wide, 1.0);
  EXPECT_EQ(wide[0], 1.5);
  uint16_t bf16[2] = {0x3f80, 0}; // 1.0
  tritium::Buffer source{bf16, "bf16", 2, true}, target{bf16 + 1, "bf16", 2};
  maybe.launch({1}, Stream{}, source, target, 2);
  EXPECT_EQ(bf16[1], 0x4040); // 3.0
}

TEST_F(HostTest, BarePointersMayOverlap) {
  auto reload = module.kernel("reload", {{"N", 50}});
  reload.launch({1}, Stream{}, x.data(), x.data());
  EXPECT_EQ(x[7], 708);
  SetUp();
  reload.launch({1}, Stream{}, x, x);
  EXPECT_EQ(x[7], 708);
  SetUp();
  reload.launch({1}, Stream{}, x, out);
  EXPECT_EQ(out[7], 707);
}

TEST_F(HostTest, CancelEndsALaunch) {
  auto endless = module.kernel("endless");
  std::vector<int64_t> flag(1);
  endless.launch({1}, Stream{}, flag, int64_t(1));
  flag[0] = 0;
  std::thread other([&] {
    while (!std::atomic_ref(flag[0]).load())
      std::this_thread::yield();
    tritium::cancel();
  });
  std::string text = errorOf([&] { endless.launch({3}, Stream{}, flag, int64_t(1) << 40); });
  other.join();
  EXPECT_NE(text.find("Interrupted: kernel 'endless' was interrupted"), std::string::npos) << text;
  // What begins later is not ended.
  endless.launch({3}, Stream{}, flag, int64_t(10));
  EXPECT_EQ(flag[0], 10);
}

TEST_F(HostTest, ProgramsThatWait) {
  auto meet = module.kernel("meet");
  for (int threads : {1, 2}) {
    tritium_set_num_threads(threads);
    std::vector<int> count(1);
    meet.launch({30}, Stream{}, count, 30);
    EXPECT_EQ(count[0], 30);
    setenv("TRITIUM_WAIT_SECONDS", "0.2", 1);
    std::string text = errorOf([&] { meet.launch({10}, Stream{}, count, 1000); });
    EXPECT_NE(text.find("DeadlockError: "), std::string::npos) << text;
    unsetenv("TRITIUM_WAIT_SECONDS");
  }
  tritium_set_num_threads(0);
}

TEST_F(HostTest, PartsOfAnAllocationMayOverlap) {
  auto reach = module.kernel("reach", {{"N", 512}});
  std::vector<int32_t> whole(2048);
  std::iota(whole.begin(), whole.end(), 0);
  std::vector<int32_t> right = whole;
  std::copy_n(whole.begin(), 512, right.begin() + 1);
  auto part = [&](size_t from) {
    return tritium::Buffer{whole.data() + from, "i32", 4096, false, -1, whole.data(), 8192};
  };
  reach.launch(1, Stream{}, part(1024), part(0), -1024, 1);
  EXPECT_EQ(whole, right);
}

TEST_F(HostTest, ExplainsErrors) {
  auto has = [](const std::string &text, const char *part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(errorOf([&] { tritium::load("/nowhere.py"); }), "/nowhere.py");
  has(errorOf([&] { module.kernel("scal"); }), "no kernel 'scal' in this file; there are: helper");
  auto scale = module.kernel("scale", {{"BLOCK", 16}});
  has(errorOf([&] { scale.launch({1}, Stream{}, x, out, 50); }), "missing argument 'factor'");
  has(errorOf([&] { scale.launch({1}, Stream{}, x, out, 50, 1.0, 2, 3); }), "got more");
  has(errorOf([&] { scale.launch({-1}, Stream{}, x, out, 50, 1.0); }), "from 0 to 2147483647");
  has(errorOf([&] { scale.launch({1, int64_t(1) << 31}, Stream{}, x, out, 50, 1.0); }),
      "from 0 to 2147483647, but got 2147483648");
  auto misspelt = module.kernel("scale", {{"BLOK", 16}});
  has(errorOf([&] { misspelt.launch({1}, Stream{}, x, out, 50, 1.0); }), "mean 'BLOCK'?");
  const auto &constant = out;
  has(errorOf([&] { scale.launch({1}, Stream{}, x, constant, 50, 1.0); }),
      "writes to 'out_ptr', but that array is read-only");
  std::string text = errorOf([&] { module.kernel("broken").launch({1}, Stream{}, x); });
  has(text, "CompilationError: ");
  has(text, "kernels.py:61:");
  has(text, "nowhere");
  auto checked = module.kernel("checked", {{"debug", true}});
  x[0] = 1;
  checked.launch({1}, Stream{}, x);
  has(errorOf([&] { checked.launch({1}, Stream{}, x); }), "DeviceAssertion: ");
}

TEST_F(HostTest, SimulatedGPU) {
  setenv("TRITIUM_BACKEND", "sim:sm_80", 1);
  tritium::Module simulated = tritium::load(folder + "/kernels.py");
  auto scale = simulated.kernel("scale", {{"BLOCK", 16}, {"num_warps", 2}});
  scale.launch({4}, Stream{}, x, out, 50, 2.5f);
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(out[i], i * 2.5f);
  std::string fault =
      errorOf([&] { scale.launch({4}, Stream{}, x, std::span(out).first(40), 50, 2.5f); });
  EXPECT_NE(fault.find("SimulatorError: "), std::string::npos) << fault;
  EXPECT_NE(fault.find("kernels.py:17:"), std::string::npos) << fault;
  EXPECT_NE(fault.find("'out_ptr' (160 bytes"), std::string::npos) << fault;
  // What lies behind bare pointers is all that the process can read.
  auto reload = simulated.kernel("reload", {{"N", 48}});
  reload.launch({1}, Stream{}, x.data(), x.data() + 2);
  EXPECT_EQ(x[7], 504); // the second load of 5 sees what 3 has stored, 4
  int32_t negative = -1;
  auto checked = simulated.kernel("checked", {{"debug", true}});
  EXPECT_NE(errorOf([&] { checked.launch({1}, Stream{}, &negative); }).find("must be positive"),
            std::string::npos);
  unsetenv("TRITIUM_BACKEND");
}

TEST_F(HostTest, ThreadsShareAKernel) {
  auto scale = module.kernel("scale", {{"BLOCK", 16}});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> mine(50);
      for (int i = 0; i < 100; ++i) {
        scale.launch({4}, Stream{}, x, mine, 50, float(t));
        for (int k = 0; k < 50; ++k)
          wrong += mine[k] != float(k * t);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(HostTest, CompilesAhead) {
  auto scale = module.kernel("scale");
  tritium_specialization parameters[6] = {};
  for (int i = 0; i < 2; ++i) {
    tritium_dtype_parse("*fp32", &parameters[i].type);
    parameters[i].divisibility = 16;
  }
  tritium_dtype_parse("i32", &parameters[2].type);
  tritium_dtype_parse("fp32", &parameters[3].type);
  parameters[2].divisibility = parameters[3].divisibility = 1;
  for (int i = 4; i < 6; ++i)
    parameters[i].is_constexpr = 1;
  parameters[4].value.kind = TRITIUM_INT;
  parameters[4].value.as.integer.low = 32;
  parameters[5].value.kind = TRITIUM_BOOL;
  tritium_error error = {};
  tritium_compiled *compiled =
      tritium_kernel_specialize(scale.get(), parameters, 6, nullptr, 0, "haswell", &error);
  ASSERT_TRUE(compiled) << error.rendered;
  size_t size = 0;
  const char *assembly = tritium_compiled_stage(compiled, "asm", &size, &error);
  ASSERT_TRUE(assembly) << error.rendered;
  EXPECT_NE(std::string(assembly, size).find("ymm"), std::string::npos);
  EXPECT_FALSE(tritium_compiled_stage(compiled, "ptx", &size, &error));
  EXPECT_NE(std::string(error.message).find("ttir, plan, llir, asm, obj"), std::string::npos);
  EXPECT_NE(std::string(tritium_compiled_metadata(compiled)).find("\"cpu\":\"haswell\""),
            std::string::npos);
  tritium_error_clear(&error);
  tritium_compiled_release(compiled);
}

/// What compiling `pair` for the three items says when `names` are those of the tuple.
std::string pairRefused(tritium_kernel *pair, const std::vector<tritium_value> &names,
                        bool isDescriptor = false) {
  std::vector<tritium_specialization> items(3);
  for (tritium_specialization &item : items) {
    tritium_dtype_parse("i32", &item.type);
    item.divisibility = 1;
  }
  tritium_specialization parameter = {};
  parameter.value.kind = TRITIUM_TUPLE;
  parameter.value.as.tuple = {names.data(), names.size()};
  parameter.items = items.data();
  parameter.item_count = items.size();
  parameter.is_descriptor = isDescriptor;
  tritium_error error = {};
  tritium_compiled *compiled =
      tritium_kernel_specialize(pair, &parameter, 1, nullptr, 0, "haswell", &error);
  std::string said = error.message ? error.message : "";
  if (compiled)
    tritium_compiled_release(compiled);
  tritium_error_clear(&error);
  return said;
}

TEST_F(HostTest, RefusesTuplesThatDoNotMatchTheirNames) {
  auto pair = module.kernel("pair");
  tritium_value text = {}, number = {};
  text.kind = TRITIUM_STRING;
  text.as.string = {"a", 1};
  number.kind = TRITIUM_INT;
  const char *rule = "a tuple with names has a text for each of its items";
  EXPECT_EQ(pairRefused(pair.get(), {text, text, text}), "");
  EXPECT_EQ(pairRefused(pair.get(), {text, number, text}), rule);
  EXPECT_EQ(pairRefused(pair.get(), {text, text}), rule);
  EXPECT_NE(pairRefused(pair.get(), {text, text, text}, true), "");
}

} // namespace
