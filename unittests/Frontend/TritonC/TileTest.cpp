//===- TileTest.cpp - broadcasting, subscripts, masks (conformance 4, 6, 7, 9) -===//

#include "Kernel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tritium::testing;

//===----------------------------------------------------------------------===//
// 4: broadcasting
//===----------------------------------------------------------------------===//

TEST(Conformance04Broadcasting, EveryPairOfRanks) {
  // Left padding, extents of 1, scalars: a 2x3x4 result from every smaller shape.
  struct Case {
    const char *shape, *value;
    int strides[3];
  };
  const Case cases[] = {
      {"", "5", {0, 0, 0}},
      {"[4]", "0 ... 4", {0, 0, 1}},
      {"[3, 1]", "(0 ... 3)[:, newaxis]", {0, 1, 0}},
      {"[3, 4]", "(0 ... 3)[:, newaxis] * 10 + (0 ... 4)[newaxis, :]", {0, 10, 1}},
      {"[2, 1, 1]", "(0 ... 2)[:, newaxis, newaxis]", {1, 0, 0}},
      {"[2, 1, 4]", "(0 ... 2)[:, newaxis, newaxis] * 10 + 0 ... 4", {10, 0, 1}},
  };
  for (const Case &a : cases)
    for (const Case &b : cases) {
      SCOPED_TRACE(std::string(a.shape) + " and " + b.shape);
      std::vector<int32_t> out(24);
      Kernel(R"(
        __global__ void k(int *out) {
          int a SHAPE_A = A;
          int b SHAPE_B = B;
          int i[2, 3, 4] = (0 ... 2)[:, newaxis, newaxis] * 12 +
                           (0 ... 3)[newaxis, :, newaxis] * 4 + (0 ... 4)[newaxis, newaxis, :];
          int z[2, 3, 4] = 0;
          *(out + i) = z + a * 100 + b;
        })",
             {{"A", a.value}, {"B", b.value}, {"SHAPE_A", a.shape}, {"SHAPE_B", b.shape}})
          .array(out)
          .run();
      auto at = [](const Case &c, int i, int j, int k) {
        return c.shape[0] ? i * c.strides[0] + j * c.strides[1] + k * c.strides[2] : 5;
      };
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j)
          for (int k = 0; k < 4; ++k)
            EXPECT_EQ(out[i * 12 + j * 4 + k], at(a, i, j, k) * 100 + at(b, i, j, k));
    }
}

TEST(Conformance04Broadcasting, StoreAndInitialiserRepeat) {
  std::vector<float> out(16 * 32), rows(16);
  Kernel(R"(
    __global__ void k(float *out, float *rows) {
      float z[16, 8] = (0 ... 16)[:, newaxis];
      float u[16] = z[:, +];
      float v[16, 32] = u[:, newaxis];
      float *p[16, 32] = out + (0 ... 16)[:, newaxis] * 32 + (0 ... 32)[newaxis, :];
      *p = v;
      *p = u[:, newaxis] + 1;
      *(rows + (0 ... 16)) = 2.5f;
    })")
      .array(out)
      .array(rows)
      .run();
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(rows[i], 2.5f);
    for (int j = 0; j < 32; ++j)
      EXPECT_EQ(out[i * 32 + j], 8 * i + 1);
  }
}

TEST(Conformance04Broadcasting, ErrorNamesTheDimension) {
  std::string error = errorsOf("__global__ void k(float *p) {\n"
                               "  float a[4, 16] = 0;\n"
                               "  float b[4, 32] = 0;\n"
                               "  *p = (a + b)[+, +];\n"
                               "}\n");
  EXPECT_NE(error.find("kernel.tc:4:8: error: cannot broadcast dimension 1 of shapes [4, 16] and "
                       "[4, 32]: 16 and 32 differ"),
            std::string::npos)
      << error;
  error = errorsOf("void k(float *p) {\n  float a[8, 8] = 0;\n  float z[8, 4] = a;\n}\n");
  EXPECT_NE(error.find("kernel.tc:3:19: error: cannot initialise 'z' of type 'float[8, 4]' with a "
                       "value of type 'float[8, 8]': dimension 1 is 8"),
            std::string::npos)
      << error;
}

