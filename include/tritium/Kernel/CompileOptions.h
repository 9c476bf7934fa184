//===- CompileOptions.h - what a compilation is asked for -------*- C++ -*-===//

#ifndef TRITIUM_KERNEL_COMPILEOPTIONS_H
#define TRITIUM_KERNEL_COMPILEOPTIONS_H

#include "tritium/Kernel/Target.h"
#include "tritium/Support/Constant.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tritium {

/// What becomes of the facts that a kernel's author vouches for (multiple_of, assume, ...).
enum class HintUse { Assumed, Checked, Ignored };

struct CompileOptions {
  Target target;
  /// Two pointer arguments may reach the same memory. When false, memory reached from
  /// different pointer arguments does not overlap.
  bool mayAlias = true;
  /// The code fits every launch. When false, it may rely on KernelMetadata::conditions
  /// and take KernelMetadata::tensorMaps.
  bool isUnconditional = true;
  /// The code has none of the copies by TMA at these places (CopyNeeds::place).
  std::set<std::string> refusedCopies;
  /// Large outputs are stored past the caches, where that is possible: see
  /// ParameterInfo::streamedBytes.
  bool streamStores = false;
  bool debug = false; ///< device_assert and hints are checked; the interpreter checks hints anyway
  /// Other options that the launch named (num_warps, num_stages, ...): their kinds are
  /// checked by the host; kept in the metadata; most are without effect on a CPU.
  std::map<std::string, Constant> extra;
  /// What the launch says of an option that is True or False; nothing if it says nothing.
  std::optional<bool> flag(const char *name) const {
    auto found = extra.find(name);
    return found == extra.end() || found->second.isNone() ? std::nullopt
                                                          : std::optional(found->second.isSet());
  }
  bool isOn(const char *name) const { return flag(name).value_or(false); }
  /// The option device_asserts: device_assert is compiled in, where it fails on a GPU the kernel
  /// traps, and hints are neither checked nor assumed.
  bool asserts() const { return isOn("device_asserts"); }
  /// The option enable_fp_fusion: a product that feeds a sum is rounded with it; nothing if the
  /// launch does not say.
  std::optional<bool> fpFusion() const { return flag("enable_fp_fusion"); }
  /// Whether assertions of the kernel are there when it runs.
  bool keepsAsserts() const { return debug || asserts(); }
  /// Of "ttgir" "plan" "llir" "asm". "ttir" and what the target runs ("obj"; "ptx", "cubin") are
  /// always kept.
  std::vector<std::string> keepStages;
};

/// Why the option `name` of Triton's changes nothing here, as that of another vendor's devices;
/// null: it is none of those.
const char *unusedOption(std::string_view name);

/// The PTX version of code for GPUs, 84 for 8.4, unless the option ptx_version names another.
inline constexpr unsigned kUsualPTXVersion = 84;

} // namespace tritium

#endif // TRITIUM_KERNEL_COMPILEOPTIONS_H
