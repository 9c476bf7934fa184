//===- PublicKernelTest.cpp - what the known kernel families need ---------===//
//
// One kernel for each family of the reference's section 11, with the constructs that the
// family is written with.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tritium::testing;

TEST(PublicKernels, SeedAdd) {
  for (const char *size : {"32", "64", "128", "256"}) {
    std::vector<float> a = randoms<float>(512, -1, 1, 1), b = randoms<float>(512, -1, 1, 2), c(512);
    Kernel(R"(
      __global__ void add(int N, TYPE* a, TYPE* b, TYPE* c) {
        int id = get_program_id(0);
        int off[SIZE] = id * SIZE + (0 ... SIZE);
        *(c + off) = *(a + off) + *(b + off);
      })",
           {{"TYPE", "float"}, {"SIZE", size}})
        .scalar(512)
        .array(a)
        .array(b)
        .array(c)
        .run(512 / std::stoi(size));
    for (int i = 0; i < 512; ++i)
      EXPECT_EQ(c[i], a[i] + b[i]);
  }
}

TEST(PublicKernels, SeedTransposeWithBounds) {
  const int m = 50, n = 37;
  std::vector<float> x = randoms<float>(m * n, -1, 1, 1), y(m * n);
  Kernel(R"(
    __global__ void transpose(TYPE * X, TYPE * Y, int M, int N, int ldx, int ldy) {
      int pidm = get_program_id(0);
      int pidn = get_program_id(1);
      int rm[TM] = pidm * TM + 0 ... TM;
      int rn[TN] = pidn * TN + 0 ... TN;
      TYPE* px[TM, TN] = X + rm[:, newaxis] + rn[newaxis, :] * ldx;
      TYPE* py[TN, TM] = Y + rm[newaxis, :] * ldy + rn[:, newaxis];
      bool checkx[TM, TN] = (rm[:, newaxis] < M) && (rn[newaxis, :] < N);
      bool checky[TN, TM] = (rm[newaxis, :] < M) && (rn[:, newaxis] < N);
      *?(checky)py = ^(*?(checkx)px);
    })",
         {{"TYPE", "float"}, {"TM", "16"}, {"TN", "32"}})
      .array(x)
      .array(y)
      .scalar(m)
      .scalar(n)
      .scalar(m)
      .scalar(n)
      .run((m + 15) / 16, (n + 31) / 32);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      EXPECT_EQ(y[i * n + j], x[j * m + i]);
}

TEST(PublicKernels, CopyOfRankThreeWithMacroStrides) {
  std::vector<int32_t> x(8 * 16 * 4), y(x.size());
  std::iota(x.begin(), x.end(), 0);
  Kernel(R"(
    #define STRIDE_X0 1
    #define STRIDE_X1 S0
    #define STRIDE_X2 S0 * S1
    __global__ void copy(TYPE *X __noalias __readonly __aligned(16),
                         TYPE *Y __noalias __readonly __aligned(16), int S0, int S1, int S2) {
      int pid0 = get_program_id(0);
      int pid1 = get_program_id(1);
      int rs0[TS0] = pid0 * TS0 + 0 ... TS0;
      int rs1[TS1] = pid1 * TS1 + 0 ... TS1;
      int rs2[TS2] = 0 ... TS2;
      TYPE *px[TS0, TS1, TS2] = X + rs0[:, newaxis, newaxis] * STRIDE_X0 +
                                rs1[newaxis, :, newaxis] * STRIDE_X1 +
                                rs2[newaxis, newaxis, :] * STRIDE_X2;
      TYPE *py[TS0, TS1, TS2] = Y + rs0[:, newaxis, newaxis] * STRIDE_X0 +
                                rs1[newaxis, :, newaxis] * STRIDE_X1 +
                                rs2[newaxis, newaxis, :] * STRIDE_X2;
      *py = *px;
    })",
         {{"TYPE", "int"}, {"TS0", "4"}, {"TS1", "8"}, {"TS2", "4"}})
      .array(x)
      .array(y)
      .scalar(8)
      .scalar(16)
      .scalar(4)
      .run(2, 2);
  EXPECT_EQ(x, y);
}

