//===- MicroKernelTest.cpp - dot and transpose by running them ------------===//

#include "Assembly.h"
#include "JitHarness.h"

#include "tritium/Conversion/TileToCPU/MicroKernel.h"

#include "gtest/gtest.h"

#include <cmath>
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
/// in c does not count; `anyRows`: the stride of a is a run-time value.
template <typename T>
void checkDot(JitHarness &jit, int64_t m, int64_t n, int64_t k, bool fromZero, bool anyRows) {
  int64_t lanes = jit.target().vectorBits / (8 * sizeof(T));
  int64_t aStride = k + 3, bStride = roundUp(n, lanes), cStride = bStride + lanes;
  auto dot = reinterpret_cast<void (*)(T *, T *, T *)>(
      jit.compile(3, [&](OpBuilder &b, Location loc, ArrayRef<Value> args) {
        Value bytes;
        if (anyRows)
          bytes = b.create<arith::ConstantIntOp>(loc, aStride * sizeof(T), 64);
        emitDot(b, loc, jit.target(), elementType<T>(b), m, n, k, {args[0], aStride, bytes},
                {args[1], bStride, {}}, {args[2], cStride, {}}, fromZero);
      }));
  Buffer<T> a(m * aStride), b(k * bStride), c((m + 1) * cStride);
  std::mt19937 random(m * 10007 + n * 101 + k);
  auto fill = [&](Buffer<T> &buffer) {
    for (size_t i = 0; i < buffer.count; ++i)
      buffer.data[i] = T(int(random() % 201) - 100);
  };
  fill(a), fill(b), fill(c);
  std::vector<T> expected(c.data, c.data + c.count);
  if (fromZero)
    std::fill(expected.begin(), expected.end(), T(0));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t kk = 0; kk < k; ++kk)
      for (int64_t j = 0; j < n; ++j)
        expected[i * cStride + j] += a.data[i * aStride + kk] * b.data[kk * bStride + j];
  std::vector<T> before(c.data, c.data + c.count);
  dot(a.data, b.data, c.data);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      ASSERT_EQ(c.data[i * cStride + j], expected[i * cStride + j])
          << jit.target().cpu << " " << m << "x" << n << "x" << k << " at " << i << "," << j;
  // Nothing beyond the padded row, and no row beyond m, may change.
  for (int64_t i = 0; i <= m; ++i)
    for (int64_t j = i < m ? bStride : 0; j < cStride; ++j)
      ASSERT_EQ(c.data[i * cStride + j], before[i * cStride + j]) << i << "," << j;
}

class Dot : public testing::TestWithParam<const char *> {};

TEST_P(Dot, EdgeShapes) {
  JitHarness jit(GetParam());
  if (!jit.canRun())
    GTEST_SKIP();
  const int64_t shapes[][3] = {{1, 1, 1},    {1, 64, 7},   {2, 3, 5},    {3, 17, 4},   {7, 33, 8},
                               {8, 32, 1},   {9, 47, 9},   {13, 100, 3}, {16, 16, 16}, {17, 1, 31},
                               {31, 31, 31}, {64, 64, 32}, {65, 80, 12}, {128, 8, 64}, {5, 200, 2}};
  for (auto [m, n, k] : shapes)
    for (bool variant : {false, true}) {
      checkDot<float>(jit, m, n, k, variant, !variant);
      checkDot<float>(jit, m, n, k, variant, variant);
      checkDot<double>(jit, m, n, k, variant, variant);
      checkDot<int32_t>(jit, m, n, k, variant, !variant);
    }
}

/// What a form multiplies, and how its operands are laid out.
template <typename Operand, typename Sum> struct GroupedDot {
  DotForm form;
  int64_t m, n, k, group = groupOf(form), groups = (k + group - 1) / group;
  int64_t aStride = k + 3, cStride = roundUp(n, 16);
  Buffer<Operand> a{size_t(m * aStride)}, b{size_t(k * n)};
  Buffer<Operand> packed{size_t((groups + 1) * cStride * group)};
  Buffer<Sum> c{size_t(m * cStride)};

  GroupedDot(DotForm form, int64_t m, int64_t n, int64_t k) : form(form), m(m), n(n), k(k) {}

  void pack() {
    std::fill_n(packed.data, packed.count, Operand(0));
    for (int64_t kk = 0; kk < k; ++kk)
      for (int64_t j = 0; j < n; ++j)
        packed.data[(kk / group * cStride + j) * group + kk % group] = b.data[kk * n + j];
  }

  void run(JitHarness &jit, bool fromZero, bool anyRows) {
    auto dot = reinterpret_cast<void (*)(Operand *, Operand *, Sum *)>(
        jit.compile(3, [&](OpBuilder &builder, Location loc, ArrayRef<Value> args) {
          Value bytes;
          if (anyRows)
            bytes =
                builder.create<arith::ConstantIntOp>(loc, int64_t(aStride * sizeof(Operand)), 64);
          emitDot(builder, loc, jit.target(), elementType<Sum>(builder), m, n, k,
                  {args[0], aStride, bytes}, {args[1], cStride, {}}, {args[2], cStride, {}},
                  fromZero, {}, form);
        }));
    dot(a.data, packed.data, c.data);
  }
};

