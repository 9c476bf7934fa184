//===- KernelSignature.h - a kernel as its text declares it -----*- C++ -*-===//

#ifndef TRITIUM_KERNEL_KERNELSIGNATURE_H
#define TRITIUM_KERNEL_KERNELSIGNATURE_H

#include "tritium/Support/Constant.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tritium {

/// The parameters of a kernel, read from its text without compiling it.
struct KernelParameter {
  std::string name;
  bool isConstexpr = false;
  std::string annotation; ///< as written, empty if none
  std::optional<Constant> defaultValue;
  // Triton-C:
  std::optional<DType> type; ///< as declared; arguments convert to it
  /// What the kernel's author promises of the argument; launches in debug mode check it.
  int64_t aligned = 1, multipleOf = 1;
  bool isReadOnly = false, isWriteOnly = false, isNoAlias = false;
  bool isRetune = false; ///< another value tunes anew
};

/// A table in constant memory that the host fills by name. Each is one more run-time
/// parameter of the compiled kernel, a pointer, after those of the signature.
struct ConstantTable {
  std::string name;
  DType element;
  uint64_t bytes = 0;
};

/// A constant that the kernel's file leaves to tuning: `const tunable int TM = {16, 32};`
struct TunableConstant {
  std::string name;
  std::vector<int64_t> values; ///< empty: the host must define it
};

struct KernelSignature {
  std::string name;
  std::vector<KernelParameter> parameters;
  // Triton-C:
  std::vector<std::string> kernels; ///< of the same text, in its order
  std::vector<ConstantTable> tables;
  std::vector<TunableConstant> tunables;
  std::vector<std::string> usedDefines; ///< macros that the text tested or expanded
  std::vector<std::pair<std::string, std::string>> includedFiles; ///< path, text
};

} // namespace tritium

#endif // TRITIUM_KERNEL_KERNELSIGNATURE_H
