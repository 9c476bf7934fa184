//===- Kernel.h - a kernel's text and its compiled variants -----*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_KERNEL_H
#define TRITIUM_RUNTIME_KERNEL_H

#include "Signature.h"
#include "Variant.h"

#include <atomic>
#include <shared_mutex>

namespace tritium::runtime {

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
  };
  /// Finds or compiles the variant for a call, and runs it. `used` receives it.
  bool launch(const Call &call, const uint32_t grid[3], Variant *&used, CompileError &error);
  /// Finds or compiles the variant only.
  VariantRef variantFor(const Call &call, CompileError &error);
  /// Compiles an explicit specialisation for a named CPU (empty: this kernel's).
  VariantRef specialize(std::vector<ArgumentSpec> arguments, const tritium_option *options,
                        size_t optionCount, const std::string &cpu, CompileError &error);
  /// Forgets the variants. Launches that use them now are not disturbed.
  void invalidate();

  const Signature &signature() const { return *names; }

private:
  /// A key's variant and where its run-time arguments are found in a call.
  struct Dispatch {
    Key key;
    VariantRef variant;
    llvm::SmallVector<std::pair<unsigned, DType>, 12> runTime;
  };

  Kernel() = default;
  Dispatch *find(const Call &call, llvm::SmallVectorImpl<const tritium_argument *> &bound,
                 CompileError &error);
  Dispatch *findExact(const Call &call, llvm::SmallVectorImpl<const tritium_argument *> &bound,
                      CompileError &error);
  Dispatch *lookup(const Key &key);
  Dispatch *compile(const Call &call, const Key &key,
                    const llvm::SmallVectorImpl<ArgumentClass> &classes,
                    const llvm::SmallVectorImpl<const tritium_argument *> &bound,
                    CompileError &error);

  frontend::FunctionSource source;
  std::unique_ptr<Signature> names;
  CompileOptions options;

  std::atomic<Dispatch *> last{nullptr}; ///< what the previous launch used
  std::shared_mutex mutex;               ///< guards the two tables
  std::map<std::vector<uint64_t>, std::unique_ptr<Dispatch>> dispatches;
  /// Another thread may still read a dispatch through `last`: they go with the kernel.
  std::vector<std::unique_ptr<Dispatch>> retired;
  std::mutex compiling; ///< two launches of one kernel do not compile the same thing
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_KERNEL_H
