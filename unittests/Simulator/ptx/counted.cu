// Small kernels, each with one pattern of access, whose counters are compared with a
// profiler's (utils/check_simulator.py). All are (const int *x, int *y), in blocks of 128.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define KERNEL(name) extern "C" __global__ void name(const int *__restrict__ x, int *y)
#define INDEX int t = threadIdx.x, i = blockIdx.x * 128 + t

// Global memory.
#define COPY(name, type, from, to)                                                               \
  KERNEL(name) { INDEX; ((type *)y)[to] = ((const type *)x)[from]; }
COPY(copyWords, int, i, i)
COPY(copyBytes, unsigned char, i, i)
COPY(copyShorts, short, i, i)
COPY(copyLongs, long long, i, i)
COPY(copyPairs, int2, i, i)
COPY(copyQuads, int4, i, i)
COPY(copyShifted, int, i + 1, i + 3)
COPY(copyReversed, int, i ^ 31, i)
COPY(copyStride2, int, 2 * i, 2 * i)
COPY(copyStride9, int, 9 * i, 9 * i)
COPY(copyQuadStride2, int4, 2 * i, 2 * i)
COPY(copyBroadcast, int, i / 32 * 32, i)
COPY(copyGroups, int, (i / 4) * 12 + i % 4, i)
KERNEL(copyOddLanes) {
  INDEX;
  if (t & 1) y[i] = x[i];
}
KERNEL(gather) {
  INDEX;
  y[i] = x[x[i] & 4095];
}

// Shared memory.
#define SHARED(name, type, count, at, from)                                                      \
  KERNEL(name) {                                                                                 \
    INDEX;                                                                                       \
    __shared__ type s[count];                                                                    \
    s[at] = ((const type *)x)[i];                                                                \
    __syncthreads();                                                                             \
    ((type *)y)[i] = s[from];                                                                    \
  }
#define OTHER (t ^ 64)
SHARED(sharedWords, int, 128, t, OTHER)
SHARED(sharedStride2, int, 256, 2 * t, 2 * OTHER)
SHARED(sharedStride3, int, 384, 3 * t, 3 * OTHER)
SHARED(sharedStride4, int, 512, 4 * t, 4 * OTHER)
SHARED(sharedStride32, int, 4096, 32 * t, 32 * OTHER)
SHARED(sharedStride33, int, 4224, 33 * t, 33 * OTHER)
SHARED(sharedBytes, unsigned char, 128, t, OTHER)
SHARED(sharedBytes4, unsigned char, 512, 4 * t, 4 * OTHER)
SHARED(sharedBytes36, unsigned char, 4608, 36 * t, 36 * OTHER)
SHARED(sharedShorts, short, 128, t, OTHER)
SHARED(sharedPairs, int2, 128, t, OTHER)
SHARED(sharedPairStride2, int2, 256, 2 * t, 2 * OTHER)
SHARED(sharedPairStride3, int2, 384, 3 * t, 3 * OTHER)
#define SPREAD(t) ((t) / 32 * 32 + (t) % 2 * 16 + (t) % 32 / 2)
SHARED(sharedPairSpread, int2, 128, SPREAD(t), SPREAD(OTHER))
SHARED(sharedLongs, long long, 128, t, OTHER)
SHARED(sharedQuads, int4, 128, t, OTHER)
SHARED(sharedQuadStride2, int4, 256, 2 * t, 2 * OTHER)
SHARED(sharedQuadStride8, int4, 1024, 8 * t, 8 * OTHER)
SHARED(sharedBroadcast, int, 128, t, OTHER / 32 * 32)
SHARED(sharedQuadBroadcast, int4, 128, t, OTHER / 32 * 32)
SHARED(sharedPairBroadcast, int2, 128, t, OTHER / 4)
SHARED(sharedQuadHalves, int4, 128, t, OTHER % 16)
SHARED(sharedPairEvery2, int2, 128, t, OTHER / 2)
SHARED(sharedPairXor2, int2, 128, t, (OTHER & ~2))
SHARED(sharedPairXor4, int2, 128, t, (OTHER & ~4))
SHARED(sharedPairMixed, int2, 128, t, (OTHER % 32 < 16 ? OTHER & ~1 : OTHER & ~2))
SHARED(sharedQuadXor1, int4, 128, t, (OTHER & ~1))
SHARED(sharedQuadXor2, int4, 128, t, (OTHER & ~2))
SHARED(sharedQuadXor8, int4, 128, t, (OTHER & ~8))
SHARED(sharedQuadOneHalf, int4, 128, t, (OTHER % 32 < 16 ? OTHER & ~1 : OTHER))
SHARED(sharedQuadEvery4, int4, 512, 4 * t, 4 * (OTHER / 4))
KERNEL(sharedQuadSomeLanes) {
  INDEX;
  __shared__ int4 s[128];
  s[t] = ((const int4 *)x)[i];
  __syncthreads();
  if (t % 4 == 1) ((int4 *)y)[i] = s[OTHER];
}
KERNEL(sharedOddLanes) {
  INDEX;
  __shared__ int2 s[128];
  s[t] = make_int2(x[i], t);
  __syncthreads();
  if (t & 1) y[i] = s[t ^ 65 ^ 1].x + s[OTHER].y;
}
KERNEL(sharedRandom) {
  INDEX;
  __shared__ int s[1024];
  for (int k = t; k < 1024; k += 128) s[k] = x[k];
  __syncthreads();
  y[i] = s[x[i] & 1023];
}
KERNEL(sharedRandomQuads) {
  INDEX;
  __shared__ int4 s[256];
  for (int k = t; k < 256; k += 128) s[k] = ((const int4 *)x)[k];
  __syncthreads();
  ((int4 *)y)[i] = s[x[i] & 255];
}
KERNEL(sharedRandomPairs) {
  INDEX;
  __shared__ int2 s[512];
  for (int k = t; k < 512; k += 128) s[k] = ((const int2 *)x)[k];
  __syncthreads();
  ((int2 *)y)[i] = s[x[i] & 511];
}