/// All bytes there are, and sums that wrap.
template <typename Byte>
void checkByteDot(JitHarness &jit, int64_t m, int64_t n, int64_t k, bool variant) {
  GroupedDot<Byte, int32_t> dot(
      std::is_signed_v<Byte> ? DotForm::SignedQuads : DotForm::UnsignedQuads, m, n, k);
  std::mt19937 random(m * 10007 + n * 101 + k);
  for (Buffer<Byte> *buffer : {&dot.a, &dot.b})
    std::generate_n(buffer->data, buffer->count, [&] { return Byte(random()); });
  dot.pack();
  auto *start = reinterpret_cast<int32_t *>(dot.packed.data) + dot.groups * dot.cStride;
  for (int64_t j = 0; j < n; ++j)
    for (int64_t kk = 0; kk < k; ++kk)
      start[j] += (std::is_signed_v<Byte> ? -128 : 128) * dot.b.data[kk * n + j];
  std::generate_n(dot.c.data, dot.c.count, [&] { return int32_t(random()); });
  std::vector<uint32_t> expected(dot.c.data, dot.c.data + dot.c.count);
  if (variant)
    std::fill(expected.begin(), expected.end(), 0);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t kk = 0; kk < k; ++kk)
      for (int64_t j = 0; j < n; ++j)
        expected[i * dot.cStride + j] += dot.a.data[i * dot.aStride + kk] * dot.b.data[kk * n + j];
  dot.run(jit, variant, !variant);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      ASSERT_EQ(uint32_t(dot.c.data[i * dot.cStride + j]), expected[i * dot.cStride + j])
          << m << "x" << n << "x" << k << " at " << i << "," << j;
}

float toFloat(uint16_t bf16) {
  uint32_t bits = uint32_t(bf16) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

float flushed(float value) {
  return std::abs(value) < 0x1p-126f ? std::copysign(0.f, value) : value;
}

/// VDPBF16PS, bit by bit: of each pair the second product is added first, each with one rounding;
/// what is below 2^-126 is zero, going in and coming out.
void checkBF16Dot(JitHarness &jit, int64_t m, int64_t n, int64_t k, bool variant) {
  GroupedDot<uint16_t, float> dot(DotForm::BF16Pairs, m, n, k);
  std::mt19937 random(m * 10007 + n * 101 + k);
  // Exponents around 2^-63, so that products are around the least number that is not flushed.
  for (Buffer<uint16_t> *buffer : {&dot.a, &dot.b})
    std::generate_n(buffer->data, buffer->count, [&] {
      unsigned bits = random();
      return uint16_t((bits & 0x807f) | (bits % 8 ? 64 - 6 + (bits >> 16) % 12 : 0) << 7);
    });
  dot.pack();
  std::generate_n(dot.c.data, dot.c.count, [&] { return std::ldexp(int(random() % 99), -130); });
  std::vector<float> expected(dot.c.data, dot.c.data + dot.c.count);
  if (variant)
    std::fill(expected.begin(), expected.end(), 0.f);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float &sum = expected[i * dot.cStride + j];
      for (int64_t kk = 0; kk < k; kk += 2)
        for (int64_t at : {kk + 1, kk}) {
          float x = at < k ? toFloat(dot.a.data[i * dot.aStride + at]) : 0;
          float y = at < k ? toFloat(dot.b.data[at * n + j]) : 0;
          sum = flushed(std::fma(flushed(x), flushed(y), flushed(sum)));
        }
    }
  dot.run(jit, variant, !variant);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      ASSERT_EQ(dot.c.data[i * dot.cStride + j], expected[i * dot.cStride + j])
          << m << "x" << n << "x" << k << " at " << i << "," << j;
}

TEST(GroupedDot, EdgeShapes) {
  JitHarness jit("native");
  if (!jit.target().hasBF16Dot && !jit.target().hasByteDot)
    GTEST_SKIP();
  const int64_t shapes[][3] = {{1, 1, 1},    {1, 64, 7},  {2, 3, 5},   {3, 17, 4},
                               {7, 33, 8},   {8, 32, 2},  {9, 47, 9},  {13, 100, 3},
                               {16, 16, 16}, {17, 1, 31}, {64, 64, 6}, {65, 80, 13}};
  for (auto [m, n, k] : shapes)
    for (bool variant : {false, true}) {
      if (jit.target().hasByteDot) {
        checkByteDot<int8_t>(jit, m, n, k, variant);
        checkByteDot<uint8_t>(jit, m, n, k, variant);
      }
      if (jit.target().hasBF16Dot)
        checkBF16Dot(jit, m, n, k, variant);
    }
}

/// Beside the products there is at most one other instruction for each, also where bytes change
/// their signs.
TEST(DotCode, InnerLoopOfGroups) {
  struct Case {
    const char *cpu, *name;
    DotForm form;
  };
  const Case cases[] = {{"znver4", "vdpbf16ps", DotForm::BF16Pairs},
                        {"znver4", "vpdpbusd", DotForm::SignedQuads},
                        {"cascadelake", "vpdpbusd", DotForm::UnsignedQuads}};
  for (const Case &each : cases) {
    SCOPED_TRACE(testing::Message() << each.cpu << " " << each.name);
    JitHarness jit(each.cpu);
    auto emit = [&](OpBuilder &b, Location loc, ArrayRef<Value> args) {
      Type sum = each.form == DotForm::BF16Pairs ? Type(b.getF32Type()) : b.getI32Type();
      emitDot(b, loc, jit.target(), sum, 64, 64, 64, {args[0], 64, {}}, {args[1], 64, {}},
              {args[2], 64, {}}, false, {}, each.form);
    };
    std::vector<std::string> block = blockWithMost(jit.assemble(3, emit), each.name);
    size_t products = countOf(block, each.name);
    EXPECT_GE(products, 8u);
    EXPECT_LE(block.size(), 2 * products + 4);
    EXPECT_EQ(countOf(block, "%rsp"), 0u);
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

INSTANTIATE_TEST_SUITE_P(Cpu, Dot, testing::Values("native", "haswell", "x86-64"),
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
