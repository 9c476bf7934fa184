//===- Variant.h - one compiled form of a kernel ----------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_VARIANT_H
#define TRITIUM_RUNTIME_VARIANT_H

#include "Backend.h"
#include "HeldConditions.h"
#include "Streaming.h"
#include "tritium/Pipeline/Compiler.h"
#include "tritium/tritium.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <set>

namespace tritium::runtime {

class Recorder;
class Variant;
using VariantRef = llvm::IntrusiveRefCntPtr<Variant>;

/// What a variant is compiled from: a function with a specialisation, or tile IR.
struct Recipe {
  std::optional<frontend::FunctionSource> source;
  std::vector<ArgumentSpec> arguments;
  std::string ttir, file = "ttir"; ///< a textual stage, and what errors in it call it
  CompileOptions options;
  /// Triton-C: the files that the text includes, path and content.
  std::vector<std::pair<std::string, std::string>> included;
  bool isRepeat = false; ///< the same kernel once more: its static_print stays silent
};

/// Compiles the recipe. `recorder`, if any, receives what it asked of the host.
std::unique_ptr<CompiledKernel> compile(const Recipe &recipe, Recorder *recorder,
                                        CompileError &error);

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

  /// Runs the kernel. Written memory that overlaps what another argument reaches is detected, and
  /// code for that case used. On failure fills `error`.
  bool launch(const Launch &launch, CompileError &error);

  /// The variant that fits a launch, this one or a sibling. Null with `error`.
  Variant *fitting(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                   CompileError &error);
  /// Whether the code may be launched on them. False with `error`.
  bool checkArguments(llvm::ArrayRef<BoundArgument> arguments, CompileError &error) const;

  /// Whether they keep what the code was compiled for. False with `error`.
  bool checkAlignment(llvm::ArrayRef<BoundArgument> arguments, CompileError &error) const;

  const KernelMetadata &metadata() const { return compiled->metadata; }
  const CompiledKernel &code() const { return *compiled; }
  /// CompiledKernel::handicap.
  const std::string &handicap() const { return compiled->handicap; }
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
  /// The places of copies without which the code would fit a launch that breaks conditions; none if
  /// more of it would not.
  std::set<std::string> copiesToRefuse(llvm::ArrayRef<BoundArgument> arguments,
                                       const uint32_t grid[3]) const;
  /// Code for launches that break conditions of this. Null with `error`.
  Variant *withoutBroken(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                         CompileError &error);
  /// A remark for each of `places` on what a launch breaks of what the copies there need; for none,
  /// one on what it breaks of all the code.
  std::vector<Remark> remarksOnBroken(const std::set<std::string> &places,
                                      llvm::ArrayRef<BoundArgument> arguments,
                                      const uint32_t grid[3]) const;
  /// Where that is kept; null if there is enough such code.
  VariantRef *slotWithout(const std::set<std::string> &copies);
  /// Why a launch has one of the tensor maps not; empty if it has all.
  std::string whyNoTensorMap(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3]) const;
  /// The same kernel with other options, compiled when it is first asked for.
  Variant *sibling(VariantRef &slot, llvm::function_ref<void(CompileOptions &)> change,
                   CompileError &error);
  bool prepare(CompileError &error);

  Recipe origin;
  std::shared_ptr<CompiledKernel> compiled;
  const Backend *backend = nullptr;
  std::shared_ptr<Executable> executable;
  std::string hash, dependencies;
  bool fromCache = false;
  double compileMilliseconds = 0;
  bool hasWrittenPointer = false;
  bool checksPromises = false; ///< of arguments, by each launch
  bool mustNotOverlap = false; ///< arguments that do take other code
  StreamingChoice streaming;
  HeldConditions conditions;

  std::mutex mutex; ///< guards what follows; nothing is compiled and no host called under it
  std::map<std::string, std::string> laterStages;
  std::array<std::string, 2> descriptions; ///< before and after the executable has learnt more
  std::array<std::string, 2> remarkTexts;
  VariantRef overlapping;      ///< the same for arguments that overlap
  VariantRef unconditional;    ///< the same for launches that break a condition
  VariantRef streamingVariant; ///< the same for large outputs
  /// The same without copies by TMA of which launches break what only those need.
  std::map<std::set<std::string>, VariantRef> withoutCopies;
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_VARIANT_H