TEST(Flattening, TileOfLowerRankTakesElementsInOrder) {
  std::vector<float> out(12);
  std::vector<int32_t> one(2);
  Kernel(R"(
    __global__ void k(float *out, int *one) {
      int c[3, 4] = (0 ... 3)[:, newaxis] * 10 + (0 ... 4)[newaxis, :];
      *(out + 0 ... 12) = (float[3 * 4])c;
      int t[1, 1] = 7;
      *one = t;
      int s = c[+, :][newaxis, :][+, max];
      *(one + 1) = s;
    })")
      .array(out)
      .array(one)
      .run();
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(out[i], i / 4 * 10 + i % 4);
  EXPECT_EQ(one[0], 7);
  EXPECT_EQ(one[1], 30 + 3 * 3);
}

//===----------------------------------------------------------------------===//
// 6: reductions
//===----------------------------------------------------------------------===//

namespace {
template <typename T> T reduced(const std::vector<T> &values, char op) {
  using Sum = std::conditional_t<std::is_same_v<T, Half>, float, T>;
  Sum result = static_cast<Sum>(values[0]);
  for (size_t i = 1; i < values.size(); ++i) {
    Sum x = static_cast<Sum>(values[i]);
    result = op == '+' ? Sum(result + x) : op == 'a' ? std::max(result, x) : std::min(result, x);
  }
  return static_cast<T>(result);
}

template <typename T> void testReductions(const char *type) {
  for (int n : {1, 3, 48, 64, 768}) {
    for (auto [text, op] : {std::pair("+", '+'), std::pair("max", 'a'), std::pair("min", 'i')}) {
      SCOPED_TRACE(std::string(type) + " " + std::to_string(n) + " " + text);
      // Whole numbers, whose sums are exact in any order.
      std::vector<T> x = randoms<T>(n * 6, -20, 20, n);
      for (T &value : x)
        value = static_cast<T>(static_cast<int>(value));
      std::vector<T> one(1), first(6), last(n), middle(2 * 3);
      std::string size = std::to_string(n);
      Kernel(R"(
        __global__ void k(T *x, T *one, T *first, T *last, T *middle) {
          T v[N] = *(x + 0 ... N);
          *one = v[OP];
          T *p[6, N] = x + (0 ... 6)[:, newaxis] * N + (0 ... N)[newaxis, :];
          *(first + 0 ... 6) = (*p)[:, OP];
          *(last + 0 ... N) = (*p)[OP, :];
          T *q[2, N, 3] = x + (0 ... 2)[:, newaxis, newaxis] * (3 * N) +
                          (0 ... N)[newaxis, :, newaxis] * 3 + (0 ... 3)[newaxis, newaxis, :];
          T m[2, 3] = (*q)[:, OP, :];
          *(middle + (0 ... 2)[:, newaxis] * 3 + (0 ... 3)[newaxis, :]) = m;
        })",
             {{"T", type}, {"N", size}, {"OP", text}})
          .array(x)
          .array(one)
          .array(first)
          .array(last)
          .array(middle)
          .run();
      EXPECT_EQ(one[0], reduced(std::vector<T>(x.begin(), x.begin() + n), op));
      for (int i = 0; i < 6; ++i)
        EXPECT_EQ(first[i],
                  reduced(std::vector<T>(x.begin() + i * n, x.begin() + (i + 1) * n), op));
      for (int j = 0; j < n; ++j) {
        std::vector<T> column;
        for (int i = 0; i < 6; ++i)
          column.push_back(x[i * n + j]);
        EXPECT_EQ(last[j], reduced(column, op));
      }
      for (int i = 0; i < 6; ++i) {
        std::vector<T> line;
        for (int j = 0; j < n; ++j)
          line.push_back(x[i / 3 * 3 * n + j * 3 + i % 3]);
        EXPECT_EQ(middle[i], reduced(line, op));
      }
    }
  }
}
} // namespace

TEST(Conformance06Reductions, Int) { testReductions<int32_t>("int"); }
TEST(Conformance06Reductions, Half) { testReductions<Half>("half"); }
TEST(Conformance06Reductions, Float) { testReductions<float>("float"); }

TEST(Conformance06Reductions, HalvesAreSummedInFloat) {
  // In half the sum would stop at 2048.
  std::vector<Half> x(4096, Half(1)), out(1);
  Kernel("__global__ void k(half *x, half *out) { *out = (*(x + 0 ... 4096))[+]; }")
      .array(x)
      .array(out)
      .run();
  EXPECT_EQ(out[0], Half(4096));
}

