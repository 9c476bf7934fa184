//===- Target.h - what code is compiled for ---------------------*- C++ -*-===//

#ifndef TRITIUM_KERNEL_TARGET_H
#define TRITIUM_KERNEL_TARGET_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tritium {

/// A sort of machine that kernels run on. Each is one object, known by its address.
struct TargetKind {
  const char *name;      ///< how its targets are written begins with it: "cuda" of "cuda:90"
  const char *spelling;  ///< all of it, for messages: "cuda:NN"
  bool isGPU;            ///< programs run on CTAs of many threads
  bool isModel;          ///< a program of the host's stands for the machine: times say nothing
  bool hasArchitectures; ///< a number must follow: the compute capability, 90 for 9.0
};

inline constexpr TargetKind kCPU{"cpu", "cpu[:NAME]", false, false, false};
/// The oracle: it takes tile IR, so that a compilation ends there.
inline constexpr TargetKind kInterpreter{"interpret", "interpret", false, true, false};
inline constexpr TargetKind kCUDA{"cuda", "cuda:NN", true, false, true};
/// The same code as for CUDA, run by the simulator: PTX is the last stage.
inline constexpr TargetKind kSimulator{"sim", "sim:NN", true, true, true};

/// Every kind, in the order of their registration.
std::vector<const TargetKind *> targetKinds();
/// Makes a kind known to Target::parse; once more changes nothing. `kind` lives for ever.
void addTargetKind(const TargetKind &kind);

/// A kind with the CPU or the architecture that is meant.
class Target {
public:
  Target() = default; ///< this machine's CPU
  explicit Target(const TargetKind &kind, unsigned architecture = 0)
      : what(&kind), number(architecture) {}
  /// A CPU by LLVM's name: "native", "haswell", "skylake-avx512", ...
  static Target cpu(std::string name) {
    Target target;
    target.name = std::move(name);
    return target;
  }

  /// What `text` stands for: "cpu" (this machine's), "cpu:haswell", "interpret", "cuda:90",
  /// "sim:sm_80", ... None, with a message that lists the kinds, for what is no target.
  static std::optional<Target> parse(std::string_view text, std::string &error);

  const TargetKind &kind() const { return *what; }
  bool is(const TargetKind &kind) const { return what == &kind; }
  bool isGPU() const { return what->isGPU; }
  unsigned architecture() const { return number; }
  const std::string &cpuName() const { return name; }
  /// The same CPU for another kind.
  Target withKind(const TargetKind &kind) const {
    Target other = *this;
    other.what = &kind;
    return other;
  }

  /// As parse() reads it, without a CPU that is "native".
  std::string str() const;
  /// The same without a CPU's name: "cpu", "interpret", "cuda:90". What metadata shows beside the
  /// name of the CPU or architecture that code was made for.
  std::string platform() const;

  bool operator==(const Target &) const = default;

private:
  const TargetKind *what = &kCPU;
  unsigned number = 0;
  std::string name = "native"; ///< of the CPU; not a GPU's
};

} // namespace tritium

#endif // TRITIUM_KERNEL_TARGET_H
