// Entry functions as the compiler emits them, written by hand for the loader's tests.

#include <math.h>
#include <stdint.h>
#include <string.h>

// out[pid] = x[pid] + 1
void addOne(const uint64_t *args, void *scratch, int64_t begin, int64_t end, const uint32_t *grid,
            const void *host) {
  const float *x = (const float *)args[0];
  float *out = (float *)args[1];
  for (int64_t pid = begin; pid < end; ++pid)
    out[pid] = x[pid] + 1.0f;
}

// Imports from the host: memcpy of a size that is not known, and libm.
void imports(const uint64_t *args, void *scratch, int64_t begin, int64_t end, const uint32_t *grid,
             const void *host) {
  double *out = (double *)args[0];
  memcpy(scratch, out, args[1]);
  out[0] = pow(out[0], ((double *)scratch)[1]) + erf(out[1]) + fmod(out[0], 3.0);
}
