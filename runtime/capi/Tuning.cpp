//===- Tuning.cpp - the tuner of the C interface --------------------------===//

#include "Tuning.h"
#include "Internal.h"

using namespace tritium;
using namespace tritium::capi;
using runtime::TuningResult;

struct tritium_tuned {
  TuningResult result;
};

tritium_tuned *capi::release(TuningResult result) { return new tritium_tuned{std::move(result)}; }

struct tritium_trial {
  const std::function<bool(CompileError &)> &run;
};

namespace {

class CallbackHooks final : public runtime::TuningHooks {
public:
  explicit CallbackHooks(const tritium_tuning &tuning) : tuning(tuning) {}

  bool beforeRun(size_t candidate, CompileError &error) override {
    return !tuning.before || go([&] { return tuning.before(tuning.user, candidate); }, error);
  }
  bool afterRun(size_t candidate, const CompileError *failure, CompileError &error) override {
    if (!tuning.after)
      return true;
    tritium_error shown = {};
    if (failure)
      report(*failure, &shown);
    bool goesOn =
        go([&] { return tuning.after(tuning.user, candidate, failure ? &shown : nullptr); }, error);
    tritium_error_clear(&shown);
    return goesOn;
  }
  bool measures() const override { return tuning.measure != nullptr; }
  bool measure(size_t candidate, const std::function<bool(CompileError &)> &run,
               std::array<double, 3> &times, CompileError &error) override {
    tritium_trial trial{run};
    return go([&] { return tuning.measure(tuning.user, candidate, &trial, times.data()); }, error);
  }

private:
  /// Whether tuning goes on after a call of the host. An exception ends it, too, and before that
  /// everything is put back.
  template <typename Call> static bool go(Call call, CompileError &error) {
    int status = 1;
    std::string reason = "tuning was stopped";
    callHost(reason, [&] { status = call(); });
    if (status != 0)
      error = runtime::launchError("Stopped", reason);
    return status == 0;
  }
  const tritium_tuning &tuning;
};

runtime::TuningRequest toRequest(const tritium_tuning &tuning) {
  runtime::TuningRequest request;
  for (size_t i = 0; i < tuning.count; ++i) {
    const tritium_candidate &from = tuning.candidates[i];
    runtime::Candidate candidate;
    candidate.kernel = unwrap(from.kernel);
    candidate.call = {from.arguments, from.count, from.options, from.option_count};
    std::copy_n(from.grid, 3, candidate.grid.begin());
    candidate.label = from.label ? from.label : "";
    request.candidates.push_back(std::move(candidate));
  }
  distinguishLabels(request.candidates);
  const runtime::Kernel &first = *request.candidates.front().kernel;
  request.name = first.signature().name();
  request.identity = first.identity();
  request.machine =
      runtime::machineOf({tuning.candidates[0].arguments, tuning.candidates[0].count});
  request.isInterpreted = first.isInterpreted();
  request.key = tuning.key ? tuning.key : "";
  request.zeroed = {tuning.reset_to_zero, tuning.reset_to_zero + tuning.reset_to_zero_count};
  request.restored = {tuning.restore_value, tuning.restore_value + tuning.restore_value_count};
  request.warmupMilliseconds = tuning.warmup_ms;
  request.measureMilliseconds = tuning.rep_ms;
  request.mayRepeatIndirectWrites = tuning.may_repeat_indirect_writes != 0;
  request.useRecord = !tuning.ignore_record;
  return request;
}

} // namespace

tritium_tuned *tritium_tune(const tritium_tuning *tuning, tritium_error *error) {
  return guarded(error, static_cast<tritium_tuned *>(nullptr), [&]() -> tritium_tuned * {
    CompileError failure;
    if (tuning->count == 0) {
      report(runtime::launchError("AutotunerError", "there is no configuration to choose from"),
             error);
      return nullptr;
    }
    runtime::TuningRequest request = toRequest(*tuning);
    CallbackHooks hooks(*tuning);
    request.hooks = &hooks;
    TuningResult result;
    if (runtime::tune(request, result, failure))
      return release(std::move(result));
    report(failure, error);
    return nullptr;
  });
}

void tritium_tuned_release(tritium_tuned *tuned) { delete tuned; }

size_t tritium_tuned_best(const tritium_tuned *tuned) { return tuned->result.best; }

const char *tritium_tuned_source(const tritium_tuned *tuned) {
  switch (tuned->result.source) {
  case TuningResult::Source::Only:
    return "only";
  case TuningResult::Source::First:
    return "first";
  case TuningResult::Source::Recorded:
    return "recorded";
  case TuningResult::Source::Measured:
    break;
  }
  return "measured";
}

int tritium_tuned_is_for_this_call_only(const tritium_tuned *tuned) {
  return tuned->result.isForThisCallOnly;
}

const char *tritium_tuned_note(const tritium_tuned *tuned) { return tuned->result.note.c_str(); }

void tritium_tuned_seconds(const tritium_tuned *tuned, double *compile, double *measure) {
  *compile = tuned->result.compileSeconds;
  *measure = tuned->result.measureSeconds;
}

tritium_timing tritium_tuned_timing(const tritium_tuned *tuned, size_t candidate) {
  tritium_timing timing = {};
  if (candidate >= tuned->result.timings.size() || !tuned->result.timings[candidate])
    return timing;
  const runtime::Timing &known = *tuned->result.timings[candidate];
  timing.is_known = 1;
  std::copy(known.times.begin(), known.times.end(), timing.times);
  timing.reason = known.reason.empty() ? nullptr : known.reason.c_str();
  return timing;
}

int tritium_trial_run(tritium_trial *trial, tritium_error *error) {
  return guarded(error, 1, [&] {
    CompileError failure;
    if (trial->run(failure))
      return 0;
    report(failure, error);
    return 1;
  });
}
