//===- matmul_triton_c.cpp - an auto-tuned Triton-C kernel from C++ -------===//
//
// Tunes examples/triton-c/matmul.tc for each way to transpose its operands, runs it and
// checks the result.
//
//   build/bin/example-matmul-triton-c [examples/triton-c/matmul.tc]
//
//===----------------------------------------------------------------------===//

#include "tritium/tritium.hpp"

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace {
/// A matrix of op(rows x columns), stored transposed if `isTransposed`.
struct Matrix {
  int rows, columns;
  bool isTransposed;
  std::vector<float> data;

  Matrix(int rows, int columns, bool isTransposed, std::mt19937 &random)
      : rows(rows), columns(columns), isTransposed(isTransposed), data(rows * columns) {
    std::normal_distribution<float> normal;
    for (float &x : data)
      x = normal(random);
  }
  int pitch() const { return isTransposed ? rows : columns; }
  float at(int i, int j) const { return isTransposed ? data[j * rows + i] : data[i * columns + j]; }
};

double largestError(const Matrix &a, const Matrix &b, const std::vector<float> &c) {
  double worst = 0;
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < b.columns; ++j) {
      double sum = 0;
      for (int k = 0; k < a.columns; ++k)
        sum += double(a.at(i, k)) * b.at(k, j);
      worst = std::fmax(worst, std::fabs(c[i * b.columns + j] - sum));
    }
  return worst;
}
} // namespace

int main(int argc, char **argv) try {
  const int M = 250, N = 333, K = 517;
  const char *path = argc > 1 ? argv[1] : TRITIUM_MATMUL;
  std::mt19937 random(0);
  double worst = 0;
  for (bool transA : {false, true})
    for (bool transB : {false, true}) {
      Matrix a(M, K, transA, random), b(K, N, transB, random);
      std::vector<float> c(M * N);

      tritium::Module module = tritium::load(path, {.defines = {{"TYPE", "float"},
                                                                {"TM", "[32, 64]"},
                                                                {"TN", "[32, 64]"},
                                                                {"TK", "32"},
                                                                {"TRANS_A", transA ? "1" : "0"},
                                                                {"TRANS_B", transB ? "1" : "0"}}});
      tritium::Kernel matmul = module.kernel("matmul");
      auto grid = [&](const tritium::Options &opt) {
        return tritium::Grid(tritium::cdiv(M, opt["TM"]) * tritium::cdiv(N, opt["TN"]));
      };
      matmul.launch(grid, tritium::Stream{}, a.data, b.data, c, M, N, K, a.pitch(), b.pitch(), N);

      double error = largestError(a, b, c);
      std::printf("op(A) %s, op(B) %s: largest error %.2g\n", transA ? "A^T" : "A  ",
                  transB ? "B^T" : "B  ", error);
      worst = std::fmax(worst, error);
    }
  return worst < 1e-3 ? 0 : 1;
} catch (const tritium::Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
