//===- Tuner.h - choosing among configurations by measurement ---*- C++ -*-===//
//
// A candidate is a kernel with everything that a launch needs. The tuner compiles the
// candidates in parallel threads, runs them by turns on the real arguments and names the
// fastest; memory that a run writes is put back. What it learns is kept on disk, so that
// another process measures nothing.
//
// TRITIUM_TUNING chooses otherwise: `first` takes the first candidate that compiles and
// looks at no time; `recorded` takes the fastest one that the record on disk knows, else
// the first, and measures nothing: both give the same choice each time. `always` measures
// even where there is a record.
//
// What the compiler knows to be slow (CompiledKernel::handicap) is measured only where it is so of
// all candidates, or under `always`.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_TUNER_H
#define TRITIUM_RUNTIME_TUNER_H

#include "Kernel.h"
#include "SavedBuffers.h"
#include "TuningRecord.h"

namespace tritium::runtime {

struct Candidate {
  /// Null: `complete`, called on a worker thread, fills kernel and call.
  Kernel *kernel = nullptr;
  Kernel::Call call = {};
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::string label; ///< the configuration as text: in tables, and what records know it by
  std::function<bool(Candidate &, CompileError &)> complete;
};

/// What a host wants to do around runs. A function that answers false has filled
/// `error`, and tuning ends with it.
class TuningHooks {
public:
  virtual ~TuningHooks() = default;
  virtual bool beforeRun(size_t candidate, CompileError &error) { return true; }
  /// `failure`: of the launch; null if it succeeded.
  virtual bool afterRun(size_t candidate, const CompileError *failure, CompileError &error) {
    return true;
  }
  /// Whether `measure` is to be called instead of the tuner's own clock.
  virtual bool measures() const { return false; }
  /// `run` runs the candidate once. False with a failure of `run` drops the candidate.
  virtual bool measure(size_t candidate, const std::function<bool(CompileError &)> &run,
                       std::array<double, 3> &times, CompileError &error) {
    return false;
  }
};

struct TuningRequest {
  std::string name;     ///< of the kernel
  std::string identity; ///< bytes that change with the kernel's text
  std::string machine;  ///< of machineOf
  bool isInterpreted = false;
  std::vector<Candidate> candidates;
  std::string key; ///< the values that the choice is made for, as text
  /// Names of parameters whose memory is zeroed, or put back, before each run. Memory
  /// that the kernels both write and read is put back without being named.
  std::vector<std::string> zeroed, restored;
  /// For how long each candidate runs before and while it is measured; 0: as it needs.
  double warmupMilliseconds = 0, measureMilliseconds = 0;
  bool useRecord = true;
  /// Memory that kernels write through pointers that they load is the host's affair.
  bool mayRepeatIndirectWrites = false;
  TuningHooks *hooks = nullptr;
};

struct TuningResult {
  enum class Source {
    Only,     ///< there was one candidate
    First,    ///< nothing was measured
    Recorded, ///< from the disk
    Measured
  };
  size_t best = 0;
  Source source = Source::Only;
  bool isForThisCallOnly = false;             ///< the grid is empty: a later call chooses anew
  std::vector<std::optional<Timing>> timings; ///< of each candidate, as far as known
  double compileSeconds = 0, measureSeconds = 0;
  std::string note; ///< why nothing was measured, if that is worth a word
};

/// Where a call with these arguments runs, as far as it decides what is fast.
std::string machineOf(llvm::ArrayRef<tritium_argument> arguments);

/// Records tell candidates apart by their labels: equal ones get a number.
void distinguishLabels(std::vector<Candidate> &candidates);

/// The error when no configuration is left: the one that all have in common, or an
/// AutotunerError with every label and reason. `failures` is not empty.
CompileError everyReason(const std::string &kernel,
                         const std::vector<std::pair<std::string, CompileError>> &failures);

/// False with `error` if no candidate compiles and runs; it then lists all reasons.
bool tune(const TuningRequest &request, TuningResult &result, CompileError &error);

/// The table that TRITON_PRINT_AUTOTUNING prints.
std::string tuningTable(const TuningRequest &request, const TuningResult &result);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_TUNER_H
