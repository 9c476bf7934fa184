//===- MemoryTest.cpp - atomics, locks, order of accesses (conformance 10) ===//

#include "Kernel.h"

#include <algorithm>

using namespace tritium::testing;

/// Split-K: the programs of one output tile add to it under a lock; the first one stores,
/// and the last one puts the counter back.
static const char *kSplitK = R"(
  __global__ void k(float *X, float *C, int *locks, int *counts, int K) {
    int tile = get_program_id(0);
    int part = get_program_id(1);
    int r[T] = 0 ... T;
    float *px[T] = X + (tile * SPLIT + part) * K * T + r;
    float c[T] = 0;
    for (int k = 0; k < K; ++k) {
      c += *px;
      px += T;
    }
    float *pc[T] = C + tile * T + r;
    int *lock = locks + tile;
    int *pcount = counts + tile;
    for (int repeat = 1; repeat == 1; repeat = atomic_cas(lock, 0, 1));
    int count = *pcount;
    if (count == 0)
      *pc = c;
    else
      *pc = c + *pc;
    atomic_xchg(pcount, (count + 1) % SPLIT);
    atomic_xchg(lock, 0);
  })";

static void testSplitK(unsigned threads, int tiles, int split, int repetitions) {
  const int k = 3, t = 32;
  std::vector<float> x = randoms<float>(tiles * split * k * t, -8, 8, 1), c(tiles * t);
  for (float &value : x)
    value = static_cast<float>(static_cast<int>(value)); // exact in any order
  std::vector<int32_t> locks(tiles), counts(tiles);
  for (int i = 0; i < repetitions; ++i) {
    Kernel(kSplitK, {{"T", std::to_string(t)}, {"SPLIT", std::to_string(split)}})
        .array(x)
        .array(c)
        .array(locks)
        .array(counts)
        .scalar(k)
        .threads(threads)
        .run(tiles, split);
    EXPECT_EQ(locks, std::vector<int32_t>(tiles));
    EXPECT_EQ(counts, std::vector<int32_t>(tiles));
    for (int tile = 0; tile < tiles; ++tile)
      for (int j = 0; j < t; ++j) {
        float sum = 0;
        for (int p = 0; p < split * k; ++p)
          sum += x[(tile * split * k + p) * t + j];
        ASSERT_EQ(c[tile * t + j], sum);
      }
    std::fill(c.begin(), c.end(), -1.f);
  }
}

TEST(Conformance10Locks, SplitKInOneThread) { testSplitK(1, 4, 8, 1); }
TEST(Conformance10Locks, SplitKWithMoreProgramsThanThreads) { testSplitK(4, 2, 64, 100); }

TEST(Atomics, ReturnOldValuesAndApplyOnce) {
  std::vector<int32_t> counters = {5, 7, 0, 0}, old(8);
  std::vector<float> sums(4);
  std::vector<Half> halves(2);
  Kernel(R"(
    __global__ void k(int *counters, int *old, float *sums, half *halves) {
      *old = atomic_cas(counters, 5, 9);
      *(old + 1) = atomic_cas(counters + 1, 5, 9);
      *(old + 2) = atomic_xchg(counters, 11);
      *(old + 3) = atomic_add(counters + 2, 3);
      int r[4] = 0 ... 4;
      float before[4] = atomic_add(sums + r, r * 1.5f, r != 2);
      *(old + 4 + r) = before;
      f32_atomic_add(sums, 2);
      atomic_add(halves + r % 2, (half[4])1);
    })")
      .array(counters)
      .array(old)
      .array(sums)
      .array(halves)
      .run();
  EXPECT_EQ(counters, (std::vector<int32_t>{11, 7, 3, 0}));
  EXPECT_EQ(old, (std::vector<int32_t>{5, 7, 9, 0, 0, 0, 0, 0}));
  EXPECT_EQ(sums, (std::vector<float>{2, 1.5, 0, 4.5}));
  EXPECT_EQ(halves, (std::vector<Half>{Half(2), Half(2)}));
}

TEST(Atomics, TilesFromManyThreads) {
  std::vector<int32_t> counts(16);
  Kernel("__global__ void k(int *counts) { atomic_add(counts + (0 ... 64) % 16, 1); }")
      .array(counts)
      .threads(4)
      .run(200);
  EXPECT_EQ(counts, std::vector<int32_t>(16, 200 * 4));
}

TEST(MemoryOrder, LoadsSeeEarlierStoresOfTheProgram) {
  std::vector<float> x = randoms<float>(64, -2, 2, 11), before = x, out(4);
  Kernel(R"(
    __global__ void k(float *x, float *out, int i) {
      int r[64] = 0 ... 64;
      float v[64] = *(x + r);
      float first = *(x + i);
      *(x + r) = v * 2;
      __debug_barrier();
      *out = *(x + i);
      *(x + (63 - r)) = *(x + r);      // all loads before all stores
      *(out + 1) = *(x + i);
      *(out + 2) = first;
      *(x + i) = 7;
      *(out + 3) = (*(x + r))[max];
    })")
      .array(x)
      .array(out)
      .scalar(5)
      .run();
  EXPECT_EQ(out[0], before[5] * 2);
  EXPECT_EQ(out[1], before[58] * 2);
  EXPECT_EQ(out[2], before[5]);
  EXPECT_EQ(out[3], 7);
}

