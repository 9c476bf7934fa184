/* What the CPU benchmarks compare with; bench/baselines.py builds it in several ways. */

#include <math.h>
#include <stdint.h>

/* The sum of two arrays. */
void add(float *restrict out, const float *restrict x, const float *restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = x[i] + y[i];
}

/* Softmax of each row, as a C programmer would write it for -ffast-math. */
void softmax(float *restrict out, const float *restrict in, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    const float *x = in + r * cols;
    float *y = out + r * cols;
    float peak = x[0];
    for (int64_t c = 0; c < cols; ++c)
      peak = x[c] > peak ? x[c] : peak;
    float sum = 0;
    for (int64_t c = 0; c < cols; ++c) {
      y[c] = expf(x[c] - peak);
      sum += y[c];
    }
    float scale = 1 / sum;
    for (int64_t c = 0; c < cols; ++c)
      y[c] *= scale;
  }
}
