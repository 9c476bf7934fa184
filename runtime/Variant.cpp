//===- Variant.cpp - one compiled form of a kernel ------------------------===//

#include "Variant.h"
#include "ClockTables.h"
#include "DiskCache.h"
#include "Dump.h"
#include "Files.h"
#include "GPUSlots.h"
#include "HostOutput.h"
#include "Signature.h"
#include "StageSeal.h"
#include "WorkClaim.h"

#include "tritium/Pipeline/LaterStages.h"
#include "tritium/Support/ForkGate.h"
#include "tritium/Support/Settings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <chrono>
#include <limits>

using namespace tritium;
using namespace tritium::runtime;

//===-- Creation ----------------------------------------------------------===//

std::string tritium::runtime::fingerprint(const CompileOptions &options) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  ForkSafeLock lock(mutex);
  std::string &text = known[options.target.str()];
  if (text.empty())
    text = compilerFingerprint(options);
  return text;
}

/// What identifies the result before anything is compiled.
static std::string cacheKey(const Recipe &recipe) {
  Writer writer;
  writer.text(fingerprint(recipe.options));
  writer.text(settings::describe(Setting::Code));
  write(writer, recipe.options);
  writer.number(recipe.arguments.size());
  for (const ArgumentSpec &argument : recipe.arguments)
    write(writer, argument);
  writer.text(recipe.ttir);
  writer.text(recipe.file);
  if (recipe.source)
    write(writer, *recipe.source);
  for (const auto &[path, text] : recipe.included) {
    writer.text(path);
    writer.text(text);
  }
  return hashText(writer.bytes);
}

/// Whether the included files are what the key says, also after they were read again.
static bool includesHold(const Recipe &recipe) {
  return llvm::all_of(recipe.included,
                      [](const auto &file) { return readFile(file.first) == file.second; });
}

/// Goes on from code that was written out. It cannot become code for other launches.
static std::unique_ptr<CompiledKernel> compileSealed(const Recipe &recipe, Sealed sealed,
                                                     CompileError &error) {
  const CompileOptions &options = recipe.options;
  std::string missing =
      options.mayAlias && !sealed.mayAlias ? "arguments that do not overlap"
      : options.isUnconditional && !sealed.isUnconditional &&
              !(sealed.metadata.conditions.empty() && sealed.metadata.tensorMaps.empty())
          ? "launches that keep its conditions"
          : "";
  if (missing.empty())
    return compileLaterStage(sealed.stage, recipe.ttir, std::move(sealed.metadata), options, error);
  error = launchError("ArgumentError", "kernel '" + sealed.metadata.name + "': its " +
                                           sealed.stage + " was compiled for " + missing +
                                           " only, and this launch is none; go on from tile IR "
                                           "(.ttir), of which each launch has what it needs");
  return nullptr;
}

std::unique_ptr<CompiledKernel> tritium::runtime::compile(const Recipe &recipe, Recorder *recorder,
                                                          CompileError &error) {
  std::unique_ptr<CompiledKernel> kernel;
  if (recipe.source)
    kernel = compileKernel(recorder ? recorder->record(*recipe.source) : *recipe.source,
                           recipe.arguments, recipe.options, error);
  else if (std::optional<Sealed> sealed = unseal(recipe.ttir))
    kernel = compileSealed(recipe, std::move(*sealed), error);
  else
    kernel = compileTileIR(recipe.ttir, recipe.file, recipe.options, error);
  if (kernel)
    seal(*kernel, recipe.options);
  return kernel;
}