TEST(MemoryOrder, WhatIsReadBeforeAnAtomicIsNotReadBehindIt) {
  // The first program stores its tile when the second one has changed the memory.
  std::vector<int32_t> shared = randoms<int32_t>(32, 0, 50, 1), before = shared, out(32), locks(2);
  Kernel(R"(
    __global__ void k(int *shared, int *out, int *locks) {
      int r[32] = 0 ... 32;
      if (get_program_id(0) == 0) {
        int v[32] = *(shared + r);
        int first = *shared;
        atomic_xchg(locks, 1);
        while (atomic_cas(locks + 1, 1, 1) != 1);
        *(out + r) = v + first;
      } else {
        while (atomic_cas(locks, 1, 2) != 1);
        *(shared + r) = 99;
        atomic_xchg(locks + 1, 1);
      }
    })")
      .array(shared)
      .array(out)
      .array(locks)
      .threads(2)
      .onCPUOnly()
      .run(2);
  EXPECT_EQ(shared, std::vector<int32_t>(32, 99));
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], before[i] + before[0]);
}

TEST(MemoryOrder, EveryProgramHasItsTurnUnderALock) {
  const int programs = 400;
  std::vector<int32_t> shared(32), out(programs), lock(1);
  Kernel(R"(
    __global__ void k(int *shared, int *out, int *lock) {
      int r[32] = 0 ... 32;
      while (atomic_cas(lock, 0, 1) == 1);
      int v[32] = *(shared + r);
      *(shared + r) = v + 1;
      int turn = (*(shared + r))[max];
      atomic_xchg(lock, 0);
      *(out + get_program_id(0)) = turn;
    })")
      .array(shared)
      .array(out)
      .array(lock)
      .threads(4)
      .onCPUOnly()
      .run(programs);
  EXPECT_EQ(shared, std::vector<int32_t>(32, programs));
  std::sort(out.begin(), out.end());
  for (int i = 0; i < programs; ++i)
    EXPECT_EQ(out[i], i + 1);
}

TEST(ConstantMemory, TablesAreParametersAfterTheKernels) {
  std::vector<int32_t> out(8), delta = {3, 1, 4, 1, 5, 9, 2, 6};
  std::vector<float> scale = {0.5f};
  Kernel(R"(
    __constant__ int *delta = calloc(32);
    __constant__ float *scale = calloc(4);
    __global__ void k(int *out, int n) {
      int __constant__ *p[8] = delta + (0 ... 8);
      *(out + 0 ... 8) = *p * n * *scale;
    })")
      .array(out)
      .scalar(4)
      .array(delta)
      .array(scale)
      .run();
  EXPECT_EQ(out, (std::vector<int32_t>{6, 2, 8, 2, 10, 18, 4, 12}));
}

// The interpreter checks promises anyway, compiled code in debug mode.
TEST(Promises, AreChecked) {
  const char *text = R"(
    __global__ void k(int *out __aligned(16), int n __multipleof(8)) {
      int m __multipleof(4) = *out;
      *(out + 1) = n + m;
    })";
  auto asserted = [&](int n, int m, bool debug) {
    std::vector<int32_t> out = {m, 0, 0, 0};
    Kernel kernel(text);
    kernel.array(out).scalar(n);
    if (debug)
      kernel.debug();
    else
      kernel.onCPUOnly();
    kernel.run();
    if (kernel.assertions().empty())
      EXPECT_EQ(out[1], n + m);
    return kernel.assertions();
  };
  EXPECT_EQ(asserted(3, 5, false), "");
  EXPECT_EQ(asserted(16, 8, true), "");
  EXPECT_EQ(asserted(3, 8, true), "2: 'n' is declared __multipleof(8), which does not hold: the "
                                  "value of program (0, 0, 0) is 3\n");
  EXPECT_EQ(asserted(8, -5, true), "3: 'm' is declared __multipleof(4), which does not hold: the "
                                   "value of program (0, 0, 0) is -5\n");
  for (const tritium::Target &target :
       {tritium::Target(tritium::kInterpreter), tritium::Target()}) {
    std::vector<int32_t> out(4);
    tritium::CompileError error;
    auto kernel = Kernel(text).array(out).scalar(8).compile(error, target);
    ASSERT_TRUE(kernel) << error.rendered;
    EXPECT_EQ(kernel->stages["ttir"].find("'m' is declared __multipleof(4)") != std::string::npos,
              target.is(tritium::kInterpreter));
  }
}

TEST(Promises, ReadonlyThatIsStoredThroughIsAWarning) {
  tritium::CompileError error;
  std::vector<float> x(8);
  auto kernel = Kernel("__global__ void k(float *x __readonly, float *y __readonly) {\n"
                       "  *(x + 0 ... 8) = *(y + 0 ... 8);\n}\n")
                    .array(x)
                    .array(x)
                    .compile(error);
  ASSERT_TRUE(kernel) << error.rendered;
  std::vector<std::string> warnings;
  for (const tritium::Remark &remark : kernel->remarks)
    if (remark.kind == "warning")
      warnings.push_back(remark.file + ":" + std::to_string(remark.line) + ": " + remark.message);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("kernel.tc:1: 'x' is declared __readonly, but the kernel stores"),
            std::string::npos);
}
