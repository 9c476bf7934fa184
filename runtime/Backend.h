//===- Backend.h - machines that kernels run on -----------------*- C++ -*-===//
//
// The runtime knows machines through these interfaces alone. A back end is a folder of
// runtime/backends with one object of Backend, which stands in the list of
// runtime/CMakeLists.txt; what compiles for it is a TargetCompiler of lib/Pipeline.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_BACKEND_H
#define TRITIUM_RUNTIME_BACKEND_H

#include "BoundArgument.h"
#include "tritium/Frontend/Scope.h"
#include "tritium/Kernel/CompileError.h"
#include "tritium/Kernel/CompileOptions.h"
#include "tritium/Kernel/CompiledKernel.h"
#include "tritium/tritium.h"

#include "llvm/Support/JSON.h"

namespace tritium::runtime {

//===-- Code --------------------------------------------------------------===//

/// What a caller that knows the back end says of a launch, and is told of it.
struct LaunchDetails {
  virtual ~LaunchDetails() = default;
};

/// One run of a kernel. What it refers to outlives the call, and no longer.
struct Launch {
  llvm::ArrayRef<BoundArgument> arguments; ///< one for each run-time parameter
  const uint32_t *grid;                    ///< x, y, z: checked
  void *stream = nullptr;                  ///< of the arguments' device
  LaunchDetails *details = nullptr;        ///< for the back end of the launch's target
};

/// A compiled kernel, ready to be launched from any thread.
class Executable {
public:
  virtual ~Executable() = default;
  /// Runs the kernel, or queues it where it has a device. On failure fills `error`.
  virtual bool launch(const Launch &launch, CompileError &error) = 0;
  /// Adds what only the machine can tell of the code.
  virtual void describe(llvm::json::Object &description) const {}
  /// Of code with clocks: adds what launches have counted (kClocksSymbol, its copies together) to
  /// `sums`, and begins anew. Waits for launches that are on their way. On failure fills `error`.
  virtual bool takeClocks(std::vector<uint64_t> &sums, CompileError &error) { return true; }
  /// Whether describe() tells more than before the first launch.
  virtual bool hasLearnt() const { return false; }
};

/// What code is loaded from. All of it outlives the executable.
struct LoadRequest {
  const CompiledKernel &compiled;
  const CompileOptions &options;
  const frontend::FunctionSource *source; ///< null: it was compiled from tile IR or later
};

/// What of a kernel is counted. All of it outlives the call.
struct CountRequest {
  const CompiledKernel &compiled;
  const frontend::FunctionSource *source; ///< null: it was compiled from tile IR or later
  llvm::ArrayRef<BoundArgument> arguments;
  const uint32_t *grid;
  uint64_t mostCTAs;     ///< of a grid with more, so many run; 0: all
  uint64_t mostSteps;    ///< instructions of warps, before it is given up
  unsigned architecture; ///< of the GPU, which may be newer than the code
  llvm::StringRef gpu;   ///< its name, if it is not any of the architecture
  bool isTimed = true;   ///< clocks of a multiprocessor are counted
  bool isCopy = false;   ///< this is a child process (inChildProcess)
};

//===-- Devices -----------------------------------------------------------===//

/// Measures runs on a device's usual stream, each with its caches cold.
class DeviceClock {
public:
  virtual ~DeviceClock() = default;
  virtual void start() = 0;
  /// Waits for what was queued since start(). Seconds, or a failure in `error`.
  virtual bool stop(double &seconds, const std::string &kernel, CompileError &error) = 0;
};

/// A device with memory of its own. Lives as long as the process.
class DeviceMemory {
public:
  virtual ~DeviceMemory() = default;
  /// What code for it is compiled for.
  const Target &target() const { return machine; }
  /// Sets what code for this device depends on beside the target.
  virtual void refine(CompileOptions &options) const {}
  /// Bytes that differ where the same code may be as fast, or not.
  virtual std::string identity() const = 0;
  /// The kind of errors that are the device's.
  virtual const char *errorKind() const = 0;

