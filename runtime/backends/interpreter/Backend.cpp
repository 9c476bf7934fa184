//===- Backend.cpp - kernels in the interpreter ---------------------------===//

#include "Backend.h"
#include "Debugger.h"
#include "HostOutput.h"
#include "Signature.h"

#include "tritium/Interpreter/Interpreter.h"
#include "tritium/Support/ForkGate.h"

#include <mutex>

using namespace tritium;
using namespace tritium::runtime;

namespace {

class InterpretedExecutable final : public Executable {
public:
  explicit InterpretedExecutable(const CompiledKernel &compiled) : compiled(compiled) {}

  bool launch(const Launch &launch, CompileError &error) override;

private:
  const KernelMetadata &metadata() const { return compiled.metadata; }
  /// The memory that programs may touch.
  void describeMemory(const Launch &launch, InterpreterOptions &options) const;

  const CompiledKernel &compiled;
};

void InterpretedExecutable::describeMemory(const Launch &launch,
                                           InterpreterOptions &options) const {
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const BoundArgument &argument = launch.arguments[i];
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
}

/// The host's debugger, for a launch that it may end.
class LaunchDebugger final : public Debugger {
public:
  explicit LaunchDebugger(Interruptible &work) : work(work) {}
  bool isThere() const { return host.isThere(); }
  bool stopsAt(const StopPlace &place) override { return host.stopsAt(place); }
  bool stopped(const Stop &stop) override {
    bool goesOn = host.stopped(stop);
    if (!goesOn)
      work.stop();
    return goesOn;
  }
  void programEnded() override { host.programEnded(); }

private:
  HostDebugger &host = HostDebugger::ofProcess();
  Interruptible &work;
};

bool InterpretedExecutable::launch(const Launch &launch, CompileError &error) {
  std::string message;
  std::shared_ptr<const interpreter::Program> program;
  {
    InsideForkGate inside;
    program = loadProgram(compiled.stages.at("ttir"), message);
  }
  Interruptible work;
  HostOutput output(work);
  InterpreterOptions options;
  options.host = output.interpreterCalls();
  LaunchDebugger debugger(work);
  options.debugger = debugger.isThere() ? &debugger : nullptr;
  describeMemory(launch, options);
  std::vector<uint64_t> slots;
  for (const BoundArgument &argument : launch.arguments)
    slots.push_back(argument.slot);
  const uint32_t *grid = launch.grid;
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

class InterpreterBackend final : public Backend {
public:
  InterpreterBackend() : Backend(kInterpreter) {}

  std::unique_ptr<Executable> load(const LoadRequest &request, CompileError &) const override {
    return std::make_unique<InterpretedExecutable>(request.compiled);
  }

  bool reliesOnDistinctArguments() const override { return false; }

  llvm::ArrayRef<const char *> stages() const override {
    static constexpr const char *names[] = {"ttir", "plan", "llir", "asm", "obj"};
    return names;
  }

  /// What follows tile IR is the CPU's.
  Target targetOfStages(const Target &target) const override { return target.withKind(kCPU); }
};

} // namespace

namespace tritium::runtime::interpreter {
const Backend &backend() {
  static const InterpreterBackend backend;
  return backend;
}
} // namespace tritium::runtime::interpreter
