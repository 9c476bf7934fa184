// Clocks of copies of boxes (TMA) and of fences of the async proxy, on a GPU of compute capability
// 9.0: what include/tritium/Simulator/Rates.h says of them was measured by it.
//
//   nvcc -gencode arch=compute_90a,code=sm_90a -std=c++20 -O2 bench/gpu/copies.cu -lcuda -o copies
//
// All that is copied is in the L2 after the first round. Rows are 2048 bytes apart, as those of
// 1024 numbers of 16 bits.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

#define ASM(...) asm volatile(__VA_ARGS__ ::: "memory")

constexpr int kPitch = 2048, kRounds = 400;
constexpr size_t kBytes = size_t(1) << 28;

template <typename Result> static void check(Result result) {
  if (int(result) == 0)
    return;
  std::fprintf(stderr, "error %d of CUDA\n", int(result));
  std::exit(1);
}

__device__ static uint32_t sharedAddress(const void *at) {
  return uint32_t(__cvta_generic_to_shared(at));
}
__device__ static void wait(uint32_t barrier, uint32_t parity) {
  asm volatile("{\n.reg .pred p;\n"
               "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
               "@!p bra again;\n}" ::"r"(barrier),
               "r"(parity)
               : "memory");
}

/// Thread 0 of each CTA copies `kBoxes` boxes a round. Clocks of a round: until the last copy has
/// started, and from there until all have come.
template <int kBoxes>
__global__ void boxes(const __grid_constant__ CUtensorMap map, int rows, int bytes,
                      long long *out) {
  extern __shared__ uint8_t memory[];
  __shared__ __align__(8) uint64_t barrier;
  if (threadIdx.x)
    return;
  uint32_t at = sharedAddress(&barrier), to = (sharedAddress(memory) + 1023) & ~1023u;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
  ASM("fence.mbarrier_init.release.cluster;");
  long long starts = 0, waits = 0;
  for (int round = 0; round < kRounds; ++round) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at),
                 "r"(rows * bytes * kBoxes)
                 : "memory");
    long long begin = clock64();
#pragma unroll
    for (int i = 0; i < kBoxes; ++i)
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                   "[%0], [%1, {%2, %3}], [%4];" ::"r"(to + i * rows * bytes),
                   "l"(&map), "r"(0), "r"((blockIdx.x * kBoxes + i) * rows), "r"(at)
                   : "memory");
    long long started = clock64();
    wait(at, round & 1);
    if (round < kRounds / 10) // what comes from memory
      continue;
    starts += started - begin;
    waits += clock64() - started;
  }
  out[2 * blockIdx.x] = starts / (kRounds - kRounds / 10);
  out[2 * blockIdx.x + 1] = waits / (kRounds - kRounds / 10);
}

/// All that a product of 4096x1024 and 1024x4096 matrices, both with k along their rows, copies for
/// tiles of 128x128, `bytes` along k at once, in `depth` buffers (a power of two); nothing else.
__global__ void boxesOfProduct(const __grid_constant__ CUtensorMap a,
                               const __grid_constant__ CUtensorMap b, int bytes, int depth,
                               int rowsOfTiles) {
  extern __shared__ uint8_t memory[];
  __shared__ __align__(8) uint64_t barriers[4];
  if (threadIdx.x)
    return;
  for (uint64_t &barrier : barriers)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sharedAddress(&barrier)));
  ASM("fence.mbarrier_init.release.cluster;");
  constexpr int side = 4096 / 128;
  int inGroup = blockIdx.x % (rowsOfTiles * side), group = blockIdx.x / (rowsOfTiles * side);
  int row = (group * rowsOfTiles + inGroup % rowsOfTiles) * 128,
      column = inGroup / rowsOfTiles * 128;
  uint32_t to = (sharedAddress(memory) + 1023) & ~1023u, size = 128 * bytes;
  auto start = [&](int step) {
    uint32_t buffer = step & (depth - 1), barrier = sharedAddress(barriers + buffer);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "r"(2 * size)
                 : "memory");
    for (int i = 0; i < 2; ++i)
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                   "[%0], [%1, {%2, %3}], [%4];" ::"r"(to + (2 * buffer + i) * size),
                   "l"(i ? &b : &a), "r"(step * bytes), "r"(i ? column : row), "r"(barrier)
                   : "memory");
  };
  int steps = kPitch / bytes;
  for (int step = 0; step < depth - 1; ++step)
    start(step);
  for (int step = 0; step < steps; ++step) {
    if (step + depth - 1 < steps)
      start(step + depth - 1);
    wait(sharedAddress(barriers + (step & (depth - 1))), step / depth & 1);
  }
}

