//===- ExceptionTest.cpp - no exception leaves the C interface ------------===//
//
// Callbacks of the host that throw, and memory that ends at each allocation in turn. The latter
// only where nothing is read, compiled, described or listed: LLVM and the standard library's
// iterators of folders do not survive it.
//
//===----------------------------------------------------------------------===//

#include "KernelFolder.h"

#include <new>
#include <stdexcept>

//===-- Memory that ends --------------------------------------------------===//

namespace {
constexpr int unlimited = -1;
/// How many allocations of this thread still succeed.
thread_local int allocationsLeft = unlimited;
thread_local bool hasFailed = false;
} // namespace

void *operator new(size_t size) {
  if (allocationsLeft == 0) {
    hasFailed = true;
    throw std::bad_alloc();
  }
  if (allocationsLeft > 0)
    --allocationsLeft;
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {

constexpr const char *kernels = R"(
import triton
import triton.language as tl

@triton.jit
def add_one(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, i < n) + 1, i < n)

@triton.jit
def printing(x_ptr):
    tl.device_print("x", tl.load(x_ptr))
    tl.store(x_ptr, 7)

@triton.jit
def endless(x_ptr, n):
    for i in range(n):
        tl.store(x_ptr, i)
)";

int released = 0;

class ExceptionTest : public KernelFolder {
protected:
  static void SetUpTestSuite() { makeFolder("kernels.py", kernels); }
  void SetUp() override { released = 0; }
  void TearDown() override {
    tritium_error_clear(&error);
    tritium_set_printer(nullptr, nullptr);
  }

  /// A kernel that asks for the name VALUE, which `lookup` answers for.
  static tritium_source source(int (*lookup)(void *, const char *, tritium_external *)) {
    tritium_source source = {};
    source.name = "asking";
    source.file = "asking.py";
    source.first_line = 1;
    source.text = "def asking(x_ptr):\n    tl.store(x_ptr, VALUE)\n";
    source.scope.lookup = lookup;
    source.scope.release = [](void *) { ++released; };
    return source;
  }
  static int lookupLanguage(const char *name, tritium_external *result) {
    if (std::string(name) != "tl")
      return 0;
    tritium_external_set_library_module(result, "triton.language");
    return 1;
  }
  /// The kind and message with which a launch of such a kernel fails.
  std::string failureOf(int (*lookup)(void *, const char *, tritium_external *)) {
    tritium_source asking = source(lookup);
    tritium_kernel *kernel = tritium_kernel_create(&asking, nullptr, &error);
    tritium_argument argument = tritium::detail::toArgument(x);
    uint32_t grid[3] = {1, 1, 1};
    bool isDone =
        tritium_kernel_launch(kernel, &argument, 1, nullptr, 0, grid, nullptr, &error) == 0;
    tritium_kernel_release(kernel);
    return isDone ? "no error" : std::string(error.kind) + ": " + error.message;
  }

  /// Calls again and again, with memory that ends a bit later each time, until it suffices.
  /// `call` answers whether it was successful; a failure has filled `error`, if it has one.
  template <typename Call> void withLittleMemory(const char *what, Call call) {
    for (int left = 0; left < 20000; ++left) {
      hasFailed = false;
      allocationsLeft = left;
      bool isDone = false, hasThrown = false;
      try {
        isDone = call();
      } catch (...) {
        hasThrown = true;
      }
      allocationsLeft = unlimited;
      ASSERT_FALSE(hasThrown) << what << " with " << left << " allocations";
      if (!hasFailed) {
        EXPECT_TRUE(isDone) << what << ": " << (error.message ? error.message : "");
        return;
      }
      if (!isDone && error.kind)
        EXPECT_STREQ(error.kind, "OutOfMemory") << what;
      tritium_error_clear(&error);
    }
    FAIL() << what << " never has enough";
  }

  tritium::Module module = tritium::load(folder + "/kernels.py");
  std::vector<float> x = std::vector<float>(100, 5);
  tritium_error error = {};
};

//===-- Callbacks ---------------------------------------------------------===//

TEST_F(ExceptionTest, LookupsThatThrow) {
  std::string failure = failureOf([](void *, const char *name, tritium_external *result) {
    if (lookupLanguage(name, result))
      return 1;
    throw std::runtime_error("nobody knows");
  });
  EXPECT_NE(failure.find("CompilationError"), std::string::npos) << failure;
  EXPECT_NE(failure.find("threw an exception: nobody knows"), std::string::npos) << failure;
  EXPECT_EQ(released, 1);
  failure = failureOf([](void *, const char *name, tritium_external *result) {
    if (lookupLanguage(name, result))
      return 1;
    throw 5;
  });
  EXPECT_NE(failure.find("a function of the host threw an exception"), std::string::npos)
      << failure;
}

