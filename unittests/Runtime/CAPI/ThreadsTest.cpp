//===- ThreadsTest.cpp - many threads compile, tune and launch ------------===//
//
// Run under the thread sanitizer, too (the suite `sanitizers` of utils/test.py).
//
//===----------------------------------------------------------------------===//

#include "KernelFolder.h"

#include <atomic>
#include <barrier>
#include <thread>

using tritium::Grid;
using tritium::Options;
using tritium::Stream;

namespace {

constexpr int kThreads = 4;

constexpr const char *kernels = R"(
__global__ void affine(TYPE *out, TYPE *in, int n, TYPE a) {
  int i[SIZE] = get_program_id(0) * SIZE + 0 ... SIZE;
  bool inside[SIZE] = i < n;
  TYPE *p[SIZE] = out + i;
  TYPE *q[SIZE] = in + i;
  *?(inside)p = *?(inside)q * a + WIDTH;
}

__global__ void broken(TYPE *out) {
  *out = nowhere;
}
)";

constexpr const char *pythonKernels = R"(
import triton
import triton.language as tl

@triton.jit
def affine(out_ptr, in_ptr, n, a):
    i = tl.program_id(0) * 16 + tl.arange(0, 16)
    tl.store(out_ptr + i, tl.load(in_ptr + i, i < n) * a + 1, i < n)
)";

class ThreadsTest : public KernelFolder {
protected:
  static void SetUpTestSuite() {
    makeFolder("kernels.tc", kernels);
    std::ofstream(folder + "/kernels.py") << pythonKernels;
  }

  static tritium::Module load(const char *size, int width = 1) {
    return tritium::load(
        folder + "/kernels.tc",
        {.defines = {{"TYPE", "float"}, {"SIZE", size}, {"WIDTH", std::to_string(width)}}});
  }

  /// Runs `body(thread)` on all threads at once.
  template <typename Body> static void together(Body body) {
    std::barrier start(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        start.arrive_and_wait();
        body(t);
      });
    for (std::thread &thread : threads)
      thread.join();
  }

  /// Launches affine on arrays of the thread's own; counts the elements that are wrong.
  template <typename GridOf>
  static int wrong(const tritium::Kernel &kernel, GridOf grid, int n, float a, int width) {
    std::vector<float> in(n, 2), out(n + 1);
    kernel.launch(grid, Stream{}, std::span(out).first(n), in, n, a);
    int count = out[n] != 0;
    for (int i = 0; i < n; ++i)
      count += out[i] != 2 * a + float(width);
    return count;
  }
};

TEST_F(ThreadsTest, CompileTheirOwnVariants) {
  std::atomic<int> errors{0};
  together([&](int t) {
    for (int i = 0; i < 3; ++i) {
      int width = 1 + t * 3 + i;
      auto kernel = load("16", width).kernel("affine");
      errors += wrong(kernel, Grid(7), 100, float(i), width);
    }
  });
  EXPECT_EQ(errors, 0);
}

TEST_F(ThreadsTest, CompileVariantsOfOneKernel) {
  auto inPython = tritium::load(folder + "/kernels.py").kernel("affine");
  auto inTritonC = load("16").kernel("affine");
  std::atomic<int> errors{0};
  together([&](int t) {
    // A size of 1, one that 16 divides and any other are variants; all threads want each first.
    for (const tritium::Kernel *kernel : {&inPython, &inTritonC})
      for (int n : {1, 64, 99, 1, 64, 99})
        errors += wrong(*kernel, Grid(tritium::cdiv(n, 16)), n, float(t), 1);
  });
  EXPECT_EQ(errors, 0);
}

TEST_F(ThreadsTest, LaunchWhileOthersFail) {
  auto module = load("32");
  auto kernel = module.kernel("affine");
  std::atomic<int> errors{0}, refused{0};
  together([&](int t) {
    for (int i = 0; i < 20; ++i) {
      if (t % 2)
        errors += wrong(kernel, Grid(4), 100, float(i), 1);
      else
        refused += errorOf([&] {
                     float x = 0;
                     module.kernel("broken").launch({1}, Stream{}, &x);
                   }).find("nowhere") != std::string::npos;
    }
  });
  EXPECT_EQ(errors, 0);
  EXPECT_EQ(refused, 20 * kThreads / 2);
}

TEST_F(ThreadsTest, TuneWhileOthersLaunch) {
  auto tuned = load("[16, 32, 64]", 3).kernel("affine");
  auto plain = load("16", 4).kernel("affine");
  auto grid = [](const Options &opt) { return Grid(tritium::cdiv(100, opt["SIZE"])); };
  std::atomic<int> errors{0};
  together([&](int t) {
    for (int i = 0; i < 5; ++i)
      errors +=
          t % 2 ? wrong(tuned, grid, 100, float(i), 3) : wrong(plain, Grid(7), 100, float(i), 4);
  });
  EXPECT_EQ(errors, 0);
}

TEST_F(ThreadsTest, ChangeTheNumberOfThreads) {
  auto kernel = load("16", 5).kernel("affine");
  std::atomic<int> errors{0};
  together([&](int t) {
    for (int i = 0; i < 20; ++i) {
      if (t == 0)
        tritium_set_num_threads(1 + i % 3);
      errors += wrong(kernel, Grid(7), 100, float(i), 5);
    }
  });
  tritium_set_num_threads(0);
  EXPECT_EQ(errors, 0);
}

} // namespace
