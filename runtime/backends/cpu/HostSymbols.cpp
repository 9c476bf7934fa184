//===- HostSymbols.cpp - what compiled kernels may import -----------------===//
//
// LLVM's code generator calls memory functions, libm and the soft-float helpers of the
// compiler's run-time library by name. They are taken from the libraries that this one
// is linked with.
//
//===----------------------------------------------------------------------===//

#include "HostSymbols.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <dlfcn.h>

namespace {

using Unary = double (*)(double);
using UnaryF = float (*)(float);

template <typename F> void *address(F *function) { return reinterpret_cast<void *>(function); }

/// Narrowing to half precision, round to nearest even: where the CPU has no F16C, code
/// calls these names, which not every run-time library has.
uint16_t halfBits(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  uint16_t sign = static_cast<uint16_t>(bits >> 48 & 0x8000);
  uint64_t magnitude = bits & 0x7fffffffffffffffull;
  if (magnitude > 0x7ff0000000000000ull) // NaN, kept quiet
    return sign | 0x7e00 | static_cast<uint16_t>(magnitude >> 42 & 0x1ff);
  if (magnitude >= 0x40effe0000000000ull) // 65520 and above round to infinity
    return sign | 0x7c00;
  int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent < -25)
    return sign;
  uint64_t significand = (magnitude & 0xfffffffffffffull) | 1ull << 52;
  // Below 2^-14 the result is subnormal: more bits go.
  int dropped = exponent >= -14 ? 42 : 42 + (-14 - exponent);
  uint64_t kept = significand >> dropped;
  uint64_t rest = significand & ((1ull << dropped) - 1), half = 1ull << (dropped - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  // A carry out of the significand moves on into the exponent, as it must.
  uint16_t base = exponent >= -14 ? static_cast<uint16_t>(exponent + 14) << 10 : 0;
  return sign | static_cast<uint16_t>(base + kept);
}

float halfValue(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
  float value;
  uint32_t word;
  if (magnitude >= 0x7c00) {
    word = sign | 0x7f800000 | (magnitude & 0x3ff) << 13;
  } else if (magnitude < 0x400) {
    value = static_cast<float>(magnitude) * 0x1p-24f;
    std::memcpy(&word, &value, sizeof word);
    word |= sign;
  } else {
    word = sign | ((magnitude << 13) + (112u << 23));
  }
  std::memcpy(&value, &word, sizeof value);
  return value;
}

} // namespace

// The x86-64 convention passes half in an SSE register; `_Float16` gives that.
extern "C" {
static _Float16 tritiumTruncDoubleToHalf(double value) {
  return std::bit_cast<_Float16>(halfBits(value));
}
static _Float16 tritiumTruncFloatToHalf(float value) {
  return std::bit_cast<_Float16>(halfBits(value));
}
static float tritiumExtendHalf(_Float16 value) { return halfValue(std::bit_cast<uint16_t>(value)); }
}

#define UNARY(name)                                                                                \
  {#name, address(static_cast<Unary>(&::name))}, {                                                 \
    #name "f", address(static_cast<UnaryF>(&::name##f))                                            \
  }
#define BINARY(name)                                                                               \
  {#name, address(static_cast<double (*)(double, double)>(&::name))}, {                            \
    #name "f", address(static_cast<float (*)(float, float)>(&::name##f))                           \
  }

std::vector<std::pair<const char *, void *>> tritium::runtime::hostSymbols() {
  std::vector<std::pair<const char *, void *>> symbols = {
      {"memcpy", address(&::memcpy)},
      {"memmove", address(&::memmove)},
      {"memset", address(&::memset)},
      {"memcmp", address(&::memcmp)},
      {"clock_gettime", address(&::clock_gettime)},
      {"__truncdfhf2", address(&tritiumTruncDoubleToHalf)},
      {"__truncsfhf2", address(&tritiumTruncFloatToHalf)},
      {"__extendhfsf2", address(&tritiumExtendHalf)},
      UNARY(exp),
      UNARY(exp2),
      UNARY(exp10),
      UNARY(expm1),
      UNARY(log),
      UNARY(log2),
      UNARY(log10),
      UNARY(log1p),
      UNARY(sin),
      UNARY(cos),
      UNARY(tan),
      UNARY(asin),
      UNARY(acos),
      UNARY(atan),
      UNARY(sinh),
      UNARY(cosh),
      UNARY(tanh),
      UNARY(asinh),
      UNARY(acosh),
      UNARY(atanh),
      UNARY(erf),
      UNARY(erfc),
      UNARY(tgamma),
      UNARY(lgamma),
      UNARY(sqrt),
      UNARY(cbrt),
      UNARY(fabs),
      UNARY(floor),
      UNARY(ceil),
      UNARY(trunc),
      UNARY(rint),
      UNARY(nearbyint),
      UNARY(round),
      UNARY(roundeven),
      BINARY(pow),
      BINARY(atan2),
      BINARY(fmod),
      BINARY(remainder),
      BINARY(hypot),
      BINARY(fmin),
      BINARY(fmax),
      BINARY(fdim),
      BINARY(copysign),
      BINARY(nextafter),
      {"fma", address(static_cast<double (*)(double, double, double)>(&::fma))},
      {"fmaf", address(static_cast<float (*)(float, float, float)>(&::fmaf))},
      {"ldexp", address(static_cast<double (*)(double, int)>(&::ldexp))},
      {"ldexpf", address(static_cast<float (*)(float, int)>(&::ldexpf))},
  };
  // 128-bit and wide-integer helpers live in libgcc or compiler-rt, whichever this
  // library was linked with.
  for (const char *name :
       {"__divti3", "__udivti3", "__modti3", "__umodti3", "__multi3", "__fixunssfti",
        "__fixunsdfti", "__floattisf", "__floattidf", "__floatuntisf", "__floatuntidf"})
    if (void *function = dlsym(RTLD_DEFAULT, name))
      symbols.emplace_back(name, function);
  return symbols;
}
