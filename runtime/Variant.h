//===- Variant.h - one compiled form of a kernel ----------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_VARIANT_H
#define TRITIUM_RUNTIME_VARIANT_H

#include "BoundArgument.h"
#include "ObjectLoader.h"
#include "Streaming.h"
#include "cuda/Code.h"
#include "simulator/Code.h"
#include "tritium/Interpreter/Interpreter.h"
#include "tritium/Pipeline/Compiler.h"
#include "tritium/tritium.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"

#include <array>
#include <mutex>
#include <optional>

namespace tritium::runtime {

class Variant;
using VariantRef = llvm::IntrusiveRefCntPtr<Variant>;

/// What a variant is compiled from: a function with a specialisation, or tile IR.
struct Recipe {
  std::optional<frontend::FunctionSource> source;
  std::vector<ArgumentSpec> arguments;
  std::string ttir;
  CompileOptions options;
  /// Triton-C: the files that the text includes, path and content.
  std::vector<std::pair<std::string, std::string>> included;
  bool isRepeat = false; ///< the same kernel once more: its static_print stays silent
};

/// Prepares `argument` to be passed as a value of `type`; `result` is as constructed.
void bindArgument(const tritium_argument &argument, const DType &type, BoundArgument &result);

/// compilerFingerprint, which takes longer than all the rest of a hit in the cache; kept.
std::string fingerprint(const CompileOptions &options);

/// Whether `grid` can be launched: not empty, no dimension over 2^31-1, and its programs can be
/// counted.
bool checkGrid(const std::string &kernel, const uint32_t grid[3], CompileError &error);

class Variant : public llvm::ThreadSafeRefCountedBase<Variant> {
public:
  /// Finds the recipe's result in the cache on disk, or compiles it and puts it there.
  static VariantRef create(Recipe recipe, CompileError &error);

  /// Runs the kernel on `grid`. Written memory that overlaps what another argument
  /// reaches is detected, and code for that case used. `arguments`: one for each
  /// run-time parameter; `grid` has been checked. Code for a GPU is queued on `stream`, a
  /// CUstream of the arguments' device; host arrays are copied there and back. On failure
  /// fills `error`.
  bool launch(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3], CompileError &error,
              void *stream = nullptr);

  /// The same for code for a simulated GPU. `counters` receives what the kernel did.
  bool simulate(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                const simulator::Settings &settings, CompileError &error, sim::Counters *counters);

  const KernelMetadata &metadata() const { return compiled->metadata; }
  const Recipe &recipe() const { return origin; }
  /// Changes with what the names in the kernel's text stood for.
  const std::string &dependencyHash() const { return dependencies; }
  /// The text or bytes of a stage, compiled again if it was not kept. Null with `error`.
  const std::string *stage(const std::string &name, CompileError &error);
  /// What tritium_compiled_metadata answers.
  const std::string &describe();
  /// What tritium_compiled_remarks answers.
  const std::string &remarks(bool all);

private:
  Variant() = default;
  bool mustAssumeOverlap(llvm::ArrayRef<BoundArgument> arguments) const;
  bool holdsConditions(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3]) const;
  /// The variant that fits a launch, this one or a sibling. Null with `error`.
  Variant *fitting(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                   CompileError &error);
  /// The same kernel with other options, compiled when it is first asked for.
  Variant *sibling(VariantRef &slot, bool CompileOptions::*option, CompileError &error);
  bool prepare(CompileError &error);
  bool checkArguments(llvm::ArrayRef<BoundArgument> arguments, CompileError &error) const;
  bool checkAlignment(llvm::ArrayRef<BoundArgument> arguments, CompileError &error) const;
  bool runNative(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                 CompileError &error);
  bool runOnGPU(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3], void *stream,
                CompileError &error);
  bool runStaged(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                 CompileError &error);
  bool runInterpreter(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                      CompileError &error);

  Recipe origin;
  std::unique_ptr<CompiledKernel> compiled;
  std::shared_ptr<LoadedObject> object;       ///< code for the CPU
  std::unique_ptr<cuda::Code> code;           ///< code for GPUs
  std::unique_ptr<simulator::Code> simulated; ///< for simulated ones; none: the interpreter runs it
  std::string hash, dependencies;
  bool fromCache = false;
  double compileMilliseconds = 0;
  bool hasWrittenPointer = false;
  StreamingChoice streaming;

  std::mutex mutex; ///< guards what follows; nothing is compiled and no host called under it
  std::map<std::string, std::string> laterStages;
  std::array<std::string, 2> descriptions; ///< before and after the driver has described it
  std::array<std::string, 2> remarkTexts;
  VariantRef overlapping;      ///< the same for arguments that overlap
  VariantRef unconditional;    ///< the same for launches that break a condition
  VariantRef streamingVariant; ///< the same for large outputs
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_VARIANT_H
