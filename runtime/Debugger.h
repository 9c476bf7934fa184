//===- Debugger.h - the host stops interpreted programs ---------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_DEBUGGER_H
#define TRITIUM_RUNTIME_DEBUGGER_H

#include "tritium/Kernel/Debugger.h"
#include "tritium/c/debugger.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>

namespace tritium::runtime {

/// Where programs stop, and whom they show themselves to. One for the process; a step is of the
/// program on the thread that it was asked on.
class HostDebugger final : public Debugger {
public:
  using Stopped = tritium_resume (*)(void *user, const tritium_stop *stop);
  static HostDebugger &ofProcess();

  void set(Stopped stopped, void *user, bool forAll);
  using ProgramId = std::array<int, 3>; ///< -1: any
  struct Breakpoint {
    std::string file; ///< without symbolic links
    int line;
    ProgramId pid;
  };
  void setBreakpoints(std::vector<Breakpoint> all);
  void stopNext(ProgramId pid);

  /// Whether somebody is there; whether kernels are made so that they can stop anywhere.
  bool isThere() const { return callback.load() != nullptr; }
  bool isForAll() const { return forAll && isThere(); }

  bool stopsAt(const StopPlace &place) override;
  bool stopped(const Stop &stop) override;
  void programEnded() override;

private:
  bool isStep(const StopPlace &place) const;
  bool isBreakpoint(const StopPlace &place);
  bool isNext(const StopPlace &place);

  std::atomic<Stopped> callback{nullptr};
  std::atomic<void *> user{nullptr};
  std::atomic<bool> forAll{false};
  std::atomic<bool> hasBreakpoints{false}, isNextStopped{false};
  std::mutex mutex; ///< guards what follows
  std::vector<Breakpoint> breakpoints;
  ProgramId nextStopped = {};
  std::map<std::string, std::string> realPaths;

  static thread_local tritium_resume step;
  static thread_local unsigned depth; ///< of the statement that the step began at
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_DEBUGGER_H
