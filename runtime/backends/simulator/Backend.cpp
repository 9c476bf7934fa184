//===- Backend.cpp - kernels on simulated GPUs ----------------------------===//

#include "Backend.h"
#include "Code.h"
#include "GPUSlots.h"
#include "Signature.h"

#include "tritium/Target/GPU/GPUModel.h"

using namespace tritium;
using namespace tritium::runtime;
using namespace tritium::runtime::simulator;

namespace {

struct MemoryOfLaunch {
  std::vector<Memory> arrays;
  bool hasUnknown = false; ///< the kernel may reach memory that belongs to no argument
};

MemoryOfLaunch memoryOf(llvm::ArrayRef<BoundArgument> arguments, const KernelMetadata &metadata) {
  MemoryOfLaunch memory;
  // Memory behind pointers in memory belongs to no argument.
  memory.hasUnknown = metadata.hasIndirectPointers;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument &argument = arguments[i];
    const ParameterInfo &parameter = metadata.parameters[i];
    if (!parameter.type.isPointer() || argument.slot == 0)
      continue;
    if (argument.end == UINT64_MAX)
      memory.hasUnknown = true;
    else
      memory.arrays.push_back(
          {argument.begin, argument.end, !argument.isReadOnly, parameter.name, i});
  }
  return memory;
}

class SimulatedExecutable final : public Executable {
public:
  SimulatedExecutable(const KernelMetadata &metadata, std::unique_ptr<Code> code)
      : metadata(metadata), code(std::move(code)) {}

  bool launch(const Launch &launch, CompileError &error) override;
  void describe(llvm::json::Object &description) const override {
    describeGPUCode(metadata, metadata.registers, metadata.spillBytes, description);
  }
  bool takeClocks(std::vector<uint64_t> &sums, CompileError &error) override {
    code->takeClocks(sums);
    return true;
  }

private:
  const KernelMetadata &metadata;
  std::unique_ptr<Code> code;
};

bool SimulatedExecutable::launch(const Launch &launch, CompileError &error) {
  auto *request = static_cast<SimulationDetails *>(launch.details);
  Settings settings;
  if (request)
    settings = request->settings;
  else if (!Settings::fromEnvironment(settings, error))
    return false;
  MemoryOfLaunch memory = memoryOf(launch.arguments, metadata);
  return code->launch(slotsOnGPU(launch.arguments, metadata), std::move(memory.arrays),
                      memory.hasUnknown, launch.grid, settings, error,
                      request ? &request->counters : nullptr);
}

class SimulatorBackend final : public Backend {
public:
  SimulatorBackend() : Backend(kSimulator) {}

  std::unique_ptr<Executable> load(const LoadRequest &request, CompileError &error) const override {
    auto code =
        Code::load(request.compiled, request.options.target.architecture(), request.source, error);
    return code ? std::make_unique<SimulatedExecutable>(request.compiled.metadata, std::move(code))
                : nullptr;
  }

  llvm::ArrayRef<const char *> stages() const override {
    static constexpr const char *names[] = {"ttir", "ttgir", "llir", "ptx", "header"};
    return names;
  }

  std::string names() const override {
    std::string all;
    for (unsigned architecture : architectures())
      all += (all.empty() ? "sim:sm_" : ", sim:sm_") + std::to_string(architecture);
    return all;
  }

  bool counts(const Target &target) const override { return target.isGPU(); }
  bool count(const CountRequest &request, llvm::json::Object &counters,
             CompileError &error) const override;

  std::optional<Target> targetNamed(const std::string &detail) const override {
    return simulator::targetNamed(detail);
  }
};

bool SimulatorBackend::count(const CountRequest &request, llvm::json::Object &counters,
                             CompileError &error) const {
  const KernelMetadata &metadata = request.compiled.metadata;
  auto code = Code::load(request.compiled, request.architecture, request.source, error);
  if (!code)
    return false;
  MemoryOfLaunch memory = memoryOf(request.arguments, metadata);
  Settings settings;
  settings.checkRaces = settings.checkUndefined = false;
  settings.stepLimit = request.mostSteps;
  settings.mostCTAs = request.mostCTAs;
  settings.isCopy = request.isCopy;
  settings.rates = request.isTimed ? &sim::ratesOf(request.architecture, request.gpu) : nullptr;
  // As many CTAs of a kernel that loops over programs as a GPU runs at once.
  sim::Occupancy fit = code->occupancy();
  settings.multiprocessors =
      gpuModel(request.architecture).multiprocessors * std::max<uint64_t>(fit.ctas, 1);
  sim::Counters counted;
  if (!code->launch(slotsOnGPU(request.arguments, metadata), std::move(memory.arrays),
                    memory.hasUnknown, request.grid, settings, error, &counted))
    return false;
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(counted.json());
  counters = parsed ? std::move(*parsed->getAsObject()) : llvm::json::Object();
  return true;
}

} // namespace

namespace tritium::runtime::simulator {
const Backend &backend() {
  static const SimulatorBackend backend;
  return backend;
}
} // namespace tritium::runtime::simulator
