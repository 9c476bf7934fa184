//===- Backend.cpp - kernels on NVIDIA's GPUs -----------------------------===//

#include "Backend.h"
#include "Code.h"
#include "GPUSlots.h"
#include "Interrupt.h"
#include "Signature.h"
#include "Staging.h"

using namespace tritium;
using namespace tritium::runtime;
using namespace tritium::runtime::cuda;

namespace {

class CUDAExecutable final : public Executable {
public:
  CUDAExecutable(const KernelMetadata &metadata, std::unique_ptr<Code> code)
      : metadata(metadata), code(std::move(code)) {}

  /// Queues the kernel on `launch.stream`, of the arguments' device; host arrays are copied there
  /// and back.
  bool launch(const Launch &launch, CompileError &error) override;
  void describe(llvm::json::Object &description) const override;
  bool takeClocks(std::vector<uint64_t> &sums, CompileError &error) override {
    return code->takeClocks(sums, error);
  }
  /// What the driver assembles it can describe once it has.
  bool hasLearnt() const override {
    return metadata.registers == 0 && code->usage().registers != 0;
  }

private:
  bool launchStaged(const Launch &launch, CompileError &error);

  const KernelMetadata &metadata;
  std::unique_ptr<Code> code;
};

bool CUDAExecutable::launch(const Launch &launch, CompileError &error) {
  llvm::ArrayRef<BoundArgument> arguments = launch.arguments;
  int ordinal = -1;
  bool hasPointers = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    hasPointers |= metadata.parameters[i].type.isPointer() && arguments[i].slot != 0;
    if (arguments[i].device >= 0)
      ordinal = arguments[i].device;
  }
  if (ordinal < 0 && hasPointers)
    return launchStaged(launch, error);
  Device *gpu = device(ordinal < 0 ? currentDevice() : ordinal, metadata.name, error);
  return gpu && code->launch(*gpu, static_cast<Stream>(launch.stream),
                             slotsOnGPU(arguments, metadata), launch.grid, error);
}

bool CUDAExecutable::launchStaged(const Launch &launch, CompileError &error) {
  llvm::ArrayRef<BoundArgument> arguments = launch.arguments;
  const std::vector<ParameterInfo> &parameters = metadata.parameters;
  Device *gpu = device(currentDevice(), metadata.name, error);
  if (!gpu)
    return false;
  if (metadata.hasIndirectPointers) {
    error = launchError("ArgumentError", "kernel '" + metadata.name +
                                             "' reads pointers from memory: its arrays must be on "
                                             "the GPU already");
    return false;
  }
  Staging staging(*gpu);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument &argument = arguments[i];
    if (!parameters[i].type.isPointer() || argument.slot == 0)
      continue;
    if (argument.end == UINT64_MAX) {
      error = launchError("ArgumentError",
                          "kernel '" + metadata.name + "': argument '" + parameters[i].name +
                              "' is a bare address: whether it is memory of the GPU is not known; "
                              "pass an array");
      return false;
    }
    auto [begin, end] = reachOf(arguments, i);
    staging.add(begin, end, parameters[i].isWritten);
  }
  if (!staging.copyIn(metadata.name, error))
    return false;
  llvm::SmallVector<uint64_t, 24> slots = slotsOnGPU(arguments, metadata);
  for (size_t i = 0; i < arguments.size(); ++i)
    if (parameters[i].type.isPointer() && arguments[i].slot)
      slots[i] = staging.translate(arguments[i].slot);
  bool launched = code->launch(*gpu, nullptr, slots, launch.grid, error);
  if (!launched && isInterrupted(error)) {
    staging.abandon();
    return false;
  }
  // A launch that failed may have written, too: an assertion ends only its own program.
  CompileError later;
  return staging.copyOut(metadata.name, launched ? error : later) && launched;
}

void CUDAExecutable::describe(llvm::json::Object &description) const {
  bool isAssembled = metadata.registers != 0;
  Usage usage = code->usage();
  describeGPUCode(metadata, isAssembled ? metadata.registers : usage.registers,
                  isAssembled ? metadata.spillBytes : usage.localBytes, description);
}

class CUDABackend final : public Backend {
public:
  CUDABackend() : Backend(kCUDA) {}

  std::unique_ptr<Executable> load(const LoadRequest &request, CompileError &) const override {
    const CompiledKernel &compiled = request.compiled;
    LaunchSettings settings;
    settings.cooperative = request.options.isOn("launch_cooperative_grid");
    settings.serialization = request.options.isOn("launch_pdl");
    // A kernel's clocks say nothing of what it waits for.
    settings.overlap =
        overlapsLaunches(compiled.metadata, request.options) && compiled.clocks.parts.empty();
    settings.debug = request.options.debug;
    const frontend::FunctionSource *source = request.source;
    return std::make_unique<CUDAExecutable>(request.compiled.metadata,
                                            std::make_unique<Code>(request.compiled, settings,
                                                                   source ? source->file : "",
                                                                   source ? source->firstLine : 0));
  }

  llvm::ArrayRef<const char *> stages() const override {
    static constexpr const char *names[] = {"ttir", "ttgir", "llir", "ptx", "cubin", "header"};
    return names;
  }

  std::string whyNoStage(const std::string &name) const override {
    return name == "cubin" ? "there is no cubin: no ptxas was found (TRITON_PTXAS_PATH, PATH); the "
                             "driver assembles the PTX"
                           : Backend::whyNoStage(name);
  }

  /// Kernels are compiled for the device of each call.
  std::optional<Target> targetNamed(const std::string &detail) const override {
    return detail.empty() ? std::optional(Target()) : std::nullopt;
  }

  uint8_t memory() const override { return TRITIUM_CUDA_MEMORY; }
  DeviceMemory *device(int ordinal, const std::string &kernel, CompileError &error) const override {
    return cuda::device(ordinal, kernel, error);
  }
  int currentDevice() const override { return cuda::currentDevice(); }
};

} // namespace

namespace tritium::runtime::cuda {
const Backend &backend() {
  static const CUDABackend backend;
  return backend;
}
} // namespace tritium::runtime::cuda
