//===- ControlTest.cpp - loops, jumps, scopes, functions ------------------===//

#include "Kernel.h"

#include <numeric>

using namespace tritium::testing;

TEST(Control, LoopsCountAsInC) {
  std::vector<int64_t> out(16);
  for (int n : {0, 1, 7, 16}) {
    std::fill(out.begin(), out.end(), 0);
    Kernel(R"(
      __global__ void k(long *out, int n) {
        int s = 0;
        for (int i = 0; i < n; i += 3) s += i + 1;
        *out = s;
        s = 0;
        for (int i = n; i > 0; i -= 4) s += i;
        *(out + 1) = s;
        s = 0;
        for (int i = 0; i <= n; ++i) s = s * 3 + i;
        *(out + 2) = s;
        s = 0;
        for (int i = n; 2 <= i; i--) s = s * 3 + i;
        *(out + 3) = s;
        int i;
        for (i = 1; i < n; i = i + 2) ;
        *(out + 4) = i;
        for (i = n; n - 5 < i; i = i - 2) s += i;
        *(out + 5) = i;
        s = 0;
        for (unsigned u = 0; u < n; u++) s += u;       // unsigned: a while loop
        *(out + 6) = s;
        s = 0;
        for (int j = 1; j < n; j *= 2) s += j;
        *(out + 7) = s;
        for (int j = 0, m = n; j < m; j++) m--, s++;   // the bound changes
        *(out + 8) = s;
        s = 0;
        for (long j = n; j >= 0; j -= 3) s += j;
        *(out + 9) = s;
        s = 0;
        for (int j = 0; j != n; ++j) { int t = j; { int j = 100; t += j; } s += t; }
        *(out + 10) = s;
        for (int j = get_program_id(0); j < n; j += get_num_programs(0)) s -= j;
        *(out + 11) = s;
        s = 0;
        for (int j = 0; j < n; j++) { j++; s += j; }
        *(out + 12) = s;
        int m = n;
        while (m > 0) { s += m; m -= 3; }
        *(out + 13) = s * 100 + m;
        while (m <= n) { int t = m; s -= t; m++; }
        *(out + 14) = s * 100 + m;
      })")
        .array(out)
        .scalar(n)
        .run();
    std::vector<int64_t> expected(16);
    int64_t s = 0;
    for (int i = 0; i < n; i += 3)
      s += i + 1;
    expected[0] = s;
    s = 0;
    for (int i = n; i > 0; i -= 4)
      s += i;
    expected[1] = s;
    int32_t t = 0;
    for (int i = 0; i <= n; ++i)
      t = int32_t(uint32_t(t) * 3 + i);
    expected[2] = t;
    t = 0;
    for (int i = n; 2 <= i; i--)
      t = int32_t(uint32_t(t) * 3 + i);
    expected[3] = t;
    int i;
    for (i = 1; i < n; i = i + 2)
      ;
    expected[4] = i;
    for (i = n; n - 5 < i; i = i - 2)
      ;
    expected[5] = i;
    expected[6] = n * (n - 1) / 2;
    s = 0;
    for (int j = 1; j < n; j *= 2)
      s += j;
    expected[7] = s;
    for (int j = 0, m = n; j < m; j++)
      m--, s++;
    expected[8] = s;
    s = 0;
    for (int64_t j = n; j >= 0; j -= 3)
      s += j;
    expected[9] = s;
    s = n * (n - 1) / 2 + 100 * n;
    expected[10] = s;
    expected[11] = s - n * (n - 1) / 2;
    s = 0;
    for (int j = 0; j < n; j++) {
      j++;
      s += j;
    }
    expected[12] = s;
    int m = n;
    while (m > 0) {
      s += m;
      m -= 3;
    }
    expected[13] = s * 100 + m;
    while (m <= n) {
      s -= m;
      m++;
    }
    expected[14] = s * 100 + m;
    EXPECT_EQ(out, expected) << n;
  }
}

