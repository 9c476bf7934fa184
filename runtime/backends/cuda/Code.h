//===- Code.h - a compiled kernel on GPUs -----------------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_BACKENDS_CUDA_CODE_H
#define TRITIUM_RUNTIME_BACKENDS_CUDA_CODE_H

#include "Device.h"
#include "TensorMaps.h"

#include "llvm/ADT/ArrayRef.h"

namespace tritium::runtime::cuda {

/// How a kernel is launched, apart from its grid.
struct LaunchSettings {
  bool cooperative = false;   ///< all CTAs run at once
  bool serialization = false; ///< may start before the launch ahead of it has ended
  /// May start while the launch ahead of it ends: it waits for that before it touches memory.
  bool overlap = false;
  bool debug = false; ///< wait for each launch and check its assertions
};

/// What the driver says of a kernel once it is loaded.
struct Usage {
  unsigned registers = 0, localBytes = 0, maxThreads = 0;
};

/// The code of one variant. It is loaded into a GPU when it first runs there.
class Code {
public:
  /// `compiled` outlives this object. `file`, `line`: where the kernel's text is.
  Code(const CompiledKernel &compiled, LaunchSettings settings, std::string file, int line)
      : compiled(compiled), settings(settings), file(std::move(file)), line(line),
        tensorMaps(compiled.metadata) {}
  ~Code();

  /// Queues a launch. `slots`: one for each run-time parameter.
  bool launch(Device &device, Stream stream, llvm::ArrayRef<uint64_t> slots,
              const uint32_t asked[3], CompileError &error);

  /// Executable::takeClocks.
  bool takeClocks(std::vector<uint64_t> &sums, CompileError &error);

  /// What the code needs, from the first GPU that it was loaded into; zero before.
  Usage usage() const;

private:
  struct Loaded {
    Device *device = nullptr;
    ModuleHandle module = nullptr;
    Function function = nullptr;
    Usage usage;
    bool overlaps = false;      ///< starts while the launch ahead of it ends
    unsigned ctasAtOnce = 0;    ///< of a kernel that loops over programs
    const char *name = nullptr; ///< lives as long as the process
    AssertRecord *record = nullptr;
    Address clocks = 0; ///< of the table of code that has some
  };

  const KernelMetadata &metadata() const { return compiled.metadata; }
  Loaded *find(Device &device, CompileError &error);
  bool checkLimits(const Device &device, CompileError &error) const;
  bool loadModule(Loaded &loaded, CompileError &error) const;
  bool prepareClocks(Loaded &loaded, CompileError &error) const;
  Result launchWithAttributes(const Loaded &loaded, LaunchConfig config, void **parameters) const;
  bool finishDebug(Loaded &loaded, Stream stream, CompileError &error) const;
  bool shareMemory(Device &device, Stream stream, const uint32_t grid[3], uint64_t ctas,
                   PartialSums::Lease &lease, CompileError &error) const;
  CompileError outOfResources(const char *what, uint64_t required, uint64_t limit) const;
  CompileError atKernel(CompileError error) const;

  const CompiledKernel &compiled;
  LaunchSettings settings;
  std::string file;
  int line;
  TensorMaps tensorMaps;
  std::array<std::atomic<Loaded *>, 64> perDevice = {};
};

} // namespace tritium::runtime::cuda

#endif // TRITIUM_RUNTIME_BACKENDS_CUDA_CODE_H
