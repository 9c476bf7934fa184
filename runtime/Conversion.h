//===- Conversion.h - arguments as a C declaration wants them ---*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_CONVERSION_H
#define TRITIUM_RUNTIME_CONVERSION_H

#include "tritium/Kernel/CompileError.h"
#include "tritium/Kernel/KernelSignature.h"
#include "tritium/tritium.h"

namespace tritium::runtime {

/// Converts `argument` to what `parameter` declares. Scalars of any kind become the
/// declared one if they keep their value (floats round); pointers take arrays of the
/// declared element type, addresses, 0 and None. On failure fills `error`.
bool convertArgument(const std::string &kernel, const KernelParameter &parameter,
                     const tritium_argument &argument, tritium_argument &result,
                     CompileError &error);

/// Whether `argument`, converted, is what the parameter's attributes promise.
bool checkPromises(const std::string &kernel, const KernelParameter &parameter,
                   const tritium_argument &argument, CompileError &error);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_CONVERSION_H
