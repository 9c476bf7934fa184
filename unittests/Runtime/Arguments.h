//===- Arguments.h - arguments of launches to test with ---------*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_RUNTIME_ARGUMENTS_H
#define TRITIUM_UNITTESTS_RUNTIME_ARGUMENTS_H

#include "Signature.h"

#include <bit>

namespace tritium::runtime::samples {

inline tritium_argument argument(tritium_argument_kind kind, uint64_t bits) {
  tritium_argument argument = {};
  argument.kind = kind;
  argument.bits = bits;
  return argument;
}

inline tritium_argument number(int64_t value) {
  return argument(TRITIUM_ARG_INT, static_cast<uint64_t>(value));
}

inline tritium_argument real(double value) {
  return argument(TRITIUM_ARG_FLOAT, std::bit_cast<uint64_t>(value));
}

/// An array of 64 bytes in host memory.
inline tritium_argument pointer(uint64_t address, DTypeKind kind = DTypeKind::Float32) {
  tritium_argument result = argument(TRITIUM_ARG_POINTER, address);
  result.type = fromDType({kind});
  result.begin = address;
  result.bytes = 64;
  return result;
}

} // namespace tritium::runtime::samples

#endif // TRITIUM_UNITTESTS_RUNTIME_ARGUMENTS_H
