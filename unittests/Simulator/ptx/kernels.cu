#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>
#include <stdio.h>
extern "C" {
__global__ void saxpy(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void reduce(const float *x, float *out, int n) {
  __shared__ float s[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0;
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0;
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    if (threadIdx.x == 0) atomicAdd(out, v);
  }
}
__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float t[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j];
}
__global__ void transposeConflict(const float *in, float *out, int n) {
  __shared__ float t[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j];
}
__global__ void collatz(const unsigned *x, unsigned *steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = x[i], s = 0;
  while (v > 1) { v = v & 1 ? 3 * v + 1 : v / 2; ++s; }
  steps[i] = s;
}
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void fibonacci(int *out) { out[threadIdx.x] = fib(threadIdx.x % 10); }
__global__ void choose(const int *op, float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  switch (op[i]) {
  case 0: v += 1; break;
  case 1: v *= 3; break;
  case 2: v = v / 7; break;
  case 3: v = sqrtf(v); break;
  case 4: v = -v; break;
  case 5: v = floorf(v); break;
  case 6: v = fabsf(v) + 2; break;
  default: v = 0;
  }
  x[i] = v;
}
__device__ unsigned turns;
__global__ void lastBlock(const int *x, int *partial, int *out, int n) {
  __shared__ int s[256]; __shared__ bool last;
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int k = 128; k; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
  if (t == 0) { partial[blockIdx.x] = s[0]; __threadfence(); last = atomicAdd(&turns, 1) == gridDim.x - 1; }
  __syncthreads();
  if (last && t == 0) {
    __threadfence();
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += partial[b];
    *out = sum; turns = 0;
  }
}
__global__ void histogram(const unsigned char *x, unsigned *bins, int n) {
  __shared__ unsigned h[256];
  h[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&h[x[i]], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], h[threadIdx.x]);
}
__global__ void halves(const __half2 *x, __half2 *y, const __nv_bfloat162 *b, __nv_bfloat162 *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = __hfma2(x[i], y[i], __hmul2(x[i], x[i]));
  c[i] = __hadd2(b[i], __hmul2(b[i], c[i]));
}
__global__ void matmul(const __half *a, const __half *b, float *c, int n) {
  __shared__ __align__(16) __half sa[16][24];
  __shared__ __align__(16) __half sb[16][24];
  int lane = threadIdx.x;
  float d[2][4] = {};
  for (int k = 0; k < n; k += 16) {
    int r = lane / 2, q = lane % 2 * 8;
    const __half *pa = a + (blockIdx.y * 16 + r) * n + k + q, *pb = b + (k + r) * n + blockIdx.x * 16 + q;
    unsigned da = __cvta_generic_to_shared(&sa[r][q]), db = __cvta_generic_to_shared(&sb[r][q]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(da), "l"(pa));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(db), "l"(pb));
    asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" ::: "memory");
    __syncwarp();
    unsigned ra[4], rb[4];
    unsigned at = __cvta_generic_to_shared(&sa[lane % 16][lane / 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(at));
    unsigned bt = __cvta_generic_to_shared(&sb[lane % 16][lane / 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(rb[0]), "=r"(rb[1]), "=r"(rb[2]), "=r"(rb[3]) : "r"(bt));
    for (int h = 0; h < 2; ++h)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[h][0]), "+f"(d[h][1]), "+f"(d[h][2]), "+f"(d[h][3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[2 * h]), "r"(rb[2 * h + 1]));
    __syncwarp();
  }
  for (int h = 0; h < 2; ++h) for (int e = 0; e < 4; ++e)
    c[(blockIdx.y * 16 + lane / 4 + e / 2 * 8) * n + blockIdx.x * 16 + h * 8 + lane % 4 * 2 + e % 2] = d[h][e];
}
__global__ void print(int n) { if (threadIdx.x == 1) printf("n is %d, half of it %.2f, %s\n", n, n / 2.0, "done"); }
__global__ void math(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = expf(x[i]) + sinf(x[i]) * logf(fabsf(x[i]) + 1) + x[i] / 3 + powf(fabsf(x[i]), 1.5f);
}
__global__ void doubles(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sqrt(fabs(x[i])) / (1 + x[i] * x[i]) + exp(x[i]);
}
__global__ void votes(const int *x, unsigned *y) {
  int v = x[threadIdx.x]; unsigned m = __ballot_sync(~0u, v & 1);
  unsigned s = __match_any_sync(~0u, v % 4);
  int r = __reduce_add_sync(~0u, v), mn = __reduce_min_sync(~0u, v);
  if (v & 1) m ^= __popc(__activemask());
  y[threadIdx.x] = m + s * 3 + r * 5 + mn;
}
__global__ void locals(const int *idx, int *y) {
  int a[16];
  for (int i = 0; i < 16; ++i) a[i] = i * i + threadIdx.x;
  for (int i = 0; i < 16; ++i) a[idx[i] & 15] += a[(idx[i] + i) & 15];
  int s = 0; for (int i = 0; i < 16; ++i) s = s * 31 + a[i];
  y[threadIdx.x] = s;
}
__global__ void integers(const long long *x, long long *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long v = x[i]; int w = (int)v;
  y[i] = v / 7 + v % 1000 + __mul64hi(v, v) + __popcll(v) + __clz(w) + (w / 13) * (w % 11) + (v >> 3) + __byte_perm(w, w, 0x0123);
}
__global__ void spin(int *lock, int *count) {
  // Lanes of one warp take a lock one after the other.
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *(volatile int *)count = *(volatile int *)count + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
}