TEST_F(ExceptionTest, HostFunctionsThatThrow) {
  auto lookup = [](void *, const char *name, tritium_external *result) {
    if (lookupLanguage(name, result))
      return 1;
    auto call = [](void *, const tritium_value *, size_t, const char *const *, size_t,
                   tritium_call *) -> int { throw std::runtime_error("cannot count"); };
    tritium_external_set_host_function(result, name, call, nullptr, [](void *) {
      ++released;
      throw 1;
    });
    return 1;
  };
  tritium_source calling = source(lookup);
  calling.text = "def asking(x_ptr):\n    tl.store(x_ptr, VALUE(3))\n";
  tritium_kernel *kernel = tritium_kernel_create(&calling, nullptr, &error);
  tritium_argument argument = tritium::detail::toArgument(x);
  uint32_t grid[3] = {1, 1, 1};
  EXPECT_NE(tritium_kernel_launch(kernel, &argument, 1, nullptr, 0, grid, nullptr, &error), 0);
  EXPECT_NE(std::string(error.message).find("cannot count"), std::string::npos) << error.message;
  tritium_kernel_release(kernel);
  EXPECT_EQ(released, 2); // the function, whose release throws, and the scope
}

TEST_F(ExceptionTest, ReleasesThatThrow) {
  tritium_source asking = source([](void *, const char *, tritium_external *) { return 0; });
  asking.scope.release = [](void *) {
    ++released;
    throw std::runtime_error("never");
  };
  tritium_kernel_release(tritium_kernel_create(&asking, nullptr, &error));
  EXPECT_EQ(released, 1);
}

TEST_F(ExceptionTest, AScopeIsTakenOverAlsoOnFailure) {
  tritium_source broken = source([](void *, const char *, tritium_external *) { return 0; });
  broken.text = "def asking(:\n";
  EXPECT_EQ(tritium_kernel_create(&broken, nullptr, &error), nullptr);
  EXPECT_EQ(released, 1);
}

TEST_F(ExceptionTest, TuningHooksThatThrow) {
  tritium::Kernel kernel = module.kernel("add_one");
  tritium_argument arguments[2][3];
  tritium_candidate candidates[2] = {};
  for (int i = 0; i < 2; ++i) {
    arguments[i][0] = tritium::detail::toArgument(x);
    arguments[i][1] = tritium::detail::toArgument(100);
    arguments[i][2] = tritium::detail::toArgument(64 * (i + 1));
    candidates[i].kernel = kernel.get();
    candidates[i].arguments = arguments[i];
    candidates[i].count = 3;
    candidates[i].grid[0] = 2;
    candidates[i].grid[1] = candidates[i].grid[2] = 1;
    candidates[i].label = i ? "128" : "64";
  }
  tritium_tuning plain = {};
  plain.candidates = candidates;
  plain.count = 2;
  plain.key = "";
  plain.ignore_record = 1;
  tritium_tuning before = plain, after = plain, measure = plain;
  before.before = [](void *, size_t) -> int { throw std::runtime_error("enough"); };
  after.after = [](void *, size_t, const tritium_error *) -> int {
    throw std::runtime_error("enough");
  };
  measure.measure = [](void *, size_t, tritium_trial *trial, double *) -> int {
    tritium_trial_run(trial, nullptr);
    throw std::runtime_error("enough");
  };
  for (const tritium_tuning &tuning : {before, after, measure}) {
    EXPECT_EQ(tritium_tune(&tuning, &error), nullptr);
    EXPECT_STREQ(error.kind, "Stopped");
    EXPECT_NE(std::string(error.message).find("enough"), std::string::npos) << error.message;
    EXPECT_EQ(x, std::vector<float>(100, 5)); // as before
  }
}

