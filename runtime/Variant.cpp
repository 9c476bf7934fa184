//===- Variant.cpp - one compiled form of a kernel ------------------------===//

#include "Variant.h"
#include "AssertRecord.h"
#include "DiskCache.h"
#include "Dump.h"
#include "Files.h"
#include "ForkGate.h"
#include "HostOutput.h"
#include "ScratchArena.h"
#include "Signature.h"
#include "StageSeal.h"
#include "ThreadPool.h"
#include "WorkClaim.h"
#include "ahead/CHeader.h"

#include "tritium/Pipeline/LaterStages.h"
#include "tritium/Support/Settings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/JSON.h"

#include <atomic>
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
      : options.isUnconditional && !sealed.isUnconditional && !sealed.metadata.conditions.empty()
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

static std::unique_ptr<CompiledKernel> compile(const Recipe &recipe, Recorder *recorder,
                                               CompileError &error) {
  std::unique_ptr<CompiledKernel> kernel;
  if (recipe.source)
    kernel = compileKernel(recorder ? recorder->record(*recipe.source) : *recipe.source,
                           recipe.arguments, recipe.options, error);
  else if (std::optional<Sealed> sealed = unseal(recipe.ttir))
    kernel = compileSealed(recipe, std::move(*sealed), error);
  else
    kernel = compileTileIR(recipe.ttir, recipe.options, error);
  if (kernel)
    seal(*kernel, recipe.options);
  return kernel;
}