TEST(PublicKernels, SuperGroupedMatmulWithReassignedParameters) {
  const int m = 64, n = 96, k = 40;
  std::vector<float> a = randoms<float>(m * k, -1, 1, 1), b = randoms<float>(k * n, -1, 1, 2),
                     c(m * n);
  std::vector<int32_t> locks(64);
  Kernel(R"(
    __global__ void matmul(TYPE *A __noalias __readonly __aligned(16), TYPE *B, TYPE *C,
                           float alpha, int M, int N, int K __multipleof(4), int lda, int ldb,
                           int ldc, int *locks) {
      int pid = get_program_id(0);
      int pid_z = get_program_id(1);
      int gridm = (M + TM - 1) / TM;
      int gridn = (N + TN - 1) / TN;
      int width = STM * gridn;
      int stm = pid / width;
      int RSTM = min(gridm - stm * STM, STM);
      int stn = (pid % width) / RSTM;
      int laneid = pid % RSTM;
      int rm[TM] = (stm * STM + laneid) * TM + 0 ... TM;
      int rn[TN] = stn * TN + 0 ... TN;
      int pidk = pid_z;
#if (TZ == 1)
      int rk[TK] = 0 ... TK;
#else
      K = (K + TZ - 1) / TZ;
      int rk[TK] = pidk * K + 0 ... TK;
#endif
      TYPE *pa[TM, TK] = A + rk[newaxis, :] + rm[:, newaxis] * lda;
      TYPE *pb[TK, TN] = B + rk[:, newaxis] * ldb + rn[newaxis, :];
      int prefetch[TK] = 0 ... TK;
      bool checka[TM, TK] = prefetch[newaxis, :] < K && rm[:, newaxis] < M;
      bool checkb[TK, TN] = prefetch[:, newaxis] < K && rn[newaxis, :] < N;
      TYPE a[TM, TK] = checka ? *pa : 0;
      TYPE b[TK, TN] = checkb ? *pb : 0;
      float acc[TM, TN] = 0;
      for (int k = K; k > 0; k -= TK) {
        acc += a @ b;
        bool checkk[TK] = (0 ... TK) < k - TK;
        pa += TK;
        pb += TK * ldb;
        a = *?(checkk[newaxis, :] && rm[:, newaxis] < M) pa;
        b = *?(checkk[:, newaxis] && rn[newaxis, :] < N) pb;
      }
      acc = acc * alpha;
      TYPE c[TM, TN] = acc;
      bool checkc[TM, TN] = (rm < M)[:, newaxis] && (rn < N)[newaxis, :];
      TYPE *pc[TM, TN] = C + rm[:, newaxis] * ldc + rn[newaxis, :];
#if (TZ == 1)
      *?(checkc) pc = c;
#else
      int *plock = locks + pid;
      int *pcount = plock + get_num_programs(0);
      for (int repeat = 1; repeat == 1; repeat = atomic_cas(plock, 0, 1))
        ;
      int count = *pcount;
      if (count == 0)
        *?(checkc) pc = c;
      else
        *?(checkc) pc = c + *?(checkc)pc;
      atomic_xchg(pcount, (count + 1) % (TZ));
      atomic_xchg(plock, 0);
#endif
    })",
         {{"TYPE", "float"}, {"TM", "16"}, {"TN", "32"}, {"TK", "8"}, {"TZ", "2"}, {"STM", "3"}})
      .array(a)
      .array(b)
      .array(c, 1e-5)
      .real(0.5)
      .scalar(m)
      .scalar(n)
      .scalar(k)
      .scalar(k)
      .scalar(n)
      .scalar(n)
      .array(locks)
      .run(m / 16 * n / 32, 2);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int p = 0; p < k; ++p)
        sum += a[i * k + p] * b[p * n + j];
      ASSERT_NEAR(c[i * n + j], 0.5f * sum, 1e-4);
    }
  EXPECT_EQ(locks, std::vector<int32_t>(64));
}