TEST_F(ExceptionTest, GridFunctionsAndVisitorsThatThrow) {
  tritium_program_source text = {};
  text.text = "void one(float *x) { *x = 1; }";
  text.file = "one.tc";
  tritium_program *program = tritium_program_create(&text, nullptr, &error);
  ASSERT_TRUE(program) << error.message;
  tritium_argument argument = tritium::detail::toArgument(x);
  auto grid = [](void *, const tritium_chosen *, uint32_t *) -> int {
    throw std::runtime_error("no grid");
  };
  EXPECT_NE(tritium_program_launch(program, &argument, 1, nullptr, 0, grid, nullptr, nullptr,
                                   nullptr, &error),
            0);
  EXPECT_STREQ(error.kind, "Stopped");
  EXPECT_NE(std::string(error.message).find("no grid"), std::string::npos) << error.message;
  tritium_program_release(program);
  tritium_cache_list([](void *, const tritium_cache_entry *) { throw 1; }, nullptr);
}

TEST_F(ExceptionTest, PrintersThatThrow) {
  tritium_set_printer([](void *, const char *, size_t) { throw std::runtime_error("no paper"); },
                      nullptr);
  module.kernel("printing").launch(1, tritium::Stream{}, x);
  EXPECT_EQ(x[0], 7);
}

TEST_F(ExceptionTest, InterruptChecksThatThrow) {
  tritium_set_interrupt_check([](void *) -> int { throw std::runtime_error("no"); }, nullptr);
  std::string kind;
  try {
    module.kernel("endless").launch(1, tritium::Stream{}, x, int64_t(1) << 40);
  } catch (const tritium::Error &thrown) {
    kind = thrown.kind;
  }
  tritium_set_interrupt_check(nullptr, nullptr);
  EXPECT_EQ(kind, "Interrupted");
}

//===-- Little memory -----------------------------------------------------===//

TEST_F(ExceptionTest, NoMemoryForKernels) {
  tritium_dtype type;
  withLittleMemory("dtype_parse", [&] { return tritium_dtype_parse("*fp32", &type) == 0; });
  tritium::Kernel kernel = module.kernel("add_one");
  withLittleMemory("unknown_name", [&] {
    tritium_error found = {};
    tritium_kernel_unknown_name(kernel.get(), "BLOK", &found);
    bool isGood =
        found.message && std::string_view(found.message).find("BLOCK") != std::string::npos;
    tritium_error_clear(&found);
    return isGood;
  });
  tritium_argument arguments[3] = {tritium::detail::toArgument(x), tritium::detail::toArgument(100),
                                   tritium::detail::toArgument(128)};
  uint32_t grid[3] = {1, 1, 1};
  tritium_compiled *compiled = nullptr;
  auto launch = [&] {
    return tritium_kernel_launch(kernel.get(), arguments, 3, nullptr, 0, grid, &compiled, &error) ==
           0;
  };
  ASSERT_TRUE(launch());
  withLittleMemory("launch", launch);
  withLittleMemory("remarks", [&] { return tritium_compiled_remarks(compiled, 1) != nullptr; });
  withLittleMemory("invalidate", [&] {
    tritium_kernel_invalidate(kernel.get());
    return true;
  });
}

TEST_F(ExceptionTest, NoMemoryForTheRest) {
  withLittleMemory("cache_path", [&] { return *tritium_cache_path() != 0; });
  withLittleMemory("num_threads", [&] { return tritium_num_threads() > 0; });
}

//===-- What is returned stays valid --------------------------------------===//

TEST_F(ExceptionTest, TextsStayWhereTheyAre) {
  tritium::Kernel kernel = module.kernel("add_one");
  tritium_argument arguments[3] = {tritium::detail::toArgument(x), tritium::detail::toArgument(100),
                                   tritium::detail::toArgument(128)};
  uint32_t grid[3] = {1, 1, 1};
  tritium_compiled *compiled = nullptr, *again = nullptr;
  auto launch = [&](tritium_compiled **used) {
    return tritium_kernel_launch(kernel.get(), arguments, 3, nullptr, 0, grid, used, &error);
  };
  ASSERT_EQ(launch(&compiled), 0);
  const char *metadata = tritium_compiled_metadata(compiled);
  const char *remarks = tritium_compiled_remarks(compiled, 1);
  std::string copy = metadata;
  // Variants that are forgotten live as long as their kernel.
  tritium_kernel_invalidate(kernel.get());
  ASSERT_EQ(launch(&again), 0);
  EXPECT_NE(compiled, again);
  EXPECT_EQ(tritium_compiled_metadata(compiled), metadata);
  EXPECT_EQ(copy, metadata);
  EXPECT_EQ(tritium_compiled_remarks(compiled, 1), remarks);
}

} // namespace
