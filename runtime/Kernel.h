//===- Kernel.h - a kernel's text and its compiled variants -----*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_KERNEL_H
#define TRITIUM_RUNTIME_KERNEL_H

#include "CallPattern.h"
#include "Variant.h"

#include <atomic>
#include <shared_mutex>
#include <unordered_map>

namespace tritium::runtime {

/// Hashes and compares the words of a key, however they are held.
struct KeyHash {
  using is_transparent = void;
  size_t operator()(llvm::ArrayRef<uint64_t> words) const;
};
struct KeyEqual {
  using is_transparent = void;
  bool operator()(llvm::ArrayRef<uint64_t> a, llvm::ArrayRef<uint64_t> b) const { return a == b; }
};

class Kernel : public llvm::ThreadSafeRefCountedBase<Kernel> {
public:
  /// Reads the signature of `source`. Null with `error` if it cannot be read.
  static llvm::IntrusiveRefCntPtr<Kernel>
  create(frontend::FunctionSource source, const tritium_kernel_config *config, CompileError &error);

  struct Call {
    const tritium_argument *arguments;
    size_t count;
    const tritium_option *options;
    size_t optionCount;
    void *stream = nullptr;           ///< of the arguments' device
    const Target *target = nullptr;   ///< wherever else the call would run
    LaunchDetails *details = nullptr; ///< for the target's back end
  };
  /// Finds or compiles the variant for a call, and runs it. `used` receives it.
  bool launch(const Call &call, const uint32_t grid[3], Variant *&used, CompileError &error);
  /// Finds or compiles the variant only.
  VariantRef variantFor(const Call &call, CompileError &error);
  /// A variant with the arguments that it is launched on.
  struct Prepared {
    VariantRef variant;
    llvm::SmallVector<BoundArgument, 12> arguments;
  };
  /// What `launch` would run. Calls of several threads compile at the same time.
  bool prepare(const Call &call, Prepared &prepared, CompileError &error);
  /// Compiles an explicit specialisation for `target`; none: for that of this kernel.
  VariantRef specialize(std::vector<ArgumentSpec> arguments, const tritium_option *options,
                        size_t optionCount, const std::optional<Target> &target,
                        CompileError &error);
  /// Forgets the variants. Launches that use them now are not disturbed.
  void invalidate();

  const Signature &signature() const { return *names; }
  /// Bytes that change with the kernel's text and with how it is compiled and run.
  std::string identity() const;
  /// Its programs take as long as the host's tools make them: nothing can be measured.
  bool isInterpreted() const { return options.target.kind().isModel; }
  bool isDebug() const { return options.debug; }
  /// What was read of the kernel's text.
  const KernelSignature &declaration() const { return declared; }

private:
  /// A key's variant and where its run-time arguments are found in a call.
  struct Dispatch {
    Key key;
    VariantRef variant;
    llvm::SmallVector<std::pair<unsigned, DType>, 12> runTime;
    std::optional<CallPattern> pattern; ///< of the call that it was compiled for
    unsigned architecture = 0;          ///< of the device that its code is for; 0: the host
  };

  Kernel() = default;
  /// What launches are compiled for, as the environment and `config` say.
  bool chooseTarget(const tritium_kernel_config *config, CompileError &error);
  /// The device that a call runs on; null: the host.
  bool findDevice(const Call &call, llvm::ArrayRef<ArgumentClass> classes,
                  llvm::ArrayRef<const tritium_argument *> bound, DeviceMemory *&device,
                  CompileError &error) const;
  /// Finds or compiles what a call runs, and its run-time arguments.
  Dispatch *bind(const Call &call, llvm::SmallVectorImpl<BoundArgument> &arguments,
                 CompileError &error);
  Dispatch *find(const Call &call, llvm::SmallVectorImpl<const tritium_argument *> &bound,
                 CompileError &error);
  Dispatch *findExact(const Call &call, llvm::SmallVectorImpl<const tritium_argument *> &bound,
                      CompileError &error);
  Dispatch *lookup(const Key &key);
  /// The dispatch of one of the latest launches, if the call fits its pattern.
  Dispatch *recognize(const Call &call) const;
  void remember(Dispatch *dispatch);
  Dispatch *compileOnce(const Call &call, const Key &key,
                        const llvm::SmallVectorImpl<ArgumentClass> &classes,
                        const llvm::SmallVectorImpl<const tritium_argument *> &bound,
                        const DeviceMemory *device, CompileError &error);
  Dispatch *compile(const Call &call, const Key &key,
                    const llvm::SmallVectorImpl<ArgumentClass> &classes,
                    const llvm::SmallVectorImpl<const tritium_argument *> &bound,
                    const DeviceMemory *device, CompileError &error);

  frontend::FunctionSource source;
  KernelSignature declared;
  std::unique_ptr<Signature> names;
  CompileOptions options; ///< of launches on the host
  /// What the environment or the configuration decides for all launches; null: they run where
  /// their arrays are.
  const Backend *forced = nullptr;

  std::array<std::atomic<Dispatch *>, 4> recent = {}; ///< what the latest launches used
  std::atomic<unsigned> oldest{0};                    ///< the entry to replace next
  /// Guards the two tables; nothing is compiled and no host called under it.
  std::shared_mutex mutex;
  std::unordered_map<std::vector<uint64_t>, std::unique_ptr<Dispatch>, KeyHash, KeyEqual>
      dispatches;
  /// Another thread may still read a dispatch through `recent`: they go with the kernel.
  std::vector<std::unique_ptr<Dispatch>> retired;
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_KERNEL_H