TEST(PublicKernels, ConvolutionWithIncrementTable) {
  // A 1-D convolution: the pointers move by what the table says.
  const int batch = 4, channels = 3, width = 20, taps = 5, out = width - taps + 1;
  std::vector<float> x = randoms<float>(batch * channels * width, -1, 1, 1),
                     w = randoms<float>(channels * taps * 8, -1, 1, 2), y(batch * out * 8);
  const int k = channels * taps, tk = 4;
  std::vector<int32_t> delta(32);
  auto offset = [&](int i) { return i / taps * width + i % taps; };
  for (int i = 0; i < 32; ++i)
    delta[i] = i + tk < k ? offset(i + tk) - offset(i) : 0;
  Kernel(R"(
    __global__ void conv(float *X, float *W, float *Y, int *D, int K) {
      int rxy[TM] = get_program_id(0) * TM + 0 ... TM;
      int rz[TM] = rxy / OUT;
      int rp[TM] = rxy % OUT;
      int rn[8] = 0 ... 8;
      int rk[TK] = 0 ... TK;
      int rc[TK] = rk / TAPS;
      int rt[TK] = rk % TAPS;
      float *px[TM, TK] = X + rz[:, newaxis] * (CHANNELS * WIDTH) + rp[:, newaxis] +
                          rc[newaxis, :] * WIDTH + rt[newaxis, :];
      float *pw[TK, 8] = W + rk[:, newaxis] * 8 + rn[newaxis, :];
      int *pd[TK] = D + rk;
      bool checkm[TM, TK] = rxy[:, newaxis] >= 0 && rz[:, newaxis] < BATCH && rp[:, newaxis] < OUT;
      float acc[TM, 8] = 0;
      for (; K > 0; K -= TK) {
        bool checkk[TK] = (0 ... TK) < K;
        float x[TM, TK] = checkm && checkk[newaxis, :] ? *px : 0;
        float w[TK, 8] = checkk[:, newaxis] ? *pw : 0;
        acc += x @ w;
        px += (*pd)[newaxis, :];
        pd += TK;
        pw += TK * 8;
      }
      float c[TM * 8] = (float[TM * 8])acc;
      rxy = get_program_id(0) * TM + 0 ... TM;
      int flat[TM * 8] = (int[TM * 8])(rxy[:, newaxis] * 8 + rn[newaxis, :]);
      bool ok[TM * 8] = 1;
      *?(ok && flat < BATCH * OUT * 8)(Y + flat) = c;
    })",
         {{"TM", "16"},
          {"TK", "4"},
          {"OUT", std::to_string(out)},
          {"TAPS", std::to_string(taps)},
          {"CHANNELS", std::to_string(channels)},
          {"WIDTH", std::to_string(width)},
          {"BATCH", std::to_string(batch)}})
      .array(x)
      .array(w)
      .array(y, 1e-5)
      .array(delta)
      .scalar(k)
      .run((batch * out + 15) / 16);
  for (int z = 0; z < batch; ++z)
    for (int p = 0; p < out; ++p)
      for (int j = 0; j < 8; ++j) {
        float sum = 0;
        for (int i = 0; i < k; ++i)
          sum += x[z * channels * width + p + offset(i)] * w[i * 8 + j];
        ASSERT_NEAR(y[(z * out + p) * 8 + j], sum, 1e-4);
      }
}

