//===- Backend.cpp - kernels on simulated GPUs ----------------------------===//

#include "Backend.h"
#include "Code.h"
#include "GPUSlots.h"
#include "Signature.h"

using namespace tritium;
using namespace tritium::runtime;
using namespace tritium::runtime::simulator;

namespace {

class SimulatedExecutable final : public Executable {
public:
  SimulatedExecutable(const KernelMetadata &metadata, std::unique_ptr<Code> code)
      : metadata(metadata), code(std::move(code)) {}

  bool launch(const Launch &launch, CompileError &error) override;
  void describe(llvm::json::Object &description) const override {
    describeGPUCode(metadata, metadata.registers, metadata.spillBytes, description);
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
  std::vector<Memory> memory;
  // Memory behind pointers in memory belongs to no argument.
  bool hasUnknownMemory = metadata.hasIndirectPointers;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const BoundArgument &argument = launch.arguments[i];
    const ParameterInfo &parameter = metadata.parameters[i];
    if (!parameter.type.isPointer() || argument.slot == 0)
      continue;
    if (argument.end == UINT64_MAX)
      hasUnknownMemory = true;
    else
      memory.push_back({argument.begin, argument.end, !argument.isReadOnly, parameter.name, i});
  }
  return code->launch(slotsOnGPU(launch.arguments, metadata), std::move(memory), hasUnknownMemory,
                      launch.grid, settings, error, request ? &request->counters : nullptr);
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

  std::optional<Target> targetNamed(const std::string &detail) const override {
    return simulator::targetNamed(detail);
  }
};

} // namespace

namespace tritium::runtime::simulator {
const Backend &backend() {
  static const SimulatorBackend backend;
  return backend;
}
} // namespace tritium::runtime::simulator
