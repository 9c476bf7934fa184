//===- Kernel.cpp - a kernel's text and its compiled variants -------------===//

#include "Kernel.h"
#include "Debugger.h"
#include "Serialization.h"
#include "WorkClaim.h"

#include "tritium/Support/ForkGate.h"
#include "tritium/Support/Settings.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/xxhash.h"

#include <array>
#include <cstring>

using namespace tritium;
using namespace tritium::runtime;

/// Makes `options` those of code for a GPU.
static void aimAt(const Target &target, CompileOptions &options) {
  options.target = target;
  options.mayAlias = options.isUnconditional = false;
}

llvm::IntrusiveRefCntPtr<Kernel> Kernel::create(frontend::FunctionSource source,
                                                const tritium_kernel_config *config,
                                                CompileError &error) {
  InsideForkGate inside;
  std::optional<KernelSignature> signature = readSignature(source, error);
  if (!signature)
    return nullptr;
  llvm::IntrusiveRefCntPtr<Kernel> kernel(new Kernel);
  kernel->source = std::move(source);
  if (kernel->source.name.empty())
    kernel->source.name = signature->name;
  kernel->declared = *signature;
  // A constant table is one more parameter, which the host fills.
  for (const ConstantTable &table : kernel->declared.tables) {
    KernelParameter parameter;
    parameter.name = table.name;
    parameter.type = table.element;
    ++parameter.type->pointerDepth;
    signature->parameters.push_back(std::move(parameter));
  }
  kernel->names = std::make_unique<Signature>(*signature, config);

  return kernel->chooseTarget(config, error) ? kernel : nullptr;
}

bool Kernel::chooseTarget(const tritium_kernel_config *config, CompileError &error) {
  int interpret = config ? config->interpret : 0;
  std::string name = settings::Backend.text();
  Target named;
  if (interpret <= 0 && !name.empty()) {
    forced = backendNamed(name, named, error);
    if (!forced)
      return false;
    // "Not interpreted" leaves only a choice of the host.
    if (interpret < 0 && (forced->kind.isModel || forced->hasDevices()))
      forced = nullptr;
  }
  if (interpret > 0 || (interpret == 0 && name.empty() && settings::Interpret.isOn()))
    forced = findBackend(kInterpreter);
  int debug = config ? config->debug : 0;
  std::string cpu = config && config->cpu ? config->cpu : settings::CPU.text();
  options.target = Target::cpu(cpu.empty() ? settings::CPU.usual : cpu);
  options.debug = debug ? debug > 0 : settings::Debug.isOn();
  options.mayAlias = false;
  if (!forced || forced->hasDevices())
    return true;
  if (forced->kind.isGPU)
    aimAt(named, options);
  else
    options.target = options.target.withKind(forced->kind);
  if (isInterpreted() && HostDebugger::ofProcess().isForAll())
    options.extra["debug_lines"] = Constant{true};
  return true;
}

bool Kernel::findDevice(const Call &call, llvm::ArrayRef<ArgumentClass> classes,
                        llvm::ArrayRef<const tritium_argument *> bound, DeviceMemory *&device,
                        CompileError &error) const {
  constexpr size_t none = SIZE_MAX;
  size_t onGPU = none, onHost = none;
  auto place = [&](size_t i) {
    return "'" + names->parameters()[classes[i].parameter].name + "' is " +
           (bound[i]->memory == TRITIUM_HOST_MEMORY
                ? std::string("in host memory")
                : "on the GPU " + std::to_string(bound[i]->device));
  };
  auto refuse = [&](const std::string &reason) {
    error = launchError("ArgumentError", "kernel '" + source.name + "': " + reason);
    return false;
  };
  for (size_t i = 0; i < bound.size(); ++i) {
    if (bound[i]->kind != TRITIUM_ARG_POINTER)
      continue;
    if (bound[i]->memory == TRITIUM_HOST_MEMORY) {
      if (bound[i]->bits)
        onHost = i;
    } else if (onGPU == none) {
      onGPU = i;
    } else if (bound[i]->device != bound[onGPU]->device ||
               bound[i]->memory != bound[onGPU]->memory) {
      return refuse("argument " + place(onGPU) + ", but " + place(i) +
                    "; the arrays of a launch must be on one GPU");
    }
  }
  if (onGPU == none) {
    if (!forced || !forced->hasDevices() || call.target)
      return true;
    device = forced->device(forced->currentDevice(), source.name, error);
    return device != nullptr;
  }
  if (call.target)
    return refuse("argument " + place(onGPU) + ", but launches on " + call.target->str() +
                  " work on host memory; copy it to the host");
  if (forced && !forced->hasDevices())
    return refuse("argument " + place(onGPU) +
                  ", but TRITIUM_BACKEND or TRITON_INTERPRET says that kernels run on the host; "
                  "copy it to the host, or unset the variable");
  device = deviceAt(bound[onGPU]->memory, bound[onGPU]->device, source.name, error);
  if (!device)
    return false;
  if (onHost != none && !device->reaches(bound[onHost]->bits))
    return refuse("argument " + place(onHost) + ", but " + place(onGPU) +
                  "; copy it to the GPU, or pin it");
  return true;
}

