//===- WarpGroupProduct.cpp - the numbers of wgmma ------------------------===//
//
// As mma.sync: products are exact and added in double (s32: wrapping or saturating integers),
// then the accumulator is added and the sum rounded once. Products of 64 x n x k are what a
// launch spends its time on, so the loops are made for the host's vectors; these hold whole
// numbers of columns and change no sum.
//
//===----------------------------------------------------------------------===//

#include "Formats.h"
#include "WarpGroup.h"

using namespace tritium::sim;
using namespace tritium::sim::ptx;

namespace {

using Eight = double __attribute__((vector_size(64)));

/// sums = A B, so many rows and eight columns at a time: as many sums as hide what one takes.
template <size_t rows>
[[gnu::always_inline]] inline void multiplyBody(const Factors &factors, size_t k, size_t n,
                                                double *sums) {
  for (size_t column = 0; column < n; column += 8)
    for (size_t row = 0; row < groupRows; row += rows) {
      const double *a = factors.a + row * k, *b = factors.b + column;
      Eight sum[rows] = {};
      for (size_t i = 0; i < k; ++i) {
        Eight factor = *reinterpret_cast<const Eight *>(b + i * n);
        for (size_t r = 0; r < rows; ++r)
          sum[r] += a[r * k + i] * factor;
      }
      for (size_t r = 0; r < rows; ++r)
        *reinterpret_cast<Eight *>(sums + (row + r) * n + column) = sum[r];
    }
}

/// c + sum, rounded once to f32.
[[gnu::always_inline]] inline void addSinglesBody(const double *sums, u32 *to, bool adds) {
#pragma clang loop vectorize(assume_safety)
  for (unsigned lane = 0; lane < 32; ++lane) {
    double sum = addToOdd(sums[lane], adds ? double(asFloat(to[lane])) : 0);
    to[lane] = sum == sum ? asBits(float(sum)) : singleFormat.nan;
  }
}

using Multiply = void (*)(const Factors &, unsigned, unsigned, double *);
using AddSingles = void (*)(const double *, u32 *, bool);
struct Kernels {
  Multiply multiply;
  AddSingles addSingles;
};

void multiplyPlain(const Factors &factors, unsigned k, unsigned n, double *sums) {
  multiplyBody<4>(factors, k, n, sums);
}
void addSinglesPlain(const double *sums, u32 *to, bool adds) { addSinglesBody(sums, to, adds); }
#if defined(__x86_64__)
[[gnu::target("avx2")]] void multiplyAVX2(const Factors &factors, unsigned k, unsigned n,
                                          double *sums) {
  multiplyBody<4>(factors, k, n, sums);
}
[[gnu::target("avx2")]] void addSinglesAVX2(const double *sums, u32 *to, bool adds) {
  addSinglesBody(sums, to, adds);
}
[[gnu::target("avx512f,avx512dq,avx512vl")]] void multiplyAVX512(const Factors &factors, unsigned k,
                                                                 unsigned n, double *sums) {
  multiplyBody<8>(factors, k, n, sums);
}
[[gnu::target("avx512f,avx512dq,avx512vl")]] void addSinglesAVX512(const double *sums, u32 *to,
                                                                   bool adds) {
  addSinglesBody(sums, to, adds);
}
#endif

Kernels chooseKernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return {multiplyAVX512, addSinglesAVX512};
  if (__builtin_cpu_supports("avx2"))
    return {multiplyAVX2, addSinglesAVX2};
#endif
  return {multiplyPlain, addSinglesPlain};
}

/// The accumulators of one warp. The elements that a register of lane l holds are those of row
/// l / 4, 8 rows on for every other pair of columns, from column 2 (l % 4) on, 8 columns on for
/// each two pairs.
class Accumulators {
public:
  Accumulators(const ProductForm &form, const GroupProduct &product, const Factors &factors,
               unsigned warp)
      : form(form), factors(factors), frame(*product.frames[warp]), adds(product.adds),
        firstRow(16 * warp), isWhole(factors.lostRows.none() && factors.lostColumns.none()) {
    for (unsigned lane = 0; lane < 32; ++lane)
      offsets[lane] = (row(0, lane) - row(0, 0)) * form.n + column(0, lane);
  }

  void add(const double *sums, const Kernels &kernels) {
    unsigned perRegister = form.td == Type::F16 ? 2 : 1;
    for (unsigned i = 0; i < form.nd; ++i) {
      double lanes[2][32];
      for (unsigned e = 0; e < perRegister; ++e) {
        unsigned element = i * perRegister + e;
        const double *first = sums + row(element, 0) * form.n + column(element, 0);
        for (unsigned lane = 0; lane < 32; ++lane)
          lanes[e][lane] = first[offsets[lane]];
      }
      u32 *to = reinterpret_cast<u32 *>(frame.registers + form.rd[i]);
      if (form.td == Type::F32)
        kernels.addSingles(lanes[0], to, adds);
      else if (form.td == Type::F16)
        addHalves(lanes, to);
      else
        addIntegers(lanes[0], to);
      define(i, perRegister);
    }
  }

private:
  size_t row(unsigned element, unsigned lane) const {
    return firstRow + lane / 4 + 8 * (element >> 1 & 1);
  }
  static size_t column(unsigned element, unsigned lane) {
    return 8 * (element >> 2) + 2 * (lane % 4) + (element & 1);
  }

  void addHalves(const double (&sums)[2][32], u32 *to) const {
    for (unsigned lane = 0; lane < 32; ++lane) {
      u32 word = 0;
      for (unsigned e = 0; e < 2; ++e) {
        double c = adds ? decode(halfFormat, to[lane] >> 16 * e & 0xffff) : 0;
        word |= encode(halfFormat, addToOdd(sums[e][lane], c)) << 16 * e;
      }
      to[lane] = word;
    }
  }

  void addIntegers(const double *sums, u32 *to) const {
    for (unsigned lane = 0; lane < 32; ++lane) {
      double sum = sums[lane] + (adds ? int32_t(to[lane]) : 0);
      if (form.flags & ProductForm::Saturates)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
      to[lane] = u32(int64_t(sum));
    }
  }

  void define(unsigned i, unsigned perRegister) {
    u32 &defined = frame.defined[form.rd[i] >> 7];
    u32 sound = adds ? defined : allLanes, from = frame.origin[form.rd[i] >> 7];
    for (unsigned lane = 0; lane < 32 && !isWhole; ++lane)
      for (unsigned e = 0; e < perRegister; ++e)
        if (factors.lostRows[row(i * perRegister + e, lane)] ||
            factors.lostColumns[column(i * perRegister + e, lane)]) {
          sound &= ~(1u << lane);
          from = factors.origin;
        }
    defined = sound;
    if (sound == allLanes)
      return;
    frame.origin[form.rd[i] >> 7] = from;
    frame.definedBytes.erase(form.rd[i] >> 7);
  }

  const ProductForm &form;
  const Factors &factors;
  Frame &frame;
  bool adds;
  unsigned firstRow;
  bool isWhole;
  size_t offsets[32]; ///< of a lane's sums from those of lane 0
};

} // namespace

void tritium::sim::computeProduct(const Cta &cta, const GroupProduct &product) {
  static const Kernels kernels = chooseKernels();
  static thread_local Factors factors;
  alignas(Eight) static thread_local double sums[groupRows * mostGroupColumns];
  ProductForm form(*product.op);
  readFactors(cta, product, factors);
  kernels.multiply(factors, form.k, form.n, sums);
  for (unsigned warp = 0; warp < warpsOfGroup; ++warp)
    Accumulators(form, product, factors, warp).add(sums, kernels);
}
