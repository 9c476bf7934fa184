//===- TargetInfo.cpp - NVIDIA architectures ------------------------------===//

#include "tritium/Target/NVPTX/TargetInfo.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

using namespace llvm;

namespace {

struct Architecture {
  unsigned capability;
  unsigned leastPTX; ///< the PTX version that introduced it
};
// sm_90 stands for sm_90a, which PTX 8.0 introduced.
constexpr Architecture architectures[] = {{75, 63}, {80, 70}, {86, 71}, {89, 78}, {90, 80}};

/// The versions that LLVM 19 can write, from the one that introduced sm_75.
constexpr unsigned ptxVersions[] = {63, 64, 65, 70, 71, 72, 73, 74, 75,
                                    76, 77, 78, 80, 81, 82, 83, 84, 85};

const Architecture *newestBelow(unsigned capability) {
  const Architecture *found = nullptr;
  for (const Architecture &architecture : architectures)
    if (architecture.capability <= capability)
      found = &architecture;
  return found;
}

} // namespace

std::string tritium::nvptx::TargetInfo::codeName() const {
  return "sm_" + std::to_string(codeCapability) + (isSpecific ? "a" : "");
}

std::string tritium::nvptx::TargetInfo::binaryName() const {
  return capability == codeCapability ? codeName() : "sm_" + std::to_string(capability);
}

bool tritium::nvptx::resolveTarget(unsigned capability, TargetInfo &info, std::string &error) {
  info = TargetInfo();
  info.capability = capability;
  const Architecture *architecture = newestBelow(capability);
  if (!architecture) {
    error = "no GPU of compute capability " + std::to_string(capability / 10) + "." +
            std::to_string(capability % 10) +
            ": write cuda:80 for one of 8.0; it must be 7.5 or newer";
    return false;
  }
  info.codeCapability = architecture->capability;
  info.isSpecific = info.capability == 90;
  return true;
}

bool tritium::nvptx::checkPTXVersion(const TargetInfo &info, unsigned version, std::string &error) {
  unsigned least = newestBelow(info.codeCapability)->leastPTX;
  if (is_contained(ptxVersions, version) && version >= least)
    return true;
  error = "PTX version " + std::to_string(version) + " cannot be written for " + info.codeName() +
          "; there are: ";
  bool first = true;
  for (unsigned known : ptxVersions)
    if (known >= least) {
      error += (first ? "" : ", ") + std::to_string(known);
      first = false;
    }
  return false;
}
