//===- GenerationATest.cpp - the spellings of 2019, and built-ins ---------===//

#include "Kernel.h"

#include <cmath>

using namespace tritium::testing;

TEST(GenerationA, RangesReductionsAndTransposes) {
  std::vector<float> x = randoms<float>(32 * 8, -1, 1, 1), sums(64), turned(32 * 8), flat(32 * 8);
  Kernel(R"(
    const tunable int32 TM = {32, 64};
    kernel void k(restrict read_only align(16) fp32 *x, fp32 *sums, fp32 *turned, fp32 *flat,
                  multiple_of(8) int32 ld) {
      int32 rm[TM] = get_global_range[TM](0);
      int32 rn[8] = 0 ... 8;
      fp32 *px[TM, 8] = x + rm[:, newaxis] * ld + rn[newaxis, :];
      fp32 t[TM, 8] = *px;
      *(sums + rm) = __sum(t, 1);
      *(turned + rn[:, newaxis] * TM + rm[newaxis, :]) = trans(t);
      fp32 u[8, TM] = trans(t, 1, 0);
      *(sums + TM + rm) = u[+, :];
      *(flat + (0 ... (TM * 8))) = __reshape(t, TM * 8);
    })",
         {{"TM", "32"}})
      .array(x)
      .array(sums, 1e-6)
      .array(turned)
      .array(flat)
      .scalar(8)
      .run();
  for (int i = 0; i < 32; ++i) {
    float sum = 0;
    for (int j = 0; j < 8; ++j) {
      sum += x[i * 8 + j];
      EXPECT_EQ(turned[j * 32 + i], x[i * 8 + j]);
    }
    EXPECT_NEAR(sums[i], sum, 1e-5);
    EXPECT_NEAR(sums[32 + i], sum, 1e-5);
  }
  EXPECT_EQ(flat, x);
}

TEST(GenerationA, DotAndAtomicsUnderOldNames) {
  std::vector<float> a = randoms<float>(16 * 16, -1, 1, 1), c(16 * 16);
  std::vector<int32_t> lock(3);
  Kernel(R"(
    void k(fp32 *a, fp32 *c, int32 *lock) {
      int32 r[16] = 0 ... 16;
      fp32 x[16, 16] = *(a + r[:, newaxis] * 16 + r[newaxis, :]);
      fp32 acc[16, 16] = 1;
      acc = dot(x, trans(x), acc);
      *(c + r[:, newaxis] * 16 + r[newaxis, :]) = acc;
      int32 old = __atomic_cas(lock, 0, 1);
      *(lock + 1) = old + get_range_id(0) + get_num_program(0) * 10;
      __atomic_exch(lock, 0);
      __atomic_add(lock + 2, 5);
    })")
      .array(a)
      .array(c, 1e-5)
      .array(lock)
      .run();
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      float sum = 1;
      for (int k = 0; k < 16; ++k)
        sum += a[i * 16 + k] * a[j * 16 + k];
      EXPECT_NEAR(c[i * 16 + j], sum, 1e-4);
    }
  EXPECT_EQ(lock, (std::vector<int32_t>{0, 10, 5}));
}

TEST(BuiltIns, MathIsInFloatOrDouble) {
  std::vector<Half> h = {Half(0.5), Half(2)};
  std::vector<float> out(8);
  std::vector<double> wide(1);
  Kernel(R"(
    __global__ void k(half *h, float *out, double *wide) {
      half x[2] = *(h + 0 ... 2);
      *(out + 0 ... 2) = exp(x);
      *(out + 2 + 0 ... 2) = log(x) + sqrtf(x);
      *(out + 4) = sqrt(9) + expf(0) + logf(1);
      *(out + 5) = exp((float[2])x)[+];
      *(out + 6) = max(3, 2.5f) + min(-1, 4u);
      half smaller[2] = min(x, (half[2])1);
      *(out + 7) = smaller[+];
      *wide = exp(1.0);
    })")
      .array(h)
      .array(out, 1e-6)
      .array(wide, 1e-14)
      .run();
  EXPECT_NEAR(out[0], std::exp(0.5f), 1e-6);
  EXPECT_NEAR(out[2], std::log(0.5f) + std::sqrt(0.5f), 1e-6);
  EXPECT_EQ(out[4], 4.f);
  EXPECT_NEAR(out[5], std::exp(0.5f) + std::exp(2.f), 1e-5);
  EXPECT_EQ(out[6], 3.f + 4.f); // -1 is the largest unsigned number
  EXPECT_EQ(out[7], 1.5f);
  EXPECT_NEAR(wide[0], std::exp(1.0), 1e-14);
}

TEST(BuiltIns, AtomicAddInAllItsSpellings) {
  std::vector<float> f(4);
  std::vector<Half> h(1);
  Kernel(R"(
    __global__ void k(float *f, half *h) {
      int r[64] = (0 ... 64) % 4;
      float v[64] = 1;
      bool m[64] = (0 ... 64) < 32;
      atomic_add(float, 64, 1)(f + r, v, m);
      atomic_add_float_1x1(f, 2, 1);
      atomic_add_half_1x1(h, 3, true);
      f32_atomic_add(f + 3, 1);
    })")
      .array(f)
      .array(h)
      .run();
  EXPECT_EQ(f, (std::vector<float>{10, 8, 8, 9}));
  EXPECT_EQ(h[0], Half(3));
}