TEST(Control, BreakContinueAndReturnNest) {
  std::vector<int32_t> x = randoms<int32_t>(64, 0, 100, 5), out(8);
  auto reference = [&](int limit, int find) {
    std::vector<int32_t> result(8);
    int s = 0, rounds = 0;
    for (int i = 0; i < 64; ++i) {
      if (x[i] % 2)
        continue;
      if (x[i] > limit)
        break;
      s += x[i];
    }
    result[0] = s;
    s = 0;
    for (int i = 0; i < 8; ++i) {
      for (int j = 0; j < 8; ++j) {
        if (j > i)
          break;
        if (x[i * 8 + j] % 3 == 0)
          continue;
        s += x[i * 8 + j];
      }
      if (s > limit * 3)
        break;
      ++rounds;
    }
    result[1] = s;
    result[2] = rounds;
    int i = 0;
    do {
      i += 1;
      if (i == 3)
        continue;
      if (i > 40)
        break;
      s += i;
    } while (x[i] < limit);
    result[3] = s * 100 + i;
    for (int r = 0; r < 8; ++r) {
      for (int c = 0; c < 8; ++c) {
        if (x[r * 8 + c] == find) {
          result[4] = r;
          result[5] = c;
          return result;
        }
      }
    }
    result[6] = 1;
    return result;
  };
  for (auto [limit, find] : {std::pair(90, x[37]), std::pair(50, x[0]), std::pair(1000, -1)}) {
    std::fill(out.begin(), out.end(), 0);
    Kernel(R"(
      __global__ void k(int *x, int *out, int limit, int find) {
        int s = 0;
        for (int i = 0; i < 64; ++i) {
          int v = *(x + i);
          if (v % 2) continue;
          if (v > limit) break;
          s += v;
        }
        *out = s;
        s = 0;
        int rounds = 0;
        for (int i = 0; i < 8; ++i) {
          for (int j = 0; j < 8; ++j) {
            if (j > i) break;
            if (*(x + i * 8 + j) % 3 == 0) continue;
            s += *(x + i * 8 + j);
          }
          if (s > limit * 3) break;
          ++rounds;
        }
        *(out + 1) = s;
        *(out + 2) = rounds;
        int i = 0;
        do {
          i += 1;
          if (i == 3) continue;
          if (i > 40) break;
          s += i;
        } while (*(x + i) < limit);
        *(out + 3) = s * 100 + i;
        for (int r = 0; r < 8; ++r)
          for (int c = 0; c < 8; ++c)
            if (*(x + r * 8 + c) == find) {
              *(out + 4) = r;
              *(out + 5) = c;
              return;
            }
        *(out + 6) = 1;
      })")
        .array(x)
        .array(out)
        .scalar(limit)
        .scalar(find)
        .run();
    EXPECT_EQ(out, reference(limit, find)) << limit;
  }
}

TEST(Control, LoopsCarryTilesOfEveryKind) {
  std::vector<float> x = randoms<float>(256, -1, 1, 9), out(32), flags(32);
  Kernel(R"(
    __global__ void k(float *x, float *out, float *flags, int n) {
      int r[32] = 0 ... 32;
      float *p[32] = x + r;
      float acc[32] = 0;
      bool seen[32] = 0;
      int count = 0;
      while (count < n) {
        float v[32] = *p;
        acc += v;
        seen = seen || v > 0.9f;
        p += 32;
        count++;
        if (count == 6) break;
      }
      *(out + r) = acc;
      *(flags + r) = seen;
    })")
      .array(x)
      .array(out)
      .array(flags)
      .scalar(8)
      .run();
  for (int i = 0; i < 32; ++i) {
    float sum = 0;
    bool seen = false;
    for (int j = 0; j < 6; ++j) {
      sum += x[j * 32 + i];
      seen |= x[j * 32 + i] > 0.9f;
    }
    EXPECT_EQ(out[i], sum);
    EXPECT_EQ(flags[i], float(seen));
  }
}

TEST(Control, EarlyReturnAndScalarConditions) {
  std::vector<int32_t> out(12, -1);
  Kernel(R"(
    __global__ void k(int *out, int n) {
      int pid = get_program_id(0);
      if (pid >= n) return;
      if (pid & 1) { *(out + pid) = 1; }
      else if (out) { *(out + pid) = 2; return; }
      *(out + pid) += 10;
    })")
      .array(out)
      .scalar(7)
      .run(12);
  EXPECT_EQ(out, (std::vector<int32_t>{2, 11, 2, 11, 2, 11, 2, -1, -1, -1, -1, -1}));
}

TEST(Control, ScopesShadowAndUninitialisedVariablesAreZero) {
  std::vector<int32_t> out(8);
  Kernel(R"(
    __global__ void k(int *out, int n) {
      int x = 1;
      { int x = 2; x += n; *out = x; }
      *(out + 1) = x;
      for (int x = 0; x < 3; ++x) { int y = x; y++; }
      *(out + 2) = x;
      int y;
      int t[4];
      *(out + 3) = y + t[+];
      if (n > 0) { int n = 50; x = n; }
      *(out + 4) = x;
      n = n * 2;
      *(out + 5) = n;
      int a = 3, b = a++, c = ++a;
      *(out + 6) = b * 100 + c * 10 + a;
      *(out + 7) = (a = 4, a += 2, a);
    })")
      .array(out)
      .scalar(5)
      .run();
  EXPECT_EQ(out, (std::vector<int32_t>{7, 1, 1, 0, 50, 10, 355, 6}));
}