/// Barriers of 8 warps one after the other, with a fence of the async proxy before each, or none.
template <bool kFences> __global__ void fences(long long *out) {
  long long begin = clock64();
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    if (kFences)
      ASM("fence.proxy.async.shared::cta;");
    ASM("bar.sync 0;");
  }
  if (threadIdx.x == 0)
    out[2 * blockIdx.x] = out[2 * blockIdx.x + 1] = (clock64() - begin) / kRounds;
}

struct Bench {
  uint8_t *data;
  long long *out;

  /// The middle one of the CTAs' clocks.
  std::pair<long long, long long> clocks(int ctas) {
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    std::vector<long long> all(2 * ctas);
    check(cudaMemcpy(all.data(), out, all.size() * sizeof(long long), cudaMemcpyDeviceToHost));
    std::vector<long long> first, second;
    for (int i = 0; i < ctas; ++i) {
      first.push_back(all[2 * i]);
      second.push_back(all[2 * i + 1]);
    }
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    return {first[ctas / 2], second[ctas / 2]};
  }

  CUtensorMap map(int rows, int bytes, size_t from = 0) {
    CUtensorMap made;
    cuuint64_t extents[] = {kPitch, (kBytes - from) / kPitch}, pitch[] = {kPitch};
    cuuint32_t box[] = {cuuint32_t(bytes), cuuint32_t(rows)}, steps[] = {1, 1};
    check(cuTensorMapEncodeTiled(&made, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, data + from, extents,
                                 pitch, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    return made;
  }

  template <int kBoxes> void ofBoxes(int ctas, int rows, int bytes) {
    constexpr int kMemory = 200 * 1024;
    if (rows * bytes * kBoxes + 1024 > kMemory)
      return;
    check(
        cudaFuncSetAttribute(boxes<kBoxes>, cudaFuncAttributeMaxDynamicSharedMemorySize, kMemory));
    boxes<kBoxes><<<ctas, 32, kMemory>>>(map(rows, bytes), rows, bytes, out);
    auto [starts, waits] = clocks(ctas);
    std::printf("boxes: %3d CTAs, %d of %3d rows of %3d bytes: %4lld to start, %4lld to wait, "
                "%.2f a row\n",
                ctas, kBoxes, rows, bytes, starts, waits, double(starts + waits) / (kBoxes * rows));
  }

  void ofProduct(int rowsOfTiles, int bytes) {
    constexpr int kMemory = 100 * 1024, kTiles = 1024; // two CTAs on a multiprocessor
    check(
        cudaFuncSetAttribute(boxesOfProduct, cudaFuncAttributeMaxDynamicSharedMemorySize, kMemory));
    CUtensorMap a = map(128, bytes), b = map(128, bytes, kBytes / 2);
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    float least = 1e9f;
    for (int i = 0; i < 7; ++i) {
      check(cudaEventRecord(begin));
      boxesOfProduct<<<kTiles, 32, kMemory>>>(a, b, bytes, bytes == 128 ? 2 : 4, rowsOfTiles);
      check(cudaGetLastError());
      check(cudaEventRecord(end));
      check(cudaDeviceSynchronize());
      float milliseconds;
      check(cudaEventElapsedTime(&milliseconds, begin, end));
      least = std::min(least, milliseconds);
    }
    double copied = double(kTiles) * 256 * kPitch, rows = copied / bytes;
    std::printf("boxes of a product, %d rows of tiles together, rows of %3d bytes: %.1f us, "
                "%.0f bytes and %.1f rows a clock of 1755 MHz\n",
                rowsOfTiles, bytes, least * 1e3, copied / (least * 1755e3),
                rows / (least * 1755e3));
  }
};

int main() {
  check(cuInit(0));
  Bench bench;
  check(cudaMalloc(&bench.data, kBytes));
  check(cudaMemset(bench.data, 0, kBytes));
  check(cudaMalloc(&bench.out, 1024 * 2 * sizeof(long long)));
  for (int rows : {8, 64, 128}) {
    bench.ofBoxes<1>(1, rows, 128);
    bench.ofBoxes<2>(1, rows, 128);
    bench.ofBoxes<4>(1, rows, 128);
    bench.ofBoxes<8>(1, rows, 128);
  }
  for (int bytes : {32, 64, 128}) {
    bench.ofBoxes<1>(1, 256, bytes);
    bench.ofProduct(1, bytes);
    bench.ofProduct(8, bytes);
  }
  fences<false><<<1, 256>>>(bench.out);
  long long without = bench.clocks(1).first;
  fences<true><<<1, 256>>>(bench.out);
  std::printf("a barrier of 8 warps %lld, with a fence %lld\n", without, bench.clocks(1).first);
}