/// Appends the words of an option: its name, then its value.
static void appendOption(Key &key, const tritium_option &option) {
  auto appendBytes = [&](const char *data, size_t size) {
    size_t at = key.size() + 1;
    key.push_back(size);
    key.resize(at + (size + 7) / 8, 0);
    std::memcpy(key.data() + at, data, size);
  };
  appendBytes(option.name, std::strlen(option.name));
  const tritium_value &value = option.value;
  if (value.kind == TRITIUM_INT && value.as.integer.high == 0) {
    key.push_back(value.as.integer.low);
    return;
  }
  Writer writer;
  writer.constant(toConstant(value));
  key.push_back(~uint64_t(0));
  appendBytes(writer.bytes.data(), writer.bytes.size());
}

size_t KeyHash::operator()(llvm::ArrayRef<uint64_t> words) const {
  return llvm::xxh3_64bits(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(words.data()), words.size() * 8));
}

Kernel::Dispatch *Kernel::lookup(const Key &key) {
  InsideForkGate inside;
  std::shared_lock lock(mutex);
  auto found = dispatches.find(llvm::ArrayRef<uint64_t>(key));
  return found == dispatches.end() ? nullptr : found->second.get();
}

Kernel::Dispatch *Kernel::recognize(const Call &call) const {
  if (call.target)
    return nullptr;
  for (const std::atomic<Dispatch *> &slot : recent) {
    Dispatch *dispatch = slot.load(std::memory_order_acquire);
    if (!dispatch || !dispatch->pattern)
      continue;
    int ordinal = -1;
    if (!dispatch->pattern->fits(call.arguments, call.count, call.options, call.optionCount,
                                 ordinal))
      continue;
    CompileError ignored;
    DeviceMemory *device =
        ordinal < 0 ? nullptr
                    : deviceAt(dispatch->pattern->memory(), ordinal, source.name, ignored);
    if (dispatch->architecture == (device ? device->target().architecture() : 0)) [[likely]]
      return dispatch;
  }
  return nullptr;
}

void Kernel::remember(Dispatch *dispatch) {
  unsigned at = oldest.fetch_add(1, std::memory_order_relaxed) % recent.size();
  recent[at].store(dispatch, std::memory_order_release);
}

/// A call with its keywords gathered for the kernel's `**` parameter.
namespace {
struct KeywordCall {
  std::vector<tritium_argument> arguments;
  std::vector<tritium_option> options;
  std::vector<std::array<tritium_value, 2>> pairs;
  std::vector<tritium_value> entries;
  tritium_value dict = {};

  KeywordCall(const Kernel::Call &call, size_t parameters)
      : arguments(call.arguments, call.arguments + call.count) {
    arguments.resize(parameters);
    for (size_t i = 0; i < call.optionCount; ++i) {
      const tritium_option &option = call.options[i];
      if (Signature::isOption(option.name)) {
        options.push_back(option);
        continue;
      }
      tritium_value name = {};
      name.kind = TRITIUM_STRING;
      name.as.string = {option.name, std::strlen(option.name)};
      pairs.push_back({name, option.value});
    }
    for (const auto &pair : pairs) {
      tritium_value entry = {};
      entry.kind = TRITIUM_TUPLE;
      entry.as.tuple = {pair.data(), 2};
      entries.push_back(entry);
    }
    dict.kind = TRITIUM_TUPLE;
    dict.as.tuple = {entries.data(), entries.size()};
    arguments.back() = {};
    arguments.back().kind = TRITIUM_ARG_VALUE;
    arguments.back().value = &dict;
  }
};
} // namespace