// Atomics.
KERNEL(reduceGlobal) {
  INDEX;
  atomicAdd(&y[i], x[i]);
}
KERNEL(reduceGlobalOne) {
  INDEX;
  atomicMax(&y[t & 3], x[i]);
}
KERNEL(exchangeGlobal) {
  INDEX;
  y[4096 + i] = atomicExch(&y[i * 2], x[i]);
}
KERNEL(atomicShared) {
  INDEX;
  __shared__ int s[128];
  s[t] = t;
  __syncthreads();
  atomicAdd(&s[OTHER], x[i]);
  __syncthreads();
  y[i] = s[t];
}
KERNEL(atomicSharedFew) {
  INDEX;
  __shared__ int s[128];
  s[t] = t;
  __syncthreads();
  atomicAdd(&s[(t & 3) * 32], x[i]);
  __syncthreads();
  atomicMax(&s[t & 7], x[i]);
  __syncthreads();
  y[i] = s[t];
}
KERNEL(atomicSharedOnes) {
  INDEX;
  __shared__ int s[128];
  s[t] = t;
  __syncthreads();
  atomicAdd(&s[t & 5], 1);
  __syncthreads();
  y[i] = s[t];
}
KERNEL(atomicSharedTwos) {
  INDEX;
  __shared__ int s[128];
  s[t] = t;
  __syncthreads();
  atomicAdd(&s[t & 5], 2);
  __syncthreads();
  y[i] = s[t];
}
KERNEL(atomicSharedLongs) {
  INDEX;
  __shared__ unsigned long long s[128];
  s[t] = t;
  __syncthreads();
  atomicAdd(&s[t * 3 & 127], 5ull + x[i]);
  __syncthreads();
  ((unsigned long long *)y)[i] = s[t];
}
KERNEL(exchangeShared) {
  INDEX;
  __shared__ int s[128];
  s[t] = t;
  __syncthreads();
  y[i] = atomicExch(&s[t * 5 & 127], x[i]);
}

