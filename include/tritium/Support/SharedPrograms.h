//===- SharedPrograms.h - how programs are shared out -----------*- C++ -*-===//

#ifndef TRITIUM_SUPPORT_SHAREDPROGRAMS_H
#define TRITIUM_SUPPORT_SHAREDPROGRAMS_H

#include <algorithm>
#include <cstdint>

namespace tritium {

/// Of a program that is left over where each CTA of a launch has as many (KernelMetadata::streamK).
constexpr uint32_t kMostPartsOfProgram = 8;

/// How many that are, of `programs` on `ctas` CTAs.
constexpr uint64_t programsLeftOver(uint64_t programs, uint64_t ctas) { return programs % ctas; }

/// How many parts each of them has; 1: it is whole.
constexpr uint64_t partsOfProgram(uint64_t programs, uint64_t ctas) {
  uint64_t left = programsLeftOver(programs, ctas);
  return left ? std::min<uint64_t>(ctas / left, kMostPartsOfProgram) : 1;
}

} // namespace tritium

#endif // TRITIUM_SUPPORT_SHAREDPROGRAMS_H
