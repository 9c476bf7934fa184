//===- Program.cpp - a Triton-C kernel with its definitions ---------------===//

#include "Program.h"
#include "Conversion.h"
#include "Serialization.h"
#include "WorkClaim.h"

#include "tritium/Support/ForkGate.h"
#include "tritium/Support/Settings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <bit>

using namespace tritium;
using namespace tritium::runtime;

/// The variables that decide how kernels run: kernels made under others do not count.
static std::string chosenSettings() {
  return settings::describe(Setting::Kernel) + settings::describe(Setting::Code);
}

static bool isIntegerType(const DType &type) {
  return !type.isPointer() && type.kind >= DTypeKind::Int8 && type.kind <= DTypeKind::UInt64;
}

//===-- Creation ----------------------------------------------------------===//

llvm::IntrusiveRefCntPtr<Program>
Program::create(ProgramSource source, const tritium_kernel_config *config, CompileError &error) {
  llvm::IntrusiveRefCntPtr<Program> program(new Program);
  if (config) {
    program->config = *config;
    program->cpu = config->cpu ? config->cpu : "";
    program->config.cpu = config->cpu ? program->cpu.c_str() : nullptr;
  }
  program->source = std::move(source);
  std::string message;
  auto choices = enumerate(program->source.space, message);
  if (!choices) {
    error = launchError("OptionError", message);
    return nullptr;
  }
  program->all = std::move(*choices);
  if (!program->addTunables(error))
    return nullptr;
  const KernelSignature &declared = program->declaration();
  for (const std::string &name : program->source.key)
    if (llvm::none_of(declared.parameters, [&](const auto &p) { return p.name == name; })) {
      std::set<std::string> names;
      for (const KernelParameter &parameter : declared.parameters)
        names.insert(parameter.name);
      std::string nearest = nearestName(name, names);
      error = launchError("OptionError",
                          "kernel '" + declared.name + "': the key names '" + name +
                              "', which is no parameter of it" +
                              (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
      return nullptr;
    }
  return program;
}

/// Finds a choice that can be read, and what the text itself leaves to tuning.
bool Program::addTunables(CompileError &error) {
  std::vector<std::pair<std::string, CompileError>> failures;
  for (size_t i = 0; i < all.size() && !first; ++i) {
    CompileError failure;
    first = kernelFor(i, failure);
    if (!first)
      failures.emplace_back(all[i].label, std::move(failure));
  }
  if (!first) {
    error = everyReason(source.name.empty() ? source.file : source.name, failures);
    return false;
  }
  std::set<std::string> known = identifiersIn(source.text);
  for (const auto &[path, text] : declaration().includedFiles)
    known.merge(identifiersIn(text));
  for (const std::string &name : declaration().usedDefines)
    known.insert(name);
  std::set<std::string> given;
  for (const Choice &choice : all)
    for (const auto &[name, text] : choice.defines)
      given.insert(name);
  bool isExtended = false;
  for (const TunableConstant &tunable : declaration().tunables) {
    if (given.count(tunable.name))
      continue;
    if (tunable.values.empty()) {
      error = launchError("OptionError", "kernel '" + declaration().name + "': '" + tunable.name +
                                             "' is tunable without values; define it");
      return false;
    }
    Alternatives alternatives{tunable.name, {}};
    for (int64_t value : tunable.values)
      alternatives.values.push_back(std::to_string(value));
    source.space.defines.push_back(std::move(alternatives));
    isExtended = true;
  }
  for (const std::string &name : given)
    if (!known.count(name))
      unused.insert(name);
  if (!unused.empty())
    unusedWarning = describeUnused(*unused.begin());
  if (!isExtended)
    return true;
  std::string message;
  auto choices = enumerate(source.space, message);
  if (!choices) {
    error = launchError("OptionError", message);
    return false;
  }
  all = std::move(*choices);
  return true;
}

Program::KernelRef Program::kernelFor(size_t choice, CompileError &error) {
  std::string key = chosenSettings();
  for (const auto &[name, text] : all[choice].defines)
    key += name + '\0' + text + '\0';
  {
    ForkSafeLock lock(mutex);
    auto known = kernels.find(key);
    if (known != kernels.end())
      return known->second;
  }
  frontend::FunctionSource function;
  function.language = frontend::Language::TritonC;
  function.name = source.name;
  function.file = source.file;
  function.text = source.text;
  function.defines = all[choice].defines;
  function.includePaths = source.includePaths;
  KernelRef made = Kernel::create(std::move(function), &config, error);
  if (!made)
    return nullptr;
  ForkSafeLock lock(mutex);
  return kernels.try_emplace(key, made).first->second;
}

//===-- One call ----------------------------------------------------------===//

/// The call's arguments as the kernel of `choice` declares them, its tables and options.
bool Program::convert(const Kernel &kernel, const Call &call, size_t choice, Converted &result,
                      CompileError &error) const {
  const KernelSignature &declared = kernel.declaration();
  const std::string &name = declared.name;
  size_t expected = declared.parameters.size();
  if (call.arguments.size() != expected) {
    std::string list;
    for (const KernelParameter &parameter : declared.parameters)
      list += (list.empty() ? "" : ", ") + parameter.annotation + " " + parameter.name;
    error = launchError("ArgumentError", "kernel '" + name + "' takes " + std::to_string(expected) +
                                             " arguments (" + list + "), but got " +
                                             std::to_string(call.arguments.size()));
    return false;
  }
  for (size_t i = 0; i < expected; ++i) {
    tritium_argument argument;
    const KernelParameter &parameter = declared.parameters[i];
    if (!convertArgument(name, parameter, call.arguments[i], argument, error) ||
        (kernel.isDebug() && !checkPromises(name, parameter, argument, error)))
      return false;
    result.arguments.push_back(argument);
  }
  auto onDevice = llvm::find_if(result.arguments, [](const tritium_argument &argument) {
    return argument.kind == TRITIUM_ARG_POINTER && argument.memory != TRITIUM_HOST_MEMORY;
  });
  tritium_argument there = {};
  DeviceMemory *device = nullptr;
  if (!declared.tables.empty() && onDevice != result.arguments.end()) {
    there = *onDevice;
    device = deviceAt(there.memory, there.device, name, error);
    if (!device)
      return false;
  }
  ForkSafeLock lock(mutex);
  for (const ConstantTable &declaredTable : declared.tables) {
    auto filled = tables.find(declaredTable.name);
    // One that is not filled is not read, either.
    Table table =
        filled != tables.end()
            ? filled->second
            : std::make_shared<ConstantContent>(std::vector<uint8_t>(declaredTable.bytes));
    tritium_argument argument = {};
    argument.kind = TRITIUM_ARG_POINTER;
    argument.read_only = 1;
    argument.type = fromDType(declaredTable.element);
    argument.bits = table->address();
    if (device) {
      argument.memory = there.memory;
      argument.device = there.device;
      if (!table->addressOn(*device, name, argument.bits, error))
        return false;
    }
    argument.begin = argument.bits;
    argument.bytes = table->size();
    result.arguments.push_back(argument);
    result.tables.push_back(std::move(table));
  }
  result.options.assign(call.options.begin(), call.options.end());
  bool isGiven = llvm::any_of(
      call.options, [](const auto &option) { return llvm::StringRef(option.name) == "num_warps"; });
  if (std::optional<int> warps = all[choice].numWarps; warps && !isGiven) {
    tritium_option option = {"num_warps", {}};
    option.value.kind = TRITIUM_INT;
    option.value.as.integer.low = static_cast<uint64_t>(*warps);
    option.value.as.integer.high = *warps < 0 ? -1 : 0;
    result.options.push_back(option);
  }
  return true;
}

std::string Program::describeUnused(const std::string &name) const {
  std::string nearest = nearestName(name, identifiersIn(source.text));
  return "kernel '" + declaration().name + "' has no macro '" + name +
         "', and the grid does not ask for it" +
         (nearest.empty() ? std::string("; leave it out") : "; did you mean '" + nearest + "'?");
}

/// A definition that neither the text nor the grid function looks at may be a slip.
void Program::noteDefinitions(const ChosenOptions &options) {
  if (definitionsNoted.exchange(true))
    return;
  for (const std::string &name : unused)
    if (!options.asked.count(name)) {
      launchWarning = describeUnused(name);
      untoldWarning = launchWarning.c_str();
      return;
    }
}

bool Program::gridFor(const Call &call, size_t choice, uint32_t grid[3], CompileError &error) {
  ChosenOptions options(all[choice]);
  std::fill_n(grid, 3, 1u);
  if (!call.grid(options, grid, error))
    return false;
  noteDefinitions(options);
  return true;
}

/// The values that the choice depends on, as text.
bool Program::keyOf(const Call &call, std::string &key, CompileError &error) const {
  const KernelSignature &declared = declaration();
  bool hasRetune = llvm::any_of(declared.parameters, [](const auto &p) { return p.isRetune; });
  for (size_t i = 0; i < declared.parameters.size() && i < call.arguments.size(); ++i) {
    const KernelParameter &parameter = declared.parameters[i];
    bool isKey = !source.key.empty() ? llvm::is_contained(source.key, parameter.name)
                 : hasRetune         ? parameter.isRetune
                                     : parameter.type && isIntegerType(*parameter.type);
    if (!isKey)
      continue;
    tritium_argument value;
    if (!convertArgument(declared.name, parameter, call.arguments[i], value, error))
      return false;
    key += (key.empty() ? "" : ", ") + parameter.name + "=";
    key += value.kind == TRITIUM_ARG_FLOAT  ? std::to_string(std::bit_cast<double>(value.bits))
           : value.kind == TRITIUM_ARG_UINT ? std::to_string(value.bits)
                                            : std::to_string(static_cast<int64_t>(value.bits));
  }
  return true;
}

bool Program::findChoice(const std::string &key, size_t &choice) const {
  ForkSafeLock lock(mutex);
  auto found = chosen.find(key);
  if (found == chosen.end())
    return false;
  choice = found->second;
  return true;
}

bool Program::choose(const Call &call, Launched &launched, CompileError &error) {
  launched.choice = 0;
  if (all.size() == 1)
    return true;
  std::string key;
  if (!keyOf(call, key, error))
    return false;
  std::string known = chosenSettings() + key;
  if (findChoice(known, launched.choice))
    return true;
  WorkClaim claim(this, known);
  if (findChoice(known, launched.choice))
    return true;

  TuningRequest request;
  request.name = declaration().name;
  Writer identity;
  identity.text(first->identity());
  for (const auto &[path, text] : declaration().includedFiles) {
    identity.text(path);
    identity.text(text);
  }
  // What no label tells.
  for (const auto &[name, values] : source.space.defines) {
    identity.text(name);
    identity.text(values.size() == 1 ? values.front() : "");
  }
  request.identity = identity.bytes;
  request.machine = machineOf(call.arguments);
  request.key = key;
  std::vector<Converted> calls(all.size());
  std::vector<KernelRef> used(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    Candidate candidate;
    candidate.label = all[i].label;
    if (!gridFor(call, i, candidate.grid.data(), error))
      return false;
    candidate.complete = [&, i](Candidate &self, CompileError &failure) {
      used[i] = kernelFor(i, failure);
      if (!used[i] || !convert(*used[i], call, i, calls[i], failure))
        return false;
      self.kernel = used[i].get();
      self.call = {calls[i].arguments.data(), calls[i].arguments.size(), calls[i].options.data(),
                   calls[i].options.size()};
      return true;
    };
    request.candidates.push_back(std::move(candidate));
  }
  distinguishLabels(request.candidates);
  CompileError ignored;
  if (KernelRef now = kernelFor(0, ignored))
    request.isInterpreted = now->isInterpreted();
  launched.tuning.emplace();
  if (!tune(request, *launched.tuning, error))
    return false;
  launched.choice = launched.tuning->best;
  if (launched.tuning->isForThisCallOnly)
    return true;
  ForkSafeLock lock(mutex);
  chosen[known] = launched.choice;
  return true;
}

/// Checks what only the code tells: tables that it reads have been filled, and, in debug
/// mode, what is promised to be `__readonly` is.
bool Program::checkUse(const Kernel &kernel, const Variant &variant, CompileError &error) const {
  for (const ConstantTable &table : kernel.declaration().tables)
    for (const ParameterInfo &compiled : variant.metadata().parameters) {
      ForkSafeLock lock(mutex);
      if (compiled.name == table.name && compiled.isRead && !tables.count(table.name)) {
        error = launchError("ArgumentError", "kernel '" + kernel.declaration().name +
                                                 "': its constant table '" + table.name +
                                                 "' has not been filled");
        return false;
      }
    }
  if (!kernel.isDebug())
    return true;
  for (const KernelParameter &parameter : kernel.declaration().parameters)
    for (const ParameterInfo &compiled : variant.metadata().parameters)
      if (compiled.name == parameter.name && parameter.isReadOnly && compiled.isWritten) {
        error = launchError("ArgumentError", "kernel '" + kernel.declaration().name +
                                                 "': parameter '" + parameter.name +
                                                 "' is promised to be read-only, but the kernel "
                                                 "writes through it; remove __readonly");
        return false;
      }
  return true;
}

bool Program::makeReady(const Call &call, size_t choice, const Target *target, Ready &ready,
                        CompileError &error) {
  ready.kernel = kernelFor(choice, error);
  if (!ready.kernel || !gridFor(call, choice, ready.grid, error) ||
      !checkGrid(declaration().name, ready.grid, error) ||
      !convert(*ready.kernel, call, choice, ready.converted, error))
    return false;
  const Converted &converted = ready.converted;
  return ready.kernel->prepare({converted.arguments.data(), converted.arguments.size(),
                                converted.options.data(), converted.options.size(), nullptr,
                                target},
                               ready.prepared, error) &&
         checkUse(*ready.kernel, *ready.prepared.variant, error);
}

bool Program::launch(const Call &call, Launched &launched, CompileError &error) {
  if (!choose(call, launched, error))
    return false;
  Ready ready;
  bool isReady = makeReady(call, launched.choice, nullptr, ready, error);
  launched.variant = ready.prepared.variant;
  if (isReady && untoldWarning)
    launched.warning = untoldWarning.exchange(nullptr);
  return isReady &&
         ready.prepared.variant->launch({ready.prepared.arguments, ready.grid, call.stream}, error);
}

bool Program::launchOn(const Target &target, LaunchDetails &details, const Call &call,
                       size_t &choice, CompileError &error) {
  choice = 0;
  std::string key;
  if (all.size() > 1 && !keyOf(call, key, error))
    return false;
  findChoice(chosenSettings() + key, choice);
  Ready ready;
  return makeReady(call, choice, &target, ready, error) &&
         ready.prepared.variant->launch(
             {ready.prepared.arguments, ready.grid, call.stream, &details}, error);
}

VariantRef Program::specialize(size_t choice, llvm::ArrayRef<int64_t> divisibility,
                               llvm::ArrayRef<tritium_option> options,
                               const std::optional<Target> &target, CompileError &error) {
  KernelRef kernel = kernelFor(choice, error);
  if (!kernel)
    return nullptr;
  const KernelSignature &declared = kernel->declaration();
  if (divisibility.size() > declared.parameters.size()) {
    error = launchError("ArgumentError", "kernel '" + declared.name + "' has " +
                                             std::to_string(declared.parameters.size()) +
                                             " parameters, but the signature has " +
                                             std::to_string(divisibility.size()));
    return nullptr;
  }
  std::vector<ArgumentSpec> arguments;
  for (const Parameter &parameter : kernel->signature().parameters()) {
    ArgumentSpec spec;
    spec.type = *parameter.type;
    if (arguments.size() < divisibility.size())
      spec.divisibility = divisibility[arguments.size()];
    arguments.push_back(std::move(spec));
  }
  return kernel->specialize(std::move(arguments), options.data(), options.size(), target, error);
}

bool Program::fillTable(const std::string &name, llvm::ArrayRef<uint8_t> bytes,
                        CompileError &error) {
  const std::vector<ConstantTable> &known = declaration().tables;
  auto table = llvm::find_if(known, [&](const ConstantTable &t) { return t.name == name; });
  if (table == known.end()) {
    std::string list;
    for (const ConstantTable &other : known)
      list += (list.empty() ? "" : ", ") + other.name;
    error = launchError("ArgumentError", "kernel '" + declaration().name +
                                             "' has no constant table '" + name + "'; " +
                                             (list.empty() ? "it has none" : "there are: " + list));
    return false;
  }
  if (bytes.size() > table->bytes) {
    error = launchError("ArgumentError", "kernel '" + declaration().name + "': constant table '" +
                                             name + "' has " + std::to_string(table->bytes) +
                                             " bytes, but got " + std::to_string(bytes.size()));
    return false;
  }
  std::vector<uint8_t> content(bytes.begin(), bytes.end());
  content.resize(table->bytes);
  ForkSafeLock lock(mutex);
  tables[name] = std::make_shared<ConstantContent>(std::move(content));
  return true;
}