  /// Whether kernels on the device reach the host's `address`.
  virtual bool reaches(uint64_t address) const = 0;
  /// A copy of the bytes; 0, with an error that begins with `what`, if there is no memory.
  virtual uint64_t allocate(llvm::ArrayRef<uint8_t> bytes, const std::string &what,
                            CompileError &error) = 0;
  /// Waits for what runs on the device.
  virtual void free(uint64_t address) = 0;
  /// Copy, and wait for it. False if the driver refuses.
  virtual bool copyToHost(void *to, uint64_t from, size_t bytes) const = 0;
  virtual bool copyToDevice(uint64_t to, const void *from, size_t bytes) const = 0;
  /// Waits for everything that is queued. On failure fills `error`, which names `kernel`.
  virtual bool finish(const std::string &kernel, CompileError &error) const = 0;
  virtual std::unique_ptr<DeviceClock> clock() const = 0;

protected:
  Target machine;
};

//===-- Back ends ---------------------------------------------------------===//

class Backend {
public:
  explicit Backend(const TargetKind &kind) : kind(kind) {}
  virtual ~Backend() = default;

  /// Makes compiled code launchable. Null with `error` if it cannot be loaded.
  virtual std::unique_ptr<Executable> load(const LoadRequest &request,
                                           CompileError &error) const = 0;
  /// Whether code that was compiled for arguments that do not overlap must not meet others.
  virtual bool reliesOnDistinctArguments() const { return true; }

  /// The names of what can be shown of a kernel.
  virtual llvm::ArrayRef<const char *> stages() const = 0;
  /// For what target to compile to have the stages of a kernel for `target`.
  virtual Target targetOfStages(const Target &target) const { return target; }
  /// Why there is no stage of that name.
  virtual std::string whyNoStage(const std::string &name) const;

  /// Whether it can count what code for `target` does.
  virtual bool counts(const Target &target) const { return false; }
  /// Runs a launch on the host and counts. On failure fills `error`; asked only if counts().
  virtual bool count(const CountRequest &request, llvm::json::Object &counters,
                     CompileError &error) const;

  /// What TRITIUM_BACKEND may say for this one: its name, or a list of names with details.
  virtual std::string names() const { return kind.name; }
  /// The target that `detail`, what follows the colon, stands for; none if it is no such.
  virtual std::optional<Target> targetNamed(const std::string &detail) const;

  /// A tritium_memory: where arrays are that belong to its devices; that of the host: it has none.
  virtual uint8_t memory() const { return TRITIUM_HOST_MEMORY; }
  bool hasDevices() const { return memory() != TRITIUM_HOST_MEMORY; }
  /// A device by its number. Null with `error`, which names `kernel`, if that is not empty.
  virtual DeviceMemory *device(int ordinal, const std::string &kernel, CompileError &error) const;
  /// The device of calls that name none.
  virtual int currentDevice() const { return 0; }

  const TargetKind &kind;
};

/// Adds a back end, and its kind to the targets that can be named. It lives for ever.
void addBackend(const Backend &backend);
/// The back end for a kind; null: there is none.
const Backend *findBackend(const TargetKind &kind);
/// Who has the devices whose arrays are in this tritium_memory; null: nobody.
const Backend *backendOfMemory(uint8_t memory);
/// Who can count what code for `target` does; null: nobody.
const Backend *backendThatCounts(const Target &target);
/// What TRITIUM_BACKEND=`name` says. `target` receives what kernels are compiled for, of those that
/// have no devices. Null with `error` for a name that is none.
const Backend *backendNamed(const std::string &name, Target &target, CompileError &error);

/// The device that an array is on. Null for the host's memory, or with `error`, which names
/// `kernel`, if that is not empty.
DeviceMemory *deviceAt(uint8_t memory, int ordinal, const std::string &kernel, CompileError &error);
inline DeviceMemory *deviceOf(const BoundArgument &argument, const std::string &kernel,
                              CompileError &error) {
  return deviceAt(argument.memory, argument.device, kernel, error);
}

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_BACKEND_H
