//===- MicroKernelTest.cpp - dot and transpose by running them ------------===//

#include "Assembly.h"
#include "JitHarness.h"

#include "tritium/Conversion/TileToCPU/MicroKernel.h"

#include "gtest/gtest.h"

#include <cstring>
#include <random>

using namespace mlir;
using namespace tritium::cpu;

namespace {

template <typename T> Type elementType(OpBuilder &b) {
  if constexpr (std::is_same_v<T, float>)
    return b.getF32Type();
  else if constexpr (std::is_same_v<T, double>)
    return b.getF64Type();
  else
    return b.getI32Type();
}

int64_t roundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

template <typename T> struct Buffer {
  explicit Buffer(size_t count) : count(count) {
    data = static_cast<T *>(std::aligned_alloc(64, roundUp(count * sizeof(T), 64)));
  }
  ~Buffer() { std::free(data); }
  T *data;
  size_t count;
};

/// Whole values, so that every order of summation gives the same bits. `fromZero`: what is
/// in c does not count; `anyRows`: the stride of a is a run-time value. In panels, the result goes
/// to another matrix.
template <typename T>
void checkDot(JitHarness &jit, int64_t m, int64_t n, int64_t k, bool fromZero, bool anyRows,
              bool inPanels = false) {
  int64_t lanes = jit.target().vectorBits / (8 * sizeof(T));
  int64_t aStride = k + 3, bStride = roundUp(n, lanes), cStride = bStride + lanes;
  int64_t panel = panelLanes(jit.target(), DotForm::Single, lanes, n);
  int64_t dStride = cStride + lanes;
  auto dot = reinterpret_cast<void (*)(T *, T *, T *, T *)>(
      jit.compile(4, [&](OpBuilder &b, Location loc, ArrayRef<Value> args) {
        Value bytes;
        if (anyRows)
          bytes = b.create<arith::ConstantIntOp>(loc, aStride * sizeof(T), 64);
        PackedMatrix acc{args[2], cStride, {}};
        if (inPanels) {
          acc.result = args[3];
          acc.resultStride = b.create<arith::ConstantIntOp>(loc, dStride * sizeof(T), 64);
        }
        emitDot(b, loc, jit.target(), elementType<T>(b), m, n, k, {args[0], aStride, bytes},
                {args[1], inPanels ? panel : bStride, {}, inPanels ? k : 0}, acc, fromZero);
      }));
  Buffer<T> a(m * aStride), b(k * cStride), c((m + 1) * cStride), d((m + 1) * dStride);
  auto laneOfB = [&](int64_t row, int64_t j) {
    return inPanels ? (j / panel * k + row) * panel + j % panel : row * bStride + j;
  };
  std::mt19937 random(m * 10007 + n * 101 + k);
  auto fill = [&](Buffer<T> &buffer) {
    for (size_t i = 0; i < buffer.count; ++i)
      buffer.data[i] = T(int(random() % 201) - 100);
  };
  fill(a), fill(b), fill(c), fill(d);
  std::vector<T> expected(c.data, c.data + c.count);
  if (fromZero)
    std::fill(expected.begin(), expected.end(), T(0));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t kk = 0; kk < k; ++kk)
      for (int64_t j = 0; j < n; ++j)
        expected[i * cStride + j] += a.data[i * aStride + kk] * b.data[laneOfB(kk, j)];
  std::vector<T> before(c.data, c.data + c.count), beforeD(d.data, d.data + d.count);
  dot(a.data, b.data, c.data, d.data);
  auto at = [&](int64_t i, int64_t j) {
    return inPanels ? d.data[i * dStride + j] : c.data[i * cStride + j];
  };
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      ASSERT_EQ(at(i, j), expected[i * cStride + j])
          << jit.target().cpu << " " << m << "x" << n << "x" << k << " at " << i << "," << j;
  // Nothing beyond the padded row, and no row beyond m, may change.
  for (int64_t i = 0; i <= m; ++i)
    for (int64_t j = i < m ? bStride : 0; j < cStride; ++j) {
      ASSERT_EQ(c.data[i * cStride + j], before[i * cStride + j]) << i << "," << j;
      ASSERT_EQ(d.data[i * dStride + j], beforeD[i * dStride + j]) << i << "," << j;
    }
  if (inPanels)
    for (int64_t i = 0; i < m * cStride; ++i)
      ASSERT_EQ(c.data[i], before[i]) << i;
}

class Dot : public testing::TestWithParam<const char *> {};

TEST_P(Dot, EdgeShapes) {
  JitHarness jit(GetParam());
  if (!jit.canRun())
    GTEST_SKIP();
  const int64_t shapes[][3] = {{1, 1, 1},    {1, 64, 7},   {2, 3, 5},    {3, 17, 4},
                               {7, 33, 8},   {8, 32, 1},   {9, 47, 9},   {13, 100, 3},
                               {16, 16, 16}, {17, 1, 31},  {31, 31, 31}, {64, 64, 32},
                               {65, 80, 12}, {128, 8, 64}, {5, 200, 2},  {6, 128, 9}};
  for (auto [m, n, k] : shapes)
    for (bool variant : {false, true}) {
      checkDot<float>(jit, m, n, k, variant, !variant);
      checkDot<float>(jit, m, n, k, variant, variant);
      checkDot<float>(jit, m, n, k, variant, variant, /*inPanels=*/true);
      checkDot<double>(jit, m, n, k, variant, variant);
      checkDot<int32_t>(jit, m, n, k, variant, !variant);
    }
}