// Control.
KERNEL(divergent) {
  INDEX;
  int v = x[i], r = 0;
#pragma unroll 1
  for (int k = 0; k < (v & 15); ++k) {
    r = r * 3 + k;
    if (r & 4) {
#pragma unroll 1
      for (int j = 0; j < (r & 3); ++j) r ^= j + v * r;
    }
  }
  y[i] = r;
}
KERNEL(barriers) {
  INDEX;
  __shared__ int s[128];
  s[t] = x[i];
#pragma unroll 1
  for (int k = 64; k; k >>= 1) {
    __syncthreads();
    if (t < k) s[t] += s[t + k];
  }
  int all = __syncthreads_count(x[i] & 1);
  if (!t) y[blockIdx.x] = s[0] + all;
}
KERNEL(lanes) {
  INDEX;
  int v = x[i];
  v += __shfl_xor_sync(~0u, v, 5) + __shfl_down_sync(~0u, v, 3, 16) + __shfl_sync(~0u, v, v & 31);
  v ^= __ballot_sync(~0u, v & 1);
  v += __all_sync(~0u, v > 0) + __reduce_add_sync(~0u, v) + __reduce_max_sync(~0u, v);
  y[i] = v + __match_any_sync(~0u, v & 3);
}
KERNEL(localArray) {
  INDEX;
  int a[16];
  for (int k = 0; k < 16; ++k) a[k] = x[(i + k) & 4095];
  for (int k = 0; k < 16; ++k) a[a[k] & 15] += k;
  int r = 0;
  for (int k = 0; k < 16; ++k) r = r * 5 + a[k];
  y[i] = r;
}

// Matrices.
#define MATRIX(name, count, form, pitch)                                                         \
  KERNEL(name) {                                                                                 \
    INDEX;                                                                                       \
    __shared__ __align__(16) unsigned char s[4][32 * (pitch)];                                   \
    int lane = t % 32, w = t / 32;                                                               \
    for (int k = 0; k < 4; ++k)                                                                  \
      *(int *)&s[w][lane * (pitch) + 4 * k] = x[4 * i + k];                                      \
    __syncwarp();                                                                                \
    unsigned r[4] = {0, 0, 0, 0}, at = __cvta_generic_to_shared(&s[w][lane * (pitch)]);          \
    form;                                                                                        \
    for (int k = 0; k < count; ++k) y[(k * 512 + i)] = r[k];                                     \
  }
#define LDMATRIX1(trans)                                                                         \
  asm volatile("ldmatrix.sync.aligned.m8n8.x1" trans ".shared.b16 {%0}, [%1];"                   \
               : "=r"(r[0]) : "r"(at) : "memory")
#define LDMATRIX2(trans)                                                                         \
  asm volatile("ldmatrix.sync.aligned.m8n8.x2" trans ".shared.b16 {%0,%1}, [%2];"                \
               : "=r"(r[0]), "=r"(r[1]) : "r"(at) : "memory")
#define LDMATRIX4(trans)                                                                         \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4" trans ".shared.b16 {%0,%1,%2,%3}, [%4];"          \
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory")
MATRIX(matrixLoad1, 1, LDMATRIX1(""), 16)
MATRIX(matrixLoad2, 2, LDMATRIX2(""), 16)
MATRIX(matrixLoad4, 4, LDMATRIX4(""), 16)
MATRIX(matrixLoad4Transposed, 4, LDMATRIX4(".trans"), 16)
MATRIX(matrixLoad4Conflict, 4, LDMATRIX4(""), 128)
MATRIX(matrixLoad4Conflict4, 4, LDMATRIX4(""), 64)
MATRIX(matrixLoad4Padded, 4, LDMATRIX4(""), 80)