VariantRef Variant::create(Recipe recipe, CompileError &error) {
  InsideForkGate inside;
  auto start = std::chrono::steady_clock::now();
  VariantRef variant(new Variant);
  // The name of a kernel's dumps and overrides does not depend on how much of it is kept.
  std::string key = variant->hash = cacheKey(recipe);
  if (dumpWanted()) {
    recipe.options.keepStages = {"ttgir", "llir", "asm"};
    key = cacheKey(recipe);
  }
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
    std::string replacement;
    if (overrideWanted() &&
        findOverride(variant->hash, variant->compiled->metadata.name, replacement)) {
      variant->compiled = compileTileIR(replacement, variant->origin.options, error);
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
  for (const ParameterInfo &parameter : metadata().parameters)
    hasWrittenPointer |= parameter.type.isPointer() && parameter.isWritten;
  const frontend::FunctionSource *source = origin.source ? &*origin.source : nullptr;
  const Target &target = origin.options.target;
  if (target.is(kSimulator)) {
    simulated = simulator::Code::load(*compiled, target.architecture(), source, error);
    return simulated != nullptr;
  }
  if (target.isGPU()) {
    auto isSet = [&](const char *option) {
      auto found = origin.options.extra.find(option);
      return found != origin.options.extra.end() && found->second.isSet();
    };
    cuda::LaunchSettings settings = {isSet("launch_cooperative_grid"), isSet("launch_pdl"),
                                     origin.options.debug};
    code = std::make_unique<cuda::Code>(*compiled, settings, source ? source->file : "",
                                        source ? source->firstLine : 0);
    return true;
  }
  auto bytes = compiled->stages.find("obj");
  if (target.is(kInterpreter))
    return true;
  std::string reason = "the compiler made no object code";
  if (bytes != compiled->stages.end())
    object = loadObject(bytes->second, metadata().entry, reason);
  if (object) {
    if (!origin.options.streamStores)
      streaming = StreamingChoice(metadata().parameters, streamingThreshold());
    return true;
  }
  error = launchError("InternalError",
                      "kernel '" + metadata().name + "': cannot load its code: " + reason);
  return false;
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
  result.device = argument.memory == TRITIUM_CUDA_MEMORY ? argument.device : -1;
}

//===-- Overlap -----------------------------------------------------------===//

bool Variant::mustAssumeOverlap(llvm::ArrayRef<BoundArgument> arguments) const {
  bool isForGPU = code || simulated;
  if (origin.options.mayAlias || (!object && !isForGPU))
    return false;
  // Code for GPUs takes pointers that it loads for what may lead anywhere.
  if (metadata().hasIndirectPointers && !isForGPU)
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
  llvm::SmallVector<uint64_t, 24> slots;
  for (const BoundArgument &argument : arguments)
    slots.push_back(argument.slot);
  return llvm::all_of(metadata().conditions, [&](const LaunchCondition &condition) {
    MaybeRange bounds = boundsOf(condition, {slots.data(), slots.size()}, grid);
    return bounds && bounds->low >= 1;
  });
}

Variant *Variant::fitting(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                          CompileError &error) {
  Variant *other = this;
  if (mustAssumeOverlap(arguments))
    other = sibling(overlapping, &CompileOptions::mayAlias, error);
  else if (object && streaming.isWorthwhile(arguments, grid))
    other = sibling(streamingVariant, &CompileOptions::streamStores, error);
  if (!other || other->metadata().conditions.empty() || other->holdsConditions(arguments, grid))
    return other;
  return other->sibling(other->unconditional, &CompileOptions::isUnconditional, error);
}

Variant *Variant::sibling(VariantRef &slot, bool CompileOptions::*option, CompileError &error) {
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
  recipe.options.*option = true;
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
  if (programs > 0 && programs >> 62 == 0 && fits) [[likely]]
    return true;
  std::string text = "kernel '" + kernel + "': the grid (" + std::to_string(grid[0]) + ", " +
                     std::to_string(grid[1]) + ", " + std::to_string(grid[2]) + ")";
  error = launchError("GridError",
                      text + (programs == 0 ? " is empty; every dimension must be at least 1"
                              : !fits ? " has a dimension over 2147483647; let each program do more"
                                      : " has more than 2^62 programs"));
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
  return !origin.options.debug || checkAlignment(arguments, error);
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

bool Variant::launch(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                     CompileError &error, void *stream) {
  if (simulated) {
    simulator::Settings settings;
    return simulator::Settings::fromEnvironment(settings, error) &&
           simulate(arguments, grid, settings, error, nullptr);
  }
  if (!checkArguments(arguments, error))
    return false;
  Variant *other = fitting(arguments, grid, error);
  if (!other)
    return false;
  if (other->code)
    return other->runOnGPU(arguments, grid, stream, error);
  return other->object ? other->runNative(arguments, grid, error)
                       : other->runInterpreter(arguments, grid, error);
}

namespace {

struct NativeLaunch {
  Interruptible work;
  TritiumCPUEntry entry;
  const uint64_t *slots;
  const uint32_t *grid;
  uint64_t scratchBytes;
  HostOutput host{work};
  std::atomic<bool> outOfMemory{false};

  void run(int64_t begin, int64_t end) {
    if (work.isStopped())
      return;
    if (scratchBytes == 0)
      return host.run(entry, slots, nullptr, begin, end, grid);
    ThreadScratch scratch(scratchBytes);
    if (scratch.memory())
      return host.run(entry, slots, scratch.memory(), begin, end, grid);
    outOfMemory = true;
    work.stop();
  }
  static void runPart(void *self, int64_t begin, int64_t end) {
    static_cast<NativeLaunch *>(self)->run(begin, end);
  }
};

} // namespace

static CompileError errorAt(const std::string &file, int line, CompileError error) {
  error.file = file;
  error.line = line;
  error.rendered = file + ":" + std::to_string(line) + ": error: " + error.message;
  return error;
}

/// Fills `error` if the launch did not end as it should: an assertion failed, its programs wait
/// for ever (`waiting` may be null), or it was interrupted.
static bool reportFailure(const HostOutput &output, const WaitingPrograms *waiting,
                          const Interruptible &work, const std::string &kernel,
                          CompileError &error) {
  if (const auto &failed = output.failedAssert()) {
    error = assertionError(kernel, failed->site, failed->failure);
    return true;
  }
  if (waiting && waiting->stuckAt()) {
    const WaitingPrograms::Stuck &stuck = *waiting->stuckAt();
    error = errorAt(stuck.file, stuck.line,
                    launchError("DeadlockError", "kernel '" + kernel + "': " + stuck.reason));
    return true;
  }
  if (work.isStopped())
    error = interruptedError(kernel);
  return work.isStopped();
}

bool Variant::runNative(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                        CompileError &error) {
  llvm::SmallVector<uint64_t, 24> slots;
  for (const BoundArgument &argument : arguments)
    slots.push_back(argument.slot);
  NativeLaunch launch{{}, object->entry, slots.data(), grid, metadata().scratchBytes};
  int64_t programs = static_cast<int64_t>(grid[0]) * grid[1] * grid[2];
  std::optional<WaitingPrograms> waiting;
  if (metadata().mayWait) [[unlikely]] {
    auto runner = [&](WaitingPrograms &all) {
      for (int64_t program; all.next(program);)
        launch.run(program, program + 1);
    };
    waiting.emplace(programs, threadPool().size(), runner, launch.work);
    launch.host.setWaiting(&*waiting);
    waiting->run();
  } else if (programs == 1) {
    launch.run(0, 1);
  } else {
    threadPool().run(programs, NativeLaunch::runPart, &launch, &launch.work);
  }
  if (launch.outOfMemory) {
    error = launchError("OutOfMemory", "kernel '" + metadata().name + "': no memory for " +
                                           std::to_string(metadata().scratchBytes) +
                                           " bytes of scratch space a thread");
    return false;
  }
  return !reportFailure(launch.host, waiting ? &*waiting : nullptr, launch.work, metadata().name,
                        error);
}

bool Variant::runInterpreter(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                             CompileError &error) {
  std::string message;
  std::shared_ptr<const interpreter::Program> program;
  {
    InsideForkGate inside;
    program = loadProgram(compiled->stages["ttir"], message);
  }
  Interruptible work;
  HostOutput output(work);
  InterpreterOptions options;
  options.host = output.interpreterCalls();
  std::vector<uint64_t> slots;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument &argument = arguments[i];
    slots.push_back(argument.slot);
    if (!metadata().parameters[i].type.isPointer())
      continue;
    if (argument.begin == 0 && argument.end == UINT64_MAX)
      options.checkBounds = false; // a bare address: nobody knows what lies behind it
    else
      options.buffers.push_back(
          {argument.begin, argument.end - argument.begin, !argument.isReadOnly});
  }
  // Memory behind pointers in memory belongs to no argument.
  if (metadata().hasIndirectPointers)
    options.checkBounds = false;
  // The programs run one after another, in order, unless one waits for a later one.
  std::mutex messageMutex;
  auto runner = [&](WaitingPrograms &all) {
    std::string fault = interpret(*program, slots, grid, options,
                                  [&](int64_t &number) { return all.next(number); });
    if (fault.empty())
      return;
    std::lock_guard lock(messageMutex);
    message = message.empty() ? fault : message;
    work.stop();
  };
  WaitingPrograms all(static_cast<int64_t>(grid[0]) * grid[1] * grid[2], 1, runner, work);
  output.setWaiting(&all);
  if (program)
    all.run();
  if (message.empty())
    return !reportFailure(output, &all, work, metadata().name, error);
  error = launchError("InterpreterError", message);
  if (message.find(metadata().name) == std::string::npos)
    error.rendered = "kernel '" + metadata().name + "': " + message;
  return false;
}

//===-- Description -------------------------------------------------------===//

const std::string *Variant::stage(const std::string &name, CompileError &error) {
  auto kept = compiled->stages.find(name);
  if (kept != compiled->stages.end())
    return &kept->second;
  auto findLater = [&]() -> const std::string * {
    ForkSafeLock lock(mutex);
    auto later = laterStages.find(name);
    return later == laterStages.end() ? nullptr : &later->second;
  };
  if (const std::string *text = findLater())
    return text;
  bool isForGPU = origin.options.target.isGPU();
  if (name == "header" && !origin.options.target.is(kInterpreter)) {
    std::string text = cHeader(metadata(), origin.options);
    ForkSafeLock lock(mutex);
    return &laterStages.emplace(name, std::move(text)).first->second;
  }
  bool isLater = isForGPU ? name == "ttgir" || name == "llir"
                          : name == "llir" || name == "asm" || name == "obj";
  if (isLater) {
    WorkClaim claim(&laterStages, "stages");
    if (const std::string *text = findLater())
      return text;
    InsideForkGate inside;
    Recipe recipe = origin;
    if (!isForGPU)
      recipe.options.target = recipe.options.target.withKind(kCPU);
    recipe.options.keepStages = {"ttgir", "llir", "asm"};
    std::unique_ptr<CompiledKernel> again = compile(recipe, nullptr, error);
    if (!again)
      return nullptr;
    ForkSafeLock lock(mutex);
    for (auto &[stageName, text] : again->stages)
      laterStages.emplace(stageName, std::move(text));
  }
  if (const std::string *text = findLater())
    return text;
  error = launchError(
      "OptionError",
      code && name == "cubin"
          ? "there is no cubin: no ptxas was found (TRITON_PTXAS_PATH, PATH); the driver assembles "
            "the PTX"
          : "no stage '" + name + "'; there are: " +
                (code       ? "ttir, ttgir, llir, ptx, cubin, header"
                 : isForGPU ? "ttir, ttgir, llir, ptx, header"
                            : "ttir, llir, asm, obj, header"));
  return nullptr;
}

static llvm::json::Value toJSON(const Constant &constant) {
  if (constant.isNone())
    return nullptr;
  if (const bool *flag = std::get_if<bool>(&constant.value))
    return *flag;
  if (auto *integer = std::get_if<Constant::Int>(&constant.value))
    if (*integer == static_cast<int64_t>(*integer))
      return static_cast<int64_t>(*integer);
  if (auto *string = std::get_if<std::string>(&constant.value))
    return *string;
  return constant.repr();
}

static llvm::json::Object toJSON(const LaunchRule &rule, const KernelMetadata &metadata) {
  static const char *const kinds[] = {"grid_not_empty", "grid_in_limits", "multiple",
                                      "at_least_one",   "does_not_wrap",  "no_overlap"};
  llvm::json::Object object{{"kind", kinds[rule.kind]}, {"text", rule.text}};
  auto name = [&](size_t parameter) { return metadata.parameters[parameter].name; };
  switch (rule.kind) {
  case LaunchRule::GridIsNotEmpty:
    break;
  case LaunchRule::GridIsInLimits: {
    GridLimits limits = gridLimits(metadata);
    object["limits"] = llvm::json::Array(limits.dimension);
    break;
  }
  case LaunchRule::IsMultiple:
    object["parameter"] = name(rule.parameter);
    object["divisor"] = rule.divisor;
    break;
  case LaunchRule::IsAtLeastOne:
  case LaunchRule::DoesNotWrap: {
    // As in the attribute tt.conditions.
    llvm::json::Array steps;
    for (const ScalarStep &step : *rule.condition) {
      steps.push_back(step.kind | step.bits << 8);
      steps.push_back(step.value);
    }
    object["steps"] = std::move(steps);
    break;
  }
  case LaunchRule::DoNotOverlap:
    object["parameters"] = llvm::json::Array{name(rule.parameter), name(rule.other)};
    break;
  }
  return object;
}

const std::string &Variant::remarks(bool all) {
  ForkSafeLock lock(mutex);
  std::string &text = remarkTexts[all];
  if (text.empty())
    for (const Remark &remark : compiled->remarks)
      if (all || remark.kind != "applied")
        text += remark.rendered;
  return text;
}

const std::string &Variant::describe() {
  ForkSafeLock lock(mutex);
  // What the driver assembles it can describe once it has.
  bool isDriverDescribed = code && metadata().registers == 0 && code->usage().registers != 0;
  std::string &text = descriptions[isDriverDescribed];
  if (!text.empty())
    return text;
  llvm::json::Array parameters, remarks;
  for (const ParameterInfo &parameter : metadata().parameters)
    parameters.push_back(llvm::json::Object{{"name", parameter.name},
                                            {"type", parameter.type.signature()},
                                            {"read", parameter.isRead},
                                            {"written", parameter.isWritten},
                                            {"divisibility", parameter.divisibility}});
  llvm::json::Array rules;
  for (const LaunchRule &rule : launchRules(metadata(), origin.options.mayAlias))
    rules.push_back(toJSON(rule, metadata()));
  for (const Remark &remark : compiled->remarks) {
    llvm::json::Object values;
    for (const auto &[name, value] : remark.arguments)
      values[name] = value;
    remarks.push_back(llvm::json::Object{{"pass", remark.pass},
                                         {"kind", remark.kind},
                                         {"message", llvm::json::fixUTF8(remark.message)},
                                         {"file", llvm::json::fixUTF8(remark.file)},
                                         {"line", remark.line},
                                         {"column", remark.column},
                                         {"arguments", std::move(values)},
                                         {"rendered", llvm::json::fixUTF8(remark.rendered)}});
  }
  llvm::json::Object options;
  for (const auto &[name, value] : origin.options.extra)
    options[name] = toJSON(value);
  llvm::json::Object all{{"name", metadata().name},
                         {"entry", metadata().entry},
                         {"target", metadata().target.platform()},
                         {"cpu", metadata().cpu},
                         {"hash", hash},
                         {"parameters", std::move(parameters)},
                         {"launch_rules", std::move(rules)},
                         {"scratch_bytes", static_cast<int64_t>(metadata().scratchBytes)},
                         {"debug", origin.options.debug},
                         {"options", std::move(options)},
                         {"remarks", std::move(remarks)},
                         {"printed", llvm::json::fixUTF8(compiled->printed)},
                         {"cached", fromCache},
                         {"compile_ms", compileMilliseconds}};
  if (origin.options.target.isGPU()) {
    cuda::Usage usage = code ? code->usage() : cuda::Usage();
    bool assembled = metadata().registers != 0;
    all["num_warps"] = metadata().numWarps;
    all["num_ctas"] = metadata().numCtas;
    all["shared"] = static_cast<int64_t>(metadata().sharedBytes);
    all["n_regs"] = assembled ? metadata().registers : usage.registers;
    all["n_spills"] = (assembled ? metadata().spillBytes : usage.localBytes) / 4;
  }
  std::string written;
  llvm::raw_string_ostream(written) << llvm::json::Value(std::move(all));
  text = std::move(written);
  return text;
}