Kernel::Dispatch *Kernel::find(const Call &call,
                               llvm::SmallVectorImpl<const tritium_argument *> &bound,
                               CompileError &error) {
  if (!names->takesKeywords()) [[likely]]
    return findExact(call, bound, error);
  size_t parameters = names->parameters().size();
  if (call.count > parameters ||
      (call.count == parameters && call.arguments[parameters - 1].kind != TRITIUM_ARG_ABSENT)) {
    error = launchError("ArgumentError", "kernel '" + source.name + "' takes " +
                                             std::to_string(parameters - 1) +
                                             " arguments by position, but got more");
    return nullptr;
  }
  KeywordCall gathered(call, parameters);
  Dispatch *found = findExact({gathered.arguments.data(), parameters, gathered.options.data(),
                               gathered.options.size(), call.stream, call.target, call.details},
                              bound, error);
  // The gathered copies end here; run-time arguments are those of the caller.
  for (const tritium_argument *&argument : bound)
    for (size_t i = 0; i < call.count; ++i)
      if (argument == &gathered.arguments[i])
        argument = &call.arguments[i];
  return found;
}

Kernel::Dispatch *Kernel::findExact(const Call &call,
                                    llvm::SmallVectorImpl<const tritium_argument *> &bound,
                                    CompileError &error) {
  Key key;
  llvm::SmallVector<ArgumentClass, 16> classes;
  if (!names->classify(call.arguments, call.count, classes, bound, key, error)) {
    // A misspelt keyword explains a missing argument.
    CompileOptions ignored;
    names->applyOptions(call.options, call.optionCount, ignored, error);
    return nullptr;
  }
  DeviceMemory *device = nullptr;
  if (!findDevice(call, classes, bound, device, error))
    return nullptr;
  const Target *aimed = device ? &device->target() : call.target;
  key.push_back(aimed ? reinterpret_cast<uintptr_t>(&aimed->kind()) : 0);
  key.push_back(aimed ? aimed->architecture() : 0);
  for (size_t i = 0; i < call.optionCount; ++i)
    appendOption(key, call.options[i]);
  for (const std::atomic<Dispatch *> &slot : recent)
    if (Dispatch *known = slot.load(std::memory_order_acquire); known && known->key == key)
      return known;
  Dispatch *found = lookup(key);
  if (!found)
    found = compileOnce(call, key, classes, bound, device, error);
  if (found)
    remember(found);
  return found;
}

Kernel::Dispatch *Kernel::compileOnce(const Call &call, const Key &key,
                                      const llvm::SmallVectorImpl<ArgumentClass> &classes,
                                      const llvm::SmallVectorImpl<const tritium_argument *> &bound,
                                      const DeviceMemory *device, CompileError &error) {
  WorkClaim claim(this, {reinterpret_cast<const char *>(key.data()), key.size_in_bytes()});
  if (Dispatch *found = lookup(key))
    return found;
  return compile(call, key, classes, bound, device, error);
}

Kernel::Dispatch *Kernel::compile(const Call &call, const Key &key,
                                  const llvm::SmallVectorImpl<ArgumentClass> &classes,
                                  const llvm::SmallVectorImpl<const tritium_argument *> &bound,
                                  const DeviceMemory *device, CompileError &error) {
  Recipe recipe;
  recipe.options = options;
  if (!names->applyOptions(call.options, call.optionCount, recipe.options, error))
    return nullptr;
  if (call.target) {
    aimAt(*call.target, recipe.options);
  } else if (device) {
    aimAt(device->target(), recipe.options);
    device->refine(recipe.options);
  }
  auto dispatch = std::make_unique<Dispatch>();
  dispatch->key = key;
  dispatch->architecture = device ? device->target().architecture() : 0;
  if (!call.target)
    dispatch->pattern = CallPattern::of(*names, call.arguments, call.count, call.options,
                                        call.optionCount, classes, bound);
  // A call with no array runs where the environment says.
  if (dispatch->pattern && dispatch->pattern->isOnDevice() != (device != nullptr))
    dispatch->pattern.reset();
  for (unsigned i = 0; i < classes.size(); ++i)
    if (!classes[i].isConstexpr && !classes[i].items)
      dispatch->runTime.emplace_back(i, classes[i].type);
  llvm::ArrayRef<ArgumentClass> nextClass = classes;
  llvm::ArrayRef<const tritium_argument *> nextArgument = bound;
  while (!nextClass.empty())
    recipe.arguments.push_back(Signature::spec(nextClass, nextArgument));
  recipe.source = source;
  recipe.included = declared.includedFiles;
  dispatch->variant = Variant::create(std::move(recipe), error);
  if (!dispatch->variant)
    return nullptr;
  if (dispatch->variant->metadata().parameters.size() != dispatch->runTime.size()) {
    error = launchError("InternalError", "kernel '" + source.name +
                                             "': the compiled code takes another number of "
                                             "arguments than its signature has");
    return nullptr;
  }
  ForkSafeLock lock(mutex);
  auto &slot = dispatches[std::vector<uint64_t>(key.begin(), key.end())];
  slot = std::move(dispatch);
  return slot.get();
}