__device__ unsigned pack(int v) {
  __half2 h = __floats2half2_rn(float(v & 7), float(v >> 3 & 7));
  return *(unsigned *)&h;
}
__device__ unsigned packB(int v) {
  __nv_bfloat162 h = __floats2bfloat162_rn(float(v & 7), float(v >> 3 & 7));
  return *(unsigned *)&h;
}
KERNEL(productHalf) {
  INDEX;
  float d[4] = {};
  unsigned a[4], b[2];
  for (int k = 0; k < 4; ++k) a[k] = pack(x[i + 512 * k]);
  for (int k = 0; k < 2; ++k) b[k] = pack(x[i + 512 * k] >> 6);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  for (int k = 0; k < 4; ++k) y[i + 512 * k] = __float_as_int(d[k]);
}
KERNEL(productBrain) {
  INDEX;
  float d[4] = {};
  unsigned a[4], b[2];
  for (int k = 0; k < 4; ++k) a[k] = packB(x[i + 512 * k]);
  for (int k = 0; k < 2; ++k) b[k] = packB(x[i + 512 * k] >> 6);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  for (int k = 0; k < 4; ++k) y[i + 512 * k] = __float_as_int(d[k]);
}
KERNEL(productTF32) {
  INDEX;
  float d[4] = {};
  unsigned a[4], b[2];
  for (int k = 0; k < 4; ++k) a[k] = __float_as_uint(float(x[i + 512 * k] & 1023));
  for (int k = 0; k < 2; ++k) b[k] = __float_as_uint(float(x[i + 512 * k] >> 6 & 63));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  for (int k = 0; k < 4; ++k) y[i + 512 * k] = __float_as_int(d[k]);
}
KERNEL(productBytes) {
  INDEX;
  int d[4] = {};
  unsigned a[4], b[2];
  for (int k = 0; k < 4; ++k) a[k] = x[i + 512 * k] * 2654435761u;
  for (int k = 0; k < 2; ++k) b[k] = x[i + 512 * k] * 2246822519u;
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  for (int k = 0; k < 4; ++k) y[i + 512 * k] = d[k];
}
KERNEL(productDouble) {
  INDEX;
  double d[2] = {}, a = x[i], b = x[i + 512];
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(d[0]), "+d"(d[1]) : "d"(a), "d"(b));
  for (int k = 0; k < 2; ++k) ((double *)y)[i + 512 * k] = d[k];
}

// Asynchronous copies.
#define ASYNC(name, form, bytes, pitch)                                                          \
  KERNEL(name) {                                                                                 \
    INDEX;                                                                                       \
    __shared__ __align__(16) unsigned char s[128 * (pitch)];                                     \
    unsigned to = __cvta_generic_to_shared(&s[t * (pitch)]);                                     \
    asm volatile("cp.async." form ".shared.global [%0], [%1], " #bytes ";" ::"r"(to),            \
                 "l"((const char *)x + i * (bytes)) : "memory");                                 \
    asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" ::: "memory");                \
    __syncthreads();                                                                             \
    y[i] = *(const int *)&s[OTHER * (pitch)];                                                    \
  }
ASYNC(async4, "ca", 4, 4)
ASYNC(async8, "ca", 8, 8)
ASYNC(async16, "ca", 16, 16)
ASYNC(async16Bypass, "cg", 16, 16)
ASYNC(async16Spread, "cg", 16, 80)
ASYNC(async4Spread, "ca", 4, 16)
ASYNC(async16Conflict, "cg", 16, 128)
ASYNC(async16Pitch32, "cg", 16, 32)
ASYNC(async16Pitch48, "cg", 16, 48)
ASYNC(async16Pitch64, "cg", 16, 64)
ASYNC(async16Cached, "ca", 16, 80)
ASYNC(async16CachedConflict, "ca", 16, 128)
ASYNC(async8Spread, "ca", 8, 24)
#define ASYNC_TILE(name, form, row, stride, swizzle)                                             \
  KERNEL(name) {                                                                                 \
    INDEX;                                                                                       \
    __shared__ __align__(128) unsigned char s[128 * 16];                                         \
    int r = t / (row), c = t % (row);                                                            \
    unsigned to = __cvta_generic_to_shared(&s[(r * (row) + (c ^ (swizzle))) * 16]);              \
    asm volatile("cp.async." form ".shared.global [%0], [%1], 16;" ::"r"(to),                    \
                 "l"((const char *)x + blockIdx.x * 64 + r * (stride) + c * 16) : "memory");     \
    asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" ::: "memory");                \
    __syncthreads();                                                                             \
    y[i] = *(const int *)&s[OTHER * 16];                                                         \
  }
ASYNC_TILE(asyncRows2, "cg", 2, 256, 0)
ASYNC_TILE(asyncRows4, "cg", 4, 256, 0)
ASYNC_TILE(asyncRows8, "cg", 8, 256, 0)
ASYNC_TILE(asyncRows4Swizzled, "cg", 4, 256, r / 2 % 4)
ASYNC_TILE(asyncRows8Swizzled, "cg", 8, 256, r % 8)
ASYNC_TILE(asyncRows8SwizzledCached, "ca", 8, 256, r % 8)
