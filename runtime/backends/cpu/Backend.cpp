//===- Backend.cpp - kernels on the host's cores --------------------------===//

#include "Backend.h"
#include "HostOutput.h"
#include "ObjectLoader.h"
#include "ScratchArena.h"
#include "Signature.h"
#include "ThreadPool.h"

#include "tritium/Target/CPU/TargetInfo.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <atomic>

using namespace tritium;
using namespace tritium::runtime;

namespace {

/// One launch, as the threads that share it see it. All of them ask for it at once, so what each
/// reads beside the arguments stands in two lines of the cache: this, and the calls in `host`.
struct alignas(64) NativeLaunch {
  Interruptible work;
  TritiumCPUEntry entry;
  const uint64_t *slots;
  uint64_t scratchBytes;
  std::array<uint32_t, 3> grid;
  std::atomic<bool> outOfMemory{false};
  HostOutput host{work};

  void run(int64_t begin, int64_t end) {
    if (work.isStopped())
      return;
    if (scratchBytes == 0)
      return host.run(entry, slots, nullptr, begin, end, grid.data());
    ThreadScratch scratch(scratchBytes);
    if (scratch.memory())
      return host.run(entry, slots, scratch.memory(), begin, end, grid.data());
    outOfMemory = true;
    work.stop();
  }
  static void runPart(void *self, int64_t begin, int64_t end) {
    static_cast<NativeLaunch *>(self)->run(begin, end);
  }
};

class NativeExecutable final : public Executable {
public:
  NativeExecutable(const KernelMetadata &metadata, std::shared_ptr<LoadedObject> object)
      : metadata(metadata), object(std::move(object)) {}

  bool launch(const Launch &launch, CompileError &error) override;

private:
  const KernelMetadata &metadata;
  std::shared_ptr<LoadedObject> object;
};

bool NativeExecutable::launch(const Launch &what, CompileError &error) {
  llvm::SmallVector<uint64_t, 24> slots;
  for (const BoundArgument &argument : what.arguments)
    slots.push_back(argument.slot);
  const uint32_t *grid = what.grid;
  NativeLaunch launch{
      {}, object->entry, slots.data(), metadata.scratchBytes, {grid[0], grid[1], grid[2]}};
  int64_t programs = static_cast<int64_t>(grid[0]) * grid[1] * grid[2];
  std::optional<WaitingPrograms> waiting;
  if (metadata.mayWait) [[unlikely]] {
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
    error = launchError("OutOfMemory", "kernel '" + metadata.name + "': no memory for " +
                                           std::to_string(metadata.scratchBytes) +
                                           " bytes of scratch space a thread");
    return false;
  }
  return !reportFailure(launch.host, waiting ? &*waiting : nullptr, launch.work, metadata.name,
                        error);
}

/// Code for a CPU that has more than this machine: it is to be looked at, or for elsewhere.
class ForeignExecutable final : public Executable {
public:
  explicit ForeignExecutable(std::string reason) : reason(std::move(reason)) {}

  bool launch(const Launch &, CompileError &error) override {
    error = launchError("OptionError", reason);
    return false;
  }

private:
  std::string reason;
};

class CPUBackend final : public Backend {
public:
  CPUBackend() : Backend(kCPU) {}

  std::unique_ptr<Executable> load(const LoadRequest &request, CompileError &error) const override {
    const KernelMetadata &metadata = request.compiled.metadata;
    std::string cpu = request.options.target.cpuName();
    if (std::string lacked = cpu::lackedByHost(cpu); !lacked.empty())
      return std::make_unique<ForeignExecutable>(
          "kernel '" + metadata.name + "' is compiled for the CPU '" + cpu +
          "', whose instructions (" + lacked +
          ") this machine lacks; leave TRITIUM_CPU unset for code for this machine, or name a CPU "
          "that has no more than it");
    auto bytes = request.compiled.stages.find("obj");
    std::string reason = "the compiler made no object code";
    if (bytes != request.compiled.stages.end())
      if (auto object = loadObject(bytes->second, metadata.entry, reason))
        return std::make_unique<NativeExecutable>(metadata, std::move(object));
    error = launchError("InternalError",
                        "kernel '" + metadata.name + "': cannot load its code: " + reason);
    return nullptr;
  }

  llvm::ArrayRef<const char *> stages() const override {
    static constexpr const char *names[] = {"ttir", "plan", "llir", "asm", "obj", "header"};
    return names;
  }
};

} // namespace

namespace tritium::runtime::cpu {
const Backend &backend() {
  static const CPUBackend backend;
  return backend;
}
} // namespace tritium::runtime::cpu