Kernel::Dispatch *Kernel::bind(const Call &call, llvm::SmallVectorImpl<BoundArgument> &arguments,
                               CompileError &error) {
  if (Dispatch *dispatch = recognize(call)) [[likely]] {
    for (auto [index, type] : dispatch->runTime)
      bindArgument(dispatch->pattern->argument(call.arguments, index), type,
                   arguments.emplace_back());
    return dispatch;
  }
  llvm::SmallVector<const tritium_argument *, 16> bound;
  Dispatch *dispatch = find(call, bound, error);
  if (dispatch)
    for (auto [index, type] : dispatch->runTime)
      bindArgument(*bound[index], type, arguments.emplace_back());
  return dispatch;
}

bool Kernel::launch(const Call &call, const uint32_t grid[3], Variant *&used, CompileError &error) {
  if (!checkGrid(source.name, grid, error))
    return false;
  llvm::SmallVector<BoundArgument, 12> arguments;
  Dispatch *dispatch = bind(call, arguments, error);
  if (!dispatch)
    return false;
  used = dispatch->variant.get();
  return dispatch->variant->launch({arguments, grid, call.stream, call.details}, error);
}

bool Kernel::prepare(const Call &call, Prepared &prepared, CompileError &error) {
  Dispatch *dispatch = bind(call, prepared.arguments, error);
  if (!dispatch)
    return false;
  prepared.variant = dispatch->variant;
  return true;
}

std::string Kernel::identity() const {
  Writer writer;
  writer.text(source.name);
  // Decorators are not part of it: the list of configurations is one.
  llvm::StringRef text = source.text;
  size_t definition = text.starts_with("def ") ? 0 : text.find("\ndef ") + 1;
  writer.text(source.language == frontend::Language::Python ? text.substr(definition) : text);
  writer.text(options.target.str());
  writer.text(fingerprint(options));
  writer.number(options.debug);
  return std::move(writer.bytes);
}

VariantRef Kernel::variantFor(const Call &call, CompileError &error) {
  llvm::SmallVector<const tritium_argument *, 16> bound;
  Dispatch *dispatch = find(call, bound, error);
  return dispatch ? dispatch->variant : nullptr;
}

VariantRef Kernel::specialize(std::vector<ArgumentSpec> arguments,
                              const tritium_option *launchOptions, size_t optionCount,
                              const std::optional<Target> &target, CompileError &error) {
  size_t expected = names->parameters().size();
  if (arguments.size() != expected) {
    error =
        launchError("ArgumentError",
                    "kernel '" + source.name + "' has " + std::to_string(expected) +
                        " parameters, but the signature has " + std::to_string(arguments.size()));
    return nullptr;
  }
  Recipe recipe;
  recipe.options = options;
  recipe.options.mayAlias = true;
  if (target && target->isGPU())
    aimAt(*target, recipe.options);
  else if (target) // what the environment has run by the interpreter goes on to be
    recipe.options.target =
        options.target.is(kInterpreter) ? target->withKind(kInterpreter) : *target;
  if (!names->applyOptions(launchOptions, optionCount, recipe.options, error))
    return nullptr;
  recipe.arguments = std::move(arguments);
  recipe.source = source;
  recipe.included = declared.includedFiles;
  return Variant::create(std::move(recipe), error);
}

void Kernel::invalidate() {
  ForkSafeLock lock(mutex);
  for (std::atomic<Dispatch *> &slot : recent)
    slot.store(nullptr, std::memory_order_release);
  for (auto &[key, dispatch] : dispatches)
    retired.push_back(std::move(dispatch));
  dispatches.clear();
}