VariantRef Variant::create(Recipe recipe, CompileError &error) {
  InsideForkGateToCompile inside;
  auto start = std::chrono::steady_clock::now();
  VariantRef variant(new Variant);
  // The name of a kernel's dumps and overrides does not depend on how much of it is kept.
  std::string key = variant->hash = cacheKey(recipe);
  if (dumpWanted()) {
    recipe.options.keepStages = {"ttgir", "plan", "llir", "asm"};
    key = cacheKey(recipe);
  }
  variant->checksPromises = recipe.options.keepsAsserts();
  variant->origin = std::move(recipe);

  frontend::FunctionSource none;
  const frontend::FunctionSource &source = variant->origin.source ? *variant->origin.source : none;
  DiskCache cache(settings::directory(settings::CacheDirectory));
  bool mayRead = !settings::AlwaysCompile.isOn() && !overrideWanted();
  if (mayRead && (variant->compiled = cache.find(key, source, &variant->dependencies))) {
    variant->fromCache = variant->prepare(error);
    if (!variant->fromCache) // an entry that does not load is as good as none
      variant->compiled = nullptr;
    else if (!variant->origin.isRepeat)
      printRemarks(variant->compiled->remarks);
  }
  if (!variant->compiled) {
    Recorder recorder;
    variant->compiled = compile(variant->origin, &recorder, error);
    if (!variant->compiled)
      return nullptr;
    std::vector<Dependency> learnt = recorder.dependencies();
    variant->dependencies = hashDependencies(learnt);
    if (!variant->compiled->printed.empty() && !variant->origin.isRepeat)
      printText(variant->compiled->printed);
    std::optional<Override> replacement;
    if (overrideWanted())
      replacement = findOverride(variant->hash, variant->compiled->metadata.name);
    if (replacement) {
      variant->compiled =
          compileTileIR(replacement->ttir, replacement->file, variant->origin.options, error);
      if (!variant->compiled)
        return nullptr;
    } else if (includesHold(variant->origin)) {
      cache.store(key, *variant->compiled, learnt);
    }
    if (!variant->prepare(error))
      return nullptr;
  }
  variant->compileMilliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (dumpWanted())
    dump(variant->hash, *variant->compiled, variant->describe());
  return variant;
}

/// Makes the compiled kernel callable.
bool Variant::prepare(CompileError &error) {
  const CompileOptions &options = origin.options;
  for (const ParameterInfo &parameter : metadata().parameters)
    hasWrittenPointer |= parameter.type.isPointer() && parameter.isWritten;
  backend = findBackend(options.target.kind());
  if (!backend) {
    error = launchError("InternalError", "kernel '" + metadata().name +
                                             "': nothing runs code for the target " +
                                             options.target.str());
    return false;
  }
  conditions.watch(metadata().conditions);
  mustNotOverlap = !options.mayAlias && backend->reliesOnDistinctArguments();
  if (!options.streamStores)
    streaming = StreamingChoice(metadata().parameters, streamingThreshold());
  const frontend::FunctionSource *source = origin.source ? &*origin.source : nullptr;
  executable = backend->load({*compiled, options, source}, error);
  if (executable && !compiled->clocks.parts.empty())
    ClockTables::ofProcess().add(compiled, executable);
  return executable != nullptr;
}

void tritium::runtime::bindArgument(const tritium_argument &argument, const DType &type,
                                    BoundArgument &result) {
  result.slot = argumentSlot(argument, type);
  if (argument.kind != TRITIUM_ARG_POINTER)
    return;
  // Memory of unknown extent overlaps everything.
  bool isKnown = argument.bytes != TRITIUM_UNKNOWN_EXTENT;
  result.begin = isKnown ? argument.begin : 0;
  result.end = isKnown ? argument.begin + argument.bytes : UINT64_MAX;
  result.allocationBegin = result.begin;
  result.allocationEnd = result.end;
  if (isKnown && argument.allocation_bytes) {
    uint64_t end = argument.allocation_begin + argument.allocation_bytes;
    result.allocationBegin = std::min(result.begin, argument.allocation_begin);
    result.allocationEnd = std::max(result.end, end);
  }
  result.isReadOnly = argument.read_only != 0;
  result.memory = argument.memory;
  result.device = argument.memory == TRITIUM_HOST_MEMORY ? -1 : argument.device;
}

//===-- Overlap -----------------------------------------------------------===//

bool Variant::mustAssumeOverlap(llvm::ArrayRef<BoundArgument> arguments) const {
  if (!mustNotOverlap)
    return false;
  // Code for GPUs takes pointers that it loads for what may lead anywhere.
  if (metadata().hasIndirectPointers && !origin.options.target.isGPU())
    return true;
  if (!hasWrittenPointer)
    return false;
  const std::vector<ParameterInfo> &parameters = metadata().parameters;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!parameters[i].isWritten || !parameters[i].type.isPointer())
      continue;
    for (size_t j = 0; j < arguments.size(); ++j)
      if (j != i && parameters[j].type.isPointer() && arguments[i].mayMeet(arguments[j]))
        return true;
  }
  return false;
}

