//===- TargetInfo.h - NVIDIA architectures ----------------------*- C++ -*-===//

#ifndef TRITIUM_TARGET_NVPTX_TARGETINFO_H
#define TRITIUM_TARGET_NVPTX_TARGETINFO_H

#include <string>

namespace tritium::nvptx {

/// A GPU architecture. Code is generated for the newest architecture that LLVM knows and
/// that is not above the GPU's: its PTX runs there, too.
struct TargetInfo {
  unsigned capability = 80;     ///< of the GPU: 80 for compute capability 8.0
  unsigned codeCapability = 80; ///< that code is generated for: 75, 80, 86, 89 or 90
  /// Code uses what only this architecture has (sm_90a): it runs on no later one.
  bool isSpecific = false;

  /// "sm_90a": what LLVM and the PTX call the architecture that code is generated for.
  std::string codeName() const;
  /// What ptxas assembles for: codeName(), or the GPU's own name where that is newer.
  std::string binaryName() const;
};

/// The GPUs of a compute capability, 90 for 9.0. For those that are too old fills `error`.
bool resolveTarget(unsigned capability, TargetInfo &info, std::string &error);

/// Whether LLVM can write `version` for the target; fills `error` if not.
bool checkPTXVersion(const TargetInfo &info, unsigned version, std::string &error);

} // namespace tritium::nvptx

#endif // TRITIUM_TARGET_NVPTX_TARGETINFO_H
