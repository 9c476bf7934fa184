//===- matmul.cpp - a kernel file run from C++ ----------------------------===//
//
// Runs examples/matmul.py with no Python in the process and checks the result.
//
//   build/bin/example-matmul [examples/matmul.py]
//
//===----------------------------------------------------------------------===//

#include "tritium/tritium.hpp"

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

static double largestError(const std::vector<float> &a, const std::vector<float> &b,
                           const std::vector<float> &c, int M, int N, int K) {
  double worst = 0;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double sum = 0;
      for (int k = 0; k < K; ++k)
        sum += double(a[i * K + k]) * b[k * N + j];
      double expected = sum >= 0 ? sum : 0.01 * sum;
      worst = std::fmax(worst, std::fabs(c[i * N + j] - expected));
    }
  return worst;
}

int main(int argc, char **argv) try {
  const int M = 250, N = 333, K = 517, BM = 64, BN = 64;
  std::mt19937 random(0);
  std::normal_distribution<float> normal;
  std::vector<float> a(M * K), b(K * N), c(M * N);
  for (float &x : a)
    x = normal(random);
  for (float &x : b)
    x = normal(random);

  tritium::Module module = tritium::load(argc > 1 ? argv[1] : TRITIUM_MATMUL);
  tritium::Kernel matmul =
      module.kernel("matmul", {{"BM", BM}, {"BN", BN}, {"BK", 32}, {"ACTIVATION", "leaky_relu"}});
  int programs = ((M + BM - 1) / BM) * ((N + BN - 1) / BN);
  matmul.launch({programs}, tritium::Stream{}, a, b, c, M, N, K);

  double error = largestError(a, b, c, M, N, K);
  std::printf("matmul %dx%dx%d: largest error %.2g\n", M, N, K, error);
  return error < 1e-3 ? 0 : 1;
} catch (const tritium::Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