bool Variant::holdsConditions(llvm::ArrayRef<BoundArgument> arguments,
                              const uint32_t grid[3]) const {
  llvm::SmallVector<uint64_t, 24> slots = slotsOf(arguments);
  std::array<uint32_t, 3> launched = gridOfParts(metadata(), grid);
  return conditions.broken(slots, launched.data()).none() &&
         llvm::all_of(metadata().tensorMaps, [&](const TensorMapParameter &map) {
           return valuesOf(map, slots, launched.data()).has_value();
         });
}

std::string Variant::whyNoTensorMap(llvm::ArrayRef<BoundArgument> arguments,
                                    const uint32_t grid[3]) const {
  llvm::SmallVector<uint64_t, 24> slots = slotsOf(arguments);
  std::array<uint32_t, 3> launched = gridOfParts(metadata(), grid);
  for (const TensorMapParameter &map : metadata().tensorMaps)
    if (std::string why; !valuesOf(map, slots, launched.data(), &why))
      return "the kernel copies boxes of the tensor at '" + metadata().parameters[map.base].name +
             "': " + why;
  return "";
}

Variant *Variant::fitting(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                          CompileError &error) {
  Variant *other = this;
  if (mustAssumeOverlap(arguments))
    other = sibling(overlapping, [](CompileOptions &x) { x.mayAlias = true; }, error);
  else if (streaming.isWorthwhile(arguments, grid))
    other = sibling(streamingVariant, [](CompileOptions &x) { x.streamStores = true; }, error);
  bool isForAll =
      !other || (other->metadata().conditions.empty() && other->metadata().tensorMaps.empty());
  if (isForAll || other->holdsConditions(arguments, grid))
    return other;
  Variant *found = other->withoutBroken(arguments, grid, error);
  // Of a kernel that is given with its copies there is no other code.
  if (std::string why; !found && !origin.source && !(why = whyNoTensorMap(arguments, grid)).empty())
    error = launchError("ArgumentError", "kernel '" + metadata().name + "': " + why);
  return found;
}

std::set<std::string> Variant::copiesToRefuse(llvm::ArrayRef<BoundArgument> arguments,
                                              const uint32_t grid[3]) const {
  llvm::SmallVector<uint64_t, 24> slots = slotsOf(arguments);
  std::array<uint32_t, 3> launched = gridOfParts(metadata(), grid);
  llvm::SmallBitVector broken = conditions.broken(slots, launched.data());
  llvm::SmallBitVector missing(metadata().tensorMaps.size());
  for (auto [number, map] : llvm::enumerate(metadata().tensorMaps))
    missing[number] = !valuesOf(map, slots, launched.data());
  std::set<std::string> places;
  llvm::SmallBitVector others = broken, othersMissing = missing;
  for (const CopyNeeds &copy : metadata().copies) {
    for (uint64_t number : copy.conditions)
      if (broken[number]) {
        places.insert(copy.place);
        others.reset(number);
      }
    for (uint64_t number : copy.tensorMaps)
      if (missing[number]) {
        places.insert(copy.place);
        othersMissing.reset(number);
      }
  }
  return others.any() || othersMissing.any() ? std::set<std::string>() : places;
}

VariantRef *Variant::slotWithout(const std::set<std::string> &copies) {
  constexpr size_t most = 4; // which shapes a kernel is launched with is not known
  ForkSafeLock lock(mutex);
  auto known = withoutCopies.find(copies);
  if (known != withoutCopies.end())
    return &known->second;
  return withoutCopies.size() < most ? &withoutCopies[copies] : nullptr;
}

Variant *Variant::withoutBroken(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                                CompileError &error) {
  auto isMissing = [&](const VariantRef &slot) {
    ForkSafeLock lock(mutex);
    return !slot;
  };
  std::set<std::string> refused;
  for (Variant *found = this;;) {
    if (found->holdsConditions(arguments, grid))
      return found;
    size_t before = refused.size();
    std::set<std::string> more = found->copiesToRefuse(arguments, grid);
    refused.insert(more.begin(), more.end());
    VariantRef *slot = refused.size() > before ? slotWithout(refused) : nullptr;
    if (!slot)
      break;
    if (isMissing(*slot))
      printRemarks(found->remarksOnBroken(more, arguments, grid));
    found = sibling(*slot, [&](CompileOptions &x) { x.refusedCopies = refused; }, error);
    if (!found)
      break; // code without any of them may do
  }
  if (isMissing(unconditional) && !metadata().tensorMaps.empty())
    printRemarks(remarksOnBroken({}, arguments, grid));
  return sibling(unconditional, [](CompileOptions &x) { x.isUnconditional = true; }, error);
}

