/* What the CPU benchmarks compare with; bench/baselines.py builds it in several ways. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The sum of two arrays. */
void add(float *restrict out, const float *restrict x, const float *restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = x[i] + y[i];
}

/* The sum of an array: as fast as memory is read. */
double sum(const float *x, int64_t n) {
  float sums[64] = {0};
  for (int64_t i = 0; i + 64 <= n; i += 64)
    for (int j = 0; j < 64; ++j)
      sums[j] += x[i + j];
  double total = 0;
  for (int j = 0; j < 64; ++j)
    total += sums[j];
  return total;
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

static inline float fromBF16(uint16_t x) {
  uint32_t bits = (uint32_t)x << 16;
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

/* To nearest, ties to even, of what is no NaN. */
static inline uint16_t toBF16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* The same of bf16. */
void softmaxBF16(uint16_t *restrict out, const uint16_t *restrict in, int64_t rows, int64_t cols) {
  float *row = malloc((size_t)cols * sizeof(float));
  for (int64_t r = 0; r < rows; ++r) {
    const uint16_t *x = in + r * cols;
    uint16_t *y = out + r * cols;
    float peak = fromBF16(x[0]);
    for (int64_t c = 0; c < cols; ++c) {
      float value = fromBF16(x[c]);
      peak = value > peak ? value : peak;
    }
    float sum = 0;
    for (int64_t c = 0; c < cols; ++c) {
      row[c] = expf(fromBF16(x[c]) - peak);
      sum += row[c];
    }
    float scale = 1 / sum;
    for (int64_t c = 0; c < cols; ++c)
      y[c] = toBF16(row[c] * scale);
  }
  free(row);
}

/* Each row less its mean, divided by its standard deviation, times a weight, and shifted. */
void layerNorm(float *restrict out, const float *restrict in, const float *restrict weight,
               const float *restrict bias, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    const float *x = in + r * cols;
    float *y = out + r * cols;
    float sum = 0, squares = 0;
    for (int64_t c = 0; c < cols; ++c)
      sum += x[c];
    float mean = sum / (float)cols;
    for (int64_t c = 0; c < cols; ++c)
      squares += (x[c] - mean) * (x[c] - mean);
    float scale = 1 / sqrtf(squares / (float)cols + 1e-5f);
    for (int64_t c = 0; c < cols; ++c)
      y[c] = (x[c] - mean) * scale * weight[c] + bias[c];
  }
}
