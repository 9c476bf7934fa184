//===- Variant.cpp - one compiled form of a kernel ------------------------===//

#include "Variant.h"
#include "DiskCache.h"
#include "Dump.h"
#include "Environment.h"
#include "Files.h"
#include "HostOutput.h"
#include "ScratchArena.h"
#include "Signature.h"
#include "ThreadPool.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/JSON.h"

#include <atomic>
#include <chrono>

using namespace tritium;
using namespace tritium::runtime;

//===-- Creation ----------------------------------------------------------===//

std::string tritium::runtime::fingerprint(const CompileOptions &options) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, std::string> known;
  std::lock_guard lock(mutex);
  std::string &text = known[{options.target, options.cpu}];
  if (text.empty())
    text = compilerFingerprint(options);
  return text;
}

/// What identifies the result before anything is compiled.
static std::string cacheKey(const Recipe &recipe) {
  Writer writer;
  writer.text(fingerprint(recipe.options));
  for (const std::string &variable : codeVariables())
    writer.text(variable);
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

static std::unique_ptr<CompiledKernel> compile(const Recipe &recipe, Recorder *recorder,
                                               CompileError &error) {
  if (!recipe.source)
    return compileTileIR(recipe.ttir, recipe.options, error);
  return compileKernel(recorder ? recorder->record(*recipe.source) : *recipe.source,
                       recipe.arguments, recipe.options, error);
}

VariantRef Variant::create(Recipe recipe, CompileError &error) {
  auto start = std::chrono::steady_clock::now();
  if (dumpWanted())
    recipe.options.keepStages = {"ttir", "llir", "asm"};
  VariantRef variant(new Variant);
  variant->hash = cacheKey(recipe);
  variant->origin = std::move(recipe);

  frontend::FunctionSource none;
  const frontend::FunctionSource &source = variant->origin.source ? *variant->origin.source : none;
  DiskCache cache(cacheDirectory());
  bool mayRead = !flag("TRITON_ALWAYS_COMPILE") && !overrideWanted();
  if (mayRead && (variant->compiled = cache.find(variant->hash, source, &variant->dependencies))) {
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
      cache.store(variant->hash, *variant->compiled, learnt);
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
  if (isSimulatedTarget(origin.options.target)) {
    simulated = simulator::Code::load(*compiled, simulator::architectureOf(origin.options.target),
                                      source, error);
    return simulated != nullptr;
  }
  if (isGPUTarget(origin.options.target)) {
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
  if (origin.options.target == "interpret")
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
  std::lock_guard lock(mutex);
  if (!slot) {
    Recipe recipe = origin;
    recipe.options.*option = true;
    recipe.isRepeat = true;
    slot = create(std::move(recipe), error);
  }
  return slot.get();
}

//===-- Launch ------------------------------------------------------------===//

bool tritium::runtime::checkGrid(const std::string &kernel, const uint32_t grid[3],
                                 CompileError &error) {
  unsigned __int128 programs = 1;
  for (int axis = 0; axis < 3; ++axis)
    programs *= grid[axis];
  if (programs > 0 && programs >> 62 == 0) [[likely]]
    return true;
  std::string text = "kernel '" + kernel + "': the grid (" + std::to_string(grid[0]) + ", " +
                     std::to_string(grid[1]) + ", " + std::to_string(grid[2]) + ")";
  error = launchError("GridError",
                      text + (programs == 0 ? " is empty; every dimension must be at least 1"
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
  TritiumCPUEntry entry;
  const uint64_t *slots;
  const uint32_t *grid;
  uint64_t scratchBytes;
  HostOutput *host;
  std::atomic<bool> outOfMemory{false};

  static void run(void *self, int64_t begin, int64_t end) {
    auto *launch = static_cast<NativeLaunch *>(self);
    void *scratch = nullptr;
    if (launch->scratchBytes && !(scratch = threadScratch(launch->scratchBytes))) {
      launch->outOfMemory = true;
      return;
    }
    launch->host->run(launch->entry, launch->slots, scratch, begin, end, launch->grid);
  }
};

} // namespace

/// Fills `error` if an assertion of the launch failed.
static bool reportFailedAssert(const HostOutput &output, const std::string &kernel,
                               CompileError &error) {
  const auto &failed = output.failedAssert();
  if (!failed)
    return false;
  error = launchError("DeviceAssertion",
                      "kernel '" + kernel + "': assertion failed in program (" +
                          std::to_string(failed->pid[0]) + ", " + std::to_string(failed->pid[1]) +
                          ", " + std::to_string(failed->pid[2]) + "): " + failed->message);
  error.file = failed->file;
  error.line = failed->line;
  error.rendered = failed->file + ":" + std::to_string(failed->line) + ": error: " + error.message;
  return true;
}

bool Variant::runNative(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                        CompileError &error) {
  llvm::SmallVector<uint64_t, 24> slots;
  for (const BoundArgument &argument : arguments)
    slots.push_back(argument.slot);
  HostOutput output;
  NativeLaunch launch{object->entry, slots.data(), grid, metadata().scratchBytes, &output, {}};
  int64_t programs = static_cast<int64_t>(grid[0]) * grid[1] * grid[2];
  if (programs == 1)
    NativeLaunch::run(&launch, 0, 1);
  else
    threadPool().run(programs, NativeLaunch::run, &launch);
  if (launch.outOfMemory) {
    error = launchError("OutOfMemory", "kernel '" + metadata().name + "': no memory for " +
                                           std::to_string(metadata().scratchBytes) +
                                           " bytes of scratch space a thread");
    return false;
  }
  return !reportFailedAssert(output, metadata().name, error);
}

bool Variant::runInterpreter(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                             CompileError &error) {
  HostOutput output;
  InterpreterOptions options;
  options.host = output.interpreterCalls();
  options.checkAsserts = origin.options.debug;
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
  std::string message = interpret(compiled->stages["ttir"], slots, grid, options);
  if (message.empty())
    return !reportFailedAssert(output, metadata().name, error);
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
  std::lock_guard lock(mutex);
  auto later = laterStages.find(name);
  if (later != laterStages.end())
    return &later->second;
  std::unique_ptr<CompiledKernel> again;
  bool isForGPU = isGPUTarget(origin.options.target);
  bool isLater = isForGPU ? name == "ttgir" || name == "llir"
                          : name == "llir" || name == "asm" || name == "obj";
  if (isLater) {
    Recipe recipe = origin;
    if (!isForGPU)
      recipe.options.target = "cpu";
    recipe.options.keepStages = {"ttgir", "llir", "asm"};
    if (!(again = compile(recipe, nullptr, error)))
      return nullptr;
    for (auto &[stageName, text] : again->stages)
      laterStages.emplace(stageName, std::move(text));
  }
  later = laterStages.find(name);
  if (later != laterStages.end())
    return &later->second;
  error = launchError(
      "OptionError",
      code && name == "cubin"
          ? "there is no cubin: no ptxas was found (TRITON_PTXAS_PATH, PATH); the driver assembles "
            "the PTX"
          : "no stage '" + name + "'; there are: " +
                (code       ? "ttir, ttgir, llir, ptx, cubin"
                 : isForGPU ? "ttir, ttgir, llir, ptx"
                            : "ttir, llir, asm, obj"));
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

const std::string &Variant::remarks(bool all) {
  std::lock_guard lock(mutex);
  std::string &text = remarkTexts[all];
  if (text.empty())
    for (const Remark &remark : compiled->remarks)
      if (all || remark.kind != "applied")
        text += remark.rendered;
  return text;
}

const std::string &Variant::describe() {
  std::lock_guard lock(mutex);
  // What the driver assembles it can describe once it has.
  bool mayChange = code && metadata().registers == 0 && code->usage().registers != 0;
  if (!description.empty() && !(mayChange && !isDriverDescribed))
    return description;
  isDriverDescribed = mayChange;
  llvm::json::Array parameters, remarks;
  for (const ParameterInfo &parameter : metadata().parameters)
    parameters.push_back(llvm::json::Object{{"name", parameter.name},
                                            {"type", parameter.type.signature()},
                                            {"read", parameter.isRead},
                                            {"written", parameter.isWritten}});
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
                         {"target", metadata().target},
                         {"cpu", metadata().cpu},
                         {"hash", hash},
                         {"parameters", std::move(parameters)},
                         {"scratch_bytes", static_cast<int64_t>(metadata().scratchBytes)},
                         {"debug", origin.options.debug},
                         {"options", std::move(options)},
                         {"remarks", std::move(remarks)},
                         {"printed", llvm::json::fixUTF8(compiled->printed)},
                         {"cached", fromCache},
                         {"compile_ms", compileMilliseconds}};
  if (isGPUTarget(origin.options.target)) {
    cuda::Usage usage = code ? code->usage() : cuda::Usage();
    bool assembled = metadata().registers != 0;
    all["num_warps"] = metadata().numWarps;
    all["num_ctas"] = metadata().numCtas;
    all["shared"] = static_cast<int64_t>(metadata().sharedBytes);
    all["n_regs"] = assembled ? metadata().registers : usage.registers;
    all["n_spills"] = (assembled ? metadata().spillBytes : usage.localBytes) / 4;
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(all));
  description = text;
  return description;
}