TEST(Control, FunctionsAreInlined) {
  std::vector<float> x = randoms<float>(16, -2, 2, 3), out(18);
  Kernel(R"(
    float square(float v) { return v * v; }
    int find(float *p, int n, float limit) {
      for (int i = 0; i < n; ++i) {
        if (*(p + i) > limit) return i;
        if (i > 100) return -2;
      }
      return -1;
    }
    void put(float *p, float v) { if (v == 0) return; *p = v; }
    typedef float tile[16];
    tile twice(tile v) { v = v * 2; return v; }
    __global__ void k(float *x, float *out) {
      int r[16] = 0 ... 16;
      float v[16] = *(x + r);
      *(out + r) = twice(v) + square(3);
      put(out + 16, find(x, 16, 1.5f));
      put(out + 17, find(x, 16, 100) + 1);
      *(out + 17) += r[max] > 3 ? square(*x) : 0;
    })",
         {}, "k")
      .array(x)
      .array(out)
      .run();
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(out[i], x[i] * 2 + 9);
  int found = -1;
  for (int i = 15; i >= 0; --i)
    if (x[i] > 1.5f)
      found = i;
  EXPECT_EQ(out[16], found);
  EXPECT_EQ(out[17], x[0] * x[0]);
}

TEST(Control, FunctionsMayReplaceBuiltIns) {
  // The bound of the loop is not what the built-in would give.
  std::vector<int32_t> out(3);
  Kernel(R"(
    int min(int *p, int n) { return *p < n ? *p : n; }
    int loose(int x) { if (x > 0) return 5; }
    __global__ void k(int *out) {
      for (int i = 0; i < min(out, 10); ++i) { *out = *out - 1; *(out + 1) += 1; }
      *(out + 2) = loose(1) * 10 + loose(0);
    })")
      .array(out)
      .run();
  EXPECT_EQ(out, (std::vector<int32_t>{0, 0, 50}));
  out = {8, 0, 0};
  Kernel(R"(
    int min(int *p, int n) { return *p < n ? *p : n; }
    __global__ void k(int *out) {
      for (int i = 0; i < min(out, 10); ++i) { *out = *out - 1; *(out + 1) += 1; }
    })")
      .array(out)
      .run();
  EXPECT_EQ(out, (std::vector<int32_t>{4, 4, 0}));
}

TEST(Control, KnownArgumentsAreVariables) {
  std::vector<int32_t> out(2);
  Kernel("__global__ void k(int *out, int n) { n += 1; *out = n; n *= 2; *(out + 1) = n; }")
      .array(out)
      .known(1)
      .run();
  EXPECT_EQ(out, (std::vector<int32_t>{2, 4}));
}

TEST(Control, CountedLoopsAreScfFor) {
  std::string ir = tileIROf("void k(float *p, int K) {\n"
                            "  for (int k = 0; k < K; k += 8) *(p + k) = k;\n"
                            "  for (int k = K; k > 0; k -= 8) *(p + k) = k;\n"
                            "  int j;\n"
                            "  for (j = 0; j <= K; j++) { if (j == 5) continue; *(p + j) = j; }\n"
                            "}\n");
  EXPECT_EQ(ir.find("scf.while"), std::string::npos) << ir;
  ir = tileIROf(
      "void k(float *p, int K) {\n"
      "  while (K > 0) { int k = K; *(p + k) = k; K -= 8; }\n"
      "  while (K < 64) { for (int i = 0; i < 8; ++i) { if (i > K) continue; *(p + i) = K; }"
      " K = K + 4; }\n"
      "  *p = K;\n"
      "}\n");
  EXPECT_EQ(ir.find("scf.while"), std::string::npos) << ir;
  // The step is skipped, or is another variable's.
  ir = tileIROf("void k(int *p, int K) {\n"
                "  while (K > 0) { if (*p > K) continue; *p = K; K -= 8; }\n"
                "}\n");
  EXPECT_NE(ir.find("scf.while"), std::string::npos) << ir;
  ir = tileIROf("void k(int *p, int K) {\n"
                "  int n = 8;\n"
                "  while (n > *p) { int n = K; *p = n; n -= 8; }\n"
                "}\n");
  EXPECT_NE(ir.find("scf.while"), std::string::npos) << ir;
  ir = tileIROf("void k(float *p, int K) {\n"
                "  for (int k = 0; k < K; k += 8) { if (*p > 0) break; *(p + k) = k; }\n"
                "}\n");
  EXPECT_NE(ir.find("scf.while"), std::string::npos) << ir;
}