/// The best use of the registers that a CPU has: in the loop that does the work at most one other
/// instruction for each multiply-add, and nothing spilled.
TEST(DotCode, InnerLoopMultiplies) {
  const int64_t shapes[][3] = {{64, 64, 32}, {128, 128, 64}, {32, 32, 32}, {64, 16, 64}};
  for (const char *cpu : {"haswell", "skylake-avx512"}) {
    JitHarness jit(cpu);
    for (auto [m, n, k] : shapes) {
      SCOPED_TRACE(testing::Message() << cpu << " " << m << "x" << n << "x" << k);
      auto emit = [&, m = m, n = n, k = k](OpBuilder &b, Location loc, ArrayRef<Value> args) {
        emitDot(b, loc, jit.target(), b.getF32Type(), m, n, k, {args[0], k, {}}, {args[1], n, {}},
                {args[2], n, {}});
      };
      std::vector<std::string> block = blockWithMost(jit.assemble(3, emit), "vfmadd");
      size_t products = countOf(block, "vfmadd");
      EXPECT_GE(products, 8u);
      EXPECT_LE(block.size(), 2 * products + 4); // the loop itself takes four
      EXPECT_EQ(countOf(block, "%rsp"), 0u);
    }
  }
}

/// Panels of four registers, where the first-level cache holds them: four rows, two steps at once.
TEST(DotCode, WidePanels) {
  JitHarness jit("icelake-server");
  constexpr int64_t m = 64, n = 128, k = 128;
  int64_t panel = panelLanes(jit.target(), DotForm::Single, 16, n);
  ASSERT_EQ(panel, 64);
  EXPECT_EQ(panelLanes(jit.target(), DotForm::Single, 16, 32), 32);
  EXPECT_EQ(panelLanes(jit.target(), DotForm::Single, 16, 96), 32);
  EXPECT_EQ(panelLanes(jit.target(), DotForm::SignedQuads, 16, n), 32);
  auto emit = [&](OpBuilder &b, Location loc, ArrayRef<Value> args) {
    emitDot(b, loc, jit.target(), b.getF32Type(), m, n, k, {args[0], k, {}},
            {args[1], panel, {}, k}, {args[2], n, {}});
  };
  std::vector<std::string> block = blockWithMost(jit.assemble(3, emit), "vfmadd");
  EXPECT_EQ(countOf(block, "vfmadd"), 32u);
  EXPECT_LE(block.size(), 32u + 2 * 8 + 5); // the operands, and the loop itself
  EXPECT_EQ(countOf(block, "%rsp"), 0u);
}

INSTANTIATE_TEST_SUITE_P(Cpu, Dot,
                         testing::Values("native", "haswell", "x86-64", "skylake-avx512",
                                         "icelake-server"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// `runs` blocks side by side.
template <typename T> void checkTranspose(JitHarness &jit, int64_t size, int64_t runs) {
  int64_t lanes = size * runs;
  auto transpose = reinterpret_cast<void (*)(T *, T *)>(
      jit.compile(2, [&](OpBuilder &b, Location loc, ArrayRef<Value> args) {
        auto vector = VectorType::get(lanes, elementType<T>(b));
        SmallVector<Value> rows;
        auto at = [&](int64_t i) { return b.create<arith::ConstantIndexOp>(loc, i * lanes); };
        for (int64_t i = 0; i < size; ++i)
          rows.push_back(loadAt(b, loc, vector, args[0], at(i), elementType<T>(b)));
        for (auto [i, row] : llvm::enumerate(emitTranspose(b, loc, rows)))
          storeAt(b, loc, row, args[1], at(i), elementType<T>(b));
      }));
  std::vector<T> in(size * lanes), out(size * lanes);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = T(i);
  transpose(in.data(), out.data());
  for (int64_t run = 0; run < lanes; run += size)
    for (int64_t i = 0; i < size; ++i)
      for (int64_t j = 0; j < size; ++j)
        ASSERT_EQ(out[j * lanes + run + i], in[i * lanes + run + j])
            << size << "x" << runs << ": " << run << "+" << i << "," << j;
}

TEST(Transpose, EverySize) {
  for (const char *cpu : {"native", "haswell", "x86-64"}) {
    JitHarness jit(cpu);
    if (!jit.canRun())
      continue;
    for (int64_t size : {1, 2, 4, 8, 16})
      for (int64_t runs : {1, 2, 4}) {
        checkTranspose<float>(jit, size, runs);
        checkTranspose<int32_t>(jit, size, runs);
        checkTranspose<double>(jit, size, runs);
      }
  }
}

} // namespace
