//===- Program.h - a Triton-C kernel with its definitions -------*- C++ -*-===//
//
// One text with every choice of its macros. Each choice is a kernel of its own, read and
// compiled when it is first needed; where several are asked for, launches choose by
// measurement, once for each key.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_PROGRAM_H
#define TRITIUM_RUNTIME_PROGRAM_H

#include "ConstantContent.h"
#include "Definitions.h"
#include "Kernel.h"
#include "Tuner.h"

namespace tritium::runtime {

struct ProgramSource {
  std::string text, file;
  std::string name; ///< of the kernel; empty: the first
  ChoiceSpace space;
  std::vector<std::string> includePaths;
  /// Names of the parameters whose values choose anew; empty: those marked `__retune`,
  /// or all integers.
  std::vector<std::string> key;
};

/// The options that a launch's grid is computed from. Notes what is asked.
class ChosenOptions {
public:
  explicit ChosenOptions(const Choice &choice) : choice(choice) {}
  const std::string *find(const std::string &name) const {
    asked.insert(name);
    return choice.find(name);
  }
  const Choice &choice;
  mutable std::set<std::string> asked;
};

class Program : public llvm::ThreadSafeRefCountedBase<Program> {
public:
  static llvm::IntrusiveRefCntPtr<Program>
  create(ProgramSource source, const tritium_kernel_config *config, CompileError &error);

  /// Computes a grid. False with `error` ends the launch.
  using GridFunction =
      std::function<bool(const ChosenOptions &options, uint32_t grid[3], CompileError &error)>;
  struct Call {
    llvm::ArrayRef<tritium_argument> arguments;
    llvm::ArrayRef<tritium_option> options;
    GridFunction grid;
    void *stream = nullptr; ///< of the arguments' device
  };
  struct Launched {
    size_t choice = 0;
    VariantRef variant;
    std::optional<TuningResult> tuning; ///< if this launch made the choice
    /// Of the first launch: which definition nothing looked at, as long as the program lives; else
    /// null.
    const char *warning = nullptr;
  };
  bool launch(const Call &call, Launched &launched, CompileError &error);
  /// Runs the call on `target`, wherever else it would run, under the choice that was made for
  /// these arguments, or else the first.
  bool launchOn(const Target &target, LaunchDetails &details, const Call &call, size_t &choice,
                CompileError &error);
  /// The choice for these arguments, as a launch would make it; runs what that takes.
  bool choose(const Call &call, Launched &launched, CompileError &error);
  /// Compiles one choice. `divisibility`: for each parameter; none: 1 each. `target`: as in
  /// Kernel::specialize.
  VariantRef specialize(size_t choice, llvm::ArrayRef<int64_t> divisibility,
                        llvm::ArrayRef<tritium_option> options, const std::optional<Target> &target,
                        CompileError &error);

  /// Gives a constant table its content, for later launches.
  bool fillTable(const std::string &name, llvm::ArrayRef<uint8_t> bytes, CompileError &error);

  /// About the first definition that the text has no use for; or "".
  const std::string &warning() const { return unusedWarning; }

  const std::vector<Choice> &choices() const { return all; }
  /// As the first choice that can be read declares it.
  const KernelSignature &declaration() const { return first->declaration(); }

private:
  Program() = default;
  using KernelRef = llvm::IntrusiveRefCntPtr<Kernel>;
  using Table = std::shared_ptr<ConstantContent>;
  /// A call as one choice's kernel takes it.
  struct Converted {
    llvm::SmallVector<tritium_argument, 16> arguments;
    llvm::SmallVector<tritium_option, 4> options;
    std::vector<Table> tables; ///< keeps their memory
    tritium_option warps = {};
  };

  bool addTunables(CompileError &error);
  KernelRef kernelFor(size_t choice, CompileError &error);
  bool convert(const Kernel &kernel, const Call &call, size_t choice, Converted &result,
               CompileError &error) const;
  /// What a launch under `choice` runs: `kernel` on `grid`, with checked arguments.
  struct Ready {
    KernelRef kernel;
    uint32_t grid[3];
    Converted converted;
    Kernel::Prepared prepared;
  };
  bool makeReady(const Call &call, size_t choice, const Target *target, Ready &ready,
                 CompileError &error);
  /// The choice that was made for these arguments, which `key` describes.
  bool findChoice(const std::string &key, size_t &choice) const;
  bool gridFor(const Call &call, size_t choice, uint32_t grid[3], CompileError &error);
  std::string describeUnused(const std::string &name) const;
  void noteDefinitions(const ChosenOptions &options);
  bool keyOf(const Call &call, std::string &key, CompileError &error) const;
  bool checkUse(const Kernel &kernel, const Variant &variant, CompileError &error) const;

  ProgramSource source;
  tritium_kernel_config config = {};
  std::string cpu; ///< what config.cpu points to
  std::vector<Choice> all;
  KernelRef first;
  std::string unusedWarning;
  std::set<std::string> unused; ///< definitions that the text has no use for

  mutable std::mutex
      mutex; ///< guards what follows; nothing is compiled and no host called under it
  std::map<std::string, KernelRef> kernels;
  std::map<std::string, size_t> chosen; ///< by key and settings
  std::map<std::string, Table, std::less<>> tables;
  std::atomic<bool> definitionsNoted{false};
  std::string launchWarning;                        ///< is not changed any more once it has a text
  std::atomic<const char *> untoldWarning{nullptr}; ///< that text, until a launch tells it
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_PROGRAM_H
