/* The most fused multiply-adds that one core does, for the benchmarks. */

#include <stdint.h>

#if defined(__AVX512F__)
typedef float Vector __attribute__((vector_size(64)));
enum { chains = 24 };
#else
typedef float Vector __attribute__((vector_size(32)));
enum { chains = 12 };
#endif

/* Independent chains of fused multiply-adds: the most that one core does. Returns the number
   of floating-point operations; `sink` keeps the result alive. */
double fmaChains(int64_t steps, float *sink) {
  Vector acc[chains];
  Vector a = {0}, b = {0};
  a += 0.999999f;
  b += 1e-7f;
  for (int i = 0; i < chains; ++i)
    acc[i] = b * (float)i;
  for (int64_t s = 0; s < steps; ++s) {
#pragma GCC unroll 24
    for (int i = 0; i < chains; ++i)
      acc[i] = acc[i] * a + b;
  }
  Vector total = acc[0];
  for (int i = 1; i < chains; ++i)
    total += acc[i];
  *sink = total[0] + total[1];
  return 2.0 * (double)(sizeof(Vector) / sizeof(float)) * chains * (double)steps;
}