TEST(Conformance06Reductions, SeveralAxesMixedWithNewaxis) {
  std::vector<int32_t> out(3 * 4);
  Kernel(R"(
    __global__ void k(int *out) {
      int x[2, 3, 5] = (0 ... 2)[:, newaxis, newaxis] * 100 + (0 ... 3)[newaxis, :, newaxis] * 10 +
                       (0 ... 5)[newaxis, newaxis, :];
      int a[3] = x[+, :, max];
      *(out + 0 ... 3) = a;
      int b[1, 3, 1] = x[newaxis, max, :, newaxis, min];
      *(out + 3 + 0 ... 3) = (int[3])b;
      int c[5, 2] = x[^2, max, ^0];
      *(out + 6) = c[+, :][max];
      int d = x[+, +, +];
      *(out + 7) = d;
      *(out + 8) = (x > 100)[+, +, +];
      unsigned u[2] = (0 ... 2) - 1;
      *(out + 9) = u[max] == 0xFFFFFFFF;
      *(out + 10) = ((0 ... 2) - 1)[min];
    })")
      .array(out)
      .run();
  // x[i, j, k] = 100 i + 10 j + k; the last b is max over i of min over k.
  EXPECT_EQ(out, (std::vector<int32_t>{108, 128, 148, 100, 110, 120, 610, 1860, 14, 1, -1, 0}));
}

//===----------------------------------------------------------------------===//
// 7: masks
//===----------------------------------------------------------------------===//

TEST(Conformance07Masks, DisabledLanesTouchNoMemory) {
  // Every array ends at a page that may not be touched.
  for (int n : {1, 37, 63, 64}) {
    std::vector<float> x = randoms<float>(n, -2, 2, 7), y(n), z(n), w(n);
    Kernel(R"(
      __global__ void k(float *x, float *y, float *z, float *w, int n) {
        int r[64] = 0 ... 64;
        bool m[64] = r < n;
        float *px[64] = x + r;
        *?(m)(y + r) = *?(m)px;
        *?(r < n && r >= 0) (z + r) = r < n ? exp(-*px) : 3;
        *?(m)(w + r) = r >= n ? 1 : *px * 2;
      })")
        .array(x)
        .array(y)
        .array(z, 1e-6)
        .array(w)
        .scalar(n)
        .run();
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(y[i], x[i]);
      EXPECT_NEAR(z[i], std::exp(-x[i]), 1e-5);
      EXPECT_EQ(w[i], x[i] * 2);
    }
  }
}

TEST(Conformance07Masks, DisabledLanesAreZeroOrTheOtherArm) {
  std::vector<int32_t> x(8, 5), a(16), b(16);
  Kernel(R"(
    __global__ void k(int *x, int *a, int *b) {
      int r[16] = 0 ... 16;
      *(a + r) = *?(r < 8)(x + r);
      *(b + r) = r < 8 ? *(x + r) : -1;
    })")
      .array(x)
      .array(a)
      .array(b)
      .run();
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(a[i], i < 8 ? 5 : 0);
    EXPECT_EQ(b[i], i < 8 ? 5 : -1);
  }
}

TEST(Conformance07Masks, MasksOfNestedArmsConjoin) {
  // Indices are valid only where all conditions around a load hold.
  std::vector<int32_t> index(8), x(8), out(32);
  for (int i = 0; i < 8; ++i) {
    index[i] = 7 - i;
    x[i] = i * i;
  }
  Kernel(R"(
    __global__ void k(int *index, int *x, int *out, int n) {
      int r[32] = 0 ... 32;
      int i[32] = r < n ? *(index + r) : 1000000;
      *(out + r) = r < n ? (i > 3 ? *(x + i) : -*?(r > 5)(x + *(index + r))) : -2;
    })")
      .array(index)
      .array(x)
      .array(out)
      .scalar(8)
      .run();
  for (int i = 0; i < 32; ++i) {
    int at = 7 - i;
    EXPECT_EQ(out[i], i >= 8 ? -2 : at > 3 ? at * at : i > 5 ? -at * at : 0) << i;
  }
}

TEST(Conformance07Masks, ScalarConditionsAndPointers) {
  std::vector<float> x(4, 2.f), out(16);
  for (int isOn : {0, 1}) {
    Kernel(R"(
      __global__ void k(float *x, float *out, int on) {
        bool check = on > 0;
        int r[4] = 0 ... 4;
        float *far = on ? x : x + 100000000000;
        float a[4] = check ? *(far + r) : 0;
        *(out + r) = a;
        float b = check ? *far : -1;
        *(out + 4 + r) = b;
        *(out + 8) = *?(check) far;
        *?(check)(far + 1) = 2;
        *(out + 9) = check ? *far + (*(far + r))[+] : 7;
        bool tile[4] = r < 2;
        *(out + 10 + r) = tile ? *x + r : 9;
      })")
        .array(x)
        .array(out)
        .scalar(isOn)
        .run();
    std::vector<float> expected =
        isOn ? std::vector<float>{2, 2, 2, 2, 2, 2, 2, 2, 2, 10, 2, 3, 9, 9}
             : std::vector<float>{0, 0, 0, 0, -1, -1, -1, -1, 0, 7, 2, 3, 9, 9};
    out.resize(14);
    EXPECT_EQ(out, expected);
    out.resize(16);
  }
}

