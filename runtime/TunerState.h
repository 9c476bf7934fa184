//===- TunerState.h - one tuning, while it runs -----------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_TUNERSTATE_H
#define TRITIUM_RUNTIME_TUNERSTATE_H

#include "Interrupt.h"
#include "Tuner.h"

#include <chrono>

namespace tritium::runtime {

inline double secondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Compiles, chooses and keeps records (Tuner.cpp); runs and measures (TunerRuns.cpp).
class Tuner {
public:
  Tuner(const TuningRequest &request, TuningResult &result)
      : request(request), result(result), count(request.candidates.size()), prepared(count),
        errors(count), setAside(count), samples(count) {
    result.timings.resize(count);
  }

  bool run(CompileError &error) { return choose(error) && (count == 1 || zeroNamed(error)); }

private:
  bool choose(CompileError &error);
  bool compile(size_t index);
  void compileAll();
  bool takeFirst(CompileError &error);
  bool fail(CompileError &error) const;
  TuningRecords records() const;
  bool takeRecorded(const TuningRecord &record);
  void setAsideHandicapped();
  bool takeBackSetAside();
  bool measureUsable(bool takesAll, CompileError &error);
  std::optional<std::string> saveBuffers();
  bool zeroNamed(CompileError &error) const;
  const DeviceMemory *deviceOf(const BoundArgument &argument) const;
  const DeviceMemory *measuredDevice() const;
  bool finish(const Kernel::Prepared &launch, CompileError &error) const;
  bool memoryError(CompileError &error) const;
  bool measureAll(CompileError &error);
  bool trial(size_t index, double &seconds, CompileError &error);
  bool warmUp(size_t index, CompileError &error);
  bool measureByHost(size_t index, CompileError &error);
  void measureByTurns(std::vector<size_t> alive, bool &isStopped, CompileError &error);
  void drop(size_t index, const CompileError &reason);
  std::optional<size_t> fastest() const;

  const TuningRequest &request;
  TuningResult &result;
  size_t count;
  std::vector<std::optional<Kernel::Prepared>> prepared; ///< of those that compile
  std::vector<std::optional<CompileError>> errors;       ///< of those that do not run
  std::vector<std::optional<Kernel::Prepared>> setAside; ///< of those that others are better than
  std::vector<std::vector<double>> samples;              ///< seconds
  SavedBuffers buffers;
  Interruptible interruptible;
  std::unique_ptr<DeviceClock> watch; ///< while candidates are measured on a device
  bool mayRepeatIndirectWrites = false;
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_TUNERSTATE_H