Variant *Variant::sibling(VariantRef &slot, llvm::function_ref<void(CompileOptions &)> change,
                          CompileError &error) {
  auto known = [&] {
    ForkSafeLock lock(mutex);
    return slot.get();
  };
  if (Variant *found = known())
    return found;
  WorkClaim claim(&slot, "sibling");
  if (Variant *found = known())
    return found;
  Recipe recipe = origin;
  change(recipe.options);
  recipe.isRepeat = true;
  VariantRef made = create(std::move(recipe), error);
  ForkSafeLock lock(mutex);
  slot = std::move(made);
  return slot.get();
}

//===-- Launch ------------------------------------------------------------===//

bool tritium::runtime::checkGrid(const std::string &kernel, const uint32_t grid[3],
                                 CompileError &error) {
  constexpr uint32_t most = std::numeric_limits<int32_t>::max(); // program ids are i32
  unsigned __int128 programs = 1;
  bool fits = true;
  for (int axis = 0; axis < 3; ++axis) {
    programs *= grid[axis];
    fits &= grid[axis] <= most;
  }
  if (programs >> 62 == 0 && fits) [[likely]]
    return true;
  std::string text = "kernel '" + kernel + "': the grid (" + std::to_string(grid[0]) + ", " +
                     std::to_string(grid[1]) + ", " + std::to_string(grid[2]) + ")";
  error = launchError("GridError",
                      text + (fits ? " has more than 2^62 programs"
                                   : " has a dimension over 2147483647; let each program do more"));
  return false;
}

bool Variant::checkArguments(llvm::ArrayRef<BoundArgument> arguments, CompileError &error) const {
  const std::vector<ParameterInfo> &parameters = metadata().parameters;
  if (arguments.size() != parameters.size()) {
    error = launchError("ArgumentError", "kernel '" + metadata().name + "': this variant takes " +
                                             std::to_string(parameters.size()) +
                                             " run-time arguments, but got " +
                                             std::to_string(arguments.size()));
    return false;
  }
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].isReadOnly && parameters[i].isWritten) {
      error =
          launchError("ArgumentError", "kernel '" + metadata().name + "': the kernel writes to '" +
                                           parameters[i].name + "', but that array is read-only");
      return false;
    }
  return !checksPromises || checkAlignment(arguments, error);
}

/// A launch through the kernel picks code that its arguments fit. Code that was compiled
/// ahead may promise more than they hold.
bool Variant::checkAlignment(llvm::ArrayRef<BoundArgument> arguments, CompileError &error) const {
  size_t next = 0;
  for (const ArgumentSpec *promised : runTimeArguments(origin.arguments)) {
    if (next >= arguments.size())
      break;
    const ParameterInfo &parameter = metadata().parameters[next];
    uint64_t value = arguments[next++].slot;
    if (promised->divisibility <= 1 || value % static_cast<uint64_t>(promised->divisibility) == 0)
      continue;
    error = launchError("ArgumentError",
                        "kernel '" + metadata().name + "': it was compiled for a '" +
                            parameter.name + "' that " + std::to_string(promised->divisibility) +
                            " divides, but " + (parameter.type.isPointer() ? "the address" : "it") +
                            " is " + std::to_string(value));
    return false;
  }
  return true;
}

bool Variant::launch(const Launch &launch, CompileError &error) {
  if (!checkArguments(launch.arguments, error))
    return false;
  // A grid with a zero has no program; who asked for details gets those of no program.
  bool isEmpty = !launch.grid[0] || !launch.grid[1] || !launch.grid[2];
  if (isEmpty && !launch.details) [[unlikely]]
    return true;
  Variant *other = fitting(launch.arguments, launch.grid, error);
  return other && other->executable->launch(launch, error);
}