TEST(Conformance07Masks, MaskAndPointerBroadcastAgainstEachOther) {
  std::vector<float> x = randoms<float>(8, 0, 1, 3), out(8 * 4), column(8);
  Kernel(R"(
    __global__ void k(float *x, float *out, float *column) {
      int r[8] = 0 ... 8;
      int c[4] = 0 ... 4;
      float v[8, 4] = *?(r[:, newaxis] + c[newaxis, :] < 6)(x + r[:, newaxis]);
      *(out + r[:, newaxis] * 4 + c[newaxis, :]) = v;
      bool m[8, 4] = r[:, newaxis] + c[newaxis, :] < 6;
      float w[8, 4] = m ? *(x + r[:, newaxis]) + 1 : 0;
      *(column + r) = w[:, +];
    })")
      .array(x)
      .array(out)
      .array(column, 1e-6)
      .run();
  for (int i = 0; i < 8; ++i) {
    int count = std::max(0, std::min(4, 6 - i));
    for (int j = 0; j < 4; ++j)
      EXPECT_EQ(out[i * 4 + j], i + j < 6 ? x[i] : 0.f);
    EXPECT_NEAR(column[i], count * (x[i] + 1), 1e-5);
  }
}

TEST(PredicatedStatements, AssignAndStoreUnderThePredicate) {
  std::vector<int32_t> x(8), out(24);
  std::iota(x.begin(), x.end(), 1);
  Kernel(R"(
    __global__ void k(int *x, int *out) {
      int r[24] = 0 ... 24;
      bool valid[24] = r < 8;
      int v[24] = -1;
      @valid v = *(x + r);
      @(r < 4) v = v * 10;
      @(r < 20) *(out + r) = v;
      @valid *(out + r) = *(x + r) + *(out + r);
      int s = 3;
      @(*x == 1) s = 4;
      *(out + 23) = s;
    })")
      .array(x)
      .array(out)
      .run();
  for (int i = 0; i < 23; ++i)
    EXPECT_EQ(out[i], i < 4 ? (i + 1) * 11 : i < 8 ? (i + 1) * 2 : i < 20 ? -1 : 0) << i;
  EXPECT_EQ(out[23], 4);
}

//===----------------------------------------------------------------------===//
// 9: transposition
//===----------------------------------------------------------------------===//

TEST(Conformance09Transposition, RanksTwoAndThree) {
  std::vector<int32_t> out(6 + 4 * 24);
  Kernel(R"(
    __global__ void k(int *out) {
      int a[2, 3] = (0 ... 2)[:, newaxis] * 3 + (0 ... 3)[newaxis, :];
      int i2[3, 2] = (0 ... 3)[:, newaxis] * 2 + (0 ... 2)[newaxis, :];
      *(out + i2) = ^a;
      out += 6;
      int b[2, 3, 4] = (0 ... 2)[:, newaxis, newaxis] * 12 + (0 ... 3)[newaxis, :, newaxis] * 4 +
                       (0 ... 4)[newaxis, newaxis, :];
      int r[24] = 0 ... 24;
      *(out + r) = (int[24])^b;
      *(out + 24 + r) = (int[24])b[^0, ^2, ^1];
      *(out + 48 + r) = (int[24])b[^1, ^0, :];
      int c[2, 3, 4] = ^^^b;
      *(out + 72 + r) = (int[24])c;
      if ((a[^1, ^0] == ^a)[min, min] == 0) *out = -1;
    })")
      .array(out)
      .run();
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(out[j * 2 + i], i * 3 + j);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k) {
        int value = i * 12 + j * 4 + k;
        EXPECT_EQ(out[6 + (j * 4 + k) * 2 + i], value);
        EXPECT_EQ(out[30 + i * 12 + k * 3 + j], value);
        EXPECT_EQ(out[54 + j * 8 + i * 4 + k], value);
        EXPECT_EQ(out[78 + value], value);
      }
}
