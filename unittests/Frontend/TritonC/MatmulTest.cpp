//===- MatmulTest.cpp - @ (conformance 8), in both languages --------------===//

#include "FusedProduct.h"
#include "Kernel.h"

#include "tritium/Frontend/Python/ModuleScope.h"

using namespace tritium;
using namespace tritium::testing;

//===----------------------------------------------------------------------===//
// 8: @
//===----------------------------------------------------------------------===//

namespace {
/// The tutorial's kernel with fused transpositions, checked against a plain loop.
template <typename T> void testProduct(const char *type, int tm, int tn, int tk, bool ta, bool tb) {
  SCOPED_TRACE(std::string(type) + " " + std::to_string(tm) + "x" + std::to_string(tn) + "x" +
               std::to_string(tk) + (ta ? " T" : " N") + (tb ? "T" : "N"));
  int m = 2 * tm, n = 2 * tn, k = 3 * tk;
  std::vector<T> a = randoms<T>(m * k, -1, 1, 1), b = randoms<T>(k * n, -1, 1, 2), c(m * n);
  Defines defines = {{"TYPE", type},
                     {"TM", std::to_string(tm)},
                     {"TN", std::to_string(tn)},
                     {"TK", std::to_string(tk)}};
  auto define = [&](bool isTransposed, Defines plain, Defines transposed) {
    for (auto &entry : isTransposed ? transposed : plain)
      defines.push_back(entry);
  };
  define(ta,
         {{"USE_A", "a"},
          {"STRIDE_AK", "1"},
          {"STRIDE_AM", "lda"},
          {"SHAPE_A", "TM,TK"},
          {"BROADCAST_AK", "newaxis,:"},
          {"BROADCAST_AM", ":,newaxis"}},
         {{"USE_A", "^a"},
          {"STRIDE_AK", "lda"},
          {"STRIDE_AM", "1"},
          {"SHAPE_A", "TK,TM"},
          {"BROADCAST_AK", ":,newaxis"},
          {"BROADCAST_AM", "newaxis,:"}});
  define(tb,
         {{"USE_B", "b"},
          {"STRIDE_BK", "ldb"},
          {"STRIDE_BN", "1"},
          {"SHAPE_B", "TK,TN"},
          {"BROADCAST_BK", ":,newaxis"},
          {"BROADCAST_BN", "newaxis,:"}},
         {{"USE_B", "^b"},
          {"STRIDE_BK", "1"},
          {"STRIDE_BN", "ldb"},
          {"SHAPE_B", "TN,TK"},
          {"BROADCAST_BK", "newaxis,:"},
          {"BROADCAST_BN", ":,newaxis"}});
  Kernel(kFusedProduct, defines)
      .array(a)
      .array(b)
      .array(c, sizeof(T) == 2 ? 2e-3 : 1e-5)
      .scalar(m)
      .scalar(n)
      .scalar(k)
      .scalar(ta ? m : k)
      .scalar(tb ? k : n)
      .scalar(n)
      .run(2, 2);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int p = 0; p < k; ++p)
        sum += float(ta ? a[p * m + i] : a[i * k + p]) * float(tb ? b[j * k + p] : b[p * n + j]);
      ASSERT_NEAR(float(c[i * n + j]), sum, sizeof(T) == 2 ? 2e-2 : 1e-4);
    }
}

template <typename T> void testTranspositions(const char *type) {
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      testProduct<T>(type, 8, 8, 8, ta, tb);
      testProduct<T>(type, 16, 32, 8, ta, tb);
      testProduct<T>(type, 64, 32, 16, ta, tb);
    }
  testProduct<T>(type, 128, 128, 32, false, false);
}
} // namespace

TEST(Conformance08Matmul, Float) { testTranspositions<float>("float"); }
TEST(Conformance08Matmul, Half) { testTranspositions<Half>("half"); }

namespace {
template <typename T, typename R> void testBatch(const char *type, const char *result) {
  SCOPED_TRACE(type);
  std::vector<T> a = randoms<T>(8 * 4 * 3, -9, 9, 1), b = randoms<T>(4 * 16 * 3, -9, 9, 2);
  std::vector<R> c(8 * 16 * 3);
  for (auto *values : {&a, &b})
    for (T &value : *values)
      value = static_cast<T>(static_cast<int>(value));
  // [m, k, batch] @ [k, n, batch]
  Kernel(R"(
    __global__ void k(T *pa, T *pb, R *pc) {
      int m[8, 1, 1] = (0 ... 8)[:, newaxis, newaxis];
      int n[1, 16, 1] = (0 ... 16)[newaxis, :, newaxis];
      int k1[1, 4, 1] = (0 ... 4)[newaxis, :, newaxis];
      int k0[4, 1, 1] = (0 ... 4)[:, newaxis, newaxis];
      int z[1, 1, 3] = (0 ... 3)[newaxis, newaxis, :];
      T *qa[8, 4, 3] = pa + m * 12 + k1 * 3 + z;
      T *qb[4, 16, 3] = pb + k0 * 48 + n * 3 + z;
      R acc[8, 16, 3] = 1;
      acc += *qa @ *qb;
      R *qc[8, 16, 3] = pc + m * 48 + n * 3 + z;
      *qc = acc;
    })",
         {{"T", type}, {"R", result}})
      .array(a)
      .array(b)
      .array(c)
      .run();
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 16; ++j)
      for (int z = 0; z < 3; ++z) {
        R sum = 1;
        for (int p = 0; p < 4; ++p)
          sum += R(a[i * 12 + p * 3 + z]) * R(b[p * 48 + j * 3 + z]);
        EXPECT_EQ(c[i * 48 + j * 3 + z], sum);
      }
}
} // namespace

