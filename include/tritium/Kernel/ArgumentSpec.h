//===- ArgumentSpec.h - how a parameter is specialised ----------*- C++ -*-===//

#ifndef TRITIUM_KERNEL_ARGUMENTSPEC_H
#define TRITIUM_KERNEL_ARGUMENTSPEC_H

#include "tritium/Support/Constant.h"

#include <cstdint>
#include <vector>

namespace tritium {

/// How one parameter of the kernel is specialised, in the order of its parameters.
struct ArgumentSpec {
  bool isConstexpr = false;
  Constant value;           ///< constexpr: the value; a named tuple: a tuple of its names
  DType type;               ///< run-time argument: its type
  int64_t divisibility = 1; ///< run-time argument: value (or address) is a multiple of this
  /// Not empty: a tuple of arguments, or a tensor descriptor as what
  /// tl.make_tensor_descriptor takes.
  std::vector<ArgumentSpec> parts;
  bool isDescriptor = false;
};

/// The run-time arguments among `arguments`, parts included, in the order in which the
/// compiled kernel takes them.
std::vector<const ArgumentSpec *> runTimeArguments(const std::vector<ArgumentSpec> &arguments);

} // namespace tritium

#endif // TRITIUM_KERNEL_ARGUMENTSPEC_H