TEST(PublicKernels, EinsumWithSelectAndMaskedBits) {
  std::vector<float> a = randoms<float>(16 * 16, -1, 1, 1), out(16 * 16);
  Kernel(R"(
    __global__ void einsum(float *A, float *C, int K, int rem) {
      int r[16] = 0 ... 16;
      int matmul_k = K;
      if (rem > 0) matmul_k = select(rem > 100, matmul_k, rem);
      float *pa[16, 16, 1] = A + r[:, newaxis, newaxis] * 16 + r[newaxis, :, newaxis];
      float x[16, 16, 1] = *pa;
      float acc[16, 16, 1] = 0;
      while (matmul_k > 0) { acc += x @ x; matmul_k -= 16; }
      uint32 mask[16, 16, 1] = acc > 0 ? 0xFFFFFFFF : 0;
      uint32 bits[16, 16, 1] = bitcast<uint32[16, 16, 1]>(acc) & mask;
      acc = bitcast<float[16, 16, 1]>(bits);
      float *pc[16, 16, 1] = C + r[:, newaxis, newaxis] * 16 + r[newaxis, :, newaxis];
      *pc = acc;
    })")
      .array(a)
      .array(out, 1e-5)
      .scalar(64)
      .scalar(32)
      .run();
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      float sum = 0;
      for (int k = 0; k < 16; ++k)
        sum += 2 * a[i * 16 + k] * a[k * 16 + j];
      ASSERT_NEAR(out[i * 16 + j], std::max(sum, 0.f), 1e-4);
    }
}

TEST(PublicKernels, BatchNormalisation) {
  const int n = 200, c = 3;
  std::vector<float> x = randoms<float>(n * c, -2, 5, 1), y(n * c), mean(c), var(c),
                     gamma = {1, 2, 0.5}, beta = {0, -1, 3};
  Kernel(R"(
    void batchnorm(float *Y, float *M, float *V, float *X, float *G, float *B, int N, float eps) {
      int pid = get_program_id(0);
      int off[TN] = 0 ... TN;
      float *px[TN] = X + off + pid * N;
      float sum[TN] = 0;
      for (int i = 0; i < N; i += TN) sum += off + i < N ? *(px + i) : 0;
      float m = (float)sum[+] / N;
      *(M + pid) = m;
      float sq[TN] = 0;
      for (int i = 0; i < N; i += TN) {
        float x[TN] = off + i < N ? *(px + i) - m : 0;
        sq += x * x;
      }
      float v = (float)sq[+] / N;
      *(V + pid) = v;
      float g = *(G + pid);
      float b = *(B + pid);
      float rstdg = 1 / sqrtf(v + eps) * g;
      float *py[TN] = Y + off + pid * N;
      for (int i = 0; i < N; i += TN)
        *?(off + i < N)(py + i) = (*?(off + i < N)(px + i) - m) * rstdg + b;
    })",
         {{"TN", "64"}})
      .array(y, 1e-5)
      .array(mean, 1e-5)
      .array(var, 1e-5)
      .array(x)
      .array(gamma)
      .array(beta)
      .scalar(n)
      .real(1e-5)
      .run(c);
  for (int i = 0; i < c; ++i) {
    double m = 0, v = 0;
    for (int j = 0; j < n; ++j)
      m += x[i * n + j] / n;
    for (int j = 0; j < n; ++j)
      v += (x[i * n + j] - m) * (x[i * n + j] - m) / n;
    EXPECT_NEAR(mean[i], m, 1e-4);
    EXPECT_NEAR(var[i], v, 1e-3);
    for (int j = 0; j < n; ++j)
      EXPECT_NEAR(y[i * n + j], (x[i * n + j] - m) / std::sqrt(v + 1e-5) * gamma[i] + beta[i],
                  1e-3);
  }
}

