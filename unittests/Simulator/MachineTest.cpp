//===- MachineTest.cpp - whole kernels, made by nvcc and by hand ----------===//
//
// The PTX in ptx/ is what nvcc makes of the .cu beside it (nvcc -ptx -lineinfo
// -arch=sm_80). None of these kernels may raise a fault.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <random>

using namespace tritium::sim;
using namespace tritium::sim::test;

namespace {

std::string fixture(const char *name) {
  std::ifstream file(std::string(SIMULATOR_PTX_FOLDER "/") + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

SimRun compiled(const char *entry) { return SimRun(fixture("kernels.ptx"), entry); }

/// Runs in order and, on copies of the data, in random orders.
template <typename F> void inAnyOrder(F &&test) {
  for (uint64_t seed : {0, 1, 2, 3})
    test(seed);
}

TEST(Compiled, Saxpy) {
  std::vector<float> x(1000), y(1000), want(1000);
  for (int i = 0; i < 1000; ++i) {
    x[i] = float(i) / 3;
    y[i] = float(i % 7);
    want[i] = std::fma(2.5f, x[i], y[i]);
  }
  SimRun run = compiled("saxpy");
  Result result = run.buffer(y).buffer(x).value(2.5f).value(1000).threads(128, 8).clean();
  EXPECT_EQ(y, want);
  // 1000 loads of each array, 128 bytes a warp; the last warp has 8 lanes.
  EXPECT_EQ(result.counters.total.globalBytesRead, 8000u);
  EXPECT_EQ(result.counters.total.globalBytesWritten, 4000u);
  EXPECT_EQ(result.counters.total.sectors, 375u);
  EXPECT_EQ(result.counters.total.idealSectors, 375u);
}

TEST(Compiled, Reduce) {
  inAnyOrder([](uint64_t seed) {
    std::vector<float> x(5000), out(1);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(i % 13);
    float want = 0;
    for (float v : x)
      want += v;
    SimRun run = compiled("reduce");
    run.launch.seed = seed;
    run.buffer(x).buffer(out).value(5000).threads(256, 20).clean();
    EXPECT_EQ(out[0], want);
  });
}

TEST(Compiled, Transpose) {
  for (const char *name : {"transpose", "transposeConflict"}) {
    std::vector<float> in(64 * 64), out(64 * 64);
    for (size_t i = 0; i < in.size(); ++i)
      in[i] = float(i);
    SimRun run = compiled(name);
    run.launch.grid = {2, 2, 1};
    run.launch.block = {32, 8, 1};
    Result result = run.buffer(in).buffer(out).value(64).clean();
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x)
        ASSERT_EQ(out[x * 64 + y], in[y * 64 + x]);
    // 4 CTAs of 8 warps read 4 columns each: 32 passes instead of one without the padding.
    uint64_t conflicts = name == std::string("transpose") ? 0 : 4 * 8 * 4 * 31;
    EXPECT_EQ(result.counters.total.bankConflicts(), conflicts);
  }
}

TEST(Compiled, Collatz) {
  std::vector<unsigned> x(500), steps(500);
  for (unsigned i = 0; i < 500; ++i)
    x[i] = i + 1;
  Result result = compiled("collatz").buffer(x).buffer(steps).value(500).threads(64, 8).clean();
  for (unsigned i = 0; i < 500; ++i) {
    unsigned v = i + 1, s = 0;
    for (; v > 1; ++s)
      v = v & 1 ? 3 * v + 1 : v / 2;
    ASSERT_EQ(steps[i], s);
  }
  EXPECT_GT(result.counters.total.divergentBranches, 0u);
}

TEST(Compiled, Recursion) {
  std::vector<int> out(32);
  compiled("fibonacci").buffer(out).clean();
  const int want[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], want[i % 10]);
}

TEST(Compiled, Switch) {
  std::vector<int> op(300);
  std::vector<float> x(300), want(300);
  for (int i = 0; i < 300; ++i) {
    op[i] = i * 7 % 9;
    float v = x[i] = float(i) * 0.37f;
    const float cases[] = {v + 1, v * 3, v / 7, std::sqrt(v), -v, std::floor(v), std::fabs(v) + 2,
                           0,     0};
    want[i] = cases[op[i]];
  }
  compiled("choose").buffer(op).buffer(x).value(300).threads(128, 3).clean();
  EXPECT_EQ(x, want);
}

TEST(Compiled, LastBlock) {
  inAnyOrder([](uint64_t seed) {
    std::vector<int> x(3000), partial(12), out(1);
    int want = 0;
    for (int i = 0; i < 3000; ++i)
      want += x[i] = i % 17;
    SimRun run = compiled("lastBlock");
    run.launch.seed = seed;
    run.buffer(x).buffer(partial).buffer(out).value(3000).threads(256, 12).clean();
    EXPECT_EQ(out[0], want);
  });
}

TEST(Compiled, Histogram) {
  inAnyOrder([](uint64_t seed) {
    std::vector<unsigned char> x(4000);
    std::vector<unsigned> bins(256), want(256);
    for (size_t i = 0; i < x.size(); ++i)
      ++want[x[i] = (unsigned char)(i * i)];
    SimRun run = compiled("histogram");
    run.launch.seed = seed;
    run.buffer(x).buffer(bins).value(4000).threads(256, 4).clean();
    EXPECT_EQ(bins, want);
  });
}

TEST(Compiled, Matmul) {
  // Small integers: every sum is exact.
  const int n = 32;
  auto half = [](int v) { // 0 to 7
    const uint16_t bits[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700};
    return bits[v];
  };
  std::vector<uint16_t> a(n * n), b(n * n);
  std::vector<float> c(n * n), want(n * n);
  std::mt19937 random(1);
  std::vector<int> ia(n * n), ib(n * n);
  for (int i = 0; i < n * n; ++i) {
    a[i] = half(ia[i] = random() % 8);
    b[i] = half(ib[i] = random() % 8);
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        want[i * n + j] += float(ia[i * n + k] * ib[k * n + j]);
  SimRun run = compiled("matmul");
  run.launch.grid = {2, 2, 1};
  Result result = run.buffer(a).buffer(b).buffer(c).value(n).clean();
  EXPECT_EQ(c, want);
  EXPECT_EQ(result.counters.total.matrixOperations, 4u * 2 * 2);
}

TEST(Compiled, Print) {
  Result result = compiled("print").value(5).clean();
  EXPECT_EQ(result.output, "n is 5, half of it 2.50, done\n");
}

TEST(Compiled, Math) {
  std::vector<float> x(96), y(96);
  for (int i = 0; i < 96; ++i)
    x[i] = float(i - 48) / 10;
  compiled("math").buffer(x).buffer(y).value(96).threads(32, 3).clean();
  for (int i = 0; i < 96; ++i) {
    double v = x[i];
    double want = std::exp(v) + std::sin(v) * std::log(std::fabs(v) + 1) + v / 3 +
                  std::pow(std::fabs(v), 1.5);
    EXPECT_NEAR(y[i], want, 1e-5 * (1 + std::fabs(want)));
  }
}

TEST(Compiled, Doubles) {
  std::vector<double> x(96), y(96);
  for (int i = 0; i < 96; ++i)
    x[i] = double(i - 48) / 10;
  compiled("doubles").buffer(x).buffer(y).value(96).threads(32, 3).clean();
  for (int i = 0; i < 96; ++i) {
    double want = std::sqrt(std::fabs(x[i])) / (1 + x[i] * x[i]) + std::exp(x[i]);
    EXPECT_NEAR(y[i], want, 1e-14 * want);
  }
}

TEST(Compiled, Votes) {
  std::vector<int> x(32);
  std::vector<unsigned> y(32);
  for (int i = 0; i < 32; ++i)
    x[i] = i * i % 11 + 1;
  compiled("votes").buffer(x).buffer(y).clean();
  unsigned ballot = 0, sum = 0, least = ~0u;
  for (int i = 0; i < 32; ++i) {
    ballot |= unsigned(x[i] & 1) << i;
    sum += unsigned(x[i]);
    least = std::min(least, unsigned(x[i]));
  }
  for (int i = 0; i < 32; ++i) {
    unsigned same = 0;
    for (int j = 0; j < 32; ++j)
      same |= unsigned(x[j] % 4 == x[i] % 4) << j;
    unsigned m = x[i] & 1 ? ballot ^ unsigned(std::popcount(ballot)) : ballot;
    EXPECT_EQ(y[i], m + same * 3 + sum * 5 + least);
  }
}

TEST(Compiled, LocalMemory) {
  std::vector<int> index(16), y(32);
  for (int i = 0; i < 16; ++i)
    index[i] = i * 5 + 3;
  compiled("locals").buffer(index).buffer(y).clean();
  for (int t = 0; t < 32; ++t) {
    int a[16], s = 0;
    for (int i = 0; i < 16; ++i)
      a[i] = i * i + t;
    for (int i = 0; i < 16; ++i)
      a[index[i] & 15] += a[(index[i] + i) & 15];
    for (int i = 0; i < 16; ++i)
      s = int(unsigned(s) * 31 + unsigned(a[i]));
    EXPECT_EQ(y[t], s);
  }
}

TEST(Compiled, Spin) {
  inAnyOrder([](uint64_t seed) {
    std::vector<int> lock(1), count(1);
    SimRun run = compiled("spin");
    run.launch.seed = seed;
    run.buffer(lock).buffer(count).threads(64, 2).clean();
    EXPECT_EQ(count[0], 128);
  });
}

TEST(Clean, Handshake) {
  // CTA 0 publishes with release, CTA 1 waits with acquire.
  std::vector<uint32_t> data(64);
  SimRun run(kernel("mov.u32 %r9, %ctaid.x;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra READ;\n"
                    "st.global.u32 [%d0], 42;\nst.release.gpu.global.u32 [%d0+4], 1;\nexit;\n"
                    "READ:\nld.acquire.gpu.global.u32 %r1, [%d0+4];\nsetp.eq.u32 %p2, %r1, 0;\n"
                    "@%p2 bra READ;\nld.global.u32 %r2, [%d0];\nst.global.u32 [%d0+8], %r2;"));
  run.buffer(data).threads(1, 2).clean();
  EXPECT_EQ(data[2], 42u);
}

TEST(Clean, Barriers) {
  // A write, a barrier, reads by all; twice, with named barriers of one pair of warps.
  std::vector<uint32_t> data(128);
  SimRun run(kernel("shr.u32 %r1, %r0, 6;\nadd.u32 %r1, %r1, 1;\nmov.u32 %r2, s;\n"
                    "mad.lo.u32 %r3, %r0, 4, %r2;\nst.shared.u32 [%r3], %r0;\nbar.sync %r1, 64;\n"
                    "xor.b32 %r4, %r0, 63;\nmad.lo.u32 %r5, %r4, 4, %r2;\n"
                    "ld.shared.u32 %r6, [%r5];\nbar.sync 0;\nst.shared.u32 [%r3], %r6;\n"
                    "mad.wide.u32 %d1, %r0, 4, %d0;\nst.global.u32 [%d1], %r6;",
                    ".shared .align 16 .b8 s[4096];"));
  run.buffer(data).threads(128).clean();
  for (uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(data[i], i ^ 63);
}

TEST(Clean, Pipeline) {
  // Three stages of cp.async with one group in flight.
  std::vector<uint32_t> data(1024);
  for (uint32_t i = 0; i < 1024; ++i)
    data[i] = i;
  std::string body = "mad.wide.u32 %d1, %r0, 16, %d0;\nmov.u32 %r2, s;\n"
                     "mad.lo.u32 %r3, %r0, 16, %r2;\nmov.u32 %r20, 0;\n";
  auto copy = [&](int stage) {
    body += "cp.async.cg.shared.global [%r3+" + std::to_string(512 * (stage % 2)) + "], [%d1+" +
            std::to_string(512 * stage) + "], 16;\ncp.async.commit_group;\n";
  };
  copy(0);
  for (int stage = 0; stage < 4; ++stage) {
    if (stage < 3)
      copy(stage + 1);
    body += stage < 3 ? "cp.async.wait_group 1;\n" : "cp.async.wait_group 0;\n";
    body += "bar.sync 0;\nxor.b32 %r6, %r0, 31;\nmad.lo.u32 %r7, %r6, 16, %r2;\n"
            "ld.shared.u32 %r8, [%r7+" +
            std::to_string(512 * (stage % 2)) + "];\nadd.u32 %r20, %r20, %r8;\nbar.sync 0;\n";
  }
  body += "st.global.u32 [%d1+2048], %r20;";
  SimRun run(kernel(body, ".shared .align 16 .b8 s[4096];"));
  run.buffer(data).clean();
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(data[512 + 4 * t], 4 * (31 - t) * 4 + 128 * (0 + 1 + 2 + 3));
}

TEST(Counters, ConflictsAndSectors) {
  // Stride of 2 words: two passes. Stride of 128 bytes in global memory: a sector a lane.
  std::vector<uint32_t> data(32 * 32);
  SimRun run(kernel("mov.u32 %r2, s;\nmad.lo.u32 %r3, %r0, 8, %r2;\nst.shared.u32 [%r3], %r0;\n"
                    "mad.lo.u32 %r3, %r0, 16, %r2;\nbar.sync 0;\n"
                    "st.shared.v4.u32 [%r3], {%r0, %r0, %r0, %r0};\n"
                    "mad.wide.u32 %d1, %r0, 128, %d0;\nst.global.u32 [%d1], %r0;",
                    ".shared .align 16 .b8 s[4096];"));
  Result result = run.buffer(data).clean();
  const Tally &total = result.counters.total;
  EXPECT_EQ(total.wavefronts, 2u + 4u);
  EXPECT_EQ(total.idealWavefronts, 1u + 4u);
  EXPECT_EQ(total.sectors, 32u);
  EXPECT_EQ(total.idealSectors, 4u);
  EXPECT_EQ(total.barriers, 1u);
  EXPECT_NE(result.counters.json().find("\"bank_conflicts\": 1"), std::string::npos);
  EXPECT_NE(result.counters.text().find("global_sectors: 32"), std::string::npos);
}

TEST(Counters, RequestsOfTheL2) {
  // A line a lane, which the first cache has afterwards; a line for all lanes, of both kinds.
  std::vector<uint32_t> data(64 * 32);
  SimRun run(kernel("mov.u32 %r2, s;\nmad.lo.u32 %r3, %r0, 16, %r2;\n"
                    "mad.wide.u32 %d1, %r0, 128, %d0;\nld.global.u32 %r4, [%d1];\n"
                    "ld.global.u32 %r5, [%d1];\nmad.wide.u32 %d1, %r0, 4, %d0;\n"
                    "ld.global.u32 %r6, [%d1+4096];\nst.global.u32 [%d1+4096], %r6;\n"
                    "mad.wide.u32 %d1, %r0, 16, %d0;\n"
                    "cp.async.cg.shared.global [%r3], [%d1], 16;\n"
                    "cp.async.wait_all;\nst.shared.u32 [%r3], %r0;",
                    ".shared .align 16 .b8 s[4096];"));
  Result result = run.buffer(data).clean();
  const Tally &total = result.counters.total;
  EXPECT_EQ(total.cachedSectors, 32u);
  EXPECT_EQ(total.l2Requests, 32u + 1u + 1u + 4u);
  // The copy's passes are its own.
  EXPECT_EQ(total.overlappedWavefronts, 4u);
  EXPECT_EQ(total.wavefronts, 4u + 4u);
  EXPECT_EQ(result.counters.mostLoads, 1u);
}

TEST(Counters, SectorsThatAreReadAgain) {
  // By each of two warps 32 sectors, two rounds; the first cache is passed by.
  std::vector<uint32_t> data(64 * 8);
  std::string round = "ld.global.cg.u32 %r4, [%d1];\n";
  SimRun run(kernel("mad.wide.u32 %d1, %r0, 32, %d0;\n" + round + round +
                        "st.global.u32 [%d1], %r4;\n" + round,
                    ""));
  Result result = run.threads(64).buffer(data).clean();
  const Tally &total = result.counters.total;
  EXPECT_EQ(total.sectors, 4u * 64u);
  // The store comes to them again as well, but reads nothing.
  EXPECT_EQ(total.rereadSectors, 2u * 64u);
  EXPECT_EQ(total.rereadBytesBetween, 2u * 64u * 64u * 32u);
}

TEST(Counters, LoadsByHowOftenTheyRun) {
  std::vector<uint32_t> data(64);
  SimRun run(kernel("ld.global.u32 %r4, [%d0];\nmov.u32 %r3, 0;\nagain:\n"
                    "ld.global.u32 %r4, [%d0+4];\nadd.u32 %r3, %r3, 1;\n"
                    "setp.lt.u32 %p0, %r3, 5;\n@%p0 bra again;\nst.global.u32 [%d0], %r4;",
                    ""));
  EXPECT_EQ(run.buffer(data).clean().counters.mostLoads, 5u);
}

TEST(Counters, Occupancy) {
  EXPECT_EQ(occupancyOf(80, 256, 32, 0).ctas, 8u);
  EXPECT_EQ(occupancyOf(86, 256, 32, 0).ctas, 6u);
  EXPECT_EQ(occupancyOf(90, 128, 255, 0).ctas, 2u);
  EXPECT_EQ(occupancyOf(90, 128, 32, 100 * 1024).ctas, 2u);
  EXPECT_EQ(occupancyOf(90, 128, 32, 100 * 1024).limitedBy, "shared memory");
}

} // namespace