TEST(Conformance08Matmul, TrailingBatchAxes) {
  testBatch<float, float>("float", "float");
  testBatch<Half, float>("half", "float");
  testBatch<int8_t, int32_t>("char", "int");
  testBatch<int32_t, int32_t>("int", "int");
  testBatch<double, double>("double", "double");
}

TEST(Conformance08Matmul, SpellingsAndPrecedence) {
  std::vector<float> out(64), twice(64), dotted(64), summed(64);
  Kernel(R"(
    __global__ void k(float *out, float *twice, float *dotted, float *summed) {
      float a[8, 8] = (0 ... 8)[:, newaxis] + (0 ... 8)[newaxis, :] * 2;
      float b[8, 8] = (0 ... 8)[:, newaxis] - (0 ... 8)[newaxis, :];
      int at[8, 8] = (0 ... 8)[:, newaxis] * 8 + (0 ... 8)[newaxis, :];
      *(out + at) = a @ b;
      *(twice + at) = 2 * a @ b;
      *(dotted + at) = dot(a, b, b);
      float c[8, 8] = b;
      c = c + ^a @ ^b;
      *(summed + at) = c;
    })")
      .array(out)
      .array(twice)
      .array(dotted)
      .array(summed)
      .run();
  auto a = [](int i, int j) { return float(i + 2 * j); };
  auto b = [](int i, int j) { return float(i - j); };
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      float sum = 0, transposed = 0;
      for (int k = 0; k < 8; ++k) {
        sum += a(i, k) * b(k, j);
        transposed += a(k, i) * b(j, k);
      }
      EXPECT_EQ(out[i * 8 + j], sum);
      EXPECT_EQ(twice[i * 8 + j], 2 * sum);
      EXPECT_EQ(dotted[i * 8 + j], sum + b(i, j));
      EXPECT_EQ(summed[i * 8 + j], transposed + b(i, j));
    }
}

//===----------------------------------------------------------------------===//
// The same kernel in both languages
//===----------------------------------------------------------------------===//

static std::string pythonTileIR(const std::string &text, const std::vector<std::string> &types) {
  std::string problem;
  auto scope = frontend::ModuleScope::parse("import triton\nimport triton.language as tl\n" + text,
                                            "kernel.py", problem);
  EXPECT_TRUE(scope) << problem;
  std::vector<ArgumentSpec> specs;
  for (const std::string &type : types)
    specs.push_back({false, {}, *DType::parse(type), 16});
  CompileOptions options;
  options.target = Target(kInterpreter);
  CompileError error;
  auto kernel = compileKernel(*scope->function("matmul"), specs, options, error);
  EXPECT_TRUE(kernel) << error.rendered;
  return kernel ? withoutLocations(kernel->stages["ttir"]) : "";
}

TEST(BothLanguages, SameMatmulGivesTheSameTileIR) {
  std::string python =
      pythonTileIR(R"(
@triton.jit
def matmul(A, B, C, M, N, K, lda, ldb, ldc):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * 64 + tl.arange(0, 64)
    rn = pn * 32 + tl.arange(0, 32)
    rk = tl.arange(0, 16)
    c = tl.zeros((64, 32), tl.float32)
    pa = A + rm[:, None] * lda + rk[None, :]
    pb = B + rk[:, None] * ldb + rn[None, :]
    for k in range(0, K, 16):
        a = tl.load(pa, mask=rk[None, :] < K - k, other=0)
        b = tl.load(pb, mask=rk[:, None] < K - k, other=0)
        c = tl.dot(a, b, c)
        pa += 16
        pb += 16 * ldb
    pc = C + rm[:, None] * ldc + rn[None, :]
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    tl.store(pc, c.to(tl.float16), mask=mask)
)",
                   {"*fp16", "*fp16", "*fp16", "i32", "i32", "i32", "i32", "i32", "i32"});
  std::string c = tileIROf(R"(
__global__ void matmul(half *A, half *B, half *C, int M, int N, int K, int lda, int ldb, int ldc) {
  int pm = get_program_id(0);
  int pn = get_program_id(1);
  int rm[TM] = pm * TM + 0 ... TM;
  int rn[TN] = pn * TN + 0 ... TN;
  int rk[TK] = 0 ... TK;
  float c[TM, TN] = 0;
  half *pa[TM, TK] = A + rm[:, newaxis] * lda + rk[newaxis, :];
  half *pb[TK, TN] = B + rk[:, newaxis] * ldb + rn[newaxis, :];
  for (int k = 0; k < K; k += TK) {
    half a[TM, TK] = *?(rk[newaxis, :] < K - k) pa;
    half b[TK, TN] = *?(rk[:, newaxis] < K - k) pb;
    c += a @ b;
    pa += TK;
    pb += TK * ldb;
  }
  half *pc[TM, TN] = C + rm[:, newaxis] * ldc + rn[newaxis, :];
  *?(rm[:, newaxis] < M && rn[newaxis, :] < N) pc = c;
})",
                           {{"TM", "64"}, {"TN", "32"}, {"TK", "16"}});
  EXPECT_EQ(c, python);
}