TEST(PublicKernels, CrossEntropyForwardAndBackward) {
  const int rows = 5, columns = 300;
  std::vector<Half> logits = randoms<Half>(rows * columns, -3, 3, 1), original = logits,
                    result(rows);
  std::vector<int64_t> indices = {0, 299, 17, 150, 4};
  const char *text = R"(
    __global__ void forward(TYPE *logit, TYPE *modified, long *indices, TYPE *result, int n_cols) {
      int row = get_program_id(0);
      bool check[TILE] = ((0 ... TILE) < n_cols);
      int offset[TILE] = row * n_cols + 0 ... TILE;
      TYPE *px[TILE] = logit + offset;
      TYPE *pmodified[TILE] = modified + offset;
      long local_ind = *(indices + row);
      TYPE F16[TILE] = check ? *px : -INFINITY;
      float shifted_logit[TILE] = F16 - F16[max];
      float neg_logprob[TILE] = log(exp(shifted_logit)[+]) - shifted_logit;
      *?(check) pmodified = neg_logprob;
      __debug_barrier();
      *(result + row) = *(modified + (local_ind + n_cols * row));
    }
    __global__ void backward(TYPE *neg_logprobs, long *indices, TYPE *dneg_logprobs, int n_cols) {
      int row = get_program_id(0);
      int offset[TILE] = row * n_cols + 0 ... TILE;
      TYPE *px[TILE] = neg_logprobs + offset;
      bool check[TILE] = (0 ... TILE) < n_cols;
      long local_ind = *(indices + row);
      TYPE local_dn = *(dneg_logprobs + row);
      TYPE probs[TILE] = exp(-(float[TILE]) *?(check)px);
      TYPE local[TILE] = ((0 ... TILE) == local_ind) ? 1 : 0;
      TYPE is[TILE] = (TYPE[TILE])((0 ... TILE) == local_ind);
      *?((0 ... TILE) < n_cols) px = (probs - is) * local_dn + 0 * local;
    })";
  Defines defines = {{"TYPE", "half"}, {"TILE", "512"}, {"INFINITY", "F16_INFINITY"}};
  std::vector<Half> modified(rows * columns);
  Kernel(text, defines, "forward")
      .array(logits)
      .array(modified, 4e-3)
      .array(indices)
      .array(result, 4e-3)
      .scalar(columns)
      .run(rows);
  std::vector<Half> gradient = modified, ones(rows, Half(2));
  Kernel(text, defines, "backward")
      .array(gradient, 4e-3)
      .array(indices)
      .array(ones)
      .scalar(columns)
      .run(rows);
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int j = 0; j < columns; ++j)
      sum += std::exp(double(original[i * columns + j]));
    for (int j = 0; j < columns; ++j) {
      double loss = std::log(sum) - double(original[i * columns + j]);
      EXPECT_NEAR(double(modified[i * columns + j]), loss, 1e-2);
      EXPECT_NEAR(double(gradient[i * columns + j]), 2 * (std::exp(-loss) - (j == indices[i])),
                  1e-2);
    }
    EXPECT_EQ(result[i], modified[i * columns + indices[i]]);
  }
}

TEST(PublicKernels, ReluWithHalfScalarsAndAtomicSum) {
  std::vector<Half> x = randoms<Half>(64, -1, 1, 1), dy = randoms<Half>(64, -1, 1, 2), dx(64);
  std::vector<float> sum(1);
  Kernel(R"(
    void relu(TYPE *X, TYPE *DY, TYPE *DX, TYPE scale, TYPE bias, float *dscale, int N) {
      int rxm[TN] = get_program_id(0) * TN + 0 ... TN;
      TYPE x[TN] = *(X + rxm);
      TYPE y[TN] = x * scale + bias;
      TYPE du[TN] = y > 0 ? *(DY + rxm) : 0;
      *(DX + rxm) = du * scale;
      f32_atomic_add(dscale, ((float[TN])(du * x))[+]);
    })",
         {{"TYPE", "half"}, {"TN", "32"}})
      .array(x)
      .array(dy)
      .array(dx)
      .real(0.5)
      .real(0.125)
      .array(sum, 1e-5)
      .scalar(64)
      .run(2);
  float expected = 0;
  for (int i = 0; i < 64; ++i) {
    bool isOn = Half(Half(x[i] * Half(0.5)) + Half(0.125)) > Half(0);
    EXPECT_EQ(dx[i], isOn ? Half(dy[i] * Half(0.5)) : Half(0));
    expected += isOn ? float(Half(dy[i] * x[i])) : 0;
  }
  EXPECT_NEAR(sum[0], expected, 1e-4);
}

TEST(PublicKernels, PermuteWithExtentsOfOne) {
  std::vector<float> x(4 * 6 * 8), y(x.size());
  std::iota(x.begin(), x.end(), 0.f);
  Kernel(R"(
    void permute(float *X __readonly, float *Y __readonly, int N, int C, int HW) {
      int rn[TN] = get_program_id(0) * TN + 0 ... TN;
      int rc[TC] = get_program_id(1) * TC + 0 ... TC;
      int rhw[THW] = get_program_id(2) * THW + 0 ... THW;
      float *px[TN, TC, THW] = X + rn[:, newaxis, newaxis] * (C * HW) +
                               rc[newaxis, :, newaxis] * HW + rhw[newaxis, newaxis, :];
      float *py[THW, TN, TC] = Y + rhw[:, newaxis, newaxis] * N + rn[newaxis, :, newaxis] +
                               rc[newaxis, newaxis, :] * (N * HW);
      *py = (*px)[^2, ^0, ^1];
    })",
         {{"TN", "4"}, {"TC", "1"}, {"THW", "8"}})
      .array(x)
      .array(y)
      .scalar(4)
      .scalar(6)
      .scalar(8)
      .run(1, 6, 1);
  for (int n = 0; n < 4; ++n)
    for (int c = 0; c < 6; ++c)
      for (int i = 0; i < 8; ++i)
        EXPECT_EQ(y[c * 32 + i * 4 + n], x[n * 48 + c * 8 + i]);
}

TEST(PublicKernels, BlockSparseSoftmaxWithOddExtent) {
  // Rows of three blocks of 16; the tile has 96 lanes, of which 48 count.
  const int blocks = 3, block = 16, rows = 16;
  std::vector<Half> x = randoms<Half>(blocks * rows * block, -2, 2, 1), before = x,
                    penalty = randoms<Half>(block * 4, -1, 1, 2);
  std::vector<int32_t> lut = {0, 1, 2, /*column of each block*/ 0, 2, 3};
  Kernel(R"(
    __global__ void softmax(TYPE *X __readonly __noalias __aligned(16), float scale, int *LUT,
                            TYPE *KP, long sizemax) {
      int row = get_program_id(0);
      int lane[TN] = (0 ... TN) % BLOCK;
      int rbn[TN] = (0 ... TN) / BLOCK;
      int size = 3;
      bool check[TN] = rbn < size;
      int rows[TN] = select(rbn < size, rbn, size - 1);
      int blockid[TN] = *(LUT + rows);
      int columnid[TN] = *(LUT + size + rows);
      long offset[TN] = (long[TN])blockid * BLOCK * BLOCK;
      TYPE *px[TN] = X + offset + row * BLOCK + lane;
      TYPE *pkp[TN] = KP + columnid * BLOCK + lane;
      TYPE kp[TN] = check ? *pkp : -INFINITY;
      TYPE x[TN] = check ? *px : -INFINITY;
      float Fx[TN] = (float[TN])(x * scale) + (float[TN])kp;
      Fx = check ? Fx : (float[TN])-INFINITY;
      float m = Fx[max];
      float y[TN] = exp(Fx - m);
      float sum = (check ? y : 0)[+];
      *?(check) px = y / sum;
    })",
         {{"TYPE", "half"}, {"TN", "96"}, {"BLOCK", "16"}, {"INFINITY", "F16_INFINITY"}})
      .array(x, 2e-3)
      .real(0.5)
      .array(lut)
      .array(penalty)
      .scalar(8)
      .run(rows);
  for (int r = 0; r < rows; ++r) {
    double values[48], sum = 0, largest = -1e9;
    for (int b = 0; b < blocks; ++b)
      for (int j = 0; j < block; ++j) {
        double v = double(before[(b * rows + r) * block + j]) * 0.5 +
                   double(penalty[lut[3 + b] * block + j]);
        values[b * block + j] = v;
        largest = std::max(largest, v);
      }
    for (double &v : values)
      sum += v = std::exp(v - largest);
    for (int i = 0; i < 48; ++i)
      ASSERT_NEAR(double(x[(i / 16 * rows + r) * block + i % 16]), values[i] / sum, 2e-3);
  }
}

TEST(PublicKernels, BlockSparseMatmulThroughTables) {
  // c = a @ b, where a is a list of 16x16 blocks and a header says where each row starts.
  const int block = 16, columns = 32;
  const int rowBlocks = 3;
  std::vector<float> a = randoms<float>(5 * block * block, -1, 1, 1),
                     b = randoms<float>(4 * block * columns, -1, 1, 2),
                     c(rowBlocks * block * columns);
  // header: first entry and count of each block row; then for each block its column.
  std::vector<int32_t> lut = {6, 2, 8, 0, 8, 3, /*columns*/ 0, 3, 1, 2, 3};
  Kernel(R"(
    __global__ void NAME(TYPE *A __readonly __noalias __aligned(16),
                         TYPE *B __readonly __noalias __aligned(16), TYPE *C __noalias,
                         long ldb __multipleof(8), int *lut) {
      int *header = lut + get_program_id(0) * 2;
      int start = *header;
      int count = *(header + 1);
      int rm[BLOCK] = 0 ... BLOCK;
      int rn[TN] = get_program_id(1) * TN + 0 ... TN;
      int rk[BLOCK] = 0 ... BLOCK;
      int *pcol = lut + start;
      TYPE *pa[BLOCK, BLOCK] = A + (start - 6) * BLOCK * BLOCK + rm[:, newaxis] * BLOCK +
                               rk[newaxis, :];
      bool t[BLOCK, TN] = count > 0;
      float acc[BLOCK, TN] = 0;
      for (int k = count; k > 0; k -= 1) {
        int col __multipleof(1) = *pcol;
        TYPE *pb[BLOCK, TN] = B + (rk + col * BLOCK)[:, newaxis] * ldb + rn[newaxis, :];
        TYPE a[BLOCK, BLOCK] = *pa;
        TYPE b[BLOCK, TN] = t ? *pb : 0;
        acc += a @ b;
        pcol += 1;
        pa += BLOCK * BLOCK;
      }
      TYPE c[BLOCK, TN] = acc;
      TYPE *pc[BLOCK, TN] = C + (get_program_id(0) * BLOCK + rm)[:, newaxis] * ldb + rn[newaxis, :];
      *pc = c;
    })",
         {{"NAME", "dsd"}, {"TYPE", "float"}, {"BLOCK", "16"}, {"TN", "32"}})
      .array(a)
      .array(b)
      .array(c, 1e-5)
      .scalar(columns)
      .array(lut)
      .run(rowBlocks, 1);
  for (int r = 0; r < rowBlocks; ++r)
    for (int i = 0; i < block; ++i)
      for (int j = 0; j < columns; ++j) {
        float sum = 0;
        for (int e = 0; e < lut[2 * r + 1]; ++e)
          for (int k = 0; k < block; ++k)
            sum += a[((lut[2 * r] - 6 + e) * block + i) * block + k] *
                   b[(lut[lut[2 * r] + e] * block + k) * columns + j];
        ASSERT_NEAR(c[(r * block + i) * columns + j], sum, 1e-4);
      }
}
